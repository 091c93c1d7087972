//! The sentence of each notice.

use super::{ClusterChoice, KernelReader, Notice, SampleReason, SampleSizes};
use crate::control::Ending;
use crate::data::GapFill;
use crate::data::names::shell_word;
use crate::param::Value;
use std::fmt::{self, Display, Formatter};

impl Display for Notice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Why exact fits are not made.
        const TOO_MUCH: &str = ", as an exact fit to all of them takes too much time or memory";
        const TOO_COSTLY: &str = "takes too long on so many rows and classes to be searched";
        match self {
            Notice::OfTable(said) | Notice::Authored(said) | Notice::TakenOver(said) | Notice::Failed { why: said } => f.write_str(said),
            Notice::EmptyColumn { column } => write!(f, "column '{column}' has no value in any row: dropped"),
            Notice::Filled { column, cells, median, flag } => {
                write!(f, "column '{column}' has {}: filled with the median {median}, marked in '{flag}'", missing(*cells))
            }
            Notice::FilledNew { column, cells, median, flag } => {
                write!(f, "column '{column}' has {}: filled with the training median {median}, ", missing(*cells))?;
                match flag {
                    Some(flag) => write!(f, "marked in '{flag}'"),
                    None => write!(f, "not marked, since training had none"),
                }
            }
            Notice::TakenAs { column, cells, taken_as } => write!(f, "column '{column}' has {}: taken as {taken_as}", missing(*cells)),
            Notice::Gaps { column, times, rows, first, fill, can_be_chosen } => {
                let times = if *times == 1 { "1 time".into() } else { format!("{times} times") };
                let place = format!("row {}", first + 1);
                let rows = if *rows == 1 { format!("of {place}") } else { format!("of {rows} rows (the first is {place})") };
                write!(f, "column '{column}' lacks numbers at {times} {rows}: {}", fill.in_words())?;
                if *fill == GapFill::Interpolate && *can_be_chosen {
                    let option = |word: &str| format!("--missing {}", shell_word(&format!("{column}={word}")));
                    write!(f, "; {} leaves such times out, {} repeats the last number", option("skip"), option("forward"))?;
                }
                Ok(())
            }
            Notice::RowsDropped { column, rows, first, of_series } => {
                let count = match (of_series, rows) {
                    (true, 1) => "1 row that lacks numbers is".into(),
                    (true, many) => format!("{many} rows that lack numbers are"),
                    (false, 1) => "1 row that misses its cell is".into(),
                    (false, many) => format!("{many} rows that miss their cell are"),
                };
                write!(f, "column '{column}': {count} left out (the first is row {})", first + 1)
            }
            Notice::Calendar { column, periods } => {
                let (added, are) = (listed(periods.iter().map(String::as_str)), if periods.len() == 1 { "is" } else { "are" });
                write!(
                    f,
                    "column '{column}' holds dates: {added} {are} added, each as cosine and sine; --types {column}=days leaves that out"
                )
            }
            Notice::ConstantColumns { columns } => {
                let names: Vec<String> = columns.iter().map(|name| format!("'{name}'")).collect();
                let all = listed(names.iter().map(String::as_str));
                match columns.len() {
                    1 => write!(f, "column {all} holds the same value in every row: dropped"),
                    _ => write!(f, "columns {all} hold one value each in every row: dropped"),
                }
            }
            Notice::OneHot { column, labels } => write!(f, "column '{column}' becomes {labels} columns of 0 and 1, one per label"),
            Notice::ConstantDimensions { column, constant, dimensions } => {
                write!(f, "column '{column}': {constant} of {dimensions} dimensions hold the same value in every row and become 0")
            }
            Notice::ByWords { column } => write!(
                f,
                "column '{column}': texts so many and long are compared by their words alone; for runs of letters too, write --kernel \
                 'tfidf + normalise(spectrum(k=3))'"
            ),
            Notice::NotStandardised { column, kernel } => write!(
                f,
                "column '{column}' is not standardised: one of the kernels in {kernel} takes it as it is, and it is the same column for all"
            ),
            Notice::NotUsed { column, kernel } => write!(f, "column '{column}' is not used by the kernel {kernel}"),
            Notice::EqualLengths { column, length } => write!(
                f,
                "every sequence of '{column}' has {length} letters: if they are aligned, add normalise(weighted_degree), which compares \
                 them place by place"
            ),
            Notice::PartsTooLong { column, longest, kernel, length } => write!(
                f,
                "{kernel} counts parts of {length} letters, and the longest string of '{column}' has {longest}: it finds nothing; take a \
                 smaller length"
            ),
            Notice::Sequences { column, how } => write!(f, "column '{column}' holds {how}"),
            Notice::ZeroRows { rows: 1, first } => {
                write!(f, "row {} has k(x, x) = 0: for this kernel it is like nothing, itself included", first + 1)
            }
            Notice::ZeroRows { rows, first } => write!(
                f,
                "{rows} rows have k(x, x) = 0: for this kernel they are like nothing, themselves included; the first is row {}",
                first + 1
            ),
            Notice::ShrunkInformation { share } => {
                write!(f, "fisher: the information is singular: {:.1}% of its entries off the diagonal were taken away", 100.0 * share)
            }
            Notice::FiniteDifferences { kernel, order, row, found, exact } => write!(
                f,
                "{kernel}: finite differences of order {order} give {found:.3e} for the series in row {} with itself, which is {exact:.3e}; \
                 leave order out",
                row + 1
            ),
            Notice::Landmarks { landmarks, left } => {
                let left = Value::Number(*left).rounded(2);
                write!(f, "nystroem: {landmarks} landmarks leave {left}% of the sum of k(x, x) over the training rows")
            }
            Notice::OfClass { class, notice } => write!(f, "class '{class}': {notice}"),
            Notice::NotConverged { model, iterations } => {
                write!(f, "{model}: not converged after {iterations} iterations; raise iterations")
            }
            Notice::FewObservations { model, states, observations } => {
                write!(f, "{model}: {states} states for {observations} observations in all; take fewer states")
            }
            Notice::ConstantNumbers { first, others, variance } => {
                let others = if *others == 0 { String::new() } else { format!(" and {others} more") };
                write!(f, "gaussian: number {}{others} of each row is constant: its variance is taken to be {variance:.3e}", first + 1)
            }
            Notice::Shrinkage { share } => {
                write!(f, "gaussian: {:.1}% of the correlations between columns were taken away (shrinkage)", 100.0 * share)
            }
            Notice::Multinomial { model } => {
                write!(f, "{model}: counts vary no more than those of a multinomial, which fits them as well")
            }
            Notice::StepsSpent { model } => write!(f, "{model}: the fit had not converged after its greatest number of steps"),
            Notice::SingularComponent => f.write_str(
                "gaussian_mixture: a covariance of a component is singular, and the likelihood falls where correlations are taken away \
                 from it: the most likely mixture before is kept; take covariance=diagonal, a prior above 1, or fewer components",
            ),
            Notice::DependentPredictors => {
                f.write_str("autoregressive: the predictors depend on each other; take prior above 1, or a smaller order")
            }
            Notice::SmallWeights { sum } => write!(
                f,
                "the weights sum to {}, and weights count rows here (2: the row stands there twice); multiply them by the number of rows",
                Value::Number(*sum).rounded(4)
            ),
            Notice::WeightsAsShares { sum, less_than } => write!(
                f,
                "the weights sum to {}, less than {less_than}, and weights count rows here (2: the row stands there twice): they are taken \
                 as shares, and multiplied so that their mean is 1",
                Value::Number(*sum).rounded(4)
            ),
            Notice::NegativeEigenvalues { count, is_least, share } => write!(
                f,
                "the centred similarities are not positive semi-definite: {count} eigenvalues{} are below 0, together {:.1}% of the size of \
                 all; components hold only what lies above 0",
                if *is_least { " at least" } else { "" },
                100.0 * share
            ),
            Notice::NegativeDistances { count } => {
                write!(f, "the similarity is not positive semi-definite: {count} squared distances below 0 count as 0")
            }
            Notice::Unrelated { shared, kernel } => {
                write!(f, "no {shared} in common with any training row that the model keeps; to {kernel} such a row is unknown")
            }
            Notice::UnseenLetters { letters, more } => {
                let mut named: Vec<String> = letters.iter().map(|c| format!("'{}'", c.escape_debug())).collect();
                named.extend((*more > 0).then(|| format!("{more} more")));
                write!(f, "letters that no training row has ({}): the model takes each for a rare one", named.join(", "))
            }
            Notice::TiedByRounding => f.write_str(
                "the nearest training rows tie by rounding: kernel values differ but are too small beside k(x, x) for distances, so that \
                 all of these rows share the votes; take a larger length scale, a smaller gamma, or another kernel",
            ),
            Notice::NoneNear => f.write_str(
                "no training row within the bandwidth, so that the prediction is missing; give a wider bandwidth, or a kernel without an \
                 end (gaussian)",
            ),
            Notice::WithProbabilities { metric, estimator } => {
                write!(f, "{metric} is computed from class probabilities: {estimator} is fitted with probabilities=true")
            }
            Notice::Sampled { sizes, of, reason } => {
                let sizes = match sizes {
                    SampleSizes::Alike(rows) => rows.to_string(),
                    SampleSizes::Each(all) => all.iter().map(|(name, rows)| format!("{name} {rows}")).collect::<Vec<_>>().join(", "),
                };
                let why = match reason {
                    SampleReason::OfLearner => "",
                    SampleReason::AsAsked => ", as asked for",
                    SampleReason::TooMuch => TOO_MUCH,
                    SampleReason::Stopped => ", as there was no time left for more",
                };
                write!(f, "trained on a random sample of the rows: {sizes} of {of}{why}")
            }
            Notice::Batched { rows, batches, passes, sample } => {
                let batches = if *batches == 1 { "1 batch".to_owned() } else { format!("{batches} batches") };
                write!(f, "the coefficients are fitted to {rows} rows in {batches}")?;
                if *passes > 1 {
                    write!(f, ", by {passes} passes over them")?;
                }
                if sample < rows {
                    write!(f, "; columns, kernel and parameters are settled by a random sample of {sample}")
                } else {
                    Ok(())
                }
            }
            Notice::ThroughLandmarks => write!(f, "the kernel goes through landmarks{TOO_MUCH}"),
            Notice::TooCostly { estimator } => write!(f, "{estimator} {TOO_COSTLY}: the starting values are fitted"),
            Notice::NothingJudged => f.write_str(
                "time was up before any setting could be judged: the starting values are fitted; allow more max_seconds (--max-seconds)",
            ),
            Notice::SearchStopped => f.write_str("the search was stopped on request: the best setting found by then is fitted"),
            Notice::FitStopped => f.write_str("the fit was stopped on request: its certificate says how good it is"),
            Notice::Clusters { chosen, by: None } => {
                write!(f, "clusters={chosen}: there are too few rows that differ to measure how many there are")
            }
            Notice::Clusters { chosen, by: Some(ClusterChoice { by, value, error, least, most }) } => {
                let error = if *error > 0.0 { format!(" (standard error {error:.3})") } else { String::new() };
                write!(f, "clusters={chosen} of {least} to {most} is chosen by the {by}: {value:.3}{error}")
            }
            Notice::Permutations { drawn, of } => write!(f, "time was up after {drawn} of {of} permutations"),
            Notice::Decides { metric, class, share } => write!(
                f,
                "{metric} decides, because guessing '{class}' is correct in {:.1}% of rows; --metric accuracy judges by accuracy",
                100.0 * share
            ),
            Notice::OwnKernel { estimator, reads, kernel } => {
                let reads = match reads {
                    KernelReader::Nonnegative => "takes no negative values",
                    KernelReader::Features => "reads features of rows",
                };
                write!(f, "{estimator} {reads}: its kernel is {kernel}")
            }
            Notice::FoldsInTime { unscored } => write!(
                f,
                "folds are in order of time: each is scored by models trained on the rows before it; the first {unscored} rows are never \
                 scored"
            ),
            Notice::KernelChosen { kernel, candidates, rows, gain } => {
                let gain = gain.as_ref().map_or(String::new(), |g| format!(", {:.0}% lower than under {}", 100.0 * g.share, g.than));
                write!(
                    f,
                    "kernel: {kernel} has the lowest leave-one-out error of {candidates} candidates, by ridge on {rows} rows{gain}; in each \
                     fold the training rows choose for themselves"
                )
            }
            Notice::ScoredAtStart { estimators } => write!(f, "{}: {TOO_COSTLY}: scored at starting values", estimators.join(", ")),
            Notice::NotTuned { estimators, ending } => {
                let (who, why) = (estimators.join(", "), ending.reason());
                write!(f, "{who}: {why} before the search was done: not tuned{}", remedy(*ending))
            }
            Notice::SearchCut { estimators, ending } => {
                let (who, why) = (estimators.join(", "), ending.reason());
                write!(f, "{who}: {why} before the search came to its end: the best setting found by then is scored{}", remedy(*ending))
            }
            Notice::NoFinalFit { estimators, ending } => {
                write!(f, "{}: {} before the fit to all rows{}", estimators.join(", "), ending.reason(), remedy(*ending))
            }
            Notice::DependsOnSpeed => f.write_str(
                "what is done within max_seconds (--max-seconds) depends on the speed of the machine: the same limit and seed may give \
                 other scores another time",
            ),
            Notice::CostCut { estimator, classes: [first, second], above, of_probabilities } => {
                // The class that the larger probability would leave out.
                let (class, place) = match (of_probabilities, *above) {
                    (true, above) if above >= 1.0 => (first, "probability is at least 0".to_owned()),
                    (true, above) if above > 0.5 => (first, format!("probability is at least {:.3}", 1.0 - above)),
                    (true, above) => (second, format!("probability is above {:.3}", above.max(0.0))),
                    (false, above) => (second, format!("decision value is above {above:.3}")),
                };
                write!(f, "{estimator} predicts '{class}' where its {place}, which costs least on held-out rows; the model keeps that")
            }
            Notice::NoFigures { estimator, why } => write!(f, "{estimator}: figures are left out: {why}"),
            Notice::NoTestScore { estimator, table, why } => write!(f, "{estimator}: no score on {table}: {why}"),
        }
    }
}

/// What gives more work room.
fn remedy(ending: Ending) -> &'static str {
    match ending {
        Ending::Request => "",
        Ending::Time => "; allow more max_seconds (--max-seconds)",
        Ending::Budget => "; allow more effort (--effort), or name up to five methods (--estimators)",
    }
}

/// `1 missing cell`, `2 missing cells`.
fn missing(cells: usize) -> String {
    if cells == 1 { "1 missing cell".into() } else { format!("{cells} missing cells") }
}

/// The first few of a list of names: `a, b, c and 4 more`.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 6;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

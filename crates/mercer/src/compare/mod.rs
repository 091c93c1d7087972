//! Estimators side by side: same folds, same kernel, each tuned by its own criterion inside the training part of each fold.

mod advice;
mod choice;
mod entrants;
mod executor;
mod finished;
mod guess;
mod held_out;
mod plan;
mod prices;
mod processes;
mod race;
mod rare;
mod runner;
mod settings;
mod settled;
mod starts;
mod threads;
mod watch;
mod worker;

pub use advice::{Advice, Judged, Rule, advise};
#[cfg(feature = "report")]
pub(crate) use entrants::label;
pub use entrants::usual;
pub use held_out::OutOfFold;
pub use plan::{Plan, Planned};
pub use processes::{Processes, work};
pub use settings::{GridName, JudgedSetting, SettingsGrid, judge_settings};
pub use starts::{SAME, Starts};
pub use watch::{CandidateProgress, CandidateState, RaceObserver, RaceUpdate};

use crate::control::{Control, Ending, contain};
use crate::data::TargetInfo;
use crate::data::{Dataset, Examples, Split, Target, folds};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Needs};
use crate::facts;
use crate::fitting::{Prepared, Used};
use crate::kernels::KernelExpr;
use crate::learner::{Model, check_sample};
use crate::metrics::{Difference, Estimate, Metric, judged_by};
use crate::notice::{KernelReader, Notice, SampleReason, SampleSizes};
use crate::prep;
use crate::schedule::Out;
use crate::trial::{Spent, Trial};
use choice::KernelChoice;
use entrants::Entrant;
use race::Race;
use rare::{costs, decided, why_decides};
use serde::{Deserialize, Serialize};

/// Settings of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparing {
    /// How columns become inputs; fitted anew in each fold.
    pub prep: prep::Recipe,
    /// The kernel; `None`: made from the column types.
    pub kernel: Option<KernelExpr>,
    /// The estimators, in the order of the table.
    pub estimators: Vec<EstimatorExpr>,
    /// Compare those that find length scales by a gradient once more, with one length scale for each column of numbers; where no kernel is
    /// asked for, and rows and columns allow it.
    pub own_scales: bool,
    /// Number of folds.
    pub folds: usize,
    /// Seed of the folds and of the searches.
    pub seed: u64,
    /// Fit although the kernel is not positive semi-definite.
    pub allow_non_mercer: bool,
    /// The metric that decides, and by which cross-validation tunes; `None`: accuracy or the root of the mean squared error.
    pub metric: Option<Metric>,
    /// The cost of a wrong prediction of a row of each class, 1 where there is none; of two classes. `None`: rare classes cost as much as
    /// frequent ones, where one is so frequent that it alone would be predicted.
    pub costs: Option<Vec<(String, f64)>>,
    /// The most rows that a fit learns from, drawn at random; `None`: as many as the plan allows.
    pub sample: Option<usize>,
    /// Times the usual budget of work that may be spent where there is no limit of time; `None`: all that there is to do.
    pub effort: Option<f64>,
    /// Processes that run the trials; `None`: the threads of this one.
    #[serde(skip)]
    pub processes: Option<Processes>,
}

impl Comparing {
    /// Five folds of these estimators with everything else at its default.
    pub fn new(estimators: Vec<EstimatorExpr>) -> Self {
        Comparing {
            prep: prep::Recipe::default(),
            kernel: None,
            estimators,
            own_scales: false,
            folds: 5,
            seed: 0,
            allow_non_mercer: false,
            metric: None,
            costs: None,
            sample: None,
            effort: Some(1.0),
            processes: None,
        }
    }

    /// The comparison with class probabilities enabled for each estimator where the metric is computed from them.
    fn judged(&self) -> Self {
        let estimators = self.estimators.iter().map(|e| judged_by(e, self.metric)).collect();
        Comparing { estimators, ..self.clone() }
    }
}

/// Progress of the work on one estimator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowStatus {
    /// Folds that are scored.
    pub folds: usize,
    /// Folds that there are.
    pub of_folds: usize,
    /// Whether the scores are those of the starting values although there is something to search.
    pub at_start: bool,
    /// Whether a search was left out, as it would cost far too much.
    pub exceeds_budget: bool,
    /// Whether the search ended by itself and not at a limit of time.
    pub is_searched: bool,
    /// Fits that did not meet their tolerance, of the folds and of the fit to all rows.
    pub unconverged: usize,
    /// Most training rows of the fits whose scores are reported.
    pub rows: usize,
    /// Training rows of the final fit; 0 if there is none.
    pub fitted_rows: usize,
    /// Why it is searched no further.
    pub out: Option<Out>,
    /// Why the comparison ended, where not all work was done.
    pub ending: Ending,
}

impl RowStatus {
    /// Whether it is scored on every fold with searched values, or with all that there are.
    pub fn is_tuned(&self) -> bool {
        self.folds == self.of_folds && !self.at_start
    }

    /// Training rows of the model, or else of the scored fits.
    fn learnt_from(&self) -> usize {
        if self.fitted_rows > 0 { self.fitted_rows } else { self.rows }
    }
}

/// One estimator's result.
#[derive(Debug)]
pub struct Scored {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Whether its kernel has one length scale for each column, and that of the others does not.
    pub own_scales: bool,
    /// Each metric over all held-out rows, the deciding one first; empty after a failure.
    pub metrics: Vec<(Metric, Estimate)>,
    /// Each metric in each scored fold, in the order of `metrics`; NaN where the rows of a fold do not define it.
    pub folds: Vec<(Metric, Vec<f64>)>,
    /// Difference of the deciding metric to the best estimator's, paired by held-out rows; `None` for the best, and for what is not
    /// tuned on as many rows.
    pub difference: Option<Difference>,
    /// Difference of the deciding metric to that of a guess without inputs, paired by held-out rows.
    pub over_guess: Option<Difference>,
    /// Difference of the log loss to the lowest one; `None` for the lowest, and where there are no probabilities.
    pub log_loss_difference: Option<Difference>,
    /// Predictions of rows by the models that did not see them; `None` where time was up before every fold was scored.
    pub out_of_fold: Option<OutOfFold>,
    /// The model fitted on all rows; none after a failure, and where time was up before that fit.
    pub model: Option<Model>,
    /// Seconds of that fit, tuning not counted.
    pub fit_seconds: f64,
    /// Seconds of its tuning.
    pub tune_seconds: f64,
    /// Microseconds per row of predicting up to 4,000 rows at once, fewer where these would take long.
    pub predict_us_per_row: f64,
    /// Whether its fit depends on where it starts; `None` where that could not be tried.
    pub starts: Option<Starts>,
    /// How far the work came.
    pub status: RowStatus,
    /// Why there is no result.
    pub failure: Option<Error>,
}

impl Scored {
    /// Of an estimator that has no results.
    fn without_results(estimator: EstimatorExpr) -> Self {
        Scored {
            estimator,
            own_scales: false,
            metrics: Vec::new(),
            folds: Vec::new(),
            difference: None,
            over_guess: None,
            log_loss_difference: None,
            out_of_fold: None,
            model: None,
            fit_seconds: f64::NAN,
            tune_seconds: f64::NAN,
            predict_us_per_row: f64::NAN,
            starts: None,
            status: RowStatus::default(),
            failure: None,
        }
    }

    /// Of an estimator that failed.
    fn failed(estimator: EstimatorExpr, of_folds: usize, failure: Error) -> Self {
        let status = RowStatus { of_folds, ..RowStatus::default() };
        Scored { status, failure: Some(failure), ..Scored::without_results(estimator) }
    }

    /// Its name in lists.
    pub(crate) fn name(&self) -> String {
        entrants::label(&self.estimator.full_name(), self.own_scales)
    }

    /// Its name in the table.
    #[cfg(feature = "report")]
    pub(crate) fn label(&self) -> String {
        entrants::label(&self.estimator.to_string(), self.own_scales)
    }

    /// The deciding metric, smaller is better; infinite where there is none.
    pub(crate) fn loss(&self) -> f64 {
        match self.metrics.first() {
            Some((m, e)) if e.mean.is_finite() => {
                if m.rises() {
                    -e.mean
                } else {
                    e.mean
                }
            }
            _ => f64::INFINITY,
        }
    }

    /// Whether it was scored on every fold and fitted to all rows, with searched values where any estimator was. Fits that did not
    /// converge are judged by held-out rows.
    fn may_win(&self, folds: usize) -> bool {
        self.status.folds == folds && self.failure.is_none() && self.model.is_some() && self.loss().is_finite()
    }
}

/// The whole comparison.
#[derive(Debug)]
pub struct Outcome {
    /// The kernel expression that all shared.
    pub kernel: KernelExpr,
    /// One result per estimator, in the order asked for.
    pub rows: Vec<Scored>,
    /// Index of the best of those that were scored on every fold and fitted to all rows.
    pub best: Option<usize>,
    /// The deciding metric that the best one is expected to reach on new rows: its score, corrected for the choice of the best.
    pub corrected: Option<f64>,
    /// The deciding metric of a guess without inputs, on the same held-out rows.
    pub guess: Option<Estimate>,
    /// How the columns were prepared.
    pub columns: Vec<String>,
    /// Notices for the user.
    pub notices: Vec<Notice>,
    /// Every trial in the order in which they were decided on, with what it took.
    pub trials: Vec<(Trial, Spent)>,
}

/// Refuses a budget that is none.
fn check_effort(effort: Option<f64>) -> Result<()> {
    match effort {
        Some(effort) if !(effort > 0.0 && effort.is_finite()) => Err(Error::Setting {
            name: "effort (--effort)".into(),
            why: format!("{effort} times the usual budget is no budget; write a number above 0, such as 0.1 or 10"),
        }),
        _ => Ok(()),
    }
}

/// Rows of a table ready to be compared on.
struct Field {
    used: Used,
    split: Split,
    whole: Prepared,
    choice: Option<KernelChoice>,
    entrants: Vec<Entrant>,
    notices: Vec<Notice>,
}

impl Field {
    fn of(examples: &Examples<'_>, comparing: &Comparing, control: &Control) -> Result<Self> {
        check_sample(comparing.sample)?;
        check_effort(comparing.effort)?;
        let used = Used::of(&comparing.prep, examples.data, examples.target, examples.weights)?;
        require_different(&examples.target.select(&used.rows))?;
        plan::require_room(examples.data, control)?;
        let raw = examples.select(&used.rows);
        let mut whole = entrants::prepared_for(comparing, &raw)?;
        let mut nonnegative = whole.kernel.clone();
        let mut choice =
            if entrants::asks_for_values(comparing) { KernelChoice::of(&raw.examples(), &whole, comparing, control)? } else { None };
        if let Some(made) = &choice {
            control.tell("the kernel of the table", 0, 1);
            let chosen = made.choose(&Examples { data: &whole.data, ..raw.examples() }, control)?;
            let is_measured = chosen.is_measured();
            nonnegative = chosen.nonnegative();
            chosen.settle(&mut whole, &raw.data);
            // What all rows had no time for those of a fold have none for.
            choice = choice.filter(|_| is_measured);
        }
        let settled = whole.kernel.settle_weighed(&whole.data, raw.weights.as_deref())?;
        if !settled.needs_training_rows() {
            // What does not fit the columns is said of the rows as they were given, not of those of a fold.
            let bound = settled.learn(&whole.data, raw.weights.as_deref(), control).and_then(|k| k.gram(&whole.data, control).map(|_| ()));
            match bound {
                // Fits to fewer rows take less, and the baseline takes nothing.
                Err(Error::Time { .. } | Error::Memory { .. }) => {}
                bound => bound?,
            }
        }
        let entrants = entrants::entrants(comparing, &whole, &nonnegative);
        Ok(Field { split: examples.split.clone(), notices: used.notices.clone(), used, whole, choice, entrants })
    }

    fn planned(&self, examples: &Examples<'_>, comparing: &Comparing, control: &Control) -> Result<Plan> {
        let part = examples.select(&self.used.rows);
        let prepared = Examples { data: &self.whole.data, ..part.examples() };
        plan::plan(&prepared, &self.whole, &self.entrants, comparing, control)
    }
}

/// An error where every row has one target: nothing can be told apart, and every method is right.
fn require_different(target: &Target) -> Result<()> {
    let said = match target {
        Target::Classes { codes, names } if codes.len() > 1 => codes
            .iter()
            .all(|code| *code == codes[0])
            .then(|| format!("every row is of class '{}'; add rows of another class", names[codes[0]])),
        Target::Numbers(y) if y.rows() > 1 => (1..y.rows())
            .all(|i| y.row(i) == y.row(0))
            .then(|| format!("the target is {} in every row; add rows in which it differs", y[(0, 0)])),
        _ => None,
    };
    said.map_or(Ok(()), |said| Err(Error::Data(format!("there is nothing to predict: {said}, or check the target column"))))
}

/// The notices of estimators trained on a sample of the rows: one for each reason.
fn notices_of_samples(outcome: &[Scored], all: usize, comparing: &Comparing) -> Vec<Notice> {
    let sampled: Vec<(String, usize)> = outcome
        .iter()
        .filter(|r| !r.metrics.is_empty() && r.status.learnt_from() < all)
        .map(|r| (r.name(), r.status.learnt_from()))
        .collect();
    let (asked, forced): (Vec<_>, Vec<_>) = sampled.into_iter().partition(|(_, rows)| comparing.sample == Some(*rows));
    let notice = |fits: Vec<(String, usize)>, reason| {
        let &(_, first) = fits.first()?;
        let alike = fits.len() == outcome.len() && fits.iter().all(|(_, rows)| *rows == first);
        let sizes = if alike { SampleSizes::Alike(first) } else { SampleSizes::Each(fits) };
        Some(Notice::Sampled { sizes, of: all, reason })
    };
    [notice(asked, SampleReason::AsAsked), notice(forced, SampleReason::TooMuch)].into_iter().flatten().collect()
}

/// What a comparison would do: rows, bytes and, on tables that are worth it, seconds of each estimator.
///
/// # Errors
/// A kernel that does not fit the columns; unusable rows.
pub fn plan(examples: &Examples<'_>, comparing: &Comparing, control: &Control) -> Result<Plan> {
    let comparing = &decided(comparing, examples.target, examples.weights)?.judged();
    Field::of(examples, comparing, control)?.planned(examples, comparing, control)
}

/// Compares on rows without their target; folds respect the split, weights weigh fits and scores.
///
/// A race: every estimator is scored at its starting values first, what can still win is searched, and fits to all rows follow, the best
/// first. What the budget or the time does not allow is left undone, and said.
///
/// # Errors
/// Rows that allow no folds, a kernel that does not fit the columns, and the first failure where every estimator failed.
pub fn compare(
    data: &Dataset,
    target: &Target,
    info: &TargetInfo,
    weights: Option<&[f64]>,
    split: &Split,
    comparing: &Comparing,
    control: &Control,
) -> Result<Outcome> {
    compare_watched(&Examples { data, target, weights, split }, info, comparing, control, &mut |_| (), None)
}

/// Compares as [`compare`] does. `announce` receives the plan before the first long step, `observer` an update whenever a trial begins
/// or ends; neither changes the outcome.
///
/// # Errors
/// As [`compare`].
pub fn compare_watched(
    examples: &Examples<'_>,
    info: &TargetInfo,
    comparing: &Comparing,
    control: &Control,
    announce: &mut dyn FnMut(&Plan),
    observer: Option<RaceObserver<'_>>,
) -> Result<Outcome> {
    contain("the comparison", || compared(examples, info, comparing, control, announce, observer))
}

fn compared(
    examples: &Examples<'_>,
    info: &TargetInfo,
    comparing: &Comparing,
    control: &Control,
    announce: &mut dyn FnMut(&Plan),
    observer: Option<RaceObserver<'_>>,
) -> Result<Outcome> {
    let mut notices = Vec::new();
    let costs = costs(comparing, examples.target, examples.weights)?;
    let is_open = comparing.metric.is_none();
    let comparing = &decided(comparing, examples.target, examples.weights)?.judged();
    notices.extend(why_decides(examples.target, comparing.metric.filter(|_| is_open)));
    let kept_together = facts::kept_together(examples.data, examples.target, examples.split, comparing.folds);
    let examples = &Examples { split: kept_together.as_ref().unwrap_or(examples.split), ..*examples };
    let field = Field::of(examples, comparing, control)?;
    let plan = field.planned(examples, comparing, control)?;
    announce(&plan);
    let Field { used, split, whole, choice, entrants, notices: of_rows } = field;
    notices.extend(of_rows);
    // What a step does to its columns stands among the columns.
    notices.extend(whole.notices.iter().filter(|n| !n.is_of_steps()).cloned());
    for Entrant { estimator, kernel, .. } in entrants.iter().filter(|e| !e.own_scales) {
        if *kernel != whole.kernel && estimator.uses_kernel() {
            let reads = if estimator.needs() == Needs::NonNegative { KernelReader::Nonnegative } else { KernelReader::Features };
            notices.push(Notice::OwnKernel { estimator: estimator.name().into(), reads, kernel: kernel.to_string() });
        }
    }
    let mut splits = folds(&examples.target.select(&used.rows), &split.select(&used.rows), comparing.folds, comparing.seed)?;
    for side in splits.iter_mut().flat_map(|fold| [&mut fold.train, &mut fold.test]) {
        side.iter_mut().for_each(|i| *i = used.rows[*i]);
    }
    crate::data::lose_alike(&mut splits, examples.target, &split, comparing.seed);
    if let (Split::Time(_), Some(first)) = (&split, splits.first()) {
        notices.push(Notice::FoldsInTime { unscored: first.train.len() });
    }
    let mut outcome = Race::new(*examples, info, comparing, (whole, used.rows, entrants), splits, &plan, control)?
        .at_costs(costs)
        .choosing(choice.as_ref())?
        .watched(observer)
        .run()?;
    if outcome.rows.iter().all(|r| r.metrics.is_empty()) {
        let first = outcome.rows.into_iter().find_map(|r| r.failure);
        return Err(first.unwrap_or_else(|| Error::Data("no estimator could be scored".into())));
    }
    notices.extend(notices_of_samples(&outcome.rows, plan.rows, comparing));
    notices.append(&mut outcome.notices);
    outcome.notices = notices;
    Ok(outcome)
}

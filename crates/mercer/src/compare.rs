//! Estimators side by side: same folds, same kernel, each tuned by its own criterion inside the training part of each fold.

use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Split, Target, folds};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Predicted, Predictions, Want};
use crate::fitting::{self, Used};
use crate::kernels::KernelExpr;
use crate::learner::{Learner, Model};
use crate::linalg::Matrix;
use crate::prep;
use crate::read::TargetInfo;
use crate::select::{Estimate, Metric, score, tune};
use std::time::Instant;

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct Comparing {
    /// How columns become inputs; fitted anew in each fold.
    pub prep: prep::Recipe,
    /// The kernel; `None`: made from the column types.
    pub kernel: Option<KernelExpr>,
    /// The estimators, in the order of the table.
    pub estimators: Vec<EstimatorExpr>,
    /// Number of folds.
    pub folds: usize,
    /// Seed of the folds and of the searches.
    pub seed: u64,
    /// Fit although the kernel is not positive semi-definite.
    pub allow_non_mercer: bool,
}

/// One estimator's result.
#[derive(Debug)]
pub struct Scored {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Each metric over the folds, the deciding one first; empty after a failure.
    pub metrics: Vec<(Metric, Estimate)>,
    /// The deciding metric in each fold.
    pub per_fold: Vec<f64>,
    /// Difference of the deciding metric to the best estimator's, paired by fold; `None` for the best.
    pub difference: Option<Estimate>,
    /// Predictions of rows by the models that did not see them; `None` where time was up before every fold was scored.
    pub out_of_fold: Option<OutOfFold>,
    /// The model fitted on all rows; none after a failure, and where time was up before that fit.
    pub model: Option<Model>,
    /// Seconds of that fit, tuning not counted.
    pub fit_seconds: f64,
    /// Seconds of its tuning.
    pub tune_seconds: f64,
    /// Microseconds per row of predicting all rows at once.
    pub predict_us_per_row: f64,
    /// Why there is no result.
    pub failure: Option<Error>,
}

/// Predictions of rows that were held out.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfFold {
    /// The rows, from 0, ascending.
    pub rows: Vec<usize>,
    /// A prediction for each of them.
    pub predictions: Predictions,
}

/// The whole comparison.
#[derive(Debug)]
pub struct Outcome {
    /// The kernel expression that all shared.
    pub kernel: KernelExpr,
    /// One result per estimator, in the order asked for.
    pub rows: Vec<Scored>,
    /// Index of the best.
    pub best: usize,
    /// What was done to the columns.
    pub columns: Vec<String>,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// Compares on rows without their target; folds respect `split`, `weights` weigh fits and scores.
///
/// A time budget is shared out: each fold of each estimator, and each fit to all rows, may take an equal part of what is
/// left. What time does not allow is left undone, and said.
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
    let used = Used::of(&comparing.prep, data, target, weights)?;
    let whole = fitting::prepare(&comparing.prep, comparing.kernel.as_ref(), &data.select(&used.rows))?;
    whole.kernel.settle(&whole.data)?.bind_within(None, &whole.data, control)?;
    let mut splits = folds(&target.select(&used.rows), &split.select(&used.rows), comparing.folds, comparing.seed)?;
    for side in splits.iter_mut().flat_map(|fold| [&mut fold.train, &mut fold.test]) {
        side.iter_mut().for_each(|i| *i = used.rows[*i]);
    }
    let mut parts: Vec<Result<Parts>> =
        comparing.estimators.iter().map(|e| start(e, target, &whole.kernel, &whole.data, comparing, control)).collect();
    let mut left = parts.iter().filter(|p| p.is_ok()).count() * (splits.len() + 1);
    let mut share = || {
        let part = 1.0 / left.max(1) as f64;
        left = left.saturating_sub(1);
        control.share(part)
    };
    let mut round = 0.0;
    for (k, fold) in splits.iter().enumerate() {
        // Time must do for this fold and for the fits to all rows; each takes about as long as the last fold.
        if k > 0 && !control.allows(1.5 * round) {
            break;
        }
        let clock = Instant::now();
        let made = prepare_fold(data, comparing, fold)?;
        for (e, part) in comparing.estimators.iter().zip(&mut parts) {
            control.check()?;
            control.tell(&format!("{}, fold {}", e.name(), k + 1), k, splits.len());
            let Ok(so_far) = part else { continue };
            if control.out_of_time() {
                break;
            }
            match run_fold(e, &made, fold, target, weights, split, comparing.seed, &share(), so_far) {
                // Folds that are scored already stay so.
                Err(Error::Time { .. }) if !so_far.scores.is_empty() => {}
                Err(error) => *part = Err(error),
                Ok(()) => {}
            }
        }
        round = clock.elapsed().as_secs_f64();
    }
    let mut notices = used.notices;
    notices.extend(whole.notices);
    if let (Split::Time(_), Some(first)) = (split, splits.first()) {
        notices.push(format!(
            "folds are in order of time: each is scored by what was learnt from the rows before it; the first {} rows are never scored",
            first.train.len()
        ));
    }
    let scored = level(&mut parts);
    if scored > 0 && scored < splits.len() {
        let of = splits.len();
        notices.push(cut_short(control, &format!("after {scored} of {of} folds, which alone are scored")));
    }
    let mut rows = Vec::new();
    for (e, part) in comparing.estimators.iter().zip(parts) {
        control.check()?;
        let row = finish(e, part, data, target, info, weights, split, &used.rows, comparing, &share())?;
        if row.failure.is_none() && row.model.is_none() {
            notices.push(format!("{}: {}", e.name(), cut_short(control, "before the fit to all rows")));
        }
        rows.push(row);
    }
    let Some(best) = rows
        .iter()
        .enumerate()
        .filter_map(|(i, r)| r.metrics.first().map(|(m, e)| (i, if m.rises() { -e.mean } else { e.mean })))
        .filter(|(_, loss)| loss.is_finite())
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(i, _)| i)
    else {
        let first = rows.into_iter().find_map(|r| r.failure);
        return Err(first.unwrap_or_else(|| Error::Data("no estimator could be scored".into())));
    };
    let reference = rows[best].per_fold.clone();
    for (i, r) in rows.iter_mut().enumerate() {
        if i != best && r.per_fold.len() == reference.len() {
            let gaps: Vec<f64> = r.per_fold.iter().zip(&reference).map(|(a, b)| a - b).collect();
            r.difference = Some(Estimate::of(&gaps));
        }
    }
    Ok(Outcome { kernel: whole.kernel, rows, best, columns: whole.prep.describe(), notices })
}

/// A sentence on work that was not finished.
fn cut_short(control: &Control, when: &str) -> String {
    if control.enough.is_cancelled() {
        format!("stopped on request {when}")
    } else {
        format!("time was up {when}; allow more max_seconds (--max-seconds)")
    }
}

/// Leaves every estimator the folds that all of them have scored, and says how many; one that has none is not asked.
fn level(parts: &mut [Result<Parts>]) -> usize {
    let scored = parts.iter().flatten().map(|p| p.scores.len()).filter(|n| *n > 0).min().unwrap_or(0);
    for part in parts.iter_mut().flatten() {
        part.scores.truncate(scored);
        part.predictions.truncate(scored);
    }
    scored
}

/// Scores of one estimator while folds go by.
#[derive(Default)]
struct Parts {
    scores: Vec<Vec<(Metric, f64)>>,
    predictions: Vec<(Vec<usize>, Predictions)>,
}

/// The refusals that need no fold.
fn start(
    e: &EstimatorExpr,
    target: &Target,
    kernel: &KernelExpr,
    data: &Dataset,
    comparing: &Comparing,
    control: &Control,
) -> Result<Parts> {
    if !e.takes(target) {
        return Err(fitting::cannot_predict(e, target));
    }
    fitting::plan(e, data.rows(), target, control)?;
    if e.needs_mercer() && !comparing.allow_non_mercer {
        fitting::require_mercer(kernel, e, data, control)?;
    }
    Ok(Parts::default())
}

struct PreparedFold {
    kernel: KernelExpr,
    train: Dataset,
    test: Dataset,
}

fn prepare_fold(data: &Dataset, comparing: &Comparing, fold: &Fold) -> Result<PreparedFold> {
    let made = fitting::prepare(&comparing.prep, comparing.kernel.as_ref(), &data.select(&fold.train))?;
    let test = made.prep.apply(&data.select(&fold.test))?;
    Ok(PreparedFold { kernel: made.kernel, train: made.data, test })
}

fn pick<T: Copy>(list: Option<&[T]>, rows: &[usize]) -> Option<Vec<T>> {
    list.map(|l| rows.iter().map(|&i| l[i]).collect())
}

#[allow(clippy::too_many_arguments, reason = "one private call site; a struct of these would only move the list")]
fn run_fold(
    e: &EstimatorExpr,
    made: &PreparedFold,
    fold: &Fold,
    target: &Target,
    weights: Option<&[f64]>,
    split: &Split,
    seed: u64,
    control: &Control,
    so_far: &mut Parts,
) -> Result<()> {
    let (train_weights, train_split) = (pick(weights, &fold.train), split.select(&fold.train));
    let train_target = target.select(&fold.train);
    let examples = Examples { data: &made.train, target: &train_target, weights: train_weights.as_deref(), split: &train_split };
    let tuned = tune(&made.kernel, e, &examples, &control.share(0.5), seed, false)?;
    let fitted = fitting::fit_settled(&tuned.kernel, &tuned.estimator, &examples, control, seed)?;
    if control.enough.is_cancelled() {
        // A fit that was cut short on request says nothing of the estimator.
        return Err(Error::Time { what: e.name().into() });
    }
    let want = Want { variance: true, probabilities: true, ..Want::default() };
    let support = fitting::support_of(&tuned.kernel, &fitted, &made.train);
    let predictions = fitting::predict_settled(&tuned.kernel, &fitted, &support, &made.test, want, control)?;
    so_far.scores.push(score(&predictions, &target.select(&fold.test), pick(weights, &fold.test).as_deref()));
    so_far.predictions.push((fold.test.clone(), predictions));
    Ok(())
}

/// The fit on all rows, timed, and the row of the table.
#[allow(clippy::too_many_arguments, reason = "one private call site; a struct of these would only move the list")]
fn finish(
    e: &EstimatorExpr,
    part: Result<Parts>,
    data: &Dataset,
    target: &Target,
    info: &TargetInfo,
    weights: Option<&[f64]>,
    split: &Split,
    used: &[usize],
    comparing: &Comparing,
    control: &Control,
) -> Result<Scored> {
    let mut row = Scored {
        estimator: e.clone(),
        metrics: Vec::new(),
        per_fold: Vec::new(),
        difference: None,
        out_of_fold: None,
        model: None,
        fit_seconds: f64::NAN,
        tune_seconds: f64::NAN,
        predict_us_per_row: f64::NAN,
        failure: None,
    };
    let done = part.and_then(|parts| {
        if parts.scores.is_empty() {
            return Err(Error::Time { what: e.name().into() });
        }
        if control.out_of_time() {
            return Ok((parts, None));
        }
        let learner = Learner {
            prep: comparing.prep.clone(),
            kernel: comparing.kernel.clone(),
            estimator: e.clone(),
            seed: comparing.seed,
            allow_non_mercer: comparing.allow_non_mercer,
        };
        match learner.fit_timed(data, target, info, weights, split, control) {
            Ok(fitted) => Ok((parts, Some(fitted))),
            Err(Error::Time { .. }) => Ok((parts, None)),
            Err(error) => Err(error),
        }
    });
    let (parts, fitted) = match done {
        Ok(all) => all,
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            row.failure = Some(error);
            return Ok(row);
        }
    };
    if let Some((model, seconds)) = fitted {
        let clock = Instant::now();
        model.predict(&data.select(used), Want::default(), control)?;
        row.predict_us_per_row = clock.elapsed().as_secs_f64() * 1e6 / used.len() as f64;
        (row.tune_seconds, row.fit_seconds) = seconds;
        row.model = Some(model);
    }
    if let Some(first) = parts.scores.first() {
        for (k, (metric, _)) in first.iter().enumerate() {
            let values: Vec<f64> = parts.scores.iter().filter_map(|s| s.get(k).map(|(_, v)| *v)).collect();
            if k == 0 {
                row.per_fold.clone_from(&values);
            }
            row.metrics.push((*metric, Estimate::of(&values)));
        }
    }
    row.out_of_fold = (parts.predictions.len() == comparing.folds).then(|| gather(&parts.predictions)).flatten();
    Ok(row)
}

/// Puts the predictions of all folds back into the order of the rows.
fn gather(parts: &[(Vec<usize>, Predictions)]) -> Option<OutOfFold> {
    let (_, first) = parts.first()?;
    let mut rows: Vec<usize> = parts.iter().flat_map(|(rows, _)| rows.iter().copied()).collect();
    rows.sort_unstable();
    let place: std::collections::HashMap<usize, usize> = rows.iter().enumerate().map(|(k, &i)| (i, k)).collect();
    let whole = |pick: &dyn Fn(&Predictions) -> Option<&Matrix>| -> Option<Matrix> {
        let cols = pick(first)?.cols();
        let mut out = Matrix::zeros(rows.len(), cols);
        for (rows, p) in parts {
            let part = pick(p)?;
            rows.iter().enumerate().for_each(|(k, i)| out.row_mut(place[i]).copy_from_slice(part.row(k)));
        }
        Some(out)
    };
    let values = match &first.values {
        Predicted::Numbers(_) => Predicted::Numbers(whole(&|p| match &p.values {
            Predicted::Numbers(m) => Some(m),
            Predicted::Classes(_) => None,
        })?),
        Predicted::Classes(_) => {
            let mut codes = vec![0; rows.len()];
            for (rows, p) in parts {
                if let Predicted::Classes(c) = &p.values {
                    rows.iter().zip(c).for_each(|(i, k)| codes[place[i]] = *k);
                }
            }
            Predicted::Classes(codes)
        }
    };
    let mut out = Predictions::of(values);
    out.variance = whole(&|p| p.variance.as_ref()).map(|mut v| {
        // Each fold has its own noise level: what is kept is the variance of a new target.
        for (rows, p) in parts {
            if let Some(noise) = &p.noise {
                rows.iter().for_each(|i| v.row_mut(place[i]).iter_mut().zip(noise).for_each(|(v, s)| *v += s));
            }
        }
        v
    });
    out.probabilities = whole(&|p| p.probabilities.as_ref());
    Some(OutOfFold { rows, predictions: out })
}

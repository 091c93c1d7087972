//! Tuning: settling what is `auto` or a range, by the estimator's own criterion.
//!
//! ridge minimises the exact leave-one-out error and gp the negative log evidence, both with analytic gradients by L-BFGS
//! on a logarithmic scale; every other estimator is cross-validated on a coarse grid, then refined step by step. The
//! search starts from the data. Large tables are tuned on a seeded sample of rows; the fit takes all of them.

use super::free::{Free, Setting, free_parameters};
use super::profile::{Curve, Look, TunedParameter};
use super::{Sample, crossval, folds};
use crate::control::Control;
use crate::data::some_rows;
use crate::error::{Error, Result};
use crate::estimators::{Criterion, EstimatorExpr, Task};
use crate::kernels::KernelExpr;
use crate::learner;
use crate::solve::Lbfgs;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};

/// Rows on which a smooth criterion is minimised: each evaluation costs about 2 N^3.
const SMOOTH_ROWS: usize = 1000;
/// Rows on which cross-validation searches.
const CROSSVAL_ROWS: usize = 2000;
/// Fewer rows are not searched on, however little memory there is.
const LEAST_ROWS: usize = 50;
/// Values on the path of a parameter that is free alone.
const PATH: usize = 200;
/// Steps of L-BFGS at most.
const STEPS: usize = 60;

/// What tuning did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// What was minimised or maximised.
    pub criterion: String,
    /// Whether more of it is better.
    pub rises: bool,
    /// Its value at the choice; `None` where no setting could be fitted on every fold and the start was taken.
    pub value: Option<f64>,
    /// The worst value that is not told from it: by one standard error of the folds or of the rows left out, or by one
    /// unit of log evidence.
    pub same: Option<f64>,
    /// How often it was computed.
    pub evaluations: usize,
    /// Whether the search came to its own end, and not to that of its time.
    pub complete: bool,
    /// Rows that it was computed on.
    pub rows: usize,
    /// What was learnt of each parameter.
    pub parameters: Vec<TunedParameter>,
}

/// Settled parameters.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The settled kernel.
    pub kernel: KernelExpr,
    /// The settled estimator.
    pub estimator: EstimatorExpr,
    /// What the search did; `None` where nothing was open, and where nothing could be judged in time.
    pub tuning: Option<Tuning>,
    /// Whether time was up before any setting was judged, so that the start was taken.
    pub late: bool,
}

/// What a search is given.
pub(super) struct Job<'a> {
    pub sample: &'a Sample<'a>,
    pub control: &'a Control,
    pub seed: u64,
    /// Whether to look along each parameter after the search.
    pub curves: bool,
}

impl Job<'_> {
    /// The control of the search itself: some time is kept to look along the parameters.
    pub(super) fn searching(&self) -> Control {
        if self.curves { self.control.share(0.8) } else { self.control.clone() }
    }
}

/// What a search found.
pub(super) struct Found {
    pub criterion: String,
    /// Whether the score is the loss with the other sign.
    pub rises: bool,
    pub evaluations: usize,
    /// Whether time did not cut the search short.
    pub complete: bool,
    /// The best coordinates; the start where nothing could be judged.
    pub x: Vec<f64>,
    /// The loss there; infinite where nothing could be judged.
    pub loss: f64,
    /// An excess over it that is not told from none.
    pub slack: f64,
    /// One for each coordinate.
    pub curves: Vec<Curve>,
}

/// Evaluations on each side of the optimum of each parameter; those that are one of many columns do not count.
pub(super) fn steps(free: &[Free]) -> usize {
    match free.iter().filter(|f| !f.is_element()).count() {
        0..=3 => 3,
        4..=6 => 2,
        _ => 1,
    }
}

/// Settles everything that is open in a kernel and an estimator on prepared rows. With `curves`, what the search learnt
/// of each parameter is looked at and told; the choice is the same without.
pub fn tune(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    sample: &Sample<'_>,
    control: &Control,
    seed: u64,
    curves: bool,
) -> Result<Tuned> {
    let settled_kernel = kernel.settle(sample.data)?;
    let settled_estimator = if estimator.values().iter().all(|(_, value)| value.is_settled()) {
        estimator.clone()
    } else {
        let bound = settled_kernel.bind_within(None, sample.data, control)?;
        estimator.settle(&Task { gram: bound.as_ref(), target: sample.target, weights: sample.weights, control, seed })?
    };
    let start = Setting { kernel: settled_kernel, estimator: settled_estimator };
    let free = free_parameters(kernel, estimator, &start);
    let untuned = |late| Ok(Tuned { kernel: start.kernel.clone(), estimator: start.estimator.clone(), tuning: None, late });
    if free.is_empty() || !estimator.uses_kernel() {
        return untuned(false);
    }
    if control.out_of_time() {
        return untuned(true);
    }
    let rows = some_rows(sample.data.rows(), most_rows(&start.estimator, sample, control), seed);
    let data = sample.data.select(&rows);
    let target = sample.target.select(&rows);
    let weights: Option<Vec<f64>> = sample.weights.map(|w| rows.iter().map(|&i| w[i]).collect());
    let split = sample.split.select(&rows);
    let part = Sample { data: &data, target: &target, weights: weights.as_deref(), split: &split };
    let job = Job { sample: &part, control, seed, curves };
    let found = match estimator.criterion_name() {
        Some(name) => smooth(&start, &free, &job, name),
        None => {
            let splits = folds(part.target, &split, crossval::FOLDS.min(split.most_folds(rows.len())), seed)?;
            crossval::search(&start, &free, &job, &splits)
        }
    };
    let found = match found {
        // Not one setting could be judged in time: the start, which the data suggest, is as good as any.
        Err(Error::Time { .. }) => return untuned(true),
        other => other?,
    };
    let best = if found.loss.is_finite() { start.with(&free, &found.x)? } else { start.clone() };
    let told = |loss: f64| match (found.rises, estimator.criterion_name()) {
        (true, _) => -loss,
        (false, Some(_)) => estimator.criterion_told(loss),
        (false, None) => loss,
    };
    let known = found.loss.is_finite();
    let tuning = Tuning {
        rises: found.rises,
        value: known.then(|| told(found.loss)),
        same: known.then(|| told(found.loss + found.slack)),
        evaluations: found.evaluations,
        complete: found.complete,
        rows: rows.len(),
        parameters: learnt(&free, &found, &told, &best, sample)?,
        criterion: found.criterion,
    };
    Ok(Tuned { kernel: best.kernel, estimator: best.estimator, tuning: Some(tuning), late: false })
}

/// What was learnt of each parameter; names that stand for several parameters are told apart by their place.
fn learnt(free: &[Free], found: &Found, told: &dyn Fn(f64) -> f64, best: &Setting, sample: &Sample<'_>) -> Result<Vec<TunedParameter>> {
    let mut all = Vec::new();
    for ((f, x), curve) in free.iter().zip(&found.x).zip(&found.curves) {
        let names = if f.is_element() { best.kernel.columns_at(f.path(), sample.data)? } else { Vec::new() };
        all.push(f.learnt(*x, curve, told, &names));
    }
    let twice = |p: &TunedParameter| all.iter().any(|q| q.name == p.name && q.path != p.path);
    let ambiguous: Vec<bool> = all.iter().map(twice).collect();
    for (p, _) in all.iter_mut().zip(ambiguous).filter(|(_, twice)| *twice) {
        let place: Vec<String> = p.path.split('.').map_while(|s| s.parse::<usize>().ok()).map(|k| (k + 1).to_string()).collect();
        p.name = if place.is_empty() { format!("{} of the whole", p.name) } else { format!("{} (part {})", p.name, place.join(".")) };
    }
    Ok(all)
}

/// The most rows to search on: enough for the choice, and no more than half of the memory allowed will do for.
fn most_rows(estimator: &EstimatorExpr, sample: &Sample<'_>, control: &Control) -> usize {
    let smooth = estimator.criterion_name().is_some();
    let outputs = learner::outputs(sample.target);
    let needs = |n: usize| {
        let square = (n as u64).pow(2);
        if smooth { 48 * square } else { 8 * square + crossval::FOLDS as u64 * estimator.bytes(n, outputs) }
    };
    let mut most = if smooth { SMOOTH_ROWS } else { CROSSVAL_ROWS }.min(sample.data.rows());
    while most > LEAST_ROWS && needs(most) > control.max_memory / 2 {
        most = (most * 4 / 5).max(LEAST_ROWS);
    }
    most
}

/// Coordinates and losses all along the only free parameter, where the estimator has them at the price of a few.
fn path(start: &Setting, free: &[Free], job: &Job<'_>, control: &Control) -> Result<Vec<(f64, f64)>> {
    let [only] = free else { return Ok(Vec::new()) };
    let Some(name) = only.own_name() else { return Ok(Vec::new()) };
    let (low, high) = only.bounds();
    let places: Vec<f64> = (0..PATH).map(|k| low + (high - low) * k as f64 / (PATH - 1) as f64).collect();
    let values: Vec<f64> = places.iter().map(|x| only.to_value(*x)).collect();
    let bound = start.kernel.bind_within(None, job.sample.data, job.control)?;
    let task = Task { gram: bound.as_ref(), target: job.sample.target, weights: job.sample.weights, control, seed: job.seed };
    match start.estimator.criterion_along(name, &values, &task) {
        Ok(losses) => Ok(places.into_iter().zip(losses.unwrap_or_default()).collect()),
        // The search then goes step by step.
        Err(Error::Numerical { .. } | Error::Memory { .. }) => Ok(Vec::new()),
        Err(e) => Err(e),
    }
}

/// The smooth criterion of an estimator with a kernel, both settled, and its derivatives by the numbers of the kernel in
/// the order of [`KernelExpr::values`].
pub fn criterion(
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    sample: &Sample<'_>,
    control: &Control,
    seed: u64,
) -> Result<(Criterion, Vec<f64>)> {
    let bound = kernel.bind_within(None, sample.data, control)?;
    let task = Task { gram: bound.as_ref(), target: sample.target, weights: sample.weights, control, seed };
    let criterion = estimator.criterion(&task)?;
    let by_kernel = bound.gradient(&criterion.weights)?;
    Ok((criterion, by_kernel))
}

/// Minimises the estimator's smooth criterion: a few starts are looked at, the best is followed downhill.
fn smooth(start: &Setting, free: &[Free], job: &Job<'_>, name: &str) -> Result<Found> {
    let searching = job.searching().with_spare();
    let evaluations = Cell::new(0);
    let path = path(start, free, job, &searching)?;
    let x0: Vec<f64> = match path.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((at, _)) => vec![*at],
        None => free.iter().map(Free::coordinate).collect(),
    };
    // The least value met, where, and its slack.
    let best = RefCell::new((f64::INFINITY, x0.clone(), 0.0));
    let evaluate = |x: &[f64], control: &Control| -> Result<(f64, Vec<f64>)> {
        control.check()?;
        evaluations.set(evaluations.get() + 1);
        control.tell("tuning", evaluations.get(), STEPS);
        let setting = start.with(free, x)?;
        let (criterion, by_kernel) = match self::criterion(&setting.kernel, &setting.estimator, job.sample, control, job.seed) {
            Ok(both) => both,
            // A corner of the search where the numbers break down is as bad as can be, not the end of the search.
            Err(Error::Numerical { .. }) => return Ok((f64::INFINITY, vec![0.0; x.len()])),
            Err(e) => return Err(e),
        };
        control.keep(criterion.weights.into_data());
        if criterion.value < best.borrow().0 {
            best.replace((criterion.value, x.to_vec(), criterion.slack));
        }
        Ok((criterion.value, free.iter().zip(x).map(|(f, x)| f.slope(*x, &by_kernel, &criterion.own)).collect()))
    };
    evaluations.set(path.len());
    let shifts: &[f64] = if free.iter().any(Free::is_kernel_width) { &[0.0, -1.2, 1.2] } else { &[0.0] };
    let descend = || -> Result<()> {
        for shift in shifts {
            let moved = |(f, x): (&Free, &f64)| f.clamp(if f.is_kernel_width() { x + shift } else { *x });
            evaluate(&free.iter().zip(&x0).map(moved).collect::<Vec<f64>>(), &searching)?;
            if best.borrow().0.is_finite() && searching.out_of_time() {
                return Ok(());
            }
        }
        let start = best.borrow().clone();
        if !start.0.is_finite() {
            return Err(Error::Numerical {
                what: name.into(),
                why: "the criterion is not finite at any start; scale the columns or give the parameters as numbers".into(),
            });
        }
        let bounds = free.iter().map(Free::bounds).collect();
        let solver = Lbfgs { max_iterations: STEPS, tolerance: 1e-3, decrease: 1e-5, ..Lbfgs::new(bounds) };
        solver.minimise(|x| evaluate(x, &searching), &start.1, &searching).map(|_| ())
    };
    match descend() {
        // What was judged before time was up is not lost.
        Err(Error::Time { .. }) if best.borrow().0.is_finite() => {}
        other => other?,
    }
    let complete = !searching.out_of_time();
    let looking = Control { spare: searching.spare.clone(), ..job.control.clone() };
    let (loss, x, slack) = best.borrow().clone();
    let mut curves = Vec::new();
    for (k, f) in free.iter().enumerate() {
        let look = Look { free: f, at: f.rounded(x[k]), loss, slack, steps: steps(free) };
        curves.push(if job.curves {
            let mut along = |at: f64| {
                let mut x = x.clone();
                x[k] = at;
                evaluate(&x, &looking).map(|(value, _)| value)
            };
            look.along(path.clone(), job.control, &mut along)?
        } else {
            look.unseen()
        });
    }
    Ok(Found { criterion: name.to_owned(), rises: false, evaluations: evaluations.get(), complete, x, loss, slack, curves })
}

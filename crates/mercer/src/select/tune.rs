//! Tuning: settling what is `auto` or a range, by the estimator's own criterion.
//!
//! ridge minimises the exact leave-one-out error and gp the negative log evidence, both with analytic gradients by L-BFGS
//! on a logarithmic scale; every other estimator is cross-validated on a coarse grid, then refined step by step. The
//! search starts from the data. Large tables are tuned on a seeded sample of rows; the fit takes all of them.

use super::free::{Free, Setting, free_parameters};
use super::{Sample, crossval, folds};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Task};
use crate::kernels::KernelExpr;
use crate::solve::Lbfgs;
use rand::SeedableRng;
use rand::seq::index;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Rows on which a smooth criterion is minimised: each evaluation costs about 2 N^3.
const SMOOTH_ROWS: usize = 1000;
/// Rows on which cross-validation searches.
const CROSSVAL_ROWS: usize = 2000;
/// Steps of L-BFGS at most.
const STEPS: usize = 60;

/// What tuning did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// What was minimised or maximised.
    pub criterion: String,
    /// Its value at the choice; `None` where no setting could be fitted on every fold and the start was taken.
    pub value: Option<f64>,
    /// How often it was computed.
    pub evaluations: usize,
    /// Rows that it was computed on.
    pub rows: usize,
    /// One sentence for each parameter that ended at a bound of its search.
    pub at_bound: Vec<String>,
}

/// Settled parameters.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The settled kernel.
    pub kernel: KernelExpr,
    /// The settled estimator.
    pub estimator: EstimatorExpr,
    /// What the search did; `None` where nothing was open.
    pub tuning: Option<Tuning>,
}

/// Settles everything that is open in a kernel and an estimator on prepared rows.
pub fn tune(kernel: &KernelExpr, estimator: &EstimatorExpr, sample: &Sample<'_>, control: &Control, seed: u64) -> Result<Tuned> {
    let settled_kernel = kernel.settle(sample.data)?;
    let bound = settled_kernel.bind(None, sample.data)?;
    let task = Task { gram: bound.as_ref(), target: sample.target, weights: sample.weights, control, seed };
    let start = Setting { kernel: settled_kernel, estimator: estimator.settle(&task)? };
    let free = free_parameters(kernel, estimator, &start);
    if free.is_empty() || !estimator.uses_kernel() || control.out_of_time() {
        return Ok(Tuned { kernel: start.kernel, estimator: start.estimator, tuning: None });
    }
    let most = if estimator.criterion_name().is_some() { SMOOTH_ROWS } else { CROSSVAL_ROWS };
    let rows = some_rows(sample, most, seed);
    let data = sample.data.select(&rows);
    let target = sample.target.select(&rows);
    let weights: Option<Vec<f64>> = sample.weights.map(|w| rows.iter().map(|&i| w[i]).collect());
    let split = sample.split.select(&rows);
    let part = Sample { data: &data, target: &target, weights: weights.as_deref(), split: &split };
    let searched = match estimator.criterion_name() {
        Some(name) => {
            smooth(&start, &free, &part, control, seed).map(|(setting, value, evaluations)| (setting, value, evaluations, name.to_owned()))
        }
        None => {
            let splits = folds(part.target, &split, crossval::FOLDS.min(split.most_folds(rows.len())), seed)?;
            crossval::search(&start, &free, &part, &splits, control, seed).map(|found| {
                let criterion = format!("{}-fold cross-validated {}", splits.len(), found.metric.name());
                (found.setting, found.value, found.evaluations, criterion)
            })
        }
    };
    let (best, value, evaluations, criterion) = match searched {
        // Not one setting could be judged in time: the start, which the data suggest, is as good as any.
        Err(Error::Time { .. }) => return Ok(Tuned { kernel: start.kernel, estimator: start.estimator, tuning: None }),
        other => other?,
    };
    let at_bound = free.iter().filter_map(|f| f.bound_met(&best)).collect();
    let tuning = Tuning { criterion, value: value.is_finite().then_some(value), evaluations, rows: rows.len(), at_bound };
    Ok(Tuned { kernel: best.kernel, estimator: best.estimator, tuning: Some(tuning) })
}

/// All rows, or a seeded sample of `most` of them, ascending.
fn some_rows(sample: &Sample<'_>, most: usize, seed: u64) -> Vec<usize> {
    let n = sample.data.rows();
    if n <= most {
        return (0..n).collect();
    }
    let mut rows = index::sample(&mut Xoshiro256PlusPlus::seed_from_u64(seed), n, most).into_vec();
    rows.sort_unstable();
    rows
}

/// Minimises the estimator's smooth criterion: a few starts are looked at, the best is followed downhill.
fn smooth(start: &Setting, free: &[Free], sample: &Sample<'_>, control: &Control, seed: u64) -> Result<(Setting, f64, usize)> {
    let mut evaluations = 0;
    let mut evaluate = |x: &[f64]| -> Result<(f64, Vec<f64>)> {
        control.check()?;
        evaluations += 1;
        control.tell("tuning", evaluations, STEPS);
        let setting = start.with(free, x)?;
        let bound = setting.kernel.bind(None, sample.data)?;
        let task = Task { gram: bound.as_ref(), target: sample.target, weights: sample.weights, control, seed };
        let criterion = match setting.estimator.criterion(&task) {
            Ok(c) => c,
            // A corner of the search where the numbers break down is as bad as can be, not the end of the search.
            Err(Error::Numerical { .. }) => return Ok((f64::INFINITY, vec![0.0; x.len()])),
            Err(e) => return Err(e),
        };
        let by_kernel = bound.gradient(&criterion.weights)?;
        Ok((criterion.value, free.iter().zip(x).map(|(f, x)| f.slope(*x, &by_kernel, &criterion.own)).collect()))
    };
    let x0: Vec<f64> = free.iter().map(Free::coordinate).collect();
    let mut best = (f64::INFINITY, x0.clone());
    for shift in [0.0, -1.2, 1.2] {
        let x: Vec<f64> = free.iter().zip(&x0).map(|(f, x)| f.clamp(if f.is_kernel_width() { x + shift } else { *x })).collect();
        let (value, _) = evaluate(&x)?;
        if value < best.0 {
            best = (value, x);
        }
        if best.0.is_finite() && control.out_of_time() {
            break;
        }
    }
    if !best.0.is_finite() {
        return Err(Error::Numerical {
            what: start.estimator.criterion_name().unwrap_or("tuning").into(),
            why: "the criterion is not finite at any start; scale the columns or give the parameters as numbers".into(),
        });
    }
    let solver = Lbfgs { max_iterations: STEPS, tolerance: 1e-3, decrease: 1e-5, ..Lbfgs::new(free.iter().map(Free::bounds).collect()) };
    let found = solver.minimise(&mut evaluate, &best.1, control)?;
    Ok((start.with(free, &found.x)?, found.value, evaluations))
}

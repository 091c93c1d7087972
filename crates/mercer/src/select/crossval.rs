//! Search by cross-validation for estimators without a smooth criterion.
//!
//! A coarse joint grid over the first two free numbers, then steps of shrinking size along each. The Gram matrix of a
//! kernel is computed once and shared by all folds and all settings of the estimator.

use super::free::{Free, Setting};
use super::{Fold, Metric, Sample, score};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{Fitted, Task, Want};
use crate::gram::{Dense, Gram, Subset};
use rayon::prelude::*;

/// Folds of the inner cross-validation.
pub(super) const FOLDS: usize = 4;
/// Settings tried at most.
const TRIES: usize = 60;
/// Steps along a coordinate, in natural logarithms (factors of 3, 1.7, 1.3).
const STEPS: [f64; 3] = [1.1, 0.55, 0.27];

/// The best setting found.
pub(super) struct Found {
    pub setting: Setting,
    pub value: f64,
    pub metric: Metric,
    pub evaluations: usize,
}

struct Search<'a> {
    start: &'a Setting,
    free: &'a [Free],
    sample: &'a Sample<'a>,
    splits: &'a [Fold],
    control: &'a Control,
    seed: u64,
    gram: Option<(String, Dense)>,
    tried: Vec<(String, f64)>,
    metric: Metric,
}

impl Search<'_> {
    /// The cross-validated loss (smaller is better) at coordinates `x`; known settings are not computed again.
    fn loss(&mut self, x: &[f64]) -> Result<f64> {
        self.control.check()?;
        let setting = self.start.with(self.free, x)?;
        let name = format!("{} {}", setting.kernel, setting.estimator);
        if let Some((_, known)) = self.tried.iter().find(|(n, _)| *n == name) {
            return Ok(*known);
        }
        let kernel = setting.kernel.to_string();
        if self.gram.as_ref().is_none_or(|(k, _)| *k != kernel) {
            self.gram = None;
            let bound = setting.kernel.bind(None, self.sample.data)?;
            self.gram = Some((kernel, Dense::of(bound.as_ref(), self.control)?));
        }
        let Some((_, gram)) = &self.gram else { return Ok(f64::INFINITY) };
        // Folds run side by side; only this thread tells of progress.
        let quiet = Control { progress: None, ..self.control.clone() };
        let folds = self.splits.par_iter().map(|split| self.score_fold(&setting, gram, split, &quiet));
        let scores: Vec<Option<(Metric, f64)>> = folds.collect::<Result<_>>()?;
        let mut loss = 0.0;
        for s in &scores {
            loss += match s {
                Some((metric, value)) => {
                    self.metric = *metric;
                    if metric.rises() { -value } else { *value }
                }
                None => f64::INFINITY,
            };
        }
        let loss = loss / scores.len() as f64;
        let loss = if loss.is_finite() { loss } else { f64::INFINITY };
        self.tried.push((name, loss));
        self.control.tell("tuning", self.tried.len(), TRIES);
        Ok(loss)
    }

    /// The deciding metric on one fold; `None` where the setting cannot be fitted.
    fn score_fold(&self, setting: &Setting, gram: &Dense, split: &Fold, control: &Control) -> Result<Option<(Metric, f64)>> {
        if setting.kernel.is_anchored() {
            // What the kernel takes from its training rows must not come from the rows that are held out.
            let (train, test) = (self.sample.data.select(&split.train), self.sample.data.select(&split.test));
            let among = setting.kernel.bind(None, &train)?;
            let cross = setting.kernel.bind(Some(&test), &train)?;
            let all: Vec<usize> = (0..test.rows()).collect();
            return self.score_on(setting, among.as_ref(), |support| Subset::new(cross.as_ref(), &all, support), split, control);
        }
        let among = Subset::new(gram, &split.train, &split.train);
        let cross = |support: &[usize]| {
            let rows: Vec<usize> = support.iter().map(|&s| split.train[s]).collect();
            Subset::new(gram, &split.test, &rows)
        };
        self.score_on(setting, &among, cross, split, control)
    }

    /// The same on given Gram matrices: `among` the training rows, and of the held-out rows against the support.
    fn score_on<'g>(
        &self,
        setting: &Setting,
        among: &dyn Gram,
        cross: impl FnOnce(&[usize]) -> Subset<'g>,
        split: &Fold,
        control: &Control,
    ) -> Result<Option<(Metric, f64)>> {
        let target = self.sample.target.select(&split.train);
        let weights: Option<Vec<f64>> = self.sample.weights.map(|w| split.train.iter().map(|&i| w[i]).collect());
        let task = Task { gram: among, target: &target, weights: weights.as_deref(), control, seed: self.seed };
        let fitted = match setting.estimator.fit(&task) {
            Ok(f) => f,
            Err(e @ (Error::Cancelled | Error::Memory { .. } | Error::Time { .. })) => return Err(e),
            Err(_) => return Ok(None),
        };
        let predictions = fitted.predict(&cross(fitted.support()), Want { probabilities: true, ..Want::default() })?;
        let held: Option<Vec<f64>> = self.sample.weights.map(|w| split.test.iter().map(|&i| w[i]).collect());
        Ok(score(&predictions, &self.sample.target.select(&split.test), held.as_deref()).first().copied())
    }

    fn spent(&self) -> bool {
        self.tried.len() >= TRIES || self.control.out_of_time()
    }
}

/// Settings of a coarse grid over the first two free numbers; kernel numbers vary slowest, so that each Gram matrix serves a row.
fn grid(free: &[Free]) -> Vec<Vec<f64>> {
    let x0: Vec<f64> = free.iter().map(Free::coordinate).collect();
    let levels = |f: &Free| -> Vec<f64> {
        let shifts: &[f64] = if f.is_kernel_width() { &[0.0, -1.1, 1.1] } else { &[0.0, -2.3, 2.3, 4.6] };
        shifts.iter().map(|s| f.clamp(f.coordinate() + s)).collect()
    };
    let mut out = vec![x0];
    for (k, f) in free.iter().enumerate().take(2) {
        out = out
            .into_iter()
            .flat_map(|x| {
                levels(f).into_iter().map(move |level| {
                    let mut x = x.clone();
                    x[k] = level;
                    x
                })
            })
            .collect();
    }
    out
}

/// The best setting; ties go to the one tried first, which is nearest to the start.
pub(super) fn search(start: &Setting, free: &[Free], sample: &Sample<'_>, splits: &[Fold], control: &Control, seed: u64) -> Result<Found> {
    let mut search = Search { start, free, sample, splits, control, seed, gram: None, tried: Vec::new(), metric: Metric::Accuracy };
    let mut best = (f64::INFINITY, free.iter().map(Free::coordinate).collect::<Vec<f64>>());
    for x in grid(free) {
        let loss = search.loss(&x)?;
        if loss < best.0 {
            best = (loss, x);
        }
        if search.control.out_of_time() {
            break;
        }
    }
    for step in STEPS {
        let mut moved = true;
        while moved && !search.spent() {
            moved = false;
            for k in 0..free.len() {
                for way in [step, -step] {
                    let mut x = best.1.clone();
                    x[k] = free[k].clamp(x[k] + way);
                    let loss = search.loss(&x)?;
                    if loss < best.0 {
                        best = (loss, x);
                        moved = true;
                        break;
                    }
                }
            }
        }
    }
    if !best.0.is_finite() {
        // Nothing could be fitted: let the plain fit say why.
        return Ok(Found { setting: start.clone(), value: f64::NAN, metric: search.metric, evaluations: search.tried.len() });
    }
    let value = if search.metric.rises() { -best.0 } else { best.0 };
    Ok(Found { setting: start.with(free, &best.1)?, value, metric: search.metric, evaluations: search.tried.len() })
}

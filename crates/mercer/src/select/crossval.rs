//! Search by cross-validation for estimators without a smooth criterion.
//!
//! A coarse joint grid over the first two free numbers, then steps of shrinking size along each. The Gram matrix of a
//! kernel is computed once and shared by all folds and all settings of the estimator.

use super::free::{Free, Setting};
use super::profile::{Curve, Look};
use super::tune::{Found, Job, steps};
use super::{Estimate, Fold, Metric, Sample, score};
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

/// One setting that was judged.
struct Trial {
    name: String,
    x: Vec<f64>,
    /// Mean over the folds; smaller is better.
    loss: f64,
    /// Its standard error over the folds; 0 where it is not known.
    error: f64,
}

struct Search<'a> {
    start: &'a Setting,
    free: &'a [Free],
    sample: &'a Sample<'a>,
    splits: &'a [Fold],
    control: &'a Control,
    seed: u64,
    gram: Option<(String, Dense)>,
    tried: Vec<Trial>,
    metric: Metric,
}

impl Search<'_> {
    /// The cross-validated loss (smaller is better) at coordinates `x`; known settings are not computed again.
    fn loss(&mut self, x: &[f64]) -> Result<f64> {
        self.control.check()?;
        let setting = self.start.with(self.free, x)?;
        let name = format!("{} {}", setting.kernel, setting.estimator);
        if let Some(known) = self.tried.iter().find(|t| t.name == name) {
            return Ok(known.loss);
        }
        let kernel = setting.kernel.to_string();
        if self.gram.as_ref().is_none_or(|(k, _)| *k != kernel) {
            self.gram = None;
            let bound = setting.kernel.bind(None, self.sample.data)?;
            self.gram = Some((kernel, Dense::of(bound.as_ref(), self.control)?));
        }
        let Some((_, gram)) = &self.gram else { return Ok(f64::INFINITY) };
        // Folds run side by side and share the memory; only this thread tells of progress.
        let max_memory = self.control.max_memory / self.splits.len().max(1) as u64;
        let quiet = Control { progress: None, max_memory, ..self.control.clone() };
        let folds = self.splits.par_iter().map(|split| self.score_fold(&setting, gram, split, &quiet));
        let scores: Vec<Option<(Metric, f64)>> = folds.collect::<Result<_>>()?;
        if self.control.out_of_time() {
            // Solvers were cut short: the score says nothing of the setting.
            return Err(Error::Time { what: "tuning".into() });
        }
        let mut losses = Vec::with_capacity(scores.len());
        for (metric, value) in scores.into_iter().flatten() {
            self.metric = metric;
            losses.push(if metric.rises() { -value } else { value });
        }
        let whole = losses.len() == self.splits.len();
        let Estimate { mean, se, .. } = Estimate::of(&losses);
        let loss = if whole && mean.is_finite() { mean } else { f64::INFINITY };
        self.tried.push(Trial { name, x: x.to_vec(), loss, error: if se.is_finite() { se } else { 0.0 } });
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

/// The best setting; ties go to the one tried first, which is nearest to the start. With `curves`, each parameter is
/// looked along afterwards.
pub(super) fn search(start: &Setting, free: &[Free], job: &Job<'_>, splits: &[Fold]) -> Result<Found> {
    let control = job.searching();
    let mut search = Search {
        start,
        free,
        sample: job.sample,
        splits,
        control: &control,
        seed: job.seed,
        gram: None,
        tried: Vec::new(),
        metric: Metric::Accuracy,
    };
    let mut best = (f64::INFINITY, free.iter().map(Free::coordinate).collect::<Vec<f64>>());
    match search.descend(&mut best) {
        // What was judged before time was up is not lost.
        Err(Error::Time { .. }) if best.0.is_finite() => {}
        other => other?,
    }
    let complete = !control.out_of_time();
    let (loss, x) = best;
    // Where nothing could be fitted the start is kept, and the plain fit says why.
    let best = search.tried.iter().find(|t| t.loss.is_finite() && t.loss == loss);
    let slack = best.map_or(0.0, |t| t.error.max(sampling_error(search.metric, t.loss, job.sample.target.rows())));
    search.control = job.control;
    let curves = if loss.is_finite() { search.curves(&x, loss, slack, job)? } else { Vec::new() };
    Ok(Found {
        criterion: format!("{}-fold cross-validated {}", splits.len(), search.metric.name()),
        rises: search.metric.rises(),
        evaluations: search.tried.len(),
        complete,
        x,
        loss,
        slack,
        curves,
    })
}

/// The standard error that a score would have over so many independent rows: that of a share (one more right and one
/// more wrong, so that none is exact), or of the root mean square of normal errors. A few folds may agree by chance.
fn sampling_error(metric: Metric, loss: f64, rows: usize) -> f64 {
    let n = rows.max(1) as f64;
    match metric {
        Metric::Accuracy => {
            let right = (1.0 - n * loss) / (n + 2.0);
            (right * (1.0 - right) / n).max(0.0).sqrt()
        }
        Metric::Rmse => loss / (2.0 * n).sqrt(),
        _ => 0.0,
    }
}

impl Search<'_> {
    /// Over the grid, then along each coordinate with steps of shrinking size.
    fn descend(&mut self, best: &mut (f64, Vec<f64>)) -> Result<()> {
        let free = self.free;
        for x in grid(free) {
            let loss = self.loss(&x)?;
            if loss < best.0 {
                *best = (loss, x);
            }
            if self.control.out_of_time() {
                break;
            }
        }
        for step in STEPS {
            let mut moved = true;
            while moved && !self.spent() {
                moved = false;
                for k in 0..free.len() {
                    for way in [step, -step] {
                        let mut x = best.1.clone();
                        x[k] = free[k].clamp(x[k] + way);
                        let loss = self.loss(&x)?;
                        if loss < best.0 {
                            *best = (loss, x);
                            moved = true;
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The curve of each free number through the best setting.
    fn curves(&mut self, best: &[f64], loss: f64, slack: f64, job: &Job<'_>) -> Result<Vec<Curve>> {
        let free = self.free;
        let mut out = Vec::new();
        for (k, f) in free.iter().enumerate() {
            let look = Look { free: f, at: f.rounded(best[k]), loss, slack, steps: steps(free) };
            if !job.curves {
                out.push(look.unseen());
                continue;
            }
            let beside = |t: &&Trial| t.x.iter().zip(best).enumerate().all(|(j, (a, b))| j == k || a == b);
            let known = self.tried.iter().filter(beside).map(|t| (f.rounded(t.x[k]), t.loss)).collect();
            let mut evaluate = |at: f64| {
                let mut x = best.to_vec();
                x[k] = at;
                self.loss(&x)
            };
            out.push(look.along(known, job.control, &mut evaluate)?);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_share_is_binomial_and_never_zero() {
        // 8 of 10 right, with one more of each: p = 9/12.
        assert!((sampling_error(Metric::Accuracy, -0.8, 10) - (0.75f64 * 0.25 / 10.0).sqrt()).abs() <= 1e-15);
        assert!(sampling_error(Metric::Accuracy, -1.0, 50) > 0.0);
        assert!((sampling_error(Metric::Rmse, 3.0, 200) - 0.15).abs() <= 1e-15);
    }
}

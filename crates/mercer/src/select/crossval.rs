//! A round of a search by cross-validation, for estimators without a smooth criterion.
//!
//! The first round looks at a coarse joint grid over the first two free numbers and walks from its best with steps of
//! shrinking size; a later one begins with the settings that the round before found statistically tied with the best. Folds are
//! judged two at a time: a setting that is behind the best on both by more than the noise is not fitted to the others
//! (racing: Maron and Moore 1997, The racing algorithm: model selection for lazy learners).

mod shared;

use super::fixed_terms::FixedTerms;
use super::fold_features::FoldFeatures;
use super::free::{Free, Setting};
use super::profile::{Curve, ProfileScan};
use super::search::{RoundContext, SearchResult};
use super::tune::{TunedBy, steps};
use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Split};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, FitContext, Fitted, HoldOut, Query, RelearntKernel, Task, View, ViewKind, Want};
use crate::fitting::{self, KernelValues, Relearnt};
use crate::gram::{Gram, Subset};
use crate::metrics::{Estimate, Metric, Needs, Scoring};
use crate::param::Value;
use rayon::prelude::*;
use std::sync::Arc;

/// Folds of the inner cross-validation.
pub(super) const FOLDS: usize = 4;
/// Folds that are judged before the others are begun.
const HEAT: usize = 2;
/// Settings tried at most in a round that begins a search, in one that goes on with it, and in one that does both.
const TRIES: [usize; 3] = [36, 14, 60];
/// Settings tried at most in the round on all rows.
const TRIES_LAST: usize = 8;
/// Settings tried of a parameter that is free alone, as a rule.
const TRIES_ALONE: usize = 12;
/// Steps along a coordinate, in natural logarithms (factors of 3, 1.7, 1.3).
const STEPS: [f64; 3] = [1.1, 0.55, 0.27];
/// Candidates that a round hands on at most, the best among them.
const CANDIDATES: usize = 5;

/// One setting that was judged.
struct Trial {
    name: String,
    x: Vec<f64>,
    /// In each fold that was judged; smaller is better.
    losses: Vec<f64>,
    /// Their mean; infinite where the setting cannot be fitted on every fold.
    loss: f64,
    /// Its standard error over the folds; 0 where it is not known.
    error: f64,
    /// Whether every fold was judged.
    whole: bool,
}

/// The settings that compete in one round.
pub(super) struct Field<'a> {
    place: &'a RoundContext<'a>,
    control: &'a Control,
    seed: u64,
    scoring: Scoring,
    /// The values of a kernel in each fold that was asked for.
    kernels: Option<(String, Vec<Option<Arc<KernelValues>>>)>,
    /// The features by a kernel in each fold that was asked for, for estimators that read these.
    features: Option<(String, Vec<Option<FoldFeatures>>)>,
    /// The terms of the kernel that no setting changes, of each fold or of all rows.
    fixed: FixedTerms,
    /// Training and held-out rows of each fold, where they are prepared anew.
    inner: Vec<Option<(Dataset, Dataset)>>,
    tried: Vec<Trial>,
    most: usize,
    evaluations: &'a mut usize,
}

/// Settings tried at most in a round.
fn most_tries(first: bool, last: bool, all: bool) -> usize {
    match all {
        true => TRIES_LAST,
        false => TRIES[if first && last { 2 } else { usize::from(!first) }],
    }
}

/// Fits that a round may take, roughly: of a parameter that is free alone not every setting is tried, and of many settings
/// not every fold is judged.
pub(super) fn fits(free: usize, first: bool, last: bool, folds: usize, all: bool) -> f64 {
    let tried = most_tries(first, last, all).min(if free == 1 { TRIES_ALONE } else { usize::MAX });
    tried as f64 * fits_of_one(folds, all)
}

/// Fits that a setting is judged by, as a rule.
pub(super) fn fits_of_one(folds: usize, all: bool) -> f64 {
    if all { folds as f64 } else { 0.5 * (HEAT + folds.max(HEAT)) as f64 }
}

impl<'a> Field<'a> {
    fn new(place: &'a RoundContext<'a>, scoring: Scoring, control: &'a Control, seed: u64, evaluations: &'a mut usize) -> Result<Self> {
        let first = place.starts.is_empty();
        let most = most_tries(first, place.last, place.round.all).min(place.tries);
        let mut inner = Vec::with_capacity(place.round.folds.len());
        for fold in &place.round.folds {
            control.check()?;
            if control.out_of_time() {
                return Err(Error::Time { what: "tuning".into() });
            }
            let apart = || Some((place.round.sample.data.select(&fold.train), place.round.sample.data.select(&fold.test)));
            inner.push(place.round.prepared(fold).or_else(|| if place.round.all || place.reads_features() { apart() } else { None }));
        }
        let fixed = FixedTerms::of(place.start, place.free, &place.round.sample.data);
        Ok(Field { place, control, seed, scoring, kernels: None, features: None, fixed, inner, tried: Vec::new(), most, evaluations })
    }

    /// The cross-validated loss (smaller is better) at coordinates `x`; known settings are not computed again. A setting that
    /// cannot come up to `best` any more is left after some folds; its loss is that of those folds.
    fn loss(&mut self, x: &[f64], best: Option<&[f64]>) -> Result<f64> {
        self.control.check()?;
        let setting = self.place.start.with(self.place.free, x)?;
        let name = format!("{} {}", setting.kernel, setting.estimator);
        if let Some(known) = self.tried.iter().find(|t| t.name == name && (t.whole || best.is_some())) {
            return Ok(known.loss);
        }
        let splits = &self.place.round.folds;
        let mut losses: Vec<f64> = Vec::with_capacity(splits.len());
        for start in (0..splits.len()).step_by(HEAT) {
            let heat: Vec<usize> = (start..splits.len().min(start + HEAT)).collect();
            if start > 0 && best.is_some_and(|best| behind(&losses, best)) {
                break;
            }
            self.compute(&setting, &heat)?;
            // Folds run side by side and share the memory; only this thread tells of progress.
            let max_memory = self.control.allowed() / heat.len() as u64;
            let quiet = Control { progress: None, max_memory, ..self.control.clone() };
            let scores = heat.par_iter().map(|&k| self.score_fold(&setting, k, &quiet));
            let scores: Vec<Option<f64>> = scores.collect::<Result<_>>()?;
            if self.control.out_of_time() {
                // Solvers were cut short: the score says nothing of the setting.
                return Err(Error::Time { what: "tuning".into() });
            }
            for score in scores {
                let rises = self.scoring.deciding.rises();
                losses.push(score.map_or(f64::INFINITY, |value| if rises { -value } else { value }));
            }
            if losses.iter().any(|l| l.is_infinite()) {
                break;
            }
        }
        let whole = losses.len() == splits.len();
        let Estimate { mean, se, .. } = Estimate::of(&losses);
        let loss = if mean.is_finite() { mean } else { f64::INFINITY };
        let error = if se.is_finite() { se } else { 0.0 };
        self.tried.retain(|t| t.name != name);
        self.tried.push(Trial { name, x: x.to_vec(), losses, loss, error, whole });
        *self.evaluations += 1;
        let what = format!("settings tried on {} rows by cross-validation", self.place.round.sample.data.rows());
        self.control.tell(&what, self.tried.len(), self.most);
        Ok(loss)
    }

    /// The deciding metric on one fold; `None` where the setting cannot be fitted.
    fn score_fold(&self, setting: &Setting, k: usize, control: &Control) -> Result<Option<f64>> {
        let fold = &self.place.round.folds[k];
        match (&self.kernels, &self.inner[k]) {
            (Some((_, made)), inner) => {
                let Some(values) = &made[k] else { return Ok(None) };
                // A kernel that learns nothing has no use for the rows.
                let cut = (setting.kernel.learns() && inner.is_none()).then(|| self.place.round.sample.data.select(&fold.train));
                let train = inner.as_ref().map(|(train, _)| train).or(cut.as_ref());
                let sharing =
                    self.place.sharing.filter(|_| cut.is_some()).map(|sharing| sharing.among(&self.place.round.places(&fold.train)));
                let relearnt =
                    train.map(|rows| Relearnt { kernel: &setting.kernel, reads: ViewKind::Values, rows, sharing: sharing.as_ref() });
                let kernel = relearnt.as_ref().and_then(|relearnt| relearnt.where_felt(&setting.estimator));
                self.score_on(setting, (values.among().as_ref(), kernel), |support| values.against(support), fold, control)
            }
            (None, Some(rows)) => {
                let features = self.features.as_ref().and_then(|(_, made)| made[k].as_ref());
                self.score_apart(setting, rows, features, fold, control)
            }
            (None, None) => Ok(None),
        }
    }

    /// Scores a setting on one fold by its features, or by a fit that computes kernel values on demand, for rows that each setting uses
    /// once.
    fn score_apart(
        &self,
        setting: &Setting,
        (train, test): &(Dataset, Dataset),
        features: Option<&FoldFeatures>,
        fold: &Fold,
        control: &Control,
    ) -> Result<Option<f64>> {
        let sample = &self.place.round.sample;
        let (target, held) = (sample.target.select(&fold.train), sample.target.select(&fold.test));
        let (weights, of_held) = (sample.weights_of(&fold.train), sample.weights_of(&fold.test));
        let examples = Examples { data: train, target: &target, weights: weights.as_deref(), split: &Split::Rows };
        let estimator = loosened(&setting.estimator, self.scoring.deciding)?;
        let predicted = match features {
            Some(features) => features.predict(&estimator, &examples, test, WANT, control, self.seed),
            None => fitting::fit_settled(&setting.kernel, &estimator, &examples, control, self.seed)
                .and_then(|(kernel, fitted)| fitting::predict_from(&kernel, &fitted, train, test, WANT, control)),
        };
        Ok(possible(predicted)?.map(|predictions| self.scoring.decide(&predictions, &held, of_held.as_deref())))
    }

    /// Scores a setting on one fold from given Gram matrices: among the training rows, with what learns their kernel anew, and of held-out
    /// rows with the support.
    fn score_on<'g>(
        &self,
        setting: &Setting,
        (among, kernel): (&dyn Gram, Option<&dyn RelearntKernel>),
        cross: impl FnOnce(&[usize]) -> Subset<'g>,
        fold: &Fold,
        control: &Control,
    ) -> Result<Option<f64>> {
        let sample = &self.place.round.sample;
        let (target, weights) = (sample.target.select(&fold.train), sample.weights_of(&fold.train));
        let task = Task { view: View::Values(among), target: &target, weights: weights.as_deref(), control, seed: self.seed };
        let hold = HoldOut { split: &Split::Rows, kernel };
        let Some(fit) = possible(loosened(&setting.estimator, self.scoring.deciding)?.fit_with(&task, &FitContext::holding(hold)))? else {
            return Ok(None);
        };
        let predictions = fit.fitted.predict(&Query::new(&cross(fit.fitted.support()), WANT, control))?;
        Ok(Some(self.scoring.decide(&predictions, &sample.target.select(&fold.test), sample.weights_of(&fold.test).as_deref())))
    }

    /// Whether no more settings are tried: there were enough, time is up, or nothing can be better than the best so far.
    fn spent(&self, best: f64) -> bool {
        let deciding = self.scoring.deciding;
        self.tried.len() >= self.most || self.control.out_of_time() || deciding.is_perfect(if deciding.rises() { -best } else { best })
    }

    /// Judges a setting against the best, which it replaces if it is better on every fold together.
    fn enter(&mut self, x: &[f64], best: &mut (f64, Vec<f64>)) -> Result<bool> {
        let of_best = self.tried.iter().find(|t| t.whole && t.x == best.1).map(|t| t.losses.clone());
        let loss = self.loss(x, of_best.as_deref())?;
        let whole = self.tried.iter().any(|t| t.whole && t.x == x);
        let better = whole && loss < best.0;
        if better {
            *best = (loss, x.to_vec());
        }
        Ok(better)
    }
}

/// The parts of a prediction that a score may need.
const WANT: Want = Want { variance: false, covariance: false, probabilities: true, scores: true, by_class: true };

/// A fit, if the setting allows one.
fn possible<F>(made: Result<F>) -> Result<Option<F>> {
    match made {
        Ok(fitted) => Ok(Some(fitted)),
        Err(e) if e.ends_all() => Err(e),
        Err(_) => Ok(None),
    }
}

/// Solver tolerance while searching, and the most by which it exceeds the one asked for: scores do not resolve a finer tolerance.
const LOOSE: f64 = 1e-2;
const LOOSER: f64 = 10.0;

/// The estimator without probabilities, and without a variance that held-out rows measure, where the score needs none.
pub(super) fn as_judged(estimator: &EstimatorExpr, deciding: Metric) -> EstimatorExpr {
    if matches!(deciding.needs(), Needs::Probabilities | Needs::Variance) { estimator.clone() } else { estimator.without_probabilities() }
}

/// The estimator with a tolerance that does for a score, from one start, and without probabilities where the score needs none.
fn loosened(estimator: &EstimatorExpr, deciding: Metric) -> Result<EstimatorExpr> {
    let mut loose = as_judged(estimator, deciding).with_one_start();
    for own in estimator.values().into_iter().filter(|own| own.path == "tolerance") {
        let asked = own.value.number();
        if asked < LOOSE {
            loose.set(&own.path, &Value::Number((LOOSER * asked).min(LOOSE)))?;
        }
    }
    Ok(loose)
}

/// Whether losses on some folds are all above those of the best there, by more than the spread of the best over its folds.
fn behind(losses: &[f64], best: &[f64]) -> bool {
    let noise = Estimate::of(best).se;
    let gaps: Vec<f64> = losses.iter().zip(best).map(|(l, b)| l - b).filter(|g| !g.is_nan()).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    gaps.iter().all(|g| *g > 0.0) && noise.is_finite() && mean > noise
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

/// The best setting of a round, and whether time allowed the round in full; ties go to the setting tried first, which is
/// nearest to the start.
pub(super) fn go(
    place: &RoundContext<'_>,
    scoring: Scoring,
    control: &Control,
    seed: u64,
    evaluations: &mut usize,
) -> Result<(SearchResult, bool)> {
    let mut field = Field::new(place, scoring, control, seed, evaluations)?;
    let mut best = (f64::INFINITY, place.free.iter().map(Free::coordinate).collect::<Vec<f64>>());
    match field.descend(&mut best) {
        // What was judged before time was up is not lost.
        Err(Error::Time { .. }) if best.0.is_finite() => {}
        other => other?,
    }
    let (loss, x) = best;
    let indifference = field.indifference(&x, loss);
    let mut rivals: Vec<&Trial> = field.tried.iter().filter(|t| t.loss.is_finite() && t.x != x && t.loss <= loss + indifference).collect();
    rivals.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    let rivals = rivals.into_iter().take(CANDIDATES - 1).map(|t| t.x.clone()).collect();
    let found = SearchResult {
        x,
        loss,
        indifference,
        rivals,
        criterion: match place.round.all {
            true => TunedBy::CrossValidation { metric: scoring.deciding, scored: 2, folds: 4 },
            false => TunedBy::CrossValidation { metric: scoring.deciding, scored: place.round.folds.len(), folds: place.round.folds.len() },
        },
        rises: scoring.deciding.rises(),
        round: place.number,
    };
    Ok((found, !control.out_of_time()))
}

impl Field<'_> {
    /// Tolerance: losses within it of a setting are statistically tied.
    fn indifference(&self, x: &[f64], loss: f64) -> f64 {
        // Where nothing could be fitted the start is kept, and the plain fit says why.
        let best = self.tried.iter().find(|t| t.whole && t.loss.is_finite() && t.x == x);
        let deciding = self.scoring.deciding;
        let held = self.place.round.folds.iter().map(|f| f.test.len()).sum();
        best.map_or(0.0, |t| t.error.max(deciding.sampling_error(if deciding.rises() { -loss } else { loss }, held)))
    }

    /// Free numbers that are moved together: each alone, and on all rows every width of the kernel at once.
    fn directions(&self) -> Vec<Vec<usize>> {
        let free = self.place.free;
        let alone = |k: &usize| !self.place.round.all || !free[*k].is_kernel_width();
        let widths: Vec<usize> = (0..free.len()).filter(|k| !alone(k)).collect();
        let first = (!widths.is_empty()).then_some(widths);
        first.into_iter().chain((0..free.len()).filter(alone).map(|k| vec![k])).collect()
    }

    /// Candidates, then along each coordinate with steps of shrinking size.
    fn descend(&mut self, best: &mut (f64, Vec<f64>)) -> Result<()> {
        let free = self.place.free;
        let first = self.place.starts.is_empty();
        let candidates = if first { grid(free) } else { self.place.starts.to_vec() };
        for x in candidates {
            self.enter(&x, best)?;
            // What was handed on is judged, however many there are.
            if self.control.out_of_time() || (first && self.spent(best.0)) {
                break;
            }
        }
        if self.place.judges {
            return Ok(());
        }
        // A round that goes on with another has no use for the widest step, one that another follows none for the smallest.
        let steps = &STEPS[usize::from(!first)..STEPS.len() - usize::from(!self.place.last || self.place.within_noise)];
        // More rows ask for narrower kernels: on all of them that way comes first.
        let ways = if self.place.round.all { [-1.0, 1.0] } else { [1.0, -1.0] };
        for step in steps {
            let mut moved = true;
            while moved && !self.spent(best.0) {
                moved = false;
                for along in self.directions() {
                    for way in ways {
                        let mut x = best.1.clone();
                        along.iter().for_each(|&k| x[k] = free[k].clamp(x[k] + way * step));
                        if !self.spent(best.0) && self.enter(&x, best)? {
                            moved = true;
                            break;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The curve of each free number through the best setting.
pub(super) fn curves(
    place: &RoundContext<'_>,
    found: &SearchResult,
    scoring: Scoring,
    control: &Control,
    seed: u64,
    evaluations: &mut usize,
) -> Result<Vec<Curve>> {
    let free = place.free;
    let mut field = match Field::new(place, scoring, control, seed, evaluations) {
        // What was chosen is known without its curves.
        Err(Error::Time { .. }) => return Ok(free.iter().zip(&found.x).map(|(f, x)| Curve::not_scanned(f.rounded(*x))).collect()),
        other => other?,
    };
    let mut out = Vec::new();
    for (k, f) in free.iter().enumerate() {
        if f.is_choice() {
            out.push(Curve::not_scanned(f.rounded(found.x[k])));
            continue;
        }
        let look =
            ProfileScan { free: f, at: f.rounded(found.x[k]), loss: found.loss, indifference: found.indifference, steps: steps(free) };
        let mut evaluate = |at: f64| {
            let mut x = found.x.clone();
            x[k] = at;
            field.loss(&x, None)
        };
        out.push(look.along(Vec::new(), control, &mut evaluate)?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_left_only_where_every_fold_is_worse_by_more_than_the_noise() {
        let best = [0.10, 0.12, 0.11, 0.13];
        assert!(behind(&[0.2, 0.25], &best) && !behind(&[0.2, 0.11], &best) && !behind(&[0.101, 0.121], &best));
        assert!(!behind(&[0.09, 0.1], &best));
    }
}

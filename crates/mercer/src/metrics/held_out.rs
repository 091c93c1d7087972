//! Scores of held-out rows, and what each unit of these rows contributes to a score.
//!
//! A score T is the metric over all held-out rows together; decision values of different models are on different scales, so that a
//! metric of ranks is the mean over folds. A unit is a row, a group of rows or a stretch of time. The pseudo-value of one of n units is
//! T + (2 n - 1) (T - T(weight of the unit halved)): of a mean the unit's own value, and in general T plus its influence
//! (Tukey 1958; Miller 1974, The jackknife, a review). With the fitted models given units are independent, so that sum of squared deviations / (n (n - 1)) is
//! the variance of T; that it holds across the folds of a cross-validation: Bayle, Bayle, Janson and Mackey (2020).

use super::estimate::ROUNDING;
use super::{Difference, Estimate, Metric, Needs, Scoring, against_best};
use crate::data::{Fold, Split, Target};
use crate::estimators::Predictions;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Units of a fold and of all folds; more are joined at random into so many.
const UNITS: [usize; 2] = [100, 200];

/// Rows that were held out, fold by fold, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct HeldOut<'a> {
    /// The folds.
    pub folds: &'a [Fold],
    /// The target of all rows.
    pub target: &'a Target,
    /// Weights of all rows.
    pub weights: Option<&'a [f64]>,
    /// Which rows belong together.
    pub split: &'a Split,
    /// Seed of the blocks that units are joined into where there are many.
    pub seed: u64,
}

/// A metric of the held-out rows of one fold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The metric.
    pub value: f64,
    /// The pseudo-value of each unit, the same units for every estimator; none where the metric is not defined.
    pub by_unit: Vec<f64>,
}

/// A metric of all held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The metric.
    pub value: f64,
    /// The pseudo-value of each unit, the same units for every estimator; none where the metric is not defined.
    pub by_unit: Vec<f64>,
    /// Whether the metric is the root of a mean, and pseudo-values are those of the mean: the units of equally good estimators then differ by
    /// what is as likely above 0 as below, however few they are.
    pub is_root: bool,
    /// The metric of each fold, NaN where its rows do not define it.
    pub per_fold: Vec<f64>,
}

impl Judged {
    /// The mean over folds; `None` where a fold has no finite value.
    pub(crate) fn of_folds(folds: &[Contribution]) -> Option<Judged> {
        let per_fold: Vec<f64> = folds.iter().map(|c| c.value).collect();
        if folds.is_empty() || per_fold.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let (count, value) = (folds.len() as f64, per_fold.iter().sum::<f64>() / folds.len() as f64);
        let all: usize = folds.iter().map(|c| c.by_unit.len()).sum();
        // Every fold counts as much, whatever its number of units.
        let share = |c: &Contribution| all as f64 / (count * c.by_unit.len().max(1) as f64);
        let by_unit = folds.iter().flat_map(|c| c.by_unit.iter().map(|l| value + share(c) * (l - value))).collect();
        Some(Judged { value, by_unit, is_root: false, per_fold })
    }

    /// Of a root T of a mean, pseudo-values of T^2 from those of T: T with the weight of a unit halved is in them.
    fn of_root(value: f64, by_unit: Vec<f64>, per_fold: Vec<f64>) -> Judged {
        let factor = 2.0 * by_unit.len() as f64 - 1.0;
        let square = |l: f64| value * value + factor * (value * value - (value - (l - value) / factor).powi(2));
        Judged { value, by_unit: by_unit.into_iter().map(square).collect(), is_root: true, per_fold }
    }

    /// By how much the metric of this and another one differ where their pseudo-values differ by 1.
    pub(super) fn scale(&self, other: &Judged) -> f64 {
        match self.is_root && self.value + other.value > 0.0 {
            // sqrt(a) - sqrt(b) = (a - b) / (sqrt(a) + sqrt(b)).
            true => 1.0 / (self.value + other.value),
            false => 1.0,
        }
    }

    /// The metric with its standard error by the units.
    pub fn estimate(&self) -> Estimate {
        let n = self.by_unit.len() as f64;
        let size = self.by_unit.iter().fold(0.0, |most: f64, l| most.max(l.abs()));
        let mean = self.by_unit.iter().sum::<f64>() / n;
        let off = |l: &f64| if (l - mean).abs() <= ROUNDING * size { 0.0 } else { l - mean };
        let squares: f64 = self.by_unit.iter().map(|l| off(l).powi(2)).sum();
        let se = if n > 1.0 { self.scale(self) * (squares / (n * (n - 1.0))).sqrt() } else { f64::NAN };
        Estimate { mean: self.value, se, folds: self.per_fold.iter().filter(|v| !v.is_nan()).count() }
    }
}

impl HeldOut<'_> {
    /// The deciding metric of the held-out rows of fold `k`.
    pub fn contribution(&self, k: usize, predictions: &Predictions, scoring: &Scoring) -> Contribution {
        let rows = &self.folds[k].test;
        let units = self.joined(self.units(k), UNITS[0]);
        let (value, by_unit) = scoring.by_unit(predictions, &self.target.select(rows), self.weights_of(rows), &units);
        Contribution { value, by_unit }
    }

    /// The difference of each estimator to the best one by the deciding metric, from the predictions of each on the test rows of every
    /// fold; `None` for the best, and where predictions lack what the metric needs.
    pub fn differences(&self, predictions: &[Vec<&Predictions>], best: usize, scoring: &Scoring) -> Vec<Option<Difference>> {
        let all: Vec<Option<Judged>> = predictions.iter().map(|found| self.judged(found, scoring)).collect();
        against_best(&all.iter().map(Option::as_ref).collect::<Vec<_>>(), best, scoring.deciding.rises())
    }

    /// Every metric that the predictions of the test rows of the first folds allow, the deciding one first.
    pub fn judge(&self, predictions: &[&Predictions], scoring: &Scoring) -> Vec<(Metric, Judged)> {
        let Some(together) = Together::of(self, predictions) else { return Vec::new() };
        let by = |metric: Metric| Some((metric, together.judged(&Scoring { deciding: metric, ..*scoring })?));
        scoring.defined(&together.stacked, &together.truth).into_iter().filter_map(by).collect()
    }

    /// The deciding metric of the predictions of the test rows of the first folds; `None` where they lack what it needs.
    pub fn judged(&self, predictions: &[&Predictions], scoring: &Scoring) -> Option<Judged> {
        Together::of(self, predictions)?.judged(scoring)
    }

    fn weights_of(&self, rows: &[usize]) -> Vec<f64> {
        rows.iter().map(|&i| self.weights.map_or(1.0, |w| w[i])).collect()
    }

    /// The test rows of a fold that belong together, as places among them: groups, stretches of time in which rows may be alike,
    /// else single rows. Rows without weight are in none.
    fn units(&self, k: usize) -> Vec<Vec<usize>> {
        let rows = &self.folds[k].test;
        let mut places: Vec<usize> = (0..rows.len()).filter(|&k| self.weights.is_none_or(|w| w[rows[k]] > 0.0)).collect();
        match self.split {
            Split::Rows => places.into_iter().map(|k| vec![k]).collect(),
            Split::Groups(groups) | Split::Copies(groups) => {
                places.sort_by_key(|&k| groups[rows[k]]);
                places.chunk_by(|&a, &b| groups[rows[a]] == groups[rows[b]]).map(<[usize]>::to_vec).collect()
            }
            Split::Time(times) => {
                places.sort_by(|&a, &b| times[rows[a]].total_cmp(&times[rows[b]]));
                // Blocks of the cube root of the rows: Künsch (1989), The jackknife and the bootstrap for general stationary
                // observations.
                places.chunks((places.len() as f64).cbrt().ceil().max(1.0) as usize).map(<[usize]>::to_vec).collect()
            }
        }
    }

    /// At most so many units, made of the given ones at random.
    fn joined(&self, mut units: Vec<Vec<usize>>, most: usize) -> Vec<Vec<usize>> {
        let most = most.max(1);
        if units.len() <= most {
            return units;
        }
        units.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.seed));
        let mut joined = vec![Vec::new(); most];
        units.into_iter().enumerate().for_each(|(k, unit)| joined[k % most].extend(unit));
        joined
    }
}

/// The predictions of the first folds one under the other.
struct Together<'a> {
    held_out: &'a HeldOut<'a>,
    predictions: &'a [&'a Predictions],
    stacked: Predictions,
    truth: Target,
    weights: Vec<f64>,
    /// The units of each fold, as places among its test rows.
    units: Vec<Vec<Vec<usize>>>,
}

impl<'a> Together<'a> {
    fn of(held_out: &'a HeldOut<'a>, predictions: &'a [&'a Predictions]) -> Option<Self> {
        // Rows that are visited for the units of all folds together, as far as it leaves `FEWEST_UNITS`: every unit takes a pass.
        const VISITED: usize = 4_000_000;
        const FEWEST_UNITS: usize = 50;
        let stacked = Predictions::stacked(predictions)?;
        let count = predictions.len();
        let tested: Vec<usize> = held_out.folds.iter().take(count).flat_map(|f| f.test.iter().copied()).collect();
        let most = UNITS[1].min((VISITED / tested.len().max(1)).max(FEWEST_UNITS)).div_ceil(count);
        let units = (0..count).map(|k| held_out.joined(held_out.units(k), most)).collect();
        let (truth, weights) = (held_out.target.select(&tested), held_out.weights_of(&tested));
        Some(Together { held_out, predictions, stacked, truth, weights, units })
    }

    fn judged(&self, scoring: &Scoring) -> Option<Judged> {
        let of_fold = |k: usize, units: &[Vec<usize>]| -> Contribution {
            let rows = &self.held_out.folds[k].test;
            let truth = self.held_out.target.select(rows);
            let (value, by_unit) = scoring.by_unit(self.predictions[k], &truth, self.held_out.weights_of(rows), units);
            Contribution { value, by_unit }
        };
        let folds: Vec<Contribution> = (0..self.units.len()).map(|k| of_fold(k, &[])).collect();
        let per_fold: Vec<f64> = folds.iter().map(|c| c.value).collect();
        if scoring.deciding.needs() == Needs::Ranking && per_fold.iter().all(|v| v.is_finite()) {
            let folds: Vec<Contribution> = self.units.iter().enumerate().map(|(k, units)| of_fold(k, units)).collect();
            return Judged::of_folds(&folds);
        }
        let starts = self.held_out.folds.iter().scan(0, |start, f| Some(std::mem::replace(start, *start + f.test.len())));
        let shifted = |(units, start): (&Vec<Vec<usize>>, usize)| -> Vec<Vec<usize>> {
            units.iter().map(|unit| unit.iter().map(|place| start + place).collect()).collect()
        };
        let units: Vec<Vec<usize>> = self.units.iter().zip(starts).flat_map(shifted).collect();
        let (value, by_unit) = scoring.by_unit(&self.stacked, &self.truth, self.weights.clone(), &units);
        Some(match scoring.deciding {
            Metric::Rmse => Judged::of_root(value, by_unit, per_fold),
            _ => Judged { value, by_unit, is_root: false, per_fold },
        })
    }
}

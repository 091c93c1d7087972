//! Whether an estimator predicts worse than the best one, by the rows that both predicted without having seen them.
//!
//! A score is the mean over folds of the metric T of a fold's rows. What a unit u (a row, a group of rows, a stretch of time)
//! contributes is a_u = 2 (T(w) - T(w with the weight of u halved)), which is psi_u / (n - 1/2) for a mean of n units with
//! deviations psi_u; with the fitted models given, units are independent, and var(T_i - T_j) = sum_u (a_iu - a_ju)^2. For a
//! share this is McNemar's comparison without its correction, for losses the paired t test, for AUC the estimate of DeLong,
//! DeLong and Clarke-Pearson (1988). That it holds across the folds of a cross-validation: Bayle, Bayle, Janson and Mackey (2020),
//! Cross-validation confidence intervals for test error.
//!
//! The best of J is the best by luck too. Estimator i is called worse where (T_best - T_i) / se > c_i, the quantile of the greatest
//! of the statistics that compare i with all others (Hsu 1981, Simultaneous confidence intervals for all distances from the "best"),
//! at the level 5% (J - 1) / J, so that 5% of the comparisons of equally good estimators with the best are wrong, whatever J; of two
//! it is the paired test at 5%. What is worse is taken out, and the others are compared again, until none goes.

use super::{Estimate, Scoring};
use crate::data::{Fold, Split, Target};
use crate::estimators::Predictions;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Units of a fold; more are joined at random into so many.
const UNITS: usize = 100;
/// Share of the comparisons of equally good estimators that are wrong.
const LEVEL: f64 = 0.05;
/// Half-width and steps of the trapezium rule over a standard normal variable; the tail beyond is below 1e-15.
const REACH: f64 = 8.0;
const STEPS: usize = 160;

/// A score minus that of the best estimator, on the same held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The mean over folds of the difference of the metric.
    pub mean: f64,
    /// Its standard error, by the rows.
    pub se: f64,
    /// Lower end of its 95% interval, which allows for the choice of the best among several estimators.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether both have the same score in every fold.
    pub tied: bool,
}

impl Difference {
    /// Whether the interval leaves zero out.
    pub fn is_told(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

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
    /// Seed of the blocks that rows are joined into where a fold has more than 100.
    pub seed: u64,
}

/// The deciding metric of one fold, and what each unit of its held-out rows contributes to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contribution {
    /// The metric.
    pub value: f64,
    /// One number for each unit, the same units for every estimator; none where the metric is not defined.
    pub by_unit: Vec<f64>,
}

impl HeldOut<'_> {
    /// The difference of each estimator to the best one by the deciding metric, from the predictions of each on the test rows of every
    /// fold; `None` for the best, where predictions are missing, and where they lack what the metric needs.
    pub fn differences(&self, predictions: &[Option<Vec<&Predictions>>], best: usize, scoring: &Scoring) -> Vec<Option<Difference>> {
        let of = |found: &Option<Vec<&Predictions>>| -> Option<Vec<Contribution>> {
            let found = found.as_ref().filter(|f| f.len() == self.folds.len())?;
            Some(found.iter().enumerate().map(|(k, predictions)| self.contribution(k, predictions, scoring)).collect())
        };
        let all: Vec<Option<Vec<Contribution>>> = predictions.par_iter().map(of).collect();
        let all: Vec<Option<&[Contribution]>> = all.iter().map(Option::as_deref).collect();
        against_best(&all, best, scoring.deciding.rises())
    }

    /// The deciding metric of the held-out rows of fold `k`, and what each unit contributes to it.
    pub fn contribution(&self, k: usize, predictions: &Predictions, scoring: &Scoring) -> Contribution {
        let fold = &self.folds[k];
        let truth = self.target.select(&fold.test);
        let weights: Vec<f64> = fold.test.iter().map(|&i| self.weights.map_or(1.0, |w| w[i])).collect();
        let value = scoring.decide(predictions, &truth, Some(&weights));
        let by_unit = if value.is_finite() { scoring.contributions(predictions, &truth, weights, &self.units(fold)) } else { Vec::new() };
        Contribution { value, by_unit }
    }

    /// The test rows of a fold that belong together, as places among them: groups, stretches of time in which rows may be alike,
    /// else single rows. Rows without weight are in none.
    fn units(&self, fold: &Fold) -> Vec<Vec<usize>> {
        let mut places: Vec<usize> = (0..fold.test.len()).filter(|&k| self.weights.is_none_or(|w| w[fold.test[k]] > 0.0)).collect();
        let mut units: Vec<Vec<usize>> = match self.split {
            Split::Rows => places.into_iter().map(|k| vec![k]).collect(),
            Split::Groups(groups) | Split::Copies(groups) => {
                places.sort_by_key(|&k| groups[fold.test[k]]);
                places.chunk_by(|&a, &b| groups[fold.test[a]] == groups[fold.test[b]]).map(<[usize]>::to_vec).collect()
            }
            Split::Time(times) => {
                places.sort_by(|&a, &b| times[fold.test[a]].total_cmp(&times[fold.test[b]]));
                // Blocks of the cube root of the rows: Künsch (1989), The jackknife and the bootstrap for general stationary
                // observations.
                places.chunks((places.len() as f64).cbrt().ceil().max(1.0) as usize).map(<[usize]>::to_vec).collect()
            }
        };
        if units.len() > UNITS {
            units.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.seed));
            let mut joined = vec![Vec::new(); UNITS];
            units.into_iter().enumerate().for_each(|(k, unit)| joined[k % UNITS].extend(unit));
            return joined;
        }
        units
    }
}

/// Contributions of all units to the score, over the folds that define the metric.
struct Judged {
    per_fold: Vec<f64>,
    contributions: Vec<f64>,
}

/// The difference of each to the best one, from the contributions of the same folds; `None` for the best, and where there are none.
pub fn against_best(all: &[Option<&[Contribution]>], best: usize, rises: bool) -> Vec<Option<Difference>> {
    let mut out = vec![None; all.len()];
    let is_judged = |folds: &&[Contribution]| folds.iter().all(|c| !c.value.is_infinite()) && folds.iter().any(|c| c.value.is_finite());
    let Some(reference) = all.get(best).copied().flatten().filter(is_judged) else { return out };
    let defined: Vec<usize> = (0..reference.len()).filter(|&k| reference[k].value.is_finite()).collect();
    let judged: Vec<Option<Judged>> = all
        .iter()
        .map(|found| {
            let found = found.filter(is_judged).filter(|c| defined.iter().all(|&k| c.get(k).is_some_and(|c| c.value.is_finite())))?;
            let share = 1.0 / defined.len() as f64;
            let contributions = defined.iter().flat_map(|&k| found[k].by_unit.iter().map(|a| share * a)).collect();
            Some(Judged { per_fold: defined.iter().map(|&k| found[k].value).collect(), contributions })
        })
        .collect();
    let Some(reference) = &judged[best] else { return out };
    let freedom = reference.contributions.len().saturating_sub(defined.len()).max(1) as f64;
    let mut left: Vec<usize> = (0..all.len()).filter(|&i| judged[i].is_some()).collect();
    loop {
        let mut worse = Vec::new();
        for &i in left.iter().filter(|&&i| i != best) {
            let Some(own) = &judged[i] else { continue };
            let others: Vec<&[f64]> =
                left.iter().filter(|&&j| j != i).filter_map(|&j| Some(judged[j].as_ref()?.contributions.as_slice())).collect();
            let folds = Estimate::of_differences(&own.per_fold, &reference.per_fold);
            let se = apart(&own.contributions, &reference.contributions).iter().map(|d| d * d).sum::<f64>().sqrt();
            let margin = if se > 0.0 { critical(&own.contributions, &others, freedom) * se } else { 0.0 };
            let tied = folds.mean == 0.0 && (folds.se == 0.0 || folds.se.is_nan());
            out[i] = Some(Difference { mean: folds.mean, se, low: folds.mean - margin, high: folds.mean + margin, tied });
            if (if rises { -folds.mean } else { folds.mean }) > margin {
                worse.push(i);
            }
        }
        if worse.is_empty() {
            return out;
        }
        left.retain(|i| !worse.contains(i));
    }
}

fn apart(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Standard errors by which an estimator must lie behind the best of the others to be called worse.
fn critical(own: &[f64], others: &[&[f64]], freedom: f64) -> f64 {
    let unit = |other: &&[f64]| {
        let gaps = apart(own, other);
        let length = gaps.iter().map(|g| g * g).sum::<f64>().sqrt();
        (length > 0.0).then(|| gaps.into_iter().map(|g| g / length).collect::<Vec<f64>>())
    };
    let units: Vec<Vec<f64>> = others.iter().filter_map(unit).collect();
    let m = units.len().max(1) as f64;
    // The squared length of the sum of unit vectors is m + m (m - 1) x their mean correlation.
    let sum: Vec<f64> = (0..own.len()).map(|u| units.iter().map(|v| v[u]).sum()).collect();
    let correlation = if m > 1.0 { (sum.iter().map(|s| s * s).sum::<f64>() - m) / (m * (m - 1.0)) } else { 0.0 };
    greatest_of(m, correlation.clamp(0.0, 0.999), LEVEL * m / (m + 1.0), freedom)
}

/// The value that the greatest of `m` equally correlated statistics exceeds with probability `level`, by Student's t with so many
/// degrees of freedom: P(max <= c) = int phi(y) Phi((c - sqrt(r) y) / sqrt(1 - r))^m dy for normal ones.
fn greatest_of(m: f64, r: f64, level: f64, freedom: f64) -> f64 {
    let normal = Normal::standard();
    let density = |y: f64| (-0.5 * y * y).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = 2.0 * REACH / STEPS as f64;
    let below = |c: f64| -> f64 {
        let at = |k: usize| {
            let y = -REACH + k as f64 * step;
            density(y) * normal.cdf((c - r.sqrt() * y) / (1.0 - r).sqrt()).powf(m)
        };
        step * (0..=STEPS).map(at).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, REACH);
    if m > 1.0 {
        while high - low > 1e-9 {
            let middle = 0.5 * (low + high);
            if below(middle) < 1.0 - level { low = middle } else { high = middle }
        }
    }
    let tail = if m > 1.0 { 1.0 - normal.cdf(high) } else { level };
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| -t.inverse_cdf(tail))
}

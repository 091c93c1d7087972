//! Metrics of predicted numbers, over weighted rows; several targets count alike. `None` where the rows do not define one.
//!
//! RMSE^2 = mean (y - f)^2 (of several targets the mean of their RMSE); R² = 1 - mean (y - f)^2 / mean (y - mean y)^2; NLPD = mean of
//! (log 2 pi s^2 + (y - f)^2 / s^2) / 2 with s^2 = variance of the function + noise; where f and s are of a transformed target g(y), with
//! g(y) in place of y and less log g'(y).

use crate::estimators::Transformed;
use crate::linalg::Matrix;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// Probability of the intervals whose coverage is measured.
pub(super) const LEVEL: f64 = 0.95;

/// Predictions of numbers beside the truth, rows x targets each.
pub(super) struct NumberRows<'a> {
    /// The predictions.
    pub found: &'a Matrix,
    /// The true numbers.
    pub truth: &'a Matrix,
    /// A weight for each row.
    pub weights: Option<&'a [f64]>,
    /// Variance of the predicted function.
    pub variance: Option<&'a Matrix>,
    /// Variance of the noise of each target, where it is not in `variance`.
    pub noise: Option<&'a [f64]>,
    /// The transformed values that variance and noise are of, where the target was transformed.
    pub transformed: Option<&'a Transformed>,
}

impl NumberRows<'_> {
    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// The weighted mean over the rows; `None` of no rows.
    fn average(&self, f: impl Fn(usize) -> f64) -> Option<f64> {
        let (sum, total) = (0..self.truth.rows()).fold((0.0, 0.0), |(s, t), i| (s + self.weight(i) * f(i), t + self.weight(i)));
        (total > 0.0).then(|| sum / total)
    }

    /// The mean of `f` over the targets for which it is defined; `None` if it is defined for none.
    fn over(&self, f: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let defined: Vec<f64> = (0..self.truth.cols()).filter_map(f).collect();
        (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64)
    }

    fn error(&self, i: usize, target: usize) -> f64 {
        self.truth[(i, target)] - self.found[(i, target)]
    }

    /// The error of the transformed target, and ln of the slope of the transformation, by which densities differ.
    fn transformed_error(&self, i: usize, target: usize) -> (f64, f64) {
        let Some(Transformed { transform, values }) = self.transformed else { return (self.error(i, target), 0.0) };
        let y = self.truth[(i, target)];
        // Beyond its domain the density is 0.
        transform.forward(y).map_or((f64::INFINITY, 0.0), |t| (t - values[(i, target)], transform.log_slope(y)))
    }

    fn squared(&self, target: usize) -> Option<f64> {
        self.average(|i| self.error(i, target).powi(2))
    }

    /// The share of the variance of a target that is explained. One that is constant among the rows has none, and is left out.
    fn explained(&self, target: usize) -> Option<f64> {
        let y = self.truth;
        if (1..y.rows()).all(|i| y[(i, target)] == y[(0, target)]) {
            return None;
        }
        let middle = self.average(|i| y[(i, target)])?;
        Some(1.0 - self.squared(target)? / self.average(|i| (y[(i, target)] - middle).powi(2))?)
    }

    /// Variance of a new target.
    fn spread(&self, variance: &Matrix, i: usize, target: usize) -> f64 {
        variance[(i, target)] + self.noise.and_then(|n| n.get(target)).copied().unwrap_or(0.0)
    }
}

/// How well one of several targets is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TargetScore {
    /// Root mean squared error, in the unit of the target.
    pub rmse: f64,
    /// Share of its variance that is explained; NaN where it is constant.
    pub r2: f64,
}

/// The scores of each target (columns of `truth` and `found`, of as many rows).
pub fn of_each_target(found: &Matrix, truth: &Matrix, weights: Option<&[f64]>) -> Vec<TargetScore> {
    let rows = NumberRows { found, truth, weights, variance: None, noise: None, transformed: None };
    let of = |o| TargetScore { rmse: rows.squared(o).map_or(f64::NAN, f64::sqrt), r2: rows.explained(o).unwrap_or(f64::NAN) };
    (0..truth.cols()).map(of).collect()
}

pub(super) fn rmse(rows: &NumberRows<'_>) -> Option<f64> {
    rows.over(|o| rows.squared(o).map(f64::sqrt))
}

/// The standard error of the root mean square of so many normal errors.
pub(super) fn sampling_error_of_root(root: f64, rows: f64) -> f64 {
    root / (2.0 * rows).sqrt()
}

pub(super) fn mae(rows: &NumberRows<'_>) -> Option<f64> {
    rows.over(|o| rows.average(|i| rows.error(i, o).abs()))
}

/// The median of the sizes of errors, a weight of 2 counted as two rows: between two of them where half of the weight
/// lies on each side.
pub(super) fn median_absolute_error(rows: &NumberRows<'_>) -> Option<f64> {
    let total: f64 = (0..rows.truth.rows()).map(|i| rows.weight(i)).sum();
    rows.over(|o| {
        let mut sizes: Vec<(f64, f64)> =
            (0..rows.truth.rows()).map(|i| (rows.error(i, o).abs(), rows.weight(i))).filter(|(_, w)| *w > 0.0).collect();
        if sizes.iter().any(|(size, _)| size.is_nan()) {
            return Some(f64::NAN);
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        for (k, (size, weight)) in sizes.iter().enumerate() {
            below += weight;
            // Weights such as 0.1 do not add up exactly.
            let even = (2.0 * below - total).abs() <= 1e-12 * total;
            if even || 2.0 * below > total {
                let next = sizes.get(k + 1).filter(|_| even).map_or(*size, |(next, _)| *next);
                return Some(0.5 * (size + next));
            }
        }
        None
    })
}

pub(super) fn r2(rows: &NumberRows<'_>) -> Option<f64> {
    rows.over(|o| rows.explained(o))
}

pub(super) fn nlpd(rows: &NumberRows<'_>) -> Option<f64> {
    let variance = rows.variance?;
    rows.over(|o| {
        let mean = rows.average(|i| {
            let s2 = rows.spread(variance, i, o);
            let (error, log_slope) = rows.transformed_error(i, o);
            0.5 * ((2.0 * std::f64::consts::PI * s2).ln() + error.powi(2) / s2) - log_slope
        });
        // A power has no density at 0.
        mean.filter(|mean| *mean != f64::NEG_INFINITY)
    })
}

/// Share of the true numbers in the central 95% interval of their prediction.
pub(super) fn coverage(rows: &NumberRows<'_>) -> Option<f64> {
    let variance = rows.variance?;
    let z = Normal::standard().inverse_cdf(0.5 + LEVEL / 2.0);
    let holds = |i: usize, o: usize| {
        let half = z * rows.spread(variance, i, o).sqrt();
        match rows.transformed {
            None => rows.error(i, o).abs() <= half,
            Some(Transformed { transform, values }) => {
                let [low, high] = [-half, half].map(|side| transform.inverse(values[(i, o)] + side));
                (low..=high).contains(&rows.truth[(i, o)])
            }
        }
    };
    rows.over(|o| rows.average(|i| f64::from(u8::from(holds(i, o)))))
}

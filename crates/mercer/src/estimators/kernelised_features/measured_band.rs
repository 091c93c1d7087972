//! The width of predictive intervals by rows that were held out: what their residuals ask for, in the standard deviations that fits without
//! them predict.
//!
//! ```text
//! z_i = (y_i - f_-T(x_i)) / s_-T(x_i) of the rows i of each fold T;     factor = the 90% quantile of |z| / 1.645
//! ```
//!
//! where intervals of 1.645 standard deviations on either side, 90% of a normal distribution, hold fewer or more of the held-out rows than
//! chance allows; else 1.

use crate::data::{Split, folds};
use crate::error::Result;
use crate::estimators::probabilities::held_out::{FOLDS, without_fold};
use crate::estimators::{Estimator, HoldOut, Predicted, Task, Want};
use crate::linalg::Matrix;

/// The share of rows that intervals are to hold, and how many standard deviations of a normal distribution that is on either side.
const SHARE: f64 = 0.9;
const DEVIATIONS: f64 = 1.644_853_626_951_472_2;
/// Standard errors of a share from which it is not chance.
const CHANCE: f64 = 2.0;
/// Fewer held-out rows do not say how wide an interval of 90% is.
const LEAST_ROWS: usize = 20;
/// Held-out rows that are enough.
const ENOUGH_ROWS: usize = 1000;

/// What held-out rows say of the standard deviations of one output.
pub(super) struct MeasuredBand {
    /// What they are to be multiplied by.
    pub(super) factor: f64,
    /// The share of held-out rows that the intervals hold as they are, and how many rows; `None` where too few are held out.
    holds: Option<(f64, usize)>,
}

impl MeasuredBand {
    /// What there is to say of it.
    pub(super) fn note(&self) -> Option<String> {
        let (share, rows) = self.holds?;
        let share = 100.0 * share;
        Some(if self.factor == 1.0 {
            format!("90% intervals by evidence hold {share:.0}% of {rows} rows held out in folds, and stay as they are")
        } else {
            format!(
                "90% intervals by evidence hold {share:.0}% of {rows} rows held out in folds: standard deviations are multiplied by {:.2}, at which they hold 90%",
                self.factor
            )
        })
    }
}

/// One for each output, by fits without a fold each.
pub(super) fn measured_bands<E: Estimator>(estimator: &E, task: &Task<'_>, y: &Matrix, hold: HoldOut<'_>) -> Result<Vec<MeasuredBand>> {
    let n = y.rows();
    let split = if hold.split.most_folds(n) < 2 { &Split::Rows } else { hold.split };
    let count = FOLDS.min(split.most_folds(n));
    let parts = if n < LEAST_ROWS || count < 2 { Vec::new() } else { folds(task.target, split, count, task.seed)? };
    let want = Want { variance: true, ..Want::default() };
    let mut far: Vec<Vec<(f64, f64)>> = vec![Vec::new(); y.cols()];
    for part in &parts {
        if task.control.out_of_time() || far.first().is_none_or(|z| z.len() >= ENOUGH_ROWS) {
            break;
        }
        let predictions = match without_fold(estimator, task, hold, part, &part.test, want) {
            Ok((predictions, _)) => predictions,
            Err(error) if error.ends_all() => return Err(error),
            Err(_) => continue,
        };
        let (Predicted::Numbers(found), Some(variance)) = (&predictions.values, &predictions.variance) else { continue };
        for (k, &i) in part.test.iter().enumerate() {
            for (o, z) in far.iter_mut().enumerate() {
                let noise = predictions.noise.as_ref().map_or(0.0, |noise| noise[o]);
                let deviation = (variance[(k, o)] + noise).sqrt();
                let away = (y[(i, o)] - found[(k, o)]).abs();
                z.push((if away == 0.0 { 0.0 } else { away / deviation }, task.weight(i)));
            }
        }
    }
    Ok(far.into_iter().map(of_deviations).collect())
}

/// What distances in standard deviations say, by weight.
fn of_deviations(mut z: Vec<(f64, f64)>) -> MeasuredBand {
    let as_it_is = MeasuredBand { factor: 1.0, holds: None };
    if z.len() < LEAST_ROWS {
        return as_it_is;
    }
    let rows = z.len();
    z.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = z.iter().map(|(_, w)| w).sum();
    let holds = z.iter().filter(|(far, _)| *far <= DEVIATIONS).map(|(_, w)| w / total).sum::<f64>();
    let error = (SHARE * (1.0 - SHARE) / rows as f64).sqrt();
    // The place that a new row exceeds with a probability of 10% (Vovk, Gammerman and Shafer 2005): one row more than there are.
    let wanted = SHARE * total * (rows + 1) as f64 / rows as f64;
    let mut passed = 0.0;
    let place = z.iter().find(|(_, w)| {
        passed += w;
        passed >= wanted * (1.0 - f64::EPSILON)
    });
    let factor = place.or(z.last()).map_or(1.0, |(far, _)| far / DEVIATIONS);
    match (holds - SHARE).abs() > CHANCE * error && factor.is_finite() && factor > 0.0 {
        true => MeasuredBand { factor, holds: Some((holds, rows)) },
        false => MeasuredBand { holds: Some((holds, rows)), ..as_it_is },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Quantiles of a normal distribution: of 999 rows at (i - 1/2) / 999 in units of twice the deviation that is predicted, 90% lie
    // within twice 1.645 of these.
    #[test]
    fn deviations_that_are_half_of_what_they_should_be_are_doubled_and_others_stay() {
        let normal: Vec<f64> = (0..999).map(|i| quantile((i as f64 + 0.5) / 999.0).abs()).collect();
        let band = |by: f64| of_deviations(normal.iter().map(|z| (by * z, 1.0)).collect());
        assert!((band(2.0).factor - 2.0).abs() < 0.01 && (band(0.5).factor - 0.5).abs() < 0.01);
        assert_eq!(band(1.0).factor, 1.0);
        let (share, rows) = band(1.0).holds.unwrap();
        assert!((share - 0.9).abs() < 0.002 && rows == 999);
        assert!(of_deviations(vec![(9.0, 1.0); 10]).holds.is_none());
        // A row of weight 2 counts twice.
        let (once, twice) = (normal.iter().flat_map(|z| [(3.0 * z, 1.0); 2]).collect(), normal.iter().map(|z| (3.0 * z, 2.0)).collect());
        assert!((of_deviations(once).factor - of_deviations(twice).factor).abs() < 0.01);
    }

    /// The quantile of the standard normal distribution by bisection of its integral.
    fn quantile(p: f64) -> f64 {
        let below = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        let (mut low, mut high) = (-9.0, 9.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if below(middle) < p { low = middle } else { high = middle }
        }
        low
    }
}

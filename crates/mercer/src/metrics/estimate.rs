//! A mean over folds with its standard error, and when a difference is noise: |mean| <= t(0.975, folds - 1) se.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// What sums and quotients of a fold may lose, as a share of the value.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A mean over folds with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over the folds that define the metric; NaN where none does.
    pub mean: f64,
    /// Standard deviation over those folds divided by the root of their number.
    pub se: f64,
    /// How many they are.
    pub folds: usize,
}

impl Estimate {
    /// From one value per fold. A fold whose rows do not define the metric (NaN: an R² where the target is constant) is
    /// left out; `folds` says how many remain.
    pub fn of(values: &[f64]) -> Estimate {
        Self::beside(values, greatest(values))
    }

    /// The estimate of the paired differences `values - others`, fold by fold; rounding errors are judged by the size of these values.
    pub fn of_differences(values: &[f64], others: &[f64]) -> Estimate {
        let gaps: Vec<f64> = values.iter().zip(others).map(|(a, b)| a - b).collect();
        Self::beside(&gaps, greatest(values).max(greatest(others)))
    }

    /// The estimate from `values` whose rounding error is judged relative to `size`, the magnitude they were computed from.
    fn beside(values: &[f64], size: f64) -> Estimate {
        let defined = || values.iter().filter(|v| !v.is_nan());
        let folds = defined().count();
        let n = folds as f64;
        let rounding = ROUNDING * size;
        // Values that are equal but for rounding have no spread, and a mean that is rounding is 0.
        let mean = defined().sum::<f64>() / n;
        let mean = if mean.is_finite() && mean.abs() <= rounding { 0.0 } else { mean };
        let off = |v: f64| if (v - mean).abs() <= rounding { 0.0 } else { v - mean };
        let squares: f64 = defined().map(|&v| off(v) * off(v)).sum();
        Estimate { mean, se: if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN }, folds }
    }

    /// Whether zero lies in the 95% confidence interval of Student's t over the folds: no significant difference.
    pub fn within_noise(&self) -> bool {
        self.mean.abs() <= self.margin()
    }

    /// Half the width of that interval; NaN of fewer than two folds.
    pub fn margin(&self) -> f64 {
        match StudentsT::new(0.0, 1.0, self.folds.saturating_sub(1) as f64) {
            Ok(t) => t.inverse_cdf(0.975) * self.se,
            Err(_) => f64::NAN,
        }
    }
}

/// The greatest size of values that are defined.
fn greatest(values: &[f64]) -> f64 {
    values.iter().filter(|v| !v.is_nan()).fold(0.0, |most: f64, v| most.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_errors_come_from_the_spread_over_folds() {
        let e = Estimate::of(&[1.0, 2.0, 3.0]);
        assert_eq!((e.mean, e.folds), (2.0, 3));
        assert!((e.se - (1.0f64 / 3.0).sqrt()).abs() <= 1e-15);
    }

    #[test]
    fn folds_that_are_equal_but_for_rounding_have_no_spread() {
        assert_eq!(Estimate::of(&[0.1 + 0.2, 0.3, 0.3]).se, 0.0);
        assert!(Estimate::of(&[0.3 + 1e-12, 0.3, 0.3]).se > 0.0);
        assert!(Estimate::of(&[1e-17, 0.0, 0.0]).within_noise());
        // Differences whose sum comes out as 2.2e-16.
        let same = Estimate::of_differences(&[0.8, 0.9, 0.4], &[0.7, 0.7, 0.7]);
        assert!(same.mean == 0.0 && (same.se - (0.07f64 / 3.0).sqrt()).abs() < 1e-15, "{same:?}");
    }

    #[test]
    fn a_fold_that_does_not_define_the_metric_is_left_out() {
        assert_eq!(Estimate::of(&[1.0, f64::NAN, 2.0, 3.0]), Estimate::of(&[1.0, 2.0, 3.0]));
        let none = Estimate::of(&[f64::NAN]);
        assert!(none.mean.is_nan() && none.folds == 0 && !none.within_noise());
        assert_eq!(Estimate::of(&[1.0, f64::INFINITY]).mean, f64::INFINITY);
    }

    #[test]
    fn noise_is_told_by_students_t() {
        // scipy.stats.t.ppf(0.975, 4) = 2.7764451051977987; a table of the normal distribution would say 1.96.
        let apart = |mean| Estimate { mean, se: 1.0, folds: 5 };
        assert!((apart(0.0).margin() - 2.776_445_105_197_799).abs() <= 1e-9);
        assert!(apart(-2.77).within_noise() && !apart(2.78).within_noise());
        assert!(!Estimate { mean: 0.1, se: f64::NAN, folds: 1 }.within_noise());
    }
}

//! A value with its standard error, and the mean over folds with that of their spread.

use serde::{Deserialize, Serialize};

/// What sums and quotients of rows may lose, as a share of the value.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A value of a metric with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The metric over all held-out rows, or its mean over the folds; NaN where it is not defined.
    pub mean: f64,
    /// Its standard error, by the rows or by the spread of the folds.
    pub se: f64,
    /// Folds whose rows define the metric.
    pub folds: usize,
}

impl Estimate {
    /// From one value per fold. A fold whose rows do not define the metric (NaN: an R² where the target is constant) is
    /// left out; `folds` says how many remain.
    pub fn of(values: &[f64]) -> Estimate {
        Self::beside(values, greatest(values))
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
    }

    #[test]
    fn a_fold_that_does_not_define_the_metric_is_left_out() {
        assert_eq!(Estimate::of(&[1.0, f64::NAN, 2.0, 3.0]), Estimate::of(&[1.0, 2.0, 3.0]));
        let none = Estimate::of(&[f64::NAN]);
        assert!(none.mean.is_nan() && none.folds == 0);
        assert_eq!(Estimate::of(&[1.0, f64::INFINITY]).mean, f64::INFINITY);
    }
}

//! The certificate of a linear system C alpha = y that was solved and refined: its relative residual.
//!
//! With alpha in f64 no residual is below what rounding leaves of C alpha, some eps sqrt(N) times the mean of the diagonal times |alpha|
//! (a backward error of some eps: Higham 2002, Accuracy and stability of numerical algorithms, 7.1 and 12.1). Where C is nearly singular
//! that is above any fixed tolerance, although predictions at the training rows are accurate to the residual.

use crate::estimators::Certificate;

/// The relative residual that a fit is asked to reach, where rounding allows it.
pub(crate) const TOLERANCE: f64 = 1e-8;
/// A residual above this share of the target is an error that predictions show, whatever it came from.
const VISIBLE: f64 = 1e-4;
/// How many times eps sqrt(N) |alpha| times the mean of the diagonal are left.
const SOME: f64 = 4.0;

/// What rounding leaves of C alpha, as a share of the target, for alpha and a target of these norms.
pub(crate) fn rounding(diagonal: &[f64], alpha: f64, target: f64) -> f64 {
    let n = diagonal.len().max(1) as f64;
    let mean = diagonal.iter().sum::<f64>() / n;
    SOME * f64::EPSILON * n.sqrt() * mean * alpha / target.max(f64::MIN_POSITIVE)
}

/// The certificate from a relative residual and what rounding leaves of it.
pub(crate) fn certificate(residual: f64, rounding: f64) -> Certificate {
    let tolerance = TOLERANCE.max(rounding.min(VISIBLE));
    Certificate { name: "relative residual".into(), value: residual, tolerance }
}

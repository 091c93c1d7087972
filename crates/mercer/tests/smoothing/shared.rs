//! What tests of smoothing share.

/// Whether two numbers agree relative to their size.
pub(crate) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// Simpson's rule over `pieces` pairs of steps.
pub(crate) fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64, pieces: usize) -> f64 {
    let step = (to - from) / (2 * pieces) as f64;
    let at = |k: usize| f(from + step * k as f64);
    let inner: f64 = (1..2 * pieces).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum();
    (at(0) + inner + at(2 * pieces)) * step / 3.0
}

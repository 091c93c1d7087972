//! Distances in feature space, from kernel values alone:
//!
//! ```text
//! |phi(x) - phi(z)|^2 = k(x, x) + k(z, z) - 2 k(x, z)
//! ```
//!
//! Murphy (2012) (14.30). The terms cancel where inputs are close or norms are large, and k(x, z) is lost beside k(x, x) where inputs are
//! far: kernels whose features or logarithms are known do without it, by [`Gram::fill_distances`].

use super::{Block, Gram, LogGram, Side};
use std::ops::Range;

/// Where kernel values are known by their logarithms and k(x, x) is one number, d = -ln(k(x, z) / k(x, x)); else squared distances.
pub(super) fn fill<G: Gram + ?Sized>(gram: &G, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
    match gram.logarithm() {
        Some(log) => from_logarithm(log, rows, cols, out),
        None => from_values(gram, rows, cols, out),
    }
}

/// Squared distances instead of the numbers that [`fill`] writes: 2 k(x, x) (1 - exp(-d)).
pub(super) fn square<G: Gram + ?Sized>(gram: &G, apart: &mut [f64]) {
    if let Some(log) = gram.logarithm().and_then(LogGram::common_log_diagonal) {
        square_log_decay(log, apart);
    }
}

/// 2 exp(l) (1 - exp(-d)) of numbers d.
pub(super) fn square_log_decay(log_diagonal: f64, apart: &mut [f64]) {
    let scale = -2.0 * libm::exp(log_diagonal);
    apart.iter_mut().for_each(|d| *d = scale * libm::expm1(-*d));
}

/// With a = k(x, x)^(1/2) and b = k(z, z)^(1/2): (a - b)^2 + 2 a b (1 - exp(-d)), in which nothing cancels; not a number where it
/// exceeds the range of numbers.
fn from_logarithm(log: &dyn LogGram, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
    log.fill_log_decay(rows, cols.clone(), out.reborrow());
    if log.common_log_diagonal().is_some() {
        return;
    }
    let roots = |side| -> Vec<f64> { log.log_diagonal(side).iter().map(|l| libm::exp(0.5 * l)).collect() };
    let (own, others) = (roots(Side::Rows), roots(Side::Cols));
    for (k, &i) in rows.iter().enumerate() {
        for (d, b) in out.row_mut(k).iter_mut().zip(&others[cols.clone()]) {
            let a = own[i];
            let apart = (a - b) * (a - b) - 2.0 * a * b * libm::expm1(-*d);
            *d = if apart.is_finite() { apart } else { f64::NAN };
        }
    }
}

/// Writes k(x, x) + k(z, z) - 2 k(x, z) for every pair; 0 where that may be rounding. A similarity that is not positive
/// semi-definite may have values below 0.
pub(super) fn from_values<G: Gram + ?Sized>(gram: &G, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
    // What is left of the terms by no more than this share of them is rounding, and counts as 0.
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    gram.fill_rows(rows, cols.clone(), out.reborrow());
    let (own, others) = (gram.diagonal(Side::Rows), gram.diagonal(Side::Cols));
    for (k, &i) in rows.iter().enumerate() {
        for (v, other) in out.row_mut(k).iter_mut().zip(&others[cols.clone()]) {
            let apart = own[i] + other - 2.0 * *v;
            *v = if apart.abs() <= ROUNDING * (own[i].abs() + other.abs()) { 0.0 } else { apart };
        }
    }
}

/// Squared distances of a sum of kernels, which add up; cancelled values are recomputed from the parts.
pub(super) fn from_parts<'a, G: Gram>(
    gram: &G,
    parts: impl Iterator<Item = &'a dyn Gram> + Clone,
    rows: &[usize],
    cols: Range<usize>,
    mut out: Block<'_, f64>,
) {
    // Where at least this share of the terms is left, cancellation has cost no more than 5 of the 16 digits.
    const CANCELLED: f64 = 1e-5;
    from_values(gram, rows, cols.clone(), out.reborrow());
    let (own, others) = (gram.diagonal(Side::Rows), gram.diagonal(Side::Cols));
    for (k, &i) in rows.iter().enumerate() {
        for (v, j) in out.row_mut(k).iter_mut().zip(cols.clone()) {
            if v.abs() <= CANCELLED * (own[i].abs() + others[j].abs()) {
                let part = |part: &dyn Gram| {
                    let mut one = [0.0];
                    part.fill_distances(&[i], j..j + 1, Block::new(&mut one, 1, 1));
                    part.squared_distances(&mut one);
                    one[0]
                };
                *v = parts.clone().map(part).sum();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::Dataset;
    use crate::data::Points;
    use crate::gram::Block;
    use crate::kernels::KernelExpr;

    fn apart(kernel: &str, rows: &[f64], dim: usize) -> Vec<f64> {
        let n = rows.len() / dim;
        let data = Dataset::from_points(Points::dense(n, dim, rows.to_vec()).unwrap());
        let bound = KernelExpr::parse(kernel).unwrap().settle(&data).unwrap().bind(None, &data).unwrap();
        let mut out = vec![0.0; n * n];
        bound.fill_distances(&(0..n).collect::<Vec<_>>(), 0..n, Block::new(&mut out, n, n));
        bound.squared_distances(&mut out);
        out
    }

    // d^2 = 2 (1 - g): of rbf 2 (1 - e^(-r^2 / 2)), which is r^2 to first order; of the sum of two, the sum.
    // spec: F35
    #[test]
    fn distances_in_feature_space_are_never_negative_and_keep_their_digits_for_close_inputs() {
        let r = 1e-8;
        for (kernel, expected) in [
            ("linear", r * r),
            ("rbf(length_scale=1)", r * r),
            ("0.5*rbf(length_scale=0.1)", 50.0 * r * r),
            ("centre(rbf(length_scale=2))", r * r / 4.0),
            ("linear + rbf(length_scale=1)", 2.0 * r * r),
            ("rational_quadratic(alpha=0.7, length_scale=1)", r * r),
            ("periodic(period=1, length_scale=1)", (2.0 * std::f64::consts::PI * r).powi(2)),
            ("mahalanobis(covariance=[0.25])", 4.0 * r * r),
            ("negative_distance(power=1)", 2.0 * r),
        ] {
            let found = apart(kernel, &[0.0, r, 1.5], 1);
            assert!((found[1] - expected).abs() <= 1e-7 * expected, "{kernel}: {} and {expected}", found[1]);
        }
        let far: Vec<f64> = (0..90).map(|i| 1e6 + ((i * 37) % 101) as f64 / 7.0 + (i % 9) as f64 * 1e-7).collect();
        for kernel in ["linear", "rbf", "matern(nu=1.5)", "cosine", "laplacian", "rational_quadratic", "linear + 3", "2*rbf + linear"] {
            let found = apart(kernel, &far, 3);
            assert!(found.iter().all(|d| *d >= 0.0), "{kernel}");
            assert!((0..30).all(|i| found[i * 31] == 0.0), "{kernel}: an input is not at 0 from itself");
        }
    }

    #[test]
    fn distances_of_the_linear_kernel_are_euclidean_far_from_the_origin() {
        let found = apart("linear", &[1e8 + 1.0, 1e8 + 2.0, 1e8 + 1.9], 1);
        let exact = |a: f64, b: f64| (a - b) * (a - b);
        assert_eq!((found[6], found[7]), (exact(1e8 + 1.9, 1e8 + 1.0), exact(1e8 + 1.9, 1e8 + 2.0)));
    }
}

//! Dependence of two Gram matrices K and L of the same n rows, and what permuted rows make of it:
//!
//! ```text
//! HSIC = tr(K H L H) / n^2,  H = I - 11'/n        (Gretton, Bousquet, Smola & Schoelkopf 2005)
//! ```
//!
//! Its mean and variance over all n! permutations are those of Kazi-Aoual, Hitier, Sabatier & Lebreton (1995).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{self, Gram, dot};
use crate::linalg::Matrix;
use rayon::prelude::*;

/// Rows below which neither an unbiased statistic nor a variance over permutations is defined.
pub(super) const LEAST_ROWS: usize = 4;

/// A Gram matrix and its centred form H K H.
pub(super) struct Similar {
    pub(super) values: Matrix,
    pub(super) centred: Matrix,
}

impl Similar {
    pub(super) fn of(gram: &dyn Gram, control: &Control) -> Result<Similar> {
        let (n, columns) = gram.shape();
        Error::unless_equal("columns of the Gram matrix", n, columns)?;
        if n < LEAST_ROWS {
            return Err(Error::Data(format!("a test needs {LEAST_ROWS} rows or more, and there are {n}; add rows")));
        }
        control.plan("a Gram matrix and its centred form", 16 * (n as u64).pow(2))?;
        let values = gram::dense(gram, control)?;
        let means: Vec<f64> = (0..n).map(|i| values.row(i).iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        let mut centred = values.clone();
        centred.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut().zip(&means).for_each(|(v, m)| *v -= m + means[i] - mean);
        });
        let largest = values.diagonal().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if centred.diagonal().iter().all(|v| v.abs() <= 1e-12 * largest) {
            return Err(Error::Data(
                "all rows are alike to one of the kernels: nothing can depend on what does not vary; check the columns and the kernel"
                    .into(),
            ));
        }
        Ok(Similar { values, centred })
    }

    pub(super) fn rows(&self) -> usize {
        self.values.rows()
    }

    /// |W| of the centred matrix W, by the sum of its squares.
    pub(super) fn norm(&self) -> f64 {
        dot(self.centred.data(), self.centred.data()).sqrt()
    }

    /// T = tr W, tr W^2 and sum_i w_ii^2 of the centred matrix W.
    fn moments(&self) -> [f64; 3] {
        let diagonal = self.centred.diagonal();
        [diagonal.iter().sum(), dot(self.centred.data(), self.centred.data()), dot(&diagonal, &diagonal)]
    }
}

/// tr(K H L H) / n^2.
pub(super) fn biased(k: &Similar, l: &Similar) -> f64 {
    dot(k.centred.data(), l.centred.data()) / (k.rows() as f64).powi(2)
}

/// The estimate without bias (Song, Smola, Gretton, Bedo & Borgwardt 2012, 4): with K0 and L0 without their diagonals,
/// [tr K0 L0 + 1'K0 1 1'L0 1 / ((n-1)(n-2)) - 2 1'K0 L0 1 / (n-2)] / (n (n-3)).
pub(super) fn unbiased(k: &Similar, l: &Similar) -> f64 {
    let n = k.rows();
    let size = n as f64;
    let (mut trace, mut across, mut sums) = (0.0, 0.0, [0.0; 2]);
    for i in 0..n {
        let (a, b) = (k.values.row(i), l.values.row(i));
        let (own_a, own_b) = (a[i], b[i]);
        let (sum_a, sum_b) = (a.iter().sum::<f64>() - own_a, b.iter().sum::<f64>() - own_b);
        trace += dot(a, b) - own_a * own_b;
        across += sum_a * sum_b;
        sums = [sums[0] + sum_a, sums[1] + sum_b];
    }
    (trace + sums[0] * sums[1] / ((size - 1.0) * (size - 2.0)) - 2.0 * across / (size - 2.0)) / (size * (size - 3.0))
}

/// Mean and variance of tr(K H L H) / n^2 over all permutations of the rows of L.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OverPermutations {
    pub(super) mean: f64,
    /// 0 where it may be rounding.
    pub(super) variance: f64,
    /// What the variance may be wrong by.
    pub(super) rounding: f64,
}

impl OverPermutations {
    /// Those of a statistic `by` times as large.
    pub(super) fn times(self, by: f64) -> Self {
        let square = by * by;
        OverPermutations { mean: by * self.mean, variance: square * self.variance, rounding: square * self.rounding }
    }
}

pub(super) fn over_permutations(k: &Similar, l: &Similar) -> OverPermutations {
    // Units in the last place of the sums that a variance over permutations is what is left of.
    const ROUNDING: f64 = 64.0 * f64::EPSILON;
    let n = k.rows() as f64;
    let ([t, t2, s2], [u, u2, r2]) = (k.moments(), l.moments());
    let mean = t * u / (n - 1.0);
    // Each as a difference of two terms.
    let spread = |trace: f64, square: f64| [(n - 1.0) * square, trace * trace];
    let own = |trace: f64, square: f64, diagonal: f64| [n * (n + 1.0) * diagonal, (n - 1.0) * (trace * trace + 2.0 * square)];
    let left = |[a, b]: [f64; 2]| a - b;
    let size = |[a, b]: [f64; 2]| a + b;
    let product = |part: &dyn Fn([f64; 2]) -> f64| {
        let first = 2.0 * part(spread(t, t2)) * part(spread(u, u2)) / ((n - 1.0).powi(2) * (n + 1.0) * (n - 2.0));
        let second = part(own(t, t2, s2)) * part(own(u, u2, r2)) / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0));
        (first + second) / n.powi(4)
    };
    let (variance, rounding) = (product(&left), ROUNDING * product(&size));
    OverPermutations { mean: mean / n.powi(2), variance: if variance > rounding { variance } else { 0.0 }, rounding }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Dense;

    fn similar(n: usize, wave: f64) -> Similar {
        let x: Vec<f64> = (0..n).map(|i| (wave * (i * i) as f64).sin() + 0.3 * i as f64).collect();
        let gram = Dense::square(Matrix::from_fn(n, n, |i, j| (-(x[i] - x[j]).powi(2)).exp() * (1.0 + 0.1 * (x[i] * x[j])))).unwrap();
        Similar::of(&gram, &Control::default()).unwrap()
    }

    /// Calls `each` with every permutation of 0..n (Heap's method).
    fn every(order: &mut Vec<usize>, left: usize, each: &mut dyn FnMut(&[usize])) {
        if left <= 1 {
            return each(order);
        }
        for k in 0..left {
            every(order, left - 1, each);
            order.swap(if left.is_multiple_of(2) { k } else { 0 }, left - 1);
        }
    }

    // The definition tr(K H L H) / n^2 by sums, and every one of the 720 permutations of 6 rows.
    #[test]
    fn mean_and_variance_over_permutations_are_those_of_all_permutations() {
        let n = 6;
        let (k, l) = (similar(n, 0.7), similar(n, 1.9));
        let direct = |order: &[usize]| {
            let h = |i: usize, j: usize| f64::from(u8::from(i == j)) - 1.0 / n as f64;
            let mut sum = 0.0;
            for a in 0..n {
                for b in 0..n {
                    for c in 0..n {
                        for d in 0..n {
                            sum += k.values[(a, b)] * h(b, c) * l.values[(order[c], order[d])] * h(d, a);
                        }
                    }
                }
            }
            sum / (n * n) as f64
        };
        let mut all = Vec::new();
        every(&mut (0..n).collect(), n, &mut |order| all.push(direct(order)));
        assert_eq!(all.len(), 720);
        let identity: Vec<usize> = (0..n).collect();
        assert!((biased(&k, &l) - direct(&identity)).abs() <= 1e-14);
        let mean = all.iter().sum::<f64>() / 720.0;
        let variance = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 720.0;
        let found = over_permutations(&k, &l);
        assert!((found.mean - mean).abs() <= 1e-12 * mean, "{found:?}: {mean}");
        assert!((found.variance - variance).abs() <= 1e-9 * variance, "{found:?}: {variance}");
    }

    // The U-statistic of four different rows (Song et al. 2012, 3), summed over all of them.
    #[test]
    fn the_unbiased_estimate_is_the_mean_over_four_different_rows() {
        let n = 7;
        let (k, l) = (similar(n, 0.7), similar(n, 1.9));
        let (mut sum, mut count) = (0.0, 0.0);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                for q in (0..n).filter(|q| ![i, j].contains(q)) {
                    for r in (0..n).filter(|r| ![i, j, q].contains(r)) {
                        sum += k.values[(i, j)] * (l.values[(i, j)] + l.values[(q, r)] - 2.0 * l.values[(i, q)]);
                        count += 1.0;
                    }
                }
            }
        }
        assert!((unbiased(&k, &l) - sum / count).abs() <= 1e-13);
    }
}

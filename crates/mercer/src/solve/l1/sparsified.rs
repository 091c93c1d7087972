//! Few rows in the place of all: for directions v_c = sum_i a_ic phi_i of a feature space,
//!
//! ```text
//! minimise  1/2 sum_c |v_c - sum_i b_ic phi_i|^2 + lambda sum_i |b_i|
//! ```
//!
//! by K = Phi'Phi and G = K A alone: a group lasso over rows (Schölkopf et al. 1999, Input space versus feature space in kernel-based
//! methods, 5, with the penalty of Yuan & Lin 2006). Sweeps over the rows, each at its minimum given the others, with R = G - K B:
//! b_i = max(0, 1 - lambda / |t|) t / K_ii, t = R_i + K_ii b_i. The dual point s (v - Phi b), with the s that is best among those for which
//! no |s R_i| is above lambda, bounds what is left to gain.

use super::quadratic::norm;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;

/// Sweeps at most.
const SWEEPS: usize = 5000;

/// Coefficients and how good they are.
#[derive(Clone, Debug)]
pub struct Sparsified {
    /// B, N x C.
    pub coef: Matrix,
    /// The objective.
    pub objective: f64,
    /// The objective less what the dual point says it cannot go below, as a share of the objective at B = 0.
    pub gap: f64,
    /// |v_c - sum_i b_ic phi_i|^2 for each direction.
    pub left: Vec<f64>,
    /// Sweeps that were made.
    pub sweeps: usize,
}

/// The least penalty under which no row is kept.
pub fn most_penalty(products: &Matrix) -> f64 {
    (0..products.rows()).map(|i| norm(products.row(i))).fold(0.0, f64::max)
}

/// B for kernel values K (N x N, positive semi-definite), G = K A (N x C), the squared lengths of the C directions and lambda above 0.
pub fn sparsified(gram: &Matrix, products: &Matrix, lengths: &[f64], lambda: f64, tolerance: f64, control: &Control) -> Result<Sparsified> {
    let (n, size) = (products.rows(), products.cols());
    let mut coef = Matrix::zeros(n, size);
    let mut rest = products.clone();
    let mut sweeps = 0;
    loop {
        // Between looks at the gap, which take a pass over the numbers, sweeps are many.
        for _ in 0..10 {
            control.check()?;
            sweeps += 1;
            for i in 0..n {
                step(gram, i, lambda, &mut coef, &mut rest);
            }
        }
        let found = judged(products, lengths, lambda, (&coef, &rest), sweeps);
        if found.gap <= tolerance || sweeps >= SWEEPS || control.out_of_time() {
            return Ok(found);
        }
    }
}

/// Brings one row to its minimum.
fn step(gram: &Matrix, i: usize, lambda: f64, coef: &mut Matrix, rest: &mut Matrix) {
    let own = gram[(i, i)];
    if own <= 0.0 {
        return;
    }
    let target: Vec<f64> = rest.row(i).iter().zip(coef.row(i)).map(|(r, b)| r + own * b).collect();
    let length = norm(&target);
    let share = if length > lambda { (1.0 - lambda / length) / own } else { 0.0 };
    let moved: Vec<f64> = target.iter().zip(coef.row(i)).map(|(t, b)| share * t - b).collect();
    if moved.iter().all(|m| *m == 0.0) {
        return;
    }
    coef.row_mut(i).iter_mut().zip(&target).for_each(|(b, t)| *b = share * t);
    for (j, k) in gram.row(i).iter().enumerate() {
        rest.row_mut(j).iter_mut().zip(&moved).for_each(|(r, m)| *r -= k * m);
    }
}

fn judged(products: &Matrix, lengths: &[f64], lambda: f64, (coef, rest): (&Matrix, &Matrix), sweeps: usize) -> Sparsified {
    let (n, size) = (coef.rows(), coef.cols());
    let mut with = vec![[0.0; 2]; size];
    for i in 0..n {
        for (c, b) in coef.row(i).iter().enumerate().filter(|(_, b)| **b != 0.0) {
            with[c][0] += b * products[(i, c)];
            with[c][1] += b * rest[(i, c)];
        }
    }
    let left: Vec<f64> = lengths.iter().zip(&with).map(|(l, [g, r])| (l - g - r).max(0.0)).collect();
    let penalty = lambda * (0..n).map(|i| norm(coef.row(i))).sum::<f64>();
    let square: f64 = left.iter().sum();
    let objective = 0.5 * square + penalty;
    let along: f64 = lengths.iter().zip(&with).map(|(l, [g, _])| l - g).sum();
    let steepest = (0..n).map(|i| norm(rest.row(i))).fold(0.0, f64::max);
    let bound = if steepest > lambda { lambda / steepest } else { 1.0 };
    let best = if square > 0.0 { (along / square).clamp(-bound, bound) } else { bound };
    let dual = best * along - 0.5 * best * best * square;
    let whole = 0.5 * lengths.iter().sum::<f64>();
    Sparsified { coef: coef.clone(), objective, gap: (objective - dual).max(0.0) / whole, left, sweeps }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rows at right angles: each is alone, and the minimum is the soft threshold of G by hand.
    #[test]
    fn rows_at_right_angles_have_soft_thresholds() {
        let gram = Matrix::from_fn(3, 3, |i, j| if i == j { [1.0, 4.0, 0.25][i] } else { 0.0 });
        let a = Matrix::new(3, 2, vec![0.6, 0.8, 0.15, 0.2, 0.2, 0.0]).unwrap();
        let products = Matrix::from_fn(3, 2, |i, c| gram[(i, i)] * a[(i, c)]);
        let lengths: Vec<f64> = (0..2).map(|c| (0..3).map(|i| a[(i, c)] * products[(i, c)]).sum()).collect();
        assert!((most_penalty(&products) - 1.0).abs() <= 1e-15);
        let found = sparsified(&gram, &products, &lengths, 0.5, 1e-12, &Control::default()).unwrap();
        // |g| = 1, 1, 0.05: halves of the first two are left, nothing of the third.
        let expected = [0.3, 0.4, 0.075, 0.1, 0.0, 0.0];
        found.coef.data().iter().zip(expected).for_each(|(b, e)| assert!((b - e).abs() <= 1e-14));
        assert!(found.gap <= 1e-12);
    }
}

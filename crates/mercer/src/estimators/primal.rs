//! Ridge regression on few features, K = Z Z': the weights of the features are found, and no kernel value is computed.
//!
//! With m the weighted mean of the rows of Z and of y, where there is a constant, the weights solve
//! ```text
//! (Z_m' W Z_m + lambda I) beta = Z_m' W y_m,      Z_m = Z - 1 m',      b = m_y - m'beta:
//! ```
//! N rank^2 operations and the memory of Z. With g = Z'W (y - f) - lambda beta, alpha = W (y - f) / lambda is a point of the dual
//! problem whose value is |g|^2 / (2 lambda) below that of the primal one: the duality gap (F29, F37).

use super::Task;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within, product_within, transposed_product_within};
use std::borrow::Cow;

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;

/// The factorised system over some features.
pub(super) struct Primal<'a> {
    pub(super) z: Cow<'a, Matrix>,
    lambda: f64,
    weights: Option<&'a [f64]>,
    /// The weighted mean of the features, where there is a constant.
    mean: Option<Vec<f64>>,
    pub(super) factor: Cholesky,
}

/// What it gives for targets y (N x outputs).
pub(super) struct Found {
    /// beta, rank x outputs.
    pub(super) beta: Matrix,
    /// One number per output.
    pub(super) bias: Vec<f64>,
    /// f without the constant, N x outputs.
    pub(super) f: Matrix,
    /// sum_i w_i (y_i - f_i - b)^2 / 2 + (lambda/2) |beta|^2, over all outputs.
    pub(super) objective: f64,
    /// The duality gap as a share of it.
    pub(super) gap: f64,
}

impl<'a> Primal<'a> {
    pub(super) fn new(z: Cow<'a, Matrix>, task: &Task<'a>, lambda: f64, intercept: bool) -> Result<Self> {
        let (n, weights) = (z.rows(), task.weights);
        let total: f64 = (0..n).map(|i| task.weight(i)).sum();
        let mut system = gramian_of_columns_within(&z, weights, task.control)?;
        let mean = if intercept {
            let share = Matrix::column((0..n).map(|i| task.weight(i) / total).collect());
            let mean = transposed_product_within(&z, &share, task.control)?.into_data();
            for (j, row) in system.data_mut().chunks_exact_mut(mean.len().max(1)).enumerate() {
                row.iter_mut().zip(&mean).for_each(|(v, m)| *v -= total * mean[j] * m);
            }
            Some(mean)
        } else {
            None
        };
        system.add_to_diagonal(&[lambda]);
        Ok(Primal { lambda, weights, mean, factor: Cholesky::new(system, task.control)?, z })
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i])
    }

    /// Weighted means of columns, where there is a constant.
    fn means(&self, y: &Matrix) -> Vec<f64> {
        let total: f64 = (0..y.rows()).map(|i| self.weight(i)).sum();
        let mean = |o: usize| (0..y.rows()).map(|i| self.weight(i) * y[(i, o)]).sum::<f64>() / total;
        (0..y.cols()).map(|o| if self.mean.is_some() { mean(o) } else { 0.0 }).collect()
    }

    /// Z_m' W r for r (N x outputs) less its weighted means.
    fn gathered(&self, r: &Matrix, control: &Control) -> Result<Matrix> {
        let means = self.means(r);
        let weighed = Matrix::from_fn(r.rows(), r.cols(), |i, o| self.weight(i) * (r[(i, o)] - means[o]));
        transposed_product_within(&self.z, &weighed, control)
    }

    /// Solves for targets, refined until g is at rounding or stops shrinking.
    pub(super) fn solve(&self, y: &Matrix, control: &Control) -> Result<Found> {
        let (n, outputs) = (y.rows(), y.cols());
        let centre = self.means(y);
        let centred = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - centre[o]);
        let size = centred.norm();
        let mut beta = Matrix::zeros(self.z.cols(), outputs);
        let mut f = Matrix::zeros(n, outputs);
        // A target that is constant up to rounding is the constant.
        if size <= 4.0 * f64::EPSILON * y.norm() {
            return Ok(Found { beta, bias: centre, f, objective: 0.0, gap: 0.0 });
        }
        // g = Z_m' W (y - f) - lambda beta.
        let mut open = self.gathered(&centred, control)?;
        let mut last = open.norm();
        let least = f64::EPSILON * last;
        for _ in 0..=REFINEMENTS {
            let mut next = self.factor.solve(&open, control)?;
            next.data_mut().iter_mut().zip(beta.data()).for_each(|(b, earlier)| *b += earlier);
            let values = product_within(&self.z, &next, control)?;
            let rest = Matrix::from_fn(n, outputs, |i, o| centred[(i, o)] - values[(i, o)]);
            let mut left = self.gathered(&rest, control)?;
            left.data_mut().iter_mut().zip(next.data()).for_each(|(g, b)| *g -= self.lambda * b);
            let length = left.norm();
            if length.is_nan() || length >= last {
                break;
            }
            let done = length > 0.5 * last || length <= least;
            (beta, f, open, last) = (next, values, left, length);
            if done {
                break;
            }
        }
        let shift = self.mean.as_ref().map_or_else(|| vec![0.0; outputs], |m| mean_of(m, &beta));
        let bias: Vec<f64> = centre.iter().zip(shift).map(|(c, s)| c - s).collect();
        let square = |i: usize| (0..outputs).map(|o| (y[(i, o)] - f[(i, o)] - bias[o]).powi(2)).sum::<f64>();
        let losses: f64 = (0..n).map(|i| 0.5 * self.weight(i) * square(i)).sum();
        let objective = losses + 0.5 * self.lambda * beta.norm().powi(2);
        let gap = last * last / (2.0 * self.lambda);
        Ok(Found { beta, bias, f, objective, gap: if gap > 0.0 { gap / objective } else { 0.0 } })
    }

    /// h_i = w_i (1 / sum w + z_m' (Z_m' W Z_m + lambda I)^-1 z_m), the first term where there is a constant: how much row i pulls
    /// its own value.
    pub(super) fn leverages(&self, control: &Control) -> Result<Vec<f64>> {
        let (n, r) = (self.z.rows(), self.z.cols());
        let total: f64 = (0..n).map(|i| self.weight(i)).sum();
        let mut rows = Matrix::from_fn(n, r, |i, j| self.z[(i, j)] - self.mean.as_ref().map_or(0.0, |m| m[j]));
        self.factor.solve_rows(&mut rows, control)?;
        let constant = if self.mean.is_some() { 1.0 / total } else { 0.0 };
        Ok((0..n).map(|i| self.weight(i) * (constant + rows.row(i).iter().map(|v| v * v).sum::<f64>())).collect())
    }

    /// alpha = W (y - f) / lambda, N x outputs.
    pub(super) fn dual(&self, y: &Matrix, found: &Found) -> Matrix {
        Matrix::from_fn(y.rows(), y.cols(), |i, o| self.weight(i) * (y[(i, o)] - found.f[(i, o)] - found.bias[o]) / self.lambda)
    }
}

/// m'beta.
fn mean_of(mean: &[f64], beta: &Matrix) -> Vec<f64> {
    (0..beta.cols()).map(|o| mean.iter().enumerate().map(|(j, m)| m * beta[(j, o)]).sum()).collect()
}

//! The linear system of kernel ridge regression with a constant that is not penalised:
//! `[C 1; 1' 0] [alpha; b] = [y; 0]` with C = K + lambda W^-1; without the constant, C alpha = y.

use super::Task;
use crate::error::Result;
use crate::gram;
use crate::linalg::{Cholesky, Matrix};

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;

/// The system, factorised.
pub(crate) struct Bordered {
    cholesky: Cholesky,
    /// z = C^-1 1 and 1'z, where there is a constant.
    ones: Option<(Vec<f64>, f64)>,
}

/// alpha (N x outputs), b (one number per output), and the relative residual that they leave.
pub(crate) struct Solution {
    pub(crate) alpha: Matrix,
    pub(crate) bias: Vec<f64>,
    /// C alpha.
    pub(crate) product: Matrix,
    /// ||C alpha + b 1 - y|| / ||y - mean||, over all outputs.
    pub(crate) residual: f64,
}

impl Bordered {
    /// Factorises C; the Gram matrix is computed once and its memory holds the factor.
    pub(crate) fn new(task: &Task<'_>, lambda: f64, intercept: bool) -> Result<Self> {
        let mut c = gram::dense(task.gram, task.control)?;
        let n = c.rows();
        c.add_to_diagonal(&(0..n).map(|i| lambda / task.weight(i)).collect::<Vec<_>>());
        let cholesky = Cholesky::new(c, task.control)?;
        let ones = if intercept {
            let z = cholesky.solve(&Matrix::column(vec![1.0; n]))?.into_data();
            let sum = z.iter().sum();
            Some((z, sum))
        } else {
            None
        };
        Ok(Bordered { cholesky, ones })
    }

    /// What was added to the diagonal, if anything.
    pub(crate) fn jitter_used(&self) -> Option<f64> {
        self.cholesky.jitter_used()
    }

    /// Solves for targets y (N x outputs), refined until the residual is at rounding or stops shrinking.
    pub(crate) fn solve(&self, y: &Matrix) -> Result<Solution> {
        let (n, outputs) = (y.rows(), y.cols());
        // The mean is taken out first, so that a large constant in y costs no digits.
        let mean: Vec<f64> = match self.ones {
            Some(_) => (0..outputs).map(|o| y.col(o).iter().sum::<f64>() / n as f64).collect(),
            None => vec![0.0; outputs],
        };
        let centred = Matrix::from_fn(n, outputs, |i, o| y[(i, o)] - mean[o]);
        let size = norm(&centred);
        let mut best =
            Solution { alpha: Matrix::zeros(n, outputs), bias: vec![0.0; outputs], product: Matrix::zeros(n, outputs), residual: 1.0 };
        // A target that is constant up to rounding is the constant.
        if size > 4.0 * f64::EPSILON * norm(y) {
            let mut rest = centred.clone();
            for _ in 0..=REFINEMENTS {
                let (alpha, bias) = self.correct(&best.alpha, &best.bias, &rest)?;
                let product = self.cholesky.multiply(&alpha)?;
                rest = Matrix::from_fn(n, outputs, |i, o| centred[(i, o)] - product[(i, o)] - bias[o]);
                let residual = norm(&rest) / size;
                if residual.is_nan() || residual >= best.residual {
                    break;
                }
                let small = residual > 0.5 * best.residual || residual <= f64::EPSILON;
                best = Solution { alpha, bias, product, residual };
                if small {
                    break;
                }
            }
        } else {
            best.residual = 0.0;
        }
        for (b, m) in best.bias.iter_mut().zip(mean) {
            *b += m;
        }
        Ok(best)
    }

    /// One step: the solution for `rest` added to what is there, keeping sum alpha = 0 where there is a constant.
    fn correct(&self, alpha: &Matrix, bias: &[f64], rest: &Matrix) -> Result<(Matrix, Vec<f64>)> {
        let mut step = self.cholesky.solve(rest)?;
        let mut bias = bias.to_vec();
        for (o, b) in bias.iter_mut().enumerate() {
            let change =
                self.ones.as_ref().map_or(0.0, |(_, sum)| (0..step.rows()).map(|i| step[(i, o)] + alpha[(i, o)]).sum::<f64>() / sum);
            *b += change;
            for i in 0..step.rows() {
                step[(i, o)] += alpha[(i, o)] - self.ones.as_ref().map_or(0.0, |(z, _)| z[i] * change);
            }
        }
        Ok((step, bias))
    }

    /// P = C^-1 - z z' / 1'z, or C^-1 without a constant: alpha = P y. Two N x N matrices at its peak.
    pub(crate) fn into_projection(self) -> Matrix {
        let mut p = self.cholesky.into_inverse();
        if let Some((z, sum)) = self.ones {
            for (i, row) in p.data_mut().chunks_exact_mut(z.len()).enumerate() {
                for (v, w) in row.iter_mut().zip(&z) {
                    *v -= z[i] * w / sum;
                }
            }
        }
        p
    }
}

fn norm(a: &Matrix) -> f64 {
    a.data().iter().map(|v| v * v).sum::<f64>().sqrt()
}

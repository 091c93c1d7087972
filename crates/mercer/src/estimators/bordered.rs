//! The linear system of kernel ridge regression with a constant that is not penalised:
//! `[C 1; 1' 0] [alpha; b] = [y; 0]` with C = K + lambda W^-1; without the constant, C alpha = y.
//!
//! Dual: C is formed and factorised, N^2 D + N^3. Primal, where K = Z Z' with few columns: C^-1 is
//! (W / lambda) (I - Z (Z'W Z + lambda I)^-1 Z'W) by Woodbury's identity, N D^2 + D^3 (F29, F37).

use super::Task;
use crate::error::Result;
use crate::gram;
use crate::linalg::{Cholesky, Matrix, gramian, product};

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;

/// C, ready to be solved with and multiplied by.
enum System {
    /// Its Cholesky factor.
    Dual(Cholesky),
    /// Z, w_i / lambda, and the Cholesky factor of Z'W Z / lambda + I.
    Primal { z: Matrix, scale: Vec<f64>, inner: Cholesky },
}

impl System {
    fn new(task: &Task<'_>, lambda: f64) -> Result<Self> {
        let n = task.rows();
        let few = |z: &Matrix| 2 * z.cols() < n && lambda > 0.0;
        if let Some(z) = task.gram.factor().filter(few) {
            let scale: Vec<f64> = (0..n).map(|i| task.weight(i) / lambda).collect();
            let weighted = Matrix::from_fn(z.cols(), n, |j, i| z[(i, j)] * scale[i].sqrt());
            let mut inner = gramian(&weighted);
            inner.add_to_diagonal(&[1.0]);
            return Ok(System::Primal { inner: Cholesky::new(inner, task.control)?, z, scale });
        }
        let mut c = gram::dense(task.gram, task.control)?;
        c.add_to_diagonal(&(0..n).map(|i| lambda / task.weight(i)).collect::<Vec<_>>());
        Ok(System::Dual(Cholesky::new(c, task.control)?))
    }

    /// C^-1 b for b (N x columns).
    fn solve(&self, b: &Matrix) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => cholesky.solve(b),
            System::Primal { z, scale, inner } => {
                let weighted = Matrix::from_fn(b.rows(), b.cols(), |i, o| scale[i] * b[(i, o)]);
                let fitted = product(z, &inner.solve(&product(&z.transpose(), &weighted)?)?)?;
                Ok(Matrix::from_fn(b.rows(), b.cols(), |i, o| scale[i] * (b[(i, o)] - fitted[(i, o)])))
            }
        }
    }

    /// C a for a (N x columns).
    fn multiply(&self, a: &Matrix) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => cholesky.multiply(a),
            System::Primal { z, scale, .. } => {
                let mut out = product(z, &product(&z.transpose(), a)?)?;
                for i in 0..a.rows() {
                    out.row_mut(i).iter_mut().zip(a.row(i)).for_each(|(o, a)| *o += a / scale[i]);
                }
                Ok(out)
            }
        }
    }

    fn into_inverse(self) -> Result<Matrix> {
        match self {
            System::Dual(cholesky) => Ok(cholesky.into_inverse()),
            System::Primal { z, scale, inner } => {
                let half = inner.solve_lower(&Matrix::from_fn(z.cols(), z.rows(), |j, i| z[(i, j)] * scale[i]))?;
                let mut out = gramian(&half.transpose());
                out.data_mut().iter_mut().for_each(|v| *v = -*v);
                out.add_to_diagonal(&scale);
                Ok(out)
            }
        }
    }

    fn jitter_used(&self) -> Option<f64> {
        match self {
            System::Dual(cholesky) => cholesky.jitter_used(),
            System::Primal { .. } => None,
        }
    }
}

/// The system, factorised.
pub(crate) struct Bordered {
    system: System,
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
    /// Factorises C; in the dual the Gram matrix is computed once and its memory holds the factor.
    pub(crate) fn new(task: &Task<'_>, lambda: f64, intercept: bool) -> Result<Self> {
        let (n, system) = (task.rows(), System::new(task, lambda)?);
        let ones = if intercept {
            let z = system.solve(&Matrix::column(vec![1.0; n]))?.into_data();
            let sum = z.iter().sum();
            Some((z, sum))
        } else {
            None
        };
        Ok(Bordered { system, ones })
    }

    /// What was added to the diagonal, if anything.
    pub(crate) fn jitter_used(&self) -> Option<f64> {
        self.system.jitter_used()
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
                let product = self.system.multiply(&alpha)?;
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
        let mut step = self.system.solve(rest)?;
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
    pub(crate) fn into_projection(self) -> Result<Matrix> {
        let mut p = self.system.into_inverse()?;
        if let Some((z, sum)) = self.ones {
            for (i, row) in p.data_mut().chunks_exact_mut(z.len()).enumerate() {
                for (v, w) in row.iter_mut().zip(&z) {
                    *v -= z[i] * w / sum;
                }
            }
        }
        Ok(p)
    }
}

fn norm(a: &Matrix) -> f64 {
    a.data().iter().map(|v| v * v).sum::<f64>().sqrt()
}

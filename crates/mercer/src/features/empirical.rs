//! The features that a Gram matrix gives its own rows: K = U L U', phi(x_i) = L^(1/2) U_i' (F21, F23; S3 14.10-14.12).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{self, Dense, Gram};
use crate::linalg::{Matrix, eigh, gramian};

/// The empirical feature map of N rows: as many features as the Gram matrix has rank.
#[derive(Clone, Debug)]
pub struct Empirical {
    /// Eigenvectors with an eigenvalue above 0, N x rank, largest first.
    vectors: Matrix,
    /// Their eigenvalues.
    values: Vec<f64>,
}

impl Empirical {
    /// The map of a symmetric positive semi-definite Gram matrix; an error if it has a negative eigenvalue.
    pub fn new(gram: &Dense, control: &Control) -> Result<Self> {
        // Eigenvalues below this share of the largest, times N, are rounding.
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        let n = gram.shape().0;
        let (values, vectors) = eigh(gram.matrix().clone(), control)?;
        let floor = ROUNDING * n as f64 * values.last().copied().unwrap_or(0.0).abs();
        if let Some(negative) = values.first().filter(|v| **v < -floor) {
            return Err(Error::Numerical {
                what: "empirical feature map".into(),
                why: format!("the Gram matrix has the eigenvalue {negative:e}, and features exist only where none is negative"),
            });
        }
        let kept: Vec<usize> = (0..n).rev().filter(|&j| values[j] > floor).collect();
        let vectors = Matrix::from_fn(n, kept.len(), |i, k| vectors[(i, kept[k])]);
        Ok(Empirical { vectors, values: kept.iter().map(|&j| values[j]).collect() })
    }

    /// Features of the rows themselves, N x rank: their inner products are the Gram matrix.
    pub fn features(&self) -> Matrix {
        Matrix::from_fn(self.vectors.rows(), self.values.len(), |i, k| self.vectors[(i, k)] * self.values[k].sqrt())
    }

    /// Features of M new rows from their Gram matrix with the old ones (M x N): L^(-1/2) U' k(x).
    pub fn features_of(&self, cross: &dyn Gram, control: &Control) -> Result<Matrix> {
        let scaled = Matrix::from_fn(self.vectors.rows(), self.values.len(), |i, k| self.vectors[(i, k)] / self.values[k].sqrt());
        gram::apply(cross, &scaled, control)
    }

    /// Eigenvalues, largest first: the lengths squared of the axes.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// U: the rows after turning, before stretching.
    pub fn directions(&self) -> &Matrix {
        &self.vectors
    }

    /// U L U', the Gram matrix again.
    pub fn gram(&self) -> Matrix {
        gramian(&self.features())
    }
}

//! A = L L' for symmetric positive definite A: the factor behind ridge, Gaussian processes and everything that whitens.
//!
//! The strict upper triangle is never written: it keeps A, for a retry and for residuals.

use super::factorise::{Stop, factorise};
use super::inverse::{inverse, inverse_diagonal};
use super::symmetric::{mirror_upper, multiply_upper};
use super::triangle::Triangle;
use super::{Lower, Matrix};
use crate::control::Control;
use crate::error::{Error, Result};

/// The Cholesky factor of a symmetric positive definite matrix A, in the memory of A.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// L in the lower triangle.
    square: Matrix,
    /// The diagonal of A, without jitter.
    diagonal: Vec<f64>,
    jitter: f64,
}

impl Cholesky {
    /// Factorises a symmetric matrix in place.
    ///
    /// If it is not positive definite in working precision, a growing jitter is added to its diagonal (from
    /// 1e-12 to 1e-4 of the mean diagonal, by factors of 10); [`Cholesky::jitter`] says how much it took.
    /// An error if that does not help, or on request of `control`.
    pub fn new(mut matrix: Matrix, control: &Control) -> Result<Self> {
        // The first jitter and the largest, relative to the mean of the diagonal.
        const JITTER: (f64, f64) = (1e-12, 1e-4);
        let n = matrix.rows();
        if matrix.cols() != n {
            return Err(Error::Shape { what: "columns of a symmetric matrix".into(), expected: n, found: matrix.cols() });
        }
        let diagonal = matrix.diagonal();
        let mean = diagonal.iter().sum::<f64>() / n.max(1) as f64;
        let mut jitter = 0.0;
        loop {
            match factorise(matrix.data_mut(), n, n, control) {
                Ok(()) => break,
                Err(Stop::Asked(error)) => return Err(error),
                Err(Stop::Pivot(row)) => {
                    jitter = if jitter == 0.0 { JITTER.0 * mean } else { 10.0 * jitter };
                    if !(mean > 0.0 && mean.is_finite() && jitter <= 1.5 * JITTER.1 * mean) {
                        return Err(Error::Numerical {
                            what: "Cholesky factorisation".into(),
                            why: format!(
                                "the matrix is not positive definite at row {}, even with {:e} of its mean diagonal added to the diagonal; \
                                 use a Mercer kernel, or more noise (lambda)",
                                row + 1,
                                JITTER.1
                            ),
                        });
                    }
                    mirror_upper(&mut matrix);
                    for (i, d) in diagonal.iter().enumerate() {
                        matrix[(i, i)] = d + jitter;
                    }
                }
            }
        }
        Ok(Cholesky { square: matrix, diagonal, jitter })
    }

    /// What was added to the diagonal of the matrix; 0 where nothing was needed.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }
    /// The jitter as a summary reports it.
    pub(crate) fn jitter_used(&self) -> Option<f64> {
        (self.jitter > 0.0).then_some(self.jitter)
    }
    /// The diagonal of L.
    pub fn pivots(&self) -> Vec<f64> {
        self.square.diagonal()
    }
    /// The diagonal of A, without jitter.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }
    /// The factor alone, in half of the memory.
    pub fn into_lower(self) -> Lower {
        Lower::from_square(self.square)
    }
    /// log det(A).
    pub fn log_det(&self) -> f64 {
        2.0 * self.pivots().iter().map(|d| d.ln()).sum::<f64>()
    }
    fn solve_in_place(&self, rows: &mut Matrix, transposed: bool, control: &Control) -> Result<()> {
        let n = self.square.rows();
        Error::unless_equal("length of a right side", n, rows.cols())?;
        Triangle::Square(self.square.data(), n).solve(n, rows.data_mut(), transposed, control)
    }
    /// Every row b of `rows` (M x N) becomes L^-1 b.
    pub fn solve_rows(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        self.solve_in_place(rows, false, control)
    }
    /// Every row b of `rows` (M x N) becomes L'^-1 b.
    pub fn solve_transposed_rows(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        self.solve_in_place(rows, true, control)
    }
    /// A^-1 B for B (N x columns).
    pub fn solve(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        let mut rows = b.transpose();
        self.solve_rows(&mut rows, control)?;
        self.solve_transposed_rows(&mut rows, control)?;
        Ok(rows.transpose())
    }
    /// L^-1 B for B (N x columns).
    pub fn solve_lower(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        let mut rows = b.transpose();
        self.solve_rows(&mut rows, control)?;
        Ok(rows.transpose())
    }
    /// A B for the matrix A as it was given, without jitter, and B (N x columns): what a residual is made of.
    pub fn multiply(&self, b: &Matrix) -> Result<Matrix> {
        Error::unless_equal("length of a right side", self.square.rows(), b.rows())?;
        Ok(multiply_upper(&self.square, &self.diagonal, b))
    }
    /// A^-1, exactly symmetric, in the memory of the factor.
    pub fn into_inverse(self, control: &Control) -> Result<Matrix> {
        inverse(self.square, control)
    }
    /// The diagonal of A^-1.
    pub fn inverse_diagonal(&self, control: &Control) -> Result<Vec<f64>> {
        inverse_diagonal(&self.square, control)
    }
}

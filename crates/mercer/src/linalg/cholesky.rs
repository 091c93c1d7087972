//! A = L L' for symmetric positive definite A: the factor behind ridge, Gaussian processes and everything that whitens.
//!
//! Left-looking by bands of rows (Golub & Van Loan, Matrix Computations, 4.2.9): when the columns before a
//! band are done, every band below takes its next block column from one product and one triangular solve,
//! and the first of them goes on to its own diagonal block, so that no thread waits for it.
//! The strict upper triangle is never written: it keeps A, for a retry and for residuals.

use super::symmetric::{mirror_upper, multiply_upper};
use super::{Lower, Matrix};
use crate::control::Control;
use crate::error::{Error, Result};
use mercer_linalg::{Into, View, ViewMut, product_f64};
use rayon::prelude::*;

/// Rows of a band.
const BAND: usize = 96;
/// The first jitter and the largest, relative to the mean of the diagonal.
const JITTER: (f64, f64) = (1e-12, 1e-4);

/// The Cholesky factor of a symmetric positive definite matrix A, in the memory of A.
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: Lower,
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
        let n = matrix.rows();
        if matrix.cols() != n {
            return Err(Error::Shape { what: "columns of a symmetric matrix".into(), expected: n, found: matrix.cols() });
        }
        let diagonal = matrix.diagonal();
        let mean = diagonal.iter().sum::<f64>() / n.max(1) as f64;
        let mut jitter = 0.0;
        loop {
            match factorise(matrix.data_mut(), n, control) {
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
        Ok(Cholesky { lower: Lower::from_square(matrix), diagonal, jitter })
    }

    /// What was added to the diagonal of the matrix; 0 where nothing was needed.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }
    /// The jitter as a summary reports it.
    pub(crate) fn jitter_used(&self) -> Option<f64> {
        (self.jitter > 0.0).then_some(self.jitter)
    }
    /// The factor.
    pub fn lower(&self) -> &Lower {
        &self.lower
    }
    /// The factor alone.
    pub fn into_lower(self) -> Lower {
        self.lower
    }
    /// log det(A).
    pub fn log_det(&self) -> f64 {
        self.lower.log_det()
    }
    /// A^-1 B for B (N x columns).
    pub fn solve(&self, b: &Matrix) -> Result<Matrix> {
        let mut rows = b.transpose();
        self.lower.solve_rows(&mut rows)?;
        self.lower.solve_transposed_rows(&mut rows)?;
        Ok(rows.transpose())
    }
    /// L^-1 B for B (N x columns).
    pub fn solve_lower(&self, b: &Matrix) -> Result<Matrix> {
        let mut rows = b.transpose();
        self.lower.solve_rows(&mut rows)?;
        Ok(rows.transpose())
    }
    /// A B for the matrix A as it was given, without jitter, and B (N x columns): what a residual is made of.
    pub fn multiply(&self, b: &Matrix) -> Result<Matrix> {
        self.lower.require_rows(b.rows())?;
        Ok(multiply_upper(self.lower.square(), &self.diagonal, b))
    }
    /// A^-1, exactly symmetric, in the memory of the factor and one N x N work space.
    pub fn into_inverse(self) -> Matrix {
        self.lower.into_inverse()
    }
    /// The diagonal of A^-1; one N x N work space.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        self.lower.inverse_diagonal()
    }
}

/// Why a factorisation stopped.
enum Stop {
    /// The pivot of this row is not above 0.
    Pivot(usize),
    /// On request, or out of time.
    Asked(Error),
}

/// Overwrites the lower triangle of a row-major N x N matrix by its Cholesky factor.
fn factorise(data: &mut [f64], n: usize, control: &Control) -> std::result::Result<(), Stop> {
    if n == 0 {
        return Ok(());
    }
    let first = BAND.min(n) * n;
    diagonal_block(&mut data[..first], n, 0)?;
    for start in (0..n).step_by(BAND) {
        control.check_time("Cholesky factorisation").map_err(Stop::Asked)?;
        let end = (start + BAND).min(n);
        let (top, below) = data.split_at_mut(end * n);
        let done = View::rows(&top[start * n..], end - start, n);
        below.par_chunks_mut(BAND * n).enumerate().try_for_each(|(k, band)| {
            let band_rows = band.len() / n;
            let (left, right) = ViewMut::rows(band, band_rows, n).split_at_column(start);
            let mut column = right.part(0, 0, band_rows, end - start);
            product_f64(column.reborrow(), Into::Add, left, done.part(0, 0, end - start, start).transpose(), -1.0);
            mercer_linalg::solve_lower(done.part(0, start, end - start, end - start), column.transpose());
            // Only the band whose columns are all done now has its diagonal block next.
            if k == 0 { diagonal_block(band, n, end) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Factorises the diagonal block of the band of rows that starts at row `start`, whose earlier columns are done.
fn diagonal_block(band: &mut [f64], n: usize, start: usize) -> std::result::Result<(), Stop> {
    let size = band.len() / n;
    let mut block = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..=i {
            block[j * size + i] = band[i * n + start + j];
        }
    }
    let left = View::rows(band, size, n).part(0, 0, size, start);
    let mut view = ViewMut::columns(&mut block, size, size);
    product_f64(view.reborrow(), Into::Add, left, left.transpose(), -1.0);
    mercer_linalg::cholesky(view).map_err(|index| Stop::Pivot(start + index))?;
    for i in 0..size {
        let pivot = block[i * size + i];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(Stop::Pivot(start + i));
        }
        for j in 0..=i {
            band[i * n + start + j] = block[j * size + i];
        }
    }
    Ok(())
}

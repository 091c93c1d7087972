//! A = L L' with L in f32 beside A in f64, in the memory of A: half the work of a factor in f64, for solutions that are
//! refined with residuals of A itself (Higham, Accuracy and Stability of Numerical Algorithms, 12.1).
//!
//! Row i of the N x N matrix begins with the i + 1 numbers of L; they end before the f64 above the diagonal, where A
//! is kept.

use super::Matrix;
use super::factorise::{Stop, factorise};
use super::symmetric::{mirror_upper, multiply_upper};
use super::triangle::Triangle;
use crate::control::Control;
use crate::error::{Error, Result};
use bytemuck::{cast_slice, cast_slice_mut};
use rayon::prelude::*;

/// A symmetric positive definite matrix and its Cholesky factor in f32.
#[derive(Clone, Debug)]
pub(crate) struct SingleCholesky {
    memory: Matrix,
    /// The diagonal of A.
    diagonal: Vec<f64>,
}

impl SingleCholesky {
    /// Factorises a symmetric matrix in place; gives it back where it is not positive definite in f32.
    pub(crate) fn new(matrix: Matrix, control: &Control) -> Result<std::result::Result<Self, Matrix>> {
        Error::unless_equal("columns of a symmetric matrix", matrix.rows(), matrix.cols())?;
        let n = matrix.rows();
        let mut single = SingleCholesky { diagonal: matrix.diagonal(), memory: matrix };
        let data = single.memory.data_mut();
        data.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            let narrow: Vec<f32> = row[..=i].iter().map(|v| *v as f32).collect();
            cast_slice_mut::<f64, f32>(row)[..=i].copy_from_slice(&narrow);
        });
        match factorise(cast_slice_mut::<f64, f32>(data), n, 2 * n, control) {
            Ok(()) => Ok(Ok(single)),
            Err(Stop::Pivot(_)) => Ok(Err(single.into_matrix())),
            Err(Stop::Asked(error)) => Err(error),
        }
    }

    /// A as it was given.
    pub(crate) fn into_matrix(mut self) -> Matrix {
        mirror_upper(&mut self.memory);
        for (i, d) in self.diagonal.iter().enumerate() {
            self.memory[(i, i)] = *d;
        }
        self.memory
    }

    /// The memory, to be used again.
    pub(crate) fn into_memory(self) -> Vec<f64> {
        self.memory.into_data()
    }

    /// A^-1 B to the precision of f32, for B (N x columns).
    pub(crate) fn solve(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        let n = self.diagonal.len();
        Error::unless_equal("length of a right side", n, b.rows())?;
        // Small right sides, such as residuals, keep their digits.
        let size = b.data().iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let mut rows: Vec<f32> = b.transpose().data().iter().map(|v| (v / size) as f32).collect();
        let factor = Triangle::Square(cast_slice(self.memory.data()), 2 * n);
        factor.solve(n, &mut rows, false, control)?;
        factor.solve(n, &mut rows, true, control)?;
        Matrix::new(b.cols(), n, rows.into_iter().map(|v| size * f64::from(v)).collect()).map(|m| m.transpose())
    }

    /// (A^-1)_ii for some rows, to the precision of f32: |L^-1 e_i|^2.
    pub(crate) fn inverse_diagonal(&self, rows: &[usize], control: &Control) -> Result<Vec<f64>> {
        // Unit vectors that are solved for at a time.
        const UNITS: usize = 256;
        let n = self.diagonal.len();
        let factor = Triangle::Square(cast_slice(self.memory.data()), 2 * n);
        let mut out = Vec::with_capacity(rows.len());
        for some in rows.chunks(UNITS) {
            let mut units = vec![0.0f32; some.len() * n];
            some.iter().enumerate().for_each(|(k, &i)| units[k * n + i] = 1.0);
            factor.solve(n, &mut units, false, control)?;
            out.extend(units.chunks_exact(n).map(|u| u.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>()));
        }
        Ok(out)
    }

    /// A B for B (N x columns), in f64.
    pub(crate) fn multiply(&self, b: &Matrix) -> Result<Matrix> {
        Error::unless_equal("length of a right side", self.diagonal.len(), b.rows())?;
        Ok(multiply_upper(&self.memory, &self.diagonal, b))
    }

    /// The diagonal of A.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Makes the factor ten times as large: what a factor that is no good does.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self) {
        let n = self.diagonal.len();
        for (i, row) in self.memory.data_mut().chunks_mut(n).enumerate() {
            cast_slice_mut::<f64, f32>(row)[..=i].iter_mut().for_each(|v| *v *= 10.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Cholesky;

    /// A matrix of the Gaussian kernel on a line, its diagonal raised.
    fn matrix(n: usize, ridge: f64) -> Matrix {
        Matrix::from_fn(n, n, |i, j| (-((i as f64 - j as f64) / 20.0).powi(2)).exp() + if i == j { ridge } else { 0.0 })
    }

    #[test]
    fn solutions_have_the_digits_of_f32_and_products_those_of_f64() {
        let n = 301;
        let (a, control) = (matrix(n, 0.1), Control::default());
        let b = Matrix::from_fn(n, 2, |i, c| ((i * (c + 3)) as f64).sin() * 1e-200);
        let single = SingleCholesky::new(a.clone(), &control).unwrap().ok().unwrap();
        let (found, exact) =
            (single.solve(&b, &control).unwrap(), Cholesky::new(a.clone(), &control).unwrap().solve(&b, &control).unwrap());
        let size = exact.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (x, y) in found.data().iter().zip(exact.data()) {
            assert!((x - y).abs() <= 1e-4 * size, "{x} is not {y}");
        }
        assert!(found != exact);
        let (product, plain) = (single.multiply(&exact).unwrap(), crate::linalg::product(&a, &exact).unwrap());
        for (x, y) in product.data().iter().zip(plain.data()) {
            assert!((x - y).abs() <= 1e-14 * size * n as f64, "{x} is not {y}");
        }
        assert_eq!(single.into_matrix(), a);
    }

    #[test]
    fn the_diagonal_of_the_inverse_has_the_digits_of_f32() {
        let (a, control) = (matrix(600, 0.1), Control::default());
        let exact = Cholesky::new(a.clone(), &control).unwrap().inverse_diagonal(&control).unwrap();
        let rows: Vec<usize> = (0..600).step_by(2).collect();
        let found = SingleCholesky::new(a, &control).unwrap().ok().unwrap().inverse_diagonal(&rows, &control).unwrap();
        for (x, &i) in found.iter().zip(&rows) {
            assert!((x - exact[i]).abs() <= 1e-4 * exact[i], "{x} is not {}", exact[i]);
        }
    }

    #[test]
    fn a_matrix_without_room_for_the_rounding_of_f32_is_given_back() {
        let a = matrix(200, 1e-12);
        let back = SingleCholesky::new(a.clone(), &Control::default()).unwrap().err().unwrap();
        assert_eq!(back, a);
    }
}

//! Eigenvalues and eigenvectors of a symmetric matrix, A = U diag(s) U': A is reduced to a tridiagonal matrix, whose
//! eigenvectors the backend finds by divide and conquer, in one step that is not cut short.

use super::Matrix;
use super::symmetric::transpose_square;
use super::tridiagonal::Tridiagonal;
use crate::control::Control;
use crate::error::{Error, Result};
use mercer_linalg::ViewMut;

/// Eigenvalues, ascending, and orthonormal eigenvectors, one per column, of an N x N symmetric matrix.
///
/// An error if the matrix is not square or has entries that are not finite, or on request of `control`.
pub fn eigh(mut matrix: Matrix, control: &Control) -> Result<(Vec<f64>, Matrix)> {
    let n = matrix.rows();
    if matrix.cols() != n {
        return Err(Error::Shape { what: "columns of a symmetric matrix".into(), expected: n, found: matrix.cols() });
    }
    let fault = |why: &str| Error::Numerical { what: "eigenvalues".into(), why: why.into() };
    if matrix.data().iter().any(|v| !v.is_finite()) {
        return Err(fault("the matrix has entries that are not finite"));
    }
    if n == 0 {
        return Ok((Vec::new(), matrix));
    }
    let scale = scale(matrix.data());
    if scale != 1.0 {
        matrix.data_mut().iter_mut().for_each(|v| *v *= scale);
    }
    let t = Tridiagonal::of(matrix, control)?;
    let mut values = vec![0.0; n];
    let mut vectors = Matrix::zeros(n, n);
    // The backend works by columns: the eigenvectors of T are the rows of this matrix.
    if !mercer_linalg::tridiagonal_eigen(&t.diagonal, &t.beside, &mut values, ViewMut::columns(vectors.data_mut(), n, n)) {
        return Err(fault("the iteration did not converge, or there is no memory for its work space"));
    }
    t.turn(&mut vectors, control)?;
    drop(t);
    transpose_square(&mut vectors);
    values.iter_mut().for_each(|v| *v /= scale);
    if values.iter().any(|v| !v.is_finite()) {
        return Err(fault("the largest is beyond the range of numbers; scale the kernel"));
    }
    Ok((values, vectors))
}

/// A power of two that brings entries of a size whose sums or squares leave the range of numbers to about 1; 1 for others.
fn scale(entries: &[f64]) -> f64 {
    let largest = entries.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || (1e-100..1e100).contains(&largest) { 1.0 } else { 2f64.powi(-largest.log2().floor().max(-1000.0) as i32) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product;

    // spec: F22, E1-04
    #[test]
    fn three_by_three_example_has_the_eigenvalues_of_its_characteristic_polynomial() {
        let k = Matrix::new(3, 3, vec![1.0, 0.8, 0.3, 0.8, 1.0, 0.5, 0.3, 0.5, 1.0]).unwrap();
        let (values, vectors) = eigh(k.clone(), &Control::default()).unwrap();
        // det(K - s I) = 0 with s^3 - 3 s^2 + (3 - 0.98) s - 0.26 = 0.
        for (s, expected) in values.iter().zip([0.168_520_71, 0.736_415_25, 2.095_064_05]) {
            assert!((s - expected).abs() <= 1e-8, "{s}");
            assert!((s * s * s - 3.0 * s * s + 2.02 * s - 0.26).abs() <= 1e-13);
        }
        // U diag(s) U' gives the entries back, k_12 = 0.8 among them.
        let scaled = Matrix::from_fn(3, 3, |i, j| vectors[(i, j)] * values[j]);
        let back = product(&scaled, &vectors.transpose()).unwrap();
        assert!((back[(0, 1)] - 0.8).abs() <= 1e-14);
        let kv = product(&k, &vectors).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                assert!((kv[(i, j)] - vectors[(i, j)] * values[j]).abs() <= 1e-14);
            }
        }
    }

    #[test]
    fn a_matrix_with_a_nan_is_refused() {
        assert!(eigh(Matrix::new(1, 1, vec![f64::NAN]).unwrap(), &Control::default()).is_err());
        assert!(eigh(Matrix::zeros(2, 3), &Control::default()).is_err());
    }
}

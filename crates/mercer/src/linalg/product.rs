//! Matrix products on slices and windows, row-major, in f64 and f32.

use super::Block;
use super::symmetric::mirror_lower;
use super::{Matrix, Real};
use crate::error::{Error, Result};
use mercer_linalg::{Into, View, ViewMut};
use rayon::prelude::*;

/// out = A B' for A (rows x dim) and B (cols x dim), both row after row. One thread: callers run tiles in parallel.
pub(crate) fn product_abt<T: Real>(a: &[T], b: &[T], dim: usize, mut out: Block<'_, T>) {
    let (m, n, stride) = (out.rows(), out.cols(), out.stride());
    assert!(a.len() >= m * dim && b.len() >= n * dim);
    // SAFETY: the block promises that its window is valid and its own.
    let window = unsafe { ViewMut::window(out.as_mut_ptr(), m, n, stride) };
    mercer_linalg::product(window, Into::Replace, View::rows(a, m, dim), View::rows(b, n, dim).transpose(), 1.0);
}

/// out = A B for A (m x k), B (k x n), all row after row. One thread.
pub(crate) fn product_into<T: Real>(a: &[T], b: &[T], out: &mut [T], m: usize, k: usize, n: usize) {
    mercer_linalg::product(ViewMut::rows(out, m, n), Into::Replace, View::rows(a, m, k), View::rows(b, k, n), 1.0);
}

/// out += A B for A (m x k), B (k x n), all row after row. One thread.
pub(crate) fn add_product(a: &[f64], b: &[f64], out: &mut [f64], m: usize, k: usize, n: usize) {
    mercer_linalg::product(ViewMut::rows(out, m, n), Into::Add, View::rows(a, m, k), View::rows(b, k, n), 1.0);
}

/// out += A' B for A (k x m), B (k x n), all row after row. One thread.
pub(crate) fn add_transposed_product(a: &[f64], b: &[f64], out: &mut [f64], k: usize, m: usize, n: usize) {
    mercer_linalg::product(ViewMut::rows(out, m, n), Into::Add, View::rows(a, k, m).transpose(), View::rows(b, k, n), 1.0);
}

/// Rows of a band: each band is computed by one thread, whatever their number.
pub(crate) const BAND: usize = 128;

/// A B for A (m x k) and B (k x n).
pub fn product(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    Error::unless_equal("rows of the right factor", a.cols(), b.rows())?;
    let (k, n) = (a.cols(), b.cols());
    let mut out = Matrix::zeros(a.rows(), n);
    if n > 0 && k > 0 {
        let bands = out.data_mut().par_chunks_mut(BAND * n).zip(a.data().par_chunks(BAND * k));
        bands.for_each(|(out, a)| add_product(a, b.data(), out, out.len() / n, k, n));
    }
    Ok(out)
}

/// A B' for A (m x k) and B (n x k).
pub fn product_transposed(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    Error::unless_equal("columns of the right factor", a.cols(), b.cols())?;
    let (k, n) = (a.cols(), b.rows());
    let mut out = Matrix::zeros(a.rows(), n);
    if n > 0 && k > 0 {
        let bands = out.data_mut().par_chunks_mut(BAND * n).zip(a.data().par_chunks(BAND * k));
        bands.for_each(|(out, a)| {
            let rows = out.len() / n;
            product_abt(a, b.data(), k, Block::new(out, rows, n));
        });
    }
    Ok(out)
}

/// A A' for A (n x k), exactly symmetric: half of it is computed, then mirrored.
pub fn gramian(a: &Matrix) -> Matrix {
    let (n, k) = (a.rows(), a.cols());
    let mut out = Matrix::zeros(n, n);
    if n > 0 && k > 0 {
        out.data_mut().par_chunks_mut(BAND * n).enumerate().for_each(|(band, out)| {
            let (start, rows) = (band * BAND, out.len() / n);
            let end = start + rows;
            let mut lower = Block::new(out, rows, n);
            product_abt(&a.data()[start * k..end * k], &a.data()[..end * k], k, lower.part(0..rows, 0..end));
        });
    }
    mirror_lower(&mut out);
    out
}

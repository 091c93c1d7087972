//! Cholesky's factorisation in place, in either precision.
//!
//! Left-looking by bands of rows (Golub & Van Loan, Matrix Computations, 4.2.9): when the columns before a
//! band are done, every band below takes its next block column from one product and one triangular solve,
//! and the first of them goes on to its own diagonal block, so that no thread waits for it.
//! Nothing above the diagonal is read or written.

use super::Real;
use crate::control::Control;
use crate::error::Error;
use mercer_linalg::{Into, View, ViewMut, cholesky, product, solve_lower};
use rayon::prelude::*;

/// Why a factorisation stopped.
pub(super) enum Stop {
    /// The pivot of this row is not above 0.
    Pivot(usize),
    /// On request, or out of time.
    Asked(Error),
}

/// Overwrites the lower triangle of an N x N matrix by its Cholesky factor; its rows have stride `stride`.
pub(super) fn factorise<T: Real>(data: &mut [T], n: usize, stride: usize, control: &Control) -> std::result::Result<(), Stop> {
    // Rows of a band.
    const BAND: usize = 96;
    if n == 0 {
        return Ok(());
    }
    let first = BAND.min(n) * stride;
    diagonal_block(&mut data[..first], stride, 0)?;
    for start in (0..n).step_by(BAND) {
        control.check_time("Cholesky factorisation").map_err(Stop::Asked)?;
        let end = (start + BAND).min(n);
        let (top, below) = data.split_at_mut(end * stride);
        let done = View::rows(&top[start * stride..], end - start, stride);
        below.par_chunks_mut(BAND * stride).enumerate().try_for_each(|(k, band)| {
            let band_rows = band.len() / stride;
            let (left, right) = ViewMut::rows(band, band_rows, stride).split_at_column(start);
            let mut column = right.part(0, 0, band_rows, end - start);
            product(column.reborrow(), Into::Add, left, done.part(0, 0, end - start, start).transpose(), -1.0);
            solve_lower(done.part(0, start, end - start, end - start), column.transpose());
            // Only the band whose columns are all done now has its diagonal block next.
            if k == 0 { diagonal_block(band, stride, end) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Factorises the diagonal block of the band of rows that starts at row `start`, whose earlier columns are done.
fn diagonal_block<T: Real>(band: &mut [T], stride: usize, start: usize) -> std::result::Result<(), Stop> {
    let size = band.len() / stride;
    let mut block = vec![T::default(); size * size];
    for i in 0..size {
        for j in 0..=i {
            block[j * size + i] = band[i * stride + start + j];
        }
    }
    let left = View::rows(band, size, stride).part(0, 0, size, start);
    let mut view = ViewMut::columns(&mut block, size, size);
    product(view.reborrow(), Into::Add, left, left.transpose(), -1.0);
    cholesky(view).map_err(|index| Stop::Pivot(start + index))?;
    for i in 0..size {
        let pivot = block[i * size + i];
        if !(pivot > T::default() && pivot.to_f64().is_finite()) {
            return Err(Stop::Pivot(start + i));
        }
        for j in 0..=i {
            band[i * stride + start + j] = block[j * size + i];
        }
    }
    Ok(())
}

//! (L L')^-1 = U U' with U = (L^-1)', in the memory of L.
//!
//! A square matrix whose lower triangle holds L has room for U above the diagonal; only the blocks on it, where both overlap,
//! are kept separately. Then the products of rows of U overwrite L (Golub & Van Loan, Matrix Computations, 3.1 and 4.2).

use super::Matrix;
use super::symmetric::mirror_lower;
use super::triangle::{Bands, PANEL, forward};
use crate::control::Control;
use crate::error::Result;
use mercer_linalg::{Into, View, ViewMut, product};
use rayon::prelude::*;
use std::ops::Range;

/// An N x N matrix that several threads read and write in places that do not overlap.
#[derive(Clone, Copy)]
struct Shared {
    start: *mut f64,
    n: usize,
}
// SAFETY: only used through windows, whose places are disjoint by construction.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn of(matrix: &mut Matrix) -> Self {
        Shared { n: matrix.rows(), start: matrix.data_mut().as_mut_ptr() }
    }
    fn at(self, row: usize, col: usize) -> *mut f64 {
        assert!(row <= self.n && col <= self.n);
        // SAFETY: inside of the matrix, or one row past it for an empty window.
        unsafe { self.start.add(row * self.n + col.min(self.n)) }
    }
    /// # Safety
    /// Nothing writes what is read through the window while it lives.
    unsafe fn read<'a>(self, rows: Range<usize>, cols: Range<usize>) -> View<'a, f64> {
        // SAFETY: inside of the matrix; the rest is promised by the caller.
        unsafe { View::window(self.at(rows.start, cols.start), rows.len(), cols.len(), self.n) }
    }
    /// # Safety
    /// Nothing else reads or writes the window while it lives.
    unsafe fn write<'a>(self, rows: Range<usize>, cols: Range<usize>) -> ViewMut<'a, f64> {
        // SAFETY: inside of the matrix; the rest is promised by the caller.
        unsafe { ViewMut::window(self.at(rows.start, cols.start), rows.len(), cols.len(), self.n) }
    }
}

impl Bands<f64> for Shared {
    fn band<'b>(&'b self, rows: Range<usize>, _: &'b mut Vec<f64>) -> View<'b, f64> {
        // SAFETY: only asked for while rows of U are computed; nobody writes the lower triangle or the blocks on the diagonal
        // then.
        unsafe { self.read(rows.clone(), 0..rows.end) }
    }
}

/// The rows of a panel.
fn rows_of(panel: usize, n: usize) -> Range<usize> {
    panel * PANEL..((panel + 1) * PANEL).min(n)
}

/// Rows of U: columns of L^-1, each N long and 0 before its first row.
fn upper_rows(l: Shared, rows: Range<usize>, control: &Control) -> Result<Vec<f64>> {
    let n = l.n;
    let mut out = vec![0.0; rows.len() * n];
    for (row, i) in out.chunks_exact_mut(n).zip(rows.clone()) {
        row[i] = 1.0;
    }
    forward(&l, n, rows.start, &mut out, control)?;
    Ok(out)
}

/// (L L')^-1 from a matrix whose lower triangle holds L, exactly symmetric.
pub(super) fn inverse(mut square: Matrix, control: &Control) -> Result<Matrix> {
    // Columns of a product between two looks at the clock.
    const LOOK: usize = 1024;
    let n = square.rows();
    let all = Shared::of(&mut square);
    let panels = n.div_ceil(PANEL);
    // Panels differ in work: each thread takes the next one.
    let mut corners: Vec<(usize, Vec<f64>)> = (0..panels)
        .par_bridge()
        .map(|k| {
            let rows = rows_of(k, n);
            let upper = upper_rows(all, rows.clone(), control)?;
            let mut corner = Vec::with_capacity(rows.len() * rows.len());
            for (row, i) in upper.chunks_exact(n).zip(rows.clone()) {
                corner.extend_from_slice(&row[rows.clone()]);
                let rest = &row[rows.end..];
                // SAFETY: right of the block on the diagonal nothing is read before all rows of U are there, and row i is
                // written here only.
                unsafe { std::ptr::copy_nonoverlapping(rest.as_ptr(), all.at(i, rows.end), rest.len()) };
            }
            Ok((k, corner))
        })
        .collect::<Result<_>>()?;
    corners.sort_unstable_by_key(|(k, _)| *k);
    let blocks: Vec<(usize, Vec<f64>)> = corners
        .iter()
        .par_bridge()
        .map(|(k, corner)| {
            let rows = rows_of(*k, n);
            let size = rows.len();
            let corner = View::rows(corner, size, size);
            // SAFETY: U stands right of the blocks on the diagonal and is only read; each band left of its block is written
            // here only.
            let beside = unsafe { all.read(rows.clone(), rows.end..n) };
            for from in (0..rows.start).step_by(LOOK) {
                control.check_time("inverse")?;
                let cols = from..(from + LOOK).min(rows.start);
                // SAFETY: as above.
                let (mut out, own, rest) =
                    unsafe { (all.write(rows.clone(), cols.clone()), all.read(cols.clone(), rows.clone()), all.read(cols, rows.end..n)) };
                product(out.reborrow(), Into::Replace, corner, own.transpose(), 1.0);
                product(out, Into::Add, beside, rest.transpose(), 1.0);
            }
            let mut block = vec![0.0; size * size];
            let mut out = ViewMut::rows(&mut block, size, size);
            product(out.reborrow(), Into::Replace, corner, corner.transpose(), 1.0);
            product(out, Into::Add, beside, beside.transpose(), 1.0);
            Ok((*k, block))
        })
        .collect::<Result<_>>()?;
    for (k, block) in blocks {
        let rows = rows_of(k, n);
        for (row, i) in block.chunks_exact(rows.len()).zip(rows.clone()) {
            square.row_mut(i)[rows.clone()].copy_from_slice(row);
        }
    }
    mirror_lower(&mut square);
    Ok(square)
}

/// The diagonal of (L L')^-1 from a matrix whose lower triangle holds L, which is left as it is.
pub(super) fn inverse_diagonal(square: &Matrix, control: &Control) -> Result<Vec<f64>> {
    let n = square.rows();
    // Nothing is written.
    let all = Shared { n, start: square.data().as_ptr().cast_mut() };
    let mut parts: Vec<(usize, Vec<f64>)> = (0..n.div_ceil(PANEL))
        .par_bridge()
        .map(|k| {
            let rows = rows_of(k, n);
            let upper = upper_rows(all, rows.clone(), control)?;
            Ok((k, upper.chunks_exact(n).zip(rows).map(|(row, i)| row[i..].iter().map(|v| v * v).sum()).collect()))
        })
        .collect::<Result<_>>()?;
    parts.sort_unstable_by_key(|(k, _)| *k);
    Ok(parts.into_iter().flat_map(|(_, part)| part).collect())
}

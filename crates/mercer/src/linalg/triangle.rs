//! Solves with a lower triangular factor L, a band of its rows at a time, so that a long solve can be stopped:
//! x_b <- L_bb^-1 (x_b - L_b,before x_before), and from the last band upwards for L' (Golub & Van Loan, Matrix Computations, 3.1).
//!
//! Right sides come as rows, because a cross Gram matrix has them so: one row per new input.

use super::Real;
use crate::control::Control;
use crate::error::Result;
use mercer_linalg::{Into, View, ViewMut, product, solve_lower, solve_upper};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of the factor in a band, and right sides that one thread solves together.
pub(super) const PANEL: usize = 128;

/// Where the rows of L stand; nothing right of the diagonal is read outside of blocks on it.
#[derive(Clone, Copy)]
pub(super) enum Triangle<'a, T> {
    /// In a matrix whose rows begin so many numbers apart.
    Square(&'a [T], usize),
    /// One after the other: row i has i + 1 numbers.
    Packed(&'a [T]),
}

/// Something that gives the rows of L.
pub(super) trait Bands<T> {
    /// The first `rows.end` columns of some rows; those that do not stand apart as they should are copied to `scratch`.
    fn band<'b>(&'b self, rows: Range<usize>, scratch: &'b mut Vec<T>) -> View<'b, T>;
}

impl<T: Real> Bands<T> for Triangle<'_, T> {
    fn band<'b>(&'b self, rows: Range<usize>, scratch: &'b mut Vec<T>) -> View<'b, T> {
        let (height, width) = (rows.len(), rows.end);
        match *self {
            Triangle::Square(data, stride) => View::rows(&data[rows.start * stride..], height, stride).part(0, 0, height, width),
            Triangle::Packed(data) => {
                scratch.resize(height * width, T::default());
                for (row, i) in scratch.chunks_exact_mut(width).zip(rows) {
                    row[..=i].copy_from_slice(&data[i * (i + 1) / 2..][..=i]);
                }
                View::rows(scratch, height, width)
            }
        }
    }
}

impl<T: Real> Triangle<'_, T> {
    /// Every row b of `rows` (M x n) becomes L^-1 b, or L'^-1 b where `transposed`.
    pub(super) fn solve(&self, n: usize, rows: &mut [T], transposed: bool, control: &Control) -> Result<()> {
        rows.par_chunks_mut((PANEL * n).max(1)).try_for_each(|panel| match transposed {
            false => forward(self, n, 0, panel, control),
            true => self.backward(n, panel, control),
        })
    }

    fn backward(&self, n: usize, panel: &mut [T], control: &Control) -> Result<()> {
        let (count, mut scratch) = (panel.len() / n, Vec::new());
        for start in (0..n).step_by(PANEL).rev() {
            control.check_time("triangular solve")?;
            let height = PANEL.min(n - start);
            let band = self.band(start..start + height, &mut scratch);
            let (before, own) = ViewMut::rows(panel, count, n).split_columns(start);
            let mut own = own.part(0, 0, count, height);
            solve_upper(band.part(0, start, height, height).transpose(), own.reborrow().transpose());
            product(before, Into::Add, own.read(), band.part(0, 0, height, start), -1.0);
        }
        Ok(())
    }
}

/// Every row b of a panel becomes L^-1 b, where the first `first` numbers of b are 0 and stay so.
pub(super) fn forward<T: Real>(l: &impl Bands<T>, n: usize, first: usize, panel: &mut [T], control: &Control) -> Result<()> {
    let (count, mut scratch) = (panel.len() / n, Vec::new());
    for start in (first..n).step_by(PANEL) {
        control.check_time("triangular solve")?;
        let height = PANEL.min(n - start);
        let band = l.band(start..start + height, &mut scratch);
        let (before, own) = ViewMut::rows(panel, count, n).split_at_column(start);
        let mut own = own.part(0, 0, count, height);
        let done = start - first;
        product(own.reborrow(), Into::Add, before.part(0, first, count, done), band.part(0, first, height, done).transpose(), -1.0);
        solve_lower(band.part(0, start, height, height), own.transpose());
    }
    Ok(())
}

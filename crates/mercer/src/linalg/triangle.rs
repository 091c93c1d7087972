//! Solves with a lower triangular factor L, a band of its rows at a time, so that a long solve can be stopped:
//! x_b <- L_bb^-1 (x_b - L_b,before x_before), and from the last band upwards for L' (Golub & Van Loan, Matrix Computations, 3.1).
//!
//! Right-hand sides are rows, as in a cross Gram matrix: one row per new input. Few of them are solved by passes over L, whose
//! rows are read eight at a time.

use super::Real;
use super::few::FEW;
use super::simd::{TOGETHER, add_rows, dot, dot_rows};
use crate::control::Control;
use crate::error::Result;
use mercer_linalg::{Into, View, ViewMut, product, solve_lower, solve_upper};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of the factor in a band, and right-hand sides that one thread solves together.
pub(super) const PANEL: usize = 128;

/// Storage of the rows of L; nothing above the diagonal is read outside of blocks on it.
#[derive(Clone, Copy)]
pub(super) enum Triangle<'a, T> {
    /// In a matrix with this row stride.
    Square(&'a [T], usize),
    /// One after the other: row i has i + 1 numbers.
    Packed(&'a [T]),
}

/// Something that gives the rows of L.
pub(super) trait Bands<T> {
    /// The first `rows.end` columns of some rows; rows whose stride does not fit are copied to `scratch`.
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
        if rows.len() <= FEW * n {
            return rows.par_chunks_mut(n.max(1)).try_for_each(|b| match transposed {
                false => self.forward_one(b, control),
                true => self.backward_one(b, control),
            });
        }
        rows.par_chunks_mut((PANEL * n).max(1)).try_for_each(|panel| match transposed {
            false => forward(self, n, 0, panel, control),
            true => self.backward(n, panel, control),
        })
    }

    /// Row i of L, up to the diagonal.
    fn row(&self, i: usize) -> &[T] {
        let start = match self {
            Triangle::Square(_, stride) => i * stride,
            Triangle::Packed(_) => i * (i + 1) / 2,
        };
        let (Triangle::Square(data, _) | Triangle::Packed(data)) = self;
        &data[start..=start + i]
    }

    /// Looks at the clock where a band begins.
    fn check(at: usize, control: &Control) -> Result<()> {
        if at.is_multiple_of(PANEL) { control.check_time("triangular solve") } else { Ok(()) }
    }

    /// b becomes L^-1 b.
    fn forward_one(&self, b: &mut [T], control: &Control) -> Result<()> {
        for start in (0..b.len()).step_by(TOGETHER) {
            Self::check(start, control)?;
            let end = b.len().min(start + TOGETHER);
            let (before, own) = b[..end].split_at_mut(start);
            if own.len() == TOGETHER {
                let sums = dot_rows(std::array::from_fn(|q| &self.row(start + q)[..start]), before);
                own.iter_mut().zip(sums).for_each(|(x, sum)| *x = *x - sum);
            } else {
                own.iter_mut().enumerate().for_each(|(q, x)| *x = *x - dot(&self.row(start + q)[..start], before));
            }
            for i in 0..own.len() {
                let row = &self.row(start + i)[start..];
                let sum = row[..i].iter().zip(&*own).fold(own[i], |sum, (l, x)| sum - *l * *x);
                own[i] = sum / row[i];
            }
        }
        Ok(())
    }

    /// b becomes L'^-1 b, sums kept in f64.
    fn backward_one(&self, b: &mut [T], control: &Control) -> Result<()> {
        let mut wide: Vec<f64> = b.iter().map(|x| x.to_f64()).collect();
        for start in (0..b.len()).step_by(TOGETHER).rev() {
            Self::check(start, control)?;
            let end = b.len().min(start + TOGETHER);
            let (before, own) = wide[..end].split_at_mut(start);
            for i in (0..own.len()).rev() {
                let row = &self.row(start + i)[start..];
                own[i] /= row[i].to_f64();
                let x = own[i];
                own[..i].iter_mut().zip(row).for_each(|(o, l)| *o -= x * l.to_f64());
            }
            if own.len() == TOGETHER {
                let by = std::array::from_fn(|q| T::from_f64(-own[q]));
                add_rows(before, std::array::from_fn(|q| &self.row(start + q)[..start]), by);
            } else {
                for (q, x) in own.iter().enumerate() {
                    before.iter_mut().zip(self.row(start + q)).for_each(|(o, l)| *o -= x * l.to_f64());
                }
            }
        }
        b.iter_mut().zip(wide).for_each(|(b, x)| *b = T::from_f64(x));
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_right_sides_are_solved_as_many_are_wherever_rows_stand() {
        // More than a band, and a rest of rows read together.
        let n = PANEL + 3 * TOGETHER + 5;
        let l = |i: usize, j: usize| if i == j { 2.0 + (i as f64).cos() } else { ((3 * i + 7 * j) as f64).sin() / (1 + i) as f64 };
        // Nothing is read right of the blocks on the diagonal.
        let above = |i: usize, j: usize| if i / PANEL == j / PANEL { 0.0 } else { f64::NAN };
        let value = |(i, j)| if j <= i { l(i, j) } else { above(i, j) };
        let square: Vec<f64> = (0..n * n).map(|k| value((k / n, k % n))).collect();
        let packed: Vec<f64> = (0..n).flat_map(|i| (0..=i).map(move |j| l(i, j))).collect();
        let right: Vec<f64> = (0..n * (FEW + 1)).map(|k| (k as f64 * 0.7).sin()).collect();
        let control = Control::default();
        for triangle in [Triangle::Square(&square, n), Triangle::Packed(&packed)] {
            for transposed in [false, true] {
                let (mut many, mut few) = (right.clone(), right[..n * FEW].to_vec());
                triangle.solve(n, &mut many, transposed, &control).unwrap();
                triangle.solve(n, &mut few, transposed, &control).unwrap();
                for (b, x) in right.chunks(n).zip(few.chunks(n)) {
                    for i in 0..n {
                        let product: f64 = match transposed {
                            false => (0..=i).map(|j| l(i, j) * x[j]).sum(),
                            true => (i..n).map(|j| l(j, i) * x[j]).sum(),
                        };
                        assert!((product - b[i]).abs() <= 1e-13 * n as f64, "{product} is not {}", b[i]);
                    }
                }
                assert!(few.iter().zip(&many).all(|(x, y)| (x - y).abs() <= 1e-12 * n as f64));
            }
        }
    }
}

//! Matrix products on slices and windows, row-major, in f64 and f32.

use super::few::{self, FEW};
use super::symmetric::mirror_lower;
use super::{Matrix, Real, prefer_large_pages};
use crate::control::Control;
use crate::error::{Error, Result};
use mercer_linalg::{Into, View, ViewMut};
use rayon::prelude::*;
use std::ops::Range;

/// out = A B for A (m x k), B (k x n), all row after row. One thread.
pub(crate) fn product_into<T: Real>(a: &[T], b: &[T], out: &mut [T], m: usize, k: usize, n: usize) {
    mercer_linalg::product(ViewMut::rows(out, m, n), Into::Replace, View::rows(a, m, k), View::rows(b, k, n), 1.0);
}

/// out = A B' for A (m x k), B (n x k), all row after row. One thread.
pub(crate) fn transposed_product_into<T: Real>(a: &[T], b: &[T], out: &mut [T], m: usize, k: usize, n: usize) {
    mercer_linalg::product(ViewMut::rows(out, m, n), Into::Replace, View::rows(a, m, k), View::rows(b, n, k).transpose(), 1.0);
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
    product_within(a, b, &Control::unwatched())
}

/// A B for large matrices: an error on request of `control`.
pub fn product_within(a: &Matrix, b: &Matrix, control: &Control) -> Result<Matrix> {
    Error::unless_equal("rows of the right factor", a.cols(), b.rows())?;
    if b.cols() <= FEW {
        return few::with_rows(a, &b.transpose(), control);
    }
    if a.rows() <= FEW {
        let rows: Vec<&[f64]> = (0..b.rows()).map(|i| b.row(i)).collect();
        let each = (0..a.rows()).map(|i| few::combined_rows(&rows, a.row(i), b.cols(), control));
        return Matrix::new(a.rows(), b.cols(), each.collect::<Result<Vec<_>>>()?.concat());
    }
    in_bands(a, View::rows(b.data(), b.rows(), b.cols()), b.cols(), false, control)
}

/// A B' for A (m x k) and B (n x k).
pub fn product_transposed(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    product_transposed_within(a, b, &Control::unwatched())
}

/// A B' for large matrices: an error on request of `control`.
pub fn product_transposed_within(a: &Matrix, b: &Matrix, control: &Control) -> Result<Matrix> {
    Error::unless_equal("columns of the right factor", a.cols(), b.cols())?;
    if b.rows() <= FEW {
        return few::with_rows(a, b, control);
    }
    in_bands(a, View::rows(b.data(), b.rows(), b.cols()).transpose(), b.rows(), false, control)
}

/// A A' for A (n x k), exactly symmetric: half of it is computed, then mirrored.
pub fn gramian(a: &Matrix) -> Matrix {
    // Without bounds there is no error.
    gramian_within(a, &Control::unwatched()).unwrap_or_default()
}

/// A A', exactly symmetric, for large matrices: an error on request of `control`.
pub fn gramian_within(a: &Matrix, control: &Control) -> Result<Matrix> {
    let mut out = in_bands(a, View::rows(a.data(), a.rows(), a.cols()).transpose(), a.rows(), true, control)?;
    mirror_lower(&mut out);
    Ok(out)
}

/// Rows that a product over rows takes at a time, and parts of them that are added up at the end.
const STEP: usize = 1024;
const PARTS: usize = 8;

/// A' B for A (n x k) and B (n x m) with few columns m: one pass over the rows.
pub fn transposed_product_within(a: &Matrix, b: &Matrix, control: &Control) -> Result<Matrix> {
    Error::unless_equal("rows of the right factor", a.rows(), b.rows())?;
    let (k, m) = (a.cols(), b.cols());
    let sum = over_parts(a.rows(), k * m, 2 * PARTS, |rows, out| {
        for start in rows.clone().step_by(STEP) {
            control.check_time("matrix product")?;
            add_transposed_part(a, b, start..rows.end.min(start + STEP), out);
        }
        Ok(())
    })?;
    Matrix::new(k, m, sum)
}

/// A' W A for A (n x k) and a diagonal W of the given `weights`, exactly symmetric: half of it is computed, then mirrored. Beside
/// the result, memory for a part of A.
pub fn gramian_of_columns_within(a: &Matrix, weights: Option<&[f64]>, control: &Control) -> Result<Matrix> {
    let (n, k) = (a.rows(), a.cols());
    // A partial result is as large as so many rows of A.
    let parts = (n / (2 * k.max(1))).clamp(1, PARTS);
    let sum = over_parts(n, k * k, parts, |rows, out| {
        out.par_chunks_mut(BAND * k.max(1)).enumerate().try_for_each(|(band, out)| -> Result<()> {
            let (from, height) = (band * BAND, out.len() / k);
            let mut scaled = Vec::new();
            for start in rows.clone().step_by(STEP) {
                control.check_time("matrix product")?;
                let count = rows.end.min(start + STEP) - start;
                let some = View::rows(&a.data()[start * k..(start + count) * k], count, k);
                let right = some.part(0, 0, count, from + height);
                let target = ViewMut::rows(out, height, k).part(0, 0, height, from + height);
                let Some(weights) = weights else {
                    mercer_linalg::product(target, Into::Add, some.part(0, from, count, height).transpose(), right, 1.0);
                    continue;
                };
                scaled.clear();
                for i in start..start + count {
                    scaled.extend(a.row(i)[from..from + height].iter().map(|v| weights[i] * v));
                }
                mercer_linalg::product(target, Into::Add, View::rows(&scaled, count, height).transpose(), right, 1.0);
            }
            Ok(())
        })
    })?;
    let mut out = Matrix::new(k, k, sum)?;
    mirror_lower(&mut out);
    Ok(out)
}

/// A'B of some rows, added to k x m numbers.
fn add_transposed_part(a: &Matrix, b: &Matrix, rows: Range<usize>, out: &mut [f64]) {
    let (k, m) = (a.cols(), b.cols());
    if m <= FEW {
        return few::add_transposed(a, b, rows, out);
    }
    let (some, of) = (&a.data()[rows.start * k..rows.end * k], &b.data()[rows.start * m..rows.end * m]);
    add_transposed_product(some, of, out, rows.len(), k, m);
}

/// Rows that stay near while they are read twice.
const NEAR: usize = 64;

/// F = A B for A (n x k) and B (k x m) with few columns m, and A'R for R_io = rest(i, o, F_io): one pass over the rows.
pub(crate) fn over_rows(
    a: &Matrix,
    b: &Matrix,
    rest: &(dyn Fn(usize, usize, f64) -> f64 + Sync),
    control: &Control,
) -> Result<(Matrix, Matrix)> {
    Error::unless_equal("rows of the right factor", a.cols(), b.rows())?;
    let (n, k, m) = (a.rows(), a.cols(), b.cols());
    let mut f = Matrix::zeros(n, m);
    let size = n.div_ceil(2 * PARTS).next_multiple_of(NEAR).max(STEP);
    let vectors = (m <= FEW).then(|| b.transpose());
    let each = f.data_mut().par_chunks_mut((size * m).max(1)).enumerate().map(|(part, f)| {
        // Of few vectors m x k.
        let (first, mut sum, mut left) = (part * size, vec![0.0; k * m], Vec::with_capacity(NEAR * m));
        for (block, f) in f.chunks_mut(NEAR * m).enumerate() {
            control.check_time("matrix product")?;
            let (start, count) = (first + block * NEAR, f.len() / m);
            let some = &a.data()[start * k..(start + count) * k];
            match &vectors {
                Some(vectors) => few::rows_into(some, vectors, f),
                None => product_into(some, b.data(), f, count, k, m),
            }
            left.clear();
            left.extend(f.iter().enumerate().map(|(at, f)| rest(start + at / m, at % m, *f)));
            match &vectors {
                Some(_) => few::add_rows_transposed(some, &left, m, &mut sum),
                None => add_transposed_product(some, &left, &mut sum, count, k, m),
            }
        }
        Ok(sum)
    });
    let mut all = each.collect::<Result<Vec<Vec<f64>>>>()?.into_iter();
    let mut sum = all.next().unwrap_or_else(|| vec![0.0; k * m]);
    all.for_each(|part| sum.iter_mut().zip(part).for_each(|(s, v)| *s += v));
    Ok((f, if vectors.is_some() { Matrix::new(m, k, sum)?.transpose() } else { Matrix::new(k, m, sum)? }))
}

/// The sum of as many numbers to which each part of n rows adds its own; parts are of equal size and depend on the sizes alone.
fn over_parts(n: usize, size: usize, parts: usize, add: impl Fn(Range<usize>, &mut [f64]) -> Result<()> + Sync) -> Result<Vec<f64>> {
    // Numbers of them that one thread adds up at a time.
    const ADDED: usize = 1 << 14;
    let count = n.div_ceil(parts.max(1)).next_multiple_of(NEAR).max(STEP);
    let starts: Vec<usize> = (0..n).step_by(count).collect();
    let each = starts.into_par_iter().map(|start| {
        let mut out = vec![0.0; size];
        prefer_large_pages(&mut out);
        add(start..n.min(start + count), &mut out)?;
        Ok(out)
    });
    let mut all = each.collect::<Result<Vec<Vec<f64>>>>()?.into_iter();
    let mut sum = all.next().unwrap_or_else(|| vec![0.0; size]);
    let others: Vec<Vec<f64>> = all.collect();
    sum.par_chunks_mut(ADDED).enumerate().for_each(|(at, sum)| {
        for part in &others {
            sum.iter_mut().zip(&part[at * ADDED..]).for_each(|(s, v)| *s += v);
        }
    });
    Ok(sum)
}

/// A B for A (m x k) and B (k x n), a band of rows on each thread; of a `lower` one only what is on and below the diagonal.
fn in_bands(a: &Matrix, b: View<'_, f64>, n: usize, lower: bool, control: &Control) -> Result<Matrix> {
    // Columns of a band that are computed between two looks at the clock.
    const LOOK: usize = 1024;
    let k = a.cols();
    let mut out = Matrix::zeros(a.rows(), n);
    if n > 0 && k > 0 {
        let bands = out.data_mut().par_chunks_mut(BAND * n).zip(a.data().par_chunks(BAND * k)).enumerate();
        bands.try_for_each(|(band, (out, a))| -> Result<()> {
            let rows = out.len() / n;
            let width = if lower { band * BAND + rows } else { n };
            for start in (0..width).step_by(LOOK) {
                control.check_time("matrix product")?;
                let cols = LOOK.min(width - start);
                let target = ViewMut::rows(out, rows, n).part(0, start, rows, cols);
                mercer_linalg::product(target, Into::Replace, View::rows(a, rows, k), b.part(0, start, k, cols), 1.0);
            }
            Ok(())
        })?;
    }
    Ok(out)
}

//! Rows of numbers, dense or sparse, with one more column that holds a constant; and sums over them.

use crate::error::Result;
use crate::gram::{axpy_wide, dot_wide};
use crate::linalg::Real;
use rayon::prelude::*;
use std::ops::Range;

/// What the solvers do with a row.
pub(in crate::solve) trait RowAccess: Sync {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Number of weights: one for each column, the last for the constant.
    fn width(&self) -> usize;
    /// The value of the last column.
    fn constant(&self) -> f64;
    /// Numbers that are stored of rows before row i.
    fn stored(&self, i: usize) -> usize;
    /// x_i'w.
    fn dot(&self, i: usize, weights: &[f64]) -> f64;
    /// w <- w + factor x_i.
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]);
    /// sum <- sum + factor x_i^2, column by column.
    fn add_squares(&self, i: usize, factor: f64, sum: &mut [f64]);
    /// |x_i|^2.
    fn square(&self, i: usize) -> f64;
    /// Asks for a row that is needed soon.
    fn fetch(&self, i: usize);
    /// Asks for the place of a row that is needed a little later.
    fn fetch_place(&self, i: usize);
}

/// Numbers row after row, in f64 or f32.
pub(in crate::solve) struct DenseRows<'a, T> {
    values: &'a [T],
    rows: usize,
    dim: usize,
    constant: f64,
}

impl<'a, T: Real> DenseRows<'a, T> {
    pub(in crate::solve) fn new(values: &'a [T], rows: usize, dim: usize, constant: f64) -> Self {
        DenseRows { values, rows, dim, constant }
    }
    #[inline(always)]
    fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }
}

impl<T: Real> RowAccess for DenseRows<'_, T> {
    fn len(&self) -> usize {
        self.rows
    }
    fn width(&self) -> usize {
        self.dim + 1
    }
    fn constant(&self) -> f64 {
        self.constant
    }
    fn stored(&self, i: usize) -> usize {
        i * self.dim
    }
    #[inline]
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        dot_wide(self.row(i), &weights[..self.dim]) + self.constant * weights[self.dim]
    }
    #[inline]
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        axpy_wide(factor, self.row(i), &mut weights[..self.dim]);
        weights[self.dim] += factor * self.constant;
    }
    fn add_squares(&self, i: usize, factor: f64, sum: &mut [f64]) {
        sum.iter_mut().zip(self.row(i)).for_each(|(s, x)| *s += factor * x.to_f64() * x.to_f64());
        sum[self.dim] += factor * self.constant * self.constant;
    }
    fn square(&self, i: usize) -> f64 {
        self.row(i).iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>() + self.constant * self.constant
    }
    #[inline(always)]
    fn fetch(&self, i: usize) {
        self.row(i).iter().step_by(64 / size_of::<T>()).for_each(soon);
    }
    fn fetch_place(&self, _: usize) {}
}

pub(in crate::solve) struct SparseRows<'a> {
    starts: &'a [usize],
    columns: &'a [u32],
    values: &'a [f64],
    dim: usize,
    constant: f64,
}

/// Places and numbers of a sparse row.
type Row<'a> = (&'a [u32], &'a [f64]);

impl<'a> SparseRows<'a> {
    pub(in crate::solve) fn new(starts: &'a [usize], columns: &'a [u32], values: &'a [f64], dim: usize, constant: f64) -> Self {
        SparseRows { starts, columns, values, dim, constant }
    }
    #[inline(always)]
    fn row(&self, i: usize) -> Row<'a> {
        let row = self.starts[i]..self.starts[i + 1];
        (&self.columns[row.clone()], &self.values[row])
    }
}

impl RowAccess for SparseRows<'_> {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }
    fn width(&self) -> usize {
        self.dim + 1
    }
    fn constant(&self) -> f64 {
        self.constant
    }
    fn stored(&self, i: usize) -> usize {
        self.starts[i]
    }
    /// Four sums, so that no addition waits for the one before.
    #[inline]
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        let mut sums = [0.0; 4];
        let (fours, rest) = columns.as_chunks::<4>();
        let (of_fours, of_rest) = values.as_chunks::<4>();
        for (c, x) in fours.iter().zip(of_fours) {
            for k in 0..4 {
                sums[k] += x[k] * weights[c[k] as usize];
            }
        }
        let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        for (c, x) in rest.iter().zip(of_rest) {
            sum += x * weights[*c as usize];
        }
        sum + self.constant * weights[self.dim]
    }
    #[inline]
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        let (columns, values) = self.row(i);
        for (c, x) in columns.iter().zip(values) {
            weights[*c as usize] += factor * x;
        }
        weights[self.dim] += factor * self.constant;
    }
    fn add_squares(&self, i: usize, factor: f64, sum: &mut [f64]) {
        let (columns, values) = self.row(i);
        for (c, x) in columns.iter().zip(values) {
            sum[*c as usize] += factor * x * x;
        }
        sum[self.dim] += factor * self.constant * self.constant;
    }
    fn square(&self, i: usize) -> f64 {
        self.row(i).1.iter().map(|x| x * x).sum::<f64>() + self.constant * self.constant
    }
    #[inline(always)]
    fn fetch(&self, i: usize) {
        let (columns, values) = self.row(i);
        columns.iter().step_by(16).for_each(soon);
        values.iter().step_by(8).for_each(soon);
    }
    #[inline(always)]
    fn fetch_place(&self, i: usize) {
        soon(&self.starts[i]);
    }
}

/// Some rows of others, in any order.
pub(in crate::solve) struct Picked<'a, R> {
    pub(in crate::solve) of: &'a R,
    pub(in crate::solve) list: &'a [usize],
}

impl<R: RowAccess> RowAccess for Picked<'_, R> {
    fn len(&self) -> usize {
        self.list.len()
    }
    fn width(&self) -> usize {
        self.of.width()
    }
    fn constant(&self) -> f64 {
        self.of.constant()
    }
    /// As if all rows held as many.
    fn stored(&self, i: usize) -> usize {
        (self.of.stored(self.of.len()) as f64 * (i as f64 / self.of.len().max(1) as f64)) as usize
    }
    #[inline(always)]
    fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        self.of.dot(self.list[i], weights)
    }
    #[inline(always)]
    fn add(&self, i: usize, factor: f64, weights: &mut [f64]) {
        self.of.add(self.list[i], factor, weights);
    }
    fn add_squares(&self, i: usize, factor: f64, sum: &mut [f64]) {
        self.of.add_squares(self.list[i], factor, sum);
    }
    fn square(&self, i: usize) -> f64 {
        self.of.square(self.list[i])
    }
    #[inline(always)]
    fn fetch(&self, i: usize) {
        self.of.fetch(self.list[i]);
    }
    #[inline(always)]
    fn fetch_place(&self, i: usize) {
        self.of.fetch_place(self.list[i]);
    }
}

/// Asks the processor to load what will be needed soon; nothing else changes.
#[inline(always)]
pub(in crate::solve) fn soon<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the address is that of a reference, and a prefetch neither reads nor writes as far as the program can tell.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// What is asked now and then of whoever waits: an error ends the work.
pub(in crate::solve) type Look<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// Rows cut into bands of about as many numbers each. The cut depends on the rows only, and bands are added in their order:
/// sums have the same bits for any number of threads.
pub(in crate::solve) struct Bands {
    bands: Vec<Range<usize>>,
    /// Whether several are summed at a time.
    parallel: bool,
}

impl Bands {
    /// The most there are.
    pub(in crate::solve) const MOST: usize = 32;
    /// Numbers that are worth a band, beside those of the weights.
    const LEAST: usize = 1 << 15;

    pub(in crate::solve) fn new<R: RowAccess>(rows: &R, parallel: bool) -> Self {
        let n = rows.len();
        // The constant is a number too.
        let before = |i: usize| rows.stored(i) + i;
        let count = (before(n) / Self::LEAST.max(2 * rows.width())).clamp(1, Self::MOST);
        let cut = |k: usize| first(n, |i| before(i) * count >= before(n) * k);
        let bands = (0..count).map(|k| cut(k)..cut(k + 1)).collect();
        Bands { bands, parallel }
    }

    /// What `each` adds up over all rows, in a vector of this width and in some numbers.
    pub(in crate::solve) fn sum<const K: usize>(
        &self,
        width: usize,
        look: Look<'_>,
        each: impl Fn(usize, &mut [f64], &mut [f64; K]) + Sync,
    ) -> Result<(Vec<f64>, [f64; K])> {
        let band = |range: &Range<usize>, sum: &mut [f64]| -> Result<[f64; K]> {
            let mut numbers = [0.0; K];
            // Rows are short beside a look; what is long has few rows.
            for i in range.clone() {
                if (i - range.start).is_multiple_of(1024) {
                    look()?;
                }
                each(i, sum, &mut numbers);
            }
            Ok(numbers)
        };
        let (mut total, mut numbers) = (vec![0.0; width], [0.0; K]);
        let mut join = |part: [f64; K]| numbers.iter_mut().zip(part).for_each(|(n, p)| *n += p);
        if self.bands.len() == 1 {
            join(band(&self.bands[0], &mut total)?);
        } else if self.parallel {
            let parts: Vec<(Vec<f64>, [f64; K])> = self
                .bands
                .par_iter()
                .map(|range| {
                    let mut sum = vec![0.0; width];
                    band(range, &mut sum).map(|numbers| (sum, numbers))
                })
                .collect::<Result<_>>()?;
            total.par_chunks_mut(4096).enumerate().for_each(|(k, out)| {
                for (part, _) in &parts {
                    out.iter_mut().zip(&part[k * 4096..]).for_each(|(o, p)| *o += p);
                }
            });
            parts.into_iter().for_each(|(_, part)| join(part));
        } else {
            let mut sum = vec![0.0; width];
            for range in &self.bands {
                sum.fill(0.0);
                join(band(range, &mut sum)?);
                total.iter_mut().zip(&sum).for_each(|(t, s)| *t += s);
            }
        }
        Ok((total, numbers))
    }

    /// A number for each row.
    pub(in crate::solve) fn map(&self, out: &mut [f64], look: Look<'_>, each: impl Fn(usize, &mut f64) + Sync) -> Result<()> {
        let mut parts = Vec::new();
        let mut rest = out;
        for range in &self.bands {
            let (part, after) = rest.split_at_mut(range.len());
            parts.push((range.start, part));
            rest = after;
        }
        let one = |(start, part): (usize, &mut [f64])| -> Result<()> {
            for (k, out) in part.iter_mut().enumerate() {
                if k.is_multiple_of(1024) {
                    look()?;
                }
                each(start + k, out);
            }
            Ok(())
        };
        if self.parallel { parts.into_par_iter().try_for_each(one) } else { parts.into_iter().try_for_each(one) }
    }
}

/// The first of 0..n for which an order that rises says yes; n where none does.
fn first(n: usize, says: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low.midpoint(high);
        if says(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

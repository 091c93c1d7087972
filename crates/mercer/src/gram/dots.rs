//! Inner products of a tile: a few rows at a time against columns packed in panels, their sums held in registers
//! (Goto & van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008).
//!
//! Each sum runs over the coordinates in order, so that its bits depend on its two points alone: not on the shape of the
//! tile, and not on which of them stands along the rows.

use super::dense::ranges;
use super::{Block, TileRows, with_scratch};
use crate::linalg::Real;
use crate::linalg::simd::{self, Level};
use std::ops::Range;

/// Bytes of packed columns: they stay in a second-level cache while all rows of the tile pass.
const PACKED: usize = 240 << 10;

/// Points along the rows, points along the columns, row after row, and where their inner products go.
pub(super) struct Dots<'t, T> {
    pub(super) left: &'t [T],
    pub(super) rows: &'t TileRows<'t>,
    pub(super) right: &'t [T],
    pub(super) dim: usize,
    pub(super) out: Block<'t, T>,
    /// All points that columns are taken from as [`panels`] has them, and the first of the columns: for tiles of one row.
    pub(super) panels: Option<(&'t [T], usize)>,
}

impl<T: Real> Dots<'_, T> {
    /// Hands each row of products to `finish(row of the tile, products)` while it is in the first-level cache.
    pub(super) fn each(mut self, finish: &mut dyn FnMut(usize, &mut [T])) {
        // Columns that are packed together at most, so that there is room for many coordinates of each.
        const MOST_COLUMNS: usize = 512;
        // Columns of the widest panel, which the last columns fill in part.
        const WIDEST: usize = 48;
        let (height, width) = (self.out.rows(), self.out.cols());
        if width > MOST_COLUMNS && self.panels.is_none() {
            for some in ranges(width, MOST_COLUMNS) {
                let right = &self.right[some.start * self.dim..some.end * self.dim];
                Dots { right, out: self.out.part(0..height, some), ..self }.each(&mut |_, _| {});
            }
            return (0..height).for_each(|k| finish(k, self.out.row_mut(k)));
        }
        // Closures are not compiled for an instruction set, even inside of a function that is: this one only lends memory.
        with_scratch(PACKED / size_of::<T>() + width + WIDEST, |packed| {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<T: Real>(dots: Dots<'_, T>, packed: &mut [T], finish: &mut dyn FnMut(usize, &mut [T])) {
                    if size_of::<T>() == 8 { dots.run::<6, 8, true>(packed, finish) } else { dots.run::<6, 16, true>(packed, finish) }
                }
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
                fn avx512<T: Real>(dots: Dots<'_, T>, packed: &mut [T], finish: &mut dyn FnMut(usize, &mut [T])) {
                    if size_of::<T>() == 8 { dots.run::<8, 24, true>(packed, finish) } else { dots.run::<8, 48, true>(packed, finish) }
                }
                // SAFETY: called only where the features were detected.
                unsafe {
                    match simd::level() {
                        Level::Avx512 => return avx512(self, packed, finish),
                        Level::Avx2 => return avx2(self, packed, finish),
                        Level::Base => {}
                    }
                }
            }
            if size_of::<T>() == 8 { self.run::<4, 4, false>(packed, finish) } else { self.run::<4, 8, false>(packed, finish) }
        });
    }

    /// Computes the products with register blocks of R rows and C columns.
    #[inline(always)]
    fn run<const R: usize, const C: usize, const FMA: bool>(mut self, packed: &mut [T], finish: &mut dyn FnMut(usize, &mut [T])) {
        if let Some((panels, first)) = self.panels {
            return self.line::<C, FMA>(panels, first, finish);
        }
        let (height, width, dim) = (self.out.rows(), self.out.cols(), self.dim);
        let panels = width.div_ceil(C);
        let depth = (PACKED / size_of::<T>() / (panels * C).max(1)).clamp(1, dim.max(1));
        let mut from = 0;
        loop {
            let part = from..(from + depth).min(dim);
            let size = C * part.len();
            let packed = &mut packed[..panels * size];
            pack::<T, C>(self.right, dim, &part, packed);
            for top in (0..height).step_by(R) {
                let bottom = (top + R).min(height);
                let mut lines: [&[T]; R] = [&[]; R];
                for r in 0..R {
                    let start = self.rows.at((top + r).min(height - 1)) * dim;
                    lines[r] = &self.left[start + part.start..start + part.end];
                }
                for p in 0..panels {
                    let (start, end) = (p * C, (p * C + C).min(width));
                    let panel = &packed[p * size..(p + 1) * size];
                    // Whole panels are copied by lengths that the compiler knows: only then do their sums stay in registers.
                    if end - start == C && bottom - top == R {
                        let mut sums = [[T::default(); C]; R];
                        if from > 0 {
                            for r in 0..R {
                                sums[r].copy_from_slice(&self.out.row_mut(top + r)[start..start + C]);
                            }
                        }
                        let sums = plus_products::<T, R, C, FMA>(&lines, panel, sums);
                        for r in 0..R {
                            self.out.row_mut(top + r)[start..start + C].copy_from_slice(&sums[r]);
                        }
                    } else {
                        self.edge::<R, C, FMA>(&lines, panel, top..bottom, start..end, from > 0);
                    }
                }
                if part.end == dim {
                    for k in top..bottom {
                        finish(k, self.out.row_mut(k));
                    }
                }
            }
            from = part.end;
            if from >= dim {
                return;
            }
        }
    }

    /// The sums of one row, against columns that are packed.
    #[inline(always)]
    fn line<const C: usize, const FMA: bool>(mut self, panels: &[T], first: usize, finish: &mut dyn FnMut(usize, &mut [T])) {
        let (dim, end, start) = (self.dim, first + self.out.cols(), self.rows.at(0) * self.dim);
        let (line, out) = (&self.left[start..start + dim], self.out.row_mut(0));
        for p in first / C..end.div_ceil(C) {
            let [sums] = plus_products::<T, 1, C, FMA>(&[line], &panels[p * C * dim..(p + 1) * C * dim], [[T::default(); C]]);
            let (from, to) = ((p * C).max(first), (p * C + C).min(end));
            let out = &mut out[from - first..to - first];
            match out.as_chunks_mut::<C>().0 {
                [whole] => *whole = sums,
                _ => out.copy_from_slice(&sums[from - p * C..to - p * C]),
            }
        }
        finish(0, out);
    }

    /// Sums at the right and lower border of the tile, where there are fewer than C columns or R rows.
    #[inline(always)]
    fn edge<const R: usize, const C: usize, const FMA: bool>(
        &mut self,
        lines: &[&[T]; R],
        panel: &[T],
        rows: Range<usize>,
        cols: Range<usize>,
        begun: bool,
    ) {
        let mut sums = [[T::default(); C]; R];
        if begun {
            for k in rows.clone() {
                sums[k - rows.start][..cols.len()].copy_from_slice(&self.out.row_mut(k)[cols.clone()]);
            }
        }
        let sums = plus_products::<T, R, C, FMA>(lines, panel, sums);
        for k in rows.clone() {
            self.out.row_mut(k)[cols.clone()].copy_from_slice(&sums[k - rows.start][..cols.len()]);
        }
    }
}

/// Points packed in panels of the width that this processor's products have, each with all coordinates.
pub(super) fn panels<T: Real>(points: &[T], dim: usize) -> Vec<T> {
    let wide = size_of::<T>() == 8;
    let columns = match (simd::level(), wide) {
        (Level::Avx512, true) => 24,
        (Level::Avx512, false) => 48,
        (Level::Avx2, true) | (Level::Base, false) => 8,
        (Level::Avx2, false) => 16,
        (Level::Base, true) => 4,
    };
    let mut packed = vec![T::default(); (points.len() / dim.max(1)).div_ceil(columns) * columns * dim];
    match columns {
        4 => pack::<T, 4>(points, dim, &(0..dim), &mut packed),
        8 => pack::<T, 8>(points, dim, &(0..dim), &mut packed),
        16 => pack::<T, 16>(points, dim, &(0..dim), &mut packed),
        24 => pack::<T, 24>(points, dim, &(0..dim), &mut packed),
        _ => pack::<T, 48>(points, dim, &(0..dim), &mut packed),
    }
    packed
}

/// Coordinates `part` of every point, C points to a panel, a panel coordinate after coordinate. What the last panel has
/// beyond the points is never read back.
#[inline(always)]
fn pack<T: Real, const C: usize>(points: &[T], dim: usize, part: &Range<usize>, packed: &mut [T]) {
    if part.is_empty() {
        return;
    }
    for (panel, points) in packed.chunks_exact_mut(C * part.len()).zip(points.chunks(C * dim)) {
        for (c, point) in points.chunks_exact(dim).enumerate() {
            for (to, v) in panel[c..].iter_mut().step_by(C).zip(&point[part.clone()]) {
                *to = *v;
            }
        }
    }
}

/// sums[r][c] + sum_k lines[r][k] panel[k][c].
#[inline(always)]
fn plus_products<T: Real, const R: usize, const C: usize, const FMA: bool>(
    lines: &[&[T]; R],
    panel: &[T],
    mut sums: [[T; C]; R],
) -> [[T; C]; R] {
    for (k, columns) in panel.as_chunks::<C>().0.iter().enumerate() {
        for r in 0..R {
            let x = lines[r][k];
            for c in 0..C {
                sums[r][c] = crate::linalg::fma::<T, FMA>(x, columns[c], sums[r][c]);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, step: f64) -> Vec<f64> {
        (0..count).map(|i| (i as f64 * step).sin()).collect()
    }

    /// Products of some rows with some columns, and how often each row was handed on.
    fn products(left: &[f64], rows: &TileRows<'_>, right: &[f64], dim: usize, width: usize) -> (Vec<f64>, Vec<usize>) {
        let height = rows.len();
        let (mut out, mut handed) = (vec![f64::NAN; height * width], vec![0; height]);
        Dots { left, rows, right, dim, out: Block::new(&mut out, height, width), panels: None }.each(&mut |k, row| {
            assert!(row.iter().all(|v| v.is_finite()), "row {k} is handed on when it is done");
            handed[k] += 1;
        });
        (out, handed)
    }

    #[test]
    fn products_are_sums_over_coordinates_for_any_shape() {
        for (height, width, dim) in [(1, 1, 1), (6, 8, 3), (7, 9, 30), (13, 50, 0), (40, 241, 300), (3, 1100, 131)] {
            let (left, right) = (numbers(height * dim, 0.7), numbers(width * dim, 1.3));
            let (out, handed) = products(&left, &TileRows::Range(0..height), &right, dim, width);
            assert!(handed.iter().all(|h| *h == 1));
            for i in 0..height {
                for j in 0..width {
                    let plain: f64 = (0..dim).map(|k| left[i * dim + k] * right[j * dim + k]).sum();
                    assert!((out[i * width + j] - plain).abs() <= 1e-14 * dim as f64, "{height} x {width}, {dim}: ({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn the_bits_of_a_product_do_not_depend_on_the_tile_or_on_which_point_is_the_row() {
        let (n, dim) = (260, 150);
        let points = numbers(n * dim, 0.37);
        let (whole, _) = products(&points, &TileRows::Range(0..n), &points, dim, n);
        let list = [200, 3, 3, 259, 17];
        let (some, _) = products(&points, &TileRows::List(&list), &points[5 * dim..16 * dim], dim, 11);
        for (k, &i) in list.iter().enumerate() {
            for j in 0..11 {
                assert_eq!(some[k * 11 + j].to_bits(), whole[i * n + 5 + j].to_bits());
            }
        }
        assert!((0..n).all(|i| (0..i).all(|j| whole[i * n + j].to_bits() == whole[j * n + i].to_bits())));
        let packed = panels(&points, dim);
        for (i, cols) in [(0, 0..n), (17, 5..16), (259, 47..97), (100, 96..144), (3, 259..260)] {
            let mut out = vec![f64::NAN; cols.len()];
            let (rows, width, mut handed) = (TileRows::Range(i..i + 1), cols.len(), 0);
            let right = &points[cols.start * dim..cols.end * dim];
            let panels = Some((&packed[..], cols.start));
            Dots { left: &points, rows: &rows, right, dim, out: Block::new(&mut out, 1, width), panels }.each(&mut |_, _| handed += 1);
            assert!(handed == 1 && cols.zip(&out).all(|(j, v)| v.to_bits() == whole[i * n + j].to_bits()));
        }
    }

    #[test]
    fn f32_and_plain_instructions_give_the_same_products() {
        let (height, width, dim) = (11, 23, 40);
        let (left, right) = (numbers(height * dim, 0.7), numbers(width * dim, 1.3));
        let (exact, _) = products(&left, &TileRows::Range(0..height), &right, dim, width);
        let rows = TileRows::Range(0..height);
        let narrow = |v: &[f64]| v.iter().map(|x| *x as f32).collect::<Vec<f32>>();
        let (a, b, mut single) = (narrow(&left), narrow(&right), vec![0f32; height * width]);
        Dots { left: &a, rows: &rows, right: &b, dim, out: Block::new(&mut single, height, width), panels: None }.each(&mut |_, _| {});
        let (mut plain, mut packed) = (vec![0.0; height * width], vec![0.0; 4 * PACKED]);
        let out = Block::new(&mut plain, height, width);
        Dots { left: &left, rows: &rows, right: &right, dim, out, panels: None }.run::<4, 4, false>(&mut packed, &mut |_, _| {});
        for ((x, s), p) in exact.iter().zip(&single).zip(&plain) {
            assert!((x - f64::from(*s)).abs() <= 1e-5 && (x - p).abs() <= 1e-13);
        }
    }
}

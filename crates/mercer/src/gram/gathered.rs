//! Compositions of kernels among some inputs of which each part is laid out anew: see [`Gram::gathered`].

use super::parts::combine;
use super::{Block, Gram, Rewrite, Side};
use crate::linalg::Real;
use std::ops::Range;

/// How parts are combined.
#[derive(Clone, Copy)]
pub(super) enum Combination {
    Sum,
    Product,
}

impl Combination {
    fn of<T: Real>(self, x: T, y: T) -> T {
        match self {
            Combination::Sum => x + y,
            Combination::Product => x * y,
        }
    }
}

/// A sum or a product.
pub(super) struct GatheredParts<'a> {
    pub(super) parts: Vec<Box<dyn Gram + 'a>>,
    pub(super) how: Combination,
}

impl GatheredParts<'_> {
    fn each<T: Real>(&self, mut out: Block<'_, T>, fill: impl Fn(&dyn Gram, Block<'_, T>)) {
        let Some((first, others)) = self.parts.split_first() else { return };
        fill(first.as_ref(), out.reborrow());
        for part in others {
            combine(out.reborrow(), |term| fill(part.as_ref(), term), |x, y| self.how.of(x, y));
        }
    }
}

impl Gram for GatheredParts<'_> {
    fn shape(&self) -> (usize, usize) {
        self.parts.first().map_or((0, 0), |k| k.shape())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.each(out, |k, block| k.fill(rows.clone(), cols.clone(), block));
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.each(out, |k, block| k.fill_rows(rows, cols.clone(), block));
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.each(out, |k, block| k.fill_f32(rows, cols.clone(), block));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        let mut parts = self.parts.iter().map(|k| k.diagonal(side));
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |all, own| all.iter().zip(&own).map(|(x, y)| self.how.of(*x, *y)).collect())
    }
    fn symmetric(&self) -> bool {
        true
    }
}

/// A rewritten kernel; `inputs` are those that were taken, by their places in the batch that `how` knows.
pub(super) struct GatheredRewrite<'a, R> {
    pub(super) of: Box<dyn Gram + 'a>,
    pub(super) how: &'a R,
    pub(super) inputs: Vec<usize>,
}

impl<R: Rewrite> GatheredRewrite<'_, R> {
    fn rewrite<T: Real>(&self, rows: impl Iterator<Item = usize>, cols: Range<usize>, mut out: Block<'_, T>) {
        for (k, row) in rows.enumerate() {
            for (value, &j) in out.row_mut(k).chunks_exact_mut(1).zip(&self.inputs[cols.clone()]) {
                self.how.row(self.inputs[row], j, true, value);
            }
        }
    }
}

impl<R: Rewrite> Gram for GatheredRewrite<'_, R> {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill(rows.clone(), cols.clone(), out.reborrow());
        self.rewrite(rows, cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill_rows(rows, cols.clone(), out.reborrow());
        self.rewrite(rows.iter().copied(), cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        self.of.fill_f32(rows, cols.clone(), out.reborrow());
        self.rewrite(rows.iter().copied(), cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        // In their places among all inputs, by which `how` knows them.
        let mut all = vec![0.0; self.inputs.iter().max().map_or(0, |last| last + 1)];
        self.inputs.iter().zip(self.of.diagonal(side)).for_each(|(&i, d)| all[i] = d);
        let all = self.how.diagonal(side, all);
        self.inputs.iter().map(|&i| all[i]).collect()
    }
    fn symmetric(&self) -> bool {
        true
    }
}

//! Sums, products, multiples and normalised forms of bound kernels, tile by tile (closure rules: F24).

use super::{Block, Bound, Gram, Side, with_scratch};
use crate::linalg::Real;
use std::ops::Range;

/// sum_t k_t.
pub(crate) struct Sum(pub Vec<Box<dyn Bound>>);
/// prod_t k_t.
pub(crate) struct Product(pub Vec<Box<dyn Bound>>);
/// by * k.
pub(crate) struct Scale {
    pub by: f64,
    pub of: Box<dyn Bound>,
}
/// k(x, z) / sqrt(k(x, x) k(z, z)): exactly 1 on the diagonal, 0 where k(x, x) = 0 (K15, K26).
pub(crate) struct Normalise {
    of: Box<dyn Bound>,
    roots: [Vec<f64>; 2],
}

impl Normalise {
    pub(crate) fn new(of: Box<dyn Bound>) -> Self {
        let inverse = |side| of.diagonal(side).iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        Normalise { roots: [inverse(Side::Rows), inverse(Side::Cols)], of }
    }
}

/// out <- op(out, term) over a block, the term filled into scratch.
fn combine<T: Real>(mut out: Block<'_, T>, fill: impl FnOnce(Block<'_, T>), op: impl Fn(T, T) -> T) {
    let (m, n) = (out.rows(), out.cols());
    with_scratch(m * n, |scratch| {
        fill(Block::new(scratch, m, n));
        for (i, term) in scratch.chunks_exact(n.max(1)).enumerate() {
            for (o, t) in out.row_mut(i).iter_mut().zip(term) {
                *o = op(*o, *t);
            }
        }
    });
}

/// Multiplies every value of a block.
fn multiply<T: Real>(mut out: Block<'_, T>, by: f64) {
    for i in 0..out.rows() {
        for v in out.row_mut(i) {
            *v = *v * T::from_f64(by);
        }
    }
}

/// What every composition of several parts shares.
macro_rules! of_parts {
    ($name:ident, $op:tt) => {
        impl $name {
            fn fold<T: Real>(&self, mut out: Block<'_, T>, fill: impl Fn(&dyn Bound, Block<'_, T>)) {
                for (t, k) in self.0.iter().enumerate() {
                    if t == 0 {
                        fill(k.as_ref(), out.reborrow());
                    } else {
                        combine(out.reborrow(), |block| fill(k.as_ref(), block), |x, y| x $op y);
                    }
                }
            }
        }

        impl Gram for $name {
            fn shape(&self) -> (usize, usize) {
                self.0.first().map_or((0, 0), |k| k.shape())
            }
            fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
                self.fold(out, |k, block| k.fill(rows.clone(), cols.clone(), block));
            }
            fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
                self.fold(out, |k, block| k.fill_rows(rows, cols.clone(), block));
            }
            fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
                self.fold(out, |k, block| k.fill_f32(rows, cols.clone(), block));
            }
            fn diagonal(&self, side: Side) -> Vec<f64> {
                let mut parts = self.0.iter().map(|k| k.diagonal(side));
                let first = parts.next().unwrap_or_default();
                parts.fold(first, |all, d| all.iter().zip(&d).map(|(x, y)| x $op y).collect())
            }
            fn symmetric(&self) -> bool {
                self.0.iter().all(|k| k.symmetric())
            }
        }
    };
}

of_parts!(Sum, +);
of_parts!(Product, *);

/// The slice of `out` that belongs to each part, in order.
fn split<'o>(parts: &[Box<dyn Bound>], mut out: &'o mut [f64]) -> Vec<&'o mut [f64]> {
    let mut list = Vec::new();
    for k in parts {
        let (mine, rest) = out.split_at_mut(k.parameters());
        list.push(mine);
        out = rest;
    }
    list
}

impl Bound for Sum {
    fn parameters(&self) -> usize {
        self.0.iter().map(|k| k.parameters()).sum()
    }
    fn gradient(&self, rows: Range<usize>, cols: Range<usize>, weights: &[f64], out: &mut [f64]) {
        for (k, mine) in self.0.iter().zip(split(&self.0, out)) {
            k.gradient(rows.clone(), cols.clone(), weights, mine);
        }
    }
}

impl Bound for Product {
    fn parameters(&self) -> usize {
        self.0.iter().map(|k| k.parameters()).sum()
    }
    /// d(prod k) = sum_t (prod of the others) dk_t: the others join the weights.
    fn gradient(&self, rows: Range<usize>, cols: Range<usize>, weights: &[f64], out: &mut [f64]) {
        for (t, (k, mine)) in self.0.iter().zip(split(&self.0, out)).enumerate() {
            if mine.is_empty() {
                continue;
            }
            let mut all = weights.to_vec();
            for (s, other) in self.0.iter().enumerate().filter(|(s, _)| *s != t) {
                debug_assert_ne!(s, t);
                let block = Block::new(&mut all, rows.len(), cols.len());
                combine(block, |b| other.fill(rows.clone(), cols.clone(), b), |w, v| w * v);
            }
            k.gradient(rows.clone(), cols.clone(), &all, mine);
        }
    }
}

impl Gram for Scale {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill(rows, cols, out.reborrow());
        multiply(out, self.by);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill_rows(rows, cols, out.reborrow());
        multiply(out, self.by);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        self.of.fill_f32(rows, cols, out.reborrow());
        multiply(out, self.by);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.of.diagonal(side).iter().map(|d| self.by * d).collect()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
}

impl Bound for Scale {
    fn parameters(&self) -> usize {
        1 + self.of.parameters()
    }
    fn gradient(&self, rows: Range<usize>, cols: Range<usize>, weights: &[f64], out: &mut [f64]) {
        let (own, inner) = out.split_at_mut(1);
        with_scratch(weights.len(), |values: &mut [f64]| {
            self.of.fill(rows.clone(), cols.clone(), Block::new(values, rows.len(), cols.len()));
            own[0] += values.iter().zip(weights).map(|(k, w)| k * w).sum::<f64>();
        });
        if !inner.is_empty() {
            let scaled: Vec<f64> = weights.iter().map(|w| self.by * w).collect();
            self.of.gradient(rows, cols, &scaled, inner);
        }
    }
}

impl Normalise {
    fn divide<T: Real>(&self, row: usize, first: usize, out: &mut [T]) {
        let left = self.roots[0][row];
        for (k, o) in out.iter_mut().enumerate() {
            let right = self.roots[1][first + k];
            *o = if self.symmetric() && row == first + k {
                T::from_f64(if left > 0.0 { 1.0 } else { 0.0 })
            } else {
                T::from_f64(o.to_f64() * left * right)
            };
        }
    }
}

impl Gram for Normalise {
    fn shape(&self) -> (usize, usize) {
        self.of.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill(rows.clone(), cols.clone(), out.reborrow());
        for (k, i) in rows.enumerate() {
            self.divide(i, cols.start, out.row_mut(k));
        }
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        self.of.fill_rows(rows, cols.clone(), out.reborrow());
        for (k, &i) in rows.iter().enumerate() {
            self.divide(i, cols.start, out.row_mut(k));
        }
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        self.of.fill_f32(rows, cols.clone(), out.reborrow());
        for (k, &i) in rows.iter().enumerate() {
            self.divide(i, cols.start, out.row_mut(k));
        }
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        let roots = &self.roots[usize::from(side == Side::Cols)];
        roots.iter().map(|r| if *r > 0.0 { 1.0 } else { 0.0 }).collect()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
}

impl Bound for Normalise {
    fn parameters(&self) -> usize {
        self.of.parameters()
    }
    fn gradient(&self, _: Range<usize>, _: Range<usize>, _: &[f64], _: &mut [f64]) {}
}

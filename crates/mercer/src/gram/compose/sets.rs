//! K(X, Z) = f(X) f(Z) sum_ij k(x_i, z_j) over all pairs of vectors of two sets: f is 1, or 1 over the size of the set.

use super::super::{Block, Bound, Gram, Side, with_scratch};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What is made of the kernel values of all pairs of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// Their mean, 0 where a set is empty.
    Mean,
    /// Their sum.
    Sum,
}

impl Pairs {
    /// Both.
    pub const ALL: [Pairs; 2] = [Pairs::Mean, Pairs::Sum];

    /// The name in expressions.
    pub fn name(self) -> &'static str {
        match self {
            Pairs::Mean => "set_mean",
            Pairs::Sum => "set_sum",
        }
    }

    fn factor(self, size: usize) -> f64 {
        match self {
            Pairs::Mean => 1.0 / size.max(1) as f64,
            Pairs::Sum => 1.0,
        }
    }
}

/// Kernel values that are filled at once, for whole rows of vectors.
const FILLED: usize = 1 << 18;

/// A kernel of vectors, over all pairs of two sets. Set I holds the vectors `starts[I]..starts[I + 1]`.
pub(crate) struct OverSets {
    pairs: Pairs,
    of: Box<dyn Bound>,
    rows: SetSide,
    cols: SetSide,
}

/// The sets along one side: where the vectors of each begin, and K(X, X).
#[derive(Clone)]
pub(crate) struct SetSide {
    starts: Vec<usize>,
    diagonal: Vec<f64>,
}

impl SetSide {
    /// `among` is the kernel among the vectors.
    pub(crate) fn new(pairs: Pairs, among: &dyn Bound, starts: &[usize]) -> Self {
        SetSide { starts: starts.to_vec(), diagonal: diagonal(pairs, among, starts) }
    }
}

impl OverSets {
    /// `of` is the kernel of the vectors of the rows with those of the columns.
    pub(crate) fn new(pairs: Pairs, of: Box<dyn Bound>, rows: SetSide, cols: SetSide) -> Self {
        OverSets { pairs, of, rows, cols }
    }

    /// One row of the matrix: sums along each row of vectors, then over these rows.
    fn row(&self, i: usize, cols: Range<usize>, out: &mut [f64]) {
        out.fill(0.0);
        let vectors = self.cols.starts[cols.start]..self.cols.starts[cols.end];
        let width = vectors.len();
        let at_once = (FILLED / width.max(1)).max(1);
        let mut first = self.rows.starts[i];
        while first < self.rows.starts[i + 1] {
            let some = first..(first + at_once).min(self.rows.starts[i + 1]);
            with_scratch(some.len() * width, |values| {
                self.of.fill(some.clone(), vectors.clone(), Block::new(values, some.len(), width));
                for row in values.chunks_exact(width.max(1)) {
                    for (o, j) in out.iter_mut().zip(cols.clone()) {
                        *o += row[self.cols.starts[j] - vectors.start..self.cols.starts[j + 1] - vectors.start].iter().sum::<f64>();
                    }
                }
            });
            first = some.end;
        }
        for (o, j) in out.iter_mut().zip(cols) {
            *o *= self.factor(Side::Rows, i) * self.factor(Side::Cols, j);
        }
    }

    fn factor(&self, side: Side, set: usize) -> f64 {
        let starts = if side == Side::Rows { &self.rows.starts } else { &self.cols.starts };
        self.pairs.factor(starts[set + 1] - starts[set])
    }
}

/// K(X, X) of each set of a batch.
fn diagonal(pairs: Pairs, among: &dyn Bound, starts: &[usize]) -> Vec<f64> {
    let own = |w: &[usize]| {
        let (set, size) = (w[0]..w[1], w[1] - w[0]);
        with_scratch(size * size, |values| {
            among.fill(set.clone(), set, Block::new(values, size, size));
            let sum: f64 = values.chunks_exact(size.max(1)).map(|row| row.iter().sum::<f64>()).sum();
            sum * (pairs.factor(size) * pairs.factor(size))
        })
    };
    starts.windows(2).map(own).collect()
}

impl Gram for OverSets {
    fn shape(&self) -> (usize, usize) {
        (self.rows.diagonal.len(), self.cols.diagonal.len())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        rows.enumerate().for_each(|(k, i)| self.row(i, cols.clone(), out.row_mut(k)));
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        rows.iter().enumerate().for_each(|(k, &i)| self.row(i, cols.clone(), out.row_mut(k)));
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        if side == Side::Rows { &self.rows } else { &self.cols }.diagonal.clone()
    }
    fn symmetric(&self) -> bool {
        self.of.symmetric()
    }
}

impl Bound for OverSets {
    fn parameters(&self) -> usize {
        self.of.parameters()
    }
    /// dK_IJ = f_I f_J sum_ij dk_ij: every pair of vectors weighs as much as its sets.
    fn gradient(&self, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        let (vectors, _) = self.of.shape();
        control.plan("weights of all pairs of vectors", 8 * (vectors as u64).saturating_mul(vectors as u64))?;
        let owner: Vec<usize> =
            self.rows.starts.windows(2).enumerate().flat_map(|(set, w)| std::iter::repeat_n(set, w[1] - w[0])).collect();
        let weight =
            |i: usize, j: usize| self.factor(Side::Rows, owner[i]) * self.factor(Side::Cols, owner[j]) * weights[(owner[i], owner[j])];
        self.of.gradient(&Matrix::from_fn(vectors, vectors, weight), control)
    }
}

//! Features applied without being formed, Z = C L'^-1 for values C with landmarks and their Cholesky factor L: Z b = C (L'^-1 b)
//! and Z'r = L^-1 (C'r) save a fit and predictions the N rank^2 operations of Z. Other values are available, but expensive.

use super::{Block, Bound, FeatureSource, Gram, LowRank, PairWeights, Side, Slope, Structure};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Lower, Matrix, product_transposed};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Something that holds L.
pub(crate) trait Triangular {
    /// L.
    fn factor(&self) -> &Lower;
}

/// A Gram matrix among inputs whose features are not formed.
pub(crate) struct LazyWhitening<S> {
    /// C, inputs x rank.
    values: Matrix,
    slope: S,
}

impl<S: Triangular> LazyWhitening<S> {
    pub(crate) fn new(values: Matrix, slope: S) -> Self {
        LazyWhitening { values, slope }
    }

    /// The features of some inputs.
    fn some(&self, rows: &[usize]) -> Matrix {
        let mut some = self.values.select_rows(rows);
        // Without bounds there is no error: the sizes fit.
        let solved = self.slope.factor().solve_rows(&mut some, &Control::unwatched());
        debug_assert!(solved.is_ok());
        some
    }

    /// Forms the features and gives the Gram matrix as their products.
    pub(crate) fn written_out(self, control: &Control) -> Result<LowRank<S>> {
        let LazyWhitening { mut values, slope } = self;
        slope.factor().solve_rows(&mut values, control)?;
        Ok(LowRank::among(Arc::new(values), slope))
    }
}

impl<S: Triangular + Send + Sync> Gram for LazyWhitening<S> {
    fn shape(&self) -> (usize, usize) {
        (self.values.rows(), self.values.rows())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.fill_rows(&rows.collect::<Vec<_>>(), cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        let all = product_transposed(&self.some(rows), &self.some(&cols.collect::<Vec<_>>())).unwrap_or_default();
        (0..all.rows()).for_each(|i| out.row_mut(i).copy_from_slice(all.row(i)));
    }
    fn diagonal(&self, _: Side) -> Vec<f64> {
        // Rows whose features are made at a time.
        const ROWS: usize = 4096;
        let all: Vec<usize> = (0..self.values.rows()).collect();
        let squares = |rows: &[usize]| {
            let some = self.some(rows);
            (0..some.rows()).map(|i| some.row(i).iter().map(|v| v * v).sum()).collect::<Vec<f64>>()
        };
        all.chunks(ROWS).flat_map(squares).collect()
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Whitened { values: &self.values, factor: self.slope.factor(), formed: self }
    }
    fn zero_rows(&self) -> Vec<usize> {
        (0..self.values.rows()).filter(|&i| self.values.row(i).iter().all(|v| *v == 0.0)).collect()
    }
}

impl<S: Triangular + Send + Sync> FeatureSource for LazyWhitening<S> {
    fn dense(&self, _: Side) -> Option<Cow<'_, Matrix>> {
        Some(Cow::Owned(self.some(&(0..self.values.rows()).collect::<Vec<_>>())))
    }
}

impl<S: Slope + Triangular> Bound for LazyWhitening<S> {
    fn parameters(&self) -> usize {
        self.slope.parameters()
    }
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        let mut phi = self.values.clone();
        self.slope.factor().solve_rows(&mut phi, control)?;
        self.slope.gradient(&phi, weights, control)
    }
}

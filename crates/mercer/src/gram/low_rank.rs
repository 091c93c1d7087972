//! A Gram matrix of features that are written out: K = Phi_rows Phi_cols', of a rank no larger than their number.

use super::{Block, Bound, FeatureSource, Gram, PairWeights, Side, Structure};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{self, Matrix, Real};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// How a Gram matrix of features changes with the parameters of its kernel.
pub(crate) trait Slope: Send + Sync {
    /// See [`Bound::parameters`].
    fn parameters(&self) -> usize;
    /// See [`Bound::gradient`]; `phi` are the features of the inputs.
    fn gradient(&self, phi: &Matrix, weights: &PairWeights, control: &Control) -> Result<Vec<f64>>;
}

/// The features of two batches.
pub(crate) struct LowRank<S> {
    /// Inputs x rank; `None`: the columns.
    rows: Option<Arc<Matrix>>,
    cols: Arc<Matrix>,
    /// Those of the columns, once they were asked for.
    single: OnceLock<Vec<f32>>,
    slope: S,
}

impl<S> LowRank<S> {
    /// Among the inputs of one batch.
    pub(crate) fn among(features: Arc<Matrix>, slope: S) -> Self {
        LowRank { rows: None, cols: features, single: OnceLock::new(), slope }
    }
    /// New inputs against a batch.
    pub(crate) fn cross(rows: Arc<Matrix>, cols: Arc<Matrix>, slope: S) -> Self {
        LowRank { rows: Some(rows), cols, single: OnceLock::new(), slope }
    }

    /// New inputs, by their features, against this batch.
    pub(crate) fn against(self, rows: Arc<Matrix>) -> Self {
        LowRank { rows: Some(rows), ..self }
    }

    fn of(&self, side: Side) -> &Matrix {
        match side {
            Side::Rows => self.rows.as_ref().unwrap_or(&self.cols),
            Side::Cols => &self.cols,
        }
    }

    /// The products of some features of rows, row after row, with those of a range of columns.
    fn products<T: Real>(&self, rows: &[T], all: &[T], cols: Range<usize>, mut out: Block<'_, T>) {
        let (rank, height, width) = (self.cols.cols(), out.rows(), cols.len());
        super::with_scratch(height * width, |product: &mut [T]| {
            linalg::transposed_product_into(rows, &all[cols.start * rank..cols.end * rank], product, height, rank, width);
            product.chunks_exact(width.max(1)).enumerate().for_each(|(i, row)| out.row_mut(i).copy_from_slice(row));
        });
    }
}

impl<S: Send + Sync> Gram for LowRank<S> {
    fn shape(&self) -> (usize, usize) {
        (self.of(Side::Rows).rows(), self.cols.rows())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        let rank = self.cols.cols();
        self.products(&self.of(Side::Rows).data()[rows.start * rank..rows.end * rank], self.cols.data(), cols, out);
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.products(self.of(Side::Rows).select_rows(rows).data(), self.cols.data(), cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        let all = self.single.get_or_init(|| self.cols.data().iter().map(|v| *v as f32).collect());
        let some: Vec<f32> = rows.iter().flat_map(|&i| self.of(Side::Rows).row(i)).map(|v| *v as f32).collect();
        self.products(&some, all, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        let of = self.of(side);
        (0..of.rows()).map(|i| of.row(i).iter().map(|v| v * v).sum()).collect()
    }
    fn symmetric(&self) -> bool {
        self.rows.is_none()
    }
    fn structure(&self) -> Structure<'_> {
        Structure::Features(self)
    }
}

impl<S: Send + Sync> FeatureSource for LowRank<S> {
    fn dense(&self, side: Side) -> Option<Cow<'_, Matrix>> {
        Some(Cow::Borrowed(self.of(side)))
    }
}

impl<S: Slope> Bound for LowRank<S> {
    fn parameters(&self) -> usize {
        self.slope.parameters()
    }
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        self.slope.gradient(&self.cols, weights, control)
    }
}

//! New rows against support rows, together with the kernel among the new rows: what a joint covariance needs.

use super::{Block, Gram, LogGram, Side, Structure, Subset};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use std::ops::Range;

/// A cross Gram matrix that knows the kernel among its rows.
pub struct Joint<'a> {
    /// New rows against support rows.
    pub cross: &'a dyn Gram,
    /// Among the new rows.
    pub among: &'a dyn Gram,
}

impl Gram for Joint<'_> {
    fn shape(&self) -> (usize, usize) {
        self.cross.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.cross.fill(rows, cols, out);
    }
    fn structure(&self) -> Structure<'_> {
        self.cross.structure()
    }
    fn folds(&self) -> bool {
        self.cross.folds()
    }
    fn folded(&self, rows: &[usize], coef: &Matrix, control: &Control) -> Result<Option<Matrix>> {
        self.cross.folded(rows, coef, control)
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.cross.diagonal(side)
    }
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.cross.fill_rows(rows, cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.cross.fill_f32(rows, cols, out);
    }
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        self.cross.fill_distances(rows, cols, out);
    }
    fn squared_distances(&self, apart: &mut [f64]) {
        self.cross.squared_distances(apart);
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.cross.logarithm()
    }
    fn nearest(&self, rows: &[usize], count: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        self.cross.nearest(rows, count)
    }
    fn among(&self, side: Side) -> Option<Box<dyn Gram + '_>> {
        let all: Vec<usize> = (0..self.among.shape().0).collect();
        (side == Side::Rows).then(|| Box::new(Subset::new(self.among, &all, &all)) as Box<dyn Gram>)
    }
}

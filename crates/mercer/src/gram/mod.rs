//! The Gram engine: kernel values between two batches, a block at a time.
//!
//! Estimators see only [`Gram`]; kernels only fill tiles. Blocks are fixed by size, never by thread,
//! so that results have the same bits for any number of threads.

mod block;
mod dense;

pub use block::Block;
pub use dense::{Dense, Subset, apply, dense};

use crate::linalg::Matrix;
use std::ops::Range;

/// One of the two batches of a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The batch along the rows: new inputs when predicting.
    Rows,
    /// The batch along the columns: support inputs when predicting.
    Cols,
}

/// Kernel values between two batches of inputs, a block at a time.
pub trait Gram: Sync {
    /// Inputs along the rows and along the columns.
    fn shape(&self) -> (usize, usize);
    /// Writes k(row i, column j) for every pair of the two ranges; `out` has their shape.
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>);
    /// k(x, x) for every input of one side.
    fn diagonal(&self, side: Side) -> Vec<f64>;
    /// Whether both sides are the same batch.
    fn symmetric(&self) -> bool {
        false
    }
    /// The same in f32 for any list of rows: what a decomposition solver asks for.
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        let mut row = vec![0.0; cols.len()];
        for (k, &i) in rows.iter().enumerate() {
            self.fill(i..i + 1, cols.clone(), Block::new(&mut row, 1, cols.len()));
            for (o, v) in out.row_mut(k).iter_mut().zip(&row) {
                *o = *v as f32;
            }
        }
    }
    /// Kernel values among the inputs of one side, where they can be had: what a joint covariance of predictions needs.
    fn among(&self, _side: Side) -> Option<Box<dyn Gram + '_>> {
        None
    }
    /// Z with K = Z Z', where the Gram matrix has low rank by construction.
    fn factor(&self) -> Option<&Matrix> {
        None
    }
}

/// A Gram matrix that knows how it changes with the parameters of its kernel.
pub trait Bound: Gram {
    /// Numeric parameters of the expression, in the order of `KernelExpr::values`; a parameter
    /// per column counts once per column.
    fn parameters(&self) -> usize;
    /// Whether [`Bound::gradient`] is available for every parameter; if not, use differences.
    fn differentiable(&self) -> bool;
    /// Adds sum_ij weights_ij dk_ij/dparameter over the block to `out`, one entry per parameter.
    /// `weights` is row-major with the shape of the two ranges.
    fn gradient(&self, rows: Range<usize>, cols: Range<usize>, weights: &[f64], out: &mut [f64]);
}

//! The Gram engine: kernel values between two batches, a block at a time.
//!
//! Estimators see only [`Gram`]; kernels only fill tiles. Blocks are fixed by size, never by thread,
//! so that results have the same bits for any number of threads.

mod boxes;
mod cache;
mod counts;
mod cpu;
mod dense;
mod direction_cosine;
mod distances;
mod dots;
mod engine;
mod feature_weights;
mod features;
mod gathered;
mod gradient;
mod input_gradient;
mod joint;
mod kernel;
mod lazy_whitening;
mod logarithm;
mod low_rank;
mod multiplied;
mod pair_weights;
mod parts;
mod pivoted_cholesky;
mod point_formula;
mod postings;
mod prepared_points;
mod psd;
mod rewrite;
mod row_features;
mod set_vectors;
mod spread;
mod structure;
mod subset;
mod tile;
mod tree;
mod unrelated;

pub use crate::linalg::Block;
pub use crate::linalg::simd::{Identity, Map, MapFormula};
pub(crate) use crate::linalg::simd::{
    Level, add_rows, axpy, axpy_wide, chi_squared_distance, dispatch, dot, dot_wide, l1_distance, level, map_row, rotate,
};
pub(crate) use boxes::{BoxLayout, BoxNode, BoxTree};
pub(crate) use cache::{Cell, Memory, RowCache, add_products, finite_diagonal};
pub use counts::Counts;
pub use cpu::Cpu;
pub(crate) use cpu::HERE;
pub use dense::Dense;
pub(crate) use dense::{Known, of_held_values, ranges};
pub use direction_cosine::DirectionCosine;
pub use engine::{Engine, Precision, apply, dense, install_engine};
pub(crate) use engine::{apply_among, apply_f32, apply_rows, fill_rows, fill_rows_f32};
pub(crate) use feature_weights::FeatureWeights;
pub use features::Features;
pub(crate) use gradient::{inner_product, plan_copies, reweigh, slope};
pub(crate) use input_gradient::{Coordinates, no_input_gradient, reweighed};
pub use joint::Joint;
pub use kernel::{Fold, Kernel, Mercer, PreparedBatch, Spectral};
pub(crate) use kernel::{Leaf, Ready, require_fit};
pub(crate) use lazy_whitening::{LazyWhitening, Triangular};
pub use logarithm::LogGram;
pub(crate) use logarithm::{log_decay, log_sum};
pub(crate) use low_rank::{LowRank, Slope};
pub(crate) use multiplied::Multiplied;
pub use pair_weights::{CentreWeights, PairWeights};
pub(crate) use parts::{Product, Sum};
pub(crate) use pivoted_cholesky::pivoted_cholesky;
pub use point_formula::{PointFormula, PointStatistic};
pub use prepared_points::PreparedPoints;
pub(crate) use prepared_points::Sparse;
pub use psd::{PsdCheck, Witness, psd_check};
pub(crate) use rewrite::{LogForm, Rewrite, Rewritten};
pub use row_features::RowFeatures;
pub use set_vectors::{SelectedVectors, SetVectors};
pub(crate) use spread::spread;
pub use structure::{FeatureSource, HeldMatrix, Structure};
pub use subset::Subset;
pub(crate) use subset::{runs, values_with};
pub use tile::{Tile, TileRows};
pub use unrelated::UnrelatedRows;

use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::ops::Range;

/// Numbers of [`Gram::fill_distances`] that differ by no more than this share differ by rounding: 0.1 is no number of the machine, and
/// sums of the same squares in another order end in other bits. Distances from sums of kernels may lose 5 of 16 digits.
pub(crate) const TIED: f64 = 1e-10;

/// One of the two batches of a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The batch along the rows: new inputs when predicting.
    Rows,
    /// The batch along the columns: support inputs when predicting.
    Cols,
}

/// Kernel values between two batches of inputs, a block at a time.
pub trait Gram: Send + Sync {
    /// Inputs along the rows and along the columns.
    fn shape(&self) -> (usize, usize);
    /// Writes k(row i, column j) for every pair of the two ranges; `out` has their shape.
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>);
    /// k(x, x) for every input of one side.
    fn diagonal(&self, side: Side) -> Vec<f64>;
    /// Whether both sides are the same batch and values mirror each other. Without it k(row, column) is one thing and k(column, row)
    /// another: a row is what is predicted or left out, a column what it is compared with.
    fn symmetric(&self) -> bool {
        false
    }
    /// Writes k(row i, column j) for a list of rows in any order, and a range of columns.
    fn fill_rows(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        let width = cols.len();
        let mut k = 0;
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            self.fill(run[0]..run[0] + run.len(), cols.clone(), out.part(k..k + run.len(), 0..width));
            k += run.len();
        }
    }
    /// Writes kernel values for a list of rows in f32, as decomposition solvers ask for.
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
    /// Writes a monotone surrogate of the feature-space distance: for each pair a number that increases with |phi(x) - phi(z)| and
    /// represents the square that [`Gram::squared_distances`] gives. Where more than kernel values is known, nothing cancels: it is
    /// never negative, and 0 between equal inputs.
    fn fill_distances(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        distances::fill(self, rows, cols, out);
    }
    /// |phi(x) - phi(z)|^2 in place of numbers that [`Gram::fill_distances`] has written.
    fn squared_distances(&self, apart: &mut [f64]) {
        distances::square(self, apart);
    }
    /// Its logarithm, where values are known by it.
    fn logarithm(&self) -> Option<&dyn LogGram> {
        None
    }
    /// Whether it is known to have one value for all pairs, so that it is of no account for distances.
    fn is_constant(&self) -> bool {
        false
    }
    /// For each of some rows the `count` columns nearest to it and all others as near as the last of them but for rounding
    /// (a share of 1e-10), by column, with the numbers of [`Gram::fill_distances`]; `None` where they are not found faster than by a scan.
    fn nearest(&self, _rows: &[usize], _count: usize) -> Option<Vec<Vec<(usize, f64)>>> {
        None
    }
    /// Of a symmetric Gram matrix that among some of its inputs, in any order, what is known of them laid out anew one after
    /// the other; `None` where a [`Subset`] is all there is.
    fn gathered(&self, _rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        None
    }
    /// What it is known to be besides its values: held as a whole, or products of features. Free to ask for.
    fn structure(&self) -> Structure<'_> {
        Structure::Opaque
    }
    /// sum_s coef[s, o] k(row, s) for a list of rows, where the columns fold into one function whose cost is that of a row alone, however
    /// many they are; `None` where that does not pay, whatever the rows.
    ///
    /// # Errors
    /// Bounds of `control`.
    fn folded(&self, _rows: &[usize], _coef: &Matrix, _control: &Control) -> Result<Option<Matrix>> {
        Ok(None)
    }
    /// By kernel, the rows that have nothing in common with any column, of kernels that say so: see [`Kernel::SHARED`].
    fn unrelated_rows(&self) -> Vec<UnrelatedRows> {
        Vec::new()
    }
    /// Whether [`Gram::folded`] may have an answer: coefficients are written out for it.
    fn folds(&self) -> bool {
        false
    }
    /// The rows with k(x, x) = 0, ascending.
    fn zero_rows(&self) -> Vec<usize> {
        self.diagonal(Side::Rows).iter().enumerate().filter(|(_, k)| **k == 0.0).map(|(i, _)| i).collect()
    }
}

/// A Gram matrix that knows how it changes with the parameters of its kernel.
pub trait Bound: Gram {
    /// Numeric parameters of the expression, in the order of `KernelExpr::values`; a parameter
    /// per column counts once per column.
    fn parameters(&self) -> usize;
    /// sum_ij weights_ij dk_ij/dparameter over the pairs that are weighed, one entry per parameter, for a Gram matrix among N inputs of one
    /// batch. Parameters that have no derivative (whole numbers) get 0. The memory is that of as many numbers as there are weights per level
    /// of composition at most, whatever the number of parameters; compositions that mix all rows take N x N of them.
    fn gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>>;
    /// sum_s weights_is dk(x_i, z_s)/dx_i of each row i over the columns s, rows x numbers of an input: those of all columns of numbers and
    /// vectors of the rows that it was bound to, in order; 0 for those that it does not take. Weights are rows x columns.
    ///
    /// # Errors
    /// A kernel without this derivative, by name; bounds of `control`.
    fn input_gradient(&self, _weights: &Matrix, _control: &Control) -> Result<Matrix> {
        Err(input_gradient::no_known_input_gradient())
    }
    /// Kernel values between the vectors of sets, where it is made of such.
    fn vectors(&self) -> Option<SetVectors<'_>> {
        None
    }
    /// sum_ij weights_ij d ln k_ij/dparameter of a Gram matrix of positive values, as [`Bound::gradient`]; pairs with k = 0 are left out.
    fn log_gradient(&self, weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
        gradient::log_gradient_of_values(self, weights, control)
    }
}

/// What `of` makes of each of so many inputs, on all threads, of which one takes at least so many `together`.
///
/// # Errors
/// Bounds of `control`, which is asked for time between inputs.
pub(crate) fn prepare_each<R: Send>(
    count: usize,
    together: usize,
    control: &Control,
    of: impl Fn(usize) -> R + Sync + Send,
) -> Result<Vec<R>> {
    let one = |i: usize| {
        control.check_time("inputs of a kernel")?;
        Ok(of(i))
    };
    (0..count).into_par_iter().with_min_len(together).map(one).collect()
}

/// Lends a buffer that is kept for the next tile of the same thread: fresh memory for every tile would cost a page
/// fault per 4 kB. Its contents are left over from earlier use.
pub(crate) fn with_scratch<T: crate::linalg::Real, R>(len: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    use std::cell::RefCell;
    thread_local! {
        static KEPT: RefCell<Vec<Box<dyn std::any::Any>>> = const { RefCell::new(Vec::new()) };
    }
    let found = KEPT.with(|kept| {
        let mut kept = kept.borrow_mut();
        let at = kept.iter().rposition(|b| b.is::<Vec<T>>())?;
        kept.swap_remove(at).downcast::<Vec<T>>().ok()
    });
    let mut buffer = found.unwrap_or_default();
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
    let result = work(&mut buffer[..len]);
    KEPT.with(|kept| kept.borrow_mut().push(buffer));
    result
}

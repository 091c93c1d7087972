//! A Gram matrix held as a whole, and the tiles that others are computed by.

use super::logarithm::log_decay;
use super::structure::SingleCopy;
use super::{Block, Bound, Gram, HeldMatrix, LogGram, PairWeights, Side, Structure, dense};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Rows and columns of a tile: 450 kB of f64, which stays in a second-level cache. A multiple of the widths of the
/// backend's product in every instruction set (12, 24, 48), which is slower on what is left over.
pub(crate) const TILE: usize = 240;

/// The ranges that cover `0..n` in steps of `step`.
pub(crate) fn ranges(n: usize, step: usize) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator + Clone {
    (0..n.div_ceil(step)).map(move |k| k * step..((k + 1) * step).min(n))
}

/// A Gram matrix that is there already: precomputed by the user, or computed once and shared.
#[derive(Clone, Debug)]
pub struct Dense {
    values: Matrix,
    symmetric: bool,
    diagonals: [Vec<f64>; 2],
    among_rows: Option<Matrix>,
    /// Whether every value has been looked at.
    finite: bool,
    logarithm: HeldLogarithm,
    single: SingleCopy,
}

/// What is known of the logarithm of a matrix.
#[derive(Clone, Debug)]
enum HeldLogarithm {
    /// Nothing: values may be 0 and below by their nature.
    Unknown,
    /// That of the values, which are accurate enough.
    OfValues,
    /// d of every pair: see [`LogGram`].
    Decays(Matrix),
}

impl Dense {
    /// A square Gram matrix among training rows.
    pub fn square(values: Matrix) -> Result<Self> {
        if values.rows() != values.cols() {
            return Err(Error::Shape { what: "columns of a square Gram matrix".into(), expected: values.rows(), found: values.cols() });
        }
        let d = values.diagonal();
        Ok(Dense::new(values, true, [d.clone(), d]))
    }
    fn new(values: Matrix, symmetric: bool, diagonals: [Vec<f64>; 2]) -> Self {
        let (logarithm, single) = (HeldLogarithm::Unknown, SingleCopy::default());
        Dense { values, symmetric, diagonals, among_rows: None, finite: false, logarithm, single }
    }
    /// A Gram matrix between new rows and support rows, with k(x, x) of both.
    pub fn cross(values: Matrix, rows: Vec<f64>, cols: Vec<f64>) -> Result<Self> {
        for (d, n) in [(&rows, values.rows()), (&cols, values.cols())] {
            if d.len() != n {
                return Err(Error::Shape { what: "diagonal of a Gram matrix".into(), expected: n, found: d.len() });
            }
        }
        Ok(Dense::new(values, false, [rows, cols]))
    }
    /// Adds kernel values among the new rows (M x M), which a joint covariance of predictions needs.
    pub fn with_rows(self, among_rows: Matrix) -> Result<Self> {
        for found in [among_rows.rows(), among_rows.cols()] {
            if found != self.values.rows() {
                return Err(Error::Shape { what: "Gram matrix among new rows".into(), expected: self.values.rows(), found });
            }
        }
        Ok(Dense { among_rows: Some(among_rows), ..self })
    }
    /// This matrix, every value of which the caller has looked at: all are finite.
    pub(crate) fn known_finite(self) -> Self {
        Dense { finite: true, ..self }
    }
    /// Computes every value of a Gram matrix once, and its logarithm besides where values lose too much of it.
    pub fn of(gram: &dyn Gram, control: &Control) -> Result<Self> {
        let diagonals = [gram.diagonal(Side::Rows), gram.diagonal(Side::Cols)];
        let values = dense(gram, control)?;
        let made = Dense { finite: true, ..Dense::new(values, gram.symmetric(), diagonals) };
        let logarithm = match gram.logarithm() {
            None => HeldLogarithm::Unknown,
            Some(log) if made.is_inaccurate() => HeldLogarithm::Decays(log_decays(log, made.shape(), control)?),
            Some(_) => HeldLogarithm::OfValues,
        };
        Ok(Dense { logarithm, ..made })
    }
    /// Whether some value is neither accurate enough for its logarithm nor equal to sqrt(k(x, x) k(z, z)).
    fn is_inaccurate(&self) -> bool {
        // Values from this share of k(x, x) up to this one are accurate enough for their logarithm and for what they lack of k(x, x).
        const ACCURATE: (f64, f64) = (1e-300, 1.0 - 1e-6);
        let [rows, cols] = &self.diagonals;
        let (low, high) = ACCURATE;
        let lacks = |i: usize, j: usize, k: f64| {
            let scale = (rows[i] * cols[j]).sqrt();
            scale > 0.0 && k != scale && !(k >= low * scale && k <= high * scale) && !(self.symmetric && i == j)
        };
        (0..rows.len()).any(|i| self.values.row(i).iter().enumerate().any(|(j, k)| lacks(i, j, *k)))
    }
    /// The matrix.
    pub fn matrix(&self) -> &Matrix {
        &self.values
    }
    /// The matrix, taken out.
    pub fn into_matrix(self) -> Matrix {
        self.values
    }
}

impl Gram for Dense {
    fn shape(&self) -> (usize, usize) {
        (self.values.rows(), self.values.cols())
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, mut out: Block<'_, f64>) {
        for (k, i) in rows.enumerate() {
            out.row_mut(k).copy_from_slice(&self.values.row(i)[cols.clone()]);
        }
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.diagonals[usize::from(side == Side::Cols)].clone()
    }
    fn symmetric(&self) -> bool {
        self.symmetric
    }
    fn structure(&self) -> Structure<'_> {
        match self.finite {
            true => Structure::Held(HeldMatrix::new(&self.values).with_single(&self.single)),
            false => Structure::Opaque,
        }
    }
    fn among(&self, side: Side) -> Option<Box<dyn Gram + '_>> {
        if self.symmetric {
            return Some(Box::new(self.clone()));
        }
        let values = self.among_rows.as_ref().filter(|_| side == Side::Rows)?;
        Some(Box::new(Dense::square(values.clone()).ok()?))
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f32>) {
        for (k, &i) in rows.iter().enumerate() {
            for (o, v) in out.row_mut(k).iter_mut().zip(&self.values.row(i)[cols.clone()]) {
                *o = *v as f32;
            }
        }
    }
    fn logarithm(&self) -> Option<&dyn LogGram> {
        (!matches!(self.logarithm, HeldLogarithm::Unknown)).then_some(self)
    }
}

impl LogGram for Dense {
    fn log_diagonal(&self, side: Side) -> Vec<f64> {
        self.diagonal(side).into_iter().map(libm::log).collect()
    }
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, mut out: Block<'_, f64>) {
        let [own, others] = &self.diagonals;
        for (k, &i) in rows.iter().enumerate() {
            if let HeldLogarithm::Decays(decays) = &self.logarithm {
                out.row_mut(k).copy_from_slice(&decays.row(i)[cols.clone()]);
                continue;
            }
            for (o, j) in out.row_mut(k).iter_mut().zip(cols.clone()) {
                let is_itself = self.symmetric && i == j;
                *o = if is_itself { 0.0 } else { log_decay(self.values[(i, j)], (own[i] * others[j]).sqrt()) };
            }
        }
    }
}

/// d of every pair: see [`LogGram`].
fn log_decays(log: &dyn LogGram, (rows, cols): (usize, usize), control: &Control) -> Result<Matrix> {
    control.plan("logarithms of kernel values", 8 * rows as u64 * cols as u64)?;
    let mut decays = Matrix::zeros(rows, cols);
    decays.data_mut().par_chunks_mut((TILE * cols).max(1)).enumerate().try_for_each(|(t, band)| {
        control.check_time("logarithms of kernel values")?;
        let some: Vec<usize> = (t * TILE..t * TILE + band.len() / cols).collect();
        log.fill_log_decay(&some, 0..cols, Block::new(band, some.len(), cols));
        Ok(())
    })?;
    Ok(decays)
}

/// The Gram matrix of a type whose field holds all values, with further methods of its own.
macro_rules! of_held_values {
    ($name:ty, $values:tt, { $($more:tt)* }) => {
        impl $crate::gram::Gram for $name {
            fn shape(&self) -> (usize, usize) {
                self.$values.shape()
            }
            fn fill(&self, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>, out: $crate::gram::Block<'_, f64>) {
                self.$values.fill(rows, cols, out);
            }
            fn fill_f32(&self, rows: &[usize], cols: std::ops::Range<usize>, out: $crate::gram::Block<'_, f32>) {
                self.$values.fill_f32(rows, cols, out);
            }
            fn diagonal(&self, side: $crate::gram::Side) -> Vec<f64> {
                self.$values.diagonal(side)
            }
            fn symmetric(&self) -> bool {
                self.$values.symmetric()
            }
            $($more)*
        }
    };
}
pub(crate) use of_held_values;

/// Values that are known, of a kernel of which no number moves.
pub(crate) struct Known(pub Arc<Dense>);

of_held_values!(Known, 0, {
    fn logarithm(&self) -> Option<&dyn LogGram> {
        self.0.logarithm()
    }
});

impl Bound for Known {
    fn parameters(&self) -> usize {
        0
    }
    fn gradient(&self, _: &PairWeights, _: &Control) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }
}

//! A Gram matrix held as a whole, and the tiles that others are computed by.

use super::structure::SingleCopy;
use super::{Block, Bound, Gram, HeldMatrix, Side, Structure, dense};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
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
    single: SingleCopy,
}

impl Dense {
    /// A square Gram matrix among training rows.
    pub fn square(values: Matrix) -> Result<Self> {
        if values.rows() != values.cols() {
            return Err(Error::Shape { what: "columns of a square Gram matrix".into(), expected: values.rows(), found: values.cols() });
        }
        let d = values.diagonal();
        Ok(Dense { values, symmetric: true, diagonals: [d.clone(), d], among_rows: None, finite: false, single: SingleCopy::default() })
    }
    /// A Gram matrix between new rows and support rows, with k(x, x) of both.
    pub fn cross(values: Matrix, rows: Vec<f64>, cols: Vec<f64>) -> Result<Self> {
        for (d, n) in [(&rows, values.rows()), (&cols, values.cols())] {
            if d.len() != n {
                return Err(Error::Shape { what: "diagonal of a Gram matrix".into(), expected: n, found: d.len() });
            }
        }
        Ok(Dense { values, symmetric: false, diagonals: [rows, cols], among_rows: None, finite: false, single: SingleCopy::default() })
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
    /// Computes every value of a Gram matrix once.
    pub fn of(gram: &dyn Gram, control: &Control) -> Result<Self> {
        let diagonals = [gram.diagonal(Side::Rows), gram.diagonal(Side::Cols)];
        Ok(Dense {
            values: dense(gram, control)?,
            symmetric: gram.symmetric(),
            diagonals,
            among_rows: None,
            finite: true,
            single: SingleCopy::default(),
        })
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
}

/// Values that are known, of a kernel of which no number moves.
pub(crate) struct Known(pub Arc<Dense>);

impl Gram for Known {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.0.fill(rows, cols, out);
    }
    fn fill_f32(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        self.0.fill_f32(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.0.diagonal(side)
    }
    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }
}

impl Bound for Known {
    fn parameters(&self) -> usize {
        0
    }
    fn gradient(&self, _: &Matrix, _: &Control) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }
}

//! Engines: what computes whole Gram matrices, products with them and lists of their rows. The CPU is one, and the one by default.

use super::cpu::Cpu;
use super::logarithm::require_not_lost;
use super::{Block, Gram, Side};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use std::ops::Range;
use std::sync::OnceLock;

/// Precision of the kernel values that a product multiplies; sums over tiles are in f64 in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f64.
    Double,
    /// f32.
    Single,
}

/// Computes from Gram matrices. Every method is the CPU's unless it is overridden: an engine computes the matrices that it can see
/// through ([`Structure::point_formula`](super::Structure::point_formula)) and hands the others to [`Cpu`]. Sizes fit when a method is called.
///
/// Results do not depend on the number of threads, and each long computation asks `control` for time and cancelling.
pub trait Engine: Sync {
    /// The whole matrix, every value finite, exactly symmetric where the Gram matrix is.
    ///
    /// # Errors
    /// [`Error::Numerical`] where a value is not finite; bounds of `control`.
    fn dense(&self, gram: &dyn Gram, control: &Control) -> Result<Matrix> {
        Cpu.dense(gram, control)
    }
    /// K V (M x outputs) for coefficients V (N x outputs), without forming K.
    ///
    /// # Errors
    /// Bounds of `control`.
    fn apply(&self, gram: &dyn Gram, coef: &Matrix, precision: Precision, control: &Control) -> Result<Matrix> {
        Cpu.apply(gram, coef, precision, control)
    }
    /// K[rows, cols]' V (cols x outputs) for coefficients V of a list of rows; one thread of the CPU takes at least `least` tiles.
    ///
    /// # Errors
    /// Bounds of `control`; what the engine cannot do.
    fn apply_rows(
        &self,
        gram: &dyn Gram,
        rows: &[usize],
        cols: Range<usize>,
        coef: &Matrix,
        least: usize,
        control: &Control,
    ) -> Result<Matrix> {
        Cpu.apply_rows(gram, rows, cols, coef, least, control)
    }
    /// K V of the first V.rows() inputs of a symmetric Gram matrix among themselves; `least` as in [`Engine::apply_rows`].
    ///
    /// # Errors
    /// Bounds of `control`.
    fn apply_among(&self, gram: &dyn Gram, coef: &Matrix, least: usize, control: &Control) -> Result<Matrix> {
        Cpu.apply_among(gram, coef, least, control)
    }
    /// Writes kernel values of a list of rows, a tile of a row cache.
    fn rows(&self, gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
        gram.fill_rows(rows, cols, out);
    }
    /// Writes kernel values of a list of rows in f32, a tile of a row cache.
    fn rows_f32(&self, gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
        gram.fill_f32(rows, cols, out);
    }
}

static INSTALLED: OnceLock<&'static dyn Engine> = OnceLock::new();

/// Makes an engine the one of the whole process; without it that is the CPU.
///
/// # Errors
/// [`Error::Setting`] if one is installed already.
pub fn install_engine(engine: &'static dyn Engine) -> Result<()> {
    INSTALLED.set(engine).map_err(|_| Error::Setting {
        name: "engine".into(),
        why: "one is installed already; install one, at the start of the program".into(),
    })
}

/// The engine of the process.
pub(super) fn engine() -> &'static dyn Engine {
    INSTALLED.get().copied().unwrap_or(&Cpu)
}

/// The whole matrix. A symmetric Gram matrix is computed once per pair and mirrored, so that it is exactly symmetric.
///
/// # Errors
/// [`Error::Numerical`] where a value is not finite, or k(x, x) below the range of numbers; bounds of `control`.
pub fn dense(gram: &dyn Gram, control: &Control) -> Result<Matrix> {
    let values = engine().dense(gram, control)?;
    if gram.symmetric() {
        require_not_lost(gram, Side::Rows, &values.diagonal())?;
    }
    Ok(values)
}

/// K V without forming K: M x outputs from an M x N Gram matrix and N x outputs coefficients.
///
/// # Errors
/// Sizes that do not fit; bounds of `control`, which is asked per tile.
pub fn apply(gram: &dyn Gram, coef: &Matrix, control: &Control) -> Result<Matrix> {
    require_rows(coef, gram.shape().1)?;
    engine().apply(gram, coef, Precision::Double, control)
}

/// K V with kernel values in f32, without forming K; the products of a tile are accumulated in f64.
pub(crate) fn apply_f32(gram: &dyn Gram, coef: &Matrix, control: &Control) -> Result<Matrix> {
    require_rows(coef, gram.shape().1)?;
    engine().apply(gram, coef, Precision::Single, control)
}

/// K[rows, cols]' V without forming it: cols x outputs from rows x outputs coefficients of any list of rows. For a symmetric
/// K that is K V where V is zero but for those rows.
pub(crate) fn apply_rows(
    gram: &dyn Gram,
    rows: &[usize],
    cols: Range<usize>,
    coef: &Matrix,
    least: usize,
    control: &Control,
) -> Result<Matrix> {
    require_rows(coef, rows.len())?;
    engine().apply_rows(gram, rows, cols, coef, least, control)
}

/// K V of the first V.rows() inputs of a symmetric Gram matrix among themselves, without forming it and each value computed once.
pub(crate) fn apply_among(gram: &dyn Gram, coef: &Matrix, least: usize, control: &Control) -> Result<Matrix> {
    engine().apply_among(gram, coef, least, control)
}

/// Writes kernel values of a list of rows.
pub(crate) fn fill_rows(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>) {
    engine().rows(gram, rows, cols, out);
}

/// Writes kernel values of a list of rows in f32.
pub(crate) fn fill_rows_f32(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, out: Block<'_, f32>) {
    engine().rows_f32(gram, rows, cols, out);
}

fn require_rows(coef: &Matrix, expected: usize) -> Result<()> {
    match coef.rows() == expected {
        true => Ok(()),
        false => Err(Error::Shape { what: "rows of the coefficients".into(), expected, found: coef.rows() }),
    }
}

//! Whole Gram matrices, parts of them, and products with them that never form them.

use super::structure::SingleCopy;
use super::{Block, Bound, Gram, HeldMatrix, Side, Structure, with_scratch};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::simd::{all_finite, axpy, dot};
use crate::linalg::{self, Matrix, Real};
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

/// A pointer that several threads use for windows that do not overlap.
#[derive(Clone, Copy)]
struct Shared(*mut f64);
// SAFETY: only dereferenced through disjoint windows.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The window lies inside the allocation and no other live window overlaps it.
    unsafe fn window<'a>(self, rows: &Range<usize>, cols: &Range<usize>, stride: usize) -> Block<'a, f64> {
        // SAFETY: promised by the caller.
        unsafe { Block::from_raw(self.0.add(rows.start * stride + cols.start), rows.len(), cols.len(), stride) }
    }
}

/// The whole matrix. A symmetric Gram matrix is computed once per pair and mirrored, so that it is exactly symmetric.
pub fn dense(gram: &dyn Gram, control: &Control) -> Result<Matrix> {
    let (m, n) = gram.shape();
    control.plan(&format!("a {m} x {n} Gram matrix"), 8 * m as u64 * n as u64)?;
    let mut out = Matrix::unset(m, n, control);
    let target = Shared(out.data_mut().as_mut_ptr());
    let symmetric = gram.symmetric();
    let tiles: Vec<(Range<usize>, Range<usize>)> = ranges(m, TILE)
        .flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c)))
        .filter(|(r, c)| !symmetric || c.start <= r.start)
        .collect();
    let fault = tiles.par_iter().find_map_first(|(r, c)| {
        if let Err(asked) = control.check_wanted("Gram matrix") {
            return Some(asked);
        }
        // SAFETY: tiles are disjoint, and so are their mirror images, which fill the tiles left out above.
        let fault = unsafe {
            gram.fill(r.clone(), c.clone(), target.window(r, c, n));
            if symmetric {
                mirror(target.window(r, c, n), target, r, c, n);
            }
            not_finite(target.window(r, c, n), r.start, c.start)
        };
        fault.map(|(row, column, value)| Error::Numerical {
            what: "Gram matrix".into(),
            why: format!(
                "the kernel of rows {} and {} is {value}; scale the columns or change the kernel's parameters",
                row + 1,
                column + 1
            ),
        })
    });
    fault.map_or(Ok(out), Err)
}

/// The first number of a tile that is not finite, with its place.
fn not_finite(mut tile: Block<'_, f64>, row: usize, column: usize) -> Option<(usize, usize, f64)> {
    (0..tile.rows()).find_map(|i| {
        let values = tile.row_mut(i);
        // A sum over all runs in vectors, a search that may stop does not.
        if all_finite(values) {
            return None;
        }
        let at = values.iter().position(|v| !v.is_finite())?;
        Some((row + i, column + at, values[at]))
    })
}

/// Copies the part of a tile below the diagonal to its mirror image.
///
/// # Safety
/// Nothing else touches the tile or its mirror image.
unsafe fn mirror(mut tile: Block<'_, f64>, target: Shared, rows: &Range<usize>, cols: &Range<usize>, n: usize) {
    const STEP: usize = 8;
    for i0 in (0..rows.len()).step_by(STEP) {
        let height = STEP.min(rows.len() - i0);
        // Columns left of the diagonal in the first of these rows, and so in all of them.
        let below = (rows.start + i0).saturating_sub(cols.start).min(cols.len());
        let whole = if height == STEP { below / STEP * STEP } else { 0 };
        for j0 in (0..whole).step_by(STEP) {
            let mut turned = [[0.0; STEP]; STEP];
            for i in 0..STEP {
                let source = &tile.row_mut(i0 + i)[j0..j0 + STEP];
                (0..STEP).for_each(|j| turned[j][i] = source[j]);
            }
            for (j, line) in turned.iter().enumerate() {
                // SAFETY: these columns lie left of the diagonal in these rows: their mirror image lies above it.
                unsafe { target.0.add((cols.start + j0 + j) * n + rows.start + i0).cast::<[f64; STEP]>().write(*line) };
            }
        }
        for i in i0..i0 + height {
            let source = tile.row_mut(i);
            for (j, v) in source.iter().enumerate().take((rows.start + i).saturating_sub(cols.start)).skip(whole) {
                // SAFETY: (column, row) lies above the diagonal, in the mirror image of this tile.
                unsafe { *target.0.add((cols.start + j) * n + rows.start + i) = *v };
            }
        }
    }
}

/// K V without forming K: M x outputs from an M x N Gram matrix and N x outputs coefficients.
///
/// An error if the sizes do not fit, or on request of `control`, which is asked per tile.
pub fn apply(gram: &dyn Gram, coef: &Matrix, control: &Control) -> Result<Matrix> {
    apply_in::<f64>(gram, coef, control, &|rows, cols, out| gram.fill(rows, cols, out))
}

/// K V with kernel values in f32, without forming K; the products of a tile are accumulated in f64.
pub(crate) fn apply_f32(gram: &dyn Gram, coef: &Matrix, control: &Control) -> Result<Matrix> {
    apply_in::<f32>(gram, coef, control, &|rows, cols, out| gram.fill_f32(&rows.collect::<Vec<_>>(), cols, out))
}

/// Writes the kernel values of a tile.
type Fill<'a, T> = &'a (dyn Fn(Range<usize>, Range<usize>, Block<'_, T>) + Sync);

fn apply_in<T: Real>(gram: &dyn Gram, coef: &Matrix, control: &Control, fill: Fill<'_, T>) -> Result<Matrix> {
    let (m, n) = gram.shape();
    if coef.rows() != n {
        return Err(Error::Shape { what: "rows of the coefficients".into(), expected: n, found: coef.rows() });
    }
    let outputs = coef.cols();
    let rounded: Vec<T> = coef.data().iter().map(|&v| T::from_f64(v)).collect();
    let parts: Vec<Vec<f64>> = ranges(m, TILE)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|rows| {
            let mut out = vec![0.0; rows.len() * outputs];
            with_scratch(rows.len() * (TILE + outputs), |scratch: &mut [T]| -> Result<()> {
                let (tile, part) = scratch.split_at_mut(rows.len() * TILE);
                for cols in ranges(n, TILE) {
                    control.check_time("predictions")?;
                    let tile = &mut tile[..rows.len() * cols.len()];
                    fill(rows.clone(), cols.clone(), Block::new(tile, rows.len(), cols.len()));
                    let coef = &rounded[cols.start * outputs..cols.end * outputs];
                    if outputs == 1 {
                        // A row's value has the same bits whatever rows are asked for beside it.
                        part.iter_mut().zip(tile.chunks_exact(cols.len())).for_each(|(p, row)| *p = dot(row, coef));
                    } else {
                        linalg::product_into(tile, coef, part, rows.len(), cols.len(), outputs);
                    }
                    out.iter_mut().zip(part.iter()).for_each(|(o, p)| *o += p.to_f64());
                }
                Ok(())
            })?;
            Ok(out)
        })
        .collect::<Result<_>>()?;
    Matrix::new(m, outputs, parts.concat())
}

/// Tiles that one thread takes at least: [`HERE`] where threads have work already, and nothing may be begun on this one meanwhile.
pub(crate) const HERE: usize = usize::MAX;

/// K[rows, cols]' V without forming it: cols x outputs from rows x outputs coefficients of any list of rows. For a symmetric
/// K that is K V where V is zero but for those rows.
pub(crate) fn apply_rows(gram: &dyn Gram, rows: &[usize], cols: Range<usize>, coef: &Matrix, least: usize) -> Result<Matrix> {
    if coef.rows() != rows.len() {
        return Err(Error::Shape { what: "rows of the coefficients".into(), expected: rows.len(), found: coef.rows() });
    }
    let outputs = coef.cols();
    let parts: Vec<Vec<f64>> = ranges(cols.len(), TILE)
        .collect::<Vec<_>>()
        .into_par_iter()
        .with_min_len(least)
        .map(|c| {
            let (c, width) = (cols.start + c.start..cols.start + c.end, c.len());
            let mut out = vec![0.0; width * outputs];
            with_scratch(TILE * width, |tile: &mut [f64]| {
                for (list, coef) in rows.chunks(TILE).zip(coef.data().chunks((TILE * outputs).max(1))) {
                    let tile = &mut tile[..list.len() * width];
                    gram.fill_rows(list, c.clone(), Block::new(tile, list.len(), width));
                    linalg::add_transposed_product(tile, coef, &mut out, list.len(), width, outputs);
                }
            });
            out
        })
        .collect();
    Matrix::new(cols.len(), outputs, parts.concat())
}

/// K V of the first V.rows() inputs of a symmetric Gram matrix among themselves, without forming it and each value computed once.
pub(crate) fn apply_among(gram: &dyn Gram, coef: &Matrix, least: usize, control: &Control) -> Result<Matrix> {
    let (n, outputs) = (coef.rows(), coef.cols());
    let tiles: Vec<(Range<usize>, Range<usize>)> =
        ranges(n, TILE).flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c))).filter(|(r, c)| c.start <= r.start).collect();
    let part = |range: &Range<usize>| &coef.data()[range.start * outputs..range.end * outputs];
    let products: Vec<[Vec<f64>; 2]> = tiles
        .par_iter()
        .with_min_len(least)
        .map(|(r, c)| {
            control.check()?;
            let (mut down, mut along) = (vec![0.0; c.len() * outputs], vec![0.0; r.len() * outputs]);
            with_scratch(r.len() * c.len(), |tile: &mut [f64]| {
                gram.fill(r.clone(), c.clone(), Block::new(tile, r.len(), c.len()));
                let below = c.start < r.start;
                if outputs == 1 {
                    for ((row, o), b) in tile.chunks_exact(c.len()).zip(&mut along).zip(part(r)) {
                        *o = dot(row, part(c));
                        axpy(if below { *b } else { 0.0 }, row, &mut down);
                    }
                    return;
                }
                linalg::product_into(tile, part(c), &mut along, r.len(), c.len(), outputs);
                if below {
                    linalg::add_transposed_product(tile, part(r), &mut down, r.len(), c.len(), outputs);
                }
            });
            Ok([along, down])
        })
        .collect::<Result<_>>()?;
    let mut out = Matrix::zeros(n, outputs);
    for ((r, c), products) in tiles.iter().zip(products) {
        for (range, product) in [r, c].into_iter().zip(products) {
            out.data_mut()[range.start * outputs..range.end * outputs].iter_mut().zip(product).for_each(|(o, p)| *o += p);
        }
    }
    Ok(out)
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

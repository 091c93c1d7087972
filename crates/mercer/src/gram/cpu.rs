//! The CPU as an engine: tiles on all threads.

use super::dense::{TILE, ranges};
use super::{Block, Engine, Gram, Precision, with_scratch};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::simd::{all_finite, axpy, dot};
use crate::linalg::{self, Matrix, Real};
use rayon::prelude::*;
use std::ops::Range;

/// All threads of the process: tiles that kernels fill, each product of a tile added up before the next is filled.
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

impl Engine for Cpu {
    fn dense(&self, gram: &dyn Gram, control: &Control) -> Result<Matrix> {
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
                gram.fill(r.clone(), c.clone(), target.window(r, c, n).watched(control));
                if let Err(asked) = control.check_time("Gram matrix") {
                    return Some(asked);
                }
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
    fn apply(&self, gram: &dyn Gram, coef: &Matrix, precision: Precision, control: &Control) -> Result<Matrix> {
        match precision {
            Precision::Double => apply_in::<f64>(gram, coef, control, &|rows, cols, out| gram.fill(rows, cols, out)),
            Precision::Single => {
                apply_in::<f32>(gram, coef, control, &|rows, cols, out| gram.fill_f32(&rows.collect::<Vec<_>>(), cols, out))
            }
        }
    }
    fn apply_rows(
        &self,
        gram: &dyn Gram,
        rows: &[usize],
        cols: Range<usize>,
        coef: &Matrix,
        least: usize,
        control: &Control,
    ) -> Result<Matrix> {
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
                        control.check_time("kernel values")?;
                        let tile = &mut tile[..list.len() * width];
                        gram.fill_rows(list, c.clone(), Block::new(tile, list.len(), width).watched(control));
                        linalg::add_transposed_product(tile, coef, &mut out, list.len(), width, outputs);
                    }
                    control.check_time("kernel values")
                })?;
                Ok(out)
            })
            .collect::<Result<_>>()?;
        Matrix::new(cols.len(), outputs, parts.concat())
    }
    fn apply_among(&self, gram: &dyn Gram, coef: &Matrix, least: usize, control: &Control) -> Result<Matrix> {
        let (n, outputs) = (coef.rows(), coef.cols());
        let tiles: Vec<(Range<usize>, Range<usize>)> =
            ranges(n, TILE).flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c))).filter(|(r, c)| c.start <= r.start).collect();
        let part = |range: &Range<usize>| &coef.data()[range.start * outputs..range.end * outputs];
        let products: Vec<[Vec<f64>; 2]> = tiles
            .par_iter()
            .with_min_len(least)
            .map(|(r, c)| {
                control.check_time("kernel values")?;
                let (mut down, mut along) = (vec![0.0; c.len() * outputs], vec![0.0; r.len() * outputs]);
                with_scratch(r.len() * c.len(), |tile: &mut [f64]| {
                    gram.fill(r.clone(), c.clone(), Block::new(tile, r.len(), c.len()).watched(control));
                    if control.is_given_up() {
                        return;
                    }
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
                control.check_time("kernel values")?;
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
}

/// Tiles that one thread takes at least: [`HERE`] where threads have work already, and nothing may be begun on this one meanwhile.
pub(crate) const HERE: usize = usize::MAX;

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

/// Writes the kernel values of a tile.
type Fill<'a, T> = &'a (dyn Fn(Range<usize>, Range<usize>, Block<'_, T>) + Sync);

fn apply_in<T: Real>(gram: &dyn Gram, coef: &Matrix, control: &Control, fill: Fill<'_, T>) -> Result<Matrix> {
    let (m, n) = gram.shape();
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
                    fill(rows.clone(), cols.clone(), Block::new(tile, rows.len(), cols.len()).watched(control));
                    control.check_time("predictions")?;
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

//! Sums over all pairs of a Gram matrix among the rows of one batch, tile by tile, in an order that does not depend on threads.

use super::dense::{TILE, ranges};
use super::{Block, Bound, CentreWeights, Gram, PairWeights, Side, TileRows, runs, with_scratch};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::ops::Range;

/// The tiles on and below the diagonal of an N x N matrix.
fn lower_tiles(n: usize) -> Vec<(Range<usize>, Range<usize>)> {
    ranges(n, TILE).flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c))).filter(|(r, c)| c.start <= r.start).collect()
}

/// The sums of `count` numbers that `each` adds up for every tile of a symmetric kernel with its weights: of all pairs the tiles on and
/// below the diagonal with the symmetric part of the weights, which is all that derivatives see; tiles below the diagonal count twice.
///
/// An error on request of `control`, which is asked per tile.
pub(super) fn sum_tiles(
    weights: &PairWeights,
    count: usize,
    control: &Control,
    each: impl Fn(TileRows<'_>, Range<usize>, &[f64], &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let sums: Vec<Vec<f64>> = match weights {
        PairWeights::All(all) => lower_tiles(all.rows())
            .into_par_iter()
            .map(|(rows, cols)| {
                control.check_time("gradient")?;
                let mut out = vec![0.0; count];
                with_scratch(rows.len() * cols.len(), |part: &mut [f64]| {
                    for (to, i) in part.chunks_exact_mut(cols.len()).zip(rows.clone()) {
                        to.iter_mut().zip(cols.clone()).for_each(|(w, j)| *w = 0.5 * (all[(i, j)] + all[(j, i)]));
                    }
                    each(TileRows::Range(rows.clone()), cols.clone(), part, &mut out);
                });
                let times = if rows == cols { 1.0 } else { 2.0 };
                out.iter_mut().for_each(|g| *g *= times);
                Ok(out)
            })
            .collect::<Result<_>>()?,
        PairWeights::Centres(CentreWeights { centres, values, diagonal }) => ranges(values.rows(), TILE)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|band| {
                let mut out = vec![0.0; count];
                for some in ranges(centres.len(), TILE) {
                    control.check_time("gradient")?;
                    with_scratch(some.len() * band.len(), |part: &mut [f64]| {
                        for (to, j) in part.chunks_exact_mut(band.len()).zip(some.clone()) {
                            to.iter_mut().zip(band.clone()).for_each(|(w, i)| *w = values[(i, j)]);
                        }
                        each(TileRows::List(&centres[some.clone()]), band.clone(), part, &mut out);
                    });
                }
                for i in band.filter(|&i| diagonal[i] != 0.0) {
                    each(TileRows::Range(i..i + 1), i..i + 1, &diagonal[i..i + 1], &mut out);
                }
                Ok(out)
            })
            .collect::<Result<_>>()?,
    };
    Ok(sums.iter().fold(vec![0.0; count], |all, part| all.iter().zip(part).map(|(a, b)| a + b).collect()))
}

/// sum_ij W_ij K_ij.
pub(crate) fn inner_product(gram: &(impl Gram + ?Sized), weights: &PairWeights, control: &Control) -> Result<f64> {
    if !gram.symmetric() {
        let mut shares = weights.clone();
        reweigh(gram, &mut shares, control, |w, k| w * k)?;
        return Ok(shares.sum());
    }
    let sums = sum_tiles(weights, 1, control, |rows, cols, part, out| {
        with_scratch(part.len(), |values: &mut [f64]| {
            let block = Block::new(values, rows.len(), cols.len());
            match rows {
                TileRows::Range(rows) => gram.fill(rows, cols, block),
                TileRows::List(rows) => gram.fill_rows(rows, cols, block),
            }
            out[0] += values.iter().zip(part).map(|(k, w)| k * w).sum::<f64>();
        });
    })?;
    Ok(sums[0])
}

/// An error where there is no memory for so many copies of the weights.
pub(crate) fn plan_copies(count: usize, weights: &PairWeights, control: &Control) -> Result<()> {
    control.plan("the gradient of a composed kernel", 8 * (count * weights.count()) as u64)
}

/// [`Bound::log_gradient`] from kernel values and their gradient.
pub(super) fn log_gradient_of_values(gram: &(impl Bound + ?Sized), weights: &PairWeights, control: &Control) -> Result<Vec<f64>> {
    plan_copies(1, weights, control)?;
    let mut shares = weights.clone();
    reweigh(gram, &mut shares, control, |w, k| if k > 0.0 { w / k } else { 0.0 })?;
    gram.gradient(&shares, control)
}

/// W_ij <- f(W_ij, K_ij).
pub(crate) fn reweigh(
    gram: &(impl Gram + ?Sized),
    weights: &mut PairWeights,
    control: &Control,
    f: impl Fn(f64, f64) -> f64 + Sync,
) -> Result<()> {
    match weights {
        PairWeights::All(all) => reweigh_bands(all, control, &f, |rows, cols, block| gram.fill(rows, cols, block)),
        PairWeights::Centres(CentreWeights { centres, values, diagonal }) => {
            let own = gram.diagonal(Side::Rows);
            diagonal.iter_mut().zip(own).for_each(|(d, k)| *d = f(*d, k));
            reweigh_bands(values, control, &f, |rows, some, mut block| {
                if !gram.symmetric() {
                    let rows: Vec<usize> = rows.collect();
                    runs(&centres[some]).into_iter().for_each(|(at, run)| {
                        let width = run.len();
                        gram.fill_rows(&rows, run, block.part(0..rows.len(), at..at + width));
                    });
                    return;
                }
                // Whole rows are made faster than single columns.
                with_scratch(rows.len() * some.len(), |turned: &mut [f64]| {
                    gram.fill_rows(&centres[some.clone()], rows.clone(), Block::new(turned, some.len(), rows.len()).watched(control));
                    for (j, turned) in turned.chunks_exact(rows.len()).enumerate() {
                        turned.iter().enumerate().for_each(|(i, k)| block.row_mut(i)[j] = *k);
                    }
                });
            })
        }
    }
}

/// W <- f(W, K) for the values K that `fill` writes, tile by tile.
pub(super) fn reweigh_bands(
    weights: &mut Matrix,
    control: &Control,
    f: &(impl Fn(f64, f64) -> f64 + Sync),
    fill: impl Fn(Range<usize>, Range<usize>, Block<'_, f64>) + Sync,
) -> Result<()> {
    let n = weights.cols();
    if n == 0 {
        return Ok(());
    }
    weights.data_mut().par_chunks_mut(TILE * n).enumerate().try_for_each(|(k, band)| {
        let rows = k * TILE..k * TILE + band.len() / n;
        for cols in ranges(n, TILE) {
            control.check_time("gradient")?;
            with_scratch(rows.len() * cols.len(), |values: &mut [f64]| {
                fill(rows.clone(), cols.clone(), Block::new(values, rows.len(), cols.len()).watched(control));
                for (row, values) in band.chunks_exact_mut(n).zip(values.chunks_exact(cols.len())) {
                    row[cols.clone()].iter_mut().zip(values).for_each(|(w, k)| *w = f(*w, *k));
                }
            });
        }
        control.check_time("gradient")
    })
}

/// The gradient of f(k): the slope of f at every kernel value joins the weights.
pub(crate) fn slope(inner: &dyn Bound, weights: &PairWeights, slope: impl Fn(f64) -> f64 + Sync, control: &Control) -> Result<Vec<f64>> {
    if inner.parameters() == 0 {
        return Ok(Vec::new());
    }
    plan_copies(1, weights, control)?;
    let mut all = weights.clone();
    reweigh(inner, &mut all, control, |w, k| w * slope(k))?;
    inner.gradient(&all, control)
}

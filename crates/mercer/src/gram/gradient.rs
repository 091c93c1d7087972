//! Sums over all pairs of a Gram matrix among the rows of one batch, tile by tile, in an order that does not depend on threads.

use super::dense::{TILE, ranges};
use super::{Block, Bound, Gram, with_scratch};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::ops::Range;

/// The tiles on and below the diagonal of an N x N matrix.
fn lower_tiles(n: usize) -> Vec<(Range<usize>, Range<usize>)> {
    ranges(n, TILE).flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c))).filter(|(r, c)| c.start <= r.start).collect()
}

/// The sums of `count` numbers that `each` adds up for every tile on and below the diagonal with its part of the symmetric part of
/// `weights`, which is all that derivatives of a symmetric kernel see; tiles below the diagonal count twice.
///
/// An error on request of `control`, which is asked per tile.
pub(super) fn sum_tiles(
    weights: &Matrix,
    count: usize,
    control: &Control,
    each: impl Fn(Range<usize>, Range<usize>, &[f64], &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let sums: Vec<Vec<f64>> = lower_tiles(weights.rows())
        .into_par_iter()
        .map(|(rows, cols)| {
            control.check_time("gradient")?;
            let mut out = vec![0.0; count];
            with_scratch(rows.len() * cols.len(), |part: &mut [f64]| {
                for (to, i) in part.chunks_exact_mut(cols.len()).zip(rows.clone()) {
                    to.iter_mut().zip(cols.clone()).for_each(|(w, j)| *w = 0.5 * (weights[(i, j)] + weights[(j, i)]));
                }
                each(rows.clone(), cols.clone(), part, &mut out);
            });
            let times = if rows == cols { 1.0 } else { 2.0 };
            out.iter_mut().for_each(|g| *g *= times);
            Ok(out)
        })
        .collect::<Result<_>>()?;
    Ok(sums.iter().fold(vec![0.0; count], |all, part| all.iter().zip(part).map(|(a, b)| a + b).collect()))
}

/// sum_ij W_ij K_ij.
pub(crate) fn inner_product(gram: &(impl Gram + ?Sized), weights: &Matrix, control: &Control) -> Result<f64> {
    if !gram.symmetric() {
        let mut shares = weights.clone();
        reweigh(gram, &mut shares, control, |w, k| w * k)?;
        return Ok(shares.data().iter().sum());
    }
    let sums = sum_tiles(weights, 1, control, |rows, cols, part, out| {
        with_scratch(part.len(), |values: &mut [f64]| {
            gram.fill(rows.clone(), cols.clone(), Block::new(values, rows.len(), cols.len()));
            out[0] += values.iter().zip(part).map(|(k, w)| k * w).sum::<f64>();
        });
    })?;
    Ok(sums[0])
}

/// An error where there is no memory for so many copies of the weights.
pub(crate) fn plan_copies(count: usize, weights: &Matrix, control: &Control) -> Result<()> {
    control.plan("the gradient of a composed kernel", 8 * (count * weights.data().len()) as u64)
}

/// [`Bound::log_gradient`] from kernel values and their gradient.
pub(super) fn log_gradient_of_values(gram: &(impl Bound + ?Sized), weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
    plan_copies(1, weights, control)?;
    let mut shares = weights.clone();
    reweigh(gram, &mut shares, control, |w, k| if k > 0.0 { w / k } else { 0.0 })?;
    gram.gradient(&shares, control)
}

/// W_ij <- f(W_ij, K_ij).
pub(crate) fn reweigh(
    gram: &(impl Gram + ?Sized),
    weights: &mut Matrix,
    control: &Control,
    f: impl Fn(f64, f64) -> f64 + Sync,
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
                gram.fill(rows.clone(), cols.clone(), Block::new(values, rows.len(), cols.len()).watched(control));
                for (row, values) in band.chunks_exact_mut(n).zip(values.chunks_exact(cols.len())) {
                    row[cols.clone()].iter_mut().zip(values).for_each(|(w, k)| *w = f(*w, *k));
                }
            });
        }
        control.check_time("gradient")
    })
}

/// The gradient of f(k): the slope of f at every kernel value joins the weights.
pub(crate) fn slope(inner: &dyn Bound, weights: &Matrix, slope: impl Fn(f64) -> f64 + Sync, control: &Control) -> Result<Vec<f64>> {
    if inner.parameters() == 0 {
        return Ok(Vec::new());
    }
    plan_copies(1, weights, control)?;
    let mut all = weights.clone();
    reweigh(inner, &mut all, control, |w, k| w * slope(k))?;
    inner.gradient(&all, control)
}

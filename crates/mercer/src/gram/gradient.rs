//! sum_ij W_ij dK_ij/dparameter, tile by tile: O(N^2) memory whatever the number of parameters.

use super::dense::{TILE, ranges};
use super::{Bound, with_scratch};
use crate::linalg::Matrix;
use rayon::prelude::*;

/// One sum per parameter for a symmetric Gram matrix and symmetric weights. Tiles below the diagonal count twice;
/// their sums are added in a fixed order.
pub fn weighted_gradient(gram: &dyn Bound, weights: &Matrix) -> Vec<f64> {
    let n = gram.shape().0;
    let count = gram.parameters();
    let tiles: Vec<_> =
        ranges(n, TILE).flat_map(|r| ranges(n, TILE).map(move |c| (r.clone(), c))).filter(|(r, c)| c.start <= r.start).collect();
    let sums: Vec<Vec<f64>> = tiles
        .into_par_iter()
        .map(|(rows, cols)| {
            let mut out = vec![0.0; count];
            with_scratch(rows.len() * cols.len(), |part: &mut [f64]| {
                for (to, i) in part.chunks_exact_mut(cols.len()).zip(rows.clone()) {
                    to.copy_from_slice(&weights.row(i)[cols.clone()]);
                }
                gram.gradient(rows.clone(), cols.clone(), part, &mut out);
            });
            let times = if rows == cols { 1.0 } else { 2.0 };
            out.iter_mut().for_each(|g| *g *= times);
            out
        })
        .collect();
    sums.iter().fold(vec![0.0; count], |all, part| all.iter().zip(part).map(|(a, b)| a + b).collect())
}

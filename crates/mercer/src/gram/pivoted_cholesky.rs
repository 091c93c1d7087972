//! Pivoted Cholesky: K = G'G of as few rows as the numerical rank of K, from as many rows of the Gram matrix and no more
//! (Higham 1990, Analysis of the Cholesky decomposition of a semi-definite matrix; Harbrecht, Peters & Schneider 2012).

use super::{Block, Gram, Side};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::Matrix;
use rayon::prelude::*;

/// A factorisation up to some rank.
pub(crate) struct Pivoted {
    /// The pivots in the order in which they were taken: each is the row of the largest diagonal entry that was left.
    pub(crate) pivots: Vec<usize>,
    /// G, rank x N. Its columns of the pivots are an upper triangle.
    pub(crate) g: Matrix,
    /// Whether nothing but rounding is left.
    pub(crate) complete: bool,
}

/// G with D K D = G'G for D = diag(`scale`), until it is complete or has `most` rows.
pub(crate) fn pivoted_cholesky(gram: &dyn Gram, scale: &[f64], most: usize, control: &Control) -> Result<Pivoted> {
    // What is left of every diagonal entry, relative to the largest one, when a matrix is said to be complete: its rounding.
    const ROUNDING: f64 = 8.0 * f64::EPSILON;
    // Columns that one thread takes together.
    const CHUNK: usize = 2048;
    let n = scale.len();
    let mut left: Vec<f64> = gram.diagonal(Side::Rows).iter().zip(scale).map(|(k, d)| k * d * d).collect();
    let enough = ROUNDING * left.iter().fold(0.0f64, |m, v| m.max(*v));
    let (mut g, mut pivots): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut row = vec![0.0; n];
    loop {
        let pivot = (0..n).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        let complete = n == 0 || left[pivot] <= enough;
        if complete || pivots.len() == most {
            return Ok(Pivoted { g: Matrix::new(pivots.len(), n, g)?, pivots, complete });
        }
        control.check_time("pivoted Cholesky factorisation")?;
        gram.fill_rows(&[pivot], 0..n, Block::new(&mut row, 1, n).watched(control));
        control.check_time("pivoted Cholesky factorisation")?;
        let root = left[pivot].sqrt();
        row.par_chunks_mut(CHUNK).zip(left.par_chunks_mut(CHUNK)).enumerate().for_each(|(k, (row, left))| {
            let from = k * CHUNK;
            row.iter_mut().zip(&scale[from..]).for_each(|(v, d)| *v *= d * scale[pivot]);
            for earlier in g.chunks_exact(n) {
                let by = earlier[pivot];
                row.iter_mut().zip(&earlier[from..]).for_each(|(v, e)| *v -= by * e);
            }
            for (v, l) in row.iter_mut().zip(left) {
                *v /= root;
                *l -= *v * *v;
            }
        });
        left[pivot] = 0.0;
        g.extend_from_slice(&row);
        pivots.push(pivot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Dense;
    use crate::linalg::gramian;

    #[test]
    fn a_matrix_of_rank_three_is_given_back_by_three_rows_and_one_of_full_rank_is_not() {
        let z = Matrix::from_fn(40, 3, |i, j| ((i * (j + 2)) as f64 * 0.37).sin());
        let k = gramian(&z);
        let (gram, control) = (Dense::square(k.clone()).unwrap(), Control::default());
        let found = pivoted_cholesky(&gram, &[1.0; 40], 10, &control).unwrap();
        assert!(found.complete && found.pivots.len() == 3);
        for (row, &pivot) in found.pivots.iter().enumerate().skip(1) {
            assert!((0..row).all(|earlier| found.g[(row, found.pivots[earlier])].abs() <= 1e-13), "{pivot}");
        }
        let back = gramian(&found.g.transpose());
        assert!(back.data().iter().zip(k.data()).all(|(a, b)| (a - b).abs() <= 1e-13));
        let full = Dense::square(Matrix::from_fn(20, 20, |i, j| f64::from(u8::from(i == j)))).unwrap();
        assert!(!pivoted_cholesky(&full, &[1.0; 20], 19, &control).unwrap().complete);
        assert!(pivoted_cholesky(&full, &[1.0; 20], 20, &control).unwrap().complete);
    }
}

//! Symmetric matrices of which one triangle is kept: copying it across the diagonal, and products with it.

use super::Matrix;
use rayon::prelude::*;

/// Side of the squares in which a triangle is copied: two of them stay in a first-level cache.
const SQUARE: usize = 32;
/// Rows that one thread multiplies by.
const BAND: usize = 512;

/// Calls `copy(below, above)` with the places of every pair of mirror images in row-major storage.
fn each_pair(n: usize, mut copy: impl FnMut(usize, usize)) {
    for i0 in (0..n).step_by(SQUARE) {
        for j0 in (0..=i0).step_by(SQUARE) {
            for i in i0..(i0 + SQUARE).min(n) {
                for j in j0..(j0 + SQUARE).min(i) {
                    copy(i * n + j, j * n + i);
                }
            }
        }
    }
}

/// Overwrites the part above the diagonal with the part below.
pub(crate) fn mirror_lower(a: &mut Matrix) {
    let n = a.rows();
    let data = a.data_mut();
    each_pair(n, |below, above| data[above] = data[below]);
}

/// Overwrites the part below the diagonal with the part above.
pub(crate) fn mirror_upper(a: &mut Matrix) {
    let n = a.rows();
    let data = a.data_mut();
    each_pair(n, |below, above| data[below] = data[above]);
}

/// A X from the part of A above the diagonal and its diagonal; X is N x columns.
pub(crate) fn multiply_upper(a: &Matrix, diagonal: &[f64], x: &Matrix) -> Matrix {
    let (n, columns) = (x.rows(), x.cols());
    let x = x.transpose();
    let starts: Vec<usize> = (0..n).step_by(BAND).collect();
    // What the rows of a band add to their own places and, by symmetry, to all later ones.
    let parts: Vec<Matrix> = starts
        .par_iter()
        .map(|&start| {
            let mut out = Matrix::zeros(columns, n - start);
            for i in start..(start + BAND).min(n) {
                let tail = &a.row(i)[i + 1..];
                for c in 0..columns {
                    let (v, out) = (&x.row(c)[start..], out.row_mut(c));
                    let own = v[i - start];
                    let (before, after) = out.split_at_mut(i + 1 - start);
                    let mut dot = diagonal[i] * own;
                    for ((w, k), s) in v[i + 1 - start..].iter().zip(tail).zip(after) {
                        dot += k * w;
                        *s += k * own;
                    }
                    before[i - start] += dot;
                }
            }
            out
        })
        .collect();
    let mut out = Matrix::zeros(columns, n);
    for (start, part) in starts.into_iter().zip(parts) {
        for c in 0..columns {
            out.row_mut(c)[start..].iter_mut().zip(part.row(c)).for_each(|(o, p)| *o += p);
        }
    }
    out.transpose()
}

//! Symmetric matrices of which one triangle is kept: copying it across the diagonal, and products with it.

use super::Block;
use super::Matrix;
use rayon::prelude::*;

/// Side of the squares in which a triangle is copied.
const SQUARE: usize = 64;
/// Rows that one thread multiplies by.
const BAND: usize = 512;

/// Overwrites the part above the diagonal with the part below.
pub(crate) fn mirror_lower(a: &mut Matrix) {
    mirror::<false>(a, true);
}

/// Overwrites the part below the diagonal with the part above.
pub(crate) fn mirror_upper(a: &mut Matrix) {
    mirror::<false>(a, false);
}

/// Turns a square matrix into its transpose, in its memory.
pub(crate) fn transpose_square(a: &mut Matrix) {
    mirror::<true>(a, true);
}

/// Copies every square below the diagonal to its mirror image, or the other way; both at once to `SWAP` them.
fn mirror<const SWAP: bool>(a: &mut Matrix, from_below: bool) {
    let n = a.rows();
    // From where to where, for a place below the diagonal.
    let direct = |i, j| if from_below { ((i, j), (j, i)) } else { ((j, i), (i, j)) };
    let sides = n.div_ceil(SQUARE);
    let mut squares: Vec<_> = Block::new(a.data_mut(), n, n).into_tiles(SQUARE, SQUARE).into_iter().map(|t| Some(t.2)).collect();
    let mut pairs = Vec::with_capacity(sides * (sides + 1) / 2);
    for i in 0..sides {
        for j in 0..=i {
            let (from, to) = direct(i, j);
            pairs.push((squares[from.0 * sides + from.1].take(), squares[to.0 * sides + to.1].take()));
        }
    }
    pairs.into_par_iter().for_each(|pair| match pair {
        (Some(mut from), Some(mut to)) => {
            for i in 0..to.rows() {
                for (j, v) in to.row_mut(i).iter_mut().enumerate() {
                    let other = &mut from.row_mut(j)[i];
                    let before = std::mem::replace(v, *other);
                    if SWAP {
                        *other = before;
                    }
                }
            }
        }
        // On the diagonal both are the same.
        (Some(mut own), _) | (_, Some(mut own)) => {
            for i in 0..own.rows() {
                for j in 0..i {
                    let (from, to) = direct(i, j);
                    let other = own.row_mut(from.0)[from.1];
                    let before = std::mem::replace(&mut own.row_mut(to.0)[to.1], other);
                    if SWAP {
                        own.row_mut(from.0)[from.1] = before;
                    }
                }
            }
        }
        (None, None) => {}
    });
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

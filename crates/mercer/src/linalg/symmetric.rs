//! Symmetric matrices of which one triangle is kept: copying it across the diagonal, and products with it.

use super::Block;
use super::Matrix;
use super::few::FEW;
use super::simd::{TOGETHER, axpy, dot, dot_and_add_rows};
use mercer_linalg::{Into, View, ViewMut, product};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one thread multiplies by.
const BAND: usize = 256;

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
    // Side of the squares in which a triangle is copied.
    const SQUARE: usize = 64;
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
    let part = if columns <= FEW { few_of_band } else { many_of_band };
    let starts: Vec<usize> = (0..n).step_by(BAND).collect();
    let parts: Vec<Matrix> = starts.par_iter().map(|&start| part(a, diagonal, x, start..n.min(start + BAND))).collect();
    let mut out = Matrix::zeros(n, columns);
    for (start, part) in starts.into_iter().zip(parts) {
        out.data_mut()[start * columns..].iter_mut().zip(part.data()).for_each(|(o, p)| *o += p);
    }
    out
}

/// What some rows of A add to their own places and, by symmetry, to all later ones.
fn many_of_band(a: &Matrix, diagonal: &[f64], x: &Matrix, band: Range<usize>) -> Matrix {
    let (n, columns, height) = (x.rows(), x.cols(), band.len());
    let own = Matrix::from_fn(height, height, |i, j| {
        let (i, j) = (band.start + i.min(j), band.start + i.max(j));
        if i == j { diagonal[i] } else { a[(i, j)] }
    });
    let right = View::rows(&a.data()[band.start * n..band.end * n], height, n).part(0, band.end, height, n - band.end);
    let (x_own, x_later) = x.data()[band.start * columns..].split_at(height * columns);
    let (x_own, x_later) = (View::rows(x_own, height, columns), View::rows(x_later, n - band.end, columns));
    let mut out = Matrix::zeros(n - band.start, columns);
    let (here, later) = out.data_mut().split_at_mut(height * columns);
    product(ViewMut::rows(here, height, columns), Into::Replace, View::rows(own.data(), height, height), x_own, 1.0);
    product(ViewMut::rows(here, height, columns), Into::Add, right, x_later, 1.0);
    product(ViewMut::rows(later, n - band.end, columns), Into::Replace, right.transpose(), x_own, 1.0);
    out
}

/// What some rows of A add to their own places and, by symmetry, to all later ones, for X of few columns.
fn few_of_band(a: &Matrix, diagonal: &[f64], x: &Matrix, band: Range<usize>) -> Matrix {
    let (n, columns) = (x.rows(), x.cols());
    let mut out = Matrix::zeros(columns, n - band.start);
    for c in 0..columns {
        let (v, out) = (x.col(c), out.row_mut(c));
        add_of_rows(a, 0, band.clone(), &v, out);
        out.iter_mut().zip(&diagonal[band.clone()]).zip(&v[band.clone()]).for_each(|((o, d), v)| *o += d * v);
    }
    out.transpose()
}

/// Adds B x to `out`, where B is the part above the diagonal in some rows of A[first.., first..] and its mirror image; `out` begins
/// at the first of these rows.
pub(super) fn add_of_rows(a: &Matrix, first: usize, rows: Range<usize>, x: &[f64], out: &mut [f64]) {
    let from = rows.start;
    let tail = |i: usize, after: usize| &a.row(first + i)[first + after..];
    let mut at = from;
    while at < rows.end {
        let end = rows.end.min(at + TOGETHER);
        for i in at..end {
            for j in i + 1..end {
                let value = a[(first + i, first + j)];
                out[i - from] += value * x[j];
                out[j - from] += value * x[i];
            }
        }
        let (own, later) = out[at - from..].split_at_mut(end - at);
        match <[f64; TOGETHER]>::try_from(&x[at..end]) {
            Ok(by) => {
                let tails = std::array::from_fn(|q| tail(at + q, end));
                own.iter_mut().zip(dot_and_add_rows(tails, &x[end..], later, by)).for_each(|(o, sum)| *o += sum);
            }
            Err(_) => (at..end).zip(own).for_each(|(i, o)| {
                *o += dot(tail(i, end), &x[end..]);
                axpy(x[i], tail(i, end), later);
            }),
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_read_nothing_below_the_diagonal_nor_on_it() {
        // Two bands, and a few columns and many.
        let n = BAND + 45;
        let whole = Matrix::from_fn(n, n, |i, j| ((i * j) as f64).cos() + (i + j) as f64 / n as f64);
        let upper = Matrix::from_fn(n, n, |i, j| if i < j { whole[(i, j)] } else { f64::NAN });
        for columns in [1, FEW, FEW + 1, 9] {
            let x = Matrix::from_fn(n, columns, |i, c| ((i + 3 * c) as f64).sin());
            let (found, plain) = (multiply_upper(&upper, &whole.diagonal(), &x), super::super::product(&whole, &x).unwrap());
            assert!(found.data().iter().zip(plain.data()).all(|(f, p)| (f - p).abs() <= 1e-12 * n as f64));
        }
    }
}

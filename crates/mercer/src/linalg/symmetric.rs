//! Symmetric matrices of which one triangle is kept: copying it across the diagonal, and products with it.

use super::Matrix;

/// Side of the squares in which a triangle is copied: two of them stay in a first-level cache.
const SQUARE: usize = 32;

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
    let mut out = Matrix::zeros(n, columns);
    for c in 0..columns {
        let v = x.col(c);
        let mut sum = vec![0.0; n];
        for i in 0..n {
            let tail = &a.row(i)[i + 1..];
            let mut dot = diagonal[i] * v[i];
            for ((w, &k), s) in v[i + 1..].iter().zip(tail).zip(&mut sum[i + 1..]) {
                dot += k * w;
                *s += k * v[i];
            }
            sum[i] += dot;
        }
        for (i, s) in sum.into_iter().enumerate() {
            out[(i, c)] = s;
        }
    }
    out
}

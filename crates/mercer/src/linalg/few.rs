//! Products with few vectors: a pass over the matrix is all the time that they need. The backend packs blocks first, which pays
//! where there are many.

use super::Matrix;
use super::product::BAND;
use super::simd::{add_rows, axpy, dot};
use crate::control::Control;
use crate::error::Result;
use rayon::prelude::*;
use std::ops::Range;

/// So many vectors are few.
pub(super) const FEW: usize = 3;

/// A B' for A (n x k) and B of few rows.
pub(super) fn with_rows(a: &Matrix, b: &Matrix, control: &Control) -> Result<Matrix> {
    let (k, m) = (a.cols(), b.rows());
    let mut out = Matrix::zeros(a.rows(), m);
    if k > 0 && m > 0 {
        out.data_mut().par_chunks_mut(BAND * m).zip(a.data().par_chunks(BAND * k)).try_for_each(|(out, a)| -> Result<()> {
            control.check_time("matrix product")?;
            rows_into(a, b, out);
            Ok(())
        })?;
    }
    Ok(out)
}

/// A B' of some rows of A.
pub(super) fn rows_into(a: &[f64], b: &Matrix, out: &mut [f64]) {
    for (out, row) in out.chunks_exact_mut(b.rows().max(1)).zip(a.chunks_exact(b.cols().max(1))) {
        out.iter_mut().enumerate().for_each(|(c, out)| *out = dot(row, b.row(c)));
    }
}

/// sum_i by_i row_i of rows of `width` numbers.
pub(crate) fn combined_rows(rows: &[&[f64]], by: &[f64], width: usize, control: &Control) -> Result<Vec<f64>> {
    // Numbers of a sum that are computed by one thread.
    const WIDTH: usize = 1024;
    let mut sum = vec![0.0; width];
    sum.par_chunks_mut(WIDTH).enumerate().try_for_each(|(k, sum)| -> Result<()> {
        control.check_time("matrix product")?;
        let part = k * WIDTH..k * WIDTH + sum.len();
        let some: Vec<&[f64]> = rows.iter().map(|row| &row[part.clone()]).collect();
        add_weighed(sum, &some, by);
        Ok(())
    })?;
    Ok(sum)
}

/// out += A' B of some rows, for few columns of B.
pub(super) fn add_transposed(a: &Matrix, b: &Matrix, rows: Range<usize>, out: &mut [f64]) {
    // Rows that stay near while they are read for each vector.
    const NEAR: usize = 16;
    let (k, m) = (a.cols(), b.cols());
    let mut sums = vec![0.0; m * k];
    for start in rows.clone().step_by(NEAR) {
        let end = rows.end.min(start + NEAR);
        add_rows_transposed(&a.data()[start * k..end * k], &b.data()[start * m..end * m], m, &mut sums);
    }
    for (c, sum) in sums.chunks_exact(k.max(1)).enumerate() {
        out.iter_mut().skip(c).step_by(m).zip(sum).for_each(|(out, v)| *out += v);
    }
}

/// sums += B'A of some rows that stay near, for m columns of B; sums are m x k.
pub(super) fn add_rows_transposed(a: &[f64], b: &[f64], m: usize, sums: &mut [f64]) {
    let k = sums.len() / m.max(1);
    let some: Vec<&[f64]> = a.chunks_exact(k.max(1)).collect();
    for (c, sum) in sums.chunks_exact_mut(k.max(1)).enumerate() {
        let by: Vec<f64> = b.iter().skip(c).step_by(m).copied().collect();
        add_weighed(sum, &some, &by);
    }
}

/// sum <- sum + sum_i by_i row_i. One thread.
fn add_weighed(sum: &mut [f64], rows: &[&[f64]], by: &[f64]) {
    let ((eights, rest), (factors, others)) = (rows.as_chunks::<8>(), by.as_chunks::<8>());
    eights.iter().zip(factors).for_each(|(rows, by)| add_rows(sum, *rows, *by));
    rest.iter().zip(others).for_each(|(row, by)| axpy(*by, row, sum));
}

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
/// Numbers of a sum that are computed by one thread.
const WIDTH: usize = 1024;
/// Rows that stay near while they are read for each vector.
const NEAR: usize = 16;

/// A B' for A (n x k) and B of few rows.
pub(super) fn with_rows(a: &Matrix, b: &Matrix, control: &Control) -> Result<Matrix> {
    let (k, m) = (a.cols(), b.rows());
    let mut out = Matrix::zeros(a.rows(), m);
    if k > 0 && m > 0 {
        out.data_mut().par_chunks_mut(BAND * m).zip(a.data().par_chunks(BAND * k)).try_for_each(|(out, a)| -> Result<()> {
            control.check_time("matrix product")?;
            for (out, row) in out.chunks_exact_mut(m).zip(a.chunks_exact(k)) {
                out.iter_mut().enumerate().for_each(|(c, out)| *out = dot(row, b.row(c)));
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// sum_i by_i row_i of rows of `width` numbers.
pub(crate) fn combined_rows(rows: &[&[f64]], by: &[f64], width: usize, control: &Control) -> Result<Vec<f64>> {
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
    let m = b.cols();
    let mut sums = vec![vec![0.0; a.cols()]; m];
    for start in rows.clone().step_by(NEAR) {
        let some: Vec<&[f64]> = (start..rows.end.min(start + NEAR)).map(|i| a.row(i)).collect();
        for (c, sum) in sums.iter_mut().enumerate() {
            let by: Vec<f64> = (start..start + some.len()).map(|i| b[(i, c)]).collect();
            add_weighed(sum, &some, &by);
        }
    }
    for (c, sum) in sums.iter().enumerate() {
        out.iter_mut().skip(c).step_by(m).zip(sum).for_each(|(out, v)| *out += v);
    }
}

/// sum <- sum + sum_i by_i row_i. One thread.
fn add_weighed(sum: &mut [f64], rows: &[&[f64]], by: &[f64]) {
    let ((eights, rest), (factors, others)) = (rows.as_chunks::<8>(), by.as_chunks::<8>());
    eights.iter().zip(factors).for_each(|(rows, by)| add_rows(sum, *rows, *by));
    rest.iter().zip(others).for_each(|(row, by)| axpy(*by, row, sum));
}

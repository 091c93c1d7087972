//! Kernel values with all training rows as features, phi(x) = [k(x, x_1), ..., k(x, x_N)] (Murphy 2012, 14.28 and 14.29): any
//! similarity will do.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{self, Block, Gram};
use crate::linalg::{Matrix, product_transposed_within};
use crate::solve::l1::Columns;
use rayon::prelude::*;
use std::borrow::Cow;

/// Kernel values whose squares have no room among numbers.
const MOST: f64 = 1e120;
/// The whole matrix is kept where it takes no more than this share of the memory allowed.
const SHARE: u64 = 4;
/// Columns of a block where it is not.
const STEP: usize = 240;

/// The columns of a Gram matrix, kept one a row, or computed block by block where they are too many.
pub(super) struct Exemplars<'a> {
    gram: &'a dyn Gram,
    whole: Option<Cow<'a, Matrix>>,
}

impl<'a> Exemplars<'a> {
    /// # Errors
    /// A Gram matrix that is not square; values that are not finite or too large; on request of `control`.
    pub(super) fn new(gram: &'a dyn Gram, control: &Control) -> Result<Self> {
        let (n, p) = gram.shape();
        Error::unless_equal("columns of the Gram matrix", n, p)?;
        let fits = 8 * (n as u64).pow(2) <= control.allowed() / SHARE;
        let whole = match gram.structure().held() {
            Some(matrix) if gram.symmetric() => Some(Cow::Borrowed(matrix)),
            _ if fits => {
                let values = gram::dense(gram, control)?;
                Some(Cow::Owned(if gram.symmetric() { values } else { values.transpose() }))
            }
            _ => None,
        };
        if let Some(value) = whole.as_ref().and_then(|m| beyond(m)) {
            return Err(Error::Numerical {
                what: "features of kernel values".into(),
                why: format!(
                    "a kernel value is {value:e}, and its square is beyond the range of numbers; scale the columns, or wrap the kernel in normalise(...)"
                ),
            });
        }
        Ok(Exemplars { gram, whole })
    }

    /// Runs `work` on blocks of columns, one a row.
    fn blocks(&self, which: &[usize], control: &Control, mut work: impl FnMut(usize, &Matrix) -> Result<()>) -> Result<()> {
        let n = self.gram.shape().0;
        for (k, some) in which.chunks(STEP).enumerate() {
            control.check_time("kernel values with the training rows")?;
            let mut block = Matrix::zeros(some.len(), n);
            if self.gram.symmetric() {
                self.gram.fill_rows(some, 0..n, Block::new(block.data_mut(), some.len(), n));
            } else {
                let mut column = vec![0.0; n];
                for (row, &j) in some.iter().enumerate() {
                    self.gram.fill(0..n, j..j + 1, Block::new(&mut column, n, 1));
                    block.row_mut(row).copy_from_slice(&column);
                }
            }
            if let Some(value) = beyond(&block) {
                return Err(Error::Numerical { what: "features of kernel values".into(), why: format!("a kernel value is {value:e}") });
            }
            work(k * STEP, &block)?;
        }
        Ok(())
    }

    fn all(&self) -> Vec<usize> {
        (0..self.gram.shape().1).collect()
    }
}

/// A value that is no number or too large.
fn beyond(values: &Matrix) -> Option<f64> {
    let is_within = |v: &f64| v.abs() <= MOST;
    // Parts without a look at each result run in vectors.
    let part = values.data().chunks(STEP).find(|part| !part.iter().fold(true, |all, v| all & is_within(v)))?;
    part.iter().copied().find(|v| !is_within(v))
}

/// The sum of numbers of a row, in running sums that do not wait for one another.
fn sum(row: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    const SUMS: usize = 16;
    let (parts, rest) = row.as_chunks::<SUMS>();
    let mut sums = [0.0; SUMS];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(s, v)| *s += of(*v));
    }
    sums.iter().sum::<f64>() + rest.iter().map(|v| of(*v)).sum::<f64>()
}

impl Columns for Exemplars<'_> {
    fn shape(&self) -> (usize, usize) {
        self.gram.shape()
    }

    fn columns(&self, which: &[usize], control: &Control) -> Result<Matrix> {
        if let Some(whole) = &self.whole {
            return Ok(whole.select_rows(which));
        }
        let mut out = Matrix::zeros(0, self.gram.shape().0);
        self.blocks(which, control, |_, block| {
            out.append_rows(block.clone());
            Ok(())
        })?;
        Ok(out)
    }

    fn correlations(&self, which: Option<&[usize]>, residuals: &Matrix, control: &Control) -> Result<Matrix> {
        match (&self.whole, which) {
            (Some(whole), None) => product_transposed_within(whole, residuals, control),
            (Some(whole), Some(which)) => product_transposed_within(&whole.select_rows(which), residuals, control),
            (None, which) => {
                let all;
                let which = match which {
                    Some(which) => which,
                    None => {
                        all = self.all();
                        &all
                    }
                };
                let mut out = Matrix::zeros(0, residuals.rows());
                self.blocks(which, control, |_, block| {
                    out.append_rows(product_transposed_within(block, residuals, control)?);
                    Ok(())
                })?;
                Ok(out)
            }
        }
    }

    fn spreads(&self, control: &Control) -> Result<Vec<(f64, f64)>> {
        let spread = |row: &[f64]| {
            let mean = sum(row, |v| v) / row.len().max(1) as f64;
            (mean, sum(row, |v| (v - mean).powi(2)).sqrt())
        };
        if let Some(whole) = &self.whole {
            return Ok((0..whole.rows()).into_par_iter().with_min_len(STEP).map(|j| spread(whole.row(j))).collect());
        }
        let mut out = Vec::with_capacity(self.gram.shape().1);
        self.blocks(&self.all(), control, |_, block| {
            out.extend((0..block.rows()).map(|k| spread(block.row(k))));
            Ok(())
        })?;
        Ok(out)
    }
}

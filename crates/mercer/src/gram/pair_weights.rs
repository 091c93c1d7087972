//! The pairs of rows that a gradient weighs: all of them, or each row with a few centres, which takes no matrix of all pairs.

use super::Gram;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, product_within, transposed_product_within};
use std::borrow::Cow;

/// Weights of kernel values among N rows.
#[derive(Clone, Debug, PartialEq)]
pub enum PairWeights {
    /// W_ij of every pair of rows, N x N; symmetric where the Gram matrix is.
    All(Matrix),
    /// W_ij of each row with each centre, and d_i of each row with itself.
    Centres(CentreWeights),
}

/// Weights of kernel values of rows with a few of them: sum_ij W_ij k(x_i, x_c(j)) + sum_i d_i k(x_i, x_i). What weighs a pair of centres
/// stands in the rows of the centres.
#[derive(Clone, Debug, PartialEq)]
pub struct CentreWeights {
    /// c: which rows are centres.
    pub centres: Vec<usize>,
    /// W, N x centres.
    pub values: Matrix,
    /// d, one number for each row.
    pub diagonal: Vec<f64>,
}

impl From<Matrix> for PairWeights {
    fn from(all: Matrix) -> Self {
        PairWeights::All(all)
    }
}

impl CentreWeights {
    /// Weights of rows with centres alone.
    pub fn new(centres: Vec<usize>, values: Matrix) -> Self {
        CentreWeights { centres, diagonal: vec![0.0; values.rows()], values }
    }
}

impl PairWeights {
    /// N.
    pub fn rows(&self) -> usize {
        match self {
            PairWeights::All(all) => all.rows(),
            PairWeights::Centres(with) => with.values.rows(),
        }
    }

    /// How many weights there are.
    pub(super) fn count(&self) -> usize {
        match self {
            PairWeights::All(all) => all.data().len(),
            PairWeights::Centres(with) => with.values.data().len() + with.diagonal.len(),
        }
    }

    /// The memory of the weights, to be used again.
    pub fn into_data(self) -> Vec<f64> {
        match self {
            PairWeights::All(all) => all.into_data(),
            PairWeights::Centres(with) => with.values.into_data(),
        }
    }

    /// The sum of all weights.
    pub(crate) fn sum(&self) -> f64 {
        match self {
            PairWeights::All(all) => all.data().iter().sum(),
            PairWeights::Centres(with) => with.values.data().iter().chain(&with.diagonal).sum(),
        }
    }

    /// `f` of both rows of every pair and of its weight.
    pub(crate) fn map(&self, f: impl Fn(usize, usize, f64) -> f64) -> PairWeights {
        match self {
            PairWeights::All(all) => PairWeights::All(Matrix::from_fn(all.rows(), all.cols(), |i, j| f(i, j, all[(i, j)]))),
            PairWeights::Centres(CentreWeights { centres, values, diagonal }) => PairWeights::Centres(CentreWeights {
                values: Matrix::from_fn(values.rows(), values.cols(), |i, j| f(i, centres[j], values[(i, j)])),
                diagonal: diagonal.iter().enumerate().map(|(i, d)| f(i, i, *d)).collect(),
                centres: centres.clone(),
            }),
        }
    }

    /// Of each row the weights of all pairs that it is the first of and of all that it is the second of.
    pub(crate) fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows()];
        let mut add = |i: usize, j: usize, w: f64| {
            sums[i] += w;
            sums[j] += w;
        };
        match self {
            PairWeights::All(all) => (0..all.rows()).for_each(|i| all.row(i).iter().enumerate().for_each(|(j, w)| add(i, j, *w))),
            PairWeights::Centres(CentreWeights { centres, values, diagonal }) => {
                (0..values.rows()).for_each(|i| centres.iter().zip(values.row(i)).for_each(|(&j, w)| add(i, j, *w)));
                diagonal.iter().enumerate().for_each(|(i, d)| add(i, i, *d));
            }
        }
        sums
    }

    /// Adds to the weight of each row with itself.
    pub(crate) fn add_to_diagonal(&mut self, by: &[f64]) {
        match self {
            PairWeights::All(all) => all.add_to_diagonal(by),
            PairWeights::Centres(with) => with.diagonal.iter_mut().zip(by).for_each(|(d, by)| *d += by),
        }
    }

    /// G b for the symmetric G of the weights, where pairs count alike in either order, and b of N rows.
    pub(crate) fn product(&self, b: &Matrix, control: &Control) -> Result<Matrix> {
        let CentreWeights { centres, values, diagonal } = match self {
            PairWeights::All(all) => return product_within(all, b, control),
            PairWeights::Centres(with) => with,
        };
        let mut out = product_within(values, &b.select_rows(centres), control)?;
        let back = transposed_product_within(values, b, control)?;
        out.data_mut().iter_mut().for_each(|v| *v *= 0.5);
        for (j, &row) in centres.iter().enumerate() {
            out.row_mut(row).iter_mut().zip(back.row(j)).for_each(|(o, v)| *o += 0.5 * v);
        }
        for (i, d) in diagonal.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            out.row_mut(i).iter_mut().zip(b.row(i)).for_each(|(o, v)| *o += d * v);
        }
        Ok(out)
    }

    /// The weights of all pairs, N x N, for `whom` who cannot do with fewer; symmetric where the Gram matrix `of` is.
    ///
    /// # Errors
    /// Memory that is not allowed.
    pub fn written_out(&self, of: &dyn Gram, whom: &str, control: &Control) -> Result<Cow<'_, Matrix>> {
        let CentreWeights { centres, values, diagonal } = match self {
            PairWeights::All(all) => return Ok(Cow::Borrowed(all)),
            PairWeights::Centres(with) => with,
        };
        let n = values.rows();
        control.plan(&format!("the gradient of {whom}, which weighs all pairs of rows,"), 8 * (n as u64).pow(2))?;
        let mut out = Matrix::zeros(n, n);
        let mirrored = of.symmetric();
        for i in 0..n {
            for (&j, w) in centres.iter().zip(values.row(i)) {
                let mirror = if mirrored { (j, i) } else { (i, j) };
                out[(i, j)] += 0.5 * w;
                out[mirror] += 0.5 * w;
            }
        }
        out.add_to_diagonal(diagonal);
        Ok(Cow::Owned(out))
    }
}

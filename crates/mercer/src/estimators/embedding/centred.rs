//! The Gram matrix of features less their mean, each row by its weight: B = D (I - 1 s') K (I - s 1') D with D = diag(w)^(1/2) and
//! s = w / sum w. Without weights it is H K H, H = I - 11'/N (Murphy 2012, 14.43). Its eigenvalues are those of the scatter
//! sum_i w_i (phi_i - m)(phi_i - m)' in feature space.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{Costs, Task};
use crate::gram::{self, dot};
use crate::linalg::{Cholesky, Matrix, product_transposed_within};
use crate::solve::{EIGEN, Eigenpairs, Wanted, leading, leading_of, least_operations, usual_operations};
use std::borrow::Cow;

/// Up to so many rows every eigenvalue below 0 is found: a factorisation, which shows that there is none, takes 10^7 operations.
const FEW: usize = 300;
/// Eigenvalues of rounding are below this share of the largest weighed kernel value, times N.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Eigenvalues below 0 that are looked for among many rows, and the relative residual that they are asked to reach.
const MOST_BELOW: usize = 16;
const OF_BELOW: f64 = 1e-4;
/// Squares that differ by less than this share are equal but for rounding.
const SLACK: f64 = 1e-9;
/// Products with a block that a search for eigenpairs may take.
const MOST_PRODUCTS: usize = 300;

/// The centred matrix, by its parts.
pub(crate) struct Centred<'a> {
    values: Cow<'a, Matrix>,
    /// w_i^(1/2).
    pub(crate) root: Vec<f64>,
    /// s.
    pub(super) share: Vec<f64>,
    /// K s: what each row has in common with all.
    pub(super) means: Vec<f64>,
    /// s'K s.
    pub(super) mean: f64,
}

impl<'a> Centred<'a> {
    /// The kernel values of a task, or what `turn` makes of each.
    pub(crate) fn new(task: &Task<'a>, turn: Option<fn(f64) -> f64>) -> Result<Self> {
        let n = task.rows();
        for (what, found) in [("columns of the Gram matrix", task.gram()?.shape().1), ("weights", task.weights.map_or(n, <[f64]>::len))] {
            Error::unless_equal(what, n, found)?;
        }
        let mut values = match task.gram()?.structure().held() {
            Some(held) => Cow::Borrowed(held),
            None => Cow::Owned(gram::dense(task.gram()?, task.control)?),
        };
        if let Some(turn) = turn {
            values.to_mut().data_mut().iter_mut().for_each(|v| *v = turn(*v));
        }
        let weights = task.all_weights();
        let total: f64 = weights.iter().sum();
        let share: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let row = Matrix::new(1, n, share.clone())?;
        let means = product_transposed_within(&values, &row, task.control)?.into_data();
        let mean = dot(&share, &means);
        Ok(Centred { values, root: weights.iter().map(|w| w.sqrt()).collect(), share, means, mean })
    }

    /// The row that lies nearest to the mean.
    pub(super) fn middle(&self) -> usize {
        let far = |i: usize| self.values[(i, i)] - 2.0 * self.means[i];
        (1..self.root.len()).fold(0, |best, i| if far(i) < far(best) { i } else { best })
    }

    /// Inner products of phi_i - phi_m, m some row: what is added to rows and columns of K alike falls away, as it does by centring.
    pub(super) fn around(&self, m: usize) -> Matrix {
        let (n, k) = (self.root.len(), &self.values);
        Matrix::from_fn(n, n, |i, j| if i == m || j == m { 0.0 } else { k[(i, j)] - k[(i, m)] - k[(m, j)] + k[(m, m)] })
    }

    /// The trace: the variance in all directions, times the sum of the weights.
    pub(super) fn trace(&self) -> f64 {
        (0..self.root.len()).map(|i| self.entry(i, i)).sum()
    }

    /// The eigenvalues below 0, which a kernel that is positive semi-definite has none of: their sum, and how many they are; of many
    /// rows the greatest in size, where some are known to be there.
    pub(super) fn below_zero(&self, known: bool, seed: u64, control: &Control) -> Result<(f64, usize)> {
        let n = self.root.len();
        let is_valid = || if n > FEW { Ok(!self.has_negative_pair()) } else { self.is_positive(control) };
        if !known && is_valid()? {
            return Ok((0.0, 0));
        }
        let count = if n > FEW { MOST_BELOW } else { n };
        let entry = |i: usize, j: usize| -self.entry(i, j);
        let multiply = |rows: &Matrix| {
            let mut out = self.multiply(rows, control)?;
            out.data_mut().iter_mut().for_each(|v| *v = -*v);
            Ok(out)
        };
        let found = leading_pairs(n, count, OF_BELOW, (seed, control), &entry, &multiply)?;
        let below: Vec<f64> = found.values.into_iter().take_while(|l| *l > self.floor()).collect();
        Ok((below.iter().sum(), below.len()))
    }

    /// Whether only some of the eigenvalues below 0 are looked for.
    pub(super) fn looks_at_some(&self) -> bool {
        self.root.len() > FEW
    }

    /// Whether no eigenvalue lies below rounding: the matrix, rounding added to its diagonal, has a Cholesky factor.
    fn is_positive(&self, control: &Control) -> Result<bool> {
        let (n, slack) = (self.root.len(), 4.0 * self.floor());
        let matrix = Matrix::from_fn(n, n, |i, j| self.entry(i, j) + if i == j { slack } else { 0.0 });
        match Cholesky::new(matrix, control) {
            Ok(factor) => Ok(factor.jitter() == 0.0),
            Err(error) if error.ends_all() => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// Whether a value is larger than those of its rows with themselves allow.
    fn has_negative_pair(&self) -> bool {
        let n = self.root.len();
        let most = self.floor();
        (0..n).any(|i| {
            let own = self.values[(i, i)];
            self.values.row(i)[..i].iter().enumerate().any(|(j, v)| v * v > own * self.values[(j, j)] + most * most + SLACK * v * v)
        })
    }

    /// Eigenvalues up to here are rounding.
    pub(crate) fn floor(&self) -> f64 {
        let n = self.root.len();
        let largest = (0..n).map(|i| self.root[i].powi(2) * self.values[(i, i)].abs().max(self.means[i].abs())).fold(0.0, f64::max);
        ROUNDING * n as f64 * largest
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.root[i] * self.root[j] * (self.values[(i, j)] - self.means[i] - self.means[j] + self.mean)
    }

    /// V B for rows V.
    fn multiply(&self, rows: &Matrix, control: &Control) -> Result<Matrix> {
        let mut rows = rows.clone();
        for k in 0..rows.rows() {
            let row = rows.row_mut(k);
            row.iter_mut().zip(&self.root).for_each(|(v, r)| *v *= r);
            let sum: f64 = row.iter().sum();
            row.iter_mut().zip(&self.share).for_each(|(v, s)| *v -= sum * s);
        }
        let mut out = product_transposed_within(&self.values, &rows, control)?.transpose();
        for k in 0..out.rows() {
            let row = out.row_mut(k);
            let mean = dot(row, &self.share);
            row.iter_mut().zip(&self.root).for_each(|(v, r)| *v = r * (*v - mean));
        }
        Ok(out)
    }

    /// The `count` greatest eigenvalues and their vectors.
    pub(crate) fn leading(&self, count: usize, tolerance: f64, seed: u64, control: &Control) -> Result<Eigenpairs> {
        leading_pairs(self.root.len(), count, tolerance, (seed, control), &|i, j| self.entry(i, j), &|rows| self.multiply(rows, control))
    }
}

/// The costs of [`leading_pairs`]: a search that goes well, or every pair where that takes less.
pub(crate) fn leading_costs(rows: usize, count: usize) -> Costs {
    let (every, count) = (every_costs(rows), count.min(rows));
    if least_operations(rows, count) >= every.fit {
        return every;
    }
    let bytes = 8 * (rows * (30 * count + 100)) as u64;
    Costs { bytes, fit: usual_operations(rows, count).min(every.fit), ..Costs::default() }
}

/// The costs of [`every_pair`].
pub(crate) fn every_costs(rows: usize) -> Costs {
    Costs { bytes: 45 * (rows as u64).pow(2), fit: EIGEN * (rows as f64).powi(3), ..Costs::default() }
}

/// The costs of [`Centred::below_zero`] where there is nothing: a factorisation of few rows, or a pass over the values.
pub(super) fn operations_of_validity(rows: usize) -> f64 {
    let n = rows as f64;
    if rows > FEW { n * n } else { n.powi(3) / 3.0 }
}

/// The `count` greatest eigenvalues of an n x n symmetric matrix and their vectors, by its entries or by its products with rows.
pub(crate) fn leading_pairs(
    n: usize,
    count: usize,
    tolerance: f64,
    (seed, control): (u64, &Control),
    entry: &dyn Fn(usize, usize) -> f64,
    multiply: &(dyn Fn(&Matrix) -> Result<Matrix> + Sync),
) -> Result<Eigenpairs> {
    let (count, every) = (count.min(n), EIGEN * (n as f64).powi(3));
    if least_operations(n, count) >= every {
        return every_pair(n, count, control, entry, multiply);
    }
    let wanted = Wanted { count, tolerance, most_products: MOST_PRODUCTS, most_operations: every, seed };
    let found = leading(n, &wanted, multiply, control)?;
    let is_done = found.residual <= tolerance || found.products >= MOST_PRODUCTS;
    match is_done || control.plan("every eigenvector of a Gram matrix", every_costs(n).bytes).is_err() {
        true => Ok(found),
        false => every_pair(n, count, control, entry, multiply),
    }
}

/// The `count` greatest eigenvalues and their vectors out of every pair.
pub(super) fn every_pair(
    n: usize,
    count: usize,
    control: &Control,
    entry: &dyn Fn(usize, usize) -> f64,
    multiply: &(dyn Fn(&Matrix) -> Result<Matrix> + Sync),
) -> Result<Eigenpairs> {
    control.plan("every eigenvector of a Gram matrix", 24 * (n as u64).pow(2))?;
    let matrix = Matrix::from_fn(n, n, |i, j| entry(i.min(j), i.max(j)));
    leading_of(matrix, count, multiply, control)
}

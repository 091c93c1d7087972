//! Derivatives of kernel values in the inputs along the rows, summed with weights: for x_i and columns z_s
//!
//! ```text
//! sum_s weights_is dk(x_i, z_s)/dx_i
//! ```
//!
//! one row of numbers for each x_i, so that no array of rows x columns x numbers exists.

use super::dense::{TILE, ranges};
use super::gradient::reweigh_bands;
use super::{Block, Gram, PreparedPoints, Tile, TileRows, with_scratch};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_product};
use rayon::prelude::*;
use std::ops::Range;

/// Where the numbers of a kernel's inputs stand among all numbers of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinates {
    places: Vec<usize>,
    total: usize,
}

impl Coordinates {
    /// Of the inputs that some columns make up, in order.
    pub(crate) fn of(data: &Dataset, columns: &[usize]) -> Self {
        let ranges = data.number_places();
        let places = columns.iter().flat_map(|&c| ranges[c].clone()).collect();
        Coordinates { places, total: ranges.last().map_or(0, |last| last.end) }
    }

    /// The sums of `each` over tiles of so many rows and columns, in the places of the numbers; 0 where the inputs hold none.
    pub(super) fn sum_tiles(
        &self,
        weights: &Matrix,
        control: &Control,
        each: impl Fn(TileRows<'_>, Range<usize>, Block<'_, f64>, &[f64], &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Matrix> {
        let (m, n, dim) = (weights.rows(), weights.cols(), self.places.len());
        control.plan("a gradient in the inputs", 8 * (m as u64) * (self.total + dim) as u64)?;
        let mut out = Matrix::zeros(m, self.total);
        if dim == 0 {
            return Ok(out);
        }
        out.data_mut().par_chunks_mut(TILE * self.total).enumerate().try_for_each(|(band, out)| {
            let rows = band * TILE..band * TILE + out.len() / self.total;
            let mut sums = vec![0.0; rows.len() * dim];
            for cols in ranges(n, TILE) {
                control.check_time("gradient in the inputs")?;
                let part: Vec<f64> = rows.clone().flat_map(|i| &weights.row(i)[cols.clone()]).copied().collect();
                with_scratch(part.len(), |scratch: &mut [f64]| {
                    let block = Block::new(scratch, rows.len(), cols.len()).watched(control);
                    each(TileRows::Range(rows.clone()), cols, block, &part, &mut sums)
                })?;
            }
            for (to, from) in out.chunks_exact_mut(self.total).zip(sums.chunks_exact(dim)) {
                self.places.iter().zip(from).for_each(|(&place, sum)| to[place] += sum);
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// A refusal of a kernel whose derivative in its inputs is not known or does not exist.
pub(crate) fn no_input_gradient(name: &str) -> Error {
    Error::Data(format!("the kernel {name} has no derivative in its inputs; take a smooth kernel of numbers, such as rbf or matern"))
}

/// A refusal of a part that has no name here: a composition, or a function.
pub(super) fn no_known_input_gradient() -> Error {
    let known =
        "rbf, matern and other smooth kernels of numbers have one, and sums, products, multiples, powers, exp, centre and on of them";
    Error::Data(format!("a part of the kernel has no known derivative in its inputs; {known}"))
}

/// f(weights, values) of every row and column.
pub(crate) fn reweighed(gram: &dyn Gram, weights: &Matrix, control: &Control, f: impl Fn(f64, f64) -> f64 + Sync) -> Result<Matrix> {
    control.plan("the gradient of a composed kernel", 8 * weights.data().len() as u64)?;
    let mut all = weights.clone();
    reweigh_bands(&mut all, control, &f, |rows, cols, block| gram.fill(rows, cols, block))?;
    Ok(all)
}

impl Tile<'_, PreparedPoints, f64> {
    /// The points along the columns, row after row, and V z for shares V of rows and columns.
    pub(crate) fn products(&self, shares: &[f64]) -> [Vec<f64>; 2] {
        let (m, n, dim) = (self.rows.len(), self.cols.len(), self.a.dim().max(self.b.dim()));
        let mut z = vec![0.0; n * dim];
        for (row, j) in z.chunks_exact_mut(dim.max(1)).zip(self.cols.clone()) {
            self.b.each(j).for_each(|(c, x)| row[c] = x);
        }
        let mut vz = vec![0.0; m * dim];
        add_product(shares, &z, &mut vz, m, n, dim);
        [z, vz]
    }

    /// Adds own_k x_k + sum_l shares_kl z_l to the gradient of each row, in the numbers that the points were made of: divided by `lengths`,
    /// one or one for each.
    pub(crate) fn add_points(&self, own: impl Fn(usize) -> f64, shares: &[f64], lengths: &[f64], out: &mut [f64]) {
        let (a, m) = (self.a, self.rows.len());
        let [_, mut sums] = self.products(shares);
        let dim = sums.len() / m.max(1);
        let width = out.len() / m.max(1);
        for (k, (sums, out)) in sums.chunks_exact_mut(dim.max(1)).zip(out.chunks_exact_mut(width.max(1))).enumerate() {
            let own = own(k);
            a.each(self.rows.at(k)).for_each(|(c, x)| sums[c] += own * x);
            for (c, sum) in sums.iter().enumerate() {
                let j = a.kept().get(c).copied().unwrap_or(c);
                out[j] += sum / lengths[if lengths.len() == 1 { 0 } else { j }];
            }
        }
    }

    /// Adds sum_l weights_kl f'(x_k . z_l) z_l to the gradient of each row, for k = f(x . z).
    pub(crate) fn add_slopes_of_dots(mut self, weights: &[f64], slope: impl Fn(f64) -> f64, out: &mut [f64]) {
        let n = self.cols.len();
        let mut shares = weights.to_vec();
        self.each_dot(|k, dots| shares[k * n..(k + 1) * n].iter_mut().zip(dots).for_each(|(w, dot)| *w *= slope(*dot)));
        self.add_points(|_| 0.0, &shares, &[1.0], out);
    }
}

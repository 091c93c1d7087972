//! Category columns side by side, and kernels that are a product over columns of one factor for equal labels and another for others.

use crate::data::{ColumnKind, Dataset, Inputs, UNSEEN, Values};
use crate::error::{Error, Result};
use crate::gram::{PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::Value;
use std::borrow::Cow;

/// Codes of labels, `columns` a row.
#[derive(Clone, Debug)]
pub struct LabelColumns {
    rows: usize,
    codes: Vec<u32>,
    /// Labels that each column may hold.
    counts: Vec<usize>,
}

impl PreparedBatch for LabelColumns {}

impl Inputs for LabelColumns {
    const NEEDS: &'static str = "category columns";

    fn takes(kind: ColumnKind) -> bool {
        kind == ColumnKind::Category
    }
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        let parts: Vec<(&[u32], usize)> = columns
            .iter()
            .filter_map(|&c| match &data.columns()[c].values {
                Values::Categories(labels) => Some((labels.codes.as_slice(), labels.names.len())),
                _ => None,
            })
            .collect();
        let codes = (0..data.rows()).flat_map(|i| parts.iter().map(move |(codes, _)| codes[i])).collect();
        Ok(Cow::Owned(LabelColumns { rows: data.rows(), codes, counts: parts.iter().map(|(_, count)| *count).collect() }))
    }
    fn len(&self) -> usize {
        self.rows
    }
}

impl LabelColumns {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }
    pub(super) fn columns(&self) -> usize {
        self.counts.len()
    }
    /// Labels that each column may hold.
    pub(super) fn counts(&self) -> &[usize] {
        &self.counts
    }
    pub(super) fn row(&self, i: usize) -> &[u32] {
        &self.codes[i * self.columns()..(i + 1) * self.columns()]
    }
}

/// An error unless there is one bandwidth, or one per column.
pub(super) fn check(name: &str, bandwidth: &Value, inputs: &LabelColumns) -> Result<()> {
    let given = bandwidth.numbers().len();
    if given != 1 && given != inputs.columns() {
        return Err(Error::Data(format!(
            "{name}: bandwidth has {given} numbers and there are {} category columns; give one number, or one per column",
            inputs.columns()
        )));
    }
    Ok(())
}

/// The bandwidth of each column.
pub(super) fn bandwidths(bandwidth: &Value, inputs: &LabelColumns) -> Vec<f64> {
    match bandwidth.numbers() {
        [one] => vec![*one; inputs.columns()],
        each => each.to_vec(),
    }
}

/// What a column contributes, with its derivative in the bandwidth of the column.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelFactor {
    /// Where labels are equal.
    pub(super) equal: (f64, f64),
    /// Where they are not, or were not seen in training.
    pub(super) other: (f64, f64),
}

/// A kernel of labels: the product of the factors of all columns, each above 0.
pub(super) struct LabelProduct(pub(super) Vec<LabelFactor>);

impl LabelProduct {
    fn factors<'a>(&'a self, x: &'a [u32], z: &'a [u32]) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.0.iter().zip(x.iter().zip(z)).map(|(factor, (x, z))| if x == z && *x != UNSEEN { factor.equal } else { factor.other })
    }
    fn value(&self, x: &[u32], z: &[u32]) -> f64 {
        self.factors(x, z).map(|(value, _)| value).product()
    }
    fn logarithm(&self, x: &[u32], z: &[u32]) -> f64 {
        self.factors(x, z).map(|(value, _)| libm::log(value)).sum()
    }

    pub(super) fn fill<T: Real>(&self, tile: Tile<'_, LabelColumns, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| self.value(a.row(i), b.row(j)));
    }
    pub(super) fn diagonal(&self, labels: &LabelColumns) -> Vec<f64> {
        (0..labels.rows).map(|i| self.value(labels.row(i), labels.row(i))).collect()
    }
    pub(super) fn log_diagonal(&self, labels: &LabelColumns) -> Vec<f64> {
        (0..labels.rows).map(|i| self.logarithm(labels.row(i), labels.row(i))).collect()
    }
    pub(super) fn fill_log_decay(&self, tile: Tile<'_, LabelColumns, f64>) {
        let (a, b) = (tile.a, tile.b);
        let (own, others) = (self.log_diagonal(a), self.log_diagonal(b));
        tile.from_pairs(|i, j| 0.5 * (own[i] + others[j]) - self.logarithm(a.row(i), b.row(j)));
    }
    /// Adds the derivatives in one bandwidth, or in one per column.
    pub(super) fn gradient(&self, tile: &Tile<'_, LabelColumns, f64>, weights: &[f64], out: &mut [f64]) {
        let columns = tile.cols.len();
        for k in 0..tile.rows.len() {
            let x = tile.a.row(tile.rows.at(k));
            for (j, weight) in tile.cols.clone().zip(&weights[k * columns..]) {
                let z = tile.b.row(j);
                let value = weight * self.value(x, z);
                for (column, (factor, slope)) in self.factors(x, z).enumerate() {
                    out[if out.len() == 1 { 0 } else { column }] += value * slope / factor;
                }
            }
        }
    }
}

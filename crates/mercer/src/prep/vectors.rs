//! Columns of vectors, scaled per dimension. Dense vectors are standardised: z = (x - mean) / sd. Sparse vectors keep
//! their zeros: z = x / max |x|, without centring, so that they stay sparse and 0/1 entries stay as they are
//! (scikit-learn's `MaxAbsScaler`). A dimension that is constant in training becomes 0 (dense) or stays (all zeros).

use super::standardise::mean_and_sd;
use super::{PrepStep, place};
use crate::blocks;
use crate::data::{Column, Points, RowWeights, Storage, are_constant};
use crate::error::{Error, Result};
use crate::notice::Notice;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How one column of vectors is scaled: z = (x - centre) / scale per dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    /// The column.
    pub column: String,
    /// What is taken off, one number per dimension; empty where training was sparse.
    #[serde(with = "blocks::f64s")]
    pub centre: Vec<f64>,
    /// What is divided out, one number per dimension, all above 0.
    #[serde(with = "blocks::f64s")]
    pub scale: Vec<f64>,
}

impl Vectors {
    pub(super) fn fit(
        columns: &[Column],
        measured: &HashSet<&str>,
        weights: RowWeights<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<PrepStep>> {
        let mut steps = Vec::new();
        for column in columns.iter().filter(|c| measured.contains(c.name.as_str())) {
            let Some(p) = column.values.vectors() else { continue };
            let own: Vec<f64> = (0..p.rows()).map(|i| weights.at(column.values.owner(i))).collect();
            let weights = RowWeights::from(Some(own.as_slice()));
            let (centre, scale) = match p.storage() {
                Storage::Dense(v) => by_mean_and_sd(&column.name, v, p, weights, notices)?,
                Storage::Csr { columns, values, .. } => (Vec::new(), by_largest(columns, values, p.dim())),
            };
            steps.push(PrepStep::Vectors(Vectors { column: column.name.clone(), centre, scale }));
        }
        Ok(steps)
    }

    /// Rows that come sparse to a centred column are written out: with zeros moved they would be dense anyway.
    pub(super) fn apply(&self, columns: &mut [Column]) -> Result<()> {
        self.change(columns, |x, centre, scale| (x - centre) / scale)
    }

    pub(super) fn undo(&self, columns: &mut [Column]) -> Result<()> {
        self.change(columns, |z, centre, scale| z * scale + centre)
    }

    /// Every number by what was taken off and divided out in its dimension.
    fn change(&self, columns: &mut [Column], by: fn(f64, f64, f64) -> f64) -> Result<()> {
        let at = place(columns, &self.column)?;
        let none = || Error::Data(format!("column '{}' holds no vectors", self.column));
        let p = columns[at].values.vectors().ok_or_else(none)?;
        let (rows, dim) = (p.rows(), p.dim());
        Error::unless_equal(&format!("numbers per row of column '{}'", self.column), self.scale.len(), dim)?;
        let scaled = match p.storage() {
            Storage::Csr { starts, columns, values } if self.centre.is_empty() => {
                let values = values.iter().zip(columns).map(|(x, &d)| by(*x, 0.0, self.scale[d as usize])).collect();
                Points::csr(rows, dim, starts.clone(), columns.clone(), values)?
            }
            _ => {
                let mut values = p.to_dense().into_owned();
                for row in values.chunks_exact_mut(dim.max(1)) {
                    for (d, x) in row.iter_mut().enumerate() {
                        *x = by(*x, *self.centre.get(d).unwrap_or(&0.0), self.scale[d]);
                    }
                }
                Points::dense(rows, dim, values)?
            }
        };
        columns[at].values = columns[at].values.with_vectors(scaled).ok_or_else(none)?;
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let how = if self.centre.is_empty() { "divided by its largest absolute value" } else { "standardised (mean 0, sd 1)" };
        match self.scale.len() {
            1 => format!("{} is {how} over the training rows.", self.column),
            many => format!("Each of the {many} dimensions of {} is {how} over the training rows.", self.column),
        }
    }
}

fn by_mean_and_sd(name: &str, v: &[f64], p: &Points, weights: RowWeights<'_>, notices: &mut Vec<Notice>) -> Result<(Vec<f64>, Vec<f64>)> {
    let (rows, dim) = (p.rows(), p.dim());
    let (mut centre, mut scale) = (Vec::with_capacity(dim), Vec::with_capacity(dim));
    let mut constant = 0;
    for d in 0..dim {
        let numbers = (0..rows).map(|i| v[i * dim + d]);
        constant += usize::from(rows > 1 && are_constant(numbers.clone()));
        let (mean, sd) = mean_and_sd(name, numbers, weights)?;
        centre.push(mean);
        scale.push(sd);
    }
    if constant > 0 {
        notices.push(Notice::ConstantDimensions { column: name.to_owned(), constant, dimensions: dim });
    }
    Ok((centre, scale))
}

/// Largest absolute value per dimension; 1 where there is none above 0.
fn by_largest(columns: &[u32], values: &[f64], dim: usize) -> Vec<f64> {
    let mut largest = vec![0.0_f64; dim];
    for (&d, x) in columns.iter().zip(values) {
        largest[d as usize] = largest[d as usize].max(x.abs());
    }
    largest.into_iter().map(|m| if m > 0.0 { m } else { 1.0 }).collect()
}

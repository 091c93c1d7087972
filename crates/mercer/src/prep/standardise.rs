//! Numbers with mean 0 and standard deviation 1 over the training rows (S35; the population standard deviation,
//! as scikit-learn's `StandardScaler`): z = (x - mean) / sd. A row of weight 2 is two rows.
//!
//! Columns of 0 and 1 that prep itself made (flags, one-hot) are left as they are.

use super::{PrepStep, numbers_of, places};
use crate::data::{Column, RowWeights, Values, are_constant};
use crate::error::{Error, Result};
use crate::notice::listed;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The numbers that are standardised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standardise {
    /// One entry per column.
    pub columns: Vec<Scaled>,
}

/// How one column is standardised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaled {
    /// The column.
    pub column: String,
    /// Mean of its training numbers.
    pub mean: f64,
    /// Population standard deviation of its training numbers; 1 where they are all equal.
    pub sd: f64,
}

impl Standardise {
    pub(super) fn fit(columns: &[Column], measured: &HashSet<&str>, weights: RowWeights<'_>) -> Result<Option<PrepStep>> {
        let mut scaled = Vec::new();
        for column in columns.iter().filter(|c| measured.contains(c.name.as_str())) {
            if let Values::Numbers(v) = &column.values {
                let (mean, sd) = mean_and_sd(&column.name, v.iter().copied(), weights)?;
                scaled.push(Scaled { column: column.name.clone(), mean, sd });
            }
        }
        Ok((!scaled.is_empty()).then_some(PrepStep::Standardise(Standardise { columns: scaled })))
    }

    pub(super) fn apply(&self, columns: &mut [Column]) -> Result<()> {
        let places = places(columns, self.columns.iter().map(|c| c.column.as_str()))?;
        for (Scaled { mean, sd, .. }, at) in self.columns.iter().zip(places) {
            numbers_of(&mut columns[at])?.iter_mut().for_each(|x| *x = (*x - mean) / sd);
        }
        Ok(())
    }

    pub(super) fn undo(&self, columns: &mut [Column]) -> Result<()> {
        let places = places(columns, self.columns.iter().map(|c| c.column.as_str()))?;
        for (Scaled { mean, sd, .. }, at) in self.columns.iter().zip(places) {
            numbers_of(&mut columns[at])?.iter_mut().for_each(|z| *z = *z * sd + mean);
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let columns = listed(self.columns.iter().map(|c| c.column.as_str()));
        format!("Standardised (mean 0, sd 1): {columns}.")
    }
}

/// Mean and population standard deviation of numbers that count by weight, in two passes, the mean corrected by what rounding left over. Numbers that
/// are all equal have that number as mean and 1 as standard deviation, so that they become exactly 0.
///
/// # Errors
/// Numbers so large that their mean or spread overflows.
pub(super) fn mean_and_sd(column: &str, v: impl ExactSizeIterator<Item = f64> + Clone, weights: RowWeights<'_>) -> Result<(f64, f64)> {
    let n = weights.total(v.len());
    let Some(first) = v.clone().next() else { return Ok((0.0, 1.0)) };
    if are_constant(v.clone()) {
        return Ok((first, 1.0));
    }
    let sum = |of: &dyn Fn(f64) -> f64| v.clone().enumerate().map(|(i, x)| weights.at(i) * of(x)).sum::<f64>();
    let rough = sum(&|x| x) / n;
    let mean = rough + sum(&|x| x - rough) / n;
    // Deviations over their largest: squares then neither overflow nor vanish.
    let largest = v.clone().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    let sd = largest * (sum(&|x| ((x - mean) / largest).powi(2)) / n).sqrt();
    if !(mean.is_finite() && sd.is_finite() && sd > 0.0) {
        let why = "its numbers are too large or too close to each other to be standardised; rescale it, or turn standardising off";
        return Err(Error::Numerical { what: format!("column '{column}'"), why: why.into() });
    }
    Ok((mean, sd))
}

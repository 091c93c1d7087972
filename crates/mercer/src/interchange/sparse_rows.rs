//! Rows of features counted from 1 with zeros left out, and the columns that they become.

use super::text_model::finite;
use crate::control::Control;
use crate::data::{Column, Dataset, Points, Values};
use crate::error::{Error, Result};

/// The columns that features become.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureColumns {
    /// One column `x` of sparse vectors, as a table in LIBSVM's format is read: of so many numbers, or of as many as the largest index.
    Vectors(Option<usize>),
    /// A column of numbers for each feature, in order.
    Numbers(Vec<String>),
}

impl Default for FeatureColumns {
    fn default() -> Self {
        FeatureColumns::Vectors(None)
    }
}

impl FeatureColumns {
    /// Numbers that a row has, where the model has so many features.
    pub(super) fn count(&self, features: usize) -> usize {
        match self {
            FeatureColumns::Vectors(count) => count.unwrap_or(features),
            FeatureColumns::Numbers(names) => names.len(),
        }
    }

    /// A table of such columns without rows, of so many features at least.
    ///
    /// # Errors
    /// Fewer columns than features.
    pub(super) fn without_rows(&self, features: usize) -> Result<Dataset> {
        SparseRows { largest: features, ..SparseRows::default() }.into_columns(self, &Control::unwatched())
    }
}

/// Rows as they are written: row i holds `values[starts[i]..starts[i + 1]]` at places from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SparseRows {
    starts: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f64>,
    /// The number of features: the largest index, also of entries that are 0.
    pub(super) largest: usize,
}

impl Default for SparseRows {
    fn default() -> Self {
        SparseRows { starts: vec![0], places: Vec::new(), values: Vec::new(), largest: 0 }
    }
}

impl SparseRows {
    /// Adds a row of words `INDEX:VALUE`.
    ///
    /// # Errors
    /// What is wrong with a word, in words.
    pub(super) fn add<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> std::result::Result<(), String> {
        let mut before = 0;
        for word in words {
            let Some((index, value)) = word.split_once(':') else {
                return Err(format!("found '{word}', expected INDEX:VALUE such as 3:0.5"));
            };
            let place = match index.parse::<u32>() {
                Ok(0) => return Err(format!("found '{word}': features are counted from 1, and index 0 is that of a precomputed kernel")),
                Ok(index) if index <= i32::MAX as u32 => index,
                _ => return Err(format!("found '{word}', expected an index from 1 to {}", i32::MAX)),
            };
            if place <= before {
                return Err(format!("found '{word}', expected an index above {before}: they ascend within a row"));
            }
            let value = finite(value)?;
            before = place;
            self.largest = self.largest.max(place as usize);
            if value != 0.0 {
                self.places.push(place - 1);
                self.values.push(value);
            }
        }
        self.starts.push(self.values.len());
        Ok(())
    }

    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows as columns.
    ///
    /// # Errors
    /// More features than there are columns for; memory.
    pub(super) fn into_columns(self, columns: &FeatureColumns, control: &Control) -> Result<Dataset> {
        let (rows, largest) = (self.rows(), self.largest);
        let too_few = |name: &str, given: usize| Error::Setting {
            name: name.into(),
            why: format!("{given} features are named, and the model has {largest}; name all of them"),
        };
        match columns {
            FeatureColumns::Vectors(_) => {
                let dim = columns.count(largest);
                if dim < largest {
                    return Err(too_few("features (--features)", dim));
                }
                control.plan(&format!("a model of {dim} features"), Points::BYTES_PER_COLUMN * dim as u64)?;
                Ok(Dataset::from_points(Points::csr(rows, dim, self.starts, self.places, self.values)?))
            }
            FeatureColumns::Numbers(names) => {
                if names.len() < largest {
                    return Err(too_few("columns (--columns)", names.len()));
                }
                control.plan(&format!("{rows} support vectors of {} columns", names.len()), 8 * rows as u64 * names.len() as u64)?;
                let mut numbers = vec![vec![0.0; rows]; names.len()];
                for row in 0..rows {
                    for k in self.starts[row]..self.starts[row + 1] {
                        numbers[self.places[k] as usize][row] = self.values[k];
                    }
                }
                let column = |(name, values): (&String, Vec<f64>)| Column { name: name.clone(), values: Values::Numbers(values) };
                Dataset::with_rows(rows, names.iter().zip(numbers).map(column).collect())
            }
        }
    }
}

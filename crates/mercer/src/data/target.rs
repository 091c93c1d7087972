//! What is to be predicted: numbers (one or several columns) or classes.

use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// The target of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// N rows, one column per output.
    Numbers(Matrix),
    /// One class a row.
    Classes {
        /// Code of each row's class.
        codes: Vec<usize>,
        /// Names of the classes.
        names: Vec<String>,
    },
    /// No target: density, clustering, components.
    Absent,
}

impl Target {
    /// One number a row.
    pub fn numbers(values: &[f64]) -> Self {
        Target::Numbers(Matrix::column(values.to_vec()))
    }
    /// Classes from labels, the names sorted.
    pub fn classes<S: AsRef<str>>(labels: &[S]) -> Self {
        let c = super::Categories::from_labels(labels);
        Target::Classes { codes: c.codes.iter().map(|&k| k as usize).collect(), names: c.names }
    }
    /// Rows; 0 where there is no target.
    pub fn rows(&self) -> usize {
        match self {
            Target::Numbers(m) => m.rows(),
            Target::Classes { codes, .. } => codes.len(),
            Target::Absent => 0,
        }
    }
    /// The given rows, in order. Class names stay, so that codes mean the same in every part.
    pub fn select(&self, rows: &[usize]) -> Target {
        match self {
            Target::Numbers(m) => Target::Numbers(m.select_rows(rows)),
            Target::Classes { codes, names } => Target::Classes { codes: rows.iter().map(|&i| codes[i]).collect(), names: names.clone() },
            Target::Absent => Target::Absent,
        }
    }
    /// The numbers, or an error that says that `who` needs them.
    pub fn as_numbers(&self, who: &str) -> Result<&Matrix> {
        match self {
            Target::Numbers(m) => Ok(m),
            _ => Err(Error::Data(format!(
                "{who} predicts numbers, and this target is not of numbers; choose another estimator or another target column"
            ))),
        }
    }
    /// Codes and names of the classes, or an error that says that `who` needs them.
    pub fn as_classes(&self, who: &str) -> Result<(&[usize], &[String])> {
        match self {
            Target::Classes { codes, names } => Ok((codes, names)),
            _ => Err(Error::Data(format!(
                "{who} predicts classes, and this target is of numbers; declare it with --types COLUMN=category, or choose another estimator"
            ))),
        }
    }
}

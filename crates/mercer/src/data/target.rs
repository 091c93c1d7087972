//! Targets: numbers (one or several columns), classes, or none.

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// The target of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// No target: components, clusters, density.
    Absent {
        /// Rows without one.
        rows: usize,
    },
}

/// What a target holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers, in one or several columns.
    Numbers,
    /// Classes.
    Classes,
    /// There is no target.
    Nothing,
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
    /// What it holds.
    pub fn kind(&self) -> Kind {
        match self {
            Target::Numbers(_) => Kind::Numbers,
            Target::Classes { .. } => Kind::Classes,
            Target::Absent { .. } => Kind::Nothing,
        }
    }
    /// Numbers that are predicted for each row: one per target column or per class; 1 where there is no target.
    pub fn outputs(&self) -> usize {
        match self {
            Target::Numbers(m) => m.cols(),
            Target::Classes { names, .. } => names.len(),
            Target::Absent { .. } => 1,
        }
    }
    /// Rows.
    pub fn rows(&self) -> usize {
        match self {
            Target::Numbers(m) => m.rows(),
            Target::Classes { codes, .. } => codes.len(),
            Target::Absent { rows } => *rows,
        }
    }
    /// The given rows, in order. Class names stay, so that codes mean the same in every part.
    ///
    /// # Panics
    /// A row that there is not.
    pub fn select(&self, rows: &[usize]) -> Target {
        match self {
            Target::Numbers(m) => Target::Numbers(m.select_rows(rows)),
            Target::Classes { codes, names } => Target::Classes { codes: rows.iter().map(|&i| codes[i]).collect(), names: names.clone() },
            Target::Absent { .. } => Target::Absent { rows: rows.len() },
        }
    }
    /// The numbers, or an error that says that `who` needs them.
    pub fn as_numbers(&self, who: &str) -> Result<&Matrix> {
        match self {
            Target::Numbers(m) => Ok(m),
            Target::Absent { .. } => Err(absent(who)),
            Target::Classes { .. } => Err(Error::Data(format!(
                "{who} predicts numbers, and this target is not of numbers; choose another estimator or another target column"
            ))),
        }
    }
    /// Codes and names of the classes, or an error that says that `who` needs them.
    pub fn as_classes(&self, who: &str) -> Result<(&[usize], &[String])> {
        match self {
            Target::Classes { codes, names } => Ok((codes, names)),
            Target::Absent { .. } => Err(absent(who)),
            Target::Numbers(_) => Err(Error::Data(format!(
                "{who} predicts classes, and this target is of numbers; declare it with --types COLUMN=category, or choose another estimator"
            ))),
        }
    }
}

/// What a target is called. Stored in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetInfo {
    /// The target columns.
    pub names: Vec<String>,
    /// The classes, as written in the table; `None` where the target is of numbers.
    pub classes: Option<Vec<String>>,
    /// What the classes were before they were written.
    pub labels: Labels,
}

/// What labels were before they were written as text, so that a face with types gives them back as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Labels {
    /// Text, as in a table.
    #[default]
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// `True` or `False`.
    Flag,
}

impl TargetInfo {
    /// What a target is called that comes without names: y, or y1, y2 and so on where it has several outputs.
    pub fn of(target: &Target) -> Self {
        let (names, classes) = match target {
            Target::Classes { names, .. } => (vec!["y".into()], Some(names.clone())),
            Target::Numbers(y) if y.cols() == 1 => (vec!["y".into()], None),
            Target::Numbers(y) => ((1..=y.cols()).map(|o| format!("y{o}")).collect(), None),
            Target::Absent { .. } => (Vec::new(), None),
        };
        TargetInfo { names, classes, labels: Labels::default() }
    }

    /// The name of a class; empty where the target is of numbers or the code is not one of its classes.
    pub fn class(&self, code: usize) -> &str {
        self.classes.as_ref().and_then(|c| c.get(code)).map_or("", String::as_str)
    }
}

/// That a method needs a target.
pub(crate) fn absent(who: &str) -> Error {
    Error::Data(format!("{who} needs a target, and there is none; name the target column"))
}

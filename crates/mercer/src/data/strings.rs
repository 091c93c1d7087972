//! A batch of strings: texts or sequences.

use super::{Arity, Dataset, Inputs, Sort, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One string a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Strings(Vec<String>);

impl Strings {
    /// The given strings, in order.
    pub fn new<S: Into<String>>(rows: impl IntoIterator<Item = S>) -> Self {
        Strings(rows.into_iter().map(Into::into).collect())
    }
    /// Rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The string of a row.
    pub fn get(&self, row: usize) -> &str {
        &self.0[row]
    }
    /// The strings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
    /// The given rows, in order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Strings(rows.iter().map(|&i| self.0[i].clone()).collect())
    }
}

impl Inputs for Strings {
    const SORT: &'static str = "one column of sequences or texts";
    const ARITY: Arity = Arity::One;

    fn takes(sort: Sort) -> bool {
        matches!(sort, Sort::Text | Sort::Sequence)
    }

    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        if let [one] = columns
            && let Values::Texts(s) | Values::Sequences(s) = &data.columns()[*one].values
        {
            return Ok(Cow::Borrowed(s));
        }
        Err(Error::Shape { what: "columns of a string kernel".into(), expected: 1, found: columns.len() })
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

//! A dataset: named, typed columns of one length.

use super::letters::composed;
use super::{Points, UNSEEN, Values, Written};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A named column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name, unique in the dataset.
    pub name: String,
    /// Its cells.
    pub values: Values,
}

impl Column {
    /// A name for each number of a row: the column's own, or one per coordinate where it holds vectors.
    pub fn numbers(&self) -> Vec<String> {
        match self.values.vectors() {
            Some(vectors) => (0..vectors.dim()).map(|k| format!("{}[{}]", self.name, k + 1)).collect(),
            None => vec![self.name.clone()],
        }
    }
}

/// Named columns of one length.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dataset {
    rows: usize,
    columns: Vec<Column>,
    /// Columns that were not written plainly.
    written: BTreeMap<String, Written>,
}

/// A stored dataset is checked like a new one.
impl<'de> Deserialize<'de> for Dataset {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Stored {
            rows: usize,
            columns: Vec<Column>,
            #[serde(default)]
            written: BTreeMap<String, Written>,
        }
        let Stored { rows, columns, written } = Stored::deserialize(d)?;
        let checked = Dataset::with_rows(rows, columns).map_err(serde::de::Error::custom)?;
        Ok(Dataset { written, ..checked })
    }
}

impl Dataset {
    /// Of each column where its numbers stand among all numbers of a row: one of a column of numbers, all of a vector, else none.
    pub(crate) fn number_places(&self) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let place = |column: &Column| {
            let start = end;
            end += match &column.values {
                Values::Numbers(_) => 1,
                Values::Points(points) => points.dim(),
                _ => 0,
            };
            start..end
        };
        self.columns.iter().map(place).collect()
    }

    /// The numbers of each row, in the places of [`Dataset::number_places`].
    pub(crate) fn numbers(&self) -> Matrix {
        let places = self.number_places();
        let mut out = Matrix::zeros(self.rows, places.last().map_or(0, |last| last.end));
        for (column, places) in self.columns.iter().zip(places) {
            match &column.values {
                Values::Numbers(v) => v.iter().enumerate().for_each(|(i, x)| out[(i, places.start)] = *x),
                Values::Points(points) => {
                    let all = points.to_dense();
                    (0..self.rows).for_each(|i| out.row_mut(i)[places.clone()].copy_from_slice(&all[i * places.len()..][..places.len()]));
                }
                _ => {}
            }
        }
        out
    }

    /// The rows with other numbers in the last of them: see [`Dataset::numbers`]. Vectors become dense.
    pub(crate) fn with_last_numbers(mut self, numbers: &Matrix) -> Result<Dataset> {
        let (places, first) = (self.number_places(), self.rows - numbers.rows());
        for (column, places) in self.columns.iter_mut().zip(places) {
            match &mut column.values {
                Values::Numbers(v) => v[first..].iter_mut().enumerate().for_each(|(i, x)| *x = numbers[(i, places.start)]),
                Values::Points(points) => {
                    let (rows, dim, mut all) = (points.rows(), points.dim(), points.to_dense().into_owned());
                    let some = all[first * dim..].chunks_exact_mut(dim.max(1));
                    some.enumerate().for_each(|(i, row)| row.copy_from_slice(&numbers.row(i)[places.clone()]));
                    *points = Points::dense(rows, dim, all)?;
                }
                _ => {}
            }
        }
        Ok(self)
    }

    /// A dataset of the given columns: at least one, of one length, names unique.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, |c| c.values.len());
        Self::with_rows(rows, columns)
    }

    /// A dataset of `rows` rows, possibly without any column (a table with only a target). Letters of names are composed (NFC).
    pub fn with_rows(rows: usize, mut columns: Vec<Column>) -> Result<Self> {
        for column in &mut columns {
            if let Cow::Owned(name) = composed(column.name.as_str().into()) {
                column.name = name;
            }
        }
        let mut seen = std::collections::HashSet::new();
        for c in &columns {
            if c.values.len() != rows {
                return Err(Error::Shape { what: format!("rows of column '{}'", c.name), expected: rows, found: c.values.len() });
            }
            if let Values::Categories(cat) = &c.values
                && let Some(code) = cat.codes.iter().find(|&&k| k != UNSEEN && k as usize >= cat.names.len())
            {
                return Err(Error::Data(format!("column '{}': category code {code} has no name", c.name)));
            }
            if !seen.insert(&c.name) {
                return Err(Error::Data(format!("column name '{}' stands twice; rename one of them", c.name)));
            }
        }
        Ok(Dataset { rows, columns, written: BTreeMap::new() })
    }

    /// A dataset of one column named `x` that holds points.
    pub fn from_points(points: Points) -> Self {
        let rows = points.rows();
        Dataset { rows, columns: vec![Column { name: "x".into(), values: Values::Points(points) }], written: BTreeMap::new() }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
    /// The columns, given up.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }
    /// Column names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|c| c.name.as_str()).collect()
    }
    /// Where the named column stands.
    pub fn position(&self, name: &str) -> Result<usize> {
        let wanted = composed(name.into());
        self.columns.iter().position(|c| c.name == wanted).ok_or_else(|| Error::unknown("column", name, self.names()))
    }
    /// The named column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        Ok(&self.columns[self.position(name)?])
    }
    /// Takes the named column out.
    pub fn take(&mut self, name: &str) -> Result<Column> {
        let at = self.position(name)?;
        Ok(self.columns.remove(at))
    }
    /// The rows as new rows are compared with them: rows of a kernel matrix are items of it and no more.
    #[must_use]
    pub fn as_items(mut self) -> Dataset {
        for column in &mut self.columns {
            if let Values::Similarities(rows) = &mut column.values {
                *rows = rows.as_items();
            }
        }
        self
    }

    /// The given rows, in order; a row may be named twice.
    ///
    /// # Panics
    /// A row that there is not.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        let columns = self.columns.iter().map(|c| Column { name: c.name.clone(), values: c.values.select(rows) }).collect();
        Dataset { rows: rows.len(), columns, written: self.written.clone() }
    }
    /// The cells of a row as words that are equal where the cells are.
    pub(crate) fn words(&self, row: usize) -> Vec<u64> {
        let mut all = Vec::new();
        self.columns.iter().for_each(|c| c.values.words(row, &mut |word| all.push(word)));
        all
    }
    /// How a column was written in the table that it was read from.
    pub fn written(&self, name: &str) -> Written {
        self.written.get(name).cloned().unwrap_or_default()
    }
    /// Records how a column was written in the table it was read from.
    pub fn remember(mut self, name: &str, written: Written) -> Self {
        if written != Written::default() {
            self.written.insert(name.to_owned(), written);
        }
        self
    }
}

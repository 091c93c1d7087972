//! Arrays of numbers as JSON lines have them: vectors where all are of one length, series of one channel where that is declared.

use super::Table;
use super::facts::declared;
use crate::data::{ColumnKind, Points, Series, Values};
use crate::error::{Error, Result};

/// An array of numbers a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// Row i holds the numbers up to `ends[i]`, from where the row before ends.
    ends: Vec<usize>,
    numbers: Vec<f64>,
    /// The rows that have no array, ascending.
    missing: Vec<usize>,
}

impl Lists {
    /// Adds the array of a row, from 0; the rows before it that were not given have none.
    pub(super) fn push(&mut self, row: usize, numbers: &[f64]) {
        self.pad(row);
        self.numbers.extend_from_slice(numbers);
        self.ends.push(self.numbers.len());
    }
    /// Rows without an array until there are `rows`.
    pub(super) fn pad(&mut self, rows: usize) {
        self.missing.extend(self.ends.len()..rows);
        self.ends.resize(rows.max(self.ends.len()), self.numbers.len());
    }
    pub(super) fn rows(&self) -> usize {
        self.ends.len()
    }
    /// Whether some row has a number.
    pub(super) fn holds_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }
    /// The rows of these numbers, in this order.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let mut some = Lists::default();
        for (at, &row) in rows.iter().enumerate() {
            if self.missing.binary_search(&row).is_ok() {
                some.pad(at + 1);
            } else {
                some.push(at, self.row(row));
            }
        }
        some
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[row]]
    }

    fn series(self) -> Result<Series> {
        let starts = std::iter::once(0).chain(self.ends).collect();
        Ok(Series::new(starts, Points::dense(self.numbers.len(), 1, self.numbers)?)?.with_missing(self.missing))
    }
}

impl Table {
    /// Arrays of numbers as a column of this kind: vectors where none is said.
    ///
    /// # Errors
    /// Vectors of unlike length, and a kind that is not made of arrays of numbers.
    pub(super) fn listed(&self, name: &str, lists: Lists, kind: Option<ColumnKind>) -> Result<Values> {
        match kind {
            Some(ColumnKind::Series) => lists.series().map(Values::Series),
            None | Some(ColumnKind::Points) => self.vectors(name, lists).map(Values::Points),
            Some(other) => Err(self.fault(format!(
                "column '{name}' holds arrays of numbers, expected {}; these are read as vectors ({}) or as series of one channel ({})",
                other.holds(),
                declared(name, "points"),
                declared(name, "series")
            ))),
        }
    }

    fn vectors(&self, name: &str, lists: Lists) -> Result<Points> {
        let has_numbers = |row: &usize| !lists.row(*row).is_empty();
        let first = (0..lists.rows()).find(has_numbers).unwrap_or(0);
        let width = lists.row(first).len();
        if let Some(row) = (0..lists.rows()).find(|&row| lists.row(row).len() != width) {
            let found = if lists.missing.contains(&row) { String::new() } else { format!("an array of {}", lists.row(row).len()) };
            let expected = format!(
                "an array of {width}, as in row {}, since vectors have one length and cannot be missing; {} reads arrays of any length as \
                 series, {} leaves the column out",
                first + 1,
                declared(name, "series"),
                declared(name, "ignore")
            );
            return Err(self.cell(row, name, &found, &expected));
        }
        Points::dense(lists.rows(), width, lists.numbers).map_err(|why| Error::Data(format!("column '{name}': {why}")))
    }
}

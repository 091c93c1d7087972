//! Arrays of numbers as JSON lines have them: vectors where all are of one length, series of one channel where they are not, lack numbers,
//! or that is declared.

use super::Table;
use super::facts::{Fact, Topic, declared};
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
    /// Adds the array of a row, from 0, NaN where a number is missing; the rows before it that were not given have none.
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
        let starts: Vec<usize> = std::iter::once(0).chain(self.ends).collect();
        Ok(Series::with_gaps(&starts, 1, &self.numbers)?.with_missing(self.missing))
    }

    /// The sizes of the arrays that are there.
    fn sizes(&self) -> Vec<ListSize> {
        let there = |row: &usize| self.missing.binary_search(row).is_err();
        (0..self.rows()).filter(there).map(|row| ListSize::of(self.row(row))).collect()
    }
}

/// How many numbers an array has, and whether some are missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListSize {
    pub(super) length: usize,
    has_gaps: bool,
}

impl ListSize {
    pub(super) fn of(list: &[f64]) -> Self {
        ListSize { length: list.len(), has_gaps: list.iter().any(|x| x.is_nan()) }
    }

    /// Why the arrays of a column that nobody has declared are series; `None` where they have one length and lack nothing, as vectors.
    pub(super) fn are_series<'a>(column: &str, sizes: impl Iterator<Item = &'a ListSize> + Clone) -> Option<Fact> {
        let lengths = || sizes.clone().map(|size| size.length);
        let (least, most) = (lengths().min()?, lengths().max()?);
        let says = if least < most {
            format!("{{holds}} arrays of {least} to {most} numbers: read as series")
        } else if sizes.clone().any(|size| size.has_gaps) {
            format!("{{holds}} arrays of {most} numbers, of which some are missing: read as series")
        } else {
            return None;
        };
        Some(Fact::of_column(Topic::Table, column, says).undone_by("ignore leaves it out"))
    }
}

impl Table {
    /// Arrays of numbers as a column of this kind: vectors or series where none is said.
    ///
    /// # Errors
    /// Vectors of unlike length, and a kind that is not made of arrays of numbers.
    pub(super) fn listed(&mut self, name: &str, lists: Lists, kind: Option<ColumnKind>) -> Result<Values> {
        let said = if kind.is_none() { ListSize::are_series(name, lists.sizes().iter()) } else { None };
        let is_series = kind == Some(ColumnKind::Series) || said.is_some();
        self.facts.extend(said);
        match kind {
            _ if is_series => lists.series().map(Values::Series),
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
        if let Some(at) = lists.numbers.iter().position(|x| x.is_nan()) {
            let expected = format!("a number, since vectors have no gaps; {} reads series, which may have some", declared(name, "series"));
            return Err(self.cell(at / width, name, &format!("null at number {}", at % width + 1), &expected));
        }
        Points::dense(lists.rows(), width, lists.numbers).map_err(|why| Error::Data(format!("column '{name}': {why}")))
    }
}

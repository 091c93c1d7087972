//! Columns as they were read, to stand beside predictions.

use super::Table;
use super::cells::Cells;
use super::table::Raw;
use super::unseen::name_of;
use crate::error::{Error, Result};

impl Table {
    /// The cells of the named columns as text, whatever they hold; with no name, of every column of one cell a row. Sets that rows
    /// were grouped into are called by their names. Asked before columns are taken out.
    ///
    /// # Errors
    /// A name that the table lacks, and a column of vectors.
    pub fn texts(&self, names: &[String]) -> Result<Vec<(String, Vec<String>)>> {
        let all: Vec<String> =
            self.columns.iter().filter(|(name, raw)| cells(raw).is_some() || self.is_of_sets(name)).map(|(name, _)| name.clone()).collect();
        let wanted = if names.is_empty() { &all } else { names };
        wanted.iter().map(|name| name_of(name)).map(|name| Ok((name.clone(), self.text_of(&name)?))).collect()
    }

    fn is_of_sets(&self, name: &str) -> bool {
        self.grouped.as_ref().is_some_and(|sets| sets.column == name)
    }

    fn text_of(&self, name: &str) -> Result<Vec<String>> {
        let Some((_, raw)) = self.columns.iter().find(|(n, _)| n == name) else {
            let known: Vec<&str> = self.columns.iter().map(|(column, _)| column.as_str()).collect();
            if let Some(sets) = self.grouped.as_ref().filter(|_| self.header.iter().any(|column| column == name)) {
                let why =
                    format!("it has several values for one '{}', whose rows are one; keep one of these: {}", sets.column, known.join(", "));
                return Err(Error::Setting { name: format!("column '{name}'"), why });
            }
            return Err(Error::unknown("column", name, known));
        };
        if let Some(sets) = self.grouped.as_ref().filter(|_| self.is_of_sets(name)) {
            return Ok(sets.names.clone());
        }
        cells(raw).map(|c| c.iter().map(str::to_owned).collect()).ok_or_else(|| {
            Error::Data(format!("column '{name}' holds vectors, which cannot stand in one cell beside a prediction; keep another column"))
        })
    }
}

/// One cell a row; `None` where there are vectors.
fn cells(raw: &Raw) -> Option<std::borrow::Cow<'_, Cells>> {
    match raw {
        Raw::Cells(cells) => Some(std::borrow::Cow::Borrowed(cells)),
        Raw::Numbers(v) => Some(std::borrow::Cow::Owned(Cells::of_numbers(v))),
        Raw::Points(_) | Raw::Lists(_) | Raw::Indexed(_) | Raw::Ready(_) => None,
    }
}

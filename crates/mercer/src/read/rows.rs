//! Rows of a table left out because they miss a cell, and where the others stand in the file.

use super::Table;
use super::cells::{Cell, missing_among_numbers};
use super::facts::{Fact, Topic};
use super::table::Raw;
use super::unseen::name_of;
use crate::data::{Cells as _, Writing};
use crate::error::{Error, Result};

impl Table {
    /// Leaves out the rows whose cell is missing in a column that is to be the target, and says how many. [`Table::in_file`]
    /// makes complaints of what is left count the rows of the file.
    ///
    /// # Errors
    /// An unknown column, one of vectors, and one without a single value.
    pub fn leave_out_missing(&mut self, name: &str) -> Result<()> {
        let name = &name_of(name);
        let kept = self.rows_with(name)?;
        let Some(first) = (0..self.rows).find(|&row| kept.get(row) != Some(&row)) else { return Ok(()) };
        if kept.is_empty() {
            return Err(self.fault(format!("column '{name}' has no value in any row; choose another target")));
        }
        let left_out = match self.rows - kept.len() {
            1 => format!("{{has}} no value in row {}: it is left out", first + 1),
            count => format!("{{has}} no value in {count} of {} rows (the first is row {}): these are left out", self.rows, first + 1),
        };
        self.facts.push(Fact::of_column(Topic::Target, name, left_out));
        self.keep_rows(&kept);
        Ok(())
    }

    /// Leaves out the rows whose cell is missing in a column that is to be the target, as of a part of the rows, of which none may be left.
    ///
    /// # Errors
    /// An unknown column, and one of vectors.
    pub(crate) fn leave_out_missing_of_part(&mut self, name: &str) -> Result<()> {
        let kept = self.rows_with(name)?;
        if kept.len() < self.rows {
            self.keep_rows(&kept);
        }
        Ok(())
    }

    /// The rows with a value in a column.
    fn rows_with(&mut self, name: &str) -> Result<Vec<usize>> {
        let name = &name_of(name);
        let Some((_, raw)) = self.columns.iter().find(|(column, _)| column == name) else { return self.take(name).map(|_| Vec::new()) };
        let cells = raw.clone().into_cells(name)?;
        let numbers = Writing::of(&cells).is_some();
        let gone = |cell: &str| cells.misses(cell) || (numbers && (Cell::of(cell) == Cell::Missing || missing_among_numbers(cell)));
        Ok(cells.iter().enumerate().filter(|(_, cell)| !gone(cell)).map(|(row, _)| row).collect())
    }

    /// Keeps these rows alone, in this order.
    pub(super) fn keep_rows(&mut self, kept: &[usize]) {
        for (_, raw) in &mut self.columns {
            *raw = raw.select(kept);
        }
        self.places = kept.iter().map(|&row| self.place(row)).collect();
        self.rows = kept.len();
    }

    /// The place in the file of a row, both from 0.
    fn place(&self, row: usize) -> usize {
        self.places.get(row).copied().unwrap_or(row)
    }

    /// A complaint about a cell with its row counted in the file, rows that were left out included.
    pub fn in_file(&self, error: Error) -> Error {
        match error {
            Error::Cell { file, row, column, found, expected } => {
                Error::Cell { file, row: self.place(row.saturating_sub(1)) + 1, column, found, expected }
            }
            other => other,
        }
    }
}

impl Raw {
    /// The rows of these numbers, in this order.
    fn select(&self, rows: &[usize]) -> Raw {
        match self {
            Raw::Cells(cells) => Raw::Cells(cells.select(rows)),
            Raw::Numbers(v) => Raw::Numbers(rows.iter().map(|&i| v[i]).collect()),
            Raw::Points(p) => Raw::Points(p.select(rows)),
            Raw::Lists(lists) => Raw::Lists(lists.select(rows)),
            Raw::Indexed(x) => Raw::Indexed(x.select(rows)),
            Raw::Ready(values) => Raw::Ready(values.select(rows)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ReadOptions;

    #[test]
    fn rows_without_a_target_are_left_out_and_the_others_keep_their_places() {
        let mut table = Table::parse("t", b"x,y\n1,2\n2,\n3,4\n4,-\nfive,6\n6,7\n7,8\n8,9\n9,9\n10,9\n11,8\n12,7\n13,6\n14,5\n").unwrap();
        table.leave_out_missing("y").unwrap();
        assert_eq!(table.rows(), 12);
        let said = "target 'y' has no value in 2 of 14 rows (the first is row 2): these are left out";
        assert_eq!(table.notices(), [said]);
        let options = ReadOptions::default();
        table.take_target(&["y"], &options).unwrap();
        let error = table.dataset(&options).unwrap_err();
        let error = table.in_file(error).to_string();
        assert!(error.contains("row 5, column 'x': found 'five'"), "{error}");
    }

    #[test]
    fn a_whole_column_stays_and_an_empty_one_is_no_target() {
        let mut table = Table::parse("t", b"1 1:2 3:4\n2 2:5\n").unwrap();
        table.leave_out_missing("target").unwrap();
        assert!(table.rows() == 2 && table.notices().is_empty());
        let mut table = Table::parse("t", b"x,y\n1,\n2,NA\n").unwrap();
        assert!(table.leave_out_missing("y").unwrap_err().to_string().contains("no value in any row"));
        assert!(table.leave_out_missing("z").is_err());
    }
}

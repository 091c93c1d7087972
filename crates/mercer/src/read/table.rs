//! CSV and its cousins (RFC 4180) to a table of text cells: named columns of one length, nothing interpreted yet.

use super::cells::Cells;
use super::{Notice, ReadOptions, Source};
use crate::error::{Error, Result};
use csv::ByteRecord;
use std::collections::HashMap;

/// A table of text cells, from which columns are taken by name.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) file: String,
    pub(super) rows: usize,
    /// Every column name of the header, also of columns taken out since.
    pub(super) header: Vec<String>,
    /// The columns still there.
    pub(super) columns: Vec<(String, Cells)>,
    pub(super) notices: Vec<Notice>,
}

impl Table {
    /// Reads a table. The delimiter is a tab for `.tsv`; otherwise the header tells it: comma, tab or semicolon.
    ///
    /// # Errors
    /// What the system says about the file, and every fault of [`Table::parse`].
    pub fn read(source: &Source) -> Result<Self> {
        Self::with_delimiter(&source.to_string(), &source.bytes()?, source.delimiter())
    }

    /// Reads a table from its bytes; `file` is what messages call it.
    ///
    /// # Errors
    /// No header, no rows, a name missing or standing twice, a row with more or fewer cells than the header, bytes
    /// that are not UTF-8: each with its row.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        Self::with_delimiter(file, bytes, None)
    }

    /// A table from columns of cells that are in memory already; `file` is what messages call it.
    ///
    /// # Errors
    /// Columns of different lengths, and a name that is missing or stands twice.
    pub fn of_cells<S: AsRef<str>>(file: &str, rows: usize, columns: &[(String, Vec<S>)]) -> Result<Self> {
        let header: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        check_names(&header).map_err(|why| Error::Table { file: file.to_owned(), why })?;
        let mut all = Vec::with_capacity(columns.len());
        for (name, column) in columns {
            if column.len() != rows {
                return Err(Error::Shape { what: format!("rows of column '{name}'"), expected: rows, found: column.len() });
            }
            let mut cells = Cells::default();
            column.iter().for_each(|cell| cells.push(cell.as_ref()));
            all.push((name.clone(), cells));
        }
        Ok(Table { file: file.to_owned(), rows, header, columns: all, notices: Vec::new() })
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Every column name of the header.
    pub fn header(&self) -> &[String] {
        &self.header
    }
    /// What the user should know about how the table was taken, so far.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }
    /// The same, given up.
    pub fn into_notices(self) -> Vec<Notice> {
        self.notices
    }

    fn with_delimiter(file: &str, bytes: &[u8], delimiter: Option<u8>) -> Result<Self> {
        let fault = |why: String| Error::Table { file: file.to_owned(), why };
        let bytes = plain_text(file, bytes)?;
        let delimiter = delimiter.unwrap_or_else(|| sniff(bytes));
        let mut notices = Vec::new();
        if delimiter != b',' {
            notices.push(format!("{file}: cells are parted by {}", delimiter_name(delimiter)));
        }

        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes);
        let mut record = ByteRecord::new();
        let mut next = |record: &mut ByteRecord| reader.read_byte_record(record).map_err(|e| fault(e.to_string()));
        if !next(&mut record)? {
            return Err(fault("the table is empty; expected a header line and rows".into()));
        }
        let header = record.iter().map(|cell| std::str::from_utf8(cell).map(|s| s.trim().to_owned()));
        let header: Vec<String> = header.collect::<std::result::Result<_, _>>().map_err(|_| fault(format!("the header is {NOT_UTF8}")))?;
        check_header(&header).map_err(&fault)?;

        let mut columns = vec![Cells::default(); header.len()];
        let (mut rows, mut breaks_line) = (0, false);
        while next(&mut record)? {
            rows += 1;
            breaks_line = record.iter().any(|cell| cell.contains(&b'\n'));
            if record.len() != header.len() {
                return Err(fault(ragged(rows, &record, header.len(), delimiter)));
            }
            for ((cells, cell), name) in columns.iter_mut().zip(&record).zip(&header) {
                cells.push(std::str::from_utf8(cell).map_err(|_| fault(format!("row {rows}, column '{name}' is {NOT_UTF8}")))?);
            }
        }
        // Quotes come in pairs; one that is never closed takes every line after it into its cell.
        if breaks_line && bytes.iter().filter(|&&b| b == b'"').count() % 2 == 1 {
            return Err(fault(format!("row {rows} opens a quote that is never closed")));
        }
        if rows == 0 {
            return Err(fault("the table has a header but no rows".into()));
        }
        let columns = header.iter().cloned().zip(columns).collect();
        let mut table = Table { file: file.to_owned(), rows, header, columns, notices };
        table.leave_out_row_numbers()?;
        table.doubt_header();
        Ok(table)
    }

    /// A first column without a name is what tools write for row numbers; any other unnamed column is a fault.
    fn leave_out_row_numbers(&mut self) -> Result<()> {
        if self.header.first().is_none_or(|name| !name.is_empty()) {
            return Ok(());
        }
        let (_, cells) = self.columns.remove(0);
        let counts_from = |first: usize| cells.iter().enumerate().all(|(i, cell)| cell.parse() == Ok(i + first));
        if self.header.len() == 1 || !(counts_from(0) || counts_from(1)) {
            return Err(self.fault("column 1 has no name in the header"));
        }
        self.header.remove(0);
        self.notices.push(format!("{}: the first column has no name and counts the rows: ignored", self.file));
        Ok(())
    }

    /// A name that is also a cell of its own column: perhaps the header is missing and the first line is data.
    fn doubt_header(&mut self) {
        if let Some((name, _)) = self.columns.iter().find(|(name, cells)| cells.iter().any(|cell| cell == name)) {
            let said = format!(
                "{}: is there a header line? The first line is taken as one, and its '{name}' also stands in a row of its column",
                self.file
            );
            self.notices.push(said);
        }
    }

    pub(super) fn fault(&self, why: impl Into<String>) -> Error {
        Error::Table { file: self.file.clone(), why: why.into() }
    }

    /// Takes the named column out.
    pub(super) fn take(&mut self, name: &str) -> Result<Cells> {
        match self.columns.iter().position(|(n, _)| n == name) {
            Some(at) => Ok(self.columns.remove(at).1),
            None if self.header.iter().any(|n| n == name) => {
                Err(Error::Data(format!("column '{name}' is asked for twice; target and weights need a column each")))
            }
            None => Err(Error::unknown("column", name, &self.header)),
        }
    }

    /// Declared columns must be there.
    pub(super) fn check_declared(&self, options: &ReadOptions) -> Result<()> {
        match options.types.iter().find(|(name, _)| !self.header.contains(name)) {
            Some((name, _)) => Err(Error::unknown("column", name, &self.header)),
            None => Ok(()),
        }
    }
}

const NOT_UTF8: &str = "not UTF-8 text; save the table as UTF-8";

/// The bytes after a byte order mark, if they can be a table at all.
fn plain_text<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a [u8]> {
    let why = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Ok(rest),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the table is UTF-16; save it as UTF-8",
        [0x1F, 0x8B, ..] => "the table is compressed (gzip); unpack it first, or pipe it: gunzip -c FILE.gz | mercer ... -",
        [b'P', b'K', 3, 4, ..] => "this is a zip archive or a spreadsheet; save the table as CSV",
        _ => return Ok(bytes),
    };
    Err(Error::Table { file: file.to_owned(), why: why.into() })
}

fn delimiter_name(delimiter: u8) -> &'static str {
    match delimiter {
        b'\t' => "tabs",
        b';' => "semicolons",
        _ => "commas",
    }
}

/// The delimiter that stands most often in the header outside quotes; a comma where it is a draw.
fn sniff(bytes: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0)];
    for &b in bytes {
        match b {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted && counts.iter().any(|c| c.1 > 0) => break,
            b'\n' | b'\r' if !quoted => {}
            _ if !quoted => counts.iter_mut().filter(|c| c.0 == b).for_each(|c| c.1 += 1),
            _ => {}
        }
    }
    counts.iter().rev().max_by_key(|c| c.1).map_or(b',', |c| c.0)
}

/// Why a header cannot be one. An unnamed first column is judged later, by its cells.
fn check_header(header: &[String]) -> std::result::Result<(), String> {
    check_names(header)?;
    // Names that count columns (0, 1, 2, ... or 1, 2, 3, ...) are what tools write; other numbers are data.
    let counts_from = |first: usize| header.iter().enumerate().all(|(i, name)| name.parse() == Ok(i + first));
    if header.iter().all(|name| name.parse::<f64>().is_ok()) && !counts_from(0) && !counts_from(1) {
        return Err(format!(
            "the first line holds only numbers ({}); expected a header line with the column names",
            header.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(())
}

/// Every name but the first must be there, and none may stand twice.
fn check_names(header: &[String]) -> std::result::Result<(), String> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (i, name) in header.iter().enumerate() {
        if name.is_empty() && i > 0 {
            return Err(format!("column {} has no name in the header", i + 1));
        }
        if let Some(first) = seen.insert(name, i) {
            return Err(format!("column name '{name}' stands twice (columns {} and {}); rename one of them", first + 1, i + 1));
        }
    }
    Ok(())
}

fn ragged(row: usize, record: &ByteRecord, expected: usize, delimiter: u8) -> String {
    let quote = if record.iter().any(|cell| cell.contains(&b'\n')) { "; is a quote left open?" } else { "" };
    let cells = if record.len() == 1 { "cell" } else { "cells" };
    let by = delimiter_name(delimiter);
    format!(
        "row {row} has {} {cells}, the header has {expected}{quote}; cells are parted by {by}: quote a cell that holds one",
        record.len()
    )
}

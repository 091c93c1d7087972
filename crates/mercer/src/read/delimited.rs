//! CSV and its cousins (RFC 4180) to a table of text cells: commas, tabs or semicolons, told from the header; quoted cells
//! may hold line ends; a byte order mark is no part of the header, and UTF-16 with one is decoded.

use super::cells::Cells;
use super::table::{Raw, Table, check_names};
use crate::error::{Error, Result};
use csv::ByteRecord;
use std::borrow::Cow;

/// Reads a table whose cells are parted by `delimiter`, or by what the header tells.
pub(super) fn parse(file: &str, bytes: &[u8], delimiter: Option<u8>) -> Result<Table> {
    let fault = |why: String| Error::Table { file: file.to_owned(), why };
    let mut notices = Vec::new();
    let bytes = match encoding(bytes).map_err(|why| fault(why.to_owned()))? {
        Encoding::Utf8(bytes) => Cow::Borrowed(bytes),
        Encoding::Utf16(units) => {
            notices.push(format!("{file}: the table is UTF-16, and read as that"));
            let text = char::decode_utf16(units).collect::<std::result::Result<String, _>>();
            Cow::Owned(text.map_err(|_| fault("the table is damaged UTF-16; save it as UTF-8".into()))?.into_bytes())
        }
    };
    let delimiter = delimiter.unwrap_or_else(|| sniff(&bytes));
    if delimiter != b',' {
        notices.push(format!("{file}: cells are parted by {}", delimiter_name(delimiter)));
    }

    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes.as_ref());
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| reader.read_byte_record(record).map_err(|e| fault(e.to_string()));
    if !next(&mut record)? {
        return Err(fault("the table is empty; expected a header line and rows".into()));
    }
    let header = record.iter().map(|cell| std::str::from_utf8(cell).map(|s| s.trim().to_owned()));
    let header: Vec<String> = header.collect::<std::result::Result<_, _>>().map_err(|_| fault(format!("the header is {NOT_UTF8}")))?;
    check_header(&header).map_err(&fault)?;

    let mut columns = vec![Cells::new(delimiter != b',', false); header.len()];
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
    let mut columns: Vec<(String, Cells)> = header.into_iter().zip(columns).collect();
    notices.extend(leave_out_row_numbers(file, &mut columns)?);
    notices.extend(doubt_header(file, &columns));
    let columns = columns.into_iter().map(|(name, cells)| (name, Raw::Cells(cells))).collect();
    Ok(Table { notices, ..Table::of_raw(file, rows, columns)? })
}

const NOT_UTF8: &str = "not UTF-8 text; save the table as UTF-8";

/// How the text is written.
enum Encoding<'a> {
    Utf8(&'a [u8]),
    Utf16(Vec<u16>),
}

/// The text after a byte order mark, or why these bytes can be none.
fn encoding(bytes: &[u8]) -> std::result::Result<Encoding<'_>, &'static str> {
    let units = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let whole = rest.len().is_multiple_of(2);
        let units = || Encoding::Utf16(rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect());
        whole.then(units).ok_or("the table is UTF-16, and its last character is cut off")
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => Ok(Encoding::Utf8(rest)),
        [0xFF, 0xFE, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => Ok(Encoding::Utf8(bytes)),
    }
}

/// A first column without a name is what tools write for row numbers; any other unnamed column is a fault.
fn leave_out_row_numbers(file: &str, columns: &mut Vec<(String, Cells)>) -> Result<Option<String>> {
    if columns.first().is_none_or(|(name, _)| !name.is_empty()) {
        return Ok(None);
    }
    let (_, cells) = columns.remove(0);
    let counts_from = |first: usize| cells.iter().enumerate().all(|(i, cell)| cell.parse() == Ok(i + first));
    if columns.is_empty() || !(counts_from(0) || counts_from(1)) {
        return Err(Error::Table { file: file.to_owned(), why: "column 1 has no name in the header".into() });
    }
    Ok(Some(format!("{file}: the first column has no name and counts the rows: ignored")))
}

/// A name that is also a cell of its own column: perhaps the header is missing and the first line is data.
fn doubt_header(file: &str, columns: &[(String, Cells)]) -> Option<String> {
    let (name, _) = columns.iter().find(|(name, cells)| cells.iter().any(|cell| cell == name))?;
    Some(format!("{file}: is there a header line? The first line is taken as one, and its '{name}' also stands in a row of its column"))
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

fn ragged(row: usize, record: &ByteRecord, expected: usize, delimiter: u8) -> String {
    let quote = if record.iter().any(|cell| cell.contains(&b'\n')) { "; is a quote left open?" } else { "" };
    let cells = if record.len() == 1 { "cell" } else { "cells" };
    let by = delimiter_name(delimiter);
    format!(
        "row {row} has {} {cells}, the header has {expected}{quote}; cells are parted by {by}: quote a cell that holds one",
        record.len()
    )
}

//! CSV and its cousins (RFC 4180) to a table of text cells. Quoted cells may hold line ends; lines of comments, separators at
//! the ends of lines and row numbers of tools are left out and said.

use super::cells::Cells;
use super::facts::Fact;
use super::infer::shortened;
use super::layout::{LOOKED_AT, below, excel_line, lines_above, sniff, squeezed};
use super::options::{Decimal, Delimiter, ReadOptions};
use super::quoting::{self, Excess};
use super::table::{Raw, Table, check_names};
use super::unseen::name_of;
use super::{marks, no_rows};
use crate::error::{Error, Result};
use csv::StringRecord;
use std::borrow::Cow;
use std::collections::HashSet;

/// Reads a table whose cells are separated by `delimiter`, or by the separator of the options, or by one detected from its lines.
pub(super) fn parse(file: &str, text: &str, delimiter: Option<Delimiter>, options: &ReadOptions) -> Result<Table> {
    let reading = Reading { file, options };
    let skipped = options.skip;
    let text = below(text, skipped);
    if skipped > 0 && text.trim().is_empty() {
        return Err(reading.fault(format!("there is nothing below the {skipped} lines that --skip leaves out")));
    }
    let excel = excel_line(text);
    let (declared, rest) = excel.map_or((None, text), |(sign, rest)| (Some(sign), rest));
    let delimiter = options.delimiter.or(delimiter).or(declared).unwrap_or_else(|| sniff(rest));
    let rest = if delimiter == Delimiter::Spaces { squeezed(rest) } else { Cow::Borrowed(rest) };
    let mut facts = Vec::new();
    if delimiter != Delimiter::COMMA {
        facts.push(Fact::of_table(format!("{file}: cells are separated by {}", delimiter.words())));
    }
    let rest = reading.in_standard_quotes(rest, delimiter, &mut facts)?;
    let above = skipped + usize::from(excel.is_some());
    let read = reading.table(&rest, delimiter, above, facts.clone(), true);
    // A title is a header of one cell.
    let is_narrow = read.as_ref().map_or(true, |(table, _)| table.columns.len() == 1);
    if is_narrow
        && options.delimiter.is_none()
        && !options.no_header
        && let Some(lines) = lines_above(text)
    {
        return Err(reading.title(text, lines, skipped));
    }
    let (mut table, doubted) = read?;
    if table.columns.len() == 1
        && let Some((whole, blank, at_end)) = quoting::with_blank_rows(&rest)
    {
        table = reading.table(&whole, delimiter, above, facts.clone(), true)?.0;
        table.facts.extend(reading.blank_lines(blank, at_end));
    }
    let Some(row) = doubted else { return Ok(table) };
    // Where quotes are a part of the text, every line is a row.
    if table.columns.len() > 1
        && let Ok((mut plain, _)) = reading.table(&rest, delimiter, above, facts, false)
    {
        let said = "a quote opens a cell and closes inside of it: quotes are read as a part of the text, and every line as a row";
        plain.facts.push(Fact::of_table(format!("{file}: row {row}: {said}")));
        return Ok(plain);
    }
    let said = format!("{file}: row {row} takes in several lines by a quote that closes inside of its cell; is one left open?");
    table.facts.push(Fact::of_table(said));
    Ok(table)
}

struct Reading<'a> {
    file: &'a str,
    options: &'a ReadOptions,
}

impl Reading<'_> {
    fn fault(&self, why: impl Into<String>) -> Error {
        Error::Table { file: self.file.to_owned(), why: why.into() }
    }

    /// The text with its cells in standard quotes, where other ones or none keep rows from having the cells of the header.
    fn in_standard_quotes<'t>(&self, text: Cow<'t, str>, delimiter: Delimiter, facts: &mut Vec<Fact>) -> Result<Cow<'t, str>> {
        let Delimiter::Character(sign) = delimiter else { return Ok(text) };
        let text = match quoting::standard(&text, sign) {
            Some((standard, dialect)) => {
                facts.push(Fact::of_table(format!("{}: {}", self.file, dialect.words())));
                Cow::Owned(standard)
            }
            None => text,
        };
        if self.options.no_header {
            return Ok(text);
        }
        match quoting::joined(&text, sign) {
            (Excess::None, _) => Ok(text),
            (Excess::Joined, joined) => {
                let said = "a cell of every row holds the separator without quotes (a date, or decimals behind it): read as one cell";
                facts.push(Fact::of_table(format!("{}: {said}", self.file)));
                Ok(Cow::Owned(joined))
            }
            (Excess::Either, _) => Err(self.fault(
                "every row has one cell more than the header: either the first two are one number with a decimal comma, which is to stand \
                 in quotes, or the first is the name of the row, above which the header lacks a name",
            )),
        }
    }

    /// What is said of blank lines in a table of one column.
    fn blank_lines(&self, between: usize, at_end: usize) -> Vec<Fact> {
        let lines = |n: usize| if n == 1 { "1 blank line".to_owned() } else { format!("{n} blank lines") };
        let mut facts = Vec::new();
        if between > 0 {
            let are = if between == 1 { "is a row with an empty cell" } else { "are rows with an empty cell each" };
            facts.push(Fact::of_table(format!("{}: {} {are}, as the table has one column", self.file, lines(between))));
        }
        if at_end > 0 {
            facts.push(Fact::of_table(format!("{}: {} at the end left out", self.file, lines(at_end))));
        }
        facts
    }

    /// That lines stand above the header.
    fn title(&self, text: &str, lines: usize, skipped: usize) -> Error {
        let first = shortened(text.lines().next().unwrap_or_default().trim());
        let (stand, all) = (if lines == 1 { "1 line stands".to_owned() } else { format!("{lines} lines stand") }, lines + skipped);
        self.fault(format!(
            "{stand} above the header ('{first}'), which seems to be line {}; --skip {all} leaves what is above it out",
            all + 1
        ))
    }

    /// The table in a text, of which `above` lines were read already, and the first row of several lines whose quotes do not
    /// stand around its cells; `quoting` says whether quotes stand around cells at all.
    fn table(&self, text: &str, delimiter: Delimiter, above: usize, mut facts: Vec<Fact>, quoting: bool) -> Result<(Table, Option<usize>)> {
        let sign = delimiter.sign();
        let reader_of =
            || csv::ReaderBuilder::new().has_headers(false).flexible(true).quoting(quoting).delimiter(sign).from_reader(text.as_bytes());
        let reader = reader_of();
        let mut records = Records { reading: self, text, above, delimiter, reader, comments: 0, trailing: 0 };
        let (mut header, first_row) = records.header()?;
        if !self.options.no_header && has_row_names(reader_of(), &header) {
            header.insert(0, String::new());
        }
        // A separator at the end of the header makes no column.
        let width = header.iter().rposition(|name| !name.is_empty()).map_or(1, |last| last + 1);
        let names = &header[..width];
        if !self.options.no_header {
            facts.extend(self.check_header(names)?);
        }
        let Body { mut columns, rows, doubted } = records.body(first_row, width, header.len(), quoting)?;
        facts.extend(records.left_out());
        let header = Some(names).filter(|_| !self.options.no_header);
        let (places, left_out) = no_rows::leave_out(self.file, header, &mut columns);
        facts.extend(left_out);
        let mut columns: Vec<(String, Cells)> = names.iter().cloned().zip(columns).collect();
        let mut aside = Vec::new();
        if !self.options.no_header {
            facts.extend(self.name_rows(&mut columns, &mut aside)?);
            facts.extend(self.doubt_header(&columns));
        }
        let decimals = marks::decimals(columns.iter().map(|(_, cells)| cells));
        columns.iter_mut().for_each(|(_, cells)| cells.decimals = decimals);
        let columns = columns.into_iter().map(|(name, cells)| (name, Raw::Cells(cells))).collect();
        let kept = if places.is_empty() { rows } else { places.len() };
        Ok((Table { facts, aside, places, ..Table::of_raw(self.file, kept, columns)? }, doubted))
    }

    /// Refuses a header that cannot be one. An unnamed first column is judged later, by its cells.
    fn check_header(&self, header: &[String]) -> Result<Option<Fact>> {
        // Names that count columns (0, 1, 2, ... or 1, 2, 3, ...) are what tools write; other numbers are data, unless they are asked for.
        let counts_from = |first: usize| header.iter().enumerate().all(|(i, name)| name.parse() == Ok(i + first));
        let numbers = header.iter().all(|name| name.parse::<f64>().is_ok()) && !counts_from(0) && !counts_from(1);
        let asked = &self.options.names;
        let is_asked = !asked.is_empty() && asked.iter().all(|name| header.contains(&name_of(name)));
        let first = || header.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        if numbers && !is_asked {
            return Err(self.fault(format!(
                "the first line holds only numbers ({}); expected a header line with the column names, or --no-header, which calls them 1, 2, 3, ...",
                first()
            )));
        }
        check_names(header).map_err(|why| {
            let of_data = header.iter().any(|name| name.parse::<f64>().is_ok());
            let why = if of_data { format!("{why}, or is there no header line? --no-header reads the first line as a row") } else { why };
            self.fault(why)
        })?;
        let says = || {
            format!(
                "{}: the first line holds only numbers ({}) and all names that are asked for: taken as a header; --no-header reads it as a row",
                self.file,
                first()
            )
        };
        Ok(numbers.then(|| Fact::of_table(says())))
    }

    /// A first column without a name is what tools write for numbers or names of rows. Numbers that count them are left out; names
    /// are a column that is set aside.
    fn name_rows(&self, columns: &mut Vec<(String, Cells)>, aside: &mut Vec<String>) -> Result<Option<Fact>> {
        // What names of rows are called.
        const ROW: &str = "row";
        let width = columns.len();
        let taken = |name: &str| columns.iter().any(|(other, _)| other == name);
        let free = std::iter::once(ROW.to_owned()).chain((1..).map(|k| format!("{ROW}.{k}"))).find(|name| !taken(name)).unwrap_or_default();
        let Some((name, cells)) = columns.first_mut().filter(|(name, _)| name.is_empty()) else { return Ok(None) };
        if width == 1 {
            return Err(self.fault("column 1 has no name in the header"));
        }
        let counts_from = |first: usize| cells.iter().enumerate().all(|(i, cell)| cell.parse() == Ok(i + first));
        if counts_from(0) || counts_from(1) {
            columns.remove(0);
            return Ok(Some(Fact::of_table(format!("{}: the first column has no name and counts the rows: ignored", self.file))));
        }
        name.clone_from(&free);
        let says = format!(
            "{}: the first column has no name: taken as names of rows, called '{free}'; --types {free}=TYPE makes it an input",
            self.file
        );
        aside.push(free);
        Ok(Some(Fact::of_table(says)))
    }

    /// A name that is also a cell of its own column: perhaps the header is missing and the first line is data.
    fn doubt_header(&self, columns: &[(String, Cells)]) -> Option<Fact> {
        let (name, _) = columns.iter().find(|(name, cells)| cells.iter().any(|cell| cell == name))?;
        // A label and a text, or texts alone.
        let words = |cells: &Cells| cells.iter().map(|cell| cell.split_whitespace().count()).sum::<usize>() > 3 * cells.len();
        let lines = if columns.len() == 2 && words(&columns[1].1) { ", --lines a label and a text from every line" } else { "" };
        Some(Fact::of_table(format!(
            "{}: is there a header line? The first line is taken as one, and its '{name}' also stands in a row of its column; --no-header reads it as a row{lines}",
            self.file
        )))
    }
}

/// The rows of a table below its header.
struct Body {
    columns: Vec<Cells>,
    rows: usize,
    /// The first row of several lines whose quotes do not stand around its cells.
    doubted: Option<usize>,
}

/// The records of a text on their way, and what was left out.
struct Records<'a> {
    reading: &'a Reading<'a>,
    text: &'a str,
    /// Lines before the text.
    above: usize,
    delimiter: Delimiter,
    reader: csv::Reader<&'a [u8]>,
    comments: usize,
    /// Rows that end in separators.
    trailing: usize,
}

impl Records<'_> {
    fn next(&mut self, record: &mut StringRecord) -> Result<bool> {
        self.reader.read_record(record).map_err(|e| self.reading.fault(e.to_string()))
    }

    /// The names of the columns, and the first row where that was read to find them.
    fn header(&mut self) -> Result<(Vec<String>, Option<StringRecord>)> {
        let mut record = StringRecord::new();
        // Comments above the table; the last of them may be its header.
        let mut above: Option<StringRecord> = None;
        let mut some = self.next(&mut record)?;
        while some && record.get(0).is_some_and(|cell| cell.starts_with('#')) {
            self.comments += 1;
            above = Some(record.clone());
            some = self.next(&mut record)?;
        }
        if !some {
            return Err(self.reading.fault(match above {
                Some(_) => "every line begins with '#': these are comments; expected a header line and rows",
                None => "the table is empty; expected a header line and rows",
            }));
        }
        let names = |record: &StringRecord| record.iter().map(name_of).collect::<Vec<_>>();
        if self.reading.options.no_header {
            return Ok(((1..=record.len()).map(|k| k.to_string()).collect(), Some(record)));
        }
        match above.filter(|line| is_header(line, &record)) {
            Some(line) => {
                self.comments -= 1;
                let mut names = names(&line);
                names[0] = names[0].trim_start_matches('#').trim_start().to_owned();
                Ok((names, Some(record)))
            }
            None => Ok((names(&record), None)),
        }
    }

    /// All rows, from the `first` on that was read to find the header, which has `named` cells.
    fn body(&mut self, mut first: Option<StringRecord>, width: usize, named: usize, quoting: bool) -> Result<Body> {
        let (text, reading) = (self.text, self.reading);
        let mut columns = vec![Cells::new(self.delimiter != Delimiter::COMMA, false); width];
        let decimal_comma = reading.options.decimal.map(|decimal| decimal == Decimal::Comma);
        columns.iter_mut().for_each(|cells| cells.decimal_comma = decimal_comma);
        let (mut rows, mut breaks_line, mut doubted): (usize, bool, Option<usize>) = (0, false, None);
        let mut record = StringRecord::new();
        loop {
            match first.take() {
                Some(row) => record = row,
                None if self.next(&mut record)? => {}
                None => break,
            }
            if record.len() != width && record.get(0).is_some_and(|cell| cell.starts_with('#')) {
                self.comments += 1;
                continue;
            }
            rows += 1;
            breaks_line = record.iter().any(|cell| cell.contains('\n'));
            if breaks_line && doubted.is_none() {
                let begins = record.position().map_or(0, |at| at.byte() as usize);
                let ends = self.reader.position().byte() as usize;
                let as_written = text.as_bytes().get(begins..ends).unwrap_or_default();
                doubted = (!stand_around_cells(as_written, self.delimiter.sign())).then_some(rows);
            }
            self.check_width(rows, &record, width, named)?;
            columns.iter_mut().zip(&record).for_each(|(cells, cell)| cells.push(cell));
        }
        // Quotes come in pairs; one that is never closed takes every line after it into its cell.
        if quoting && breaks_line && text.bytes().filter(|&b| b == b'"').count() % 2 == 1 {
            return Err(reading.fault(format!("row {rows} opens a quote that is never closed")));
        }
        if rows == 0 {
            return Err(reading.fault("the table has a header but no rows"));
        }
        Ok(Body { columns, rows, doubted })
    }

    /// A row must have as many cells as there are columns; empty ones behind these are passed over. The header has `named`
    /// cells, those beyond `width` without a name.
    fn check_width(&mut self, row: usize, record: &StringRecord, width: usize, named: usize) -> Result<()> {
        let beyond = record.iter().enumerate().skip(width).find(|(_, cell)| !cell.trim().is_empty());
        if record.len() == width {
            return Ok(());
        }
        let line = self.above + record.position().map_or(0, |at| line_of(self.text, at));
        match beyond {
            None if record.len() > width => {
                self.trailing += 1;
                Ok(())
            }
            Some((k, found)) if record.len() <= named => {
                let why =
                    format!("column {} has no name in the header, and row {row} (line {line}) holds '{}' in it", k + 1, shortened(found));
                Err(self.reading.fault(why))
            }
            _ => {
                let quote = if record.iter().any(|cell| cell.contains('\n')) { "; is a quote left open?" } else { "" };
                let cells = if record.len() == 1 { "cell" } else { "cells" };
                let first = if self.reading.options.no_header { "first row" } else { "header" };
                Err(self.reading.fault(format!(
                    "row {row} has {} {cells}, the {first} has {width} (line {line} of the file){quote}; cells are separated by {}: quote a cell \
                     that holds one, or name another separator (--delimiter)",
                    record.len(),
                    self.delimiter.words()
                )))
            }
        }
    }

    /// What was left out.
    fn left_out(&self) -> Vec<Fact> {
        let file = self.reading.file;
        let lines = |n: usize| if n == 1 { "1 line".to_owned() } else { format!("{n} lines") };
        let mut facts = Vec::new();
        if self.comments > 0 {
            let begin = if self.comments == 1 { "begins" } else { "begin" };
            facts.push(Fact::of_table(format!("{file}: {} that {begin} with '#' left out as comments", lines(self.comments))));
        }
        if self.trailing > 0 {
            let end = if self.trailing == 1 { "ends" } else { "end" };
            facts.push(Fact::of_table(format!("{file}: {} {end} in separators without a column: ignored", lines(self.trailing))));
        }
        facts
    }
}

/// Whether every row has a cell more than the header, which then lacks one above the names of rows, as R's write.table writes
/// it: names that differ.
fn has_row_names(mut reader: csv::Reader<&[u8]>, header: &[String]) -> bool {
    let rows = reader.records().flatten().filter(|row| row.get(0).is_none_or(|cell| !cell.starts_with('#'))).skip(1).take(LOOKED_AT);
    let rows: Vec<StringRecord> = rows.collect();
    let mut names = HashSet::new();
    let longer = rows.iter().all(|row| row.len() == header.len() + 1 && names.insert(row.get(0)));
    let filled = rows.iter().any(|row| row.iter().next_back().is_some_and(|cell| !cell.trim().is_empty()));
    // A word above numbers alone is a name: the line above it is a title.
    let is_number = |row: &StringRecord, k: usize| row.get(k).is_some_and(|cell| cell.trim().parse::<f64>().is_ok());
    let titled = || (1..=header.len()).any(|k| !is_number(&rows[0], k) && rows[1..].iter().all(|row| is_number(row, k)));
    names.len() > 1 && longer && filled && header.iter().all(|name| !name.is_empty()) && !titled()
}

/// Whether every quote that opens a cell of a record is closed at the end of the cell.
fn stand_around_cells(record: &[u8], delimiter: u8) -> bool {
    let at_end = |at: usize| record.get(at).is_none_or(|&b| b == delimiter || b == b'\n' || b == b'\r');
    let mut at = 0;
    while at < record.len() {
        if record[at] == b'"' {
            loop {
                at += 1;
                match (record.get(at), record.get(at + 1)) {
                    (None, _) => return false,
                    (Some(b'"'), Some(b'"')) => at += 1,
                    (Some(b'"'), _) if at_end(at + 1) => break,
                    (Some(b'"'), _) => return false,
                    _ => {}
                }
            }
        }
        while at < record.len() && record[at] != delimiter {
            at += 1;
        }
        at += 1;
    }
    true
}

/// The line, from 1, of a record that begins at or behind a place: empty lines before it count to it.
fn line_of(text: &str, at: &csv::Position) -> usize {
    let behind = text.as_bytes().get(at.byte() as usize..).unwrap_or_default();
    let empty = behind.iter().take_while(|b| matches!(b, b'\n' | b'\r')).filter(|&&b| b == b'\n').count();
    at.line() as usize + empty
}

/// Whether a line that begins with '#' is the header of the row below: it has as many cells, and either the row holds a number
/// or the name stands right behind the sign.
fn is_header(line: &StringRecord, row: &StringRecord) -> bool {
    let number = row.iter().any(|cell| cell.trim().parse::<f64>().is_ok());
    let name = line.get(0).is_some_and(|cell| cell.chars().nth(1).is_some_and(char::is_alphanumeric));
    line.len() == row.len() && line.len() > 1 && (number || name)
}

//! Detection of the format from the first bytes, and from the name only where it promises one: CSV, ARFF, .ts, files of the UCR archive.

use super::facts::Fact;
use super::layout::{below, excel_line, sniff};
use super::libsvm::Survey;
use super::options::{Delimiter, ReadOptions};
use super::quoting::RowEnds;
use super::table::Table;
use super::unpack::{unpack, without_ending};
use super::unseen::BYTE_ORDER_MARK;
use super::{arff, delimited, encoding, fasta, json_lines, libsvm, lines, npz, texts, time_series, ucr};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Text cells, by commas, tabs, semicolons, ...
    Delimited(Option<Delimiter>),
    JsonLines,
    Libsvm,
    Fasta,
    Fastq,
    Arff,
    TimeSeries,
    Ucr,
}

/// Reads a table of any format; `name` is the name of its file, if it has one, and `most` the memory it may take.
pub(super) fn parse(file: &str, bytes: Cow<'_, [u8]>, name: Option<&str>, options: &ReadOptions, most: u64) -> Result<Table> {
    options.check()?;
    let bytes = unpack(file, bytes, most)?;
    let table = if bytes.starts_with(crate::npy::MAGIC) {
        npz::parse_one(file, &bytes, options)?
    } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        npz::parse(file, &bytes, options, most)?
    } else if bytes.starts_with(b"PAR1") {
        parquet(file, bytes, most)?
    } else if texts::is_archive(&bytes) {
        texts::of_archive(file, &bytes, options, most)?
    } else {
        let (text, fact) = encoding::decode(file, &bytes, options.encoding.as_deref(), most)?;
        let mut table = of_text(file, &text, name, options, most)?;
        table.facts.splice(0..0, fact);
        table
    };
    settled(table, options)
}

/// A table as it was read, with what is missing by the options left empty.
pub(super) fn settled(mut table: Table, options: &ReadOptions) -> Result<Table> {
    table.tell_unseen_marks();
    table.empty_marked(&options.na)?;
    Ok(table)
}

/// Reads a table from its text.
pub(super) fn of_text(file: &str, text: &str, name: Option<&str>, options: &ReadOptions, most: u64) -> Result<Table> {
    let (text, facts) = in_plain_lines(file, text);
    let mut table = of_lines(file, &text, name, options, most)?;
    table.facts.splice(0..0, facts);
    Ok(table)
}

/// The text with its lines ended by line feeds, where carriage returns alone do, without byte order marks where files were joined, and
/// without the control character that ends files of DOS.
fn in_plain_lines<'a>(file: &str, text: &'a str) -> (Cow<'a, str>, Vec<Fact>) {
    let mut facts = Vec::new();
    let bare = text.trim_end_matches('\u{1A}');
    let mut text = Cow::Borrowed(bare);
    let marks = bare.matches(BYTE_ORDER_MARK).count();
    if marks > 0 {
        let line = 1 + bare.split(BYTE_ORDER_MARK).next().unwrap_or_default().matches('\n').count();
        let are = if marks == 1 { "a byte order mark stands".into() } else { format!("{marks} byte order marks stand") };
        facts.push(Fact::of_table(format!("{file}: {are} within the table (first in line {line}), as where files are joined: left out")));
        text = Cow::Owned(bare.replace(BYTE_ORDER_MARK, ""));
    }
    if !text.contains('\n') && text.contains('\r') {
        text = Cow::Owned(text.replace('\r', "\n"));
    }
    (text, facts)
}

/// The text with line feeds for carriage returns that stand alone.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.as_bytes().windows(2).any(|two| two[0] == b'\r' && two[1] != b'\n') {
        return Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    Cow::Borrowed(text)
}

/// Reads some rows of sparse vectors, of a file whose rows have these columns.
pub(super) fn parse_sparse(file: &str, bytes: &[u8], survey: &Survey, options: &ReadOptions, most: u64) -> Result<Table> {
    settled(libsvm::parse_part(file, &sparse_text(file, bytes)?, survey, most)?, options)
}

/// The text of some rows of sparse vectors, its lines ended by line feeds.
pub(super) fn sparse_text<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>> {
    let why = "a part of the file is no text in UTF-8; numbers are written in its letters";
    let text = std::str::from_utf8(bytes).map_err(|_| Error::Table { file: file.to_owned(), why: why.into() })?;
    Ok(with_line_feeds(text))
}

/// Reads a table from a text whose lines end in line feeds.
fn of_lines(file: &str, text: &str, name: Option<&str>, options: &ReadOptions, most: u64) -> Result<Table> {
    if options.lines {
        return lines::parse(file, below(&with_line_feeds(text), options.skip));
    }
    let rest = below(text, options.skip);
    match recognised(rest, name) {
        Format::Libsvm if options.no_header || options.delimiter.is_some() => delimited::parse(file, text, None, options),
        Format::Delimited(delimiter) => delimited::parse(file, text, delimiter, options),
        Format::JsonLines => json_lines::parse(file, rest, most),
        Format::Libsvm => libsvm::parse(file, &with_line_feeds(rest), most),
        Format::Fasta => fasta::parse(file, &with_line_feeds(rest), most),
        Format::Fastq => fasta::parse_with_qualities(file, &with_line_feeds(rest), most),
        Format::Arff => arff::parse(file, &with_line_feeds(rest), most),
        Format::TimeSeries => time_series::parse(file, &with_line_feeds(rest), most),
        Format::Ucr => {
            let tabs = Some(Delimiter::Character(b'\t'));
            let read =
                if options.no_header || options.delimiter.is_some_and(|sign| Some(sign) != tabs) { None } else { ucr::parse(file, rest) };
            read.unwrap_or_else(|| delimited::parse(file, text, tabs, options))
        }
    }
}

/// How a text is divided into rows that are read apart from each other.
pub(super) struct Lines {
    /// Bytes of its head: what is skipped, and the header if it has one.
    pub(super) head: usize,
    /// What its rows are.
    pub(super) rows: RowsOf,
}

/// What the rows of a text are.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowsOf {
    /// Cells, parted by a delimiter, and where they end.
    Cells(Delimiter, RowEnds),
    /// Objects.
    Json,
    /// Labels and sparse vectors.
    Libsvm,
}

impl RowsOf {
    /// Where rows end.
    pub(super) fn ends(self) -> RowEnds {
        match self {
            RowsOf::Cells(_, ends) => ends,
            RowsOf::Json | RowsOf::Libsvm => RowEnds::Lines,
        }
    }
}

/// The rows of a text by its first lines; `None` where it is of a format whose rows depend on each other.
pub(super) fn by_lines(text: &str, name: Option<&str>, options: &ReadOptions) -> Option<Lines> {
    if options.lines {
        return None;
    }
    let rest = below(text, options.skip);
    let above = text.len() - rest.len();
    let delimited = options.no_header || options.delimiter.is_some();
    let format = match recognised(rest, name) {
        Format::Libsvm if delimited => Format::Delimited(None),
        format => format,
    };
    match format {
        Format::JsonLines if rest.trim_start().starts_with('{') => Some(Lines { head: above, rows: RowsOf::Json }),
        Format::Libsvm => Some(Lines { head: above, rows: RowsOf::Libsvm }),
        Format::Delimited(delimiter) => {
            let (declared, below_it) = excel_line(rest).map_or((None, rest), |(sign, below_it)| (Some(sign), below_it));
            let delimiter = options.delimiter.or(delimiter).or(declared).unwrap_or_else(|| sniff(below_it));
            let ends = RowEnds::of(below_it, delimiter);
            let head = text.len() - below_it.len() + if options.no_header { 0 } else { header_end(below_it, ends)? };
            Some(Lines { head, rows: RowsOf::Cells(delimiter, ends) })
        }
        _ => None,
    }
}

/// Where the first row ends that is neither empty nor a comment.
fn header_end(text: &str, ends: RowEnds) -> Option<usize> {
    let mut begin = 0;
    ends.in_text(text.as_bytes()).find(|&end| {
        let row = text[std::mem::replace(&mut begin, end)..end].trim();
        !row.is_empty() && !row.starts_with('#')
    })
}

#[cfg(feature = "parquet")]
fn parquet(file: &str, bytes: Cow<'_, [u8]>, most: u64) -> Result<Table> {
    super::parquet::parse(file, bytes.into_owned(), most)
}

#[cfg(not(feature = "parquet"))]
fn parquet(file: &str, _: Cow<'_, [u8]>, _: u64) -> Result<Table> {
    Err(Error::Table {
        file: file.to_owned(),
        why: "this is a Parquet file, which this build does not read; 'cargo install --path crates/mercer-cli --features parquet' builds \
              one that does; in Python, pandas.read_parquet or polars.read_parquet gives a frame that mercer takes; or save the table as CSV or JSON lines"
            .into(),
    })
}

fn recognised(text: &str, name: Option<&str>) -> Format {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let name = without_ending(&name);
    let ends = |endings: &[&str]| endings.iter().any(|e| name.ends_with(e));
    let start = text.trim_start();
    if ucr::is_named(name) {
        Format::Ucr
    } else if ends(&[".tsv", ".tab"]) {
        Format::Delimited(Some(Delimiter::Character(b'\t')))
    } else if ends(&[".csv"]) {
        Format::Delimited(None)
    } else if start.starts_with('{') || (start.starts_with('[') && ends(&[".json", ".jsonl", ".ndjson"])) {
        Format::JsonLines
    } else if ends(&[".ts"]) || time_series::looks_like(start) {
        Format::TimeSeries
    } else if fasta::looks_like(start) {
        Format::Fasta
    } else if fasta::has_qualities(start) {
        Format::Fastq
    } else if ends(&[".arff"]) || arff::looks_like(start) {
        Format::Arff
    } else if libsvm::looks_like(start) {
        Format::Libsvm
    } else {
        Format::Delimited(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_their_first_bytes_and_csv_from_its_name() {
        for (text, name, format) in [
            ("a,b\n1,2\n", None, Format::Delimited(None)),
            ("a,b\n1,2\n", Some("t.TSV.gz"), Format::Delimited(Some(Delimiter::Character(b'\t')))),
            ("{\"a\": 1}", None, Format::JsonLines),
            ("\n {\"a\": 1}", None, Format::JsonLines),
            ("{a},b\n1,2\n", Some("t.csv"), Format::Delimited(None)),
            ("+1 1:0.5 3:1\n-1 2:1\n", None, Format::Libsvm),
            ("# made by hand\n3.5 qid:1 1:0.5\n", Some("train.dat.zst"), Format::Libsvm),
            ("1\n2\n", None, Format::Delimited(None)),
            ("when\n12 10:30\n", None, Format::Delimited(None)),
            (">a label=1\nACGT\n", None, Format::Fasta),
            ("; made by hand\n>a label=1\nACGT\n", None, Format::Fasta),
            ("; a;b\n1;2\n", None, Format::Delimited(None)),
            ("@a\nACGT\nAC\n+\nIIII\nII\n", None, Format::Fastq),
            ("@a\n\n+\n\n", None, Format::Fastq),
            ("a,b\n1,2\n", Some("t.tsv.xz"), Format::Delimited(Some(Delimiter::Character(b'\t')))),
            ("@a\nACGT\n+\nIIII\n", Some("reads.fq.gz"), Format::Fastq),
            ("@handle,x\n1,2\n", None, Format::Delimited(None)),
            ("% made by hand\n@RELATION t\n", None, Format::Arff),
            ("% nothing\n", Some("t.arff"), Format::Arff),
            ("# made by hand\n@problemName x\n@data\n1,2:a\n", None, Format::TimeSeries),
            ("1,2:a\n", Some("X_TRAIN.ts.gz"), Format::TimeSeries),
            ("1\t2\t3\n", Some("X_TEST.tsv.gz"), Format::Ucr),
        ] {
            assert_eq!(recognised(text, name), format, "{text}");
        }
    }
}

//! A table file in numbered batches of rows, of which one is in memory at a time: CSV and its cousins, JSON lines, LIBSVM's text and NPY, plain
//! or packed; a Parquet file by its row groups. The first batch settles format and separator.

mod arrays;
mod parts;
mod sample;
mod sparse;

pub use sample::{RowSample, SampledTable};

use super::format::{self, Lines, RowsOf};
use super::libsvm::Survey;
use super::quoting::RowEnds;
use super::unpack::Unpacker;
use super::{ReadOptions, Source, Table};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::npy;
use arrays::ArrayRows;
use parts::TextParts;
use std::path::{Path, PathBuf};

/// A table file that is read batch by batch, several times if need be.
#[derive(Clone, Debug)]
pub struct Batches {
    path: PathBuf,
    options: ReadOptions,
    kind: Kind,
    bytes: usize,
    header: Vec<String>,
    own_target: Vec<String>,
}

/// How a file falls into batches.
#[derive(Clone, Debug)]
enum Kind {
    /// By lines, below the head that every batch gets.
    Lines { head: Vec<u8>, ends: RowEnds },
    /// By lines of sparse vectors, below some bytes.
    Sparse { above: usize, survey: Survey },
    /// By the rows of an array.
    Array(npy::Header),
    /// By the row groups of Parquet.
    #[cfg(feature = "parquet")]
    Groups,
}

/// One batch.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its number, from 0.
    pub number: u64,
    /// Its rows, which stand in the file where [`Table::in_file`] says.
    pub table: Table,
}

impl Batches {
    /// Looks at the beginning of a file.
    ///
    /// # Errors
    /// A source that cannot be read several times; a format that has no rows of its own, such as NPZ; what cannot be read.
    pub fn open(source: &Source, options: &ReadOptions, control: &Control) -> Result<Batches> {
        // Bytes of text that one batch holds, about.
        const BYTES: usize = 8 << 20;
        let Source::File(path) = source else {
            let why = "is read once and whole; give a file, which batches are read from several times";
            return Err(Error::Table { file: source.to_string(), why: why.into() });
        };
        Batches::of_file(path, options, BYTES, control)
    }

    /// As [`Batches::open`] does, with batches of about so many bytes of text.
    ///
    /// # Errors
    /// Those of [`Batches::open`].
    pub fn of_file(path: &Path, options: &ReadOptions, bytes: usize, control: &Control) -> Result<Batches> {
        let file = path.display().to_string();
        let refused = |why: &str| Error::Table { file: file.clone(), why: why.into() };
        if !path.is_file() {
            return Err(refused("is no file that batches could be read from"));
        }
        let mut start = Vec::new();
        let mut reader = Unpacker::open(path, control.max_memory)?;
        // What is read may end in the middle of a row, which is left out.
        reader.read_up_to(bytes as u64, &mut start)?;
        let of = |options: ReadOptions, kind: Kind, header: Vec<String>, own_target: Vec<String>| {
            Ok(Batches { path: path.into(), options, kind, bytes, header, own_target })
        };
        #[cfg(feature = "parquet")]
        if start.starts_with(b"PAR1") {
            return of(options.clone(), Kind::Groups, super::parquet::header(path)?, Vec::new());
        }
        if start.starts_with(npy::MAGIC) {
            let header = npy::Header::of(&start).map_err(|why| refused(&format!("array 'x': {why}")))?;
            let first = ArrayRows::open(path, &header, options, control)?.table(0, 1)?;
            return of(options.clone(), Kind::Array(header), first.header, Vec::new());
        }
        let name = path.file_name().and_then(|name| name.to_str());
        // What is read may end in the middle of a letter too.
        let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let lines = Some(text).filter(|text| start.len() - text.len() < 4).and_then(|text| format::by_lines(text, name, options));
        let Some(Lines { head, rows }) = lines else {
            return Err(refused(
                "cannot be read in batches of rows: these are read from CSV, JSON lines and LIBSVM's text in UTF-8 and from NPY, plain or packed, and \
                 from Parquet; convert it to one of them",
            ));
        };
        let parts = TextParts { path, bytes, above: head, head: &[], ends: rows.ends() };
        let end = head + parts.end(&start[head..], reader.is_at_end()?).ok_or_else(|| parts.too_long(1))?;
        let RowsOf::Libsvm = rows else {
            let delimiter = if let RowsOf::Cells(delimiter, _) = rows { Some(delimiter) } else { None };
            let options = ReadOptions { delimiter: options.delimiter.or(delimiter), ..options.clone() };
            let Table { header, own_target, .. } = format::parse(&file, start[..end].into(), name, &options, u64::MAX)?;
            return of(options, Kind::Lines { head: start[..head].to_vec(), ends: rows.ends() }, header, own_target);
        };
        let survey = sparse::survey(&parts, control)?;
        let Table { header, own_target, .. } = format::parse_sparse(&file, &start[head..end], &survey, options, u64::MAX)?;
        of(options.clone(), Kind::Sparse { above: head, survey }, header, own_target)
    }

    /// Names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The columns to predict, where the table names them itself.
    pub fn own_target(&self) -> &[String] {
        &self.own_target
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> Option<u64> {
        std::fs::metadata(&self.path).ok().map(|file| file.len())
    }

    /// Hands every batch to a visitor, in order.
    ///
    /// # Errors
    /// Those of the visitor; a batch with other columns than the first; a row that is longer than a batch; bounds of `control`.
    pub fn each(&self, control: &Control, mut visit: impl FnMut(Batch) -> Result<()>) -> Result<()> {
        let Batches { path, options, bytes, .. } = self;
        let (file, name) = (path.display().to_string(), path.file_name().and_then(|name| name.to_str()));
        let most = control.max_memory;
        let mut pass = Pass { batches: self, control, visit: &mut visit, first_row: 0, number: 0 };
        match &self.kind {
            Kind::Lines { head, ends } => TextParts { path, bytes: *bytes, above: head.len(), head, ends: *ends }
                .each(control, |text| pass.visit(format::parse(&file, text.into(), name, options, most))),
            Kind::Sparse { above, survey } => TextParts { path, bytes: *bytes, above: *above, head: &[], ends: RowEnds::Lines }
                .each(control, |text| pass.visit(format::parse_sparse(&file, text, survey, options, most))),
            Kind::Array(header) => ArrayRows::open(path, header, options, control)?.each(*bytes, |table| pass.visit(table).map(drop)),
            #[cfg(feature = "parquet")]
            Kind::Groups => super::parquet::each_group(path, most, &mut |table| pass.visit(Ok(table)).map(drop)),
        }
    }
}

/// One pass over the batches of a file.
struct Pass<'a> {
    batches: &'a Batches,
    control: &'a Control,
    visit: &'a mut dyn FnMut(Batch) -> Result<()>,
    /// Rows of the batches before.
    first_row: usize,
    number: u64,
}

impl Pass<'_> {
    /// Hands a table on as the next batch; how many rows there were so far.
    fn visit(&mut self, table: Result<Table>) -> Result<usize> {
        let Pass { batches, control, first_row, number, .. } = *self;
        control.check()?;
        let mut table = table.map_err(|error| counted_from(first_row, error))?;
        if table.header != batches.header {
            let why = format!("batch {number}, from row {} on, has other columns than the rows before", first_row + 1);
            return Err(Error::Table { file: batches.path.display().to_string(), why });
        }
        let rows = table.places.iter().max().map_or(table.rows, |last| last + 1).max(table.rows);
        table.places = (0..table.rows).map(|i| first_row + table.places.get(i).copied().unwrap_or(i)).collect();
        self.first_row += rows;
        self.number += 1;
        (self.visit)(Batch { number, table })?;
        Ok(self.first_row)
    }
}

/// A complaint about a part of the file, whose rows and lines count from its own first one.
fn counted_from(first_row: usize, error: Error) -> Error {
    match error {
        Error::Table { file, why } if first_row > 0 => {
            let why = format!("below row {first_row} of the file, from where rows and lines are counted here: {why}");
            Error::Table { file, why }
        }
        other => other,
    }
}

//! A table file in numbered batches of rows, of which one is in memory at a time: CSV and its cousins and JSON lines, plain or packed;
//! a Parquet file by its row groups. The first batch settles format and separator.

use super::format::{self, Lines};
use super::quoting::RowEnds;
use super::unpack::Unpacker;
use super::{ReadOptions, Source, Table, joined};
use crate::control::Control;
use crate::error::{Error, Result};
use rand::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use std::path::{Path, PathBuf};

/// A table file that is read batch by batch, several times if need be.
#[derive(Clone, Debug)]
pub struct Batches {
    path: PathBuf,
    options: ReadOptions,
    kind: Kind,
    bytes: usize,
    header: Vec<String>,
}

/// How a file falls into batches.
#[derive(Clone, Debug)]
enum Kind {
    /// By lines, below the head that every batch gets.
    Lines { head: Vec<u8>, ends: RowEnds },
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
        #[cfg(feature = "parquet")]
        if start.starts_with(b"PAR1") {
            let header = super::parquet::header(path)?;
            return Ok(Batches { path: path.into(), options: options.clone(), kind: Kind::Groups, bytes, header });
        }
        let name = path.file_name().and_then(|name| name.to_str());
        // What is read may end in the middle of a letter too.
        let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let lines = Some(text).filter(|text| start.len() - text.len() < 4).and_then(|text| format::by_lines(text, name, options));
        let Some(Lines { head, delimiter, ends }) = lines else {
            return Err(refused(
                "cannot be read in batches of rows: these are read from CSV and JSON lines in UTF-8, plain or packed, and from Parquet; convert it to one \
                 of them",
            ));
        };
        let is_whole = reader.is_at_end()?;
        let end = if is_whole { Some(start.len()) } else { ends.in_text(&start[head..]).last().map(|end| head + end) };
        let end = end.ok_or_else(|| row_too_long(&file, 1, bytes))?;
        let options = ReadOptions { delimiter: options.delimiter.or(delimiter), ..options.clone() };
        let kind = Kind::Lines { head: start[..head].to_vec(), ends };
        let header = format::parse(&file, start[..end].into(), name, &options, u64::MAX)?.header;
        Ok(Batches { path: path.into(), options, kind, bytes, header })
    }

    /// Names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Hands every batch to a visitor, in order.
    ///
    /// # Errors
    /// Those of the visitor; a batch with other columns than the first; a file that ends within a cell; bounds of `control`.
    pub fn each(&self, control: &Control, mut visit: impl FnMut(Batch) -> Result<()>) -> Result<()> {
        let mut pass = Pass { batches: self, control, visit: &mut visit, first_row: 0, number: 0 };
        match &self.kind {
            Kind::Lines { head, ends } => pass.over_lines(head, *ends),
            #[cfg(feature = "parquet")]
            Kind::Groups => super::parquet::each_group(&self.path, control.max_memory, &mut |table| pass.visit(table)),
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
    fn visit(&mut self, mut table: Table) -> Result<()> {
        let Pass { batches, control, first_row, number, .. } = *self;
        control.check()?;
        if table.header != batches.header {
            let why = format!("batch {number}, from row {} on, has other columns than the rows before", first_row + 1);
            return Err(Error::Table { file: batches.path.display().to_string(), why });
        }
        let rows = table.places.iter().max().map_or(table.rows, |last| last + 1).max(table.rows);
        table.places = (0..table.rows).map(|i| first_row + table.places.get(i).copied().unwrap_or(i)).collect();
        self.first_row += rows;
        self.number += 1;
        (self.visit)(Batch { number, table })
    }

    /// Batches of whole rows of about so many bytes; what a batch leaves of the bytes that were read is the beginning of the next.
    fn over_lines(&mut self, head: &[u8], ends: RowEnds) -> Result<()> {
        let Batches { path, options, bytes, .. } = self.batches;
        let file = path.display().to_string();
        let name = path.file_name().and_then(|name| name.to_str());
        let mut reader = Unpacker::open(path, self.control.max_memory)?;
        reader.read_up_to(head.len() as u64, &mut Vec::new())?;
        let mut text = head.to_vec();
        loop {
            let wanted = (head.len() + bytes).saturating_sub(text.len()) as u64;
            reader.read_up_to(wanted, &mut text)?;
            let is_last = reader.is_at_end()?;
            let end = if is_last { Some(text.len()) } else { ends.in_text(&text[head.len()..]).last().map(|end| head.len() + end) };
            let end = end.ok_or_else(|| row_too_long(&file, self.first_row + 1, *bytes))?;
            if text[head.len()..end].iter().any(|byte| !byte.is_ascii_whitespace()) {
                let table = format::parse(&file, text[..end].into(), name, options, self.control.max_memory);
                self.visit(table.map_err(|error| self.counted(error))?)?;
            }
            if is_last {
                return Ok(());
            }
            text.drain(head.len()..end);
        }
    }

    /// A complaint about a part of the file, whose rows and lines count from its own first one.
    fn counted(&self, error: Error) -> Error {
        match error {
            Error::Table { file, why } if self.first_row > 0 => {
                let why = format!("below row {} of the file, from where rows and lines are counted here: {why}", self.first_row);
                Error::Table { file, why }
            }
            other => other,
        }
    }
}

/// A row that does not end within a batch.
fn row_too_long(file: &str, row: usize, bytes: usize) -> Error {
    let limit = crate::error::bytes(bytes as u64);
    let why = format!(
        "row {row} does not end within {limit}, the most that one row of a batch may take: is a quote that opens in it never closed? Close it, or leave the \
         row out"
    );
    Error::Table { file: file.to_owned(), why }
}

/// Some rows of a table, drawn at random.
#[derive(Clone, Debug)]
pub struct SampledTable {
    /// The rows, in the order of the file.
    pub table: Table,
    /// Rows of the file.
    pub rows: usize,
    /// Batches of the file.
    pub batches: usize,
}

impl Batches {
    /// At most so many rows, any of them as likely as the others: the same for a seed whatever the size of the batches.
    ///
    /// # Errors
    /// Those of [`Batches::each`]; no rows.
    pub fn sample(&self, most: usize, seed: u64, control: &Control) -> Result<SampledTable> {
        // The rows with the smallest keys; a row that was among the smallest for a while is left out in the end.
        let mut keys: Vec<(u64, usize)> = Vec::new();
        let mut found: Option<Table> = None;
        let (mut rows, mut batches) = (0, 0);
        self.each(control, |batch| {
            let mut table = batch.table;
            let own: Vec<(u64, usize)> = table.places.iter().map(|&place| (key(seed, place), place)).collect();
            rows = table.places.iter().max().map_or(rows, |last| last + 1);
            batches += 1;
            keys.extend(&own);
            if keys.len() > most {
                keys.select_nth_unstable(most);
                keys.truncate(most);
            }
            let largest = keys.iter().max().copied().unwrap_or_default();
            let kept: Vec<usize> = (0..own.len()).filter(|&i| own[i] <= largest).collect();
            if kept.len() < own.len() {
                table.keep_rows(&kept);
            }
            found = Some(match found.take() {
                None => table,
                Some(above) => below_one_another(above, table, &self.path.display().to_string())?,
            });
            Ok(())
        })?;
        let Some(mut table) = found else {
            return Err(Error::Table { file: self.path.display().to_string(), why: "the table has columns but no rows".into() });
        };
        let largest = keys.iter().max().copied().unwrap_or_default();
        let kept: Vec<usize> = (0..table.rows).filter(|&i| (key(seed, table.places[i]), table.places[i]) <= largest).collect();
        table.keep_rows(&kept);
        Ok(SampledTable { table, rows, batches })
    }
}

/// The rows of another batch below those of one, and their places.
fn below_one_another(above: Table, below: Table, file: &str) -> Result<Table> {
    let places = [above.places.as_slice(), &below.places].concat();
    let mut facts = above.facts.clone();
    facts.extend(below.facts.iter().filter(|fact| !above.facts.contains(fact)).cloned());
    Ok(Table { places, facts, ..joined::join(above, below, file)? })
}

/// A number that looks random, by a seed and a place: the numbers of one generator in their order.
fn key(seed: u64, place: usize) -> u64 {
    // By what the state of the generator grows from one number to the next.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    SplitMix64::seed_from_u64(seed.wrapping_add((place as u64).wrapping_mul(STEP))).next_u64()
}

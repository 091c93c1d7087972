//! A table as it was read: named columns of one length, nothing interpreted yet.

use super::cells::Cells;
use super::facts::{self, Fact};
use super::group::Grouped;
use super::libsvm::Indexed;
use super::lists::Lists;
use super::unseen::name_of;
use super::{ColumnType, ReadOptions, Source, delimited, encoding, format, texts};
use crate::control::Control;
use crate::data::{Points, Values};
use crate::error::{Error, Result, nearest};
use std::collections::HashMap;

/// A table from which columns are taken by name.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) file: String,
    pub(super) rows: usize,
    /// Where each row stands in the file, from 0; none where no row was left out.
    pub(super) places: Vec<usize>,
    /// Every column name of the header, also of columns taken out since.
    pub(super) header: Vec<String>,
    /// The columns still there.
    pub(super) columns: Vec<(String, Raw)>,
    pub(super) facts: Vec<Fact>,
    /// The columns to predict that the format or a built-in table names itself.
    pub(super) own_target: Vec<String>,
    /// The columns that were taken out to be predicted.
    pub(super) target: Vec<String>,
    /// Columns that are inputs only if they are declared: targets and groups of formats that have them.
    pub(super) aside: Vec<String>,
    /// What the format itself says of columns.
    pub(super) own_types: Vec<(String, ColumnType)>,
    /// The texts that were declared missing, by column.
    pub(super) marked: Vec<(String, Vec<String>)>,
    /// The sets that rows were grouped into.
    pub(super) grouped: Option<Grouped>,
    /// The series that were made of columns, and the columns of each of their channels.
    pub(super) wide: Vec<(String, Vec<Vec<String>>)>,
}

/// A column as it was read.
#[derive(Clone, Debug)]
pub(super) enum Raw {
    /// Text cells.
    Cells(Cells),
    /// Numbers, NaN where one is missing.
    Numbers(Vec<f64>),
    /// Vectors of one width.
    Points(Points),
    /// Arrays of numbers, of one length or not.
    Lists(Lists),
    /// Sparse vectors with the indices that the file writes.
    Indexed(Indexed),
    /// Cells of a kind that no text writes, or that were made of several columns.
    Ready(Values),
}

impl Raw {
    pub(super) fn len(&self) -> usize {
        match self {
            Raw::Cells(cells) => cells.len(),
            Raw::Numbers(v) => v.len(),
            Raw::Points(p) => p.rows(),
            Raw::Lists(lists) => lists.rows(),
            Raw::Indexed(x) => x.rows(),
            Raw::Ready(values) => values.len(),
        }
    }

    /// One cell a row, or an error where there are vectors.
    pub(super) fn into_cells(self, column: &str) -> Result<Cells> {
        match self {
            Raw::Cells(cells) => Ok(cells),
            Raw::Numbers(v) => Ok(Cells::of_numbers(&v)),
            Raw::Points(_) | Raw::Lists(_) | Raw::Indexed(_) | Raw::Ready(_) => {
                Err(Error::Data(format!("column '{column}' holds vectors, expected one number or label a row; name another column")))
            }
        }
    }
}

impl Table {
    /// Reads a table: CSV and its cousins, JSON lines, LIBSVM, FASTA, FASTQ, ARFF, .ts, NPY or NPZ, each also packed by gzip or
    /// Zstandard; a folder of texts, or a tar archive of one. The format is detected from the first bytes.
    ///
    /// # Errors
    /// What the system says about the file, and every fault of [`Table::parse`].
    pub fn read(source: &Source) -> Result<Self> {
        Self::read_within(source, &ReadOptions::default(), &Control::default())
    }

    /// Reads a table with the given options; neither the file nor its unpacked content may exceed `control.max_memory`.
    ///
    /// # Errors
    /// As [`Table::read`], and options that cannot be met.
    pub fn read_within(source: &Source, options: &ReadOptions, control: &Control) -> Result<Self> {
        let most = control.max_memory;
        options.check()?;
        let several = match source {
            Source::Files(paths) => Some(texts::of_files(&source.to_string(), paths, options, most)?),
            _ => source.folder().map(|folder| texts::of_folder(folder, options, most)).transpose()?,
        };
        if let Some(mut table) = several {
            table.tell_unseen_marks();
            table.empty_marked(&options.na)?;
            return Ok(table);
        }
        let mut table = format::parse(&source.to_string(), source.bytes(most)?, source.name(), options, most)?;
        if let Some(target) = source.target()? {
            table.own_target = vec![target.to_owned()];
        }
        Ok(table)
    }

    /// Refuses a table whose columns do not fit into the memory allowed beside their text.
    ///
    /// # Errors
    /// Less memory than the columns take as numbers, where what the process holds counts.
    pub fn require_room(&self, control: &Control) -> Result<()> {
        let (rows, columns) = (self.rows(), self.header().len());
        let needed = 8 * (rows * columns) as u64;
        let allowed = control.room();
        if needed <= allowed {
            return Ok(());
        }
        let what = format!("a table of {rows} rows and {columns} columns, beside the text that it was read from,");
        Err(Error::TooLarge { what, needed, allowed })
    }

    /// Reads a table from bytes and detects their format; `file` is its name in messages.
    ///
    /// # Errors
    /// No header, no rows, a missing or duplicate name, a row with more or fewer cells than the header, bytes
    /// that are no text, what the format does not allow: each with its row or line.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        Self::parse_within(file, bytes, &ReadOptions::default(), &Control::default())
    }

    /// Parses bytes with the given options; what they unpack to and grow to may not exceed `control.max_memory`.
    ///
    /// # Errors
    /// As [`Table::parse`], and options that cannot be met.
    pub fn parse_within(file: &str, bytes: &[u8], options: &ReadOptions, control: &Control) -> Result<Self> {
        format::parse(file, bytes.into(), None, options, control.max_memory)
    }

    /// Reads CSV, TSV or semicolons, whatever else the bytes look like.
    ///
    /// # Errors
    /// As [`Table::parse`].
    pub fn parse_delimited(file: &str, bytes: &[u8]) -> Result<Self> {
        let (text, fact) = encoding::decode(file, bytes, None, u64::MAX)?;
        let mut table = delimited::parse(file, &text, None, &ReadOptions::default())?;
        table.facts.splice(0..0, fact);
        Ok(table)
    }

    /// A table from columns of cells that are in memory already; `file` is what messages call it.
    ///
    /// # Errors
    /// Columns of different lengths, and a name that is missing or stands twice.
    pub fn of_cells<S: AsRef<str>>(file: &str, rows: usize, columns: &[(String, Vec<S>)]) -> Result<Self> {
        Self::of_texts(file, rows, columns, false)
    }

    /// A table from columns of strings: cells that look like numbers stay labels or texts, as in JSON lines.
    ///
    /// # Errors
    /// As [`Table::of_cells`].
    pub fn of_strings<S: AsRef<str>>(file: &str, rows: usize, columns: &[(String, Vec<S>)]) -> Result<Self> {
        Self::of_texts(file, rows, columns, true)
    }

    fn of_texts<S: AsRef<str>>(file: &str, rows: usize, columns: &[(String, Vec<S>)], strings: bool) -> Result<Self> {
        let columns = columns.iter().map(|(name, column)| {
            let mut cells = Cells::new(false, strings);
            column.iter().for_each(|cell| cells.push(cell.as_ref()));
            (name.clone(), Raw::Cells(cells))
        });
        let mut table = Self::of_raw(file, rows, columns.collect())?;
        table.tell_unseen_marks();
        Ok(table)
    }

    /// Says which columns had characters that are not seen.
    pub(super) fn tell_unseen_marks(&mut self) {
        let of_column = |(name, raw): &(String, Raw)| if let Raw::Cells(cells) = raw { cells.unseen.facts(name) } else { Vec::new() };
        self.facts.extend(self.columns.iter().flat_map(of_column).collect::<Vec<_>>());
    }

    /// A table of columns that a format was read to; names are composed and rid of what is not seen.
    pub(super) fn of_raw(file: &str, rows: usize, mut columns: Vec<(String, Raw)>) -> Result<Self> {
        columns.iter_mut().for_each(|(name, _)| *name = name_of(name));
        let header: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        check_names(&header).map_err(|why| Error::Table { file: file.to_owned(), why })?;
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
            return Err(Error::Shape { what: format!("rows of column '{name}'"), expected: rows, found: column.len() });
        }
        Ok(Table {
            file: file.to_owned(),
            rows,
            places: Vec::new(),
            header,
            columns,
            facts: Vec::new(),
            own_target: Vec::new(),
            target: Vec::new(),
            aside: Vec::new(),
            own_types: Vec::new(),
            marked: Vec::new(),
            grouped: None,
            wide: Vec::new(),
        })
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Every column name of the header.
    pub fn header(&self) -> &[String] {
        &self.header
    }
    /// What may be the matter with a header that looks like a row: options that read it as one, in words.
    pub fn doubt_of_header(&self) -> Option<&'static str> {
        // Names of columns have fewer words.
        const WORDS_OF_A_TEXT: usize = 7;
        let long = self.header.iter().any(|name| name.split_whitespace().count() >= WORDS_OF_A_TEXT);
        let met = |(name, raw): &(String, Raw)| matches!(raw, Raw::Cells(cells) if cells.iter().any(|cell| cell == name));
        if !long && !self.columns.iter().any(met) {
            return None;
        }
        Some(if self.header.len() < 3 {
            "is the first line a row? --lines reads a label and a text from every line, --no-header calls the columns 1, 2, .."
        } else {
            "is the first line a row? --no-header calls the columns 1, 2, .."
        })
    }

    /// The columns to predict, where the table names them itself: the labels of LIBSVM, `y` of NPZ, the target of a
    /// built-in table.
    pub fn own_target(&self) -> &[String] {
        &self.own_target
    }
    /// What the user should know about how the table was taken, so far.
    pub fn notices(&self) -> Vec<String> {
        self.facts().iter().filter(|fact| !fact.plain).map(Fact::sentence).collect()
    }
    /// The notices of the table, which is consumed.
    pub fn into_notices(self) -> Vec<String> {
        self.notices()
    }
    /// What is known of how the table was taken, so far: what the target was taken for first, one fact for all columns of
    /// which the same is to be said.
    pub fn facts(&self) -> Vec<Fact> {
        facts::merged(&self.facts)
    }

    /// The columns of text cells that are to be ignored, with their cells: what is ignored is no less known of a row.
    pub fn ignored(&self, options: &ReadOptions) -> Vec<(&str, Vec<&str>)> {
        let ignored = self.columns.iter().filter(|(name, _)| self.declared(options, name) == Some(ColumnType::Ignore));
        let cells = ignored.filter_map(|(name, raw)| if let Raw::Cells(cells) = raw { Some((name, cells)) } else { None });
        cells.map(|(name, cells)| (name.as_str(), cells.iter().collect())).collect()
    }

    pub(super) fn fault(&self, why: impl Into<String>) -> Error {
        Error::Table { file: self.file.clone(), why: why.into() }
    }

    /// Whether the header has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.header.contains(&name_of(name))
    }

    /// Takes the named column out.
    pub(super) fn take(&mut self, name: &str) -> Result<Raw> {
        let name = name_of(name);
        match self.columns.iter().position(|(n, _)| *n == name) {
            Some(at) => Ok(self.columns.remove(at).1),
            None if self.header.contains(&name) => {
                Err(Error::Data(format!("column '{name}' is asked for twice; target and weights need a column each")))
            }
            None if self.is_of_sequences() => Err(Error::Setting { name: format!("column '{name}'"), why: self.without_label(&name) }),
            None => Err(Error::unknown("column", &name, &self.header)),
        }
    }

    /// Whether its rows are records of sequences, as in FASTA.
    pub(super) fn is_of_sequences(&self) -> bool {
        self.own_types.iter().any(|(_, t)| *t == ColumnType::SEQUENCE)
    }

    /// How records of sequences get a column that they have not.
    fn without_label(&self, name: &str) -> String {
        let near = nearest(name, &self.header).map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
        format!(
            "there is none{near}, only {}; the records get one from fields of their headers (>name {name}=1), or give a file for each \
             class (mercer compare pos.fasta neg.fasta) or a folder with a folder for each (--target label)",
            self.header.join(", ")
        )
    }

    /// Takes the named column out, one cell a row.
    pub(super) fn take_cells(&mut self, name: &str) -> Result<Cells> {
        self.take(name)?.into_cells(name)
    }

    /// What a column is declared to be, by the user or by the format.
    pub(super) fn declared(&self, options: &ReadOptions, column: &str) -> Option<ColumnType> {
        options.declared(column).or_else(|| self.own_types.iter().find(|(name, _)| name == column).map(|(_, t)| t.clone()))
    }

    /// Declared columns must be there.
    pub(super) fn check_declared(&self, options: &ReadOptions) -> Result<()> {
        match options.types.iter().find(|(name, _)| !self.has_column(name)) {
            Some((name, _)) => Err(Error::unknown("column", name, &self.header)),
            None => Ok(()),
        }
    }
}

/// Every name but the first must be there, and none may stand twice.
pub(super) fn check_names(header: &[String]) -> std::result::Result<(), String> {
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

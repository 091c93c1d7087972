//! FASTA (Pearson and Lipman 1988) and FASTQ (Cock et al. 2010): one row a record, with the columns `name`, `sequence`, and one
//! for each field `KEY=VALUE` of the headers (see `headers`); what is left of these is the column `description`. Of these columns only
//! `sequence` is an input unless they are declared. Qualities are left out.
//! Small letters, which mask repeats and other parts of little information, are the same residues and become capital letters.

use super::ColumnType;
use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::headers;
use super::infer::shortened;
use super::table::{Raw, Table};
use super::texts::FILE;
use super::unpack::too_large;
use crate::data::letters::Alphabet;
use crate::error::{Error, Result};
use std::collections::HashMap;

const NAME: &str = "name";
const DESCRIPTION: &str = "description";
const SEQUENCE: &str = "sequence";

/// Whether the text looks like FASTA: `>name`, perhaps below comments.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().find(|line| !is_comment(line) && !line.trim().is_empty()).is_some_and(|line| line.starts_with('>'))
}

/// Whether the text looks like FASTQ: `@name`, lines of letters or none, `+`.
pub(super) fn has_qualities(text: &str) -> bool {
    let mut lines = text.split(['\n', '\r']);
    let name = lines.next().is_some_and(|line| line.starts_with('@'));
    let mut letters = lines.skip_while(|line| line.trim_end().bytes().all(is_letter));
    name && letters.next().is_some_and(|line| line.starts_with('+'))
}

/// Whether a line is a comment of FASTA: the first form of it had `;`.
fn is_comment(line: &str) -> bool {
    line.starts_with([';', '#'])
}

/// What stands for a residue: letters, gaps, a stop.
fn is_letter(b: u8) -> bool {
    b.is_ascii_alphabetic() || matches!(b, b'-' | b'*' | b'.')
}

/// Reads FASTA.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let (mut records, mut comments) = (Records::new(file, most), 0);
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix('>') {
            Some(header) => records.begin(number + 1, header)?,
            None if is_comment(line) => comments += 1,
            None => records.extend(number + 1, line)?,
        }
    }
    let mut table = records.finish()?;
    if comments > 0 {
        let lines = if comments == 1 { "1 line that begins".into() } else { format!("{comments} lines that begin") };
        table.facts.push(Fact::of_table(format!("{file}: {lines} with ';' or '#' left out as comments")));
    }
    Ok(table)
}

/// Reads FASTQ: a name, the letters of a read on one line or several, `+`, and as many qualities. A read may have no letters.
pub(super) fn parse_with_qualities(file: &str, text: &str, most: u64) -> Result<Table> {
    let fault = |line: usize, why: &str| Err(Error::Table { file: file.to_owned(), why: format!("line {line}: {why}") });
    let mut records = Records::new(file, most);
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim_end())).peekable();
    while let Some((number, line)) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let Some(header) = line.strip_prefix('@') else {
            return fault(number, &format!("found '{}', expected '@' and the name of a read", shortened(line)));
        };
        records.begin(number, header)?;
        let (mut letters, mut last) = (0, number);
        while let Some((at, line)) = lines.next_if(|(_, line)| !line.starts_with('+')) {
            records.extend(at, line)?;
            letters += line.len();
            last = at;
        }
        let Some((plus, _)) = lines.next() else {
            return fault(last + 1, &format!("expected '+' and qualities of the read in line {number}; is the file cut off?"));
        };
        // A quality may be any sign, also '@' and '+': their number tells where they end.
        let (mut qualities, mut at) = (0, plus);
        while qualities < letters
            && let Some((number, line)) = lines.next()
        {
            (qualities, at) = (qualities + line.len(), number);
        }
        if qualities != letters {
            let cut = if lines.peek().is_none() && qualities < letters { "; is the file cut off?" } else { "" };
            return fault(at, &format!("found {qualities} qualities for {letters} letters of the read in line {number}{cut}"));
        }
    }
    let mut table = records.finish()?;
    table.facts.push(Fact::of_table(format!("{file}: the qualities of the reads are no input: left out")));
    Ok(table)
}

/// What is said of a column of records that is no input unless it is declared.
pub(super) fn aside(name: &str) -> Option<Fact> {
    let (what, undo) = match name {
        FILE => return None,
        NAME => ("the names of the records", "text makes it an input"),
        DESCRIPTION => ("the descriptions of the records", "text makes it an input"),
        _ => ("fields of the headers of the records", "category (or number) makes it an input"),
    };
    Some(Fact::of_column(Topic::Identifiers, name, format!("{{holds}} {what}: no input")).undone_by(undo))
}

/// The records so far.
struct Records<'a> {
    file: &'a str,
    most: u64,
    names: Cells,
    descriptions: Cells,
    described: bool,
    /// Fields by name, in the order they were met.
    places: HashMap<String, usize>,
    fields: Vec<(String, Cells)>,
    sequences: Vec<String>,
    /// The lines of the records.
    lines: Vec<usize>,
    /// The first letter that no sequence has, and its line.
    odd: Option<(usize, char)>,
}

impl<'a> Records<'a> {
    fn new(file: &'a str, most: u64) -> Self {
        Records {
            file,
            most,
            names: Cells::new(true, true),
            descriptions: Cells::new(true, true),
            described: false,
            places: HashMap::new(),
            fields: Vec::new(),
            sequences: Vec::new(),
            lines: Vec::new(),
            odd: None,
        }
    }

    fn fault(&self, line: usize, why: &str) -> Error {
        Error::Table { file: self.file.to_owned(), why: format!("line {line}: {why}") }
    }

    /// Begins a record with what stands behind its sign.
    fn begin(&mut self, line: usize, header: &str) -> Result<()> {
        // Bytes that one more cell takes at least.
        const BYTES_PER_CELL: u64 = 16;
        let row = self.sequences.len();
        let (name, fields, rest) = headers::parts(header);
        self.lines.push(line);
        self.names.push(name);
        self.described |= !rest.is_empty();
        self.descriptions.push(&rest);
        for (key, value) in fields {
            if [NAME, DESCRIPTION, SEQUENCE].contains(&key.as_str()) {
                return Err(self.fault(line, &format!("the field '{key}' is called like a column of its own; rename it")));
            }
            let place = *self.places.entry(key.clone()).or_insert_with(|| {
                self.fields.push((key.clone(), Cells::new(true, false)));
                self.fields.len() - 1
            });
            let needed = (self.fields.len() as u64).saturating_mul(row as u64 + 1).saturating_mul(BYTES_PER_CELL);
            if needed > self.most {
                let what = format!("{}, whose records have {} different fields,", self.file, self.fields.len());
                return Err(too_large(&what, needed, self.most));
            }
            let cells = &mut self.fields[place].1;
            if cells.len() > row {
                return Err(self.fault(line, &format!("the field '{key}' stands twice")));
            }
            cells.pad(row);
            cells.push(&value);
        }
        self.sequences.push(String::new());
        Ok(())
    }

    /// Adds a line of letters to the record.
    fn extend(&mut self, line: usize, letters: &str) -> Result<()> {
        if letters.trim().is_empty() {
            return Ok(());
        }
        let odd = || letters.chars().find(|c| !(c.is_whitespace() || c.is_ascii() && is_letter(*c as u8)));
        self.odd = self.odd.or_else(|| odd().map(|letter| (line, letter)));
        match self.sequences.last_mut() {
            Some(sequence) => sequence.extend(letters.split_whitespace()),
            None => return Err(self.fault(line, "found letters before the first '>'")),
        }
        Ok(())
    }

    /// Signs that are no letters belong to sequences of bases or residues alone.
    fn check_letters(&self) -> Result<()> {
        let is_text = || Alphabet::guess(self.sequences.iter().map(String::as_str)) == Alphabet::Text;
        self.odd.filter(|_| is_text()).map_or(Ok(()), |(line, found)| {
            let why = "in a sequence that is neither of bases nor of residues, expected letters, '-', '*' or '.'";
            Err(self.fault(line, &format!("found '{found}' {why}")))
        })
    }

    /// Says which records have no letters, if others have some.
    fn empty_records(&self) -> Result<Option<Fact>> {
        let mut empty = self.sequences.iter().enumerate().filter(|(_, sequence)| sequence.is_empty()).map(|(row, _)| row);
        let Some(row) = empty.next() else { return Ok(None) };
        let (line, name) = (self.lines[row], shortened(self.names.iter().nth(row).unwrap_or_default()));
        let records = match 1 + empty.count() {
            all if all == self.sequences.len() => {
                return Err(self.fault(line, &format!("'{name}' has no sequence, nor has any other record; is the file cut off?")));
            }
            1 => "1 record has".into(),
            count => format!("{count} records have"),
        };
        Ok(Some(Fact::of_table(format!("{}: {records} no letters (first '{name}' in line {line}): an empty sequence", self.file))))
    }

    fn finish(mut self) -> Result<Table> {
        let rows = self.sequences.len();
        let masked = self.sequences.iter().filter(|sequence| sequence.bytes().any(|b| b.is_ascii_lowercase())).count();
        self.sequences.iter_mut().for_each(|sequence| sequence.make_ascii_uppercase());
        self.check_letters()?;
        let empty = self.empty_records()?;
        let mut sequences = Cells::new(true, true);
        self.sequences.iter().for_each(|sequence| sequences.push(sequence));
        let mut columns = vec![(NAME.to_owned(), Raw::Cells(self.names))];
        columns.extend(self.fields.into_iter().map(|(name, mut cells)| {
            cells.pad(rows);
            (name, Raw::Cells(cells))
        }));
        if self.described {
            columns.push((DESCRIPTION.to_owned(), Raw::Cells(self.descriptions)));
        }
        let aside = columns.iter().map(|(name, _)| name.clone()).collect();
        columns.push((SEQUENCE.to_owned(), Raw::Cells(sequences)));
        let own_types = vec![(SEQUENCE.to_owned(), ColumnType::SEQUENCE)];
        let mut table = Table { aside, own_types, ..Table::of_raw(self.file, rows, columns)? };
        table.facts.extend(empty);
        if masked > 0 {
            let of = if masked == 1 { "1 sequence".into() } else { format!("{masked} sequences") };
            table.facts.push(Fact::of_table(format!("{}: {of} with small letters (soft-masked): read as capital letters", self.file)));
        }
        Ok(table)
    }
}

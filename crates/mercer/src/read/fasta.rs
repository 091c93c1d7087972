//! FASTA (Pearson and Lipman 1988) and FASTQ (Cock et al. 2010): one row a record, with the columns `name`, `sequence`, and one
//! for each field `KEY=VALUE` of the descriptions; what is left of these is the column `description`. Qualities are left out.
//! Small letters, which mask repeats and other parts of little information, are the same residues and become capital letters.

use super::ColumnType;
use super::cells::Cells;
use super::facts::{Fact, Topic};
use super::infer::shortened;
use super::table::{Raw, Table};
use super::unpack::too_large;
use crate::error::{Error, Result};
use std::collections::HashMap;

const NAME: &str = "name";
const DESCRIPTION: &str = "description";
const SEQUENCE: &str = "sequence";
/// Bytes that one more cell takes at least.
const BYTES_PER_CELL: u64 = 16;

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
            Some(header) => {
                records.check_last()?;
                records.begin(number + 1, header)?;
            }
            None if is_comment(line) => comments += 1,
            None => records.extend(number + 1, line)?,
        }
    }
    records.check_last()?;
    let mut table = records.finish()?;
    if comments > 0 {
        let lines = if comments == 1 { "1 line that begins".into() } else { format!("{comments} lines that begin") };
        table.facts.push(Fact::of_table(format!("{file}: {lines} with ';' or '#' left out as comments")));
    }
    tell_aside(&mut table);
    Ok(table)
}

/// Reads FASTQ: a name, the letters of a read on one line or several, `+`, and as many qualities. A read may have no letters.
pub(super) fn parse_with_qualities(file: &str, text: &str, most: u64) -> Result<Table> {
    let fault = |line: usize, why: &str| Err(Error::Table { file: file.to_owned(), why: format!("line {line}: {why}") });
    let mut records = Records::new(file, most);
    let mut empty: Vec<(usize, String)> = Vec::new();
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
        if letters == 0 {
            empty.push((number, records.at.1.clone()));
        }
    }
    let mut table = records.finish()?;
    table.facts.push(Fact::of_table(format!("{file}: the qualities of the reads are no input: left out")));
    if let Some((line, name)) = empty.first() {
        let reads = if empty.len() == 1 { "1 read has".into() } else { format!("{} reads have", empty.len()) };
        let first = format!("'{}' in line {line}", shortened(name));
        table.facts.push(Fact::of_table(format!("{file}: {reads} no letters (first {first}): an empty sequence")));
    }
    tell_aside(&mut table);
    Ok(table)
}

/// Says which columns of records are no inputs.
fn tell_aside(table: &mut Table) {
    for name in &table.aside {
        let what = if name == NAME { "names" } else { "descriptions" };
        let says = format!("{{holds}} the {what} of the records: no input");
        table.facts.push(Fact::of_column(Topic::Identifiers, name, says).undone_by("text makes it one"));
    }
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
    /// The line and name of the record that is read.
    at: (usize, String),
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
            at: (0, String::new()),
        }
    }

    fn fault(&self, line: usize, why: &str) -> Error {
        Error::Table { file: self.file.to_owned(), why: format!("line {line}: {why}") }
    }

    /// Begins a record with what stands behind its sign.
    fn begin(&mut self, line: usize, header: &str) -> Result<()> {
        let (name, description) = header.trim().split_once(char::is_whitespace).unwrap_or((header.trim(), ""));
        let row = self.sequences.len();
        self.at = (line, name.to_owned());
        self.names.push(name);
        let (fields, rest) = fields(description);
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
        if let Some(found) = letters.chars().find(|c| !(c.is_whitespace() || c.is_ascii() && is_letter(*c as u8))) {
            return Err(self.fault(line, &format!("found '{found}' in a sequence, expected letters, '-', '*' or '.'")));
        }
        match self.sequences.last_mut() {
            Some(sequence) => sequence.extend(letters.split_whitespace()),
            None => return Err(self.fault(line, "found letters before the first '>'")),
        }
        Ok(())
    }

    fn check_last(&self) -> Result<()> {
        if self.sequences.last().is_some_and(String::is_empty) {
            return Err(self.fault(self.at.0, &format!("'{}' has no sequence", shortened(&self.at.1))));
        }
        Ok(())
    }

    fn finish(self) -> Result<Table> {
        let rows = self.sequences.len();
        let (mut sequences, mut masked) = (Cells::new(true, true), 0);
        for mut sequence in self.sequences {
            masked += usize::from(sequence.bytes().any(|b| b.is_ascii_lowercase()));
            sequence.make_ascii_uppercase();
            sequences.push(&sequence);
        }
        let mut columns = vec![(NAME.to_owned(), Raw::Cells(self.names))];
        columns.extend(self.fields.into_iter().map(|(name, mut cells)| {
            cells.pad(rows);
            (name, Raw::Cells(cells))
        }));
        let mut aside = vec![NAME.to_owned()];
        if self.described {
            columns.push((DESCRIPTION.to_owned(), Raw::Cells(self.descriptions)));
            aside.push(DESCRIPTION.to_owned());
        }
        columns.push((SEQUENCE.to_owned(), Raw::Cells(sequences)));
        let own_types = vec![(SEQUENCE.to_owned(), ColumnType::SEQUENCE)];
        let mut table = Table { aside, own_types, ..Table::of_raw(self.file, rows, columns)? };
        if masked > 0 {
            let of = if masked == 1 { "1 sequence".into() } else { format!("{masked} sequences") };
            table.facts.push(Fact::of_table(format!("{}: {of} with small letters (soft-masked): read as capital letters", self.file)));
        }
        Ok(table)
    }
}

/// The fields `KEY=VALUE` of a description and what is left of it. A value in double quotes may hold spaces; so may one of a
/// key of two capitals, as UniProt writes them (`OS=Homo sapiens OX=9606`), up to the next key.
fn fields(description: &str) -> (Vec<(String, String)>, String) {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut rest: Vec<&str> = Vec::new();
    let mut words = description.split_whitespace();
    let mut open = false;
    while let Some(word) = words.next() {
        match word.split_once('=').filter(|(key, _)| is_key(key)) {
            Some((key, value)) => {
                let mut value = value.to_owned();
                if let Some(begun) = value.strip_prefix('"').map(str::to_owned) {
                    value = begun;
                    while !value.ends_with('"') {
                        let Some(next) = words.next() else { break };
                        value = format!("{value} {next}");
                    }
                    value = value.trim_end_matches('"').to_owned();
                    open = false;
                } else {
                    open = key.len() == 2 && key.bytes().all(|b| b.is_ascii_uppercase());
                }
                found.push((key.to_owned(), value));
            }
            None => match found.last_mut().filter(|_| open) {
                Some((_, value)) => *value = format!("{value} {word}"),
                None => rest.push(word),
            },
        }
    }
    (found, rest.join(" "))
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_alphabetic()) && key.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_descriptions_are_told_from_their_words() {
        let of = |text: &str| {
            let (found, rest) = fields(text);
            (found.iter().map(|(k, v)| format!("{k}:{v}")).collect::<Vec<_>>().join("|"), rest)
        };
        assert_eq!(of("label=1"), ("label:1".into(), String::new()));
        assert_eq!(of("a protein label=1 of note"), ("label:1".into(), "a protein of note".into()));
        assert_eq!(of("kind=\"two words\" y=3"), ("kind:two words|y:3".into(), String::new()));
        assert_eq!(of("kind=\"never closed"), ("kind:never closed".into(), String::new()));
        let uniprot = "Hemoglobin subunit alpha OS=Homo sapiens OX=9606 GN=HBA1 PE=1 SV=2";
        assert_eq!(of(uniprot), ("OS:Homo sapiens|OX:9606|GN:HBA1|PE:1|SV:2".into(), "Hemoglobin subunit alpha".into()));
        assert_eq!(of("=1 2=3"), (String::new(), "=1 2=3".into()));
    }
}

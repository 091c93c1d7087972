//! ARFF, the format of Weka (Hall et al. 2009): `@attribute NAME TYPE` for each column, then `@data` and one row a line, dense
//! or sparse (`{INDEX VALUE, ...}`, columns from 0). Nominal attributes are categories; `?` is a missing cell.

use super::ColumnType;
use super::cells::Cells;
use super::facts::Fact;
use super::infer::shortened;
use super::table::{Raw, Table};
use super::unpack::too_large;
use super::unseen::name_of;
use crate::error::{Error, Result};

/// Whether the first line that is no comment is the name of a relation.
pub(super) fn looks_like(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('%'));
    first.is_some_and(|line| keyword(line, "@relation").is_some())
}

/// What stands behind a word that opens a line, in any case.
fn keyword<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = line.split_at_checked(word.len())?;
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (start.eq_ignore_ascii_case(word) && ends).then(|| rest.trim())
}

/// What an attribute holds.
enum Kind {
    Number,
    Nominal(Vec<String>),
    Text,
    Date,
}

struct Reading<'a> {
    file: &'a str,
    most: u64,
    attributes: Vec<(String, Kind)>,
    columns: Vec<Cells>,
    rows: usize,
    /// Rows with a weight behind them.
    weighted: usize,
}

/// Reads the table.
pub(super) fn parse(file: &str, text: &str, most: u64) -> Result<Table> {
    let mut reading = Reading { file, most, attributes: Vec::new(), columns: Vec::new(), rows: 0, weighted: 0 };
    let mut in_data = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let done = if in_data {
            reading.row(line)
        } else if keyword(line, "@data").is_some() {
            in_data = true;
            reading.begin_rows()
        } else if let Some(rest) = keyword(line, "@attribute") {
            reading.attribute(rest)
        } else if keyword(line, "@relation").is_some() {
            Ok(())
        } else {
            Err(format!("found '{}', expected @attribute NAME TYPE or @data", shortened(line)))
        };
        done.map_err(|why| reading.fault(format!("line {}: {why}", number + 1)))?;
        reading.check_memory()?;
    }
    if !in_data || reading.rows == 0 {
        return Err(reading.fault(if in_data { "there are no rows behind @data" } else { "there is no line @data" }));
    }
    reading.finish()
}

impl Reading<'_> {
    fn fault(&self, why: impl Into<String>) -> Error {
        Error::Table { file: self.file.to_owned(), why: why.into() }
    }

    fn check_memory(&self) -> Result<()> {
        // Bytes that one more cell takes at least.
        const BYTES_PER_CELL: u64 = 16;
        let needed = (self.columns.len() as u64).saturating_mul(self.rows as u64).saturating_mul(BYTES_PER_CELL);
        if needed > self.most {
            return Err(too_large(&format!("{}, which has {} attributes,", self.file, self.columns.len()), needed, self.most));
        }
        Ok(())
    }

    fn attribute(&mut self, rest: &str) -> std::result::Result<(), String> {
        let (name, kind) = first_word(rest).ok_or("expected @attribute NAME TYPE")?;
        let kind = kind.trim();
        let word = kind.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let kind = match word.as_str() {
            "numeric" | "real" | "integer" => Kind::Number,
            "string" => Kind::Text,
            "date" => Kind::Date,
            _ => match kind.strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
                Some(list) => Kind::Nominal(cells(list)?.into_iter().map(|cell| cell.text).collect()),
                None => {
                    let known = "numeric, real, integer, string, date or {A, B, ...}";
                    return Err(format!("attribute '{name}' is of the type '{}', expected {known}", shortened(kind)));
                }
            },
        };
        self.attributes.push((name_of(&name), kind));
        Ok(())
    }

    fn begin_rows(&mut self) -> std::result::Result<(), String> {
        if self.attributes.is_empty() {
            return Err("no @attribute stands above @data".into());
        }
        self.columns = self.attributes.iter().map(|(_, kind)| Cells::new(false, !matches!(kind, Kind::Number))).collect();
        Ok(())
    }

    fn row(&mut self, line: &str) -> std::result::Result<(), String> {
        let width = self.attributes.len();
        self.rows += 1;
        if let Some(sparse) = line.strip_prefix('{') {
            let (inner, behind) = sparse.split_once('}').ok_or("expected '}' at the end of a sparse row")?;
            self.weighted += usize::from(behind.contains('{'));
            let mut row: Vec<Option<Word>> = (0..width).map(|_| None).collect();
            for item in cells(inner)?.into_iter().filter(|item| !item.text.is_empty()) {
                let (index, value) = item.text.split_once(char::is_whitespace).ok_or("expected INDEX VALUE in a sparse row")?;
                let place: usize =
                    index.parse().ok().filter(|k| *k < width).ok_or(format!("'{index}' is no column from 0 to {}", width - 1))?;
                let (text, _) = first_word(value.trim()).unwrap_or_default();
                row[place] = Some(Word { quoted: value.trim().starts_with(['\'', '"']), text });
            }
            for (k, word) in row.into_iter().enumerate() {
                // What is left out is 0, or the first of the labels.
                let word = word.unwrap_or_else(|| match &self.attributes[k].1 {
                    Kind::Nominal(labels) => Word { text: labels.first().cloned().unwrap_or_default(), quoted: true },
                    _ => Word { text: "0".into(), quoted: false },
                });
                self.push(k, word)?;
            }
            return Ok(());
        }
        let mut row = cells(line)?;
        // The weight of an instance may stand behind it.
        if row.len() == width + 1 && row.last().is_some_and(|word| word.text.starts_with('{')) {
            row.pop();
            self.weighted += 1;
        }
        if row.len() != width {
            return Err(format!("row {} has {} cells, and there are {width} attributes", self.rows, row.len()));
        }
        row.into_iter().enumerate().try_for_each(|(k, word)| self.push(k, word))
    }

    fn push(&mut self, column: usize, word: Word) -> std::result::Result<(), String> {
        let missing = word.text == "?" && !word.quoted;
        let (name, kind) = &self.attributes[column];
        if let Kind::Nominal(labels) = kind
            && !missing
            && !labels.contains(&word.text)
        {
            return Err(format!(
                "row {}, column '{name}': found '{}', expected one of {}",
                self.rows,
                shortened(&word.text),
                shortened(&labels.join(", "))
            ));
        }
        self.columns[column].push(if missing { "" } else { &word.text });
        Ok(())
    }

    fn finish(self) -> Result<Table> {
        let own_types = self.attributes.iter().filter_map(|(name, kind)| match kind {
            Kind::Nominal(_) => Some((name.clone(), ColumnType::CATEGORY)),
            Kind::Date => Some((name.clone(), ColumnType::Date)),
            Kind::Number | Kind::Text => None,
        });
        let own_types = own_types.collect();
        let columns = self.attributes.into_iter().zip(self.columns).map(|((name, _), cells)| (name, Raw::Cells(cells))).collect();
        let says = match self.weighted {
            0 => None,
            1 => Some("1 row has a weight in braces behind it, which is".to_owned()),
            n => Some(format!("{n} rows have weights in braces behind them, which are")),
        };
        let says = says.map(|rows| format!("{}: {rows} left out; a column of weights counts rows so (--weights)", self.file));
        let facts = says.map(Fact::of_table).into_iter().collect();
        Ok(Table { own_types, facts, ..Table::of_raw(self.file, self.rows, columns)? })
    }
}

/// A cell as it was written.
struct Word {
    text: String,
    quoted: bool,
}

/// The first word, in quotes or up to a space or brace, and the rest.
fn first_word(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (word, rest) = quoted(&text[1..], quote)?;
        return Some((word, rest));
    }
    let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

/// The text up to the closing quote, where a backslash keeps the next character, and the rest behind it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => word.extend(chars.next().map(|(_, kept)| kept)),
            c if c == quote => return Some((word, &text[at + c.len_utf8()..])),
            c => word.push(c),
        }
    }
    None
}

/// The cells of a line, separated by commas.
fn cells(line: &str) -> std::result::Result<Vec<Word>, String> {
    let mut out = Vec::new();
    let mut rest = line.trim();
    loop {
        let word;
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (text, after) = quoted(&rest[1..], quote).ok_or(format!("a quote ({quote}) is never closed"))?;
            word = Word { text, quoted: true };
            rest = after.trim_start();
        } else {
            // A sparse item may quote its value, with commas in it.
            let (mut inside, mut before) = (None, 'x');
            let end = rest.find(|c: char| {
                match inside {
                    Some(quote) if c == quote => inside = None,
                    None if before.is_whitespace() && (c == '\'' || c == '"') => inside = Some(c),
                    _ => {}
                }
                before = c;
                c == ',' && inside.is_none()
            });
            let end = end.unwrap_or(rest.len());
            word = Word { text: rest[..end].trim().to_owned(), quoted: false };
            rest = &rest[end..];
        }
        out.push(word);
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.is_empty() => return Ok(out),
            None => return Err(format!("found '{}' behind a quoted cell, expected a comma", shortened(rest))),
        }
    }
}

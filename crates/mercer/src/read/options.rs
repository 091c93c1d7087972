//! What the user says about a table before it is read: `--types zip=category,id=ignore`, `--na=-999`, `--no-header`, `--skip`,
//! `--delimiter`, `--encoding`, `--decimal`, `--lines`, `--series s=t0..t95`.

use super::unseen::name_of;
use super::{ColumnType, WideSeries, encoding};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What the user says about a table before it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadOptions {
    /// Declared column types; the others are inferred from the cells. The last declaration of a column counts.
    pub types: Vec<(String, ColumnType)>,
    /// Texts of cells that are missing, besides the usual ones; `COLUMN=TEXT` counts in that column alone. An empty text keeps
    /// words such as `None` as labels, so that only empty cells are missing.
    pub na: Vec<String>,
    /// Lines above the table that are left out.
    #[serde(default)]
    pub skip: usize,
    /// Each line is a label and a text; of a folder, a text of the class that its file is named after.
    #[serde(default)]
    pub lines: bool,
    /// The first line of a table of cells is a row like the others; columns are called 1, 2, 3, ...
    pub no_header: bool,
    /// Cell separator, if it is not to be detected.
    pub delimiter: Option<Delimiter>,
    /// Text encoding, if it is not to be detected: a label of the WHATWG Encoding Standard, such as latin1.
    pub encoding: Option<String>,
    /// Decimal mark of columns whose cells are ambiguous: `1,234`.
    pub decimal: Option<Decimal>,
    /// Groups of columns that are one series each.
    #[serde(default)]
    pub series: Vec<WideSeries>,
    /// Columns that are asked for: a first line of numbers alone that has all of them is a header.
    #[serde(default)]
    pub names: Vec<String>,
}

/// What parts the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delimiter {
    /// One character.
    Character(u8),
    /// Spaces and tabs, as many as there are.
    Spaces,
}

impl std::str::FromStr for Delimiter {
    type Err = Error;
    fn from_str(word: &str) -> Result<Self> {
        let known = ["comma", "semicolon", "tab", "space", "pipe"];
        match word {
            "comma" => return Ok(Delimiter::Character(b',')),
            "semicolon" => return Ok(Delimiter::Character(b';')),
            "tab" | "\\t" => return Ok(Delimiter::Character(b'\t')),
            "pipe" => return Ok(Delimiter::Character(b'|')),
            "space" | "spaces" | " " => return Ok(Delimiter::Spaces),
            _ => {}
        }
        match word.as_bytes() {
            [b] if *b == b'\t' || (b.is_ascii_punctuation() && !b"\"'.-+_".contains(b)) => Ok(Delimiter::Character(*b)),
            _ => Err(Error::Setting {
                name: "--delimiter".into(),
                why: format!("'{word}' cannot part cells; write one sign such as ';' or one of {}", known.join(", ")),
            }),
        }
    }
}

/// What stands before the decimals of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decimal {
    /// `1.5`
    Point,
    /// `1,5`
    Comma,
}

impl std::str::FromStr for Decimal {
    type Err = Error;
    fn from_str(word: &str) -> Result<Self> {
        match word {
            "." | "point" => Ok(Decimal::Point),
            "," | "comma" => Ok(Decimal::Comma),
            _ => Err(Error::Setting { name: "--decimal".into(), why: format!("'{word}' is no decimal sign; write '.' or ','") }),
        }
    }
}

impl ReadOptions {
    /// An error where an option is none that can be done.
    pub(super) fn check(&self) -> Result<()> {
        self.encoding.as_deref().map_or(Ok(()), |name| encoding::named(name).map(|_| ()))
    }

    /// Options with the types written as `column=type`, several separated by commas or in several texts; a part whose column
    /// holds a comma stands in double quotes (see [`split_list`]).
    ///
    /// # Errors
    /// A part without `=`, or an unknown type, with the nearest known one.
    pub fn with_types<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut types = Vec::new();
        for text in written {
            for part in split_list(text.as_ref()) {
                let (column, word) = column_and(&part, "COLUMN=TYPE, as in zip=category")?;
                types.push((column, word.parse()?));
            }
        }
        Ok(ReadOptions { types, ..ReadOptions::default() })
    }

    /// What the column is declared to be, if it is.
    pub fn declared(&self, column: &str) -> Option<ColumnType> {
        self.types.iter().rev().find(|(name, _)| name_of(name) == column).map(|(_, declared)| declared.clone())
    }
}

/// The parts of a list separated by commas, without the spaces around them, their letters composed; empty parts are left out. A part, or the
/// beginning of one, in double quotes may hold commas: `a,"b,c",d` has three parts, `"b,c"=text` is one.
pub fn split_list(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in list.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => parts.push(String::new()),
            c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts.iter().map(|part| name_of(part)).filter(|part| !part.is_empty()).collect()
}

/// Column and word of `COLUMN=WORD`. A column name may hold '=', a word never does.
pub(crate) fn column_and(part: &str, expected: &str) -> Result<(String, String)> {
    match part.rsplit_once('=') {
        Some((column, word)) => Ok((name_of(column), word.trim().to_owned())),
        None => Err(Error::Syntax { text: part.to_owned(), at: part.chars().count(), expected: format!("expected {expected}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_words_and_the_last_word_counts() {
        let o = ReadOptions::with_types(["zip=category, a=b=text", "zip=ignore"]).unwrap();
        assert_eq!(o.declared("zip"), Some(ColumnType::Ignore));
        assert_eq!(o.declared("a=b"), Some(ColumnType::TEXT));
        assert_eq!(o.declared("other"), None);
        let o = ReadOptions::with_types(["\"a, b\"=date"]).unwrap();
        assert_eq!(o.declared("a, b"), Some(ColumnType::Date));
        assert_eq!(split_list("a, \"b,c\",,d"), ["a", "b,c", "d"]);
    }

    #[test]
    fn an_unknown_type_gets_a_suggestion_and_a_missing_one_a_caret() {
        let e = ReadOptions::with_types(["zip=categry"]).unwrap_err().to_string();
        assert!(e.contains("did you mean 'category'"), "{e}");
        let e = ReadOptions::with_types(["zip"]).unwrap_err().to_string();
        assert!(e.contains("COLUMN=TYPE"), "{e}");
    }
}

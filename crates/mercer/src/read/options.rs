//! What the user declares about columns: `--types zip=category,seq=sequence,born=date,id=ignore`.

use crate::data::Sort;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What a column is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Finite numbers; empty cells are missing.
    Number,
    /// Labels; as a target, classes.
    Category,
    /// Running text.
    Text,
    /// Strings over a small alphabet.
    Sequence,
    /// Dates, read as numbers: days since 1970-01-01.
    Date,
    /// True and false, read as numbers: 1 and 0.
    Flag,
    /// Not to be used.
    Ignore,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [ColumnType; 7] = [
        ColumnType::Number,
        ColumnType::Category,
        ColumnType::Text,
        ColumnType::Sequence,
        ColumnType::Date,
        ColumnType::Flag,
        ColumnType::Ignore,
    ];

    /// The word for it in `--types`.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Number => "number",
            ColumnType::Category => "category",
            ColumnType::Text => "text",
            ColumnType::Sequence => "sequence",
            ColumnType::Date => "date",
            ColumnType::Flag => "flag",
            ColumnType::Ignore => "ignore",
        }
    }

    /// The sort of column that it gives; `None` for a column that is ignored.
    pub fn sort(self) -> Option<Sort> {
        match self {
            ColumnType::Number | ColumnType::Date | ColumnType::Flag => Some(Sort::Number),
            ColumnType::Category => Some(Sort::Category),
            ColumnType::Text => Some(Sort::Text),
            ColumnType::Sequence => Some(Sort::Sequence),
            ColumnType::Ignore => None,
        }
    }
}

impl FromStr for ColumnType {
    type Err = Error;
    fn from_str(word: &str) -> Result<Self> {
        let found = ColumnType::ALL.into_iter().find(|t| t.name() == word.trim());
        found.ok_or_else(|| Error::unknown("column type", word.trim(), ColumnType::ALL.map(ColumnType::name)))
    }
}

/// What the user says about a table before it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadOptions {
    /// Declared columns; the others are told from their cells. The last word about a column counts.
    pub types: Vec<(String, ColumnType)>,
}

impl ReadOptions {
    /// Options with the types written as `column=type`, several parted by commas or in several texts; a part whose column
    /// holds a comma stands in double quotes (see [`parted`]).
    ///
    /// # Errors
    /// A part without `=`, or an unknown type, with the nearest known one.
    pub fn with_types<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut types = Vec::new();
        for text in written {
            for part in parted(text.as_ref()) {
                let (column, word) = column_and(&part, "COLUMN=TYPE, as in zip=category")?;
                types.push((column, word.parse()?));
            }
        }
        Ok(ReadOptions { types })
    }

    /// What the column is declared to be, if it is.
    pub fn declared(&self, column: &str) -> Option<ColumnType> {
        self.types.iter().rev().find(|(name, _)| name == column).map(|(_, t)| *t)
    }
}

/// The parts of a list parted by commas, without the spaces around them; empty parts are left out. A part, or the
/// beginning of one, in double quotes may hold commas: `a,"b,c",d` has three parts, `"b,c"=text` is one.
pub fn parted(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in list.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => parts.push(String::new()),
            c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Column and word of `COLUMN=WORD`. A column name may hold '=', a word never does.
pub(crate) fn column_and(part: &str, expected: &str) -> Result<(String, String)> {
    match part.rsplit_once('=') {
        Some((column, word)) => Ok((column.trim().to_owned(), word.trim().to_owned())),
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
        assert_eq!(o.declared("a=b"), Some(ColumnType::Text));
        assert_eq!(o.declared("other"), None);
        let o = ReadOptions::with_types(["\"a, b\"=date"]).unwrap();
        assert_eq!(o.declared("a, b"), Some(ColumnType::Date));
        assert_eq!(parted("a, \"b,c\",,d"), ["a", "b,c", "d"]);
    }

    #[test]
    fn an_unknown_type_gets_a_suggestion_and_a_missing_one_a_caret() {
        let e = ReadOptions::with_types(["zip=categry"]).unwrap_err().to_string();
        assert!(e.contains("did you mean 'category'"), "{e}");
        let e = ReadOptions::with_types(["zip"]).unwrap_err().to_string();
        assert!(e.contains("COLUMN=TYPE"), "{e}");
    }
}

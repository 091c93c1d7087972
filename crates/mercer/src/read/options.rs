//! What the user declares about columns: `--types zip=category,seq=sequence,id=ignore`.

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
    /// Not to be used.
    Ignore,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [ColumnType; 5] = [ColumnType::Number, ColumnType::Category, ColumnType::Text, ColumnType::Sequence, ColumnType::Ignore];

    /// The word for it in `--types`.
    pub fn name(self) -> &'static str {
        self.sort().map_or("ignore", Sort::name)
    }

    /// The sort of column that it gives; `None` for a column that is ignored.
    pub fn sort(self) -> Option<Sort> {
        match self {
            ColumnType::Number => Some(Sort::Number),
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
    /// Options with the types written as `column=type`, several parted by commas or in several texts.
    ///
    /// # Errors
    /// A part without `=`, or an unknown type, with the nearest known one.
    pub fn with_types<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut types = Vec::new();
        for text in written {
            for part in text.as_ref().split(',').filter(|p| !p.trim().is_empty()) {
                // A column name may hold '=', a type never does.
                let Some((column, word)) = part.rsplit_once('=') else {
                    return Err(Error::Syntax {
                        text: part.trim().to_owned(),
                        at: part.trim().chars().count(),
                        expected: "expected COLUMN=TYPE, as in zip=category".into(),
                    });
                };
                types.push((column.trim().to_owned(), word.parse()?));
            }
        }
        Ok(ReadOptions { types })
    }

    /// What the column is declared to be, if it is.
    pub fn declared(&self, column: &str) -> Option<ColumnType> {
        self.types.iter().rev().find(|(name, _)| name == column).map(|(_, t)| *t)
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
    }

    #[test]
    fn an_unknown_type_gets_a_suggestion_and_a_missing_one_a_caret() {
        let e = ReadOptions::with_types(["zip=categry"]).unwrap_err().to_string();
        assert!(e.contains("did you mean 'category'"), "{e}");
        let e = ReadOptions::with_types(["zip"]).unwrap_err().to_string();
        assert!(e.contains("COLUMN=TYPE"), "{e}");
    }
}

//! What a column may be declared to be.

use crate::data::{Order, Sort};
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
    /// Dates, read as numbers: days since 1970-01-01. The cells decide the order of day and month.
    Date,
    /// Dates whose day stands before the month: 22/11/2022.
    DateDmy,
    /// Dates whose month stands before the day: 11/22/2022.
    DateMdy,
    /// True and false, read as numbers: 1 and 0.
    Flag,
    /// Not to be used.
    Ignore,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [ColumnType; 9] = [
        ColumnType::Number,
        ColumnType::Category,
        ColumnType::Text,
        ColumnType::Sequence,
        ColumnType::Date,
        ColumnType::DateDmy,
        ColumnType::DateMdy,
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
            ColumnType::DateDmy => "date-dmy",
            ColumnType::DateMdy => "date-mdy",
            ColumnType::Flag => "flag",
            ColumnType::Ignore => "ignore",
        }
    }

    /// The sort of column that it gives; `None` for a column that is ignored.
    pub fn sort(self) -> Option<Sort> {
        match self {
            ColumnType::Number | ColumnType::Date | ColumnType::DateDmy | ColumnType::DateMdy | ColumnType::Flag => Some(Sort::Number),
            ColumnType::Category => Some(Sort::Category),
            ColumnType::Text => Some(Sort::Text),
            ColumnType::Sequence => Some(Sort::Sequence),
            ColumnType::Ignore => None,
        }
    }

    /// The order of day and month that it names.
    pub(super) fn order(self) -> Option<Order> {
        match self {
            ColumnType::DateDmy => Some(Order::DayFirst),
            ColumnType::DateMdy => Some(Order::MonthFirst),
            _ => None,
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

//! What a column may be declared to be.

use super::unseen::{look, name_of};
use crate::data::{ColumnKind, DateOrder};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What a column is declared to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Cells of a kind. Numbers are finite, and empty cells missing; a target of categories is of classes.
    Of(ColumnKind),
    /// Dates, read as numbers: days since 1970-01-01. The cells decide the order of day and month.
    Date,
    /// Dates whose day stands before the month: 22/11/2022.
    DateDmy,
    /// Dates whose month stands before the day: 11/22/2022.
    DateMdy,
    /// Dates that are numbers of days and nothing more: without columns for the time of day, the weekday and the season.
    Days,
    /// True and false, read as numbers: 1 and 0.
    Flag,
    /// Labels with an order, read as numbers: 0 for the first of these, 1 for the second, ...; without any, the labels are those of a
    /// usual order, such as low, medium and high.
    Ordinal(Vec<String>),
    /// Series whose arrays have the axes (rows, channels, times) instead of (rows, times, channels).
    ChannelsFirst,
    /// Not to be used.
    Ignore,
}

impl ColumnType {
    /// Numbers.
    pub const NUMBER: ColumnType = ColumnType::Of(ColumnKind::Number);
    /// Labels; as a target, classes.
    pub const CATEGORY: ColumnType = ColumnType::Of(ColumnKind::Category);
    /// Running text.
    pub const TEXT: ColumnType = ColumnType::Of(ColumnKind::Text);
    /// Strings over a small alphabet.
    pub const SEQUENCE: ColumnType = ColumnType::Of(ColumnKind::Sequence);

    /// Every type that can be declared.
    pub fn all() -> Vec<ColumnType> {
        let kinds = ColumnKind::ALL.iter().filter(|kind| kind.written().is_some());
        let ordinal = ColumnType::Ordinal(Vec::new());
        let others = [
            ColumnType::Date,
            ColumnType::DateDmy,
            ColumnType::DateMdy,
            ColumnType::Days,
            ColumnType::Flag,
            ordinal,
            ColumnType::ChannelsFirst,
            ColumnType::Ignore,
        ];
        kinds.map(|kind| ColumnType::Of(*kind)).chain(others).collect()
    }

    /// The word for it in `--types`.
    pub fn name(&self) -> &'static str {
        match self {
            ColumnType::Of(kind) => kind.name(),
            ColumnType::Date => "date",
            ColumnType::DateDmy => "date-dmy",
            ColumnType::DateMdy => "date-mdy",
            ColumnType::Days => "days",
            ColumnType::Flag => "flag",
            ColumnType::Ordinal(_) => "ordinal",
            ColumnType::ChannelsFirst => "series-channels-first",
            ColumnType::Ignore => "ignore",
        }
    }

    /// The kind of column that it gives; `None` for a column that is ignored.
    pub fn kind(&self) -> Option<ColumnKind> {
        match self {
            ColumnType::Of(kind) => Some(*kind),
            ColumnType::Date | ColumnType::DateDmy | ColumnType::DateMdy | ColumnType::Days | ColumnType::Flag | ColumnType::Ordinal(_) => {
                Some(ColumnKind::Number)
            }
            ColumnType::ChannelsFirst => Some(ColumnKind::Series),
            ColumnType::Ignore => None,
        }
    }

    /// The order of day and month that it names.
    pub(super) fn order(&self) -> Option<DateOrder> {
        match self {
            ColumnType::DateDmy => Some(DateOrder::DayFirst),
            ColumnType::DateMdy => Some(DateOrder::MonthFirst),
            _ => None,
        }
    }
}

impl FromStr for ColumnType {
    type Err = Error;
    fn from_str(word: &str) -> Result<Self> {
        if let Some(steps) = word.trim().strip_prefix("ordinal(").and_then(|rest| rest.strip_suffix(')')) {
            let steps: Vec<String> = steps.split('<').map(|step| name_of(step.trim().trim_matches('"'))).collect();
            let twice = steps.iter().enumerate().any(|(i, step)| steps[..i].iter().any(|other| look(other) == look(step)));
            if steps.len() < 2 || steps.iter().any(String::is_empty) || twice {
                let why = format!("'{}' is no order; write at least two different labels, as in ordinal(never<rarely<often)", word.trim());
                return Err(Error::Setting { name: "ordinal".into(), why });
            }
            return Ok(ColumnType::Ordinal(steps));
        }
        let found = ColumnType::all().into_iter().find(|t| t.name() == word.trim());
        found.ok_or_else(|| Error::unknown("column type", word.trim(), ColumnType::all().iter().map(ColumnType::name)))
    }
}

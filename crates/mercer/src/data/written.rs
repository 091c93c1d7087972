//! How the cells of a column were written in the table that they were read from. It goes with a dataset into the schema of a
//! model, so that what a single new table does not tell (is 03/04/2024 in March or in April?) is read as in training.

use serde::{Deserialize, Serialize};

/// How a column was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// How its numbers were.
    #[serde(default)]
    pub numbers: Writing,
    /// The cells that were declared missing.
    #[serde(default)]
    pub missing: Vec<String>,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writing {
    /// With a decimal point and nothing else: `3.5`, `-1e-3`.
    #[default]
    Point,
    /// For people: `3,5`, `1,234.50`, `$1,234`, `12.5 %`.
    Marked(Marks),
    /// As dates, which count days since 1970-01-01 (UTC).
    Date(Order),
    /// As true and false, yes and no, t and f, which are 1 and 0.
    Flag,
}

/// The marks in a number that is written for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// Whether a comma, not a point, stands before the decimals.
    pub decimal_comma: bool,
    /// What parts thousands.
    pub thousands: Thousands,
    /// What stands before or behind each number.
    pub unit: Unit,
}

/// What parts thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thousands {
    /// Nothing.
    None,
    /// `1,234,567`
    Comma,
    /// `1.234.567`
    Point,
    /// `1 234 567`, with any kind of space.
    Space,
    /// `1'234'567`
    Apostrophe,
}

/// What stands before or behind each number of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nothing.
    None,
    /// `%`; 12.5 % is 12.5.
    Percent,
    /// `$`, `US$`, `USD`
    Dollar,
    /// `€`, `EUR`
    Euro,
    /// `£`, `GBP`
    Pound,
    /// `¥`, `JPY`
    Yen,
    /// `₹`, `INR`
    Rupee,
    /// `CHF`
    Franc,
}

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// `2022-11-22` (ISO 8601), `2022/11/22`
    YearFirst,
    /// `22.11.2022`, `22/11/2022`, `22 Nov 2022`
    DayFirst,
    /// `11/22/2022`, `November 22, 2022`
    MonthFirst,
    /// `20221122`
    Compact,
}

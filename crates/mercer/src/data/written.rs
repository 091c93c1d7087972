//! How the cells of a column were written in the table that they were read from. It goes with a dataset into the schema of a
//! model, so that what is ambiguous in a new table (is 03/04/2024 in March or in April?) is read as in training.

use serde::{Deserialize, Serialize};

/// How a column was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// How its numbers were.
    #[serde(default)]
    pub numbers: Writing,
    /// Whether its dates are to count days and nothing more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub days_alone: bool,
    /// The cells that were declared missing.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The columns that were coordinates of the vectors of its sets, where rows were grouped into these.
    #[serde(default)]
    pub coordinates: Vec<String>,
    /// The column whose times order the rows that were grouped into its series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered_by: Option<String>,
    /// The columns of each channel of its series, in order of time, where these were made of columns.
    #[serde(default)]
    pub channels: Vec<Vec<String>>,
    /// Whether the arrays of its series had the axes (rows, channels, times).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub channels_first: bool,
    /// The features of its sparse vectors by the numbers that the table counts them by, where these are too large to be places.
    #[serde(default)]
    pub features: Vec<u64>,
}

impl Written {
    /// Whether its numbers are dates whose time of day, weekday and season may tell something.
    pub(crate) fn has_calendar(&self) -> bool {
        matches!(self.numbers, Writing::Date(_)) && !self.days_alone
    }
}

/// How numbers are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writing {
    /// With a decimal point and nothing else: `3.5`, `-1e-3`.
    #[default]
    Point,
    /// For people: `3,5`, `1,234.50`, `$1,234`, `12.5 %`, `5 ft`, `(50.00)`.
    Marked(Marks),
    /// As dates, which count days since 1970-01-01 (UTC).
    Date(DateOrder),
    /// As hours, minutes and seconds, `10:21:07`, which count seconds, with days before them or not.
    Clock,
    /// As minutes and seconds, `1:23.45`, which count seconds.
    MinutesSeconds,
    /// As true and false, yes and no, t and f, which are 1 and 0.
    Flag,
    /// As the steps of an order, such as `low`, `medium`, `high`: the first of them is 0.
    Ordinal(Vec<String>),
}

/// Units of time that stand behind numbers, and their seconds.
const SECONDS: [(&[&str], f64); 6] = [
    (&["week", "wk"], 604_800.0),
    (&["day", "d"], 86_400.0),
    (&["hour", "hr", "h"], 3600.0),
    (&["minute", "min"], 60.0),
    (&["second", "sec", "s"], 1.0),
    (&["millisecond", "ms"], 0.001),
];

impl Writing {
    /// A duration as the column counts it: in the unit of time that stands behind its numbers, in seconds otherwise.
    pub fn of_seconds(&self, seconds: f64) -> f64 {
        let Writing::Marked(Marks { unit: Unit::Other(unit), .. }) = self else { return seconds };
        SECONDS.iter().find(|(names, _)| names.contains(&unit.as_str())).map_or(seconds, |(_, length)| seconds / length)
    }

    /// A number as it would be written where it counts days: `2022-11-22`, `2022-11-22 18:00`.
    pub fn date(&self, number: f64) -> Option<String> {
        let minutes = (number * 1440.0).round();
        if !matches!(self, Writing::Date(_)) || minutes.is_nan() || minutes.abs() > 1e12 {
            return None;
        }
        let (days, of_day) = ((minutes as i64).div_euclid(1440), (minutes as i64).rem_euclid(1440));
        // Years begin in March, so that the leap day is the last of its year. Howard Hinnant, chrono-compatible low-level date
        // algorithms (2014).
        let (era, of_era) = ((days + 719_468).div_euclid(146_097), (days + 719_468).rem_euclid(146_097));
        let of_years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * of_years + of_years / 4 - of_years / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = of_years + era * 400 + i64::from(month <= 2);
        let time = if of_day == 0 { String::new() } else { format!(" {:02}:{:02}", of_day / 60, of_day % 60) };
        Some(format!("{year:04}-{month:02}-{day:02}{time}"))
    }
}

/// The marks in a number that is written for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// Whether a comma, not a point, stands before the decimals.
    pub decimal_comma: bool,
    /// The thousands separator.
    pub thousands: Thousands,
    /// What stands before or behind each number.
    pub unit: Unit,
    /// How numbers below 0 are written.
    #[serde(default)]
    pub negative: Negative,
    /// What stands behind some of the numbers.
    #[serde(default)]
    pub addition: Addition,
}

/// What stands behind some numbers of a column, beside their unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Addition {
    /// Nothing.
    #[default]
    None,
    /// A power of 1000: `34k`, `1.2M`, `3bn`.
    Magnitude,
    /// An uncertainty, which is left out: `3.12 ± 0.40`.
    Uncertainty,
}

/// How numbers below 0 are written; a minus before them is read in any column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Negative {
    /// `-50.00`
    #[default]
    Before,
    /// `(50.00)`
    Brackets,
    /// `50.00-`
    Behind,
}

/// Thousands separators.
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
    /// `12,34,567`: thousands, then lakhs and crores of two digits.
    Lakh,
}

/// What stands before or behind each number of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// `₹`, `Rs`, `INR`
    Rupee,
    /// `CHF`
    Franc,
    /// Any other that stands with every number: `m2`, `ft`, `R$`.
    Other(String),
}

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// `2022-11-22` (ISO 8601), `2022/11/22`, and what is one day in any order: `22 Nov 2022`, `November 22, 2022`. A month, a
    /// quarter or a week is its first day: `2022-11`, `11/2022`, `Nov 2022`, `2022-Q4`, `2022-W47`. Read beside every other order.
    YearFirst,
    /// `22.11.2022`, `22/11/2022`
    DayFirst,
    /// `11/22/2022`
    MonthFirst,
    /// `22/11/2022` beside `11/23/2022`, where each is a day in one order alone.
    Either,
    /// `20221122`, `202211`
    Compact,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_dates_like_python() {
        // Python 3: date(1970, 1, 1) + timedelta(days).
        let date = |days: f64| Writing::Date(DateOrder::DayFirst).date(days).unwrap_or_default();
        for (days, written) in [
            (0.0, "1970-01-01"),
            (11_016.0, "2000-02-29"),
            (19_783.0, "2024-03-01"),
            (19_783.75, "2024-03-01 18:00"),
            (-25_508.0, "1900-03-01"),
            (-719_162.0, "0001-01-01"),
            (2_932_896.0, "9999-12-31"),
        ] {
            assert_eq!(date(days), written);
        }
        assert_eq!(Writing::Clock.of_seconds(7200.0), 7200.0);
        let days = Marks {
            decimal_comma: false,
            thousands: Thousands::None,
            unit: Unit::Other("day".into()),
            negative: Negative::Before,
            addition: Addition::None,
        };
        assert_eq!(Writing::Marked(days).of_seconds(7200.0), 7200.0 / 86_400.0);
        assert!(Writing::Point.date(1.0).is_none() && Writing::Date(DateOrder::Compact).date(f64::NAN).is_none());
    }
}

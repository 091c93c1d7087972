//! Dates as points on circles: of the day, the week and the year, cos(2 pi t / P) and sin(2 pi t / P) for a period of P days, so that
//! 23:00 is near 01:00 and Sunday near Monday. Not standardised: of one circle the distance of two rows is at most 2.

use super::{Names, PrepStep, place};
use crate::data::{Column, Schema, Values};
use crate::error::{Error, Result};
use crate::notice::{Notice, listed};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Periods by name, in words and in days; the year is that of the Gregorian calendar.
const PERIODS: [(&str, &str, f64); 3] = [("day", "the time of day", 1.0), ("week", "the weekday", 7.0), ("year", "the season", 365.2425)];

/// The columns of dates that get columns for their periods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// One entry per column and period.
    pub columns: Vec<Cycle>,
}

/// A period of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// The column of days since 1970-01-01, which stays.
    pub column: String,
    /// The period: `day`, `week` or `year`.
    pub period: String,
    /// Names of the columns that come: cosine and sine.
    pub becomes: [String; 2],
}

impl Calendar {
    /// Every period that a column of dates spans twice, and that its dates are close enough together to show.
    pub(super) fn fit(columns: &[Column], schema: &Schema, as_is: &[String], notices: &mut Vec<Notice>) -> Option<PrepStep> {
        let mut names = Names::of(columns);
        let mut cycles = Vec::new();
        let of_dates = |name: &str| schema.columns.iter().any(|c| c.name == name && c.written.has_calendar());
        for column in columns.iter().filter(|c| of_dates(&c.name) && !as_is.contains(&c.name)) {
            let Values::Numbers(days) = &column.values else { continue };
            let found: Vec<_> = PERIODS.iter().filter(|(.., period)| shows(days, *period)).collect();
            for (name, ..) in &found {
                let becomes = ["cos", "sin"].map(|part| names.free(format!("{}_{name}_{part}", column.name)));
                cycles.push(Cycle { column: column.name.clone(), period: (*name).to_owned(), becomes });
            }
            if !found.is_empty() {
                let periods = found.iter().map(|(_, words, _)| (*words).to_owned()).collect();
                notices.push(Notice::Calendar { column: column.name.clone(), periods });
            }
        }
        (!cycles.is_empty()).then_some(PrepStep::Calendar(Calendar { columns: cycles }))
    }

    pub(super) fn apply(&self, columns: &mut Vec<Column>) -> Result<()> {
        for Cycle { column, period, becomes } in &self.columns {
            let length = PERIODS.iter().find(|(name, ..)| name == period).map(|(.., days)| *days);
            let length = length.ok_or_else(|| Error::Data(format!("'{period}' is no period of a calendar: day, week, year")))?;
            let Values::Numbers(days) = &columns[place(columns, column)?].values else {
                return Err(Error::Data(format!("column '{column}' holds no dates")));
            };
            let [cosine, sine] = [f64::cos, f64::sin].map(|part| days.iter().map(|t| part(TAU * (t / length).rem_euclid(1.0))).collect());
            let [of_cosine, of_sine] = becomes.clone();
            columns.push(Column { name: of_cosine, values: Values::Numbers(cosine) });
            columns.push(Column { name: of_sine, values: Values::Numbers(sine) });
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let each: Vec<String> = self.columns.iter().map(|c| format!("{} of {}", c.period, c.column)).collect();
        format!("Dates have columns for the cosine and the sine of each period: {}.", listed(each.iter().map(String::as_str)))
    }
}

/// Whether dates span a period often enough, lie close enough together to show its course, and differ in it.
fn shows(days: &[f64], period: f64) -> bool {
    // Periods that the dates must span: what was seen once is no period.
    const SPANNED: f64 = 2.0;
    // Dates in a period, at least, by the median gap of successive ones: fewer do not show its course.
    const IN_PERIOD: f64 = 2.0;
    let mut known: Vec<f64> = days.iter().copied().filter(|t| t.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    let [Some(first), Some(last)] = [known.first(), known.last()] else { return false };
    if last - first < SPANNED * period {
        return false;
    }
    let mut gaps: Vec<f64> = known.windows(2).map(|w| w[1] - w[0]).collect();
    gaps.sort_by(f64::total_cmp);
    let phase = |t: f64| (t / period).rem_euclid(1.0);
    gaps[gaps.len() / 2] * IN_PERIOD <= period && known.iter().any(|t| (phase(*t) - phase(*first)).abs() > 1e-9)
}

//! Gaps of series, the times at which a channel lacks a number: interpolated where nothing is said, filled with the last number before them,
//! or left out.

use super::{Missing, PrepStep, place};
use crate::data::{Column, GapCount, GapFill, Series, Values};
use crate::error::Result;
use crate::notice::{Notice, listed};
use serde::{Deserialize, Serialize};

/// What is done with the gaps of each column of series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaps {
    /// The columns, in training order, and what is said of them.
    pub columns: Vec<(String, Missing)>,
}

impl Gaps {
    pub(super) fn fit(policies: &[(String, Missing)], columns: &[Column], notices: &mut Vec<Notice>) -> Option<PrepStep> {
        let said = |c: &Column| policies.iter().rev().find(|(name, _)| *name == c.name).map_or(Missing::Interpolate, |(_, said)| *said);
        let series = columns.iter().filter(|c| matches!(c.values, Values::Series(_)));
        let gaps = Gaps { columns: series.map(|c| (c.name.clone(), said(c))).collect() };
        notices.extend(gaps.tell(columns).into_iter().map(|(_, said)| said));
        (!gaps.columns.is_empty()).then_some(PrepStep::Gaps(gaps))
    }

    pub(super) fn apply(&self, columns: &mut [Column]) -> Result<()> {
        for (name, policy) in &self.columns {
            let at = place(columns, name)?;
            if let Values::Series(series) = &columns[at].values {
                let filled = series.filled(how(*policy)).map_err(|misfit| misfit.of_column(name))?;
                columns[at].values = Values::Series(filled);
            }
        }
        Ok(())
    }

    /// The gaps of rows, one notice a column, with its name.
    pub(super) fn tell(&self, columns: &[Column]) -> Vec<(String, Notice)> {
        let said = |(name, policy): &(String, Missing)| match &columns.iter().find(|c| c.name == *name)?.values {
            Values::Series(series) => Some((name.clone(), notice(name, series, how(*policy), true)?)),
            _ => None,
        };
        self.columns.iter().filter_map(said).collect()
    }

    pub(super) fn describe(&self) -> String {
        let part = |fill: GapFill| {
            let names: Vec<&str> = self.columns.iter().filter(|(_, policy)| how(*policy) == fill).map(|(name, _)| name.as_str()).collect();
            (!names.is_empty()).then(|| format!("{} in {}", fill.in_words(), listed(names.into_iter())))
        };
        let parts = [GapFill::Interpolate, GapFill::Forward, GapFill::Skip].into_iter().filter_map(part);
        format!("Gaps of series, where there are any, are {}.", parts.collect::<Vec<_>>().join("; "))
    }
}

/// The notices of gaps in columns that a kernel sees without a preparation: they are interpolated.
///
/// # Errors
/// A channel that has no number at any time of a row.
pub fn interpolated_gaps(columns: &[Column]) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    for Column { name, values } in columns {
        if let Values::Series(series) = values
            && let Some(notice) = notice(name, series, GapFill::Interpolate, false)
        {
            series.filled(GapFill::Interpolate).map_err(|misfit| misfit.of_column(name))?;
            notices.push(notice);
        }
    }
    Ok(notices)
}

fn notice(name: &str, series: &Series, fill: GapFill, can_be_chosen: bool) -> Option<Notice> {
    let GapCount { times, rows, first } = series.count_gaps()?;
    Some(Notice::Gaps { column: name.to_owned(), times, rows, first, fill, can_be_chosen })
}

fn how(policy: Missing) -> GapFill {
    match policy {
        Missing::Skip => GapFill::Skip,
        Missing::Forward => GapFill::Forward,
        _ => GapFill::Interpolate,
    }
}

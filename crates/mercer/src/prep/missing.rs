//! What is done with missing cells, column by column: numbers are filled with the median of the training rows with a column that
//! says where, a category gets a label for them, a text is empty; or their rows are left out, or they are refused. Series may lack numbers
//! at some of their times.

use super::{PrepStep, place};
use crate::data::{Cells as _, Column, ColumnKind, Dataset, MISSING, Values};
use crate::error::{Error, Result};
use crate::notice::{Notice, listed};
#[cfg(feature = "read")]
use crate::read::{column_and, split_list};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What is done with the missing cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missing {
    /// Numbers: the median of the training rows, and a 0/1 column that says where it stands. What is done if nothing is said.
    #[serde(rename = "median+flag")]
    MedianFlag,
    /// Categories: a label of its own. What is done if nothing is said.
    Category,
    /// Texts, sequences, trees, sets and series: the empty one. What is done if nothing is said.
    Empty,
    /// Series that lack numbers: interpolated, linearly between the times on both sides. What is done if nothing is said.
    Interpolate,
    /// Series that lack numbers: the last number before.
    Forward,
    /// Series that lack numbers: the times without one are left out.
    Skip,
    /// Rows are left out of training; new rows with one are refused, since they would get no prediction.
    Drop,
    /// Refused, in training and in new rows.
    Error,
}

impl Missing {
    /// Every policy.
    pub const ALL: [Missing; 8] = [
        Missing::MedianFlag,
        Missing::Category,
        Missing::Empty,
        Missing::Interpolate,
        Missing::Forward,
        Missing::Skip,
        Missing::Drop,
        Missing::Error,
    ];

    /// The word for it in `--missing`.
    pub fn name(self) -> &'static str {
        match self {
            Missing::MedianFlag => "median+flag",
            Missing::Category => "category",
            Missing::Empty => "empty",
            Missing::Interpolate => "interpolate",
            Missing::Forward => "forward",
            Missing::Skip => "skip",
            Missing::Drop => "drop",
            Missing::Error => "error",
        }
    }

    /// Reads `column=policy`, several separated by commas or in several texts; a column whose name holds a comma stands in
    /// double quotes.
    ///
    /// # Errors
    /// A part without `=`, or an unknown policy, with the nearest known one.
    #[cfg(feature = "read")]
    pub fn of_columns<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Result<Vec<(String, Missing)>> {
        let mut policies = Vec::new();
        for part in written.into_iter().flat_map(|text| split_list(text.as_ref())) {
            let (column, word) = column_and(&part, "COLUMN=POLICY, as in age=drop")?;
            policies.push((column, word.parse()?));
        }
        Ok(policies)
    }

    /// The targets whose rows without a value are to be left out.
    ///
    /// # Errors
    /// A policy that would fill a target.
    pub fn targets_to_drop<'a>(policies: &'a [(String, Missing)], targets: &[String]) -> Result<Vec<&'a str>> {
        let mut dropped = Vec::new();
        for (name, policy) in policies.iter().filter(|(column, _)| targets.contains(column)) {
            match policy {
                Missing::Drop => dropped.push(name.as_str()),
                // That is what is done if nothing is said.
                Missing::Error => {}
                _ => {
                    let why = format!("'{name}' is the target, which is never filled; to skip rows without one: {name}=drop");
                    return Err(Error::Setting { name: "--missing".into(), why });
                }
            }
        }
        Ok(dropped)
    }

    fn suits(self, kind: ColumnKind) -> bool {
        match self {
            Missing::MedianFlag => kind == ColumnKind::Number,
            Missing::Category => kind == ColumnKind::Category,
            Missing::Empty => kind.empty().is_some(),
            Missing::Interpolate | Missing::Forward | Missing::Skip => kind == ColumnKind::Series,
            Missing::Drop | Missing::Error => true,
        }
    }
}

impl FromStr for Missing {
    type Err = Error;
    fn from_str(word: &str) -> Result<Self> {
        let found = Missing::ALL.into_iter().find(|m| m.name() == word);
        found.ok_or_else(|| Error::unknown("policy of missing cells", word, Missing::ALL.map(Missing::name)))
    }
}

/// Columns that must not miss a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complete {
    /// Their names, and what was said of them: `drop` or `error`.
    pub columns: Vec<(String, Missing)>,
}

/// Rows to learn from, out of the rows of a dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The rows, ascending; `None` where all are kept.
    pub rows: Option<Vec<usize>>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// The policy of a column: the last word about it, or what suits its kind.
fn policy(policies: &[(String, Missing)], name: &str) -> Option<Missing> {
    policies.iter().rev().find(|(n, _)| n == name).map(|(_, m)| *m)
}

/// Policies by column, where one of a column that became a channel of series is one of these series: in a table of a row for each time, `drop`
/// leaves such times out.
///
/// # Errors
/// Channels of one series with different policies.
pub(super) fn by_column(policies: &[(String, Missing)], data: &Dataset) -> Result<Vec<(String, Missing)>> {
    let mut by_column: Vec<(String, Missing)> = Vec::new();
    let mut of_channels: Vec<(&str, &str, Missing)> = Vec::new();
    for (name, policy) in policies {
        let holds = |c: &&Column| {
            let written = data.written(&c.name);
            matches!(c.values, Values::Series(_))
                && written.coordinates.iter().chain(written.channels.iter().flatten()).any(|channel| channel == name)
        };
        let Some(series) = data.columns().iter().filter(|_| data.column(name).is_err()).find(holds) else {
            by_column.push((name.clone(), *policy));
            continue;
        };
        let is_row = !data.written(&series.name).coordinates.is_empty();
        let policy = if *policy == Missing::Drop && is_row { Missing::Skip } else { *policy };
        if let Some((_, other, said)) = of_channels.iter().find(|(of, _, said)| *of == series.name && *said != policy) {
            let why = format!(
                "'{name}' and '{other}' are channels of one series, whose gaps are handled alike: {} or {}",
                policy.name(),
                said.name()
            );
            return Err(Error::Setting { name: format!("missing cells of column '{}'", series.name), why });
        }
        of_channels.push((&series.name, name, policy));
        by_column.push((series.name.clone(), policy));
    }
    Ok(by_column)
}

/// Leaves out the rows that miss a cell where that is the policy.
///
/// # Errors
/// A policy for a column that is not there or of another kind; a missing cell where that is an error, by row; no row left.
pub(super) fn keep(policies: &[(String, Missing)], data: &Dataset) -> Result<Kept> {
    let policies = &by_column(policies, data)?;
    let mut gone = vec![false; data.rows()];
    let mut notices = Vec::new();
    for (name, _) in policies {
        let (column, Some(policy)) = (data.column(name)?, policy(policies, name)) else { continue };
        let kind = column.values.kind();
        if !policy.suits(kind) {
            let able: Vec<&str> = Missing::ALL.into_iter().filter(|m| m.suits(kind)).map(Missing::name).collect();
            return Err(Error::Setting {
                name: format!("missing cells of column '{name}'"),
                why: format!("{} does not suit {}; these do: {}", policy.name(), kind.holds(), able.join(", ")),
            });
        }
        let rows = column.values.incomplete();
        match (policy, rows.first()) {
            (Missing::Error, Some(&row)) => return Err(refusal(column, row, policy)),
            (Missing::Drop, Some(&row)) => {
                let of_series = kind == ColumnKind::Series;
                let notice = Notice::RowsDropped { column: name.clone(), rows: rows.len(), first: row, of_series };
                if !notices.contains(&notice) {
                    notices.push(notice);
                }
                rows.iter().for_each(|&i| gone[i] = true);
            }
            _ => {}
        }
    }
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| !gone[i]).collect();
    if rows.is_empty() && data.rows() > 0 {
        return Err(Error::Data(
            "no row is left: every row misses a cell in a column whose rows are dropped; choose another policy".into(),
        ));
    }
    Ok(Kept { rows: (rows.len() < data.rows()).then_some(rows), notices })
}

/// Missing labels and texts that are taken as such, one notice a column, with its name.
pub(super) fn tell(columns: &[Column]) -> Vec<(String, Notice)> {
    let said = |c: &Column| {
        let taken_as = match (c.values.kind(), c.values.kind().empty()) {
            (ColumnKind::Category, _) => format!("the label '{MISSING}'"),
            (_, Some(empty)) => empty.to_string(),
            (_, None) => return None,
        };
        let cells = c.values.missing().len();
        (cells > 0).then(|| (c.name.clone(), Notice::TakenAs { column: c.name.clone(), cells, taken_as }))
    };
    columns.iter().filter_map(said).collect()
}

fn refusal(column: &Column, row: usize, policy: Missing) -> Error {
    let lacks = match &column.values {
        Values::Series(series) if !series.missing().contains(&row) => "the series lacks numbers",
        _ => "the cell is missing",
    };
    let why = match policy {
        Missing::Drop => "rows like it were left out of training, and get no prediction",
        _ => "the policy of this column is error",
    };
    Error::Data(format!(
        "row {}, column '{}': {lacks}; {why}; fill it, take the row out, or fit with another policy (--missing)",
        row + 1,
        column.name
    ))
}

impl Complete {
    pub(super) fn fit(policies: &[(String, Missing)], columns: &[Column]) -> Option<PrepStep> {
        let asked =
            |c: &Column| policy(policies, &c.name).filter(|m| matches!(m, Missing::Drop | Missing::Error)).map(|m| (c.name.clone(), m));
        let columns: Vec<(String, Missing)> = columns.iter().filter_map(asked).collect();
        (!columns.is_empty()).then_some(PrepStep::Complete(Complete { columns }))
    }

    pub(super) fn apply(&self, columns: &[Column]) -> Result<()> {
        for (name, policy) in &self.columns {
            let column = &columns[place(columns, name)?];
            if let Some(&row) = column.values.incomplete().first() {
                return Err(refusal(column, row, *policy));
            }
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let named = |policy: Missing| -> Vec<&str> { self.columns.iter().filter(|(_, m)| *m == policy).map(|(n, _)| n.as_str()).collect() };
        let part = |policy: Missing, how: &str| {
            let names = named(policy);
            (!names.is_empty()).then(|| format!("{how} in {}", listed(names.into_iter())))
        };
        let parts: Vec<String> =
            [part(Missing::Drop, "rows of training with a missing cell were left out"), part(Missing::Error, "a missing cell is refused")]
                .into_iter()
                .flatten()
                .collect();
        format!("Missing cells: {}.", parts.join("; "))
    }
}

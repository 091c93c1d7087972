//! Missing numbers are filled with the median of the training rows; where training rows had missing cells, a 0/1 column says
//! which rows they were, so that a model can learn from their absence.

use super::{Drop, Names, PrepStep, numbers_mut, place};
use crate::data::{Column, RowWeights, Schema, Values};
use crate::error::Result;
use crate::expr::Short;
use crate::notice::{Notice, listed};
use crate::param::Value;
use serde::{Deserialize, Serialize};

/// The median of every column of numbers, and the flags of those that had missing cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// One entry per column of numbers, in training order.
    pub columns: Vec<Filled>,
    /// Columns of numbers without a single one: left out.
    pub empty: Vec<String>,
}

/// How one column is filled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filled {
    /// The column.
    pub column: String,
    /// Median of its training numbers.
    pub median: f64,
    /// Name of the 0/1 column that marks missing cells, put right after the column.
    pub flag: Option<String>,
}

impl Fill {
    pub(super) fn fit(columns: &[Column], schema: &Schema, weights: RowWeights<'_>, notices: &mut Vec<Notice>) -> Result<Option<PrepStep>> {
        let mut names = Names::of(columns);
        let mut fill = Fill { columns: Vec::new(), empty: Vec::new() };
        for column in columns {
            let Values::Numbers(v) = &column.values else { continue };
            let name = &column.name;
            let mut there = present(v, weights);
            let missing = v.len() - there.len();
            if there.is_empty() && missing > 0 {
                notices.push(Notice::EmptyColumn { column: name.clone() });
                fill.empty.push(name.clone());
                continue;
            }
            let median = median(&mut there);
            let flag = (missing > 0).then(|| names.free(format!("{name}=missing")));
            if let Some(flag) = &flag {
                let (median, flag) = (readable(schema, name, median), flag.clone());
                notices.push(Notice::Filled { column: name.clone(), cells: missing, median, flag });
            }
            fill.columns.push(Filled { column: name.clone(), median, flag });
        }
        let nothing = fill.columns.is_empty() && fill.empty.is_empty();
        Ok((!nothing).then_some(PrepStep::Fill(fill)))
    }

    /// Refits the medians on other rows, keeping columns and flags; a column without a number there keeps its median.
    pub(super) fn anew(&self, columns: &[Column], weights: RowWeights<'_>) -> Result<PrepStep> {
        let mut fill = self.clone();
        for filled in &mut fill.columns {
            if let Values::Numbers(v) = &columns[place(columns, &filled.column)?].values {
                let mut there = present(v, weights);
                if !there.is_empty() {
                    filled.median = median(&mut there);
                }
            }
        }
        Ok(PrepStep::Fill(fill))
    }

    pub(super) fn apply(&self, columns: &mut Vec<Column>) -> Result<()> {
        Drop { columns: self.empty.clone() }.apply(columns)?;
        for Filled { column, median, flag } in &self.columns {
            let v = numbers_mut(columns, column)?;
            let marks = flag.as_ref().map(|_| v.iter().map(|x| f64::from(u8::from(x.is_nan()))).collect());
            v.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = *median);
            if let (Some(name), Some(marks)) = (flag, marks) {
                let at = place(columns, column)? + 1;
                columns.insert(at, Column { name: name.clone(), values: Values::Numbers(marks) });
            }
        }
        Ok(())
    }

    /// Missing cells of new rows, one notice a column, with its name.
    pub(super) fn tell(&self, columns: &[Column], schema: &Schema) -> Vec<(String, Notice)> {
        let said = |Filled { column, median, flag }: &Filled| {
            let Values::Numbers(v) = &columns.iter().find(|c| c.name == *column)?.values else { return None };
            let missing = v.iter().filter(|x| x.is_nan()).count();
            let (column, flag, median) = (column.clone(), flag.clone(), readable(schema, column, *median));
            (missing > 0).then(|| (column.clone(), Notice::FilledNew { column, cells: missing, median, flag }))
        };
        self.columns.iter().filter_map(said).collect()
    }

    pub(super) fn describe(&self, schema: &Schema) -> String {
        let flagged: Vec<String> = self
            .columns
            .iter()
            .filter_map(|c| {
                c.flag.as_ref().map(|flag| format!("{} ({}, marked in {flag})", c.column, readable(schema, &c.column, c.median)))
            })
            .collect();
        let training = match flagged.len() {
            0 => "No missing numbers (new ones are filled with the training median)".to_owned(),
            _ => format!("Missing numbers are filled with the training median: {}", listed(flagged.iter().map(String::as_str))),
        };
        let empty = match self.empty.len() {
            0 => String::new(),
            _ => format!("; without any value and dropped: {}", listed(self.empty.iter().map(String::as_str))),
        };
        format!("{training}{empty}.")
    }
}

/// A number of a column with four significant digits, and every digit before the point; of dates, the date.
fn readable(schema: &Schema, column: &str, x: f64) -> String {
    let writing = schema.columns.iter().find(|c| c.name == column).map(|c| &c.written.numbers);
    if let Some(date) = writing.and_then(|w| w.date(x)) {
        return date;
    }
    let digits = if x == 0.0 || !x.is_finite() { 1.0 } else { x.abs().log10().floor() + 1.0 };
    Short(Value::Number(x).rounded((digits as usize).clamp(4, 17)).number()).to_string()
}

/// The numbers that are not missing, with their weights.
fn present(v: &[f64], weights: RowWeights<'_>) -> Vec<(f64, f64)> {
    v.iter().enumerate().filter(|(_, x)| !x.is_nan()).map(|(i, x)| (*x, weights.at(i))).collect()
}

/// The number that half of the weight lies on either side of, or the mean of two where it lies between them; 0 of none.
/// `v` holds numbers with their weights.
fn median(v: &mut [(f64, f64)]) -> f64 {
    // Weights that differ by less than this share of their sum differ by rounding.
    const EVEN: f64 = 1e-12;
    let by_number = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0);
    if v.windows(2).all(|w| w[0].1 == w[1].1) && !v.is_empty() {
        // All weigh alike: the one in the middle, or two.
        let (half, even) = (v.len() / 2, v.len().is_multiple_of(2));
        let (below, (middle, _), _) = v.select_nth_unstable_by(half, by_number);
        let before = below.iter().map(|(x, _)| *x).max_by(f64::total_cmp).filter(|_| even);
        // Halved before they are added: the sum could overflow.
        return before.map_or(*middle, |x| x / 2.0 + *middle / 2.0);
    }
    v.sort_by(by_number);
    let total: f64 = v.iter().map(|(_, w)| w).sum();
    let mut below = 0.0;
    for (k, &(x, w)) in v.iter().enumerate() {
        below += w;
        let over = below - 0.5 * total;
        match v.get(k + 1) {
            // Halved before they are added: the sum could overflow.
            Some(next) if over.abs() <= EVEN * total => return x / 2.0 + next.0 / 2.0,
            None => return x,
            _ if over > 0.0 => return x,
            _ => {}
        }
    }
    0.0
}

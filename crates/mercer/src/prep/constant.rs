//! Columns that are constant over the training rows carry no information and are left out. A column that is constant only in some of the
//! rows, such as the training rows of a fold, stays, so that every part of a table has the same columns; it is held at its value.

use super::{PrepStep, place};
use crate::data::{Column, Dataset};
use crate::error::Result;
use crate::notice::{Notice, listed};
use serde::{Deserialize, Serialize};

/// Columns left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    /// Their names.
    pub columns: Vec<String>,
}

impl Drop {
    pub(super) fn fit(columns: &[Column], as_is: &[String], notices: &mut Vec<Notice>) -> Result<Option<PrepStep>> {
        let constant: Vec<String> =
            columns.iter().filter(|c| c.values.is_constant() && !as_is.contains(&c.name)).map(|c| c.name.clone()).collect();
        if constant.is_empty() {
            return Ok(None);
        }
        notices.push(Notice::ConstantColumns { columns: constant.clone() });
        Ok(Some(PrepStep::Drop(Drop { columns: constant })))
    }

    pub(super) fn apply(&self, columns: &mut Vec<Column>) -> Result<()> {
        for name in &self.columns {
            columns.remove(place(columns, name)?);
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        format!("Left out, as constant in training: {}.", listed(self.columns.iter().map(String::as_str)))
    }
}

/// Columns that hold one value in the rows that were learnt from, but not in all rows that could have been: new rows take that
/// value too, as nothing is known of any other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The columns, with one row: their value.
    pub values: Dataset,
}

impl Hold {
    pub(super) fn fit(columns: &[Column], as_is: &[String]) -> Result<Option<PrepStep>> {
        let constant = columns.iter().filter(|c| !c.values.is_empty() && c.values.is_constant() && !as_is.contains(&c.name));
        let values: Vec<Column> = constant.map(|c| Column { name: c.name.clone(), values: c.values.select(&[0]) }).collect();
        Ok(if values.is_empty() { None } else { Some(PrepStep::Hold(Hold { values: Dataset::with_rows(1, values)? })) })
    }

    pub(super) fn apply(&self, columns: &mut [Column]) -> Result<()> {
        for held in self.values.columns() {
            let at = place(columns, &held.name)?;
            let rows = vec![0; columns[at].values.len()];
            columns[at].values = held.values.select(&rows);
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        format!("Constant in training, kept at that value: {}.", listed(self.values.names().into_iter()))
    }
}

//! Categories as numbers: one 0/1 column per label. Not standardised, so that any two different labels of a column
//! are at distance sqrt(2); a label that training did not have is 0 in all of them.

use super::{Names, PrepStep, place};
use crate::data::{Column, Values};
use crate::error::{Error, Result};
use crate::notice::Notice;
use serde::{Deserialize, Serialize};

/// The categories that become 0/1 columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneHot {
    /// One entry per column of categories.
    pub columns: Vec<Encoded>,
}

/// How one column of categories is encoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoded {
    /// The column, which goes.
    pub column: String,
    /// Its training labels: each code, and the name of the 0/1 column that comes, `column=label`.
    pub becomes: Vec<(u32, String)>,
}

impl OneHot {
    pub(super) fn fit(columns: &[Column], wanted: &[String], notices: &mut Vec<Notice>) -> Result<Option<PrepStep>> {
        let mut names = Names::of(columns);
        let mut encoded = Vec::new();
        for column in columns.iter().filter(|c| wanted.contains(&c.name)) {
            let Values::Categories(c) = &column.values else {
                let kind = column.values.kind();
                return Err(Error::Data(format!("column '{}' holds {kind}, expected categories to turn into numbers", column.name)));
            };
            let mut codes: Vec<u32> = c.codes.iter().copied().filter(|&k| (k as usize) < c.names.len()).collect();
            codes.sort_unstable();
            codes.dedup();
            let becomes: Vec<(u32, String)> =
                codes.into_iter().map(|k| (k, names.free(format!("{}={}", column.name, c.names[k as usize])))).collect();
            notices.push(Notice::OneHot { column: column.name.clone(), labels: becomes.len() });
            encoded.push(Encoded { column: column.name.clone(), becomes });
        }
        Ok((!encoded.is_empty()).then_some(PrepStep::OneHot(OneHot { columns: encoded })))
    }

    pub(super) fn apply(&self, columns: &mut Vec<Column>) -> Result<()> {
        for Encoded { column, becomes } in &self.columns {
            let at = place(columns, column)?;
            let Values::Categories(c) = columns.remove(at).values else {
                return Err(Error::Data(format!("column '{column}' holds no categories")));
            };
            let flags = becomes.iter().map(|(code, name)| {
                let marks = c.codes.iter().map(|k| f64::from(u8::from(k == code))).collect();
                Column { name: name.clone(), values: Values::Numbers(marks) }
            });
            columns.splice(at..at, flags);
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let each: Vec<String> = self.columns.iter().map(|c| format!("{} ({} labels)", c.column, c.becomes.len())).collect();
        format!("Categories become columns of 0 and 1, one per training label: {}.", each.join(", "))
    }
}

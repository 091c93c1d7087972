//! Groups of columns that are one series each: `t0`, `t1`, .., `t95` hold the values of a series at 96 times.

use super::columns::numbers;
use super::facts::{Fact, Topic};
use super::options::column_and;
use super::unseen::name_of;
use super::{ReadOptions, Table};
use crate::data::names::named_as_identifier;
use crate::data::{Holds, Schema, Series, Values, Writing};
use crate::error::{Error, Result};
use crate::read::table::Raw;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A series and the columns that hold it: `NAME=FIRST..LAST`, and `NAME=FIRST..LAST+FIRST..LAST` of several channels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WideSeries {
    /// What the column of series is called.
    pub name: String,
    /// The first and the last column of each channel, in the order of the table.
    pub channels: Vec<(String, String)>,
}

impl FromStr for WideSeries {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let expected = "NAME=FIRST..LAST, as in s=t0..t95";
        let (name, groups) = column_and(text, expected)?;
        let ends = |group: &str| {
            let (first, last) = group.split_once("..")?;
            Some((first.trim().to_owned(), last.trim().to_owned()))
        };
        let channels: Option<Vec<_>> = groups.split('+').map(ends).collect();
        let at = text.chars().count() - groups.chars().count();
        let channels = channels.ok_or_else(|| Error::Syntax { text: text.to_owned(), at, expected: format!("expected {expected}") })?;
        Ok(WideSeries { name, channels })
    }
}

impl Table {
    /// The columns of each channel of a series, by their names.
    fn columns_between(&self, series: &WideSeries) -> Result<Vec<Vec<String>>> {
        let refused = |why: String| Error::Setting { name: format!("series '{}'", series.name), why };
        let place = |name: &String| {
            let found = self.columns.iter().position(|(column, _)| *column == name_of(name));
            found.ok_or_else(|| match name_of(name) {
                target if self.target.contains(&target) => {
                    refused(format!("'{name}' is the target, which is no time of a series; end before it"))
                }
                other if self.header.contains(&other) => {
                    refused(format!("'{name}' is no input here: it holds weights, groups or the like"))
                }
                _ => Error::unknown("column", name, self.columns.iter().map(|(column, _)| column)),
            })
        };
        if self.columns.iter().any(|(column, _)| *column == series.name) {
            return Err(refused("the table has a column of this name; call the series something else".into()));
        }
        let names = |(first, last): &(String, String)| {
            let (from, to) = (place(first)?, place(last)?);
            if from > to {
                return Err(refused(format!("'{first}' stands behind '{last}' in the table; write the first column first")));
            }
            Ok(self.columns[from..=to].iter().map(|(column, _)| column.clone()).collect::<Vec<_>>())
        };
        series.channels.iter().map(names).collect()
    }

    /// Makes the groups of columns that the options name one column of series each.
    ///
    /// # Errors
    /// Columns that are not there or hold no numbers, channels of unlike length.
    pub(super) fn widen(&mut self, options: &ReadOptions) -> Result<()> {
        for series in &options.series {
            let channels = self.columns_between(series)?;
            let (odd, others): (Vec<&String>, Vec<&String>) = channels.iter().flatten().partition(|column| named_as_identifier(column));
            for column in odd.into_iter().filter(|_| !others.is_empty()) {
                let says = format!("{{has}} the name of an identifier and {{is}} a time of series '{}'", series.name);
                self.facts.push(Fact::of_column(Topic::Identifiers, column, says));
            }
            if let (Some(columns), Some((first, last))) = (channels.first(), series.channels.first()) {
                let said = format!("{{is}} a series of {} times, made of columns '{first}' to '{last}'", columns.len());
                self.facts.push(Fact::of_column(Topic::Table, &series.name, said).plainly());
            }
            self.joined_into_series(&series.name, &channels)?;
            self.wide.push((series.name.clone(), channels));
        }
        Ok(())
    }

    /// Makes series of columns as those of the training table were made.
    ///
    /// # Errors
    /// As [`Table::widen`].
    pub(super) fn widen_like(&mut self, schema: &Schema) -> Result<()> {
        let made = schema.columns.iter().filter(|column| !column.written.channels.is_empty() && matches!(column.holds, Holds::Series(_)));
        for series in made.filter(|column| !self.header.contains(&column.name)).collect::<Vec<_>>() {
            series.written.channels.iter().flatten().try_for_each(|column| self.require_trained(column))?;
            self.joined_into_series(&series.name, &series.written.channels)?;
        }
        Ok(())
    }

    /// One column of series from the columns of each channel, which are taken out.
    fn joined_into_series(&mut self, name: &str, channels: &[Vec<String>]) -> Result<()> {
        let (rows, times) = (self.rows, channels.first().map_or(0, Vec::len));
        if let Some(other) = channels.iter().find(|channel| channel.len() != times) {
            let why = format!("its channels have {times} and {} columns; every channel has a column for each time", other.len());
            return Err(Error::Setting { name: format!("series '{name}'"), why });
        }
        let mut values = vec![f64::NAN; rows * times * channels.len()];
        for (channel, columns) in channels.iter().enumerate() {
            for (time, column) in columns.iter().enumerate() {
                let cells = self.take_cells(column)?;
                let found = numbers(&self.file, column, &cells, &Writing::of(&cells).unwrap_or_default())?;
                for (row, x) in found.into_iter().enumerate() {
                    values[(row * times + time) * channels.len() + channel] = x;
                }
            }
        }
        let series = Series::padded(times, channels.len(), &values)?;
        self.facts.extend(ends(name, &series, times));
        self.columns.push((name.to_owned(), Raw::Ready(Values::Series(series))));
        self.header.push(name.to_owned());
        Ok(())
    }
}

/// What is said of series that end before the last time of their table.
pub(super) fn ends(name: &str, series: &Series, times: usize) -> Option<Fact> {
    let says = format!("{{has}} {}, whose last cells are empty", series.shorter_than(times)?);
    Some(Fact::of_column(Topic::Table, name, says))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cells as _;

    const TABLE: &[u8] = b"id,t0,t1,t2,u0,u1,u2,y\n1,1,2,3,7,8,9,a\n2,4,5,6,1,0,2,b\n";

    fn read(written: &[&str]) -> Result<(Table, crate::data::Dataset)> {
        let mut table = Table::parse("t", TABLE)?;
        let series = written.iter().map(|text| text.parse()).collect::<Result<_>>()?;
        let options = ReadOptions { series, ..ReadOptions::with_types(["id=ignore"])? };
        table.take_target(&["y"], &options)?;
        let data = table.dataset(&options)?;
        Ok((table, data))
    }

    #[test]
    fn groups_of_columns_are_series_and_new_rows_are_read_as_training_was() {
        let (_, data) = read(&["s=t0..t2", "both=u0..u1"]).unwrap();
        assert_eq!(data.names(), ["u2", "s", "both"]);
        let (_, data) = read(&["s=t0..t2+u0..u2"]).unwrap();
        let Values::Series(series) = &data.columns()[0].values else { panic!("no series") };
        assert_eq!((data.names(), series.cell(1)), (vec!["s"], serde_json::json!([[4.0, 1.0], [5.0, 0.0], [6.0, 2.0]])));
        let mut new = Table::parse("new", b"u0,u1,u2,t2,t1,t0\n7,8,9,3,2,1\n").unwrap();
        let new = new.dataset_like(&Schema::of(&data), &ReadOptions::default()).unwrap();
        assert_eq!(new.columns()[0].values, data.columns()[0].values.select(&[0]));
        // A damaged model file is no panic.
        let mut schema = Schema::of(&data);
        schema.columns[0].written.channels[1].pop();
        let why = Table::parse("new", TABLE).unwrap().dataset_like(&schema, &ReadOptions::default()).unwrap_err().to_string();
        assert!(why.contains("3 and 2"), "{why}");
    }

    #[test]
    fn faults_of_groups_are_named() {
        let fault = |written: &str| read(&[written]).unwrap_err().to_string();
        assert!(fault("s=t0..t9").contains("'t9'") && fault("s=t2..t0").contains("behind") && fault("id=t0..t2").contains("this name"));
        assert!(fault("s=t0..t2+u0..u1").contains("3 and 2") && fault("s=t0").contains("s=t0..t95"));
        let options = ReadOptions { series: vec!["s=t0..t1".parse().unwrap()], ..ReadOptions::default() };
        let mut table = Table::parse("t", b"t0,t1,y\n1,2,a\n3,x,b\n").unwrap();
        let why = table.dataset(&options).unwrap_err().to_string();
        assert!(why.contains("row 2, column 't1': found 'x'") && why.contains("--na=x"), "{why}");
        assert!(fault("s=t0..y").contains("'y' is the target"));
    }

    #[test]
    fn empty_cells_at_the_end_of_a_row_end_its_series_and_others_are_gaps() {
        let mut table = Table::parse("t", b"t0,t1,t2,y\n1,2,3,a\n3,,,b\n,5,6,a\n,,,b\n1,,2,a\n").unwrap();
        let options = ReadOptions { series: vec!["s=t0..t2".parse().unwrap()], ..ReadOptions::default() };
        table.take_target(&["y"], &options).unwrap();
        let data = table.dataset(&options).unwrap();
        let Values::Series(series) = &data.columns()[0].values else { panic!("no series") };
        let cells: Vec<String> = (0..5).map(|row| series.cell(row).to_string()).collect();
        assert_eq!(cells, ["[1.0,2.0,3.0]", "[3.0]", "[null,5.0,6.0]", "[]", "[1.0,null,2.0]"]);
        assert_eq!(series.missing(), [3]);
        let said = "column 's' has fewer than 3 times in 1 of 5 rows (the first is row 2), whose last cells are empty";
        assert!(table.notices().iter().any(|notice| notice == said), "{:?}", table.notices());
    }

    #[test]
    fn an_identifier_among_the_times_is_reported() {
        let (table, _) = read(&["s=id..t2"]).unwrap();
        assert!(table.notices().iter().any(|said| said.contains("column 'id' has the name of an identifier and is a time of series 's'")));
    }

    #[test]
    fn a_column_of_training_that_a_new_table_lacks_is_told_like_any_other() {
        let (_, data) = read(&["s=t0..t2"]).unwrap();
        let mut new = Table::parse("new", b"t0,t1,u0,u1,u2\n1,2,7,8,9\n").unwrap();
        let why = new.dataset_like(&Schema::of(&data), &ReadOptions::default()).unwrap_err().to_string();
        assert!(why.contains("the column 't2' that the model was fitted on is missing; the table has: t0, t1"), "{why}");
    }
}

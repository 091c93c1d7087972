//! Rows that have one value in a column made one row, their numbers a set of vectors: conformations of a molecule, patches of a
//! picture, visits of a patient. Where the column is declared to hold series, the rows are its times, ordered by a column of dates or
//! times if there is one, as they stand otherwise.

use super::cells::Cells;
use super::columns::numbers;
use super::facts::{Fact, Topic, declared};
use super::table::Raw;
use super::unseen::name_of;
use super::{ReadOptions, Table};
use crate::data::names::words;
use crate::data::{ColumnKind, Points, Schema, Series, Sets, Values, Writing};
use crate::error::Result;
use std::collections::HashMap;

/// Sets that rows were grouped into.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    /// The column of sets.
    pub(super) column: String,
    /// The columns that became coordinates of their vectors.
    pub(super) coordinates: Vec<String>,
    /// The cell that the rows of each set had in common.
    pub(super) names: Vec<String>,
    /// The column that ordered the rows of each series.
    pub(super) ordered_by: Option<String>,
}

/// Times that order rows.
struct Times {
    column: String,
    /// The time of each row.
    values: Vec<f64>,
}

/// Words in the names of columns of numbers that count time.
const TIMES: [&str; 22] = [
    "time",
    "t",
    "timestamp",
    "times",
    "step",
    "tick",
    "ts",
    "date",
    "datetime",
    "epoch",
    "millisecond",
    "milliseconds",
    "ms",
    "second",
    "seconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "week",
];

/// What rows are grouped by and into.
struct Grouping<'a> {
    column: &'a str,
    kept: &'a [String],
    kind: ColumnKind,
    times: Option<Times>,
}

impl Table {
    /// Makes the rows that have one value in `column` one row, whose cell there becomes the set of their vectors: the numbers of
    /// all columns of numbers but those `kept`. Other columns stay where they say the same of all rows of a set, and are left
    /// out with a notice where they do not. Sets stand in the order of their first rows.
    ///
    /// # Errors
    /// A column that is not there, no column of numbers, a missing cell, and a kept column that differs within a set: by row.
    pub fn group_into(&mut self, column: &str, kept: &[String], options: &ReadOptions) -> Result<()> {
        let column = &name_of(column);
        let kept: Vec<String> = kept.iter().map(|name| name_of(name)).collect();
        let is_coordinate = |(name, raw): &&(String, Raw)| {
            let declared = self.declared(options, name).map(|declared| declared.kind());
            let numeric = match declared {
                Some(kind) => kind == Some(ColumnKind::Number),
                None => !self.aside.contains(name) && raw.is_of_numbers(),
            };
            name != column && !kept.contains(name) && numeric
        };
        let coordinates: Vec<String> = self.columns.iter().filter(is_coordinate).map(|(name, _)| name.clone()).collect();
        let all = std::mem::take(&mut self.columns);
        let ignored = |name: &str| self.declared(options, name).is_some_and(|declared| declared.kind().is_none());
        self.columns = all.into_iter().filter(|(name, _)| !ignored(name)).collect();
        let kind = self.declared(options, column).and_then(|declared| declared.kind()).filter(|kind| *kind == ColumnKind::Series);
        let times = if kind.is_some() { self.times_of_rows(column, &coordinates, &kept, options)? } else { None };
        // Times are no channel unless that is declared, or nothing else is there.
        let are_times = |name: &String| times.as_ref().is_some_and(|times| times.column == *name) && self.declared(options, name).is_none();
        let channels: Vec<String> = coordinates.iter().filter(|name| !are_times(name)).cloned().collect();
        let channels = if channels.is_empty() { coordinates } else { channels };
        self.grouped(Grouping { column, kept: &kept, kind: kind.unwrap_or(ColumnKind::Set), times }, channels)
    }

    /// The one column of dates or times, or the first of numbers that count time by their name and differ within a series.
    fn times_of_rows(&mut self, column: &str, numeric: &[String], kept: &[String], options: &ReadOptions) -> Result<Option<Times>> {
        let others = self.columns.iter().filter(|(name, _)| name != column && !kept.contains(name));
        let dated = others.filter_map(|(name, raw)| {
            let Raw::Cells(cells) = raw else { return None };
            let writing = Writing::of(cells)?;
            matches!(writing, Writing::Date(_) | Writing::Clock | Writing::MinutesSeconds).then_some((name, cells, writing))
        });
        if let [(name, cells, writing)] = dated.collect::<Vec<_>>().as_slice() {
            return self.ordering(name, cells, writing).map(Some);
        }
        let Some((_, ids)) = self.columns.iter().find(|(name, _)| name == column) else { return Ok(None) };
        let ids = ids.clone().into_cells(column)?;
        let mut found: Option<Times> = None;
        for name in numeric {
            let Some((_, raw)) = self.columns.iter().find(|(other, _)| other == name) else { continue };
            let cells = raw.clone().into_cells(name)?;
            let is_named = words(name).iter().any(|word| TIMES.contains(&word.as_str()));
            if !is_named && !cells.iter().all(|cell| cell.parse().is_ok_and(is_since_1970)) {
                continue;
            }
            let values = numbers(&self.file, name, &cells, &Writing::of(&cells).unwrap_or_default())?;
            let is_declared = self.declared(options, name).is_some();
            if found.is_none() && are_times(name, &ids, &values) {
                let is_whole = !values.iter().any(|time| time.is_nan());
                found = match is_declared {
                    true => is_whole.then(|| Times { column: name.clone(), values }),
                    false => Some(self.ordering(name, &cells, &Writing::of(&cells).unwrap_or_default())?),
                };
            } else if !is_declared {
                let says = "{looks} like a time and {is} a channel of the series";
                self.facts.push(Fact::of_column(Topic::Table, name, says).undone_by("ignore leaves it out"));
            }
        }
        Ok(found)
    }

    /// The times in a column that orders rows, none of them missing.
    fn ordering(&self, name: &str, cells: &Cells, writing: &Writing) -> Result<Times> {
        let values = numbers(&self.file, name, cells, writing)?;
        match cells.iter().enumerate().find(|(row, _)| values[*row].is_nan()) {
            Some((row, found)) => {
                let expected =
                    format!("the time of the row, by which series are ordered; {} leaves rows as they stand", declared(name, "ignore"));
                Err(self.cell(row, name, found, &expected))
            }
            None => Ok(Times { column: name.to_owned(), values }),
        }
    }

    /// Groups rows into sets as the training table was grouped, if it was.
    ///
    /// # Errors
    /// As [`Table::group_into`], and a coordinate that is not there.
    pub fn group_like(&mut self, schema: &Schema) -> Result<()> {
        match schema.columns.iter().find(|c| !c.written.coordinates.is_empty()) {
            Some(set) if self.columns.iter().all(|(name, raw)| *name != set.name || !matches!(raw, Raw::Ready(_))) => {
                std::iter::once(&set.name).chain(&set.written.coordinates).try_for_each(|column| self.require_trained(column))?;
                let times = self.times_like(&set.name, set.written.ordered_by.as_deref())?;
                let grouping = Grouping { column: &set.name, kept: &[], kind: set.holds.kind(), times };
                self.grouped(grouping, set.written.coordinates.clone())
            }
            _ => Ok(()),
        }
    }

    /// The times in the column that ordered the rows of training.
    fn times_like(&mut self, series: &str, ordered_by: Option<&str>) -> Result<Option<Times>> {
        let Some(name) = ordered_by else { return Ok(None) };
        let Some((_, raw)) = self.columns.iter().find(|(column, _)| column == name) else {
            let says = format!(
                "{}: there is no column '{name}', which ordered the rows of one '{series}' in training: taken as they stand",
                self.file
            );
            self.facts.push(Fact::of_table(says).about(Topic::New));
            return Ok(None);
        };
        let cells = raw.clone().into_cells(name)?;
        let writing = Writing::of(&cells).unwrap_or_default();
        self.ordering(name, &cells, &writing).map(Some)
    }

    fn grouped(&mut self, grouping: Grouping<'_>, coordinates: Vec<String>) -> Result<()> {
        let Grouping { column, kept, kind, times } = grouping;
        if coordinates.is_empty() {
            return Err(self.fault(format!("there is no column of numbers to make vectors of, besides '{column}'")));
        }
        let ids = self.take_cells(column)?;
        if let Some((row, found)) = ids.iter().enumerate().find(|(_, id)| ids.misses(id)) {
            return Err(self.cell(row, column, found, "the name of the set that the row belongs to"));
        }
        let mut vectors = Vec::with_capacity(coordinates.len());
        for name in &coordinates {
            let cells = self.take_cells(name)?;
            vectors.push(match kind {
                ColumnKind::Series => numbers(&self.file, name, &cells, &Writing::of(&cells).unwrap_or_default())?,
                _ => self.complete_numbers(name, &cells, "a vector of a set has all of its numbers")?,
            });
        }
        // Rows by set, sets in the order of their first rows.
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (row, id) in ids.iter().enumerate() {
            let set = *places.entry(id).or_insert(members.len());
            if set == members.len() {
                members.push(Vec::new());
            }
            members[set].push(row);
        }
        let stood = members.clone();
        if let Some(times) = &times {
            members.iter_mut().for_each(|rows| rows.sort_by(|&a, &b| times.values[a].total_cmp(&times.values[b])));
        }
        let ordered_by = times.map(|times| times.column);
        if let Some(name) = ordered_by.as_ref().filter(|_| members != stood) {
            let says = format!("{{is}} not in order within one '{column}': the rows of each are put in the order of this column");
            self.facts.push(Fact::of_column(Topic::Table, name, says).undone_by("ignore leaves them as they stand"));
        }
        let mut starts = vec![0];
        members.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows.len()));
        let values: Vec<f64> = members.iter().flatten().flat_map(|&row| vectors.iter().map(move |v| v[row])).collect();
        let cells = match kind {
            ColumnKind::Series => Values::Series(Series::with_gaps(&starts, coordinates.len(), &values)?),
            _ => Values::Sets(Sets::new(starts, Points::dense(self.rows, coordinates.len(), values)?)?),
        };
        self.keep_what_is_said_of_sets(column, &stood, kept, kind, ordered_by.as_deref())?;
        let firsts: Vec<usize> = stood.iter().map(|rows| rows[0]).collect();
        let names = ids.select(&firsts).iter().map(str::to_owned).collect();
        let (many, each) = if kind == ColumnKind::Series { ("series", "the channels at one time") } else { ("sets", "a vector") };
        let says = format!("{{is}} {} {many} of {} rows, each of them {each}: {} numbers", firsts.len(), self.rows, coordinates.len());
        self.facts.push(Fact::of_column(Topic::Table, column, says).plainly());
        self.keep_rows(&firsts);
        self.columns.push((column.to_owned(), Raw::Ready(cells)));
        self.grouped = Some(Grouped { column: column.to_owned(), coordinates, names, ordered_by });
        Ok(())
    }

    /// Leaves out the columns whose cells differ within a set.
    ///
    /// # Errors
    /// One of them is `kept`, by its first row that differs.
    fn keep_what_is_said_of_sets(
        &mut self,
        column: &str,
        members: &[Vec<usize>],
        kept: &[String],
        kind: ColumnKind,
        ordered_by: Option<&str>,
    ) -> Result<()> {
        let one = if kind == ColumnKind::Series { "a series" } else { "a set" };
        for (name, raw) in std::mem::take(&mut self.columns) {
            let cells = raw.clone().into_cells(&name).ok();
            let texts: Option<Vec<&str>> = cells.as_ref().map(|cells| cells.iter().collect());
            let differs =
                |texts: &Vec<&str>| members.iter().find_map(|rows| rows.iter().copied().find(|&row| texts[row] != texts[rows[0]]));
            match texts.as_ref().and_then(differs) {
                None if texts.is_some() => self.columns.push((name, raw)),
                Some(row) if kept.contains(&name) => {
                    let found = texts.map_or("", |texts| texts[row]);
                    return Err(self.cell(row, &name, found, &format!("what the other rows of this '{column}' have: {one} is one row")));
                }
                _ => {
                    let is_time = ordered_by == Some(name.as_str());
                    let done = if is_time { "it orders them, and is no channel" } else { "left out" };
                    let fact =
                        Fact::of_column(Topic::Table, &name, format!("{{has}} different values among the rows of one '{column}': {done}"));
                    self.facts.push(if is_time { fact.undone_by("number makes it a channel too") } else { fact });
                }
            }
        }
        Ok(())
    }
}

/// Whether a number may be a time since 1970-01-01, in seconds, or thousandths, millionths or billionths of them: one from 1985 to 2100.
fn is_since_1970(x: f64) -> bool {
    [1.0, 1e3, 1e6, 1e9].iter().any(|unit| (4.7e8..4.1e9).contains(&(x / unit)))
}

/// Whether numbers named for a time are the times of rows: they differ within each of `ids`, and where another word stands in the name, as in
/// `response_time`, they are whole or ascend as the rows stand.
fn are_times(name: &str, ids: &Cells, times: &[f64]) -> bool {
    let mut seen = std::collections::HashSet::new();
    let differ = ids.iter().zip(times).all(|(id, time)| seen.insert((id, time.to_bits())));
    let mut last = HashMap::new();
    let ascend = ids.iter().zip(times).all(|(id, &time)| last.insert(id, time).is_none_or(|before| before < time));
    differ && (words(name).len() == 1 || ascend || times.iter().all(|time| time.fract() == 0.0))
}

impl Raw {
    /// Whether it holds numbers alone, plain or written for people.
    fn is_of_numbers(&self) -> bool {
        match self {
            Raw::Numbers(_) => true,
            Raw::Cells(cells) => !cells.strings && matches!(Writing::of(cells), Some(Writing::Point | Writing::Marked(_))),
            Raw::Points(_) | Raw::Lists(_) | Raw::Indexed(_) | Raw::Ready(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cells as _;

    const TABLE: &[u8] = b"id,a,b,note,y\nm,1,2,p,yes\nn,3,4,q,no\nm,5,6,r,yes\n";

    fn grouped(text: &[u8], options: &ReadOptions) -> Result<Table> {
        let mut table = Table::parse("t", text)?;
        table.group_into("id", &["y".into()], options)?;
        Ok(table)
    }

    #[test]
    fn rows_of_one_name_become_a_set_and_what_differs_is_left_out() {
        let options = ReadOptions::default();
        let mut table = grouped(TABLE, &options).unwrap();
        let (target, _) = table.take_target(&["y"], &options).unwrap();
        let data = table.dataset(&options).unwrap();
        assert_eq!((target.rows(), data.names()), (2, vec!["id"]));
        let expected = Sets::of_rows(&[vec![vec![1.0, 2.0], vec![5.0, 6.0]], vec![vec![3.0, 4.0]]]).unwrap();
        assert_eq!(data.columns()[0].values, Values::Sets(expected));
        assert!(table.notices().iter().any(|said| said.contains("'note'")), "{:?}", table.notices());
        // New rows are grouped as training was, in the same coordinates.
        let mut new = Table::parse("new", b"b,a,id\n8,7,z\n2,1,m\n0,9,z\n").unwrap();
        let schema = Schema::of(&data);
        new.group_like(&schema).unwrap();
        let names = new.texts(&["id".into()]).unwrap();
        let new = new.dataset_like(&schema, &options).unwrap();
        let Values::Sets(sets) = &new.columns()[0].values else { panic!("no sets") };
        assert_eq!(names, [("id".to_owned(), vec!["z".to_owned(), "m".to_owned()])]);
        assert_eq!(sets.cell(0), serde_json::json!([[7.0, 8.0], [9.0, 0.0]]));
    }

    #[test]
    fn rows_of_one_name_are_the_times_of_a_series_where_that_is_declared() {
        let options = ReadOptions::with_types(["id=series"]).unwrap();
        let mut table = grouped(TABLE, &options).unwrap();
        table.take_target(&["y"], &options).unwrap();
        let data = table.dataset(&options).unwrap();
        let Values::Series(series) = &data.columns()[0].values else { panic!("no series") };
        assert_eq!(series.cell(0), serde_json::json!([[1.0, 2.0], [5.0, 6.0]]));
        let mut new = Table::parse("new", b"b,a,id\n8,7,z\n0,9,z\n").unwrap();
        let schema = Schema::of(&data);
        new.group_like(&schema).unwrap();
        let new = new.dataset_like(&schema, &ReadOptions::default()).unwrap();
        let Values::Series(series) = &new.columns()[0].values else { panic!("no series") };
        assert_eq!(series.cell(0), serde_json::json!([[7.0, 8.0], [9.0, 0.0]]));
    }

    #[test]
    fn rows_of_a_series_are_ordered_by_their_dates_and_so_are_new_ones() {
        let options = ReadOptions::with_types(["id=series"]).unwrap();
        let series = |data: &crate::data::Dataset| match &data.columns()[0].values {
            Values::Series(series) => (0..series.len()).map(|row| series.cell(row).to_string()).collect::<Vec<_>>(),
            _ => panic!("no series"),
        };
        let text = b"id,day,v,y\nm,2020-01-02,2,a\nn,2020-01-01,5,b\nm,2020-01-01,1,a\nn,2020-01-03,6,b\n";
        let mut table = grouped(text, &options).unwrap();
        table.take_target(&["y"], &options).unwrap();
        let data = table.dataset(&options).unwrap();
        assert_eq!(series(&data), ["[1.0,2.0]", "[5.0,6.0]"]);
        let said = table.notices().join("\n");
        assert!(said.contains("'day' is not in order within one 'id'") && said.contains("it orders them, and is no channel"), "{said}");
        let schema = Schema::of(&data);
        let schema: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
        for (text, expected) in [("v,day,id\n9,2020-02-02,z\n8,2020-02-01,z\n", "[8.0,9.0]"), ("v,id\n9,z\n8,z\n", "[9.0,8.0]")] {
            let mut new = Table::parse("new", text.as_bytes()).unwrap();
            new.group_like(&schema).unwrap();
            assert_eq!(series(&new.dataset_like(&schema, &ReadOptions::default()).unwrap()), [expected]);
            assert_eq!(new.notices().join("\n").contains("taken as they stand"), !text.contains("day"));
        }
        // Numbers that count time order rows too, and are a channel where that is declared; what does not differ counts nothing.
        let read = |text: &str, types: &[&str]| {
            let options = ReadOptions::with_types([&["id=series"][..], types].concat()).unwrap();
            let mut table = grouped(text.as_bytes(), &options).unwrap();
            table.take_target(&["y"], &options).unwrap();
            let data = table.dataset(&options).unwrap();
            (series(&data).remove(0), table.notices().join("\n"))
        };
        for (name, two, one) in [
            ("t", "2", "1"),
            ("timestamp", "1700000060", "1700000000"),
            ("recorded", "1700000060000", "1700000000000"),
            ("when", "2020-01-02", "2020-01-01"),
        ] {
            let text = format!("id,{name},v,y\nm,{two},7,a\nm,{one},5,a\nn,{one},3,b\n");
            let (cells, said) = read(&text, &[]);
            assert_eq!(cells, "[5.0,7.0]", "{said}");
            assert!(said.contains(&format!("--types {name}=number makes it a channel too")), "{said}");
            assert_eq!(read(&text, &[&format!("{name}=ignore")]).0, "[7.0,5.0]");
            let both = read(&text, &[&format!("{name}=number")]).0;
            assert!(both.starts_with("[[") && both.ends_with(",7.0]]"), "{both}");
        }
        let (cells, said) = read("id,hour,v,y\nm,2,7,a\nm,2,5,a\nn,3,3,b\n", &[]);
        assert_eq!(cells, "[[2.0,7.0],[2.0,5.0]]");
        assert!(said.contains("column 'hour' looks like a time and is a channel of the series"), "{said}");
        assert_eq!(read("id,response time,v,y\nm,.31,7,a\nm,.27,5,a\nn,.4,3,b\n", &[]).0, "[[0.31,7.0],[0.27,5.0]]");
        // Times are all there is of events.
        assert_eq!(read("id,t,y\nm,2.5,a\nm,1.5,a\nn,3,b\n", &[]).0, "[1.5,2.5]");
    }

    #[test]
    fn times_of_a_series_and_columns_that_were_grouped_are_told_as_such() {
        let options = ReadOptions::with_types(["id=series"]).unwrap();
        let differs = String::from_utf8_lossy(TABLE).replace("5,6,r,yes", "5,6,r,no");
        assert!(grouped(differs.as_bytes(), &options).unwrap_err().to_string().contains("a series is one row"));
        let gap = String::from_utf8_lossy(TABLE).replace("m,5,6", "m,,6");
        let data = grouped(gap.as_bytes(), &options).unwrap().dataset(&options).unwrap();
        assert_eq!(data.column("id").unwrap().values.cell(0), serde_json::json!([[1.0, 2.0], [null, 6.0]]));
        let word = String::from_utf8_lossy(TABLE).replace("m,5,6", "m,five,6").replace("n,3,4,q,no", "n,3,4,q,no\nn,3,4,q,no");
        let declared = ReadOptions::with_types(["id=series,a=number"]).unwrap();
        assert!(grouped(word.as_bytes(), &declared).unwrap_err().to_string().contains("row 4, column 'a': found 'five'"));
        let table = grouped(TABLE, &ReadOptions::default()).unwrap();
        let why = table.texts(&["a".into()]).unwrap_err().to_string();
        assert!(why.contains("column 'a': it has several values for one 'id'") && why.contains("keep one of these: y, id"), "{why}");
        assert!(!table.texts(&["b2".into()]).unwrap_err().to_string().contains("did you mean"));
    }

    #[test]
    fn a_target_that_differs_and_cells_that_are_missing_are_named_by_row() {
        let fault = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(TABLE).replace(from, to);
            grouped(text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string()
        };
        assert!(fault("5,6,r,yes", "5,6,r,no").contains("row 3, column 'y': found 'no'"));
        assert!(fault("m,5,6", "m,,6").contains("row 3, column 'a': found '', expected a finite number; a vector of a set has all"));
        assert!(fault("m,5,6", "m,,6").contains("row 3, column 'a'") && fault("m,5,6", ",5,6").contains("row 3, column 'id'"));
        let ignored = ReadOptions::with_types(["a=ignore,b=ignore"]).unwrap();
        assert!(grouped(TABLE, &ignored).unwrap_err().to_string().contains("no column of numbers"));
    }
}

//! The target and the weights of a table, taken out by name before the rest becomes inputs.

use super::cells::{Cell, Cells};
use super::columns::{by_number_then_text, numbers};
use super::infer::{self, Looks, shortened};
use super::writing::Writing;
use super::{ColumnType, ReadOptions, Table};
use crate::data::Target;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// The most different whole numbers that may be meant as classes.
const FEW: usize = 10;

/// What a target is called. Stored in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetInfo {
    /// The target columns.
    pub names: Vec<String>,
    /// The classes, as written in the table; `None` where the target is of numbers.
    pub classes: Option<Vec<String>>,
    /// What the classes were before they were written.
    pub labels: Labels,
}

/// What labels were before they were written as text, so that a face with types gives them back as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Labels {
    /// Text, as in a table.
    #[default]
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// `True` or `False`.
    Flag,
}

impl TargetInfo {
    /// The name of a class; empty where the target is of numbers or the code is not one of its classes.
    pub fn class(&self, code: usize) -> &str {
        self.classes.as_ref().and_then(|c| c.get(code)).map_or("", String::as_str)
    }
}

impl Table {
    /// Takes the target out: classes from a column of labels or of exactly two numbers, numbers otherwise;
    /// `--types COLUMN=category` or `=number` decides differently. Several columns are all numbers.
    ///
    /// Classes are named as the table writes them (`-1.0` stays `-1.0`) and ordered by number, then by text.
    ///
    /// # Errors
    /// An unknown column, a missing cell (by row), a single class, a column in which every row differs.
    pub fn take_target<S: AsRef<str>>(&mut self, names: &[S], options: &ReadOptions) -> Result<(Target, TargetInfo)> {
        self.check_declared(options)?;
        let names: Vec<String> = names.iter().map(|s| s.as_ref().to_owned()).collect();
        let [name] = names.as_slice() else {
            if let Some(name) =
                names.iter().find(|n| !matches!(options.declared(n), None | Some(ColumnType::Number | ColumnType::Date | ColumnType::Flag)))
            {
                return Err(Error::Data(format!(
                    "target '{name}' is declared as something else than numbers; several targets at once must all be numbers"
                )));
            }
            let target = self.number_target(&names)?;
            return Ok((target, TargetInfo { names, classes: None, labels: Labels::Text }));
        };
        if !self.is_class_target(name, options)? {
            let target = self.number_target(&names)?;
            return Ok((target, TargetInfo { names, classes: None, labels: Labels::Text }));
        }
        let cells = self.take_cells(name)?;
        self.refuse_missing(name, &cells)?;
        let classes = self.class_names(name, &cells)?;
        let codes = self.codes(name, &cells, &classes)?;
        Ok((Target::Classes { codes, names: classes.clone() }, TargetInfo { names, classes: Some(classes), labels: Labels::Text }))
    }

    /// Takes the target of a training table out of a new table: numbers, or the same classes with the same codes.
    ///
    /// # Errors
    /// An unknown column, a missing cell, a class that training did not have: by row.
    pub fn take_target_like(&mut self, info: &TargetInfo) -> Result<Target> {
        let (Some(classes), [name]) = (&info.classes, info.names.as_slice()) else { return self.number_target(&info.names) };
        let cells = self.take_cells(name)?;
        self.refuse_missing(name, &cells)?;
        Ok(Target::Classes { codes: self.codes(name, &cells, classes)?, names: classes.clone() })
    }

    /// Takes a column of weights out: finite, none below 0, not all 0.
    pub fn take_weights(&mut self, name: &str) -> Result<Vec<f64>> {
        let cells = self.take_cells(name)?;
        self.refuse_missing(name, &cells)?;
        let weights = numbers(&self.file, name, &cells, Writing::of(&cells).unwrap_or(Writing::Point))?;
        if let Some((row, found)) = cells.iter().enumerate().find(|&(row, _)| weights[row] < 0.0) {
            return Err(self.cell(row, name, found, "a weight of 0 or more"));
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(self.fault(format!("every weight in column '{name}' is 0: no row would count")));
        }
        Ok(weights)
    }

    /// Takes a column of groups out: equal cells are one group, numbered by first appearance.
    pub fn take_groups(&mut self, name: &str) -> Result<Vec<usize>> {
        let cells = self.take_cells(name)?;
        self.refuse_missing(name, &cells)?;
        let mut known = std::collections::HashMap::new();
        Ok(cells
            .iter()
            .map(|cell| {
                let next = known.len();
                *known.entry(cell).or_insert(next)
            })
            .collect())
    }

    /// The times in a column of numbers or dates, which stays among the inputs.
    ///
    /// # Errors
    /// An unknown column, and a cell that is missing or no time, by row.
    pub fn times(&self, name: &str) -> Result<Vec<f64>> {
        let Some((_, raw)) = self.columns.iter().find(|(n, _)| n == name) else {
            return self.clone().take_cells(name).map(|_| Vec::new());
        };
        let cells = raw.clone().into_cells(name)?;
        self.refuse_missing(name, &cells)?;
        numbers(&self.file, name, &cells, Writing::of(&cells).unwrap_or(Writing::Date))
    }

    /// Whether one target column holds classes, judged before it is taken out.
    fn is_class_target(&mut self, name: &str, options: &ReadOptions) -> Result<bool> {
        match options.declared(name) {
            Some(ColumnType::Category) => return Ok(true),
            Some(ColumnType::Number | ColumnType::Date | ColumnType::Flag) => return Ok(false),
            Some(other) => {
                return Err(Error::Data(format!(
                    "column '{name}' is declared {} and cannot be the target; a target is number or category",
                    other.name()
                )));
            }
            None => {}
        }
        let Some(at) = self.columns.iter().position(|(n, _)| n == name) else { return self.take_cells(name).map(|_| false) };
        let cells = self.columns[at].1.clone().into_cells(name)?;
        match infer::looks(&self.file, name, &cells, &mut self.notices)? {
            Looks::Category | Looks::Number(Writing::Flag) => Ok(true),
            Looks::Number(Writing::Comma | Writing::Date) => Ok(false),
            Looks::Number(Writing::Point) => {
                let two = two_numbers(&cells);
                if let Some([a, b]) = two {
                    let said = format!("target '{name}' has two values ({a} and {b}): read as classes; --types {name}=number reads numbers");
                    self.notices.push(said);
                }
                if two.is_none()
                    && let Some(few) = few_whole_numbers(&cells)
                {
                    let said =
                        format!("target '{name}' has {few} different whole numbers: read as numbers; --types {name}=category reads classes");
                    self.notices.push(said);
                }
                Ok(two.is_some())
            }
            Looks::Text | Looks::Sequence | Looks::Identifier => Err(self.fault(format!(
                "target '{name}' has texts that differ in nearly every row, neither classes nor numbers; choose another column, or declare --types {name}=category"
            ))),
        }
    }

    fn number_target(&mut self, names: &[String]) -> Result<Target> {
        let mut columns = Vec::new();
        for name in names {
            let cells = self.take_cells(name)?;
            self.refuse_missing(name, &cells)?;
            let writing = Writing::of(&cells).unwrap_or(Writing::Point);
            self.notices.extend(writing.notice(name));
            columns.push(numbers(&self.file, name, &cells, writing)?);
        }
        if columns.is_empty() {
            return Ok(Target::Absent);
        }
        Ok(Target::Numbers(Matrix::from_fn(self.rows, columns.len(), |i, j| columns[j][i])))
    }

    fn refuse_missing(&self, name: &str, cells: &Cells) -> Result<()> {
        match cells.iter().enumerate().find(|(_, text)| Cell::of(text) == Cell::Missing) {
            Some((row, found)) => {
                Err(self.cell(row, name, found, "a value: a row without one cannot be learnt from; fill it or take the row out"))
            }
            None => Ok(()),
        }
    }

    /// The classes of a column: two ways to write one number (`1`, `1.0`) are one class, named as written first.
    fn class_names(&self, name: &str, cells: &Cells) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for text in cells.iter() {
            if seen.insert(key(text)) {
                names.push(text.to_owned());
            }
        }
        names.sort_by(|a, b| by_number_then_text(a, b));
        match names.as_slice() {
            [only] => Err(self.fault(format!("target '{name}' is '{only}' in every row; classes need at least two"))),
            many if many.len() == self.rows && self.rows > 2 => {
                Err(self.fault(format!("target '{name}' has a different value in every row: no classes to learn; choose another column")))
            }
            _ => Ok(names),
        }
    }

    fn codes(&self, column: &str, cells: &Cells, classes: &[String]) -> Result<Vec<usize>> {
        let place: std::collections::HashMap<Key<'_>, usize> = classes.iter().enumerate().map(|(i, c)| (key(c), i)).collect();
        let code = |(row, text): (usize, &str)| {
            let known = || format!("one of the classes {}", classes.join(", "));
            place.get(&key(text)).copied().ok_or_else(|| self.cell(row, column, text, &known()))
        };
        cells.iter().enumerate().map(code).collect()
    }

    pub(super) fn cell(&self, row: usize, column: &str, found: &str, expected: &str) -> Error {
        Error::Cell {
            file: self.file.clone(),
            row: row + 1,
            column: column.to_owned(),
            found: shortened(found),
            expected: expected.to_owned(),
        }
    }
}

/// What makes two labels the same: the number they write, or their text.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Number(u64),
    Text(&'a str),
}

fn key(text: &str) -> Key<'_> {
    match Cell::of(text) {
        Cell::Number(x) => Key::Number((x + 0.0).to_bits()),
        _ => Key::Text(text),
    }
}

/// How many different whole numbers there are, if there is nothing else and they are as few as classes would be.
fn few_whole_numbers(cells: &Cells) -> Option<usize> {
    let mut seen = std::collections::HashSet::new();
    for text in cells.iter() {
        match Cell::of(text) {
            Cell::Number(x) if x.fract() == 0.0 => _ = seen.insert((x + 0.0).to_bits()),
            _ => return None,
        }
        if seen.len() > FEW {
            return None;
        }
    }
    Some(seen.len()).filter(|few| *few > 2)
}

/// The two values, as written first, of a column that has exactly two.
fn two_numbers(cells: &Cells) -> Option<[&str; 2]> {
    let (mut first, mut second) = (None, None);
    for text in cells.iter().filter(|t| Cell::of(t) != Cell::Missing) {
        match (first, second) {
            (None, _) => first = Some(text),
            (Some(a), _) if key(a) == key(text) => {}
            (_, None) => second = Some(text),
            (_, Some(b)) if key(b) == key(text) => {}
            _ => return None,
        }
    }
    Some([first?, second?])
}

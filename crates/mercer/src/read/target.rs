//! The target and the weights of a table, taken out by name before the rest becomes inputs.

use super::cells::{Cell, Cells};
use super::columns::{by_number_then_text, numbers};
use super::facts::{Fact, Topic, declared};
use super::infer::{self, Looks, shortened};
use super::unseen::name_of;
use super::{ColumnType, ReadOptions, Table, dates, doubts};
use crate::data::{ColumnKind, Labels, Target, TargetInfo, Writing};
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// What is expected of a cell that must not be missing.
const NEEDED: &str = "a value; fill it, or leave the row out";

impl Table {
    /// Takes the target out: classes from a column of labels or of exactly two numbers, numbers otherwise;
    /// `--types COLUMN=category` or `=number` decides differently. Several columns are all numbers.
    ///
    /// Classes are named as the table writes them (`-1.0` stays `-1.0`) and ordered by number, then by text.
    ///
    /// # Errors
    /// An unknown column, a missing cell (by row), a single class, a column in which every row differs.
    pub fn take_target<S: AsRef<str>>(&mut self, names: &[S], options: &ReadOptions) -> Result<(Target, TargetInfo)> {
        // Classes that a fact names.
        const SHOWN: usize = 5;
        self.check_declared(options)?;
        let names: Vec<String> = names.iter().map(|s| name_of(s.as_ref())).collect();
        self.target.clone_from(&names);
        let [name] = names.as_slice() else {
            if let Some(name) =
                names.iter().find(|n| options.declared(n).is_some_and(|declared| declared.kind() != Some(ColumnKind::Number)))
            {
                return Err(Error::Data(format!(
                    "target '{name}' is declared as something else than numbers; several targets at once must all be numbers"
                )));
            }
            let target = self.number_target(&names, options)?;
            return Ok((target, TargetInfo { names, classes: None, labels: Labels::Text }));
        };
        if !self.is_class_target(name, options)? {
            let target = self.number_target(&names, options)?;
            return Ok((target, TargetInfo { names, classes: None, labels: Labels::Text }));
        }
        let cells = self.take_cells(name)?;
        let cells = if self.declared(options, name).is_some() { cells.of_declared_labels() } else { cells };
        self.refuse_empty(name, &cells, &needed_of_target(name))?;
        self.tell_labels(name, &cells, Topic::Target);
        if self.declared(options, name).is_none() {
            self.tell_order(name, &cells, Topic::Target);
        }
        let classes = self.class_names(name, &cells)?;
        let codes = self.codes(name, &cells, &classes)?;
        let shown: Vec<String> = classes.iter().take(SHOWN).map(|class| shortened(class)).collect();
        let more = if classes.len() > SHOWN { ", ..." } else { "" };
        let says = format!("{{has}} {} classes: {}{more}", classes.len(), shown.join(", "));
        self.facts.push(Fact::of_column(Topic::Target, name, says).plainly());
        Ok((Target::Classes { codes, names: classes.clone() }, TargetInfo { names, classes: Some(classes), labels: Labels::Text }))
    }

    /// Takes the target of a training table out of a new table: numbers, or the same classes with the same codes.
    ///
    /// # Errors
    /// An unknown column, a missing cell, a class that training did not have: by row.
    pub fn take_target_like(&mut self, info: &TargetInfo) -> Result<Target> {
        let (Some(classes), [name]) = (&info.classes, info.names.as_slice()) else {
            return self.number_target(&info.names, &ReadOptions::default());
        };
        let mut cells = self.take_cells(name)?;
        cells.words_stay |= classes.iter().any(|class| Cell::of(class) == Cell::Missing);
        self.refuse_empty(name, &cells, &needed_of_target(name))?;
        Ok(Target::Classes { codes: self.codes(name, &cells, classes)?, names: classes.clone() })
    }

    /// Takes a column of weights out: finite, none below 0, not all 0.
    pub fn take_weights(&mut self, name: &str) -> Result<Vec<f64>> {
        let weights = self.take_weights_of_part(name)?;
        if weights.iter().all(|&w| w == 0.0) {
            return Err(self.fault(format!("every weight in column '{name}' is 0: no row would count")));
        }
        Ok(weights)
    }

    /// Takes a column of weights out, as of a part of the rows: finite, none below 0.
    pub(crate) fn take_weights_of_part(&mut self, name: &str) -> Result<Vec<f64>> {
        let cells = self.take_cells(name)?;
        self.refuse_missing(name, &cells)?;
        let weights = numbers(&self.file, name, &cells, &self.declared_writing(name, &ColumnType::NUMBER, &cells)?)?;
        self.refuse_nan(name, &cells, &weights, NEEDED)?;
        if let Some((row, found)) = cells.iter().enumerate().find(|&(row, _)| weights[row] < 0.0) {
            return Err(self.cell(row, name, found, "a weight of 0 or more"));
        }
        Ok(weights)
    }

    /// Takes a column of groups out: equal cells are one group, numbered by first appearance.
    pub fn take_groups(&mut self, name: &str) -> Result<Vec<usize>> {
        let cells = self.take_cells(name)?;
        self.refuse_empty(name, &cells, "the group of the row: give it one, of its own if it belongs to no other")?;
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
    pub fn times(&self, name: &str, options: &ReadOptions) -> Result<Vec<f64>> {
        let name = &name_of(name);
        let Some((_, raw)) = self.columns.iter().find(|(n, _)| n == name) else {
            return self.clone().take_cells(name).map(|_| Vec::new());
        };
        let cells = raw.clone().into_cells(name)?;
        self.refuse_missing(name, &cells)?;
        let writing = match options.declared(name).filter(|declared| declared.kind() == Some(ColumnKind::Number)) {
            Some(declared) => self.declared_writing(name, &declared, &cells)?,
            None => Writing::of(&cells).unwrap_or(Writing::Date(dates::nearest_order(&cells))),
        };
        let times = numbers(&self.file, name, &cells, &writing)?;
        self.refuse_nan(name, &cells, &times, NEEDED)?;
        Ok(since_the_first(&cells).unwrap_or(times))
    }

    /// Whether one target column holds classes, judged before it is taken out.
    fn is_class_target(&mut self, name: &str, options: &ReadOptions) -> Result<bool> {
        match self.declared(options, name).map(|declared| (declared.clone(), declared.kind())) {
            Some((_, Some(ColumnKind::Category))) => return Ok(true),
            Some((_, Some(ColumnKind::Number))) => return Ok(false),
            Some((other, _)) => {
                return Err(Error::Data(format!(
                    "column '{name}' is declared {} and cannot be the target; a target is number or category",
                    other.name()
                )));
            }
            None => {}
        }
        let Some(at) = self.columns.iter().position(|(n, _)| n == name) else { return self.take_cells(name).map(|_| false) };
        let cells = self.columns[at].1.clone().into_cells(name)?;
        let mut facts = Vec::new();
        let looks = infer::looks(&self.file, name, &cells, &mut facts)?;
        self.facts.extend(facts.into_iter().map(|fact| fact.about(Topic::Target)));
        match looks {
            Looks::Of(ColumnKind::Category) | Looks::Number(Writing::Flag) => Ok(true),
            Looks::Number(Writing::Marked(_) | Writing::Date(_) | Writing::Clock | Writing::MinutesSeconds | Writing::Ordinal(_)) => {
                Ok(false)
            }
            Looks::Number(Writing::Point) => {
                let two = two_numbers(&cells);
                if two.is_none() && doubts::are_codes(&cells) {
                    let says = "{holds} numbers with leading zeros, as codes have them: read as classes";
                    self.facts.push(Fact::of_column(Topic::Target, name, says).undone_by("number reads numbers"));
                    return Ok(true);
                }
                if let Some([a, b]) = two {
                    let says = format!("{{has}} two values ({a} and {b}): read as classes");
                    self.facts.push(Fact::of_column(Topic::Target, name, says).undone_by("number reads numbers"));
                } else {
                    self.tell_whole_numbers(name, &cells);
                }
                Ok(two.is_some())
            }
            Looks::Of(_) => Err(self.no_target(name, "texts that differ in nearly every row")),
            Looks::Identifier(why) => Err(self.no_target(name, &why)),
        }
    }

    fn no_target(&self, name: &str, has: &str) -> Error {
        let fix = declared(name, "category");
        self.fault(format!("target '{name}' has {has}, neither classes nor numbers; choose another column, or declare {fix}"))
    }

    /// Whole numbers that come back may be classes, however many there are.
    fn tell_whole_numbers(&mut self, name: &str, cells: &Cells) {
        let fact = match whole_numbers(cells) {
            Some(different) if 2 * different <= cells.len() => {
                let says = format!("{{has}} {different} different whole numbers: read as numbers");
                Fact::of_column(Topic::Target, name, says).undone_by("category reads classes")
            }
            _ => Fact::of_column(Topic::Target, name, "{holds} numbers").plainly(),
        };
        self.facts.push(fact);
    }

    fn number_target(&mut self, names: &[String], options: &ReadOptions) -> Result<Target> {
        let mut columns = Vec::new();
        for name in names {
            let cells = self.take_cells(name)?;
            self.refuse_empty(name, &cells, &needed_of_target(name))?;
            let asked = self.declared(options, name);
            let writing = self.declared_writing(name, asked.as_ref().unwrap_or(&ColumnType::NUMBER), &cells)?;
            self.tell_writing(name, &cells, &writing, asked.as_ref());
            let values = numbers(&self.file, name, &cells, &writing)?;
            self.refuse_nan(name, &cells, &values, &needed_of_target(name))?;
            columns.push(values);
        }
        if columns.is_empty() {
            return Ok(Target::Absent { rows: self.rows });
        }
        Ok(Target::Numbers(Matrix::from_fn(self.rows, columns.len(), |i, j| columns[j][i])))
    }

    /// Refuses what is a missing cell among numbers alone.
    fn refuse_nan(&self, name: &str, cells: &Cells, values: &[f64], expected: &str) -> Result<()> {
        match cells.iter().zip(values).enumerate().find(|(_, (_, x))| x.is_nan()) {
            Some((row, (found, _))) => Err(self.cell(row, name, found, expected)),
            None => Ok(()),
        }
    }

    fn refuse_missing(&self, name: &str, cells: &Cells) -> Result<()> {
        self.refuse_empty(name, cells, NEEDED)
    }

    fn refuse_empty(&self, name: &str, cells: &Cells, expected: &str) -> Result<()> {
        match cells.iter().enumerate().find(|(_, text)| cells.misses(text)) {
            Some((row, "")) => Err(self.cell(row, name, "", expected)),
            Some((row, found)) => {
                let keeps = format!("{expected}; if '{found}' is a label, --na '{name}=' keeps it as one");
                Err(self.cell(row, name, found, &keeps))
            }
            None => Ok(()),
        }
    }

    /// The classes of a column: two ways to write one whole number (`1`, `+1`, `1.0`) are one class, named as written first.
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
        let composed: Vec<String> = classes.iter().map(|class| name_of(class)).collect();
        let place: std::collections::HashMap<&str, usize> = composed.iter().enumerate().map(|(i, c)| (key(c), i)).collect();
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

/// The requirement that a target cell has a value, with the option that drops such rows.
fn needed_of_target(name: &str) -> String {
    let column = if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() };
    format!("{NEEDED}, or leave out such rows (--missing '{column}=drop')")
}

/// What makes two labels the same: the whole number that they write, without what tools add to one (`+1`, `1.0`), or their text.
/// Codes are their text, whatever number they write: `007`, `12E3`, `1.10`.
fn key(text: &str) -> &str {
    let bare = text.strip_prefix('+').unwrap_or(text);
    let whole = bare.split_once('.').map_or(bare, |(whole, zeros)| if zeros.bytes().all(|b| b == b'0') { whole } else { bare });
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    match (plain, digits) {
        (true, "0") => "0",
        (true, _) => whole,
        (false, _) => text,
    }
}

/// Whole numbers that a number does not hold to the last digit, less the first of them: points in time of nanoseconds, or
/// identifiers that ascend.
fn since_the_first(cells: &Cells) -> Option<Vec<f64>> {
    if !cells.iter().any(doubts::loses_digits) {
        return None;
    }
    let exact: Vec<i128> = cells.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    let first = exact.iter().min()?;
    exact.iter().map(|x| x.checked_sub(*first).map(|since| since as f64)).collect()
}

/// How many different whole numbers there are, more than two, if there is nothing else.
fn whole_numbers(cells: &Cells) -> Option<usize> {
    let mut seen = std::collections::HashSet::new();
    for text in cells.iter() {
        match Cell::of(text) {
            Cell::Number(x) if x.fract() == 0.0 => _ = seen.insert((x + 0.0).to_bits()),
            _ => return None,
        }
    }
    Some(seen.len()).filter(|different| *different > 2)
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

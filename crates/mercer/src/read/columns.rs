//! Text cells to typed columns: as they look, as declared, or as in training.

use super::cells::{Cell, Cells, MISSING_WORDS};
use super::infer::{self, Looks, shortened};
use super::table::Raw;
use super::writing::Writing;
use super::{ColumnType, MISSING, ReadOptions, Table, libsvm};
use crate::data::{Categories, Column, Dataset, Holds, Schema, Strings, UNSEEN, Values};
use crate::error::{Error, Result, nearest};
use std::cmp::Ordering;

impl Table {
    /// The columns left in the table as a dataset; identifiers are left out with a notice.
    ///
    /// A missing cell (empty, `NA`, `NaN`, `?`, `null`, `None`) is NaN in a column of numbers, the label
    /// [`MISSING`] in a column of categories, the empty string in texts and sequences.
    ///
    /// # Errors
    /// A declared column that is not there, and a cell that does not fit its column, by row and column.
    pub fn dataset(&mut self, options: &ReadOptions) -> Result<Dataset> {
        self.check_declared(options)?;
        let mut columns = Vec::new();
        for (name, raw) in std::mem::take(&mut self.columns) {
            let declared = options.declared(&name);
            if declared == Some(ColumnType::Ignore) || (declared.is_none() && self.aside.contains(&name)) {
                continue;
            }
            let values = match raw {
                Raw::Numbers(v) if matches!(declared, None | Some(ColumnType::Number)) => Some(self.finite(&name, v)?),
                Raw::Points(p) if declared.is_none() => Some(Values::Points(p)),
                Raw::Similarities(s) => Some(Values::Similarities(s)),
                Raw::Indexed(x) if declared.is_none() => Some(Values::Points(x.points(u32::from(name != libsvm::FROM_0), None)?.0)),
                raw => self.values(&name, &raw.into_cells(&name)?, declared)?,
            };
            columns.extend(values.map(|values| Column { name, values }));
        }
        Dataset::with_rows(self.rows, columns)
    }

    /// Cells as they are declared, or as they look; `None` for identifiers.
    fn values(&mut self, name: &str, cells: &Cells, declared: Option<ColumnType>) -> Result<Option<Values>> {
        let looks = match declared {
            Some(ColumnType::Number) => Looks::Number(Writing::of(cells).unwrap_or(Writing::Point)),
            Some(ColumnType::Date) => Looks::Number(Writing::Date),
            Some(ColumnType::Flag) => Looks::Number(Writing::Flag),
            Some(ColumnType::Category) => Looks::Category,
            Some(ColumnType::Text) => Looks::Text,
            Some(ColumnType::Sequence) => Looks::Sequence,
            Some(ColumnType::Ignore) => return Ok(None),
            None => {
                let looks = infer::looks(&self.file, name, cells, &mut self.notices)?;
                if let Looks::Number(writing) = looks {
                    self.notices.extend(writing.notice(name));
                }
                looks
            }
        };
        Ok(match looks {
            Looks::Number(writing) => Some(Values::Numbers(numbers(&self.file, name, cells, writing)?)),
            Looks::Category => Some(Values::Categories(categories(cells))),
            Looks::Text => Some(Values::Texts(strings(cells))),
            Looks::Sequence => Some(Values::Sequences(strings(cells))),
            Looks::Identifier => {
                self.notices.push(format!(
                    "column '{name}' has a different value in nearly every row: ignored as an identifier; --types {name}=text (or sequence, category) keeps it"
                ));
                None
            }
        })
    }

    /// The columns of a training schema, in its order; other columns are ignored. Labels that training did not
    /// have are coded [`UNSEEN`] and said in a notice.
    ///
    /// # Errors
    /// A column that is missing, and a cell that does not fit its column, by row and column.
    pub fn dataset_like(&mut self, schema: &Schema) -> Result<Dataset> {
        self.count_features_like(schema);
        let mut columns = Vec::new();
        for wanted in &schema.columns {
            let name = &wanted.name;
            if !self.header.contains(name) {
                let near = nearest(name, &self.header).map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
                return Err(self.fault(format!(
                    "the column '{name}' that the model was fitted on is missing; the table has: {}{near}",
                    self.header.join(", ")
                )));
            }
            let raw = self.take(name)?;
            let values = match (&wanted.holds, raw) {
                (Holds::Points { dim }, raw) => self.vectors_like(name, *dim, raw)?,
                (Holds::Number, Raw::Numbers(v)) => self.finite(name, v)?,
                (Holds::Number, raw) => {
                    let cells = raw.into_cells(name)?;
                    let writing = Writing::of(&cells).unwrap_or(Writing::Point);
                    self.notices.extend(writing.notice(name));
                    Values::Numbers(numbers(&self.file, name, &cells, writing)?)
                }
                (Holds::Category { names }, raw) => {
                    let cells = raw.into_cells(name)?;
                    let labels: Vec<&str> = cells.iter().map(label).collect();
                    let coded = Categories::with_names(&labels, names.clone());
                    self.tell_unseen(name, &labels, &coded);
                    Values::Categories(coded)
                }
                (Holds::Similarities { names }, Raw::Similarities(s)) => Values::Similarities(s.aligned(names)?),
                (Holds::Similarities { .. }, _) => {
                    return Err(
                        self.fault(format!("the model takes kernel values for column '{name}'; give their file: --gram {name}=FILE"))
                    );
                }
                (Holds::Text, raw) => Values::Texts(strings(&raw.into_cells(name)?)),
                (Holds::Sequence, raw) => Values::Sequences(strings(&raw.into_cells(name)?)),
            };
            columns.push(Column { name: name.clone(), values });
        }
        Dataset::with_rows(self.rows, columns)
    }

    /// A table without index 0 may still count its features from 0, if training did.
    fn count_features_like(&mut self, schema: &Schema) {
        let wanted = |name: &str| schema.columns.iter().any(|c| c.name == name);
        if !wanted(libsvm::FROM_0) || wanted(libsvm::FROM_1) {
            return;
        }
        for (name, raw) in &mut self.columns {
            if name == libsvm::FROM_1 && matches!(raw, Raw::Indexed(_)) {
                libsvm::FROM_0.clone_into(name);
                self.header.iter_mut().filter(|n| *n == libsvm::FROM_1).for_each(|n| libsvm::FROM_0.clone_into(n));
            }
        }
    }

    fn vectors_like(&mut self, name: &str, dim: usize, raw: Raw) -> Result<Values> {
        match raw {
            Raw::Points(p) => Ok(Values::Points(p)),
            Raw::Indexed(x) => {
                let (points, cut) = x.points(u32::from(name != libsvm::FROM_0), Some(dim))?;
                if cut > 0 {
                    let rows = if cut == 1 { "1 row has".into() } else { format!("{cut} rows have") };
                    self.notices.push(format!("column '{name}': {rows} features beyond the {dim} of training; they are ignored"));
                }
                Ok(Values::Points(points))
            }
            Raw::Cells(_) | Raw::Numbers(_) | Raw::Similarities(_) => Err(Error::WrongSort {
                kernel: "the fitted model".into(),
                column: name.to_owned(),
                needs: format!("vectors of {dim} numbers"),
                found: "one cell a row".into(),
                fix: "give this column as it was in training".into(),
            }),
        }
    }

    /// Numbers of a format that has them, none of them infinite.
    fn finite(&self, name: &str, v: Vec<f64>) -> Result<Values> {
        match v.iter().position(|x| x.is_infinite()) {
            Some(row) => Err(self.cell(row, name, &v[row].to_string(), Writing::Point.expected())),
            None => Ok(Values::Numbers(v)),
        }
    }

    fn tell_unseen(&mut self, name: &str, labels: &[&str], coded: &Categories) {
        let unseen: Vec<usize> = (0..labels.len()).filter(|&i| coded.codes[i] == UNSEEN).collect();
        if let Some(&first) = unseen.first() {
            let rows = if unseen.len() == 1 { "1 row holds a label".into() } else { format!("{} rows hold labels", unseen.len()) };
            let first = format!("'{}' in row {}", shortened(labels[first]), first + 1);
            self.notices.push(format!("column '{name}': {rows} that training did not have (first {first}); it is equal to no other"));
        }
    }
}

/// Finite numbers, NaN for missing cells.
pub(super) fn numbers(file: &str, column: &str, cells: &Cells, writing: Writing) -> Result<Vec<f64>> {
    let number = |(row, text): (usize, &str)| match writing.cell(text) {
        Cell::Number(x) => Ok(x),
        Cell::Missing => Ok(f64::NAN),
        Cell::Infinite | Cell::Word => Err(Error::Cell {
            file: file.to_owned(),
            row: row + 1,
            column: column.to_owned(),
            found: shortened(text),
            expected: writing.expected().into(),
        }),
    };
    cells.iter().enumerate().map(number).collect()
}

fn label(cell: &str) -> &str {
    if is_missing(cell) { MISSING } else { cell }
}

fn is_missing(cell: &str) -> bool {
    Cell::of(cell) == Cell::Missing
}

/// Labels, the names in the order of [`by_number_then_text`].
pub(super) fn categories(cells: &Cells) -> Categories {
    let labels: Vec<&str> = cells.iter().map(label).collect();
    let mut names: Vec<String> = labels.iter().collect::<std::collections::HashSet<_>>().into_iter().map(|s| s.to_string()).collect();
    names.sort_by(|a, b| by_number_then_text(a, b));
    Categories::with_names(&labels, names)
}

/// Numbers by size and before words; words by their text.
pub(super) fn by_number_then_text(a: &str, b: &str) -> Ordering {
    match (Cell::of(a), Cell::of(b)) {
        (Cell::Number(x), Cell::Number(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Cell::Number(_), _) => Ordering::Less,
        (_, Cell::Number(_)) => Ordering::Greater,
        _ => a.cmp(b),
    }
}

/// Texts keep words such as `None` that mean a missing cell elsewhere only where they are not the whole cell.
fn strings(cells: &Cells) -> Strings {
    Strings::new(cells.iter().map(|cell| if MISSING_WORDS.contains(&cell) { "" } else { cell }))
}

//! Text cells to typed columns: as they look, as declared, or as in training.

use super::cells::{Cell, Cells, MISSING_WORDS};
use super::infer::{self, Looks, shortened};
use super::{MISSING, ReadOptions, Table};
use crate::data::{Categories, Column, Dataset, Holds, Schema, Sort, Strings, UNSEEN, Values};
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
        for (name, cells) in std::mem::take(&mut self.columns) {
            let sort = match options.declared(&name) {
                Some(declared) => declared.sort(),
                None => match infer::looks(&self.file, &name, &cells, &mut self.notices)? {
                    Looks::Number => Some(Sort::Number),
                    Looks::Category => Some(Sort::Category),
                    Looks::Text => Some(Sort::Text),
                    Looks::Sequence => Some(Sort::Sequence),
                    Looks::Identifier => {
                        self.notices.push(format!(
                            "column '{name}' has a different value in nearly every row: ignored as an identifier; --types {name}=text (or sequence, category) keeps it"
                        ));
                        None
                    }
                },
            };
            let values = match sort {
                None => continue,
                Some(Sort::Number | Sort::Points) => Values::Numbers(numbers(&self.file, &name, &cells)?),
                Some(Sort::Category) => Values::Categories(categories(&cells)),
                Some(Sort::Text) => Values::Texts(strings(&cells)),
                Some(Sort::Sequence) => Values::Sequences(strings(&cells)),
            };
            columns.push(Column { name, values });
        }
        Dataset::with_rows(self.rows, columns)
    }

    /// The columns of a training schema, in its order; other columns are ignored. Labels that training did not
    /// have are coded [`UNSEEN`] and said in a notice.
    ///
    /// # Errors
    /// A column that is missing, and a cell that does not fit its column, by row and column.
    pub fn dataset_like(&mut self, schema: &Schema) -> Result<Dataset> {
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
            let cells = self.take(name)?;
            let values = match &wanted.holds {
                Holds::Number => Values::Numbers(numbers(&self.file, name, &cells)?),
                Holds::Category { names } => {
                    let labels: Vec<&str> = cells.iter().map(label).collect();
                    let coded = Categories::with_names(&labels, names.clone());
                    self.tell_unseen(name, &labels, &coded);
                    Values::Categories(coded)
                }
                Holds::Text => Values::Texts(strings(&cells)),
                Holds::Sequence => Values::Sequences(strings(&cells)),
                Holds::Points { dim } => {
                    return Err(Error::WrongSort {
                        kernel: "the fitted model".into(),
                        column: name.clone(),
                        needs: format!("vectors of {dim} numbers"),
                        found: "one cell a row".into(),
                        fix: "predict from arrays, or fit on a table".into(),
                    });
                }
            };
            columns.push(Column { name: name.clone(), values });
        }
        Dataset::with_rows(self.rows, columns)
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
pub(super) fn numbers(file: &str, column: &str, cells: &Cells) -> Result<Vec<f64>> {
    let number = |(row, text): (usize, &str)| match Cell::of(text) {
        Cell::Number(x) => Ok(x),
        Cell::Missing => Ok(f64::NAN),
        Cell::Infinite | Cell::Word => Err(Error::Cell {
            file: file.to_owned(),
            row: row + 1,
            column: column.to_owned(),
            found: shortened(text),
            expected: "a finite number, or an empty cell if it is missing".into(),
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

//! Kernel matrices from files: a column of names becomes a column of their rows.
//!
//! A CSV file has the names in its header, after the first cell, which may be empty or lacking, and in its first column; names
//! that count the rows may stand in the header alone. An NPY file has none, and its rows are called 0, 1, 2, ...

use super::columns::numbers;
use super::facts::{Fact, Topic};
use super::table::Raw;
use super::unseen::name_of;
use super::{ReadOptions, Source, Table};
use crate::control::Control;
use crate::data::{Similarities, Values, Writing};
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// A square table of numbers with names.
struct Named {
    names: Vec<String>,
    values: Matrix,
}

impl Named {
    fn read(source: &Source, control: &Control) -> Result<Self> {
        let mut table = Table::read_within(source, &ReadOptions::default(), control)?;
        let header = table.header().to_vec();
        let (rows, from_npy) = (table.rows(), table.columns.iter().all(|(_, raw)| matches!(raw, Raw::Numbers(_))));
        // Row numbers of a first column without a name were left out as such: then the first column that is there holds values.
        let holds_values = |cells: &[String]| cells.iter().all(|cell| cell.trim().parse::<f64>().is_ok());
        let in_header = !from_npy
            && header.len() == rows
            && table.texts(header.get(..1).unwrap_or_default())?.iter().all(|(_, cells)| holds_values(cells));
        let names: Vec<String> = if in_header {
            header.clone()
        } else if from_npy {
            (0..rows).map(|i| i.to_string()).collect()
        } else {
            let Some(first) = header.first() else { return Err(table.fault("an empty kernel matrix")) };
            texts(&mut table, first)?
        };
        let columns = if from_npy || in_header { &header[..] } else { &header[1..] };
        if columns.len() != rows {
            return Err(table.fault(format!("{rows} rows and {} columns of values; a kernel matrix is square", columns.len())));
        }
        if !(from_npy || in_header)
            && let Some(k) = (0..rows).find(|&k| columns[k] != names[k])
        {
            return Err(table.fault(format!(
                "row {} is '{}' and column {} is '{}'; give rows and columns in one order",
                k + 1,
                names[k],
                k + 1,
                columns[k]
            )));
        }
        let mut values = Matrix::zeros(rows, rows);
        for (j, column) in columns.iter().enumerate() {
            for (i, v) in column_of(&mut table, column)?.into_iter().enumerate() {
                values[(i, j)] = v;
            }
        }
        Ok(Named { names, values })
    }
}

/// The cells of a column, as they are written.
fn texts(table: &mut Table, column: &str) -> Result<Vec<String>> {
    Ok(table.take_cells(column)?.iter().map(str::to_owned).collect())
}

/// The numbers of a column, NaN where one is missing.
fn column_of(table: &mut Table, column: &str) -> Result<Vec<f64>> {
    match table.take(column)? {
        Raw::Numbers(v) => Ok(v),
        raw => numbers(&table.file, column, &raw.into_cells(column)?, &Writing::Point),
    }
}

/// Whether values are 0 on the diagonal alone, or nearly so, and positive beside it, as distances are and no kernel is.
fn may_be_distances(values: &Matrix) -> bool {
    let (n, all) = (values.rows(), values.data());
    n > 1 && (0..n).all(|i| values[(i, i)] == 0.0) && all.iter().all(|&x| x >= 0.0) && all.iter().any(|&x| x > 0.0)
}

impl Table {
    /// Makes a column of names a column of rows of the kernel matrix in a file, which the kernel `precomputed` takes.
    ///
    /// # Errors
    /// A file that holds no square symmetric matrix of finite numbers, names that stand twice, and a name that the file lacks.
    pub fn attach_gram(&mut self, column: &str, source: &Source, control: &Control) -> Result<()> {
        let column = &name_of(column);
        let Named { names, values } = Named::read(source, control)?;
        if may_be_distances(&values) {
            let says =
                format!("{source}: the diagonal is 0 and no value is below: are these distances? --distances takes them (map, cluster)");
            self.facts.push(Fact::of_table(says).about(Topic::Distances));
        }
        let similarities = Similarities::looked_up(names, &values, &texts(self, column)?).map_err(|e| match e {
            Error::Data(why) => Error::Table { file: format!("{source} for {}", self.file), why },
            other => other,
        })?;
        self.columns.push((column.clone(), Raw::Ready(Values::Similarities(similarities))));
        Ok(())
    }
}

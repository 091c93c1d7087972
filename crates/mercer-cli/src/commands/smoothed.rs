//! What commands that smooth share: columns of numbers with sample weights in, a line for each row and a page out.

use super::{kept_columns, read_options};
use crate::args::Reading;
use crate::output::{notices, print};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Values};
use mercer::error::{Error, Result};
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table};
use mercer::report::KeptColumn;
use mercer::store;
use std::path::PathBuf;

/// The columns of a table without the one of sample weights, these, and the columns to keep beside what is written.
pub(super) type Taken = (Dataset, Option<Vec<f64>>, Vec<KeptColumn>);

/// Reads a table; `names` are the columns that are asked for.
pub(super) fn read(
    table: &str,
    names: Vec<String>,
    weights: Option<&str>,
    keep: Option<&str>,
    reading: &Reading,
    control: &Control,
) -> Result<Taken> {
    let options = ReadOptions { names, ..read_options(reading)? };
    let mut table = Table::read_within(&Source::new(table), &options, control)?;
    table.require_room(control)?;
    let kept = kept_columns(&table, keep)?;
    let weights = weights.map(|name| table.take_weights(name)).transpose()?;
    let data = table.dataset(&options)?;
    notices(&table.notices());
    Ok((data, weights, kept))
}

/// The names of the columns of numbers besides one; a notice names the columns of anything else.
pub(super) fn number_columns(data: &Dataset, but: Option<&str>) -> Result<Vec<String>> {
    let all = data.columns().iter().filter(|column| but != Some(&column.name));
    let (numeric, others): (Vec<&Column>, Vec<&Column>) = all.partition(|column| matches!(column.values, Values::Numbers(_)));
    let names = |columns: &[&Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    if numeric.is_empty() {
        let besides = but.map_or(String::new(), |but| format!(" besides {but}"));
        return Err(Error::Setting { name: "--columns".into(), why: format!("there is no column of numbers{besides} to smooth over") });
    }
    if !others.is_empty() {
        notices(&[format!("no numbers, and left out: {}; --columns names the columns to use", names(&others).join(", "))]);
    }
    Ok(names(&numeric))
}

/// Columns of numbers without a missing cell, by their names.
pub(super) fn numbers(data: &Dataset, names: &[String], table: &str) -> Result<Matrix> {
    let mut columns = Vec::new();
    for name in names {
        let values = &data.column(name)?.values;
        let Values::Numbers(numbers) = values else {
            let (kernel, needs, fix) =
                ("smoothing".into(), "numbers".into(), format!("read it as one (--types {name}=number), or name another"));
            return Err(Error::WrongKind { kernel, column: name.clone(), needs, found: values.kind().holds().into(), fix });
        };
        if let Some(row) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(Error::Cell {
                file: table.into(),
                row: row + 1,
                column: name.clone(),
                found: "a missing cell".into(),
                expected: "a number; leave such rows out".into(),
            });
        }
        columns.push(numbers);
    }
    Ok(Matrix::from_fn(data.rows(), columns.len(), |i, j| columns[j][i]))
}

/// Writes the lines to `output` and the page to `report`, where these are asked for, and says so under `text`; without `output` prints
/// the lines.
pub(super) fn write(
    lines: &str,
    text: impl FnOnce() -> String,
    page: impl FnOnce() -> Result<String>,
    output: Option<&PathBuf>,
    report: Option<&PathBuf>,
) -> Result<()> {
    if let Some(path) = report {
        store::write_atomically(path, page()?.as_bytes())?;
    }
    let Some(path) = output else { return print(lines) };
    store::write_atomically(path, lines.as_bytes())?;
    let written: String = [Some(path), report].into_iter().flatten().map(|p| format!("written: {}\n", p.display())).collect();
    print(&format!("{}{written}", text()))
}

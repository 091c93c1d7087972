//! Sets of vectors: a list of arrays of two axes, one array a row.

use crate::arrays::{asarray, numbers, shape};
use crate::cells::is_missing;
use crate::errors::{data_error, raise, within};
use crate::frames::listed;
use mercer::data::{Series, Sets};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Vectors of each row, and the rows that have none since they are missing.
#[derive(Default)]
pub(crate) struct VectorRows {
    pub(crate) rows: Vec<Vec<Vec<f64>>>,
    pub(crate) missing: Vec<usize>,
}

impl VectorRows {
    /// Adds a row that is missing.
    pub(crate) fn push_missing(&mut self) {
        self.missing.push(self.rows.len());
        self.rows.push(Vec::new());
    }
    pub(crate) fn sets(self) -> PyResult<Sets> {
        Sets::of_rows(&self.rows).map(|sets| sets.with_missing(self.missing)).map_err(raise)
    }
    pub(crate) fn series(self) -> PyResult<Series> {
        Series::of_rows(&self.rows).map(|series| series.with_missing(self.missing)).map_err(raise)
    }
}

/// The rows of an object whose rows are arrays of two axes; `None` for any other object. An empty list is the empty set, and `None` or
/// NaN is a missing one. Where sets are `wanted`, all may be empty.
pub(crate) fn set_rows(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<Option<VectorRows>> {
    if !are_sets(object, wanted)? {
        return Ok(None);
    }
    let mut all = VectorRows::default();
    let cells = if axes(object) == Some(3) { object.clone() } else { listed(object)? };
    for (row, cell) in cells.try_iter()?.enumerate() {
        let cell = cell?;
        if is_missing(&cell)? {
            all.push_missing();
        } else {
            all.rows.push(vectors(&cell).map_err(|e| within(object.py(), &format!("row {}", row + 1), e))?);
        }
    }
    Ok(Some(all))
}

/// The sets of an object without column names; one array of three axes is refused here, as its row axis is ambiguous.
pub(crate) fn sets_alone(object: &Bound<'_, PyAny>) -> PyResult<Option<Sets>> {
    if are_sets_alone(object)? { set_rows(object, false)?.map(VectorRows::sets).transpose() } else { Ok(None) }
}

/// Whether there are such, without making them.
pub(crate) fn are_sets_alone(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(axes(object).is_none_or(|axes| axes == 1) && are_sets(object, false)?)
}

/// How many axes an array has.
fn axes(object: &Bound<'_, PyAny>) -> Option<usize> {
    object.getattr("ndim").and_then(|axes| axes.extract()).ok()
}

/// Whether the first row that is not empty has two axes, or all are empty and sets are `wanted`.
pub(crate) fn are_sets(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<bool> {
    if axes(object).is_some_and(|axes| axes != 1 && axes != 3) {
        return Ok(false);
    }
    // A Series has keys too.
    let is_table = object.hasattr("columns")? || object.hasattr("keys")? && !object.hasattr("dtype")?;
    if object.is_instance_of::<PyString>() || is_table || object.len().is_err() {
        return Ok(false);
    }
    let mut is_there = false;
    for cell in object.try_iter()? {
        let cell = plain(cell?)?;
        if is_missing(&cell)? {
            continue;
        }
        is_there = true;
        let has_rows = !cell.is_instance_of::<PyString>() && cell.len().is_ok();
        match asarray(&cell).and_then(|array| shape(&array)) {
            Ok(axes) if axes == [0] => {}
            Ok(axes) => return Ok(axes.len() == 2),
            // Rows of unlike length are reported as a fault of that set.
            Err(_) => return Ok(has_rows),
        }
    }
    Ok(wanted && is_there)
}

/// A cell, or what a scalar of pyarrow holds.
fn plain(cell: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if cell.hasattr("as_py")? { cell.call_method0("as_py") } else { Ok(cell) }
}

/// The rows of an array of two axes.
fn vectors(cell: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
    let array = asarray(cell)?;
    match shape(&array)?.as_slice() {
        [0] | [0, _] => Ok(Vec::new()),
        [_, dim] if *dim > 0 => Ok(numbers(&array)?.chunks_exact(*dim).map(<[f64]>::to_vec).collect()),
        axes => Err(data_error(format!("found an array of shape {axes:?}, expected a set of vectors: an array of two axes"))),
    }
}

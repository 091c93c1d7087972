//! Trees as Python has them: nested lists or tuples that begin with a label, `("S", ("NP", "a"), ("VP", "b"))`, or dicts of a label and
//! children. Each becomes the JSON that the library reads.

use crate::cells::{first_present, holds_objects, is_missing};
use crate::errors::{data_error, within};
use crate::frames::listed;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// The trees of an object whose rows are such, as JSON; `None` for any other object. Lists without a list in them, and dicts, are trees
/// only where a tree is `wanted`. `None` or NaN is the empty tree, and a str is one in bracket form.
pub(crate) fn trees(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<Option<Vec<String>>> {
    if !are_trees(object, wanted)? {
        return Ok(None);
    }
    let text = |(row, cell): (usize, PyResult<Bound<'_, PyAny>>)| {
        let cell = cell?;
        written(&cell).map_err(|e| within(object.py(), &format!("row {}", row + 1), e))
    };
    listed(object)?.try_iter()?.enumerate().map(text).collect::<PyResult<_>>().map(Some)
}

/// Whether the first row that is there is a tree; where trees are `wanted`, whether some are no texts.
pub(crate) fn are_trees(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<bool> {
    if !is_list(object) && !object.hasattr("dtype")? || object.getattr("ndim").is_ok_and(|axes| !axes.eq(1).unwrap_or(false)) {
        return Ok(false);
    }
    if object.try_iter().is_err() {
        return Ok(false);
    }
    let Some(cell) = first_present(object)? else { return Ok(false) };
    let is_other = |cell: &Bound<'_, PyAny>| !is_list(cell) && !cell.is_instance_of::<PyDict>() && !cell.is_instance_of::<PyString>();
    Ok(is_nested(&cell)? || wanted && !is_other(&cell) && holds_objects(object)?)
}

fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// Whether a cell is a label and children, one of them a list at least.
fn is_nested(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !is_list(cell) || cell.is_empty()? || !cell.get_item(0)?.is_instance_of::<PyString>() {
        return Ok(false);
    }
    for child in cell.try_iter()? {
        if is_list(&child?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A tree as the library reads it; the empty text where there is none.
fn written(cell: &Bound<'_, PyAny>) -> PyResult<String> {
    if is_missing(cell)? {
        return Ok(String::new());
    }
    if cell.is_instance_of::<PyString>() {
        return cell.extract();
    }
    if !is_list(cell) && !cell.is_instance_of::<PyDict>() {
        let found = cell.get_type().name()?;
        return Err(data_error(format!("expected a tree: a list that begins with a label, or a str such as (S (NP I)); found {found}")));
    }
    let json = cell.py().import("json")?.call_method1("dumps", (cell,));
    let too_deep = |e: &PyErr| e.is_instance_of::<PyRecursionError>(cell.py());
    if json.as_ref().is_err_and(too_deep) {
        let advice = "write it as a str such as (S (NP I)), which may be of any depth";
        return Err(data_error(format!("this tree is nested too deeply for lists, which may be 127 deep; {advice}")));
    }
    json.map_err(|e| data_error(format!("this tree holds what is neither a label nor a list: {}", e.value(cell.py()))))?.extract()
}

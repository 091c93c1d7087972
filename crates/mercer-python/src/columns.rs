//! One Python column (array, list, series) as cells: numbers, vectors or texts. Types are told by the library.

use crate::arrays::{asarray, is_numeric, kind, numbers, points, shape, sparse};
use crate::errors::{data_error, raise};
use mercer::data::Points;
use mercer::read::Labels;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The cells of a column.
pub(crate) enum Cells {
    /// One number a row, NaN where it is missing.
    Numbers(Vec<f64>),
    /// A vector a row.
    Points(Points),
    /// Text, empty where it is missing.
    Texts(Vec<String>),
}

/// Texts of single cells, and what they were.
pub(crate) struct Written {
    pub(crate) texts: Vec<String>,
    pub(crate) labels: Labels,
}

/// The cells of a column; as text where `as_text` is said, whatever they are.
pub(crate) fn cells(name: &str, object: &Bound<'_, PyAny>, as_text: bool) -> PyResult<Cells> {
    if let Some(points) = sparse(object)? {
        return Ok(Cells::Points(points));
    }
    let array = asarray(object)?;
    let kind = kind(&array)?;
    match shape(&array)?.len() {
        1 if is_numeric(kind) && !as_text => numbers(&array).map(Cells::Numbers),
        1 => {
            let written = written(name, object, &array)?;
            if as_text || written.labels == Labels::Text {
                return Ok(Cells::Texts(written.texts));
            }
            // An array of objects that are all numbers.
            let number = |text: &String| match text.as_str() {
                "" => f64::NAN,
                "True" => 1.0,
                "False" => 0.0,
                number => number.parse().unwrap_or(f64::NAN),
            };
            Ok(Cells::Numbers(written.texts.iter().map(number).collect()))
        }
        2 if is_numeric(kind) => points(&array).map(Cells::Points),
        0 => Err(data_error(format!("column '{name}': expected one cell a row, found a single object"))),
        axes => Err(data_error(format!(
            "column '{name}': expected one cell a row, or an array of numbers with two axes; found {axes} axes of {}",
            array.getattr("dtype")?
        ))),
    }
}

/// Every cell of an array of one axis as text.
pub(crate) fn written(name: &str, object: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Written> {
    let dtype = kind(array)?;
    if !is_numeric(dtype) && !matches!(dtype, 'U' | 'O' | 'T') {
        let found = array.getattr("dtype")?;
        return Err(data_error(format!("column '{name}' holds {found}; expected numbers, flags or str")));
    }
    // numpy turns the numbers of a mixed list into texts: the list itself is asked.
    let given = if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        object.clone()
    } else {
        array.call_method0("tolist")?
    };
    let mut texts = Vec::new();
    let mut seen: Option<(Labels, usize)> = None;
    for (row, cell) in given.try_iter()?.enumerate() {
        let cell = cell?;
        let Some(found) = sort_of(&cell)? else {
            texts.push(String::new());
            continue;
        };
        seen = match (seen, found) {
            (None, found) => Some((found, row)),
            (Some((Labels::Integer, at)), Labels::Number) => Some((Labels::Number, at)),
            (Some((Labels::Number, at)), Labels::Integer) => Some((Labels::Number, at)),
            (Some((before, at)), found) if before == found => Some((before, at)),
            (Some((before, at)), found) => {
                return Err(data_error(format!(
                    "column '{name}' is mixed: row {} holds {} and row {} {}; make them one type",
                    at + 1,
                    word(before),
                    row + 1,
                    word(found)
                )));
            }
        };
        texts.push(cell.str()?.extract::<String>().map_err(|e| data_error(format!("column '{name}', row {}: {e}", row + 1)))?);
    }
    Ok(Written { texts, labels: seen.map_or(Labels::Text, |(labels, _)| labels) })
}

fn word(labels: Labels) -> &'static str {
    match labels {
        Labels::Text => "a str",
        Labels::Integer => "an int",
        Labels::Number => "a float",
        Labels::Flag => "a bool",
    }
}

/// What one cell is; `None` where it is missing.
fn sort_of(cell: &Bound<'_, PyAny>) -> PyResult<Option<Labels>> {
    if cell.is_none() {
        return Ok(None);
    }
    if cell.is_instance_of::<PyString>() {
        return Ok(Some(Labels::Text));
    }
    if cell.is_instance_of::<PyBool>() {
        return Ok(Some(Labels::Flag));
    }
    if cell.is_instance_of::<PyInt>() {
        return Ok(Some(Labels::Integer));
    }
    let class = cell.get_type().name()?.extract::<String>()?;
    match class.as_str() {
        "NAType" | "NaTType" => return Ok(None),
        "bool_" | "bool" => return Ok(Some(Labels::Flag)),
        _ => {}
    }
    if cell.is_instance_of::<PyFloat>() || cell.hasattr("__float__")? {
        let number: f64 = cell.extract().map_err(|_| data_error(format!("a cell of type {class} is neither a number nor a str")))?;
        let whole = cell.hasattr("__index__")?;
        return Ok((!number.is_nan()).then_some(if whole { Labels::Integer } else { Labels::Number }));
    }
    Err(data_error(format!("a cell holds {class}; expected a number, a flag or a str")))
}

/// Texts of a list or an array of one axis that holds nothing but str; `None` for anything else.
pub(crate) fn strings(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let array = asarray(object)?;
    if shape(&array)?.len() != 1 || is_numeric(kind(&array)?) {
        return Ok(None);
    }
    let written = written("x", object, &array)?;
    Ok((written.labels == Labels::Text).then_some(written.texts))
}

/// Columns by name, as Python holds them.
type Named<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// Names and objects of a mapping of columns: a dict, a data frame, anything with `items()`.
pub(crate) fn mapping<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Named<'py>>> {
    if !object.hasattr("items")? || object.hasattr("dtype")? {
        return Ok(None);
    }
    let mut columns = Vec::new();
    for item in object.call_method0("items")?.try_iter()? {
        let (name, column): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item?.extract()?;
        columns.push((name.str()?.to_string(), column));
    }
    if columns.is_empty() {
        return Err(raise(mercer::error::Error::Data("there are no columns".into())));
    }
    Ok(Some(columns))
}

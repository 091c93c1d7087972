//! One Python column (array, list, series) as cells: numbers, vectors or texts. Types are inferred by the library.

use crate::arrays::{ONE_LENGTH, asarray, dates, is_numeric, kind, numbers, points, shape, sparse};
use crate::errors::{data_error, raise, within};
use crate::frames::listed;
use crate::graphs::{graphs, is_graph};
use crate::sets::{VectorRows, set_rows};
use crate::trees::trees;
use mercer::data::{ColumnKind, Points, Series, Sets};
use mercer::read::Labels;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The cells of a column.
pub(crate) enum Cells {
    /// One number a row, NaN where it is missing.
    Numbers(Vec<f64>),
    /// A vector a row.
    Points(Points),
    /// A set of vectors a row.
    Sets(Sets),
    /// A series a row.
    Series(Series),
    /// A duration a row, in seconds, NaN where it is missing.
    Durations(Vec<f64>),
    /// Text, empty where it is missing.
    Texts(Vec<String>),
}

/// Texts of single cells, and what they were.
pub(crate) struct Written {
    pub(crate) texts: Vec<String>,
    pub(crate) labels: Labels,
}

/// The cells of a column, of a kind that may be declared: where text writes that, numbers are text too.
pub(crate) fn cells(name: &str, object: &Bound<'_, PyAny>, wanted: Option<ColumnKind>) -> PyResult<Cells> {
    cells_of(object, wanted).map_err(|e| within(object.py(), &format!("column '{name}'"), e))
}

fn cells_of(object: &Bound<'_, PyAny>, wanted: Option<ColumnKind>) -> PyResult<Cells> {
    let as_text = wanted.is_some_and(|kind| kind == ColumnKind::Category || kind.empty().is_some());
    if let Some(graphs) = graphs(object, wanted == Some(ColumnKind::Graph))? {
        return Ok(Cells::Texts(graphs));
    }
    if let Some(trees) = trees(object, wanted == Some(ColumnKind::Tree))? {
        return Ok(Cells::Texts(trees));
    }
    if let Some(points) = sparse(object)? {
        return Ok(Cells::Points(points));
    }
    let is_series = wanted == Some(ColumnKind::Series);
    if let Some(rows) = set_rows(object, wanted == Some(ColumnKind::Set))? {
        return if is_series { rows.series().map(Cells::Series) } else { rows.sets().map(Cells::Sets) };
    }
    if is_series && let Some(rows) = of_one_channel(object)? {
        return rows.series().map(Cells::Series);
    }
    let array = asarray(object)?;
    let kind = kind(&array)?;
    match shape(&array)?.len() {
        1 if is_numeric(kind) && !as_text => {
            let read = numbers(&array)?;
            if matches!(kind, 'i' | 'u') && lose_digits(&array, &read)? {
                return Ok(Cells::Texts(written(object, &array)?.texts));
            }
            Ok(Cells::Numbers(read))
        }
        1 if kind == 'M' => dates(&array).map(Cells::Texts),
        1 if !as_text && (kind == 'm' || kind == 'O' && holds_durations(&array)?) => seconds(&array).map(Cells::Durations),
        1 if kind == 'O' && holds_vectors(&array)? => vectors(&array).map(Cells::Points),
        1 => {
            let written = written(object, &array)?;
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
        0 => Err(data_error("expected one cell a row, found a single object")),
        axes => Err(data_error(format!(
            "expected one cell a row, or an array of numbers with two axes; found {axes} axes of {}",
            array.getattr("dtype")?
        ))),
    }
}

/// Whether the first cell that is there is a duration.
fn holds_durations(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    for cell in array.try_iter()? {
        let cell = cell?;
        if !cell.is_none() && cell.get_type().name()?.to_cow()? != "NaTType" {
            return cell.hasattr("total_seconds");
        }
    }
    Ok(false)
}

/// Durations in seconds, NaN where one is missing; nanoseconds stay.
fn seconds(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numpy = array.py().import("numpy")?;
    let fine = if kind(array)? == 'm' { array.clone() } else { array.call_method1("astype", ("timedelta64[us]",))? };
    numbers(&fine.call_method1("__truediv__", (numpy.call_method1("timedelta64", (1, "s"))?,))?)
}

/// Whether whole numbers above 2^53 repeat, as labels do, or some that differ would be one number.
pub(crate) fn lose_digits(array: &Bound<'_, PyAny>, read: &[f64]) -> PyResult<bool> {
    if read.iter().all(|x| x.abs() <= MOST_EXACT) {
        return Ok(false);
    }
    let all = different(array)?;
    let numbers: std::collections::HashSet<u64> = read.iter().map(|x| x.to_bits()).collect();
    Ok(2 * all <= read.len() || numbers.len() < all)
}

/// The whole numbers up to which every one is a float64: 2^53.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// How many different values there are.
pub(crate) fn different(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    array.py().import("numpy")?.call_method1("unique", (array,))?.len()
}

/// Whether the first cell that is there is a list or an array.
fn holds_vectors(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    for cell in array.try_iter()? {
        let cell = cell?;
        if !cell.is_none() {
            let list = cell.is_instance_of::<PyList>() || cell.is_instance_of::<PyTuple>();
            return Ok(list || (cell.hasattr("__array__")? && !shape(&asarray(&cell)?)?.is_empty()));
        }
    }
    Ok(false)
}

/// The numbers of each cell as vectors of one number, in their order, and none where a cell is missing; `None` where the first cell is
/// no list of numbers.
fn of_one_channel(object: &Bound<'_, PyAny>) -> PyResult<Option<VectorRows>> {
    let cells: Vec<Bound<'_, PyAny>> = listed(object)?.extract()?;
    let one_axis = |cell: &Bound<'_, PyAny>| asarray(cell).and_then(|cell| Ok(shape(&cell)?.len() == 1 && is_numeric(kind(&cell)?)));
    if !cells.iter().find(|cell| !cell.is_none()).is_some_and(|cell| one_axis(cell).unwrap_or(false)) {
        return Ok(None);
    }
    let of_cell = |(row, cell): (usize, &Bound<'_, PyAny>)| {
        let values = if cell.is_none() { Ok(Vec::new()) } else { asarray(cell).and_then(|cell| numbers(&cell)) };
        let values = values.map_err(|e| within(object.py(), &format!("row {}", row + 1), e))?;
        Ok(values.into_iter().map(|x| vec![x]).collect())
    };
    let missing = cells.iter().enumerate().filter(|(_, cell)| cell.is_none()).map(|(row, _)| row).collect();
    let rows = cells.iter().enumerate().map(of_cell).collect::<PyResult<_>>()?;
    Ok(Some(VectorRows { rows, missing }))
}

/// A vector a cell, all of one length.
fn vectors(array: &Bound<'_, PyAny>) -> PyResult<Points> {
    let (mut all, mut rows, mut dim) = (Vec::new(), 0, None);
    for cell in array.try_iter()? {
        rows += 1;
        let fault = |what: String| data_error(format!("row {rows} holds {what}"));
        let cell = cell?;
        if cell.is_none() {
            return Err(fault("no vector; a vector cannot be missing: leave the row out, or fill it".into()));
        }
        let cell = asarray(&cell).map_err(|e| within(array.py(), &format!("row {rows}"), e))?;
        let axes = shape(&cell)?;
        let ([length], true) = (axes.as_slice(), is_numeric(kind(&cell)?)) else {
            return Err(fault(format!("an array of shape {axes:?} of {}; expected a vector of numbers", cell.getattr("dtype")?)));
        };
        let expected = *dim.get_or_insert(*length);
        if *length != expected {
            return Err(fault(format!("a vector of length {length}, row 1 one of length {expected}; {ONE_LENGTH}")));
        }
        all.append(&mut numbers(&cell)?);
    }
    Points::dense(rows, dim.unwrap_or(0), all).map_err(raise)
}

/// Every cell of an array of one axis as text.
pub(crate) fn written(object: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Written> {
    let dtype = kind(array)?;
    if !is_numeric(dtype) && !matches!(dtype, 'U' | 'O' | 'T') {
        let fix = if dtype == 'm' { "; divide by numpy.timedelta64(1, 's') for seconds" } else { "" };
        return Err(data_error(format!("expected numbers, flags, dates or str, found {}{fix}", array.getattr("dtype")?)));
    }
    let mut texts = Vec::new();
    let mut seen: Option<(Labels, usize)> = None;
    // Numbers beside missing ones or texts are other numbers, or texts, in an array.
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let given = if is_list || is_numeric(dtype) { listed(object)? } else { array.call_method0("tolist")? };
    for (row, cell) in given.try_iter()?.enumerate() {
        let cell = cell?;
        let fault = |why: String| data_error(format!("row {} {why}", row + 1));
        let Some(found) = sort_of(&cell)?.map_err(fault)? else {
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
                    "the cells are mixed: row {} holds {} and row {} {}; make them one type",
                    at + 1,
                    word(before),
                    row + 1,
                    word(found)
                )));
            }
        };
        let cell = if cell.hasattr("start_time")? { cell.getattr("start_time")?.call_method0("isoformat")? } else { cell };
        texts.push(cell.str()?.extract::<String>().map_err(|e| fault(format!("holds what is no text: {e}")))?);
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

/// What one cell is, `None` where it is missing; a fault for what is no cell.
fn sort_of(cell: &Bound<'_, PyAny>) -> PyResult<Result<Option<Labels>, String>> {
    if cell.is_none() {
        return Ok(Ok(None));
    }
    if cell.is_instance_of::<PyString>() {
        return Ok(Ok(Some(Labels::Text)));
    }
    if cell.is_instance_of::<PyBool>() {
        return Ok(Ok(Some(Labels::Flag)));
    }
    if cell.is_instance_of::<PyInt>() {
        return Ok(Ok(Some(Labels::Integer)));
    }
    let class = cell.get_type().name()?.extract::<String>()?;
    let found = match class.as_str() {
        "NAType" | "NaTType" => None,
        // A period of pandas: the day on which it starts.
        "Period" => Some(Labels::Text),
        "bool_" | "bool" => Some(Labels::Flag),
        // A date; its text is ISO 8601.
        _ if cell.hasattr("toordinal")? => Some(Labels::Text),
        _ if cell.is_instance_of::<PyFloat>() || cell.hasattr("__float__")? => {
            let Ok(number) = cell.extract::<f64>() else {
                return Ok(Err(format!("holds {class}, which is neither a number nor a str")));
            };
            let whole = if cell.hasattr("__index__")? { Labels::Integer } else { Labels::Number };
            (!number.is_nan()).then_some(whole)
        }
        _ => {
            let declare = match cell.cast::<PyDict>() {
                Ok(tree) if tree.contains("children")? => "; a column of trees is declared: types={COLUMN: \"tree\"}",
                Ok(graph) if is_graph(graph)? => "; a column of graphs is declared: types={COLUMN: \"graph\"}",
                _ => "",
            };
            return Ok(Err(format!("holds {class}; expected a number, a flag, a date or a str{declare}")));
        }
    };
    Ok(Ok(found))
}

/// Texts of a list or an array of one axis that holds nothing but str; `None` for anything else.
pub(crate) fn strings(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let array = asarray(object)?;
    if shape(&array)?.len() != 1 || is_numeric(kind(&array)?) {
        return Ok(None);
    }
    let written = written(object, &array)?;
    Ok((written.labels == Labels::Text).then_some(written.texts))
}

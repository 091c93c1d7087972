//! What one cell of a column of Python objects is: missing, a number, a flag, a date, a duration, or a label.

use crate::graphs::is_graph;
use mercer::read::Labels;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyString};

/// What a cell that is there holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Text,
    /// An object that is neither text nor number and is written as text: an interval, a member of an enumeration, a UUID, a path.
    Label,
    Date,
    Flag,
    Integer,
    Number,
    Duration,
}

impl Sort {
    /// What a column of two sorts holds; `None` where they do not go together.
    pub(crate) fn with(self, other: Sort) -> Option<Sort> {
        use Sort::{Date, Integer, Label, Number, Text};
        match (self, other) {
            (one, other) if one == other => Some(one),
            (Integer | Number, Integer | Number) => Some(Number),
            (Text | Label | Date, Text | Label | Date) => Some(Text),
            _ => None,
        }
    }
    /// The words of messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Sort::Text => "a str",
            Sort::Label => "a label",
            Sort::Date => "a date",
            Sort::Flag => "a bool",
            Sort::Integer => "an int",
            Sort::Number => "a float",
            Sort::Duration => "a duration",
        }
    }
    /// What labels of this sort are.
    pub(crate) fn labels(self) -> Labels {
        match self {
            Sort::Text | Sort::Label | Sort::Date => Labels::Text,
            Sort::Flag => Labels::Flag,
            Sort::Integer => Labels::Integer,
            Sort::Number | Sort::Duration => Labels::Number,
        }
    }
}

/// A cell that is there: what it is, its text, and its number (of flags 0 or 1, of durations seconds; NaN of texts).
pub(crate) struct Cell {
    pub(crate) sort: Sort,
    pub(crate) text: String,
    pub(crate) number: f64,
}

impl Cell {
    fn text(sort: Sort, text: String) -> Self {
        Cell { sort, text, number: f64::NAN }
    }
}

/// Whether a cell stands for a missing one: None, NaN of any class of numbers, NaT and NA of pandas, the masked cell of numpy.
#[pyfunction]
pub(crate) fn is_missing(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    // Classes of pandas and numpy that stand for a missing cell.
    const GAPS: [&str; 3] = ["NAType", "NaTType", "MaskedConstant"];
    if cell.is_none() {
        return Ok(true);
    }
    if cell.is_instance_of::<PyString>() || cell.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    if let Ok(number) = cell.cast::<PyFloat>() {
        return Ok(number.extract::<f64>()?.is_nan());
    }
    if GAPS.contains(&&*cell.get_type().name()?.to_cow()?) {
        return Ok(true);
    }
    // What is no number, such as a graph or a frame, may compare in a way of its own.
    Ok(!has_axes(cell)? && cell.ne(cell).unwrap_or(false))
}

/// Whether an object is an array with axes, or a container.
fn has_axes(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    match cell.getattr("ndim").and_then(|axes| axes.extract::<usize>()) {
        Ok(axes) => Ok(axes > 0),
        Err(_) => cell.hasattr("__len__"),
    }
}

/// The first cell that is there.
pub(crate) fn first_present<'py>(cells: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for cell in cells.try_iter()? {
        let cell = cell?;
        if !is_missing(&cell)? {
            return Ok(Some(cell));
        }
    }
    Ok(None)
}

/// Whether a cell that is there is no text.
pub(crate) fn holds_objects(cells: &Bound<'_, PyAny>) -> PyResult<bool> {
    for cell in cells.try_iter()? {
        let cell = cell?;
        if !cell.is_instance_of::<PyString>() && !is_missing(&cell)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a cell holds, `None` where it is missing; a fault for what is no cell.
pub(crate) fn read(cell: &Bound<'_, PyAny>) -> PyResult<Result<Option<Cell>, String>> {
    if cell.is_instance_of::<PyString>() {
        // Also of an enumeration of str the text, and not the name of the member.
        let text = cell.extract::<String>().map_err(|e| format!("holds what is no text: {e}"));
        return Ok(text.map(|text| Some(Cell::text(Sort::Text, text))));
    }
    // A scalar of pyarrow.
    let plain = if cell.hasattr("as_py")? { &cell.call_method0("as_py")? } else { cell };
    if is_missing(plain)? {
        return Ok(Ok(None));
    }
    let is_builtin = plain.is_instance_of::<PyInt>() || plain.is_instance_of::<PyFloat>();
    if let Some(text) = if is_builtin { None } else { date(plain)? } {
        return Ok(Ok(Some(Cell::text(Sort::Date, text))));
    }
    if let Some(seconds) = if is_builtin { None } else { seconds(plain)? } {
        return Ok(Ok(Some(Cell { sort: Sort::Duration, text: plain.str()?.to_string(), number: seconds })));
    }
    if let Some(number) = number(plain, is_builtin)? {
        return Ok(number);
    }
    if let Some(text) = own_text(plain)? {
        return Ok(Ok(Some(Cell::text(Sort::Label, text))));
    }
    let declare = match plain.cast::<PyDict>() {
        Ok(tree) if tree.contains("children")? => "; a column of trees is declared: types={COLUMN: \"tree\"}",
        Ok(graph) if is_graph(graph)? => "; a column of graphs is declared: types={COLUMN: \"graph\"}",
        _ if plain.get_type().name()? == "bytes" => "; decode it: cell.decode()",
        _ => "",
    };
    Ok(Err(format!("holds {}; expected a number, a flag, a date or a str{declare}", plain.get_type().name()?)))
}

/// The number or flag that a cell is; `None` for anything else, a fault for a number that is not real.
fn number(cell: &Bound<'_, PyAny>, is_builtin: bool) -> PyResult<Option<Result<Option<Cell>, String>>> {
    let class = cell.get_type().name()?.to_string();
    if cell.is_instance_of::<PyBool>() || matches!(class.as_str(), "bool" | "bool_") {
        let flag = cell.is_truthy()?;
        return Ok(Some(Ok(Some(Cell { sort: Sort::Flag, text: if flag { "True" } else { "False" }.into(), number: flag.into() }))));
    }
    if cell.is_instance_of::<PyComplex>() || class.starts_with("complex") {
        return Ok(Some(Err(format!("holds {class}; expected a real number: give real and imaginary part a column each"))));
    }
    let whole = cell.is_instance_of::<PyInt>() || !is_builtin && cell.hasattr("__index__")?;
    if !is_builtin && (!whole && !cell.hasattr("__float__")? || has_axes(cell)? || cell.hasattr("__call__")?) {
        return Ok(None);
    }
    let number = match cell.extract::<f64>() {
        Ok(number) => number,
        // A whole number above the greatest float64 may still be a label.
        Err(_) if whole => f64::INFINITY,
        Err(e) => {
            let why = e.value(cell.py());
            return Ok(Some(Err(format!("holds {class}, which is neither a number nor a str: as a number it raises {why}"))));
        }
    };
    if number.is_nan() {
        return Ok(Some(Ok(None)));
    }
    let text = if whole { whole_text(cell)? } else { real_text(cell, number)? };
    let sort = if whole { Sort::Integer } else { Sort::Number };
    Ok(Some(Ok(Some(Cell { sort, text, number }))))
}

/// The digits of a whole number of any class.
fn whole_text(cell: &Bound<'_, PyAny>) -> PyResult<String> {
    let digits = if cell.is_exact_instance_of::<PyInt>() { cell.str()? } else { cell.py().get_type::<PyInt>().call1((cell,))?.str()? };
    Ok(digits.to_string())
}

/// A real number as text: equal numbers of one class have one text, and what a float64 does not hold keeps all its digits.
fn real_text(cell: &Bound<'_, PyAny>, number: f64) -> PyResult<String> {
    let float = PyFloat::new(cell.py(), number);
    if cell.is_instance_of::<PyFloat>() || cell.eq(&float).unwrap_or(false) {
        return Ok(float.str()?.to_string());
    }
    // Of a Decimal without zeros at its end, which are no part of its value.
    if cell.hasattr("as_tuple")? && cell.hasattr("normalize")? {
        let digits = cell.call_method1("__format__", ("f",))?.to_string();
        return Ok(if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits });
    }
    if cell.hasattr("numerator")? { Ok(cell.str()?.to_string()) } else { Ok(float.str()?.to_string()) }
}

/// A date, a point in time, or the start of a period of pandas as ISO 8601; `None` for anything else.
fn date(cell: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if cell.hasattr("start_time")? {
        return Ok(Some(cell.getattr("start_time")?.call_method0("isoformat")?.to_string()));
    }
    if cell.hasattr("toordinal")? {
        return Ok(Some(cell.str()?.to_string()));
    }
    if cell.get_type().name()? == "datetime64" { Ok(Some(cell.str()?.to_string())) } else { Ok(None) }
}

/// The seconds of a duration; `None` for anything else.
fn seconds(cell: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if !cell.hasattr("total_seconds")? && cell.get_type().name()? != "timedelta64" {
        return Ok(None);
    }
    let numpy = cell.py().import("numpy")?;
    let fine = numpy.call_method1("timedelta64", (cell, "us"))?;
    fine.div(numpy.call_method1("timedelta64", (1, "s"))?)?.extract().map(Some)
}

/// The text of a value that has one of its own and is equal to others by it; `None` for anything else.
fn own_text(cell: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    // What containers, iterators, arrays and functions have: they are no single values.
    const NO_VALUES: [&str; 4] = ["__len__", "__next__", "__array__", "__call__"];
    // How the text of an object begins its address, where the object has no text of its own.
    const ADDRESS: &str = " at 0x";
    for method in NO_VALUES {
        if cell.hasattr(method)? {
            return Ok(None);
        }
    }
    if cell.hash().is_err() {
        return Ok(None);
    }
    let text = cell.str()?.to_string();
    Ok((!text.contains(ADDRESS) && !text.starts_with("<object")).then_some(text))
}

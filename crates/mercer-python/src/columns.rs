//! One Python column (array, list, series) as cells: numbers, vectors or texts. Types are inferred by the library.

use crate::arrays::{ONE_LENGTH, asarray, dates, from_vec, is_numeric, kind, numbers, points, shape, sparse};
use crate::cells::{self, Sort, first_present, is_missing};
use crate::errors::{data_error, raise, within};
use crate::frames::listed;
use crate::graphs::graphs;
use crate::panels::{is_panel, of_panel};
use crate::sets::{VectorRows, set_rows};
use crate::trees::trees;
use mercer::data::{ColumnKind, Points, Series, Sets};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashSet;

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
    Texts(Texts),
}

/// Cells as text, and what was written so.
pub(crate) struct Texts {
    pub(crate) cells: Vec<String>,
    pub(crate) sort: Sort,
    /// The class of the first cell that is a label by its text.
    pub(crate) class: Option<String>,
    /// The kind of the objects that were written, which their texts need not show.
    pub(crate) kind: Option<ColumnKind>,
}

impl Texts {
    fn of(cells: Vec<String>, kind: ColumnKind) -> Cells {
        Cells::Texts(Texts { cells, sort: Sort::Text, class: None, kind: Some(kind) })
    }
}

/// Texts and numbers of single cells, and what they were.
pub(crate) struct Written {
    /// Empty where a cell is missing.
    pub(crate) texts: Vec<String>,
    /// NaN where a cell is missing or no number.
    pub(crate) numbers: Vec<f64>,
    pub(crate) sort: Sort,
    /// How many cells are there.
    present: usize,
    /// The class of the first cell that is a label by its text.
    pub(crate) class: Option<String>,
}

impl Written {
    /// How many different cells there are.
    pub(crate) fn different(&self) -> usize {
        self.texts.iter().filter(|text| !text.is_empty()).collect::<HashSet<_>>().len()
    }
    /// Whether whole numbers above 2^53 repeat, as labels do, or some that differ would be one number.
    pub(crate) fn loses_digits(&self) -> bool {
        self.sort == Sort::Integer && are_labels(&self.numbers, self.present, self.different())
    }
}

/// The cells of a column, of a kind that may be declared: where text writes that, numbers are text too. What is taken in a way that is
/// worth knowing, or not taken, adds a notice.
pub(crate) fn cells(name: &str, object: &Bound<'_, PyAny>, wanted: Option<ColumnKind>, notices: &mut Vec<String>) -> PyResult<Cells> {
    let mut said = Vec::new();
    let found = cells_of(object, wanted, &mut said).map_err(|e| within(object.py(), &format!("column '{name}'"), e))?;
    notices.extend(said.into_iter().map(|what| format!("column '{name}' {what}")));
    Ok(found)
}

fn cells_of(object: &Bound<'_, PyAny>, wanted: Option<ColumnKind>, said: &mut Vec<String>) -> PyResult<Cells> {
    let as_text = wanted.is_some_and(|kind| kind == ColumnKind::Category || kind.empty().is_some());
    if let Some(graphs) = graphs(object, wanted == Some(ColumnKind::Graph), said)? {
        return Ok(Texts::of(graphs, ColumnKind::Graph));
    }
    if let Some(trees) = trees(object, wanted == Some(ColumnKind::Tree))? {
        return Ok(Texts::of(trees, ColumnKind::Tree));
    }
    if let Some(points) = sparse(object)? {
        return Ok(Cells::Points(points));
    }
    let is_series = wanted == Some(ColumnKind::Series);
    let of_instances = if is_series && is_panel(object)? { Some(of_panel(object)?) } else { None };
    let object = of_instances.as_ref().unwrap_or(object);
    if is_series && let Some(series) = of_table(object, said)? {
        return Ok(Cells::Series(series));
    }
    if let Some(rows) = set_rows(object, wanted == Some(ColumnKind::Set))? {
        return if is_series { rows.series().map(Cells::Series) } else { rows.sets().map(Cells::Sets) };
    }
    if is_series && let Some(rows) = of_one_channel(object)? {
        return rows.series().map(Cells::Series);
    }
    if wanted.is_none()
        && have_unlike_lengths(object)?
        && let Ok(Some(rows)) = of_one_channel(object)
    {
        said.push("holds lists of numbers of unlike lengths: read as series".into());
        return rows.series().map(Cells::Series);
    }
    let array = asarray(object)?;
    let kind = kind(&array)?;
    match shape(&array)?.len() {
        1 if is_numeric(kind) && !as_text => {
            let read = numbers(&array)?;
            if matches!(kind, 'i' | 'u') && lose_digits(&array, &read)? {
                return of_single_cells(written(object, &array)?, true);
            }
            Ok(Cells::Numbers(read))
        }
        1 if kind == 'O' && holds_vectors(&array)? => vectors(&array).map(Cells::Points),
        1 => of_single_cells(written(object, &array)?, as_text),
        2 if is_numeric(kind) => points(&array).map(Cells::Points),
        0 => Err(data_error("expected one cell a row, found a single object")),
        axes => Err(data_error(format!(
            "expected one cell a row, or an array of numbers with two axes; found {axes} axes of {}",
            array.getattr("dtype")?
        ))),
    }
}

/// A column of cells that were read one by one.
fn of_single_cells(read: Written, as_text: bool) -> PyResult<Cells> {
    if as_text && read.sort == Sort::Duration {
        return Err(data_error("expected labels or texts, found durations: cells / numpy.timedelta64(1, 's') makes seconds of them"));
    }
    if as_text || read.loses_digits() || !matches!(read.sort, Sort::Flag | Sort::Integer | Sort::Number | Sort::Duration) {
        return Ok(Cells::Texts(Texts { cells: read.texts, sort: read.sort, class: read.class, kind: None }));
    }
    if read.sort == Sort::Duration {
        return Ok(Cells::Durations(read.numbers));
    }
    if let Some(row) = read.numbers.iter().position(|x| x.is_infinite() && read.sort == Sort::Integer) {
        let digits = read.texts[row].len();
        return Err(data_error(format!("row {} holds a whole number of {digits} digits, and a float64 has no such number", row + 1)));
    }
    Ok(Cells::Numbers(read.numbers))
}

/// Durations in seconds, NaN where one is missing; nanoseconds stay.
fn seconds(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let second = array.py().import("numpy")?.call_method1("timedelta64", (1, "s"))?;
    numbers(&array.call_method1("__truediv__", (second,))?)
}

/// Whether whole numbers above 2^53 repeat, as labels do, or some that differ would be one number.
pub(crate) fn lose_digits(array: &Bound<'_, PyAny>, read: &[f64]) -> PyResult<bool> {
    Ok(read.iter().any(|x| x.abs() > MOST_EXACT) && are_labels(read, read.len(), different(array)?))
}

/// Whether so many whole numbers, as many of which differ, are labels that float64 numbers do not distinguish.
fn are_labels(read: &[f64], present: usize, different: usize) -> bool {
    if read.iter().all(|x| x.is_nan() || x.abs() <= MOST_EXACT) {
        return false;
    }
    let numbers: HashSet<u64> = read.iter().filter(|x| !x.is_nan()).map(|x| x.to_bits()).collect();
    2 * different <= present || numbers.len() < different
}

/// The whole numbers up to which every one is a float64: 2^53.
pub(crate) const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// How many different values there are.
pub(crate) fn different(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    array.py().import("numpy")?.call_method1("unique", (array,))?.len()
}

/// Whether the first cell that is there is a list or an array.
fn holds_vectors(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(cell) = first_present(array)? else { return Ok(false) };
    let list = cell.is_instance_of::<PyList>() || cell.is_instance_of::<PyTuple>();
    Ok(list || (cell.hasattr("__array__")? && !shape(&asarray(&cell)?)?.is_empty()))
}

/// The series of an array of the axes (rows, times) or (rows, times, channels), each ending with its last number; `None` of anything else.
fn of_table(object: &Bound<'_, PyAny>, said: &mut Vec<String>) -> PyResult<Option<Series>> {
    let is_array = object.hasattr("ndim")? && !object.hasattr("columns")?;
    let array = if is_array { asarray(object)? } else { return Ok(None) };
    let (times, channels) = match shape(&array)?[..] {
        [_, times] => (times, 1),
        [_, times, channels] => (times, channels),
        _ => return Ok(None),
    };
    if times == 0 || channels == 0 || !is_numeric(kind(&array)?) {
        return Ok(None);
    }
    let series = Series::padded(times, channels, &numbers(&array)?).map_err(raise)?;
    said.extend(series.shorter_than(times).map(|short| format!("has {short}, which end with NaN")));
    Ok(Some(series))
}

/// Whether the cells that are there are lists or arrays of one axis whose lengths differ.
fn have_unlike_lengths(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyString>()
        || object.hasattr("shape")? && shape(object).is_ok_and(|axes| axes.len() != 1)
        || object.try_iter().is_err()
    {
        return Ok(false);
    }
    let mut first = None;
    for cell in object.try_iter()? {
        let cell = cell?;
        if cell.is_instance_of::<PyString>() || cell.is_instance_of::<PyFloat>() || cell.is_instance_of::<PyInt>() {
            return Ok(false);
        }
        if is_missing(&cell)? {
            continue;
        }
        let Ok(length) = cell.len() else { return Ok(false) };
        if *first.get_or_insert(length) != length {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The numbers of a list or an array of one axis, NaN where one is missing; `None` of anything else.
fn list_of_numbers(cell: &Bound<'_, PyAny>) -> PyResult<Option<Vec<f64>>> {
    number_column(cell)?.map(|found| numbers(&found)).transpose()
}

/// The numbers of each cell as vectors of one number, in their order, and none where a cell is missing; `None` where the first cell is
/// no list of numbers.
fn of_one_channel(object: &Bound<'_, PyAny>) -> PyResult<Option<VectorRows>> {
    let cells = listed(object)?;
    if !first_present(&cells)?.is_some_and(|cell| list_of_numbers(&cell).is_ok_and(|found| found.is_some())) {
        return Ok(None);
    }
    let mut all = VectorRows::default();
    for (row, cell) in cells.try_iter()?.enumerate() {
        let cell = cell?;
        if is_missing(&cell)? {
            all.push_missing();
            continue;
        }
        let fault = |e| within(object.py(), &format!("row {}", row + 1), e);
        let values = list_of_numbers(&cell).map_err(fault)?.ok_or_else(|| fault(data_error("expected a list of numbers")))?;
        all.rows.push(values.into_iter().map(|x| vec![x]).collect());
    }
    Ok(Some(all))
}

/// A vector a cell, all of one length.
fn vectors(array: &Bound<'_, PyAny>) -> PyResult<Points> {
    let (mut all, mut rows, mut dim) = (Vec::new(), 0, None);
    for cell in array.try_iter()? {
        rows += 1;
        let fault = |what: String| data_error(format!("row {rows} holds {what}"));
        let cell = cell?;
        if is_missing(&cell)? {
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

/// Every cell of an array of one axis as text and as a number.
pub(crate) fn written(object: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Written> {
    let dtype = kind(array)?;
    if dtype == 'M' {
        let texts = dates(array)?;
        let present = texts.iter().filter(|text| !text.is_empty()).count();
        return Ok(Written { numbers: vec![f64::NAN; texts.len()], texts, sort: Sort::Date, present, class: None });
    }
    if dtype == 'm' {
        let numbers = seconds(array)?;
        let texts = numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() }).collect();
        let present = numbers.iter().filter(|x| !x.is_nan()).count();
        return Ok(Written { texts, numbers, sort: Sort::Duration, present, class: None });
    }
    if !is_numeric(dtype) && !matches!(dtype, 'U' | 'O' | 'T') {
        let fix = match dtype {
            'S' => "; decode them: numpy.char.decode(cells)",
            'c' => "; give real and imaginary parts a column each",
            'V' => "; give each of its fields as a column",
            _ => "",
        };
        return Err(data_error(format!("expected numbers, flags, dates or str, found {}{fix}", array.getattr("dtype")?)));
    }
    // Numbers beside missing ones or texts are other numbers, or texts, in an array.
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    each_written(&if is_list || is_numeric(dtype) { listed(object)? } else { array.call_method0("tolist")? })
}

/// Cells of Python one by one.
fn each_written(cells: &Bound<'_, PyAny>) -> PyResult<Written> {
    let mut all = Written { texts: Vec::new(), numbers: Vec::new(), sort: Sort::Text, present: 0, class: None };
    let mut seen: Option<(Sort, usize)> = None;
    for (row, cell) in cells.try_iter()?.enumerate() {
        let cell = cell?;
        let Some(read) = cells::read(&cell)?.map_err(|why| data_error(format!("row {} {why}", row + 1)))? else {
            all.texts.push(String::new());
            all.numbers.push(f64::NAN);
            continue;
        };
        let (before, at) = seen.unwrap_or((read.sort, row));
        let Some(both) = before.with(read.sort) else {
            return Err(data_error(format!(
                "the cells are mixed: row {} holds {} and row {} {}; make them one type",
                at + 1,
                before.word(),
                row + 1,
                read.sort.word()
            )));
        };
        seen = Some((both, at));
        all.present += 1;
        if read.sort == Sort::Label && all.class.is_none() {
            all.class = Some(cell.get_type().name()?.to_string());
        }
        all.texts.push(read.text);
        all.numbers.push(read.number);
    }
    all.sort = seen.map_or(Sort::Text, |(sort, _)| sort);
    Ok(all)
}

/// The numbers of a column that holds nothing but numbers, flags and missing cells, which are NaN; `None` for any other column.
#[pyfunction]
pub(crate) fn number_column<'py>(column: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let array = asarray(column)?;
    if shape(&array)?.len() != 1 {
        return Ok(None);
    }
    if is_numeric(kind(&array)?) {
        return Ok(Some(from_vec(column.py(), numbers(&array)?)));
    }
    if !matches!(kind(&array)?, 'O' | 'U' | 'T') {
        return Ok(None);
    }
    let mut all = Vec::new();
    for cell in listed(column)?.try_iter()? {
        match cells::read(&cell?)? {
            Ok(None) => all.push(f64::NAN),
            Ok(Some(cell)) if matches!(cell.sort, Sort::Flag | Sort::Integer | Sort::Number) => all.push(cell.number),
            _ => return Ok(None),
        }
    }
    Ok(Some(from_vec(column.py(), all)))
}

/// Texts of a list or an array of one axis that holds nothing but str; `None` for anything else.
pub(crate) fn strings(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let array = asarray(object)?;
    if shape(&array)?.len() != 1 || is_numeric(kind(&array)?) {
        return Ok(None);
    }
    let written = written(object, &array)?;
    Ok(matches!(written.sort, Sort::Text | Sort::Label | Sort::Date).then_some(written.texts))
}

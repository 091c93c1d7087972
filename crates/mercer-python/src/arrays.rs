//! Numbers between numpy and the library: any layout and any real type in, float64 out.

use crate::errors::{data_error, raise};
use crate::frames::{fields, without_dictionary};
use mercer::control::Control;
use mercer::data::Points;
use mercer::linalg::Matrix;
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// What is to be done about vectors of several lengths.
pub(crate) const ONE_LENGTH: &str = "make them one length, give a column for each of their numbers, or declare series, of any length and with gaps: \
                                     Dataset({\"x\": rows}, types={\"x\": \"series\"})";

/// `numpy.asarray`, with an error about the data for what it cannot convert. Masked cells become NaN or `None`.
pub(crate) fn asarray<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let numpy = py.import("numpy")?;
    if is_masked(object)? {
        return unmasked(object);
    }
    if let Some(plain) = without_dictionary(object)? {
        return numpy.call_method1("asarray", (plain,));
    }
    let rows = unmasked_rows(object)?;
    numpy.call_method1("asarray", (rows.as_ref().unwrap_or(object),)).map_err(|e| {
        if e.is_instance_of::<PyValueError>(py) || e.is_instance_of::<PyTypeError>(py) {
            data_error(uneven(object).unwrap_or_else(|| format!("this is no array of rows of one length: {}", e.value(py))))
        } else {
            e
        }
    })
}

/// A masked array, or a list of rows some of which are masked, as a plain array whose masked cells are NaN or None; anything else as it is.
#[pyfunction(name = "unmasked")]
pub(crate) fn without_masks<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !is_masked(object)? {
        return Ok(unmasked_rows(object)?.unwrap_or_else(|| object.clone()));
    }
    if fields(object)?.is_some() { Ok(object.clone()) } else { unmasked(object) }
}

/// Whether an object is a masked array of numpy, or of a class derived from it.
fn is_masked(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("filled")? && object.hasattr("mask")? && object.hasattr("dtype")?)
}

/// A masked array as a plain one: NaN where a float is masked, `None` where anything else is. Whole numbers and flags of two axes become
/// floats, since rows of numbers hold one type.
fn unmasked<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = object.py().import("numpy")?;
    let masks = numpy.getattr("ma")?;
    let (cells, mask) = (masks.call_method1("getdata", (object,))?, masks.call_method1("getmaskarray", (object,))?);
    if !mask.call_method0("any")?.is_truthy()? {
        return Ok(cells);
    }
    let kind = kind(&cells)?;
    if kind == 'f' || is_numeric(kind) && shape(&cells)?.len() != 1 {
        let numbers = cells.call_method1("astype", ("float64",))?;
        return numpy.call_method1("where", (mask, f64::NAN, numbers));
    }
    // `filled(None)` would fill with numpy's own sign for a missing cell.
    numpy.call_method1("where", (mask, object.py().None(), cells.call_method1("astype", ("object",))?))
}

/// The rows of a list some of whose rows are masked arrays, these without their masks; `None` for anything else: numpy would read what
/// stands under them.
fn unmasked_rows<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let listed = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let is_plain = |row: &Bound<'_, PyAny>| {
        row.is_instance_of::<PyFloat>() || row.is_instance_of::<PyString>() || row.is_instance_of::<PyInt>() || row.is_none()
    };
    let masked = |row: &Bound<'py, PyAny>| Ok::<bool, PyErr>(!is_plain(row) && is_masked(row)?);
    if !listed || !object.try_iter()?.map(|row| masked(&row?)).collect::<PyResult<Vec<_>>>()?.contains(&true) {
        return Ok(None);
    }
    // A masked cell of its own stands for a missing one.
    let plain = |row: Bound<'py, PyAny>| match masked(&row)? {
        true if shape(&row)?.is_empty() => Ok(object.py().None().into_bound(object.py())),
        true => unmasked(&row),
        false => Ok(row),
    };
    let rows = object.try_iter()?.map(|row| plain(row?)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(object.py(), rows).map(|rows| Some(rows.into_any()))
}

/// The error message for the first row whose length differs from that of row 0; `None` if all are equal.
fn uneven(rows: &Bound<'_, PyAny>) -> Option<String> {
    let length = |row: &Bound<'_, PyAny>| if row.is_instance_of::<PyString>() { None } else { row.len().ok() };
    let said = |length: Option<usize>| length.map_or_else(|| "a single value".into(), |n| format!("a vector of length {n}"));
    let mut lengths = rows.try_iter().ok()?.map_while(|row| row.ok().map(|row| length(&row)));
    let first = lengths.next()?;
    let (row, found) = lengths.enumerate().find(|(_, found)| *found != first)?;
    Some(format!("row {} holds {}, row 1 {}; {ONE_LENGTH}", row + 2, said(found), said(first)))
}

/// Dates and times as ISO text, empty where one is missing.
pub(crate) fn dates(array: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let unit = PyDict::new(array.py());
    unit.set_item("unit", "auto")?;
    let texts = array.py().import("numpy")?.call_method("datetime_as_string", (array,), Some(&unit))?;
    let texts: Vec<String> = texts.call_method0("tolist")?.extract()?;
    Ok(texts.into_iter().map(|text| if text == "NaT" { String::new() } else { text }).collect())
}

/// The letter of numpy for the type of the cells: `f`, `i`, `u`, `b`, `U`, `O`, ...
pub(crate) fn kind(array: &Bound<'_, PyAny>) -> PyResult<char> {
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok(kind.chars().next().unwrap_or('?'))
}

/// Whether cells of this kind are real numbers or flags.
pub(crate) fn is_numeric(kind: char) -> bool {
    matches!(kind, 'f' | 'i' | 'u' | 'b')
}

/// The lengths of an array along its axes.
pub(crate) fn shape(array: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    array.getattr("shape")?.extract()
}

/// All numbers of an array, the last axis fastest.
pub(crate) fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let kind = kind(array)?;
    if !is_numeric(kind) {
        return Err(data_error(format!("expected real numbers, found an array of {}", array.getattr("dtype")?)));
    }
    in_order(array, "float64")
}

/// All cells of an array as numbers of this type, the last axis fastest; an array that is misaligned, as of bytes from elsewhere, is copied.
fn in_order<T: numpy::Element + Copy>(array: &Bound<'_, PyAny>, dtype: &str) -> PyResult<Vec<T>> {
    let plain = array.py().import("numpy")?.call_method1("require", (array, dtype, "CA"))?.cast_into::<PyArrayDyn<T>>()?;
    let read = plain.try_readonly().map_err(|e| data_error(e.to_string()))?;
    Ok(read.as_slice().map_err(|e| data_error(e.to_string()))?.to_vec())
}

/// Row and column numbers, which are whole.
fn places(array: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if !matches!(kind(array)?, 'i' | 'u') {
        return Err(data_error(format!("a sparse matrix whose places are {}; expected whole numbers", array.getattr("dtype")?)));
    }
    in_order(array, "int64")
}

/// Column numbers; one that is none becomes the greatest u32, which is no column of any matrix.
fn columns(array: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let number = |c: i64| u32::try_from(c).unwrap_or(u32::MAX);
    match array.cast::<PyArrayDyn<i32>>() {
        Ok(_) => Ok(in_order::<i32>(array, "int32")?.into_iter().map(|c| number(c.into())).collect()),
        Err(_) => Ok(places(array)?.into_iter().map(number).collect()),
    }
}

/// Numbers of an object with one axis.
pub(crate) fn vector(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let array = asarray(object)?;
    match shape(&array)?.as_slice() {
        [_] => numbers(&array),
        other => Err(data_error(format!("{what}: expected one number a row, found an array of shape {other:?}"))),
    }
}

/// A numeric array of two axes.
pub(crate) fn matrix(object: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let array = asarray(object)?;
    let [rows, dim] = two_axes(&array)?;
    Matrix::new(rows, dim, numbers(&array)?).map_err(raise)
}

/// Points of a numeric array of two axes.
pub(crate) fn points(array: &Bound<'_, PyAny>) -> PyResult<Points> {
    let [rows, dim] = two_axes(array)?;
    Points::dense(rows, dim, numbers(array)?).map_err(raise)
}

/// Rows and columns, both axes there and at least one column.
pub(crate) fn two_axes(array: &Bound<'_, PyAny>) -> PyResult<[usize; 2]> {
    match shape(array)?.as_slice() {
        [rows, dim] if *dim > 0 => Ok([*rows, *dim]),
        [_, _] => Err(data_error("the array has no columns; rows need one number at least, and of sets of vectors one must hold a vector")),
        [_] => Err(data_error("expected an array of two axes (rows and columns), found one axis; write x.reshape(-1, 1) for one column")),
        [] => Err(data_error("expected an array of two axes (rows and columns), found a single object")),
        other => Err(data_error(format!("expected an array of two axes (rows and columns), found {} ({other:?})", other.len()))),
    }
}

/// Points of a sparse matrix, its columns compressed or its rows (scipy turns the former into the latter); `None` for
/// anything else. The matrix of the caller stays as it is.
pub(crate) fn sparse(object: &Bound<'_, PyAny>) -> PyResult<Option<Points>> {
    let rows = if object.hasattr("tocsr")? { object.call_method0("tocsr")? } else { object.clone() };
    for part in ["indptr", "indices", "data", "shape"] {
        if !rows.hasattr(part)? {
            return Ok(None);
        }
    }
    let [n, dim] = two_axes(&rows)?;
    let part = |name: &str| asarray(&rows.getattr(name)?);
    let (starts, columns, values) = (places(&part("indptr")?)?, columns(&part("indices")?)?, numbers(&part("data")?)?);
    let starts: Vec<usize> = starts.into_iter().map_while(|start| start.try_into().ok()).collect();
    let sound = starts.len() == n + 1
        && starts.windows(2).all(|w| w[0] <= w[1])
        && starts.first() == Some(&0)
        && starts.last().is_some_and(|&end| end <= columns.len())
        && columns.len() == values.len()
        && columns.iter().all(|&c| (c as usize) < dim);
    if !sound || u32::try_from(dim).is_err() {
        return Err(data_error("the parts of this sparse matrix do not fit together"));
    }
    Control::default().plan(&format!("a sparse matrix of {dim} columns"), dim as u64 * Points::BYTES_PER_COLUMN).map_err(raise)?;
    if starts[n] == columns.len() && starts.windows(2).all(|w| columns[w[0]..w[1]].is_sorted_by(|a, b| a < b)) {
        return Points::csr(n, dim, starts, columns, values).map(Some).map_err(raise);
    }
    // Sorted within rows, entries of one place added.
    let (mut s, mut c, mut v) = (vec![0], Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    let mut row: Vec<(u32, f64)> = Vec::new();
    for w in starts.windows(2) {
        row.clear();
        row.extend((w[0]..w[1]).map(|k| (columns[k], values[k])));
        row.sort_by_key(|(column, _)| *column);
        let begin = c.len();
        for &(column, value) in &row {
            match v.last_mut() {
                Some(last) if c.len() > begin && c.last() == Some(&column) => *last += value,
                _ => {
                    c.push(column);
                    v.push(value);
                }
            }
        }
        s.push(c.len());
    }
    Points::csr(n, dim, s, c, v).map(Some).map_err(raise)
}

/// A matrix as an array of two axes.
pub(crate) fn from_matrix(py: Python<'_>, matrix: Matrix) -> PyResult<Bound<'_, PyAny>> {
    let shape = [matrix.rows(), matrix.cols()];
    Ok(matrix.into_data().into_pyarray(py).reshape(shape)?.into_any())
}

/// A matrix as an array of two axes, or of one where it has one column.
pub(crate) fn from_outputs(py: Python<'_>, matrix: Matrix) -> PyResult<Bound<'_, PyAny>> {
    if matrix.cols() == 1 { Ok(from_vec(py, matrix.into_data())) } else { from_matrix(py, matrix) }
}

/// Numbers as an array of one axis.
pub(crate) fn from_vec(py: Python<'_>, numbers: Vec<f64>) -> Bound<'_, PyAny> {
    numbers.into_pyarray(py).into_any()
}

/// Row numbers as an array.
pub(crate) fn from_indices<'py>(py: Python<'py>, indices: &[usize]) -> Bound<'py, PyAny> {
    indices.iter().map(|&i| i as i64).collect::<Vec<_>>().into_pyarray(py).into_any()
}

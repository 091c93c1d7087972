//! Numbers between numpy and the library: any layout and any real type in, float64 out.

use crate::errors::data_error;
use mercer::data::Points;
use mercer::linalg::Matrix;
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// `numpy.asarray`, with what it cannot take told as a fault of the data. Masked cells become NaN.
pub(crate) fn asarray<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if object.get_type().name()?.to_cow()? == "MaskedArray" {
        return object.call_method1("astype", ("float64",))?.call_method1("filled", (f64::NAN,));
    }
    py.import("numpy")?.call_method1("asarray", (object,)).map_err(|e| {
        if e.is_instance_of::<PyValueError>(py) || e.is_instance_of::<PyTypeError>(py) {
            data_error(format!("this is no array of rows of one length: {}", e.value(py)))
        } else {
            e
        }
    })
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
    let plain = array.py().import("numpy")?.call_method1("ascontiguousarray", (array, "float64"))?;
    let plain = plain.cast_into::<PyArrayDyn<f64>>()?;
    let read = plain.try_readonly().map_err(|e| data_error(e.to_string()))?;
    Ok(read.as_slice().map_err(|e| data_error(e.to_string()))?.to_vec())
}

/// Numbers of an object with one axis.
pub(crate) fn vector(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let array = asarray(object)?;
    match shape(&array)?.as_slice() {
        [_] => numbers(&array),
        other => Err(data_error(format!("{what}: expected one number a row, found an array of shape {other:?}"))),
    }
}

/// Points of a numeric array of two axes.
pub(crate) fn points(array: &Bound<'_, PyAny>) -> PyResult<Points> {
    let [rows, dim] = two_axes(array)?;
    Points::dense(rows, dim, numbers(array)?).map_err(crate::errors::raise)
}

/// Rows and columns, both axes there and at least one column.
pub(crate) fn two_axes(array: &Bound<'_, PyAny>) -> PyResult<[usize; 2]> {
    match shape(array)?.as_slice() {
        [rows, dim] if *dim > 0 => Ok([*rows, *dim]),
        [_, _] => Err(data_error("the array has no columns")),
        [_] => Err(data_error("expected an array of two axes (rows and columns), found one axis; write x.reshape(-1, 1) for one column")),
        [] => Err(data_error("expected an array of two axes (rows and columns), found a single object")),
        other => Err(data_error(format!("expected an array of two axes (rows and columns), found {} ({other:?})", other.len()))),
    }
}

/// The parts of a sparse matrix in compressed rows; `None` for anything else.
pub(crate) fn sparse(object: &Bound<'_, PyAny>) -> PyResult<Option<Points>> {
    let rows = if object.hasattr("tocsr")? { object.call_method0("tocsr")? } else { object.clone() };
    for part in ["indptr", "indices", "data", "shape"] {
        if !rows.hasattr(part)? {
            return Ok(None);
        }
    }
    let part = |name: &str| asarray(&rows.getattr(name)?).and_then(|a| numbers(&a));
    let starts: Vec<usize> = part("indptr")?.into_iter().map(|s| s as usize).collect();
    let (columns, values) = (part("indices")?, part("data")?);
    let (n, dim): (usize, usize) = rows.getattr("shape")?.extract()?;
    let sound = starts.len() == n + 1
        && starts.windows(2).all(|w| w[0] <= w[1])
        && starts.first() == Some(&0)
        && starts.last().is_some_and(|&end| end <= columns.len())
        && columns.len() == values.len()
        && columns.iter().all(|&c| c >= 0.0 && c < dim as f64);
    if !sound || u32::try_from(dim).is_err() {
        return Err(data_error("the parts of this sparse matrix do not fit together"));
    }
    // Sorted within rows, entries of one place added: a canonical copy, the matrix of the caller stays as it is.
    let (mut s, mut c, mut v) = (vec![0], Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    for w in starts.windows(2) {
        let mut row: Vec<(u32, f64)> = (w[0]..w[1]).map(|k| (columns[k] as u32, values[k])).collect();
        row.sort_by_key(|(column, _)| *column);
        let begin = c.len();
        for (column, value) in row {
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
    Points::csr(n, dim, s, c, v).map(Some).map_err(crate::errors::raise)
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

//! Prepared columns as estimators of scikit-learn's kind take them: one array of numbers, or the texts of a single column.

use crate::arrays::{from_matrix, from_vec};
use crate::dataset::column_array;
use crate::errors::{data_error, raise};
use mercer::data::{Column, ColumnKind, Dataset, Storage, Values};
use mercer::linalg::Matrix;
use numpy::IntoPyArray;
use pyo3::prelude::*;

/// The columns of a table: numbers as they were prepared, a 0 or 1 for each label of a category; texts or sequences alone as str.
///
/// # Errors
/// Columns of other kinds, or texts beside other columns.
pub(crate) fn columns<'py>(py: Python<'py>, table: &Dataset) -> PyResult<Bound<'py, PyAny>> {
    if let [Column { values, .. }] = table.columns() {
        match values {
            Values::Points(points) if points.is_sparse() => return sparse_rows(py, points),
            Values::Texts(_) | Values::Sequences(_) => return column_array(py, values),
            _ => {}
        }
    }
    let mut parts = Vec::new();
    for column in table.columns() {
        parts.push(match &column.values {
            Values::Numbers(numbers) => from_vec(py, numbers.clone()),
            Values::Points(_) => column_array(py, &column.values)?,
            Values::Categories(labels) => {
                let width = labels.names.len();
                let mut indicators = Matrix::zeros(table.rows(), width);
                for (i, code) in labels.codes.iter().enumerate() {
                    if (*code as usize) < width {
                        indicators[(i, *code as usize)] = 1.0;
                    }
                }
                from_matrix(py, indicators)?
            }
            other => return Err(no_numbers(&column.name, other.kind())),
        });
    }
    if parts.is_empty() {
        return Err(data_error("there is no column to learn from"));
    }
    py.import("numpy")?.call_method1("column_stack", (parts,))
}

/// The refusal of a column that no array of numbers holds.
fn no_numbers(name: &str, kind: ColumnKind) -> PyErr {
    data_error(format!(
        "an estimator of scikit-learn's kind takes numbers and labels, or one column of texts, and column '{name}' holds {}; leave the \
         column out, or take an estimator of kernel values",
        kind.holds()
    ))
}

/// Sparse rows as scipy holds them.
fn sparse_rows<'py>(py: Python<'py>, points: &mercer::data::Points) -> PyResult<Bound<'py, PyAny>> {
    let Storage::Csr { starts, columns, values } = points.storage() else { return Err(data_error("expected sparse rows")) };
    let indices: Vec<i32> = columns.iter().map(|&column| column as i32).collect();
    let starts: Vec<i64> = starts.iter().map(|&start| start as i64).collect();
    let parts = (values.clone().into_pyarray(py), indices.into_pyarray(py), starts.into_pyarray(py));
    let shape = pyo3::types::PyDict::new(py);
    shape.set_item("shape", (points.rows(), points.dim()))?;
    py.import("scipy.sparse")?.call_method("csr_matrix", (parts,), Some(&shape))
}

/// Columns of numbers and of points as one array of two axes.
pub(crate) fn points<'py>(py: Python<'py>, table: &Dataset) -> PyResult<Bound<'py, PyAny>> {
    let places: Vec<usize> = (0..table.columns().len()).collect();
    let points = <mercer::data::Points as mercer::data::Inputs>::gather(table, &places).map_err(raise)?;
    column_array(py, &Values::Points(points.into_owned()))
}

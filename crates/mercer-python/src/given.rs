//! Kernel values and neighbours that are given instead of inputs.

use crate::answers::values;
use crate::arrays::{asarray, from_matrix, numbers, two_axes};
use crate::columns::{Cells, cells};
use crate::dataset::{self, dataset, of_one_column, with_notices};
use crate::errors::{data_error, raise};
use crate::frames::{is_frame, mapping, tabled};
use crate::lone_columns::only_kind;
use crate::model::Model;
use crate::work::Limits;
use mercer::data::{Column, ColumnKind, Dataset, Own, Similarities, Values};
use mercer::error::Result;
use mercer::estimators::{FoundNeighbours, Want};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use mercer::read::ColumnType;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// Whether a kernel takes kernel values that are there already, and nothing else.
pub(crate) fn takes_kernel_values(kernel: &KernelExpr) -> bool {
    kernel.uses(&[("x", ColumnKind::Similarities)]).is_ok_and(|uses| uses.unused.is_empty())
}

/// Kernel values of an array.
pub(crate) fn kernel_values(object: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let array = asarray(object)?;
    let [rows, width] = two_axes(&array)?;
    Matrix::new(rows, width, numbers(&array)?).map_err(raise)
}

/// One column of rows of a kernel matrix.
pub(crate) fn of_similarities(name: &str, rows: Result<Similarities>) -> PyResult<Dataset> {
    let column = |rows| Column { name: name.to_owned(), values: Values::Similarities(rows) };
    rows.and_then(|rows| Dataset::new(vec![column(rows)])).map_err(raise)
}

/// Training rows, with what is said of how they were read; for a kernel that takes nothing but kernel values an array or a frame holds those
/// among them.
pub(crate) fn training_rows(kernel: Option<&KernelExpr>, object: &Bound<'_, PyAny>) -> PyResult<(Arc<Dataset>, Vec<String>)> {
    let Some(kernel) = kernel else { return with_notices(object) };
    if takes_kernel_values(kernel) {
        return among(object).map(|data| (data, Vec::new()));
    }
    match only_kind(kernel, object)? {
        Some(kind) => of_one_column(object, ColumnType::Of(kind)),
        None => with_notices(object),
    }
}

/// Training rows for a kernel that takes nothing but kernel values: an array or a frame holds those among them.
pub(crate) fn among(object: &Bound<'_, PyAny>) -> PyResult<Arc<Dataset>> {
    let object = &tabled(object)?;
    if is_frame(object)? {
        check_labels(object)?;
        let (values, names) = frame_values(object)?;
        let rows = Similarities::among(values);
        return of_similarities("x", rows.and_then(|rows| names.map_or(Ok(rows.clone()), |names| rows.named(names)))).map(Arc::new);
    }
    match object.is_instance_of::<dataset::Dataset>() || mapping(object)?.is_some() {
        true => dataset(object),
        false => of_similarities("x", Similarities::among(kernel_values(object)?)).map(Arc::new),
    }
}

/// The numbers of a frame, row after row, and the names of its columns where these are labels.
pub(crate) fn frame_values(frame: &Bound<'_, PyAny>) -> PyResult<(Matrix, Option<Vec<String>>)> {
    let columns = mapping(frame)?.unwrap_or_default();
    let mut read = Vec::new();
    for (name, column) in &columns {
        match cells(name, column, Some(ColumnKind::Number), &mut Vec::new())? {
            Cells::Numbers(numbers) => read.push(numbers),
            _ => {
                return Err(data_error(format!(
                    "column '{name}' of the frame holds no numbers, and a matrix of kernel values is expected"
                )));
            }
        }
    }
    let rows = read.first().map_or(0, Vec::len);
    let values = Matrix::from_fn(rows, read.len(), |i, j| read[j].get(i).copied().unwrap_or(f64::NAN));
    let labels = if frame.hasattr("column_names")? { frame.getattr("column_names")? } else { frame.getattr("columns")? };
    Ok((values, labels_along(&labels)?))
}

/// The labels along an axis of a frame where all are str; `None` for numbers.
fn labels_along(labels: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let each = labels.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Ok(each.iter().map(|label| label.cast::<PyString>().ok().map(|label| label.to_string())).collect())
}

/// Refuses a square frame of kernel values whose rows and columns have labels, in two orders.
#[pyfunction]
pub(crate) fn check_labels(frame: &Bound<'_, PyAny>) -> PyResult<()> {
    if !is_frame(frame)? || !frame.hasattr("index")? {
        return Ok(());
    }
    let (rows, columns) = (labels_along(&frame.getattr("index")?)?, labels_along(&frame.getattr("columns")?)?);
    let (Some(rows), Some(columns)) = (rows, columns) else { return Ok(()) };
    match rows.iter().zip(&columns).position(|(row, column)| row != column) {
        Some(at) => Err(data_error(format!(
            "row {} of the frame is '{}' and its column {} '{}': rows and columns of a kernel matrix have one order; frame.loc[frame.columns] \
             brings the rows into that of the columns",
            at + 1,
            rows[at],
            at + 1,
            columns[at]
        ))),
        None => Ok(()),
    }
}

/// New rows of a model of kernel values from a frame: its columns are the training rows, in their order.
pub(crate) fn against_frame(name: &str, items: &[String], frame: &Bound<'_, PyAny>) -> PyResult<Dataset> {
    let (values, names) = frame_values(frame)?;
    let numbered = items.iter().enumerate().all(|(at, item)| *item == at.to_string());
    if let Some(names) = names.filter(|names| !numbered && names.len() == items.len())
        && let Some(at) = names.iter().zip(items).position(|(name, item)| name != item)
    {
        return Err(data_error(format!(
            "column {} of the frame is '{}', and training row {} was '{}': columns of kernel values have the order of the training rows",
            at + 1,
            names[at],
            at + 1,
            items[at]
        )));
    }
    of_similarities(name, Similarities::against(items, values, Own::Unknown))
}

/// Rows identified by number only, for a method that looks at no kernel value while it is fitted.
#[pyfunction]
pub(crate) fn items(rows: usize) -> PyResult<dataset::Dataset> {
    of_similarities("x", Ok(Similarities::items(rows))).map(|data| dataset::Dataset::new(data, Vec::new()))
}

/// Predictions of a model of nearest neighbours that were found elsewhere: of M inputs `places` (M x count) are numbers of rows
/// that were learnt from, nearest first, `distances` how far they are, and `weights`, if given, how much each counts. `own`
/// says which of these rows the inputs are, where they are answered by the others. With `scores` votes are given and not classes.
/// Classes come as codes.
#[pyfunction]
#[pyo3(signature = (model, places, distances, weights=None, *, own=None, scores=false, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn neighbours<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    places: &Bound<'py, PyAny>,
    distances: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    own: Option<&Bound<'py, PyAny>>,
    scores: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let model = model.get().model.clone();
    let rows =
        |object: &Bound<'_, PyAny>| Ok::<_, PyErr>(numbers(&asarray(object)?)?.into_iter().map(|row| row as usize).collect::<Vec<_>>());
    let (places, own) = (rows(places)?, own.map(rows).transpose()?);
    let (distances, weights) = (kernel_values(distances)?, weights.map(kernel_values).transpose()?);
    let want = Want { scores, ..Want::default() };
    let answer = model.answer.clone();
    let found = Limits::threads(threads).run(py, move |control| {
        let found = FoundNeighbours::new(model.support.rows(), &places, &distances, weights, own)?;
        model.predict_found(&found, want, control)
    })?;
    match found.scores {
        Some(votes) => from_matrix(py, votes),
        None if scores => Err(data_error("there are no votes where numbers are predicted")),
        None => values(py, found.values, &answer.target(), true),
    }
}

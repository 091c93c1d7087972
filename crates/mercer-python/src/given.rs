//! Kernel values and neighbours that are given instead of inputs.

use crate::answers::values;
use crate::arrays::{asarray, from_matrix, numbers, two_axes};
use crate::dataset::{self, dataset};
use crate::errors::{data_error, raise};
use crate::frames::{mapping, tabled};
use crate::model::Model;
use crate::work::Limits;
use mercer::data::{Column, ColumnKind, Dataset, Similarities, Values};
use mercer::error::Result;
use mercer::estimators::{FoundNeighbours, Want};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;
use pyo3::prelude::*;
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

/// Training rows for a kernel that takes nothing but kernel values: an array holds those among them.
pub(crate) fn among(object: &Bound<'_, PyAny>) -> PyResult<Arc<Dataset>> {
    match object.is_instance_of::<dataset::Dataset>() || mapping(&tabled(object)?)?.is_some() {
        true => dataset(object),
        false => of_similarities("x", Similarities::among(kernel_values(object)?)).map(Arc::new),
    }
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

//! `linear_machine`: support vector machines on written-out features, for the classes of scikit-learn's form.

use crate::arrays::{asarray, from_matrix, from_vec, points, sparse, vector};
use crate::dataset::weights;
use crate::errors::data_error;
use crate::work::Limits;
use mercer::data::Target;
use mercer::linear::{Linear, LinearSvc, LinearSvr};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Fits one problem for two classes and for numbers (`classes` is None, and `tube` what is free), else one for each class.
#[pyfunction]
#[pyo3(signature = (data, target, sample_weight=None, *, classes=None, class_weight=None, c=1.0, squared=true, tube=0.0, constant=0.0, primal=false, tolerance=1e-4, max_iterations=1000, seed=0, max_seconds=None, threads=0, progress=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn linear_machine<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    sample_weight: Option<&Bound<'py, PyAny>>,
    classes: Option<Vec<String>>,
    class_weight: Option<&Bound<'py, PyAny>>,
    c: f64,
    squared: bool,
    tube: f64,
    constant: f64,
    primal: bool,
    tolerance: f64,
    max_iterations: usize,
    seed: u64,
    max_seconds: Option<f64>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let points = match sparse(data)? {
        Some(points) => points,
        None => points(&asarray(data)?)?,
    };
    let target = match classes {
        Some(names) => Target::Classes { codes: codes(target, names.len())?, names },
        None => Target::numbers(&vector(target, "target")?),
    };
    if target.rows() != points.rows() {
        return Err(data_error(format!("the target has {} rows, the data {}", target.rows(), points.rows())));
    }
    let class_weights = class_weight.map(|w| vector(w, "class_weight")).transpose()?;
    let rows = weights(sample_weight)?;
    let linear = Linear { c, squared, constant, primal, tolerance, max_iterations };
    let model = Limits { threads, max_seconds, progress, ..Limits::default() }.run(py, move |control| match &target {
        Target::Classes { .. } => LinearSvc { linear, class_weights }.fit(&points, &target, rows.as_deref(), control, seed),
        _ => LinearSvr { linear, tube }.fit(&points, &target, rows.as_deref(), control, seed),
    })?;
    let out = PyDict::new(py);
    out.set_item("weights", from_matrix(py, model.weights)?)?;
    out.set_item("offset", from_vec(py, model.offset))?;
    out.set_item("steps", model.steps)?;
    out.set_item("objective", model.summary.objective)?;
    out.set_item("converged", model.summary.converged)?;
    out.set_item("violation", model.summary.violation)?;
    if let Some(found) = model.summary.certificate {
        let certificate = PyDict::new(py);
        certificate.set_item("name", found.name)?;
        certificate.set_item("value", found.value)?;
        certificate.set_item("tolerance", found.tolerance)?;
        out.set_item("certificate", certificate)?;
    }
    Ok(out)
}

/// Places of classes among their names.
fn codes(target: &Bound<'_, PyAny>, classes: usize) -> PyResult<Vec<usize>> {
    let given = vector(target, "target")?;
    match given.iter().position(|code| code.fract() != 0.0 || !(0.0..classes as f64).contains(code)) {
        Some(row) => Err(data_error(format!("target: row {} has the code {} and there are {classes} classes", row + 1, given[row]))),
        None => Ok(given.into_iter().map(|code| code as usize).collect()),
    }
}

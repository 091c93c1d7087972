//! `linear_machine`: the estimators `linear_svc` and `linear_svr` on columns as they are, for the classes of scikit-learn's form.

use crate::arrays::{asarray, from_matrix, from_vec, points, sparse, vector};
use crate::dataset::weights;
use crate::errors::data_error;
use crate::work::Limits;
use mercer::data::Target;
use mercer::estimators::{Estimator, Fitted, HingeLoss, LinearSolver, LinearSvc, LinearSvr, Task, TubeLoss};
use mercer::gram::Features;
use mercer::linalg::Matrix;
use mercer::param::Value;
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
    let factors = class_weight.map(|w| vector(w, "class_weight")).transpose()?;
    let rows = weights(sample_weight)?;
    let number = |x: f64| Value::Number(x);
    let solver = if primal { LinearSolver::Primal } else { LinearSolver::Dual };
    let (intercept_scale, tolerance, max_iterations) = (number(constant), number(tolerance), number(max_iterations as f64));
    let (expansion, summary) = Limits { threads, max_seconds, progress, ..Limits::default() }.run(py, move |control| {
        let features = Features::of_points(points)?;
        let task = Task { gram: &features, target: &target, weights: rows.as_deref(), control, seed };
        if let Target::Classes { names, .. } = &target {
            let loss = if squared { HingeLoss::SquaredHinge } else { HingeLoss::Hinge };
            let machine = LinearSvc { c: number(c), loss, intercept_scale, solver, tolerance, max_iterations, ..LinearSvc::default() };
            let fitted = machine.fit_by_class(&task, &factors.unwrap_or_else(|| vec![1.0; names.len()]))?;
            return Ok((fitted.expansion.clone(), fitted.summary().clone()));
        }
        let loss = if squared { TubeLoss::SquaredEpsilonInsensitive } else { TubeLoss::EpsilonInsensitive };
        let (c, epsilon, standardise_target) = (number(c), number(tube), false);
        let fitted = LinearSvr { c, epsilon, loss, standardise_target, intercept_scale, solver, tolerance, max_iterations }.fit(&task)?;
        Ok((fitted.expansion.clone(), fitted.summary().clone()))
    })?;
    let out = PyDict::new(py);
    let outputs = expansion.weights.as_ref().map(Matrix::transpose);
    out.set_item("weights", outputs.map(|w| from_matrix(py, w)).transpose()?)?;
    out.set_item("offset", from_vec(py, expansion.bias))?;
    out.set_item("iterations", summary.iterations)?;
    out.set_item("objective", summary.objective)?;
    out.set_item("converged", summary.converged)?;
    out.set_item("violation", summary.violation)?;
    if let Some(found) = summary.certificate {
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

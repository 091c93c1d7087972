//! `mercer.plan` and what it gives: what a comparison would take, without doing it.

use crate::comparison::{Asked, Given, asked};
use crate::work::Limits;
use mercer::compare::{self, Comparing};
use mercer::data::Examples;
use mercer::report;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a comparison would take, as `plan` gives it. ``str()`` is the text that ``mercer plan`` prints.
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Plan {
    plan: compare::Plan,
}

/// What a comparison would take: rows, memory and time of each estimator, without fitting to all rows.
///
/// Parameters
/// ----------
/// data : Dataset, or anything one is made from
///     The rows.
/// target : array, list or series
///     As for `compare`.
/// kernel : Kernel or str, optional
///     None: made from the types of the columns.
/// estimators : str or list of str, optional
///     None: every one that can predict the target.
/// folds : int
///     Parts of the cross-validation.
/// seed : int
///     Of anything random.
/// standardise : bool
///     Bring numbers to mean 0 and standard deviation 1 first.
/// missing : dict, optional
///     As for `compare`.
/// allow_non_mercer : bool
///     As for `compare`.
/// task : {"classification", "regression"}, optional
///     Decides what the target is.
/// sample : int, optional
///     The most rows that a fit learns from.
/// effort : float, optional
///     Times the usual budget of work, which is about a minute on two cores; the result is the same on every machine. None: everything
///     that can still win is searched to its end. With `max_seconds` the time alone counts.
/// max_seconds : float, optional
///     The time that the comparison would have.
/// max_memory : int or str, optional
///     Bytes, or a size such as ``"4GB"``.
/// threads : int
///     How many to use; 0: one per core.
///
/// Returns
/// -------
/// Plan
///     One entry for each estimator.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, species = mercer.example("iris")
/// >>> plan = mercer.plan(data, species, estimators="svc(c=1), knn(k=5)")
/// >>> [fit["rows"] for fit in plan.fits]
/// [150, 150]
#[pyfunction]
#[pyo3(signature = (data, target, kernel=None, estimators=None, *, folds=5, seed=0, standardise=true, missing=None, allow_non_mercer=false, task=None, sample=None, effort=Some(1.0), max_seconds=None, max_memory=None, threads=0))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn plan(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    kernel: Option<&Bound<'_, PyAny>>,
    estimators: Option<&Bound<'_, PyAny>>,
    folds: usize,
    seed: u64,
    standardise: bool,
    missing: Option<&Bound<'_, PyAny>>,
    allow_non_mercer: bool,
    task: Option<&str>,
    sample: Option<usize>,
    effort: Option<f64>,
    max_seconds: Option<f64>,
    max_memory: Option<Bound<'_, PyAny>>,
    threads: usize,
) -> PyResult<Plan> {
    let given = Given { data, target, kernel, estimators, missing, sample_weight: None, groups: None, time: None, task, metric: None };
    let asked = asked(&given, standardise, Comparing { folds, seed, allow_non_mercer, sample, effort, ..Comparing::new(Vec::new()) })?;
    let limits = Limits { threads, max_seconds, max_memory, progress: None };
    let plan = limits.run(py, move |control| {
        let Asked { data, target, weights, split, comparing, .. } = &asked;
        compare::plan(&Examples { data, target, weights: weights.as_deref(), split }, comparing, control)
    })?;
    Ok(Plan { plan })
}

#[pymethods]
impl Plan {
    /// Rows of the table.
    #[getter]
    fn rows(&self) -> usize {
        self.plan.rows
    }

    /// Seconds of work on this machine, roughly; None if unknown.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.plan.seconds()
    }

    /// One dict per estimator: estimator, rows that a fit learns from, bytes that it needs, bytes that it takes where they are allowed, seconds or None.
    #[getter]
    fn fits<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let one = |fit: &compare::Planned| {
            let entry = PyDict::new(py);
            entry.set_item("estimator", fit.estimator.to_string())?;
            entry.set_item("rows", fit.rows)?;
            entry.set_item("bytes", fit.bytes)?;
            entry.set_item("most_bytes", fit.most_bytes)?;
            entry.set_item("seconds", fit.seconds())?;
            Ok(entry)
        };
        self.plan.fits.iter().map(one).collect()
    }

    fn __str__(&self) -> String {
        report::plan_text(&self.plan)
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}

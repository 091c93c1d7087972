//! `mercer.advise` and what it gives: which kernel, by rule and by measurement.

use crate::answers::from_json;
use crate::comparison::WIDTH;
use crate::comparison::{Asked, Given, asked};
use crate::errors::{raise, spoken, warn};
use crate::work::Limits;
use mercer::compare::{self, Comparing};
use mercer::data::Examples;
use mercer::report;
use pyo3::prelude::*;

/// Which kernel suits a table, as `advise` gives it. ``str()`` is the text that ``mercer advise`` prints.
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Advice {
    text: String,
    json: String,
}

/// Says which kernel suits a table: the rule that fires, and the leave-one-out error of ridge under its kernel and under others.
///
/// Parameters
/// ----------
/// data : Dataset, or anything one is made from
///     The rows.
/// target : array, list or series
///     As for `compare`.
/// kernel : Kernel or str, optional
///     One more that is measured beside the others.
/// seed : int
///     Of searches.
/// standardise : bool
///     Bring numbers to mean 0 and standard deviation 1 first.
/// missing : dict, optional
///     As for `compare`.
/// sample_weight : array, optional
///     2 means that the row counts twice, 0 that it is absent.
/// task : {"classification", "regression"}, optional
///     Decides what the target is.
/// max_seconds : float, optional
///     Searches then stop with their best so far.
/// max_memory : int or str, optional
///     Bytes, or a size such as ``"4GB"``.
/// threads : int
///     How many to use; 0: one per core.
/// progress : callable, optional
///     As for `compare`.
///
/// Returns
/// -------
/// Advice
///     The rule and what was measured.
///
/// Raises
/// ------
/// DataError
///     Rows and target that do not fit together.
/// ExpressionError
///     A kernel that there is not.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, species = mercer.example("iris")
/// >>> advice = mercer.advise(data, species)
/// >>> advice.rule, [entry["kernel"] for entry in advice.kernels]
/// ('smooth', ['rbf', 'linear', 'polynomial(degree=2)', 'matern(nu=1.5)', 'rbf(ard=true)'])
#[pyfunction]
#[pyo3(signature = (data, target, kernel=None, *, seed=0, standardise=true, missing=None, sample_weight=None, task=None, max_seconds=None, max_memory=None, threads=0, progress=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn advise(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    kernel: Option<&Bound<'_, PyAny>>,
    seed: u64,
    standardise: bool,
    missing: Option<&Bound<'_, PyAny>>,
    sample_weight: Option<&Bound<'_, PyAny>>,
    task: Option<&str>,
    max_seconds: Option<f64>,
    max_memory: Option<Bound<'_, PyAny>>,
    threads: usize,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Advice> {
    let given = Given { data, target, kernel, estimators: None, missing, sample_weight, groups: None, time: None, task, metric: None };
    let asked = asked(&given, standardise, Comparing { seed, ..Comparing::new(Vec::new()) })?;
    warn(py, &asked.notices.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let limits = Limits { threads, max_seconds, max_memory, progress };
    let advice = limits.run(py, move |control| {
        let Asked { data, target, weights, split, comparing, .. } = &asked;
        compare::advise(&Examples { data, target, weights: weights.as_deref(), split }, comparing, control)
    })?;
    let text = spoken(&report::advice_text(&advice, WIDTH));
    Ok(Advice { text, json: report::advice_json(&advice).map_err(raise)? })
}

impl Advice {
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.json)?.get_item(name)
    }
}

#[pymethods]
impl Advice {
    /// The rule that fired: ``"smooth"``, ``"many columns"`` or ``"structure"``.
    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "rule")
    }

    /// What the rule says, with what made it fire.
    #[getter]
    fn because<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "because")
    }

    /// One dict per kernel, that of the rule first: kernel, best, tuning (criterion, value, same, rows, parameters, ...; None where it
    /// could not be measured), failure (why not, or None).
    #[getter]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "kernels")
    }

    /// The best kernel of those that were measured; None if that of the rule could not be.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "best")
    }

    /// Whether the kernel of the rule is statistically tied with the best.
    #[getter]
    fn holds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "holds")
    }

    /// The document that ``mercer advise --json`` writes.
    ///
    /// Returns
    /// -------
    /// str
    ///     JSON.
    fn json(&self) -> &str {
        &self.json
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> &str {
        &self.text
    }
}

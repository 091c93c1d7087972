//! Models from the coefficients that another library has computed.

use crate::arrays::matrix;
use crate::dataset::dataset;
use crate::errors::guarded;
use crate::kernel::kernel;
use crate::model::Model;
use crate::target::named;
use crate::work::Limits;
use mercer::estimators::{EstimatorExpr, Expansion, PairLayout, Sigmoid};
use mercer::interchange::{SolvedElsewhere, SolvedProcess};
use mercer::read::{Labels, TargetInfo};
use pyo3::prelude::*;

/// L of the training rows, the variance of the noise, and mean and deviation of each output.
type Process<'py> = (Bound<'py, PyAny>, f64, Vec<(f64, f64)>);

/// The model whose coefficients (rows x outputs) a program has computed for the rows of `support`, which are the rows `support_rows` of its
/// training, ascending. With `classes` outputs are decision values of their pairs, above 0 for the second; of more than two classes
/// coefficients are of the pairs of the class of a row, `class_of_rows`, with each of the others. `sigmoids` are slope and offset of each
/// pair, `process` what a Gaussian process has besides.
#[pyfunction]
#[pyo3(signature = (program, estimator, kernel, support, coefficients, bias, support_rows, *, rows, converged=true, classes=None, class_of_rows=None, outputs=1, sigmoids=None, process=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn solved_elsewhere(
    py: Python<'_>,
    program: String,
    estimator: &str,
    #[pyo3(from_py_with = kernel)] kernel: mercer::kernels::KernelExpr,
    support: &Bound<'_, PyAny>,
    coefficients: &Bound<'_, PyAny>,
    bias: Vec<f64>,
    support_rows: Vec<usize>,
    rows: usize,
    converged: bool,
    classes: Option<&Bound<'_, PyAny>>,
    class_of_rows: Option<Vec<usize>>,
    outputs: usize,
    sigmoids: Option<Vec<(f64, f64)>>,
    process: Option<Process<'_>>,
) -> PyResult<Model> {
    let support = dataset(support)?;
    let is_novelty = estimator.starts_with("one_class");
    let estimator = guarded(|| EstimatorExpr::parse(estimator))?;
    let (classes, labels) = match classes.map(named).transpose()? {
        Some((names, labels)) => (Some(names), labels),
        None => (None, Labels::Text),
    };
    let pairs = class_of_rows.map(|class| PairLayout { class, classes: classes.as_ref().map_or(0, Vec::len) });
    let names = match outputs {
        _ if is_novelty => Vec::new(),
        1 => vec!["target".to_owned()],
        several => (0..several).map(|o| format!("target{o}")).collect(),
    };
    let process = match process {
        Some((factor, noise, scales)) => Some(SolvedProcess { factor: matrix(&factor)?, noise, scales }),
        None => None,
    };
    let expansion = Expansion { pairs, ..Expansion::new(support_rows, matrix(coefficients)?, bias) };
    let solved = SolvedElsewhere {
        program,
        estimator,
        kernel,
        support: (*support).clone(),
        expansion,
        sigmoids: sigmoids.into_iter().flatten().map(|(slope, offset)| Sigmoid { slope, offset }).collect(),
        process,
        target: TargetInfo { names, classes, labels },
        rows: Some(rows),
        converged,
        notices: Vec::new(),
    };
    Limits::threads(0).run(py, move |control| solved.into_model(control)).map(Model::new)
}

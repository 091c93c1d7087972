//! What fits answer, as Python objects: predicted values, expansions, parameters, documents.

use crate::arrays::{from_indices, from_matrix, from_outputs, from_vec};
use crate::errors::{internal_error, raise};
use crate::target::labels;
use mercer::control::Control;
use mercer::data::ColumnKind;
use mercer::estimators::{
    Answer, EstimatorExpr, Expansion, Fitted, FittedModel, Predicted, Predictions, Query, Sigmoid, Spectrum, Summary, Want,
};
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::metrics::Metric;
use mercer::notice::Notice;
use mercer::param::{Domain, NumericSetting, Value};
use mercer::read::TargetInfo;
use mercer::select::Tuning;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Serialize;

/// The metric of a name, and the sign of its values: minus by the names that scikit-learn has for its scorers, such as `neg_log_loss`.
pub(crate) fn metric(name: Option<&str>) -> PyResult<(Option<Metric>, f64)> {
    let sign = if name.is_some_and(Metric::is_negated) { -1.0 } else { 1.0 };
    Ok((name.map(Metric::parse).transpose().map_err(raise)?, sign))
}

/// JSON of the library as Python objects.
pub(crate) fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// What the library would write to a file as Python objects.
pub(crate) fn documented<'py>(py: Python<'py>, object: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    from_json(py, &serde_json::to_string(object).map_err(|e| internal_error(e.to_string()))?)
}

/// The summary of a fit with what its search found as `tuning`.
pub(crate) fn summary<'py>(py: Python<'py>, summary: &Summary, tuning: Option<&Tuning>) -> PyResult<Bound<'py, PyAny>> {
    let all = documented(py, summary)?;
    let dict = all.cast::<PyDict>()?;
    if !summary.warnings.is_empty() {
        dict.set_item("warnings", summary.warnings.iter().map(Notice::to_string).collect::<Vec<_>>())?;
    }
    let found = documented(py, &tuning)?;
    if let Some(tuning) = tuning {
        found.set_item("criterion", tuning.criterion.to_string())?;
    }
    dict.set_item("tuning", found)?;
    Ok(all)
}

/// Variance of the noise of each output, where the model has one: it is the same for every row, and comes with the predictions of none.
pub(crate) fn noise<'py>(py: Python<'py>, fitted: &FittedModel) -> PyResult<Option<Object<'py>>> {
    let support = fitted.support().len();
    let none = Dense::cross(Matrix::zeros(0, support), Vec::new(), vec![0.0; support]).map_err(raise)?;
    let predicted = fitted.predict(&Query::new(&none, Want::default(), &Control::default())).map_err(raise)?;
    Ok(predicted.noise.map(|noise| from_vec(py, noise)))
}

/// Names of columns with the words for what they hold.
pub(crate) fn kinds<'py, 'a>(py: Python<'py>, columns: impl Iterator<Item = (&'a str, ColumnKind)>) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, kind) in columns {
        all.set_item(name, kind.name())?;
    }
    Ok(all)
}

/// A matrix for each output (functions drawn, derivatives) as one array, N x count or N x outputs x count.
pub(crate) fn by_output(py: Python<'_>, mut all: Vec<Matrix>) -> PyResult<Bound<'_, PyAny>> {
    if all.len() == 1 {
        return from_matrix(py, all.remove(0));
    }
    let each = all.into_iter().map(|one| from_matrix(py, one)).collect::<PyResult<Vec<_>>>()?;
    py.import("numpy")?.call_method1("stack", (each, 1))
}

/// Predicted values as an array; classes as their labels, or as their codes.
pub(crate) fn values<'py>(py: Python<'py>, values: Predicted, info: &TargetInfo, codes: bool) -> PyResult<Bound<'py, PyAny>> {
    match values {
        Predicted::Numbers(numbers) => from_outputs(py, numbers),
        Predicted::Classes(found) if codes => Ok(from_indices(py, &found)),
        Predicted::Classes(found) => labels(py, info)?.call_method1("take", (from_indices(py, &found),)),
    }
}

/// Predicted values as an array, by what they mean; components have two axes however many there are, and of scores of novelty 1 stands for
/// inliers and -1 for outliers.
pub(crate) fn answered<'py>(py: Python<'py>, found: Predicted, answer: &Answer, codes: bool) -> PyResult<Bound<'py, PyAny>> {
    match (found, answer) {
        (Predicted::Numbers(numbers), Answer::Components { .. }) => from_matrix(py, numbers),
        (found, Answer::Clusters { .. }) => values(py, found, &answer.target(), true),
        (Predicted::Numbers(scores), Answer::Novelty) => {
            let side = |score: &f64| if *score < 0.0 { -1i64 } else { 1 };
            Ok(scores.data().iter().map(side).collect::<Vec<i64>>().into_pyarray(py).into_any())
        }
        (found, _) => values(py, found, &answer.target(), codes),
    }
}

/// The variance along components as an array, and the whole variance.
pub(crate) fn spectrum<'py>(py: Python<'py>, spectrum: Option<&Spectrum>) -> Option<(Bound<'py, PyAny>, f64)> {
    spectrum.map(|s| (from_vec(py, s.values.clone()), s.total))
}

/// Predictions without a row each, classes as codes; or their decision values.
pub(crate) fn from_left_out<'py>(
    py: Python<'py>,
    left_out: Option<Predictions>,
    scores: bool,
    info: &TargetInfo,
    lacks: impl Fn(&str) -> PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let left_out = left_out.ok_or_else(|| lacks("predictions without a row"))?;
    if scores {
        return from_outputs(py, left_out.scores.ok_or_else(|| lacks("decision values without a row"))?);
    }
    values(py, left_out.values, info, true)
}

/// An expansion as arrays: coefficients (support x outputs, or features x outputs where no row is kept) and one constant per output.
pub(crate) fn expansion<'py>(py: Python<'py>, expansion: Option<&Expansion>) -> PyResult<Option<Pair<'py>>> {
    let coefficients = |e: &Expansion| e.weights.clone().filter(|_| e.support.is_empty()).unwrap_or_else(|| e.coef.clone());
    expansion.map(|e| Ok((from_matrix(py, coefficients(e))?, from_vec(py, e.bias.clone())))).transpose()
}

/// Slope and offset of each sigmoid, sigmoids x 2; None where there is none.
pub(crate) fn sigmoids<'py>(py: Python<'py>, sigmoids: &[Sigmoid]) -> PyResult<Option<Bound<'py, PyAny>>> {
    let table = || Matrix::from_fn(sigmoids.len(), 2, |k, j| if j == 0 { sigmoids[k].slope } else { sigmoids[k].offset });
    (!sigmoids.is_empty()).then(|| from_matrix(py, table())).transpose()
}

/// Anything of Python.
pub(crate) type Object<'py> = Bound<'py, PyAny>;
/// The bytes of a model's file, the notices about its columns that were given, and what it needs of one's own.
pub(crate) type Stored<'py> = (Bound<'py, PyBytes>, Vec<String>, OwnParts<'py>);
/// Classes, objects, and functions that are kernels.
pub(crate) type OwnParts<'py> = (Vec<Bound<'py, PyAny>>, Vec<Py<PyAny>>, Option<Bound<'py, PyAny>>);
/// Two arrays.
pub(crate) type Pair<'py> = (Object<'py>, Object<'py>);

/// A value as a number, "auto", a pair of ends or a list.
pub(crate) fn parameter<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Auto => "auto".into_pyobject(py)?.into_any(),
        Value::Number(x) => x.into_pyobject(py)?.into_any(),
        Value::Range(low, high) => (*low, *high).into_pyobject(py)?.into_any(),
        Value::List(list) => list.clone().into_pyobject(py)?.into_any(),
    })
}

/// Every parameter of an estimator by its name: numbers, flags and words.
pub(crate) fn parameters<'py>(py: Python<'py>, estimator: &EstimatorExpr) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let numbers = estimator.values();
    for (name, text) in estimator.arguments() {
        match numbers.iter().find(|own| own.path == name) {
            Some(NumericSetting { param, value: Value::Number(x), .. }) if matches!(param.domain, Domain::Integer(..)) => {
                all.set_item(name, *x as u64)?
            }
            Some(own) => all.set_item(name, parameter(py, &own.value)?)?,
            None if text == "true" || text == "false" => all.set_item(name, text == "true")?,
            None => all.set_item(name, text)?,
        }
    }
    Ok(all)
}

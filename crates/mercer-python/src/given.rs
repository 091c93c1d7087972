//! Kernel values that are given, with what a fit on them needs.

use crate::arrays::{asarray, numbers, two_axes};
use crate::dataset::weights;
use crate::errors::{data_error, raise};
use crate::target::{absent, known};
use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::Task;
use mercer::gram::Dense;
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use pyo3::prelude::*;

/// A Gram matrix with everything that a fit on it needs besides the estimator.
pub(crate) struct Given {
    pub(crate) gram: Dense,
    pub(crate) target: Target,
    weights: Option<Vec<f64>>,
    seed: u64,
}

impl Given {
    /// The task of an estimator.
    pub(crate) fn task<'a>(&'a self, control: &'a Control) -> Task<'a> {
        Task { gram: &self.gram, target: &self.target, weights: self.weights.as_deref(), control, seed: self.seed }
    }
}

/// A matrix of finite kernel values.
pub(crate) fn matrix(object: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let array = asarray(object)?;
    let [rows, cols] = two_axes(&array)?;
    let values = numbers(&array)?;
    if let Some(k) = values.iter().position(|v| !v.is_finite()) {
        return Err(data_error(format!(
            "the kernel matrix holds {} in row {}, column {}; every kernel value must be finite",
            values[k],
            k / cols + 1,
            k % cols + 1
        )));
    }
    Matrix::new(rows, cols, values).map_err(raise)
}

/// Finite kernel values k(x, x), one a row.
pub(crate) fn finite(values: Vec<f64>) -> PyResult<Vec<f64>> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(data_error(format!("the diagonal holds {} in row {}; every kernel value must be finite", values[row], row + 1))),
        None => Ok(values),
    }
}

/// A square matrix of kernel values with a target (codes of `classes`, numbers, or none) and weights for its rows.
pub(crate) fn given(
    gram: &Bound<'_, PyAny>,
    target: Option<&Bound<'_, PyAny>>,
    sample_weight: Option<&Bound<'_, PyAny>>,
    classes: Option<&[String]>,
    seed: u64,
) -> PyResult<(Given, TargetInfo)> {
    let gram = Dense::square(matrix(gram)?).map_err(raise)?;
    let rows = gram.matrix().rows();
    let (target, info) = target.map_or_else(|| Ok(absent(rows)), |target| known(target, rows, classes))?;
    Ok((Given { gram, target, weights: weights(sample_weight)?, seed }, info))
}

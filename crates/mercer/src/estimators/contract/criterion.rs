//! What an estimator judges settings by, where that is smooth, and what one value of it leaves for the next.

use crate::gram::PairWeights;
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// What a smooth criterion is called, and of which sort it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriterionName {
    /// Its name.
    pub name: &'static str,
    /// Its sort.
    pub sort: CriterionSort,
}

/// What a smooth criterion measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionSort {
    /// The error of rows that are left out.
    LeaveOneOut,
    /// How likely the rows are.
    Evidence,
    /// An information criterion.
    Information,
}

impl CriterionName {
    /// An error of rows that are left out.
    pub const fn leave_one_out(name: &'static str) -> Self {
        CriterionName { name, sort: CriterionSort::LeaveOneOut }
    }
    /// Log evidence, or a bound or an approximation of it.
    pub const fn evidence(name: &'static str) -> Self {
        CriterionName { name, sort: CriterionSort::Evidence }
    }
}

/// A selection criterion (to be minimised) as a smooth function of the Gram matrix and of the estimator's own parameters.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its value.
    pub value: f64,
    /// d value / dK_ij.
    pub weights: PairWeights,
    /// (parameter name, d value / d parameter) for each own parameter.
    pub own: Vec<(&'static str, f64)>,
    /// Tolerance: rises of the value up to this are statistically tied on the training rows.
    pub indifference: f64,
}

/// What one value of a criterion leaves for the next of a search on the same rows.
#[derive(Clone, Debug)]
pub struct Near {
    /// Coefficients of a mode, N x outputs.
    pub alpha: Option<Matrix>,
    /// Training rows that were chosen, ascending. They stay, so that the criterion of a search is one smooth function.
    pub chosen: Vec<usize>,
}

impl Near {
    /// Coefficients alone.
    pub(crate) fn mode(alpha: Matrix) -> Near {
        Near { alpha: Some(alpha), chosen: Vec::new() }
    }
    /// The coefficients of the mode before, where there are some.
    pub(crate) fn alpha(last: Option<&Near>) -> Option<&Matrix> {
        last.and_then(|near| near.alpha.as_ref())
    }
}

//! A convex problem over features that is solved by passes over the rows:
//!
//! ```text
//! minimise  P(v, b) = scale sum_i w_i l(y_i, f_i) + penalty/2 |v|^2 (+ b^2/2),     f = v'phi(x) + constant b
//! ```

use super::DescentEnd;
use crate::error::Result;
use crate::estimators::{FittedModel, Task};
use crate::linalg::Matrix;
use crate::solve::likelihood::Likelihood;

/// Passes over the rows at most: a well-scaled problem takes 10 to 40 (`tests/estimators/batches.rs`).
pub(crate) const MOST_PASSES: usize = 200;

/// The weighted losses of the rows of a task.
pub(crate) type LossesOfTask<'a> = Box<dyn Fn(&Task<'_>) -> Result<Box<dyn Likelihood>> + 'a>;

/// The fit that the ends of problems make.
pub(crate) type FitOfEnds<'a> = Box<dyn Fn(&[DescentEnd]) -> Result<FittedModel> + 'a>;

/// Problems over the same features that differ in targets and losses.
pub(crate) struct DescentPlan<'a> {
    /// What the losses are multiplied by.
    pub(crate) scale: f64,
    /// The penalty on the weights.
    pub(crate) penalty: f64,
    pub(crate) constant: PassConstant,
    /// The second derivative of a loss where all functions are 0.
    pub(crate) curvature: f64,
    /// The greatest relative duality gap.
    pub(crate) gap: f64,
    /// The most passes.
    pub(crate) passes: usize,
    pub(crate) problems: Vec<DescentProblem<'a>>,
    /// The fit that the ends of the problems make.
    pub(crate) finish: FitOfEnds<'a>,
}

/// One of the problems.
pub(crate) struct DescentProblem<'a> {
    /// -d sum_i w_i l / d (v, b) where all functions are 0, or nearly: outputs x (m + 1).
    pub(crate) slopes: Matrix,
    /// The longest gradient, as a share of that where all functions are 0.
    pub(crate) slope: f64,
    /// The losses of rows, weighted.
    pub(crate) losses: LossesOfTask<'a>,
}

/// The column of a constant behind the features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PassConstant {
    /// None.
    Absent,
    /// 1, with a weight that nothing penalises.
    Free,
    /// Such a number, whose weight is penalised by half its square.
    Penalised(f64),
}

impl PassConstant {
    /// The number in the column.
    pub(crate) fn value(self) -> f64 {
        match self {
            PassConstant::Absent => 0.0,
            PassConstant::Free => 1.0,
            PassConstant::Penalised(value) => value,
        }
    }

    /// The penalty on its weight, which of an absent one is 0 by any.
    pub(crate) fn penalty(self) -> f64 {
        if self == PassConstant::Free { 0.0 } else { 1.0 }
    }
}

impl DescentPlan<'_> {
    /// Penalties of the weights of features in such units, and of the constant.
    pub(crate) fn penalties(&self, units: &[f64]) -> Vec<f64> {
        units.iter().map(|unit| self.penalty / (unit * unit)).chain([self.constant.penalty()]).collect()
    }
}

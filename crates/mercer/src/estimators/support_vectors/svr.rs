//! Support vector regression with the epsilon-insensitive loss.
//!
//! ```text
//! minimise  1/2 |w|^2 + c sum_i weight_i max(0, |t_i - f(x_i)| - epsilon),     f(x) = w'phi(x) + b
//! ```
//!
//! Its dual has two variables a_i, ahat_i in 0..c weight_i for each row, a_i ahat_i = 0, sum (a_i - ahat_i) = 0, and
//! f(x) = b + sum_i (a_i - ahat_i) k(x_i, x). Vapnik (1995); Bishop (2006) 7.1.4; Murphy (2012) (14.46)-(14.54).

use super::by_class::ByClass;
use super::held_out_pairs::decide;
use super::left_out::Machines;
use super::svm::{self, Totals};
use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::targets::link::Link;
use crate::estimators::{
    Costs, Estimator, EstimatorFacts, ExpansionFit, Fit, FitContext, Gives, LeaveOneOut, Predicted, Predictions, Size, Task, WarmStart,
};
use crate::gram::Gram;
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use crate::solve::smo::{self, Options, Problem};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Support vector regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Svr {
    /// penalty C on residuals beyond epsilon
    #[param(domain = Positive, search = 1e3)]
    pub c: Value,
    /// half-width of the tube within which residuals cost nothing
    #[param(domain = NonNegative, search = 10.0)]
    pub epsilon: Value,
    /// true: the target is centred and scaled while fitting, and epsilon is in standard deviations; false: in target units
    #[param(default = true)]
    pub standardise_target: bool,
    /// greatest violation of the optimality conditions, in the units of epsilon, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver for each target column
    #[param(default = svm::MAX_ITERATIONS, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// kernel cache in MB; affects speed only
    #[param(default = svm::CACHE_MB, domain = Positive)]
    pub cache_mb: Value,
}

impl Estimator for Svr {
    const NAME: &'static str = "svr";
    const DOC: &'static str = "support vector regression: the flattest function within a tube around most of the targets";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { leave_one_out: LeaveOneOut::Refits, ..Gives::VALUES }
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, skips_zero_weights: true, ..EstimatorFacts::default() }
    }

    /// As svc, with more rows on the margin and more steps.
    fn costs(&self, size: Size) -> Costs {
        svm::costs(size, (size.outputs, size.rows * size.outputs), &self.cache_mb, 110.0)
    }

    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(start(param, self.standardise_target, task))
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        let (scales, mut problems) = self.problems(task)?;
        let (n, mut known) = (task.rows(), Vec::new());
        if let Some(earlier) = context.earlier.filter(|e| e.expansion.bias.len() == problems.len()) {
            for (o, (problem, scale)) in problems.iter_mut().zip(&scales).enumerate() {
                let scaled = || earlier.expansion.coefficients(o, (0, 1), &problem.row).iter().map(|b| b / scale.size).collect();
                // In the units that were solved in there is no rounding.
                let coef = context.warm.and_then(|warm| warm.coefficients(o)).filter(|b| b.len() == n).map_or_else(scaled, <[f64]>::to_vec);
                problem.start = svm::start(problem, coef);
                known.push(context.warm.and_then(|warm| warm.known(o, problem)));
            }
        }
        let options = self.options(task);
        let solutions = smo::solve_from(task.gram()?, &problems, &known, &options, task.control)?;
        let coef: Vec<Vec<(usize, f64)>> =
            solutions.iter().zip(&scales).map(|(s, scale)| s.coef.iter().map(|b| scale.size * b).enumerate().collect()).collect();
        let bias = solutions.iter().zip(&scales).map(|(s, scale)| scale.mean + scale.size * s.offsets[0]).collect();
        let mut expansion = svm::expansion(n, &coef, bias);
        expansion.weigh(task.gram()?, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, scales.iter().map(|s| s.size))?;
        let fitted = ExpansionFit::new(expansion, Link::Numbers, svm::summary(&Totals::of(&solutions), options.tolerance, rounded));
        Ok(Fit { warm: WarmStart::of(solutions, scales.iter().map(|s| s.size), task), ..fitted.into() })
    }

    /// The scale of the target stays that of all rows.
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        let ((scales, problems), options) = (self.problems(task)?, self.options(task));
        let held = ByClass::of(task, &[], 1, true)?;
        let gram: &dyn Gram = held.as_ref().map_or(task.gram()?, |held| &held.k);
        let solutions = smo::solve(gram, &problems, &options, task.control)?;
        let without = Machines { gram, problems: &problems, solutions: &solutions }.without_each_row(&options, task.control)?;
        let all: Vec<usize> = (0..task.rows()).collect();
        let mut f = decide(gram, &all, &problems.iter().zip(&solutions).collect::<Vec<_>>(), task.control)?;
        without.iter().for_each(|one| f[(one.row, one.machine)] = one.value);
        let values = Matrix::from_fn(f.rows(), f.cols(), |i, o| scales[o].mean + scales[o].size * f[(i, o)]);
        Ok(Some(Predictions::of(Predicted::Numbers(values))))
    }
}

impl Svr {
    /// One problem for each column of the target, and the scale that it is in; every parameter is settled.
    fn problems(&self, task: &Task<'_>) -> Result<(Vec<Scale>, Vec<Problem>)> {
        require_settled(self, Self::NAME)?;
        let c = svm::finite(Self::NAME, "c", &self.c)?;
        let epsilon = svm::finite(Self::NAME, "epsilon", &self.epsilon)?;
        let (columns, scales) = columns(task, self.standardise_target, Self::NAME)?;
        let problems = columns.iter().zip(&scales).map(|(t, s)| tube(t, s, c, epsilon, task)).collect();
        Ok((scales, problems))
    }

    fn options(&self, task: &Task<'_>) -> Options {
        svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb)
    }
}

/// The columns of a target of numbers, and the scale that each is brought to.
pub(super) fn columns(task: &Task<'_>, standardise: bool, name: &str) -> Result<(Vec<Vec<f64>>, Vec<Scale>)> {
    let target = task.target.as_numbers(name)?;
    let n = task.rows();
    if target.rows() != n || n == 0 {
        return Err(Error::Shape { what: "rows of the target".into(), expected: n.max(1), found: target.rows() });
    }
    require_finite(target)?;
    let columns: Vec<Vec<f64>> = (0..target.cols()).map(|o| target.col(o)).collect();
    let scales = columns.iter().map(|t| if standardise { Scale::of(t, task) } else { Scale::NONE }).collect();
    Ok((columns, scales))
}

/// Where a parameter of a regression within a tube starts: `c` at 1, `epsilon` at a tenth of the target's standard deviation.
pub(super) fn start(param: &str, standardise_target: bool, task: &Task<'_>) -> f64 {
    match (param, task.target) {
        ("epsilon", Target::Numbers(t)) if !standardise_target && t.cols() > 0 => {
            0.1 * (0..t.cols()).map(|o| Scale::of(&t.col(o), task).size).sum::<f64>() / t.cols() as f64
        }
        ("epsilon", _) => 0.1,
        _ => 1.0,
    }
}

/// An error that names the first row whose target is not a finite number.
pub(super) fn require_finite(target: &Matrix) -> Result<()> {
    match target.data().iter().position(|t| !t.is_finite()) {
        Some(k) => {
            let row = k / target.cols() + 1;
            Err(Error::Data(format!("row {row}: the target is {}, expected a finite number", target.data()[k])))
        }
        None => Ok(()),
    }
}

/// How a target column is centred and scaled while fitting.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) mean: f64,
    pub(super) size: f64,
}

impl Scale {
    /// Neither centred nor scaled.
    pub(super) const NONE: Scale = Scale { mean: 0.0, size: 1.0 };

    /// Mean and standard deviation, weights counting as repeated rows; a constant column is only centred.
    pub(super) fn of(column: &[f64], task: &Task<'_>) -> Self {
        let total: f64 = (0..column.len()).map(|i| task.weight(i)).sum();
        let mean = column.iter().enumerate().map(|(i, t)| task.weight(i) * t).sum::<f64>() / total;
        let square = column.iter().enumerate().map(|(i, t)| task.weight(i) * (t - mean).powi(2)).sum::<f64>() / total;
        Scale::of_moments(mean, square.sqrt())
    }

    /// Of a mean and a standard deviation.
    pub(super) fn of_moments(mean: f64, size: f64) -> Self {
        // A spread at the level of rounding is none.
        Scale { mean, size: if size > 1e-12 * mean.abs() && size.is_finite() { size } else { 1.0 } }
    }
}

/// One variable a - ahat for each row.
fn tube(column: &[f64], scale: &Scale, c: f64, epsilon: f64, task: &Task<'_>) -> Problem {
    let bound: Vec<f64> = (0..column.len()).map(|i| c * task.weight(i)).collect();
    Problem {
        row: (0..column.len()).collect(),
        target: column.iter().map(|t| (t - scale.mean) / scale.size).collect(),
        low: bound.iter().map(|b| -b).collect(),
        high: bound,
        tube: epsilon,
        ..Problem::default()
    }
}

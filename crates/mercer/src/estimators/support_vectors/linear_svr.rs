//! Linear support vector regression on features that are written out, each column of the target for itself.
//!
//! ```text
//! minimise  1/2 |w|^2 + sum_i C_i max(0, |y_i - f(x_i)| - epsilon)^p,     f(x) = w'phi(x) + b,     C_i = c weight_i
//! ```
//!
//! p = 1 or 2; b = s v, where s is `intercept_scale` and v the weight of one more column that holds s, penalised like the others:
//! where the target is standardised the intercept is that of a target of mean 0. Ho & Lin (2012). The certificate is the relative
//! duality gap of the worst problem.

use super::linear_machine::{C, DEFAULT_MAX_ITERATIONS, DEFAULT_TOLERANCE, INTERCEPT_SCALE, MAX_ITERATIONS, Machine, SOLVER};
use super::linear_machine::{check_rows, costs};
use super::svr::{self, Scale};
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::targets::link::Link;
use crate::estimators::{Costs, Estimator, Expansion, ExpansionFit, Fit, FitContext, LinearSolver, Needs, Size, Task};
use crate::param::{Value, require_settled};
use crate::solve::linear::{Loss, Problem};
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// What a residual costs beyond epsilon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum TubeLoss {
    /// Its size.
    #[default]
    EpsilonInsensitive,
    /// The square of it.
    SquaredEpsilonInsensitive,
}

/// Linear support vector regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct LinearSvr {
    /// Penalty C on the losses.
    #[param(C)]
    pub c: Value,
    /// half the height of the tube within which nothing is lost
    #[param(domain = NonNegative, search = 10.0)]
    pub epsilon: Value,
    /// what a residual costs beyond epsilon, epsilon_insensitive: its size; squared_epsilon_insensitive: the square of it
    pub loss: TubeLoss,
    /// true: the target is centred and scaled while fitting, and epsilon is in standard deviations; false: in target units
    #[param(default = true)]
    pub standardise_target: bool,
    /// Value of the column whose weight is the intercept; 0: none.
    #[param(INTERCEPT_SCALE, default = 1.0)]
    pub intercept_scale: Value,
    /// Which problem is solved.
    #[param(SOLVER)]
    pub solver: LinearSolver,
    /// of the dual problem, the sum of the violations of a pass as a share of that of the first; of the primal problem, the length of the
    /// gradient as a share of that at 0; and the greatest relative duality gap
    #[param(default = DEFAULT_TOLERANCE, domain = PositiveFinite)]
    pub tolerance: Value,
    /// Most passes over the rows, or Newton steps.
    #[param(MAX_ITERATIONS, default = DEFAULT_MAX_ITERATIONS)]
    pub max_iterations: Value,
}

impl Estimator for LinearSvr {
    const NAME: &'static str = "linear_svr";
    const DOC: &'static str =
        "linear support vector regression on written-out features, in O(N): the flattest plane within a tube around most of the targets";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    type Fitted = ExpansionFit;

    fn needs(&self) -> Needs {
        Needs::Features
    }

    fn costs(&self, size: Size) -> Costs {
        costs(size, size.outputs, self.loss == TubeLoss::SquaredEpsilonInsensitive, self.solver)
    }

    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(svr::start(param, self.standardise_target, task))
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        require_settled(self, Self::NAME)?;
        let target = task.target.as_numbers(Self::NAME)?;
        check_rows(task, target.rows(), Self::NAME)?;
        svr::require_finite(target)?;
        let loss = self.losses(self.epsilon.number());
        let cost: Vec<f64> = (0..target.rows()).map(|i| self.c.number() * task.weight(i)).collect();
        let scale = |t: &[f64]| if self.standardise_target { Scale::of(t, task) } else { Scale::NONE };
        let columns: Vec<Vec<f64>> = (0..target.cols()).map(|o| target.col(o)).collect();
        let scales: Vec<Scale> = columns.iter().map(|t| scale(t)).collect();
        let problems: Vec<Problem> = columns.iter().zip(&scales).map(|(t, scale)| scale.problem(t, cost.clone(), loss)).collect();
        let (expansion, summary) = self.machine().solve(task, &problems)?;
        Ok(ExpansionFit::of_features(in_units(expansion, &scales), Link::Numbers, summary).into())
    }
}

/// Functions of scaled targets in the units of the targets.
pub(super) fn in_units(mut expansion: Expansion, scales: &[Scale]) -> Expansion {
    for (o, scale) in scales.iter().enumerate() {
        expansion.bias[o] = scale.mean + scale.size * expansion.bias[o];
    }
    let sizes: Vec<f64> = scales.iter().map(|s| s.size).collect();
    for factors in expansion.weights.iter_mut().chain([&mut expansion.coef]) {
        factors.data_mut().chunks_exact_mut(sizes.len()).for_each(|row| row.iter_mut().zip(&sizes).for_each(|(w, s)| *w *= s));
    }
    expansion
}

impl LinearSvr {
    pub(super) fn losses(&self, tube: f64) -> Loss {
        Loss { one_sided: false, squared: self.loss == TubeLoss::SquaredEpsilonInsensitive, tube }
    }

    pub(super) fn machine(&self) -> Machine<'_> {
        Machine {
            owner: Self::NAME,
            squared: self.loss == TubeLoss::SquaredEpsilonInsensitive,
            intercept_scale: &self.intercept_scale,
            solver: self.solver,
            tolerance: &self.tolerance,
            max_iterations: &self.max_iterations,
        }
    }
}

impl Scale {
    /// The problem of a target in this scale.
    pub(super) fn problem(&self, target: &[f64], cost: Vec<f64>, loss: Loss) -> Problem {
        Problem { target: target.iter().map(|t| (t - self.mean) / self.size).collect(), cost, loss }
    }
}

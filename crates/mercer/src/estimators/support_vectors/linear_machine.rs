//! What linear support vector classification and regression share: problems over features that are written out, without kernel
//! values, and a solution as weights of these features. Features that depend on what a row is compared with, such as counts of the
//! patterns of graphs, have no weights of their own: there the solution is the kernel expansion of the dual problem.
//!
//! The problems and their solvers are those of [`solve::linear`](crate::solve::linear): one step takes as many operations as there
//! are numbers in the features.

use crate::error::{Error, Result};
use crate::estimators::contract::no_features;
use crate::estimators::{Certificate, Costs, Expansion, Size, Summary, Task};
use crate::linalg::{Matrix, PASSED};
use crate::param::{Domain, OfOneDomain, Param, Value};
use crate::solve::linear::{self, Method, Options, Problem, Solution};
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};

/// Which problem is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum LinearSolver {
    /// The primal where the loss is smooth and there are no fewer rows than features, else the dual.
    #[default]
    Auto,
    /// The dual problem, by coordinates.
    Dual,
    /// The primal problem, by Newton's method; squared losses only.
    Primal,
}

/// The parameters that both machines have.
pub(super) const C: Param = Param::searched("c", "penalty C on the losses, beside |w|^2 / 2", Domain::PositiveFinite, 1e3);
pub(super) const INTERCEPT_SCALE: Param = Param::fixed(
    "intercept_scale",
    "value of the constant column whose weight is the intercept: the larger, the less the intercept is penalised; 0: no intercept",
    Domain::NonNegative,
);
pub(super) const SOLVER: Param = Param::fixed(
    "solver",
    "dual: coordinate descent; primal: Newton's method, for squared losses; auto: the primal where the loss allows it and there are no fewer rows than features",
    LinearSolver::DOMAIN,
);
pub(super) const MAX_ITERATIONS: Param =
    Param::fixed("max_iterations", "most passes over the rows, or Newton steps", Domain::Integer(0, usize::MAX));

/// The defaults of what is not searched.
pub(super) const DEFAULT_TOLERANCE: f64 = 1e-4;
pub(super) const DEFAULT_MAX_ITERATIONS: f64 = 1000.0;

/// Passes over all features that a problem takes by Newton's method and by coordinates, as counted (`tests/costs.rs`).
const NEWTON_PASSES: f64 = 7.0;
const DESCENT_PASSES: f64 = 40.0;

/// The settings of both machines.
pub(super) struct Machine<'a> {
    pub(super) owner: &'static str,
    pub(super) squared: bool,
    pub(super) intercept_scale: &'a Value,
    pub(super) solver: LinearSolver,
    pub(super) tolerance: &'a Value,
    pub(super) max_iterations: &'a Value,
}

/// Costs of so many problems: every feature of every row once, and passes over them.
pub(super) fn costs(size: Size, problems: usize, squared: bool, solver: LinearSolver) -> Costs {
    let (n, outputs) = (size.rows as f64, problems.max(1) as f64);
    let newton = squared && (solver == LinearSolver::Primal || solver == LinearSolver::Auto && size.rank.is_some_and(|r| r <= size.rows));
    let passes = if newton { NEWTON_PASSES } else { DESCENT_PASSES };
    let wide = size.rank.or(size.stored).unwrap_or(size.rows) as f64;
    Costs {
        bytes: (16.0 * n * wide + 56.0 * n * outputs) as u64,
        values: n * wide,
        fit: PASSED * 4.0 * passes * n * (wide + 1.0) * outputs,
        prediction_values: wide,
        prediction: 2.0 * wide * outputs,
        ..Costs::default()
    }
}

impl Machine<'_> {
    /// Solves problems over the features of a task; one output for each.
    pub(super) fn solve(&self, task: &Task<'_>, problems: &[Problem]) -> Result<(Expansion, Summary)> {
        let features = task.view.features(self.owner)?;
        let rows = features.written().ok_or_else(|| no_features(self.owner))?;
        let smooth = self.squared && self.solver != LinearSolver::Dual;
        let has_weights = features.stand_alone();
        if self.solver == LinearSolver::Primal && !(smooth && has_weights) {
            let needs =
                if smooth { "features that mean the same in every batch; take a kernel that has such" } else { "a squared loss; take one" };
            let why = format!("Newton's method needs {needs}, or write {}(solver=dual)", self.owner);
            return Err(Error::Setting { name: "solver".into(), why });
        }
        let primal = smooth && has_weights && (self.solver == LinearSolver::Primal || rows.rows() >= rows.cols());
        let constant = self.intercept_scale.number();
        let options = Options {
            method: if primal { Method::Newton } else { Method::Coordinate },
            tolerance: self.tolerance.number(),
            max_iterations: self.max_iterations.integer(),
            seed: task.seed,
        };
        let solutions = linear::solve(&rows, constant, problems, &options, task.control)?;
        if has_weights {
            return self.expansion(&solutions);
        }
        let support: Vec<usize> = (0..rows.rows()).filter(|&i| solutions.iter().any(|s| s.coef[i] != 0.0)).collect();
        let coef = Matrix::from_fn(support.len(), solutions.len(), |s, o| solutions[o].coef[support[s]]);
        let (_, bias) = self.weights(&solutions)?;
        Ok((Expansion::new(support, coef, bias), self.summary(&solutions)))
    }

    /// Solutions as weights of features.
    pub(super) fn expansion(&self, solutions: &[Solution]) -> Result<(Expansion, Summary)> {
        let (weights, bias) = self.weights(solutions)?;
        let expansion = Expansion::new(Vec::new(), Matrix::zeros(0, solutions.len()), bias).with_weights(weights);
        Ok((expansion, self.summary(solutions)))
    }

    /// Weights of the features, and constants.
    fn weights(&self, solutions: &[Solution]) -> Result<(Matrix, Vec<f64>)> {
        let constant = self.intercept_scale.number();
        let dim = solutions.first().map_or(0, |s| s.weights.len() - 1);
        let outputs = solutions.len();
        let weights = Matrix::from_fn(dim, outputs, |j, o| solutions[o].weights[j]);
        let bias: Vec<f64> = solutions.iter().map(|s| constant * s.weights[dim]).collect();
        if weights.data().iter().chain(&bias).any(|w| !w.is_finite()) {
            return Err(Error::Numerical {
                what: format!("weights of {}", self.owner),
                why: "features or targets are so large that their squares are not finite; scale the columns".into(),
            });
        }
        Ok((weights, bias))
    }

    fn summary(&self, solutions: &[Solution]) -> Summary {
        let worst = |of: fn(&Solution) -> f64| solutions.iter().map(of).fold(0.0, f64::max);
        let (gap, violation, tolerance) = (worst(|s| s.gap), worst(|s| s.violation), self.tolerance.number());
        let converged = solutions.iter().all(|s| s.converged);
        let notes = if converged {
            Vec::new()
        } else {
            vec![format!(
                "stopped before the tolerance was met: the violation of the optimality conditions is {violation:.3e} and the relative duality gap {gap:.3e}, where the tolerance is {tolerance:e}; allow more time or max_iterations, lower c, or scale the columns"
            )]
        };
        Summary {
            iterations: solutions.iter().map(|s| s.iterations).max().unwrap_or(0),
            converged,
            objective: Some(solutions.iter().map(|s| s.primal).sum()),
            certificate: Some(Certificate { name: "relative duality gap".into(), value: gap, tolerance }),
            violation: Some(violation),
            notes,
            ..Summary::default()
        }
    }
}

/// An error unless a task has a weight that counts for each of its rows, and these are as many as targets.
pub(super) fn check_rows(task: &Task<'_>, targets: usize, who: &str) -> Result<()> {
    Error::unless_equal("rows of the target", task.rows(), targets)?;
    Error::unless_equal("weights", targets, task.weights.map_or(targets, <[f64]>::len))?;
    if let Some(i) = (0..targets).find(|&i| !(task.weight(i) >= 0.0 && task.weight(i).is_finite())) {
        return Err(Error::Data(format!("row {} has the weight {}; expected a finite number, 0 or above", i + 1, task.weight(i))));
    }
    if (0..targets).all(|i| task.weight(i) == 0.0) {
        return Err(Error::Data(format!("{who}: there is no row of weight above 0")));
    }
    Ok(())
}

//! Linear support vector classification on features that are written out, two classes or each class against the rest.
//!
//! ```text
//! minimise  1/2 |w|^2 + sum_i C_i max(0, 1 - t_i f(x_i))^p,     f(x) = w'phi(x) + b,     C_i = c weight_i class_weight
//! ```
//!
//! p = 2 (squared hinge) or 1 (hinge); b = s v, where s is `intercept_scale` and v the weight of one more column that holds s,
//! penalised like the others. Of more than two classes the factor of a class counts where it stands against the rest. Hsieh et al.
//! (2008), Lin, Weng & Keerthi (2008). The certificate is the relative duality gap of the worst problem.

use super::linear_machine::{C, DEFAULT_MAX_ITERATIONS, DEFAULT_TOLERANCE, INTERCEPT_SCALE, MAX_ITERATIONS, Machine, SOLVER};
use super::linear_machine::{check_rows, costs};
use crate::data::Kind;
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::{
    ClassWeight, Costs, Estimator, ExpansionFit, Fit, FitContext, Gives, LinearSolver, Needs, Scores, Size, Task, When,
};
use crate::param::{Value, require_settled};
use crate::solve::linear::{Loss, Problem};
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// What a row costs that is not on its side of the margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum HingeLoss {
    /// The square of its distance from there.
    #[default]
    SquaredHinge,
    /// Its distance from there.
    Hinge,
}

/// Linear support vector classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct LinearSvc {
    /// Penalty C on the losses.
    #[param(C)]
    pub c: Value,
    /// squared_hinge: the square of what a row lacks to the margin; hinge: what it lacks
    pub loss: HingeLoss,
    /// Value of the column whose weight is the intercept; 0: none.
    #[param(INTERCEPT_SCALE, default = 1.0)]
    pub intercept_scale: Value,
    /// none: rows count by their own weights; balanced: every class counts alike as a whole
    pub class_weight: ClassWeight,
    /// Which problem is solved.
    #[param(SOLVER)]
    pub solver: LinearSolver,
    /// of the dual problem, the greatest slope of the objective less the least; of the primal problem, the length of the gradient as a
    /// share of that at 0, times the share of the rarer class; and the greatest relative duality gap
    #[param(default = DEFAULT_TOLERANCE, domain = PositiveFinite)]
    pub tolerance: Value,
    /// Most passes over the rows, or Newton steps.
    #[param(MAX_ITERATIONS, default = DEFAULT_MAX_ITERATIONS)]
    pub max_iterations: Value,
    /// Whether to fit probabilities of the classes too.
    #[param(doc = CALIBRATED)]
    pub probabilities: bool,
}

impl Estimator for LinearSvc {
    const NAME: &'static str = "linear_svc";
    const DOC: &'static str =
        "linear support vector classification on written-out features, in O(N): the widest margin, each class against the rest";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Features
    }

    /// Five fits without a fold, for probabilities.
    fn costs(&self, size: Size) -> Costs {
        let fits = if self.probabilities { 5.0 } else { 1.0 };
        let costs = costs(size, if size.outputs > 2 { size.outputs } else { 1 }, self.loss == HingeLoss::SquaredHinge, self.solver);
        Costs { fit: fits * costs.fit, ..costs }
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        check_rows(task, codes.len(), Self::NAME)?;
        let mut mass = vec![0.0; names.len()];
        codes.iter().enumerate().filter(|(_, k)| **k < names.len()).for_each(|(i, &k)| mass[k] += task.weight(i));
        Ok(self.fit_by_class(task, &self.class_weight.factors(&mass))?.into())
    }
}

impl LinearSvc {
    /// Fits with a factor of the cost of rows of each class, in the order of their names, instead of `class_weight`.
    ///
    /// # Errors
    /// Those of [`Estimator::fit`]; another number of factors.
    pub fn fit_by_class(&self, task: &Task<'_>, factors: &[f64]) -> Result<ExpansionFit> {
        require_settled(self, Self::NAME)?;
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        check_rows(task, codes.len(), Self::NAME)?;
        Error::unless_equal("factors of classes", names.len(), factors.len())?;
        let scores = ClassScores::present_in(task, Self::NAME)?;
        let c = self.c.number();
        let sides = self.sides(&scores, factors);
        let problems: Vec<Problem> = sides.iter().map(|side| side.problem(codes, &|i| c * task.weight(i), self.losses())).collect();
        let (expansion, summary) = self.machine().solve(task, &problems)?;
        Ok(ExpansionFit::of_features(expansion, Link::Margins(scores), summary))
    }

    /// The second of two classes against the first, each of several against the rest.
    pub(super) fn sides(&self, scores: &ClassScores, factors: &[f64]) -> Vec<ClassSide> {
        match scores.present() {
            [_, second] => vec![ClassSide { class: *second, factors: factors.to_vec() }],
            several => {
                let of = |class: usize| (0..factors.len()).map(|k| if k == class { factors[k] } else { 1.0 }).collect();
                several.iter().map(|&class| ClassSide { class, factors: of(class) }).collect()
            }
        }
    }

    pub(super) fn losses(&self) -> Loss {
        Loss { one_sided: true, squared: self.loss == HingeLoss::SquaredHinge, tube: 0.0 }
    }

    pub(super) fn machine(&self) -> Machine<'_> {
        Machine {
            owner: Self::NAME,
            squared: self.loss == HingeLoss::SquaredHinge,
            intercept_scale: &self.intercept_scale,
            solver: self.solver,
            tolerance: &self.tolerance,
            max_iterations: &self.max_iterations,
        }
    }
}

/// A class against others.
pub(super) struct ClassSide {
    pub(super) class: usize,
    /// How much rows of each class count besides their own weights.
    pub(super) factors: Vec<f64>,
}

impl ClassSide {
    /// +1 for the class, -1 for others.
    pub(super) fn sign(&self, class: usize) -> f64 {
        if class == self.class { 1.0 } else { -1.0 }
    }

    /// The problem of rows of such classes and costs.
    pub(super) fn problem(&self, codes: &[usize], cost: &dyn Fn(usize) -> f64, loss: Loss) -> Problem {
        Problem {
            target: codes.iter().map(|&k| self.sign(k)).collect(),
            cost: codes.iter().enumerate().map(|(i, &k)| cost(i) * self.factors[k]).collect(),
            loss,
        }
    }
}

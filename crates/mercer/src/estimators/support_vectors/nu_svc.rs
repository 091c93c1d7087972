//! Support vector classification with nu instead of C (nu-SVC), two classes or one against one.
//!
//! ```text
//! minimise  1/2 |w|^2 - nu M rho + sum_i m_i max(0, rho - t_i f(x_i)),     f(x) = w'phi(x) + b,     M = sum_i m_i
//! ```
//!
//! with m_i = weight_i class_weight. The share of rows within the margin, by m, is nu at most, and that of support vectors nu at least.
//! The dual has 0 <= a_i <= m_i, and the a_i of each class sum to nu M / 2: there is a solution for nu <= 2 min(M_1, M_2) / M alone. Divided
//! by rho it is the solution of C-SVC with C = 1 / rho, and so is the function given here: its margins are at 1 and -1, the objective is that
//! of C-SVC, and probabilities are calibrated on machines of that C. The gap is held against it. Schölkopf, Smola, Williamson and Bartlett
//! (2000), New support vector algorithms; Murphy (2012) 14.5.2.2.

use super::class_pairs;
use super::fitted_svc::FittedSvc;
use super::model::{Penalty, SvcModel, SvcRows};
use super::svc::EqualVotes;
use super::svm;
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::{ClassWeight, Costs, Estimator, EstimatorFacts, Fit, FitContext, Gives, Scores, Size, Task, When};
use crate::param::{Value, require_settled};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Support vector classification with nu.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct NuSvc {
    /// upper bound on the share of margin errors, and lower bound on the share of support vectors
    #[param(default = 0.5, domain = UpToOne)]
    pub nu: Value,
    /// greatest violation of the optimality conditions, in units of the decision value, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver for each pair of classes
    #[param(default = svm::MAX_ITERATIONS, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// none: rows count by their own weights; balanced: classes have equal total weight
    pub class_weight: ClassWeight,
    /// kernel cache in MB; affects speed only
    #[param(default = svm::CACHE_MB, domain = Positive)]
    pub cache_mb: Value,
    /// Whether to fit probabilities of the classes too.
    #[param(doc = CALIBRATED)]
    #[serde(default)]
    pub probabilities: bool,
    /// of classes with equal votes, sum: the one with the greater sum of decision values wins; first: the first of them
    #[serde(default)]
    pub ties: EqualVotes,
}

impl Estimator for NuSvc {
    const NAME: &'static str = "nu_svc";
    const DOC: &'static str = "support vector classification with nu, the share of margin errors, instead of the penalty C";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedSvc;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Pairs, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES }
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts {
            ignores_shifts: true,
            skips_zero_weights: !self.probabilities,
            is_other_parametrisation: true,
            ..EstimatorFacts::default()
        }
    }

    fn costs(&self, size: Size) -> Costs {
        // Operations for each pair of rows and class.
        const STEPS: f64 = 32.0;
        class_pairs::costs(size, self.probabilities, &self.cache_mb, STEPS)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        require_settled(self, Self::NAME)?;
        let penalty = Penalty::Nu(self.nu.number());
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        SvcModel::Pairs(self.ties).fit(&SvcRows::of(Self::NAME, task, self.class_weight, penalty, options)?, context)
    }
}

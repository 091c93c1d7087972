//! Support vector classification (C-SVC): the parameters of `svc`, and which of the machines in `model` they state.
//!
//! ```text
//! minimise  1/2 |w|^2 + sum_i C_i max(0, 1 - t_i f(x_i)),     f(x) = w'phi(x) + b,     C_i = c weight_i class_weight
//! ```
//!
//! of two classes, solved in its dual. Cortes and Vapnik (1995); Bishop (2006) 7.1.1; Murphy (2012) 14.5.2. `class_pairs`, `dag`,
//! `one_vs_rest` and `output_codes` make several classes of such problems, `joint_machines` states one problem of all classes.

use super::class_pairs::{self, PER_COEFFICIENT};
use super::fitted_svc::FittedSvc;
use super::joint_machines;
use super::model::{Multiclass, Penalty, SvcModel, SvcRows};
use super::output_codes::{CodeSettings, Decoding, OutputCode};
use super::pair_problems::TOGETHER;
use super::svm;
use crate::data::Kind;
use crate::error::Result;
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::{
    ClassWeight, Costs, Estimator, EstimatorFacts, Fit, FitContext, Gives, LeaveOneOut, Predictions, Scores, Size, Task, When,
};
use crate::param::{Value, require_settled};
use crate::solve::joint::JointLoss;
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// Operations for each pair of rows and class.
const STEPS: f64 = 10.0;

/// Which of the classes with equal votes wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum EqualVotes {
    /// The one with the greater sum of decision values, then the lower code. A decision value of 0 is a vote for the first class
    /// of its pair.
    #[default]
    Sum,
    /// The one of the lowest code. A decision value of 0 is a vote for the second class of its pair, as in libsvm.
    First,
}

/// Support vector classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Svc {
    /// penalty C on margin violations
    #[param(domain = Positive, search = 1e3)]
    pub c: Value,
    /// greatest violation of the optimality conditions, in units of the decision value, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver for each machine
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
    /// more than two classes. pairs: a machine for each pair, most votes win; one_vs_rest: a machine for each class; weston_watkins and
    /// crammer_singer: one problem of all classes; dag: as pairs, predictions evaluate one machine fewer than there are classes; codes:
    /// error-correcting output codes
    #[serde(default)]
    pub multiclass: Multiclass,
    /// code words of the classes (multiclass=codes only). exhaustive: every split of the classes, up to seven classes; random: 10 log2 C
    /// splits of C classes; identity: each class against the rest; auto: exhaustive up to seven classes, else random
    #[serde(default)]
    pub code: OutputCode,
    /// how machines become a class (multiclass=codes only). loss: the least sum of hinge losses; hamming: the fewest wrong signs
    #[serde(default)]
    pub decoding: Decoding,
}

impl Svc {
    /// The machines that its parameters state.
    fn model(&self) -> SvcModel {
        match self.multiclass {
            Multiclass::Pairs => SvcModel::Pairs(self.ties),
            Multiclass::Dag => SvcModel::Dag(self.ties),
            Multiclass::OneVsRest => SvcModel::OneVsRest,
            Multiclass::Codes => SvcModel::Codes(CodeSettings { code: self.code, decoding: self.decoding }),
            Multiclass::WestonWatkins => SvcModel::Joint(JointLoss::WestonWatkins),
            Multiclass::CrammerSinger => SvcModel::Joint(JointLoss::CrammerSinger),
        }
    }

    /// The rows of a task with their costs; every parameter is settled.
    fn rows<'t>(&self, task: &'t Task<'t>) -> Result<SvcRows<'t>> {
        require_settled(self, Svc::NAME)?;
        let penalty = Penalty::C(svm::finite(Svc::NAME, "c", &self.c)?);
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        SvcRows::of(Svc::NAME, task, self.class_weight, penalty, options)
    }

    /// Machines over all rows, where those are not of pairs of classes.
    fn machines_of_all_rows(&self, classes: usize) -> Option<usize> {
        match self.multiclass {
            Multiclass::Pairs | Multiclass::Dag => None,
            _ if classes <= 2 => None,
            Multiclass::Codes => Some(self.code.machines(classes)),
            Multiclass::OneVsRest | Multiclass::WestonWatkins | Multiclass::CrammerSinger => Some(classes),
        }
    }
}

impl Estimator for Svc {
    const NAME: &'static str = "svc";
    const DOC: &'static str = "support vector classification: the widest margin between two classes, one against one or jointly for more";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedSvc;

    fn gives(&self) -> Gives {
        let scores = match self.multiclass {
            Multiclass::Pairs | Multiclass::Dag => Scores::Pairs,
            _ => Scores::Classes,
        };
        let leave_one_out = match self.multiclass {
            Multiclass::WestonWatkins | Multiclass::CrammerSinger => LeaveOneOut::None,
            _ => LeaveOneOut::Refits,
        };
        let calibrated = When::If("probabilities");
        Gives { scores, probabilities: calibrated, calibrated, leave_one_out, ..Gives::VALUES }
    }

    /// Coefficients that sum to 0 see nothing of f(z), and the offset takes up f(x). Folds for probabilities are made of all rows.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, skips_zero_weights: !self.probabilities, ..EstimatorFacts::default() }
    }

    fn costs(&self, size: Size) -> Costs {
        if matches!(self.multiclass, Multiclass::WestonWatkins | Multiclass::CrammerSinger) {
            return joint_machines::costs(size, &self.cache_mb, self.probabilities);
        }
        if let Some(machines) = self.machines_of_all_rows(size.outputs) {
            let held = (size.rows.saturating_mul(machines)).min(TOGETHER + size.rows);
            let costs = svm::costs(size, (machines, held), &self.cache_mb, STEPS * machines as f64);
            let bytes = costs.bytes + PER_COEFFICIENT * (size.rows * machines) as u64;
            let fits = if self.probabilities { 5.0 } else { 1.0 };
            return Costs { bytes, values: fits * costs.values, fit: fits * costs.fit, ..costs };
        }
        class_pairs::costs(size, self.probabilities, &self.cache_mb, STEPS)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        self.model().fit(&self.rows(task)?, context)
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        self.model().leave_one_out(&self.rows(task)?)
    }
}

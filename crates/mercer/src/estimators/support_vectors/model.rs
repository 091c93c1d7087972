//! The machines behind `svc`, and the rows that they are fitted to.

use super::fitted_svc::{FittedSvc, SvcDecision};
use super::output_codes::CodeSettings;
use super::pair_problems::masses;
use super::svc::EqualVotes;
use super::{class_pairs, joint_machines, one_vs_rest, output_codes};
use crate::error::Result;
use crate::estimators::{ClassWeight, Fit, FitContext, Predictions, Task};
use crate::solve::joint::JointLoss;
use crate::solve::smo::Options;
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};

/// How more than two classes are separated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Multiclass {
    /// A machine for each pair of classes; most votes win.
    #[default]
    Pairs,
    /// A machine for each class against the rest; the greatest decision value wins.
    OneVsRest,
    /// One problem of all classes; every other class costs what the margin to it lacks.
    WestonWatkins,
    /// One problem of all classes; the nearest other class costs what the margin to it lacks.
    CrammerSinger,
    /// A machine for each pair of classes; a decision graph evaluates one fewer than there are classes.
    Dag,
    /// Machines that split the classes by an error-correcting output code.
    Codes,
}

/// A support vector classifier whose parameters are settled, by its machines.
pub(super) enum SvcModel {
    Pairs(EqualVotes),
    Dag(EqualVotes),
    OneVsRest,
    Codes(CodeSettings),
    Joint(JointLoss),
}

/// What bounds the coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Penalty {
    /// C of each margin violation.
    C(f64),
    /// The share of margin errors at most, and of support vectors at least.
    Nu(f64),
}

/// The rows that machines are fitted to, with their costs.
pub(super) struct SvcRows<'t> {
    /// The estimator.
    pub(super) name: &'static str,
    pub(super) task: &'t Task<'t>,
    /// The class of each row.
    pub(super) codes: &'t [usize],
    /// Names of the classes.
    pub(super) names: &'t [String],
    /// Codes of those with rows, ascending.
    pub(super) present: Vec<usize>,
    /// The weight of each class, times that which it is given.
    pub(super) mass: Vec<f64>,
    /// The weight of each row, times that of its class.
    pub(super) counted: Vec<f64>,
    pub(super) penalty: Penalty,
    pub(super) options: Options,
}

impl<'t> SvcRows<'t> {
    pub(super) fn of(
        name: &'static str,
        task: &'t Task<'t>,
        class_weight: ClassWeight,
        penalty: Penalty,
        options: Options,
    ) -> Result<Self> {
        let (codes, names) = task.target.as_classes(name)?;
        let (present, mass) = masses(name, task, codes, names)?;
        let class_weight = class_weight.factors(&mass);
        let counted = codes.iter().enumerate().map(|(i, &k)| task.weight(i) * class_weight[k]).collect();
        let mass = mass.iter().zip(&class_weight).map(|(m, w)| m * w).collect();
        Ok(SvcRows { name, task, codes, names, present, mass, counted, penalty, options })
    }

    /// The greatest coefficient of each row; where nu is given, in a unit of its own.
    pub(super) fn bounds(&self) -> Vec<f64> {
        let c = match self.penalty {
            Penalty::C(c) => c,
            Penalty::Nu(_) => 1.0,
        };
        self.counted.iter().map(|w| c * w).collect()
    }

    /// The place of the class of each row among those that have rows; rows of no weight may be of another.
    pub(super) fn places(&self) -> Vec<usize> {
        let last = self.present.len() - 1;
        self.codes.iter().map(|code| self.present.partition_point(|k| k < code).min(last)).collect()
    }
}

impl SvcModel {
    /// Predictions of each row by machines that were fitted without it; `None` of machines that are solved from the start alone.
    pub(super) fn leave_one_out(&self, rows: &SvcRows<'_>) -> Result<Option<Predictions>> {
        let two = rows.present.len() == 2;
        match self {
            SvcModel::Pairs(ties) => class_pairs::leave_one_out(rows, SvcDecision::Pairs, *ties).map(Some),
            SvcModel::Dag(ties) => class_pairs::leave_one_out(rows, SvcDecision::Dag, *ties).map(Some),
            SvcModel::OneVsRest | SvcModel::Codes(_) if two => {
                class_pairs::leave_one_out(rows, SvcDecision::Pairs, EqualVotes::Sum).map(Some)
            }
            SvcModel::OneVsRest => one_vs_rest::leave_one_out(rows).map(Some),
            SvcModel::Codes(settings) => output_codes::leave_one_out(settings, rows).map(Some),
            SvcModel::Joint(_) => Ok(None),
        }
    }

    /// Fits to rows; two classes take one machine, whichever way more would be separated.
    pub(super) fn fit(&self, rows: &SvcRows<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        let two = rows.present.len() == 2;
        match self {
            SvcModel::Pairs(ties) => class_pairs::fit(rows, context, SvcDecision::Pairs, *ties),
            SvcModel::Dag(ties) => class_pairs::fit(rows, context, SvcDecision::Dag, *ties),
            SvcModel::OneVsRest | SvcModel::Codes(_) if two => class_pairs::fit(rows, context, SvcDecision::Pairs, EqualVotes::Sum),
            SvcModel::OneVsRest => one_vs_rest::fit(rows, context.earlier).map(Fit::from),
            SvcModel::Codes(settings) => output_codes::fit(settings, rows, context.earlier).map(Fit::from),
            SvcModel::Joint(loss) => joint_machines::fit(*loss, rows, context.earlier).map(Fit::from),
        }
    }
}

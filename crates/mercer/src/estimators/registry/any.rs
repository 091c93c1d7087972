//! An estimator whose type is forgotten: what expressions answer.

use crate::data::{Kind, Target};
use crate::error::Result;
use crate::estimators::{
    Costs, CountCurve, Criterion, CriterionName, Estimator, EstimatorFacts, Gives, Near, Needs, Predictions, Size, Task,
};
use crate::expr::Term;
use crate::param::{self, NumericSetting, Value};

/// An [`Estimator`] with its parameters whose type is forgotten. [`EstimatorExpr`](crate::estimators::EstimatorExpr) is one: its methods are those
/// of the estimator that it holds.
pub trait DynEstimator {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Name of the smooth criterion that tunes it; `None`: cross-validation does.
    fn criterion_name(&self) -> Option<CriterionName>;
    /// A value of the smooth criterion in a unit that can be read.
    fn criterion_for_display(&self, value: f64) -> f64;
    /// By what searches and fits around it may take shorter ways.
    fn facts(&self) -> EstimatorFacts;
    /// What it gives besides the predicted values.
    fn gives(&self) -> Gives;
    /// What it needs of the similarity of inputs.
    fn needs(&self) -> Needs;
    /// The kinds of target that it can be fitted to.
    fn kinds(&self) -> &'static [Kind];
    /// What a fit of a size takes of memory and operations.
    fn costs(&self, size: Size) -> Costs;
    /// Whether a parameter counts for such a target.
    fn uses(&self, param: &str, target: Kind) -> bool;
    /// The expression that it is.
    fn term(&self) -> Term;
    /// Every parameter with its value, in the order of the records.
    fn terms(&self) -> Vec<(&'static str, Term)>;
    /// Every numeric parameter with its record.
    fn values(&self) -> Vec<NumericSetting>;
    /// An error where a parameter is left open.
    fn require_settled(&self) -> Result<()>;
    /// Sets a parameter by name.
    fn set(&mut self, path: &str, value: &Value) -> Result<()>;
    /// Sets a flag or a choice by name to one of its words.
    fn set_word(&mut self, name: &str, word: &str) -> Result<()>;
    /// See [`Estimator::start`].
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64>;
    /// See [`Estimator::amplitude`].
    fn amplitude(&self, target: &Target, weights: Option<&[f64]>) -> f64;
    /// The smooth selection criterion and its derivatives.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion>;
    /// The smooth criterion on the way of a search, from where the last value of it ended, and where this one did.
    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)>;
    /// The criterion for many values of one own parameter, the others settled, where that is cheaper than one by one.
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>>;
    /// See [`Estimator::component_variances`].
    fn component_variances(&self, task: &Task<'_>, most: usize) -> Result<Option<(&'static str, Vec<f64>)>>;
    /// See [`Estimator::counts`].
    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>>;
    /// Predictions for each training row by the model fitted without it, where [`Gives::leave_one_out`] says how.
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>>;
}

impl<E: Estimator> DynEstimator for E {
    fn name(&self) -> &'static str {
        self.entry().name
    }
    fn criterion_name(&self) -> Option<CriterionName> {
        self.entry().criterion
    }
    fn criterion_for_display(&self, value: f64) -> f64 {
        E::criterion_for_display(value)
    }
    fn facts(&self) -> EstimatorFacts {
        Estimator::facts(self)
    }
    fn gives(&self) -> Gives {
        Estimator::gives(self)
    }
    fn needs(&self) -> Needs {
        Estimator::needs(self)
    }
    fn kinds(&self) -> &'static [Kind] {
        self.entry().takes
    }
    fn costs(&self, size: Size) -> Costs {
        Estimator::costs(self, size)
    }
    fn uses(&self, param: &str, target: Kind) -> bool {
        Estimator::uses(self, param, target)
    }
    fn term(&self) -> Term {
        self.shown()
    }
    fn terms(&self) -> Vec<(&'static str, Term)> {
        param::terms(self)
    }
    fn values(&self) -> Vec<NumericSetting> {
        param::numbers(self)
    }
    fn require_settled(&self) -> Result<()> {
        param::require_settled(self, self.entry().name)
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        let owner = self.entry().name;
        param::set_at(self, owner, path, value)
    }
    fn set_word(&mut self, name: &str, word: &str) -> Result<()> {
        let owner = self.entry().name;
        param::set_word(self, owner, name, word)
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        Estimator::start(self, param, task)
    }
    fn amplitude(&self, target: &Target, weights: Option<&[f64]>) -> f64 {
        Estimator::amplitude(self, target, weights)
    }
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        Estimator::criterion(self, task)
    }
    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        Estimator::criterion_near(self, task, last)
    }
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        Estimator::criterion_along(self, param, values, task)
    }
    fn component_variances(&self, task: &Task<'_>, most: usize) -> Result<Option<(&'static str, Vec<f64>)>> {
        Estimator::component_variances(self, task, most)
    }
    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>> {
        Estimator::counts(self, task, most)
    }
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        Estimator::leave_one_out(self, task)
    }
}

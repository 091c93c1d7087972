//! What is asked of an estimator, or of what it left, whose type is forgotten: expressions and models ask so.

use super::{
    Answer, Clusters, Costs, CountCurve, Criterion, Estimator, Expansion, Fitted, Gives, Near, Needs, Predictions, Query, Sigmoid, Size,
    Spectrum, Summary, Task, Want, WarmStart,
};
use crate::data::{Kind, Target, TargetInfo};
use crate::error::Result;
use crate::expr::Term;
use crate::linalg::Lower;
use crate::param::{self, Param, Value};

/// An estimator whose type is forgotten.
pub(super) trait AnyEstimator {
    fn name(&self) -> &'static str;
    fn criterion_name(&self) -> Option<&'static str>;
    fn criterion_for_display(&self, value: f64) -> f64;
    fn criterion_leaves_out(&self) -> bool;
    fn absorbs_shifts(&self) -> bool;
    fn goes_by_order(&self) -> bool;
    fn gives(&self) -> Gives;
    fn holds_out(&self) -> bool;
    fn needs(&self) -> Needs;
    fn skips_rows(&self) -> bool;
    fn multiplies(&self) -> bool;
    fn takes(&self) -> &'static [Kind];
    fn costs(&self, size: Size) -> Costs;
    fn uses(&self, param: &str, target: Kind) -> bool;
    fn term(&self) -> Term;
    fn terms(&self) -> Vec<(&'static str, Term)>;
    fn values(&self) -> Vec<(&'static Param, Value)>;
    fn require_settled(&self) -> Result<()>;
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;
    fn set_flag(&mut self, name: &str, value: bool) -> Result<()>;
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64>;
    fn amplitude(&self, target: &Target, weights: Option<&[f64]>) -> f64;
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion>;
    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)>;
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>>;
    fn component_variances(&self, task: &Task<'_>, most: usize) -> Result<Option<(&'static str, Vec<f64>)>>;
    fn counts(&self, task: &Task<'_>, most: usize) -> Result<Option<CountCurve>>;
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>>;
}

impl<E: Estimator> AnyEstimator for E {
    fn name(&self) -> &'static str {
        E::NAME
    }
    fn criterion_name(&self) -> Option<&'static str> {
        E::CRITERION
    }
    fn criterion_for_display(&self, value: f64) -> f64 {
        E::criterion_for_display(value)
    }
    fn criterion_leaves_out(&self) -> bool {
        E::CRITERION_LEAVES_OUT
    }
    fn absorbs_shifts(&self) -> bool {
        Estimator::absorbs_shifts(self)
    }
    fn goes_by_order(&self) -> bool {
        Estimator::goes_by_order(self)
    }
    fn gives(&self) -> Gives {
        E::GIVES
    }
    fn holds_out(&self) -> bool {
        E::HOLDS_OUT
    }
    fn needs(&self) -> Needs {
        E::NEEDS
    }
    fn skips_rows(&self) -> bool {
        Estimator::skips_rows(self)
    }
    fn multiplies(&self) -> bool {
        Estimator::multiplies(self)
    }
    fn takes(&self) -> &'static [Kind] {
        E::TAKES
    }
    fn costs(&self, size: Size) -> Costs {
        Estimator::costs(self, size)
    }
    fn uses(&self, param: &str, target: Kind) -> bool {
        Estimator::uses(self, param, target)
    }
    fn term(&self) -> Term {
        param::call(E::NAME, self, E::PARAMS)
    }
    fn terms(&self) -> Vec<(&'static str, Term)> {
        param::terms(self, E::PARAMS)
    }
    fn values(&self) -> Vec<(&'static Param, Value)> {
        param::values(self, E::PARAMS)
    }
    fn require_settled(&self) -> Result<()> {
        param::require_settled(self, E::NAME, E::PARAMS)
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        param::set(self, E::NAME, E::PARAMS, name, value)
    }
    fn set_flag(&mut self, name: &str, value: bool) -> Result<()> {
        param::set_flag(self, E::NAME, name, value)
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

/// What an estimator left, its type forgotten: see [`Fitted`].
pub(super) trait AnyFitted {
    fn support(&self) -> &[usize];
    fn predict(&self, query: &Query<'_>) -> Result<Predictions>;
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions>;
    fn summary(&self) -> &Summary;
    fn answer(&self, target: &TargetInfo) -> Result<Answer>;
    fn expansion(&self) -> Option<&Expansion>;
    fn reads_features(&self) -> bool;
    fn forget_rows(&mut self);
    fn factor(&self) -> Option<&Lower>;
    fn sigmoids(&self) -> &[Sigmoid];
    fn spectrum(&self) -> Option<&Spectrum>;
    fn clusters(&self) -> Option<&Clusters>;
    fn steps(&self) -> Vec<usize>;
}

impl<F: Fitted> AnyFitted for F {
    fn support(&self) -> &[usize] {
        Fitted::support(self)
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Fitted::predict(self, query)
    }
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        Fitted::predict_left_out(self, trace, rows, want)
    }
    fn summary(&self) -> &Summary {
        Fitted::summary(self)
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Fitted::answer(self, target)
    }
    fn expansion(&self) -> Option<&Expansion> {
        Fitted::expansion(self)
    }
    fn reads_features(&self) -> bool {
        Fitted::reads_features(self)
    }
    fn forget_rows(&mut self) {
        Fitted::forget_rows(self);
    }
    fn factor(&self) -> Option<&Lower> {
        Fitted::factor(self)
    }
    fn sigmoids(&self) -> &[Sigmoid] {
        Fitted::sigmoids(self)
    }
    fn spectrum(&self) -> Option<&Spectrum> {
        Fitted::spectrum(self)
    }
    fn clusters(&self) -> Option<&Clusters> {
        Fitted::clusters(self)
    }
    fn steps(&self) -> Vec<usize> {
        Fitted::steps(self)
    }
}

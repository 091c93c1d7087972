//! An estimator: a method of fitting with its parameters.

use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::{
    Costs, CountCurve, Criterion, CriterionName, EstimatorEntry, EstimatorFacts, Fit, FitContext, Fitted, Gives, Near, Needs, Predictions,
    Size, Task,
};
use crate::expr::Term;
use crate::param::{self, Alias, Parameters};
use serde::{Serialize, de::DeserializeOwned};

/// A method of fitting. Small, stored as data.
pub trait Estimator: Parameters + Serialize + DeserializeOwned + Default + Clone + Send + Sync {
    /// Its name in expressions.
    const NAME: &'static str;
    /// One sentence for lists and help.
    const DOC: &'static str;
    /// Other names of parameters.
    const ALIASES: &'static [Alias] = &[];
    /// The kinds of target that it can be fitted to.
    const TAKES: &'static [Kind];
    /// Name of the smooth criterion that [`Estimator::criterion`] minimises; `None`: tuned by cross-validation.
    const CRITERION: Option<CriterionName> = None;
    /// What fitting gives. Bit-equal after being stored and read again.
    type Fitted: Fitted + Serialize + DeserializeOwned;

    /// What it gives besides the predicted values.
    fn gives(&self) -> Gives {
        Gives::VALUES
    }
    /// What it reads of inputs, and what that must be: a kernel that is not positive semi-definite may have to be refused, and where
    /// predictions depend on no input, no kernel parameter is worth searching.
    fn needs(&self) -> Needs {
        Needs::MercerKernel
    }
    /// What the lists say of it. A type that stands for many estimators, such as objects of another language, says what holds of this one.
    fn entry(&self) -> EstimatorEntry {
        EstimatorEntry::of(self)
    }
    /// The expression as it is shown: a call of its name with the parameters that differ from their defaults.
    fn shown(&self) -> Term {
        param::call(Self::NAME, self)
    }
    /// The value of the smooth criterion in the unit shown to the user; increases with the value.
    fn criterion_for_display(value: f64) -> f64 {
        value
    }
    /// By what searches and fits around it may take shorter ways; nothing unless the estimator says so.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts::default()
    }
    /// Memory and operations of a fit of a given size, from which plans are made.
    fn costs(&self, size: Size) -> Costs;
    /// Whether a parameter counts for such a target.
    fn uses(&self, _param: &str, _target: Kind) -> bool {
        true
    }
    /// The data-based start for a parameter that is `auto`: 1 unless the estimator says otherwise. Errors that the fit meets anyway may be
    /// left to it.
    fn start(&self, _param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(1.0)
    }
    /// The size of kernel values that suits the target, where a kernel leaves its factors open: 1 unless the estimator says
    /// otherwise. Every parameter is settled.
    fn amplitude(&self, _target: &Target, _weights: Option<&[f64]>) -> f64 {
        1.0
    }
    /// Fits; every parameter is settled. The context is what the fit may use besides its task.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, Self::Fitted>) -> Result<Fit<Self::Fitted>>;
    /// Fits from the task alone.
    fn fit(&self, task: &Task<'_>) -> Result<Self::Fitted> {
        self.fit_with(task, &FitContext::default()).map(|fit| fit.fitted)
    }
    /// The value of the smooth selection criterion and its derivatives; every parameter is settled.
    fn criterion(&self, _task: &Task<'_>) -> Result<Criterion> {
        Err(Error::Data(format!("{} has no smooth selection criterion", Self::NAME)))
    }
    /// The selection criterion within a search, warm-started from its previous evaluation if the method can: then to the
    /// tolerance of a search. Also gives where this evaluation ended.
    fn criterion_near(&self, task: &Task<'_>, _last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.criterion(task).map(|criterion| (criterion, None))
    }
    /// The criterion for many values of one own parameter, the others settled, where that is cheaper than one by one.
    fn criterion_along(&self, _param: &str, _values: &[f64], _task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }
    /// The parameter that says how many components are kept, where it is to be found from the rows, and the variance along each of
    /// the `most` first components: see [`crate::select`] on parallel analysis.
    fn component_variances(&self, _task: &Task<'_>, _most: usize) -> Result<Option<(&'static str, Vec<f64>)>> {
        Ok(None)
    }
    /// What is measured of each number of clusters up to `most`, where it finds such: see [`CountCurve`].
    fn counts(&self, _task: &Task<'_>, _most: usize) -> Result<Option<CountCurve>> {
        Ok(None)
    }
    /// Predictions for each training row by the model fitted without it, where [`Gives::leave_one_out`] says how.
    fn leave_one_out(&self, _task: &Task<'_>) -> Result<Option<Predictions>> {
        Ok(None)
    }
}

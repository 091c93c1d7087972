//! An estimator: a method of fitting with its parameters.

use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out;
use crate::estimators::{
    Costs, CountCurve, Criterion, EstimatorEntry, EstimatorFacts, Fitted, Gives, HeldOut, HoldOut, Near, Needs, Predictions, Size, Task,
    WarmStart, When,
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
    /// What it gives besides the predicted values.
    const GIVES: Gives;
    /// What it needs of the similarity: a kernel that is not positive semi-definite may have to be refused, and where predictions
    /// depend on no input, no kernel parameter is worth searching.
    const NEEDS: Needs;
    /// Name of the smooth criterion that [`Estimator::criterion`] minimises; `None`: tuned by cross-validation.
    const CRITERION: Option<&'static str> = None;
    /// What fitting gives. Bit-equal after being stored and read again.
    type Fitted: Fitted + Serialize + DeserializeOwned;

    /// What the lists say of it. A type that stands for many estimators, such as objects of another language, says what holds of this one.
    fn entry(&self) -> EstimatorEntry {
        EstimatorEntry::of::<Self>()
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
    /// Fits; every parameter is settled.
    fn fit(&self, task: &Task<'_>) -> Result<Self::Fitted>;
    /// Fits, warm-started from a fit to the same task with other parameters if the method can: along a path of penalties this
    /// takes a fraction of the steps. The solution meets the same tolerance.
    fn fit_from(&self, task: &Task<'_>, _earlier: Option<&Self::Fitted>) -> Result<Self::Fitted> {
        self.fit(task)
    }
    /// Learns on from rows that come: the first `known` rows of the task are those that an earlier fit keeps, the others are new.
    ///
    /// # Errors
    /// A method that learns from all rows at once.
    fn learn_on(&self, _task: &Task<'_>, _earlier: &Self::Fitted, _known: usize) -> Result<Self::Fitted> {
        Err(Error::Data(format!("{} learns from all rows at once; perceptron takes rows as they come", Self::NAME)))
    }
    /// Fits along a path of parameters: takes the earlier fit with its warm start and returns both for the next one.
    fn fit_along(&self, task: &Task<'_>, earlier: Option<(&Self::Fitted, &WarmStart)>) -> Result<(Self::Fitted, WarmStart)> {
        Ok((self.fit_from(task, earlier.map(|(fitted, _)| fitted))?, WarmStart::default()))
    }
    /// Fits along a path; rows that the fit itself holds out, for calibration or otherwise, are held out as `hold` says.
    fn fit_keeping(
        &self,
        task: &Task<'_>,
        earlier: Option<(&Self::Fitted, &WarmStart)>,
        _hold: HoldOut<'_>,
    ) -> Result<(Self::Fitted, WarmStart)> {
        self.fit_along(task, earlier)
    }
    /// The fit, with scores of training rows by fits without them, which calibration learns from: rows left out in closed form where
    /// there is one and any row may be, else held out in folds that keep to the split. To be written where the two come cheaper together;
    /// where the kernel has learnt from all rows it is not asked, and every fold has a kernel learnt anew.
    fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&Self::Fitted>, hold: HoldOut<'_>) -> Result<(Self::Fitted, HeldOut)> {
        let fitted = self.fit_from(task, earlier)?;
        if let (Some(copies), true) = (hold.split.repeated(), Self::GIVES.leave_one_out != When::Never) {
            return Ok((fitted, held_out::each_once(self, task, copies, hold)?));
        }
        let left_out = if hold.frees_rows() { self.leave_one_out(task)? } else { None };
        let scored = left_out.filter(|p| p.probabilities.is_some() || p.scores.is_some());
        let held_out = scored.map_or_else(|| held_out::out_of_fold(self, task, hold), |p| HeldOut::one_by_one(&p, task))?;
        Ok((fitted, held_out))
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
    /// Predictions for each training row by the model fitted without it, where there is a closed form.
    fn leave_one_out(&self, _task: &Task<'_>) -> Result<Option<Predictions>> {
        Ok(None)
    }
}

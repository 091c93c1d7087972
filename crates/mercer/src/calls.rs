//! The two calls that most programs begin with, everything else at its default: fit one estimator, compare all of them.

use crate::compare::{self, Comparing, Outcome};
use crate::control::Control;
use crate::data::{Dataset, Split, Target, TargetInfo};
use crate::error::Result;
use crate::learner::{Learner, Model};

/// Fits an estimator, or a [`Learner`] with a kernel of its own, to N rows and N targets: columns are prepared, a kernel that is not
/// given follows from their types, and what is left open is tuned.
///
/// # Errors
/// An estimator that cannot be fitted to such a target; a value outside its domain; rows that nothing can be learnt from.
pub fn fit(learner: impl Into<Learner>, data: &Dataset, target: &Target) -> Result<Model> {
    learner.into().fit(data, target, &TargetInfo::of(target), None, &Control::default())
}

/// Compares every estimator that goes by kernel values and can be fitted to such a target, by five folds, within the usual budget. [`Comparing`] says more.
///
/// # Errors
/// Rows that allow no folds; the first failure where every estimator failed.
pub fn compare(data: &Dataset, target: &Target) -> Result<Outcome> {
    let comparing = Comparing { own_scales: true, ..Comparing::new(compare::usual(data, target, None)?) };
    compare::compare(data, target, &TargetInfo::of(target), None, &Split::Rows, &comparing, &Control::default())
}

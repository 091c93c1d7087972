//! Which estimators learn from batches of rows, and what they say of it.

use super::{Centred, DescentPlan, SquareSums};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::{Estimator, EstimatorExpr, FittedModel, LinearSvc, LinearSvr, Logistic, Ridge, Task, View};
use crate::gram::Multiplied;
use crate::linalg::Matrix;

/// An estimator that learns from sums over batches of rows.
pub(crate) trait BatchLearner {
    /// An error where its parameters ask for more than sums give; parameters may be open.
    fn check(&self) -> Result<()>;

    /// The targets of rows as the columns that are summed up beside the features, N x columns.
    fn columns(&self, task: &Task<'_>) -> Result<Matrix>;

    /// What is measured from its mean.
    fn centred(&self) -> Centred;

    /// Whether further passes follow that of the squares.
    fn descends(&self) -> bool;

    /// What follows from the squares of all rows. `like`: a fit to some of them.
    fn after_squares<'a>(&'a self, squares: &'a SquareSums, like: &'a FittedModel, control: &Control) -> Result<AfterSquares<'a>>;
}

/// What follows from the squares of all rows.
pub(crate) enum AfterSquares<'a> {
    /// The fit.
    Solved(Box<FittedModel>),
    /// A problem that is solved by passes over the rows.
    Descend(DescentPlan<'a>),
}

/// From one list: the estimators that learn from batches, and their names.
macro_rules! batch_learners {
    ($($Estimator:ident),*) => {
        const NAMES: &[&str] = &[$($Estimator::NAME),*];

        fn find(estimator: &EstimatorExpr) -> Option<&dyn BatchLearner> {
            match estimator {
                $(EstimatorExpr::$Estimator(e) => Some(e),)*
                _ => None,
            }
        }
    };
}

batch_learners!(Ridge, Logistic, LinearSvc, LinearSvr);

/// The estimator as one that learns from batches, whose parameters may be open.
///
/// # Errors
/// Another estimator; parameters that ask for more than sums give.
pub(crate) fn learner_of(estimator: &EstimatorExpr) -> Result<&dyn BatchLearner> {
    let learner = find(estimator).ok_or_else(|| {
        let why = format!("{estimator} does not learn from batches of rows; take one of {}", NAMES.join(", "));
        Error::Setting { name: "estimator".into(), why }
    })?;
    learner.check()?;
    Ok(learner)
}

/// The features of the rows of a task.
///
/// # Errors
/// A kernel without features that mean the same in every batch.
pub(crate) fn features<'a>(task: &Task<'a>) -> Result<Multiplied<'a>> {
    let gram = match task.view {
        View::Features(features) => features.products(),
        view => view.values()?,
    };
    if !gram.structure().features_stand_alone() {
        return Err(without_features());
    }
    Multiplied::of(gram).ok_or_else(without_features)
}

fn without_features() -> Error {
    let why = "batches of rows are added up over the features of a kernel, and this one has none written out; take linear, or \
               nystroem(K, rank=1000) of any kernel K";
    Error::Setting { name: "kernel".into(), why: why.into() }
}

/// The error of sums that belong to the fit of another estimator.
pub(crate) fn another_fit() -> Error {
    Error::Internal { what: "sums".into(), why: "they are of another fit".into() }
}

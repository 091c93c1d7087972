//! The sums of one pass over the rows, and what follows from them.

use super::{AfterSquares, BatchLearner, SlopeSums, features, learner_of};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::systems::square_sums::SquareSums;
use crate::estimators::{EstimatorExpr, FittedModel, Task};
use serde::{Deserialize, Serialize};

/// The sums of one pass over the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum PassSums {
    /// Of the first one: squares of features and targets.
    Squares(SquareSums),
    /// Of the others: losses and slopes.
    Slopes(Box<SlopeSums>),
}

/// What follows from a pass over all rows.
pub(crate) enum AfterPass {
    /// The fit.
    Done(Box<FittedModel>),
    /// The sums of the next pass, over no rows yet.
    Next(PassSums),
}

impl PassSums {
    /// Sums over no rows for the first pass, in units by which the rows of a task are near 1.
    ///
    /// # Errors
    /// An estimator that does not learn from sums; a kernel without features; no memory for the square of their number.
    pub(crate) fn begin(estimator: &EstimatorExpr, task: &Task<'_>) -> Result<PassSums> {
        let learner = learner_of(estimator)?;
        let (z, targets) = (features(task)?, learner.columns(task)?);
        // Sums of a batch and of all of them, of 16 bytes, and matrices of f64 of the batch and of the solution.
        let width = (z.cols() + targets.cols() + 1) as u64;
        task.control.plan(&format!("the sums over {} features", z.cols()), width * width * (16 + 4 * 8))?;
        Ok(PassSums::Squares(SquareSums::scaled_by(&z, &targets, learner.centred())))
    }

    /// Sums of the same pass over no rows.
    pub(crate) fn emptied(&self) -> PassSums {
        match self {
            PassSums::Squares(squares) => PassSums::Squares(squares.emptied()),
            PassSums::Slopes(slopes) => PassSums::Slopes(Box::new(slopes.emptied())),
        }
    }

    /// The number of the pass, from 1.
    pub(crate) fn pass(&self) -> usize {
        match self {
            PassSums::Squares(_) => 1,
            PassSums::Slopes(slopes) => slopes.pass(),
        }
    }

    /// Adds the rows of a task. `like`: a fit to some of the rows.
    ///
    /// # Errors
    /// Targets that are not finite; numbers far larger than those that set the scale; then the sums are not to be used any more.
    pub(crate) fn add(&mut self, estimator: &EstimatorExpr, task: &Task<'_>, like: &FittedModel) -> Result<()> {
        let (learner, z) = (learner_of(estimator)?, features(task)?);
        match self {
            PassSums::Squares(squares) => squares.add(&z, &learner.columns(task)?, task.weights, task.control),
            PassSums::Slopes(slopes) => slopes.add(learner, &z, task, like),
        }
    }

    /// Adds the sums of the same pass over other rows.
    ///
    /// # Errors
    /// Sums of another pass, or in other units.
    pub(crate) fn merge(&mut self, other: &PassSums) -> Result<()> {
        match (self, other) {
            (PassSums::Squares(squares), PassSums::Squares(other)) => squares.merge(other),
            (PassSums::Slopes(slopes), PassSums::Slopes(other)) => slopes.merge(other),
            (own, other) => Err(Error::Data(format!(
                "these sums are of pass {} and those of pass {}; merge sums of one pass only",
                other.pass(),
                own.pass()
            ))),
        }
    }

    /// What follows where all rows were added.
    ///
    /// # Errors
    /// No rows; a system that is singular in working precision; bounds of `control`.
    pub(crate) fn after(&self, estimator: &EstimatorExpr, like: &FittedModel, control: &Control) -> Result<AfterPass> {
        let learner = learner_of(estimator)?;
        match self {
            PassSums::Squares(squares) => match after_squares(learner, squares, like, control)? {
                AfterSquares::Solved(fit) => Ok(AfterPass::Done(fit)),
                AfterSquares::Descend(plan) => {
                    SlopeSums::begin(squares, &plan, control).map(|sums| AfterPass::Next(PassSums::Slopes(sums.into())))
                }
            },
            PassSums::Slopes(slopes) => slopes.after(learner, like, control),
        }
    }

    /// The best fit that is known before all rows of this pass were added; where one pass is all that there is, that to the rows so far.
    ///
    /// # Errors
    /// None yet; those of [`PassSums::after`].
    pub(crate) fn best(&self, estimator: &EstimatorExpr, like: &FittedModel, control: &Control) -> Result<FittedModel> {
        let learner = learner_of(estimator)?;
        let best = match self {
            PassSums::Squares(squares) => match after_squares(learner, squares, like, control)? {
                AfterSquares::Solved(fit) => Some(*fit),
                AfterSquares::Descend(_) => None,
            },
            PassSums::Slopes(slopes) => slopes.best(learner, like, control)?,
        };
        best.ok_or_else(|| {
            let why = format!(
                "{estimator} takes several passes over the batches, and none of its slopes is done; add all batches again and again"
            );
            Error::Data(format!("{why}, with next() after each pass, until that gives the model"))
        })
    }

    /// An error unless the sizes fit, which damaged bytes may bring about.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            PassSums::Squares(squares) => squares.check(),
            PassSums::Slopes(slopes) => slopes.check(),
        }
    }
}

/// What follows from the squares of some rows at least.
fn after_squares<'a>(
    learner: &'a dyn BatchLearner,
    squares: &'a SquareSums,
    like: &'a FittedModel,
    control: &Control,
) -> Result<AfterSquares<'a>> {
    squares.total()?;
    learner.after_squares(squares, like, control)
}

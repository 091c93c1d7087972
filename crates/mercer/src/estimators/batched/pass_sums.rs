//! The sums of one pass over the rows, and what follows from them.

use super::{AfterSquares, BatchLearner, LENGTHS, SlopeSums, SquareSums, features, learner_of};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::systems::residual::TOLERANCE;
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

/// What a pass over all rows takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeOfPasses {
    pub(crate) rows: usize,
    /// Cells of a row.
    pub(crate) cells: usize,
    /// Operations of a feature of a row.
    pub(crate) per_feature: f64,
}

/// What follows from a pass over all rows.
pub(crate) enum AfterPass {
    /// The fit.
    Done(Box<FittedModel>),
    /// The sums of the next pass, over no rows yet.
    Next(PassSums),
}

impl PassSums {
    /// Sums over no rows for the first pass, in units by which the rows of a task are near 1. `all`: the size of a pass, where the number of
    /// rows is known: squares of features are then added up over some of the rows where that counts less.
    ///
    /// # Errors
    /// An estimator that does not learn from sums; a kernel without features; no memory for the square of their number.
    pub(crate) fn begin(estimator: &EstimatorExpr, task: &Task<'_>, all: Option<SizeOfPasses>) -> Result<PassSums> {
        let learner = learner_of(estimator)?;
        let (z, targets) = (features(task)?, learner.columns(task)?);
        // Sums of a batch and of all of them, of 16 bytes, and matrices of f64 of the batch and of the solution.
        let width = (z.cols() + targets.cols() + 1) as u64;
        task.control.plan(&format!("the sums over {} features", z.cols()), width * width * (16 + 4 * 8))?;
        let every = all.map_or(1, |size| size.squared_rows(z.cols(), targets.cols(), learner.descends()));
        let whole = SquareSums::scaled_by(&z, &targets, learner.centred(), task.control)?;
        Ok(PassSums::Squares(whole.of_every(every)))
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

    /// Adds the rows of a task. `like`: a fit to some of the rows; `first`: the place of the first one.
    ///
    /// # Errors
    /// Targets that are not finite; numbers far larger than those that set the scale; then the sums are not to be used any more.
    pub(crate) fn add(&mut self, estimator: &EstimatorExpr, task: &Task<'_>, like: &FittedModel, first: usize) -> Result<()> {
        let (learner, z) = (learner_of(estimator)?, features(task)?);
        match self {
            PassSums::Squares(squares) => squares.add(&z, &learner.columns(task)?, task.weights, first, task.control),
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

impl SizeOfPasses {
    /// Of every how many rows the squares of m features are added up: 1 where squares over all rows take fewer operations. They suffice for an
    /// estimator that does not descend.
    ///
    /// By the law of Marchenko and Pastur the squares of s rows precondition those of all rows to a condition number of
    /// ((1 + q) / (1 - q))^2, q^2 = m/s, by which a step of conjugate gradients leaves the m/s-th part of what the objective lies above its
    /// least value. Twice as many are counted, for lengths that are not exact and for a bound on it, the duality gap.
    pub(crate) fn squared_rows(self, m: usize, outputs: usize, descends: bool) -> usize {
        // Operations in the time in which a cell of text is read: 250 ns, where a kernel value of 40 operations takes 1.5 (a CSV of 1,000,000 x 10 in 2.5 s).
        const CELL: f64 = 6700.0;
        let (rows, m) = (self.rows as f64, m as f64);
        // A feature of a row, with its share of values and slopes at all points of a pass.
        let per_feature = self.per_feature + 4.0 * (LENGTHS * outputs) as f64;
        let pass = rows * (CELL * self.cells as f64 + m * per_feature);
        let operations = |s: f64| s * m * m + pass * 2.0 * TOLERANCE.ln() / (m / s).ln();
        let whole = if descends { operations(rows) } else { rows * m * m };
        let every = (1..).map(|k: u32| 1usize << k).take_while(|every| rows / *every as f64 >= 2.0 * m);
        let best = every.map(|every| (every, operations(rows / every as f64))).min_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|best| best.1 < whole).map_or(1, |best| best.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_of_some_rows_where_passes_count_less() {
        let every = |rows, m, descends| SizeOfPasses { rows, cells: 10, per_feature: 40.0 }.squared_rows(m, 1, descends);
        // 1e12 operations of squares against 1.2e11 a pass.
        assert_eq!(every(1_000_000, 1000, false), 1);
        assert_eq!(every(1_000_000, 10_000, false), 16);
        assert_eq!(every(1_000_000, 1000, true), 8);
        // Too few rows for a sample.
        assert_eq!(every(20_000, 10_000, true), 1);
        assert_eq!(every(1_000_000, 5, true), 1);
    }
}

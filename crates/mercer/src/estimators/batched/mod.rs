//! Fits from sums over batches of rows, which are never together in memory. The first pass over the rows adds up the squares of the features;
//! an estimator whose fit does not follow from these asks for passes that add up its losses and their slopes at points that it names.

mod columns;
mod descent;
mod descent_plan;
mod learners;
mod pass_sums;
mod slope_sums;
mod square_sums;

pub(crate) use descent::{Descent, DescentEnd, LENGTHS};
pub(crate) use descent_plan::{DescentPlan, DescentProblem, FitOfEnds, MOST_PASSES, PassConstant};
pub(crate) use learners::{AfterSquares, BatchLearner, another_fit, features, learner_of};
pub(crate) use pass_sums::{AfterPass, PassSums, SizeOfPasses};
pub(crate) use slope_sums::SlopeSums;
pub(crate) use square_sums::{Centred, SquareSums};

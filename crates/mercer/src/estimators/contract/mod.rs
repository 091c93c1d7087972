//! What every estimator states and every fit leaves: traits, predictions, summaries, costs.

pub(super) mod answer;
mod costs;
mod criterion;
mod draws;
mod estimator;
mod expansion;
mod facts;
mod fit_context;
mod fitted;
mod hold_out;
mod pair_layout;
mod predictions;
mod size;
mod summary;
pub(super) mod task;
mod transform;
mod warm_start;

pub use answer::{Answer, Finds, Gives, Needs, Scores, When, those_that_give};
pub use costs::Costs;
pub use criterion::{Criterion, Near};
pub use estimator::Estimator;
pub use expansion::Expansion;
pub use facts::EstimatorFacts;
pub use fit_context::{Fit, FitContext};
pub(crate) use fitted::hands_on;
pub use fitted::{Fitted, GenerativePart, Query, Want};
pub(super) use hold_out::RelearntAmong;
pub use hold_out::{HoldOut, RelearntKernel};
pub use pair_layout::PairLayout;
pub(super) use pair_layout::pair_count;
pub use predictions::{Predicted, Predictions, RowNotice};
pub use size::Size;
pub use summary::{Certificate, Summary};
pub use task::{Task, table as kept_table};
pub use transform::{TargetTransform, Transformed};
pub use warm_start::WarmStart;

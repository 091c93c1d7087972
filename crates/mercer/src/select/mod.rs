//! Choosing: folds, metrics, tuning of what is `auto` or a range, and the comparison of estimators.

mod compare;
mod crossval;
mod folds;
mod free;
mod metrics;
mod profile;
mod tune;

pub use compare::{Comparing, OutOfFold, Outcome, Scored, compare};
pub use folds::{Fold, Split, folds};
pub use metrics::{Better, Estimate, Metric, Needs, Scoring, recalls, score, score_by};
pub use profile::{Edge, End, TunedParameter};
pub use tune::{Tuned, Tuning, criterion, tune};

use crate::data::{Dataset, Target};

/// Rows with their targets, ready for kernels.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// Prepared inputs.
    pub data: &'a Dataset,
    /// Their targets.
    pub target: &'a Target,
    /// Their weights, each above 0.
    pub weights: Option<&'a [f64]>,
    /// What inner folds must respect.
    pub split: &'a Split,
}

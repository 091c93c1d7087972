//! Trials as data: one piece of work on one estimator, what it gave, and what it took. What decides which of them run knows
//! nothing of fits; what runs them decides nothing.

mod arena;
pub mod limits;
mod rows;
mod values;

pub(crate) use arena::{Arena, PreparedFold};
pub use rows::{Landmarks, RowsOf};
pub(crate) use rows::{fewest, largest, rows_for};
pub use values::gram_seconds;
pub(crate) use values::{measured_value, most_kept};

use crate::error::Error;
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::metrics::Contribution;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// The purpose of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Purpose {
    /// A fit at the starting values to training rows of a fold, scored on the rows that the fold holds out.
    Look,
    /// A search on the training rows of a fold; what it chose is fitted to them and scored on the rows that the fold holds out.
    Tune,
    /// A fit to all rows.
    Last(LastSearch),
}

/// The search before a fit to all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LastSearch {
    /// Nothing: it takes what is known.
    None,
    /// The results of the searches on folds are evaluated on all rows.
    Judged,
    /// A search that goes on from there, beyond the noise, as for the fit of the best.
    Full,
}

impl Purpose {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Look => "look",
            Purpose::Tune => "tune",
            Purpose::Last(LastSearch::Full) => "search and fit",
            Purpose::Last(LastSearch::Judged) => "judge and fit",
            Purpose::Last(LastSearch::None) => "fit",
        }
    }
}

/// Which rows a trial learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrialRows {
    /// The fold whose training rows they are; `None`: all rows.
    pub fold: Option<usize>,
    /// So many of them at most, drawn at random.
    pub most: usize,
    /// Landmarks of the Nystroem approximation.
    pub landmarks: Option<Landmarks>,
}

/// One piece of work. Nothing in it is borrowed, so that it may be sent elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which candidate it is of.
    pub candidate: usize,
    /// The estimator as it was asked for.
    pub estimator: EstimatorExpr,
    /// The kernel as it was asked for.
    pub kernel: KernelExpr,
    /// Its rows.
    pub rows: TrialRows,
    /// Its purpose.
    pub purpose: Purpose,
}

impl Eq for Trial {}

impl Hash for Trial {
    /// Two trials of a candidate with the same rows and purpose are the same: a candidate has one estimator and one kernel.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.candidate, self.rows, self.purpose).hash(state);
    }
}

/// The cost of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Seconds of its thread.
    pub seconds: f64,
    /// Floating-point operations by the counts of its estimator, the same on every machine.
    pub operations: f64,
}

/// The result of a trial.
#[derive(Debug)]
pub struct TrialResult {
    /// The trial.
    pub trial: Trial,
    /// The deciding metric on the rows held out; `None` for a fit to all rows.
    pub judged: Result<Option<Contribution>, Error>,
    /// Whether anything is left open to a search.
    pub is_open: bool,
    /// Whether the exact kernel on some rows predicted better than all rows through landmarks.
    pub exact_wins: bool,
    /// Its cost.
    pub spent: Spent,
}

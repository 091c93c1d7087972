//! One estimator on its way through a comparison, and the rows of a fold.

use crate::data::{Dataset, Sample};
use crate::error::Error;
use crate::estimators::{EstimatorExpr, Predictions};
use crate::kernels::KernelExpr;
use crate::select::{Metric, Search};

/// The rows of one fold, prepared.
pub(super) struct Ground {
    pub(super) kernel: KernelExpr,
    pub(super) train: Sample,
    pub(super) test: Dataset,
}

/// One estimator on one fold.
pub(super) struct FoldScore {
    pub(super) scores: Vec<(Metric, f64)>,
    pub(super) predictions: Predictions,
    pub(super) converged: bool,
}

/// One estimator on its way.
pub(super) struct Entry {
    pub(super) estimator: EstimatorExpr,
    pub(super) failure: Option<Error>,
    /// Rows that a fit learns from at most, and those that the first one learns from.
    pub(super) rows: usize,
    pub(super) first_rows: usize,
    /// One for each fold.
    pub(super) searches: Vec<Search>,
    /// Folds at the starting values.
    pub(super) starting: Vec<FoldScore>,
    /// Folds with what the searches chose; all of them or none.
    pub(super) tuned: Vec<FoldScore>,
    /// Seconds of fitting and scoring every fold once, to all of `rows`.
    pub(super) fold_seconds: f64,
    /// Seconds of the last round of the searches, and rounds gone through.
    pub(super) round_seconds: f64,
    pub(super) rounds: usize,
}

impl Entry {
    pub(super) fn scores(&self) -> &[FoldScore] {
        if self.tuned.is_empty() { &self.starting } else { &self.tuned }
    }
    pub(super) fn rounds_left(&self) -> usize {
        self.searches.iter().map(Search::rounds_left).max().unwrap_or(0)
    }
    /// Whether every fold has been scored.
    pub(super) fn is_scored(&self, folds: usize) -> bool {
        self.failure.is_none() && self.starting.len() == folds
    }
    /// Whether what is scored at last is something else than the first look.
    pub(super) fn has_moved(&self) -> bool {
        self.searches.iter().any(Search::is_judged) || self.first_rows < self.rows
    }
}

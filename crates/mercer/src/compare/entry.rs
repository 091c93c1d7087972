//! One estimator on its way through a comparison, and the rows of a fold.

use super::pace::Pace;
use crate::data::{Dataset, Sample};
use crate::error::Error;
use crate::estimators::{EstimatorExpr, Predictions};
use crate::metrics::Metric;
use crate::select::{Landmarks, Search};

/// The rows of one fold, prepared.
pub(super) struct Ground {
    pub(super) train: Sample,
    pub(super) test: Dataset,
}

/// One estimator on one fold.
pub(super) struct FoldScore {
    pub(super) scores: Vec<(Metric, f64)>,
    pub(super) predictions: Predictions,
    pub(super) converged: bool,
    /// Of the fit, and of the prediction.
    pub(super) seconds: (f64, f64),
}

/// One estimator on its way.
pub(super) struct Entry {
    pub(super) estimator: EstimatorExpr,
    pub(super) failure: Option<Error>,
    /// Rows that a fit learns from at most, the most that memory and the sample asked for allow, and those that the first one
    /// learns from.
    pub(super) rows: usize,
    pub(super) most_rows: usize,
    pub(super) first_rows: usize,
    /// Landmarks through which it learns, where exact fits take too much and it predicts no worse.
    pub(super) landmarks: Option<Landmarks>,
    /// One for each fold.
    pub(super) searches: Vec<Search>,
    /// Folds at the starting values.
    pub(super) starting: Vec<FoldScore>,
    /// Folds with what the searches chose; all of them or none.
    pub(super) tuned: Vec<FoldScore>,
    /// Of the last scores.
    pub(super) pace: Option<Pace>,
    /// Seconds that an operation of the searches took in their last round, and rounds gone through.
    pub(super) search_rate: Option<f64>,
    pub(super) rounds: usize,
}

impl Entry {
    pub(super) fn scores(&self) -> &[FoldScore] {
        if self.tuned.is_empty() { &self.starting } else { &self.tuned }
    }
    /// The predictions of the test rows of every fold; `None` where one is missing.
    pub(super) fn predictions(&self, folds: usize) -> Option<Vec<&Predictions>> {
        let scores = self.scores();
        (scores.len() == folds).then(|| scores.iter().map(|score| &score.predictions).collect())
    }
    pub(super) fn rounds_left(&self) -> usize {
        self.searches.iter().map(Search::rounds_left).max().unwrap_or(0)
    }
    /// Whether every fold has been scored.
    pub(super) fn is_scored(&self, folds: usize) -> bool {
        self.failure.is_none() && self.starting.len() == folds
    }
    /// Whether any search has found something.
    pub(super) fn is_judged(&self) -> bool {
        self.searches.iter().any(Search::is_judged)
    }
    /// Whether what is scored at last is something else than the first look.
    pub(super) fn has_moved(&self) -> bool {
        self.is_judged() || self.first_rows < self.rows
    }
    /// Rows that the folds whose scores count learnt from.
    pub(super) fn scored_rows(&self) -> usize {
        if self.tuned.is_empty() { self.first_rows } else { self.rows }
    }
    /// Whether the scores that count are at the starting values although there is something to search.
    pub(super) fn is_at_start(&self) -> bool {
        self.searches.iter().any(Search::is_open) && (self.tuned.is_empty() || !self.is_judged())
    }
}

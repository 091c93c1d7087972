//! The state of a search: plain data, so that a search may go on elsewhere, on the same rows.

use super::super::free::{Free, Setting};
use super::SearchResult;
use crate::error::Result;
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use serde::{Deserialize, Serialize};

/// What a search started from, what it has found, and the work that is left of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchState {
    pub(super) start: Setting,
    pub(super) free: Vec<Free>,
    pub(super) next: usize,
    pub(super) found: Option<SearchResult>,
    pub(super) suggested: Vec<Vec<f64>>,
    pub(super) evaluations: usize,
    /// Operations of the rounds that were gone through, by what they evaluated.
    pub(super) spent: f64,
    /// Whether a round was cut short.
    pub(super) cut: bool,
    /// Whether it would cost far too much, and is left out.
    pub(super) exceeds_budget: bool,
    pub(super) ahead: Ahead,
}

/// The work that is left of a search, and of one before a fit to all rows that goes on from it, in operations.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ahead {
    pub rounds: usize,
    pub usual: f64,
    /// Of one setting of its last round, and how many settings it may try; a smooth criterion goes its own way from one.
    pub setting: f64,
    pub tries: usize,
    /// For good: beyond the noise, and along every parameter.
    pub for_good: f64,
}

impl SearchState {
    pub(super) fn new(start: Setting, free: Vec<Free>) -> Self {
        SearchState {
            start,
            free,
            next: 0,
            found: None,
            suggested: Vec::new(),
            evaluations: 0,
            spent: 0.0,
            cut: false,
            exceeds_budget: false,
            ahead: Ahead::default(),
        }
    }

    /// Whether anything is left to choose.
    pub fn is_open(&self) -> bool {
        !self.free.is_empty()
    }

    /// Whether the search exceeds the budget and is skipped: open parameters keep their data-based start.
    pub fn exceeds_budget(&self) -> bool {
        self.exceeds_budget
    }

    /// Whether time ended a round before its end.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Rounds that have not been gone through.
    pub fn rounds_left(&self) -> usize {
        self.ahead.rounds
    }

    /// Operations that the remaining rounds usually take: a search by held-out rows mostly ends before it has tried all it may.
    pub fn usual_work(&self) -> f64 {
        self.ahead.usual
    }

    /// Operations of the rounds that were gone through, roughly.
    pub fn spent_work(&self) -> f64 {
        self.spent
    }

    /// Operations of the search before a fit to all rows that so many searches on folds suggest settings for, as a rule: one that
    /// judges them and no more, or, for good, one that goes on from there and looks along what it has found.
    pub fn last_work(&self, for_good: bool, suggestions: usize) -> f64 {
        // What they have in common is judged beside them.
        if for_good { self.ahead.for_good } else { (suggestions + 1).min(self.ahead.tries) as f64 * self.ahead.setting }
    }

    /// Whether any setting has been judged.
    pub fn is_judged(&self) -> bool {
        self.found.as_ref().is_some_and(|f| f.loss.is_finite())
    }

    /// The best setting so far.
    fn setting(&self) -> Result<Setting> {
        match self.found.as_ref().filter(|f| f.loss.is_finite()) {
            Some(found) => self.start.with(&self.free, &found.x),
            None => Ok(self.start.clone()),
        }
    }

    /// The kernel and the estimator with the best setting so far.
    pub fn best(&self) -> Result<(KernelExpr, EstimatorExpr)> {
        self.setting().map(|s| (s.kernel, s.estimator))
    }

    /// The kernel and the estimator as the data suggest them.
    pub fn start(&self) -> (&KernelExpr, &EstimatorExpr) {
        (&self.start.kernel, &self.start.estimator)
    }

    /// The best coordinates of a search on other rows, in those of this one; `None` where it has no others of the same parameters.
    pub(super) fn coordinates_of(&self, other: &SearchState) -> Option<Vec<f64>> {
        let alike = other.free.len() == self.free.len() && other.free.iter().zip(&self.free).all(|(a, b)| a.path() == b.path());
        let found = other.found.as_ref().filter(|f| alike && f.loss.is_finite())?;
        Some(self.free.iter().zip(&other.free).zip(&found.x).map(|((f, g), x)| f.at_value(g.to_value(*x))).collect())
    }
}

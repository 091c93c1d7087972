//! One estimator on its way through a schedule.

use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::metrics::Contribution;
use crate::trial::limits::{LEAST_SHRUNK, SHRINK};
use crate::trial::{Landmarks, Purpose, RowsOf, Trial, TrialRows};

/// Why a candidate is not searched any further.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Out {
    /// After a search on the first fold it cannot win any more.
    Behind {
        /// Its score there.
        own: f64,
        /// The best one there.
        best: f64,
    },
    /// The budget is spent.
    Budget,
}

/// One estimator.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// As it was asked for.
    pub estimator: EstimatorExpr,
    /// The kernel as it was asked for.
    pub kernel: KernelExpr,
    /// Whether that has one length scale for each column, and the one of the others does not.
    pub own_scales: bool,
    /// Rows that looks learn from at most.
    pub look_rows: usize,
    /// Rows that tuned fits and the fit to all rows learn from at most.
    pub rows: usize,
    /// The most rows that memory and the sample asked for allow.
    pub most_rows: usize,
    /// Landmarks through which it learns from all rows.
    pub landmarks: Option<Landmarks>,
    /// Whether anything is left open to a search.
    pub is_open: bool,
    /// Scores of its looks (fits without search) on each fold.
    pub looks: Vec<Option<Contribution>>,
    /// Scores with tuned parameters on each fold.
    pub tuned: Vec<Option<Contribution>>,
    /// Whether it is fitted to all rows.
    pub fitted: bool,
    /// Whether its fit to all rows is to search no more.
    pub is_plain: bool,
    /// Whether it is not fitted to all rows, as time or budget do not do.
    pub is_unfitted: bool,
    /// First looks that time ended.
    pub late_looks: usize,
    /// Whether a trial failed.
    pub failed: bool,
    /// Why it is searched no further.
    pub out: Option<Out>,
}

impl Candidate {
    /// Before its first trial, to be scored on so many folds.
    pub fn new(estimator: EstimatorExpr, kernel: KernelExpr, rows: RowsOf, look_rows: usize, folds: usize) -> Self {
        let RowsOf { rows, most, landmarks } = rows;
        Candidate {
            estimator,
            kernel,
            own_scales: false,
            look_rows: look_rows.min(most),
            rows,
            most_rows: most,
            landmarks,
            is_open: false,
            looks: vec![None; folds],
            tuned: vec![None; folds],
            fitted: false,
            is_plain: false,
            is_unfitted: false,
            late_looks: 0,
            failed: false,
            out: None,
        }
    }

    /// A trial of this candidate, which is number `c`.
    pub fn trial(&self, c: usize, fold: Option<usize>, purpose: Purpose) -> Trial {
        let look = purpose == Purpose::Look;
        let rows = TrialRows { fold, most: if look { self.look_rows } else { self.rows }, landmarks: self.landmarks.filter(|_| !look) };
        Trial { candidate: c, estimator: self.estimator.clone(), kernel: self.kernel.clone(), rows, purpose }
    }

    /// Whether every fold has been looked at.
    pub fn is_looked(&self) -> bool {
        self.looks.iter().all(Option::is_some)
    }

    /// Whether every fold is scored with searched values.
    pub fn is_tuned(&self) -> bool {
        self.tuned.iter().all(Option::is_some)
    }

    /// Whether it is still to be fitted to all rows.
    pub(super) fn is_fittable(&self) -> bool {
        !(self.failed || self.fitted || self.is_unfitted)
    }

    /// Whether its looks are all that is to be known: every row was looked at, and nothing is open.
    pub(super) fn is_settled(&self) -> bool {
        !self.is_open && self.look_rows >= self.rows
    }

    /// Takes the looks for the scores that count where these are all that is to be known, or cannot be bettered.
    pub(super) fn settle(&mut self, is_perfect: bool) {
        if self.is_settled() || (is_perfect && self.is_looked() && self.look_rows >= self.rows && !self.is_begun()) {
            self.tuned.clone_from(&self.looks);
            self.is_plain |= self.is_open;
        }
    }

    /// Whether it is the guess that looks at no input: it takes nothing.
    pub(super) fn is_guess(&self) -> bool {
        !self.estimator.looks_at_inputs()
    }

    /// The scores that count: those with searched values, else the looks; `None` where neither is there for every fold.
    pub fn scores(&self) -> Option<&[Option<Contribution>]> {
        [&self.tuned, &self.looks].into_iter().find(|s| s.iter().all(Option::is_some)).map(Vec::as_slice)
    }

    /// Whether its search has begun.
    pub(super) fn is_begun(&self) -> bool {
        self.tuned[0].is_some()
    }

    /// Makes its fits smaller where one to so many rows was refused for memory; whether they are.
    pub(super) fn shrink(&mut self, rows: usize, purpose: Purpose) -> bool {
        let fewer = (SHRINK * rows as f64) as usize;
        if fewer < LEAST_SHRUNK {
            return false;
        }
        self.most_rows = self.most_rows.min(fewer);
        (self.rows, self.look_rows) = (self.rows.min(fewer), self.look_rows.min(fewer));
        match purpose {
            Purpose::Look => self.looks.iter_mut().for_each(|t| *t = None),
            Purpose::Tune => self.tuned.iter_mut().for_each(|t| *t = None),
            Purpose::Last(_) => {}
        }
        true
    }
}

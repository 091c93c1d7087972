//! What a trial takes: its size, the operations that are counted for it, their seconds where time is limited, and its memory.

use super::runner::Runner;
use super::worker::{Cell, Worker};
use crate::estimators::{EstimatorExpr, Size};
use crate::fitting::size_of;
use crate::schedule::Prices;
use crate::select::SearchState;
use crate::trial::limits::{ASSUMED, FEWEST_TIMED, RATE, TIMED_ROWS, TIMED_WORK, assumed_rate};
use crate::trial::{Landmarks, LastSearch, Purpose, Trial};

impl Prices for Runner<'_> {
    fn price(&self, trial: &Trial) -> f64 {
        let (worker, results) = (&self.worker, &self.results[trial.candidate]);
        let operations = worker.operations(trial, &results.cells);
        if self.limit.is_none() {
            return operations;
        }
        // With a limit of time the unit is a second: by what the operations before took, and by what is assumed before that is known.
        let unit = (results.spent.seconds + ASSUMED / RATE) / (results.spent.operations + ASSUMED);
        let counted = unit * operations + worker.uncomputed_work(trial) / assumed_rate();
        if trial.purpose == Purpose::Look { counted.max(results.late) } else { counted }
    }
}

impl Worker<'_> {
    /// The size of the fit of a trial, its kernel values not known.
    fn full_size(&self, trial: &Trial) -> Size {
        let most = trial.rows.fold.map_or(self.arena.whole.data.rows(), |k| self.arena.folds[k].train.len());
        Landmarks::size(trial.rows.landmarks, self.sizes[trial.candidate].at(trial.rows.most.min(most)))
    }

    /// The size of the fit of a trial.
    pub(super) fn size(&self, trial: &Trial) -> Size {
        let size = self.full_size(trial);
        // Values that several fits use are counted where they are kept.
        if self.shares_values(trial, size.rows) { size.known() } else { size }
    }

    /// Counts kernel values as those of the kernel that takes most among what folds have chosen.
    pub(super) fn price_chosen(&mut self) {
        let arena = &self.arena;
        let counted = |kernel| size_of(kernel, &arena.whole.data, arena.examples.target).per_value;
        let most = arena.kernels.iter().filter(|kernel| *kernel != arena.kernel()).map(counted).fold(arena.size.per_value, f64::max);
        let chosen = self.arena.kernel().clone();
        let sizes = self.entrants.iter().zip(&mut self.sizes).filter(|(entrant, _)| entrant.kernel == chosen);
        sizes.for_each(|(_, size)| size.per_value = most);
        self.arena.size.per_value = most;
    }

    /// Whether a trial with so many training rows reads kernel values that others read too.
    pub(super) fn shares_values(&self, trial: &Trial, rows: usize) -> bool {
        trial.rows.landmarks.is_none() && !self.has_own_kernel(trial) && self.arena.shares(rows)
    }

    /// Operations of the shared kernel values that a trial would be the first to read.
    pub(super) fn uncomputed_work(&self, trial: &Trial) -> f64 {
        let rows = self.size(trial).rows;
        let reads = trial.estimator.looks_at_inputs() && self.shares_values(trial, rows);
        if reads { self.arena.uncomputed_work(trial.rows.fold, rows) } else { 0.0 }
    }

    /// Operations of a trial, as its estimator counts them; `known`: its candidate on each fold.
    pub(super) fn operations(&self, trial: &Trial, known: &[Cell]) -> f64 {
        let one = trial.estimator.with_one_start();
        let (estimator, size) = (if trial.purpose == Purpose::Look { &one } else { &trial.estimator }, self.size(trial));
        let predicted = trial.rows.fold.map_or_else(|| self.timed_rows(trial), |k| self.arena.folds[k].test.len());
        let costs = estimator.costs(size);
        let fit = costs.work(size) + predicted as f64 * costs.prediction_work(size);
        let searches = |of: &dyn Fn(&SearchState) -> f64, k: usize| known[k].search.as_ref().map_or(0.0, of);
        match (trial.purpose, trial.rows.fold) {
            (Purpose::Tune, Some(k)) => fit + searches(&SearchState::usual_work, k),
            (Purpose::Last(search), _) if search != LastSearch::None => {
                let (for_good, folds) = (search == LastSearch::Full, known.len());
                fit + (0..folds).map(|k| searches(&|s| s.last_work(for_good, folds), k)).fold(0.0, f64::max)
            }
            _ => fit,
        }
    }

    /// Whether a trial has another kernel than the others, or reads features and no kernel values.
    pub(super) fn has_own_kernel(&self, trial: &Trial) -> bool {
        !trial.estimator.needs().reads_values() || trial.kernel != *self.arena.kernel()
    }

    pub(super) fn bytes(&self, trial: &Trial) -> u64 {
        let costs = trial.estimator.costs(self.size(trial));
        // With the kernel rows that a fit keeps where it may.
        if self.arena.are_costly { costs.most_bytes(u64::MAX) } else { costs.bytes }
    }

    /// How many rows the prediction of a fit of a trial is timed for: values with new rows are never known.
    pub(super) fn timed_rows(&self, trial: &Trial) -> usize {
        timed_rows(&trial.estimator, self.full_size(trial), self.arena.whole.data.rows())
    }
}

/// Number of rows for which the prediction of a fit is timed.
pub(super) fn timed_rows(estimator: &EstimatorExpr, size: Size, rows: usize) -> usize {
    let one = estimator.costs(size).prediction_work(size);
    ((TIMED_WORK / one.max(1.0)) as usize).clamp(FEWEST_TIMED, TIMED_ROWS).min(rows)
}

/// Bytes of a search on so many rows beside its fits: 48 for every pair of them.
pub(super) fn search_bytes(rows: usize) -> u64 {
    48 * (rows as u64).pow(2)
}

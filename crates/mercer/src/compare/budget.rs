//! What the steps of a comparison may take: seconds that must be left, rows of fits by the time and the memory that is left.

use super::contest::Contest;
use super::entry::Entry;
use super::finish::TIMED_ROWS;
use super::plan::bytes_of;
use crate::error::Error;
use crate::estimators::Size;
use crate::select::{Landmarks, Search, largest, worth_cutting};

/// Share of the time left after the first look that searches may take at least, however long the fits after them seem to take: a
/// fit to fewer rows with values that were searched is worth more than one to many without.
const SEARCHED: f64 = 0.5;
/// Share of the time left that fits are sized for, where their seconds are told from smaller ones.
const SPENT: f64 = 0.85;
/// A round begins where there is time for this share of it: where it is cut short, the best that it met counts.
const BEGUN: f64 = 0.3;
/// Scoring every fold is allowed so many times what it seems to take.
const SLACK: f64 = 1.2;
/// Fewer rows are not fitted for want of memory.
const LEAST_ROWS: usize = 50;

/// A fit to all rows takes so many times the fits of a fold: it has more rows and a search before it.
const LAST: f64 = 3.0;

/// Bytes of a search on so many rows beside its fits: 48 for every pair of them.
pub(super) fn search_bytes(rows: usize) -> u64 {
    48 * (rows as u64).pow(2)
}

impl Contest<'_> {
    /// The size of a fit of an entry to so many rows.
    pub(super) fn size_of(&self, entry: &Entry, rows: usize) -> Size {
        Landmarks::size(entry.landmarks, self.size.at(rows))
    }

    /// Seconds of scoring every fold from so many rows.
    pub(super) fn fold_seconds(&self, entry: &Entry, rows: usize) -> f64 {
        let rows = rows.min(self.folds.iter().map(|f| f.train.len()).max().unwrap_or(rows));
        let size = self.size_of(entry, rows);
        entry.pace.map_or(0.0, |p| p.fits(&entry.estimator, size) + p.predictions(&entry.estimator, size))
    }

    /// Seconds of the fit to all rows with its search, and of the predictions that are timed.
    pub(super) fn last_seconds(&self, entry: &Entry, rows: usize) -> f64 {
        let (folds, size) = (self.folds.len() as f64, self.size_of(entry, rows));
        let all = self.whole.data.rows().max(1);
        let timed = all.min(TIMED_ROWS) as f64 / all as f64;
        entry.pace.map_or(0.0, |p| LAST / folds * p.fits(&entry.estimator, size) + timed * p.predictions(&entry.estimator, size))
    }

    /// Seconds that the fits to all rows of these entries take.
    pub(super) fn all_last_seconds(&self, entries: &[usize]) -> f64 {
        entries.iter().map(|&e| self.last_seconds(&self.entries[e], self.entries[e].rows)).sum()
    }

    /// Seconds that must be left after the searches: to score what they chose, and to fit each estimator to all rows.
    pub(super) fn reserve(&self, entries: &[usize]) -> f64 {
        let scores = |e: &Entry| if e.has_moved() { SLACK * self.fold_seconds(e, e.rows) } else { 0.0 };
        entries.iter().map(|&e| scores(&self.entries[e])).sum::<f64>() + self.all_last_seconds(entries)
    }

    /// The same, no more than what searches leave of the seconds that there are now.
    pub(super) fn most_reserve(&self) -> f64 {
        self.control.seconds_left().map_or(0.0, |s| (1.0 - SEARCHED) * s)
    }

    /// Seconds that the next round of an entry's searches takes, from the pace of the last one, or of the first fits.
    pub(super) fn round_seconds(&self, entry: &Entry) -> f64 {
        let work: f64 = entry.searches.iter().map(Search::next_work).sum();
        let of_fits = || entry.pace.map_or(0.0, |p| p.per_operation(&entry.estimator, self.size_of(entry, 0), self.folds.len()));
        work * entry.search_rate.unwrap_or_else(of_fits)
    }

    /// Whether there is time to begin a round that takes so long, and whether there is time to end it.
    pub(super) fn has_time(&self, seconds: f64, reserve: f64) -> (bool, bool) {
        (self.control.allows(reserve + BEGUN * seconds), self.control.allows(reserve + SLACK * seconds))
    }

    /// Rows of the fits that are left to the entries in `pending`, by the pace of those that were made: with a limit of time the
    /// plan, which goes by smaller fits, may have been too careful or too bold. What few rows take is left to the others.
    pub(super) fn size_by_time(&mut self, pending: &[usize], others: &[usize]) {
        let Some(left) = self.control.seconds_left() else { return };
        let others: Vec<usize> = others.iter().copied().filter(|e| !pending.contains(e)).collect();
        let mut left = SPENT * (left - self.all_last_seconds(&others)).max(0.0);
        let cost = |entry: &Entry, rows: usize| SLACK * self.fold_seconds(entry, rows) + self.last_seconds(entry, rows);
        let mut order = pending.to_vec();
        order.sort_by(|&a, &b| {
            let of = |e: usize| cost(&self.entries[e], self.entries[e].most_rows);
            of(a).total_cmp(&of(b))
        });
        let mut sized = Vec::new();
        for (k, &e) in order.iter().enumerate() {
            let entry = &self.entries[e];
            let share = left / (order.len() - k) as f64;
            let first = entry.first_rows.min(entry.most_rows);
            let rows = largest(entry.most_rows, |n| n <= first || cost(entry, n) <= share);
            let rows = if worth_cutting(rows, entry.most_rows) { rows } else { entry.most_rows };
            left -= cost(entry, rows);
            sized.push((e, rows));
        }
        sized.into_iter().for_each(|(e, rows)| self.entries[e].rows = rows);
    }

    /// Makes the fits of an entry smaller where one to so many rows was refused for memory all the same; whether they are.
    pub(super) fn is_shrunk(&mut self, e: usize, rows: usize, refused: Option<&Error>) -> bool {
        let fewer = rows / 3 * 2;
        if !matches!(refused, Some(Error::Memory { .. })) || fewer < LEAST_ROWS {
            return false;
        }
        let entry = &mut self.entries[e];
        (entry.most_rows, entry.rows, entry.first_rows) = (fewer, entry.rows.min(fewer), entry.first_rows.min(fewer));
        true
    }

    /// Makes the fits of an entry no larger than the memory that is left allows: what other estimators hold by now was not known
    /// to the plan.
    pub(super) fn size_by_memory(&mut self, e: usize) {
        // What the process holds moves a little while a fit is prepared.
        let room = self.control.room() / 8 * 7;
        let all = self.whole.data.rows().max(1) as u64;
        let entry = &self.entries[e];
        // The rows are selected and prepared before they are fitted.
        let copies = |rows: usize| 2 * bytes_of(&self.whole.data) / all * rows as u64;
        let most = largest(entry.most_rows, |n| entry.estimator.bytes(self.size_of(entry, n)) + copies(n) <= room);
        let entry = &mut self.entries[e];
        (entry.most_rows, entry.rows, entry.first_rows) = (most, entry.rows.min(most), entry.first_rows.min(most));
    }
}

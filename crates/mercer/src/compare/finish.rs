//! The end of a comparison: fits to all rows, the best first, the rows of the table, and what is left undone.

use super::budget::search_bytes;
use super::contest::{Contest, fits_side_by_side, quiet};
use super::held_out::{OutOfFold, Part};
use super::{Outcome, Scored, Standing, Starts};
use crate::control::contain;
use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::estimators::{Predictions, Want};
use crate::fitting::Used;
use crate::learner::{Before, Learner, Model, Rows, Timed};
use crate::metrics::{Difference, Estimate, HeldOut, Metric, Scoring};
use crate::select::{DEAR, Search, Tuned};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Rows whose prediction is timed, at most.
pub(super) const TIMED_ROWS: usize = 4000;
/// What is said of every comparison whose limit of time left something out.
const TIMED: &str = "what is done within max_seconds (--max-seconds) depends on the speed of the machine: the same limit and seed may \
                     give other scores another time";

impl Contest<'_> {
    /// Fits to all rows, the best first, and the rows of the table.
    pub(super) fn finish(mut self) -> Result<Outcome> {
        let folds = self.folds.len();
        let mut rows: Vec<Scored> = (0..self.entries.len()).map(|e| self.scored(e)).collect();
        let mut order: Vec<usize> = (0..rows.len()).filter(|&e| rows[e].failure.is_none() && !rows[e].metrics.is_empty()).collect();
        order.sort_by(|&a, &b| rows[a].loss().total_cmp(&rows[b].loss()));
        let mut tuned = self.tuned_side_by_side(&order)?;
        let used = Used::of(&self.comparing.prep, self.examples.data, self.examples.target, self.examples.weights)?.rows;
        let timed: Vec<usize> = even_rows(used.len(), TIMED_ROWS).into_iter().map(|k| used[k]).collect();
        let timed = self.examples.data.select(&timed);
        for (done, &e) in order.iter().enumerate() {
            self.control.check()?;
            if self.control.out_of_time() {
                break;
            }
            self.control.tell(&format!("{}: all rows", self.entries[e].estimator.name()), done, order.len());
            let control = self.control.share((1.5 / (order.len() - done) as f64).min(0.95));
            self.size_by_memory(e);
            let mut made;
            loop {
                let before = Before { searches: &self.entries[e].searches, within_noise: done > 0, tuned: tuned[done].take() };
                made = self.contained(e, || self.learner(e).fit_from(&before, &self.examples, self.info, &control));
                if !self.is_shrunk(e, self.entries[e].rows, made.as_ref().err()) {
                    break;
                }
            }
            match made {
                Ok(Timed { model, tune_seconds, fit_seconds }) => {
                    let clock = Instant::now();
                    if self.contained(e, || model.predict(&timed, Want::default(), &control)).is_ok() {
                        rows[e].predict_us_per_row = clock.elapsed().as_secs_f64() * 1e6 / timed.rows().max(1) as f64;
                    }
                    (rows[e].tune_seconds, rows[e].fit_seconds) = (tune_seconds, fit_seconds);
                    rows[e].standing.unconverged += usize::from(!model.summary().converged);
                    rows[e].standing.fitted_rows = model.about.rows;
                    rows[e].model = Some(model);
                }
                Err(Error::Cancelled) if self.control.cancel.is_cancelled() => return Err(Error::Cancelled),
                Err(Error::Cancelled | Error::Time { .. }) => {}
                Err(error) => rows[e].failure = Some(error),
            }
        }
        self.tell_starts(&mut rows)?;
        let best = order.iter().copied().find(|&e| rows[e].may_win(folds));
        if let Some(best) = best {
            let found = self.differences(best, self.scoring.deciding);
            rows.iter_mut().zip(found).for_each(|(row, found)| row.difference = found);
            let log_loss =
                |r: &Scored| r.metrics.iter().find(|(m, _)| *m == Metric::LogLoss).map(|(_, e)| e.mean).filter(|v| v.is_finite());
            let judged = (0..rows.len()).filter(|&e| rows[e].may_win(folds)).filter_map(|e| Some((e, log_loss(&rows[e])?)));
            if let Some((lowest, _)) = judged.min_by(|a, b| a.1.total_cmp(&b.1)) {
                let found = self.differences(lowest, Metric::LogLoss);
                rows.iter_mut().zip(found).for_each(|(row, found)| row.log_loss_difference = found);
            }
        }
        self.tell_what_is_left(&rows);
        Ok(Outcome { kernel: self.whole.kernel, rows, best, columns: self.whole.prep.describe(), notices: self.notices })
    }

    /// Differences of a metric to one entry, by the rows that both predicted without having seen them.
    fn differences(&self, to: usize, metric: Metric) -> Vec<Option<Difference>> {
        let held_out = HeldOut {
            folds: &self.folds,
            target: self.examples.target,
            weights: self.examples.weights,
            split: self.examples.split,
            seed: self.comparing.seed,
        };
        let all: Vec<Option<Vec<&Predictions>>> = self.entries.iter().map(|entry| entry.predictions(self.folds.len())).collect();
        held_out.differences(&all, to, &Scoring { deciding: metric, ..self.scoring })
    }

    /// The recipe of the fit of an entry to all rows.
    fn learner(&self, e: usize) -> Learner {
        let entry = &self.entries[e];
        Learner {
            prep: self.comparing.prep.clone(),
            kernel: self.comparing.kernel.clone(),
            estimator: entry.estimator.clone(),
            seed: self.comparing.seed,
            allow_non_mercer: self.comparing.allow_non_mercer,
            sample: match entry.landmarks {
                Some(l) => Rows::ThroughLandmarks { most: entry.rows, rank: l.rank },
                None => Rows::Most(entry.rows),
            },
            keep_rows: false,
            metric: self.comparing.metric,
        }
    }

    /// The last searches of these entries, the best first, which alone is searched further than the noise: side by side where
    /// [`Contest::over_folds`] would have its folds so and no limit of time is to be shared. Fits, whose seconds are told, follow
    /// one after the other. `None` where the fit is to search by itself.
    fn tuned_side_by_side(&self, order: &[usize]) -> Result<Vec<Option<(Tuned, f64)>>> {
        let threads = rayon::current_num_threads();
        let largest = order.iter().map(|&e| self.entries[e].rows).max().unwrap_or(0);
        // With room for four fits of each: less would make a search take fewer rows, and the more threads the fewer.
        let bytes = |e: usize| {
            let rows = self.entries[e].rows;
            4 * self.bytes(&self.entries[e], rows) + search_bytes(rows)
        };
        let most = order.iter().map(|&e| bytes(e)).max().unwrap_or(0);
        if threads < 2 || self.control.deadline.is_some() || !fits_side_by_side(largest, most, threads, self.control) {
            return Ok(order.iter().map(|_| None).collect());
        }
        self.control.tell("searches on all rows, side by side", 0, 1);
        let quiet = quiet(threads, self.control);
        let tuned = |done: usize| {
            let e = order[done];
            let before = Before { searches: &self.entries[e].searches, within_noise: done > 0, tuned: None };
            // What fails is told by the fit.
            self.contained(e, || self.learner(e).tuned(&before, &self.examples, &quiet)).ok()
        };
        // The longest first; each thread takes the next when it has done with one.
        let mut queue: Vec<usize> = (0..order.len()).collect();
        let seconds = |done: usize| self.last_seconds(&self.entries[order[done]], self.entries[order[done]].rows);
        queue.sort_by(|&a, &b| seconds(b).total_cmp(&seconds(a)));
        let next = AtomicUsize::new(0);
        let take = || queue.get(next.fetch_add(1, Ordering::Relaxed)).copied();
        let each = (0..threads).into_par_iter().map(|_| std::iter::from_fn(&take).map(|done| (done, tuned(done))).collect());
        let mut all: Vec<Option<(Tuned, f64)>> = order.iter().map(|_| None).collect();
        each.collect::<Vec<Vec<_>>>().into_iter().flatten().for_each(|(done, found)| all[done] = found);
        self.control.check()?;
        Ok(all)
    }

    /// Whether each fit depends on its start. It is told where it can be, and what it is told of is there without it.
    fn tell_starts(&self, rows: &mut [Scored]) -> Result<()> {
        let of = |model: &Model| contain(model.estimator.name(), || Starts::of(model, &self.examples, self.control)).ok().flatten();
        let starts = |row: &Scored| row.model.as_ref().and_then(of);
        let found: Vec<Option<Starts>> = rows.par_iter().map(starts).collect();
        self.control.check()?;
        rows.iter_mut().zip(found).for_each(|(row, starts)| row.starts = starts);
        Ok(())
    }

    /// The row of an entry before it is fitted to all rows.
    fn scored(&mut self, e: usize) -> Scored {
        let failure = self.entries[e].failure.take();
        let entry = &self.entries[e];
        let scores = entry.scores();
        let what = || entry.estimator.name().to_owned();
        let unreached = || match self.control.stop_early.is_cancelled() {
            true => Error::Stopped { what: what() },
            false => Error::Time { what: what() },
        };
        let mut row = Scored {
            estimator: entry.estimator.clone(),
            metrics: Vec::new(),
            folds: Vec::new(),
            difference: None,
            log_loss_difference: None,
            out_of_fold: None,
            model: None,
            fit_seconds: f64::NAN,
            tune_seconds: f64::NAN,
            predict_us_per_row: f64::NAN,
            starts: None,
            standing: Standing {
                folds: scores.len(),
                of_folds: self.folds.len(),
                at_start: entry.is_at_start(),
                is_dear: entry.searches.iter().any(Search::is_dear),
                is_searched: entry.rounds_left() == 0 && !entry.searches.iter().any(Search::is_cut),
                unconverged: scores.iter().filter(|s| !s.converged).count(),
                rows: entry.scored_rows().min(self.whole.data.rows()),
                fitted_rows: 0,
            },
            failure: None,
        };
        if scores.is_empty() || (failure.is_some() && scores.len() < self.folds.len()) {
            row.failure = Some(failure.unwrap_or_else(unreached));
            return row;
        }
        if let Some(first) = scores.first() {
            for (m, (metric, _)) in first.scores.iter().enumerate() {
                let values: Vec<f64> = scores.iter().filter_map(|s| s.scores.get(m).map(|(_, v)| *v)).collect();
                row.metrics.push((*metric, Estimate::of(&values)));
                row.folds.push((*metric, values));
            }
        }
        if scores.len() == self.folds.len() {
            let parts: Vec<Part<'_>> = self.folds.iter().zip(scores).map(|(f, s)| (f.test.as_slice(), &s.predictions)).collect();
            row.out_of_fold = OutOfFold::of(&parts);
        }
        row
    }

    /// What time did not allow, once for all estimators.
    fn tell_what_is_left(&mut self, rows: &[Scored]) {
        let (why, more) = match (self.control.stop_early.is_cancelled(), self.control.deadline) {
            (true, _) => ("stopped on request", ""),
            (false, Some(_)) => ("time was up", "; allow more max_seconds (--max-seconds)"),
            (false, None) => ("memory was short", "; allow more max_memory (--max-memory)"),
        };
        let names = |which: &dyn Fn(&Scored) -> bool| -> Option<String> {
            let list: Vec<&str> = rows.iter().filter(|r| r.failure.is_none() && which(r)).map(|r| r.estimator.name()).collect();
            (!list.is_empty()).then(|| list.join(", "))
        };
        let said = [
            (names(&|r| r.standing.folds < r.standing.of_folds), "before every fold was scored"),
            (
                names(&|r| {
                    r.standing.folds == r.standing.of_folds && r.standing.at_start && !r.standing.is_dear && !r.standing.is_searched
                }),
                "before anything was searched: scored at starting values",
            ),
            (
                names(&|r| !r.standing.at_start && !r.standing.is_searched),
                "before the search came to its end: the best setting found by then is scored",
            ),
            (names(&|r| r.model.is_none()), "before the fit to all rows"),
        ];
        if let Some(who) = names(&|r| r.standing.is_dear) {
            self.notices.push(format!("{who}: {DEAR}: scored at starting values"));
        }
        let all = self.whole.data.rows();
        let cut = said.iter().any(|(who, _)| who.is_some()) || rows.iter().any(|r| r.failure.is_none() && r.standing.rows < all);
        for (who, what) in said {
            if let Some(who) = who {
                self.notices.push(format!("{who}: {why} {what}{more}"));
            }
        }
        if self.control.deadline.is_some() && cut && !self.control.stop_early.is_cancelled() {
            self.notices.push(TIMED.into());
        }
    }
}

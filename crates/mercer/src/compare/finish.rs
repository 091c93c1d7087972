//! The end of a comparison: fits to all rows, the best first, the rows of the table, and what is left undone.

use super::contest::Contest;
use super::held_out::{OutOfFold, Part};
use super::{Outcome, Scored, Standing, Starts};
use crate::error::{Error, Result};
use crate::estimators::Want;
use crate::learner::{Learner, Rows, Timed};
use crate::select::{Estimate, Search};
use std::time::Instant;

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
                let learner = Learner {
                    prep: self.comparing.prep.clone(),
                    kernel: self.comparing.kernel.clone(),
                    estimator: self.entries[e].estimator.clone(),
                    seed: self.comparing.seed,
                    allow_non_mercer: self.comparing.allow_non_mercer,
                    sample: match self.entries[e].landmarks {
                        Some(l) => Rows::ThroughLandmarks { most: self.entries[e].rows, rank: l.rank },
                        None => Rows::Most(self.entries[e].rows),
                    },
                    keep_rows: false,
                    metric: self.comparing.metric,
                };
                // The best alone is searched further than the noise.
                made = learner.fit_from(&self.entries[e].searches, done > 0, &self.examples, self.info, &control);
                if !self.is_shrunk(e, self.entries[e].rows, made.as_ref().err()) {
                    break;
                }
            }
            match made {
                Ok(Timed { model, tune_seconds, fit_seconds }) => {
                    let clock = Instant::now();
                    if model.predict_prepared(&self.whole.data, Want::default(), &control).is_ok() {
                        rows[e].predict_us_per_row = clock.elapsed().as_secs_f64() * 1e6 / self.whole.data.rows().max(1) as f64;
                    }
                    (rows[e].tune_seconds, rows[e].fit_seconds) = (tune_seconds, fit_seconds);
                    rows[e].standing.unconverged += usize::from(!model.summary().converged);
                    rows[e].standing.fitted_rows = model.about.rows;
                    // It is told where it can be, and what it is told of is there without it.
                    rows[e].starts = match Starts::of(&model, &self.examples, &control) {
                        Err(Error::Cancelled) if self.control.cancel.is_cancelled() => return Err(Error::Cancelled),
                        other => other.ok().flatten(),
                    };
                    rows[e].model = Some(model);
                }
                Err(Error::Cancelled) if self.control.cancel.is_cancelled() => return Err(Error::Cancelled),
                Err(Error::Cancelled | Error::Time { .. }) => {}
                Err(error) => rows[e].failure = Some(error),
            }
        }
        let best = order.iter().copied().find(|&e| rows[e].may_win(folds));
        if let Some(best) = best {
            let reference = rows[best].per_fold.clone();
            for r in rows.iter_mut().enumerate().filter(|(e, r)| *e != best && r.standing.folds == folds).map(|(_, r)| r) {
                let gaps: Vec<f64> = r.per_fold.iter().zip(&reference).map(|(a, b)| a - b).collect();
                r.difference = Some(Estimate::of(&gaps));
            }
        }
        self.tell_what_is_left(&rows);
        Ok(Outcome { kernel: self.whole.kernel, rows, best, columns: self.whole.prep.describe(), notices: self.notices })
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
            per_fold: Vec::new(),
            difference: None,
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
                if m == 0 {
                    row.per_fold.clone_from(&values);
                }
                row.metrics.push((*metric, Estimate::of(&values)));
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
                names(&|r| r.standing.folds == r.standing.of_folds && r.standing.at_start),
                "before anything was searched: scored at starting values",
            ),
            (
                names(&|r| !r.standing.at_start && !r.standing.is_searched),
                "before the search came to its end: the best setting found by then is scored",
            ),
            (names(&|r| r.model.is_none()), "before the fit to all rows"),
        ];
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

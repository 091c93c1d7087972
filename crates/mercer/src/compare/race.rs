//! A comparison from its first look to its last fit: the schedule decides, the runner runs, and what they leave becomes the rows of
//! the table.

use super::held_out::{OutOfFold, Part};
use super::plan::{Plan, budget, bytes_of};
use super::runner::{FoldScore, Runner, lock};
use super::watch::RaceObserver;
use super::{Comparing, Outcome, RowStatus, Scored, Starts};
use crate::control::{Control, contain};
use crate::data::{Examples, Fold};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Predictions, Size};
use crate::fitting::{self, Prepared};
use crate::kernels::KernelExpr;
use crate::learner::{Model, Timed};
use crate::metrics::{Difference, Estimate, Metric, Scoring, require_judged};
use crate::read::TargetInfo;
use crate::schedule::{Candidate, NextAction, Out, Schedule};
use crate::select::{Search, TOO_COSTLY};
use crate::trial::{Arena, Landmarks, RowsOf, Spent, Trial, TrialResult};
use rayon::prelude::*;
use std::sync::Arc;

/// The notice of every comparison whose time limit left something out.
const TIMED: &str = "what is done within max_seconds (--max-seconds) depends on the speed of the machine: the same limit and seed may \
                     give other scores another time";

/// A comparison on its way.
pub(super) struct Race<'a> {
    runner: Runner<'a>,
    schedule: Schedule,
    trials: Vec<(Trial, Spent)>,
}

impl<'a> Race<'a> {
    /// `folds` of the rows of `examples` that are learnt from; `whole`: those rows prepared.
    pub(super) fn new(
        examples: Examples<'a>,
        info: &'a TargetInfo,
        comparing: &'a Comparing,
        whole: Prepared,
        folds: Vec<Fold>,
        plan: &Plan,
        control: &'a Control,
    ) -> Result<Self> {
        let scoring = Scoring::of(examples.target, examples.weights, comparing.metric)?;
        let bytes = bytes_of(&whole.data);
        let count = folds.len();
        let arena = Arena::new(examples, whole, folds, comparing.seed, bytes, control);
        let mut runner = Runner::new(arena, info, comparing, scoring, control);
        let whole = &runner.arena.whole;
        let all = whole.data.rows();
        let mut candidates = Vec::new();
        for (c, estimator) in comparing.estimators.iter().enumerate() {
            let found = plan.fits.iter().find(|f| f.estimator == *estimator);
            let none = (RowsOf { rows: all, most: all, landmarks: None }, all);
            let (rows, first) = found.map_or(none, |f| (RowsOf { rows: f.rows, most: f.most_rows, landmarks: f.landmarks }, f.first_rows));
            let kernel = fitting::kernel_beside(estimator, comparing.kernel.as_ref(), whole);
            let size = Landmarks::size(rows.landmarks, runner.sizes[c].at(rows.rows));
            let refused = contain(estimator.name(), || refusal(estimator, &kernel, size, &examples, whole, comparing, control)).err();
            let mut candidate = Candidate::new(estimator.clone(), kernel, rows, first, count);
            candidate.failed = refused.is_some();
            candidates.push(candidate);
            runner.left[c].failure = refused;
        }
        // A limit of time is there to be used; a budget is what nobody asked for.
        let patience = comparing.effort.filter(|_| control.deadline.is_none());
        Ok(Race { runner, schedule: Schedule::new(candidates, count, scoring.deciding, patience), trials: Vec::new() })
    }

    /// Sets the observer of the race; `None`: nobody watches.
    pub(super) fn watched(mut self, observer: Option<RaceObserver<'a>>) -> Self {
        self.runner.watch.observer = observer;
        self
    }

    /// Every trial, as far as the budget allows, and the rows of the table.
    pub(super) fn run(mut self) -> Result<Outcome> {
        let budget = budget(self.runner.comparing, self.runner.control);
        loop {
            let control = self.runner.control;
            control.check()?;
            let left = match (control.stop_early.is_cancelled(), control.seconds_left(), budget) {
                (true, ..) => 0.0,
                (_, Some(seconds), _) => seconds,
                (_, None, Some(budget)) => budget - self.schedule.spent(),
                (_, None, None) => f64::INFINITY,
            };
            let NextAction::Run(trials, most) = self.schedule.next(left, &self.runner) else { break };
            self.runner.watch.decided(&self.schedule, &self.runner, left, control.deadline.is_some());
            let part = if control.deadline.is_some() && left > 0.0 { most / left } else { 1.0 };
            for result in self.runner.run(&trials, part)? {
                let spent = if control.deadline.is_some() { result.spent.seconds } else { result.spent.operations };
                self.schedule.take(&result, spent);
                self.keep(result);
            }
        }
        self.finish()
    }

    fn keep(&mut self, result: TrialResult) {
        let c = result.trial.candidate;
        self.trials.push((result.trial, result.spent));
        if let (Err(error), true) = (result.judged, self.schedule.candidates[c].failed) {
            self.runner.left[c].failure.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Result<Outcome> {
        let count = self.schedule.candidates.len();
        let mut rows: Vec<Scored> = (0..count).map(|c| self.contained(c)).collect();
        self.tell_starts(&mut rows)?;
        let folds = self.runner.arena.folds.len();
        let mut order: Vec<usize> = (0..count).filter(|&c| rows[c].may_win(folds)).collect();
        order.sort_by(|&a, &b| rows[a].loss().total_cmp(&rows[b].loss()));
        let (best, mut failed) = (order.first().copied(), Vec::new());
        if let Some(best) = best {
            let found = self.differences(best, self.runner.scoring.deciding, &mut failed);
            rows.iter_mut().zip(found).for_each(|(row, found)| row.difference = found);
            let log_loss =
                |r: &Scored| r.metrics.iter().find(|(m, _)| *m == Metric::LogLoss).map(|(_, e)| e.mean).filter(|v| v.is_finite());
            let judged = order.iter().filter_map(|&e| Some((e, log_loss(&rows[e])?)));
            if let Some((lowest, _)) = judged.min_by(|a, b| a.1.total_cmp(&b.1)) {
                let found = self.differences(lowest, Metric::LogLoss, &mut failed);
                rows.iter_mut().zip(found).for_each(|(row, found)| row.log_loss_difference = found);
            }
        }
        let mut notices = self.tell_what_is_left(&rows);
        notices.extend(failed);
        let Arena { whole, .. } = self.runner.arena;
        Ok(Outcome { kernel: whole.kernel, rows, best, columns: whole.prep.describe(), notices, trials: self.trials })
    }

    /// The scores of a candidate that count, fold by fold, as far as there are any.
    fn scores(&self, c: usize) -> Vec<Arc<FoldScore>> {
        let candidate = &self.schedule.candidates[c];
        let settled = candidate.is_tuned();
        let cells = self.runner.left[c].cells.iter();
        cells
            .map_while(|cell| {
                let cell = lock(cell);
                cell.tuned.as_ref().filter(|_| settled).or(cell.look.as_ref()).cloned()
            })
            .collect()
    }

    /// Differences of a metric to one candidate, by the rows that both predicted without having seen them.
    /// A panic leaves all of them out and is one of the `failed`.
    fn differences(&self, to: usize, metric: Metric, failed: &mut Vec<String>) -> Vec<Option<Difference>> {
        let folds = self.runner.arena.folds.len();
        let scores: Vec<Vec<Arc<FoldScore>>> = (0..self.schedule.candidates.len()).map(|c| self.scores(c)).collect();
        let all: Vec<Option<Vec<&Predictions>>> =
            scores.iter().map(|s| (s.len() == folds).then(|| s.iter().map(|score| &score.predictions).collect())).collect();
        let scoring = Scoring { deciding: metric, ..self.runner.scoring };
        contain("differences between estimators", || Ok(self.runner.held_out().differences(&all, to, &scoring))).unwrap_or_else(|error| {
            failed.push(error.to_string());
            all.iter().map(|_| None).collect()
        })
    }

    /// Reports whether each fit depends on its start, where time allows; the rows are complete without it.
    fn tell_starts(&self, rows: &mut [Scored]) -> Result<()> {
        let runner = &self.runner;
        runner.control.tell("starts: fits from other starting values", 0, 1);
        // Several run side by side.
        let quiet = Control { progress: None, ..runner.control.clone() };
        let of = |model: &Model| contain(model.estimator.name(), || Starts::of(model, &runner.arena.examples, &quiet)).ok().flatten();
        // What was not searched is not recommended.
        let starts = |row: &Scored| row.model.as_ref().filter(|_| !row.status.at_start).and_then(of);
        let found: Vec<Option<Starts>> = rows.par_iter().map(starts).collect();
        runner.control.check()?;
        rows.iter_mut().zip(found).for_each(|(row, starts)| row.starts = starts);
        Ok(())
    }

    /// The row of a candidate. A panic on the way is a failure of that candidate.
    fn contained(&mut self, c: usize) -> Scored {
        let estimator = self.schedule.candidates[c].estimator.clone();
        let what = format!("the scores of {}", estimator.name());
        let folds = self.runner.arena.folds.len();
        contain(what, || Ok(self.scored(c))).unwrap_or_else(|error| Scored::failed(estimator, folds, error))
    }

    fn scored(&mut self, c: usize) -> Scored {
        let scores = self.scores(c);
        let folds = &self.runner.arena.folds;
        let left = &mut self.runner.left[c];
        let candidate = &self.schedule.candidates[c];
        let failure = left.failure.take();
        let what = || candidate.estimator.name().to_owned();
        let unreached = || match self.runner.control.stop_early.is_cancelled() {
            true => Error::Stopped { what: what() },
            false => Error::Time { what: what() },
        };
        let of_searches = |is: &dyn Fn(&Search) -> bool| left.cells.iter().any(|cell| lock(cell).search.as_ref().is_some_and(is));
        let is_judged = of_searches(&|s| s.is_judged());
        let open = of_searches(&|s| s.is_open());
        let all = self.runner.arena.whole.data.rows();
        let mut row = Scored {
            predict_us_per_row: left.predict_us_per_row,
            status: RowStatus {
                folds: scores.len(),
                of_folds: folds.len(),
                at_start: open && !(candidate.is_tuned() && is_judged),
                exceeds_budget: of_searches(&|s| s.exceeds_budget()),
                is_searched: !of_searches(&|s| s.rounds_left() > 0 || s.is_cut()),
                unconverged: scores.iter().filter(|s| !s.converged).count(),
                // Fits that took all training rows of their folds count as fits to all rows.
                rows: match candidate.is_tuned() || folds.iter().all(|f| candidate.look_rows >= f.train.len()) {
                    true => candidate.rows,
                    false => candidate.look_rows.min(candidate.rows),
                }
                .min(all),
                fitted_rows: 0,
                out: candidate.out,
            },
            ..Scored::without_results(candidate.estimator.clone())
        };
        if scores.is_empty() || (failure.is_some() && scores.len() < folds.len()) {
            row.failure = Some(failure.unwrap_or_else(unreached));
            return row;
        }
        row.failure = failure;
        if let Some(Timed { model, tune_seconds, fit_seconds }) = left.last.take() {
            (row.tune_seconds, row.fit_seconds) = (tune_seconds, fit_seconds);
            row.status.unconverged += usize::from(!model.summary().converged);
            row.status.fitted_rows = model.about.rows;
            row.model = Some(model);
        }
        if let Some(first) = scores.first() {
            for (m, (metric, _)) in first.scores.iter().enumerate() {
                let values: Vec<f64> = scores.iter().filter_map(|s| s.scores.get(m).map(|(_, v)| *v)).collect();
                row.metrics.push((*metric, Estimate::of(&values)));
                row.folds.push((*metric, values));
            }
        }
        if scores.len() == folds.len() {
            let parts: Vec<Part<'_>> = folds.iter().zip(&scores).map(|(f, s)| (f.test.as_slice(), &s.predictions)).collect();
            row.out_of_fold = OutOfFold::of(&parts);
        }
        row
    }

    /// Work left undone, with the reasons.
    fn tell_what_is_left(&self, rows: &[Scored]) -> Vec<String> {
        let mut notices = Vec::new();
        let control = self.runner.control;
        let metric = self.runner.scoring.deciding;
        let (why, more) = match (control.stop_early.is_cancelled(), control.deadline) {
            (true, _) => ("stopped on request", ""),
            (false, Some(_)) => ("time was up", "; allow more max_seconds (--max-seconds)"),
            (false, None) => ("the budget was spent", "; allow more effort (--effort)"),
        };
        let names = |which: &dyn Fn(&Scored) -> bool| -> Option<String> {
            let list: Vec<&str> = rows.iter().filter(|r| r.failure.is_none() && which(r)).map(|r| r.estimator.name()).collect();
            (!list.is_empty()).then(|| list.join(", "))
        };
        let behind: Vec<String> = rows
            .iter()
            .filter(|r| r.failure.is_none())
            .filter_map(|r| match r.status.out {
                Some(Out::Behind { own, best, rows, searched }) => {
                    let digits = if own.abs() < 10.0 { 3 } else { 1 };
                    let on = if searched { "on the first fold".to_owned() } else { format!("on {rows} rows") };
                    Some(format!("{} ({own:.digits$} against {best:.digits$} {on})", r.estimator.name()))
                }
                _ => None,
            })
            .collect();
        if let Some(who) = names(&|r| r.status.out == Some(Out::Costly)) {
            notices.push(format!(
                "{who}: not searched to the end, which would take long, as nothing so far says that it would win; --thorough does"
            ));
        }
        if !behind.is_empty() {
            notices.push(format!("searched no further, as they were behind the best of then in {}: {}", metric.name(), behind.join(", ")));
        }
        if let Some(who) = names(&|r| r.status.exceeds_budget) {
            notices.push(format!("{who}: {TOO_COSTLY}: scored at starting values"));
        }
        let cut = |r: &Scored| !matches!(r.status.out, Some(Out::Behind { .. } | Out::Costly));
        let said = [
            (names(&|r| r.status.folds < r.status.of_folds), "before every fold was scored"),
            (
                names(&|r| r.status.folds == r.status.of_folds && r.status.at_start && !r.status.exceeds_budget && cut(r)),
                "before the search was done: scored at starting values",
            ),
            (
                names(&|r| !r.status.at_start && !r.status.is_searched && cut(r)),
                "before the search came to its end: the best setting found by then is scored",
            ),
            (names(&|r| r.model.is_none() && cut(r)), "before the fit to all rows"),
        ];
        let all = self.runner.arena.whole.data.rows();
        let any = said.iter().any(|(who, _)| who.is_some()) || rows.iter().any(|r| r.failure.is_none() && r.status.rows < all);
        for (who, what) in said {
            if let Some(who) = who {
                notices.push(format!("{who}: {why} {what}{more}"));
            }
        }
        if control.deadline.is_some() && any && !control.stop_early.is_cancelled() {
            notices.push(TIMED.into());
        }
        notices
    }
}

/// The refusals that need no fold.
fn refusal(
    e: &EstimatorExpr,
    kernel: &KernelExpr,
    size: Size,
    examples: &Examples<'_>,
    whole: &Prepared,
    comparing: &Comparing,
    control: &Control,
) -> Result<()> {
    if !e.takes(examples.target) {
        return Err(fitting::cannot_predict(e, examples.target));
    }
    require_judged(e, comparing.metric, examples.target)?;
    fitting::plan(e, size, examples.target, control)?;
    fitting::require_similarity(kernel, e, &whole.data, comparing.allow_non_mercer, control)
}

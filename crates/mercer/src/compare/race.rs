//! A comparison from its first look to its last fit: the schedule decides, the runner runs, and what they leave becomes the rows of
//! the table.

use super::choice::KernelChoice;
use super::entrants::Entrant;
use super::guess::guesses;
use super::held_out::{OutOfFold, Part};
use super::plan::{Plan, budget, bytes_of};
use super::runner::Runner;
use super::watch::RaceObserver;
use super::worker::{FoldScore, Worker};
use super::{Comparing, Outcome, RowStatus, Scored, Starts};
use crate::control::{Control, Ending, contain};
use crate::data::TargetInfo;
use crate::data::{Examples, Fold};
use crate::error::{Error, Result};
use crate::estimators::{Baseline, Estimator, EstimatorExpr, Predictions, Size};
use crate::fitting::{self, Prepared};
use crate::kernels::KernelExpr;
use crate::learner::{Model, TimedFit};
use crate::metrics::{Cut, Difference, Estimate, Judged, Metric, Scoring, against_best, corrected_for_choice, require_judged};
use crate::notice::Notice;
use crate::schedule::{Candidate, NextAction, Out, Schedule};
use crate::select::SearchState;
use crate::trial::limits::{NAMED, WHOLE_FIELD};
use crate::trial::{Arena, Landmarks, RowsOf, Spent, Trial, TrialResult};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// A comparison on its way.
pub(super) struct Race<'a> {
    runner: Runner<'a>,
    /// The costs of errors of each of two classes, where they are not alike.
    costs: Option<[f64; 2]>,
    schedule: Schedule,
    trials: Vec<(Trial, Spent)>,
}

/// What the scores of all candidates say of each other; no differences where they are empty.
#[derive(Default)]
struct Verdict {
    guess: Option<Estimate>,
    corrected: Option<f64>,
    over_guess: Vec<Option<Difference>>,
    differences: Vec<Option<Difference>>,
    log_losses: Vec<Option<Difference>>,
}

impl<'a> Race<'a> {
    /// `folds` of the rows of `examples` that are learnt from; `whole`: those rows prepared.
    pub(super) fn new(
        examples: Examples<'a>,
        info: &'a TargetInfo,
        comparing: &'a Comparing,
        (whole, used, entrants): (Prepared, Vec<usize>, Vec<Entrant>),
        folds: Vec<Fold>,
        plan: &Plan,
        control: &'a Control,
    ) -> Result<Self> {
        let scoring = Scoring::of(examples.target, examples.weights, comparing.metric)?;
        let bytes = bytes_of(&whole.data);
        let count = folds.len();
        let arena = Arena::new(examples, (whole, used), folds, comparing.seed, (bytes, plan.shared_rows, plan.size), control);
        let readers = plan.fits.iter().filter(|f| f.estimator.looks_at_inputs() && !f.own_scales);
        let learnt = readers.map(|f| f.rows).max().unwrap_or(usize::MAX);
        let worker = Worker::new(arena, info, comparing, (entrants.clone(), learnt), scoring);
        let mut runner = Runner::new(worker, control)?;
        let whole = &runner.worker.arena.whole;
        let all = whole.data.rows();
        let mut candidates = Vec::new();
        let used = &runner.worker.arena.used;
        let known = examples.target.select(used);
        for (c, Entrant { estimator, kernel, own_scales }) in entrants.into_iter().enumerate() {
            let found = plan.fits.iter().find(|f| f.estimator == estimator && f.own_scales == own_scales);
            let none = (RowsOf { rows: all, most: all, landmarks: None }, all);
            let (rows, first) = found.map_or(none, |f| (RowsOf { rows: f.rows, most: f.most_rows, landmarks: f.landmarks }, f.first_rows));
            let size = Landmarks::size(rows.landmarks, runner.worker.sizes[c].at(rows.rows));
            let allowed = contain(estimator.name(), || refusal(&estimator, &kernel, size, &examples, whole, comparing, control));
            let refused = allowed.and_then(|()| estimator.require_in_domain(&known, used)).err();
            let mut candidate = Candidate::new(estimator, kernel, rows, first, count);
            candidate.own_scales = own_scales;
            candidate.failed = refused.is_some();
            candidates.push(candidate);
            runner.results[c].failure = refused;
        }
        // Few methods are tuned to their end, as whoever names them expects; a limit of time is there to be used.
        let named = comparing.estimators.iter().filter(|e| e.name() != Baseline::NAME).count() <= NAMED;
        let whole = match (comparing.effort, control.seconds_left()) {
            (None, _) => f64::INFINITY,
            (Some(_), Some(seconds)) => seconds,
            (Some(_), None) if named => f64::INFINITY,
            (Some(effort), None) => effort * WHOLE_FIELD,
        };
        Ok(Race { runner, costs: None, schedule: Schedule::new(candidates, count, scoring.deciding, whole), trials: Vec::new() })
    }

    /// Decides between two classes by what errors of each cost; `None`: by the larger probability or the sign of the decision value.
    pub(super) fn at_costs(mut self, costs: Option<[f64; 2]>) -> Self {
        self.costs = costs;
        self
    }

    /// Lets the training rows of each fold choose its kernel, as all rows have chosen theirs.
    pub(super) fn choosing(mut self, choice: Option<&KernelChoice>) -> Result<Self> {
        let Some(choice) = choice else { return Ok(self) };
        let control = self.runner.control;
        let arena = &self.runner.worker.arena;
        let kernels = (0..arena.folds.len()).map(|k| {
            control.tell("the kernel of each fold", k, arena.folds.len());
            Ok(choice.choose(&arena.prepared_fold(k)?.train.examples(), control)?.kernel)
        });
        let kernels = kernels.collect::<Result<_>>()?;
        self.runner.choose(kernels)?;
        self.runner.worker.price_chosen();
        if control.deadline.is_none() {
            self.schedule.spend(choice.work);
        }
        Ok(self)
    }

    /// Sets the observer of the race; `None`: nobody watches.
    pub(super) fn watched(mut self, observer: Option<RaceObserver<'a>>) -> Self {
        self.runner.watch.observer = observer;
        self
    }

    /// Every trial, as far as the budget allows, and the rows of the table.
    pub(super) fn run(mut self) -> Result<Outcome> {
        let budget = budget(self.runner.worker.comparing, self.runner.control);
        let mut shared = 0.0;
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
            if control.deadline.is_none() {
                let all = self.runner.worker.arena.shared_work();
                self.schedule.spend(all - std::mem::replace(&mut shared, all));
            }
        }
        self.finish()
    }

    fn keep(&mut self, result: TrialResult) {
        let c = result.trial.candidate;
        self.trials.push((result.trial, result.spent));
        if let (Err(error), true) = (result.judged, self.schedule.candidates[c].failed) {
            self.runner.results[c].failure.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Result<Outcome> {
        let count = self.schedule.candidates.len();
        let found: Vec<_> = (0..count).into_par_iter().map(|c| contain(self.scores_of(c), || Ok(self.judged(c)))).collect();
        let folds = self.runner.worker.arena.folds.len();
        let (mut rows, mut judged) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (c, own) in found.into_iter().enumerate() {
            // A panic on the way is a failure of the candidate.
            let row = own.and_then(|own| contain(self.scores_of(c), || Ok((self.scored(c, &own), own))));
            let candidate = &self.schedule.candidates[c];
            let without = |error| Scored { own_scales: candidate.own_scales, ..Scored::failed(candidate.estimator.clone(), folds, error) };
            let failed = |error| (without(error), Vec::new());
            let (row, own) = row.unwrap_or_else(failed);
            rows.push(row);
            judged.push(own);
        }
        self.tell_starts(&mut rows)?;
        // What is not tuned wins only where nothing is but the guess.
        let mut order: Vec<usize> = (0..count).filter(|&c| rows[c].may_win(folds)).collect();
        let is_any_tuned = order.iter().any(|&c| rows[c].status.is_tuned() && rows[c].estimator.looks_at_inputs());
        let key = |c: usize| (is_any_tuned && !rows[c].status.is_tuned(), rows[c].loss());
        order.sort_by(|&a, &b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        let best = order.first().copied();
        // A panic leaves all differences out.
        let verdict = contain("differences between estimators", || self.verdict(&rows, &judged, &order));
        let failed = verdict.as_ref().err().map(|error| Notice::Failed { why: error.to_string() });
        let Verdict { guess, corrected, over_guess, differences, log_losses } = match verdict {
            Err(error) if error.ends_all() => return Err(error),
            verdict => verdict.unwrap_or_default(),
        };
        rows.iter_mut().zip(over_guess).for_each(|(row, found)| row.over_guess = found);
        rows.iter_mut().zip(differences).for_each(|(row, found)| row.difference = found);
        rows.iter_mut().zip(log_losses).for_each(|(row, found)| row.log_loss_difference = found);
        let mut notices = self.left_undone(&rows);
        notices.extend(self.costs.and_then(|_| noted_cut(rows[best?].model.as_mut()?)));
        notices.extend(failed);
        let Arena { whole, .. } = self.runner.worker.arena;
        let columns = whole.prep.describe();
        Ok(Outcome { kernel: whole.kernel, rows, best, corrected, guess, columns, notices, trials: self.trials })
    }

    /// What the scores of all candidates say of each other.
    fn verdict(&self, rows: &[Scored], judged: &[Vec<(Metric, Judged)>], order: &[usize]) -> Result<Verdict> {
        let (count, folds) = (rows.len(), self.runner.worker.arena.folds.len());
        let (best, deciding) = (order.first().copied(), self.runner.worker.scoring.deciding);
        let guess = self.guess()?;
        // Tuned scores of fits to as many rows are compared; the guess is one more of these.
        let most = best.map_or(0, |best| rows[best].status.rows);
        let is_guess = |c: usize| rows[c].estimator.name() == Baseline::NAME;
        let stands = |c: usize| {
            let status = &rows[c].status;
            best == Some(c) || is_guess(c) || (status.is_tuned() && status.rows >= most)
        };
        let mut field: Vec<Option<&Judged>> = (0..count).map(|c| of_all_folds(&judged[c], deciding, folds).filter(|_| stands(c))).collect();
        field.push(guess.as_ref());
        let over_guess = against_best(&field, count, deciding.rises());
        let mut verdict = Verdict { over_guess, guess: guess.as_ref().map(Judged::estimate), ..Verdict::default() };
        let Some(best) = best else { return Ok(verdict) };
        verdict.differences = against_best(&field, best, deciding.rises());
        verdict.corrected = corrected_for_choice(&field[..count], best, deciding.rises());
        let by_log_loss: Vec<Option<&Judged>> =
            (0..count).map(|c| of_all_folds(&judged[c], Metric::LogLoss, folds).filter(|_| stands(c) && !is_guess(c))).collect();
        let losses = order.iter().filter_map(|&c| Some((c, by_log_loss[c]?.value))).filter(|(_, loss)| loss.is_finite());
        if let Some((lowest, _)) = losses.min_by(|a, b| a.1.total_cmp(&b.1)) {
            verdict.log_losses = against_best(&by_log_loss, lowest, false);
        }
        Ok(verdict)
    }

    /// A guess without inputs by the deciding metric; `None` where that is not defined.
    fn guess(&self) -> Result<Option<Judged>> {
        let runner = &self.runner;
        // The time may be up, and it takes none.
        let control = runner.control.last_step();
        let found = guesses(&runner.worker.arena.examples, &runner.worker.arena.folds, &control, runner.worker.comparing.seed)?;
        let judged = runner.worker.held_out().judged(&found.iter().collect::<Vec<_>>(), &runner.worker.scoring);
        Ok(judged.filter(|judged| judged.value.is_finite()))
    }

    /// The scores of a candidate that count, fold by fold, as far as there are any.
    fn scores(&self, c: usize) -> Vec<Arc<FoldScore>> {
        let candidate = &self.schedule.candidates[c];
        let settled = candidate.is_tuned();
        let cells = self.runner.results[c].cells.iter();
        cells.map_while(|cell| cell.tuned.as_ref().filter(|_| settled).or(cell.look.as_ref()).cloned()).collect()
    }

    /// The folds that a candidate is scored on: their rows that were held out, with the predictions of these.
    fn parts<'s>(&'s self, scores: &'s [Arc<FoldScore>]) -> Vec<Part<'s>> {
        self.runner.worker.arena.folds.iter().zip(scores).map(|(fold, score)| (fold.test.as_slice(), &score.predictions)).collect()
    }

    /// The predictions of these folds, their classes decided by what errors cost.
    fn decided<'p>(&self, parts: &[Part<'p>]) -> Vec<Cow<'p, Predictions>> {
        let Examples { target, weights, .. } = self.runner.worker.arena.examples;
        match self.costs {
            Some(costs) => Cut::across(parts, target, weights, costs).into_iter().map(Cow::Owned).collect(),
            None => parts.iter().map(|(_, predictions)| Cow::Borrowed(*predictions)).collect(),
        }
    }

    /// Every metric of the held-out rows that a candidate is scored on, the deciding one first.
    fn judged(&self, c: usize) -> Vec<(Metric, Judged)> {
        let scores = self.scores(c);
        let decided = self.decided(&self.parts(&scores));
        self.runner.worker.held_out().judge(&decided.iter().map(Cow::as_ref).collect::<Vec<_>>(), &self.runner.worker.scoring)
    }

    /// Reports whether each fit depends on its start, where time allows; the rows are complete without it.
    fn tell_starts(&self, rows: &mut [Scored]) -> Result<()> {
        let runner = &self.runner;
        runner.control.tell("starts: fits from other starting values", 0, 1);
        // Several run side by side.
        let quiet = Control { progress: None, ..runner.control.clone() };
        let of = |model: &Model| contain(model.estimator.name(), || Starts::of(model, &runner.worker.arena, &quiet)).ok().flatten();
        // What was not searched is not recommended.
        let starts = |row: &Scored| row.model.as_ref().filter(|_| !row.status.at_start).and_then(of);
        let found: Vec<Option<Starts>> = rows.par_iter().map(starts).collect();
        runner.control.check()?;
        rows.iter_mut().zip(found).for_each(|(row, starts)| row.starts = starts);
        Ok(())
    }

    fn scores_of(&self, c: usize) -> String {
        format!("the scores of {}", self.schedule.candidates[c].estimator.name())
    }

    /// The row of a candidate.
    fn scored(&mut self, c: usize, judged: &[(Metric, Judged)]) -> Scored {
        let left = &mut self.runner.results[c];
        let (failure, last) = (left.failure.take(), left.last.take());
        let left = &self.runner.results[c];
        let scores = self.scores(c);
        let parts = self.parts(&scores);
        let Examples { target, weights, .. } = self.runner.worker.arena.examples;
        let cut = self.costs.filter(|_| scores.len() == self.runner.worker.arena.folds.len());
        let cut = cut.and_then(|costs| Cut::of_held_out(&parts, target, weights, costs));
        let decided = self.decided(&parts);
        let folds = &self.runner.worker.arena.folds;
        let candidate = &self.schedule.candidates[c];
        let what = || candidate.estimator.name().to_owned();
        let unreached = || match self.runner.control.stop_early.is_cancelled() {
            true => Error::Stopped { what: what() },
            false => Error::Time { what: what() },
        };
        let of_searches = |is: &dyn Fn(&SearchState) -> bool| left.cells.iter().any(|cell| cell.search.as_ref().is_some_and(is));
        let is_judged = of_searches(&|s| s.is_judged()) || self.schedule.is_perfect(c);
        let open = of_searches(&|s| s.is_open());
        let all = self.runner.worker.arena.whole.data.rows();
        let mut row = Scored {
            predict_us_per_row: left.predict_us_per_row,
            status: RowStatus {
                folds: scores.len(),
                of_folds: folds.len(),
                at_start: open && !(candidate.is_tuned() && is_judged),
                exceeds_budget: of_searches(&|s| s.exceeds_budget()),
                is_searched: self.schedule.is_perfect(c) || !of_searches(&|s| s.rounds_left() > 0 || s.is_cut()),
                unconverged: scores.iter().filter(|s| !s.converged).count(),
                // Fits that took all training rows of their folds count as fits to all rows.
                rows: match candidate.is_tuned() || folds.iter().all(|f| candidate.look_rows >= f.train.len()) {
                    true => candidate.rows,
                    false => candidate.look_rows.min(candidate.rows),
                }
                .min(all),
                fitted_rows: 0,
                out: candidate.out,
                ending: Ending::of(self.runner.control),
            },
            own_scales: candidate.own_scales,
            ..Scored::without_results(candidate.estimator.clone())
        };
        if scores.is_empty() || (failure.is_some() && scores.len() < folds.len()) {
            row.failure = Some(failure.unwrap_or_else(unreached));
            return row;
        }
        row.failure = failure;
        if let Some(TimedFit { model, tune_seconds, fit_seconds }) = last {
            (row.tune_seconds, row.fit_seconds) = (tune_seconds, fit_seconds);
            row.status.unconverged += usize::from(!model.summary().converged);
            row.status.fitted_rows = model.about.rows;
            row.model = Some(Model { cut, ..model });
        }
        row.metrics = judged.iter().map(|(metric, judged)| (*metric, judged.estimate())).collect();
        row.folds = judged.iter().map(|(metric, judged)| (*metric, judged.per_fold.clone())).collect();
        if scores.len() == folds.len() {
            let parts: Vec<Part<'_>> =
                folds.iter().zip(&decided).map(|(f, predictions)| (f.test.as_slice(), predictions.as_ref())).collect();
            row.out_of_fold = OutOfFold::of(&parts);
        }
        row
    }

    /// The notices of work left undone.
    fn left_undone(&self, rows: &[Scored]) -> Vec<Notice> {
        let names = |which: &dyn Fn(&Scored) -> bool| -> Option<Vec<String>> {
            let list: Vec<String> = rows.iter().filter(|r| r.failure.is_none() && which(r)).map(Scored::name).collect();
            (!list.is_empty()).then_some(list)
        };
        let ending = Ending::of(self.runner.control);
        let is_cut = |r: &Scored| r.status.out != Some(Out::Budget) || r.status.exceeds_budget;
        let mut notices: Vec<Notice> = [
            names(&|r| r.status.exceeds_budget).map(|estimators| Notice::ScoredAtStart { estimators }),
            names(&|r| !is_cut(r)).map(|estimators| Notice::NotTuned { estimators, ending }),
            names(&|r| r.status.is_tuned() && !r.status.is_searched).map(|estimators| Notice::SearchCut { estimators, ending }),
            names(&|r| r.model.is_none() && r.status.is_tuned()).map(|estimators| Notice::NoFinalFit { estimators, ending }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let all = self.runner.worker.arena.whole.data.rows();
        let any = !notices.is_empty() || rows.iter().any(|r| r.failure.is_none() && r.status.rows < all);
        notices.extend((ending == Ending::Time && any).then_some(Notice::DependsOnSpeed));
        notices
    }
}

/// Where a model cuts between two classes; it is among its own notices, too.
fn noted_cut(model: &mut Model) -> Option<Notice> {
    let (cut, classes) = (model.cut?, model.answer.target().classes?);
    let classes = [classes.first()?.clone(), classes.get(1)?.clone()];
    let estimator = model.estimator.name().to_owned();
    let notice = Notice::CostCut { estimator, classes, above: cut.above, of_probabilities: cut.of_probabilities };
    model.about.notices.push(notice.clone());
    Some(notice)
}

/// A metric of what is scored on all of so many folds.
fn of_all_folds(judged: &[(Metric, Judged)], metric: Metric, folds: usize) -> Option<&Judged> {
    judged.iter().find(|(m, _)| *m == metric).map(|(_, judged)| judged).filter(|judged| judged.per_fold.len() == folds)
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

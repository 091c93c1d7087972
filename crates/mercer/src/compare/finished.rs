//! The table of a comparison that is over: scores of every candidate, differences between them, and what was left undone.

use super::guess::guesses;
use super::held_out::{OutOfFold, Part};
use super::runner::Runner;
use super::worker::FoldScore;
use super::{Outcome, RowStatus, Scored, Starts};
use crate::conformal::{Conformal, ConformalBy, ConformalSource, FoldSplit};
use crate::control::{Control, Ending, contain};
use crate::data::Examples;
use crate::error::{Error, Result};
use crate::estimators::{Baseline, Estimator, Predictions};
use crate::learner::{Model, TimedFit};
use crate::metrics::{Cut, Difference, Estimate, Judged, Metric, against_best, corrected_for_choice};
use crate::notice::Notice;
use crate::schedule::{Out, Schedule};
use crate::select::SearchState;
use crate::trial::{Arena, Spent, Trial};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// A comparison whose trials are over.
pub(super) struct Finished<'a> {
    pub(super) runner: Runner<'a>,
    pub(super) schedule: Schedule,
    /// The costs of errors of each of two classes, where they are not alike.
    pub(super) costs: Option<[f64; 2]>,
    pub(super) trials: Vec<(Trial, Spent)>,
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

impl Finished<'_> {
    /// The rows of the table.
    pub(super) fn outcome(mut self) -> Result<Outcome> {
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

    /// Conformity scores of the rows that the folds hold out, where all of them are scored.
    fn conformal(&self, parts: &[Part<'_>]) -> Option<Conformal> {
        let arena = &self.runner.worker.arena;
        let Examples { target, weights, split, .. } = arena.examples;
        let source = ConformalSource::Folds { count: arena.folds.len(), split: FoldSplit::of(split) };
        let is_whole = parts.len() == arena.folds.len();
        is_whole.then(|| Conformal::of(parts, target, weights, source, ConformalBy::All).ok()).flatten()
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
        let results = &mut self.runner.results[c];
        let (failure, last) = (results.failure.take(), results.last.take());
        let results = &self.runner.results[c];
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
        let of_searches = |is: &dyn Fn(&SearchState) -> bool| results.cells.iter().any(|cell| cell.search.as_ref().is_some_and(is));
        let is_judged = of_searches(&|s| s.is_judged()) || self.schedule.is_perfect(c);
        let open = of_searches(&|s| s.is_open());
        let all = self.runner.worker.arena.whole.data.rows();
        let mut row = Scored {
            predict_us_per_row: results.predict_us_per_row,
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
            row.model = Some(Model { cut, conformal: self.conformal(&parts), ..model });
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

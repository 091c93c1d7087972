//! The comparison as it goes on, so that it has a result at any time.
//!
//! First every estimator is fitted and scored at its starting values on every fold, on a part of the rows where all of them
//! would take long. Then its search goes on, round by round,
//! where a round is cheapest for how often one was gone through; what a search has chosen is scored on every fold. At last
//! each is fitted to all rows, the best first. Each step leaves time for those that must follow.

use super::entry::{Entry, FoldScore, Ground};
use super::plan::{self, Plan};
use super::{Comparing, Outcome};
use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Sample, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, Want};
use crate::fitting::{self, Prepared};
use crate::kernels::KernelExpr;
use crate::read::TargetInfo;
use crate::select::{Aim, Preparation, Scoring, Search};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Fits to no more rows than this run side by side: each of them is too small for all threads.
const SIDE_BY_SIDE: usize = 2500;
/// Prepared folds are kept where they take no more than this share of the memory allowed.
const KEPT: u64 = 8;
/// A fit to all rows with its last search and its prediction, in fits to the rows of a fold.
pub(super) const LAST: f64 = 4.0;

/// The comparison of estimators on the rows that are learnt from.
pub(super) struct Contest<'a> {
    pub(super) examples: Examples<'a>,
    pub(super) info: &'a TargetInfo,
    pub(super) comparing: &'a Comparing,
    pub(super) control: &'a Control,
    scoring: Scoring,
    pub(super) whole: Prepared,
    pub(super) folds: Vec<Fold>,
    kept: Vec<Option<Arc<Ground>>>,
    pub(super) entries: Vec<Entry>,
    pub(super) notices: Vec<String>,
}

impl<'a> Contest<'a> {
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
        let entry = |e: &EstimatorExpr| {
            let planned = plan.fits.iter().find(|f| f.estimator == *e).map_or(whole.data.rows(), |f| f.rows);
            let refused = refusal(e, &whole.kernel, planned, &examples, &whole.data, comparing, control).err();
            Entry {
                estimator: e.clone(),
                failure: refused,
                rows: planned,
                first_rows: planned,
                searches: Vec::new(),
                starting: Vec::new(),
                tuned: Vec::new(),
                fold_seconds: 0.0,
                round_seconds: 0.0,
                rounds: 0,
            }
        };
        let entries = comparing.estimators.iter().map(entry).collect();
        let kept = folds.iter().map(|_| None).collect();
        let mut contest = Contest { examples, info, comparing, control, scoring, whole, folds, kept, entries, notices: Vec::new() };
        let width: usize = contest.whole.data.columns().iter().map(|c| c.numbers().len().max(1)).sum();
        let bytes = 8 * (contest.whole.data.rows() * width * (contest.folds.len() + 1)) as u64;
        if bytes <= control.allowed() / KEPT {
            for k in 0..contest.folds.len() {
                control.check()?;
                contest.kept[k] = Some(contest.ground(k)?);
            }
        }
        Ok(contest)
    }

    fn ground(&self, k: usize) -> Result<Arc<Ground>> {
        if let Some(kept) = &self.kept[k] {
            return Ok(kept.clone());
        }
        let fold = &self.folds[k];
        let raw = self.examples.select(&fold.train);
        let made = fitting::prepare_weighed(&self.comparing.prep, self.comparing.kernel.as_ref(), &raw.data, raw.weights.as_deref())?;
        let test = made.prep.apply(&self.examples.data.select(&fold.test))?;
        Ok(Arc::new(Ground { kernel: made.kernel, train: Sample { data: made.data, ..raw }, test }))
    }

    /// Every step, as far as time allows.
    pub(super) fn run(mut self) -> Result<Outcome> {
        self.score_starts()?;
        self.search()?;
        self.score_tuned()?;
        self.finish()
    }

    /// Calls `each` for every fold, side by side where its fits are small and the memory allows it; a failure ends it, and time
    /// that is up leaves the folds done by then.
    fn over_folds<R: Send>(
        &self,
        rows: usize,
        bytes: u64,
        control: &Control,
        each: impl Fn(usize, &Control) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let count = self.folds.len();
        let mut out = Vec::with_capacity(count);
        if rows <= SIDE_BY_SIDE && bytes.saturating_mul(count as u64) <= control.allowed() / 2 {
            let quiet = Control { progress: None, max_memory: control.allowed() / count as u64, ..control.clone() };
            let all: Vec<Result<R>> = (0..count).into_par_iter().map(|k| each(k, &quiet)).collect();
            for made in all {
                match made {
                    Ok(r) => out.push(r),
                    Err(Error::Time { .. }) => break,
                    Err(e) => return Err(e),
                }
            }
            return Ok(out);
        }
        for k in 0..count {
            match each(k, control) {
                Ok(r) => out.push(r),
                Err(Error::Time { .. }) => break,
                Err(e) => return Err(e),
            }
        }
        Ok(out)
    }

    /// One estimator with settled parameters on one fold.
    fn score_fold(&self, k: usize, rows: usize, kernel: &KernelExpr, estimator: &EstimatorExpr, control: &Control) -> Result<FoldScore> {
        let what = || Error::Time { what: estimator.name().into() };
        if control.out_of_time() {
            return Err(what());
        }
        let ground = self.ground(k)?;
        let (fold, seed) = (&self.folds[k], self.comparing.seed);
        let part;
        let train = if rows < ground.train.data.rows() {
            part = ground.train.examples().select(&some_rows_of(&ground.train.target, rows, seed));
            part.examples()
        } else {
            ground.train.examples()
        };
        let fitted = fitting::fit_settled(kernel, estimator, &train, control, seed)?;
        if control.out_of_time() && !fitted.summary().converged {
            // A fit that was cut short says nothing of the estimator.
            return Err(what());
        }
        let want = Want { variance: true, probabilities: true, scores: true, ..Want::default() };
        let support = fitting::support_of(kernel, &fitted, train.data);
        let predictions = fitting::predict_settled(kernel, &fitted, &support, &ground.test, want, control)?;
        let weights: Option<Vec<f64>> = self.examples.weights.map(|w| fold.test.iter().map(|&i| w[i]).collect());
        let scores = self.scoring.score(&predictions, &self.examples.target.select(&fold.test), weights.as_deref());
        Ok(FoldScore { scores, predictions, converged: fitted.summary().converged })
    }

    /// Runs a step of one entry; a failure becomes its own, but for what ends everything.
    fn settle<R>(&mut self, e: usize, made: Result<R>) -> Result<Option<R>> {
        match made {
            Ok(r) => Ok(Some(r)),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(Error::Time { .. }) => Ok(None),
            Err(other) => {
                self.entries[e].failure = Some(other);
                Ok(None)
            }
        }
    }

    /// Entries that may go on, cheapest first.
    fn by_cost(&self, cost: impl Fn(&Entry) -> f64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entries.len()).filter(|&e| self.entries[e].failure.is_none()).collect();
        order.sort_by(|&a, &b| cost(&self.entries[a]).total_cmp(&cost(&self.entries[b])));
        order
    }

    /// Bytes of fits to so many rows.
    fn bytes(&self, e: &EstimatorExpr, rows: usize) -> u64 {
        e.bytes(rows, fitting::outputs(self.examples.target))
    }

    fn score_starts(&mut self) -> Result<()> {
        let outputs = fitting::outputs(self.examples.target);
        let order = self.by_cost(|e| e.estimator.work(e.rows, outputs));
        for (done, &e) in order.iter().enumerate() {
            self.control.check()?;
            if self.control.out_of_time() {
                break;
            }
            let name = self.entries[e].estimator.name();
            self.control.tell(&format!("{name}: starting values"), done, order.len());
            // What comes after needs about as much time again.
            let control = self.control.share(0.6 / (order.len() - done) as f64);
            let clock = Instant::now();
            let estimator = self.entries[e].estimator.clone();
            let rows = plan::first_rows(&estimator, self.entries[e].rows, outputs);
            self.entries[e].first_rows = rows;
            let bytes = self.bytes(&estimator, rows);
            let made = self.over_folds(rows, bytes, &control, |k, control| {
                let search = self.new_search(k, &estimator, control)?;
                let score = {
                    let (kernel, estimator) = search.start();
                    self.score_fold(k, rows, kernel, estimator, control)
                };
                Ok((search, score))
            });
            let Some(made) = self.settle(e, made)? else { continue };
            let mut scores = Vec::new();
            for (search, score) in made {
                self.entries[e].searches.push(search);
                scores.push(score);
            }
            for score in scores {
                match self.settle(e, score)? {
                    Some(score) => self.entries[e].starting.push(score),
                    None => break,
                }
            }
            let entry = &mut self.entries[e];
            let larger = entry.estimator.work(entry.rows, outputs) / entry.estimator.work(entry.first_rows, outputs).max(1.0);
            entry.fold_seconds = clock.elapsed().as_secs_f64() * larger.max(1.0);
        }
        Ok(())
    }

    fn new_search(&self, k: usize, estimator: &EstimatorExpr, control: &Control) -> Result<Search> {
        let ground = self.ground(k)?;
        let raw = self.examples.data.select(&self.folds[k].train);
        let prepared = Preparation { recipe: &self.comparing.prep, kernel: &ground.kernel, raw: &raw };
        let examples = ground.train.examples();
        let aim = Aim { scoring: self.scoring, within_noise: true };
        Search::new(&ground.kernel, estimator, &examples, Some(prepared), aim, control, self.comparing.seed)
    }

    /// Seconds that must be left: to score what the searches chose, and to fit each estimator to all rows.
    fn reserve(&self, entries: &[usize]) -> f64 {
        let folds = self.folds.len() as f64;
        let of = |e: &Entry| e.fold_seconds * (if e.has_moved() { 1.2 } else { 0.0 } + LAST / folds);
        entries.iter().map(|&e| of(&self.entries[e])).sum()
    }

    fn search(&mut self) -> Result<()> {
        loop {
            self.control.check()?;
            let folds = self.folds.len();
            let scored: Vec<usize> = (0..self.entries.len()).filter(|&e| self.entries[e].is_scored(folds)).collect();
            let reserve = self.reserve(&scored);
            let affordable = |e: &&usize| {
                let entry = &self.entries[**e];
                // A search that begins will have its choice scored on every fold.
                let begins = if entry.has_moved() { 0.0 } else { 1.2 * entry.fold_seconds };
                entry.rounds_left() > 0 && self.control.allows(reserve + begins + self.round_cost(entry))
            };
            let worth = |e: &usize| self.round_cost(&self.entries[*e]) * 2f64.powi(self.entries[*e].rounds as i32);
            let next = scored.iter().filter(affordable).min_by(|a, b| worth(a).total_cmp(&worth(b))).copied();
            let Some(e) = next else { return Ok(()) };
            let name = self.entries[e].estimator.name();
            let (round, left) = (self.entries[e].rounds + 1, self.entries[e].rounds_left());
            self.control.tell(&format!("{name}: search, round {round} of {}", round + left - 1), round, round + left);
            let control = self.control.keeping(reserve);
            let clock = Instant::now();
            let searches = std::mem::take(&mut self.entries[e].searches);
            let rows = searches.iter().map(Search::next_rows).max().unwrap_or(0);
            let bytes = self.bytes(&self.entries[e].estimator, rows) + 48 * (rows as u64).pow(2);
            let cells: Vec<std::sync::Mutex<Search>> = searches.into_iter().map(std::sync::Mutex::new).collect();
            let made = self.over_folds(rows, bytes, &control, |k, control| {
                cells[k].lock().unwrap_or_else(std::sync::PoisonError::into_inner).round(control)
            });
            self.entries[e].searches =
                cells.into_iter().map(|c| c.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)).collect();
            self.settle(e, made)?;
            let entry = &mut self.entries[e];
            entry.round_seconds = clock.elapsed().as_secs_f64();
            entry.rounds += 1;
        }
    }

    /// Seconds that the next round of an entry's searches may take: several times the last, or the fits of the first.
    fn round_cost(&self, entry: &Entry) -> f64 {
        let rows = entry.searches.iter().map(Search::next_rows).max().unwrap_or(0) as f64;
        // On all rows: as many fits of each fold as are tried.
        if let Some(fits) = entry.searches.iter().find_map(Search::next_fits) {
            return fits as f64 * entry.fold_seconds * (rows / entry.rows.max(1) as f64).powi(2).min(1.0);
        }
        match entry.rounds {
            0 => 20.0 * entry.fold_seconds * (rows / entry.rows.max(1) as f64).powi(2).min(1.0),
            _ => 3.0 * entry.round_seconds,
        }
    }

    fn score_tuned(&mut self) -> Result<()> {
        let folds = self.folds.len();
        let order = self.by_cost(|e| e.fold_seconds);
        let order: Vec<usize> = order.into_iter().filter(|&e| self.entries[e].is_scored(folds) && self.entries[e].has_moved()).collect();
        for (done, &e) in order.iter().enumerate() {
            self.control.check()?;
            let last: f64 = self.entries.iter().map(|e| e.fold_seconds * LAST / folds as f64).sum();
            let control = self.control.keeping(last);
            if control.out_of_time() {
                return Ok(());
            }
            let estimator = self.entries[e].estimator.clone();
            self.control.tell(&format!("{}: tuned values", estimator.name()), done, order.len());
            let rows = self.entries[e].rows;
            let settings = self.entries[e].searches.iter().map(Search::best).collect::<Result<Vec<_>>>();
            let Some(settings) = self.settle(e, settings)? else { continue };
            let bytes = self.bytes(&estimator, rows);
            let made = self.over_folds(rows, bytes, &control, |k, control| {
                let (kernel, estimator) = &settings[k];
                self.score_fold(k, rows, kernel, estimator, control)
            });
            let Some(scores) = self.settle(e, made)? else { continue };
            if scores.len() == folds {
                self.entries[e].tuned = scores;
            }
        }
        Ok(())
    }
}

/// The refusals that need no fold.
fn refusal(
    e: &EstimatorExpr,
    kernel: &KernelExpr,
    rows: usize,
    examples: &Examples<'_>,
    data: &Dataset,
    comparing: &Comparing,
    control: &Control,
) -> Result<()> {
    if !e.takes(examples.target) {
        return Err(fitting::cannot_predict(e, examples.target));
    }
    fitting::plan(e, rows, examples.target, control)?;
    if e.needs_mercer() && !comparing.allow_non_mercer {
        fitting::require_mercer(kernel, e, data, control)?;
    }
    Ok(())
}

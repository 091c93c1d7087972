//! Progress of a comparison for watchers. Nothing here changes the comparison.

use super::entrants::label;
use crate::error::Error;
use crate::estimators::EstimatorExpr;
use crate::metrics::Metric;
use crate::schedule::{Candidate, Out, Prices, Schedule};
use crate::trial::limits::assumed_rate;
use crate::trial::{Purpose, Trial, TrialResult};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Receives updates of a comparison that is running, from any of its threads, one at a time.
pub type RaceObserver<'a> = &'a (dyn Fn(&RaceUpdate) + Sync);

/// How far a comparison has come.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceUpdate {
    /// The metric that decides.
    pub metric: Metric,
    /// One for each estimator, the best score so far first; those that failed are last.
    pub candidates: Vec<CandidateProgress>,
    /// Share of the budget, or of the time limit, that is spent; `None` without either.
    pub spent_share: Option<f64>,
    /// Seconds until the end at most, an estimate from the speed so far; `None` where nothing is known of it.
    pub seconds_left: Option<f64>,
}

/// How far one estimator has come.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateProgress {
    /// The estimator as asked for.
    pub estimator: EstimatorExpr,
    /// Whether its kernel has one length scale for each column, and that of the others does not.
    pub own_scales: bool,
    /// Mean of the deciding metric over the folds that are scored, each by its latest score; `None` before the first.
    pub score: Option<f64>,
    /// Folds that are scored.
    pub folds: usize,
    /// Folds that there are.
    pub of_folds: usize,
    /// Folds that are scored with searched values.
    pub searched: usize,
    /// Whether it has parameters to search, as far as is known.
    pub is_open: bool,
    /// Its current work.
    pub state: CandidateState,
}

/// The current work on an estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CandidateState {
    /// Nothing at the moment.
    Waiting,
    /// A trial for this purpose runs.
    Running(Purpose),
    /// It is fitted to all rows: nothing is left to do.
    Fitted,
    /// It is searched no further.
    Out(Out),
    /// Time or budget do not suffice for its fit to all rows.
    NotFitted,
    /// It failed.
    Failed,
}

impl CandidateProgress {
    /// Its name in lists.
    pub fn name(&self) -> String {
        label(&self.estimator.full_name(), self.own_scales)
    }
    /// Its name in a table.
    pub fn label(&self) -> String {
        label(&self.estimator.to_string(), self.own_scales)
    }
}

impl RaceUpdate {
    /// The best so far; `None` before the first score.
    pub fn leader(&self) -> Option<&CandidateProgress> {
        self.candidates.first().filter(|c| c.score.is_some() && c.state != CandidateState::Failed)
    }
}

/// One estimator, as seen so far.
struct CandidateSeen {
    estimator: EstimatorExpr,
    own_scales: bool,
    looks: Vec<Option<f64>>,
    tuned: Vec<Option<f64>>,
    is_open: bool,
    state: CandidateState,
    /// Trials that run now: fold and purpose.
    running: Vec<(Option<usize>, Purpose)>,
}

/// All that is known between two updates.
struct RaceSeen {
    candidates: Vec<CandidateSeen>,
    /// The budget at the beginning, and what is left of it.
    budget: Option<(f64, f64)>,
    /// Seconds left, and when that was estimated.
    left: Option<(f64, Instant)>,
}

/// Tells an observer, where there is one, of each trial that begins or ends.
pub(super) struct Watch<'a> {
    /// `None` where nobody watches.
    pub(super) observer: Option<RaceObserver<'a>>,
    metric: Metric,
    start: Instant,
    known: Mutex<RaceSeen>,
}

impl<'a> Watch<'a> {
    /// Before the first trial, without an observer.
    pub(super) fn new(metric: Metric) -> Self {
        let known = RaceSeen { candidates: Vec::new(), budget: None, left: None };
        Watch { observer: None, metric, start: Instant::now(), known: Mutex::new(known) }
    }

    fn known(&self) -> MutexGuard<'_, RaceSeen> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over the state of the schedule, which knows more than single results; so much of the budget is left, in seconds where
    /// `is_timed`, else in operations.
    pub(super) fn decided(&self, schedule: &Schedule, prices: &dyn Prices, left: f64, is_timed: bool) {
        let Some(observer) = self.observer else { return };
        let now = Instant::now();
        let mut known = self.known();
        known.candidates = schedule.candidates.iter().map(CandidateSeen::of).collect();
        let all = known.budget.map_or(left, |(all, _)| all);
        known.budget = left.is_finite().then_some((all, left));
        let to_do = schedule.remaining(left, prices);
        let work = to_do.unwrap_or(f64::INFINITY).min(left);
        let rate = match (is_timed, to_do) {
            (true, _) => 1.0,
            // Fits to a few rows say little of the rate of larger ones.
            (false, None) => assumed_rate(),
            (false, Some(_)) => schedule.spent() / (now - self.start).as_secs_f64(),
        };
        let seconds = work / rate;
        known.left = seconds.is_finite().then_some((seconds, now));
        observer(&self.update(&known));
    }

    /// A trial begins.
    pub(super) fn begun(&self, trial: &Trial) {
        self.seen(trial, |seen, this| {
            if !seen.running.contains(&this) {
                seen.running.push(this);
            }
        });
    }

    /// A trial has ended.
    pub(super) fn ended(&self, result: &TrialResult) {
        self.seen(&result.trial, |seen, this| {
            seen.running.retain(|other| *other != this);
            seen.is_open |= result.is_open;
            match (&result.judged, this) {
                (Ok(Some(judged)), (Some(k), Purpose::Look)) => seen.looks[k] = Some(judged.value),
                (Ok(Some(judged)), (Some(k), _)) => seen.tuned[k] = Some(judged.value),
                (Ok(_), _) => seen.state = CandidateState::Fitted,
                (Err(Error::Memory { .. } | Error::Time { .. } | Error::Stopped { .. } | Error::Cancelled), _) => {}
                (Err(_), _) => seen.state = CandidateState::Failed,
            }
        });
    }

    fn seen(&self, trial: &Trial, change: impl FnOnce(&mut CandidateSeen, (Option<usize>, Purpose))) {
        let Some(observer) = self.observer else { return };
        let mut known = self.known();
        if let Some(seen) = known.candidates.get_mut(trial.candidate) {
            change(seen, (trial.rows.fold, trial.purpose));
            observer(&self.update(&known));
        }
    }

    fn update(&self, known: &RaceSeen) -> RaceUpdate {
        let mut candidates: Vec<CandidateProgress> = known.candidates.iter().map(CandidateSeen::progress).collect();
        let loss = |c: &CandidateProgress| match c.score {
            Some(score) if self.metric.rises() => -score,
            Some(score) => score,
            None => f64::INFINITY,
        };
        let failed = |c: &CandidateProgress| c.state == CandidateState::Failed;
        candidates.sort_by(|a, b| failed(a).cmp(&failed(b)).then(loss(a).total_cmp(&loss(b))));
        RaceUpdate {
            metric: self.metric,
            candidates,
            spent_share: known.budget.filter(|(all, _)| *all > 0.0).map(|(all, left)| (1.0 - left / all).clamp(0.0, 1.0)),
            seconds_left: known.left.map(|(seconds, then)| (seconds - then.elapsed().as_secs_f64()).max(0.0)),
        }
    }
}

impl CandidateSeen {
    fn of(candidate: &Candidate) -> Self {
        let values = |of: &[Option<crate::metrics::Contribution>]| of.iter().map(|c| c.as_ref().map(|c| c.value)).collect();
        let state = match candidate.out {
            _ if candidate.failed => CandidateState::Failed,
            _ if candidate.fitted => CandidateState::Fitted,
            Some(out) => CandidateState::Out(out),
            None if candidate.is_unfitted => CandidateState::NotFitted,
            None => CandidateState::Waiting,
        };
        CandidateSeen {
            estimator: candidate.estimator.clone(),
            own_scales: candidate.own_scales,
            looks: values(&candidate.looks),
            tuned: values(&candidate.tuned),
            // Before the first score nothing is known.
            is_open: candidate.is_open || candidate.looks.iter().all(Option::is_none),
            state,
            running: Vec::new(),
        }
    }

    fn progress(&self) -> CandidateProgress {
        let scores: Vec<f64> = self.looks.iter().zip(&self.tuned).filter_map(|(look, tuned)| tuned.or(*look)).collect();
        let defined: Vec<f64> = scores.iter().copied().filter(|s| !s.is_nan()).collect();
        CandidateProgress {
            estimator: self.estimator.clone(),
            own_scales: self.own_scales,
            score: (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64),
            folds: scores.len(),
            of_folds: self.looks.len(),
            searched: self.tuned.iter().flatten().count(),
            is_open: self.is_open,
            state: match self.running.last() {
                Some((_, purpose)) if self.state != CandidateState::Failed => CandidateState::Running(*purpose),
                _ => self.state,
            },
        }
    }
}

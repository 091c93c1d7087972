//! A comparison from its first look to its last fit: the schedule decides, the runner runs.

use super::choice::KernelChoice;
use super::entrants::Entrant;
use super::finished::Finished;
use super::plan::{Plan, budget, bytes_of};
use super::runner::Runner;
use super::watch::RaceObserver;
use super::worker::Worker;
use super::{Comparing, Outcome};
use crate::control::{Control, contain};
use crate::data::{Examples, Fold, TargetInfo};
use crate::error::Result;
use crate::estimators::{Baseline, Estimator, EstimatorExpr, Size};
use crate::fitting::{self, Prepared};
use crate::kernels::KernelExpr;
use crate::metrics::{Scoring, require_judged};
use crate::schedule::{Candidate, NextAction, Schedule};
use crate::trial::limits::{NAMED, WHOLE_FIELD};
use crate::trial::{Arena, Landmarks, RowsOf, Spent, Trial, TrialResult};

/// A comparison on its way.
pub(super) struct Race<'a> {
    runner: Runner<'a>,
    /// The costs of errors of each of two classes, where they are not alike.
    costs: Option<[f64; 2]>,
    schedule: Schedule,
    trials: Vec<(Trial, Spent)>,
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
        Finished { runner: self.runner, schedule: self.schedule, costs: self.costs, trials: self.trials }.outcome()
    }

    fn keep(&mut self, result: TrialResult) {
        let c = result.trial.candidate;
        self.trials.push((result.trial, result.spent));
        if let (Err(error), true) = (result.judged, self.schedule.candidates[c].failed) {
            self.runner.results[c].failure.get_or_insert(error);
        }
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

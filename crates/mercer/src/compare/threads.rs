//! Trials on the threads of this process: side by side where none is large enough for all threads and the memory allows it.

use super::executor::{Assignment, Executor, Limits};
use super::prices::search_bytes;
use super::worker::{TrialOutput, Worker};
use crate::control::{Control, contain};
use crate::error::{Error, Result};
use crate::fitting::KernelValues;
use crate::select::{MOST_SEARCHED, Tuned};
use crate::trial::limits::{LARGE, OVERTIME_SECONDS, OVERTIME_SHARE, SIDE_BY_SIDE};
use crate::trial::{Purpose, Trial};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The threads of this process.
pub(super) struct Threads;

impl Executor for Threads {
    fn computes_here(&self) -> bool {
        true
    }

    fn run(&mut self, worker: &Worker<'_>, trials: &[Assignment<'_>], limits: &Limits<'_>) -> Result<Vec<TrialOutput>> {
        let batch = Batch { worker, limits };
        let (fits, on_folds): (Vec<usize>, Vec<usize>) =
            (0..trials.len()).partition(|&t| matches!(trials[t].trial.purpose, Purpose::Last(_)));
        let of = |places: &[usize]| places.iter().map(|&t| &trials[t]).collect::<Vec<_>>();
        let outputs = batch.on_folds(&of(&on_folds)).into_iter().chain(batch.fits(&of(&fits)));
        let mut all: Vec<(usize, TrialOutput)> = on_folds.iter().chain(&fits).copied().zip(outputs).collect();
        all.sort_by_key(|(t, _)| *t);
        Ok(all.into_iter().map(|(_, output)| output).collect())
    }
}

/// Trials that run together.
struct Batch<'r> {
    worker: &'r Worker<'r>,
    limits: &'r Limits<'r>,
}

impl Batch<'_> {
    /// Trials on folds.
    fn on_folds(&self, trials: &[&Assignment<'_>]) -> Vec<TrialOutput> {
        let (worker, control) = (self.worker, self.limits.control);
        self.compute_shared_values(trials);
        self.settle_starts(trials);
        let bytes = |t: &Trial| worker.bytes(t) + search_bytes(worker.size(t).rows.min(MOST_SEARCHED));
        let clock = Instant::now();
        let mut all: Vec<TrialOutput> = Vec::with_capacity(trials.len());
        if self.has_room_beside(trials, bytes) {
            for (assignment, output) in trials.iter().zip(self.side_by_side(trials, |assignment, quiet| self.one(assignment, quiet))) {
                // What has no room beside another may have it alone.
                let is_refused = matches!(output.result.judged, Err(Error::Memory { .. }));
                all.push(if is_refused { self.one(assignment, control) } else { output });
            }
        } else {
            let mut order: Vec<usize> = (0..trials.len()).collect();
            if self.runs_fold_by_fold(trials) {
                order.sort_by_key(|&t| trials[t].trial.rows.fold);
            }
            let mut made: Vec<(usize, TrialOutput)> = Vec::with_capacity(trials.len());
            for t in order {
                let share = control.share(1.0 / (trials.len() - made.len()) as f64);
                made.push((t, self.one(trials[t], if self.limits.is_share { &share } else { control })));
            }
            made.sort_by_key(|(t, _)| *t);
            all.extend(made.into_iter().map(|(_, output)| output));
        }
        // Trials side by side took less of the time that there is than their own clocks say.
        let own: f64 = all.iter().map(|output| output.result.spent.seconds).sum();
        let share = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 1.0 };
        all.iter_mut().for_each(|output| output.result.spent.seconds *= share);
        all
    }

    /// Settles all estimators with the common kernel by the training rows of each fold that is looked at.
    fn settle_starts(&self, trials: &[&Assignment<'_>]) {
        let looks = trials.iter().map(|t| t.trial).filter(|t| t.purpose == Purpose::Look && !self.worker.has_own_kernel(t));
        let folds: BTreeSet<usize> = looks.filter_map(|t| t.rows.fold).collect();
        folds.into_iter().for_each(|k| self.worker.settle_starts_of(k, self.limits.control));
    }

    /// Computes the kernel values that first looks have in common with others, on every core: small matrices side by side.
    fn compute_shared_values(&self, trials: &[&Assignment<'_>]) {
        let worker = self.worker;
        let mut due: Vec<&Assignment<'_>> = Vec::new();
        for &assignment in trials {
            let t = assignment.trial;
            let is_due = t.purpose == Purpose::Look && worker.uncomputed_work(t) > 0.0 && worker.arena.keeps_all_folds(worker.size(t).rows);
            let place = |t: &Trial| (t.rows.fold, worker.size(t).rows);
            if is_due && !due.iter().any(|d| place(d.trial) == place(t)) {
                due.push(assignment);
            }
        }
        match self.has_room_beside(&due, |t| KernelValues::bytes(worker.size(t).rows, worker.arena.whole.data.rows())) {
            true => due.par_iter().for_each(|due| self.compute_values_of(due.trial)),
            false => due.iter().for_each(|due| self.compute_values_of(due.trial)),
        }
    }

    /// Computes the kernel values of a first look. What cannot be had the trial says.
    fn compute_values_of(&self, trial: &Trial) {
        let Some(k) = trial.rows.fold else { return };
        let (worker, control) = (self.worker, self.limits.control);
        let rows = worker.size(trial).rows;
        let computed = contain("kernel values", || {
            let prepared = worker.arena.prepared_fold(k)?;
            let kernel = worker.arena.searched(k, &prepared, worker.learnt)?.kernel.clone();
            let part = worker.arena.part(k, &prepared, rows);
            let train = part.as_ref().map_or_else(|| prepared.train.examples(), |part| part.examples());
            control.tell("kernel values of the training rows of a fold", k, worker.arena.folds.len());
            worker.arena.values(k, &prepared, &train, &kernel, control)
        });
        if let Ok(Some(_)) = computed {
            worker.arena.note_computed(Some(k), rows);
        }
    }

    /// Whether trials run side by side: none is large enough for all threads, and there is room for so many of so many bytes.
    fn has_room_beside(&self, trials: &[&Assignment<'_>], bytes: impl Fn(&Trial) -> u64) -> bool {
        let threads = rayon::current_num_threads();
        let most = trials.iter().map(|t| bytes(t.trial)).max().unwrap_or(0);
        threads > 1
            && trials.len() > 1
            && trials.iter().all(|t| self.worker.size(t.trial).rows <= SIDE_BY_SIDE)
            && most <= (self.limits.control.allowed() / 2 / threads as u64).min(if self.worker.arena.are_costly { LARGE } else { u64::MAX })
    }

    /// Whether trials run one fold after the other: of the kernel values that they share no more are kept.
    fn runs_fold_by_fold(&self, trials: &[&Assignment<'_>]) -> bool {
        let rows = |t: &Trial| self.worker.size(t).rows;
        trials.iter().map(|t| t.trial).any(|t| self.worker.shares_values(t, rows(t)) && !self.worker.arena.keeps_all_folds(rows(t)))
    }

    /// Calls `each` for every trial, the longest first, of first looks the shortest; each thread takes the next when it has done with
    /// one. What it gives stands in the order of the trials.
    fn side_by_side<R: Send>(&self, trials: &[&Assignment<'_>], each: impl Fn(&Assignment<'_>, &Control) -> R + Sync) -> Vec<R> {
        let threads = rayon::current_num_threads();
        let control = self.limits.control;
        let quiet = Control { progress: None, max_memory: control.allowed() / threads as u64, ..control.clone() };
        let mut queue: Vec<usize> = (0..trials.len()).collect();
        // First looks are worth most where the cheap ones come first: an end may be asked for at any time.
        let is_look = trials.iter().all(|t| t.trial.purpose == Purpose::Look);
        let by_fold = is_look && self.runs_fold_by_fold(trials);
        let key = |Assignment { trial, known }: &Assignment<'_>| {
            let operations = self.worker.operations(trial, known);
            (trial.rows.fold.filter(|_| by_fold), if is_look { operations } else { -operations })
        };
        let keys: Vec<(Option<usize>, f64)> = trials.iter().map(|t| key(t)).collect();
        queue.sort_by(|&a, &b| keys[a].0.cmp(&keys[b].0).then(keys[a].1.total_cmp(&keys[b].1)));
        let next = AtomicUsize::new(0);
        let take = || queue.get(next.fetch_add(1, Ordering::Relaxed)).copied();
        let of_thread = |_| std::iter::from_fn(&take).map(|t| (t, each(trials[t], &quiet))).collect();
        let mut all: Vec<(usize, R)> = (0..threads).into_par_iter().map(of_thread).collect::<Vec<Vec<_>>>().into_iter().flatten().collect();
        all.sort_by_key(|(t, _)| *t);
        all.into_iter().map(|(_, made)| made).collect()
    }

    /// A trial on one fold.
    fn one(&self, Assignment { trial, known }: &Assignment<'_>, control: &Control) -> TrialOutput {
        (self.limits.begun)(trial);
        let what = if trial.purpose == Purpose::Look { "starting values" } else { "search" };
        control.tell(&format!("{}: {what}", trial.estimator.name()), trial.rows.fold.unwrap_or(0), self.worker.arena.folds.len());
        self.ended(self.worker.run(trial, known, control))
    }

    fn ended(&self, output: TrialOutput) -> TrialOutput {
        (self.limits.ended)(&output);
        output
    }

    /// Fits to all rows: their searches side by side where there is room, the fits, whose seconds are reported, one after the other.
    /// The best is looked along.
    fn fits(&self, trials: &[&Assignment<'_>]) -> Vec<TrialOutput> {
        if trials.is_empty() {
            return Vec::new();
        }
        let (worker, control) = (self.worker, self.limits.control);
        let overtime = match self.limits.whole {
            Some(limit) if !control.stop_early.is_cancelled() => (OVERTIME_SHARE * limit).max(OVERTIME_SECONDS),
            _ => OVERTIME_SECONDS,
        };
        let control = &if control.out_of_time() { control.in_overtime(overtime) } else { control.clone() };
        let batch = Batch { limits: &Limits { control, ..*self.limits }, worker };
        let bytes = |t: &Trial| 4 * worker.bytes(t) + search_bytes(worker.size(t).rows);
        let clock = Instant::now();
        let tuned: Vec<Option<(Tuned, f64)>> = match self.limits.whole.is_none() && batch.has_room_beside(trials, bytes) {
            // What fails the fit says.
            true => batch.side_by_side(trials, |Assignment { trial, known }, quiet| {
                (self.limits.begun)(trial);
                worker.tuned(trial, known, quiet).ok()
            }),
            false => trials.iter().map(|_| None).collect(),
        };
        // Searches side by side took less of the time that there is than their own clocks say.
        let own: f64 = tuned.iter().flatten().map(|(_, seconds)| seconds).sum();
        let of_wall = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 0.0 };
        let fit = |(at, tuned): (usize, Option<(Tuned, f64)>)| {
            let Assignment { trial, known } = trials[at];
            (self.limits.begun)(trial);
            control.tell(&format!("{}: all rows", trial.estimator.name()), at, trials.len());
            let share = control.share((1.5 / (trials.len() - at) as f64).min(1.0));
            let searched = tuned.as_ref().map_or(0.0, |(_, seconds)| of_wall * seconds);
            let mut output = worker.run_with(trial, known, tuned, &share);
            output.result.spent.seconds += searched;
            self.ended(output)
        };
        tuned.into_iter().enumerate().map(fit).collect()
    }
}

//! Runs the trials that a schedule hands out, on every core of this machine, and keeps what they leave.

use super::prices::search_bytes;
use super::processes::Crew;
use super::watch::Watch;
use super::worker::{Cell, Made, TrialOutput, Worker};
use crate::control::{Control, contain};
use crate::error::{Error, Result};
use crate::estimators::Size;
use crate::fitting::KernelValues;
use crate::learner::Timed;
use crate::select::{MOST_SEARCHED, SearchState, Tuned};
use crate::trial::limits::{LARGE, OVERTIME_SECONDS, OVERTIME_SHARE, SIDE_BY_SIDE};
use crate::trial::{Purpose, Spent, Trial, TrialResult};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The results of the trials of one estimator.
pub(super) struct Left {
    pub(super) cells: Vec<Cell>,
    pub(super) last: Option<Timed>,
    pub(super) predict_us_per_row: f64,
    pub(super) failure: Option<Error>,
    /// Seconds and operations of its trials so far.
    pub(super) spent: Spent,
    /// Seconds of the longest first look that time ended.
    pub(super) late: f64,
}

/// Where trials run.
pub(super) struct Runner<'a> {
    pub(super) worker: Worker<'a>,
    pub(super) control: &'a Control,
    pub(super) left: Vec<Left>,
    /// The limit of time, in seconds.
    pub(super) limit: Option<f64>,
    pub(super) watch: Watch<'a>,
    /// The processes that run the trials, once there is one to run.
    crew: Option<Crew>,
    bounds: (u64, usize, Size),
}

impl Left {
    fn new(folds: usize) -> Self {
        let cells = vec![Cell::default(); folds];
        Left { cells, last: None, predict_us_per_row: f64::NAN, failure: None, spent: Spent::default(), late: 0.0 }
    }

    fn spend(&mut self, spent: Spent) {
        self.spent.seconds += spent.seconds;
        self.spent.operations += spent.operations;
    }

    /// Keeps what a trial gave.
    fn keep(&mut self, trial: &Trial, search: Option<SearchState>, made: Option<Made>) {
        if let (Some(k), Some(search)) = (trial.rows.fold, search) {
            self.cells[k].search = Some(search);
        }
        match (made, trial.rows.fold) {
            (Some(Made::Score(score)), Some(k)) if trial.purpose == Purpose::Look => self.cells[k].look = Some(score),
            (Some(Made::Score(score)), Some(k)) => self.cells[k].tuned = Some(score),
            (Some(Made::Fit(timed, one)), _) => {
                self.last = Some(*timed);
                self.predict_us_per_row = one.unwrap_or(self.predict_us_per_row);
            }
            _ => {}
        }
    }
}

/// A trial that was run: what the schedule hears of it, and what is kept.
struct Done {
    result: TrialResult,
    search: Option<SearchState>,
    made: Option<Made>,
}

impl<'a> Runner<'a> {
    /// `bounds`: as in [`Arena::new`](crate::trial::Arena::new).
    pub(super) fn new(worker: Worker<'a>, bounds: (u64, usize, Size), control: &'a Control) -> Self {
        let folds = worker.arena.folds.len();
        Runner {
            left: worker.entrants.iter().map(|_| Left::new(folds)).collect(),
            limit: control.seconds_left(),
            watch: Watch::new(worker.scoring.deciding),
            crew: None,
            bounds,
            worker,
            control,
        }
    }

    /// Runs trials, side by side where none is large enough for all threads and the memory allows it. `part`: the share of the time
    /// left that they may take together.
    pub(super) fn run(&mut self, trials: &[Trial], part: f64) -> Result<Vec<TrialResult>> {
        let (lasts, others): (Vec<&Trial>, Vec<&Trial>) = trials.iter().partition(|t| matches!(t.purpose, Purpose::Last(_)));
        let control = self.control.share(part.min(1.0));
        if self.crew.is_none() {
            self.crew = Crew::of(&self.worker, self.bounds)?;
        }
        // After a stop this process fits what is left.
        if let Some(crew) = self.crew.as_ref().filter(|_| !self.control.stop_early.is_cancelled()) {
            let all: Vec<&Trial> = trials.iter().collect();
            let outputs = crew.run(&self.worker, &all, |t| self.known(t), &control, |t| self.watch.begun(t));
            let all: Vec<Done> = outputs.into_iter().map(|output| self.done(output)).collect();
            all.iter().for_each(|Done { result, .. }| self.left[result.trial.candidate].spend(result.spent));
            return all.into_iter().map(|done| self.kept(done)).collect();
        }
        let mut all: Vec<Done> = Vec::with_capacity(trials.len());
        self.compute_shared_values(&others, &control);
        self.settle_starts(&others, &control);
        let worker = &self.worker;
        let bytes = |t: &Trial| worker.bytes(t) + search_bytes(worker.size(t).rows.min(MOST_SEARCHED));
        let of_values: Vec<f64> = others.iter().map(|t| worker.uncomputed_work(t)).collect();
        let clock = Instant::now();
        if self.has_room_beside(&others, bytes, &control) {
            for (t, done) in others.iter().zip(self.side_by_side(&others, &control, |t, quiet| self.one(others[t], quiet))) {
                // What has no room beside another may have it alone.
                let is_refused = matches!(done.result.judged, Err(Error::Memory { .. }));
                all.push(if is_refused { self.one(t, &control) } else { done });
            }
        } else {
            let mut order: Vec<usize> = (0..others.len()).collect();
            if self.runs_fold_by_fold(&others) {
                order.sort_by_key(|&t| others[t].rows.fold);
            }
            let mut made: Vec<(usize, Done)> = Vec::with_capacity(others.len());
            for t in order {
                let share = control.share(1.0 / (others.len() - made.len()) as f64);
                made.push((t, self.one(others[t], if part < 1.0 { &share } else { &control })));
            }
            made.sort_by_key(|(t, _)| *t);
            all.extend(made.into_iter().map(|(_, done)| done));
        }
        // Trials side by side took less of the time that there is than their own clocks say.
        let own: f64 = all.iter().map(|done| done.result.spent.seconds).sum();
        let share = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 1.0 };
        for (Done { result, .. }, of_values) in all.iter_mut().zip(of_values) {
            result.spent.seconds *= share;
            // Seconds that the first reader of kernel values took for them are none of its own work.
            let Spent { seconds, operations } = result.spent;
            let left = &mut self.left[result.trial.candidate];
            left.spend(Spent { seconds, operations: operations + of_values });
            if matches!(result.judged, Err(Error::Time { .. })) {
                left.late = left.late.max(seconds);
            }
        }
        let lasts = self.lasts(&lasts, &control);
        for Done { result, .. } in &lasts {
            self.left[result.trial.candidate].spend(result.spent);
        }
        all.into_iter().chain(lasts).map(|done| self.kept(done)).collect()
    }

    /// What a trial needs to know of its candidate.
    fn known(&self, trial: &Trial) -> Vec<Cell> {
        let needs = |(k, cell): (usize, &Cell)| match trial.rows.fold {
            Some(fold) if fold != k => Cell::default(),
            Some(_) => Cell { tuned: None, ..cell.clone() },
            None => Cell { search: cell.search.clone(), ..Cell::default() },
        };
        self.left[trial.candidate].cells.iter().enumerate().map(needs).collect()
    }

    /// The result of a trial, whose leavings are kept.
    fn kept(&mut self, Done { mut result, search, made }: Done) -> Result<TrialResult> {
        let Trial { candidate, rows, .. } = result.trial;
        self.left[candidate].keep(&result.trial, search, made);
        if result.judged.is_ok() {
            self.worker.arena.note_computed(rows.fold, self.worker.size(&result.trial).rows);
        }
        match &mut result.judged {
            Err(Error::Cancelled) if self.control.cancel.is_cancelled() => return Err(Error::Cancelled),
            Err(Error::Cancelled) => result.judged = Err(Error::Time { what: result.trial.estimator.name().into() }),
            _ => {}
        }
        Ok(result)
    }

    /// Settles all estimators with the common kernel by the training rows of each fold that is looked at.
    fn settle_starts(&self, trials: &[&Trial], control: &Control) {
        let looks = trials.iter().filter(|t| t.purpose == Purpose::Look && !self.worker.has_own_kernel(t));
        let folds: BTreeSet<usize> = looks.filter_map(|t| t.rows.fold).collect();
        folds.into_iter().for_each(|k| self.worker.settle_starts_of(k, control));
    }

    /// Computes the kernel values that first looks have in common with others, on every core: small matrices side by side.
    fn compute_shared_values(&self, trials: &[&Trial], control: &Control) {
        let mut due: Vec<&Trial> = Vec::new();
        for t in trials.iter().filter(|t| t.purpose == Purpose::Look && self.worker.uncomputed_work(t) > 0.0) {
            let is_kept = self.worker.arena.keeps_all_folds(self.worker.size(t).rows);
            if is_kept && !due.iter().any(|d| (d.rows.fold, self.worker.size(d).rows) == (t.rows.fold, self.worker.size(t).rows)) {
                due.push(t);
            }
        }
        match self.has_room_beside(&due, |t| KernelValues::bytes(self.worker.size(t).rows, self.worker.arena.whole.data.rows()), control) {
            true => due.par_iter().for_each(|t| self.compute_values_of(t, control)),
            false => due.iter().for_each(|t| self.compute_values_of(t, control)),
        }
    }

    /// Computes the kernel values of a first look. What cannot be had the trial says.
    fn compute_values_of(&self, trial: &Trial, control: &Control) {
        let Some(k) = trial.rows.fold else { return };
        let computed = contain("kernel values", || {
            let prepared = self.worker.arena.prepared_fold(k)?;
            let kernel = self.worker.arena.searched(k, &prepared, self.worker.learnt)?.kernel.clone();
            let rows = self.worker.size(trial).rows;
            let part = self.worker.arena.part(k, &prepared, rows);
            let train = part.as_ref().map_or_else(|| prepared.train.examples(), |part| part.examples());
            control.tell("kernel values of the training rows of a fold", k, self.worker.arena.folds.len());
            self.worker.arena.values(k, &prepared, &train, &kernel, control)
        });
        if let Ok(Some(_)) = computed {
            self.worker.arena.note_computed(Some(k), self.worker.size(trial).rows);
        }
    }

    /// Whether trials run side by side: none is large enough for all threads, and there is room for so many of so many bytes.
    fn has_room_beside(&self, trials: &[&Trial], bytes: impl Fn(&Trial) -> u64, control: &Control) -> bool {
        let threads = rayon::current_num_threads();
        let most = trials.iter().map(|t| bytes(t)).max().unwrap_or(0);
        threads > 1
            && trials.len() > 1
            && trials.iter().all(|t| self.worker.size(t).rows <= SIDE_BY_SIDE)
            && most <= (control.allowed() / 2 / threads as u64).min(if self.worker.arena.are_costly { LARGE } else { u64::MAX })
    }

    /// Whether trials run one fold after the other: of the kernel values that they share no more are kept.
    fn runs_fold_by_fold(&self, trials: &[&Trial]) -> bool {
        let rows = |t: &Trial| self.worker.size(t).rows;
        trials.iter().any(|t| self.worker.shares_values(t, rows(t)) && !self.worker.arena.keeps_all_folds(rows(t)))
    }

    /// Calls `each` for the place of every trial, the longest first, of first looks the shortest; each thread takes the next when it has
    /// done with one. What it gives stands in the order of the trials.
    fn side_by_side<R: Send>(&self, trials: &[&Trial], control: &Control, each: impl Fn(usize, &Control) -> R + Sync) -> Vec<R> {
        let threads = rayon::current_num_threads();
        let quiet = Control { progress: None, max_memory: control.allowed() / threads as u64, ..control.clone() };
        let mut queue: Vec<usize> = (0..trials.len()).collect();
        // First looks are worth most where the cheap ones come first: an end may be asked for at any time.
        let is_look = trials.iter().all(|t| t.purpose == Purpose::Look);
        let by_fold = is_look && self.runs_fold_by_fold(trials);
        let key = |t: &Trial| {
            let operations = self.worker.operations(t, &self.left[t.candidate].cells);
            (t.rows.fold.filter(|_| by_fold), if is_look { operations } else { -operations })
        };
        let keys: Vec<(Option<usize>, f64)> = trials.iter().map(|t| key(t)).collect();
        queue.sort_by(|&a, &b| keys[a].0.cmp(&keys[b].0).then(keys[a].1.total_cmp(&keys[b].1)));
        let next = AtomicUsize::new(0);
        let take = || queue.get(next.fetch_add(1, Ordering::Relaxed)).copied();
        let of_thread = |_| std::iter::from_fn(&take).map(|t| (t, each(t, &quiet))).collect();
        let mut all: Vec<(usize, R)> = (0..threads).into_par_iter().map(of_thread).collect::<Vec<Vec<_>>>().into_iter().flatten().collect();
        all.sort_by_key(|(t, _)| *t);
        all.into_iter().map(|(_, made)| made).collect()
    }

    /// A trial on one fold.
    fn one(&self, trial: &Trial, control: &Control) -> Done {
        self.watch.begun(trial);
        control.tell(
            &format!("{}: {}", trial.estimator.name(), said(trial.purpose)),
            trial.rows.fold.unwrap_or(0),
            self.worker.arena.folds.len(),
        );
        self.done(self.worker.run(trial, &self.left[trial.candidate].cells, control))
    }

    /// An output of a trial, judged by the deciding metric.
    fn done(&self, output: TrialOutput) -> Done {
        let TrialOutput { trial, made, search, exact_wins, spent } = output;
        let worker = &self.worker;
        let (judged, made) = match (made, trial.rows.fold) {
            (Err(error), _) => (Err(error), None),
            (Ok(Made::Score(score)), Some(k)) => {
                let judged = contain("scores", || Ok(worker.held_out().contribution(k, &score.predictions, &worker.scoring)));
                (judged.map(Some), Some(Made::Score(score)))
            }
            (Ok(made), _) => (Ok(None), Some(made)),
        };
        let known = trial.rows.fold.and_then(|k| self.left[trial.candidate].cells[k].search.as_ref());
        let is_open = search.as_ref().or(known).is_some_and(|s| s.is_open() && !s.exceeds_budget());
        let result = TrialResult { trial, judged, is_open, exact_wins, spent };
        self.watch.ended(&result);
        Done { result, search, made }
    }

    /// Fits to all rows: their searches side by side where there is room, the fits, whose seconds are reported, one after the other.
    /// The best is looked along.
    fn lasts(&self, trials: &[&Trial], control: &Control) -> Vec<Done> {
        if trials.is_empty() {
            return Vec::new();
        }
        let overtime = match self.limit {
            Some(limit) if !control.stop_early.is_cancelled() => (OVERTIME_SHARE * limit).max(OVERTIME_SECONDS),
            _ => OVERTIME_SECONDS,
        };
        let control = &if control.out_of_time() { control.in_overtime(overtime) } else { control.clone() };
        let worker = &self.worker;
        let known = |t: &Trial| &self.left[t.candidate].cells;
        let bytes = |t: &Trial| 4 * worker.bytes(t) + search_bytes(worker.size(t).rows);
        let clock = Instant::now();
        let tuned: Vec<Option<(Tuned, f64)>> = match self.limit.is_none() && self.has_room_beside(trials, bytes, control) {
            // What fails the fit says.
            true => self.side_by_side(trials, control, |at, quiet| {
                self.watch.begun(trials[at]);
                worker.tuned(trials[at], known(trials[at]), quiet).ok()
            }),
            false => trials.iter().map(|_| None).collect(),
        };
        // Searches side by side took less of the time that there is than their own clocks say.
        let own: f64 = tuned.iter().flatten().map(|(_, seconds)| seconds).sum();
        let of_wall = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 0.0 };
        let fit = |(at, tuned): (usize, Option<(Tuned, f64)>)| {
            let trial = trials[at];
            self.watch.begun(trial);
            control.tell(&format!("{}: all rows", trial.estimator.name()), at, trials.len());
            let share = control.share((1.5 / (trials.len() - at) as f64).min(1.0));
            let searched = tuned.as_ref().map_or(0.0, |(_, seconds)| of_wall * seconds);
            let mut output = worker.run_with(trial, known(trial), tuned, &share);
            output.spent.seconds += searched;
            self.done(output)
        };
        tuned.into_iter().enumerate().map(fit).collect()
    }
}

/// What is said of work for a purpose.
fn said(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Look => "starting values",
        Purpose::Tune => "search",
        Purpose::Last(_) => "all rows",
    }
}

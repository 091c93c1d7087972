//! Runs the trials that a schedule hands out, on every core of this machine, and keeps what they leave.

use super::Comparing;
use super::entrants::Entrant;
use super::prices::search_bytes;
use super::watch::Watch;
use crate::control::{Control, contain};
use crate::data::TargetInfo;
use crate::data::{Examples, even_rows};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, Predictions, Size, Want};
use crate::fitting::{self, KernelValues, Sharing, Used};
use crate::kernels::KernelExpr;
use crate::learner::{Before, Learner, Timed, TrainingRows as Sampled};
use crate::metrics::{HeldOut, Scoring};
use crate::select::{Aim, MOST_SEARCHED, Preparation, Search, Tuned, wins};
use crate::trial::limits::{LARGE, OVERTIME_SECONDS, OVERTIME_SHARE, SEARCHED_SHARE, SIDE_BY_SIDE};
use crate::trial::{Arena, Landmarks, LastSearch, PreparedFold, Purpose, Spent, Trial, TrialResult};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// One estimator on one fold.
pub(super) struct FoldScore {
    pub(super) predictions: Predictions,
    pub(super) converged: bool,
    /// Training rows.
    pub(super) rows: usize,
}

/// The results of the trials of one estimator on one fold.
#[derive(Default)]
pub(super) struct Cell {
    /// The estimator as the training rows settle it, where its kernel is that of the others.
    pub(super) start: Option<EstimatorExpr>,
    pub(super) search: Option<Search>,
    pub(super) look: Option<Arc<FoldScore>>,
    pub(super) tuned: Option<Arc<FoldScore>>,
}

/// The results of the trials of one estimator.
pub(super) struct Left {
    pub(super) cells: Vec<Mutex<Cell>>,
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
    pub(super) arena: Arena<'a>,
    pub(super) info: &'a TargetInfo,
    pub(super) comparing: &'a Comparing,
    pub(super) control: &'a Control,
    pub(super) scoring: Scoring,
    /// Of an exact fit of each estimator to all rows.
    pub(super) sizes: Vec<Size>,
    /// What is compared.
    pub(super) entrants: Vec<Entrant>,
    /// The folds whose training rows have settled the estimators.
    pub(super) settled: Vec<bool>,
    /// Rows that the largest fit learns from, by the plan.
    pub(super) learnt: usize,
    pub(super) left: Vec<Left>,
    /// The limit of time, in seconds.
    pub(super) limit: Option<f64>,
    pub(super) watch: Watch<'a>,
}

pub(super) fn lock(cell: &Mutex<Cell>) -> std::sync::MutexGuard<'_, Cell> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Left {
    fn new(folds: usize) -> Self {
        let cells = (0..folds).map(|_| Mutex::default()).collect();
        Left { cells, last: None, predict_us_per_row: f64::NAN, failure: None, spent: Spent::default(), late: 0.0 }
    }

    fn spend(&mut self, spent: Spent) {
        self.spent.seconds += spent.seconds;
        self.spent.operations += spent.operations;
    }
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        arena: Arena<'a>,
        info: &'a TargetInfo,
        comparing: &'a Comparing,
        (entrants, learnt): (&[Entrant], usize),
        scoring: Scoring,
        control: &'a Control,
    ) -> Self {
        let sized = |kernel: &KernelExpr| fitting::size_of(kernel, &arena.whole.data, arena.examples.target);
        let shared = arena.size;
        let size = |e: &Entrant| if e.kernel == *arena.kernel() { shared } else { sized(&e.kernel) };
        let sizes = entrants.iter().map(size).collect();
        let left = entrants.iter().map(|_| Left::new(arena.folds.len())).collect();
        Runner {
            entrants: entrants.to_vec(),
            settled: vec![false; arena.folds.len()],
            arena,
            info,
            comparing,
            control,
            scoring,
            sizes,
            learnt,
            left,
            limit: control.seconds_left(),
            watch: Watch::new(scoring.deciding),
        }
    }

    /// Runs trials, side by side where none is large enough for all threads and the memory allows it. `part`: the share of the time
    /// left that they may take together.
    pub(super) fn run(&mut self, trials: &[Trial], part: f64) -> Result<Vec<TrialResult>> {
        let (lasts, others): (Vec<&Trial>, Vec<&Trial>) = trials.iter().partition(|t| matches!(t.purpose, Purpose::Last(_)));
        let control = self.control.share(part.min(1.0));
        let mut results: Vec<TrialResult> = Vec::with_capacity(trials.len());
        self.compute_shared_values(&others, &control);
        self.settle_starts(&others, &control);
        let bytes = |t: &Trial| self.bytes(t) + search_bytes(self.size(t).rows.min(MOST_SEARCHED));
        let of_values: Vec<f64> = others.iter().map(|t| self.uncomputed_work(t)).collect();
        let clock = Instant::now();
        if self.has_room_beside(&others, bytes, &control) {
            for (t, result) in others.iter().zip(self.side_by_side(&others, &control, |t, quiet| self.one(others[t], quiet))) {
                // What has no room beside another may have it alone.
                let is_refused = matches!(result.judged, Err(Error::Memory { .. }));
                results.push(if is_refused { self.one(t, &control) } else { result });
            }
        } else {
            let mut order: Vec<usize> = (0..others.len()).collect();
            if self.runs_fold_by_fold(&others) {
                order.sort_by_key(|&t| others[t].rows.fold);
            }
            let mut made: Vec<(usize, TrialResult)> = Vec::with_capacity(others.len());
            for t in order {
                let share = control.share(1.0 / (others.len() - made.len()) as f64);
                made.push((t, self.one(others[t], if part < 1.0 { &share } else { &control })));
            }
            made.sort_by_key(|(t, _)| *t);
            results.extend(made.into_iter().map(|(_, result)| result));
        }
        // Trials side by side took less of the time that there is than their own clocks say.
        let own: f64 = results.iter().map(|r| r.spent.seconds).sum();
        let share = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 1.0 };
        for (result, of_values) in results.iter_mut().zip(of_values) {
            result.spent.seconds *= share;
            // Seconds that the first reader of kernel values took for them are none of its own work.
            let Spent { seconds, operations } = result.spent;
            let left = &mut self.left[result.trial.candidate];
            left.spend(Spent { seconds, operations: operations + of_values });
            if matches!(result.judged, Err(Error::Time { .. })) {
                left.late = left.late.max(seconds);
            }
        }
        results.extend(self.lasts(&lasts, &control)?);
        for result in &mut results {
            if result.judged.is_ok() {
                self.arena.note_computed(result.trial.rows.fold, self.size(&result.trial).rows);
            }
            match &mut result.judged {
                Err(Error::Cancelled) if self.control.cancel.is_cancelled() => return Err(Error::Cancelled),
                Err(Error::Cancelled) => result.judged = Err(Error::Time { what: result.trial.estimator.name().into() }),
                _ => {}
            }
        }
        Ok(results)
    }

    /// Computes the kernel values that first looks have in common with others, on every core: small matrices side by side.
    fn compute_shared_values(&self, trials: &[&Trial], control: &Control) {
        let mut due: Vec<&Trial> = Vec::new();
        for t in trials.iter().filter(|t| t.purpose == Purpose::Look && self.uncomputed_work(t) > 0.0) {
            let is_kept = self.arena.keeps_all_folds(self.size(t).rows);
            if is_kept && !due.iter().any(|d| (d.rows.fold, self.size(d).rows) == (t.rows.fold, self.size(t).rows)) {
                due.push(t);
            }
        }
        match self.has_room_beside(&due, |t| KernelValues::bytes(self.size(t).rows, self.arena.whole.data.rows()), control) {
            true => due.par_iter().for_each(|t| self.compute_values_of(t, control)),
            false => due.iter().for_each(|t| self.compute_values_of(t, control)),
        }
    }

    /// Computes the kernel values of a first look. What cannot be had the trial says.
    fn compute_values_of(&self, trial: &Trial, control: &Control) {
        let Some(k) = trial.rows.fold else { return };
        let computed = contain("kernel values", || {
            let prepared = self.arena.prepared_fold(k)?;
            let kernel = self.arena.searched(k, &prepared, self.learnt)?.kernel.clone();
            let rows = self.size(trial).rows;
            let part = self.arena.part(k, &prepared, rows);
            let train = part.as_ref().map_or_else(|| prepared.train.examples(), |part| part.examples());
            control.tell("kernel values of the training rows of a fold", k, self.arena.folds.len());
            self.arena.values(k, &prepared, &train, &kernel, control)
        });
        if let Ok(Some(_)) = computed {
            self.arena.note_computed(Some(k), self.size(trial).rows);
        }
    }

    /// Whether trials run side by side: none is large enough for all threads, and there is room for so many of so many bytes.
    fn has_room_beside(&self, trials: &[&Trial], bytes: impl Fn(&Trial) -> u64, control: &Control) -> bool {
        let threads = rayon::current_num_threads();
        let most = trials.iter().map(|t| bytes(t)).max().unwrap_or(0);
        threads > 1
            && trials.len() > 1
            && trials.iter().all(|t| self.size(t).rows <= SIDE_BY_SIDE)
            && most <= (control.allowed() / 2 / threads as u64).min(if self.arena.are_costly { LARGE } else { u64::MAX })
    }

    /// Whether trials run one fold after the other: of the kernel values that they share no more are kept.
    fn runs_fold_by_fold(&self, trials: &[&Trial]) -> bool {
        let rows = |t: &Trial| self.size(t).rows;
        trials.iter().any(|t| self.shares_values(t, rows(t)) && !self.arena.keeps_all_folds(rows(t)))
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
            let operations = self.operations(t);
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

    /// A trial on one fold. A panic in it is its own failure.
    fn one(&self, trial: &Trial, control: &Control) -> TrialResult {
        self.watch.begun(trial);
        let clock = Instant::now();
        let name = trial.estimator.name();
        // What looks at no input takes no time.
        let overtime = (control.out_of_time() && !trial.estimator.looks_at_inputs()).then(|| control.in_overtime(OVERTIME_SECONDS));
        let control = overtime.as_ref().unwrap_or(control);
        control.tell(&format!("{name}: {}", said(trial.purpose)), trial.rows.fold.unwrap_or(0), self.arena.folds.len());
        let (mut operations, mut exact_wins) = (self.operations(trial), false);
        let cell = trial.rows.fold.map(|k| (k, &self.left[trial.candidate].cells[k]));
        let judged = contain(name, || {
            let Some((k, cell)) = cell else { return Ok(None) };
            let prepared = self.arena.prepared_fold(k)?;
            let score = match trial.purpose {
                Purpose::Look => {
                    let search = self.search(k, &prepared, trial, control)?;
                    let (kernel, estimator) = search.start();
                    // What is searched further is looked at from one start.
                    let estimator = if search.is_open() { &estimator.with_one_start() } else { estimator };
                    let score = self.score(k, &prepared, trial, kernel, estimator, control);
                    lock(cell).search = Some(search);
                    score?
                }
                _ => {
                    let (score, won, spent) = self.tune(k, &prepared, trial, control)?;
                    (exact_wins, operations) = (won, spent);
                    score
                }
            };
            let judged = self.held_out().contribution(k, &score.predictions, &self.scoring);
            let mut cell = lock(cell);
            match trial.purpose {
                Purpose::Look => cell.look = Some(score),
                _ => cell.tuned = Some(score),
            }
            Ok(Some(judged))
        });
        let is_open = cell.is_some_and(|(_, cell)| lock(cell).search.as_ref().is_some_and(|s| s.is_open() && !s.exceeds_budget()));
        let spent = Spent { seconds: clock.elapsed().as_secs_f64(), operations };
        let result = TrialResult { trial: trial.clone(), judged, is_open, exact_wins, spent };
        self.watch.ended(&result);
        result
    }

    /// A search on the rows of a fold that the fits of a candidate learn from.
    fn search(&self, k: usize, prepared: &PreparedFold, trial: &Trial, control: &Control) -> Result<Search> {
        let searched = self.arena.searched(k, prepared, self.learnt)?;
        let (examples, aim) = (searched.examples(prepared), Aim { scoring: self.scoring, within_noise: true });
        let shares = !self.has_own_kernel(trial);
        let sharing = self.arena.sharing(k, &searched).filter(|_| shares);
        let start = lock(&self.left[trial.candidate].cells[k]).start.clone();
        let (settled, sharing) = (shares.then_some((&searched.kernel, start.as_ref())), sharing.as_ref());
        let prepared = Preparation { prepared: &self.arena.whole, raw: &searched.raw, settled, sharing };
        let kernel = if shares { self.arena.kernel_of(k) } else { &trial.kernel };
        Search::new(kernel, &trial.estimator, &examples, Some(prepared), aim, control, self.comparing.seed)
    }

    /// Searches on one fold and scores what was chosen; whether the exact kernel has to be taken instead of landmarks, and what it took.
    fn tune(&self, k: usize, prepared: &PreparedFold, trial: &Trial, control: &Control) -> Result<(Arc<FoldScore>, bool, f64)> {
        let cell = &self.left[trial.candidate].cells[k];
        let (search, look) = {
            let mut cell = lock(cell);
            (cell.search.take(), cell.look.clone())
        };
        let mut search = match search {
            Some(search) => search,
            None => self.search(k, prepared, trial, control)?,
        };
        let before = search.spent_work();
        let searching = control.share(SEARCHED_SHARE);
        let made = search.run(&searching);
        let best = search.best();
        let moved = search.is_judged();
        let spent = search.spent_work() - before;
        lock(cell).search = Some(search);
        made?;
        let (kernel, estimator) = best?;
        let mut trial = trial.clone();
        let mut exact_wins = false;
        if let (0, Some(landmarks)) = (k, trial.rows.landmarks) {
            let examples = prepared.train.examples();
            if !wins(landmarks, &kernel, &estimator, &examples, self.scoring, &control.share(0.4), self.comparing.seed)? {
                exact_wins = true;
                (trial.rows.landmarks, trial.rows.most) = (None, landmarks.exact_rows);
            }
        }
        let fit = self.operations(&Trial { purpose: Purpose::Look, ..trial.clone() });
        // What was looked at and not moved is known.
        let size = self.size(&trial);
        match look.filter(|look| !moved && trial.rows.landmarks.is_none() && look.rows == size.rows) {
            Some(look) => Ok((look, exact_wins, spent)),
            None => Ok((self.score(k, prepared, &trial, &kernel, &estimator, control)?, exact_wins, spent + fit)),
        }
    }

    /// One estimator with settled parameters on one fold.
    fn score(
        &self,
        k: usize,
        prepared: &PreparedFold,
        trial: &Trial,
        kernel: &KernelExpr,
        estimator: &EstimatorExpr,
        control: &Control,
    ) -> Result<Arc<FoldScore>> {
        let what = || Error::Time { what: estimator.name().into() };
        if control.out_of_time() {
            return Err(what());
        }
        let seed = self.comparing.seed;
        let rows = trial.rows.most.min(prepared.train.data.rows());
        let part = self.arena.part(k, prepared, rows);
        let train = part.as_ref().map_or_else(|| prepared.train.examples(), |part| part.examples());
        let through;
        let kernel = match trial.rows.landmarks {
            Some(landmarks) => {
                through = kernel.clone().through_landmarks(landmarks.rank, seed);
                &through
            }
            None => kernel,
        };
        let values = match estimator.needs().reads_structure() || !estimator.looks_at_inputs() {
            true => None,
            false => self.arena.values(k, prepared, &train, kernel, control)?,
        };
        let (fitted, predictions) = match values {
            Some((values, sharing)) => values.fit(Some(&sharing), (kernel, estimator), &train, Want::JUDGED, control, seed)?,
            None => {
                let (kernel, fitted) = fitting::fit_settled(kernel, estimator, &train, control, seed)?;
                let predictions = fitting::predict_from(&kernel, &fitted, train.data, &prepared.test, Want::JUDGED, control)?;
                (fitted, predictions)
            }
        };
        let converged = fitted.summary().converged;
        if control.out_of_time() && !converged {
            // A fit that was cut short says nothing of the estimator.
            return Err(what());
        }
        Ok(Arc::new(FoldScore { predictions, converged, rows }))
    }

    /// Rows that were held out, and what is known of them.
    pub(super) fn held_out(&self) -> HeldOut<'_> {
        let Examples { target, weights, split, .. } = self.arena.examples;
        HeldOut { folds: &self.arena.folds, target, weights, split, seed: self.comparing.seed }
    }

    /// The recipe of the fit of a trial to all rows.
    fn learner(&self, trial: &Trial) -> Learner {
        Learner {
            prep: self.comparing.prep.clone(),
            kernel: match self.has_own_kernel(trial) || !self.arena.kernels.is_empty() {
                true => Some(trial.kernel.clone()),
                false => self.comparing.kernel.clone(),
            },
            estimator: trial.estimator.clone(),
            seed: self.comparing.seed,
            allow_non_mercer: self.comparing.allow_non_mercer,
            sample: match trial.rows.landmarks {
                Some(Landmarks { rank, .. }) => Sampled::ThroughLandmarks { most: trial.rows.most, rank },
                None => Sampled::Most(trial.rows.most),
            },
            keep_rows: false,
            metric: self.comparing.metric,
        }
    }

    /// Whether the columns of a trial become other inputs than those of most.
    fn prepares_anew(&self, trial: &Trial) -> bool {
        self.has_own_kernel(trial) || trial.estimator.facts().takes_columns_as_they_are
    }

    /// Fits to all rows: their searches side by side where there is room, the fits, whose seconds are reported, one after the other.
    /// The best is looked along.
    fn lasts(&mut self, trials: &[&Trial], control: &Control) -> Result<Vec<TrialResult>> {
        if trials.is_empty() {
            return Ok(Vec::new());
        }
        let overtime = match self.limit {
            Some(limit) if !control.stop_early.is_cancelled() => (OVERTIME_SHARE * limit).max(OVERTIME_SECONDS),
            _ => OVERTIME_SECONDS,
        };
        let control = &if control.out_of_time() { control.in_overtime(overtime) } else { control.clone() };
        let operations: Vec<f64> = trials.iter().map(|t| self.operations(t)).collect();
        let searches: Vec<Vec<Search>> =
            trials.iter().map(|t| self.left[t.candidate].cells.iter().filter_map(|cell| lock(cell).search.take()).collect()).collect();
        let shared = self.arena.sharing_of_all();
        let sharing: Vec<Option<Sharing>> = trials.iter().map(|t| shared.clone().filter(|_| !self.has_own_kernel(t))).collect();
        let prepared: Vec<bool> = trials.iter().map(|t| !self.prepares_anew(t)).collect();
        let before = |at: usize| Before {
            searches: &searches[at],
            within_noise: trials[at].purpose != Purpose::Last(LastSearch::Full),
            is_plain: trials[at].purpose == Purpose::Last(LastSearch::None),
            tuned: None,
            prepared: prepared[at].then_some(&self.arena.whole),
            sharing: sharing[at].clone(),
        };
        let bytes = |t: &Trial| 4 * self.bytes(t) + search_bytes(self.size(t).rows);
        let clock = Instant::now();
        let mut tuned: Vec<Option<(Tuned, f64)>> = match self.limit.is_none() && self.has_room_beside(trials, bytes, control) {
            // What fails the fit says.
            true => self.side_by_side(trials, control, |at, quiet| {
                self.watch.begun(trials[at]);
                contain(trials[at].estimator.name(), || self.learner(trials[at]).tuned(&before(at), &self.arena.examples, quiet)).ok()
            }),
            false => trials.iter().map(|_| None).collect(),
        };
        // Searches side by side took less of the time that there is than their own clocks say.
        let own: f64 = tuned.iter().flatten().map(|(_, seconds)| seconds).sum();
        let of_wall = if own > 0.0 { clock.elapsed().as_secs_f64() / own } else { 0.0 };
        let Examples { data, target, weights, .. } = self.arena.examples;
        let used = Used::of(&self.comparing.prep, data, target, weights)?.rows;
        let mut results = Vec::new();
        for (at, trial) in trials.iter().enumerate() {
            self.watch.begun(trial);
            let clock = Instant::now();
            let name = trial.estimator.name();
            control.tell(&format!("{name}: all rows"), at, trials.len());
            let share = control.share((1.5 / (trials.len() - at) as f64).min(1.0));
            let searched = tuned[at].as_ref().map_or(0.0, |(_, seconds)| of_wall * seconds);
            let before = Before { tuned: tuned[at].take(), ..before(at) };
            let made = contain(name, || self.learner(trial).fit_from(&before, &self.arena.examples, self.info, &share));
            let count = self.timed_rows(trial);
            let judged = made.map(|made| {
                let timed = data.select(&even_rows(used.len(), count).into_iter().map(|k| used[k]).collect::<Vec<usize>>());
                let clock = Instant::now();
                if contain(name, || made.model.predict(&timed, Want::default(), control)).is_ok() {
                    self.left[trial.candidate].predict_us_per_row = clock.elapsed().as_secs_f64() * 1e6 / timed.rows().max(1) as f64;
                }
                self.left[trial.candidate].last = Some(made);
                None
            });
            let spent = Spent { seconds: searched + clock.elapsed().as_secs_f64(), operations: operations[at] };
            self.left[trial.candidate].spend(spent);
            let result = TrialResult { trial: (*trial).clone(), judged, is_open: false, exact_wins: false, spent };
            self.watch.ended(&result);
            results.push(result);
        }
        for (trial, searches) in trials.iter().zip(searches) {
            for (cell, search) in self.left[trial.candidate].cells.iter().zip(searches) {
                lock(cell).search = Some(search);
            }
        }
        Ok(results)
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

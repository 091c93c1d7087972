//! Runs one trial: on the prepared rows of a fold or on all of them, from what is known of its candidate. Everything that a trial leaves is
//! in its output, so that any worker with the same rows can run the next one.

use super::Comparing;
use super::entrants::Entrant;
use crate::control::{Control, contain};
use crate::data::{Examples, TargetInfo, even_rows};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, Predictions, Size, Want};
use crate::fitting::{self, Sharing, Used};
use crate::kernels::KernelExpr;
use crate::learner::{FitStart, Learner, TimedFit, TrainingRows as Sampled};
use crate::metrics::{HeldOut, Scoring};
use crate::select::{Aim, Preparation, Search, SearchState, Tuned, wins};
use crate::trial::limits::{OVERTIME_SECONDS, SEARCHED_SHARE};
use crate::trial::{Arena, Landmarks, LastSearch, PreparedFold, Purpose, Spent, Trial, TrialResult};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// One estimator on one fold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FoldScore {
    pub(super) predictions: Predictions,
    pub(super) converged: bool,
    /// Training rows.
    pub(super) rows: usize,
}

/// What is known of one estimator on one fold.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) search: Option<SearchState>,
    pub(super) look: Option<Arc<FoldScore>>,
    pub(super) tuned: Option<Arc<FoldScore>>,
}

/// What a trial made.
#[derive(Debug)]
pub(super) enum Made {
    Score(Arc<FoldScore>),
    /// A fit to all rows, and microseconds of a prediction of one row where that could be timed.
    Fit(Box<TimedFit>, Option<f64>),
}

/// Everything that a trial leaves.
#[derive(Debug)]
pub(super) struct TrialOutput {
    /// What the schedule goes by.
    pub(super) result: TrialResult,
    /// `None` where it failed.
    pub(super) made: Option<Made>,
    /// The search on the rows of its fold.
    pub(super) search: Option<SearchState>,
    /// Operations of shared kernel values that it was the first to read, beside its own.
    pub(super) values: f64,
}

impl TrialOutput {
    /// Of a trial that was not run.
    pub(super) fn failed(trial: &Trial, error: Error) -> Self {
        let result = TrialResult { trial: trial.clone(), judged: Err(error), is_open: false, exact_wins: false, spent: Spent::default() };
        TrialOutput { result, made: None, search: None, values: 0.0 }
    }
}

/// The rows of a comparison, and what its trials are run with.
pub(super) struct Worker<'a> {
    pub(super) arena: Arena<'a>,
    pub(super) info: &'a TargetInfo,
    pub(super) comparing: &'a Comparing,
    pub(super) scoring: Scoring,
    /// Of an exact fit of each estimator to all rows.
    pub(super) sizes: Vec<Size>,
    /// What is compared.
    pub(super) entrants: Vec<Entrant>,
    /// Rows that the largest fit learns from, by the plan.
    pub(super) learnt: usize,
    /// Each estimator as the training rows of each fold settle it, where its kernel is that of the others.
    pub(super) starts: Vec<Vec<OnceLock<EstimatorExpr>>>,
    /// The folds whose training rows have settled them.
    pub(super) settled: Vec<AtomicBool>,
    /// Searches on their way, by candidate and fold: with the rows of their rounds, which others would have to draw again.
    searches: Mutex<HashMap<(usize, usize), Search>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        arena: Arena<'a>,
        info: &'a TargetInfo,
        comparing: &'a Comparing,
        (entrants, learnt): (Vec<Entrant>, usize),
        scoring: Scoring,
    ) -> Self {
        let sized = |kernel: &KernelExpr| fitting::size_of(kernel, &arena.whole.data, arena.examples.target);
        let shared = arena.size;
        let size = |e: &Entrant| if e.kernel == *arena.kernel() { shared } else { sized(&e.kernel) };
        let sizes = entrants.iter().map(size).collect();
        let starts = entrants.iter().map(|_| arena.folds.iter().map(|_| OnceLock::new()).collect()).collect();
        let settled = arena.folds.iter().map(|_| AtomicBool::new(false)).collect();
        Worker { arena, info, comparing, scoring, sizes, entrants, learnt, starts, settled, searches: Mutex::default() }
    }

    /// Runs a trial; `known`: its candidate on each fold. A panic in it is its own failure.
    pub(super) fn run(&self, trial: &Trial, known: &[Cell], control: &Control) -> TrialOutput {
        self.run_with(trial, known, None, control)
    }

    /// As [`Worker::run`], where the search before a fit to all rows may be known.
    pub(super) fn run_with(&self, trial: &Trial, known: &[Cell], tuned: Option<(Tuned, f64)>, control: &Control) -> TrialOutput {
        let clock = Instant::now();
        let name = trial.estimator.name();
        // What looks at no input takes no time.
        let overtime = (control.out_of_time() && !trial.estimator.looks_at_inputs()).then(|| control.in_overtime(OVERTIME_SECONDS));
        let control = overtime.as_ref().unwrap_or(control);
        let (mut operations, mut exact_wins, mut search) = (self.operations(trial, known), false, None);
        let values = trial.rows.fold.map_or(0.0, |_| self.uncomputed_work(trial));
        let made = contain(name, || {
            let Some(k) = trial.rows.fold else { return self.fit(trial, known, tuned, control) };
            let prepared = self.arena.prepared_fold(k)?;
            let score = match trial.purpose {
                Purpose::Look => {
                    let begun = self.search(k, &prepared, trial, control)?;
                    search = Some(begun.state().clone());
                    let (kernel, estimator) = begun.state().start();
                    // What is searched further is looked at from one start.
                    let estimator = if begun.state().is_open() { &estimator.with_one_start() } else { estimator };
                    let score = self.score(k, &prepared, trial, kernel, estimator, control);
                    self.searches().insert((trial.candidate, k), begun);
                    score?
                }
                _ => {
                    let tuned = self.tune(k, &prepared, trial, known, control);
                    // What was found by then counts, whatever ended it.
                    search = self.searches().get(&(trial.candidate, k)).map(|search| search.state().clone());
                    let (score, won, spent) = tuned?;
                    (exact_wins, operations) = (won, spent);
                    score
                }
            };
            Ok(Made::Score(score))
        });
        let spent = Spent { seconds: clock.elapsed().as_secs_f64(), operations };
        let (judged, made) = match (made, trial.rows.fold) {
            (Err(error), _) => (Err(error), None),
            (Ok(Made::Score(score)), Some(k)) => {
                let judged = contain("scores", || {
                    score.predictions.require_all()?;
                    Ok(self.held_out().contribution(k, &score.predictions, &self.scoring))
                });
                (judged.map(Some), Some(Made::Score(score)))
            }
            (Ok(made), _) => (Ok(None), Some(made)),
        };
        if judged.is_ok() {
            self.arena.note_computed(trial.rows.fold, self.size(trial).rows);
        }
        let known = trial.rows.fold.and_then(|k| known[k].search.as_ref());
        let is_open = search.as_ref().or(known).is_some_and(|s| s.is_open() && !s.exceeds_budget());
        TrialOutput { result: TrialResult { trial: trial.clone(), judged, is_open, exact_wins, spent }, made, search, values }
    }

    fn searches(&self) -> MutexGuard<'_, HashMap<(usize, usize), Search>> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A search on the rows of a fold that the fits of a candidate learn from.
    fn search(&self, k: usize, prepared: &PreparedFold, trial: &Trial, control: &Control) -> Result<Search> {
        let searched = self.arena.searched(k, prepared, self.learnt)?;
        let (examples, aim) = (searched.examples(prepared), Aim { scoring: self.scoring, within_noise: true });
        let shares = !self.has_own_kernel(trial);
        let sharing = self.arena.sharing(k, &searched).filter(|_| shares);
        let start = self.starts[trial.candidate][k].get();
        let (settled, sharing) = (shares.then_some((&searched.kernel, start)), sharing.as_ref());
        let prepared = Preparation { prepared: &self.arena.whole, raw: &searched.raw, settled, sharing };
        let kernel = if shares { self.arena.kernel_of(k) } else { &trial.kernel };
        Search::new(kernel, &trial.estimator, &examples, Some(prepared), aim, control, self.comparing.seed)
    }

    /// Searches on one fold and scores what was chosen; whether the exact kernel has to be taken instead of landmarks, and what it took.
    fn tune(
        &self,
        k: usize,
        prepared: &PreparedFold,
        trial: &Trial,
        known: &[Cell],
        control: &Control,
    ) -> Result<(Arc<FoldScore>, bool, f64)> {
        let taken = self.searches().remove(&(trial.candidate, k));
        let mut search = match taken {
            Some(search) => search,
            None => {
                let mut search = self.search(k, prepared, trial, control)?;
                if let Some(state) = &known[k].search {
                    search.resume(state.clone());
                }
                search
            }
        };
        let before = search.state().spent_work();
        let searching = control.share(SEARCHED_SHARE);
        let made = search.run(&searching);
        let best = search.state().best();
        let moved = search.state().is_judged();
        let spent = search.state().spent_work() - before;
        self.searches().insert((trial.candidate, k), search);
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
        let fit = self.operations(&Trial { purpose: Purpose::Look, ..trial.clone() }, known);
        // What was looked at and not moved is known.
        let size = self.size(&trial);
        match known[k].look.clone().filter(|look| !moved && trial.rows.landmarks.is_none() && look.rows == size.rows) {
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
        let values = match !estimator.needs().reads_values() || !estimator.looks_at_inputs() {
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

    /// The fit to all rows that is to follow what is known of folds.
    fn fit_start<'s>(&'s self, trial: &Trial, found: &'s [&'s SearchState]) -> FitStart<'s> {
        FitStart {
            searches: found,
            within_noise: trial.purpose != Purpose::Last(LastSearch::Full),
            is_plain: trial.purpose == Purpose::Last(LastSearch::None),
            tuned: None,
            prepared: (!self.prepares_anew(trial)).then_some(&self.arena.whole),
            sharing: self.sharing_of_all(trial),
        }
    }

    fn sharing_of_all(&self, trial: &Trial) -> Option<Sharing> {
        self.arena.sharing_of_all().filter(|_| !self.has_own_kernel(trial))
    }

    /// The search before a fit to all rows, and the seconds that it took.
    pub(super) fn tuned(&self, trial: &Trial, known: &[Cell], control: &Control) -> Result<(Tuned, f64)> {
        let found: Vec<&SearchState> = known.iter().filter_map(|cell| cell.search.as_ref()).collect();
        contain(trial.estimator.name(), || self.learner(trial).tuned(&self.fit_start(trial, &found), &self.arena.examples, control))
    }

    /// A fit to all rows, after its own search where that is not known yet; with the time of a prediction.
    fn fit(&self, trial: &Trial, known: &[Cell], tuned: Option<(Tuned, f64)>, control: &Control) -> Result<Made> {
        let found: Vec<&SearchState> = known.iter().filter_map(|cell| cell.search.as_ref()).collect();
        let start = FitStart { tuned, ..self.fit_start(trial, &found) };
        let made = self.learner(trial).fit_from(&start, &self.arena.examples, self.info, control)?;
        let Examples { data, target, weights, .. } = self.arena.examples;
        let used = Used::of(&self.comparing.prep, data, target, weights)?.rows;
        let count = self.timed_rows(trial);
        let timed = data.select(&even_rows(used.len(), count).into_iter().map(|k| used[k]).collect::<Vec<usize>>());
        let clock = Instant::now();
        let is_timed = contain(trial.estimator.name(), || made.model.predict(&timed, Want::default(), control)).is_ok();
        let one = clock.elapsed().as_secs_f64() * 1e6 / timed.rows().max(1) as f64;
        Ok(Made::Fit(Box::new(made), is_timed.then_some(one)))
    }
}

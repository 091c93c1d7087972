//! The comparison as it goes on, so that it has a result at any time.
//!
//! First every estimator is fitted and scored at its starting values on every fold, on a part of the rows where all of them
//! would take long. Then its search goes on, round by round,
//! where a round is cheapest for how often one was gone through; what a search has chosen is scored on every fold. At last
//! each is fitted to all rows, the best first. Each step leaves time for those that must follow.

use super::budget::search_bytes;
use super::entry::{Entry, FoldScore, Ground};
use super::pace::Pace;
use super::plan::{Plan, bytes_of};
use super::{Comparing, Outcome};
use crate::control::{Control, contain};
use crate::data::{Dataset, Examples, Fold, Sample, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Fitted, Size, Want};
use crate::fitting::{self, Prepared};
use crate::kernels::KernelExpr;
use crate::metrics::{Scoring, require_judged};
use crate::read::TargetInfo;
use crate::select::{Aim, Landmarks, Preparation, Search};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// Fits to no more rows than this run side by side: each of them is too small for all threads.
const SIDE_BY_SIDE: usize = 2500;
/// The same without a limit of time, where no fold has to tell how long the others take: steps that follow one another, as of sparse
/// machines, leave threads idle.
const WITHOUT_LIMIT: usize = 5000;
/// Prepared folds are kept where they take no more than this share of the memory allowed.
const KEPT: u64 = 8;
/// Times that the rows of an estimator's folds are settled, where the first fold says that others would suit the time better.
const SIZED: usize = 3;
/// Rows were too few where the first fold takes less than this share of what was expected.
const FASTER: f64 = 0.5;

/// The comparison of estimators on the rows that are learnt from.
pub(super) struct Contest<'a> {
    pub(super) examples: Examples<'a>,
    pub(super) info: &'a TargetInfo,
    pub(super) comparing: &'a Comparing,
    pub(super) control: &'a Control,
    pub(super) scoring: Scoring,
    pub(super) whole: Prepared,
    pub(super) folds: Vec<Fold>,
    kept: Vec<Option<Arc<Ground>>>,
    /// Of an exact fit to all rows.
    pub(super) size: Size,
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
        let size = fitting::size_of(&whole.kernel, &whole.data, examples.target);
        let entry = |e: &EstimatorExpr| {
            let all = whole.data.rows();
            let found = plan.fits.iter().find(|f| f.estimator == *e);
            let (planned, most, first) = found.map_or((all, all, all), |f| (f.rows, f.most_rows, f.first_rows));
            let landmarks = found.and_then(|f| f.landmarks);
            let size = Landmarks::size(landmarks, size.at(planned));
            let refused = contain(e.name(), || refusal(e, &whole.kernel, size, &examples, &whole.data, comparing, control)).err();
            Entry {
                estimator: e.clone(),
                failure: refused,
                rows: planned,
                most_rows: most,
                first_rows: first,
                landmarks,
                searches: Vec::new(),
                starting: Vec::new(),
                tuned: Vec::new(),
                pace: None,
                search_rate: None,
                rounds: 0,
            }
        };
        let entries = comparing.estimators.iter().map(entry).collect();
        let kept = folds.iter().map(|_| None).collect();
        let mut contest = Contest { examples, info, comparing, control, scoring, whole, folds, kept, size, entries, notices: Vec::new() };
        let bytes = bytes_of(&contest.whole.data) * (contest.folds.len() + 1) as u64;
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
        let made = self.whole.again(&raw.data, raw.weights.as_deref())?;
        let test = made.prep.apply(&self.examples.data.select(&fold.test))?;
        Ok(Arc::new(Ground { train: Sample { data: made.data, ..raw }, test }))
    }

    /// Every step, as far as time allows.
    pub(super) fn run(mut self) -> Result<Outcome> {
        self.score_starts()?;
        self.search()?;
        self.score_tuned()?;
        self.finish()
    }

    /// Calls `each` for every fold, side by side where its fits are small and the memory allows it; a failure ends it, and time
    /// that is up leaves the folds done by then. Where it is `tight`, each fold has its part of the time.
    fn over_folds<R: Send>(
        &self,
        rows: usize,
        bytes: u64,
        control: &Control,
        tight: bool,
        each: impl Fn(usize, &Control) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let count = self.folds.len();
        let mut out = Vec::with_capacity(count);
        if !tight && fits_side_by_side(rows, bytes, count, control) {
            let quiet = quiet(count, control);
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
            let part = tight.then(|| control.share(1.0 / (count - k) as f64));
            match each(k, part.as_ref().unwrap_or(control)) {
                Ok(r) => out.push(r),
                Err(Error::Time { .. }) => break,
                Err(e) => return Err(e),
            }
        }
        Ok(out)
    }

    /// The kernel that an entry is fitted with.
    fn fitted_kernel<'k>(&self, e: usize, kernel: &'k KernelExpr) -> Cow<'k, KernelExpr> {
        self.entries[e]
            .landmarks
            .map_or(Cow::Borrowed(kernel), |l: Landmarks| Cow::Owned(kernel.clone().through_landmarks(l.rank, self.comparing.seed)))
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
        let clock = Instant::now();
        let (kernel, fitted) = fitting::fit_settled(kernel, estimator, &train, control, seed)?;
        let fit_seconds = clock.elapsed().as_secs_f64();
        if control.out_of_time() && !fitted.summary().converged {
            // A fit that was cut short says nothing of the estimator.
            return Err(what());
        }
        let predictions = fitting::predict_from(&kernel, &fitted, train.data, &ground.test, Want::JUDGED, control)?;
        let weights: Option<Vec<f64>> = self.examples.weights.map(|w| fold.test.iter().map(|&i| w[i]).collect());
        let scores = self.scoring.score(&predictions, &self.examples.target.select(&fold.test), weights.as_deref());
        let seconds = (fit_seconds, clock.elapsed().as_secs_f64() - fit_seconds);
        Ok(FoldScore { scores, predictions, converged: fitted.summary().converged, seconds })
    }

    /// A step of one entry: a panic in it is its own failure, and the others go on.
    pub(super) fn contained<R>(&self, e: usize, step: impl FnOnce() -> Result<R>) -> Result<R> {
        contain(self.entries[e].estimator.name(), step)
    }

    /// Settles a step of one entry; a failure becomes its own, but for what ends everything.
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

    /// Bytes of fits of an entry to so many rows.
    pub(super) fn bytes(&self, entry: &Entry, rows: usize) -> u64 {
        entry.estimator.bytes(self.size_of(entry, rows))
    }

    fn score_starts(&mut self) -> Result<()> {
        let order = self.by_cost(|e| e.estimator.work(self.size_of(e, e.rows)));
        for (done, &e) in order.iter().enumerate() {
            self.control.check()?;
            if self.control.out_of_time() {
                break;
            }
            let name = self.entries[e].estimator.name();
            self.control.tell(&format!("{name}: starting values"), done, order.len());
            // What comes after needs about as much time again.
            let control = self.control.share(0.6 / (order.len() - done) as f64);
            self.size_by_memory(e);
            let (mut clock, mut made);
            loop {
                clock = Instant::now();
                made = self.contained(e, || self.look(e, &control));
                let refused = match &made {
                    Ok(looks) => looks.iter().find_map(|l| l.1.as_ref().err()),
                    Err(error) => Some(error),
                };
                if !self.is_shrunk(e, self.entries[e].first_rows, refused) {
                    break;
                }
            }
            let rows = self.entries[e].first_rows;
            let seconds = clock.elapsed().as_secs_f64();
            let Some(made) = self.settle(e, made)? else { continue };
            let (mut scores, mut preparing) = (Vec::new(), 0.0);
            for (search, score, seconds) in made {
                self.entries[e].searches.push(search);
                scores.push(score);
                preparing += seconds;
            }
            for score in scores {
                match self.settle(e, score)? {
                    Some(score) => self.entries[e].starting.push(score),
                    None => break,
                }
            }
            self.entries[e].pace = Pace::of(rows, &self.entries[e].starting, seconds, preparing);
        }
        Ok(())
    }

    /// A search for every fold, scores at the starting values, and the seconds of what is done once.
    fn look(&self, e: usize, control: &Control) -> Result<Vec<(Search, Result<FoldScore>, f64)>> {
        let rows = self.entries[e].first_rows;
        self.over_folds(rows, self.bytes(&self.entries[e], rows), control, false, |k, control| {
            let clock = Instant::now();
            let search = self.new_search(k, e, control)?;
            let seconds = clock.elapsed().as_secs_f64();
            let score = {
                let (kernel, estimator) = search.start();
                self.score_fold(k, rows, &self.fitted_kernel(e, kernel), estimator, control)
            };
            Ok((search, score, seconds))
        })
    }

    /// A search on the rows that the fits of an entry learn from.
    fn new_search(&self, k: usize, e: usize, control: &Control) -> Result<Search> {
        let ground = self.ground(k)?;
        let (entry, seed) = (&self.entries[e], self.comparing.seed);
        let mut raw = self.examples.data.select(&self.folds[k].train);
        let part;
        let mut examples = ground.train.examples();
        // With a limit of time they may turn out to be more.
        if self.control.deadline.is_none() && entry.rows < examples.rows() {
            let rows = some_rows_of(examples.target, entry.rows, seed);
            raw = raw.select(&rows);
            part = examples.select(&rows);
            examples = part.examples();
        }
        let prepared = Preparation { prepared: &self.whole, raw: &raw };
        let aim = Aim { scoring: self.scoring, within_noise: true };
        Search::new(&self.whole.kernel, &entry.estimator, &examples, Some(prepared), aim, control, seed)
    }

    fn search(&mut self) -> Result<()> {
        let most_reserve = self.most_reserve();
        loop {
            self.control.check()?;
            let folds = self.folds.len();
            let scored: Vec<usize> = (0..self.entries.len()).filter(|&e| self.entries[e].is_scored(folds)).collect();
            let reserve = self.reserve(&scored).min(most_reserve);
            let open = |e: &&usize| {
                let entry = &self.entries[**e];
                entry.rounds_left() > 0 && self.has_time(self.round_seconds(entry), reserve).0
            };
            let worth = |e: &usize| self.round_seconds(&self.entries[*e]) * 2f64.powi(self.entries[*e].rounds as i32);
            let next = scored.iter().filter(open).min_by(|a, b| worth(a).total_cmp(&worth(b))).copied();
            let Some(e) = next else { return Ok(()) };
            let name = self.entries[e].estimator.name();
            let (round, left) = (self.entries[e].rounds + 1, self.entries[e].rounds_left());
            self.control.tell(&format!("{name}: search, round {round} of {}", round + left - 1), round, round + left);
            let tight = !self.has_time(self.round_seconds(&self.entries[e]), reserve).1;
            let control = self.control.keeping(reserve);
            let clock = Instant::now();
            let searches = std::mem::take(&mut self.entries[e].searches);
            let rows = searches.iter().map(Search::next_rows).max().unwrap_or(0);
            let work: f64 = searches.iter().map(Search::next_work).sum();
            let bytes = self.bytes(&self.entries[e], rows) + search_bytes(rows);
            let cells: Vec<std::sync::Mutex<Search>> = searches.into_iter().map(std::sync::Mutex::new).collect();
            let made = self.contained(e, || {
                self.over_folds(rows, bytes, &control, tight, |k, control| {
                    cells[k].lock().unwrap_or_else(std::sync::PoisonError::into_inner).round(control)
                })
            });
            self.entries[e].searches =
                cells.into_iter().map(|c| c.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)).collect();
            self.settle(e, made)?;
            let entry = &mut self.entries[e];
            entry.search_rate = Some(clock.elapsed().as_secs_f64() / work.max(1.0));
            entry.rounds += 1;
        }
    }

    /// Scores what the searches chose on every fold, the cheapest first.
    fn score_tuned(&mut self) -> Result<()> {
        let folds = self.folds.len();
        let scored: Vec<usize> = (0..self.entries.len()).filter(|&e| self.entries[e].is_scored(folds)).collect();
        self.size_by_time(&scored, &scored);
        let mut order = scored.clone();
        order.sort_by(|&a, &b| {
            let cost = |e: usize| self.fold_seconds(&self.entries[e], self.entries[e].rows);
            cost(a).total_cmp(&cost(b))
        });
        for done in 0..order.len() {
            self.control.check()?;
            let e = order[done];
            self.try_landmarks(e)?;
            for attempt in 1..=SIZED {
                self.size_by_time(&order[done..], &scored);
                self.size_by_memory(e);
                if !self.entries[e].has_moved() || self.control.out_of_time() {
                    break;
                }
                let (name, rows) = (self.entries[e].estimator.name(), self.entries[e].rows);
                self.control.tell(&format!("{name}: tuned values"), done, order.len());
                if self.score_tuned_from(e, rows, &scored, attempt < SIZED)? || rows <= self.entries[e].first_rows {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Gives an entry its exact kernel back where landmarks predict worse, as training rows of the first fold tell.
    fn try_landmarks(&mut self, e: usize) -> Result<()> {
        let Some(landmarks) = self.entries[e].landmarks else { return Ok(()) };
        self.control.tell(&format!("{}: landmarks or fewer rows", self.entries[e].estimator.name()), 0, 1);
        let control = self.control.share(0.2);
        let win = self.contained(e, || {
            let (kernel, estimator) = self.entries[e].searches[0].best()?;
            landmarks.win(&kernel, &estimator, &self.ground(0)?.train.examples(), self.scoring, &control, self.comparing.seed)
        });
        if let Ok(false) = win {
            let (entry, most) = (&mut self.entries[e], landmarks.exact_rows);
            (entry.landmarks, entry.rows, entry.most_rows, entry.first_rows) = (None, most, most, entry.first_rows.min(most));
        }
        self.control.check()
    }

    /// Scores what the searches of an entry chose from so many rows; whether that is done, or has failed for good. Where the
    /// first fold says that the time will not do, or would do for more where there may be more, the pace is known better, and
    /// nothing else is done.
    fn score_tuned_from(&mut self, e: usize, rows: usize, scored: &[usize], may_grow: bool) -> Result<bool> {
        let folds = self.folds.len();
        let last = self.all_last_seconds(scored).min(self.most_reserve());
        let control = self.control.keeping(last);
        let settings = self.entries[e].searches.iter().map(Search::best).collect::<Result<Vec<_>>>();
        let Some(settings) = self.settle(e, settings)? else { return Ok(true) };
        let bytes = self.bytes(&self.entries[e], rows);
        let first = std::sync::Mutex::new(None);
        let expected = self.fold_seconds(&self.entries[e], rows) / folds as f64;
        let may_grow = may_grow && rows < self.entries[e].most_rows;
        let clock = Instant::now();
        let score = |k: usize, control: &Control| {
            let clock = Instant::now();
            let (kernel, estimator) = &settings[k];
            let score = self.score_fold(k, rows, &self.fitted_kernel(e, kernel), estimator, control)?;
            let seconds = clock.elapsed().as_secs_f64();
            let misjudged = |left: f64| (folds - 1) as f64 * seconds > left || (may_grow && seconds < FASTER * expected);
            if k == 0 && rows > SIDE_BY_SIDE && control.seconds_left().is_some_and(misjudged) {
                *first.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some((score, seconds));
                return Err(Error::Time { what: estimator.name().into() });
            }
            Ok(score)
        };
        let made = self.contained(e, || self.over_folds(rows, bytes, &control, false, score));
        if let Some((score, seconds)) = first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            self.entries[e].pace = Pace::of(rows, &[score], folds as f64 * seconds, 0.0);
            return Ok(false);
        }
        if self.is_shrunk(e, rows, made.as_ref().err()) {
            return Ok(false);
        }
        let Some(scores) = self.settle(e, made)? else { return Ok(true) };
        if scores.len() == folds {
            self.entries[e].pace = Pace::of(rows, &scores, clock.elapsed().as_secs_f64(), 0.0);
            self.entries[e].tuned = scores;
        }
        Ok(true)
    }
}

/// Whether so many fits to so many rows, of so many bytes each, run side by side: none is large enough for all threads, and there is
/// room for all.
pub(super) fn fits_side_by_side(rows: usize, bytes: u64, count: usize, control: &Control) -> bool {
    let most = if control.deadline.is_none() { WITHOUT_LIMIT } else { SIDE_BY_SIDE };
    rows <= most && bytes.saturating_mul(count as u64) <= control.allowed() / 2
}

/// The control of each of so many that run side by side.
pub(super) fn quiet(count: usize, control: &Control) -> Control {
    Control { progress: None, max_memory: control.allowed() / count.max(1) as u64, ..control.clone() }
}

/// The refusals that need no fold.
fn refusal(
    e: &EstimatorExpr,
    kernel: &KernelExpr,
    size: Size,
    examples: &Examples<'_>,
    data: &Dataset,
    comparing: &Comparing,
    control: &Control,
) -> Result<()> {
    if !e.takes(examples.target) {
        return Err(fitting::cannot_predict(e, examples.target));
    }
    require_judged(e, comparing.metric, examples.target)?;
    fitting::plan(e, size, examples.target, control)?;
    fitting::require_similarity(kernel, e, data, comparing.allow_non_mercer, control)
}

//! A search for what the data do not fix: rounds on growing samples of the rows, so that what is clearly worse is left behind
//! where it is cheap, and only what is left is judged on many rows.
//!
//! An estimator with a smooth criterion follows its gradient in each round, from where the last round ended; any other is
//! cross-validated, and a round takes over the settings that the last one found tied with the best. Where a sample is much
//! smaller than the whole, a last round holds out two quarters of all rows in turn: more rows ask for narrower kernels. A search may
//! be stopped between rounds, or inside one by its control, and has a setting at any time.

mod rounds;
mod state;

pub(crate) use rounds::MOST_SEARCHED;
use state::Ahead;
pub use state::SearchState;

use super::crossval;
use super::free::{Free, Setting, free_parameters, is_fixed};
use super::profile::Curve;
use super::round::{Drawn, Preparation, Round};
use super::smooth;
use super::tune::{Tuned, TunedBy, Tuning, learnt, steps};
use crate::control::Control;
use crate::data::{Dataset, Examples};
use crate::error::{Error, Result};
use crate::estimators::{CriterionName, EstimatorExpr, Size, Task};
use crate::facts;
use crate::fitting::{self, Sharing};
use crate::kernels::KernelExpr;
use crate::metrics::{Metric, Scoring};
use crate::notice::Notice;
use serde::{Deserialize, Serialize};

/// Times that the parameters are looked along at most, where that finds better values.
const LOOKS: usize = 3;
/// Settings that a round on all rows begins with, at most.
const FINALISTS: usize = 2;

/// The share of what a search by held-out rows may take that it does take: .2 to .4 of `svc`, `rvm` and `l1vm` on 20,000 rows of 26
/// classes.
const USUAL: f64 = 0.3;

/// The objective and the effort of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The metric of cross-validation.
    pub scoring: Scoring,
    /// Whether the search ends where what is left to gain is below the noise of the criterion, as it does for a fold, whose
    /// score says nothing finer.
    pub within_noise: bool,
}

/// The result of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SearchResult {
    /// The best coordinates; the start where nothing could be judged.
    pub x: Vec<f64>,
    /// The loss there; infinite where nothing could be judged.
    pub loss: f64,
    /// Tolerance: losses within it are statistically tied.
    pub indifference: f64,
    /// Other coordinates whose loss is tied with it, best first.
    pub rivals: Vec<Vec<f64>>,
    /// The objective that was minimised.
    pub criterion: TunedBy,
    /// Whether the score is the loss with the other sign.
    pub rises: bool,
    /// Which round it is from.
    pub round: usize,
}

/// A search on its way: what it has found, and what its rows and the estimator determine, which is made again anywhere.
pub struct Search {
    state: SearchState,
    /// The estimator with what is open but not searched, such as a number of centroids: each round settles it by its own rows.
    open: EstimatorExpr,
    rounds: Vec<Round>,
    /// The size of a fit to the whole; where no setting changes kernel values that others use, they are taken as known.
    size: Size,
    /// Where others use kernel values among the whole.
    sharing: Option<Sharing>,
    seed: u64,
    aim: Aim,
}

impl Search {
    /// Settles what the data settle and draws the rows of the rounds. `aim`: the objective and the effort of the search.
    ///
    /// # Errors
    /// A kernel that does not fit the columns.
    pub fn new(
        kernel: &KernelExpr,
        estimator: &EstimatorExpr,
        examples: &Examples<'_>,
        prepared: Option<Preparation<'_>>,
        aim: Aim,
        control: &Control,
        seed: u64,
    ) -> Result<Search> {
        let (known, start) = prepared.and_then(|p| p.settled).unzip();
        let mut settled_kernel =
            known.map_or_else(|| kernel.settle_weighed(examples.data, examples.weights), |k: &KernelExpr| Ok(k.clone()))?;
        let settled_estimator = match start.flatten() {
            Some(start) => start.clone(),
            None if estimator.values().iter().all(|own| own.value.is_settled()) => estimator.clone(),
            None => fitting::with_view(
                (&settled_kernel, estimator.needs().view()),
                examples,
                prepared.and_then(|p| p.sharing),
                control,
                |view| estimator.settle(&Task { view, target: examples.target, weights: examples.weights, control, seed }),
            )?,
        };
        settled_kernel.settle_amplitudes(kernel, settled_estimator.amplitude(examples.target, examples.weights));
        let start = Setting { kernel: settled_kernel, estimator: settled_estimator };
        let mut free =
            if estimator.looks_at_inputs() { free_parameters(kernel, estimator, &start, examples.target.kind()) } else { Vec::new() };
        // Evidence under other weights is that of other data: only held-out rows judge them.
        let is_rare = aim.scoring.deciding != Metric::Accuracy && facts::dominant_class(examples.target).is_some();
        if is_rare && !free.is_empty() && smooth_criterion(&start).is_none() {
            free.extend(Free::class_weight(estimator));
        }
        let sharing: Option<Sharing> = prepared.and_then(|p| p.sharing).filter(|_| start.estimator.shares_values()).cloned();
        let size = match &sharing {
            Some(sharing) if is_fixed(&free) => sharing.size.at(examples.rows()).known(),
            Some(sharing) => sharing.size.at(examples.rows()),
            None => fitting::size_of(&start.kernel, examples.data, examples.target),
        };
        let mut open = start.estimator.clone();
        for own in estimator.values() {
            if !own.value.is_settled() && !free.iter().any(|f| f.own_name() == Some(&own.path)) {
                open.set(&own.path, &own.value)?;
            }
        }
        let mut search = Search { state: SearchState::new(start, free), open, rounds: Vec::new(), size, sharing, seed, aim };
        let drawn = Drawn::of(examples, search.is_smooth());
        let examples = &Examples { weights: drawn.weights.as_deref().or(examples.weights), ..*examples };
        let sizes = if search.state.free.is_empty() { Vec::new() } else { search.sizes(examples, drawn.rows.len(), control) };
        search.state.exceeds_budget = sizes.last().is_some_and(|&rows| search.is_too_expensive(rows));
        if search.state.is_open() && !search.state.exceeds_budget {
            for rows in sizes {
                let round = search.draw(&drawn.some(examples, rows, seed), examples, prepared, control)?;
                search.rounds.push(round);
            }
            search.rounds.extend(search.draw_last(&drawn, examples, prepared, control)?);
        }
        search.look_ahead();
        Ok(search)
    }

    /// The smooth criterion, where the estimator has one that holds for the kernel: then no rows are held out.
    fn criterion_name(&self) -> Option<CriterionName> {
        smooth_criterion(&self.state.start)
    }

    fn is_smooth(&self) -> bool {
        self.criterion_name().is_some()
    }

    /// What it has found so far.
    pub fn state(&self) -> &SearchState {
        &self.state
    }

    /// Goes on from what a search on the same rows has found.
    pub fn resume(&mut self, state: SearchState) {
        self.state = state;
    }

    /// Rounds that have not been gone through.
    pub fn rounds_left(&self) -> usize {
        self.rounds.len() - self.state.next
    }

    /// Operations that all rounds that are left may take, roughly.
    pub fn work_left(&self) -> f64 {
        (self.state.next..self.rounds.len()).map(|k| self.work_of(&self.rounds[k], k)).sum()
    }

    /// Counts the work that is left.
    fn look_ahead(&mut self) {
        let (usual, smooth) = (self.work_left(), self.is_smooth());
        self.state.ahead = match self.rounds.last() {
            None => Ahead::default(),
            Some(round) => Ahead {
                rounds: self.rounds_left(),
                usual: usual * if smooth { 1.0 } else { USUAL },
                setting: if smooth { self.work_of(round, self.rounds.len()) } else { self.work_of_setting(round, self.size) },
                tries: if smooth { 1 } else { self.tries(round) },
                for_good: self.work_for_good() + self.work_of_curves(),
            },
        };
    }

    fn work_of(&self, round: &Round, number: usize) -> f64 {
        let one = self.work_of_one(round, self.size);
        if round.folds.is_empty() {
            return smooth::work(round.sample.data.rows(), self.state.free.len(), one);
        }
        crossval::fits(self.state.free.len(), number == 0, number + 1 == self.rounds.len(), round.folds.len(), round.all) * one
    }

    /// Operations that looking along every free number takes, roughly.
    pub(crate) fn work_of_curves(&self) -> f64 {
        let at = self.state.found.as_ref().map_or(0, |found| found.round);
        let Some(round) = self.rounds.get(at) else { return 0.0 };
        let values = 2 * steps(&self.state.free) * self.state.free.len();
        (values * round.folds.len().max(1)) as f64 * self.work_of_one(round, self.size)
    }

    /// Rows of the next round; of the whole where none is left.
    pub fn next_rows(&self) -> usize {
        self.rounds.get(self.state.next).map_or(self.size.rows, |r| r.sample.data.rows())
    }

    /// Settings from elsewhere with as many free numbers, such as those of the folds of the same rows: only the last round is
    /// left, and it begins with them.
    pub fn suggest<'s>(&mut self, others: impl IntoIterator<Item = &'s SearchState>) {
        for x in others.into_iter().filter_map(|other| self.state.coordinates_of(other)).collect::<Vec<_>>() {
            if !self.state.suggested.contains(&x) {
                self.state.suggested.push(x);
            }
        }
        if self.state.suggested.len() > 1 {
            // What lies in the middle of them all comes first; a smooth criterion finds its way from there.
            let middle =
                (0..self.state.free.len()).map(|j| median(self.state.suggested.iter().map(|x| x[j]).collect())).collect::<Vec<f64>>();
            self.state.suggested.retain(|x| *x != middle);
            self.state.suggested.insert(0, middle);
            if self.is_smooth() {
                self.state.suggested.truncate(1);
            }
        }
        if !self.state.suggested.is_empty() {
            self.state.next = self.state.next.max(self.rounds.len().saturating_sub(1));
        }
    }

    /// Goes through the next round. Where time ends it, what was judged in it counts if the round got as far as its first
    /// candidates, and no further round follows.
    pub fn round(&mut self, control: &Control) -> Result<()> {
        let Some(round) = self.rounds.get(self.state.next) else { return Ok(()) };
        if control.out_of_time() {
            self.state.cut = true;
            return Ok(());
        }
        let last = self.state.next + 1 == self.rounds.len();
        let before = self.state.found.as_ref().filter(|f| f.loss.is_finite());
        let mut starts: Vec<Vec<f64>> = self.state.suggested.clone();
        starts.extend(before.iter().flat_map(|f| std::iter::once(&f.x).chain(&f.rivals)).cloned());
        if round.all {
            starts.truncate(FINALISTS);
        }
        let place = RoundContext {
            start: &round.start,
            free: &self.state.free,
            round,
            last,
            starts: &starts,
            number: self.state.next,
            within_noise: self.aim.within_noise,
            judges: self.aim.within_noise && !self.state.suggested.is_empty(),
            tries: self.tries(round),
            sharing: self.sharing.as_ref(),
            size: self.size,
        };
        let evaluated = self.state.evaluations;
        let made = match self.criterion_name() {
            Some(name) if round.folds.is_empty() => smooth::go(&place, name, control, self.seed, &mut self.state.evaluations),
            _ => crossval::go(&place, self.aim.scoring, control, self.seed, &mut self.state.evaluations),
        };
        // Kernel values that others use are counted where they are kept.
        let size = if self.sharing.is_some() && !self.is_smooth() { self.size.known() } else { self.size };
        let (evaluated, of_one) = (self.state.evaluations - evaluated, self.work_of_setting(round, size));
        self.state.spent += match round.folds.is_empty() {
            true => smooth::spent(round.sample.data.rows(), self.state.free.len(), evaluated, of_one),
            false => evaluated as f64 * of_one,
        };
        match made {
            Ok((found, complete)) => {
                self.state.cut |= !complete;
                // A round that was cut short before its candidates were judged leaves those of the round before.
                if found.loss.is_finite() || before.is_none() {
                    self.state.found = Some(found);
                }
            }
            Err(Error::Time { .. }) => self.state.cut = true,
            // What the memory left does not allow is not searched on; the rounds before it stand.
            Err(Error::Memory { .. }) => {}
            Err(other) => return Err(other),
        }
        self.state.next = if self.state.cut { self.rounds.len() } else { self.state.next + 1 };
        Ok(())
    }

    /// Goes through every round that is left, as far as time allows.
    pub fn run(&mut self, control: &Control) -> Result<()> {
        let mut made = Ok(());
        while made.is_ok() && self.rounds_left() > 0 && !control.out_of_time() {
            made = self.round(control);
        }
        self.look_ahead();
        made
    }

    /// The settled expressions and what the search learnt. With `curves`, each parameter is looked along.
    pub fn finish(mut self, curves: bool, kernel_data: &Dataset, control: &Control) -> Result<Tuned> {
        let Some(mut found) = self.state.found.take() else {
            let late = self.state.is_open() && !self.state.exceeds_budget && (self.state.cut || self.state.next == 0);
            let costly = || Notice::TooCostly { estimator: self.state.start.estimator.name().to_owned() };
            let notice = self.state.exceeds_budget.then(costly);
            return Ok(Tuned { kernel: self.state.start.kernel, estimator: self.state.start.estimator, tuning: None, late, notice });
        };
        let known = found.loss.is_finite();
        let round = &self.rounds[found.round.min(self.rounds.len() - 1)];
        let place = RoundContext {
            start: &round.start,
            free: &self.state.free,
            round,
            last: true,
            starts: &[],
            number: found.round,
            within_noise: false,
            judges: false,
            tries: usize::MAX,
            sharing: self.sharing.as_ref(),
            size: self.size,
        };
        let smooth = round.folds.is_empty();
        let mut made: Vec<Curve> = Vec::new();
        if known && curves && !control.out_of_time() {
            for look in 1..=LOOKS {
                made = match smooth {
                    true => smooth::curves(&place, &found, control, self.seed, &mut self.state.evaluations)?,
                    false => crossval::curves(&place, &found, self.aim.scoring, control, self.seed, &mut self.state.evaluations)?,
                };
                let met = made.iter().enumerate().flat_map(|(k, c)| c.tried.iter().map(move |&(x, loss)| (k, x, loss)));
                let Some((k, x, loss)) = met.filter(|m| m.2 < found.loss).min_by(|a, b| a.2.total_cmp(&b.2)) else { break };
                if look == LOOKS || control.out_of_time() {
                    break;
                }
                // A better value met on the way is taken, and looked around again.
                (found.x[k], found.loss) = (x, loss);
            }
        } else if known {
            made = self.state.free.iter().zip(&found.x).map(|(f, x)| Curve::not_scanned(f.rounded(*x))).collect();
        }
        let best = if known { self.state.start.with(&self.state.free, &found.x)? } else { self.state.start.clone() };
        let estimator = &self.state.start.estimator;
        let told = |loss: f64| match (found.rises, smooth) {
            // Not -0.
            (true, _) => 0.0 - loss,
            (false, true) => estimator.criterion_for_display(loss),
            (false, false) => loss,
        };
        let tuning = Tuning {
            rises: found.rises,
            value: known.then(|| told(found.loss)),
            same: known.then(|| told(found.loss + found.indifference)),
            evaluations: self.state.evaluations,
            complete: !self.state.cut && self.state.next == self.rounds.len(),
            rows: round.sample.data.rows(),
            parameters: learnt(&self.state.free, &found.x, &made, &told, &best, kernel_data)?,
            criterion: found.criterion,
        };
        Ok(Tuned { kernel: best.kernel, estimator: best.estimator, tuning: Some(tuning), late: false, notice: None })
    }
}

/// The smooth criterion of an estimator, where it has one that holds for the kernel.
fn smooth_criterion(Setting { kernel, estimator }: &Setting) -> Option<CriterionName> {
    let holds = !estimator.facts().criterion_keeps_kernel || fitting::rows_leave_the_kernel(kernel, estimator);
    estimator.criterion_name().filter(|_| holds)
}

/// The middle number, the lower one of two.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() - 1) / 2]
}

/// Where a round stands: everything that judging a setting needs.
pub(super) struct RoundContext<'a> {
    pub start: &'a Setting,
    pub free: &'a [Free],
    pub round: &'a Round,
    /// Whether no round follows.
    pub last: bool,
    /// Candidates from before, best first.
    pub starts: &'a [Vec<f64>],
    /// Which round it is.
    pub number: usize,
    /// Whether gains below the noise are left alone.
    pub within_noise: bool,
    /// Whether cross-validation judges the candidates alone: where searches on parts of the rows suggest them, and no more than the noise
    /// is left to gain.
    pub judges: bool,
    /// Settings that it may try at most.
    pub tries: usize,
    /// Where others use kernel values among the rows that rounds are drawn from.
    pub sharing: Option<&'a Sharing>,
    /// The size of a fit to these rows.
    pub size: Size,
}

impl RoundContext<'_> {
    /// Whether fits read features of rows, and no kernel value that could be shared.
    pub(super) fn reads_features(&self) -> bool {
        !self.start.estimator.needs().reads_values()
    }
    pub(super) fn examples(&self) -> Examples<'_> {
        self.round.sample.examples()
    }
}

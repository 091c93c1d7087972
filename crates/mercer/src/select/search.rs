//! A search for what the data do not fix: rounds on growing samples of the rows, so that what is clearly worse is left behind
//! where it is cheap, and only what is left is judged on many rows.
//!
//! An estimator with a smooth criterion follows its gradient in each round, from where the last round ended; any other is
//! cross-validated, and a round takes over the settings that the last one could not tell from the best. Where a sample is much
//! smaller than the whole, a last round holds out two quarters of all rows in turn: more rows ask for narrower kernels. A search may
//! be stopped between rounds, or inside one by its control, and has a setting at any time.

use super::Scoring;
use super::crossval;
use super::free::{Free, Setting, free_parameters};
use super::profile::Curve;
use super::round::{Preparation, Round, each_once, inner_folds, raw_of};
use super::smooth;
use super::standing::Standing;
use super::tune::{Tuned, Tuning, learnt, steps};
use crate::control::Control;
use crate::data::{Dataset, Examples, Target, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Size, Task};
use crate::fitting;
use crate::kernels::KernelExpr;

/// Rows on which a smooth criterion is minimised at last, within noise and for good: each evaluation costs about 2 N^3.
const SMOOTH_ROWS: [usize; 2] = [600, 1000];
/// Operations of one value of a smooth criterion, and of one fit of cross-validation, at most: in units of the cube of those rows.
const DEAR: f64 = 10.0;
/// Rows on which cross-validation decides at last, within noise and for good.
const CROSSVAL_ROWS: [usize; 2] = [1300, 2000];
/// Times that the parameters are looked along at most, where that finds better values.
const LOOKS: usize = 3;
/// Fewer rows are not searched on, however little memory there is.
const LEAST_ROWS: usize = 50;
/// Fewer rows than this are one round.
const ROUND_ROWS: usize = 170;
/// Operations of one fit of the round on all rows, within noise and for good.
const LAST_WORK: [f64; 2] = [2e9, 1e10];
/// The same of one value of a smooth criterion, in these units.
const LAST_DEAR: f64 = 15.0;
/// There is such a round where it has so many times the rows of the one before.
const WORTH: f64 = 1.35;
/// Folds that such a round judges.
const LAST_FOLDS: usize = 2;
/// Settings that a round on all rows begins with, at most.
const FINALISTS: usize = 2;
/// Rows for each class in the first round, at least.
const ROWS_PER_CLASS: usize = 12;
/// Each round has so many times the rows of the one before.
const GROWTH: f64 = 2.7;

/// What a search goes by, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// What cross-validation goes by.
    pub scoring: Scoring,
    /// Whether the search ends where what is left to gain is below the noise of the criterion, as it does for a fold, whose
    /// score says nothing finer.
    pub within_noise: bool,
}

/// What a search has found.
#[derive(Clone)]
pub(super) struct Found {
    /// The best coordinates; the start where nothing could be judged.
    pub x: Vec<f64>,
    /// The loss there; infinite where nothing could be judged.
    pub loss: f64,
    /// An excess over it that is not told from none.
    pub indifference: f64,
    /// Other coordinates whose loss is not told from it, best first.
    pub rivals: Vec<Vec<f64>>,
    /// What was minimised.
    pub criterion: String,
    /// Whether the score is the loss with the other sign.
    pub rises: bool,
    /// Which round it is from.
    pub round: usize,
}

/// A search on its way.
pub struct Search {
    start: Setting,
    free: Vec<Free>,
    rounds: Vec<Round>,
    /// The size of a fit to the whole.
    size: Size,
    next: usize,
    found: Option<Found>,
    suggested: Vec<Vec<f64>>,
    evaluations: usize,
    /// Whether a round was cut short.
    cut: bool,
    seed: u64,
    aim: Aim,
}

impl Search {
    /// Settles what the data settle and draws the rows of the rounds. `aim`: what the search goes by, and how far.
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
        let mut settled_kernel = kernel.settle_weighed(examples.data, examples.weights)?;
        let settled_estimator = if estimator.values().iter().all(|(_, value)| value.is_settled()) {
            estimator.clone()
        } else {
            let bound = settled_kernel.learn(examples.data, examples.weights, control)?.gram(examples.data, control)?;
            estimator.settle(&Task { gram: bound.as_ref(), target: examples.target, weights: examples.weights, control, seed })?
        };
        settled_kernel.settle_amplitudes(kernel, settled_estimator.amplitude(examples.target, examples.weights));
        let start = Setting { kernel: settled_kernel, estimator: settled_estimator };
        let free = if estimator.uses_kernel() { free_parameters(kernel, estimator, &start, examples.target.kind()) } else { Vec::new() };
        let size = fitting::size_of(&start.kernel, examples.data, examples.target);
        let mut search = Search {
            start,
            free,
            rounds: Vec::new(),
            size,
            next: 0,
            found: None,
            suggested: Vec::new(),
            evaluations: 0,
            cut: false,
            seed,
            aim,
        };
        if !search.free.is_empty() {
            let each_once = if search.is_smooth() { each_once(examples) } else { None };
            for rows in search.sizes(examples, control) {
                let rows = match &each_once {
                    Some(firsts) => {
                        let some = some_rows_of(&examples.target.select(firsts), rows, seed);
                        some.into_iter().map(|k| firsts[k]).collect()
                    }
                    None => some_rows_of(examples.target, rows, seed),
                };
                let round = search.draw(&rows, examples, prepared)?;
                search.rounds.push(round);
            }
            search.rounds.extend(search.draw_last(examples, prepared, control)?);
        }
        Ok(search)
    }

    /// The smooth criterion, where the estimator has one that holds for the kernel: then no rows are held out.
    fn criterion_name(&self) -> Option<&'static str> {
        let Setting { kernel, estimator } = &self.start;
        let holds = !estimator.criterion_leaves_out() || fitting::rows_leave_the_kernel(kernel, estimator);
        estimator.criterion_name().filter(|_| holds)
    }

    fn is_smooth(&self) -> bool {
        self.criterion_name().is_some()
    }

    /// Rows of each round, ascending.
    fn sizes(&self, examples: &Examples<'_>, control: &Control) -> Vec<usize> {
        let most = self.most_rows(examples, control);
        let classes = match examples.target {
            Target::Classes { names, .. } => names.len(),
            _ => 0,
        };
        let least = ROUND_ROWS.max(ROWS_PER_CLASS * classes);
        let mut sizes = vec![most];
        // The whole path of a parameter that is free alone costs as much as a few fits: it needs no first round.
        let alone = self.is_smooth() && self.free.len() == 1 && self.free[0].own_name().is_some();
        while !alone && (sizes[0] as f64 / GROWTH) as usize >= least {
            sizes.insert(0, (sizes[0] as f64 / GROWTH) as usize);
        }
        sizes
    }

    /// The most rows to search on: enough for the choice, and no more than half of the memory allowed will do for.
    fn most_rows(&self, examples: &Examples<'_>, control: &Control) -> usize {
        let stands = Standing::of(&self.start.kernel, &self.free, examples.data).is_any();
        let needs = |n: usize| {
            let square = (n as u64).pow(2);
            let fit = self.start.estimator.bytes(self.size.at(n));
            let kept = if stands { 2 } else { 1 };
            if self.is_smooth() { (40 + 8 * kept) * square } else { 20 * kept * square + crossval::FOLDS as u64 * fit }
        };
        let mut most = if self.is_smooth() { SMOOTH_ROWS } else { CROSSVAL_ROWS }[usize::from(!self.aim.within_noise)].min(examples.rows());
        // What costs more a row, as by many classes, goes by fewer of them.
        let work = |n: usize| {
            let estimator = &self.start.estimator;
            if self.is_smooth() { estimator.criterion_work(self.size.at(n)) } else { estimator.work(self.size.at(n)) }
        };
        let limit = DEAR * (SMOOTH_ROWS[1] as f64).powi(3);
        while most > LEAST_ROWS && (needs(most) > control.allowed() / 2 || work(most) > limit) {
            most = (most * 4 / 5).max(LEAST_ROWS);
        }
        most
    }

    fn draw(&self, rows: &[usize], examples: &Examples<'_>, prepared: Option<Preparation<'_>>) -> Result<Round> {
        let sample = examples.select(rows);
        if self.is_smooth() {
            return Ok(Round { sample, folds: Vec::new(), all: false, raw: None });
        }
        let folds = inner_folds(&sample, rows, prepared, self.seed)?;
        Ok(Round { sample, folds, all: false, raw: raw_of(rows, prepared) })
    }

    /// The round on all rows, or as many as a fit can be repeated for. Evidence asks the same of any number of rows: what
    /// leaves no row out has no such round.
    fn draw_last(&self, examples: &Examples<'_>, prepared: Option<Preparation<'_>>, control: &Control) -> Result<Option<Round>> {
        let estimator = &self.start.estimator;
        if self.is_smooth() && !estimator.criterion_leaves_out() {
            return Ok(None);
        }
        let size = self.size;
        let work = LAST_WORK[usize::from(!self.aim.within_noise)];
        let before = self.rounds.last().map_or(0, |r| r.sample.data.rows());
        let mut most = examples.rows();
        let dear = |size: Size| estimator.work(size) > work || self.is_smooth() && estimator.criterion_work(size) > LAST_DEAR * work;
        while most > before && (dear(size.at(most)) || estimator.bytes(size.at(most)) > control.allowed() / 4) {
            most = most * 19 / 20;
        }
        if (most as f64) < WORTH * before as f64 {
            return Ok(None);
        }
        let rows = some_rows_of(examples.target, most, self.seed);
        let sample = examples.select(&rows);
        let mut parts = inner_folds(&sample, &rows, prepared, self.seed)?;
        // The last ones, which in time learn from the most rows.
        parts.drain(..parts.len().saturating_sub(LAST_FOLDS));
        Ok(Some(Round { sample, folds: parts, all: true, raw: raw_of(&rows, prepared) }))
    }

    /// Whether anything is left to choose.
    pub fn is_open(&self) -> bool {
        !self.free.is_empty()
    }

    /// Whether time ended a round before its end.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Rounds that have not been gone through.
    pub fn rounds_left(&self) -> usize {
        self.rounds.len() - self.next
    }

    /// Operations that the next round may take, roughly; 0 where none is left.
    pub fn next_work(&self) -> f64 {
        self.rounds.get(self.next).map_or(0.0, |r| self.work_of(r, self.next))
    }

    /// Operations that all rounds that are left may take, roughly.
    pub fn work_left(&self) -> f64 {
        (self.next..self.rounds.len()).map(|k| self.work_of(&self.rounds[k], k)).sum()
    }

    fn work_of(&self, round: &Round, number: usize) -> f64 {
        let one = self.work_of_one(round);
        if round.folds.is_empty() {
            return smooth::work(round.sample.data.rows(), self.free.len(), one);
        }
        crossval::fits(self.free.len(), number == 0, number + 1 == self.rounds.len(), round) * one
    }

    /// Operations of one value of the smooth criterion, or of one fit without a fold.
    fn work_of_one(&self, round: &Round) -> f64 {
        if round.folds.is_empty() {
            return self.start.estimator.criterion_work(self.size.at(round.sample.data.rows()));
        }
        let judged = round.folds.iter().map(|f| f.train.len()).max().unwrap_or(0);
        crossval::as_judged(&self.start.estimator, self.aim.scoring.deciding).work(self.size.at(judged))
    }

    /// Operations that looking along every free number takes, roughly.
    pub(crate) fn work_of_curves(&self) -> f64 {
        let at = self.found.as_ref().map_or(0, |found| found.round);
        let Some(round) = self.rounds.get(at) else { return 0.0 };
        let values = 2 * steps(&self.free) * self.free.len();
        (values * round.folds.len().max(1)) as f64 * self.work_of_one(round)
    }

    /// Rows of the next round; of the whole where none is left.
    pub fn next_rows(&self) -> usize {
        self.rounds.get(self.next).map_or(self.size.rows, |r| r.sample.data.rows())
    }

    /// Settings from elsewhere with as many free numbers, such as those of the folds of the same rows: only the last round is
    /// left, and it begins with them.
    pub fn suggest<'s>(&mut self, others: impl IntoIterator<Item = &'s Search>) {
        for other in others {
            let alike = other.free.len() == self.free.len() && other.free.iter().zip(&self.free).all(|(a, b)| a.path() == b.path());
            let Some(found) = other.found.as_ref().filter(|f| alike && f.loss.is_finite()) else { continue };
            let x: Vec<f64> = self.free.iter().zip(&other.free).zip(&found.x).map(|((f, g), x)| f.at_value(g.to_value(*x))).collect();
            if !self.suggested.contains(&x) {
                self.suggested.push(x);
            }
        }
        if self.suggested.len() > 1 {
            // What lies in the middle of them all comes first; a smooth criterion finds its way from there.
            let middle = (0..self.free.len()).map(|j| median(self.suggested.iter().map(|x| x[j]).collect())).collect::<Vec<f64>>();
            self.suggested.retain(|x| *x != middle);
            self.suggested.insert(0, middle);
            if self.is_smooth() {
                self.suggested.truncate(1);
            }
        }
        if !self.suggested.is_empty() {
            self.next = self.next.max(self.rounds.len().saturating_sub(1));
        }
    }

    /// The best setting so far.
    fn setting(&self) -> Result<Setting> {
        match self.found.as_ref().filter(|f| f.loss.is_finite()) {
            Some(found) => self.start.with(&self.free, &found.x),
            None => Ok(self.start.clone()),
        }
    }

    /// The kernel and the estimator with the best setting so far.
    pub fn best(&self) -> Result<(KernelExpr, EstimatorExpr)> {
        self.setting().map(|s| (s.kernel, s.estimator))
    }

    /// The kernel and the estimator as the data suggest them.
    pub fn start(&self) -> (&KernelExpr, &EstimatorExpr) {
        (&self.start.kernel, &self.start.estimator)
    }

    /// Whether any setting has been judged.
    pub fn is_judged(&self) -> bool {
        self.found.as_ref().is_some_and(|f| f.loss.is_finite())
    }

    /// Goes through the next round. Where time ends it, what was judged in it counts if the round got as far as its first
    /// candidates, and no further round follows.
    pub fn round(&mut self, control: &Control) -> Result<()> {
        let Some(round) = self.rounds.get(self.next) else { return Ok(()) };
        if control.out_of_time() {
            self.cut = true;
            return Ok(());
        }
        let last = self.next + 1 == self.rounds.len();
        let before = self.found.as_ref().filter(|f| f.loss.is_finite());
        let mut starts: Vec<Vec<f64>> = self.suggested.clone();
        starts.extend(before.iter().flat_map(|f| std::iter::once(&f.x).chain(&f.rivals)).cloned());
        if round.all {
            starts.truncate(FINALISTS);
        }
        let place = Place {
            start: &self.start,
            free: &self.free,
            round,
            last,
            starts: &starts,
            number: self.next,
            within_noise: self.aim.within_noise,
            judges: self.aim.within_noise && !self.suggested.is_empty(),
        };
        let made = match self.criterion_name() {
            Some(name) if round.folds.is_empty() => smooth::go(&place, name, control, self.seed, &mut self.evaluations),
            _ => crossval::go(&place, self.aim.scoring, control, self.seed, &mut self.evaluations),
        };
        match made {
            Ok((found, complete)) => {
                self.cut |= !complete;
                // A round that was cut short before its candidates were judged leaves those of the round before.
                if found.loss.is_finite() || before.is_none() {
                    self.found = Some(found);
                }
            }
            Err(Error::Time { .. }) => self.cut = true,
            // What the memory left does not allow is not searched on; the rounds before it stand.
            Err(Error::Memory { .. }) => {}
            Err(other) => return Err(other),
        }
        self.next = if self.cut { self.rounds.len() } else { self.next + 1 };
        Ok(())
    }

    /// Goes through every round that is left, as far as time allows.
    pub fn run(&mut self, control: &Control) -> Result<()> {
        while self.rounds_left() > 0 && !control.out_of_time() {
            self.round(control)?;
        }
        Ok(())
    }

    /// The settled expressions and what the search learnt. With `curves`, each parameter is looked along.
    pub fn finish(mut self, curves: bool, kernel_data: &Dataset, control: &Control) -> Result<Tuned> {
        let Some(mut found) = self.found.take() else {
            let late = self.is_open() && (self.cut || self.next == 0);
            return Ok(Tuned { kernel: self.start.kernel, estimator: self.start.estimator, tuning: None, late, told: None });
        };
        let known = found.loss.is_finite();
        let round = &self.rounds[found.round.min(self.rounds.len() - 1)];
        let place = Place {
            start: &self.start,
            free: &self.free,
            round,
            last: true,
            starts: &[],
            number: found.round,
            within_noise: false,
            judges: false,
        };
        let smooth = round.folds.is_empty();
        let mut made: Vec<Curve> = Vec::new();
        if known && curves && !control.out_of_time() {
            for look in 1..=LOOKS {
                made = match smooth {
                    true => smooth::curves(&place, &found, control, self.seed, &mut self.evaluations)?,
                    false => crossval::curves(&place, &found, self.aim.scoring, control, self.seed, &mut self.evaluations)?,
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
            made = self.free.iter().zip(&found.x).map(|(f, x)| Curve::not_scanned(f.rounded(*x))).collect();
        }
        let best = if known { self.start.with(&self.free, &found.x)? } else { self.start.clone() };
        let estimator = &self.start.estimator;
        let told = |loss: f64| match (found.rises, smooth) {
            (true, _) => -loss,
            (false, true) => estimator.criterion_for_display(loss),
            (false, false) => loss,
        };
        let tuning = Tuning {
            rises: found.rises,
            value: known.then(|| told(found.loss)),
            same: known.then(|| told(found.loss + found.indifference)),
            evaluations: self.evaluations,
            complete: !self.cut && self.next == self.rounds.len(),
            rows: round.sample.data.rows(),
            parameters: learnt(&self.free, &found, &made, &told, &best, kernel_data)?,
            criterion: found.criterion,
        };
        Ok(Tuned { kernel: best.kernel, estimator: best.estimator, tuning: Some(tuning), late: false, told: None })
    }
}

/// The middle number, the lower one of two.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() - 1) / 2]
}

/// Where a round stands: everything that judging a setting needs.
pub(super) struct Place<'a> {
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
}

impl Place<'_> {
    pub(super) fn examples(&self) -> Examples<'_> {
        self.round.sample.examples()
    }
}

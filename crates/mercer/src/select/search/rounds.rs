//! The rounds of a search: how many rows each sees, and what it costs. Operations are counted, so that a search is the same on every
//! machine.

use super::super::crossval;
use super::super::fixed_terms::FixedTerms;
use super::super::free::Setting;
use super::super::round::{Drawn, Preparation, Round, inner_folds, raw_of};
use super::super::smooth;
use super::{Search, USUAL};
use crate::control::Control;
use crate::data::{Examples, Sample};
use crate::error::Result;
use crate::estimators::{Costs, Size, Task};
use crate::fitting::read_rows;

/// Rows on which a smooth criterion is minimised at last, within noise and for good: each evaluation costs about 2 N^3.
const SMOOTH_ROWS: [usize; 2] = [600, 1000];
/// Operations of all rounds but the one on all rows, within noise and for good: what costs more a row, as with many classes, uses
/// fewer of them.
const WORK: [f64; 2] = [6e10, 3e11];
/// Rows on which cross-validation decides at last, within noise and for good.
const CROSSVAL_ROWS: [usize; 2] = [1300, 2000];
/// The most rows that kernel values of a search are kept for.
pub(crate) const MOST_SEARCHED: usize = CROSSVAL_ROWS[1];
/// Fewer rows are not searched on, however little memory there is, and fewer for each class however much they cost.
const LEAST_ROWS: usize = 50;
const LEAST_PER_CLASS: usize = 6;
/// Settings that cross-validation may try, however much they cost.
const LEAST_TRIES: usize = 4;
/// There is no search where its least costs so many times as much.
const TOO_EXPENSIVE: f64 = 3.0;
/// Fewer rows than this are one round.
const ROUND_ROWS: usize = 170;
/// Operations of the kernel values of the first round: 5 ms. Where a value takes long, what it depends on is looked for among few rows.
const FIRST_VALUES: f64 = 1e8;
/// Operations of one fit of the round on all rows, within noise and for good.
const LAST_WORK: [f64; 2] = [2e9, 1e10];
/// There is such a round where it has so many times the rows of the one before.
const WORTH: f64 = 1.35;
/// Folds that such a round judges.
const LAST_FOLDS: usize = 2;
/// Rows for each class in the first round, at least.
const ROWS_PER_CLASS: usize = 12;
/// Each round has so many times the rows of the one before.
const GROWTH: f64 = 2.7;

impl Search {
    /// Rows of each round, ascending, of so many that there are.
    pub(super) fn sizes(&self, examples: &Examples<'_>, rows: usize, control: &Control) -> Vec<usize> {
        self.sizes_to(self.most_rows(examples, rows, control))
    }

    /// Rows of each round, ascending, where the last round has `most`.
    fn sizes_to(&self, most: usize) -> Vec<usize> {
        let of_values = (2.0 * FIRST_VALUES / self.size.per_value).sqrt() as usize;
        let least = ROUND_ROWS.min(of_values.max(LEAST_ROWS)).max(ROWS_PER_CLASS * self.classes());
        let mut sizes = vec![most];
        // The whole path of a parameter that is free alone costs as much as a few fits: it needs no first round.
        let alone = self.is_smooth() && self.state.free.len() == 1 && self.state.free[0].own_name().is_some();
        while !alone && (sizes[0] as f64 / GROWTH) as usize >= least {
            sizes.insert(0, (sizes[0] as f64 / GROWTH) as usize);
        }
        sizes
    }

    fn classes(&self) -> usize {
        if self.size.classes { self.size.outputs } else { 0 }
    }

    /// Operations of rounds on so many rows.
    fn work_of_sizes(&self, sizes: &[usize]) -> f64 {
        let of = |(k, &rows): (usize, &usize)| match self.is_smooth() {
            true => smooth::work(rows, self.state.free.len(), self.open.costs(self.size.at(rows)).criterion_work(self.size)),
            false => {
                let fits = crossval::fits(self.state.free.len(), k == 0, k + 1 == sizes.len(), crossval::FOLDS, false);
                fits * self.work_of_fit(rows - rows / crossval::FOLDS, self.size)
            }
        };
        sizes.iter().enumerate().map(of).sum()
    }

    /// The most rows to search on: enough for the choice, and no more than half of the memory allowed will do for.
    fn most_rows(&self, examples: &Examples<'_>, rows: usize, control: &Control) -> usize {
        let kept = 1 + FixedTerms::of(&self.state.start, &self.state.free, examples.data).kept() as u64;
        let few_values = self.state.start.estimator.facts().reads_few_values;
        let needs = |n: usize| {
            let square = (n as u64).pow(2);
            let fit = self.state.start.estimator.costs(self.size.at(n)).bytes;
            if self.is_smooth() && few_values {
                return 2 * fit;
            }
            if self.is_smooth() { (40 + 8 * kept) * square } else { 20 * kept * square + crossval::FOLDS as u64 * fit }
        };
        let mut most = self.round_rows(usize::from(!self.aim.within_noise)).min(rows);
        let few = LEAST_ROWS.max(LEAST_PER_CLASS * self.classes());
        let too_expensive = |n: usize| n > few && self.work_of_sizes(&self.sizes_to(n)) > self.most_work();
        while most > LEAST_ROWS && (needs(most) > control.allowed() / 2 || too_expensive(most)) {
            most = (most * 9 / 10).max(LEAST_ROWS);
        }
        most
    }

    /// Rows of the last round at most, within noise or for good: where values of the criterion do not take the cube of the rows, as many as
    /// their operations allow.
    fn round_rows(&self, aim: usize) -> usize {
        match (self.is_smooth(), self.state.start.estimator.facts().reads_few_values) {
            (true, true) => usize::MAX,
            (true, false) => SMOOTH_ROWS[aim],
            (false, _) => CROSSVAL_ROWS[aim],
        }
    }

    /// Operations of the last round of a search for good, as a rule.
    pub(super) fn work_for_good(&self) -> f64 {
        let rows = self.round_rows(1).min(self.size.rows);
        let work = self.work_of_sizes(&[rows]).min(WORK[1]);
        work * if self.is_smooth() { 1.0 } else { USUAL }
    }

    pub(super) fn draw(
        &self,
        rows: &[usize],
        examples: &Examples<'_>,
        prepared: Option<Preparation<'_>>,
        control: &Control,
    ) -> Result<Round> {
        let sample = examples.select(rows);
        let start = self.start_on(&sample, control)?;
        if self.is_smooth() {
            return Ok(Round { sample, rows: rows.to_vec(), start, folds: Vec::new(), all: false, raw: None });
        }
        let folds = inner_folds(&sample, rows, prepared, self.seed)?;
        Ok(Round { sample, rows: rows.to_vec(), start, folds, all: false, raw: raw_of(rows, prepared) })
    }

    /// The start, with what is not searched as some rows suggest it.
    fn start_on(&self, sample: &Sample, control: &Control) -> Result<Setting> {
        let Setting { kernel, estimator } = &self.state.start;
        if self.open.values().iter().all(|own| own.value.is_settled()) || sample.data.rows() == self.size.rows {
            return Ok(Setting { kernel: kernel.clone(), estimator: estimator.clone() });
        }
        let weights = sample.weights.as_deref();
        let kind = self.open.needs().view();
        let reading = read_rows(&kernel.learn(&sample.data, weights, control)?, kind, &sample.data, control)?;
        let task = Task { view: reading.view(), target: &sample.target, weights, control, seed: self.seed };
        Ok(Setting { kernel: kernel.clone(), estimator: self.open.settle(&task)? })
    }

    /// The round on all rows, or as many as a fit can be repeated for. Evidence asks the same of any number of rows: what
    /// leaves no row out has no such round.
    pub(super) fn draw_last(
        &self,
        drawn: &Drawn,
        examples: &Examples<'_>,
        prepared: Option<Preparation<'_>>,
        control: &Control,
    ) -> Result<Option<Round>> {
        let estimator = &self.open;
        if self.is_smooth() && !estimator.facts().criterion_keeps_kernel {
            return Ok(None);
        }
        let size = self.size;
        let work = LAST_WORK[usize::from(!self.aim.within_noise)];
        let before = self.rounds.last().map_or(0, |r| r.sample.data.rows());
        let mut most = drawn.rows.len();
        let is_too_much = |costs: Costs| costs.work(size) > work || costs.bytes > control.allowed() / 4;
        while most > before && is_too_much(estimator.costs(size.at(most))) {
            most = most * 19 / 20;
        }
        if (most as f64) < WORTH * before as f64 {
            return Ok(None);
        }
        let rows = drawn.some(examples, most, self.seed);
        let sample = examples.select(&rows);
        let mut parts = inner_folds(&sample, &rows, prepared, self.seed)?;
        // The last ones, which in time learn from the most rows.
        parts.drain(..parts.len().saturating_sub(LAST_FOLDS));
        let start = self.start_on(&sample, control)?;
        let raw = raw_of(&rows, prepared);
        Ok(Some(Round { sample, rows, start, folds: parts, all: true, raw }))
    }

    /// Whether even the cheapest search on so many rows exceeds the budget.
    pub(super) fn is_too_expensive(&self, rows: usize) -> bool {
        let least = match self.is_smooth() {
            true => self.work_of_sizes(&[rows]),
            false => {
                let fits = LEAST_TRIES as f64 * crossval::fits_of_one(crossval::FOLDS, false);
                fits * self.work_of_fit(rows - rows / crossval::FOLDS, self.size)
            }
        };
        least > TOO_EXPENSIVE * self.most_work()
    }

    /// Settings that cross-validation may try in a round.
    pub(super) fn tries(&self, round: &Round) -> usize {
        ((self.most_work() / self.work_of_setting(round, self.size).max(1.0)) as usize).max(LEAST_TRIES)
    }

    fn most_work(&self) -> f64 {
        WORK[usize::from(!self.aim.within_noise)]
    }

    /// Operations of one value of the smooth criterion, or of one fit without a fold; `size`: of a fit to the whole.
    pub(super) fn work_of_one(&self, round: &Round, size: Size) -> f64 {
        if round.folds.is_empty() {
            return self.open.costs(size.at(round.sample.data.rows())).criterion_work(size);
        }
        self.work_of_fit(round.folds.iter().map(|f| f.train.len()).max().unwrap_or(0), size)
    }

    /// Operations of one setting: of a value of the smooth criterion, or of the fits that judge it.
    pub(super) fn work_of_setting(&self, round: &Round, size: Size) -> f64 {
        self.work_of_one(round, size) * if round.folds.is_empty() { 1.0 } else { crossval::fits_of_one(round.folds.len(), round.all) }
    }

    /// Operations of one fit that cross-validation judges.
    fn work_of_fit(&self, rows: usize, size: Size) -> f64 {
        crossval::as_judged(&self.open, self.aim.scoring.deciding).with_one_start().costs(size.at(rows)).work(size)
    }
}

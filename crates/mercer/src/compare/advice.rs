//! Which kernel for a table: the rule that says so, and beside it what was measured of the kernels that other rules would take.
//!
//! Rules (7.5 of the first source of the specification; Murphy 2012, 14.2.4 and 14.5.4): strings have kernels of their own; as many
//! columns as rows are separable by lines, and `linear` is enough; products of columns are for columns whose products mean something;
//! else `rbf`. `ridge` is tuned for each by its leave-one-out error; they are compared by the deciding metric of the predictions of
//! rows left out.

use super::entrants::{MOST_SCALES, over_numbers};
use super::guess::guess;
use super::{Comparing, Field, decided};
use crate::control::Control;
use crate::data::{Dataset, Examples, Fold, Sample, Values, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Predictions, Ridge, Task};
use crate::fitting;
use crate::kernels::{KernelExpr, Selection};
use crate::metrics::{Difference, HeldOut, Metric, Scoring};
use crate::select::{self, Tuned, Tuning};

/// Rows that predictions left out are made for, at most: each kernel takes one factorisation of them.
const JUDGED_ROWS: usize = 2000;

/// Why a kernel is taken before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Columns of strings, trees, sets: kernels of their own.
    Structure,
    /// At least as many numbers in a row as there are rows, or rows of few numbers among very many.
    ManyColumns,
    /// Nothing says otherwise.
    Smooth,
}

/// One kernel, measured.
#[derive(Debug)]
pub struct Judged {
    /// As it would be asked for.
    pub kernel: KernelExpr,
    /// The tuning result of `ridge`, or the reason why it could not be measured.
    pub found: Result<Tuning>,
    /// Metrics of the predictions of rows left out, the deciding one first; empty where nothing could be measured.
    pub scores: Vec<(Metric, f64)>,
    /// Difference to the best kernel, paired by rows; `None` for the best.
    pub difference: Option<Difference>,
}

impl Judged {
    /// The value of the deciding metric.
    pub fn score(&self) -> Option<(Metric, f64)> {
        self.scores.first().copied().filter(|(_, value)| value.is_finite())
    }
}

/// The rule that fired, and what each kernel is worth.
#[derive(Debug)]
pub struct Advice {
    /// Why the first kernel is taken.
    pub rule: Rule,
    /// Numbers in a row.
    pub numbers: usize,
    /// Rows.
    pub rows: usize,
    /// Rows that predictions left out were made for.
    pub judged_rows: usize,
    /// The score of a constant guess by the deciding metric.
    pub baseline: Option<f64>,
    /// The kernel of the rule, then the others.
    pub judged: Vec<Judged>,
}

impl Advice {
    /// The place of the best kernel.
    pub fn best(&self) -> Option<usize> {
        best_of(&self.judged)
    }

    /// Whether the kernel of the rule is the best, or not distinguishable from it.
    pub fn holds(&self) -> bool {
        match (self.best(), self.judged.first()) {
            (Some(0), _) => true,
            (Some(_), Some(first)) => first.difference.is_some_and(|d| !d.is_significant()),
            _ => false,
        }
    }
}

fn best_of(judged: &[Judged]) -> Option<usize> {
    let loss = |j: &Judged| j.score().map(|(metric, value)| if metric.rises() { -value } else { value });
    let all = judged.iter().enumerate().filter_map(|(k, j)| Some((k, loss(j)?)));
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}

/// Numbers in a row, and whether rows are stored by the few that are not 0.
pub(super) fn numbers_of(data: &Dataset) -> (usize, bool) {
    let all = data.columns().iter().map(|c| match &c.values {
        Values::Numbers(_) => (1, false),
        Values::Points(points) => (points.dim(), points.is_sparse()),
        _ => (0, false),
    });
    all.fold((0, false), |(n, sparse), (more, too)| (n + more, sparse || too))
}

/// The rule and the kernels, its own first.
fn kernels(data: &Dataset, kinds: &[Selection<'_>]) -> Result<(Rule, usize, Vec<KernelExpr>)> {
    let natural = KernelExpr::natural_of(data, kinds, &[])?;
    let (numbers, sparse) = numbers_of(data);
    let others = KernelExpr::alternatives(data, kinds)?;
    if numbers == 0 {
        // Every part alone: words, or runs of letters.
        let parts = if let KernelExpr::Sum(sum) = &natural { sum.of.clone() } else { Vec::new() };
        let mut all = vec![natural];
        for kernel in parts.into_iter().chain(others) {
            if !all.contains(&kernel) {
                all.push(kernel);
            }
        }
        return Ok((Rule::Structure, numbers, all));
    }
    let lines = over_numbers(&natural, &KernelExpr::parse("linear")?);
    let products = over_numbers(&natural, &KernelExpr::parse("polynomial(degree=2)")?);
    let rough = over_numbers(&natural, &KernelExpr::parse("matern(nu=1.5)")?);
    let mut curves = vec![natural, lines, products, rough];
    if (2..=MOST_SCALES).contains(&numbers) {
        curves.push(over_numbers(&curves[0], &KernelExpr::parse("rbf(ard=true)")?));
    }
    Ok(match sparse || numbers >= data.rows() {
        true => {
            curves.truncate(3);
            curves.swap(0, 1);
            (Rule::ManyColumns, numbers, curves)
        }
        false if !others.is_empty() => {
            curves.extend(others);
            (Rule::Structure, numbers, curves)
        }
        false => (Rule::Smooth, numbers, curves),
    })
}

/// Advice on the kernel of a table; a kernel that is asked for is measured beside the others.
///
/// # Errors
/// Unusable rows; on request of `control`. A kernel that cannot be measured is reported with the reason.
pub fn advise(examples: &Examples<'_>, comparing: &Comparing, control: &Control) -> Result<Advice> {
    let comparing = &decided(comparing, examples.target, examples.weights)?;
    let field = Field::of(examples, comparing, control)?;
    let raw = examples.select(&field.used.rows);
    let scoring = Scoring::of(&raw.target, raw.weights.as_deref(), comparing.metric)?;
    let kinds: Vec<Selection<'_>> = raw.data.columns().iter().map(|c| (c.name.as_str(), c.values.kind())).collect();
    let (rule, numbers, mut all) = kernels(&raw.data, &kinds)?;
    all.extend(comparing.kernel.iter().filter(|k| !all.contains(k)).cloned().collect::<Vec<_>>());
    let chosen = some_rows_of(&raw.target, JUDGED_ROWS, comparing.seed);
    let part = raw.examples().select(&chosen);
    let measure = |kernel: &KernelExpr| -> Result<(Tuning, Option<Predictions>)> {
        let made = fitting::prepare_weighed(&comparing.prep, Some(kernel), &raw.data, raw.weights.as_deref())?;
        let ready = Examples { data: &made.data, ..raw.examples() };
        let tuned = select::tune(&made.kernel, &EstimatorExpr::Ridge(Ridge::default()), &ready, control, comparing.seed, false)?;
        let left_out = left_out(&tuned, &ready.select(&chosen), control, comparing.seed)?;
        Ok((tuned.tuning.ok_or_else(|| Error::Time { what: format!("measuring {kernel}") })?, left_out))
    };
    let (mut judged, mut predictions) = (Vec::new(), Vec::new());
    for kernel in all {
        let (found, left_out) = match measure(&kernel) {
            Err(error @ Error::Cancelled) => return Err(error),
            Err(error) => (Err(error), None),
            Ok((tuning, left_out)) => (Ok(tuning), left_out),
        };
        let scores = left_out.as_ref().map_or(Vec::new(), |p| scoring.score(p, &part.target, part.weights.as_deref()));
        judged.push(Judged { kernel, found, scores, difference: None });
        predictions.push(left_out);
    }
    if let Some(best) = best_of(&judged) {
        let folds = [Fold { train: Vec::new(), test: (0..part.target.rows()).collect() }];
        let (weights, seed) = (part.weights.as_deref(), comparing.seed);
        let held_out = HeldOut { folds: &folds, target: &part.target, weights, split: &part.split, seed };
        let all: Vec<Vec<&Predictions>> = predictions.iter().map(|p| p.iter().collect()).collect();
        let found = held_out.differences(&all, best, &scoring);
        judged.iter_mut().zip(found).for_each(|(judged, found)| judged.difference = found);
    }
    let weights = part.weights.as_deref();
    let constant = guess(&part.target, weights, part.target.rows(), control, comparing.seed)?;
    let baseline = Some(scoring.decide(&constant, &part.target, weights)).filter(|value| value.is_finite());
    Ok(Advice { rule, numbers, rows: raw.data.rows(), judged_rows: chosen.len(), baseline, judged })
}

/// Predictions of some rows, each by the fit without it.
fn left_out(tuned: &Tuned, part: &Sample, control: &Control, seed: u64) -> Result<Option<Predictions>> {
    let kernel = tuned.kernel.learn(&part.data, part.weights.as_deref(), control)?;
    let reading = fitting::read_rows(&kernel, tuned.estimator.needs().view(), &part.data, control)?;
    let task = Task { view: reading.view(), target: &part.target, weights: part.weights.as_deref(), control, seed };
    tuned.estimator.leave_one_out(&task)
}

//! One machine for each pair of classes: the fit, and the class of most votes.
//!
//! Probabilities, where they are asked for, are calibrated on decision values held out in folds. The predicted class is then the one
//! of the greatest probability, and not the one of most votes; the two differ near the border.

use super::fitted_svc::{FittedSvc, SvcDecision};
use super::held_out_pairs::{self, Solved};
use super::left_out::{LeftOutValue, Machines};
use super::model::{Penalty, SvcRows};
use super::nu_pairs::NuPairs;
use super::pair_problems::{PER_PROBLEM, PairProblems, TOGETHER};
use super::svc::EqualVotes;
use super::svm::{self, Totals};
use crate::blocks;
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out::parts;
use crate::estimators::{Costs, Fit, FitContext, Predicted, Predictions, Size, Want, WarmStart, pair_count};
use crate::gram::Gram;
use crate::linalg::Matrix;
use crate::param::Value;
use crate::solve::smo;
use serde::{Deserialize, Serialize};

/// Bytes of a coefficient of a row while pairs are solved: of all rows, and of the support.
pub(super) const PER_COEFFICIENT: u64 = 16;
/// Five fits without a fold, for probabilities, start near their solutions. Pairs of classes share the rows. They are solved some at a
/// time, and a row has a coefficient in those of its class; probabilities hold decision values of every pair, and all problems. `square`:
/// operations for each pair of rows and class.
pub(super) fn costs(size: Size, probabilities: bool, cache_mb: &Value, square: f64) -> Costs {
    // Bytes of a pair of classes: its codes, constant and steps, and its place in a trace.
    const PER_PAIR: u64 = 100;
    // Bytes of a decision value that a calibration holds: of a fold, of all rows, and what is made of them.
    const HELD_OUT_SCORES: u64 = 24;
    let (variables, fits) = if probabilities { (5, 3.0) } else { (1, 1.0) };
    let others = size.outputs.saturating_sub(1).max(1);
    let (in_pairs, pairs) = (size.rows.saturating_mul(others), pair_count(size.outputs.max(2)));
    let problems = in_pairs.saturating_add(pairs.saturating_mul(PER_PROBLEM));
    let largest = if pairs > 1 { 2 * size.rows / size.outputs.max(1) } else { in_pairs };
    let held = match (probabilities, pairs) {
        (true, _) => problems.saturating_mul(variables),
        (false, 1) => in_pairs,
        (false, _) => problems.min(TOGETHER + largest),
    };
    let costs = svm::costs(size, (variables * others, held), cache_mb, square * size.outputs.max(2) as f64);
    let scores = if probabilities && pairs > 1 { HELD_OUT_SCORES * size.rows as u64 * pairs as u64 } else { 0 };
    let bytes = costs.bytes + PER_COEFFICIENT * in_pairs as u64 + PER_PAIR * pairs as u64 + scores;
    Costs { bytes, values: fits * costs.values, fit: fits * costs.fit, ..costs }
}

/// Fits a machine for each pair of classes. Machines without a fold start from those on all rows and share their kernel values; those of nu
/// have the penalty C that the machine on all rows is equivalent to.
pub(super) fn fit(
    rows: &SvcRows<'_>,
    context: &FitContext<'_, FittedSvc>,
    decision: impl FnOnce(ClassPairs) -> SvcDecision,
    ties: EqualVotes,
) -> Result<Fit<FittedSvc>> {
    if !context.wants_scores {
        return solve(rows, context, None, decision, ties);
    }
    let (split, mut held_out) = (context.hold.split, None);
    let folds = parts(rows.task, split)?;
    let mut hold_out = |solved: &Solved<'_>, _| {
        held_out = Some(held_out_pairs::held_out(rows.task, solved, &folds, split)?);
        Ok(())
    };
    let fit = solve(rows, context, Some(&mut hold_out), decision, ties)?;
    Ok(Fit { held_out, ..fit })
}

/// Predictions of each row by machines that were fitted without it.
pub(super) fn leave_one_out(rows: &SvcRows<'_>, decision: impl FnOnce(ClassPairs) -> SvcDecision, ties: EqualVotes) -> Result<Predictions> {
    let (task, mut found) = (rows.task, Vec::new());
    let mut without = |solved: &Solved<'_>, first: usize| {
        let machines = Machines { gram: solved.gram(task)?, problems: solved.problems, solutions: solved.solutions };
        let values = machines.without_each_row(&solved.options, task.control)?;
        let row = |place: usize| solved.order().map_or(place, |order| order[place]);
        found.extend(values.into_iter().map(|one| LeftOutValue { row: row(one.row), machine: first + one.machine, ..one }));
        Ok(())
    };
    let fit = solve(rows, &FitContext::default(), Some(&mut without), decision, ties)?;
    fit.fitted.left_out(task, &found)
}

/// What is made of further machines over the same rows from those of some pairs, given with the place of the first of them.
type Further<'f> = &'f mut dyn FnMut(&Solved<'_>, usize) -> Result<()>;

/// Solves a machine for each pair of classes, and further ones where there are such, which share kernel values.
fn solve(
    rows: &SvcRows<'_>,
    context: &FitContext<'_, FittedSvc>,
    mut further: Option<Further<'_>>,
    decision: impl FnOnce(ClassPairs) -> SvcDecision,
    ties: EqualVotes,
) -> Result<Fit<FittedSvc>> {
    let SvcRows { task, codes, counted, options, .. } = rows;
    let mut nu = match rows.penalty {
        Penalty::C(_) => None,
        Penalty::Nu(nu) => Some(NuPairs::of(nu, rows)?),
    };
    // The machines of several C share kernel values too.
    let again = further.is_some() || (nu.is_some() && rows.present.len() == 2);
    let all = PairProblems::of(task, codes, rows.present.clone(), rows.bounds(), again)?;
    let held = all.held.as_ref().filter(|held| held.for_all);
    let gram: &dyn Gram = held.map_or(task.gram()?, |held| &held.k);
    let mut coef = all.unsolved();
    let (mut bias, mut iterations, mut totals) = (Vec::new(), Vec::new(), Totals::default());
    let mut warm = WarmStart::default();
    for some in all.batches(further.is_some()) {
        let (problems, solutions) = match &mut nu {
            Some(nu) => nu.solve(gram, &all, some.clone(), rows)?,
            None => {
                let problems = all.problems(some.clone(), context.earlier);
                let known = |(&pair, problem)| context.warm?.known(context.earlier?.output(pair)?, problem);
                let known: Vec<Option<&[f64]>> = all.pairs[some.clone()].iter().zip(&problems).map(known).collect();
                let solutions = smo::solve_from(gram, &problems, &known, options, task.control)?;
                (problems, solutions)
            }
        };
        all.take(some.clone(), &problems, &solutions, &mut coef);
        bias.extend(solutions.iter().map(|s| s.offsets[0]));
        iterations.extend(solutions.iter().map(|s| s.iterations));
        solutions.iter().for_each(|s| totals.add(s));
        if let Some(further) = &mut further {
            let (pairs, problems, solutions, held) = (&all.pairs, &problems, &solutions, all.held.as_ref());
            further(&Solved { pairs, problems, solutions, held, counted, options: *options }, some.start)?;
        }
        warm.extend(solutions, some.map(|_| 1.0), task);
    }
    let mut expansion = all.expansion(&coef, bias);
    drop(coef);
    expansion.weigh(task.gram()?, task.control)?;
    let rounded = svm::round(&mut expansion, task, options.tolerance, all.pairs.iter().map(|_| 1.0))?;
    let mut summary = svm::summary(&totals, options.tolerance, rounded);
    if let Some(nu) = &nu {
        summary.notes.splice(0..0, nu.notes());
    }
    let fitted = FittedSvc::new(expansion, rows.names.len(), decision(ClassPairs::new(&all.pairs, ties)), iterations, summary);
    Ok(Fit { fitted, warm, held_out: None })
}

/// Pairs of classes, one output each: above 0 for the second of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPairs {
    /// Code of the first class of each pair.
    #[serde(with = "blocks::usizes")]
    pub first: Vec<usize>,
    /// Code of the second class of each pair.
    #[serde(with = "blocks::usizes")]
    pub second: Vec<usize>,
    #[serde(default)]
    ties: EqualVotes,
}

impl ClassPairs {
    /// Ascending pairs of classes.
    pub(super) fn new(pairs: &[(usize, usize)], ties: EqualVotes) -> Self {
        ClassPairs { first: pairs.iter().map(|p| p.0).collect(), second: pairs.iter().map(|p| p.1).collect(), ties }
    }

    /// The pair of each output.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.first.iter().copied().zip(self.second.iter().copied())
    }

    /// Which of the classes with equal votes wins.
    pub(crate) fn ties(&self) -> EqualVotes {
        self.ties
    }

    /// The output of a pair of classes: pairs ascend.
    pub(super) fn output(&self, pair: (usize, usize)) -> Option<usize> {
        let before = self.first.partition_point(|&a| a < pair.0);
        let own = self.first[before..].partition_point(|&a| a == pair.0);
        self.second.get(before..before + own)?.binary_search(&pair.1).ok().map(|k| before + k)
    }

    /// The place of a class among those that have rows.
    pub(super) fn place(&self, code: usize) -> Option<usize> {
        // The first pairs are those of the first class that has rows with each of the others.
        let others = self.first.partition_point(|a| Some(a) == self.first.first());
        if Some(&code) == self.first.first() { Some(0) } else { Some(1 + self.second.get(..others)?.binary_search(&code).ok()?) }
    }

    /// An error unless there are so many outputs of so many classes, which a damaged model file may bring about.
    pub(super) fn check(&self, outputs: usize, classes: usize) -> Result<()> {
        for (what, found) in [("first classes", self.first.len()), ("second classes", self.second.len())] {
            if found != outputs {
                return Err(Error::Shape { what: format!("{what} of the pairs"), expected: outputs, found });
            }
        }
        if let Some(&k) = self.first.iter().chain(&self.second).find(|&&k| k >= classes) {
            return Err(Error::Shape { what: "classes of a classifier".into(), expected: k + 1, found: classes });
        }
        Ok(())
    }

    /// Predictions from decision values of the pairs, and a rule that makes a class of those of a row.
    pub(super) fn predictions(&self, scores: Matrix, want: Want, classes: usize, decide: impl Fn(&[f64]) -> usize) -> Predictions {
        let values = Predicted::Classes((0..scores.rows()).map(|i| decide(scores.row(i))).collect());
        let scores: Option<Matrix> = want.scores.then_some(scores);
        let pairs = if scores.is_some() { self.pairs().collect() } else { Vec::new() };
        Predictions { scores, pairs, ..Predictions::of(values) }.by_class_where_wanted(want, classes)
    }

    /// The class with most votes among the pairs; of equal ones as [`EqualVotes`] says.
    pub(super) fn most_votes(&self, scores: &[f64], classes: usize) -> usize {
        let mut votes = vec![(0usize, 0.0); classes];
        for (&score, (a, b)) in scores.iter().zip(self.pairs()) {
            let second = score > 0.0 || (score == 0.0 && self.ties == EqualVotes::First && classes > 2);
            votes[if second { b } else { a }].0 += 1;
            votes[b].1 += score;
            votes[a].1 -= score;
        }
        let mut best = self.first.first().copied().unwrap_or(0);
        for k in 0..classes {
            let (now, top) = (votes[k], votes[best]);
            let even = if self.ties == EqualVotes::First { k < best } else { now.1 > top.1 };
            if now.0 > top.0 || (now.0 == top.0 && even) {
                best = k;
            }
        }
        best
    }
}

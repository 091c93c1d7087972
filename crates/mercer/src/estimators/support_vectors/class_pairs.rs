//! One machine for each pair of classes: the fit, and the class of most votes.
//!
//! Probabilities, where they are asked for, are calibrated on decision values held out in folds. The predicted class is then the one
//! of the greatest probability, and not the one of most votes; the two differ near the border.

use super::fitted_svc::{FittedSvc, SvcDecision};
use super::held_out_pairs::{self, Solved};
use super::model::SvcRows;
use super::pair_problems::PairProblems;
use super::svc::EqualVotes;
use super::svm::{self, Totals};
use crate::blocks;
use crate::error::{Error, Result};
use crate::estimators::probabilities::held_out::parts;
use crate::estimators::{Fit, FitContext, Predicted, Predictions, Want, WarmStart};
use crate::gram::Gram;
use crate::linalg::Matrix;
use crate::solve::smo;
use serde::{Deserialize, Serialize};

/// Fits a machine for each pair of classes. Machines without a fold start from those on all rows and share their kernel values.
pub(super) fn fit(
    rows: &SvcRows<'_>,
    context: &FitContext<'_, FittedSvc>,
    decision: impl FnOnce(ClassPairs) -> SvcDecision,
    ties: EqualVotes,
) -> Result<Fit<FittedSvc>> {
    let SvcRows { task, codes, counted, options, .. } = rows;
    let split = context.wants_scores.then_some(context.hold.split);
    let folds = split.map(|split| parts(task, split)).transpose()?.unwrap_or_default();
    let all = PairProblems::of(task, codes, rows.present.clone(), rows.bounds(), !folds.is_empty())?;
    let held = all.held.as_ref().filter(|held| held.for_all);
    let gram: &dyn Gram = held.map_or(task.gram()?, |held| &held.k);
    let mut coef = all.unsolved();
    let (mut bias, mut iterations, mut totals) = (Vec::new(), Vec::new(), Totals::default());
    let (mut warm, mut held_out) = (WarmStart::default(), None);
    for some in all.batches(split.is_some()) {
        let problems = all.problems(some.clone(), context.earlier);
        let known = |(&pair, problem)| context.warm?.known(context.earlier?.output(pair)?, problem);
        let known: Vec<Option<&[f64]>> = all.pairs[some.clone()].iter().zip(&problems).map(known).collect();
        let solutions = smo::solve_from(gram, &problems, &known, options, task.control)?;
        all.take(some.clone(), &problems, &solutions, &mut coef);
        bias.extend(solutions.iter().map(|s| s.offsets[0]));
        iterations.extend(solutions.iter().map(|s| s.iterations));
        solutions.iter().for_each(|s| totals.add(s));
        if let Some(split) = split {
            let (pairs, problems, solutions, folds, held) = (&all.pairs, &problems, &solutions, &folds, all.held.as_ref());
            let solved = Solved { pairs, problems, solutions, folds, held, counted, options: *options };
            held_out = Some(held_out_pairs::held_out(task, &solved, split)?);
        }
        warm.extend(solutions, some.map(|_| 1.0), task);
    }
    let mut expansion = all.expansion(&coef, bias);
    drop(coef);
    expansion.weigh(task.gram()?, task.control)?;
    let rounded = svm::round(&mut expansion, task, options.tolerance, all.pairs.iter().map(|_| 1.0))?;
    let summary = svm::summary(&totals, options.tolerance, rounded);
    let fitted = FittedSvc::new(expansion, rows.classes, decision(ClassPairs::new(&all.pairs, ties)), iterations, summary);
    Ok(Fit { fitted, warm, held_out })
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

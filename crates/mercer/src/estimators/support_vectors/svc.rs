//! Support vector classification (C-SVC), two classes or one against one.
//!
//! ```text
//! minimise  1/2 |w|^2 + sum_i C_i max(0, 1 - t_i f(x_i)),     f(x) = w'phi(x) + b,     C_i = c weight_i class_weight
//! ```
//!
//! solved in its dual. Cortes and Vapnik (1995); Bishop (2006) 7.1.1; Murphy (2012) 14.5.2.
//!
//! Probabilities, where they are asked for, are calibrated on decision values held out in folds. The predicted class is then the one
//! of the greatest probability, and not the one of most votes; the two differ near the border.

use super::held_out_pairs::{self, Solved};
use super::pair_problems::{PER_PROBLEM, PairProblems, TOGETHER, masses};
use super::svm::{self, Totals};
use crate::blocks;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::probabilities::held_out::parts;
use crate::estimators::{
    Answer, ClassWeight, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, Predicted, Predictions, Query,
    Scores, Size, Summary, Task, Want, WarmStart, When, pair_count,
};
use crate::gram::Gram;
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use crate::solve::smo;
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// Bytes of a coefficient of a row while pairs are solved: of all rows, and of the support.
const PER_COEFFICIENT: u64 = 16;
/// Bytes of a pair of classes: its codes, constant and steps, and its place in a trace.
const PER_PAIR: u64 = 100;
/// Bytes of a decision value of a pair: the values of blocks of rows, and those of all.
const PER_SCORE: u64 = 16;
/// Bytes of a decision value that a calibration holds: of a fold, of all rows, and what is made of them.
const HELD_OUT_SCORES: u64 = 24;

/// Which of the classes with equal votes wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum EqualVotes {
    /// The one with the greater sum of decision values, then the lower code. A decision value of 0 is a vote for the first class
    /// of its pair.
    #[default]
    Sum,
    /// The one of the lowest code. A decision value of 0 is a vote for the second class of its pair, as in libsvm.
    First,
}

/// Support vector classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Svc {
    /// penalty C on margin violations
    #[param(domain = Positive, search = 1e3)]
    pub c: Value,
    /// greatest violation of the optimality conditions, in units of the decision value, and greatest relative duality gap
    #[param(default = 1e-3, domain = Fraction)]
    pub tolerance: Value,
    /// most steps of the solver for each pair of classes
    #[param(default = svm::MAX_ITERATIONS, domain = Integer(1, usize::MAX))]
    pub max_iterations: Value,
    /// none: rows count by their own weights; balanced: classes have equal total weight
    pub class_weight: ClassWeight,
    /// kernel cache in MB; affects speed only
    #[param(default = svm::CACHE_MB, domain = Positive)]
    pub cache_mb: Value,
    /// Whether to fit probabilities of the classes too.
    #[param(doc = CALIBRATED)]
    #[serde(default)]
    pub probabilities: bool,
    /// of classes with equal votes, sum: the one with the greater sum of decision values wins; first: the first of them
    #[serde(default)]
    pub ties: EqualVotes,
}

impl Estimator for Svc {
    const NAME: &'static str = "svc";
    const DOC: &'static str = "support vector classification: the widest margin between two classes, one against one for more";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedSvc;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Pairs, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES }
    }

    /// Coefficients that sum to 0 see nothing of f(z), and the offset takes up f(x). Folds for probabilities are made of all rows.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, skips_zero_weights: !self.probabilities, ..EstimatorFacts::default() }
    }

    /// Five fits without a fold, for probabilities, start near their solutions. Pairs of classes share the rows. They are solved some at a
    /// time, and a row has a coefficient in those of its class; probabilities hold decision values of every pair, and all problems.
    fn costs(&self, size: Size) -> Costs {
        let (variables, fits) = if self.probabilities { (5, 3.0) } else { (1, 1.0) };
        let others = size.outputs.saturating_sub(1).max(1);
        let (in_pairs, pairs) = (size.rows.saturating_mul(others), pair_count(size.outputs.max(2)));
        let problems = in_pairs.saturating_add(pairs.saturating_mul(PER_PROBLEM));
        let largest = if pairs > 1 { 2 * size.rows / size.outputs.max(1) } else { in_pairs };
        let held = match (self.probabilities, pairs) {
            (true, _) => problems.saturating_mul(variables),
            (false, 1) => in_pairs,
            (false, _) => problems.min(TOGETHER + largest),
        };
        let costs = svm::costs(size, (variables * others, held), &self.cache_mb, 10.0 * size.outputs.max(2) as f64);
        let scores = if self.probabilities && pairs > 1 { HELD_OUT_SCORES * size.rows as u64 * pairs as u64 } else { 0 };
        let bytes = costs.bytes + PER_COEFFICIENT * in_pairs as u64 + PER_PAIR * pairs as u64 + scores;
        Costs { bytes, values: fits * costs.values, fit: fits * costs.fit, ..costs }
    }

    /// Machines without a fold start from those on all rows and share their kernel values.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        let split = context.wants_scores.then_some(context.hold.split);
        require_settled(self, Svc::NAME)?;
        let c = svm::finite(Svc::NAME, "c", &self.c)?;
        let (codes, names) = task.target.as_classes(Svc::NAME)?;
        let (present, mass) = masses(task, codes, names)?;
        let class_weight = self.class_weight.factors(&mass);
        let counted: Vec<f64> = codes.iter().enumerate().map(|(i, &k)| task.weight(i) * class_weight[k]).collect();
        let bounds = counted.iter().map(|w| c * w).collect();
        let folds = split.map(|split| parts(task, split)).transpose()?.unwrap_or_default();
        let all = PairProblems::of(task, codes, present, bounds, !folds.is_empty())?;
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        let held = all.held.as_ref().filter(|held| held.for_all);
        let gram: &dyn Gram = held.map_or(task.gram()?, |held| &held.k);
        let mut coef = all.unsolved();
        let (mut bias, mut iterations, mut totals) = (Vec::new(), Vec::new(), Totals::default());
        let (mut warm, mut held_out) = (WarmStart::default(), None);
        for some in all.batches(split.is_some()) {
            let problems = all.problems(some.clone(), context.earlier);
            let known = |(&pair, problem)| context.warm?.known(context.earlier?.output(pair)?, problem);
            let known: Vec<Option<&[f64]>> = all.pairs[some.clone()].iter().zip(&problems).map(known).collect();
            let solutions = smo::solve_from(gram, &problems, &known, &options, task.control)?;
            all.take(some.clone(), &problems, &solutions, &mut coef);
            bias.extend(solutions.iter().map(|s| s.offsets[0]));
            iterations.extend(solutions.iter().map(|s| s.iterations));
            solutions.iter().for_each(|s| totals.add(s));
            if let Some(split) = split {
                let (pairs, problems, solutions, folds, held) = (&all.pairs, &problems, &solutions, &folds, all.held.as_ref());
                let solved = Solved { pairs, problems, solutions, folds, held, counted: &counted, options };
                held_out = Some(held_out_pairs::held_out(task, &solved, split)?);
            }
            warm.extend(solutions, some.map(|_| 1.0), task);
        }
        let mut expansion = all.expansion(&coef, bias);
        drop(coef);
        expansion.weigh(task.gram()?, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, all.pairs.iter().map(|_| 1.0))?;
        let fitted = FittedSvc {
            expansion,
            classes: names.len(),
            first: all.pairs.iter().map(|p| p.0).collect(),
            second: all.pairs.iter().map(|p| p.1).collect(),
            iterations,
            ties: self.ties,
            summary: svm::summary(&totals, options.tolerance, rounded),
        };
        Ok(Fit { fitted, warm, held_out })
    }
}

/// A fitted support vector classifier: one decision value per pair of classes, above 0 for the second of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedSvc {
    /// One output per pair.
    pub expansion: Expansion,
    /// Classes that have names; those without a training row are in no pair and never predicted.
    pub classes: usize,
    /// Code of the first class of each pair.
    #[serde(with = "blocks::usizes")]
    pub first: Vec<usize>,
    /// Code of the second class of each pair.
    #[serde(with = "blocks::usizes")]
    pub second: Vec<usize>,
    /// Steps of the solver for each pair.
    #[serde(with = "blocks::usizes")]
    pub iterations: Vec<usize>,
    #[serde(default)]
    ties: EqualVotes,
    summary: Summary,
}

impl FittedSvc {
    /// The output of a pair of classes: pairs ascend.
    fn output(&self, pair: (usize, usize)) -> Option<usize> {
        let before = self.first.partition_point(|&a| a < pair.0);
        let own = self.first[before..].partition_point(|&a| a == pair.0);
        self.second.get(before..before + own)?.binary_search(&pair.1).ok().map(|k| before + k)
    }

    /// The coefficients of a pair of classes for the given training rows.
    pub(super) fn coefficients(&self, pair: (usize, usize), rows: &[usize]) -> Option<Vec<f64>> {
        let output = self.output(pair)?;
        let Some(layout) = &self.expansion.pairs else { return Some(self.expansion.coefficients(output, (0, 1), rows)) };
        // The first pairs are those of the first class that has rows with each of the others.
        let others = self.second.get(..layout.classes.saturating_sub(1))?;
        let place = |code: usize| if Some(&code) == self.first.first() { Some(0) } else { Some(1 + others.binary_search(&code).ok()?) };
        Some(self.expansion.coefficients(output, (place(pair.0)?, place(pair.1)?), rows))
    }

    /// Predictions from decision values.
    fn answered(&self, scores: Matrix, want: Want) -> Predictions {
        let values = Predicted::Classes((0..scores.rows()).map(|i| self.decide(scores.row(i))).collect());
        let scores: Option<Matrix> = want.scores.then_some(scores);
        let pairs = || self.first.iter().copied().zip(self.second.iter().copied()).collect();
        let pairs = if scores.is_some() { pairs() } else { Vec::new() };
        Predictions { scores, pairs, ..Predictions::of(values) }.by_class_where_wanted(want, self.classes)
    }

    /// The class with most votes among the pairs; of equal ones as [`EqualVotes`] says.
    fn decide(&self, scores: &[f64]) -> usize {
        let mut votes = vec![(0usize, 0.0); self.classes];
        for ((&score, &a), &b) in scores.iter().zip(&self.first).zip(&self.second) {
            let second = score > 0.0 || (score == 0.0 && self.ties == EqualVotes::First && self.classes > 2);
            votes[if second { b } else { a }].0 += 1;
            votes[b].1 += score;
            votes[a].1 -= score;
        }
        let mut best = self.first.first().copied().unwrap_or(0);
        for k in 0..self.classes {
            let (now, top) = (votes[k], votes[best]);
            let even = if self.ties == EqualVotes::First { k < best } else { now.1 > top.1 };
            if now.0 > top.0 || (now.0 == top.0 && even) {
                best = k;
            }
        }
        best
    }
}

impl Fitted for FittedSvc {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Scores are M x pairs, pairs in the order (0,1), (0,2), ..., (1,2), ...; for two classes one column, above 0 for the
    /// class of the second name.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let pairs = self.expansion.bias.len();
        for (what, found) in [("first classes", self.first.len()), ("second classes", self.second.len()), ("steps", self.iterations.len())]
        {
            if found != pairs {
                return Err(Error::Shape { what: format!("{what} of the pairs"), expected: pairs, found });
            }
        }
        if let Some(&k) = self.first.iter().chain(&self.second).find(|&&k| k >= self.classes) {
            return Err(Error::Shape { what: "classes of a classifier".into(), expected: k + 1, found: self.classes });
        }
        if query.want.scores && !query.want.by_class {
            let needed = PER_SCORE * query.cross()?.shape().0 as u64 * pairs as u64;
            query.control.plan(&format!("decision values of {pairs} pairs of classes"), needed)?;
            return Ok(self.answered(self.expansion.predict(query.cross()?, query.control)?, query.want));
        }
        query.in_blocks(pairs, |part| Ok(self.answered(self.expansion.predict(part.cross()?, part.control)?, part.want)))
    }

    /// Two classes: every row of the task is a variable of their problem.
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        let ([offset], 2) = (&self.expansion.bias[..], self.classes) else { return None };
        let scores = trace.values(0, rows)?.into_iter().map(|f| f + offset).collect();
        Some(self.answered(Matrix::column(scores), want))
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.classes))
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
    fn steps(&self) -> Vec<usize> {
        self.iterations.clone()
    }
}

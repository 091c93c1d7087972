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

use super::pair_machines::{self, PairMachines, Penalty};
use super::svm;
use crate::blocks;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::{
    Answer, ClassWeight, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, Predicted, Predictions, Query,
    Scores, Size, Summary, Task, Want, WarmStart, When,
};
use crate::linalg::Matrix;
use crate::param::{Value, require_settled};
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// Operations for each pair of rows and class.
const STEPS: f64 = 10.0;
/// Bytes of a decision value of a pair: the values of blocks of rows, and those of all.
const PER_SCORE: u64 = 16;

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

    fn costs(&self, size: Size) -> Costs {
        pair_machines::costs(size, self.probabilities, &self.cache_mb, STEPS)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedSvc>) -> Result<Fit<FittedSvc>> {
        require_settled(self, Svc::NAME)?;
        let penalty = Penalty::C(svm::finite(Svc::NAME, "c", &self.c)?);
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        PairMachines { name: Svc::NAME, penalty, class_weight: self.class_weight, options, ties: self.ties }.fit(task, context)
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
    pub(super) ties: EqualVotes,
    pub(super) summary: Summary,
}

impl FittedSvc {
    /// The output of a pair of classes: pairs ascend.
    pub(super) fn output(&self, pair: (usize, usize)) -> Option<usize> {
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

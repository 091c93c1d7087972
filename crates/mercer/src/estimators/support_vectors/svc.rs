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

use super::by_class::ByClass;
use super::held_out_pairs::{Solved, held_out};
use super::svm;
use crate::blocks;
use crate::data::{Fold, Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::probabilities::held_out::parts;
use crate::estimators::{
    Answer, ClassWeight, Costs, Estimator, EstimatorFacts, Expansion, Fitted, Gives, HeldOut, HoldOut, Needs, Predicted, Predictions,
    Query, Scores, Size, Summary, Task, Want, WarmStart, When,
};
use crate::linalg::Matrix;
use crate::param::{Domain, Param, Value, require_settled};
use crate::solve::smo::{self, Problem, Solution};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Which of the classes with equal votes wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Svc {
    /// Penalty of a row inside the margin.
    pub c: Value,
    /// Greatest violation of the optimality conditions and greatest relative duality gap.
    pub tolerance: Value,
    /// Most pair steps per pair of classes.
    pub max_iterations: Value,
    /// Weights of the classes.
    pub class_weight: ClassWeight,
    /// Megabytes of kernel rows to keep.
    pub cache_mb: Value,
    /// Whether to fit probabilities of the classes too.
    #[serde(default)]
    pub probabilities: bool,
    /// Which of the classes with equal votes wins.
    #[serde(default)]
    pub ties: EqualVotes,
}

impl Default for Svc {
    fn default() -> Self {
        Svc {
            c: Value::Auto,
            tolerance: Value::Number(1e-3),
            max_iterations: Value::Number(svm::MAX_ITERATIONS),
            class_weight: ClassWeight::None,
            cache_mb: Value::Number(svm::CACHE_MB),
            probabilities: false,
            ties: EqualVotes::Sum,
        }
    }
}

impl Estimator for Svc {
    const NAME: &'static str = "svc";
    const DOC: &'static str = "support vector classification: the widest margin between two classes, one against one for more";
    const PARAMS: &'static [Param] = &[
        Param::searched("c", "penalty C on margin violations", Domain::Positive, 1e3),
        Param::fixed(
            "tolerance",
            "greatest violation of the optimality conditions, in units of the decision value, and greatest relative duality gap",
            Domain::Fraction,
        ),
        Param::fixed("max_iterations", "most steps of the solver for each pair of classes", Domain::Integer(1, usize::MAX)),
        Param::fixed(
            "class_weight",
            "none: rows count by their own weights; balanced: classes have equal total weight",
            Domain::Choice(&["none", "balanced"]),
        ),
        Param::fixed("cache_mb", "kernel cache in MB; affects speed only", Domain::Positive),
        Param::fixed("probabilities", CALIBRATED, Domain::Flag),
        Param::fixed(
            "ties",
            "of classes with equal votes, sum: the one with the greater sum of decision values wins; first: the first of them",
            Domain::Choice(&["sum", "first"]),
        ),
    ];
    const TAKES: &'static [Kind] = &[Kind::Classes];
    const GIVES: Gives =
        Gives { scores: Scores::Pairs, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES };
    const NEEDS: Needs = Needs::MercerKernel;
    type Fitted = FittedSvc;

    /// Coefficients that sum to 0 see nothing of f(z), and the offset takes up f(x). Folds for probabilities are made of all rows.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, skips_zero_weights: !self.probabilities, ..EstimatorFacts::default() }
    }

    /// Five fits without a fold, for probabilities, start near their solutions. Pairs of classes share the rows.
    fn costs(&self, size: Size) -> Costs {
        let (variables, fits) = if self.probabilities { (5, 3.0) } else { (1, 1.0) };
        let costs = svm::costs(size, variables * size.outputs.saturating_sub(1).max(1), &self.cache_mb, 10.0 * size.outputs.max(2) as f64);
        Costs { values: fits * costs.values, fit: fits * costs.fit, ..costs }
    }

    fn start(&self, _param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(1.0)
    }

    fn fit(&self, task: &Task<'_>) -> Result<FittedSvc> {
        self.fit_from(task, None)
    }

    fn fit_from(&self, task: &Task<'_>, earlier: Option<&FittedSvc>) -> Result<FittedSvc> {
        let nothing = WarmStart::default();
        self.fit_along(task, earlier.map(|e| (e, &nothing))).map(|(fitted, _)| fitted)
    }

    fn fit_along(&self, task: &Task<'_>, earlier: Option<(&FittedSvc, &WarmStart)>) -> Result<(FittedSvc, WarmStart)> {
        self.solved(task, earlier, |_| Ok(Vec::new()), |_| Ok(())).map(|(fitted, trace, ())| (fitted, trace))
    }

    /// Machines without a fold start from those on all rows and share their kernel values.
    fn fit_held_out(&self, task: &Task<'_>, earlier: Option<&FittedSvc>, hold: HoldOut<'_>) -> Result<(FittedSvc, HeldOut)> {
        let nothing = WarmStart::default();
        let make = |solved: &Solved<'_>| held_out(task, solved, hold.split);
        self.solved(task, earlier.map(|e| (e, &nothing)), |task| parts(task, hold.split), make).map(|(fitted, _, made)| (fitted, made))
    }
}

impl Svc {
    /// The fit, its trace, and what is made of its solved problems, those without `folds` in turn among it.
    fn solved<R>(
        &self,
        task: &Task<'_>,
        earlier: Option<(&FittedSvc, &WarmStart)>,
        folds: impl FnOnce(&Task<'_>) -> Result<Vec<Fold>>,
        make: impl FnOnce(&Solved<'_>) -> Result<R>,
    ) -> Result<(FittedSvc, WarmStart, R)> {
        require_settled(self, Svc::NAME, Svc::PARAMS)?;
        let c = svm::finite(Svc::NAME, "c", &self.c)?;
        let (codes, names) = task.target.as_classes(Svc::NAME)?;
        if codes.len() != task.rows() {
            return Err(Error::Shape { what: "rows of the target".into(), expected: task.rows(), found: codes.len() });
        }
        let mut mass = vec![0.0; names.len()];
        for (i, &k) in codes.iter().enumerate() {
            *mass.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))? += task.weight(i);
        }
        let present: Vec<usize> = (0..names.len()).filter(|&k| mass[k] > 0.0).collect();
        let class_weight = self.class_weight.factors(&mass);
        if present.len() < 2 {
            let found = present.first().map_or("there are no rows".into(), |&k| format!("every row is of class '{}'", names[k]));
            return Err(Error::Data(format!(
                "svc needs rows of at least two classes, and {found}; add rows of another class, or check the target column"
            )));
        }
        let counted = |i: usize| task.weight(i) * class_weight[codes[i]];
        let pairs: Vec<(usize, usize)> =
            present.iter().enumerate().flat_map(|(k, &a)| present[k + 1..].iter().map(move |&b| (a, b))).collect();
        let folds = folds(task)?;
        let held = ByClass::of(task, codes, pairs.len(), !folds.is_empty())?;
        let mut of_class = vec![Vec::new(); names.len()];
        let row_of = |place: usize| held.as_ref().map_or(place, |held| held.order[place]);
        (0..codes.len()).for_each(|place| of_class[codes[row_of(place)]].push(place));
        let problems: Vec<Problem> = pairs
            .par_iter()
            .map(|&(a, b)| {
                let mut row = [&of_class[a][..], &of_class[b]].concat();
                // Two runs, which are merged.
                row.sort();
                let rows: Vec<usize> = row.iter().map(|&place| row_of(place)).collect();
                let bound = |i: usize| c * counted(i);
                let problem = Problem {
                    target: rows.iter().map(|&i| if codes[i] == b { 1.0 } else { -1.0 }).collect(),
                    low: rows.iter().map(|&i| if codes[i] == b { 0.0 } else { -bound(i) }).collect(),
                    high: rows.iter().map(|&i| if codes[i] == b { bound(i) } else { 0.0 }).collect(),
                    row,
                    tube: 0.0,
                    ..Problem::default()
                };
                let start = earlier.and_then(|(e, _)| svm::start(&problem, e.coefficients((a, b), &rows)?));
                Problem { start, ..problem }
            })
            .collect();
        let known = |(&pair, problem)| earlier.and_then(|(e, trace)| trace.known(e.output(pair)?, problem));
        let known: Vec<Option<&[f64]>> = pairs.iter().zip(&problems).map(known).collect();
        let options = svm::options(task, &self.tolerance, &self.max_iterations, &self.cache_mb);
        let by_k = held.as_ref().filter(|held| held.for_all);
        let solutions = smo::solve_from(by_k.map_or(task.gram, |held| &held.k), &problems, &known, &options, task.control)?;
        let column = |(p, s): (&Problem, &Solution)| p.row.iter().map(|&place| row_of(place)).zip(s.coef.iter().copied()).collect();
        let columns: Vec<Vec<(usize, f64)>> = problems.par_iter().zip(&solutions).map(column).collect();
        let mut expansion = svm::expansion(codes.len(), &columns, solutions.iter().map(|s| s.offsets[0]).collect());
        expansion.weigh(task.gram, task.control)?;
        let rounded = svm::round(&mut expansion, task, options.tolerance, pairs.iter().map(|_| 1.0))?;
        let summary = svm::summary(&solutions, options.tolerance, rounded);
        let (held, counted) = (held.as_ref(), &counted);
        let made = make(&Solved { pairs: &pairs, problems: &problems, solutions: &solutions, folds: &folds, held, counted, options })?;
        let fitted = FittedSvc {
            expansion,
            classes: names.len(),
            first: pairs.iter().map(|p| p.0).collect(),
            second: pairs.iter().map(|p| p.1).collect(),
            iterations: solutions.iter().map(|s| s.iterations).collect(),
            ties: self.ties,
            summary,
        };
        Ok((fitted, WarmStart::of(solutions, pairs.iter().map(|_| 1.0), task), made))
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
    /// The output of a pair of classes.
    fn output(&self, pair: (usize, usize)) -> Option<usize> {
        self.first.iter().zip(&self.second).position(|(&a, &b)| (a, b) == pair)
    }

    /// The coefficients of a pair of classes for the given training rows.
    fn coefficients(&self, pair: (usize, usize), rows: &[usize]) -> Option<Vec<f64>> {
        Some(svm::coefficients(&self.expansion, self.output(pair)?, rows))
    }

    /// Predictions from decision values.
    fn told(&self, scores: Matrix, want: Want) -> Predictions {
        let values = Predicted::Classes((0..scores.rows()).map(|i| self.decide(scores.row(i))).collect());
        let scores: Option<Matrix> = want.scores.then_some(scores);
        let pairs = || self.first.iter().copied().zip(self.second.iter().copied()).collect();
        let pairs = if scores.is_some() { pairs() } else { Vec::new() };
        Predictions { scores, pairs, ..Predictions::of(values) }
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
        Ok(self.told(self.expansion.predict(query.cross, query.control)?, query.want))
    }

    /// Two classes: every row of the task is a variable of their problem.
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        let ([offset], 2) = (&self.expansion.bias[..], self.classes) else { return None };
        let scores = trace.values(0, rows)?.into_iter().map(|f| f + offset).collect();
        Some(self.told(Matrix::column(scores), want))
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

//! The perceptron in feature space, for classes, and the least mean squares rule, for numbers: machines that see one row after
//! another and change where they are wrong (Rosenblatt 1958; Freund & Schapire 1999, Large margin classification using the
//! perceptron algorithm; M30, F07). The rules stand in `solve::online`.
//!
//! What such a machine learns depends on the order of its rows. Here passes go in an order that is drawn by the seed from the rows
//! in the order of their sums of kernel values, copies once with the weight of all, so that no order of a table changes anything;
//! `order=given` takes the rows as they stand, as a stream does, and is the one exception. Where a vector of norm 1 separates two
//! classes with a margin m, no more than (R / m)^2 changes are made, R^2 the greatest k(x, x) (+ 1 for the constant) (Novikoff 1962).

use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::clustering::clusters::Places;
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::targets::outputs::{check, classes, decide, means, outputs};
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, Predictions, Query, Scores, Size, Summary, Task,
    When,
};
use crate::gram::{self, Dense, Gram, Side, Subset};
use crate::linalg::{Matrix, PASSED};
use crate::param::{Value, require_settled};
use crate::solve::online::{BLOCK, Learnt, Rule, Shown, Stream};
use mercer_derive::{Choice, Parameters};
use rand::{SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// New inputs whose kernel values are held at a time where vectors vote.
const ROWS: usize = 128;

/// The perceptron.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Perceptron {
    /// vector that predicts (classification only). averaged: the mean of all vectors; voted: each votes once for every row it survived;
    /// last: the last alone
    pub vector: Vector,
    /// most passes over the rows; stops after a pass without a mistake
    #[param(default = 10.0, domain = Integer(1, usize::MAX))]
    pub passes: Value,
    /// most support rows; the last vector then predicts; 0: no limit
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    pub budget: Value,
    /// step size of the least mean squares rule (regression only); auto: 1 / (2 max k(x, x))
    #[param(domain = PositiveFinite)]
    pub rate: Value,
    /// whether to add an intercept
    #[param(default = true)]
    pub intercept: bool,
    /// drawn: by the seed, whatever the order of the table; given: rows in their order, as a stream has them
    pub order: RowOrder,
    /// Whether there are probabilities of classes.
    #[param(doc = CALIBRATED)]
    pub probabilities: bool,
}

/// Which of the vectors on the way predicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Vector {
    /// Their mean.
    #[default]
    Averaged,
    /// Each vector, with one vote for every row it survived (voted perceptron).
    Voted,
    /// The last.
    Last,
}

/// The order of rows in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum RowOrder {
    /// Drawn by the seed, whatever the order of the table.
    #[default]
    Drawn,
    /// As they stand.
    Given,
}

/// A fitted perceptron: the state of its stream, and the vectors that predict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedPerceptron {
    /// The vector that predicts.
    expansion: Expansion,
    /// The last vector, support x outputs, and its constants, where another predicts.
    last: Option<(Matrix, Vec<f64>)>,
    /// Changes in their order where vectors vote: support row, class that rises, class that falls; weight and rows seen before.
    changes: Vec<(usize, usize, usize)>,
    /// The weight of each change, and the weight of the rows seen before it.
    weights: Vec<(f64, f64)>,
    /// The weight of the rows that were seen.
    seen: f64,
    /// Changes so far.
    mistakes: usize,
    /// Whether vectors vote with a constant.
    intercept: bool,
    classes: Option<usize>,
    summary: Summary,
}

/// All rows of a task as they stand.
fn given(task: &Task<'_>) -> Shown {
    Shown { rows: (0..task.rows()).collect(), weights: task.all_weights() }
}

/// One row for each set of copies of one class, in an order that the order of rows does not change.
fn by_content(task: &Task<'_>) -> Result<Shown> {
    let places = Places::alike(task, false)?;
    let mut of_place = vec![Vec::new(); places.rows.len()];
    places.of_row.iter().enumerate().for_each(|(i, &p)| of_place[p].push(i));
    let mut shown = Shown { rows: Vec::new(), weights: Vec::new() };
    for mut rows in of_place {
        // The target of a row: its class, or its numbers.
        let target_of = |i: usize| match task.target {
            Target::Classes { codes, .. } => vec![codes[i] as f64],
            Target::Numbers(y) => y.row(i).to_vec(),
            Target::Absent { .. } => Vec::new(),
        };
        let compare = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).fold(std::cmp::Ordering::Equal, |o, (a, b)| o.then(a.total_cmp(b)));
        rows.sort_by(|&a, &b| compare(&target_of(a), &target_of(b)));
        for same in rows.chunk_by(|&a, &b| target_of(a) == target_of(b)) {
            shown.rows.push(same[0]);
            shown.weights.push(same.iter().map(|&i| task.weight(i)).sum());
        }
    }
    Ok(shown)
}

impl Perceptron {
    fn most(&self) -> usize {
        if self.budget.integer() == 0 { usize::MAX } else { self.budget.integer() }
    }

    /// Makes passes over some rows of a task, continuing a stream. A first fit with a constant starts at the mean of
    /// the numbers, or at the first one of a stream, so that no answer depends on where 0 lies.
    fn learn(&self, task: &Task<'_>, shown: &Shown, first: usize, mut learnt: Learnt, passes: usize) -> Result<FittedPerceptron> {
        require_settled(self, Self::NAME)?;
        let origin = match task.target {
            Target::Numbers(y) if self.intercept && learnt.time == 0.0 && self.order == RowOrder::Drawn => {
                means(y, &shown.rows, &shown.weights)
            }
            // A stream knows no more than its first row.
            Target::Numbers(y) if self.intercept && learnt.time == 0.0 => {
                shown.rows.first().map_or(vec![0.0; y.cols()], |&i| y.row(i).to_vec())
            }
            target => vec![0.0; target.outputs()],
        };
        // The least mean squares rule asks for every row in every pass; the perceptron for few, but for the values among those that are
        // shown together. Whoever goes on with a stream asks once.
        let n = task.rows();
        let asks_for_all = learnt.time == 0.0 && (task.target.kind() == Kind::Numbers || n <= passes.saturating_mul(BLOCK));
        let is_kept = asks_for_all && task.gram()?.structure().held().is_none() && 8 * (n as u64).pow(2) <= task.control.room() / 4;
        let whole = if is_kept { Some(Dense::of(task.gram()?, task.control)?) } else { None };
        let gram = whole.as_ref().map_or(task.gram()?, |whole| whole as &dyn Gram);
        let y;
        let rule = match task.target {
            Target::Classes { codes, .. } => Rule::Perceptron(codes),
            _ => {
                let all = outputs(task, Self::NAME)?;
                y = Matrix::from_fn(all.rows(), all.cols(), |i, o| all[(i, o)] - origin[o]);
                Rule::LeastMeanSquares(&y, self.rate.number())
            }
        };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(task.seed);
        let orders = (0..passes).map(|_| {
            let mut order = shown.rows[first..].to_vec();
            if self.order == RowOrder::Drawn {
                order.shuffle(&mut random);
            }
            order
        });
        Stream::new(gram, rule, shown, self.intercept, self.most()).run(orders, &mut learnt, task.control)?;
        if learnt.coef.data().iter().any(|c| !c.is_finite() || c.abs() > 1e150) {
            return Err(Error::Numerical {
                what: "the least mean squares rule".into(),
                why: format!("coefficients grow without end at rate={}; it must lie below 2 / k(x, x)", self.rate),
            });
        }
        if task.target.kind() == Kind::Numbers {
            learnt.bias.iter_mut().zip(&origin).for_each(|(b, mean)| *b += mean);
        }
        self.fitted(task, learnt)
    }

    fn fitted(&self, task: &Task<'_>, learnt: Learnt) -> Result<FittedPerceptron> {
        let classes = classes(task.target);
        // A budget keeps no row for what has been; numbers follow the last vector.
        let vector = if self.most() < usize::MAX || classes.is_none() { Vector::Last } else { self.vector };
        let (coef, bias) = if vector == Vector::Averaged { learnt.mean() } else { (learnt.coef.clone(), learnt.bias.clone()) };
        let support: Vec<usize> = (0..task.rows())
            .filter(|&e| learnt.coef.row(e).iter().chain(coef.row(e)).chain(learnt.lag.row(e)).any(|c| *c != 0.0))
            .filter(|&e| vector != Vector::Last || coef.row(e).iter().any(|c| *c != 0.0))
            .collect();
        let mut place = vec![0; task.rows()];
        support.iter().enumerate().for_each(|(s, &i)| place[i] = s);
        let last = (vector == Vector::Averaged).then(|| (learnt.coef.select_rows(&support), learnt.bias.clone()));
        let mut expansion = Expansion::new(support.clone(), coef.select_rows(&support), bias);
        if vector == Vector::Last {
            expansion.weigh(task.gram()?, task.control)?;
        }
        let voted = vector == Vector::Voted;
        let changes = learnt.changes.iter().filter(|_| voted);
        let mut notes = Vec::new();
        if classes.is_some() {
            let (all, last) = learnt.mistakes;
            notes.push(match last {
                0 => format!("{all} mistakes on the way, and none in the last pass: the kernel separates the classes"),
                _ => format!("{all} mistakes on the way, {last} of them in the last pass"),
            });
        }
        if learnt.dropped > 0 {
            notes.push(format!("the budget took {} support rows away; the last vector predicts", learnt.dropped));
        }
        Ok(FittedPerceptron {
            last,
            changes: changes.clone().map(|c| (place[c.row], c.up, c.down)).collect(),
            weights: changes.map(|c| (c.weight, c.time)).collect(),
            seen: learnt.time,
            mistakes: learnt.mistakes.0,
            intercept: self.intercept,
            expansion,
            classes,
            summary: Summary {
                iterations: learnt.passes,
                converged: classes.is_none() || learnt.mistakes.1 == 0,
                notes,
                ..Summary::default()
            },
        })
    }

    /// The outputs of a target.
    fn width(task: &Task<'_>) -> usize {
        match task.target {
            Target::Classes { names, .. } if names.len() <= 2 => 1,
            target => target.outputs(),
        }
    }
}

impl Estimator for Perceptron {
    const NAME: &'static str = "perceptron";
    const DOC: &'static str = "online learning, row by row: the perceptron for classes, the least mean squares rule for numbers";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = FittedPerceptron;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::If("probabilities"), calibrated: When::If("probabilities"), ..Gives::VALUES }
    }

    /// Kernel rows, which are kept where memory allows, and what they add to all values: of numbers that of every row in each pass, of
    /// classes those of the rows that were taken for another class: a fifth of them, or three of ten where there are several.
    fn costs(&self, size: Size) -> Costs {
        let (n, outputs) = (size.rows as f64, size.outputs as f64);
        let passes = if self.passes.is_settled() { self.passes.number() } else { 10.0 };
        let changes = match (size.classes, size.outputs > 2) {
            (true, false) => 0.2,
            (true, true) => 0.6 * outputs,
            (false, _) => 1.1 * outputs,
        };
        Costs {
            bytes: 8 * size.rows as u64 * (40 + 6 * size.outputs as u64),
            kept_bytes: 8 * (size.rows as u64).pow(2),
            values: 1.5 * n * n,
            fit: 2.0 * PASSED * passes * changes * n * n,
            // Where no cache of the processor holds all values, passes wait for memory.
            pace: if size.classes { 1.0 } else { 3.0 },
            ..size.by_values().costs()
        }
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { learns_row_by_row: true, ..EstimatorFacts::default() }
    }

    fn uses(&self, param: &str, target: Kind) -> bool {
        if target == Kind::Classes { param != "rate" } else { param != "vector" && param != "probabilities" }
    }

    /// rate: half of what keeps one step from going too far.
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        let constant = if self.intercept { 1.0 } else { 0.0 };
        let most = task.gram()?.diagonal(Side::Rows).into_iter().fold(0.0f64, f64::max) + constant;
        Ok(if most > 0.0 && most.is_finite() { 0.5 / most } else { 0.5 })
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedPerceptron>) -> Result<Fit<FittedPerceptron>> {
        if let (Some(earlier), Some(known)) = (context.earlier, context.known) {
            return Ok(self.continued(task, earlier, known)?.into());
        }
        check(task, Self::NAME)?;
        outputs(task, Self::NAME)?;
        let shown = if self.order == RowOrder::Given { given(task) } else { by_content(task)? };
        let nothing = Learnt::nothing(task.rows(), Self::width(task));
        Ok(self.learn(task, &shown, 0, nothing, self.passes.integer())?.into())
    }
}

impl Perceptron {
    /// One pass over the rows after the first `known`, in their order.
    fn continued(&self, task: &Task<'_>, earlier: &FittedPerceptron, known: usize) -> Result<FittedPerceptron> {
        check(task, Self::NAME)?;
        outputs(task, Self::NAME)?;
        Error::unless_equal("support rows before the new ones", earlier.expansion.support.len(), known)?;
        Error::unless_equal("outputs of the model", earlier.expansion.bias.len(), Self::width(task))?;
        let shown = given(task);
        let mut learnt = Learnt::nothing(task.rows(), Self::width(task));
        let (last, bias) = match &earlier.last {
            Some((last, bias)) => (last, bias),
            None => (&earlier.expansion.coef, &earlier.expansion.bias),
        };
        learnt.bias.clone_from(bias);
        learnt.time = earlier.seen;
        // c - l / t is the mean: l = (c - mean) t.
        for s in 0..known {
            learnt.coef.row_mut(s).copy_from_slice(last.row(s));
            for o in 0..last.cols() {
                learnt.lag[(s, o)] = (last[(s, o)] - earlier.expansion.coef[(s, o)]) * earlier.seen;
            }
        }
        learnt.lag_bias = bias.iter().zip(&earlier.expansion.bias).map(|(last, mean)| (last - mean) * earlier.seen).collect();
        for (&(row, up, down), &(weight, time)) in earlier.changes.iter().zip(&earlier.weights) {
            learnt.changes.push(crate::solve::online::Change { row, up, down, weight, time });
        }
        learnt.mistakes.0 = earlier.mistakes;
        Perceptron { order: RowOrder::Given, ..self.clone() }.learn(task, &shown, known, learnt, 1)
    }
}

impl FittedPerceptron {
    /// Changes of the vector on the way, streams included.
    pub fn mistakes(&self) -> usize {
        self.mistakes
    }

    /// Votes of all vectors on the way for each class, as shares; of two classes those of the second less those of the first.
    fn votes(&self, query: &Query<'_>, classes: usize) -> Result<Matrix> {
        let (cross, Query { control, .. }) = (query.cross()?, *query);
        let (m, n) = cross.shape();
        let outputs = self.expansion.bias.len();
        let all: Vec<usize> = (0..n).collect();
        let mut out = Matrix::zeros(0, outputs);
        for start in (0..m).step_by(ROWS) {
            control.check()?;
            let rows: Vec<usize> = (start..(start + ROWS).min(m)).collect();
            let k = gram::dense(&Subset::new(cross, &rows, &all), control)?;
            let mut votes = Matrix::zeros(rows.len(), outputs);
            for i in 0..rows.len() {
                self.vote(k.row(i), votes.row_mut(i), classes);
            }
            out.append_rows(votes);
        }
        Ok(out)
    }

    /// The votes for one input from its kernel values.
    fn vote(&self, k: &[f64], votes: &mut [f64], classes: usize) {
        let constant = if self.intercept { 1.0 } else { 0.0 };
        let mut f = vec![0.0; votes.len()];
        for (c, (&(s, up, down), &(weight, time))) in self.changes.iter().zip(&self.weights).enumerate() {
            let by = weight * (k[s] + constant);
            if f.len() == 1 {
                f[0] += if up == 1 { by } else { -by };
            } else {
                f[up.min(classes - 1)] += by;
                f[down.min(classes - 1)] -= by;
            }
            let until = self.weights.get(c + 1).map_or(self.seen, |next| next.1);
            let share = (until - time) / self.seen.max(f64::MIN_POSITIVE);
            if f.len() == 1 {
                votes[0] += if f[0] > 0.0 { share } else { -share };
            } else {
                let best = (1..f.len()).fold(0, |best, r| if f[r] > f[best] { r } else { best });
                votes[best] += share;
            }
        }
    }
}

impl Fitted for FittedPerceptron {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let f = match self.classes {
            Some(classes) if !self.changes.is_empty() => {
                let (n, found) = (self.expansion.support.len(), query.cross()?.shape().1);
                Error::unless_equal("columns of the cross Gram matrix", n, found)?;
                Error::unless_equal("weights of changes", self.changes.len(), self.weights.len())?;
                if let Some((s, ..)) = self.changes.iter().find(|(s, ..)| *s >= n) {
                    return Err(Error::Shape { what: "support rows of a perceptron".into(), expected: n, found: s + 1 });
                }
                self.votes(query, classes)?
            }
            _ => self.expansion.predict(query.cross()?, query.control)?,
        };
        Ok(decide(f, self.classes, query.want))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.classes)
    }
    fn expansion(&self) -> Option<&Expansion> {
        self.changes.is_empty().then_some(&self.expansion)
    }
}

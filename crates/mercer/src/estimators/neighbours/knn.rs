//! The k nearest neighbours in feature space, for classes and for numbers.
//!
//! ```text
//! |phi(x_i) - phi(x)|^2 = k(x_i, x_i) + k(x, x) - 2 k(x_i, x)
//! ```
//!
//! Murphy (2012) 14.4.1, (14.30), or what [`Gram::fill_distances`] knows better; any similarity will do.
//!
//! Probabilities of classes are (votes + f) / (k + 1): the frequencies f of the classes count like one further neighbour (the
//! m-estimate with m = 1: Cestnik 1990, Estimating probabilities: a crucial task in machine learning). What votes are worth depends on
//! the table: unless `calibrated` is off, those probabilities of rows left out are calibrated.

use super::nearest::{NEARER, farther, farthest, smooth, tied_by_rounding};
use crate::blocks;
use crate::control::Control;
use crate::data::{Kind, Target, TargetInfo, absent};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Fit, FitContext, Fitted, FoundNeighbours, Gives, HeldOut, LeaveOneOut, Needs, Predicted,
    Predictions, Query, RowNotice, Scores, Size, Summary, Task, Want, When,
};
use crate::gram::{Block, Gram, Subset};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::param::{Value, require_settled};
use mercer_derive::{Choice, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// New inputs that one task looks at together, fewer where their kernel values would be more numbers than these.
const TILE: usize = 64;
const MOST: usize = 1 << 21;
/// Votes that differ by less than this share of k differ by rounding.
const EVEN: f64 = 1e-9;

/// Nearest neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Knn {
    /// number of neighbours; a row of weight 2 counts as two; without calibration a class has the probability (votes + its frequency) / (k
    /// + 1)
    #[param(domain = Integer(1, usize::MAX), search = 20.0)]
    pub k: Value,
    /// uniform: every neighbour counts alike; distance: by the inverse of its distance
    pub weights: NeighbourWeights,
    /// of classes with equal votes, nearest: the one with the nearest neighbour wins; first: the first of them
    #[serde(default)]
    pub ties: Ties,
    /// Whether probabilities are calibrated.
    #[param(default = true, doc = CALIBRATED)]
    #[serde(default)]
    pub calibrated: bool,
}

/// Which of the classes with equal votes wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The one with the nearest neighbour, then the lower code; its votes are raised by a millionth.
    #[default]
    Nearest,
    /// The one of the lowest code.
    First,
}

/// How much a neighbour counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourWeights {
    /// All alike.
    #[default]
    Uniform,
    /// By the inverse of its distance; those at distance 0 alone, where there are any.
    Distance,
}

/// Rows that a calibration learns from at most, and its operations for each row and class, where there are more than two.
const LEFT_OUT: f64 = 2000.0;
const CALIBRATION: f64 = 330.0;

impl Estimator for Knn {
    const NAME: &'static str = "knn";
    const DOC: &'static str = "nearest neighbours by kernel distance: votes for classes, means for numbers";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = FittedKnn;

    fn gives(&self) -> Gives {
        Gives {
            scores: Scores::Votes,
            probabilities: When::Always,
            calibrated: When::If("calibrated"),
            leave_one_out: LeaveOneOut::ClosedForm(When::Always),
            ..Gives::VALUES
        }
    }
    fn needs(&self) -> Needs {
        Needs::Symmetric
    }

    /// Shifts cancel in k(x, x) + k(z, z) - 2 k(x, z).
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts {
            ignores_shifts: true,
            uses_order_alone: self.weights == NeighbourWeights::Uniform,
            takes_weights_of_any_unit: true,
            ..EstimatorFacts::default()
        }
    }

    /// Fitting keeps the rows. Probabilities of classes are calibrated on rows left out, compared with all others, a block at a time.
    fn costs(&self, size: Size) -> Costs {
        let (n, costs) = (size.rows as f64, size.by_values().costs());
        if !size.classes {
            return Costs { bytes: 8 * (size.rows * (2 + size.outputs)) as u64, values: 0.0, fit: 0.0, ..costs };
        }
        let fit = if size.outputs > 2 { CALIBRATION * n * size.outputs as f64 } else { 0.0 };
        Costs { bytes: 8 * (size.rows * (140 + size.outputs)) as u64, values: n * n.min(LEFT_OUT), fit, ..costs }
    }

    /// 5, or all rows where there are fewer.
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        let total: f64 = (0..task.rows()).map(|i| task.weight(i)).sum();
        Ok(total.max(task.rows() as f64).floor().clamp(1.0, 5.0))
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedKnn>) -> Result<Fit<FittedKnn>> {
        let fitted = self.keep(task)?;
        if !context.wants_scores {
            return Ok(fitted.into());
        }
        let held_out = HeldOut::one_by_one_or(self, task, context.hold, |rows| {
            let some = Subset::new(task.gram()?, rows, &fitted.rows);
            let gram: &dyn Gram = if rows.len() == task.rows() { task.gram()? } else { &some };
            fitted.answered(&Query::new(gram, Want { probabilities: true, ..Want::default() }, task.control), Some(rows), None)
        })?;
        Ok(Fit { held_out: Some(held_out), ..fitted.into() })
    }

    /// Each row asks the others: nothing has to be fitted again.
    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        if task.rows() < 2 {
            return Err(Error::Data("knn: a row can be left out where there are two or more; there is 1".into()));
        }
        let (want, rows): (_, Vec<usize>) = (Want { probabilities: true, scores: true, ..Want::default() }, (0..task.rows()).collect());
        self.keep(task)?.answered(&Query::new(task.gram()?, want, task.control), Some(&rows), None).map(Some)
    }
}

impl Knn {
    /// Keeps the training rows and what they answer.
    fn keep(&self, task: &Task<'_>) -> Result<FittedKnn> {
        require_settled(self, Self::NAME)?;
        let n = task.rows();
        if task.target.rows() != n || n == 0 {
            return Err(Error::Shape { what: "rows of the target".into(), expected: n.max(1), found: task.target.rows() });
        }
        let answers = match task.target {
            Target::Classes { codes, names } => Answers::Classes { codes: codes.clone(), classes: names.len() },
            Target::Numbers(t) => Answers::Numbers(t.clone()),
            Target::Absent { .. } => return Err(absent(Self::NAME)),
        };
        let asked = self.k.number();
        let mut summary = Summary { converged: true, ..Summary::default() };
        let weights = match task.shares_as_counts(asked, &format!("k={}", self.k)) {
            Some((counts, said)) => {
                summary.warnings.push(said);
                counts
            }
            None => task.all_weights(),
        };
        let total = weights.iter().sum::<f64>();
        if asked > total {
            summary.notes.push(format!("k={} is more than the {n} rows there are: every row is a neighbour of every input", self.k));
        }
        let k = asked.min(total);
        let fitted = FittedKnn { k, weigh: self.weights, ties: self.ties, rows: (0..n).collect(), weights, answers, summary };
        fitted.check()?;
        Ok(fitted)
    }
}

/// What the training rows answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Answers {
    /// A class each.
    Classes {
        /// Code of each row's class.
        #[serde(with = "blocks::usizes")]
        codes: Vec<usize>,
        /// How many classes have names.
        classes: usize,
    },
    /// Numbers each: N x outputs.
    Numbers(Matrix),
}

/// Fitted nearest neighbours: all training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedKnn {
    /// Neighbours asked, by weight; no more than all of them.
    pub k: f64,
    weigh: NeighbourWeights,
    #[serde(default)]
    ties: Ties,
    #[serde(with = "blocks::usizes")]
    rows: Vec<usize>,
    #[serde(with = "blocks::f64s")]
    weights: Vec<f64>,
    answers: Answers,
    summary: Summary,
}

/// A training row that is asked.
struct Neighbour {
    row: usize,
    /// Its share in k.
    share: f64,
    /// How far it is, as [`Gram::fill_distances`] says.
    apart: f64,
}

impl FittedKnn {
    /// An error unless the parts fit together: they may come from a file.
    fn check(&self) -> Result<()> {
        let n = self.rows.len();
        let found = match &self.answers {
            Answers::Classes { codes, classes } => {
                if let Some(i) = codes.iter().position(|k| k >= classes) {
                    return Err(Error::Data(format!("row {}: class code {} has no name", i + 1, codes[i])));
                }
                codes.len()
            }
            Answers::Numbers(t) => t.rows(),
        };
        if found != n || self.weights.len() != n || n == 0 {
            return Err(Error::Shape {
                what: "rows of nearest neighbours".into(),
                expected: n.max(1),
                found: found.min(self.weights.len()),
            });
        }
        if !(self.k > 0.0 && self.weights.iter().all(|w| *w > 0.0 && w.is_finite())) {
            return Err(Error::Data("nearest neighbours: k and every weight must be above 0".into()));
        }
        Ok(())
    }

    /// The rows that may be neighbours of an input, by row: the `most` nearest and what lies as far as the last of them.
    fn candidates(apart: &[f64], most: usize, without: Option<usize>) -> Vec<(usize, f64)> {
        let farthest = farthest(apart, most);
        (0..apart.len()).filter(|&i| !farther(apart[i], farthest) && without != Some(i)).map(|i| (i, apart[i])).collect()
    }

    /// Share of each neighbour in `k`, out of candidates by row: nearest first until k are asked; rows as far as the last share
    /// what is left of k, so that neither the order of rows nor rounding plays a part.
    fn neighbours(&self, mut candidates: Vec<(usize, f64)>, k: f64) -> Vec<Neighbour> {
        candidates.sort_by(|a, b| a.1.total_cmp(&b.1));
        // The last group of rows that are equally far begins at `edge`, and `left` of k is its share.
        let (mut left, mut edge, mut mass, mut from) = (k, f64::INFINITY, 0.0, 0);
        while from < candidates.len() {
            edge = candidates[from].1;
            let group = candidates[from..].iter().take_while(|c| !farther(c.1, edge));
            let (count, heavy) = group.fold((0, 0.0), |(count, mass), c| (count + 1, mass + self.weights[c.0]));
            (from, mass) = (from + count.max(1), heavy);
            // Where all rows are asked, rounding must not leave the last of them without its share.
            if mass + EVEN * k >= left || from >= candidates.len() {
                break;
            }
            left -= mass;
        }
        candidates.truncate(from);
        candidates.sort_unstable_by_key(|(row, _)| *row);
        let part = (left / mass).min(1.0);
        let share = |row: usize, apart: f64| if apart < edge { self.weights[row] } else { part * self.weights[row] };
        candidates.into_iter().map(|(row, apart)| Neighbour { row, share: share(row, apart), apart }).collect()
    }

    /// The shares of neighbours by `weigh`, their sum kept.
    fn weigh(&self, neighbours: &mut [Neighbour], cross: &dyn Gram) {
        if self.weigh == NeighbourWeights::Uniform {
            return;
        }
        let total: f64 = neighbours.iter().map(|n| n.share).sum();
        let mut squares: Vec<f64> = neighbours.iter().map(|n| n.apart).collect();
        cross.squared_distances(&mut squares);
        squares.iter_mut().for_each(|d| *d = d.max(0.0));
        let meets = squares.contains(&0.0);
        for (n, d) in neighbours.iter_mut().zip(squares) {
            n.share *= if meets { f64::from(u8::from(d == 0.0)) } else { 1.0 / d.sqrt() };
        }
        let sum: f64 = neighbours.iter().map(|n| n.share).sum();
        neighbours.iter_mut().for_each(|n| n.share *= total / sum);
    }

    /// Votes of the `k` neighbours and the class that wins, so that its vote is the greatest: the first of the greatest by
    /// `Ties::First`, the only one by `Ties::Nearest`.
    fn votes(&self, neighbours: &[Neighbour], k: f64, codes: &[usize], classes: usize) -> (usize, Vec<f64>) {
        let mut votes = vec![0.0; classes];
        let mut nearest = vec![f64::INFINITY; classes];
        for n in neighbours {
            let class = codes[n.row];
            votes[class] += n.share;
            nearest[class] = nearest[class].min(n.apart);
        }
        let mut best = 0;
        for c in 1..classes {
            let even = (votes[c] - votes[best]).abs() <= EVEN * k;
            let nearer = self.ties == Ties::Nearest && farther(nearest[best], nearest[c]);
            if (even && nearer) || (!even && votes[c] > votes[best]) {
                best = c;
            }
        }
        match self.ties {
            Ties::First => votes[best] = votes.iter().copied().fold(0.0, f64::max),
            Ties::Nearest if (0..classes).any(|c| c != best && votes[c] >= votes[best] - EVEN * k) => votes[best] += NEARER * k,
            Ties::Nearest => {}
        }
        (best, votes)
    }

    /// Predictions for inputs whose neighbours were found elsewhere.
    pub fn predict_found(&self, found: &FoundNeighbours, want: Want, control: &Control) -> Result<Predictions> {
        self.answered(&Query::new(found, want, control), None, Some(found))
    }

    /// Predictions for M inputs from their M x N kernel values with the rows; those that are rows themselves, `own`, are answered by the
    /// others. Scores are votes, M x classes.
    fn answered(&self, query: &Query<'_>, own: Option<&[usize]>, found: Option<&FoundNeighbours>) -> Result<Predictions> {
        self.check()?;
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        let (m, n) = cross.shape();
        if n != self.rows.len() {
            return Err(Error::Shape { what: "columns of the Gram matrix".into(), expected: self.rows.len(), found: n });
        }
        let width = match &self.answers {
            Answers::Classes { classes, .. } => *classes,
            Answers::Numbers(t) => t.cols(),
        };
        let total: f64 = self.weights.iter().sum();
        let left_out = own.is_some() || found.is_some_and(|found| found.itself(0).is_some());
        let itself = |input: usize| found.map_or(own.map(|own| own[input]), |found| found.itself(input));
        let there = n - usize::from(left_out);
        // Weights of 1 and above need no more than k rows and what lies as far as the last of them.
        let whole = self.weights.iter().all(|w| *w >= 1.0);
        let most = if whole { (self.k.ceil() as usize).clamp(1, there) } else { there };
        let step = (MOST / n).clamp(1, TILE);
        let mut winners = vec![0usize; m];
        let mut tied = vec![false; m];
        let mut table = Matrix::zeros(m, width);
        let decided = winners.par_chunks_mut(step).zip(tied.par_chunks_mut(step));
        let tiles = decided.zip(table.data_mut().par_chunks_mut((step * width).max(1))).enumerate();
        tiles.try_for_each(|(t, ((winners, tied), table))| -> Result<()> {
            control.check_time("predictions")?;
            let inputs: Vec<usize> = (t * step..t * step + winners.len()).collect();
            let mut near = cross.nearest(&inputs, most + usize::from(left_out));
            let mut tile = Vec::new();
            if near.is_none() {
                tile.resize(inputs.len() * n, 0.0);
                cross.fill_distances(&inputs, 0..n, Block::new(&mut tile, inputs.len(), n));
            }
            for (i, &input) in inputs.iter().enumerate() {
                let without = itself(input);
                let candidates = match &mut near {
                    Some(lists) => {
                        let mut list = std::mem::take(&mut lists[i]);
                        list.retain(|(row, _)| without != Some(*row));
                        list
                    }
                    None => {
                        let apart = &mut tile[i * n..(i + 1) * n];
                        if apart.iter().fold(false, |broken, d| broken | d.is_nan()) {
                            return Err(Error::Numerical {
                                what: "nearest neighbours".into(),
                                why: format!("the kernel of new row {} is not a number; scale the columns", input + 1),
                            });
                        }
                        without.into_iter().for_each(|row| apart[row] = f64::INFINITY);
                        let candidates = Self::candidates(apart, most, without);
                        tied[i] = candidates.len() > most && tied_by_rounding(cross, input, &candidates);
                        candidates
                    }
                };
                let mut k = without.map_or(self.k, |row| self.k.min(total - self.weights[row]));
                let mut neighbours = match found.and_then(|found| found.shares(input)) {
                    Some(shares) => {
                        k = shares.iter().sum();
                        let given = candidates.into_iter().zip(shares);
                        given.map(|((row, apart), share)| Neighbour { row, share: *share, apart }).collect()
                    }
                    None => self.neighbours(candidates, k),
                };
                self.weigh(&mut neighbours, cross);
                let out = &mut table[i * width..(i + 1) * width];
                match &self.answers {
                    Answers::Classes { codes, classes } => {
                        let (best, votes) = self.votes(&neighbours, k, codes, *classes);
                        winners[i] = best;
                        out.copy_from_slice(&votes);
                    }
                    Answers::Numbers(targets) => {
                        for n in neighbours {
                            for (o, y) in out.iter_mut().zip(targets.row(n.row)) {
                                *o += n.share / k * y;
                            }
                        }
                    }
                }
            }
            Ok(())
        })?;
        let tied: Vec<usize> = (0..m).filter(|&i| tied[i]).collect();
        let notices = if tied.is_empty() { Vec::new() } else { vec![RowNotice { rows: tied, said: Notice::TiedByRounding }] };
        Ok(match &self.answers {
            Answers::Numbers(_) => Predictions { notices, ..Predictions::of(Predicted::Numbers(table)) },
            Answers::Classes { codes, classes } => {
                let probabilities = want.probabilities.then(|| {
                    let counts = self.counts(codes, *classes);
                    let mut p = table.clone();
                    for (i, &best) in winners.iter().enumerate() {
                        let mut others = counts.clone();
                        if let Some(row) = itself(i) {
                            others[codes[row]] -= self.weights[row];
                        }
                        smooth(p.row_mut(i), best, &others);
                    }
                    p
                });
                let scores = want.scores.then_some(table);
                Predictions { probabilities, scores, notices, ..Predictions::of(Predicted::Classes(winners)) }
            }
        })
    }

    /// The weight of the rows of each class and 1: a class without a row is not ruled out.
    fn counts(&self, codes: &[usize], classes: usize) -> Vec<f64> {
        let mut counts = vec![1.0; classes];
        codes.iter().zip(&self.weights).for_each(|(&c, w)| counts[c] += w);
        counts
    }
}

impl Fitted for FittedKnn {
    fn support(&self) -> &[usize] {
        &self.rows
    }

    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.answered(query, None, None)
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        let classes = match self.answers {
            Answers::Classes { classes, .. } => Some(classes),
            Answers::Numbers(_) => None,
        };
        Answer::of_target(target, classes)
    }
}

//! Machines that learn row by row, f(x) = sum_i c_i k(x_i, x) + b k_0 with k_0 = 1 where there is a constant, 0 where not:
//!
//! ```text
//! perceptron   where y f(x_i) <= 0:      c_i += w_i y             two classes, y = -1 or 1 (Rosenblatt 1958; Freund & Schapire 1999)
//!              where f_y <= f_r, r != y:  c_iy += w_i, c_ir -= w_i  several, r the greatest other (Crammer & Singer 2003)
//! least mean squares   c_i += (y - f(x_i)) (1 - (1 - rate q)^w_i) / q,   q = k(x_i, x_i) + k_0:   w_i steps of `lms` (S0 5.2-5.12)
//! ```
//!
//! The mean of all vectors on the way is c - l / t with l the changes times the time at which they were made. A budget holds
//! support rows to so many: the row goes that is classified best without itself (Crammer, Kandola & Singer 2004), or of numbers the
//! one whose own term |c_i| k(x_i, x_i)^1/2 is least.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Block, Gram, RowCache, Side, Subset, axpy};
use crate::linalg::{Matrix, count_passed};
use rayon::prelude::*;

/// Rows that are shown before the values of all rows follow their changes: kernel rows are computed together, by all threads.
pub const BLOCK: usize = 256;

/// What is learnt of each row.
pub enum Rule<'a> {
    /// Classes by their codes: of two one output, else one for each.
    Perceptron(&'a [usize]),
    /// Numbers (N x outputs) at a rate.
    LeastMeanSquares(&'a Matrix, f64),
}

/// Rows that are shown, each for all its copies.
pub struct Shown {
    /// In an order that decides between equal values.
    pub rows: Vec<usize>,
    /// One weight for each.
    pub weights: Vec<f64>,
}

/// A change of the vector: of two classes the output 0 rises (`up` = 1) or falls, of several `up` rises and `down` falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The row.
    pub row: usize,
    /// The correct class.
    pub up: usize,
    /// The class that it was taken for.
    pub down: usize,
    /// How much.
    pub weight: f64,
    /// The weight of the rows that were seen before.
    pub time: f64,
}

/// The state of a stream.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// c, N x outputs.
    pub coef: Matrix,
    /// b.
    pub bias: Vec<f64>,
    /// l, N x outputs.
    pub lag: Matrix,
    /// The l of b.
    pub lag_bias: Vec<f64>,
    /// The weight of the rows that were seen.
    pub time: f64,
    /// Changes in their order, of classes without a budget.
    pub changes: Vec<Change>,
    /// Changes of all passes, and of the last.
    pub mistakes: (usize, usize),
    /// Passes of this run.
    pub passes: usize,
    /// Support rows that a budget took away.
    pub dropped: usize,
}

impl Learnt {
    /// Nothing yet, of N rows.
    pub fn nothing(rows: usize, outputs: usize) -> Self {
        let zeros = || Matrix::zeros(rows, outputs);
        Learnt {
            coef: zeros(),
            bias: vec![0.0; outputs],
            lag: zeros(),
            lag_bias: vec![0.0; outputs],
            time: 0.0,
            changes: Vec::new(),
            mistakes: (0, 0),
            passes: 0,
            dropped: 0,
        }
    }

    /// The mean of the vectors on the way: coefficients and constants.
    pub fn mean(&self) -> (Matrix, Vec<f64>) {
        let t = self.time.max(f64::MIN_POSITIVE);
        let coef = Matrix::from_fn(self.coef.rows(), self.coef.cols(), |i, o| self.coef[(i, o)] - self.lag[(i, o)] / t);
        let bias = self.bias.iter().zip(&self.lag_bias).map(|(b, l)| b - l / t).collect();
        (coef, bias)
    }
}

/// Rows of a symmetric Gram matrix with what is learnt of them.
pub struct Stream<'a> {
    /// Kernel values.
    gram: &'a dyn Gram,
    rule: Rule<'a>,
    /// The weight of each row, 0 where it is not shown.
    weights: Vec<f64>,
    /// The place of each row among those that are shown.
    place: Vec<usize>,
    /// Whether there is a constant.
    constant: f64,
    /// Support rows at most.
    budget: usize,
    diagonal: Vec<f64>,
    /// The place of each class in the order of their first rows, which decides between equal values.
    rank: Vec<usize>,
    /// f of all rows without its constants, N x outputs.
    f: Matrix,
}

impl<'a> Stream<'a> {
    /// Of a Gram matrix among N rows, of which some are shown.
    pub fn new(gram: &'a dyn Gram, rule: Rule<'a>, shown: &Shown, constant: bool, budget: usize) -> Self {
        let (diagonal, constant) = (gram.diagonal(Side::Rows), if constant { 1.0 } else { 0.0 });
        let (mut weights, mut place) = (vec![0.0; diagonal.len()], vec![usize::MAX; diagonal.len()]);
        for (at, (&i, &weight)) in shown.rows.iter().zip(&shown.weights).enumerate() {
            (weights[i], place[i]) = (weight, at);
        }
        let mut rank = Vec::new();
        if let Rule::Perceptron(codes) = &rule {
            rank = vec![usize::MAX; codes.iter().max().map_or(0, |most| most + 1)];
            for (&code, &at) in codes.iter().zip(&place) {
                rank[code] = rank[code].min(at);
            }
        }
        Stream { gram, rule, weights, place, constant, budget, diagonal, rank, f: Matrix::zeros(0, 0) }
    }

    /// Makes passes over the rows in the given orders, continuing the stream; stops after a pass without a change.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn run(&mut self, orders: impl Iterator<Item = Vec<usize>>, learnt: &mut Learnt, control: &Control) -> Result<()> {
        let bytes = if self.gram.structure().held().is_some() { 0 } else { control.room() / 4 };
        let mut cache: RowCache<'_, f64> = RowCache::new(self.gram, bytes);
        self.f = Matrix::zeros(learnt.coef.rows(), learnt.coef.cols());
        let known: Vec<usize> = (0..learnt.coef.rows()).filter(|&i| learnt.coef.row(i).iter().any(|c| *c != 0.0)).collect();
        for rows in known.chunks(BLOCK) {
            self.spread(rows, &learnt.coef.select_rows(rows), &mut cache, control)?;
        }
        // A row that a budget takes away changes the values of the next one.
        let block = if self.budget == usize::MAX { BLOCK } else { 1 };
        for order in orders {
            let mut changed = 0;
            for rows in order.chunks(block) {
                control.check()?;
                let (some, changes) = self.show(rows, learnt)?;
                changed += some.len();
                let mut spread = self.spread(&some, &changes, &mut cache, control);
                if self.budget < usize::MAX && !some.is_empty() {
                    spread = spread.and(self.keep_within(learnt, &mut cache, control));
                }
                match spread {
                    // Nothing comes after it.
                    Err(Error::Time { .. }) if control.out_of_time() => break,
                    other => other?,
                }
                // What was learnt so far stands: a pass over many rows takes long.
                if control.out_of_time() {
                    break;
                }
            }
            learnt.mistakes = (learnt.mistakes.0 + changed, changed);
            learnt.passes += 1;
            control.tell("passes over the rows", learnt.passes, 0);
            if changed == 0 || control.out_of_time() {
                break;
            }
        }
        Ok(())
    }

    /// f += K changes for changes of some rows, one row of `changes` each.
    fn spread(&mut self, some: &[usize], changes: &Matrix, cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        // Values that follow together.
        const PART: usize = 2048;
        let (outputs, most) = (changes.cols(), cache.capacity());
        for (some, first) in some.chunks(most).zip((0..).step_by(most)) {
            let rows: Vec<&[f64]> = match self.gram.structure().held() {
                Some(all) => some.iter().map(|&i| all.row(i)).collect(),
                None => cache.rows(some, control)?,
            };
            self.f.data_mut().par_chunks_mut(PART * outputs).enumerate().for_each(|(part, f)| {
                let (start, width) = (part * PART, f.len() / outputs);
                for (c, row) in rows.iter().enumerate() {
                    let (change, row) = (changes.row(first + c), &row[start..start + width]);
                    if let [change] = change {
                        axpy(*change, row, f);
                        continue;
                    }
                    count_passed(2 * outputs * width);
                    for (f, k) in f.chunks_exact_mut(outputs).zip(row) {
                        f.iter_mut().zip(change).for_each(|(f, c)| *f += c * k);
                    }
                }
            });
        }
        Ok(())
    }

    /// f of a row with its constants, where b is so.
    fn value(&self, f: &[f64], bias: &[f64]) -> Vec<f64> {
        f.iter().zip(bias).map(|(f, b)| f + self.constant * b).collect()
    }

    /// The change that a row asks for, if any, where its values are so.
    fn asked(&self, i: usize, f: &[f64], bias: &[f64], change: &mut [f64]) -> Option<(usize, usize)> {
        let f = self.value(f, bias);
        match &self.rule {
            Rule::Perceptron(codes) => {
                let (y, w) = (codes[i], self.weights[i]);
                if let [f] = *f {
                    let sign = if y == 1 { 1.0 } else { -1.0 };
                    change[0] = w * sign;
                    return (sign * f <= 0.0).then_some((y, 1 - y.min(1)));
                }
                let rank = |class: usize| self.rank.get(class).copied().unwrap_or(usize::MAX);
                let above = |a: usize, b: usize| f[a] > f[b] || (f[a] == f[b] && rank(a) < rank(b));
                let other = (0..f.len()).filter(|r| *r != y).reduce(|best, r| if above(r, best) { r } else { best })?;
                (change[y], change[other]) = (w, -w);
                (f[y] <= f[other]).then_some((y, other))
            }
            Rule::LeastMeanSquares(y, rate) => {
                let q = self.diagonal[i] + self.constant;
                let steps = if q > 0.0 { (1.0 - power(1.0 - rate * q, self.weights[i])) / q } else { rate * self.weights[i] };
                change.iter_mut().zip(y.row(i)).zip(f).for_each(|((c, y), f)| *c = steps * (y - f));
                change.iter().any(|c| *c != 0.0).then_some((0, 0))
            }
        }
    }

    /// Shows rows one after the other: those that asked for a change, and their changes. Their values follow each change; those of all
    /// other rows have to follow it later.
    fn show(&self, rows: &[usize], learnt: &mut Learnt) -> Result<(Vec<usize>, Matrix)> {
        let (count, outputs) = (rows.len(), learnt.bias.len());
        let mut among = Matrix::zeros(count, count);
        // A row by itself changes the values of no other.
        if count > 1 {
            let (laid_out, some) = (self.gram.gathered(rows), Subset::new(self.gram, rows, rows));
            laid_out.as_deref().unwrap_or(&some).fill(0..count, 0..count, Block::new(among.data_mut(), count, count));
        }
        let mut values = self.f.select_rows(rows);
        let (mut some, mut changes) = (Vec::new(), Matrix::zeros(0, outputs));
        let mut change = Matrix::zeros(1, outputs);
        for (at, &i) in rows.iter().enumerate() {
            change.data_mut().fill(0.0);
            if let Some((up, down)) = self.asked(i, values.row(at), &learnt.bias, change.data_mut()) {
                for (o, c) in change.data().iter().enumerate() {
                    learnt.coef[(i, o)] += c;
                    learnt.lag[(i, o)] += learnt.time * c;
                    learnt.bias[o] += self.constant * c;
                    learnt.lag_bias[o] += learnt.time * self.constant * c;
                }
                for (later, k) in (at + 1..count).zip(&among.row(at)[at + 1..]) {
                    values.row_mut(later).iter_mut().zip(change.data()).for_each(|(f, c)| *f += c * k);
                }
                if self.budget == usize::MAX && matches!(self.rule, Rule::Perceptron(_)) {
                    learnt.changes.push(Change { row: i, up, down, weight: self.weights[i], time: learnt.time });
                }
                some.push(i);
                changes.append_rows(change.clone());
            }
            learnt.time += self.weights[i];
        }
        Ok((some, changes))
    }

    /// Takes a support row away where there are too many.
    fn keep_within(&mut self, learnt: &mut Learnt, cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        let mut support: Vec<usize> = (0..learnt.coef.rows()).filter(|i| learnt.coef.row(*i).iter().any(|c| *c != 0.0)).collect();
        if support.len() <= self.budget {
            return Ok(());
        }
        let spare = |&i: &usize| {
            let (own, k) = (learnt.coef.row(i), self.diagonal[i]);
            match &self.rule {
                Rule::Perceptron(codes) => {
                    let without: Vec<f64> = self.value(self.f.row(i), &learnt.bias).iter().zip(own).map(|(f, c)| f - c * k).collect();
                    match without.as_slice() {
                        [f] => {
                            if codes[i] == 1 {
                                *f
                            } else {
                                -f
                            }
                        }
                        several => {
                            let others = several.iter().enumerate().filter(|(r, _)| *r != codes[i]).map(|(_, f)| *f);
                            several[codes[i]] - others.fold(f64::NEG_INFINITY, f64::max)
                        }
                    }
                }
                Rule::LeastMeanSquares(..) => -own.iter().map(|c| c * c).sum::<f64>() * k,
            }
        };
        support.sort_by_key(|&i| self.place[i]);
        let worth: Vec<f64> = support.iter().map(spare).collect();
        let gone = support[(1..support.len()).fold(0, |best, s| if worth[s] > worth[best] { s } else { best })];
        let back = Matrix::from_fn(1, learnt.coef.cols(), |_, o| -learnt.coef[(gone, o)]);
        learnt.coef.row_mut(gone).fill(0.0);
        learnt.dropped += 1;
        self.spread(&[gone], &back, cache, control)
    }
}

/// x^w for a w above 0 that need not be whole: what changes sign at every step does so at every whole step.
fn power(x: f64, w: f64) -> f64 {
    let size = x.abs().powf(w);
    if x < 0.0 && w.round() % 2.0 == 1.0 { -size } else { size }
}

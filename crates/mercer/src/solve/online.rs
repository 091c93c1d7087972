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
use crate::error::Result;
use crate::gram::{Gram, RowCache, Side, axpy};
use crate::linalg::{Matrix, count_passed};

/// What is learnt of each row.
pub enum Rule<'a> {
    /// Classes by their codes: of two one output, else one for each.
    Perceptron(&'a [usize]),
    /// Numbers (N x outputs) at a rate.
    LeastMeanSquares(&'a Matrix, f64),
}

/// A change of the vector: of two classes the output 0 rises (`up` = 1) or falls, of several `up` rises and `down` falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The row.
    pub row: usize,
    /// The class that was right.
    pub up: usize,
    /// The class that it was taken for.
    pub down: usize,
    /// How much.
    pub weight: f64,
    /// The weight of the rows that were seen before.
    pub time: f64,
}

/// Where a stream has come to.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// c, N x outputs.
    pub coef: Matrix,
    /// b.
    pub bias: Vec<f64>,
    /// l and that of b.
    pub lag: Matrix,
    /// As above.
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
    weights: &'a [f64],
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
    /// Rows with their weights (N).
    pub fn new(gram: &'a dyn Gram, rule: Rule<'a>, weights: &'a [f64], constant: bool, budget: usize) -> Self {
        let diagonal = gram.diagonal(Side::Rows);
        let mut rank = Vec::new();
        if let Rule::Perceptron(codes) = &rule {
            rank = vec![usize::MAX; codes.iter().max().map_or(0, |most| most + 1)];
            for (i, &code) in codes.iter().enumerate() {
                rank[code] = rank[code].min(i);
            }
        }
        Stream { gram, rule, weights, constant: if constant { 1.0 } else { 0.0 }, budget, diagonal, rank, f: Matrix::zeros(0, 0) }
    }

    /// Goes over rows in an order, pass after pass, from where a stream has come to; ends with a pass without a change.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn run(&mut self, orders: impl Iterator<Item = Vec<usize>>, learnt: &mut Learnt, control: &Control) -> Result<()> {
        let mut cache: RowCache<'_, f64> = RowCache::new(self.gram, control.room() / 4);
        self.f = Matrix::zeros(learnt.coef.rows(), learnt.coef.cols());
        for i in 0..learnt.coef.rows() {
            let change = learnt.coef.row(i).to_vec();
            self.spread(i, &change, &mut cache, control)?;
        }
        for order in orders {
            let mut changed = 0;
            for i in order {
                if self.visit(i, learnt, &mut cache, control)? {
                    changed += 1;
                    // What was learnt so far stands: a pass over many rows takes long.
                    if control.out_of_time() {
                        break;
                    }
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

    /// f += k(., x_i) change.
    fn spread(&mut self, i: usize, change: &[f64], cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        if change.iter().all(|c| *c == 0.0) {
            return Ok(());
        }
        let (gram, outputs) = (self.gram, change.len());
        let row = match gram.held() {
            Some(all) => all.row(i),
            None => cache.rows(&[i], control)?[0],
        };
        if let [change] = change {
            axpy(*change, row, self.f.data_mut());
            return Ok(());
        }
        count_passed(2 * outputs * row.len());
        for (f, k) in self.f.data_mut().chunks_exact_mut(outputs).zip(row) {
            f.iter_mut().zip(change).for_each(|(f, c)| *f += c * k);
        }
        Ok(())
    }

    /// f of a row, where b is so.
    fn value(&self, i: usize, bias: &[f64]) -> Vec<f64> {
        self.f.row(i).iter().zip(bias).map(|(f, b)| f + self.constant * b).collect()
    }

    /// The change that a row asks for, if any.
    fn asked(&self, i: usize, bias: &[f64], change: &mut [f64]) -> Option<(usize, usize)> {
        let f = self.value(i, bias);
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

    /// Shows a row; whether it changed anything.
    fn visit(&mut self, i: usize, learnt: &mut Learnt, cache: &mut RowCache<'_, f64>, control: &Control) -> Result<bool> {
        control.check()?;
        let mut change = vec![0.0; learnt.bias.len()];
        let asked = self.asked(i, &learnt.bias, &mut change);
        if let Some((up, down)) = asked {
            for (o, c) in change.iter().enumerate() {
                learnt.coef[(i, o)] += c;
                learnt.lag[(i, o)] += learnt.time * c;
                learnt.bias[o] += self.constant * c;
                learnt.lag_bias[o] += learnt.time * self.constant * c;
            }
            self.spread(i, &change, cache, control)?;
            if self.budget == usize::MAX {
                if matches!(self.rule, Rule::Perceptron(_)) {
                    learnt.changes.push(Change { row: i, up, down, weight: self.weights[i], time: learnt.time });
                }
            } else {
                self.keep_within(learnt, cache, control)?;
            }
        }
        learnt.time += self.weights[i];
        Ok(asked.is_some())
    }

    /// Takes a support row away where there are too many.
    fn keep_within(&mut self, learnt: &mut Learnt, cache: &mut RowCache<'_, f64>, control: &Control) -> Result<()> {
        let support: Vec<usize> = (0..learnt.coef.rows()).filter(|i| learnt.coef.row(*i).iter().any(|c| *c != 0.0)).collect();
        if support.len() <= self.budget {
            return Ok(());
        }
        let spare = |&i: &usize| {
            let (own, k) = (learnt.coef.row(i), self.diagonal[i]);
            match &self.rule {
                Rule::Perceptron(codes) => {
                    let without: Vec<f64> = self.value(i, &learnt.bias).iter().zip(own).map(|(f, c)| f - c * k).collect();
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
        let worth: Vec<f64> = support.iter().map(spare).collect();
        let gone = support[(1..support.len()).fold(0, |best, s| if worth[s] > worth[best] { s } else { best })];
        let back: Vec<f64> = learnt.coef.row(gone).iter().map(|c| -c).collect();
        learnt.coef.row_mut(gone).fill(0.0);
        learnt.dropped += 1;
        self.spread(gone, &back, cache, control)
    }
}

/// x^w for a w above 0 that need not be whole: what changes sign at every step does so at every whole step.
fn power(x: f64, w: f64) -> f64 {
    let size = x.abs().powf(w);
    if x < 0.0 && w.round() % 2.0 == 1.0 { -size } else { size }
}

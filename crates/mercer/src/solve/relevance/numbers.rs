//! Numbers t = Phi w + noise of the variance 1 / beta, the columns and t multiplied by the roots of the weights of rows.
//!
//! All is computed in an orthonormal basis of the columns that are kept: z_m are the coordinates of a column there, o_m the squared length
//! of what lies outside, tau and t_o the same of the targets.
//! ```text
//! G = (I + beta Z'A^-1 Z)^-1 = L L',  y_m = L'z_m,  h = L'tau
//! S_m = beta (o_m + |y_m|^2),  Q_m = beta (phi_m't_o + y_m'h)
//! s = S and q = Q of a column that is not there; of one that is, s = S / (1 - S / alpha) and q = Q / (1 - S / alpha)
//! -2 log p(t) = rows log(2 pi / beta) - log |G| + beta (|t_o|^2 + |h|^2)
//! ```
//! S is a sum of squares: however much of a column the others explain, what is left keeps its digits.

mod joined;
mod starts;

use super::root::{Measured, identity, turned};
use super::span::{Columns, Span};
use super::{Change, MOST_CHANGES, NONE, Relevance, TOLERANCE, best, better, gain, joint};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, product_transposed_within, transposed_product_within};

/// The targets.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    /// Multiplied by the roots of the weights of rows.
    pub targets: &'a [f64],
    /// The rows that the noise is estimated from.
    pub rows: f64,
    /// What the log evidence has beside that of the targets as they are.
    pub constant: f64,
    /// Variance of the targets, where noise and alphas begin.
    pub variance: f64,
    /// The least variance that the noise may have.
    pub least_noise: f64,
}

/// Where a search begins and what it may take.
pub struct Plan<'a> {
    /// Columns to begin from besides, ascending.
    pub first: &'a [usize],
    /// Columns that may stay.
    pub most: usize,
    /// Starts, of which the one of the greatest evidence counts.
    pub starts: usize,
    /// Seed of random starts.
    pub seed: u64,
}

#[derive(Clone)]
struct NumberSearch<'a> {
    columns: Columns<'a>,
    numbers: Numbers<'a>,
    span: Span<'a>,
    beta: f64,
    active: Vec<usize>,
    /// 1 / alpha.
    x: Vec<f64>,
    /// y of every column, b x P.
    turned: Matrix,
    tau: Vec<f64>,
    h: Vec<f64>,
    /// What of the targets lies outside, and its products with all columns.
    rest: Vec<f64>,
    of_rest: Vec<f64>,
    s: Vec<f64>,
    q: Vec<f64>,
    evidence: f64,
}

/// The relevance vector machine of some columns: of several starts the one that ends with the greatest evidence, and then columns in
/// exchange for others while that raises it.
///
/// # Errors
/// On request of `control`.
pub fn numbers(columns: Columns<'_>, numbers: Numbers<'_>, plan: &Plan<'_>, control: &Control) -> Result<Relevance> {
    let mut kept = None;
    let ended = starts::search(columns, numbers, plan, &mut kept, control);
    match (ended, kept) {
        // What there was before the step in which time was up.
        (Err(Error::Time { .. }), Some(kept)) => Ok(kept),
        (ended, _) => ended,
    }
}

impl<'a> NumberSearch<'a> {
    fn new(columns: Columns<'a>, numbers: Numbers<'a>, control: &Control) -> Result<Self> {
        let p = columns.values.rows();
        let mut state = NumberSearch {
            columns,
            numbers,
            span: Span::new(columns),
            beta: 10.0 / numbers.variance,
            active: Vec::new(),
            x: Vec::new(),
            turned: Matrix::zeros(0, p),
            tau: Vec::new(),
            h: Vec::new(),
            rest: numbers.targets.to_vec(),
            of_rest: vec![0.0; p],
            s: Vec::new(),
            q: Vec::new(),
            evidence: f64::NEG_INFINITY,
        };
        state.look_at_rest(control)?;
        state.update(control)?;
        Ok(state)
    }

    /// Changes, estimates of the noise and numbers settled together until nothing is left; the gain that a change would still bring.
    fn climb(&mut self, most: usize, changes: &mut usize, control: &Control) -> Result<f64> {
        // Times that columns may come or go once all numbers were settled.
        const SETTLINGS: usize = 50;
        // Changes between two estimates of the noise, at least; with many columns a quarter of their number.
        const BETWEEN: usize = 10;
        // Joint steps of all numbers where the best change is of an alpha that is there.
        const JOINTLY: usize = 3;
        // Joint steps in vain until what is left is called rounding: the certificate says how much that is.
        const IN_VAIN: usize = 10;
        // Evidence added up over changes and evidence computed directly may differ by this share of it.
        const DRIFT: f64 = 1e-9;
        let (mut since, mut gain, mut settled, mut between, mut in_vain) = (0, f64::INFINITY, 0, BETWEEN, 0);
        let last = *changes + MOST_CHANGES;
        while *changes < last && !control.out_of_time() {
            control.check()?;
            let mut change = self.best_change(self.active.len() < most, None);
            gain = change.gain.max(0.0);
            if gain > TOLERANCE && change.x > 0.0 && self.active.binary_search(&change.column).is_ok() {
                let before = self.evidence;
                self.settle(JOINTLY, control)?;
                (*changes, since) = (*changes + 1, 0);
                if self.evidence > before + TOLERANCE {
                    continue;
                }
                in_vain += 1;
                if in_vain > IN_VAIN {
                    break;
                }
                change = self.best_change(self.active.len() < most, None);
                gain = change.gain.max(0.0);
            }
            if gain > TOLERANCE {
                self.apply(change, control)?;
                (*changes, since) = (*changes + 1, since + 1);
                if since < between.max(if between < BETWEEN { 0 } else { self.active.len() / 4 }) {
                    continue;
                }
                since = 0;
                let reached = self.evidence;
                let root = self.solve();
                if (reached - self.evidence).abs() > DRIFT * reached.abs().max(1.0) {
                    between = (between / 2).max(1);
                }
                self.estimate_noise(&root, control)?;
                continue;
            }
            // What is left moves all numbers together: one after another they would take long.
            self.settle(joint::STEPS, control)?;
            gain = self.best_change(self.active.len() < most, None).gain.max(0.0);
            if gain <= TOLERANCE || settled == SETTLINGS {
                break;
            }
            settled += 1;
        }
        if self.active.len() >= most {
            gain = gain.max(self.best_change(true, None).gain);
        }
        Ok(gain)
    }

    /// Everything that follows from the active columns, their alphas and beta.
    fn update(&mut self, control: &Control) -> Result<()> {
        let root = self.solve();
        self.turn(&root, control)
    }

    /// y of every column by L, with S and Q.
    fn turn(&mut self, root: &Matrix, control: &Control) -> Result<()> {
        self.turned = transposed_product_within(root, &self.span.coordinates, control)?;
        self.look();
        Ok(())
    }

    /// L, with h and the evidence: one column after another is measured.
    fn solve(&mut self) -> Matrix {
        let mut root = identity(self.span.size());
        let mut log_det = 0.0;
        for (&column, x) in self.active.iter().zip(&self.x) {
            if let Some(measured) = Measured::new(turned(&root, &self.span.of(column)), self.beta * x) {
                log_det += measured.factor.ln();
                measured.shrink(&mut root);
            }
        }
        self.h = turned(&root, &self.tau);
        let square = dot(&self.rest, &self.rest) + dot(&self.h, &self.h);
        let rows = self.numbers.rows * (std::f64::consts::TAU / self.beta).ln();
        self.evidence = self.numbers.constant - 0.5 * (rows + log_det + self.beta * square);
        root
    }

    /// S and Q of every column.
    fn look(&mut self) {
        let beta = self.beta;
        self.s.clone_from(&self.span.outside);
        self.q.clone_from(&self.of_rest);
        for (j, h) in self.h.iter().enumerate() {
            let row = self.turned.row(j);
            self.s.iter_mut().zip(row).for_each(|(s, y)| *s += y * y);
            axpy(*h, row, &mut self.q);
        }
        self.s.iter_mut().chain(&mut self.q).for_each(|v| *v *= beta);
    }

    /// s and q of an active column as if it were not there.
    fn without(&self, k: usize) -> (f64, f64) {
        // The least share that 1 - S / alpha is taken for.
        const LEAST_SHARE: f64 = 1e-15;
        let column = self.active[k];
        let share = (1.0 - self.x[k] * self.s[column]).max(LEAST_SHARE);
        (self.s[column] / share, self.q[column] / share)
    }

    /// The change of one alpha that adds most, of any column but one or of those that are there.
    fn best_change(&self, any: bool, but: Option<usize>) -> Change {
        let mut place = vec![usize::MAX; self.s.len()];
        self.active.iter().enumerate().for_each(|(k, &a)| place[a] = k);
        let change = |column: usize| {
            let (mut s, mut q, mut x) = (self.s[column], self.q[column], 0.0);
            if let Some(at) = self.x.get(place[column]) {
                (s, q) = self.without(place[column]);
                x = *at;
            } else if q * q <= s || !any || but == Some(column) || !self.span.is_more_than_rounding(column, s / self.beta) {
                return NONE;
            }
            let to = best(&[s], &[q]);
            Change { column, x: to, gain: gain(&[s], &[q], x, to) }
        };
        (0..self.s.len()).map(change).filter(|c| c.gain.is_finite()).fold(NONE, better)
    }

    /// A change of one alpha, and what follows by rank one.
    fn apply(&mut self, change: Change, control: &Control) -> Result<()> {
        let place = self.active.iter().position(|&a| a == change.column);
        let from = place.map_or(0.0, |k| self.x[k]);
        match place {
            Some(k) if change.x > 0.0 => self.x[k] = change.x,
            Some(k) => {
                self.active.remove(k);
                self.x.remove(k);
            }
            None => {
                self.widen(change.column, control)?;
                let k = self.active.partition_point(|&a| a < change.column);
                self.active.insert(k, change.column);
                self.x.insert(k, change.x);
            }
        }
        let y = self.turned.col(change.column);
        match Measured::new(y, self.beta * (change.x - from)) {
            Some(measured) => {
                measured.shrink_columns(&mut self.turned);
                measured.shrink_vector(&mut self.h);
                self.evidence += change.gain;
                self.look();
                Ok(())
            }
            None => self.update(control),
        }
    }

    /// The direction of a column that comes joins the basis, where it is a new one.
    fn widen(&mut self, column: usize, control: &Control) -> Result<()> {
        if self.span.outside[column] == 0.0 {
            return Ok(());
        }
        let Some(direction) = self.span.extend(column, control)? else { return Ok(()) };
        let along = dot(direction, &self.rest);
        axpy(-along, direction, &mut self.rest);
        self.tau.push(along);
        self.h.push(along);
        let last = self.span.coordinates.row(self.span.size() - 1).to_vec();
        self.turned.append_rows(Matrix::new(1, last.len(), last)?);
        self.look_at_rest(control)
    }

    fn look_at_rest(&mut self, control: &Control) -> Result<()> {
        let rest = Matrix::new(1, self.rest.len(), self.rest.clone())?;
        self.of_rest = product_transposed_within(self.columns.values, &rest, control)?.into_data();
        Ok(())
    }

    /// beta = (rows - gamma) / |t - Phi mu|^2 with gamma = sum_a S_a / alpha_a (MacKay 1992), or, where that lowers the evidence, the step
    /// of expectation and maximisation, which never does. `root`: L as it is.
    fn estimate_noise(&mut self, root: &Matrix, control: &Control) -> Result<()> {
        let (before, evidence) = (self.beta, self.evidence);
        let left: f64 = (0..root.rows()).map(|i| dot(root.row(i), &self.h).powi(2)).sum();
        let (error, gamma) = (dot(&self.rest, &self.rest) + left, self.determined());
        let rows = self.numbers.rows;
        for beta in [(rows - gamma).max(1e-3) / error, rows / (error + gamma / before)] {
            self.beta = beta.min(1.0 / self.numbers.least_noise);
            let root = self.solve();
            if self.evidence >= evidence {
                return self.turn(&root, control);
            }
        }
        self.beta = before;
        self.update(control)
    }

    /// gamma: how many numbers the targets determine.
    fn determined(&self) -> f64 {
        self.active.iter().zip(&self.x).map(|(&a, x)| (x * self.s[a]).clamp(0.0, 1.0)).sum()
    }
}

#[cfg(test)]
mod tests;

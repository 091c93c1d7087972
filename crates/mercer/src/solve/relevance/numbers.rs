//! Numbers t = Phi w + noise, the noise of row i with the variance 1 / (beta omega_i). A row of weight omega is omega equal rows.
//!
//! ```text
//! H = A + beta Phi_a'Omega Phi_a,  mu = beta H^-1 Phi_a'Omega t,  S_m = beta phi_m'Omega phi_m - beta^2 v_m'H^-1 v_m,
//! Q_m = beta phi_m'Omega (t - Phi_a mu),  v_m = Phi_a'Omega phi_m
//! s = S and q = Q of a column that is not there; of one that is, s = 1 / [H^-1]_kk - alpha_k and q = mu_k / [H^-1]_kk
//! -2 log p(t) = sum_i omega_i log(2 pi / beta) + log |H| - sum log alpha + beta (t'Omega t - mu'Phi_a'Omega t)
//! ```

use super::joint::{self, End, Noise};
use super::products::Products;
use super::{Change, MOST_CHANGES, NONE, Relevance, SPANNED, TOLERANCE, UNDETERMINED, best, better, gain};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix, combined_rows, product_within, transposed_product_within};

/// Times that columns may come or go once all numbers were settled.
const SETTLINGS: usize = 50;
/// Changes between two estimates of the noise, at least; with many columns a quarter of their number.
const BETWEEN: usize = 10;
/// Times that a joint step is made shorter at most, and the length from which on it is taken whole.
const HALVINGS: usize = 20;
const SHORT: f64 = 1e-5;
/// The least variance of the noise, as a share of that of the target: below lies rounding.
const LEAST_NOISE: f64 = 1e-10;

struct State<'a> {
    phi: &'a Matrix,
    t: &'a [f64],
    omega: &'a [f64],
    /// phi_m'Omega phi_m and phi_m'Omega t of every column.
    own: Vec<f64>,
    with_target: Vec<f64>,
    beta: f64,
    active: Vec<usize>,
    alpha: Vec<f64>,
    /// phi_a and Phi'Omega phi_a for each active column.
    columns: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
    waiting: Products<'a>,
    covariance: Matrix,
    mean: Vec<f64>,
    s: Vec<f64>,
    q: Vec<f64>,
    evidence: f64,
}

/// The relevance vector machine of some columns (N x P), targets and weights of rows, from no column or from the ones of `first`,
/// ascending. The variance of the targets tells where noise and alphas begin. No more than `most` columns stay.
pub fn numbers(
    phi: &Matrix,
    t: &[f64],
    omega: &[f64],
    variance: f64,
    first: &[usize],
    most: usize,
    control: &Control,
) -> Result<Relevance> {
    let (n, p) = (phi.rows(), phi.cols());
    let mut own = vec![0.0; p];
    for (row, w) in phi.data().chunks_exact(p).zip(omega) {
        own.iter_mut().zip(row).for_each(|(o, v)| *o += w * v * v);
    }
    let weighed = Matrix::column((0..n).map(|i| omega[i] * t[i]).collect());
    let with_target = transposed_product_within(phi, &weighed, control)?.into_data();
    let mut state = State {
        phi,
        t,
        omega,
        own,
        with_target,
        beta: 10.0 / variance,
        active: Vec::new(),
        alpha: Vec::new(),
        columns: Vec::new(),
        products: Vec::new(),
        waiting: Products::new(phi, omega),
        covariance: Matrix::zeros(0, 0),
        mean: Vec::new(),
        s: Vec::new(),
        q: Vec::new(),
        evidence: f64::NEG_INFINITY,
    };
    let total: f64 = omega.iter().sum();
    for &column in first.iter().take(most) {
        // Functions of the column alone then have the variance of the targets.
        let alpha = state.own[column] / (total * variance);
        if alpha > 0.0 {
            state.active.push(column);
            state.alpha.push(alpha);
        }
    }
    state.columns = state.active.iter().map(|&a| phi.col(a)).collect();
    state.products = state.waiting.of(&state.active, control)?;
    state.update(control)?;
    let mut kept = None;
    let ended = state.search(LEAST_NOISE * variance, most, &mut kept, control);
    match (ended, kept) {
        // What there was before the step in which time was up.
        (Err(Error::Time { .. }), Some(kept)) => Ok(kept),
        (ended, _) => ended,
    }
}

impl State<'_> {
    /// Changes, estimates of the noise that is no less than `least`, and numbers settled together until nothing is left. `kept` is what was
    /// found before the last long step.
    fn search(&mut self, least: f64, most: usize, kept: &mut Option<Relevance>, control: &Control) -> Result<Relevance> {
        let (mut changes, mut since, mut gain, mut settled) = (0, 0, f64::INFINITY, 0);
        while changes < MOST_CHANGES && !control.out_of_time() {
            control.check()?;
            let change = self.best_change(self.active.len() < most);
            gain = change.gain.max(0.0);
            if gain > TOLERANCE {
                self.apply(change, control)?;
                (changes, since) = (changes + 1, since + 1);
                if since < BETWEEN.max(self.active.len() / 4) {
                    continue;
                }
                since = 0;
                *kept = Some(self.found(changes, gain));
                self.estimate_noise(least, control)?;
                continue;
            }
            // What is left moves all numbers together: one after another they would take long.
            *kept = Some(self.found(changes, gain));
            self.settle(least, control)?;
            gain = self.best_change(self.active.len() < most).gain.max(0.0);
            if gain <= TOLERANCE || settled == SETTLINGS {
                break;
            }
            settled += 1;
        }
        if self.active.len() >= most {
            gain = gain.max(self.best_change(true).gain);
        }
        Ok(self.found(changes, gain))
    }

    /// Everything that follows from the active columns, their alphas and beta.
    fn update(&mut self, control: &Control) -> Result<()> {
        let (m, beta) = (self.active.len(), self.beta);
        self.s = self.own.iter().map(|v| beta * v).collect();
        self.q = self.with_target.iter().map(|v| beta * v).collect();
        self.evidence = self.solved(control)?;
        if m > 0 {
            let products = Matrix::new(m, self.own.len(), self.products.concat())?;
            let covered = product_within(&self.covariance, &products, control)?;
            for (a, own) in self.products.iter().enumerate() {
                let values = self.s.iter_mut().zip(own).zip(covered.row(a));
                values.for_each(|((s, p), v)| *s -= beta * beta * p * v);
                axpy(-beta * self.mean[a], own, &mut self.q);
            }
        }
        Ok(())
    }

    /// The log of the marginal likelihood, once covariance and mean are found.
    fn solved(&mut self, control: &Control) -> Result<f64> {
        let log_det = self.solve(control)?;
        let square: f64 = self.t.iter().zip(self.omega).map(|(t, w)| w * t * t).sum();
        let fitted: f64 = self.active.iter().zip(&self.mean).map(|(&a, mu)| mu * self.with_target[a]).sum();
        let alphas: f64 = self.alpha.iter().map(|a| a.ln()).sum();
        let rows: f64 = self.omega.iter().sum();
        Ok(-0.5 * (rows * (std::f64::consts::TAU / self.beta).ln() + log_det - alphas + self.beta * (square - fitted)))
    }

    /// Covariance and mean of the weights of the active columns; log |H|.
    fn solve(&mut self, control: &Control) -> Result<f64> {
        let (m, beta) = (self.active.len(), self.beta);
        if m == 0 {
            (self.covariance, self.mean) = (Matrix::zeros(0, 0), Vec::new());
            return Ok(0.0);
        }
        let mut h = Matrix::from_fn(m, m, |a, b| beta * self.products[a.min(b)][self.active[a.max(b)]]);
        h.add_to_diagonal(&self.alpha);
        let factor = Cholesky::new(h, control)?;
        let log_det = factor.log_det();
        self.covariance = factor.into_inverse(control)?;
        let target: Vec<f64> = self.active.iter().map(|&a| self.with_target[a]).collect();
        self.mean = (0..m).map(|a| beta * dot(self.covariance.row(a), &target)).collect();
        Ok(log_det)
    }

    /// |t - Phi mu|^2 by the weights of the rows.
    fn error(&self, control: &Control) -> Result<f64> {
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        let fitted = combined_rows(&columns, &self.mean, self.t.len(), control)?;
        Ok(self.t.iter().zip(fitted).zip(self.omega).map(|((t, f), w)| w * (t - f).powi(2)).sum())
    }

    /// gamma: how many numbers the targets determine. Of each a share from 0 to 1, which rounding may leave.
    fn determined(&self) -> f64 {
        self.alpha.iter().zip(self.covariance.diagonal()).map(|(alpha, v)| (1.0 - alpha * v).clamp(0.0, 1.0)).sum()
    }

    /// The change of one alpha that adds most, of any column or of those that are there.
    fn best_change(&self, any: bool) -> Change {
        let mut place = vec![usize::MAX; self.own.len()];
        self.active.iter().enumerate().for_each(|(k, &a)| place[a] = k);
        let change = |column: usize| {
            let (mut s, mut q, mut x) = (self.s[column], self.q[column], 0.0);
            if place[column] == usize::MAX && q * q <= s {
                return NONE;
            }
            if place[column] != usize::MAX {
                let k = place[column];
                (s, q) = self.without(k);
                x = 1.0 / self.alpha[k];
            } else if !any || s <= SPANNED * self.beta * self.own[column] {
                return NONE;
            }
            let to = best(&[s], &[q]);
            Change { column, x: to, gain: gain(&[s], &[q], x, to) }
        };
        (0..self.own.len()).map(change).filter(|c| c.gain.is_finite()).fold(NONE, better)
    }

    /// A change of one alpha, and what follows by rank one (Tipping & Faul 2003, appendix): of a column that comes with the covariance c
    /// of the others, of one that is there with its own column of H^-1.
    fn apply(&mut self, change: Change, control: &Control) -> Result<()> {
        self.evidence += change.gain;
        let place = self.active.iter().position(|&a| a == change.column);
        match place {
            Some(k) => {
                let along = self.covariance.col(k);
                let (variance, mean) = (along[k], self.mean[k]);
                let stays = change.x > 0.0;
                let share = if stays { 1.0 / (variance + 1.0 / (1.0 / change.x - self.alpha[k])) } else { 1.0 / variance };
                let seen = self.seen(&along, control)?;
                self.shift(&along, &seen, -share, -share * mean);
                if stays {
                    self.alpha[k] = 1.0 / change.x;
                } else {
                    self.remove(k);
                }
            }
            None => self.insert(change.column, 1.0 / change.x, control)?,
        }
        Ok(())
    }

    /// beta V'u of weights u of the active columns.
    fn seen(&self, u: &[f64], control: &Control) -> Result<Vec<f64>> {
        let products: Vec<&[f64]> = self.products.iter().map(Vec::as_slice).collect();
        let by: Vec<f64> = u.iter().map(|u| self.beta * u).collect();
        combined_rows(&products, &by, self.own.len(), control)
    }

    /// H^-1 + share u u' and mu + by u, with S and Q.
    fn shift(&mut self, u: &[f64], seen: &[f64], share: f64, by: f64) {
        self.move_weights(u, share, by);
        self.s.iter_mut().zip(seen).for_each(|(s, e)| *s -= share * e * e);
        axpy(-by, seen, &mut self.q);
    }

    /// H^-1 + share u u' and mu + by u.
    fn move_weights(&mut self, u: &[f64], share: f64, by: f64) {
        for (a, u_a) in u.iter().enumerate() {
            axpy(share * u_a, u, self.covariance.row_mut(a));
        }
        axpy(by, u, &mut self.mean);
    }

    fn remove(&mut self, k: usize) {
        self.covariance.take_out(k);
        let (column, product) = (self.active.remove(k), self.products.remove(k));
        self.waiting.keep(column, product);
        self.columns.remove(k);
        self.alpha.remove(k);
        self.mean.remove(k);
    }

    /// Columns that would add to the evidence, with a number that grows with what they would.
    fn promising(&self) -> Vec<(usize, f64)> {
        let adds = |&m: &usize| {
            let (s, q) = (self.s[m], self.q[m]);
            q * q > s && s > SPANNED * self.beta * self.own[m] && self.active.binary_search(&m).is_err()
        };
        (0..self.own.len()).filter(adds).map(|m| (m, self.q[m].powi(2) / self.s[m])).collect()
    }

    fn insert(&mut self, column: usize, alpha: f64, control: &Control) -> Result<()> {
        let promising = self.promising();
        let product = self.waiting.take(column, promising, control)?;
        let (m, variance) = (self.active.len(), 1.0 / (alpha + self.s[column]));
        let mean = variance * self.q[column];
        let with: Vec<f64> = self.active.iter().map(|&a| self.beta * product[a]).collect();
        let c: Vec<f64> = (0..m).map(|a| dot(self.covariance.row(a), &with)).collect();
        let mut left = self.seen(&c, control)?;
        left.iter_mut().zip(&product).for_each(|(e, p)| *e = self.beta * p - *e);
        self.s.iter_mut().zip(&left).for_each(|(s, e)| *s -= variance * e * e);
        axpy(-mean, &left, &mut self.q);
        let k = self.active.partition_point(|&a| a < column);
        self.covariance.make_room(k);
        let mut u: Vec<f64> = c.iter().map(|c| -c).collect();
        u.insert(k, 1.0);
        self.mean.insert(k, 0.0);
        self.move_weights(&u, variance, mean);
        self.products.insert(k, product);
        self.columns.insert(k, self.phi.col(column));
        self.active.insert(k, column);
        self.alpha.insert(k, alpha);
        Ok(())
    }

    /// beta = (sum omega - gamma) / |t - Phi mu|^2 with gamma = sum_a (1 - alpha_a [H^-1]_aa) (MacKay 1992), or, where that lowers the
    /// evidence, the step of expectation and maximisation, which never does; how far its log moved.
    fn estimate_noise(&mut self, least: f64, control: &Control) -> Result<f64> {
        let (before, evidence) = (self.beta, self.evidence);
        let (error, gamma) = (self.error(control)?, self.determined());
        let rows: f64 = self.omega.iter().sum();
        let steps = [(rows - gamma).max(1e-3) / error, rows / (error + gamma / before)];
        for beta in steps {
            self.beta = beta.min(1.0 / least);
            self.update(control)?;
            if self.evidence >= evidence {
                return Ok((self.beta / before).ln().abs());
            }
        }
        self.beta = before;
        self.update(control)?;
        Ok(0.0)
    }

    /// All alphas and beta at their best together; columns that are better left out go on the way.
    fn settle(&mut self, least: f64, control: &Control) -> Result<()> {
        let rows: f64 = self.omega.iter().sum();
        let (mut evidence, mut end) = (self.evidence, End::new());
        for _ in 0..joint::STEPS {
            control.check()?;
            if self.leave_idle_out() {
                evidence = self.solved(control)?;
            }
            let noise = Noise { rows, error: self.beta * self.error(control)? };
            // Noise that is the least there may be, and would be less, stays.
            let held = self.beta >= 1.0 / least && self.determined() + noise.error <= rows;
            let weights = Matrix::column(self.mean.clone());
            let mut step = joint::step(&self.alpha, &self.covariance, &weights, (!held).then_some(&noise), control)?;
            let (alpha, beta) = (self.alpha.clone(), self.beta);
            for _ in 0..HALVINGS {
                self.alpha = alpha.iter().zip(&step.logs).map(|(a, log)| a * log.exp()).collect();
                self.beta = step.logs.get(alpha.len()).map_or(beta, |log| (beta * log.exp()).min(1.0 / least));
                let moved = self.solved(control)?;
                // Values are too coarse to tell of a short step.
                if moved >= evidence || joint::greatest(&step.logs) <= SHORT {
                    evidence = moved;
                    break;
                }
                step.logs.iter_mut().for_each(|log| *log *= 0.25);
            }
            if end.reached(&step) {
                break;
            }
        }
        self.update(control)
    }

    /// s and q of a column that is there.
    fn without(&self, k: usize) -> (f64, f64) {
        let variance = self.covariance[(k, k)];
        ((1.0 / variance - self.alpha[k]).max(0.0), self.mean[k] / variance)
    }

    /// Takes out the columns that are better left out, the one that is determined least first; whether there were any. What the others
    /// are then follows by rank one; s and q of columns that are not there are left as they were.
    fn leave_idle_out(&mut self) -> bool {
        let before = self.active.len();
        while let Some(k) = self.idle() {
            let along = self.covariance.col(k);
            let (variance, mean) = (along[k], self.mean[k]);
            self.move_weights(&along, -1.0 / variance, -mean / variance);
            self.remove(k);
        }
        self.active.len() < before
    }

    /// The column that is determined least of those that are better left out.
    fn idle(&self) -> Option<usize> {
        let determined = |k: usize| 1.0 - self.alpha[k] * self.covariance[(k, k)];
        let goes = |k: &usize| {
            let (s, q) = self.without(*k);
            determined(*k) < UNDETERMINED || best(&[s], &[q]) <= 0.0
        };
        (0..self.active.len()).filter(goes).min_by(|a, b| determined(*a).total_cmp(&determined(*b)))
    }

    fn found(&self, changes: usize, gain: f64) -> Relevance {
        Relevance {
            columns: self.active.clone(),
            weights: Matrix::column(self.mean.clone()),
            covariance: self.covariance.clone(),
            alpha: self.alpha.clone(),
            noise: 1.0 / self.beta,
            evidence: self.evidence,
            changes,
            gain,
            tolerance: TOLERANCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> (Matrix, Vec<f64>) {
        let x: Vec<f64> = (0..50).map(|i| f64::from(i) / 5.0 - 5.0).collect();
        let phi = Matrix::from_fn(50, 51, |i, j| if j == 50 { 1.0 } else { (-0.5 * (x[i] - x[j]).powi(2)).exp() });
        let t = x.iter().enumerate().map(|(i, x)| (2.0 * x).sin() / (0.5 + x.abs()) + 0.05 * (12.9898 * i as f64).sin()).collect();
        (phi, t)
    }

    /// log N(t; 0, C), C = noise I + Phi_a A^-1 Phi_a', by N x N.
    fn direct(phi: &Matrix, t: &[f64], found: &Relevance) -> f64 {
        let n = t.len();
        let among = |i: usize, j: usize| {
            let each = found.columns.iter().zip(&found.alpha).map(|(&a, alpha)| phi[(i, a)] * phi[(j, a)] / alpha);
            each.sum::<f64>() + if i == j { found.noise } else { 0.0 }
        };
        let c = Cholesky::new(Matrix::from_fn(n, n, among), &Control::default()).unwrap();
        let z = c.solve(&Matrix::column(t.to_vec()), &Control::default()).unwrap();
        -0.5 * (n as f64 * std::f64::consts::TAU.ln() + c.log_det() + dot(t, z.data()))
    }

    // spec: M13
    #[test]
    fn the_evidence_never_falls_and_is_that_of_the_targets_themselves() {
        let (phi, t) = problem();
        let control = Control::default();
        let ones = vec![1.0; 50];
        let found = numbers(&phi, &t, &ones, 0.3, &[], usize::MAX, &control).unwrap();
        let whole = direct(&phi, &t, &found);
        assert!((found.evidence - whole).abs() <= 1e-8 * whole.abs(), "{} {whole}", found.evidence);
        assert!(found.columns.len() > 2 && found.columns.len() < 20 && found.gain <= TOLERANCE);
        // Step by step.
        let mut state = State {
            phi: &phi,
            t: &t,
            omega: &ones,
            own: (0..51).map(|m| phi.col(m).iter().map(|v| v * v).sum()).collect(),
            with_target: (0..51).map(|m| dot(&phi.col(m), &t)).collect(),
            beta: 30.0,
            active: Vec::new(),
            alpha: Vec::new(),
            columns: Vec::new(),
            products: Vec::new(),
            waiting: Products::new(&phi, &ones),
            covariance: Matrix::zeros(0, 0),
            mean: Vec::new(),
            s: Vec::new(),
            q: Vec::new(),
            evidence: 0.0,
        };
        state.update(&control).unwrap();
        for step in 0..80 {
            let (before, change) = (state.evidence, state.best_change(true));
            state.apply(change, &control).unwrap();
            // What a change is said to add is what it adds.
            assert!((state.evidence - before - change.gain).abs() <= 1e-8 * before.abs().max(1.0), "step {step}");
            let after = state.evidence;
            state.estimate_noise(1e-12, &control).unwrap();
            assert!(state.evidence >= after);
        }
    }

    // Every column that is left out has q^2 <= s, every one that stays its stationary alpha = s^2 / (q^2 - s).
    // spec: M14
    #[test]
    fn columns_that_stay_are_stationary_and_those_that_are_left_out_add_nothing() {
        let (phi, t) = problem();
        let found = numbers(&phi, &t, &[1.0; 50], 0.3, &[], usize::MAX, &Control::default()).unwrap();
        for m in 0..51 {
            // C without column m, by N x N.
            let mut others = found.clone();
            let place = found.columns.iter().position(|&a| a == m);
            if let Some(k) = place {
                others.columns.remove(k);
                others.alpha.remove(k);
            }
            let n = t.len();
            let among = |i: usize, j: usize| {
                let each = others.columns.iter().zip(&others.alpha).map(|(&a, alpha)| phi[(i, a)] * phi[(j, a)] / alpha);
                each.sum::<f64>() + if i == j { found.noise } else { 0.0 }
            };
            let c = Cholesky::new(Matrix::from_fn(n, n, among), &Control::default()).unwrap();
            let z = c.solve(&Matrix::column(phi.col(m)), &Control::default()).unwrap();
            let (s, q) = (dot(&phi.col(m), z.data()), dot(&t, z.data()));
            match place {
                Some(k) => {
                    let stationary = s * s / (q * q - s);
                    assert!((found.alpha[k] / stationary - 1.0).abs() <= 0.02, "{m}: {} {stationary}", found.alpha[k]);
                }
                // What is added in log evidence is below the tolerance.
                None => assert!(q * q <= s * (1.0 + 5e-3), "{m}: {} {s}", q * q),
            }
        }
    }
}

//! All alphas and the noise at their best together, and the posterior of the weights. Weights are in units of their own standard
//! deviations before the targets, so that all their alphas are 1.

use super::super::joint::{self, End, Noise};
use super::super::root::{Measured, identity, turned};
use super::super::{Relevance, TOLERANCE, UNDETERMINED, best};
use super::NumberSearch;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, gramian_within};

/// A root of the covariance of the weights, and their mean.
struct Posterior {
    root: Matrix,
    mean: Vec<f64>,
}

impl Posterior {
    /// The posterior given that weight k is 0.
    fn without(mut self, k: usize) -> Self {
        let y = self.root.row(k).to_vec();
        let (square, own) = (dot(&y, &y), self.mean[k]);
        for a in 0..self.root.rows() {
            let share = dot(self.root.row(a), &y) / square;
            axpy(-share, &y, self.root.row_mut(a));
            self.mean[a] -= share * own;
        }
        let others: Vec<usize> = (0..self.mean.len()).filter(|a| *a != k).collect();
        self.mean.remove(k);
        Posterior { root: self.root.select_rows(&others), mean: self.mean }
    }
}

impl NumberSearch<'_> {
    /// The posterior of the weights: one direction of the basis after another is measured.
    fn posterior(&self) -> Posterior {
        let m = self.active.len();
        let (mut root, mut mean) = (identity(m), vec![0.0; m]);
        for (j, tau) in self.tau.iter().enumerate() {
            let z: Vec<f64> = self.active.iter().zip(&self.x).map(|(&a, x)| x.sqrt() * self.span.coordinates[(j, a)]).collect();
            let surprise = tau - dot(&z, &mean);
            if let Some(measured) = Measured::new(turned(&root, &z), self.beta) {
                let share = self.beta * surprise / measured.factor;
                (0..m).for_each(|a| mean[a] += share * dot(root.row(a), &measured.y));
                measured.shrink(&mut root);
            }
        }
        Posterior { root, mean }
    }

    /// All alphas and beta at their best together; columns that are better left out go on the way.
    pub(super) fn settle(&mut self, steps: usize, control: &Control) -> Result<()> {
        // Times that a joint step is made shorter at most, and the length from which on it is taken whole.
        const HALVINGS: usize = 20;
        const SHORT: f64 = 1e-5;
        let (rows, most) = (self.numbers.rows, 1.0 / self.numbers.least_noise);
        let mut end = End::new();
        self.solve();
        for _ in 0..steps {
            control.check()?;
            let mut posterior = self.posterior();
            let before = self.active.len();
            while let Some(k) = self.idle(&posterior) {
                self.active.remove(k);
                self.x.remove(k);
                posterior = posterior.without(k);
            }
            if self.active.len() < before {
                self.solve();
            }
            let mut evidence = self.evidence;
            let error = self.beta * self.error(&posterior);
            let covariance = gramian_within(&posterior.root, control)?;
            let determined = self.active.len() as f64 - covariance.diagonal().iter().sum::<f64>();
            let noise = Noise { rows, error };
            // Noise that is the least there may be, and would be less, stays.
            let held = self.beta >= most && determined + error <= rows;
            let (ones, weights) = (vec![1.0; self.active.len()], Matrix::column(posterior.mean));
            let mut step = joint::step(&ones, &covariance, &weights, (!held).then_some(&noise), control)?;
            let (x, beta) = (self.x.clone(), self.beta);
            let mut made = false;
            for _ in 0..HALVINGS {
                self.x = x.iter().zip(&step.logs).map(|(x, log)| x * (-log).exp()).collect();
                self.beta = step.logs.get(x.len()).map_or(beta, |log| (beta * log.exp()).min(most));
                self.solve();
                // Values are too coarse to tell of a short step.
                if self.evidence >= evidence || joint::greatest(&step.logs) <= SHORT {
                    evidence = self.evidence;
                    made = true;
                    break;
                }
                step.logs.iter_mut().for_each(|log| *log *= 0.25);
            }
            if !made {
                (self.x, self.beta) = (x, beta);
                self.solve();
            }
            debug_assert!(evidence.is_finite());
            if !made || end.reached(&step) {
                break;
            }
        }
        self.update(control)
    }

    /// |t - Phi mu|^2.
    fn error(&self, posterior: &Posterior) -> f64 {
        let mut left = self.tau.clone();
        for ((&a, x), mean) in self.active.iter().zip(&self.x).zip(&posterior.mean) {
            axpy(-x.sqrt() * mean, &self.span.of(a), &mut left);
        }
        dot(&self.rest, &self.rest) + dot(&left, &left)
    }

    /// The column that is determined least of those that are better left out.
    fn idle(&self, posterior: &Posterior) -> Option<usize> {
        let variance = |k: usize| dot(posterior.root.row(k), posterior.root.row(k));
        let goes = |k: &usize| {
            let v = variance(*k);
            // s and q, in the same units.
            1.0 - v < UNDETERMINED || best(&[1.0 / v - 1.0], &[posterior.mean[*k] / v]) <= 0.0
        };
        (0..self.active.len()).filter(goes).max_by(|a, b| variance(*a).total_cmp(&variance(*b)))
    }

    pub(super) fn found(&self, changes: usize, gain: f64) -> Relevance {
        let Posterior { mut root, mean } = self.posterior();
        for (a, x) in self.x.iter().enumerate() {
            root.row_mut(a).iter_mut().for_each(|v| *v *= x.sqrt());
        }
        Relevance {
            columns: self.active.clone(),
            weights: Matrix::column(mean.iter().zip(&self.x).map(|(w, x)| w * x.sqrt()).collect()),
            constant: Vec::new(),
            root,
            alpha: self.x.iter().map(|x| 1.0 / x).collect(),
            noise: 1.0 / self.beta,
            evidence: self.evidence,
            changes,
            gain,
            tolerance: TOLERANCE,
        }
    }
}

//! All alphas at their best together, the mode held for each step; columns that are better left out go on the way.

use super::{ClassSearch, DECREMENT};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, eigh};
use crate::solve::relevance::joint::{self, End};
use crate::solve::relevance::{Change, UNDETERMINED, best};

impl ClassSearch<'_> {
    /// H^-1, its places by column and then by output.
    fn covariance(&self, control: &Control) -> Result<Matrix> {
        let Some(factor) = self.factor.clone() else { return Ok(Matrix::zeros(0, 0)) };
        let (mut inverse, outputs) = (factor.into_inverse(control)?, self.outputs());
        for (a, (alpha, common)) in self.alpha.iter().zip(&self.common).enumerate() {
            let less = common / (alpha * (alpha + common)) / outputs as f64;
            let places = a * outputs..(a + 1) * outputs;
            places.clone().for_each(|c| places.clone().for_each(|d| inverse[(c, d)] += less));
        }
        Ok(inverse)
    }

    /// All alphas at their best together, until a step promises no more than `enough`; columns that are better left out go on the way.
    pub(super) fn settle(&mut self, enough: f64, control: &Control) -> Result<()> {
        self.decrement = DECREMENT;
        let mut end = End::new();
        for _ in 0..joint::STEPS {
            control.check()?;
            if self.active.is_empty() || control.out_of_time() {
                break;
            }
            let covariance = self.covariance(control)?;
            let idle = self.idle(&covariance, control)?;
            if let Some(first) = idle.first() {
                // Each by itself is better left out: half of them are, where the evidence says so of these together.
                let half = &idle[..idle.len().div_ceil(2)];
                if half.len() == 1 || !self.tries(0.0, |state| state.apply(half, control))? {
                    self.apply(&[*first], control)?;
                }
                continue;
            }
            let step = joint::step(&self.alpha, &covariance, &self.weights, None, control)?;
            self.go_by(&step.logs, control)?;
            if end.reached(&step) || step.promise <= enough {
                break;
            }
        }
        Ok(())
    }

    /// Adds to the logarithms of all alphas.
    fn go_by(&mut self, logs: &[f64], control: &Control) -> Result<()> {
        self.alpha.iter_mut().zip(logs).for_each(|(a, log)| *a *= log.exp());
        self.find_mode(control)
    }

    /// Moves all alphas together where that adds at least `gain`.
    pub(super) fn rises(&mut self, gain: f64, control: &Control) -> Result<bool> {
        self.tries(gain, |state| {
            let covariance = state.covariance(control)?;
            let step = joint::step(&state.alpha, &covariance, &state.weights, None, control)?;
            state.go_by(&step.logs, control)
        })
    }

    /// What takes out the columns that are better left out, those that are determined least first. Of a column that is there,
    /// s = 1 / l - alpha and q = u'w / l along the eigenvectors u of its block of the covariance with the eigenvalues l.
    fn idle(&self, covariance: &Matrix, control: &Control) -> Result<Vec<Change>> {
        let (outputs, mut all) = (self.outputs(), Vec::new());
        for (k, alpha) in self.alpha.iter().enumerate() {
            let block = Matrix::from_fn(outputs, outputs, |c, d| covariance[(k * outputs + c, k * outputs + d)]);
            let determined = outputs as f64 - alpha * block.diagonal().iter().sum::<f64>();
            let (values, vectors) = if outputs == 1 { (block.data().to_vec(), Matrix::column(vec![1.0])) } else { eigh(block, control)? };
            let s: Vec<f64> = values.iter().map(|l| (1.0 / l - alpha).max(0.0)).collect();
            let along = |e: usize| (0..outputs).map(|c| vectors[(c, e)] * self.weights[(k, c)]).sum::<f64>();
            let q: Vec<f64> = (0..outputs).map(|e| along(e) / values[e]).collect();
            if determined < UNDETERMINED || best(&s, &q) <= 0.0 {
                all.push((determined, Change { column: self.active[k], x: 0.0, gain: 0.0 }));
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(all.into_iter().map(|(_, change)| change).collect())
    }
}

//! min over b of 1/2 (b - a)'H(b - a) - g'(b - a) + lambda sum_j |b_j|: the model of one Newton step of one output.
//!
//! Sweeps over the numbers (soft thresholds) find which of them are 0, and Newton steps on the others, cut where the first of them
//! reaches 0, end in digits that sweeps over correlated columns would take thousands of.

use super::conditions::{Patience, violation};
use crate::control::Control;
use crate::error::Result;
use crate::gram::axpy;
use crate::linalg::Matrix;
use crate::solve::active_factor::ActiveFactor;

/// The model.
pub(super) struct Quadratic<'a> {
    /// H.
    pub(super) h: &'a Matrix,
    pub(super) lambda: f64,
}

impl Quadratic<'_> {
    /// The minimum, from a, where g = `slope`; every condition is met within `tolerance`, as far as rounding lets it.
    ///
    /// First sweeps, which change many numbers at once; then, one by one, the one that violates its condition most is let in and the
    /// minimum over those that are not 0 is found anew (feature-sign search: Lee, Battle, Raina & Ng 2007).
    /// `factor`: of H, as an earlier minimum left it.
    pub(super) fn minimise(
        &self,
        a: &[f64],
        slope: &[f64],
        tolerance: f64,
        factor: &mut ActiveFactor,
        control: &Control,
    ) -> Result<Vec<f64>> {
        // Rounds of sweeps.
        const ROUNDS: usize = 4;
        // Sweeps of a round.
        const SWEEPS: usize = 6;
        let (mut b, mut r) = (a.to_vec(), slope.to_vec());
        let mut patience = Patience::new(20 + b.len() / 4);
        for round in 0..ROUNDS + 4 * b.len() {
            control.check()?;
            if round < ROUNDS {
                for _ in 0..SWEEPS {
                    (0..b.len()).for_each(|j| self.step(j, &mut b, &mut r));
                }
            } else {
                let of = |j: usize| self.violation(b[j], r[j]);
                let Some(most) = (0..b.len()).max_by(|j, k| of(*j).total_cmp(&of(*k))) else { break };
                self.step(most, &mut b, &mut r);
            }
            self.settle(&mut b, &mut r, factor, tolerance, control)?;
            let worst = b.iter().zip(&r).map(|(b, r)| self.violation(*b, *r)).fold(0.0, f64::max);
            if worst <= tolerance || patience.is_lost(worst) || control.out_of_time() {
                break;
            }
        }
        Ok(b)
    }

    /// Newton steps until the numbers that are not 0 meet their conditions.
    fn settle(&self, b: &mut [f64], r: &mut [f64], factor: &mut ActiveFactor, tolerance: f64, control: &Control) -> Result<()> {
        // Newton steps one after another, besides two for each number.
        const NEWTON: usize = 30;
        let mut patience = Patience::new(b.len() + NEWTON);
        for _ in 0..NEWTON + b.len() {
            let others = b.iter().zip(r.iter()).filter(|(b, _)| **b != 0.0);
            let worst = others.map(|(b, r)| self.violation(*b, *r)).fold(0.0, f64::max);
            if worst <= tolerance || patience.is_lost(worst) || !self.newton(b, r, factor, control)? {
                break;
            }
        }
        Ok(())
    }

    fn violation(&self, b: f64, r: f64) -> f64 {
        violation(&[b], &[r], self.lambda)
    }

    /// Moves one number to its minimum; r stays g - H(b - a).
    fn step(&self, j: usize, b: &mut [f64], r: &mut [f64]) {
        let bend = self.h[(j, j)];
        if bend <= 0.0 || (b[j] == 0.0 && r[j].abs() <= self.lambda) {
            return;
        }
        let target = b[j] + r[j] / bend;
        let there = target.signum() * (target.abs() - self.lambda / bend).max(0.0);
        axpy(b[j] - there, self.h.row(j), r);
        b[j] = there;
    }

    /// A Newton step on the numbers that are not 0, up to where the first of them is; whether there was one.
    fn newton(&self, b: &mut [f64], r: &mut [f64], factor: &mut ActiveFactor, control: &Control) -> Result<bool> {
        let places: Vec<usize> = (0..b.len()).filter(|&p| b[p] != 0.0).collect();
        if places.is_empty() || !factor.hold(self.h, &places, control)? {
            return Ok(false);
        }
        let step = factor.solve(|p| r[p] - self.lambda * b[p].signum());
        let share = step.iter().filter(|(p, s)| b[*p] * s < 0.0).fold(1.0, |share: f64, (p, s)| share.min(-b[*p] / s));
        for &(p, s) in &step {
            let before = b[p];
            // The one that reaches 0 is 0.
            let there = before + share * s;
            b[p] = if there * before <= 1e-14 * before * before { 0.0 } else { there };
            if b[p] != before {
                axpy(before - b[p], self.h.row(p), r);
            }
        }
        Ok(step.iter().any(|(_, s)| share * s != 0.0))
    }
}

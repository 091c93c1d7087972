//! min over b of 1/2 (b - a)'H(b - a) - g'(b - a) + lambda sum_j |b_j| for groups b_j of C numbers: the model of one Newton step.
//!
//! Sweeps over the groups (soft thresholds; steps of a majoriser where C > 1) find which of them are 0, and Newton steps on the
//! others, cut where the first of them reaches 0, end in digits that sweeps over correlated columns would take thousands of.

use super::active::ActiveFactor;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::axpy;
use crate::linalg::{Cholesky, Matrix};

/// Rounds of sweeps.
const ROUNDS: usize = 4;
/// Sweeps of a round.
const SWEEPS: usize = 6;
/// Newton steps one after another, besides one for each group.
const NEWTON: usize = 30;
/// Halvings of a step at most.
const HALVINGS: usize = 30;

/// The model.
pub(super) struct Quadratic<'a> {
    /// H, (groups C) x (groups C), group after group.
    pub(super) h: &'a Matrix,
    /// C.
    pub(super) size: usize,
    pub(super) lambda: f64,
}

/// Ends what gets no nearer to its aim: rounding has the last word.
pub(super) struct Patience {
    best: f64,
    without: usize,
    most: usize,
}

impl Patience {
    /// For so many steps without half of the best violation before.
    pub(super) fn new(most: usize) -> Self {
        Patience { best: f64::INFINITY, without: 0, most }
    }
    /// Whether this step was one too many.
    pub(super) fn is_lost(&mut self, violation: f64) -> bool {
        if violation < 0.5 * self.best {
            (self.best, self.without) = (violation, 0);
        } else {
            self.without += 1;
        }
        self.without > self.most
    }
}

pub(super) fn norm(v: &[f64]) -> f64 {
    if let [x] = v { x.abs() } else { v.iter().map(|x| x * x).sum::<f64>().sqrt() }
}

/// How far a group b_j is from its condition: r_j = lambda b_j / |b_j|, or |r_j| <= lambda at 0.
pub(super) fn violation(b: &[f64], r: &[f64], lambda: f64) -> f64 {
    let length = norm(b);
    if length == 0.0 {
        return (norm(r) - lambda).max(0.0);
    }
    let square: f64 = b.iter().zip(r).map(|(b, r)| (r - lambda * b / length).powi(2)).sum();
    square.sqrt()
}

impl Quadratic<'_> {
    /// The minimum, from a, where g = `slope`; every condition is met within `tolerance`, as far as rounding lets it.
    ///
    /// First sweeps, which change many groups at once; then, group by group, the one that violates its condition most is let in and the
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
        let (mut b, mut r) = (a.to_vec(), slope.to_vec());
        let groups = b.len() / self.size;
        let mut patience = Patience::new(20 + groups / 4);
        for round in 0..ROUNDS + 4 * groups {
            control.check()?;
            if round < ROUNDS {
                for _ in 0..SWEEPS {
                    (0..groups).for_each(|j| self.step(j, &mut b, &mut r));
                }
            } else {
                let size = self.size;
                let of = |j: usize| violation(&b[j * size..(j + 1) * size], &r[j * size..(j + 1) * size], self.lambda);
                let Some(most) = (0..groups).max_by(|j, k| of(*j).total_cmp(&of(*k))) else { break };
                self.step(most, &mut b, &mut r);
            }
            self.settle(&mut b, &mut r, factor, tolerance, control)?;
            let worst = self.worst(&b, &r);
            if worst <= tolerance || patience.is_lost(worst) || control.out_of_time() {
                break;
            }
        }
        Ok(b)
    }

    /// Newton steps until the groups that are not 0 meet their conditions.
    fn settle(&self, b: &mut [f64], r: &mut [f64], factor: &mut ActiveFactor, tolerance: f64, control: &Control) -> Result<()> {
        let mut patience = Patience::new(if self.size > 1 { 15 } else { b.len() + NEWTON });
        for _ in 0..NEWTON + b.len() / self.size {
            let groups = b.chunks_exact(self.size).zip(r.chunks_exact(self.size)).filter(|(b, _)| norm(b) > 0.0);
            let worst = groups.map(|(b, r)| violation(b, r, self.lambda)).fold(0.0, f64::max);
            if worst <= tolerance || patience.is_lost(worst) {
                break;
            }
            let moved = if self.size == 1 { self.newton_of_numbers(b, r, factor, control)? } else { self.newton(b, r, control)? };
            if !moved {
                break;
            }
            if self.size > 1 {
                // Lengths reach 0 by steps of a threshold, never by Newton's.
                let there: Vec<usize> = (0..b.len() / self.size).filter(|j| norm(&b[j * self.size..(j + 1) * self.size]) > 0.0).collect();
                there.into_iter().for_each(|j| self.step(j, b, r));
            }
        }
        Ok(())
    }

    fn worst(&self, b: &[f64], r: &[f64]) -> f64 {
        let groups = b.chunks_exact(self.size).zip(r.chunks_exact(self.size));
        groups.map(|(b, r)| violation(b, r, self.lambda)).fold(0.0, f64::max)
    }

    /// Moves one group to its minimum, or towards it where C > 1; r stays g - H(b - a).
    fn step(&self, j: usize, b: &mut [f64], r: &mut [f64]) {
        let at = j * self.size..(j + 1) * self.size;
        if norm(&b[at.clone()]) == 0.0 && norm(&r[at.clone()]) <= self.lambda {
            return;
        }
        // No eigenvalue of the block is larger, and that of a multiple of the identity is just that.
        let bound = at.clone().map(|k| at.clone().map(|l| self.h[(k, l)].abs()).sum::<f64>()).fold(0.0, f64::max);
        if bound <= 0.0 {
            return;
        }
        if self.size > 1 {
            let alone: Vec<f64> = at.clone().map(|k| r[k] + at.clone().map(|l| self.h[(k, l)] * b[l]).sum::<f64>()).collect();
            if norm(&alone) <= self.lambda {
                let moved: Vec<f64> = b[at.clone()].iter().map(|b| -b).collect();
                b[at.clone()].fill(0.0);
                return self.take(r, at.start, &moved);
            }
        }
        let target: Vec<f64> = at.clone().map(|k| b[k] + r[k] / bound).collect();
        let length = norm(&target);
        let share = if length > 0.0 { (1.0 - self.lambda / (bound * length)).max(0.0) } else { 0.0 };
        let moved: Vec<f64> = at.clone().zip(&target).map(|(k, t)| share * t - b[k]).collect();
        b[at.clone()].iter_mut().zip(&target).for_each(|(b, t)| *b = share * t);
        self.take(r, at.start, &moved);
    }

    /// r -= H moved, of some numbers from a place.
    fn take(&self, r: &mut [f64], from: usize, moved: &[f64]) {
        for (k, step) in moved.iter().enumerate().filter(|(_, step)| **step != 0.0) {
            axpy(-step, self.h.row(from + k), r);
        }
    }

    /// A Newton step on the numbers that are not 0, up to where the first of them is; whether there was one.
    fn newton_of_numbers(&self, b: &mut [f64], r: &mut [f64], factor: &mut ActiveFactor, control: &Control) -> Result<bool> {
        let places: Vec<usize> = (0..b.len()).filter(|&p| b[p] != 0.0).collect();
        if places.is_empty() || !factor.hold(self.h, &places, control)? {
            return Ok(false);
        }
        let step = factor.solve(|p| r[p] - self.lambda * b[p].signum());
        let share = step.iter().filter(|(p, s)| b[*p] * s < 0.0).fold(1.0, |share: f64, (p, s)| share.min(-b[*p] / s));
        // The one that reaches 0 is 0.
        let reaches = |p: usize, s: f64| (b[p] + share * s) * b[p] <= 1e-14 * b[p] * b[p];
        let moved: Vec<(usize, f64)> = step.iter().map(|&(p, s)| (p, if reaches(p, s) { -b[p] } else { share * s })).collect();
        Ok(self.move_by(b, r, &moved))
    }

    /// A Newton step on the groups that are not 0; whether there was one.
    fn newton(&self, b: &mut [f64], r: &mut [f64], control: &Control) -> Result<bool> {
        let size = self.size;
        let groups: Vec<usize> = (0..b.len() / size).filter(|&j| norm(&b[j * size..(j + 1) * size]) > 0.0).collect();
        let places: Vec<usize> = groups.iter().flat_map(|j| j * size..(j + 1) * size).collect();
        if places.is_empty() {
            return Ok(false);
        }
        let mut h = Matrix::from_fn(places.len(), places.len(), |p, q| self.h[(places[p], places[q])]);
        let mut fall = Vec::with_capacity(places.len());
        for (k, &j) in groups.iter().enumerate() {
            let of = &b[j * size..(j + 1) * size];
            let length = norm(of);
            for c in 0..size {
                fall.push(r[j * size + c] - self.lambda * of[c] / length);
                for d in 0..size {
                    let flat = f64::from(u8::from(c == d)) - of[c] * of[d] / (length * length);
                    h[(k * size + c, k * size + d)] += self.lambda / length * flat;
                }
            }
        }
        let factor = match Cholesky::new(h, control) {
            Ok(factor) => factor,
            Err(Error::Numerical { .. }) => return Ok(false),
            Err(other) => return Err(other),
        };
        let step = factor.solve(&Matrix::column(fall.clone()), control)?.into_data();
        let moved = self.downhill(b, &places, &step, &fall);
        Ok(self.move_by(b, r, &places.into_iter().zip(moved).collect::<Vec<_>>()))
    }

    /// Moves numbers at their places; whether any moves.
    fn move_by(&self, b: &mut [f64], r: &mut [f64], moved: &[(usize, f64)]) -> bool {
        for &(p, step) in moved {
            let before = b[p];
            b[p] = if step == -before { 0.0 } else { before + step };
            self.take(r, p, &[b[p] - before]);
        }
        moved.iter().any(|(_, step)| *step != 0.0)
    }

    /// A part of a step that lowers the model enough: all of it; as much as brings the first length that passes by 0 to 0; or the first
    /// half, quarter, ...; nothing where none does.
    fn downhill(&self, b: &[f64], places: &[usize], step: &[f64], fall: &[f64]) -> Vec<f64> {
        let size = self.size;
        let slope: f64 = fall.iter().zip(step).map(|(f, s)| f * s).sum();
        let change = |moved: &[f64]| {
            let mut change = 0.0;
            for (&p, s) in places.iter().zip(moved).filter(|(_, s)| **s != 0.0) {
                change += 0.5 * s * places.iter().zip(moved).map(|(&q, t)| self.h[(p, q)] * t).sum::<f64>();
            }
            change -= fall.iter().zip(moved).map(|(f, m)| f * m).sum::<f64>();
            for (group, m) in places.chunks_exact(size).zip(moved.chunks_exact(size)) {
                let of = &b[group[0]..group[0] + size];
                let length = norm(of);
                let along: f64 = of.iter().zip(m).map(|(b, s)| b * s).sum::<f64>() / length;
                let there: Vec<f64> = of.iter().zip(m).map(|(b, s)| b + s).collect();
                change += self.lambda * (norm(&there) - length - along);
            }
            change
        };
        if change(step) <= -1e-4 * slope {
            return step.to_vec();
        }
        let mut first: Option<(f64, usize)> = None;
        for (k, (group, s)) in places.chunks_exact(size).zip(step.chunks_exact(size)).enumerate() {
            let of = &b[group[0]..group[0] + size];
            let nearest = -of.iter().zip(s).map(|(b, s)| b * s).sum::<f64>() / s.iter().map(|s| s * s).sum::<f64>();
            if nearest > 0.0 && nearest < first.map_or(1.0, |f| f.0) {
                first = Some((nearest, k));
            }
        }
        if let Some((share, k)) = first {
            let mut moved: Vec<f64> = step.iter().map(|s| share * s).collect();
            (k * size..(k + 1) * size).for_each(|q| moved[q] = -b[places[q]]);
            if change(&moved) < 0.0 {
                return moved;
            }
        }
        let mut share = 0.5;
        for _ in 0..HALVINGS {
            let moved: Vec<f64> = step.iter().map(|s| share * s).collect();
            if change(&moved) <= -1e-4 * share * slope {
                return moved;
            }
            share *= 0.5;
        }
        vec![0.0; step.len()]
    }
}

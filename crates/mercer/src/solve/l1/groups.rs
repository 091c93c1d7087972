//! One Newton step of several outputs: with the columns X (one a row), the residuals R (C x N) and their curvature W,
//! blocks diag(D_i) - D_i D_i'/w_i of rows, or diag(D_i) alone,
//!
//! ```text
//! min over B, b of 1/2 <F, W F> - <R, F> + lambda sum_j |B_j|,     F = (B - A)'X + b 1'.
//! ```
//!
//! Sweeps over the groups B_j (steps of a majoriser with soft thresholds) find which of them are 0. Newton steps on the others end in
//! digits that sweeps over correlated columns would take thousands of; they are found by preconditioned conjugate gradients, as a
//! Hessian of (columns x C)^2 numbers has no room where classes are many.

use super::bends::Bends;
use super::conditions::{Patience, norm, violation};
use super::hessian::Hessian;
use super::preconditioner::{Blocks, Preconditioner};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix, product_transposed_within, transposed_product_within};
use crate::solve::gradients::joint_gradients;

/// The model.
pub(super) struct Groups<'a> {
    /// The columns, one a row, and ones for the constants.
    x: Matrix,
    bends: Bends<'a>,
    lambda: f64,
    /// No eigenvalue of a group's own block of the Hessian is larger.
    bounds: Vec<f64>,
    /// The block of the constants.
    constants: Cholesky,
    control: &'a Control,
}

/// Coefficients, one group a row and the constants last, and the residuals R - W F there.
struct GroupIterate {
    b: Matrix,
    r: Matrix,
}

/// What is known from the step before.
#[derive(Default)]
struct Held {
    /// Groups, ascending, and what is computed of their columns and the constants.
    groups: Vec<usize>,
    curvature: Option<Computed>,
    /// How far the curvature of lengths is raised from the derivative's, lambda / |b_j| (I - u_j u_j') for u_j = b_j / |b_j|, towards
    /// lambda / |b_j| I, with which a step never goes too far (0 to 1; Levenberg 1944, Hunter & Lange 2004).
    damping: f64,
}

/// The Hessian of the losses, or its blocks.
enum Computed {
    Whole(Hessian),
    Blocks(Blocks),
}

/// A step of some groups and of the constants, and the F that goes with it.
struct GroupStep {
    by: Matrix,
    function: Matrix,
}

impl<'a> Groups<'a> {
    /// Of the columns x_j, one a row.
    pub(super) fn new(mut x: Matrix, bends: Bends<'a>, lambda: f64, control: &'a Control) -> Result<Self> {
        let bounds = bends.bounds(&x, control)?;
        x.append_rows(Matrix::from_fn(1, x.cols(), |_, _| 1.0));
        let constants = bends.of_constants(control)?;
        Ok(Groups { x, bends, lambda, bounds, constants, control })
    }

    /// The minimum from A (groups x C), where the residuals are R: coefficients, and the step of the constants. Every condition is met
    /// within `tolerance`, as far as rounding lets it.
    pub(super) fn minimise(&self, mut a: Matrix, r: Matrix, tolerance: f64) -> Result<(Matrix, Vec<f64>)> {
        // Rounds of sweeps.
        const ROUNDS: usize = 4;
        // Sweeps of a round.
        const SWEEPS: usize = 2;
        let groups = a.rows();
        a.append_rows(Matrix::zeros(1, r.rows()));
        let (mut at, mut held) = (GroupIterate { b: a, r }, Held::default());
        let mut patience = Patience::new(20 + groups / 4);
        for round in 0..ROUNDS + 4 * groups {
            self.control.check()?;
            if round < ROUNDS {
                for _ in 0..SWEEPS {
                    (0..groups).for_each(|j| self.step(j, &mut at));
                    self.step_of_constants(&mut at)?;
                }
            } else {
                let violations = self.violations(&at)?;
                let Some(most) = (0..groups).max_by(|j, k| violations[*j].total_cmp(&violations[*k])) else { break };
                self.step(most, &mut at);
            }
            self.settle(&mut at, &mut held, tolerance)?;
            let worst = self.violations(&at)?.into_iter().fold(0.0, f64::max);
            if worst <= tolerance || patience.is_lost(worst) || self.control.out_of_time() {
                break;
            }
        }
        let constants = at.b.row(groups).to_vec();
        Ok((at.b.select_rows(&(0..groups).collect::<Vec<_>>()), constants))
    }

    /// How far each group is from its condition, and the constants from theirs.
    fn violations(&self, at: &GroupIterate) -> Result<Vec<f64>> {
        let slopes = product_transposed_within(&self.x, &at.r, self.control)?;
        let of = |j: usize| if j < self.bounds.len() { violation(at.b.row(j), slopes.row(j), self.lambda) } else { norm(slopes.row(j)) };
        Ok((0..slopes.rows()).map(of).collect())
    }

    /// Newton steps until the groups that are not 0 meet their conditions.
    fn settle(&self, at: &mut GroupIterate, held: &mut Held, tolerance: f64) -> Result<()> {
        // Newton steps one after another, besides one for each group.
        const NEWTON: usize = 30;
        let mut patience = Patience::new(15);
        for _ in 0..NEWTON + self.bounds.len() {
            let groups: Vec<usize> = (0..self.bounds.len()).filter(|&j| norm(at.b.row(j)) > 0.0).collect();
            if groups.is_empty() || self.control.out_of_time() || !self.newton(&groups, at, held, tolerance, &mut patience)? {
                break;
            }
            // Lengths reach 0 by steps of a threshold, never by Newton's.
            groups.into_iter().for_each(|j| self.step(j, at));
            self.step_of_constants(at)?;
        }
        Ok(())
    }

    /// Moves a group towards its minimum, or to 0 where that is.
    fn step(&self, j: usize, at: &mut GroupIterate) {
        let (x, b, bound) = (self.x.row(j), at.b.row(j), self.bounds[j]);
        let slope = along(x, &at.r);
        let length = norm(b);
        if bound <= 0.0 || (length == 0.0 && norm(&slope) <= self.lambda) {
            return;
        }
        let is_zero = length > 0.0 && {
            let mut own = Matrix::zeros(b.len(), x.len());
            self.bends.subtract(x, b, &mut own);
            let alone: Vec<f64> = slope.iter().zip(along(x, &own)).map(|(s, o)| s - o).collect();
            norm(&alone) <= self.lambda
        };
        let by: Vec<f64> = if is_zero {
            b.iter().map(|b| -b).collect()
        } else {
            let target: Vec<f64> = b.iter().zip(&slope).map(|(b, s)| b + s / bound).collect();
            let far = norm(&target);
            let share = if far > 0.0 { (1.0 - self.lambda / (bound * far)).max(0.0) } else { 0.0 };
            target.iter().zip(b).map(|(t, b)| share * t - b).collect()
        };
        self.bends.subtract(x, &by, &mut at.r);
        add(at.b.row_mut(j), &by);
    }

    fn step_of_constants(&self, at: &mut GroupIterate) -> Result<()> {
        let last = self.bounds.len();
        let slope = along(self.x.row(last), &at.r);
        let by = self.constants.solve(&Matrix::column(slope), self.control)?.into_data();
        self.bends.subtract(self.x.row(last), &by, &mut at.r);
        add(at.b.row_mut(last), &by);
        Ok(())
    }

    /// A Newton step on the groups named, which are not 0, and the constants; whether there was need and a way.
    fn newton(&self, groups: &[usize], at: &mut GroupIterate, held: &mut Held, tolerance: f64, patience: &mut Patience) -> Result<bool> {
        // The share of a violation that the linear system of a Newton step may leave.
        const LEAVE: f64 = 0.02;
        // Damping below this is none.
        const LEAST_DAMPING: f64 = 1e-2;
        let mut rows = groups.to_vec();
        rows.push(self.bounds.len());
        let x = self.x.select_rows(&rows);
        let mut fall = product_transposed_within(&x, &at.r, self.control)?;
        let b = at.b.select_rows(groups);
        for j in 0..groups.len() {
            let length = norm(b.row(j));
            axpy(-self.lambda / length, b.row(j), fall.row_mut(j));
        }
        let worst = longest(&fall);
        if worst <= tolerance || patience.is_lost(worst) {
            return Ok(false);
        }
        let found = self.newton_step(groups, &x, &b, &fall, held, (LEAVE * worst).max(0.3 * tolerance));
        let step = match found {
            Ok(step) => step,
            Err(Error::Numerical { .. }) => return Ok(false),
            Err(other) => return Err(other),
        };
        let Some((step, whole)) = self.downhill(&x, &b, step, &fall) else { return Ok(false) };
        held.damping = match whole {
            true if held.damping <= LEAST_DAMPING => 0.0,
            true => held.damping / 4.0,
            false => (4.0 * held.damping).clamp(LEAST_DAMPING, 1.0),
        };
        for (k, &j) in rows.iter().enumerate() {
            add(at.b.row_mut(j), step.by.row(k));
        }
        axpy(-1.0, self.bends.image(&step.function).data(), at.r.data_mut());
        Ok(true)
    }

    /// The step to the minimum of the model over groups b_j that are not 0, with their columns and that of the constants X, one a row.
    fn newton_step(&self, groups: &[usize], x: &Matrix, b: &Matrix, fall: &Matrix, held: &mut Held, leave: f64) -> Result<GroupStep> {
        // A Hessian of so many rows is made as a whole.
        const SMALL: usize = 192;
        let known = groups.iter().map(|j| held.groups.binary_search(j).ok()).chain([Some(held.groups.len())]);
        let (places, computed) = match (known.collect(), held.curvature.take()) {
            (Some(places), Some(computed)) => (places, computed),
            _ => {
                held.groups = groups.to_vec();
                let computed = match x.rows() * b.cols() <= SMALL {
                    true => Computed::Whole(Hessian::new(x, &self.bends)),
                    false => Computed::Blocks(Blocks::new(x, &self.bends, self.control)?),
                };
                ((0..x.rows()).collect::<Vec<usize>>(), computed)
            }
        };
        let under = (self.lambda, held.damping);
        let by = match &computed {
            Computed::Whole(hessian) => hessian.step(&places, b, under, fall, self.control)?,
            Computed::Blocks(blocks) => {
                let inverse = Preconditioner::new(blocks, &places, b, under, self.bends.weights.is_some(), self.control)?;
                self.solve(x, b, fall, &inverse, held.damping, leave)?
            }
        };
        held.curvature = Some(computed);
        Ok(GroupStep { function: transposed_product_within(&by, x, self.control)?, by })
    }

    /// That step by conjugate gradients, until no group is left more than so much.
    fn solve(&self, x: &Matrix, b: &Matrix, fall: &Matrix, inverse: &Preconditioner, damping: f64, leave: f64) -> Result<Matrix> {
        // Products with the Hessian for one of them at most.
        const PRODUCTS: usize = 300;
        let lengths: Vec<f64> = (0..b.rows()).map(|j| norm(b.row(j))).collect();
        let multiply = |p: &Matrix| {
            self.control.check_time("a Newton step")?;
            let function = transposed_product_within(p, x, self.control)?;
            let mut image = product_transposed_within(x, &self.bends.image(&function), self.control)?;
            for (j, length) in lengths.iter().enumerate() {
                let bends = self.lambda / length;
                axpy(bends, p.row(j), image.row_mut(j));
                axpy(-bends * (1.0 - damping) * dot(b.row(j), p.row(j)) / length.powi(2), b.row(j), image.row_mut(j));
            }
            Ok(image)
        };
        let enough = |r: &Matrix| longest(r) <= leave;
        joint_gradients(fall, multiply, |r| inverse.times(r), enough, (0.0, PRODUCTS)).map(|(step, _)| step)
    }

    /// A part of a step that lowers the model: all of it, or what is best of all of it with those groups at 0 that pass by, and as much as
    /// brings the first of them there; or the first half, quarter, ...; `None` where none does.
    fn downhill(&self, x: &Matrix, b: &Matrix, step: GroupStep, fall: &Matrix) -> Option<(GroupStep, bool)> {
        // The share of the fall foreseen that a step must bring.
        const ENOUGH: f64 = 1e-4;
        // Halvings of a step at most.
        const HALVINGS: usize = 30;
        let slope = dot(fall.data(), step.by.data());
        if slope.is_nan() || slope <= 0.0 {
            return None;
        }
        let change = |step: &GroupStep| {
            let bend = dot(step.function.data(), self.bends.image(&step.function).data());
            // Beyond the slopes of the lengths.
            let beyond = |j: usize| {
                let (b, s) = (b.row(j), step.by.row(j));
                let there: Vec<f64> = b.iter().zip(s).map(|(b, s)| b + s).collect();
                norm(&there) - norm(b) - dot(b, s) / norm(b)
            };
            0.5 * bend - dot(fall.data(), step.by.data()) + self.lambda * (0..b.rows()).map(beyond).sum::<f64>()
        };
        if change(&step) <= -ENOUGH * slope {
            return Some((step, true));
        }
        let scaled = |share: f64| {
            let times = |m: &Matrix| Matrix::from_fn(m.rows(), m.cols(), |i, j| share * m[(i, j)]);
            GroupStep { by: times(&step.by), function: times(&step.function) }
        };
        let to_zero = |mut step: GroupStep, groups: &[usize]| {
            for &j in groups {
                let rest: Vec<f64> = b.row(j).iter().zip(step.by.row(j)).map(|(b, s)| -b - s).collect();
                for (c, rest) in rest.iter().enumerate() {
                    axpy(*rest, x.row(j), step.function.row_mut(c));
                }
                step.by.row_mut(j).iter_mut().zip(b.row(j)).for_each(|(s, b)| *s = -b);
            }
            step
        };
        let nearest = |j: usize| -dot(b.row(j), step.by.row(j)) / dot(step.by.row(j), step.by.row(j));
        let passing: Vec<(f64, usize)> = (0..b.rows()).map(|j| (nearest(j), j)).filter(|p| p.0 > 0.0 && p.0 < 1.0).collect();
        if let Some((share, first)) = passing.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)) {
            let all: Vec<usize> = passing.iter().map(|p| p.1).collect();
            let tried = [to_zero(scaled(1.0), &all), to_zero(scaled(share), &[first])].map(|step| (change(&step), step));
            let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, step)) = best.filter(|(change, _)| *change < 0.0) {
                return Some((step, false));
            }
        }
        let halves = (1..=HALVINGS as i32).map(|k| 0.5f64.powi(k));
        let mut parts = halves.map(|share| (share, scaled(share)));
        parts.find(|(share, part)| change(part) <= -ENOUGH * share * slope).map(|p| (p.1, false))
    }
}

/// R x.
fn along(x: &[f64], r: &Matrix) -> Vec<f64> {
    (0..r.rows()).map(|c| dot(r.row(c), x)).collect()
}

/// The greatest length of a row.
fn longest(r: &Matrix) -> f64 {
    (0..r.rows()).map(|j| norm(r.row(j))).fold(0.0, f64::max)
}

fn add(to: &mut [f64], by: &[f64]) {
    to.iter_mut().zip(by).for_each(|(t, b)| *t = if *b == -*t { 0.0 } else { *t + b });
}

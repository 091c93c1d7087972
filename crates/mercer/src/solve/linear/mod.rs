//! Linear machines on written-out rows, without kernel values: O(N) a step.
//!
//! ```text
//! minimise    1/2 |w|^2 + sum_i L_i(z_i - x_i'w),     L_i(u) = max over low_i <= s <= high_i of  s u - tube |s| - d_i s^2 / 2
//! ```
//!
//! | loss | L_i(u) | low..high | d |
//! |---|---|---|---|
//! | hinge, z = +1 or -1 | C_i max(0, z u) | 0..C_i or -C_i..0 | 0 |
//! | squared hinge | C_i max(0, z u)^2 | 0..inf or -inf..0 | 1 / (2 C_i) |
//! | absolute outside of a tube | C_i max(0, \|u\| - tube) | -C_i..C_i | 0 |
//! | squared outside of a tube | C_i max(0, \|u\| - tube)^2 | -inf..inf | 1 / (2 C_i) |
//!
//! For z = +1 or -1 and u = z - f, z u is 1 - z f. The offset of f is the weight of one more column that holds a constant; it
//! is penalised like the others. The dual problem, with w = X'b:
//!
//! ```text
//! minimise    1/2 |X'b|^2 - z'b + sum_i tube |b_i| + d_i b_i^2 / 2     subject to  low_i <= b_i <= high_i
//! ```
//!
//! For any w and any b within its bounds, with u_i = z_i - x_i'w,
//!
//! ```text
//! duality gap = 1/2 |w - X'b|^2 + sum_i L_i(u_i) - (b_i u_i - tube |b_i| - d_i b_i^2 / 2),
//! ```
//!
//! a sum of terms none of which is negative. Where b_i = L_i'(u_i), all but the first are 0, and w - X'b is the gradient of the
//! primal problem.
//!
//! References: Hsieh, Chang, Lin, Keerthi and Sundararajan (2008) and Ho and Lin (2012), dual coordinate descent; Lin, Weng and
//! Keerthi (2008), Newton's method in the primal problem.

mod coordinate;
mod likelihood;
mod newton_cg;
mod rows;
#[cfg(test)]
mod tests;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::Features;
pub(super) use coordinate::Descent;
pub(crate) use newton_cg::NEWTON_MARGIN;
use rayon::prelude::*;
use rows::Look;
pub(super) use rows::{Bands, DenseRows, Picked, RowAccess, SparseRows};

/// One problem over shared rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// z, one a row; +1 or -1 where `one_sided`.
    pub target: Vec<f64>,
    /// C, one a row, 0 or above; rows of 0 are absent.
    pub cost: Vec<f64>,
    /// What a residual costs.
    pub loss: Loss,
}

/// What a residual costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Whether residuals cost on the side of the target only: classes.
    pub one_sided: bool,
    /// Whether the cost is squared.
    pub squared: bool,
    /// Residuals up to here are free; 0 where `one_sided`.
    pub tube: f64,
}

/// How the problems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The dual problem by coordinates. It is done when a pass over all rows has met no violation to speak of: for classes the
    /// greatest slope less the least is within the tolerance, for numbers their sum is within the tolerance times that of the
    /// first pass.
    Coordinate,
    /// The primal problem by Newton's method; squared losses only. It is done when the gradient is within the tolerance times
    /// that at w = 0, for classes also times the share of the rarer class.
    Newton,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How to solve.
    pub method: Method,
    /// See [`Method`]; the relative duality gap is held against it too.
    pub tolerance: f64,
    /// The most passes over the rows, or Newton steps.
    pub max_iterations: usize,
    /// Seed of the order in which rows are taken.
    pub seed: u64,
}

/// The answer to one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// w; the last one belongs to the constant.
    pub weights: Vec<f64>,
    /// b of the dual problem, one a row, with w = X'b; empty where Newton's method solved the primal.
    pub coef: Vec<f64>,
    /// Value of the primal problem.
    pub primal: f64,
    /// Value of the dual problem, negated to be maximised: never above the primal.
    pub dual: f64,
    /// (primal - dual) / max(|primal|, |dual|).
    pub gap: f64,
    /// What the method holds against the tolerance.
    pub violation: f64,
    /// Passes over the rows, or Newton steps.
    pub iterations: usize,
    /// Whether violation and gap are within the tolerance.
    pub converged: bool,
}

/// Solves problems over the same rows side by side; `constant` is the value of the column of the offset, 0 for none.
///
/// Out of time or of iterations, the best point so far is returned with its certificate. An error if a problem is malformed
/// or stopping was asked for.
pub fn solve(rows: &Features<'_>, constant: f64, problems: &[Problem], options: &Options, control: &Control) -> Result<Vec<Solution>> {
    problems.iter().try_for_each(|p| p.check(rows.rows(), options.method))?;
    let bands = 8 * (rows.cols() as u64 + 1) * (Bands::MOST as u64 + 8);
    control.plan("the weights of a linear machine", bands + 56 * rows.rows() as u64)?;
    match rows {
        Features::Dense(z) => all(&DenseRows::new(z.data(), z.rows(), z.cols(), constant), problems, options, control),
        Features::Sparse(z) => {
            let (starts, columns, values) = z.parts();
            all(&SparseRows::new(starts, columns, values, z.cols(), constant), problems, options, control)
        }
    }
}

/// As many problems at a time as there are threads; one that is alone has all threads to itself.
fn all<R: RowAccess>(rows: &R, problems: &[Problem], options: &Options, control: &Control) -> Result<Vec<Solution>> {
    let squares: Vec<f64> = (0..rows.len()).into_par_iter().with_min_len(1024).map(|i| rows.square(i)).collect();
    let alone = problems.len() < rayon::current_num_threads();
    let one = |problem: &Problem| match options.method {
        Method::Coordinate => coordinate::solve(rows, &squares, problem, options, control),
        Method::Newton => newton_cg::solve(rows, &squares, problem, options, alone, control),
    };
    match options.method {
        Method::Newton if alone => problems.iter().map(one).collect(),
        _ => problems.par_iter().map(one).collect(),
    }
}

impl Problem {
    fn check(&self, rows: usize, method: Method) -> Result<()> {
        let malformed = |why: &str| Err(Error::Data(format!("linear machine: {why}")));
        Error::unless_equal("targets", rows, self.target.len())?;
        Error::unless_equal("penalties of rows", rows, self.cost.len())?;
        if !self.target.iter().all(|z| z.is_finite() && (!self.loss.one_sided || z.abs() == 1.0)) {
            return malformed("targets must be finite, and of classes +1 or -1");
        }
        if !self.cost.iter().all(|c| *c >= 0.0 && c.is_finite()) {
            return malformed("penalties of rows must be finite, 0 or above");
        }
        if !(self.loss.tube >= 0.0 && self.loss.tube.is_finite()) || (self.loss.one_sided && self.loss.tube != 0.0) {
            return malformed("a tube must be finite, 0 or above, and for classes 0");
        }
        if method == Method::Newton && !self.loss.squared {
            return malformed("Newton's method needs a squared loss");
        }
        Ok(())
    }
}

impl Loss {
    /// The bounds of b.
    #[inline(always)]
    fn bounds(self, target: f64, cost: f64) -> (f64, f64) {
        let most = if self.squared { f64::INFINITY } else { cost };
        let low = if self.one_sided && target > 0.0 { 0.0 } else { -most };
        let high = if self.one_sided && target < 0.0 { 0.0 } else { most };
        (low, high)
    }
    /// d, for a row that is there.
    #[inline(always)]
    fn ridge(self, cost: f64) -> f64 {
        if self.squared { 0.5 / cost } else { 0.0 }
    }
    /// What of a residual is not free, with its sign.
    #[inline(always)]
    fn excess(self, target: f64, residual: f64) -> f64 {
        match self.one_sided {
            true if target * residual > 0.0 => residual,
            true => 0.0,
            false => residual.signum() * (residual.abs() - self.tube).max(0.0),
        }
    }
    /// L.
    #[inline(always)]
    fn value(self, target: f64, cost: f64, residual: f64) -> f64 {
        let excess = self.excess(target, residual).abs();
        cost * if self.squared { excess * excess } else { excess }
    }
    /// L', of a squared loss.
    #[inline(always)]
    fn slope(self, target: f64, cost: f64, residual: f64) -> f64 {
        2.0 * cost * self.excess(target, residual)
    }
}

/// A problem whose optimum was approached from the dual side: weights are those of b, and so is the certificate.
struct Certified {
    weights: Vec<f64>,
    primal: f64,
    gap: f64,
}

/// Weights X'b and the duality gap there.
fn certify<R: RowAccess>(rows: &R, problem: &Problem, coef: &[f64], bands: &Bands, look: Look<'_>) -> Result<Certified> {
    let loss = problem.loss;
    let (mut weights, _) = bands.sum(rows.width(), look, |i, sum, _: &mut [f64; 0]| {
        if coef[i] != 0.0 {
            rows.add(i, coef[i], sum);
        }
    })?;
    if rows.constant() == 0.0 {
        weights[rows.width() - 1] = 0.0;
    }
    let (_, [losses, excess]) = bands.sum(0, look, |i, _, [losses, excess]: &mut [f64; 2]| {
        let (z, c, b) = (problem.target[i], problem.cost[i], coef[i]);
        if c > 0.0 {
            let u = z - rows.dot(i, &weights);
            let loss_here = loss.value(z, c, u);
            *losses += loss_here;
            *excess += (loss_here - (b * u - loss.tube * b.abs() - 0.5 * loss.ridge(c) * b * b)).max(0.0);
        }
    })?;
    let primal = 0.5 * weights.iter().map(|w| w * w).sum::<f64>() + losses;
    Ok(Certified { weights, primal, gap: excess })
}

/// The gap as a share of the greater value.
fn relative(gap: f64, primal: f64) -> f64 {
    let scale = primal.abs().max((primal - gap).abs());
    if gap == 0.0 { 0.0 } else { gap / scale }
}

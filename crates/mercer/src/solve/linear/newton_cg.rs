//! Newton's method for squared losses in the primal problem: directions by conjugate gradients, exact steps along them.
//!
//! With b_i = L_i'(u_i) the gradient is w - X'b and the generalised Hessian I + X'DX, D_ii = 2 C_i where b_i is not 0 and 0
//! elsewhere. The system is solved by conjugate gradients, preconditioned by the diagonal, to a precision that rises as the
//! gradient falls. Along a direction the objective is piecewise quadratic and convex; its least value is found from products
//! that are there. Passes of dual coordinate descent give the first w.
//!
//! At any w the duality gap of b is half the square of the length of the gradient.

use super::coordinate::Descent;
use super::rows::{Bands, RowAccess};
use super::{Options, Problem, Solution, relative};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;

/// Share of the tolerance that is aimed at: the last step leads further than it must, and other solvers' may lead further still.
pub(crate) const NEWTON_MARGIN: f64 = 0.1;

struct NewtonState<'a, R> {
    rows: &'a R,
    problem: &'a Problem,
    bands: Bands,
    control: &'a Control,
    weights: Vec<f64>,
    /// u.
    residual: Vec<f64>,
    /// L'(u).
    coef: Vec<f64>,
    /// w - X'b.
    gradient: Vec<f64>,
    /// Of the Hessian.
    diagonal: Vec<f64>,
    primal: f64,
    /// Length of the gradient at w = 0.
    start: f64,
}

/// Solves one problem; `parallel`: it has all threads to itself.
pub(super) fn solve<R: RowAccess>(
    rows: &R,
    squares: &[f64],
    problem: &Problem,
    options: &Options,
    parallel: bool,
    control: &Control,
) -> Result<Solution> {
    let n = rows.len();
    let mut state = NewtonState {
        rows,
        problem,
        bands: Bands::new(rows, parallel),
        control,
        weights: vec![0.0; rows.width()],
        residual: problem.target.clone(),
        coef: vec![0.0; n],
        gradient: Vec::new(),
        diagonal: Vec::new(),
        primal: 0.0,
        start: 0.0,
    };
    state.refresh()?;
    state.start = norm(&state.gradient);
    let aim = NEWTON_MARGIN * options.tolerance * state.rarer() * state.start;
    let mut iterations = 0;
    let ended = state.start > aim && !state.begin(squares, options)?;
    let done = |state: &NewtonState<'_, R>| {
        let length = norm(&state.gradient);
        length <= aim && relative(0.5 * length * length, state.primal) <= options.tolerance
    };
    while !ended && !done(&state) && iterations < options.max_iterations {
        match state.direction(aim).and_then(|direction| state.advance(&direction)) {
            Ok(true) => iterations += 1,
            Ok(false) | Err(Error::Time { .. }) => break,
            Err(error) => return Err(error),
        }
        control.tell("Newton steps", iterations, options.max_iterations);
    }
    let length = norm(&state.gradient);
    let converged = done(&state);
    let gap = 0.5 * length * length;
    let violation = if aim > 0.0 { NEWTON_MARGIN * options.tolerance * length / aim } else { 0.0 };
    let NewtonState { weights, primal, .. } = state;
    let (coef, dual, gap) = (Vec::new(), primal - gap, relative(gap, primal));
    Ok(Solution { weights, coef, primal, dual, gap, violation, iterations: iterations.max(1), converged })
}

impl<R: RowAccess> NewtonState<'_, R> {
    /// The share of the rarer class; 1 for numbers.
    fn rarer(&self) -> f64 {
        if !self.problem.loss.one_sided {
            return 1.0;
        }
        let present = |sign: f64| self.problem.target.iter().zip(&self.problem.cost).filter(|(z, c)| **z == sign && **c > 0.0).count();
        let (above, below) = (present(1.0), present(-1.0));
        above.min(below).max(1) as f64 / (above + below).max(1) as f64
    }

    /// Where some passes of coordinate descent lead; false where time is up.
    fn begin(&mut self, squares: &[f64], options: &Options) -> Result<bool> {
        // Passes of coordinate descent before the first step.
        const FIRST: usize = 2;
        let mut descent = Descent::new(self.rows, squares, self.problem, options.seed);
        for _ in 0..FIRST {
            if descent.pass(self.control)?.is_none() {
                return Ok(false);
            }
        }
        self.weights = descent.weights;
        let Self { rows, problem, weights, control, .. } = self;
        self.bands.map(&mut self.residual, &|| control.check(), |i, u| *u = problem.target[i] - rows.dot(i, weights))?;
        self.refresh()?;
        Ok(true)
    }

    /// Everything that follows from w and u.
    fn refresh(&mut self) -> Result<()> {
        let Problem { target, cost, loss } = self.problem;
        let (residual, control) = (&self.residual, self.control);
        // In full, whatever the time: w would not fit to it otherwise.
        let look = &|| control.check();
        self.bands.map(&mut self.coef, look, |i, b| *b = loss.slope(target[i], cost[i], residual[i]))?;
        let (rows, coef, width) = (self.rows, &self.coef, self.rows.width());
        let (sums, [losses]) = self.bands.sum(2 * width, look, |i, sums, [losses]: &mut [f64; 1]| {
            if coef[i] != 0.0 {
                let (of_b, of_squares) = sums.split_at_mut(width);
                rows.add(i, coef[i], of_b);
                rows.add_squares(i, 2.0 * cost[i], of_squares);
                *losses += 0.25 * coef[i] * coef[i] / cost[i];
            }
        })?;
        self.gradient = self.weights.iter().zip(&sums).map(|(w, s)| w - s).collect();
        self.diagonal = sums[width..].iter().map(|s| 1.0 + s).collect();
        self.primal = losses + 0.5 * dot(&self.weights, &self.weights);
        Ok(())
    }

    /// A direction of descent: the gradient against the Hessian.
    fn direction(&self, aim: f64) -> Result<Vec<f64>> {
        // The most steps of conjugate gradients for a direction.
        const INNER: usize = 250;
        // The coarsest precision of a direction.
        const COARSE: f64 = 0.3;
        let width = self.gradient.len();
        let length = norm(&self.gradient);
        let (rows, coef, cost) = (self.rows, &self.coef, &self.problem.cost);
        let mut direction = vec![0.0; width];
        let mut rest: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut scaled: Vec<f64> = rest.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect();
        let mut search = scaled.clone();
        let mut square = dot(&rest, &scaled);
        let limit = (COARSE * length).min(length * (length / self.start).sqrt()).max(0.1 * aim);
        for _ in 0..INNER {
            let (mut along, _) = self.bands.sum(width, &|| self.look(), |i, sum, _: &mut [f64; 0]| {
                if coef[i] != 0.0 {
                    rows.add(i, 2.0 * cost[i] * rows.dot(i, &search), sum);
                }
            })?;
            along.iter_mut().zip(&search).for_each(|(a, s)| *a += s);
            let step = square / dot(&search, &along);
            direction.iter_mut().zip(&search).for_each(|(d, s)| *d += step * s);
            rest.iter_mut().zip(&along).for_each(|(r, a)| *r -= step * a);
            if norm(&rest) <= limit {
                break;
            }
            scaled.iter_mut().zip(rest.iter().zip(&self.diagonal)).for_each(|(s, (r, d))| *s = r / d);
            let next = dot(&rest, &scaled);
            let keep = next / square;
            square = next;
            search.iter_mut().zip(&scaled).for_each(|(p, s)| *p = s + keep * *p);
        }
        Ok(direction)
    }

    /// An error where stopping was asked for or time is up.
    fn look(&self) -> Result<()> {
        self.control.check()?;
        if self.control.out_of_time() { Err(Error::Time { what: "Newton's method".into() }) } else { Ok(()) }
    }

    /// Goes to the least value along a direction; false where that is here.
    fn advance(&mut self, direction: &[f64]) -> Result<bool> {
        // The most steps for the length along a direction.
        const LENGTH: usize = 60;
        let (rows, Problem { target, cost, loss }) = (self.rows, self.problem);
        let mut along = vec![0.0; rows.len()];
        self.bands.map(&mut along, &|| self.look(), |i, a| *a = rows.dot(i, direction))?;
        let (square, product) = (dot(direction, direction), dot(&self.weights, direction));
        // The slope rises with the length: Newton's method on it, within what is known to hold the zero.
        let (mut low, mut high, mut length) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..LENGTH {
            let residual = &self.residual;
            let (_, [slope, curve]) = self.bands.sum(0, &|| self.look(), |i, _, [slope, curve]: &mut [f64; 2]| {
                let excess = loss.excess(target[i], residual[i] - length * along[i]);
                if excess != 0.0 {
                    *slope -= 2.0 * cost[i] * excess * along[i];
                    *curve += 2.0 * cost[i] * along[i] * along[i];
                }
            })?;
            let (slope, curve) = (product + length * square + slope, square + curve);
            if slope < 0.0 {
                low = length;
            } else {
                high = length;
            }
            let next = length - slope / curve;
            let next = if next > low && next < high {
                next
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * length
            };
            if (next - length).abs() <= 1e-3 * length {
                break;
            }
            length = next;
        }
        let before = (self.primal, norm(&self.gradient));
        self.weights.iter_mut().zip(direction).for_each(|(w, d)| *w += length * d);
        self.residual.iter_mut().zip(&along).for_each(|(u, a)| *u -= length * a);
        self.refresh()?;
        // Near the optimum the gradient goes on falling where the value stands.
        Ok(self.primal < before.0 || norm(&self.gradient) < before.1)
    }
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

//! min f(x) subject to low <= x <= high, downhill by a model of f: what the bounded minimisers have in common. A model proposes a step, a
//! line search follows it, and the model learns from where it ends.

use super::line_search::{Objective, search};
use crate::control::Control;
use crate::error::{Error, Result};

/// Pairs (low, high), one per coordinate.
pub(super) type Bounds<'a> = &'a [(f64, f64)];

/// Settings of the solver.
#[derive(Clone, Debug)]
pub struct Minimiser {
    /// (low, high) of each coordinate; infinite where there is no bound.
    pub bounds: Vec<(f64, f64)>,
    /// Pairs of steps and gradient changes that are remembered, where the curvature is no whole matrix.
    pub memory: usize,
    /// Steps at most.
    pub max_iterations: usize,
    /// Converged when no entry of x - P(x - gradient), P the projection onto the box, is larger than this.
    pub tolerance: f64,
    /// Converged when two steps lower f by less than this, relative to max(|f|, 1), or one has and no more is
    /// foreseen of the next by curvature that was given; or where no step lowers f any more, its rounding being greater than
    /// what is foreseen, if that is no more than a ten-thousandth.
    pub decrease: f64,
}

/// Where a minimisation ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Minimum {
    /// The best point found.
    pub x: Vec<f64>,
    /// f there.
    pub value: f64,
    /// Largest entry of the projected gradient there.
    pub gradient_norm: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Evaluations of f and its gradient.
    pub evaluations: usize,
    /// Whether one of the two tolerances was met.
    pub converged: bool,
    /// Which coordinates stand at a bound.
    pub at_bound: Vec<bool>,
}

/// A point with the value and gradient of the objective.
#[derive(Clone, Debug)]
pub struct Point {
    /// The place.
    pub x: Vec<f64>,
    /// f there.
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
}

impl Point {
    /// P(x - gradient) - x: zero in every coordinate at a stationary point.
    pub(super) fn projected_descent(&self, bounds: Bounds<'_>) -> Vec<f64> {
        self.x.iter().zip(&self.gradient).zip(bounds).map(|((x, g), b)| (x - g).clamp(b.0, b.1) - x).collect()
    }
    /// The step from another point to this one, and how the gradient changed on it.
    pub(super) fn since(&self, other: &Point) -> (Vec<f64>, Vec<f64>) {
        let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        (less(&self.x, &other.x), less(&self.gradient, &other.gradient))
    }
    /// The end of a minimisation.
    pub(super) fn into_minimum(self, bounds: Bounds<'_>, iterations: usize, evaluations: usize, converged: bool) -> Minimum {
        Minimum {
            gradient_norm: largest(&self.projected_descent(bounds)),
            at_bound: self.x.iter().zip(bounds).map(|(x, b)| *x <= b.0 || *x >= b.1).collect(),
            x: self.x,
            value: self.value,
            iterations,
            evaluations,
            converged,
        }
    }
    /// Whether each coordinate may move: not at a bound that the gradient pushes it across.
    pub(super) fn free(&self, bounds: Bounds<'_>) -> Vec<bool> {
        let moves = |((x, g), b): ((&f64, &f64), &(f64, f64))| (*x > b.0 || *g < 0.0) && (*x < b.1 || *g > 0.0);
        self.x.iter().zip(&self.gradient).zip(bounds).map(moves).collect()
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// A step that a model of f proposes.
pub(super) struct ProposedStep {
    pub(super) direction: Vec<f64>,
    /// How far along it the first try is.
    pub(super) first: f64,
    /// By how much f falls, as far as the model knows.
    pub(super) foreseen: f64,
    /// Whether that is relied on where it says that nothing is left to gain.
    pub(super) is_reliable: bool,
}

/// What is known of the curvature of f.
pub(super) trait StepModel {
    /// The step from a point of that projected descent.
    fn propose(&mut self, at: &Point, descent: Vec<f64>, bounds: Bounds<'_>) -> Result<ProposedStep>;
    /// Learns from a step, by its gain and the least gain that counts.
    fn learn(&mut self, from: &Point, to: &Point, gains: [f64; 2]) -> Result<()>;
    /// Forgets what it has learnt; false where that is nothing.
    fn forget(&mut self) -> bool;
}

impl Minimiser {
    /// Memory 20, 200 steps, tolerance 1e-6 on the projected gradient, relative decrease 1e-12.
    pub fn new(bounds: Vec<(f64, f64)>) -> Self {
        Minimiser { bounds, memory: 20, max_iterations: 200, tolerance: 1e-6, decrease: 1e-12 }
    }
    /// Without bounds.
    pub fn unbounded(size: usize) -> Self {
        Self::new(vec![(f64::NEG_INFINITY, f64::INFINITY); size])
    }

    /// f and its gradient at a place moved into the box.
    ///
    /// # Errors
    /// Sizes that do not fit, bounds that cross, f that is not finite there; those of the objective.
    pub fn point(&self, mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>, x: &[f64]) -> Result<Point> {
        let bounds = self.bounds.as_slice();
        if bounds.len() != x.len() {
            return Err(Error::Shape { what: "bounds of a minimisation".into(), expected: x.len(), found: bounds.len() });
        }
        let fault = |why: &str| Error::Numerical { what: "minimisation".into(), why: why.into() };
        if !bounds.iter().all(|(low, high)| low <= high) || x.iter().any(|x| x.is_nan()) {
            return Err(fault("a lower bound is above its upper bound, or the start is not a number"));
        }
        let x: Vec<f64> = x.iter().zip(bounds).map(|(x, b)| x.clamp(b.0, b.1)).collect();
        let (value, gradient) = objective(&x)?;
        if gradient.len() != x.len() {
            return Err(Error::Shape { what: "gradient of a minimisation".into(), expected: x.len(), found: gradient.len() });
        }
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Err(fault("the objective or its gradient is not finite at the start"));
        }
        Ok(Point { x, value, gradient })
    }

    /// Whether no entry of the projected gradient is larger than the tolerance.
    pub fn is_least(&self, at: &Point) -> bool {
        largest(&at.projected_descent(&self.bounds)) <= self.tolerance
    }

    /// Goes downhill from a point; the end, and the gradient there. So many `evaluations` were made before.
    pub(super) fn descend(
        &self,
        objective: Objective<'_>,
        mut at: Point,
        model: &mut impl StepModel,
        mut evaluations: usize,
        control: &Control,
    ) -> Result<(Minimum, Vec<f64>)> {
        // A gain that is worth no further step, in units of f: a ten-thousandth of log evidence changes odds by a ten-thousandth.
        const NEGLIGIBLE: f64 = 1e-4;
        let bounds = self.bounds.as_slice();
        let (mut iterations, mut small_steps, mut converged, mut promised) = (0, 0, false, f64::INFINITY);
        loop {
            control.check()?;
            let descent = at.projected_descent(bounds);
            converged |= largest(&descent) <= self.tolerance;
            if converged || iterations >= self.max_iterations || control.out_of_time() {
                break;
            }
            let ProposedStep { direction, first, foreseen, is_reliable } = model.propose(&at, descent, bounds)?;
            promised = foreseen.min(promised);
            let least = self.decrease * at.value.abs().max(1.0);
            if is_reliable && foreseen <= least {
                converged = true;
                break;
            }
            match search(objective, &mut evaluations, &at, &direction, first, bounds, control)? {
                Some(next) => {
                    let gain = at.value - next.value;
                    // Two steps in a row, so that one poor step does not end the search.
                    small_steps = if gain <= least { small_steps + 1 } else { 0 };
                    converged = small_steps >= 2;
                    model.learn(&at, &next, [gain, least])?;
                    (at, promised) = (next, f64::INFINITY);
                    iterations += 1;
                }
                None if model.forget() => {}
                None => {
                    converged = promised <= NEGLIGIBLE;
                    break;
                }
            }
        }
        let gradient = at.gradient.clone();
        Ok((at.into_minimum(bounds, iterations, evaluations, converged), gradient))
    }
}

//! min f(x) subject to low <= x <= high, by limited-memory BFGS on the coordinates that are free.
//!
//! A coordinate is held while it stands at a bound and the gradient pushes it outwards; the two-loop recursion
//! (Nocedal & Wright 2006, algorithm 7.4) runs on the others, and steps are projected onto the box (Bertsekas 1982,
//! Projected Newton methods for optimization problems with simple constraints). Pairs without positive curvature are left out.

use super::line_search::{Objective, search};
use super::quasi_newton::NEGLIGIBLE;
use crate::control::Control;
use crate::error::{Error, Result};
use std::collections::VecDeque;

/// Pairs (low, high), one per coordinate.
pub(super) type Bounds<'a> = &'a [(f64, f64)];

/// Settings of the solver.
#[derive(Clone, Debug)]
pub struct Lbfgs {
    /// (low, high) of each coordinate; infinite where there is no bound.
    pub bounds: Vec<(f64, f64)>,
    /// Pairs of steps and gradient changes that are remembered.
    pub memory: usize,
    /// Steps at most.
    pub max_iterations: usize,
    /// Converged when no entry of x - P(x - gradient), P the projection onto the box, is larger than this.
    pub tolerance: f64,
    /// Converged when a step lowers f by less than this, relative to max(|f|, 1); or where no step lowers f any more, its rounding
    /// being greater than what is foreseen, if that is no more than a ten-thousandth.
    pub decrease: f64,
}

impl Lbfgs {
    /// Memory 20, 200 steps, tolerance 1e-6 on the projected gradient, relative decrease 1e-12.
    pub fn new(bounds: Vec<(f64, f64)>) -> Self {
        Lbfgs { bounds, memory: 20, max_iterations: 200, tolerance: 1e-6, decrease: 1e-12 }
    }
    /// Without bounds.
    pub fn unbounded(size: usize) -> Self {
        Self::new(vec![(f64::NEG_INFINITY, f64::INFINITY); size])
    }
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
    fn free(&self, bounds: Bounds<'_>) -> Vec<bool> {
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

/// Steps s and gradient changes y, newest last.
struct Pairs {
    list: VecDeque<(Vec<f64>, Vec<f64>)>,
    memory: usize,
}

impl Pairs {
    /// Remembers a step if the objective curves upwards along it.
    fn add(&mut self, from: &Point, to: &Point) {
        let (s, y) = to.since(from);
        if dot(&s, &y) > 1e-10 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
            if self.list.len() == self.memory {
                self.list.pop_front();
            }
            self.list.push_back((s, y));
        }
    }

    /// -H g on the free coordinates, 0 on the others.
    fn direction(&self, gradient: &[f64], free: &[bool]) -> Vec<f64> {
        let only = |v: &[f64]| -> Vec<f64> { v.iter().zip(free).map(|(x, f)| if *f { *x } else { 0.0 }).collect() };
        let mut q = only(gradient);
        let pairs: Vec<(Vec<f64>, Vec<f64>, f64)> = self
            .list
            .iter()
            .map(|(s, y)| (only(s), only(y)))
            .map(|(s, y)| {
                let curvature = dot(&s, &y);
                (s, y, curvature)
            })
            .filter(|(s, y, curvature)| *curvature > 1e-10 * (dot(s, s) * dot(y, y)).sqrt())
            .collect();
        let mut weights = Vec::with_capacity(pairs.len());
        for (s, y, curvature) in pairs.iter().rev() {
            let a = dot(s, &q) / curvature;
            weights.push(a);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= a * y);
        }
        if let Some((_, y, curvature)) = pairs.last() {
            let scale = curvature / dot(y, y);
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for ((s, y, curvature), a) in pairs.iter().zip(weights.into_iter().rev()) {
            let b = dot(y, &q) / curvature;
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (a - b) * s);
        }
        q.iter_mut().for_each(|q| *q = -*q);
        q
    }
}

/// f and its gradient at a place moved into the box.
///
/// # Errors
/// Sizes that do not fit, bounds that cross, f that is not finite there; those of the objective.
pub(super) fn start(objective: Objective<'_>, bounds: Bounds<'_>, x: &[f64]) -> Result<Point> {
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

impl Lbfgs {
    /// Minimises `objective`, which gives f and its gradient, from `start` moved into the box.
    ///
    /// Points where f or its gradient is not finite are stepped back from. When the time of `control` is spent the best
    /// point so far is returned, not converged. An error if f is not finite at the start, if sizes do not fit, if the
    /// objective fails, or if `control` asks to stop.
    pub fn minimise(
        &self,
        mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
        start: &[f64],
        control: &Control,
    ) -> Result<Minimum> {
        let bounds = self.bounds.as_slice();
        let mut at = self::start(&mut objective, bounds, start)?;
        let mut pairs = Pairs { list: VecDeque::new(), memory: self.memory.max(1) };
        let (mut iterations, mut evaluations, mut small_steps) = (0, 1, 0);
        let (mut converged, mut promised) = (false, f64::INFINITY);
        loop {
            control.check()?;
            let descent = at.projected_descent(bounds);
            converged |= largest(&descent) <= self.tolerance;
            if converged || iterations >= self.max_iterations || control.out_of_time() {
                break;
            }
            let mut direction = pairs.direction(&at.gradient, &at.free(bounds));
            let size = (dot(&direction, &direction) * dot(&at.gradient, &at.gradient)).sqrt();
            let downhill = dot(&direction, &at.gradient) < -1e-12 * size;
            if !downhill {
                pairs.list.clear();
                direction = descent;
            }
            promised = (-0.5 * dot(&direction, &at.gradient)).min(promised);
            // Without curvature the gradient says nothing of how far to go.
            let first = if pairs.list.is_empty() { (1.0 / largest(&direction)).min(1.0) } else { 1.0 };
            match search(&mut objective, &mut evaluations, &at, &direction, first, bounds, control)? {
                Some(next) => {
                    // Two steps in a row, so that one poor step does not end the search.
                    let small = at.value - next.value <= self.decrease * at.value.abs().max(1.0);
                    small_steps = if small { small_steps + 1 } else { 0 };
                    converged = small_steps >= 2;
                    pairs.add(&at, &next);
                    (at, promised) = (next, f64::INFINITY);
                    iterations += 1;
                }
                None if pairs.list.is_empty() => {
                    converged = promised <= NEGLIGIBLE;
                    break;
                }
                None => pairs.list.clear(),
            }
        }
        Ok(at.into_minimum(bounds, iterations, evaluations, converged))
    }
}

//! A step along a projected path that meets the weak Wolfe conditions, found by bracketing.
//!
//! Armijo: f(x(t)) <= f(x) + c1 g'(x(t) - x); curvature: the slope at x(t) along the part of the path that still
//! moves is at least c2 times the slope at the start (Lewis & Overton 2013, Nonsmooth optimization via
//! quasi-Newton methods, algorithm 2.6). A value that is not finite counts as too high.

use super::minimiser::{Bounds, Point, dot};
use crate::control::Control;
use crate::error::Result;

/// Value and gradient at a point.
pub(super) type Objective<'a> = &'a mut dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>)>;

/// The point reached from `from` along `direction`, or `None` if no step lowers the objective.
pub(super) fn search(
    objective: Objective<'_>,
    evaluations: &mut usize,
    from: &Point,
    direction: &[f64],
    first: f64,
    bounds: Bounds<'_>,
    control: &Control,
) -> Result<Option<Point>> {
    const ARMIJO: f64 = 1e-4;
    const CURVATURE: f64 = 0.9;
    // Evaluations in one search.
    const EVALUATIONS: usize = 40;
    let slope = dot(&from.gradient, direction);
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
    let mut best: Option<Point> = None;
    for _ in 0..EVALUATIONS {
        control.check()?;
        let x: Vec<f64> = from.x.iter().zip(direction).zip(bounds).map(|((x, d), b)| (x + step * d).clamp(b.0, b.1)).collect();
        if x == from.x || best.as_ref().is_some_and(|b| b.x == x) {
            break;
        }
        let (value, gradient) = objective(&x)?;
        *evaluations += 1;
        let moved: f64 = from.gradient.iter().zip(x.iter().zip(&from.x)).map(|(g, (a, b))| g * (a - b)).sum();
        let usable = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        if !usable || value > from.value + ARMIJO * moved {
            high = step;
            step = if usable { interpolate(low, high, from.value, slope, value) } else { low + 0.1 * (high - low) };
        } else {
            // Coordinates that the box has stopped do not move on.
            let along: f64 = (0..x.len()).filter(|&i| x[i] == from.x[i] + step * direction[i]).map(|i| gradient[i] * direction[i]).sum();
            let enough = along >= CURVATURE * slope;
            if best.as_ref().is_none_or(|b| value < b.value) {
                best = Some(Point { x, value, gradient });
            }
            if enough {
                break;
            }
            low = step;
            step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * step };
        }
        if high - low <= f64::EPSILON * high || control.out_of_time() {
            break;
        }
    }
    Ok(best)
}

/// Where the parabola through the start, its slope and the value at `high` is least, kept well inside the bracket.
fn interpolate(low: f64, high: f64, value: f64, slope: f64, at_high: f64) -> f64 {
    let least = -0.5 * slope * high * high / (at_high - value - slope * high);
    let width = high - low;
    if least.is_finite() { least.clamp(low + 0.1 * width, low + 0.5 * width) } else { low + 0.5 * width }
}

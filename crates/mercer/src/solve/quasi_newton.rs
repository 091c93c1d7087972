//! min f(x) subject to low <= x <= high for few coordinates, by a quasi-Newton method that keeps its whole matrix.
//!
//! With g the gradient and B what is known of the curvature, a step minimises g'd + d'B d / 2 within the box and a distance
//! (active sets: Nocedal & Wright 2006, 16.7), and a line search follows it; B learns by the formula of Broyden, Fletcher, Goldfarb
//! and Shanno (6.19 there). It may be given: what a smaller problem of the same form has left of it saves most of the steps.

use super::lbfgs::{Bounds, Minimum, Point, dot, largest, start};
use super::line_search::search;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, eigh, product_transposed};

/// No coordinate moves further in one step.
const RADIUS: f64 = 2.0;
/// Changes of the set of coordinates at a bound, in one step.
const CHANGES: usize = 50;
/// A model whose last step gained so many times what counts is not trusted to foresee that nothing is left.
const TRUSTED: f64 = 1e3;
/// Curvatures below this share of the greatest are taken as this.
const FLAT: f64 = 1e-5;

/// A gain that is worth no further step, in units of f: a ten-thousandth of log evidence changes odds by a ten-thousandth.
pub(super) const NEGLIGIBLE: f64 = 1e-4;

/// Settings of the solver.
#[derive(Clone, Debug)]
pub struct QuasiNewton {
    /// (low, high) of each coordinate; infinite where there is no bound.
    pub bounds: Vec<(f64, f64)>,
    /// Steps at most.
    pub max_iterations: usize,
    /// Converged when no entry of x - P(x - gradient), P the projection onto the box, is larger than this.
    pub tolerance: f64,
    /// Converged when two steps lower f by less than this, relative to max(|f|, 1), or one has and no more is
    /// foreseen of the next by curvature that was given; or where no step lowers f any more, its rounding being greater than
    /// what the model foresees, if that is no more than a ten-thousandth.
    pub decrease: f64,
}

/// Where a minimisation ended, with what is known of the curvature there.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The place.
    pub minimum: Minimum,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// B; `None` where no step was taken and none was given.
    pub curvature: Option<Matrix>,
}

/// M v.
fn times(matrix: &Matrix, v: &[f64]) -> Vec<f64> {
    (0..matrix.rows()).map(|i| dot(matrix.row(i), v)).collect()
}

/// I by a number.
fn scaled_identity(size: usize, by: f64) -> Matrix {
    Matrix::from_fn(size, size, |i, j| if i == j { by } else { 0.0 })
}

/// A symmetric matrix with its eigenvalues made positive: steps against the curvature of f go downhill like the others.
///
/// # Errors
/// Entries that are not finite.
pub fn positive(curvature: &Matrix) -> Result<Matrix> {
    let (values, vectors) = eigh(curvature.clone(), &Control::unwatched())?;
    let least = FLAT * largest(&values);
    let turned = Matrix::from_fn(vectors.rows(), vectors.cols(), |i, k| vectors[(i, k)] * values[k].abs().max(least));
    product_transposed(&turned, &vectors)
}

impl QuasiNewton {
    /// f and its gradient at a place moved into the box.
    ///
    /// # Errors
    /// Those of the objective; f that is not finite there; sizes that do not fit.
    pub fn point(&self, mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>, x: &[f64]) -> Result<Point> {
        start(&mut objective, &self.bounds, x)
    }

    /// Whether no entry of the projected gradient is larger than the tolerance.
    pub fn is_least(&self, at: &Point) -> bool {
        largest(&at.projected_descent(&self.bounds)) <= self.tolerance
    }

    /// Minimises `objective`, which gives f and its gradient, from a point where they are known.
    ///
    /// # Errors
    /// As [`Lbfgs::minimise`](super::Lbfgs::minimise), whose rules of points that are not finite and of time hold too.
    pub fn minimise(
        &self,
        mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
        mut at: Point,
        mut curvature: Option<Matrix>,
        control: &Control,
    ) -> Result<Ended> {
        let bounds = self.bounds.as_slice();
        let (mut iterations, mut evaluations, mut small_steps) = (0, 0, 0);
        // What steps alone have told of the curvature may be far from it along directions that they did not take.
        let (mut converged, mut trusted, mut known, mut promised) = (false, true, curvature.is_some(), f64::INFINITY);
        loop {
            control.check()?;
            let descent = at.projected_descent(bounds);
            converged |= largest(&descent) <= self.tolerance;
            if converged || iterations >= self.max_iterations || control.out_of_time() {
                break;
            }
            // Without curvature the gradient says nothing of how far to go.
            let model = curvature.clone().unwrap_or_else(|| scaled_identity(at.x.len(), largest(&descent).max(1.0)));
            let direction = step(&model, &at, bounds)?;
            let least = self.decrease * at.value.abs().max(1.0);
            let foreseen = -dot(&at.gradient, &direction) - 0.5 * dot(&direction, &times(&model, &direction));
            promised = foreseen.min(promised);
            if known && trusted && foreseen <= least {
                converged = true;
                break;
            }
            match search(&mut objective, &mut evaluations, &at, &direction, 1.0, bounds, control)? {
                Some(next) => {
                    let gain = at.value - next.value;
                    // Two steps in a row, so that one poor step does not end the search.
                    small_steps = if gain <= least { small_steps + 1 } else { 0 };
                    (converged, trusted) = (small_steps >= 2, gain <= TRUSTED * least);
                    curvature = learnt(curvature, &at, &next)?;
                    (at, promised) = (next, f64::INFINITY);
                    iterations += 1;
                }
                None if curvature.is_none() => {
                    converged = promised <= NEGLIGIBLE;
                    break;
                }
                None => (curvature, known) = (None, false),
            }
        }
        let gradient = at.gradient.clone();
        Ok(Ended { minimum: at.into_minimum(bounds, iterations, evaluations, converged), gradient, curvature })
    }
}

/// B after a step, or as it was where f does not curve upwards along it. Without B it begins as the curvature along the step.
fn learnt(curvature: Option<Matrix>, from: &Point, to: &Point) -> Result<Option<Matrix>> {
    let (s, y) = to.since(from);
    let along = dot(&s, &y);
    if along <= 1e-8 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
        return Ok(curvature);
    }
    let mut b = curvature.unwrap_or_else(|| scaled_identity(s.len(), dot(&y, &y) / along));
    let image = times(&b, &s);
    let before = dot(&s, &image);
    for i in 0..s.len() {
        for (j, v) in b.row_mut(i).iter_mut().enumerate() {
            *v += y[i] * y[j] / along - image[i] * image[j] / before;
        }
    }
    Ok(Some(b))
}

/// d of the least g'd + d'B d / 2 such that x + d stays in the box, and no coordinate moves further than the radius.
fn step(b: &Matrix, at: &Point, bounds: Bounds<'_>) -> Result<Vec<f64>> {
    let n = at.x.len();
    let low: Vec<f64> = (0..n).map(|i| (bounds[i].0 - at.x[i]).max(-RADIUS)).collect();
    let high: Vec<f64> = (0..n).map(|i| (bounds[i].1 - at.x[i]).min(RADIUS)).collect();
    let model = |d: &[f64]| dot(&at.gradient, d) + 0.5 * dot(d, &times(b, d));
    let mut d = vec![0.0; n];
    let mut value = 0.0;
    for _ in 0..CHANGES {
        let slope: Vec<f64> = times(b, &d).iter().zip(&at.gradient).map(|(bd, g)| bd + g).collect();
        let held = |i: usize| (d[i] <= low[i] && slope[i] > 0.0) || (d[i] >= high[i] && slope[i] < 0.0);
        let free: Vec<usize> = (0..n).filter(|&i| !held(i)).collect();
        let steep = free.iter().fold(0.0f64, |m, &i| m.max(slope[i].abs()));
        if free.is_empty() || steep <= 1e-12 * largest(&at.gradient) {
            break;
        }
        let among = Matrix::from_fn(free.len(), free.len(), |k, l| b[(free[k], free[l])]);
        let right = Matrix::column(free.iter().map(|&i| -slope[i]).collect());
        let newton = match Cholesky::new(among, &Control::unwatched()) {
            Ok(factor) => factor.solve(&right, &Control::unwatched())?,
            // What is known of the curvature is not positive definite in the digits there are: downhill alone.
            Err(Error::Numerical { .. }) => right,
            Err(other) => return Err(other),
        };
        let mut t = 1.0;
        let moved = loop {
            let mut tried = d.clone();
            free.iter().zip(newton.data()).for_each(|(&i, by)| tried[i] = (d[i] + t * by).clamp(low[i], high[i]));
            let there = model(&tried);
            if there < value {
                break Some((tried, there));
            }
            t *= 0.5;
            if t < 1e-8 {
                break None;
            }
        };
        let Some((tried, there)) = moved else { break };
        (d, value) = (tried, there);
    }
    Ok(d)
}

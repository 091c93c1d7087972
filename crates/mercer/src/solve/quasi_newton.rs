//! min f(x) subject to low <= x <= high for few coordinates, by a quasi-Newton method that keeps its whole matrix.
//!
//! With g the gradient and B what is known of the curvature, a step minimises g'd + d'B d / 2 within the box and a distance
//! (active sets: Nocedal & Wright 2006, 16.7), and a line search follows it; B learns by the formula of Broyden, Fletcher, Goldfarb
//! and Shanno (6.19 there). It may be given: what a smaller problem of the same form has left of it saves most of the steps.

use super::minimiser::{Bounds, Minimiser, Minimum, Point, ProposedStep, StepModel, dot, largest};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, eigh, product_transposed};

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
    // Curvatures below this share of the greatest are taken as this.
    const FLAT: f64 = 1e-5;
    let (values, vectors) = eigh(curvature.clone(), &Control::unwatched())?;
    let least = FLAT * largest(&values);
    let turned = Matrix::from_fn(vectors.rows(), vectors.cols(), |i, k| vectors[(i, k)] * values[k].abs().max(least));
    product_transposed(&turned, &vectors)
}

impl Minimiser {
    /// Minimises `objective`, which gives f and its gradient, from a point where they are known.
    ///
    /// # Errors
    /// As [`Minimiser::minimise`], whose rules of points that are not finite and of time hold too.
    pub fn minimise_from(
        &self,
        mut objective: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
        at: Point,
        curvature: Option<Matrix>,
        control: &Control,
    ) -> Result<Ended> {
        let mut model = WholeMatrix { is_given: curvature.is_some(), curvature, was_small: true };
        let (minimum, gradient) = self.descend(&mut objective, at, &mut model, 0, control)?;
        Ok(Ended { minimum, gradient, curvature: model.curvature })
    }
}

/// B, where it is known.
struct WholeMatrix {
    curvature: Option<Matrix>,
    /// Whether it was given at first: what steps alone have shown of the curvature may be far from it along directions that they did not take.
    is_given: bool,
    /// Whether the last step gained little.
    was_small: bool,
}

impl StepModel for WholeMatrix {
    fn propose(&mut self, at: &Point, descent: Vec<f64>, bounds: Bounds<'_>) -> Result<ProposedStep> {
        // Without curvature the gradient says nothing of how far to go.
        let model = self.curvature.clone().unwrap_or_else(|| scaled_identity(at.x.len(), largest(&descent).max(1.0)));
        let direction = step(&model, at, bounds)?;
        let foreseen = -dot(&at.gradient, &direction) - 0.5 * dot(&direction, &times(&model, &direction));
        Ok(ProposedStep { direction, first: 1.0, foreseen, is_reliable: self.is_given && self.was_small })
    }
    fn learn(&mut self, from: &Point, to: &Point, [gain, least]: [f64; 2]) -> Result<()> {
        // A model whose last step gained so many times what counts is not trusted to foresee that nothing is left.
        const TRUSTED: f64 = 1e3;
        self.was_small = gain <= TRUSTED * least;
        self.curvature = learnt(self.curvature.take(), from, to)?;
        Ok(())
    }
    fn forget(&mut self) -> bool {
        self.is_given = false;
        self.curvature.take().is_some()
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
    // No coordinate moves further in one step.
    const RADIUS: f64 = 2.0;
    // Changes of the set of coordinates at a bound, in one step.
    const CHANGES: usize = 50;
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

//! Places z_i in few dimensions whose distances are near given dissimilarities (multidimensional scaling):
//!
//! ```text
//! minimise  E(Z) = sum_{i<j} w_i w_j u_ij (|z_i - z_j| - delta_ij)^2 / sum_{i<j} w_i w_j u_ij delta_ij^2
//! ```
//!
//! with u = 1 (metric scaling, Kruskal 1964) or u = 1 / delta (Sammon 1969). Steps of Guttman's transform, which majorises E (SMACOF, de
//! Leeuw 1977), then limited-memory BFGS, then Newton's steps, which alone find the minimum along flat directions. None
//! ever raises E by more than rounding. The certificate is the gradient's largest entry, times N.

use super::Minimiser;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Matrix, count_passed, eigh, gramian_of_columns_within, product_within};
use rayon::prelude::*;

/// Distances below this share of the mean dissimilarity are 0: their direction says nothing.
const TOGETHER: f64 = 1e-14;

/// What is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Differences of distances, all alike.
    Stress,
    /// Differences of distances, each by 1 / delta: near rows count for more.
    Sammon,
}

impl Misfit {
    /// u of a dissimilarity; pairs at 0 have no part in Sammon's.
    fn weight(self, delta: f64) -> f64 {
        match self {
            Misfit::Stress => 1.0,
            Misfit::Sammon if delta > 0.0 => 1.0 / delta,
            Misfit::Sammon => 0.0,
        }
    }
}

/// Places, and how near their distances are.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// N x dimensions.
    pub places: Matrix,
    /// E.
    pub loss: f64,
    /// N times the largest entry of the gradient, with places in units of the root mean square dissimilarity.
    pub gradient: f64,
    /// Steps.
    pub steps: usize,
}

/// Places from a start; `delta` is symmetric, N x N, 0 or above.
pub fn scaling(delta: &Matrix, weights: &[f64], misfit: Misfit, start: &Matrix, tolerance: f64, control: &Control) -> Result<Scaled> {
    // Steps of Guttman's transform at most.
    const GUTTMAN: usize = 30;
    // Steps of the search that follows.
    const MOST: usize = 2000;
    // Pairs that Newton's steps may look at, all together, steps at most, and the share of the tolerance that ends them.
    const POLISH: usize = 2_000_000_000;
    const MOST_POLISH: usize = 20;
    const BEYOND: f64 = 1e-6;
    // E is known to this share of itself.
    const ROUNDING: f64 = 1e-12;
    let problem = Problem::new(delta, weights, misfit);
    let (n, dim) = (start.rows(), start.cols());
    let mut z: Vec<f64> = start.data().iter().map(|v| v / problem.unit).collect();
    let mut at = problem.at(&z, dim, control)?;
    let mut steps = 0;
    while misfit == Misfit::Stress && steps < GUTTMAN && n as f64 * largest(&at.1) > tolerance && !control.out_of_time() {
        let next = problem.guttman(&z, &at.1, dim);
        let found = problem.at(&next, dim, control)?;
        if found.0 >= at.0 {
            break;
        }
        (z, at) = (next, found);
        steps += 1;
    }
    let search = Minimiser { max_iterations: MOST, tolerance: tolerance / n as f64, decrease: 0.0, ..Minimiser::unbounded(z.len()) };
    let found = search.minimise(|z| problem.at(z, dim, control), &z, control)?;
    (z, steps) = (found.x, steps + found.iterations);
    at = problem.at(&z, dim, control)?;
    // A search by values of E knows places to half of the digits.
    let mut looks = POLISH / (n * n).max(1);
    for _ in 0..MOST_POLISH {
        if n as f64 * largest(&at.1) <= BEYOND * tolerance || control.out_of_time() || looks == 0 {
            break;
        }
        let Some(step) = newton_step(&at.1, &mut looks, |p| problem.curved(&z, p, dim)) else { break };
        let next: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z + s).collect();
        let found = problem.at(&next, dim, control)?;
        if largest(&found.1) >= largest(&at.1) || found.0 > at.0 * (1.0 + ROUNDING) {
            break;
        }
        (z, at) = (next, found);
        steps += 1;
    }
    let places = along_axes(&Matrix::new(n, dim, z.iter().map(|v| v * problem.unit).collect())?, weights, control)?;
    Ok(Scaled { places, loss: at.0, gradient: n as f64 * largest(&at.1), steps })
}

/// Centres the points and rotates them to their principal axes, the longest first: the loss is invariant to both.
fn along_axes(places: &Matrix, weights: &[f64], control: &Control) -> Result<Matrix> {
    let (dim, total) = (places.cols(), weights.iter().sum::<f64>());
    let share = Matrix::new(1, weights.len(), weights.iter().map(|w| w / total).collect())?;
    let mean = product_within(&share, places, control)?;
    let centred = Matrix::from_fn(places.rows(), dim, |i, d| places[(i, d)] - mean[(0, d)]);
    let (_, axes) = eigh(gramian_of_columns_within(&centred, Some(weights), control)?, control)?;
    product_within(&centred, &Matrix::from_fn(dim, dim, |d, k| axes[(d, dim - 1 - k)]), control)
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// H p = -g by conjugate gradients; `None` where H is not positive along the way, or `looks` products are used up.
fn newton_step(gradient: &[f64], looks: &mut usize, curved: impl Fn(&[f64]) -> Vec<f64>) -> Option<Vec<f64>> {
    // The residual of a Newton step, as a share of the gradient, and its most products, per number.
    const RESIDUAL: f64 = 1e-6;
    const PRODUCTS: usize = 4;
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let (mut step, mut along, mut square) = (vec![0.0; gradient.len()], residual.clone(), dot(&residual, &residual));
    let enough = RESIDUAL * RESIDUAL * square;
    for _ in 0..PRODUCTS * gradient.len() {
        if square <= enough {
            return Some(step);
        }
        *looks = looks.checked_sub(1)?;
        let turned = curved(&along);
        let curvature = dot(&along, &turned);
        if curvature.is_nan() || curvature <= 0.0 {
            return None;
        }
        let length = square / curvature;
        axpy(length, &along, &mut step);
        axpy(-length, &turned, &mut residual);
        let next = dot(&residual, &residual);
        along.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + next / square * *p);
        square = next;
    }
    None
}

struct Problem<'a> {
    delta: &'a Matrix,
    weights: &'a [f64],
    misfit: Misfit,
    /// The root mean square dissimilarity: 1 in what is minimised.
    unit: f64,
    /// The denominator of E in these units.
    whole: f64,
}

/// Operations for a pair of rows, besides those for each coordinate: a root and a quotient at 20 each.
pub(crate) const PER_PAIR: usize = 40;

impl<'a> Problem<'a> {
    fn new(delta: &'a Matrix, weights: &'a [f64], misfit: Misfit) -> Self {
        let n = weights.len();
        let squares: f64 = delta.data().iter().map(|d| d * d).sum();
        let unit = (squares / (n * n) as f64).sqrt();
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let row = |i: usize| -> f64 {
            let term = |j: usize| {
                let d = delta[(i, j)] / unit;
                weights[j] * misfit.weight(d) * d * d
            };
            weights[i] * (i + 1..n).map(term).sum::<f64>()
        };
        let whole: f64 = (0..n).into_par_iter().map(row).collect::<Vec<_>>().iter().sum();
        Problem { delta, weights, misfit, unit, whole: if whole > 0.0 { whole } else { 1.0 } }
    }

    /// E and its gradient.
    fn at(&self, z: &[f64], dim: usize, control: &Control) -> Result<(f64, Vec<f64>)> {
        control.check()?;
        let n = self.weights.len();
        count_passed(n * n * (PER_PAIR + 6 * dim));
        let rows: Vec<(f64, Vec<f64>)> = (0..n)
            .into_par_iter()
            .with_min_len(8)
            .map(|i| {
                let here = &z[i * dim..(i + 1) * dim];
                let (mut sum, mut slope) = (0.0, vec![0.0; dim]);
                for ((there, d), w) in z.chunks_exact(dim).zip(self.delta.row(i)).zip(self.weights) {
                    let delta = d / self.unit;
                    let far = distance(here, there);
                    let weight = w * self.misfit.weight(delta);
                    sum += weight * (far - delta).powi(2);
                    if far > TOGETHER {
                        let pull = weight * (1.0 - delta / far);
                        slope.iter_mut().zip(here.iter().zip(there)).for_each(|(s, (a, b))| *s += pull * (a - b));
                    }
                }
                // The row itself is one of them.
                let scale = self.weights[i] / self.whole;
                slope.iter_mut().for_each(|s| *s *= 2.0 * scale);
                (0.5 * scale * sum, slope)
            })
            .collect();
        let loss = rows.iter().map(|(e, _)| e).sum();
        Ok((loss, rows.into_iter().flat_map(|(_, slope)| slope).collect()))
    }

    /// The Hessian of E times P: of a pair, 2 u [(1 - delta / d) (p_i - p_j) + delta / d e e'(p_i - p_j)], e = (z_i - z_j) / d.
    fn curved(&self, z: &[f64], p: &[f64], dim: usize) -> Vec<f64> {
        let n = self.weights.len();
        count_passed(n * n * (PER_PAIR + 8 * dim));
        let row = |i: usize| {
            let (here, moved) = (&z[i * dim..(i + 1) * dim], &p[i * dim..(i + 1) * dim]);
            let mut out = vec![0.0; dim];
            let others = z.chunks_exact(dim).zip(p.chunks_exact(dim));
            for (((there, by), d), w) in others.zip(self.delta.row(i)).zip(self.weights) {
                let (delta, far) = (d / self.unit, distance(here, there));
                if far > TOGETHER {
                    let weight = 2.0 * self.weights[i] * w * self.misfit.weight(delta) / self.whole;
                    add_curved(weight, delta / far, (here, there), far, (moved, by), &mut out);
                }
            }
            out
        };
        (0..n).into_par_iter().with_min_len(8).map(row).collect::<Vec<_>>().concat()
    }

    /// Z - V^+ gradient / 2, where V^+ is closed for weights w_i w_j: each row by 1 / (w_i sum w).
    fn guttman(&self, z: &[f64], gradient: &[f64], dim: usize) -> Vec<f64> {
        let all: f64 = self.weights.iter().sum();
        let step = |i: usize| self.whole / (2.0 * self.weights[i / dim] * all);
        z.iter().zip(gradient).enumerate().map(|(i, (z, g))| z - step(i) * g).collect()
    }
}

/// Adds weight [(1 - ratio) q + ratio e e'q], q how far the first of two places moves from the second and e the direction to it.
fn add_curved(weight: f64, ratio: f64, places: (&[f64], &[f64]), far: f64, moves: (&[f64], &[f64]), out: &mut [f64]) {
    let along: f64 = places.0.iter().zip(places.1).zip(moves.0.iter().zip(moves.1)).map(|((a, b), (p, q))| (a - b) * (p - q)).sum();
    for (d, out) in out.iter_mut().enumerate() {
        let straight = (places.0[d] - places.1[d]) / far * (along / far);
        *out += weight * ((1.0 - ratio) * (moves.0[d] - moves.1[d]) + ratio * straight);
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The place of a new row with dissimilarities `delta` to the N places, which stay: sum_j w_j u_j (|z - z_j| - delta_j)^2 from the nearest
/// place, by Newton's steps where they lead to a smaller gradient and else by Guttman's transform.
pub fn place(delta: &[f64], places: &Matrix, weights: &[f64], misfit: Misfit) -> Vec<f64> {
    // Steps for one new place at most, and the share of the largest dissimilarity that ends them.
    const STEPS: usize = 1000;
    const STILL: f64 = 1e-13;
    let far = delta.iter().fold(0.0f64, |m, d| m.max(*d));
    let Some(nearest) = (0..delta.len()).min_by(|a, b| delta[*a].total_cmp(&delta[*b])) else { return vec![0.0; places.cols()] };
    let mut z = places.row(nearest).to_vec();
    // Where Sammon's gives a pair at 0 no weight, the row lies there.
    if misfit == Misfit::Sammon && delta[nearest] == 0.0 {
        return z;
    }
    let pull: Vec<f64> = weights.iter().zip(delta).map(|(w, d)| w * misfit.weight(*d)).collect();
    let all: f64 = pull.iter().sum();
    let moving = Moving { delta, places, share: pull.iter().map(|p| p / all).collect(), together: TOGETHER * far };
    let mut slope = moving.slope(&z);
    for _ in 0..STEPS {
        if size(&slope) <= STILL * far {
            break;
        }
        // The transform goes down by the slope.
        let mut looks = usize::MAX;
        let newton = newton_step(&slope, &mut looks, |p| moving.curved(&z, p));
        let tried = newton.map(|step| z.iter().zip(&step).map(|(z, s)| z + s).collect::<Vec<f64>>());
        let tried = tried.map(|z| (moving.slope(&z), z)).filter(|(next, _)| size(next) < 0.5 * size(&slope));
        (slope, z) = tried.unwrap_or_else(|| {
            let z: Vec<f64> = z.iter().zip(&slope).map(|(z, s)| z - s).collect();
            (moving.slope(&z), z)
        });
    }
    z
}

/// One place among others that stay.
struct Moving<'a> {
    delta: &'a [f64],
    places: &'a Matrix,
    /// w_j u_j, of sum 1.
    share: Vec<f64>,
    together: f64,
}

impl Moving<'_> {
    /// Half of the gradient.
    fn slope(&self, z: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; z.len()];
        for ((d, s), j) in self.delta.iter().zip(&self.share).zip(0..) {
            let there = self.places.row(j);
            let apart = distance(z, there);
            let pull = if apart > self.together { s * (1.0 - d / apart) } else { *s };
            out.iter_mut().zip(z).zip(there).for_each(|((o, z), t)| *o += pull * (z - t));
        }
        out
    }

    /// Half of the Hessian times p.
    fn curved(&self, z: &[f64], p: &[f64]) -> Vec<f64> {
        let (mut out, still) = (vec![0.0; z.len()], vec![0.0; z.len()]);
        for ((d, s), j) in self.delta.iter().zip(&self.share).zip(0..) {
            let there = self.places.row(j);
            let apart = distance(z, there);
            if apart > self.together {
                add_curved(*s, d / apart, (z, there), apart, (p, &still), &mut out);
            }
        }
        out
    }
}

fn size(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spots(n: usize) -> Matrix {
        Matrix::from_fn(n, 3, |i, d| (0.37 * (i * (d + 2)) as f64).sin() * 3.0 + ((i * (7 + d)) % 11) as f64 / 4.0)
    }

    fn apart(spots: &Matrix) -> Matrix {
        Matrix::from_fn(spots.rows(), spots.rows(), |i, j| distance(spots.row(i), spots.row(j)))
    }

    fn start(n: usize) -> Matrix {
        Matrix::from_fn(n, 2, |i, d| ((i * (3 + 4 * d)) % 17) as f64 - 8.0)
    }

    /// E by its definition.
    fn stress(z: &Matrix, delta: &Matrix, w: &[f64], misfit: Misfit) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for i in 0..w.len() {
            for j in 0..i {
                let u = w[i] * w[j] * misfit.weight(delta[(i, j)]);
                above += u * (distance(z.row(i), z.row(j)) - delta[(i, j)]).powi(2);
                below += u * delta[(i, j)].powi(2);
            }
        }
        above / below
    }

    #[test]
    fn the_gradient_is_that_of_differences_and_no_step_of_the_transform_raises_the_stress() {
        let n = 25;
        let (delta, w) = (apart(&spots(n)), (0..n).map(|i| 1.0 + (i % 3) as f64).collect::<Vec<_>>());
        let control = Control::default();
        for misfit in [Misfit::Stress, Misfit::Sammon] {
            let problem = Problem::new(&delta, &w, misfit);
            let mut z: Vec<f64> = start(n).data().iter().map(|v| v / problem.unit).collect();
            let (value, gradient) = problem.at(&z, 2, &control).unwrap();
            assert!((value - stress(&start(n), &delta, &w, misfit)).abs() <= 1e-12 * value);
            for k in [0, 7, 31] {
                let moved = |by: f64| {
                    let mut z = z.clone();
                    z[k] += by;
                    problem.at(&z, 2, &control).unwrap().0
                };
                let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!((slope - gradient[k]).abs() <= 1e-7 * (1.0 + slope.abs()), "{slope} {}", gradient[k]);
            }
            for _ in 0..50 {
                if misfit == Misfit::Sammon {
                    break;
                }
                let (before, gradient) = problem.at(&z, 2, &control).unwrap();
                z = problem.guttman(&z, &gradient, 2);
                assert!(problem.at(&z, 2, &control).unwrap().0 <= before * (1.0 + 1e-14));
            }
            let found = scaling(&delta, &w, misfit, &start(n), 1e-8, &control).unwrap();
            assert!(found.gradient <= 1e-8 && found.loss < value, "{} {}", found.gradient, found.loss);
            assert!((found.loss - stress(&found.places, &delta, &w, misfit)).abs() <= 1e-10 * found.loss);
            // A row placed by itself among the others lies where it lies.
            for i in [0, 9] {
                let alone = place(delta.row(i), &found.places, &w, misfit);
                assert!(distance(&alone, found.places.row(i)) <= 1e-5 * problem.unit, "{misfit:?} {i}");
            }
        }
    }

    #[test]
    fn distances_of_the_plane_are_met_and_a_new_row_is_put_where_it_lies() {
        let flat = Matrix::from_fn(20, 2, |i, d| (0.7 * (i * (d + 1)) as f64).cos() + (i * (d + 2) % 7) as f64);
        let near = Matrix::from_fn(20, 2, |i, d| flat[(i, d)] + 0.2 * ((i + d) as f64).sin());
        let (delta, w) = (apart(&flat), vec![1.0; 20]);
        let found = scaling(&delta, &w, Misfit::Stress, &near, 1e-10, &Control::default()).unwrap();
        assert!(found.loss <= 1e-15, "{}", found.loss);
        let new = [1.3, 2.1];
        let to = |of: &Matrix, z: &[f64]| (0..20).map(|j| distance(of.row(j), z)).collect::<Vec<_>>();
        let put = place(&to(&flat, &new), &found.places, &w, Misfit::Stress);
        assert!(to(&found.places, &put).iter().zip(to(&flat, &new)).all(|(a, b)| (a - b).abs() <= 1e-4));
    }
}

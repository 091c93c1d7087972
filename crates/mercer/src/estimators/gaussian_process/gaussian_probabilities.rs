//! Probabilities of classes where latent values are not known but normal: E sigmoid(f) of one, E softmax(f) of several.
//!
//! One: the trapezoid rule, which converges exponentially for analytic functions (Trefethen & Weideman 2014). With f = m + s z it goes
//! over z, where poles of the sigmoid are pi / s away, for small s; else over the logistic noise u, E = int Phi((m + u) / s) dL(u),
//! with poles pi away. Several: a lattice by powers of the root of x^(d+1) = x + 1 (Roberts 2018), each point with its mirror image.

use crate::gram::{Level, dispatch, level};
use crate::linalg::{Matrix, Real, fma};
use crate::solve::likelihood::sigmoid;
use statrs::distribution::{ContinuousCDF, Normal};

/// Deviations below which the rule goes over z.
const NARROW: f64 = 2.0;
/// Points of the lattice for a prediction, and where many rows are summed; each counts with its mirror image.
const POINTS: usize = 1024;
const FEW_POINTS: usize = 128;
/// Points that go side by side, a divisor of both.
const LANES: usize = 8;

/// Probabilities of the first and of the second class for a latent value of this mean and variance. The second is the larger one
/// where the mean is above 0, the first where it is below.
pub(super) fn of_two(mean: f64, variance: f64) -> [f64; 2] {
    let s = variance.max(0.0).sqrt();
    if mean == 0.0 {
        return [0.5; 2];
    }
    let (first, second) = if s < NARROW { over_values(mean, s) } else { over_noise(mean, s) };
    let (smaller, larger) = (first.min(second) / (first + second), first.max(second) / (first + second));
    // Rounding decides nothing.
    if mean > 0.0 { [smaller, larger] } else { [larger, smaller] }
}

/// Sums over z = k h.
fn over_values(mean: f64, s: f64) -> (f64, f64) {
    let h = (0.5 / s.max(f64::MIN_POSITIVE)).min(0.6);
    let most = ((9.0 + s) / h).ceil() as i32;
    let (mut first, mut second) = (0.0, 0.0);
    for k in -most..=most {
        let z = h * f64::from(k);
        let weight = (-0.5 * z * z).exp();
        first += weight * sigmoid(-(mean + s * z));
        second += weight * sigmoid(mean + s * z);
    }
    (first, second)
}

/// Sums over u = k h.
fn over_noise(mean: f64, s: f64) -> (f64, f64) {
    let (h, most) = (0.5, 80);
    let below = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let (mut first, mut second) = (0.0, 0.0);
    for k in -most..=most {
        let u = h * f64::from(k);
        let weight = sigmoid(u) * sigmoid(-u);
        first += weight * below((u - mean) / s);
        second += weight * below((u + mean) / s);
    }
    (first, second)
}

/// Points of a standard normal in several dimensions, dimensions x points.
fn lattice(dimensions: usize, points: usize) -> Matrix {
    let mut root = 2.0f64;
    for _ in 0..64 {
        root = (1.0 + root).powf(1.0 / (dimensions as f64 + 1.0));
    }
    let normal = Normal::standard();
    Matrix::from_fn(dimensions, points, |d, k| {
        let place = (0.5 + (k + 1) as f64 * root.powi(-(d as i32 + 1))).fract();
        normal.inverse_cdf(place.clamp(1e-16, 1.0 - 1e-16))
    })
}

/// E sigmoid(f) of one latent value, E softmax(f) of several.
pub(super) struct Mean {
    lattice: Matrix,
}

impl Mean {
    /// Over so many latent values, for predictions.
    pub(super) fn over(outputs: usize) -> Self {
        Mean { lattice: if outputs > 1 { lattice(outputs, POINTS) } else { Matrix::default() } }
    }

    /// Over so many latent values with fewer lattice points, for sums over many rows.
    pub(super) fn coarse(outputs: usize) -> Self {
        Mean { lattice: if outputs > 1 { lattice(outputs, FEW_POINTS) } else { Matrix::default() } }
    }

    /// Probabilities of the classes where the latent values have these means and a covariance of so many times this one.
    pub(super) fn probabilities(&self, mean: &[f64], covariance: &Matrix, times: f64) -> Vec<f64> {
        if let [mean] = mean {
            return of_two(*mean, times * covariance[(0, 0)]).to_vec();
        }
        let mut covariance = covariance.clone();
        covariance.data_mut().iter_mut().for_each(|v| *v *= times);
        of_several(mean, &covariance, &self.lattice)
    }
}

/// Probabilities of several classes for latent values of these means and this covariance. The lattice is laid along the classes from
/// the largest mean to the least, whatever their order.
fn of_several(mean: &[f64], covariance: &Matrix, lattice: &Matrix) -> Vec<f64> {
    let n = mean.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| mean[b].total_cmp(&mean[a]).then(covariance[(b, b)].total_cmp(&covariance[(a, a)])));
    let sorted: Vec<f64> = order.iter().map(|&a| mean[a]).collect();
    let mut factor = Matrix::from_fn(n, n, |a, b| covariance[(order[a], order[b])]);
    halve(&mut factor);
    let mut total = vec![[0.0; LANES]; n];
    add_softmax(&sorted, &factor, lattice, &mut total);
    let total: Vec<f64> = total.iter().map(|lanes| lanes.iter().sum()).collect();
    let sum: f64 = total.iter().sum();
    let mut out = vec![0.0; n];
    order.iter().zip(total).for_each(|(&a, t)| out[a] = t / sum);
    out
}

dispatch! {
    /// Adds softmax(mean + L z) over the points z of the lattice and their mirror images, L a lower factor of the covariance.
    add_softmax, softmax_body, <>, (mean: &[f64], factor: &Matrix, lattice: &Matrix, total: &mut [[f64; LANES]]) -> ()
}

#[inline(always)]
fn softmax_body<const FMA: bool>(mean: &[f64], factor: &Matrix, lattice: &Matrix, total: &mut [[f64; LANES]]) {
    let n = mean.len();
    // Of z, then of -z.
    let mut both = vec![[0.0; LANES]; 2 * n];
    for from in (0..lattice.cols()).step_by(LANES) {
        let (above, below) = both.split_at_mut(n);
        for (a, (up, down)) in above.iter_mut().zip(below).enumerate() {
            let mut moved = [0.0; LANES];
            for (d, l) in factor.row(a)[..=a].iter().enumerate() {
                let z = &lattice.row(d)[from..from + LANES];
                for k in 0..LANES {
                    moved[k] = fma::<f64, FMA>(*l, z[k], moved[k]);
                }
            }
            for k in 0..LANES {
                (up[k], down[k]) = (mean[a] + moved[k], mean[a] - moved[k]);
            }
        }
        for values in both.chunks_exact_mut(n) {
            let (mut most, mut sum) = ([f64::NEG_INFINITY; LANES], [0.0; LANES]);
            for v in values.iter() {
                for k in 0..LANES {
                    most[k] = if v[k] > most[k] { v[k] } else { most[k] };
                }
            }
            for v in values.iter_mut() {
                for k in 0..LANES {
                    v[k] = (v[k] - most[k]).exponential::<FMA>();
                    sum[k] += v[k];
                }
            }
            for (t, v) in total.iter_mut().zip(values) {
                for k in 0..LANES {
                    t[k] += v[k] / sum[k];
                }
            }
        }
    }
}

/// The lower Cholesky factor in place, with 0 for columns whose pivot is rounding: nothing is left of the variance there.
fn halve(c: &mut Matrix) {
    let n = c.rows();
    let least = f64::EPSILON * n as f64 * c.diagonal().iter().fold(0.0f64, |m, d| m.max(*d));
    for j in 0..n {
        let pivot = c[(j, j)] - (0..j).map(|k| c[(j, k)] * c[(j, k)]).sum::<f64>();
        let root = if pivot > least { pivot.sqrt() } else { 0.0 };
        for i in j + 1..n {
            let rest = c[(i, j)] - (0..j).map(|k| c[(i, k)] * c[(j, k)]).sum::<f64>();
            c[(i, j)] = if root > 0.0 { rest / root } else { 0.0 };
        }
        c[(j, j)] = root;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::likelihood::softmax;

    /// The mean of a function of a standard normal by a fine midpoint rule.
    fn fine(g: impl Fn(f64) -> f64) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for k in -200_000..200_000 {
            let z = (f64::from(k) + 0.5) * 6e-5;
            let weight = (-0.5 * z * z).exp();
            sum += weight * g(z);
            all += weight;
        }
        sum / all
    }

    #[test]
    fn the_mean_of_a_sigmoid_is_that_of_a_fine_rule() {
        for mean in [-30.0, -3.0, -0.2, 0.0, 1e-9, 0.7, 5.0] {
            for s in [0.0, 0.3, 1.0, 1.99, 2.01, 6.0, 40.0] {
                let [first, second] = of_two(mean, s * s);
                let expected = fine(|z| sigmoid(mean + s * z));
                assert!((second - expected).abs() <= 1e-13 + 1e-9 * expected, "{mean} {s}: {second} {expected}");
                assert!((first + second - 1.0).abs() <= 1e-15 && (mean > 0.0) == (second > first));
            }
        }
    }

    #[test]
    fn the_mean_of_a_softmax_is_that_of_a_fine_rule() {
        // f = m + r z along one direction, and two classes with independent values against the rule for their difference.
        let (m, r) = ([0.3, -0.5, 1.1], [2.0, -1.0, 0.5]);
        let points = lattice(3, POINTS);
        let found = of_several(&m, &Matrix::from_fn(3, 3, |a, b| r[a] * r[b]), &points);
        for (c, p) in found.iter().enumerate() {
            let expected = fine(|z| {
                let mut f: Vec<f64> = m.iter().zip(&r).map(|(m, r)| m + r * z).collect();
                softmax(&mut f);
                f[c]
            });
            assert!((p - expected).abs() < 5e-4, "{p} {expected}");
        }
        let both = of_several(&[0.4, -0.3], &Matrix::from_fn(2, 2, |a, b| if a == b { 1.5 } else { 0.2 }), &lattice(2, POINTS));
        let [_, expected] = of_two(0.7, 2.6);
        assert!((both[0] - expected).abs() < 5e-4, "{} {expected}", both[0]);
    }
}

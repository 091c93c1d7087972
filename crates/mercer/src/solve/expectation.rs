//! Expectation propagation for two classes with a logistic likelihood (Minka 2001; Rasmussen & Williams 2006, 3.6 and 5.5.2).
//!
//! Every row has a Gaussian site exp(nu f - tau f^2 / 2). With T = diag(w tau), B = I + T^1/2 S T^1/2 and V = T^1/2 B^-1 T^1/2 the
//! approximate posterior has the covariance S - S V S and the mean S b, b = (I - V S) w nu. A site is at its fixed point where the
//! posterior without one of its copies, times the likelihood, has the mean and the variance of the posterior.
//! All sites are moved at once, with damping.
//!
//! ```text
//! log Z = sum_i w_i ( log Z_i + log(1 + tau v)/2 - ((m/v + nu)^2 / (1/v + tau) - m^2/v)/2 ) - log |B|/2 + (w nu)'S b/2
//! ```
//!
//! with m, v the mean and variance of the posterior without a copy and Z_i the mean of the likelihood under it. At the fixed point
//! d log Z / dS = (b b' - V)/2. A row of weight w has w copies of one site: it is w equal rows.

use super::laplace::Evidence;
use super::likelihood::{log1p_exp, sigmoid};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, product_within};
use rayon::prelude::*;
use std::f64::consts::TAU;

impl Approximation {
    /// -log Z and its derivative by S, (V - b b')/2.
    ///
    /// # Errors
    /// On request of `control`.
    pub fn evidence(self, control: &Control) -> Result<Evidence> {
        let mut weights = self.factor.into_inverse(control)?;
        let (n, b) = (self.root.len(), self.b.data());
        weights.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            for (j, v) in row.iter_mut().enumerate() {
                *v = 0.5 * (*v * (self.root[i] * self.root[j]) - b[i] * b[j]);
            }
        });
        Ok(Evidence { value: self.value, weights })
    }
}

/// Rows of two classes.
pub struct TwoClasses<'a> {
    /// +1 for the second class, else -1.
    pub signs: &'a [f64],
    /// How many copies of each row there are.
    pub weights: &'a [f64],
}

/// The approximation.
pub struct Approximation {
    /// b, N x 1: the posterior mean is S b.
    pub b: Matrix,
    /// T^1/2.
    pub root: Vec<f64>,
    /// B, factorised.
    pub factor: Cholesky,
    /// -log Z.
    pub value: f64,
    /// The largest change in the last sweep.
    pub change: f64,
    /// Sweeps.
    pub iterations: usize,
}

/// Approximates under the prior covariance S (N x N). Where sites do not settle the last ones are given, with their `change`.
///
/// # Errors
/// On request of `control`; numbers that break down.
pub fn approximate(s: &Matrix, rows: &TwoClasses<'_>, control: &Control) -> Result<Approximation> {
    // Sweeps over all sites at most.
    const SWEEPS: usize = 200;
    // The largest change of a mean or a deviation of the posterior, in units of its deviation, at which sites have converged.
    const EXACT: f64 = 1e-9;
    // The damping of a sweep, and the least that it falls to where changes grow.
    const DAMPING: (f64, f64) = (0.9, 0.1);
    let n = s.rows();
    let (mut tau, mut nu) = (vec![0.0; n], vec![0.0; n]);
    let (mut last, mut damping, mut change) = (f64::INFINITY, DAMPING.0, f64::INFINITY);
    let mut iterations = 0;
    loop {
        control.check_time("expectation propagation")?;
        let total: Vec<f64> = tau.iter().zip(rows.weights).map(|(t, w)| t * w).collect();
        let root: Vec<f64> = total.iter().map(|t: &f64| t.sqrt()).collect();
        let mut matrix = s.clone();
        matrix.data_mut().par_chunks_mut(n.max(1)).zip(&root).for_each(|(row, own)| {
            row.iter_mut().zip(&root).for_each(|(v, other)| *v *= own * other);
        });
        matrix.add_to_diagonal(&[1.0]);
        let factor = Cholesky::new(matrix, control)?;
        let sites = Matrix::column(nu.iter().zip(rows.weights).map(|(nu, w)| nu * w).collect());
        let b = mean_weights(s, &root, &factor, &sites, control)?;
        let mean = product_within(s, &b, control)?.into_data();
        let inverse = factor.inverse_diagonal(control)?;
        let variance: Vec<f64> = (0..n).map(|i| if total[i] > 0.0 { (1.0 - inverse[i]) / total[i] } else { s[(i, i)] }).collect();
        let tilted: Vec<Tilted> =
            (0..n).into_par_iter().map(|i| Tilted::new(without(mean[i], variance[i], tau[i], nu[i]), rows.signs[i])).collect();
        if change <= EXACT || iterations == SWEEPS {
            let of_sites: f64 = (0..n).map(|i| rows.weights[i] * tilted[i].log_share(tau[i], nu[i])).sum();
            let fit: f64 = sites.data().iter().zip(&mean).map(|(n, m)| n * m).sum();
            let value = 0.5 * factor.log_det() - of_sites - 0.5 * fit;
            if !value.is_finite() {
                let why = "its numbers broke down; take inference=laplace, or scale the kernel (variance)".into();
                return Err(Error::Numerical { what: "expectation propagation".into(), why });
            }
            return Ok(Approximation { b, root, factor, value, change, iterations });
        }
        change = tilted
            .iter()
            .zip(&mean)
            .zip(&variance)
            .fold(0.0f64, |most, ((t, m), v)| most.max((t.mean - m).abs() / v.sqrt()).max((t.variance / v - 1.0).abs()));
        if change > last {
            damping = (0.5 * damping).max(DAMPING.1);
        }
        last = change;
        for (i, t) in tilted.iter().enumerate() {
            let (to, nu_to) = (1.0 / t.variance - t.precision, t.mean / t.variance - t.precision * t.cavity);
            tau[i] += damping * (to.max(0.0) - tau[i]);
            nu[i] += damping * (nu_to - nu[i]);
        }
        iterations += 1;
        control.tell("sweeps of expectation propagation", iterations, SWEEPS);
    }
}

/// b = (I - V S) w nu.
fn mean_weights(s: &Matrix, root: &[f64], factor: &Cholesky, sites: &Matrix, control: &Control) -> Result<Matrix> {
    let scaled = |v: &Matrix| Matrix::column(v.data().iter().zip(root).map(|(v, r)| v * r).collect());
    let taken = scaled(&factor.solve(&scaled(&product_within(s, sites, control)?), control)?);
    Ok(Matrix::column(sites.data().iter().zip(taken.data()).map(|(s, t)| s - t).collect()))
}

/// Mean and precision of a posterior without one copy of a site.
fn without(mean: f64, variance: f64, tau: f64, nu: f64) -> (f64, f64) {
    let precision = (1.0 / variance - tau).max(1e-12 / variance);
    ((mean / variance - nu) / precision, precision)
}

/// A Gaussian of this mean and precision times sigmoid(sign f).
struct Tilted {
    cavity: f64,
    precision: f64,
    /// log Z_i.
    log_mass: f64,
    mean: f64,
    variance: f64,
}

impl Tilted {
    /// By the trapezoid rule around the peak of the product, whose poles are pi away from the real line.
    fn new((cavity, precision): (f64, f64), sign: f64) -> Self {
        // Deviations on both sides of a peak that an integral goes over.
        const WIDTH: f64 = 9.5;
        let s = precision.sqrt().recip();
        // The peak: (f - cavity) / s^2 = sign sigmoid(-sign f), by Newton's method on a concave function.
        let mut peak = cavity;
        for _ in 0..100 {
            let p = sigmoid(-sign * peak);
            let step = (sign * p - (peak - cavity) * precision) / (precision + p * (1.0 - p));
            peak += step;
            if step.abs() <= 1e-12 * (s + peak.abs()) {
                break;
            }
        }
        let height = |f: f64| -log1p_exp(-sign * f) - 0.5 * precision * (f - cavity).powi(2);
        let (top, h) = (height(peak), (0.6 * s).min(0.5));
        let most = (WIDTH * s / h).ceil() as i64;
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for k in -most..=most {
            let away = h * k as f64;
            let weight = (height(peak + away) - top).exp();
            mass += weight;
            first += weight * away;
            second += weight * away * away;
        }
        let shift = first / mass;
        Tilted {
            cavity,
            precision,
            log_mass: top + (h * mass).ln() + 0.5 * (precision / TAU).ln(),
            mean: peak + shift,
            variance: second / mass - shift * shift,
        }
    }

    /// log Z_i less the logarithm of the mean of the site.
    fn log_share(&self, tau: f64, nu: f64) -> f64 {
        let (m, r) = (self.cavity, self.precision);
        self.log_mass + 0.5 * (tau / r).ln_1p() - 0.5 * ((m * r + nu).powi(2) / (r + tau) - m * m * r)
    }
}

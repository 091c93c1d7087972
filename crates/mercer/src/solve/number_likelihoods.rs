//! Likelihoods of numbers under a latent function f, beyond the normal one:
//!
//! ```text
//! Student's t   l = log Gamma(nu/2) - log Gamma((nu + 1)/2) + log(nu pi s)/2 + (nu + 1)/2 log(1 + (y - f)^2 / (nu s))
//! Poisson       l = e^(f + c) - y (f + c) + log Gamma(y + 1),     c the logarithm of the mean count
//! ```
//!
//! That of t is not convex. It lies below a parabola of curvature w (nu + 1) / (nu s + r^2), r = y - f, that touches it at f (Lange, Little
//! & Taylor 1989, Robust statistical modeling using the t distribution): steps take the second derivative, but no less than half of that
//! curvature, so that a whole step never raises the objective, however far the rows are. Laplace's approximation takes the expected
//! second derivative I = (nu + 1) / ((nu + 3) s), which depends on no f, so that its derivatives are exact (Hartmann & Vanhatalo 2019,
//! Laplace approximation and natural gradient for Gaussian process regression with heteroscedastic Student-t model).

use super::likelihood::{Curvature, Likelihood, Slopes};
use crate::linalg::Matrix;
use statrs::function::gamma::{digamma, ln_gamma};
use std::f64::consts::PI;

/// Numbers with heavy tails.
pub struct StudentT {
    /// Targets.
    pub y: Vec<f64>,
    /// Weights of the rows.
    pub weights: Vec<f64>,
    /// nu.
    pub degrees: f64,
    /// s, the square of the scale.
    pub square: f64,
}

impl StudentT {
    /// The second derivatives of the loss at f, below 0 where rows are far from it.
    pub fn second_derivatives(&self, f: &Matrix) -> Vec<f64> {
        let of = |((y, w), f): ((&f64, &f64), &f64)| {
            let (r, nu_s) = ((y - f).powi(2), self.degrees * self.square);
            w * (self.degrees + 1.0) * (nu_s - r) / (nu_s + r).powi(2)
        };
        self.y.iter().zip(&self.weights).zip(f.data()).map(of).collect()
    }

    /// I of every row.
    pub fn information(&self) -> Curvature {
        let one = (self.degrees + 1.0) / ((self.degrees + 3.0) * self.square);
        Curvature { diagonal: Matrix::column(self.weights.iter().map(|w| w * one).collect()), coupled: None }
    }

    /// The derivatives by s and by nu of the loss at f, and of log I.
    pub fn by_parameters(&self, f: &Matrix) -> [(f64, f64); 2] {
        let (nu, s) = (self.degrees, self.square);
        let (mut by_square, mut by_degrees) = (0.0, 0.0);
        for ((y, w), f) in self.y.iter().zip(&self.weights).zip(f.data()) {
            let r = (y - f).powi(2);
            let pull = 0.5 * (nu + 1.0) * r / (nu * s + r);
            by_square += w * (0.5 - pull) / s;
            let normaliser = 0.5 * (digamma(0.5 * nu) - digamma(0.5 * (nu + 1.0)) + 1.0 / nu);
            by_degrees += w * (normaliser + 0.5 * (r / (nu * s)).ln_1p() - pull / nu);
        }
        [(by_square, -1.0 / s), (by_degrees, 2.0 / ((nu + 1.0) * (nu + 3.0)))]
    }
}

impl Likelihood for StudentT {
    fn outputs(&self) -> usize {
        1
    }
    fn at(&self, f: &Matrix) -> Slopes {
        let (nu, s, n) = (self.degrees, self.square, self.y.len());
        let constant = ln_gamma(0.5 * nu) - ln_gamma(0.5 * (nu + 1.0)) + 0.5 * (nu * PI * s).ln();
        let (mut loss, mut residual, mut diagonal) = (0.0, Matrix::zeros(n, 1), Matrix::zeros(n, 1));
        for i in 0..n {
            let (w, r) = (self.weights[i], self.y[i] - f[(i, 0)]);
            let spread = nu * s + r * r;
            loss += w * (constant + 0.5 * (nu + 1.0) * (r * r / (nu * s)).ln_1p());
            residual[(i, 0)] = w * (nu + 1.0) * r / spread;
            diagonal[(i, 0)] = w * (nu + 1.0) / spread * ((nu * s - r * r) / spread).max(0.5);
        }
        Slopes { loss, residual, curvature: Curvature { diagonal, coupled: None } }
    }
    /// Of I, by which evidence goes.
    fn third(&self, f: &Matrix) -> Vec<f64> {
        vec![0.0; f.rows()]
    }
}

/// Counts.
pub struct Poisson {
    /// Counts, 0 or above.
    pub y: Vec<f64>,
    /// Weights of the rows.
    pub weights: Vec<f64>,
    /// c.
    pub offset: f64,
}

impl Poisson {
    fn rate(&self, f: f64) -> f64 {
        (f + self.offset).exp()
    }
}

impl Likelihood for Poisson {
    fn outputs(&self) -> usize {
        1
    }
    fn at(&self, f: &Matrix) -> Slopes {
        let n = self.y.len();
        let (mut loss, mut residual, mut diagonal) = (0.0, Matrix::zeros(n, 1), Matrix::zeros(n, 1));
        for i in 0..n {
            let (w, y, f) = (self.weights[i], self.y[i], f[(i, 0)]);
            let rate = self.rate(f);
            loss += w * (rate - y * (f + self.offset) + ln_gamma(y + 1.0));
            residual[(i, 0)] = w * (y - rate);
            diagonal[(i, 0)] = w * rate;
        }
        Slopes { loss, residual, curvature: Curvature { diagonal, coupled: None } }
    }
    fn third(&self, f: &Matrix) -> Vec<f64> {
        self.weights.iter().zip(f.data()).map(|(w, f)| w * self.rate(*f)).collect()
    }
}

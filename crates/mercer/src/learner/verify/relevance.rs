//! The conditions of a relevance vector machine, from its weights alone. With r the slopes of the loss at f and B its curvature, columns
//! about their means by B where there is a constant,
//!
//! ```text
//! alpha_m = phi_m'r / w_m     of the mode,
//! H = Phi'B Phi + diag(alpha),     s_m = (1 - alpha_m v) / v,   q_m = w_m / v,   v = (H^-1)_mm     of a column that is there,
//! s_m = phi_m'B phi_m - phi_m'B Phi H^-1 Phi'B phi_m,   q_m = phi_m'r     of one that is not,
//! ```
//!
//! and no x = 1 / alpha may add to l(x) = (q^2 x / (1 + s x) - log(1 + s x)) / 2 (Tipping and Faul 2003). The variance of the noise is
//! that of the remainder over the rows that the weights leave free (MacKay 1992).

use super::{Condition, EQUATION, Evidence, numbered, worst};
use crate::data::Target;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix};

/// What one alpha may add to the log evidence where all were settled together.
const SETTLED: f64 = 1e-4;
/// What a column that is not there may add of a classification, of which the evidence is an approximation.
const LEFT_OUT_OF_CLASSES: f64 = 0.1;
/// The share of a column's square that must lie outside of the others to be more than rounding.
const ROUNDING: f64 = 1e-9;

/// The loss at f: slopes and curvatures of the rows.
struct Slopes {
    slope: Vec<f64>,
    curvature: Vec<f64>,
}

/// Sums over the rows: of each column by r and by B, and with the columns that are there.
struct Sums {
    slope: Vec<f64>,
    square: Vec<f64>,
    /// N x m.
    along: Matrix,
}

/// What the weights of one output leave.
#[derive(Default)]
struct Gains {
    of_settled: f64,
    of_left_out: f64,
    constant: f64,
}

impl Evidence<'_> {
    /// Conditions of a regression with so many outputs as columns of y.
    pub(super) fn relevance_of_numbers(&self, y: &Matrix, intercept: bool) -> Result<Vec<Condition>> {
        let (w, f) = self.of_rows(y.cols())?;
        let total: f64 = self.weights.iter().sum();
        let rows = if intercept { total - 1.0 } else { total };
        let mut found = Vec::with_capacity(y.cols());
        for o in 0..y.cols() {
            let rest: Vec<f64> = (0..y.rows()).map(|i| y[(i, o)] - f[(i, o)]).collect();
            let slope: Vec<f64> = rest.iter().zip(&self.weights).map(|(r, w)| w * r).collect();
            let at = Slopes { curvature: self.weights.clone(), slope };
            let error = dot(&rest, &at.slope);
            found.push(self.gains(&w.col(o), &at, intercept, |free| error / (rows - free))?);
        }
        Ok(conditions(&found, SETTLED, intercept))
    }

    /// Conditions of a classification of two classes.
    pub(super) fn relevance_of_classes(&self, target: &Target, intercept: bool) -> Result<Vec<Condition>> {
        let (_, places) = numbered(target);
        let (w, f) = self.of_rows(1)?;
        let slope = self.class_slopes(&places, &f).into_data();
        let curvature = f.data().iter().zip(&self.weights).map(|(f, w)| w / ((0.5 * f).exp() + (-0.5 * f).exp()).powi(2)).collect();
        let gains = self.gains(&w.col(0), &Slopes { slope, curvature }, intercept, |_| 1.0)?;
        Ok(conditions(&[gains], LEFT_OUT_OF_CLASSES, intercept))
    }

    /// What one alpha would still add, at the scale (variance of the noise) that follows from the sum of 1 - alpha v.
    fn gains(&self, weights: &[f64], at: &Slopes, intercept: bool, scale: impl Fn(f64) -> f64) -> Result<Gains> {
        let there: Vec<usize> = (0..weights.len()).filter(|&m| weights[m] != 0.0).collect();
        let Sums { slope, square, along } = self.sums(&there, at, intercept)?;
        let size: f64 = at.slope.iter().map(|r| r.abs()).sum();
        let sum: f64 = at.slope.iter().sum();
        let constant = if intercept && size > 0.0 { sum.abs() / size } else { 0.0 };
        let alpha: Vec<f64> = there.iter().map(|&m| slope[m] / weights[m]).collect();
        if alpha.iter().any(|alpha| *alpha <= 0.0 || alpha.is_nan()) {
            return Ok(Gains { of_settled: f64::INFINITY, of_left_out: 0.0, constant });
        }
        // H, alpha and slopes are all of the scale 1 so far.
        let h = Matrix::from_fn(there.len(), there.len(), |a, b| along[(there[a], b)] + if a == b { alpha[a] } else { 0.0 });
        let factor = Cholesky::new(h, self.control)?;
        let mut turned = along;
        factor.solve_rows(&mut turned, self.control)?;
        let inverse = factor.into_inverse(self.control)?.diagonal();
        let free = alpha.iter().zip(&inverse).map(|(alpha, v)| 1.0 - alpha * v).sum();
        let scale = scale(free);
        let mut found = Gains { constant, ..Gains::default() };
        for m in 0..weights.len() {
            if let Ok(a) = there.binary_search(&m) {
                let (v, alpha) = (scale * inverse[a], alpha[a] / scale);
                let more = gain((1.0 - alpha * v).max(0.0) / v, weights[m] / v, 1.0 / alpha);
                found.of_settled = worst(found.of_settled, more);
            } else {
                let outside = square[m] - dot(turned.row(m), turned.row(m));
                if outside > ROUNDING * square[m] {
                    found.of_left_out = worst(found.of_left_out, gain(outside / scale, slope[m] / scale, 0.0));
                }
            }
        }
        Ok(found)
    }

    /// Sums of every column of K, about its mean where there is a constant.
    fn sums(&self, there: &[usize], at: &Slopes, intercept: bool) -> Result<Sums> {
        let n = self.rows();
        let total: f64 = at.curvature.iter().sum();
        let all: Vec<usize> = (0..n).collect();
        let mut means = vec![0.0; n];
        if intercept {
            self.each_row(&all, |i, k| means.iter_mut().zip(k).for_each(|(mean, k)| *mean += at.curvature[i] * k / total))?;
        }
        let mut sums = Sums { slope: vec![0.0; n], square: vec![0.0; n], along: Matrix::zeros(n, there.len()) };
        self.each_row(&all, |i, k| {
            let (slope, curvature) = (at.slope[i], at.curvature[i]);
            let here: Vec<f64> = there.iter().map(|&a| curvature * (k[a] - means[a])).collect();
            for (m, (k, mean)) in k.iter().zip(&means).enumerate() {
                let about = k - mean;
                sums.slope[m] += slope * about;
                sums.square[m] += curvature * about * about;
                (0..here.len()).for_each(|a| sums.along[(m, a)] += about * here[a]);
            }
        })?;
        Ok(sums)
    }
}

/// max l - l(x).
fn gain(s: f64, q: f64, x: f64) -> f64 {
    let l = |x: f64| 0.5 * (q * q * x / (1.0 + s * x) - (s * x).ln_1p());
    let best = if s > 0.0 { ((q * q - s) / (s * s)).max(0.0) } else { 0.0 };
    (l(best) - l(x)).max(0.0)
}

fn conditions(found: &[Gains], left_out: f64, intercept: bool) -> Vec<Condition> {
    let most = |of: fn(&Gains) -> f64| found.iter().map(of).fold(0.0, worst);
    let mut out = vec![
        Condition { name: "greatest gain of the log evidence by one alpha", value: most(|g| g.of_settled), tolerance: SETTLED },
        Condition { name: "greatest gain of the log evidence by a column left out", value: most(|g| g.of_left_out), tolerance: left_out },
    ];
    out.extend(intercept.then(|| Condition {
        name: "sum of the slopes, as a share of their sizes",
        value: most(|g| g.constant),
        tolerance: EQUATION,
    }));
    out
}

//! The temperature T of Laplace's approximation for classes: probabilities are E softmax(f) with f ~ N(m, T Cov).
//!
//! T = 1 is the approximation as it stands. Where the variance of the prior is large it falls back to that prior and probabilities
//! become flat, less sure than those of the posterior that it stands for (Kuss and Rasmussen 2005, Assessing approximate inference for
//! binary Gaussian process classification). Rows left out are the judge, their posterior being the one around the mode without the
//! expansion of their own loss (Vehtari et al. 2016, Bayesian leave-one-out cross-validation approximations for Gaussian latent
//! variable models): with g = -d loss / d f, and W = R R' the second derivatives,
//!
//! ```text
//! V = (Cov^-1 - W)^-1 = Cov + Cov R (I - R'Cov R)^-1 R'Cov,     f ~ N(m - V g, V).
//! ```
//!
//! A row of weight 2 is two rows, one of which is left out: g and W are those of its weight up to 1.
//!
//! T is the greatest that comes up to the best but for what a parameter costs in log likelihood (Akaike 1974, as in `calibration`).

use super::gaussian_probabilities::Mean;
use crate::control::Control;
use crate::data::even_rows;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, product_within};
use crate::solve::likelihood::ClassLikelihood;
use crate::solve::mode::Mode;
use rayon::prelude::*;

/// Rows that are asked at most: T is one number.
pub(super) const MOST_ROWS: usize = 250;
/// Temperatures that are tried: 1 and so many halvings of it.
const HALVINGS: i32 = 10;
/// What a parameter costs in log likelihood.
const COST: f64 = 1.0;

/// The rows that are asked, of `n`.
pub(super) fn rows(n: usize) -> Vec<usize> {
    even_rows(n, MOST_ROWS)
}

/// Latent values of a training row by the posterior without it.
pub(super) struct LeftOut {
    mean: Vec<f64>,
    covariance: Matrix,
    /// The place of its class among the probabilities.
    class: usize,
    weight: f64,
}

impl LeftOut {
    /// Row `i` of a mode, where its latent values have this covariance with it; `None` where nothing but rounding is left without it.
    pub(super) fn of(i: usize, covariance: &Matrix, mode: &Mode, likelihood: &ClassLikelihood, control: &Control) -> Result<Option<Self>> {
        let weight = likelihood.weights()[i];
        let share = 1.0 / weight.max(1.0);
        let mut root = mode.curvature.root(i);
        root.data_mut().iter_mut().for_each(|r| *r *= share.sqrt());
        let by_root = product_within(covariance, &root, control)?;
        let mut inner = product_within(&root.transpose(), &by_root, control)?;
        inner.data_mut().iter_mut().for_each(|v| *v = -*v);
        inner.add_to_diagonal(&[1.0]);
        let factor = match Cholesky::new(inner, control) {
            Err(Error::Numerical { .. }) => return Ok(None),
            factor => factor?,
        };
        let mut turned = by_root;
        factor.solve_rows(&mut turned, control)?;
        let mut without = product_within(&turned, &turned.transpose(), control)?;
        without.data_mut().iter_mut().zip(covariance.data()).for_each(|(v, c)| *v += c);
        let slopes = Matrix::column(mode.alpha.row(i).iter().map(|g| share * g).collect());
        let moved = product_within(&without, &slopes, control)?;
        let mean = mode.latent.row(i).iter().zip(moved.data()).map(|(m, by)| m - by).collect();
        Ok(Some(LeftOut { mean, covariance: without, class: likelihood.codes()[i], weight }))
    }
}

/// The greatest temperature whose log loss on these of `n` rows is not above the least by what a parameter costs.
pub(super) fn temperature(rows: &[LeftOut], n: usize) -> f64 {
    let expected = Mean::coarse(rows.first().map_or(1, |row| row.mean.len()));
    let loss = |temperature: f64| -> f64 {
        let of = |row: &LeftOut| {
            let p = expected.probabilities(&row.mean, &row.covariance, temperature)[row.class];
            -row.weight * p.max(f64::MIN_POSITIVE).ln()
        };
        let all: Vec<f64> = rows.par_iter().map(of).collect();
        all.iter().sum::<f64>() * n as f64 / rows.len().max(1) as f64
    };
    let tried: Vec<(f64, f64)> = (0..=HALVINGS).map(|k| 0.5f64.powi(k)).map(|t| (t, loss(t))).collect();
    let least = tried.iter().fold(f64::INFINITY, |least, (_, loss)| least.min(*loss));
    tried.iter().find(|(_, loss)| *loss <= least + COST).map_or(1.0, |(t, _)| *t)
}

/// What a summary says of a temperature.
pub(super) fn note(temperature: f64) -> Option<String> {
    (temperature < 1.0).then(|| {
        format!(
            "probabilities count the covariance of latent values by a temperature of {temperature}: with more the log loss of rows left out (approximated) would be higher; tempered=false counts all of it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::mode;

    /// 14 rows of one column, some of whose classes are separable.
    fn prior(length: f64, variance: f64) -> Matrix {
        let x = |i: usize| 0.45 * i as f64 + 0.2 * (2.7 * i as f64).sin();
        Matrix::from_fn(14, 14, |i, j| variance * (-0.5 * ((x(i) - x(j)) / length).powi(2)).exp())
    }

    fn some_of(s: &Matrix, rows: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), rows.len(), |a, b| s[(rows[a], rows[b])])
    }

    fn likelihood(rows: &[usize], classes: usize, weight: fn(usize) -> f64) -> ClassLikelihood {
        let code = |i: usize| if classes == 2 { usize::from(i % 5 > 1) } else { (i / 3 + i % 2) % classes };
        ClassLikelihood::new(rows.iter().map(|&i| code(i)).collect(), rows.iter().map(|&i| weight(i)).collect(), classes)
    }

    fn mode_of(s: &Matrix, likelihood: &ClassLikelihood) -> Mode {
        let control = Control::default();
        mode::find(likelihood, s.rows(), &|v: &Matrix| product_within(s, v, &control), false, &control).unwrap()
    }

    fn inverse(m: Matrix) -> Matrix {
        let control = Control::default();
        Cholesky::new(m, &control).unwrap().into_inverse(&control).unwrap()
    }

    /// (S^-1 (x) I + W)^-1, its places by row and then by output.
    fn covariance(s: &Matrix, mode: &Mode) -> Matrix {
        let (n, k) = (s.rows(), mode.alpha.cols());
        let precision = inverse(s.clone());
        let w: Vec<Vec<Vec<f64>>> = (0..k).map(|a| (0..k).map(|b| mode.curvature.between(a, b)).collect()).collect();
        inverse(Matrix::from_fn(n * k, n * k, |p, q| {
            let ((i, a), (j, b)) = ((p / k, p % k), (q / k, q % k));
            (if a == b { precision[(i, j)] } else { 0.0 }) + if i == j { w[a][b][i] } else { 0.0 }
        }))
    }

    fn block(covariance: &Matrix, i: usize, k: usize) -> Matrix {
        Matrix::from_fn(k, k, |a, b| covariance[(i * k + a, i * k + b)])
    }

    /// The posterior without a row, or without as much of it as counts for one, by the inverse of its precision.
    #[test]
    fn a_row_is_left_out_as_its_precision_says() {
        let (control, s, all) = (Control::default(), prior(0.7, 3.0), (0..14).collect::<Vec<_>>());
        for classes in [2, 3, 4] {
            let likelihood = likelihood(&all, classes, |i| 0.5 + (i % 3) as f64);
            let mode = mode_of(&s, &likelihood);
            let (whole, k) = (covariance(&s, &mode), mode.alpha.cols());
            for i in all.iter().copied() {
                let (with, share) = (block(&whole, i, k), 1.0 / likelihood.weights()[i].max(1.0));
                let mut precision = inverse(with.clone());
                (0..k * k).for_each(|e| precision[(e / k, e % k)] -= share * mode.curvature.between(e / k, e % k)[i]);
                let without = inverse(precision);
                let found = LeftOut::of(i, &with, &mode, &likelihood, &control).unwrap().unwrap();
                for a in 0..k {
                    let mean = mode.latent[(i, a)] - (0..k).map(|b| without[(a, b)] * share * mode.alpha[(i, b)]).sum::<f64>();
                    assert!((found.mean[a] - mean).abs() < 1e-7, "{} {mean}", found.mean[a]);
                    (0..k).for_each(|b| assert!((found.covariance[(a, b)] - without[(a, b)]).abs() < 1e-8));
                }
            }
        }
    }

    /// Against fits without each row: the log loss of rows left out, whatever the temperature, to a tenth.
    #[test]
    fn rows_left_out_lose_about_what_fits_without_them_do() {
        let (control, s, all) = (Control::default(), prior(1.2, 2.0), (0..14).collect::<Vec<_>>());
        for classes in [2, 3] {
            let whole = likelihood(&all, classes, |_| 1.0);
            let mode = mode_of(&s, &whole);
            let (cov, k) = (covariance(&s, &mode), mode.alpha.cols());
            for temperature in [1.0, 0.25] {
                let expected = Mean::over(k);
                let (mut approximated, mut exact) = (0.0, 0.0);
                for i in all.iter().copied() {
                    let row = LeftOut::of(i, &block(&cov, i, k), &mode, &whole, &control).unwrap().unwrap();
                    approximated -= expected.probabilities(&row.mean, &row.covariance, temperature)[row.class].ln();
                    let rest: Vec<usize> = all.iter().copied().filter(|j| *j != i).collect();
                    let (own, others) = (some_of(&s, &rest), likelihood(&rest, classes, |_| 1.0));
                    let mode = mode_of(&own, &others);
                    let precision = inverse(own.clone());
                    // f at the row: B = s'S^-1, mean B f, covariance s_ii I - B s (x) I + B Cov B'.
                    let to: Vec<f64> = (0..13).map(|a| (0..13).map(|b| precision[(a, b)] * s[(rest[b], i)]).sum()).collect();
                    let left = s[(i, i)] - (0..13).map(|a| to[a] * s[(rest[a], i)]).sum::<f64>();
                    let mean: Vec<f64> = (0..k).map(|c| (0..13).map(|a| to[a] * mode.latent[(a, c)]).sum()).collect();
                    let cov = covariance(&own, &mode);
                    let at = Matrix::from_fn(k, k, |c, d| {
                        let inner = (0..13 * 13).map(|e| to[e / 13] * to[e % 13] * cov[(e / 13 * k + c, e % 13 * k + d)]).sum::<f64>();
                        inner + if c == d { left } else { 0.0 }
                    });
                    exact -= expected.probabilities(&mean, &at, temperature)[row.class].ln();
                }
                assert!((approximated - exact).abs() < 0.1 * exact, "{classes} {temperature}: {approximated} {exact}");
            }
        }
    }
}

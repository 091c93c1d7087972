//! The mode of a latent function under Student's t, where the prior covariance S is at hand.
//!
//! Newton's method: a step moves the function by H^-1 e, H = S^-1 + W, e = r - alpha. The second derivatives W are below 0 where rows are
//! far from the function. With Sigma = (S^-1 + W_+)^-1 of those above 0 and V the others with the other sign,
//!
//! ```text
//! H^-1 = Sigma + Sigma_N (V^-1 - Sigma_NN)^-1 Sigma_N',
//! ```
//!
//! and H is positive definite where V^-1 - Sigma_NN is (Woodbury). Where it is not, the step takes the curvature of the parabola above the
//! loss, with which no step raises the objective: see `number_likelihoods`.

use super::laplace::within_roots;
use super::likelihood::{Likelihood, Slopes};
use super::mode::{EXACT, Mode, OF_SEARCH, ROUNDING, STEPS, halved, plus};
use super::number_likelihoods::StudentT;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix, product_within};

/// A place on the way.
struct Robust {
    alpha: Matrix,
    function: Matrix,
    slopes: Slopes,
    objective: f64,
}

impl Robust {
    fn at(likelihood: &StudentT, alpha: Matrix, function: Matrix) -> Self {
        let slopes = likelihood.at(&function);
        let objective = slopes.loss + 0.5 * dot(alpha.data(), function.data());
        Robust { alpha, function, slopes, objective }
    }
}

/// The mode; on the way of a search from coefficients of a mode nearby, to the tolerance of a search.
///
/// # Errors
/// On request of `control`; numbers that break down.
pub fn find_robust(likelihood: &StudentT, near: Option<&Matrix>, s: &Matrix, control: &Control) -> Result<Mode> {
    let n = s.rows();
    let multiply = |v: &Matrix| product_within(s, v, control);
    let mut here = Robust::at(likelihood, Matrix::zeros(n, 1), Matrix::zeros(n, 1));
    for alpha in near.cloned().into_iter().chain([normal(likelihood, s, control)?]) {
        let function = multiply(&alpha)?;
        let there = Robust::at(likelihood, alpha, function);
        if there.objective < here.objective {
            here = there;
        }
    }
    let exact = if near.is_some() { OF_SEARCH } else { EXACT };
    let (mut last, mut iterations) = (f64::INFINITY, 0);
    loop {
        control.check_time("the search of a mode")?;
        let residual = plus(&here.slopes.residual, -1.0, &here.alpha);
        let image = multiply(&residual)?;
        let gap = (0.5 * dot(residual.data(), image.data())).max(0.0);
        let share = gap / here.objective.abs().max(f64::MIN_POSITIVE);
        let stalled = share <= ROUNDING && gap > 0.25 * last;
        let next = match share <= exact || stalled || iterations == STEPS {
            true => None,
            false => {
                let (step, moved) = step(likelihood, &here, &residual, &image, s, control)?;
                let gain = dot(residual.data(), moved.data());
                halved(here.objective, gain, |t| {
                    let there = Robust::at(likelihood, plus(&here.alpha, t, &step), plus(&here.function, t, &moved));
                    Ok((there.objective, there))
                })?
            }
        };
        let Some(next) = next else {
            let Robust { mut alpha, mut function, slopes, objective } = here;
            if share <= ROUNDING {
                (alpha, function) = (slopes.residual, plus(&function, 1.0, &image));
            }
            let (latent, curvature) = (function.clone(), slopes.curvature);
            return Ok(Mode { alpha, function, constants: vec![0.0], latent, curvature, objective, gap, iterations });
        };
        (here, last) = (next, gap);
        iterations += 1;
        control.tell("steps of Newton's method", iterations, STEPS);
    }
}

/// The coefficients of the mode under a normal likelihood of the same expected curvature: near the other where there is little noise, where
/// a way from functions of 0 would be long.
fn normal(likelihood: &StudentT, s: &Matrix, control: &Control) -> Result<Matrix> {
    let mut c = s.clone();
    c.add_to_diagonal(&likelihood.information().diagonal.data().iter().map(|i| 1.0 / i).collect::<Vec<_>>());
    Cholesky::new(c, control)?.solve(&Matrix::column(likelihood.y.clone()), control)
}

/// d and S d.
fn step(
    likelihood: &StudentT,
    here: &Robust,
    residual: &Matrix,
    image: &Matrix,
    s: &Matrix,
    control: &Control,
) -> Result<(Matrix, Matrix)> {
    let second = likelihood.second_derivatives(&here.function);
    let found = match newton(&second, image, s, control)? {
        Some(moved) => Some((second, moved)),
        None => {
            let bound = here.slopes.curvature.diagonal.data().to_vec();
            newton(&bound, image, s, control)?.map(|moved| (bound, moved))
        }
    };
    let (curvature, moved) = found.ok_or_else(|| Error::Numerical {
        what: "the search of a mode".into(),
        why: "the covariance is not positive definite; use a Mercer kernel, or more noise".into(),
    })?;
    let step = Matrix::column(residual.data().iter().zip(&curvature).zip(moved.data()).map(|((e, w), m)| e - w * m).collect());
    let moved = product_within(s, &step, control)?;
    Ok((step, moved))
}

/// H^-1 e by S e; `None` where H is not positive definite.
fn newton(curvature: &[f64], image: &Matrix, s: &Matrix, control: &Control) -> Result<Option<Matrix>> {
    let n = s.rows();
    let root: Vec<f64> = curvature.iter().map(|w| w.max(0.0).sqrt()).collect();
    let below: Vec<usize> = (0..n).filter(|&i| curvature[i] < 0.0).collect();
    // So many are the sign of a place far from any mode.
    if 2 * below.len() > n {
        return Ok(None);
    }
    let factor = Cholesky::new(within_roots(s, &root, control), control)?;
    // Sigma v from S v.
    let posterior = |image: &Matrix| -> Result<Matrix> {
        let scaled = |m: &Matrix| Matrix::from_fn(n, m.cols(), |i, o| root[i] * m[(i, o)]);
        let solved = scaled(&factor.solve(&scaled(image), control)?);
        Ok(plus(image, -1.0, &product_within(s, &solved, control)?))
    };
    let moved = posterior(image)?;
    if below.is_empty() {
        return Ok(Some(moved));
    }
    let columns = posterior(&Matrix::from_fn(n, below.len(), |i, k| s[(i, below[k])]))?;
    let inner = Matrix::from_fn(below.len(), below.len(), |j, k| {
        let own = if j == k { -1.0 / curvature[below[j]] } else { 0.0 };
        own - 0.5 * (columns[(below[j], k)] + columns[(below[k], j)])
    });
    if inner.diagonal().iter().any(|d| *d <= 0.0) {
        return Ok(None);
    }
    let inner = match Cholesky::new(inner, control) {
        Ok(inner) if inner.jitter() == 0.0 => inner,
        Ok(_) | Err(Error::Numerical { .. }) => return Ok(None),
        Err(asked) => return Err(asked),
    };
    let some = Matrix::column(below.iter().map(|&i| moved[(i, 0)]).collect());
    let more = product_within(&columns, &inner.solve(&some, control)?, control)?;
    Ok(Some(plus(&moved, 1.0, &more)))
}

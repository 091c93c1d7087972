//! Gaussian process regression, exactly: t = f(x) + noise with f ~ GP(0, variance k) and normal noise.
//!
//! C = variance K + noise W^-1, alpha = C^-1 t; the mean at x is variance k(x)' alpha, the variance of f there
//! variance k(x, x) - ||L^-1 variance k(x)||^2 with C = L L', and log p(t) = -t'alpha/2 - log det(C)/2 - N log(2 pi)/2
//! (Rasmussen & Williams 2006, algorithm 2.1). Leave-one-out: mean t_i - alpha_i / [C^-1]_ii, variance of the
//! target 1 / [C^-1]_ii (ibid., 5.4.2). No inverse is formed for a prediction.
//!
//! A row of weight w has noise / w: means and variances are those of w equal rows; the evidence is not, because
//! w rows are more data than one.

use super::fitted_exact::{GpOfNumbers, Process, Scale};
use super::gp::Gp;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::systems::primal::{Primal, PrimalSolution};
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{Criterion, Estimator, Predicted, Predictions, Task};
use crate::gram;
use crate::linalg::{Cholesky, Matrix};
use rayon::prelude::*;
use std::borrow::Cow;

/// Regression with normal noise, its parameters settled.
#[derive(Clone, Copy)]
pub(super) struct ExactRegression {
    pub(super) noise: f64,
    pub(super) variance: f64,
    /// Whether the target is standardised first.
    pub(super) standardise: bool,
}

/// The factorised covariance of the targets and what it makes of them.
pub(super) struct System {
    pub(super) cholesky: Cholesky,
    /// Standardised targets, N x outputs.
    pub(super) t: Matrix,
    /// C^-1 t.
    pub(super) alpha: Matrix,
    pub(super) process: Process,
}

/// Regression over features Z, C = variance Z Z' + noise W^-1, solved.
pub(super) struct FeatureSystem<'a> {
    pub(super) primal: Primal<'a, Cholesky>,
    /// Standardised targets, N x outputs.
    pub(super) t: Matrix,
    pub(super) found: PrimalSolution,
    /// C^-1 t.
    pub(super) alpha: Matrix,
    pub(super) process: Process,
    /// The log density of the targets in their own units.
    pub(super) evidence: f64,
}

/// Rows from which few features are used; of fewer rows the factor of C itself is kept, which costs nothing then.
const PRIMAL_ROWS: usize = 2000;
/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;
/// Numbers that one thread scales.
const PIECE: usize = 1 << 16;

impl ExactRegression {
    /// The fit: of many rows over the features of a kernel that has few, else by the factor of C.
    pub(super) fn fit(&self, task: &Task<'_>) -> Result<GpOfNumbers> {
        let many = task.rows() >= PRIMAL_ROWS;
        match many.then(|| task.few_features()).flatten() {
            Some(z) => self.fit_primal(z, task),
            None => GpOfNumbers::new(self.system(task)?, task.control),
        }
    }

    /// -log p(t), of which less than one unit (a factor of e in the odds) is no evidence worth the name (Kass and Raftery
    /// 1995, Bayes factors). With G = (O C^-1 - sum_o alpha_o alpha_o')/2, dV/dK = variance G, dV/dnoise = sum_i G_ii / w_i and
    /// dV/dvariance = tr(G K) = (tr(G C) - noise sum_i G_ii / w_i) / variance, where tr(G C) = (O N - sum_o t_o'alpha_o)/2.
    pub(super) fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        let n = task.rows();
        task.control.plan("the evidence of gp and its gradient", 8 * (n as u64).pow(2))?;
        let system = self.system(task)?;
        let value = -system.evidence();
        let outputs = system.t.cols() as f64;
        let trace = 0.5 * (outputs * n as f64 - system.fit());
        let System { cholesky, alpha, process, .. } = system;
        let jitter = cholesky.jitter();
        let mut weights = cholesky.into_inverse(task.control)?;
        let (half, alpha) = (0.5 * process.variance, alpha.transpose());
        weights.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            row.iter_mut().for_each(|v| *v *= outputs);
            for o in 0..alpha.rows() {
                let own = alpha[(o, i)];
                row.iter_mut().zip(alpha.row(o)).for_each(|(v, a)| *v -= own * a);
            }
            row.iter_mut().for_each(|v| *v *= half);
        });
        let diagonal: Vec<f64> = weights.diagonal().iter().map(|v| v / process.variance).collect();
        let by_noise: f64 = diagonal.iter().enumerate().map(|(i, g)| g / task.weight(i)).sum();
        let by_variance = (trace - process.noise * by_noise - jitter * diagonal.iter().sum::<f64>()) / process.variance;
        Ok(Criterion { value, weights: weights.into(), own: vec![("noise", by_noise), ("variance", by_variance)], indifference: 1.0 })
    }

    /// Evidence for a few variances of the noise: the prior covariance once, and a factor for each.
    pub(super) fn criterion_along_noise(&self, values: &[f64], task: &Task<'_>) -> Result<Vec<f64>> {
        let (t, process) = self.standardised(task)?;
        let n = t.rows();
        task.control.plan("the evidence of gp", 16 * (n as u64).pow(2))?;
        let prior = Self::prior(&process, task)?;
        let value = |noise: &f64| -> Result<f64> {
            let mut c = prior.clone();
            c.add_to_diagonal(&(0..n).map(|i| noise / task.weight(i)).collect::<Vec<_>>());
            let cholesky = match Cholesky::new(c, task.control) {
                Err(Error::Numerical { .. }) => return Ok(f64::INFINITY),
                found => found?,
            };
            let alpha = cholesky.solve(&t, task.control)?;
            let fit: f64 = t.data().iter().zip(alpha.data()).map(|(t, a)| t * a).sum();
            Ok(-process.evidence(n, fit, cholesky.log_det()))
        };
        values.iter().map(value).collect()
    }

    /// Means and variances of each row given the others; the target's mean and deviation stay those of all rows.
    pub(super) fn leave_one_out(&self, task: &Task<'_>) -> Result<Predictions> {
        let System { cholesky, t, alpha, process } = self.system(task)?;
        let precision = cholesky.inverse_diagonal(task.control)?;
        let scales = &process.scales;
        let mean =
            Matrix::from_fn(t.rows(), t.cols(), |i, o| scales[o].mean + scales[o].deviation * (t[(i, o)] - alpha[(i, o)] / precision[i]));
        let variance = Matrix::from_fn(t.rows(), t.cols(), |i, o| {
            (1.0 / precision[i] - process.noise / task.weight(i)).max(0.0) * scales[o].deviation.powi(2)
        });
        Ok(Predictions { variance: Some(variance), noise: Some(process.noises()), ..Predictions::of(Predicted::Numbers(mean)) })
    }

    /// The standardised targets; checks the task.
    pub(super) fn standardised(&self, task: &Task<'_>) -> Result<(Matrix, Process)> {
        task.target.as_numbers(Gp::NAME)?;
        let mut t = outputs(task, Gp::NAME)?;
        let scales: Vec<Scale> = (0..t.cols()).map(|o| Scale::of(task.weights, &t, o, self.standardise)).collect();
        for row in t.data_mut().chunks_exact_mut(scales.len().max(1)) {
            for (v, scale) in row.iter_mut().zip(&scales) {
                *v = (*v - scale.mean) / scale.deviation;
            }
        }
        Ok((t, Process { noise: self.noise, variance: self.variance, scales }))
    }

    /// The fit over few features, whose factor L L' = Z'W Z + lambda I gives variances noise |L^-1 phi|^2.
    fn fit_primal<'a>(&self, z: Cow<'a, Matrix>, task: &Task<'a>) -> Result<GpOfNumbers> {
        let FeatureSystem { primal, found, alpha, process, evidence, .. } = self.over_features(z, task)?;
        GpOfNumbers::of_features(process, primal.solver, found, alpha, evidence)
    }

    /// The model over features: a ridge regression with lambda = noise / variance, and by the lemma of the determinant
    /// log det C = log det(L L' / lambda) + sum_i log(noise / w_i) for L L' = Z'W Z + lambda I.
    pub(super) fn over_features<'a>(&self, z: Cow<'a, Matrix>, task: &Task<'a>) -> Result<FeatureSystem<'a>> {
        let (t, process) = self.standardised(task)?;
        let (n, lambda) = (t.rows(), process.noise / process.variance);
        let primal = Primal::new(z, task, lambda, false)?;
        let found = primal.solve(&t, task.control)?;
        // alpha of (K + lambda W^-1) alpha = t is variance times that of C.
        let mut alpha = primal.dual(&t, &found);
        alpha.data_mut().iter_mut().for_each(|a| *a /= process.variance);
        let fit: f64 = t.data().iter().zip(alpha.data()).map(|(t, a)| t * a).sum();
        let noises: f64 = (0..n).map(|i| (process.noise / task.weight(i)).ln()).sum();
        let log_det = primal.solver.log_det() - primal.z.cols() as f64 * lambda.ln() + noises;
        let evidence = process.evidence(n, fit, log_det);
        Ok(FeatureSystem { primal, t, found, alpha, process, evidence })
    }

    /// The prior covariance of the function.
    fn prior(process: &Process, task: &Task<'_>) -> Result<Matrix> {
        let mut prior = gram::dense(task.gram()?, task.control)?;
        if process.variance != 1.0 {
            prior.data_mut().par_chunks_mut(PIECE).for_each(|some| some.iter_mut().for_each(|v| *v *= process.variance));
        }
        Ok(prior)
    }

    /// Computes C and factorises it in place.
    fn system(&self, task: &Task<'_>) -> Result<System> {
        let (t, process) = self.standardised(task)?;
        let mut c = Self::prior(&process, task)?;
        c.add_to_diagonal(&(0..t.rows()).map(|i| process.noise / task.weight(i)).collect::<Vec<_>>());
        let cholesky = Cholesky::new(c, task.control)?;
        let alpha = cholesky.solve(&t, task.control)?;
        Ok(System { cholesky, t, alpha, process })
    }
}

impl System {
    /// sum_o t_o' alpha_o.
    fn fit(&self) -> f64 {
        self.t.data().iter().zip(self.alpha.data()).map(|(t, a)| t * a).sum()
    }

    /// The log density of the targets in their own units, summed over outputs.
    pub(super) fn evidence(&self) -> f64 {
        self.process.evidence(self.t.rows(), self.fit(), self.cholesky.log_det())
    }

    /// Iterative refinement of alpha; ||C alpha - t|| / ||t|| with C as it is without jitter.
    pub(super) fn refine(&mut self, control: &Control) -> Result<f64> {
        let size = self.t.norm();
        let minus = |a: &Matrix, b: &Matrix| Matrix::from_fn(a.rows(), a.cols(), |i, o| a[(i, o)] - b[(i, o)]);
        let share = |rest: &Matrix| if size > 0.0 { rest.norm() / size } else { rest.norm() };
        let mut rest = minus(&self.t, &self.cholesky.multiply(&self.alpha)?);
        for _ in 0..REFINEMENTS {
            if share(&rest) <= f64::EPSILON {
                break;
            }
            let step = self.cholesky.solve(&rest, control)?;
            let alpha = Matrix::from_fn(step.rows(), step.cols(), |i, o| self.alpha[(i, o)] + step[(i, o)]);
            let left = minus(&self.t, &self.cholesky.multiply(&alpha)?);
            let (before, now) = (rest.norm(), left.norm());
            if now.is_nan() || now >= before {
                break;
            }
            (self.alpha, rest) = (alpha, left);
            if now > 0.5 * before {
                break;
            }
        }
        Ok(share(&rest))
    }
}

//! Gaussian processes of numbers that are not normal around the function, by Laplace's approximation (Rasmussen & Williams 2006, 3.4
//! and 9.3): Student's t for outliers, Poisson with rate e^f for counts. Likelihoods and their sources stand in
//! `solve::number_likelihoods`.
//!
//! At x the latent value has the mean m = S(x)'alpha and the variance v = s(x, x) - |L^-1 D^1/2 S(x)|^2. With t it is predicted, and
//! the noise has the variance s nu / (nu - 2); a count has the mean e^(c + m + v/2), and the variance mean^2 (e^v - 1) + mean.

use super::fitted_exact::{ROWS, Scale};
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::linear::logistic::TOLERANCE;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{
    Answer, Certificate, Criterion, Estimator, Expansion, Fitted, Gp, Near, NumberLikelihood, Predicted, Predictions, Query, Summary, Task,
};
use crate::gram::{self, Gram, Side};
use crate::linalg::{Lower, Matrix, gramian_within};
use crate::solve::laplace::{self, Posterior};
use crate::solve::likelihood::Likelihood;
use crate::solve::mode::{self, Mode};
use crate::solve::number_likelihoods::{Poisson, StudentT};
use crate::solve::robust_mode;
use serde::{Deserialize, Serialize};

/// Regression under a likelihood that is not normal, its parameters settled.
#[derive(Clone, Copy)]
pub(super) struct LikelihoodRegression {
    pub(super) likelihood: NumberLikelihood,
    pub(super) variance: f64,
    pub(super) noise: f64,
    pub(super) degrees: f64,
    pub(super) standardise: bool,
}

/// A fitted Gaussian process of numbers that are not normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpOfLikelihood {
    /// The mean of the latent function, in units of the target where these are no counts.
    expansion: Expansion,
    likelihood: NumberLikelihood,
    variance: f64,
    /// Variance of the noise in units of the target; of counts 0.
    noise: f64,
    /// The unit of the function; of counts 1.
    deviation: f64,
    /// D^1/2.
    root: Vec<f64>,
    /// L.
    factor: Lower,
    summary: Summary,
}

/// What is observed.
enum Observed {
    Tails(StudentT),
    Counts(Poisson),
}

/// Targets with their likelihood, and S = variance K.
struct Problem {
    observed: Observed,
    scale: Scale,
    s: Matrix,
}

impl Problem {
    fn of(settled: LikelihoodRegression, task: &Task<'_>) -> Result<Self> {
        let y = outputs(task, Gp::NAME)?;
        let name = settled.likelihood.name();
        if y.cols() != 1 {
            return Err(Error::Data(format!(
                "gp(likelihood={name}) takes one column of numbers, and the target has {}; fit them one by one",
                y.cols()
            )));
        }
        let weights = task.all_weights();
        let (observed, scale) = match settled.likelihood {
            NumberLikelihood::Poisson => {
                if let Some(i) = y.data().iter().position(|v| *v < 0.0 || v.fract() != 0.0) {
                    return Err(Error::Data(format!(
                        "the target of row {} is {}, and counts are whole numbers from 0; likelihood=gaussian and student_t take any number",
                        i + 1,
                        y.data()[i]
                    )));
                }
                let total: f64 = weights.iter().sum();
                let mean = y.data().iter().zip(&weights).map(|(y, w)| y * w).sum::<f64>() / total;
                // Where nothing was counted the rate is what half a count in all rows would make it.
                let offset = if mean > 0.0 { mean.ln() } else { (0.5 / total).ln() };
                let scale = Scale { mean: offset, deviation: 1.0 };
                (Observed::Counts(Poisson { y: y.into_data(), weights, offset }), scale)
            }
            _ => {
                if settled.degrees <= 2.0 {
                    let why = format!("{} leaves the noise without a variance; it must be above 2", settled.degrees);
                    return Err(Error::Setting { name: "degrees".into(), why });
                }
                if settled.noise <= 0.0 {
                    let why = format!("{}: Student's t has a scale; it must be above 0", settled.noise);
                    return Err(Error::Setting { name: "noise".into(), why });
                }
                let scale = Scale::of(task.weights, &y, 0, settled.standardise);
                let y = y.data().iter().map(|v| (v - scale.mean) / scale.deviation).collect();
                (Observed::Tails(StudentT { y, weights, degrees: settled.degrees, square: settled.noise }), scale)
            }
        };
        let mut s = gram::dense(task.gram()?, task.control)?;
        s.data_mut().iter_mut().for_each(|v| *v *= settled.variance);
        Ok(Problem { observed, scale, s })
    }

    fn likelihood(&self) -> &dyn Likelihood {
        match &self.observed {
            Observed::Tails(t) => t,
            Observed::Counts(c) => c,
        }
    }

    /// The mode, with the curvature for Laplace's approximation; within a search, warm-started from one nearby.
    fn mode(&self, task: &Task<'_>, near: Option<&Matrix>) -> Result<Mode> {
        let near = near.filter(|alpha| alpha.rows() == task.rows());
        match &self.observed {
            Observed::Tails(t) => {
                let mode = robust_mode::find_robust(t, near, &self.s, task.control)?;
                Ok(Mode { curvature: t.information(), ..mode })
            }
            Observed::Counts(counts) => mode::find_within(counts, near, &self.s, task.control),
        }
    }

    /// What the unit of the target takes off the log density.
    fn jacobian(&self, task: &Task<'_>) -> f64 {
        (0..task.rows()).map(|i| task.weight(i)).sum::<f64>() * self.scale.deviation.ln()
    }
}

impl LikelihoodRegression {
    pub(super) fn fit(self, task: &Task<'_>) -> Result<GpOfLikelihood> {
        let problem = Problem::of(self, task)?;
        let mode = problem.mode(task, None)?;
        let Posterior { root, each, value, .. } = laplace::posterior(&problem.s, &mode, task.control)?;
        let Some(factor) = each.into_iter().next() else {
            return Err(Error::Shape { what: "latent functions".into(), expected: 1, found: 0 });
        };
        let counts = matches!(problem.observed, Observed::Counts(_));
        let deviation = if counts { 1.0 } else { problem.scale.deviation };
        let coef = Matrix::column(mode.alpha.data().iter().map(|a| self.variance * deviation * a).collect());
        let noise = if counts { 0.0 } else { self.noise * self.degrees / (self.degrees - 2.0) * deviation.powi(2) };
        let share = mode.relative_gap();
        let mut notes = Vec::new();
        if counts {
            notes.push("predictions are mean counts, and their variance is that of a new count".into());
        }
        let summary = Summary {
            iterations: mode.iterations,
            converged: share <= TOLERANCE,
            objective: Some(mode.objective),
            evidence: Some(-(value + problem.jacobian(task))),
            certificate: Some(Certificate {
                name: if counts { "relative duality gap" } else { "squared gradient of the posterior, relative" }.into(),
                value: share,
                tolerance: TOLERANCE,
            }),
            notes,
            ..Summary::default()
        };
        let expansion = Expansion::new((0..task.rows()).collect(), coef, vec![problem.scale.mean]);
        let root = root.into_data();
        Ok(GpOfLikelihood { expansion, likelihood: self.likelihood, variance: self.variance, noise, deviation, root, factor, summary })
    }

    /// -log q(y). With G = d(-log q)/dS, dV/dK = variance G and dV/dvariance = tr(G S) / variance; a parameter of the likelihood moves the
    /// loss and half of sum_i (1 - [B^-1]_ii) d log D_i, [B^-1]_ii = V_ii / D_i.
    pub(super) fn criterion(self, task: &Task<'_>, near: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        let problem = Problem::of(self, task)?;
        let mode = problem.mode(task, Near::alpha(near))?;
        let laplace::Evidence { value, mut weights } = laplace::evidence(&problem.s, &mode, problem.likelihood(), false, task.control)?;
        let mut own = vec![("noise", 0.0), ("variance", gram::dot(weights.data(), problem.s.data()) / self.variance), ("degrees", 0.0)];
        if let Observed::Tails(t) = &problem.observed {
            let learnt = |i: usize| 1.0 - (2.0 * weights[(i, i)] + mode.alpha[(i, 0)].powi(2)) / mode.curvature.diagonal[(i, 0)];
            let half: f64 = 0.5 * (0..task.rows()).map(learnt).sum::<f64>();
            let [noise, degrees] = t.by_parameters(&mode.latent);
            (own[0].1, own[2].1) = (noise.0 + half * noise.1, degrees.0 + half * degrees.1);
        }
        weights.data_mut().iter_mut().for_each(|v| *v *= self.variance);
        let value = value + problem.jacobian(task);
        Ok((Criterion { value, weights: weights.into(), own, indifference: 1.0 }, Some(Near::mode(mode.alpha))))
    }
}

impl GpOfLikelihood {
    /// The expansion of the latent mean.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    fn check(&self, cross: &dyn Gram) -> Result<()> {
        let n = self.expansion.support.len();
        for (what, expected, found) in [
            ("columns of the cross Gram matrix", n, cross.shape().1),
            ("roots of a Gaussian process", n, self.root.len()),
            ("the factor of a Gaussian process", n, self.factor.size()),
            ("outputs of a Gaussian process", 1, self.expansion.bias.len()),
        ] {
            Error::unless_equal(what, expected, found)?;
        }
        Ok(())
    }

    /// Latent means of a range of new inputs and the rows L^-1 D^1/2 S(x).
    fn block(&self, query: &Query<'_>, rows: &[usize]) -> Result<(Matrix, Matrix)> {
        let (mean, mut k) = self.expansion.predict_with_values(query.cross()?, rows, query.control)?;
        for row in k.data_mut().chunks_exact_mut(self.root.len().max(1)) {
            row.iter_mut().zip(&self.root).for_each(|(v, r)| *v *= self.variance * r);
        }
        self.factor.solve_rows(&mut k, query.control)?;
        Ok((mean, k))
    }

    fn covariance(&self, query: &Query<'_>, halves: &Matrix, variance: &[f64]) -> Result<Matrix> {
        let mut c = query.among_new()?;
        let explained = gramian_within(halves, query.control)?;
        let square = self.deviation.powi(2);
        c.data_mut().iter_mut().zip(explained.data()).for_each(|(v, e)| *v = (self.variance * *v - e) * square);
        variance.iter().enumerate().for_each(|(i, v)| c[(i, i)] = v * square);
        Ok(c)
    }
}

impl Fitted for GpOfLikelihood {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        self.check(cross)?;
        let counts = self.likelihood == NumberLikelihood::Poisson;
        if !counts && !want.variance && !want.covariance {
            let mean = self.expansion.predict(cross, control)?;
            return Ok(Predictions { noise: Some(vec![self.noise]), ..Predictions::of(Predicted::Numbers(mean)) });
        }
        let (m, n) = cross.shape();
        let joint = want.covariance && !counts;
        control.plan("predictions of gp with variances", 8 * n as u64 * (if joint { m } else { ROWS.min(m) }) as u64 * 3)?;
        let prior: Vec<f64> = cross.diagonal(Side::Rows).iter().map(|k| self.variance * k).collect();
        let (mut values, mut variances, mut halves) = (Matrix::zeros(0, 1), Vec::with_capacity(m), Matrix::zeros(0, n));
        for start in (0..m).step_by(ROWS) {
            control.check()?;
            let rows: Vec<usize> = (start..(start + ROWS).min(m)).collect();
            let (mean, half) = self.block(query, &rows)?;
            variances.extend(rows.iter().enumerate().map(|(k, &i)| (prior[i] - gram::dot(half.row(k), half.row(k))).max(0.0)));
            values.append_rows(mean);
            if joint {
                halves.append_rows(half);
            }
        }
        if counts {
            let mean = |i: usize| (values[(i, 0)] + 0.5 * variances[i]).exp();
            let rates = Matrix::from_fn(m, 1, |i, _| mean(i));
            let variance = Matrix::from_fn(m, 1, |i, _| mean(i).powi(2) * variances[i].exp_m1() + mean(i));
            let variance = want.variance.then_some(variance);
            return Ok(Predictions { variance, noise: Some(vec![0.0]), ..Predictions::of(Predicted::Numbers(rates)) });
        }
        let covariance = if joint { Some(self.covariance(query, &halves, &variances)?) } else { None };
        let square = self.deviation.powi(2);
        let variance = want.variance.then(|| Matrix::column(variances.iter().map(|v| v * square).collect()));
        Ok(Predictions { variance, covariance, noise: Some(vec![self.noise]), ..Predictions::of(Predicted::Numbers(values)) })
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, None)
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
}

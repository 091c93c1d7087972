//! A fitted Gaussian process through inducing rows: an expansion over them for the mean, the factor of the kernel among them and that of
//! the regression on their features for variances. No other row is kept.

use super::fitted_exact::{Process, ROWS};
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::systems::residual::TOLERANCE;
use crate::estimators::{
    Answer, Certificate, Expansion, Fitted, GradientQuery, Predicted, PredictionGradient, Predictions, Query, Summary,
};
use crate::gram::{self, Gram, Side};
use crate::linalg::{Cholesky, Lower, Matrix, gramian_within};
use serde::{Deserialize, Serialize};

/// A fitted Gaussian process of numbers through inducing rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpOfInducing {
    /// The mean, in the units of the target.
    expansion: Expansion,
    process: Process,
    /// L of the kernel among the inducing rows.
    factor: Lower,
    /// The Cholesky factor of Phi'W Phi + (noise / variance) I.
    inner: Lower,
    summary: Summary,
}

impl GpOfInducing {
    /// From the inducing rows with the coefficients of the mean, outputs x rows in standardised units; both factors; the bound, the duality
    /// gap of the regression, and what was added to the diagonal of the kernel.
    pub(super) fn new(
        process: Process,
        (centres, of_rows): (Vec<usize>, Matrix),
        [factor, inner]: [Cholesky; 2],
        (bound, gap, jitter): (f64, f64, Option<f64>),
        notes: Vec<String>,
    ) -> Result<Self> {
        let certificate = Certificate { name: "relative duality gap".into(), value: gap, tolerance: TOLERANCE };
        let converged = certificate.is_met();
        let summary = Summary { converged, evidence: Some(bound), certificate: Some(certificate), jitter, notes, ..Summary::default() };
        let coef = Matrix::from_fn(of_rows.cols(), of_rows.rows(), |j, o| process.scales[o].deviation * of_rows[(o, j)]);
        let expansion = Expansion::new(centres, coef, process.scales.iter().map(|s| s.mean).collect());
        Ok(GpOfInducing { expansion, process, factor: factor.into_lower(), inner: inner.into_lower(), summary })
    }

    /// The expansion of the mean over the inducing rows.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// An error unless the parts fit together, which a damaged model file may bring about.
    fn check(&self, cross: &dyn Gram) -> Result<()> {
        let m = self.factor.size();
        for (what, expected, found) in [
            ("inducing rows of a Gaussian process", m, self.expansion.support.len()),
            ("features of a Gaussian process", m, self.inner.size()),
            ("outputs of a Gaussian process", self.process.scales.len(), self.expansion.bias.len()),
            ("columns of the cross Gram matrix", m, cross.shape().1),
        ] {
            Error::unless_equal(what, expected, found)?;
        }
        Ok(())
    }

    /// Means of some new inputs, their features phi(x), and the rows noise^(1/2) B^(-1/2) phi(x).
    fn block(&self, query: &Query<'_>, rows: &[usize]) -> Result<[Matrix; 3]> {
        let (mean, mut phi) = self.expansion.predict_with_values(query.cross()?, rows, query.control)?;
        self.factor.solve_rows(&mut phi, query.control)?;
        let mut half = phi.clone();
        self.inner.solve_rows(&mut half, query.control)?;
        half.data_mut().iter_mut().for_each(|v| *v *= self.process.noise.sqrt());
        Ok([mean, phi, half])
    }

    /// The covariance of f over a batch for the first output: variance (k(x, z) - phi(x)'phi(z)) + noise phi(x)'B^-1 phi(z).
    fn covariance(&self, query: &Query<'_>, [phi, half]: [&Matrix; 2], variance: &[f64]) -> Result<Matrix> {
        let mut c = query.among_new()?;
        let (explained, kept) = (gramian_within(phi, query.control)?, gramian_within(half, query.control)?);
        let square = self.process.scales.first().map_or(1.0, |s| s.deviation.powi(2));
        for ((v, e), k) in c.data_mut().iter_mut().zip(explained.data()).zip(kept.data()) {
            *v = (self.process.variance * (*v - e) + k) * square;
        }
        variance.iter().enumerate().for_each(|(i, v)| c[(i, i)] = v * square);
        Ok(c)
    }
}

impl Fitted for GpOfInducing {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Means; if wanted the variances of f, and its covariance for the first output.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        if !(want.variance || want.covariance) {
            return Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(cross, control)?)));
        }
        self.check(cross)?;
        let (rows, m) = cross.shape();
        let (all_rows, block) = (if want.covariance { rows as u64 } else { 0 }, ROWS.min(rows) as u64);
        control.plan("predictions of gp with variances", 8 * (4 * block * m as u64 + all_rows * (2 * m as u64 + 3 * all_rows)))?;
        let prior = cross.diagonal(Side::Rows);
        let (mut means, mut variance) = (Matrix::zeros(0, self.process.scales.len()), Vec::with_capacity(rows));
        let [mut features, mut halves] = [Matrix::zeros(0, m), Matrix::zeros(0, m)];
        for start in (0..rows).step_by(ROWS) {
            control.check()?;
            let some: Vec<usize> = (start..(start + ROWS).min(rows)).collect();
            let [mean, phi, half] = self.block(query, &some)?;
            let square = |of: &Matrix, k: usize| gram::dot(of.row(k), of.row(k));
            let left = |k: usize, i: usize| self.process.variance * (prior[i] - square(&phi, k)).max(0.0);
            variance.extend(some.iter().enumerate().map(|(k, &i)| left(k, i) + square(&half, k)));
            means.append_rows(mean);
            if want.covariance {
                features.append_rows(phi);
                halves.append_rows(half);
            }
        }
        let covariance = if want.covariance { Some(self.covariance(query, [&features, &halves], &variance)?) } else { None };
        Ok(Predictions {
            variance: want.variance.then(|| self.process.in_units(&variance)),
            covariance,
            noise: Some(self.process.noises()),
            ..Predictions::of(Predicted::Numbers(means))
        })
    }

    /// Of variance (k(x, x) - phi'phi) + noise phi'B^-1 phi: variance dk(x, x) + 2 (noise B^-1 phi - variance phi)' L^-1 dk.
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        let (mean, control) = (self.expansion.gradient(query)?, query.control);
        let Some(mut variance) = query.of_own_values()? else { return Ok(Some(PredictionGradient { mean, variance: None })) };
        let mut phi = query.values()?;
        self.factor.solve_rows(&mut phi, control)?;
        let mut weights = phi.clone();
        self.inner.solve_rows(&mut weights, control)?;
        self.inner.solve_transposed_rows(&mut weights, control)?;
        let Process { noise, variance: scale, .. } = self.process;
        weights.data_mut().iter_mut().zip(phi.data()).for_each(|(w, phi)| *w = 2.0 * (noise * *w - scale * phi));
        self.factor.solve_transposed_rows(&mut weights, control)?;
        let explained = query.gradient(weights)?;
        variance.data_mut().iter_mut().zip(explained.data()).for_each(|(v, e)| *v = scale * *v + e);
        Ok(Some(PredictionGradient { mean, variance: Some(self.process.each_in_units(&variance)) }))
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

//! A fitted Gaussian process of numbers with normal noise: an expansion for the mean and the Cholesky factor of the covariance for everything else.

use super::exact::System;
use crate::control::Control;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::systems::primal::PrimalSolution;
use crate::estimators::systems::residual::{TOLERANCE, certificate, rounding};
use crate::estimators::{
    Answer, Certificate, Expansion, Fitted, GradientQuery, Predicted, PredictionGradient, Predictions, Query, Summary,
};
use crate::gram::{Gram, Side};
use crate::linalg::{Cholesky, Lower, Matrix, gramian_within};
use serde::{Deserialize, Serialize};

/// New inputs whose cross Gram rows are held at a time.
pub(super) const ROWS: usize = 256;

/// Mean and standard deviation of one output: target = mean + deviation * standardised target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scale {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Scale {
    /// Weighted mean and deviation of column `o`; 0 and 1 if they are not asked for, 1 for a constant column.
    pub(super) fn of(weights: Option<&[f64]>, y: &Matrix, o: usize, standardise: bool) -> Self {
        if !standardise {
            return Scale { mean: 0.0, deviation: 1.0 };
        }
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let total: f64 = (0..y.rows()).map(weight).sum();
        let mean = (0..y.rows()).map(|i| weight(i) * y[(i, o)]).sum::<f64>() / total;
        let square = (0..y.rows()).map(|i| weight(i) * (y[(i, o)] - mean).powi(2)).sum::<f64>() / total;
        let deviation = square.sqrt();
        // What rounding leaves of a constant is no deviation.
        let constant = deviation.is_nan() || deviation <= 8.0 * f64::EPSILON * mean.abs();
        Scale { mean, deviation: if constant { 1.0 } else { deviation } }
    }
}

/// The parameters of a process, settled, in standardised units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Process {
    pub(super) noise: f64,
    pub(super) variance: f64,
    /// One per output.
    pub(super) scales: Vec<Scale>,
}

impl Process {
    /// The log density of N targets in their own units, summed over outputs, from the sum of t_o' alpha_o and log det C.
    pub(super) fn evidence(&self, rows: usize, fit: f64, log_det: f64) -> f64 {
        let (n, outputs) = (rows as f64, self.scales.len() as f64);
        let jacobian: f64 = self.scales.iter().map(|s| s.deviation.ln()).sum();
        -0.5 * (fit + outputs * (log_det + n * std::f64::consts::TAU.ln())) - n * jacobian
    }

    /// The expansion of the mean in the units of the target, from alpha = C^-1 t (N x outputs).
    fn expansion(&self, alpha: &Matrix) -> Expansion {
        let coef = Matrix::from_fn(alpha.rows(), alpha.cols(), |i, o| self.variance * self.scales[o].deviation * alpha[(i, o)]);
        Expansion::new((0..alpha.rows()).collect(), coef, self.scales.iter().map(|s| s.mean).collect())
    }

    /// A matrix over outputs in their own units from what is common to them in standardised units: entry * deviation^2.
    pub(super) fn in_units(&self, common: &[f64]) -> Matrix {
        Matrix::from_fn(common.len(), self.scales.len(), |i, o| common[i] * self.scales[o].deviation.powi(2))
    }

    /// For each output what is common to them in standardised units, in its own: matrix * deviation^2.
    pub(super) fn each_in_units(&self, common: &Matrix) -> Vec<Matrix> {
        let of = |s: &Scale| Matrix::from_fn(common.rows(), common.cols(), |i, j| common[(i, j)] * s.deviation.powi(2));
        self.scales.iter().map(of).collect()
    }

    /// Variance of the noise of each output, in its own units.
    pub(super) fn noises(&self) -> Vec<f64> {
        self.scales.iter().map(|s| self.noise * s.deviation.powi(2)).collect()
    }
}

/// A fitted Gaussian process of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpOfNumbers {
    /// The mean, in the units of the target.
    expansion: Expansion,
    process: Process,
    /// The Cholesky factor of C; over few features, that of Z'W Z + (noise / variance) I.
    factor: Lower,
    summary: Summary,
}

fn summary(certificate: Certificate, evidence: f64, cholesky: &Cholesky) -> Summary {
    Summary {
        converged: certificate.is_met(),
        evidence: Some(evidence),
        certificate: Some(certificate),
        jitter: cholesky.jitter_used(),
        ..Summary::default()
    }
}

impl GpOfNumbers {
    pub(super) fn new(mut system: System, control: &Control) -> Result<Self> {
        let residual = system.refine(control)?;
        let rounding = rounding(system.cholesky.diagonal(), system.alpha.norm(), system.t.norm());
        let summary = summary(certificate(residual, rounding), system.evidence(), &system.cholesky);
        let System { cholesky, alpha, process, .. } = system;
        let expansion = process.expansion(&alpha);
        Ok(GpOfNumbers { expansion, process, factor: cholesky.into_lower(), summary })
    }

    /// From a regression on few features; alpha = C^-1 t.
    pub(super) fn of_features(process: Process, cholesky: Cholesky, found: PrimalSolution, alpha: Matrix, evidence: f64) -> Result<Self> {
        let certificate = Certificate { name: "relative duality gap".into(), value: found.gap, tolerance: TOLERANCE };
        let summary = summary(certificate, evidence, &cholesky);
        let weights = Matrix::from_fn(found.beta.rows(), found.beta.cols(), |j, o| process.scales[o].deviation * found.beta[(j, o)]);
        let expansion = process.expansion(&alpha).with_weights(weights);
        Ok(GpOfNumbers { expansion, process, factor: cholesky.into_lower(), summary })
    }

    pub(super) fn solved_elsewhere(expansion: Expansion, process: Process, factor: Lower, summary: Summary) -> Self {
        GpOfNumbers { expansion, process, factor, summary }
    }

    /// The expansion of the mean: coefficients variance * alpha (N x outputs) in the units of the target, and its constants.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// An error unless the parts fit together, which a damaged model file may bring about.
    fn check(&self, cross: &dyn Gram) -> Result<()> {
        let n = self.factor.size();
        let (support, columns) = match &self.expansion.weights {
            Some(weights) => (weights.rows(), n),
            None => (self.expansion.support.len(), cross.shape().1),
        };
        for (what, expected, found) in [
            ("support of a Gaussian process", n, support),
            ("outputs of a Gaussian process", self.process.scales.len(), self.expansion.bias.len()),
            ("columns of the cross Gram matrix", n, columns),
        ] {
            if expected != found {
                return Err(Error::Shape { what: what.into(), expected, found });
            }
        }
        Ok(())
    }

    /// The rows noise^(1/2) L^-1 phi(x) of all new inputs, for a process over few features.
    fn of_new(&self, features: &Matrix, control: &Control) -> Result<Matrix> {
        Error::unless_equal("features of the kernel", self.factor.size(), features.cols())?;
        let mut rows = features.clone();
        self.factor.solve_rows(&mut rows, control)?;
        rows.data_mut().iter_mut().for_each(|v| *v *= self.process.noise.sqrt());
        Ok(rows)
    }

    /// Means and the rows variance * L^-1 k(x) of a range of new inputs, and those rows' squared lengths.
    fn block(&self, query: &Query<'_>, rows: std::ops::Range<usize>) -> Result<(Matrix, Matrix)> {
        let rows: Vec<usize> = rows.collect();
        let (mean, mut k) = self.expansion.predict_with_values(query.cross()?, &rows, query.control)?;
        k.data_mut().iter_mut().for_each(|v| *v *= self.process.variance);
        self.factor.solve_rows(&mut k, query.control)?;
        Ok((mean, k))
    }
}

impl Fitted for GpOfNumbers {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Means; if wanted the variances of f, and its covariance for the first output (that of output o is
    /// `noise[o] / noise[0]` times it, or the ratio of the variances). A covariance needs `cross` to know the kernel among
    /// new inputs ([`Gram::among`]). No variance is below 0.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        if !(want.variance || want.covariance) {
            return Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(cross, control)?)));
        }
        self.check(cross)?;
        let (m, n) = cross.shape();
        if let Some(features) = self.expansion.weights.as_ref().and_then(|_| cross.structure().dense_features(Side::Rows)) {
            return self.predict_by_features(query, &features);
        }
        // A block of kernel values, its copies and the work space of its solve; a covariance takes all rows at once.
        let (all_rows, block) = (if want.covariance { m as u64 } else { 0 }, ROWS.min(m) as u64);
        control.plan("predictions of gp with variances", 8 * (4 * block * n as u64 + all_rows * (n as u64 + 2 * all_rows)))?;
        let prior: Vec<f64> = cross.diagonal(Side::Rows).iter().map(|k| self.process.variance * k).collect();
        let (mut means, mut variance, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        for start in (0..m).step_by(ROWS) {
            let (mean, half) = self.block(query, start..(start + ROWS).min(m))?;
            means.extend(mean.into_data());
            variance.extend((0..half.rows()).map(|i| (prior[start + i] - half.row(i).iter().map(|v| v * v).sum::<f64>()).max(0.0)));
            if want.covariance {
                halves.extend(half.into_data());
            }
        }
        let covariance = if want.covariance { Some(self.covariance(query, Matrix::new(m, n, halves)?, &variance)?) } else { None };
        Ok(Predictions {
            variance: want.variance.then(|| self.process.in_units(&variance)),
            covariance,
            noise: Some(self.process.noises()),
            ..Predictions::of(Predicted::Numbers(Matrix::new(m, self.process.scales.len(), means)?))
        })
    }

    /// Of variance (k(x, x) - variance k' C^-1 k): variance dk(x, x) - 2 variance^2 (C^-1 k)' dk.
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        let mean = self.expansion.gradient(query)?;
        let Some(mut variance) = query.of_own_values()? else { return Ok(Some(PredictionGradient { mean, variance: None })) };
        let mut weights = query.values()?;
        self.factor.solve_rows(&mut weights, query.control)?;
        self.factor.solve_transposed_rows(&mut weights, query.control)?;
        weights.data_mut().iter_mut().for_each(|w| *w *= -2.0 * self.process.variance);
        let explained = query.gradient(weights)?;
        variance.data_mut().iter_mut().zip(explained.data()).for_each(|(v, e)| *v = self.process.variance * (*v + e));
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
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
    fn factor(&self) -> Option<&Lower> {
        self.expansion.weights.is_none().then_some(&self.factor)
    }
}

impl GpOfNumbers {
    /// Means, variances and covariances by few features: what is left of the prior is noise phi'(L L')^-1 phi, so that nothing cancels.
    fn predict_by_features(&self, query: &Query<'_>, features: &Matrix) -> Result<Predictions> {
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        control.plan(
            "predictions of gp with variances",
            8 * (features.data().len() as u64 + if want.covariance { (features.rows() as u64).pow(2) } else { 0 }),
        )?;
        let rows = self.of_new(features, control)?;
        let variance: Vec<f64> = (0..rows.rows()).map(|i| rows.row(i).iter().map(|v| v * v).sum()).collect();
        let covariance = if want.covariance {
            let square = self.process.scales.first().map_or(1.0, |s| s.deviation.powi(2));
            let mut c = gramian_within(&rows, control)?;
            c.data_mut().iter_mut().for_each(|v| *v *= square);
            Some(c)
        } else {
            None
        };
        Ok(Predictions {
            variance: want.variance.then(|| self.process.in_units(&variance)),
            covariance,
            noise: Some(self.process.noises()),
            ..Predictions::of(Predicted::Numbers(self.expansion.predict(cross, control)?))
        })
    }

    /// The covariance of f over a batch for the first output, from the rows variance * L^-1 k(x).
    fn covariance(&self, query: &Query<'_>, halves: Matrix, variance: &[f64]) -> Result<Matrix> {
        let mut c = query.among_new()?;
        let explained = gramian_within(&halves, query.control)?;
        let square = self.process.scales.first().map_or(1.0, |s| s.deviation.powi(2));
        for (v, e) in c.data_mut().iter_mut().zip(explained.data()) {
            *v = (self.process.variance * *v - e) * square;
        }
        for (i, v) in variance.iter().enumerate() {
            c[(i, i)] = v * square;
        }
        Ok(c)
    }
}

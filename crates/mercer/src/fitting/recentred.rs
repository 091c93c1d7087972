//! Features far from the origin, taken from their mean: kernel values then have the digits of the differences between rows, which the
//! squares of their distance from the origin would take. An estimator for which k(x, z) + f(x) + f(z) is the kernel k(x, z) predicts the
//! same from either.

use crate::control::Control;
use crate::data::even_rows;
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, View};
use crate::gram::{Features, Gram, LowRank, Side, Structure};
use crate::linalg::{Matrix, product_within};
use std::borrow::Cow;
use std::sync::Arc;

/// The features of the training rows from their mean.
pub(crate) struct Recentred {
    features: Arc<Matrix>,
    gram: LowRank<()>,
    mean: Vec<f64>,
}

impl Recentred {
    /// Those of kernel values, where they are written out, mean the same in every batch and lie far from the origin, for an estimator to which
    /// that makes no difference but by rounding.
    pub(crate) fn of(view: View<'_>, estimator: &EstimatorExpr, control: &Control) -> Result<Option<Self>> {
        // Rows that decide where features are lazy, which forming all of them would cost.
        const SOME: usize = 1024;
        let View::Values(gram) = view else { return Ok(None) };
        let structure = gram.structure();
        if !estimator.facts().ignores_shifts || !structure.features_stand_alone() {
            return Ok(None);
        }
        if let Structure::Whitened { values, factor, .. } = structure {
            let mut some = values.select_rows(&even_rows(values.rows(), SOME));
            factor.solve_rows(&mut some, control)?;
            if far_mean(&some).is_none() {
                return Ok(None);
            }
        }
        let Some(z) = structure.dense_features(Side::Rows) else { return Ok(None) };
        let (n, rank) = (z.rows(), z.cols());
        let Some(mean) = far_mean(&z) else { return Ok(None) };
        control.plan("features from their mean", 16 * (n as u64).saturating_mul(rank as u64))?;
        let features = Arc::new(Matrix::from_fn(n, rank, |i, j| z[(i, j)] - mean[j]));
        Ok(Some(Recentred { gram: LowRank::among(features.clone(), ()), features, mean }))
    }

    /// The products of these features.
    pub(crate) fn gram(&self) -> &dyn Gram {
        &self.gram
    }

    /// Makes a fit to these products one to features from the origin: w'(z - m) + b is w'z + (b - w'm).
    pub(crate) fn restore_origin(&self, fitted: &mut FittedModel, control: &Control) -> Result<()> {
        let Some(expansion) = fitted.expansion_mut() else { return Ok(()) };
        let weights = match expansion.weights.take() {
            Some(weights) => weights,
            None => expansion.weights_of(&Features::Dense(Cow::Owned(self.features.select_rows(&expansion.support))), control)?,
        };
        let mean = Matrix::new(1, self.mean.len(), self.mean.clone())?;
        let shift = product_within(&mean, &weights, control)?.into_data();
        expansion.bias.iter_mut().zip(&shift).for_each(|(b, s)| *b -= s);
        expansion.weights = Some(weights);
        Ok(())
    }
}

/// The mean of the rows, where it lies far from the origin.
fn far_mean(z: &Matrix) -> Option<Vec<f64>> {
    // In standard deviations of the rows: kernel values lose the square of this, 6 of 16 digits.
    const FAR: f64 = 1e3;
    let (n, rank) = (z.rows(), z.cols());
    let mut mean = vec![0.0; rank];
    for _ in 0..2 {
        let mut step = vec![0.0; rank];
        (0..n).for_each(|i| step.iter_mut().zip(z.row(i)).zip(&mean).for_each(|((s, z), m)| *s += (z - m) / n as f64));
        mean.iter_mut().zip(&step).for_each(|(m, s)| *m += s);
    }
    let spread = (0..n).map(|i| z.row(i).iter().zip(&mean).map(|(z, m)| (z - m).powi(2)).sum::<f64>()).sum::<f64>() / n.max(1) as f64;
    let far = mean.iter().map(|m| m * m).sum::<f64>();
    (far.is_finite() && spread > 0.0 && far > FAR * FAR * spread).then_some(mean)
}

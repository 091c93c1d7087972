//! A fit to a transformed target, and its predictions in the unit of the target.
//!
//! ```text
//! E[y | x] = sum_i s_i g^-1(f(x) + e_i)
//! ```
//!
//! with f the fit to g(y), e_i its residuals g(y_i) - f(x_i) and s_i the share of the weight of row i: the smearing estimate (Duan 1983,
//! Smearing estimate: a nonparametric retransformation method, JASA 78, 605-610). A central interval has the inverses of the ends of that
//! of g(y), as g increases.

use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Fitted, FittedModel, Predicted, Predictions, Query, Summary, TargetTransform, Transformed, Want, WarmStart,
};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// Residuals of one output: as they are where they are no more than this, else means of groups of equal weight; of the logarithm one, as
/// exp(f + e) = exp(f) exp(e).
const MOST_RESIDUALS: usize = 200;

/// Residuals of a transformed target, ascending, with the share of each in the weight of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Smearing {
    residuals: Vec<f64>,
    shares: Vec<f64>,
}

impl Smearing {
    /// Of residuals with their weights; `middle`: the mean of the transformed target, at which a group has the mean that its residuals have.
    pub(crate) fn of(transform: TargetTransform, mut residuals: Vec<(f64, f64)>, middle: f64) -> Self {
        residuals.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = residuals.iter().map(|(_, w)| w).sum();
        let groups = match transform {
            TargetTransform::Log { .. } => 1,
            TargetTransform::Power { .. } if residuals.len() <= MOST_RESIDUALS => residuals.len(),
            TargetTransform::Power { .. } => MOST_RESIDUALS,
        };
        let every = groups == residuals.len();
        let mut passed = 0.0;
        let group_of: Vec<usize> = residuals
            .iter()
            .enumerate()
            .map(|(i, (_, w))| {
                passed += w;
                if every { i } else { (((passed - w / 2.0) / total * groups as f64) as usize).min(groups - 1) }
            })
            .collect();
        let mut found = Smearing { residuals: Vec::new(), shares: Vec::new() };
        let places: Vec<usize> = (0..residuals.len()).collect();
        for group in places.chunk_by(|&i, &j| group_of[i] == group_of[j]) {
            let weight: f64 = group.iter().map(|&i| residuals[i].1).sum();
            let mean = group.iter().map(|&i| residuals[i].1 / weight * transform.inverse(middle + residuals[i].0)).sum();
            let one = if let [i] = group { residuals[*i].0 } else { transform.forward(mean).unwrap_or(f64::NAN) - middle };
            found.residuals.push(one);
            found.shares.push(weight / total);
        }
        found
    }

    /// The mean in the unit of the target where the fit predicts f.
    pub(crate) fn mean(&self, transform: TargetTransform, f: f64) -> f64 {
        self.residuals.iter().zip(&self.shares).map(|(e, share)| share * transform.inverse(f + e)).sum()
    }
}

/// A fit to a transformed target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedTransformed {
    pub(crate) fitted: Box<FittedModel>,
    pub(crate) transform: TargetTransform,
    /// One for each output.
    pub(crate) smearing: Vec<Smearing>,
}

impl FittedTransformed {
    /// The fit to the transformed target.
    pub fn fitted(&self) -> &FittedModel {
        &self.fitted
    }
}

/// Predictions of a transformed target in the unit of the target.
pub(crate) fn in_units(transform: TargetTransform, smearing: &[Smearing], found: Predictions, want: Want) -> Result<Predictions> {
    let Predicted::Numbers(values) = &found.values else {
        return Err(Error::Data(format!("{} holds a fit of classes, which has no numbers to transform", transform.name())));
    };
    Error::unless_equal("outputs of a transformed target", smearing.len(), values.cols())?;
    let mean = Matrix::from_fn(values.rows(), values.cols(), |i, o| smearing[o].mean(transform, values[(i, o)]));
    let transformed = (want.variance || want.covariance).then(|| Transformed { transform, values: values.clone() });
    Ok(Predictions { values: Predicted::Numbers(mean), transformed, ..found })
}

impl Fitted for FittedTransformed {
    crate::estimators::contract::hands_on!();
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        in_units(self.transform, &self.smearing, self.fitted.predict(query)?, query.want)
    }
    fn predict_left_out(&self, trace: &WarmStart, rows: &[usize], want: Want) -> Option<Predictions> {
        in_units(self.transform, &self.smearing, self.fitted.predict_left_out(trace, rows, want)?, want).ok()
    }
    fn summary(&self) -> &Summary {
        self.fitted.summary()
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        self.fitted.answer(target)
    }
    fn steps(&self) -> Vec<usize> {
        self.fitted.steps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Duan (1983), equation 2.1, by hand: residuals -1, 0 and 2 of weights 1, 2 and 1.
    #[test]
    fn smeared_means_are_those_of_duan() {
        let residuals = vec![(2.0, 1.0), (-1.0, 1.0), (0.0, 2.0)];
        let log = TargetTransform::Log { shift: 0.5 };
        let by_hand = |f: f64| ((f + 2.0f64).exp() + (f - 1.0f64).exp() + 2.0 * f.exp()) / 4.0 - 0.5;
        for f in [-3.0, 0.0, 1.5] {
            let found = Smearing::of(log, residuals.clone(), 1.0).mean(log, f);
            assert!((found - by_hand(f)).abs() <= 1e-13 * by_hand(f).abs(), "{f}: {found}");
        }
        let root = TargetTransform::Power { power: 0.5 };
        let found = Smearing::of(root, residuals, 1.0).mean(root, 0.5);
        // (2.5^2 + 0 + 2 * 0.5^2) / 4, as -0.5 stands for 0.
        assert!((found - 1.6875).abs() < 1e-14, "{found}");
    }

    #[test]
    fn many_residuals_have_the_mean_of_all() {
        let root = TargetTransform::Power { power: 0.5 };
        let residuals: Vec<(f64, f64)> = (0..5000).map(|i| ((i as f64 * 0.37).sin(), 1.0 + (i % 3) as f64)).collect();
        let total: f64 = residuals.iter().map(|(_, w)| w).sum();
        let smearing = Smearing::of(root, residuals.clone(), 2.0);
        assert_eq!(smearing.residuals.len(), MOST_RESIDUALS);
        for f in [1.5, 2.0, 4.0] {
            let all: f64 = residuals.iter().map(|(e, w)| w / total * (f + e).powi(2)).sum();
            assert!((smearing.mean(root, f) / all - 1.0).abs() < 1e-4);
        }
    }
}

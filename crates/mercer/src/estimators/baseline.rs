//! What every other estimator has to beat: the most frequent class, or the mean of the targets.

use super::{Answer, Costs, Estimator, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, Size, Summary, Task, When};
use crate::data::{Kind, Target, TargetInfo, absent};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The best prediction that looks at no input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Baseline {}

impl Estimator for Baseline {
    const NAME: &'static str = "baseline";
    const DOC: &'static str = "the most frequent class, or the mean of the targets: looks at no input";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = FittedBaseline;

    fn gives(&self) -> Gives {
        Gives { probabilities: When::Always, variance: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// The mean, or the shares of the classes.
    fn costs(&self, size: Size) -> Costs {
        Costs { bytes: 8 * size.rows as u64 + 16 * size.outputs as u64, fit: size.rows as f64, ..Costs::default() }
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedBaseline>) -> Result<Fit<FittedBaseline>> {
        let n = task.rows();
        if task.target.rows() != n || n == 0 {
            return Err(Error::Shape { what: "rows of the target".into(), expected: n.max(1), found: task.target.rows() });
        }
        let total: f64 = (0..n).map(|i| task.weight(i)).sum();
        let guess = match task.target {
            Target::Classes { codes, names } => {
                let mut frequencies = vec![0.0; names.len()];
                for (i, &k) in codes.iter().enumerate() {
                    *frequencies.get_mut(k).ok_or_else(|| Error::Data(format!("row {}: class code {k} has no name", i + 1)))? +=
                        task.weight(i) / total;
                }
                Guess::Classes { frequencies }
            }
            Target::Numbers(t) => {
                let mean: Vec<f64> = (0..t.cols()).map(|o| (0..n).map(|i| task.weight(i) * t[(i, o)]).sum::<f64>() / total).collect();
                let variance: Vec<f64> =
                    (0..t.cols()).map(|o| (0..n).map(|i| task.weight(i) * (t[(i, o)] - mean[o]).powi(2)).sum::<f64>() / total).collect();
                if let Some(o) = (0..t.cols()).find(|&o| !(mean[o].is_finite() && variance[o].is_finite())) {
                    return Err(Error::Numerical {
                        what: format!("mean and spread of target column {}", o + 1),
                        why: "its numbers are too large to be squared, or not finite; divide them by a constant".into(),
                    });
                }
                Guess::Numbers { mean, variance, total }
            }
            Target::Absent { .. } => return Err(absent(Self::NAME)),
        };
        Ok(FittedBaseline { guess, summary: Summary { converged: true, ..Summary::default() } }.into())
    }
}

/// The guess of a fitted baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Guess {
    /// Share of each class in the training rows, by weight.
    Classes {
        /// One per class name.
        frequencies: Vec<f64>,
    },
    /// Mean and spread of each target column.
    Numbers {
        /// Weighted mean.
        mean: Vec<f64>,
        /// Weighted mean of the squared distance from it.
        variance: Vec<f64>,
        /// Sum of the weights.
        total: f64,
    },
}

/// A fitted baseline. It needs no training row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedBaseline {
    /// What is predicted for every input.
    pub guess: Guess,
    summary: Summary,
}

impl Fitted for FittedBaseline {
    fn support(&self) -> &[usize] {
        &[]
    }

    /// The class of the greatest frequency (the lowest code of equals) with the frequencies as probabilities; or the mean,
    /// with the spread of the targets as noise and spread / total as the variance of the mean itself.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (m, want) = (query.view.rows(), query.want);
        match &self.guess {
            Guess::Classes { frequencies } => {
                let mut best = 0;
                for (k, p) in frequencies.iter().enumerate() {
                    if *p > frequencies[best] {
                        best = k;
                    }
                }
                let probabilities = want.probabilities.then(|| Matrix::from_fn(m, frequencies.len(), |_, k| frequencies[k]));
                Ok(Predictions { probabilities, ..Predictions::of(Predicted::Classes(vec![best; m])) })
            }
            Guess::Numbers { mean, variance, total } => {
                if mean.len() != variance.len() {
                    return Err(Error::Shape { what: "variances of a baseline".into(), expected: mean.len(), found: variance.len() });
                }
                let values = Predicted::Numbers(Matrix::from_fn(m, mean.len(), |_, o| mean[o]));
                Ok(Predictions {
                    variance: want.variance.then(|| Matrix::from_fn(m, mean.len(), |_, o| variance[o] / total)),
                    noise: want.variance.then(|| variance.clone()),
                    ..Predictions::of(values)
                })
            }
        }
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        let classes = match &self.guess {
            Guess::Classes { frequencies } => Some(frequencies.len()),
            Guess::Numbers { .. } => None,
        };
        Answer::of_target(target, classes)
    }
}

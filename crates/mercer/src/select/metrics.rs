//! How good predictions are, as the field measures it.

use crate::data::Target;
use crate::estimators::{Predicted, Predictions};
use serde::{Deserialize, Serialize};

/// A measure of predictions against targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Share of rows whose class is right.
    Accuracy,
    /// Mean of -log probability of the true class.
    LogLoss,
    /// Root of the mean squared error.
    Rmse,
    /// 1 - squared error / squared deviation from the mean.
    R2,
    /// Mean of -log density of the true number under the predicted normal distribution, noise included.
    Nlpd,
}

impl Metric {
    /// Name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Accuracy => "accuracy",
            Metric::LogLoss => "log_loss",
            Metric::Rmse => "rmse",
            Metric::R2 => "r2",
            Metric::Nlpd => "nlpd",
        }
    }
    /// Its heading in a table.
    pub fn heading(self) -> &'static str {
        match self {
            Metric::Accuracy => "accuracy",
            Metric::LogLoss => "log loss",
            Metric::Rmse => "RMSE",
            Metric::R2 => "R²",
            Metric::Nlpd => "NLPD",
        }
    }
    /// What it measures, for a reader who has not met it.
    pub fn meaning(self) -> &'static str {
        match self {
            Metric::Accuracy => "share of rows whose class is predicted right; 1 is perfect",
            Metric::LogLoss => "how surprised the predicted probabilities are by the true class; 0 is perfect, lower is better",
            Metric::Rmse => "typical size of an error (root mean square), in the units of the target; lower is better",
            Metric::R2 => "share of the target's variance that is explained; 1 is perfect, 0 is no better than the mean",
            Metric::Nlpd => "how surprised the predicted distribution is by the true value (negative log density); lower is better",
        }
    }
    /// Whether more is better.
    pub fn rises(self) -> bool {
        matches!(self, Metric::Accuracy | Metric::R2)
    }
}

/// A mean over folds with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over folds.
    pub mean: f64,
    /// Standard deviation over folds divided by the root of their number.
    pub se: f64,
}

impl Estimate {
    /// Whether the value is within two standard errors of zero: not told apart from no difference by these folds.
    pub fn within_noise(&self) -> bool {
        self.mean.abs() <= 2.0 * self.se
    }
    /// From one value per fold.
    pub fn of(values: &[f64]) -> Estimate {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Estimate { mean, se: if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::NAN } }
    }
}

/// A probability is never taken as smaller than this in a log loss.
const LEAST_PROBABILITY: f64 = 1e-15;

/// Every metric that the predictions allow, the deciding one first; rows weighted where weights are given.
pub fn score(predictions: &Predictions, truth: &Target, weights: Option<&[f64]>) -> Vec<(Metric, f64)> {
    let w = |i: usize| weights.map_or(1.0, |w| w[i]);
    let n = truth.rows();
    let total: f64 = (0..n).map(w).sum();
    let average = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| w(i) * f(i)).sum::<f64>() / total;
    match (&predictions.values, truth) {
        (Predicted::Classes(found), Target::Classes { codes, .. }) => {
            let mut out = vec![(Metric::Accuracy, average(&|i| f64::from(u8::from(found[i] == codes[i]))))];
            if let Some(p) = &predictions.probabilities {
                out.push((Metric::LogLoss, average(&|i| -p[(i, codes[i])].max(LEAST_PROBABILITY).ln())));
            }
            out
        }
        (Predicted::Numbers(found), Target::Numbers(y)) => {
            let outputs = y.cols() as f64;
            let over = |f: &dyn Fn(usize, usize) -> f64| average(&|i| (0..y.cols()).map(|o| f(i, o)).sum::<f64>() / outputs);
            let mse = over(&|i, o| (y[(i, o)] - found[(i, o)]).powi(2));
            let means: Vec<f64> = (0..y.cols()).map(|o| average(&|i| y[(i, o)])).collect();
            let r2 = (0..y.cols())
                .map(|o| {
                    let spread = average(&|i| (y[(i, o)] - means[o]).powi(2));
                    1.0 - average(&|i| (y[(i, o)] - found[(i, o)]).powi(2)) / spread
                })
                .sum::<f64>()
                / outputs;
            let mut out = vec![(Metric::Rmse, mse.sqrt()), (Metric::R2, r2)];
            if let (Some(v), Some(noise)) = (&predictions.variance, &predictions.noise) {
                let nlpd = over(&|i, o| {
                    let s2 = v[(i, o)] + noise[o];
                    0.5 * ((2.0 * std::f64::consts::PI * s2).ln() + (y[(i, o)] - found[(i, o)]).powi(2) / s2)
                });
                out.push((Metric::Nlpd, nlpd));
            }
            out
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    #[test]
    fn accuracy_and_log_loss_count_weighted_rows() {
        let truth = Target::classes(&["a", "b", "b"]);
        let mut p = Predictions::of(Predicted::Classes(vec![0, 0, 1]));
        p.probabilities = Matrix::new(3, 2, vec![0.8, 0.2, 0.6, 0.4, 0.1, 0.9]).ok();
        let plain = score(&p, &truth, None);
        assert_eq!(plain[0], (Metric::Accuracy, 2.0 / 3.0));
        let expected = -(0.8f64.ln() + 0.4f64.ln() + 0.9f64.ln()) / 3.0;
        assert!((plain[1].1 - expected).abs() <= 1e-15);
        assert_eq!(score(&p, &truth, Some(&[1.0, 2.0, 1.0]))[0].1, 0.5);
    }

    #[test]
    fn regression_metrics_follow_their_formulas() {
        let truth = Target::numbers(&[1.0, 2.0, 3.0, 6.0]);
        let mut p = Predictions::of(Predicted::Numbers(Matrix::column(vec![1.0, 3.0, 3.0, 5.0])));
        p.variance = Some(Matrix::column(vec![0.5; 4]));
        p.noise = Some(vec![0.5]);
        let s = score(&p, &truth, None);
        assert!((s[0].1 - 0.5f64.sqrt()).abs() <= 1e-15);
        assert!((s[1].1 - (1.0 - 2.0 / 14.0)).abs() <= 1e-15);
        let nlpd = 0.5 * ((2.0 * std::f64::consts::PI).ln() + 0.5);
        assert!((s[2].1 - nlpd).abs() <= 1e-15, "mean of half log 2 pi and half squared error");
    }

    #[test]
    fn standard_errors_come_from_the_spread_over_folds() {
        let e = Estimate::of(&[1.0, 2.0, 3.0]);
        assert_eq!(e.mean, 2.0);
        assert!((e.se - (1.0f64 / 3.0).sqrt()).abs() <= 1e-15);
    }
}

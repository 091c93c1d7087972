//! How long the fits and predictions of an estimator take on so many rows, told from those that were made.

use super::entry::FoldScore;
use crate::estimators::{EstimatorExpr, Size};

/// Seconds of every fold once, taken on so many rows. A fit grows with its work, a prediction with the rows that it is made
/// from: what is told of a few rows would be far off for many if the two were taken as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    rows: usize,
    fit: f64,
    predict: f64,
}

impl Pace {
    /// Of folds on so many rows that took `seconds` together, with `others` of the seconds in them for what is done once.
    pub(super) fn of(rows: usize, folds: &[FoldScore], seconds: f64, others: f64) -> Option<Pace> {
        if folds.is_empty() {
            return None;
        }
        let fit: f64 = folds.iter().map(|f| f.seconds.0).sum();
        let predict: f64 = folds.iter().map(|f| f.seconds.1).sum();
        // Folds that ran side by side took less time than their own clocks say.
        let share = seconds / (fit + predict + others).max(1e-9);
        Some(Pace { rows: rows.max(1), fit: share * fit, predict: share * predict })
    }

    /// Seconds of the fits of every fold to so many rows.
    pub(super) fn fits(&self, estimator: &EstimatorExpr, size: Size) -> f64 {
        self.fit * estimator.work(size) / estimator.work(size.at(self.rows)).max(1.0)
    }

    /// Seconds of an operation of a fit, where every fold has its own.
    pub(super) fn per_operation(&self, estimator: &EstimatorExpr, size: Size, folds: usize) -> f64 {
        self.fit / (folds as f64 * estimator.work(size.at(self.rows))).max(1.0)
    }

    /// Seconds of predicting the rows held out by every fold from so many rows.
    pub(super) fn predictions(&self, estimator: &EstimatorExpr, size: Size) -> f64 {
        self.predict * estimator.prediction_work(size) / estimator.prediction_work(size.at(self.rows)).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_grows_with_its_work_and_a_prediction_with_what_it_is_made_from() {
        let svc = EstimatorExpr::parse("svc").unwrap();
        let pace = Pace { rows: 100, fit: 1.0, predict: 2.0 };
        let size = Size { rows: 1000, outputs: 2, classes: true, rank: None, stored: None };
        assert!((pace.fits(&svc, size) - 100.0).abs() <= 1e-9 && (pace.predictions(&svc, size) - 20.0).abs() <= 1e-9);
        let gp = EstimatorExpr::parse("gp").unwrap();
        assert!(pace.predictions(&gp, size) > 100.0, "a variance for each of them");
        assert!((pace.predictions(&svc, Size { rank: Some(40), ..size }) - 2.0).abs() <= 1e-9, "40 features, whatever the rows");
    }
}

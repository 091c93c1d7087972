//! Estimators with a parameter changed: with probabilities or without, from one start.

use crate::data::Target;
use crate::estimators::{EstimatorExpr, When};
use crate::param::Value;

impl EstimatorExpr {
    /// These with calibrated probabilities, where there are classes and they can have them: see [`EstimatorExpr::with_probabilities`].
    pub fn all_with_probabilities(estimators: Vec<EstimatorExpr>, target: &Target) -> Vec<EstimatorExpr> {
        match target {
            Target::Classes { .. } => estimators.iter().map(EstimatorExpr::with_probabilities).collect(),
            _ => estimators,
        }
    }

    /// The estimator without probabilities that need extra fits: for a score that uses none.
    pub(crate) fn without_probabilities(&self) -> EstimatorExpr {
        let mut plain = self.clone();
        for asked in [self.gives().calibrated, self.gives().measured_variance] {
            if let When::If(flag) = asked {
                // A flag of the record is a field, and takes a flag.
                let _ = plain.set_word(flag, "false");
            }
        }
        plain
    }
    /// The estimator with one random start, if it has a parameter `starts`.
    pub(crate) fn with_one_start(&self) -> EstimatorExpr {
        let mut one = self.clone();
        if one.values().iter().any(|own| own.path == "starts") {
            // A parameter of the record takes a number of its domain.
            let _ = one.set("starts", &Value::Number(1.0));
        }
        one
    }
    /// The estimator with probabilities calibrated on held-out scores, where a flag enables them.
    pub fn with_probabilities(&self) -> EstimatorExpr {
        let mut with = self.clone();
        if let When::If(flag) = self.gives().calibrated {
            // As above.
            let _ = with.set_word(flag, "true");
        }
        with
    }
}

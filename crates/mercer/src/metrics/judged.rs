//! Requirements of metrics besides predicted values, and whether an estimator meets them.

use super::{Metric, Needs};
use crate::data::Target;
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, Gives, Scores, When, those_that_give};

/// The estimator with class probabilities turned on where the metric is computed from them and a flag asks for them.
pub fn judged_by(estimator: &EstimatorExpr, metric: Option<Metric>) -> EstimatorExpr {
    let asks = matches!(estimator.gives().probabilities, When::If(_));
    match metric {
        Some(metric) if metric.needs() == Needs::Probabilities && asks => estimator.with_probabilities(),
        _ => estimator.clone(),
    }
}

/// Refuses a metric of such targets that the estimator gives nothing to compute from, whatever its parameters.
///
/// # Errors
/// Such a metric, with the estimators that it can be computed for.
pub fn require_judged(estimator: &EstimatorExpr, metric: Option<Metric>, target: &Target) -> Result<()> {
    let of_classes = matches!(target, Target::Classes { .. });
    let Some(metric) = metric.filter(|m| m.of_classes() == of_classes) else { return Ok(()) };
    let (gives, probabilities) = (estimator.gives(), |gives: &Gives| gives.probabilities);
    let lacks = match metric.needs() {
        Needs::Probabilities if gives.probabilities == When::Never => ("class probabilities", those_that_give(&probabilities)),
        Needs::Ranking if gives.probabilities == When::Never && gives.scores == Scores::None => {
            ("class probabilities or decision values", those_that_give(&probabilities))
        }
        Needs::Variance if gives.variance == When::Never => ("predictive variance", those_that_give(&|gives| gives.variance)),
        _ => return Ok(()),
    };
    let (what, others) = lacks;
    let why =
        format!("{} is computed from {what}, which {} does not give; take {others}, or another metric", metric.name(), estimator.name());
    Err(Error::Setting { name: "metric".into(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> EstimatorExpr {
        EstimatorExpr::parse(text).unwrap()
    }

    #[test]
    fn a_metric_of_probabilities_turns_them_on_where_a_flag_asks_for_them() {
        let log_loss = Some(Metric::parse("log_loss").unwrap());
        assert_eq!(judged_by(&parse("svc(c=2)"), log_loss), parse("svc(c=2, probabilities=true)"));
        assert_eq!(judged_by(&parse("svc(c=2)"), Some(Metric::parse("auc").unwrap())), parse("svc(c=2)"));
        assert_eq!(judged_by(&parse("gp"), log_loss), parse("gp"));
    }

    #[test]
    fn a_metric_that_cannot_be_computed_is_refused_with_the_estimators_it_can_be_computed_for() {
        let (classes, numbers) = (Target::classes(&["a", "b"]), Target::numbers(&[0.0, 1.0]));
        let refused = |estimator: &str, metric: &str| {
            let metric = Metric::parse(metric).unwrap();
            require_judged(&parse(estimator), Some(metric), if metric.of_classes() { &classes } else { &numbers })
        };
        let said = refused("nearest_medoid", "log_loss").unwrap_err().to_string();
        assert!(said.contains("log_loss is computed from class probabilities, which nearest_medoid does not give; take gp"), "{said}");
        assert!(said.contains("\"svc(probabilities=true)\""), "{said}");
        assert!(refused("svr", "nlpd").is_err() && refused("gp", "nlpd").is_ok());
        assert!(refused("svc", "log_loss").is_ok() && refused("nearest_medoid", "auc").is_ok());
    }
}

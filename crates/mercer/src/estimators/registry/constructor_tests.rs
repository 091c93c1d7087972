//! What constructors and setters of estimators make is what the parser makes of the printed text.

use super::list::constructors::*;
use super::list::{EstimatorExpr, listed, set_one_by_one};
use crate::data::Target;
use crate::estimators::ClassWeight;
use crate::generative::CovarianceForm;
use crate::generative::constructors as models;
use crate::param::auto;

fn assert_prints(estimator: impl Into<EstimatorExpr>, text: &str) {
    let estimator = estimator.into();
    assert_eq!(estimator.to_string(), text);
    assert_eq!(estimator, EstimatorExpr::parse(text).unwrap());
}

#[test]
fn every_estimator_has_a_constructor_and_each_parameter_is_printed_as_it_is_read() {
    let made = set_one_by_one();
    let names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed().iter().map(|entry| entry.name).collect::<Vec<_>>());
    for estimator in made.into_iter().flat_map(|(_, estimators)| estimators) {
        assert_eq!(estimator, EstimatorExpr::parse(&estimator.to_string()).unwrap());
    }
}

#[test]
fn setters_make_what_text_does() {
    assert_prints(svc().c(10.0).class_weight(ClassWeight::Balanced), "svc(c=10, class_weight=balanced)");
    assert_prints(ridge().lambda(auto()).intercept(false), "ridge(intercept=false)");
    assert_prints(gp().noise(0.01..1.0), "gp(noise=0.01..1)");
    assert_prints(mi_svm().positive(["yes"]), "mi_svm(positive=[yes])");
    assert_prints(bayes().model(models::gaussian().covariance(CovarianceForm::Full)), "bayes(model=gaussian(covariance=full))");
    assert_prints(log_target(ridge(), 1.0), "log_target(ridge, shift=1)");
    assert_prints(power_target(gp().noise(0.1), 0.25), "power_target(gp(noise=0.1), power=0.25)");
}

#[test]
fn a_wrong_estimator_is_refused_as_its_text_is() {
    let wrong: [EstimatorExpr; 4] =
        [ridge().lambda(-1.0).into(), svr().c(10.0..0.1).into(), knn().k(0).into(), log_target(svc(), 0.0).into()];
    for estimator in wrong {
        let refused = estimator.require_in_domain(&Target::numbers(&[1.0, 2.0]), &[0, 1]).unwrap_err().to_string();
        assert_eq!(refused, EstimatorExpr::parse(&estimator.to_string()).unwrap_err().to_string());
    }
}

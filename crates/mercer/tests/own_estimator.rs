//! Estimators from outside of the crate: what `register` promises.

#[path = "../examples/own_estimator.rs"]
#[expect(dead_code, reason = "its main is for whoever runs it")]
mod example;

use example::Descent;
use mercer::compare::{Comparing, compare};
use mercer::control::Control;
use mercer::data::{Dataset, Split, Target, TargetInfo};
use mercer::error::Result;
use mercer::estimators::{EstimatorExpr, Fitted, Predicted, Query, Task, View, Want, catalogue, register};
use mercer::gram;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table};
use mercer::store;
use mercer::testkit::check_estimator;

fn sinc() -> Result<(Dataset, Target, TargetInfo)> {
    let mut table = Table::read(&Source::new("example:sinc"))?;
    let (target, info) = table.take_target(&["y"], &ReadOptions::default())?;
    Ok((table.dataset(&ReadOptions::default())?, target, info))
}

#[test]
fn an_estimator_of_a_program_is_searched_compared_stored_and_loaded() {
    register::<Descent>().unwrap();
    register::<Descent>().unwrap();
    assert!(catalogue().iter().any(|entry| entry.name == "descent"));
    let (data, target, info) = sinc().unwrap();
    let control = Control::default();
    for estimator in [EstimatorExpr::parse("descent(lambda=0.01..1)").unwrap(), EstimatorExpr::own(Descent::default()).unwrap()] {
        let model = Learner::new(estimator.clone()).fit(&data, &target, &info, None, &control).unwrap();
        let again: Model = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
        let predict = |model: &Model| model.predict(&data, Want::default(), &control).unwrap();
        assert_eq!(predict(&model), predict(&again));
        // Numbers of predictions as they are, and as JSON.
        let found = predict(&model);
        assert_eq!(found.numbers().map(<[f64]>::len), Some(data.rows()));
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["values"]["numbers"][0][0].as_f64(), found.numbers().map(|all| all[0]));
        let comparing = Comparing::new(vec![estimator, EstimatorExpr::parse("baseline").unwrap()]);
        let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &control).unwrap();
        assert!(outcome.rows.iter().all(|row| row.failure.is_none()));
        assert_eq!(outcome.best.map(|best| outcome.rows[best].estimator.name()), Some("descent"));
    }
}

#[test]
fn many_steps_are_ridge_with_a_fixed_mean() {
    // Two rows, K = [[2, 1], [1, 2]], lambda = 1: (K + 1) a = y - mean = (-1, 1), a = (-1/2, 1/2) by hand.
    register::<Descent>().unwrap();
    let k = gram::Dense::square(Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 })).unwrap();
    let (target, control) = (Target::Numbers(Matrix::column(vec![1.0, 3.0])), Control::default());
    let task = Task { view: View::Values(&k), target: &target, weights: None, control: &control, seed: 0 };
    let fitted = EstimatorExpr::parse("descent(lambda=1)").unwrap().fit(&task).unwrap();
    let cross = gram::Dense::square(Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 })).unwrap();
    let found = fitted.predict(&Query::new(&cross, Want::default(), &control)).unwrap();
    let Predicted::Numbers(values) = found.values else { panic!("numbers") };
    assert!((values[(0, 0)] - 1.5).abs() < 1e-12 && (values[(1, 0)] - 2.5).abs() < 1e-12, "{values:?}");
}

#[test]
fn the_kit_takes_it() {
    check_estimator::<Descent>().unwrap();
}

#[test]
fn what_is_not_registered_is_named() {
    let json = serde_json::to_string(&EstimatorExpr::own(Descent::default()).unwrap()).unwrap();
    let error = serde_json::from_str::<EstimatorExpr>(&json.replace("descent", "ascent")).unwrap_err().to_string();
    assert!(error.contains("the estimator 'ascent', which this program has not registered"), "{error}");
}

//! Conditions of fitted models, computed anew: met by what a solver left, and not by a model with one coefficient changed.

use crate::control::Control;
use crate::data::{Column, Dataset, Target, TargetInfo, Values};
use crate::estimators::{EstimatorExpr, Fitted};
use crate::kernels::KernelExpr;
use crate::learner::{Condition, Learner, Model};
use crate::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const ROWS: usize = 50;

/// Two columns, and a target of numbers or of so many classes.
fn table(classes: usize) -> (Dataset, Target, TargetInfo, Vec<f64>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(classes as u64);
    let mut column = || (0..ROWS).map(|_| random.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    let (a, b, noise) = (column(), column(), column());
    let weights = column().iter().map(|w| 1.5 + w).collect();
    let truth = |i: usize| (3.0 * a[i]).sin() + b[i] * b[i] + 0.4 * noise[i];
    let names: Vec<String> = (0..classes).map(|k| format!("class {k}")).collect();
    let target = match classes {
        0 => Target::Numbers(Matrix::column((0..ROWS).map(|i| 100.0 + 7.0 * truth(i)).collect())),
        _ => {
            let mut sorted: Vec<f64> = (0..ROWS).map(truth).collect();
            sorted.sort_by(f64::total_cmp);
            let code = |i: usize| (0..classes - 1).filter(|k| truth(i) > sorted[(k + 1) * ROWS / classes]).count();
            Target::Classes { codes: (0..ROWS).map(code).collect(), names: names.clone() }
        }
    };
    let info = TargetInfo { names: vec!["y".into()], classes: (classes > 0).then_some(names), labels: Default::default() };
    let columns = vec![Column { name: "a".into(), values: Values::Numbers(a) }, Column { name: "b".into(), values: Values::Numbers(b) }];
    (Dataset::new(columns).unwrap(), target, info, weights)
}

fn fitted(estimator: &str, classes: usize) -> (Model, Dataset, Target, Vec<f64>) {
    let (data, target, info, weights) = table(classes);
    let kernel = Some(KernelExpr::parse("rbf(length_scale=0.7)").unwrap());
    let learner = Learner { kernel, ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    let model = learner.fit(&data, &target, &info, Some(&weights), &Control::default()).unwrap();
    (model, data, target, weights)
}

const CASES: [(&str, usize); 18] = [
    ("ridge(lambda=0.3)", 0),
    ("ridge(lambda=0.3, intercept=false)", 3),
    ("gp(noise=0.1, variance=2)", 0),
    ("logistic(lambda=0.2)", 2),
    ("logistic(lambda=0.2, class_weight=balanced)", 3),
    ("svc(c=3)", 2),
    ("svc(c=3, class_weight=balanced)", 3),
    ("svc(c=1e5)", 2),
    ("svr(c=2, epsilon=0.1)", 0),
    ("svr(c=0.1, epsilon=0.5, standardise_target=false)", 0),
    ("l1vm(lambda=0.5)", 0),
    ("l1vm(lambda=0.5)", 3),
    ("svc(c=3, multiclass=one_vs_rest)", 3),
    ("svc(c=3, multiclass=weston_watkins)", 3),
    ("svc(c=3, multiclass=crammer_singer, class_weight=balanced)", 3),
    ("svc(c=3, multiclass=crammer_singer)", 2),
    ("rvm", 0),
    ("rvm(intercept=false)", 2),
];

#[test]
fn what_a_solver_leaves_meets_the_conditions_of_its_problem() {
    for (estimator, classes) in CASES {
        let (model, data, target, weights) = fitted(estimator, classes);
        let conditions = model.verify(&data, &target, Some(&weights), &Control::default()).unwrap();
        assert!(conditions.iter().all(Condition::is_met), "{estimator} of {classes} classes: {conditions:?}");
        // Other weights are another problem, but where no coefficient is at its bound.
        if estimator == "svc(c=1e5)" {
            continue;
        }
        let unweighted = model.verify(&data, &target, None, &Control::default()).unwrap();
        assert!(!unweighted.iter().all(Condition::is_met), "{estimator} of {classes} classes: {unweighted:?}");
    }
}

#[test]
fn one_coefficient_changed_by_a_hundredth_of_the_largest_is_caught_in_each_of_1000_models() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for (estimator, classes) in CASES {
        let (model, data, target, weights) = fitted(estimator, classes);
        for _ in 0..1000_usize.div_ceil(CASES.len()) {
            let mut changed = model.fitted.uncalibrated().expansion().unwrap().clone();
            let coef = &mut changed.coef;
            let largest = coef.data().iter().fold(0.0, |m: f64, a| m.max(a.abs()));
            let stored: Vec<usize> = (0..coef.data().len()).filter(|&k| coef.data()[k] != 0.0).collect();
            let place = stored[random.random_range(0..stored.len())];
            let sign = if random.random_range(0..2) == 0 { -1.0 } else { 1.0 };
            coef.data_mut()[place] += sign * 0.01 * largest;
            let conditions = model.verify_coefficients(&changed, &data, &target, Some(&weights), &Control::default()).unwrap();
            assert!(!conditions.iter().all(Condition::is_met), "{estimator} of {classes} classes, {place}: {conditions:?}");
        }
    }
}

#[test]
fn other_rows_and_estimators_without_conditions_are_refused_by_name() {
    let (model, data, target, _) = fitted("ridge(lambda=1)", 0);
    let some: Vec<usize> = (0..ROWS - 1).collect();
    let why = model.verify(&data.select(&some), &target.select(&some), None, &Control::default()).unwrap_err().to_string();
    assert!(why.contains("rows that the model was fitted to"), "{why}");
    let (model, data, target, weights) = fitted("knn(k=3)", 2);
    let why = model.verify(&data, &target, Some(&weights), &Control::default()).unwrap_err().to_string();
    assert!(why.contains("knn") && why.contains("logistic"), "{why}");
}

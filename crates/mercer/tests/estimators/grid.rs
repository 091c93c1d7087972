//! Grids of settings on given folds.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Examples, Fold, Points, Split, Target};
use mercer::error::Error;
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::fitting::{fit_settled, predict_settled, support_of};
use mercer::kernels::KernelExpr;
use mercer::select::{Cells, Strip, grid};

const WANT: Want = Want { scores: true, variance: false, covariance: false, probabilities: false, by_class: false };

fn table(set: usize, n: usize) -> (Dataset, Vec<f64>) {
    let (x, e) = (points(set, n, 3), errors(set, n));
    let values = x.iter().flatten().copied().collect();
    let t = (0..n).map(|i| x[i][0] * x[i][1] + x[i][2] + 0.3 * e[i]).collect();
    (Dataset::from_points(Points::dense(n, 3, values).unwrap()), t)
}

fn folds(n: usize, count: usize) -> Vec<Fold> {
    let side = |k: usize, held: bool| (0..n).filter(|i| (i % count == k) == held).collect();
    (0..count).map(|k| Fold { train: side(k, false), test: side(k, true) }).collect()
}

fn strips(kernels: &[&str], estimators: &[&str]) -> Vec<Strip> {
    let estimators: Vec<EstimatorExpr> = estimators.iter().map(|e| EstimatorExpr::parse(e).unwrap()).collect();
    kernels.iter().map(|k| Strip { kernel: KernelExpr::parse(k).unwrap(), estimators: estimators.clone() }).collect()
}

/// Every cell against a fit of its own.
fn agree(cells: &Cells, strips: &[Strip], data: &Dataset, target: &Target, weights: Option<&[f64]>, within: f64) {
    let control = Control::default();
    for (strip, folds_of) in strips.iter().zip(cells) {
        for (fold, row) in folds(data.rows(), 4).iter().zip(folds_of) {
            let (train, held) = (data.select(&fold.train), target.select(&fold.train));
            let weights: Option<Vec<f64>> = weights.map(|w| fold.train.iter().map(|&i| w[i]).collect());
            let examples = Examples { data: &train, target: &held, weights: weights.as_deref(), split: &Split::Rows };
            for (estimator, cell) in strip.estimators.iter().zip(row) {
                let (kernel, fitted) = fit_settled(&strip.kernel, estimator, &examples, &control, 0).unwrap();
                let support = support_of(&kernel, &fitted, &train);
                let alone = predict_settled(&kernel, &fitted, &support, &data.select(&fold.test), WANT, &control).unwrap();
                let found = cell.predictions.as_ref().unwrap();
                let (a, b) = match (&found.values, &alone.values) {
                    (Predicted::Numbers(a), Predicted::Numbers(b)) => (a, b),
                    _ => (found.scores.as_ref().unwrap(), alone.scores.as_ref().unwrap()),
                };
                assert!(cell.converged, "{} {estimator}", strip.kernel);
                assert_eq!(a.data().len(), b.data().len());
                a.data().iter().zip(b.data()).for_each(|(a, b)| close(*a, *b, within));
            }
        }
    }
}

#[test]
fn cells_are_the_fits_of_their_settings() {
    let (data, t) = table(91, 160);
    let classes = Target::classes(&t.iter().map(|t| ["a", "b", "c"][usize::from(*t > 0.0) + usize::from(*t > 0.6)]).collect::<Vec<_>>());
    let numbers = Target::numbers(&t);
    let control = Control::default();
    let weights: Vec<f64> = (0..160).map(|i| 1.0 + (i % 3) as f64).collect();
    // An anchored kernel takes its centre from the training rows of each fold.
    let kernels = ["rbf(length_scale=1)", "rbf(length_scale=0.4)", "centre(linear + rbf(length_scale=1))"];
    for (target, estimators) in [
        (&classes, ["svc(c=0.1, tolerance=1e-9)", "svc(c=10, tolerance=1e-9)", "svc(c=1000, tolerance=1e-9)"]),
        (&numbers, ["svr(c=0.1, epsilon=0.05, tolerance=1e-9)", "svr(c=10, epsilon=0.05, tolerance=1e-9)", "ridge(lambda=0.1)"]),
    ] {
        for weights in [None, Some(weights.as_slice())] {
            let strips = strips(&kernels, &estimators);
            let examples = Examples { data: &data, target, weights, split: &Split::Rows };
            let cells = grid(&strips, &examples, &folds(160, 4), WANT, &control, 0).unwrap();
            agree(&cells, &strips, &data, target, weights, 1e-5);
        }
    }
}

#[test]
fn rows_left_out_of_many_get_the_values_that_a_prediction_gives_them() {
    let (data, t) = table(93, 1280);
    let two = Target::classes(&t.iter().map(|t| if *t > 0.2 { "a" } else { "b" }).collect::<Vec<_>>());
    let numbers = Target::numbers(&t.iter().map(|t| 100.0 + 7.0 * t).collect::<Vec<_>>());
    let with = |name: &str, c: f64| format!("{name}c={c}, tolerance=1e-9)");
    for (target, name, within) in [(&two, "svc(", 1e-5), (&numbers, "svr(epsilon=0.1, ", 1e-4)] {
        let path = [0.1, 10.0, 200.0].map(|c| with(name, c));
        let strips = strips(&["rbf(length_scale=1)"], &path.each_ref().map(String::as_str));
        let examples = Examples { data: &data, target, weights: None, split: &Split::Rows };
        let cells = grid(&strips, &examples, &folds(1280, 4), WANT, &Control::default(), 0).unwrap();
        agree(&cells, &strips, &data, target, None, within);
    }
}

#[test]
fn what_cannot_be_fitted_is_told_in_its_cells_and_what_is_out_of_reach_as_an_error() {
    let (data, t) = table(92, 40);
    let numbers = Target::numbers(&t);
    let examples = Examples { data: &data, target: &numbers, weights: None, split: &Split::Rows };
    let strips = strips(&["rbf(length_scale=1)"], &["svc(c=1)", "svr(c=1, epsilon=0.1)"]);
    let cells = grid(&strips, &examples, &folds(40, 4), WANT, &Control::default(), 0).unwrap();
    assert!(cells[0].iter().all(|row| row[0].predictions.is_err() && row[1].predictions.is_ok()));
    let beyond = [Fold { train: vec![0, 1, 2], test: vec![40] }];
    assert!(matches!(grid(&strips, &examples, &beyond, WANT, &Control::default(), 0), Err(Error::Shape { .. })));
    let stopped = Control::default();
    stopped.cancel.cancel();
    assert!(matches!(grid(&strips, &examples, &folds(40, 4), WANT, &stopped, 0), Err(Error::Cancelled)));
}

use super::*;
use crate::data::{Column, TargetInfo, Values};
use crate::kernels::KernelExpr;
use crate::learner::Learner;
use crate::linalg::Matrix;
use std::f64::consts::PI;

const ROWS_IN_ALL: usize = 2000;

fn rows() -> Dataset {
    let at = |i: usize, by: f64| (i as f64 * by).fract() * 4.0 - 2.0;
    let column = |name: &str, by: f64| Column { name: name.into(), values: Values::Numbers((0..ROWS_IN_ALL).map(|i| at(i, by)).collect()) };
    Dataset::new(vec![column("a", PI), column("b", 2f64.sqrt())]).unwrap()
}

fn target(of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let data = rows();
    let [a, b] = ["a", "b"].map(|name| match &data.column(name).unwrap().values {
        Values::Numbers(v) => v.clone(),
        _ => unreachable!("columns are numbers"),
    });
    a.iter().zip(&b).map(|(a, b)| of(*a, *b)).collect()
}

/// The model of passes in which squares of features are of every so many rows, over batches of 450 rows in some order, and their number.
fn passes(begun: &Partial, every: usize, target: &Target, weights: &[f64], order: [u64; 5]) -> (Model, usize) {
    let PassSums::Squares(squares) = &begun.sums else { panic!("no pass is done") };
    let mut partial = Partial { sums: PassSums::Squares(squares.clone().of_every(every)), ..begun.clone() };
    let (data, control) = (rows(), Control::default());
    loop {
        for number in order {
            let some: Vec<usize> = (number as usize * 450..ROWS_IN_ALL.min((number as usize + 1) * 450)).collect();
            let weights: Vec<f64> = some.iter().map(|&i| weights[i]).collect();
            partial.add(number, &data.select(&some), &target.select(&some), Some(&weights), &control).unwrap();
        }
        let pass = partial.pass();
        match partial.next(&control).unwrap() {
            PassOutcome::Model(model) => return (*model, pass),
            PassOutcome::Next(next) => partial = *next,
        }
    }
}

/// Squares of every sixth row precondition passes to the optimum that the squares of all rows lead to: the objectives agree to the tolerance of
/// both, whatever the order of batches, in no more than twice the passes of conjugate gradients, whose duality gap falls by (rank of the features)
/// / (rows of the sample) a step at worst (Marchenko and Pastur's law).
#[test]
fn squares_of_some_rows_precondition_passes_to_the_optimum_of_all() {
    let control = Control::default();
    let numbers = Target::Numbers(Matrix::from_fn(ROWS_IN_ALL, 2, |i, o| {
        [target(|a, b| 1e3 + (2.0 * a).sin() + b), target(|a, b| (a * b).cos())][o][i]
    }));
    let codes = target(|a, b| f64::from(u8::from(a * b + 0.3 * (5.0 * a).sin() > 0.0)));
    let classes = Target::Classes { codes: codes.iter().map(|c| *c as usize).collect(), names: ["no", "yes"].map(String::from).to_vec() };
    let weights: Vec<f64> = (0..ROWS_IN_ALL).map(|i| [1.0, 0.0, 2.0, 0.5][i % 4]).collect();
    for (estimator, target) in [
        ("ridge(lambda=0.1)", &numbers),
        ("ridge(lambda=1, intercept=false)", &numbers),
        ("ridge(lambda=0.1)", &classes),
        ("logistic(lambda=0.1)", &classes),
        ("linear_svr(c=1, epsilon=0.1, loss=squared_epsilon_insensitive)", &numbers),
        ("linear_svc(c=1)", &classes),
    ] {
        let kernel: KernelExpr = "nystroem(rbf(length_scale=0.7), rank=40)".parse().unwrap();
        let learner = Learner { kernel: Some(kernel), ..Learner::new(estimator.parse::<EstimatorExpr>().unwrap()) };
        let info = TargetInfo::of(target);
        let start = learner.fit(&rows(), target, &info, Some(&weights), &control).unwrap();
        let begun = Partial::new(start, &learner.prep, &rows(), target, None, &control).unwrap();
        let (whole, _) = passes(&begun, 1, target, &weights, [0, 1, 2, 3, 4]);
        let (model, count) = passes(&begun, 6, target, &weights, [3, 0, 4, 1, 2]);
        let (again, _) = passes(&begun, 6, target, &weights, [0, 1, 2, 3, 4]);
        assert_eq!(model, again, "{estimator}");
        let summary = model.summary();
        assert!(summary.converged, "{estimator}: {summary:?}");
        let above = summary.objective.unwrap() / whole.summary().objective.unwrap() - 1.0;
        let gap = |m: &Model| m.summary().certificate.as_ref().unwrap().value;
        assert!(above.abs() <= gap(&model) + gap(&whole) + 1e-12, "{estimator}: {above:e}");
        // A quarter of the rows weigh nothing.
        let steps = (1e-8f64).ln() / (40.0 / (0.75 * ROWS_IN_ALL as f64 / 6.0)).ln();
        let most = if estimator.starts_with("ridge") { 2.0 * steps } else { 50.0 };
        assert!((3..most as usize).contains(&count), "{estimator}: {count} passes");
    }
}

#[test]
fn far_fewer_rows_than_announced_are_named() {
    let control = Control::default();
    let target = Target::Numbers(Matrix::column(target(|a, _| a)));
    let kernel: KernelExpr = "nystroem(rbf(length_scale=0.7), rank=40)".parse().unwrap();
    let learner = Learner { kernel: Some(kernel), ..Learner::new("ridge(lambda=0.1)".parse::<EstimatorExpr>().unwrap()) };
    let start = learner.fit(&rows(), &target, &TargetInfo::of(&target), None, &control).unwrap();
    let begun = Partial::new(start, &learner.prep, &rows(), &target, None, &control).unwrap();
    let PassSums::Squares(squares) = &begun.sums else { panic!("no pass is done") };
    let mut partial = Partial { sums: PassSums::Squares(squares.clone().of_every(1 << 20)), ..begun };
    partial.add(1, &rows(), &target, None, &control).unwrap();
    let refused = partial.next(&control).unwrap_err().to_string();
    assert!(refused.contains("announced"), "{refused}");
}

/// Kernel values with landmarks are what a feature takes, however many there are: 40 operations each for a Gaussian of ten columns.
#[test]
fn features_through_landmarks_count_as_kernel_values() {
    let column =
        |j: usize| Column { name: format!("x{j}"), values: Values::Numbers((0..300).map(|i| ((i * (j + 3)) as f64).sin()).collect()) };
    let data = Dataset::new((0..10).map(column).collect()).unwrap();
    let per_feature = |kernel: &str| size_of_row(&kernel.parse::<KernelExpr>().unwrap(), &data, 10).per_feature;
    let value = per_feature("rbf(length_scale=1)");
    assert!((10.0..100.0).contains(&value), "{value}");
    for rank in [50, 200] {
        assert_eq!(per_feature(&format!("nystroem(rbf(length_scale=1), rank={rank})")), value);
    }
}

//! Derivatives of predictions in the inputs against differences of predictions, in the units of a table.

use mercer::data::{Categories, Column, Dataset, Points, Strings, Target, TargetInfo, Values};
use mercer::linalg::Matrix;
use mercer::{Control, EstimatorExpr, KernelExpr, Learner, Model, Predictions, Want};

fn wave(count: usize, step: f64) -> Vec<f64> {
    (0..count).map(|i| (step * (i as f64 + 0.3)).sin()).collect()
}

/// Two columns of numbers of unlike units, one that is constant, vectors, labels and sequences.
fn table(rows: usize, shift: f64) -> Dataset {
    let numbers = |step: f64, scale: f64| Values::Numbers(wave(rows, step + shift).iter().map(|x| 3.0 + scale * x).collect());
    let labels: Vec<&str> = (0..rows).map(|i| ["red", "blue"][i / 2 % 2]).collect();
    let words: Vec<String> = (0..rows).map(|i| ["ACGTAC", "CCGT", "GATTACA"][i % 3].into()).collect();
    let columns = vec![
        ("a", numbers(0.7, 40.0)),
        ("same", Values::Numbers(vec![2.0; rows])),
        ("colour", Values::Categories(Categories::from_labels(&labels))),
        ("v", Values::Points(Points::dense(rows, 2, wave(2 * rows, 1.1 + shift)).unwrap())),
        ("b", numbers(1.9, 0.02)),
        ("seq", Values::Sequences(Strings::new(words))),
    ];
    Dataset::new(columns.into_iter().map(|(name, values)| Column { name: name.into(), values }).collect()).unwrap()
}

fn fit(kernel: &str, estimator: &str) -> mercer::Result<Model> {
    let data = table(30, 0.0);
    let y: Vec<f64> = wave(60, 0.9).iter().zip(wave(30, 0.7).iter().flat_map(|x| [*x, 2.0 - x])).map(|(e, x)| 5.0 * x + e).collect();
    let target = Target::Numbers(Matrix::new(30, 2, y).unwrap());
    let target = if estimator.starts_with("gp") || estimator.starts_with("ridge") { target } else { Target::numbers(&wave(30, 0.7)) };
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel)?), ..Learner::new(EstimatorExpr::parse(estimator)?) };
    learner.fit(&data, &target, &TargetInfo::of(&target), None, &Control::default())
}

fn predict(model: &Model, data: &Dataset) -> Predictions {
    model.predict(data, Want { variance: true, ..Want::default() }, &Control::default()).unwrap()
}

/// The rows with one of their numbers moved by a share of the size of its column.
fn moved(data: &Dataset, number: &str, by: f64) -> (Dataset, f64) {
    let step = by
        * if number == "a" {
            40.0
        } else if number == "b" {
            0.02
        } else {
            1.0
        };
    let columns = data.columns().iter().map(|column| {
        let mut column = column.clone();
        let name = column.name.clone();
        match &mut column.values {
            Values::Numbers(v) if name == number => v.iter_mut().for_each(|x| *x += step),
            Values::Points(p) => {
                let mut all = p.to_dense().into_owned();
                let k = usize::from(number == "v[2]");
                all.iter_mut().skip(k).step_by(2).for_each(|x| *x += if number.starts_with('v') { step } else { 0.0 });
                *p = Points::dense(p.rows(), 2, all).unwrap();
            }
            _ => {}
        }
        column
    });
    (Dataset::new(columns.collect()).unwrap(), step)
}

/// The derivative of each row and output in one number, by differences of fourth order.
fn differences(model: &Model, data: &Dataset, number: &str) -> [Matrix; 2] {
    const STEP: f64 = 2e-3;
    let at = |by: f64| {
        let (rows, step) = moved(data, number, by * STEP);
        let found = predict(model, &rows);
        let variance = found.variance.clone().unwrap_or_else(|| Matrix::zeros(rows.rows(), 1));
        assert!(variance.data().iter().all(|v| *v >= 0.0));
        ([Matrix::column(found.numbers().unwrap().to_vec()), Matrix::column(variance.into_data())], step / by)
    };
    let ([f1, f2, g1, g2], unit) = {
        let (a, step) = at(1.0);
        ([a, at(2.0).0, at(-1.0).0, at(-2.0).0], step)
    };
    [0, 1].map(|k| {
        let slope = |i: usize| (8.0 * (f1[k][(i, 0)] - g1[k][(i, 0)]) - (f2[k][(i, 0)] - g2[k][(i, 0)])) / (12.0 * unit);
        Matrix::from_fn(f1[k].rows(), 1, |i, _| slope(i))
    })
}

/// Compares derivatives with differences to 1e-6 of the largest in the same number.
fn check(kernel: &str, estimator: &str) {
    let (model, new) = (fit(kernel, estimator).unwrap(), table(5, 0.17));
    let found = model.predict_gradient(&new, &Control::default()).unwrap();
    assert_eq!(found.numbers, ["a", "same", "v[1]", "v[2]", "b"]);
    let mut largest = 0.0f64;
    for (j, number) in found.numbers.iter().enumerate() {
        let expected = differences(&model, &new, number);
        for (given, expected) in [Some(&found.mean), found.variance.as_ref()].into_iter().zip(&expected) {
            let Some(given) = given else { continue };
            let size = expected.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for (at, e) in expected.data().iter().enumerate() {
                let (i, o) = (at / given.len(), at % given.len());
                let g = given[o][(i, j)];
                assert!((g - e).abs() <= 1e-6 * size.max(1e-4), "{kernel} {estimator}, row {i}, {number}, output {o}: {g} and {e}");
            }
            largest = largest.max(size);
        }
    }
    assert!(largest > 1e-3, "{kernel} {estimator}: nothing changes");
}

const GP: &str = "gp(noise=0.1, variance=1.5)";

#[test]
fn derivatives_of_gaussian_processes_are_differences() {
    for kernel in [
        "rbf(length_scale=1.4)",
        "on([a, b], rbf(length_scale=[0.7, 2]))",
        "matern(nu=1.5, length_scale=2)",
        "matern(nu=1.2, length_scale=2)",
        "rational_quadratic(length_scale=1.2, alpha=0.6)",
        "polynomial(degree=3, gamma=0.3, offset=1)",
        "0.5*on(v, matern(length_scale=1.1)) + on([a, b], polynomial(degree=2, gamma=0.5, offset=1)) + 0.3",
        "on([a, b], rbf(length_scale=1.3))*on(v, rational_quadratic(length_scale=1))*on(seq, spectrum(k=2))",
        "on(a, periodic(period=60, length_scale=1.2)) + on(b, rbf(length_scale=1))",
        "on([a, v], mahalanobis)",
        "(on([a, b], rbf(length_scale=1)) + 0.5)^3*exp(0.1*on(v, linear))",
    ] {
        check(kernel, GP);
        check(kernel, "gp(noise=0.1, variance=1.5, inducing=12)");
    }
}

#[test]
fn derivatives_of_other_expansions_are_differences() {
    check("centre(rbf(length_scale=1.4))", "ridge(lambda=0.1)");
    for estimator in ["ridge(lambda=0.1)", "svr(c=10, epsilon=0.1)", "rvm"] {
        check("rbf(length_scale=1.4)", estimator);
    }
}

#[test]
fn what_has_no_derivative_refuses_by_name() {
    let refusal = |kernel: &str, estimator: &str| {
        fit(kernel, estimator).unwrap().predict_gradient(&table(3, 0.1), &Control::default()).unwrap_err().to_string()
    };
    for (kernel, estimator, named) in [
        ("laplacian", GP, "laplacian"),
        ("matern(nu=0.5)", GP, "matern(nu=0.5)"),
        ("normalise(polynomial)", GP, "normalise(polynomial"),
        ("linear", "ridge(lambda=0.1)", "weights of features"),
        ("rbf", "log_target(gp(noise=0.1, variance=1), shift=9)", "log_target"),
        ("rbf", "knn", "knn"),
    ] {
        let said = refusal(kernel, estimator);
        assert!(said.contains(named), "{kernel} {estimator}: {said}");
    }
}

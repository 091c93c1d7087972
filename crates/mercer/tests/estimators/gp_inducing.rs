//! Gaussian processes through inducing rows against the exact ones, the formula of Titsias (2009, equations 6 and 9) and differences.

use crate::gp::near;
use crate::problem;

use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Kind, Split, Target, TargetInfo, Values};
use mercer::error::Result;
use mercer::estimators::{Estimator, EstimatorExpr, Fitted, FittedGp, Gp, Near, Query, Task, View, Want};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::linalg::{Cholesky, Matrix, product};
use mercer::param::Value;
use mercer::{Learner, Model, store, testkit};
use problem::*;

const ALL: Want = Want { variance: true, covariance: true, probabilities: false, scores: false, by_class: false };
const NOISE: f64 = 0.2;
const VARIANCE: f64 = 1.7;

fn exact() -> Gp {
    Gp { noise: Value::Number(NOISE), variance: Value::Number(VARIANCE), ..Gp::default() }
}

fn through(count: usize) -> Gp {
    Gp { inducing: Value::Number(count as f64), ..exact() }
}

fn evidence(fitted: &FittedGp) -> f64 {
    fitted.summary().evidence.unwrap()
}

/// Mean, variance and covariance at new rows.
fn answers(fitted: &FittedGp, new: &Matrix, x: &Matrix) -> [Matrix; 3] {
    let p = fitted.predict(&Query::new(&cross(new, &x.select_rows(fitted.support()), rbf), ALL, &Control::default())).unwrap();
    [numbers(&p).clone(), p.variance.unwrap(), p.covariance.unwrap()]
}

fn weights(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + i as f64 / 5.0).collect()
}

#[test]
fn with_all_rows_inducing_the_bound_is_the_evidence_and_predictions_are_exact() {
    let (x, y, new) = (wave(14, 2, 3), wave(14, 2, 4), wave(5, 2, 5));
    let (gram, target, weights) = (square(&x, rbf), Target::Numbers(y), weights(14));
    for w in [None, Some(weights.as_slice())] {
        let (a, b) = (fit(&exact(), &gram, &target, w), fit(&through(14), &gram, &target, w));
        assert!(matches!(b, FittedGp::Inducing(_)) && b.support().len() == 14);
        near(evidence(&a), evidence(&b), 1e-8);
        for (a, b) in answers(&a, &new, &x).iter().zip(&answers(&b, &new, &x)) {
            close(a, b, 1e-8);
        }
    }
}

#[test]
fn bound_and_predictions_are_those_of_the_formula_and_no_bound_is_above_the_evidence() {
    let (n, control) = (20, Control::default());
    let (x, new) = (wave(n, 2, 3), wave(3, 2, 5));
    let y = Matrix::from_fn(n, 1, |i, _| (2.0 * x[(i, 0)]).sin() + x[(i, 1)] + 0.1 * wave(n, 1, 9)[(i, 0)]);
    let (gram, target, weights) = (square(&x, rbf), Target::Numbers(y.clone()), weights(n));
    let most = evidence(&fit(&exact(), &gram, &target, Some(&weights)));
    let mut last = f64::NEG_INFINITY;
    for m in [2, 5, 9] {
        let model = Gp { standardise_target: false, ..through(m) };
        let fitted = fit(&model, &gram, &target, Some(&weights));
        let z = x.select_rows(fitted.support());
        assert_eq!(z.rows(), m);
        // Q of rows and new rows together, by a solve with the kernel among the inducing rows.
        let all = Matrix::from_fn(n + 3, 2, |i, c| if i < n { x[(i, c)] } else { new[(i - n, c)] });
        let with = values(&all, &z, rbf);
        let q = product(&with, &Cholesky::new(values(&z, &z, rbf), &control).unwrap().solve(&with.transpose(), &control).unwrap()).unwrap();
        let c = Matrix::from_fn(n, n, |i, j| VARIANCE * q[(i, j)] + if i == j { NOISE / weights[i] } else { 0.0 });
        let c = Cholesky::new(c, &control).unwrap();
        let alpha = c.solve(&y, &control).unwrap();
        let fit_term: f64 = y.data().iter().zip(alpha.data()).map(|(t, a)| t * a).sum();
        let trace: f64 = (0..n).map(|i| weights[i] * (1.0 - q[(i, i)])).sum();
        let normal = -0.5 * (fit_term + c.log_det() + n as f64 * std::f64::consts::TAU.ln());
        near(evidence(&fitted), normal - VARIANCE * trace / (2.0 * NOISE), 1e-9);

        let [mean, variance, covariance] = answers(&fitted, &new, &x);
        let back = Matrix::from_fn(n, 3, |i, k| VARIANCE * q[(i, n + k)]);
        let solved = c.solve(&back, &control).unwrap();
        for a in 0..3 {
            near(mean[(a, 0)], (0..n).map(|i| back[(i, a)] * alpha[(i, 0)]).sum(), 1e-9);
            for b in 0..3 {
                let explained: f64 = (0..n).map(|i| back[(i, a)] * solved[(i, b)]).sum();
                near(covariance[(a, b)], VARIANCE * rbf(new.row(a), new.row(b)) - explained, 1e-9);
            }
            near(variance[(a, 0)], covariance[(a, a)], 1e-12);
        }
        let bound = evidence(&fit(&through(m), &gram, &target, Some(&weights)));
        assert!(last < bound && bound <= most, "{last} {bound} {most}");
        last = bound;
    }
}

#[test]
fn derivatives_of_the_bound_are_those_of_differences() {
    let (x, y, weights) = (wave(9, 2, 1), wave(9, 2, 2), weights(9));
    let (k, target) = (values(&x, &x, rbf), Target::Numbers(y));
    let gram = Dense::square(k.clone()).unwrap();
    for w in [None, Some(weights.as_slice())] {
        let control = Control::default();
        // Values nearby keep the inducing rows.
        let near_by = |gram: &Dense, (noise, variance): (f64, f64), last: Option<&Near>| {
            let gp = Gp { noise: Value::Number(noise), variance: Value::Number(variance), ..through(4) };
            gp.criterion_near(&Task { view: View::Values(gram), target: &target, weights: w, control: &control, seed: 0 }, last).unwrap()
        };
        let (found, last) = near_by(&gram, (NOISE, VARIANCE), None);
        let at = |noise: f64, variance: f64| near_by(&gram, (noise, variance), last.as_ref()).0;
        let (exact, h) = (found.weights.written_out(&gram, "a test", &control).unwrap(), 1e-5);
        for (i, j) in (0..9).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let moved = |by: f64| {
                let mut moved = k.clone();
                moved[(i, j)] += by;
                moved[(j, i)] = moved[(i, j)];
                near_by(&Dense::square(moved).unwrap(), (NOISE, VARIANCE), last.as_ref()).0.value
            };
            let expected = (moved(h) - moved(-h)) / (2.0 * h);
            near(exact[(i, j)] * if i == j { 1.0 } else { 2.0 }, expected, 1e-7 * (1.0 + expected.abs()));
        }
        near(found.value, -evidence(&fit(&through(4), &gram, &target, w)), 1e-9);
        let expected = [
            (at(NOISE + h, VARIANCE).value - at(NOISE - h, VARIANCE).value) / (2.0 * h),
            (at(NOISE, VARIANCE + h).value - at(NOISE, VARIANCE - h).value) / (2.0 * h),
        ];
        found.own.iter().zip(expected).for_each(|((_, found), expected)| near(*found, expected, 1e-7 * (1.0 + expected.abs())));
        let task = Task { view: View::Values(&gram), target: &target, weights: w, control: &control, seed: 0 };
        let along = through(4).criterion_along("noise", &[0.05, NOISE], &task).unwrap().unwrap();
        near(along[0], at(0.05, VARIANCE).value, 1e-9);
        near(along[1], found.value, 1e-9);
    }
}

#[test]
fn rows_that_stand_twice_are_inducing_once() {
    let (x, y) = (wave(8, 2, 3), wave(16, 1, 4));
    let twice = Matrix::from_fn(16, 2, |i, c| x[(i % 8, c)]);
    let (gram, target) = (square(&twice, rbf), Target::Numbers(y));
    let (a, b) = (fit(&exact(), &gram, &target, None), fit(&through(16), &gram, &target, None));
    assert_eq!(b.support().len(), 8);
    near(evidence(&a), evidence(&b), 1e-8);
    // More than there are rows, as in a fold: all of them.
    let more = fit(&through(100), &gram, &target, None);
    near(evidence(&a), evidence(&more), 1e-8);
    assert!(more.summary().notes.iter().any(|note| note.contains("inducing=100 asks for more rows than the 16")));
}

#[test]
fn a_gp_through_inducing_rows_passes_the_conformance_kit() {
    let data = testkit::table(26, 17);
    let kernel = KernelExpr::parse("0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal").unwrap();
    let numbers = EstimatorExpr::parse("gp(inducing=7)").unwrap();
    testkit::check_estimator_of(&numbers, Kind::Numbers, &kernel, &data).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let (x, numbers) = (wave(6, 2, 1), Target::Numbers(wave(6, 1, 2)));
    let classes = crate::made::labels((0..6).map(|i| i % 2 == 0));
    let why = |text: &str, target: &Target| -> String {
        let fit = |text: &str| -> Result<()> {
            let estimator = EstimatorExpr::parse(text)?;
            let (gram, control) = (square(&x, rbf), Control::default());
            let task = Task { view: View::Values(&gram), target, weights: None, control: &control, seed: 0 };
            estimator.settle(&task)?.fit(&task).map(|_| ())
        };
        fit(text).unwrap_err().to_string()
    };
    for (text, target, part) in [
        ("gp(inducing=0)", &numbers, "a whole number from 1, or inf"),
        ("gp(inducing=2.5)", &numbers, "a whole number from 1, or inf"),
        ("gp(inducing=3, noise=0)", &numbers, "needs noise above 0"),
        ("gp(inducing=3, likelihood=student_t)", &numbers, "likelihood=student_t has no inducing rows"),
        ("gp(inducing=3)", &classes, "classes has no inducing rows"),
    ] {
        let why = why(text, target);
        assert!(why.contains(part), "{text}: {why}");
    }
}

/// A wave along one column, with noise, and its examples.
fn waves() -> (Dataset, Target) {
    let x: Vec<f64> = (0..60).map(|i| 0.1 * f64::from(i) + 0.03 * (7.0 * f64::from(i)).sin()).collect();
    let y: Vec<f64> = x.iter().zip(wave(60, 1, 5).data()).map(|(x, e)| (2.0 * x).sin() + 0.1 * e).collect();
    (Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(x) }]).unwrap(), Target::numbers(&y))
}

fn model_of(kernel: &str, estimator: &str) -> Model {
    let (data, target) = waves();
    let learner = Learner { kernel: Some(KernelExpr::parse(kernel).unwrap()), ..Learner::new(EstimatorExpr::parse(estimator).unwrap()) };
    learner.fit(&data, &target, &TargetInfo::of(&target), None, &Control::default()).unwrap()
}

#[test]
fn inputs_that_move_give_a_greater_bound_and_a_model_that_is_stored() {
    const KERNEL: &str = "rbf(length_scale=0.35)";
    let (data, target) = waves();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let bound = |model: &Model| model.summary().evidence.unwrap();
    let most = bound(&model_of(KERNEL, "gp(noise=0.02, variance=1)"));
    let few = model_of(KERNEL, "gp(noise=0.02, variance=1, inducing=7)");
    let moved = few.move_inducing(&examples, &Control::default()).unwrap();
    assert!(bound(&few) + 1.0 < bound(&moved) && bound(&moved) <= most, "{} {} {most}", bound(&few), bound(&moved));
    assert!(few.support_rows().len() == 7 && moved.support_rows().is_empty() && moved.support.rows() == 7);
    let again = store::from_bytes(&store::to_bytes(&moved).unwrap(), "moved").unwrap();
    let want = Want { variance: true, ..Want::default() };
    let [a, b] = [&moved, &again].map(|model| model.predict(&data, want, &Control::default()).unwrap());
    assert!(a.numbers() == b.numbers() && a.variance == b.variance);
    assert!(again.predict_gradient(&data, &Control::default()).is_ok());
    // What was open moves too.
    let open = model_of("rbf", "gp(inducing=7)");
    let both = open.move_inducing(&examples, &Control::default()).unwrap();
    assert!(bound(&open) < bound(&both) && both.kernel != open.kernel);
}

#[test]
fn inputs_that_cannot_move_are_refused() {
    let (data, target) = waves();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let said = |model: &Model| model.move_inducing(&examples, &Control::default()).unwrap_err().to_string();
    for (kernel, estimator, named) in [
        ("laplacian(length_scale=1)", "gp(noise=0.1, variance=1, inducing=5)", "laplacian"),
        ("centre(rbf(length_scale=1))", "gp(noise=0.1, variance=1, inducing=5)", "training rows"),
        ("rbf", "gp(noise=0.1, variance=1)", "inducing"),
        ("rbf", "ridge", "ridge"),
    ] {
        let found = said(&model_of(kernel, estimator));
        assert!(found.contains(named), "{kernel} {estimator}: {found}");
    }
    let moved = model_of("rbf(length_scale=1)", "gp(noise=0.1, variance=1, inducing=3)").move_inducing(&examples, &Control::default());
    assert!(said(&moved.unwrap()).contains("already"));
}

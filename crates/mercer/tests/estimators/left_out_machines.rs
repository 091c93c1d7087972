//! Leave-one-out predictions of support vector machines: by hand, and against fits without each row.

use crate::made::{errors, points, rbf, square};
use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Estimator, EstimatorExpr, Fitted, Predicted, Predictions, Query, Svc, Svr, Task, View, Want};
use mercer::gram::{Dense, Subset};
use mercer::linalg::Matrix;

const WANT: Want = Want { scores: true, variance: false, covariance: false, probabilities: false, by_class: false };

/// The kernel x z of numbers.
fn products(x: &[f64]) -> Dense {
    Dense::square(Matrix::from_fn(x.len(), x.len(), |i, j| x[i] * x[j])).unwrap()
}

fn task<'a>(gram: &'a Dense, target: &'a Target, weights: Option<&'a [f64]>, control: &'a Control) -> Task<'a> {
    Task { view: View::Values(gram), target, weights, control, seed: 1 }
}

/// What is compared: numbers or decision values.
fn values(p: &Predictions) -> Matrix {
    match &p.values {
        Predicted::Numbers(m) => m.clone(),
        Predicted::Classes(_) => p.scores.clone().unwrap(),
    }
}

// The widest margin between -1 and 1 is f(x) = x; between -1 and 2 it is (x - 1/2) / (3/2), which is 1/3 at 1.
#[test]
fn without_a_row_on_the_margin_the_margin_goes_to_the_next_row() {
    let (gram, target, control) = (products(&[-2.0, -1.0, 1.0, 2.0]), Target::classes(&["a", "a", "b", "b"]), Control::default());
    let svc = Svc { c: 100.0.into(), tolerance: 1e-12.into(), ..Svc::default() };
    let found = svc.leave_one_out(&task(&gram, &target, None, &control)).unwrap().unwrap();
    for (f, expected) in found.scores.unwrap().data().iter().zip([-2.0, -1.0 / 3.0, 1.0 / 3.0, 2.0]) {
        assert!((f - expected).abs() <= 1e-9, "{f} and not {expected}");
    }
    assert_eq!(found.values, Predicted::Classes(vec![0, 0, 1, 1]));
    // Without its only row of one class a machine has w = 0, and 1 or -1 is the least offset that costs the other class nothing.
    let (gram, target) = (products(&[-1.0, 1.0, 2.0]), Target::classes(&["a", "b", "b"]));
    let found = svc.leave_one_out(&task(&gram, &target, None, &control)).unwrap().unwrap();
    assert!((found.scores.unwrap()[(0, 0)] - 1.0).abs() <= 1e-12);
}

// (-1, -1), (0, 0) and (1, 1) within a tube of half-width 1/2: the flattest function is x / 2; without an end it is -1/2 or 1/2.
#[test]
fn without_an_end_the_flattest_function_is_constant() {
    let x = [-1.0, 0.0, 1.0];
    let (gram, target, control) = (products(&x), Target::numbers(&x), Control::default());
    let svr = Svr { c: 100.0.into(), epsilon: 0.5.into(), standardise_target: false, tolerance: 1e-12.into(), ..Svr::default() };
    let found = svr.leave_one_out(&task(&gram, &target, None, &control)).unwrap().unwrap();
    for (f, expected) in values(&found).data().iter().zip([0.5, 0.0, -0.5]) {
        assert!((f - expected).abs() <= 1e-9, "{f} and not {expected}");
    }
}

/// Rows of which some stand twice, their kernel values, and weights.
fn made(n: usize) -> (Vec<Vec<f64>>, Dense, Vec<f64>) {
    let mut x = points(41, n, 2);
    (0..n / 6).for_each(|i| x[n - 1 - i] = x[3 * i].clone());
    let gram = square(&x, |a, b| rbf(0.8)(a, b));
    (x, gram, (0..n).map(|i| 0.5 + (i % 5) as f64 / 2.0).collect())
}

/// Compares with a fit to the other rows for each row. `refit`: the estimator and the weights of these fits.
fn as_refits(text: &str, gram: &Dense, target: &Target, weights: Option<&[f64]>, refit: (&str, &[f64])) {
    let (estimator, control, n) = (EstimatorExpr::parse(text).unwrap(), Control::default(), target.rows());
    let found = estimator.leave_one_out(&task(gram, target, weights, &control)).unwrap().unwrap();
    let fresh = EstimatorExpr::parse(refit.0).unwrap();
    for i in 0..n {
        let rest: Vec<usize> = (0..n).filter(|&k| k != i).collect();
        let (among, of_rest) = (Subset::new(gram, &rest, &rest), target.select(&rest));
        let kept: Vec<f64> = rest.iter().map(|&k| refit.1[k]).collect();
        let fitted =
            fresh.fit(&Task { view: View::Values(&among), target: &of_rest, weights: Some(&kept), control: &control, seed: 1 }).unwrap();
        let support: Vec<usize> = fitted.support().iter().map(|&s| rest[s]).collect();
        let one = fitted.predict(&Query::new(&Subset::new(gram, &[i], &support), WANT, &control)).unwrap();
        let (mine, expected) = (values(&found), values(&one));
        assert_eq!(mine.cols(), expected.cols());
        for (a, b) in mine.row(i).iter().zip(expected.row(0)) {
            assert!((a - b).abs() <= 1e-7, "{text}, row {i}: {a} and {b}");
        }
        if let (Predicted::Classes(a), Predicted::Classes(b)) = (&found.values, &one.values) {
            assert_eq!(a[i], b[0], "{text}, row {i}");
        }
    }
}

#[test]
fn every_row_is_predicted_as_by_a_fit_to_the_others() {
    let n = 48;
    let ((x, gram, weights), e) = (made(n), errors(42, n));
    let ones = vec![1.0; n];
    let value = |i: usize| (2.0 * x[i][0]).sin() + 0.3 * e[i];
    let numbers = Target::numbers(&(0..n).map(value).collect::<Vec<_>>());
    let svr = "svr(c=3, epsilon=0.1, tolerance=1e-11, standardise_target=false)";
    as_refits(svr, &gram, &numbers, None, (svr, &ones));
    as_refits(svr, &gram, &numbers, Some(&weights), (svr, &weights));
    let codes = |classes: usize| (0..n).map(|i| ((value(i) + x[i][1] + 4.0) * 1.5) as usize % classes).collect::<Vec<_>>();
    let of = |codes: &[usize]| Target::classes(&codes.iter().map(|k| ["a", "b", "c"][*k]).collect::<Vec<_>>());
    for classes in [2, 3] {
        let codes = codes(classes);
        for way in ["pairs", "dag", "one_vs_rest", "codes"] {
            let svc = format!("svc(c=3, tolerance=1e-11, multiclass={way})");
            as_refits(&svc, &gram, &of(&codes), Some(&weights), (&svc, &weights));
        }
        // Weights of the classes stay those of all rows: the mass of all rows by that of the class and the number of classes.
        let mass = |k: usize| (0..n).filter(|&i| codes[i] == k).map(|i| weights[i]).sum::<f64>();
        let balanced: Vec<f64> = (0..n).map(|i| weights[i] * weights.iter().sum::<f64>() / (classes as f64 * mass(codes[i]))).collect();
        let (weighed, plain) = ("svc(c=3, tolerance=1e-11, class_weight=balanced)", "svc(c=3, tolerance=1e-11)");
        as_refits(weighed, &gram, &of(&codes), Some(&weights), (plain, &balanced));
    }
}

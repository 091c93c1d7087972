//! Support vector machines predict from kernel values in f32 only where that is far below the solver's own tolerance.

use crate::made;

use made::*;
use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::estimators::{Estimator, Expansion, Fitted, Query, Svc, Svr, Task, View, Want};
use mercer::gram::{self, Bound};
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;

const N: usize = 1200;

fn bound() -> Box<dyn Bound> {
    let x: Vec<f64> = points(3, N, 5).concat();
    let data = Dataset::from_points(Points::dense(N, 5, x).unwrap());
    KernelExpr::parse("rbf(length_scale=1)").unwrap().bind(None, &data).unwrap()
}

/// Decision values of all training rows from kernel values in f64, and as the expansion predicts them.
fn both(expansion: &Expansion, bound: &dyn Bound) -> (Matrix, Matrix) {
    let mut coef = Matrix::zeros(N, expansion.coef.cols());
    for (s, &i) in expansion.support.iter().enumerate() {
        coef.row_mut(i).copy_from_slice(expansion.coef.row(s));
    }
    let exact = gram::apply(bound, &coef, &Control::default()).unwrap();
    let all: Vec<usize> = (0..N).collect();
    let predicted = expansion.predict(&gram::Subset::new(bound, &all, &expansion.support), &Control::default()).unwrap();
    let exact = Matrix::from_fn(N, exact.cols(), |i, o| exact[(i, o)] + expansion.bias[o]);
    (exact, predicted)
}

fn greatest(a: &Matrix, b: &Matrix) -> f64 {
    a.data().iter().zip(b.data()).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

/// Labels that nothing explains, so that most rows support.
fn noise() -> Target {
    labels(errors(3, N).into_iter().map(|e| e > 0.0))
}

fn task<'a>(bound: &'a dyn Bound, target: &'a Target, control: &'a Control) -> Task<'a> {
    Task { view: View::Values(bound), target, weights: None, control, seed: 0 }
}

#[test]
fn decision_values_of_a_large_classifier_differ_by_less_than_a_hundredth_of_the_tolerance() {
    let (bound, target, control) = (bound(), noise(), Control::default());
    let fitted = Svc { c: 1.0.into(), ..Svc::default() }.fit(&task(bound.as_ref(), &target, &control)).unwrap();
    assert!(fitted.expansion.single && fitted.support().len() > 500);
    let (exact, predicted) = both(&fitted.expansion, bound.as_ref());
    let change = greatest(&exact, &predicted);
    assert!(0.0 < change && change <= 1.5e-5, "{change}: most rows are not in the sample that the bound of 1e-5 was seen on");
    assert!(fitted.summary().notes.iter().any(|n| n.contains("single precision")));
}

#[test]
fn the_bits_of_a_prediction_do_not_depend_on_the_rows_beside_it() {
    let (bound, target, control) = (bound(), noise(), Control::default());
    let fitted = Svc { c: 1.0.into(), ..Svc::default() }.fit(&task(bound.as_ref(), &target, &control)).unwrap();
    let scores = |rows: &[usize]| {
        let cross = gram::Subset::new(bound.as_ref(), rows, fitted.support());
        fitted.predict(&Query::new(&cross, Want { scores: true, ..Want::default() }, &Control::default())).unwrap().scores.unwrap()
    };
    let all = scores(&(0..N).collect::<Vec<_>>());
    for i in [0, 7, 500, N - 1] {
        assert_eq!(scores(&[i])[(0, 0)].to_bits(), all[(i, 0)].to_bits(), "row {i}");
    }
}

#[test]
fn large_coefficients_and_small_machines_keep_double_precision() {
    let (bound, target, control) = (bound(), noise(), Control::default());
    let fitted = Svc { c: 1e4.into(), ..Svc::default() }.fit(&task(bound.as_ref(), &target, &control)).unwrap();
    assert!(!fitted.expansion.single && fitted.support().len() > 500);
    let (exact, predicted) = both(&fitted.expansion, bound.as_ref());
    assert!(greatest(&exact, &predicted) <= 1e-9 * 1e4);
    let few: Vec<usize> = (0..300).collect();
    let some = gram::Subset::new(bound.as_ref(), &few, &few);
    let target = labels(errors(3, 300).into_iter().map(|e| e > 0.0));
    let task = Task { view: View::Values(&some), target: &target, weights: None, control: &control, seed: 0 };
    assert!(!Svc { c: 1.0.into(), ..Svc::default() }.fit(&task).unwrap().expansion.single);
}

#[test]
fn a_regression_rounds_in_the_units_of_its_target() {
    let (bound, control) = (bound(), Control::default());
    for size in [1e-6, 1e6] {
        let target = Target::Numbers(Matrix::column(errors(3, N).into_iter().map(|e| size * e).collect()));
        let estimator = Svr { c: 1.0.into(), epsilon: 0.1.into(), ..Svr::default() };
        let fitted = estimator.fit(&task(bound.as_ref(), &target, &control)).unwrap();
        assert!(fitted.expansion.single);
        let (exact, predicted) = both(&fitted.expansion, bound.as_ref());
        let change = greatest(&exact, &predicted);
        assert!(0.0 < change && change <= 1.5e-5 * size, "{change} at {size}");
    }
}

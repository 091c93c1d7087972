//! Data that any program can make again from a formula, and the Gram matrices of a few kernels on it.

use mercer::control::Control;
use mercer::data::{Dataset, Points, Target};
use mercer::estimators::{Estimator, Fitted, Predicted, Predictions, Query, Task, View, Want};
use mercer::gram::{Block, Dense, Gram, Side, Structure};
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) type Rows = Vec<Vec<f64>>;

/// A number in -1..1 without visible pattern: 2 frac(43758.5453 sin(12.9898 (i+1) + 78.233 (j+1) + 3.7 set)) - 1.
pub(crate) fn noise(set: usize, i: usize, j: usize) -> f64 {
    let v = (12.9898 * (i + 1) as f64 + 78.233 * (j + 1) as f64 + 3.7 * set as f64).sin() * 43758.5453;
    2.0 * (v - v.floor()) - 1.0
}

/// n points of d such numbers.
pub(crate) fn points(set: usize, n: usize, d: usize) -> Rows {
    (0..n).map(|i| (0..d).map(|j| noise(set, i, j)).collect()).collect()
}

/// A further such number for each point.
pub(crate) fn errors(set: usize, n: usize) -> Vec<f64> {
    (0..n).map(|i| noise(set, i, 97)).collect()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(crate) fn rbf(gamma: f64) -> impl Fn(&[f64], &[f64]) -> f64 {
    move |a, b| (-gamma * a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()).exp()
}

/// The Gram matrix among some inputs.
pub(crate) fn square<X>(x: &[X], kernel: impl Fn(&X, &X) -> f64) -> Dense {
    Dense::square(Matrix::from_fn(x.len(), x.len(), |i, j| kernel(&x[i], &x[j]))).unwrap()
}

/// The Gram matrix between new inputs and the given training inputs.
pub(crate) fn cross<X>(new: &[X], x: &[X], support: &[usize], kernel: impl Fn(&X, &X) -> f64) -> Dense {
    let values = Matrix::from_fn(new.len(), support.len(), |i, s| kernel(&new[i], &x[support[s]]));
    let rows = new.iter().map(|a| kernel(a, a)).collect();
    let cols = support.iter().map(|&s| kernel(&x[s], &x[s])).collect();
    Dense::cross(values, rows, cols).unwrap()
}

pub(crate) fn fit<E: Estimator>(estimator: &E, gram: &Dense, target: &Target, weights: Option<&[f64]>) -> mercer::error::Result<E::Fitted> {
    estimator.fit(&Task { view: View::Values(gram), target, weights, control: &Control::default(), seed: 1 })
}

/// Predictions for the training rows themselves, everything wanted.
pub(crate) fn on_training<F: Fitted>(fitted: &F, gram: &Dense) -> Predictions {
    let k = gram.matrix();
    let s = fitted.support();
    let values = Matrix::from_fn(k.rows(), s.len(), |i, j| k[(i, s[j])]);
    let g = Dense::cross(values, k.diagonal(), s.iter().map(|&j| k[(j, j)]).collect()).unwrap();
    fitted.predict(&Query::new(&g, everything(), &Control::default())).unwrap()
}

pub(crate) fn everything() -> Want {
    Want { variance: true, covariance: false, probabilities: true, scores: true, by_class: false }
}

pub(crate) fn classes(p: &Predictions) -> &[usize] {
    match &p.values {
        Predicted::Classes(c) => c,
        Predicted::Numbers(_) => panic!("classes expected"),
    }
}

pub(crate) fn numbers(p: &Predictions) -> &Matrix {
    match &p.values {
        Predicted::Numbers(m) => m,
        Predicted::Classes(_) => panic!("numbers expected"),
    }
}

pub(crate) fn labels(signs: impl IntoIterator<Item = bool>) -> Target {
    Target::Classes { codes: signs.into_iter().map(usize::from).collect(), names: vec!["no".into(), "yes".into()] }
}

/// Within an absolute tolerance, either side.
#[track_caller]
pub(crate) fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} within {tolerance:e}");
}

/// A Gram matrix that counts the kernel values it is asked for.
pub(crate) struct Counted<'a>(&'a dyn Gram, AtomicUsize);

impl<'a> Counted<'a> {
    pub(crate) fn of(gram: &'a dyn Gram) -> Self {
        Counted(gram, AtomicUsize::new(0))
    }
    pub(crate) fn asked(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Gram for Counted<'_> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.1.fetch_add(rows.len() * cols.len(), Ordering::Relaxed);
        self.0.fill(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.0.diagonal(side)
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn structure(&self) -> Structure<'_> {
        match self.0.structure() {
            Structure::Held(_) => Structure::Opaque,
            structure => structure,
        }
    }
}

/// A target with these classes.
pub(crate) fn classes_named(names: &[&str]) -> TargetInfo {
    TargetInfo { names: vec!["t".into()], classes: Some(names.iter().map(|n| n.to_string()).collect()), labels: Default::default() }
}

/// A table of points.
pub(crate) fn table_of(x: &[Vec<f64>]) -> Dataset {
    Dataset::from_points(Points::dense(x.len(), x[0].len(), x.concat()).unwrap())
}

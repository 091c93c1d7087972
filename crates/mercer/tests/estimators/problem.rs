//! Small problems with Gram matrices written out, so that estimators are tested without the kernels of the library.

use mercer::control::Control;
use mercer::data::Target;
use mercer::estimators::{Estimator, Fitted, Predicted, Predictions, Query, Task, View, Want};
use mercer::gram::Dense;
use mercer::linalg::Matrix;

pub(crate) type Kernel = fn(&[f64], &[f64]) -> f64;

pub(crate) fn rbf(x: &[f64], z: &[f64]) -> f64 {
    (-0.5 * x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
}

pub(crate) fn linear(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(a, b)| a * b).sum()
}

/// Numbers between -1 and 1 without a pattern that matters.
pub(crate) fn wave(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    Matrix::from_fn(rows, cols, |_, _| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

pub(crate) fn values(x: &Matrix, z: &Matrix, kernel: Kernel) -> Matrix {
    Matrix::from_fn(x.rows(), z.rows(), |i, j| kernel(x.row(i), z.row(j)))
}

pub(crate) fn square(x: &Matrix, kernel: Kernel) -> Dense {
    Dense::square(values(x, x, kernel)).unwrap()
}

/// The Gram matrix of new rows `x` with the rows `z`, and among the new rows.
pub(crate) fn cross(x: &Matrix, z: &Matrix, kernel: Kernel) -> Dense {
    let own = |m: &Matrix| (0..m.rows()).map(|i| kernel(m.row(i), m.row(i))).collect();
    Dense::cross(values(x, z, kernel), own(x), own(z)).unwrap().with_rows(values(x, x, kernel)).unwrap()
}

pub(crate) fn fit<E: Estimator>(estimator: &E, gram: &Dense, target: &Target, weights: Option<&[f64]>) -> E::Fitted {
    let control = Control::default();
    estimator.fit(&Task { view: View::Values(gram), target, weights, control: &control, seed: 0 }).unwrap()
}

pub(crate) fn numbers(p: &Predictions) -> &Matrix {
    match &p.values {
        Predicted::Numbers(m) => m,
        Predicted::Classes(_) => panic!("numbers were expected"),
    }
}

pub(crate) fn predict(fitted: &impl Fitted, gram: &Dense) -> Matrix {
    numbers(&fitted.predict(&Query::new(gram, Want::default(), &Control::default())).unwrap()).clone()
}

/// Fits and predicts in one go.
pub(crate) fn run<E: Estimator>(e: &E, x: &Matrix, y: &Matrix, weights: Option<&[f64]>, new: &Matrix, kernel: Kernel) -> Matrix {
    let fitted = fit(e, &square(x, kernel), &Target::Numbers(y.clone()), weights);
    predict(&fitted, &cross(new, x, kernel))
}

pub(crate) fn close(a: &Matrix, b: &Matrix, tol: f64) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.data().iter().zip(b.data()) {
        assert!((x - y).abs() <= tol, "{x} and {y} differ by {:e}", (x - y).abs());
    }
}

/// The derivatives of `E::criterion` with respect to the entries of a Gram matrix, against central differences.
pub(crate) fn check_weights<E: Estimator>(e: &E, k: &Matrix, target: &Target, weights: Option<&[f64]>, tol: f64) {
    let control = Control::default();
    let at = |k: Matrix| {
        let gram = Dense::square(k).unwrap();
        e.criterion(&Task { view: View::Values(&gram), target, weights, control: &control, seed: 0 }).unwrap()
    };
    let exact = at(k.clone()).weights;
    let exact = exact.written_out(&Dense::square(k.clone()).unwrap(), "a test", &control).unwrap();
    assert_eq!(*exact, exact.transpose());
    let h = 1e-5;
    for i in 0..k.rows() {
        for j in 0..=i {
            let moved = |by: f64| {
                let mut m = k.clone();
                m[(i, j)] += by;
                if i != j {
                    m[(j, i)] += by;
                }
                at(m).value
            };
            let found = exact[(i, j)] * if i == j { 1.0 } else { 2.0 };
            let expected = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((found - expected).abs() <= tol * (1.0 + expected.abs()), "entry {i},{j}: {found} and {expected}");
        }
    }
}

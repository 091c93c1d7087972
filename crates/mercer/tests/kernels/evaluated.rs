//! Kernel expressions evaluated on a few points.

use mercer::control::Control;
use mercer::data::{Dataset, Points};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::linalg::Matrix;

pub(crate) fn points(rows: &[&[f64]]) -> Dataset {
    Dataset::from_points(Points::dense(rows.len(), rows[0].len(), rows.concat()).unwrap())
}

pub(crate) fn matrix(expr: &str, data: &Dataset) -> Matrix {
    let settled = KernelExpr::parse(expr).unwrap().settle(data).unwrap();
    gram::dense(settled.bind(None, data).unwrap().as_ref(), &Control::default()).unwrap()
}

pub(crate) fn value(expr: &str, x: &[f64], z: &[f64]) -> f64 {
    matrix(expr, &points(&[x, z]))[(0, 1)]
}

pub(crate) fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} and {b} differ by more than {tolerance}");
}

//! Methods whose functions are the mode of a likelihood under a Gaussian prior: logistic.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failing test")]

use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::testkit;

fn kit(name: &str, kernel: &str, rows: usize) {
    let data = testkit::table(rows, 17);
    testkit::check_estimator(&EstimatorExpr::parse(name).unwrap(), &KernelExpr::parse(kernel).unwrap(), &data).unwrap();
}

#[test]
fn logistic_passes_the_conformance_kit() {
    kit("logistic", "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal", 26);
    kit("logistic", "normalise(spectrum(k=2)) + 0.3*equal", 14);
}

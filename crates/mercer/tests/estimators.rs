//! Every estimator of the list against the conformance kit.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failing test")]

use mercer::estimators::{EstimatorExpr, catalogue};
use mercer::kernels::KernelExpr;
use mercer::testkit;

fn check(text: &str, kernel: &str, rows: usize) {
    let data = testkit::table(rows, 17);
    if let Err(why) = testkit::check_estimator(&EstimatorExpr::parse(text).unwrap(), &KernelExpr::parse(kernel).unwrap(), &data) {
        panic!("{text} with {kernel} on {rows} rows: {why}");
    }
}

// asks: U-01, U-18, U-19, U-20, U-27, U-50, U-59
#[test]
fn every_estimator_of_the_list_passes_the_conformance_kit() {
    for entry in catalogue() {
        check(entry.name, "0.7*rbf(length_scale=1.3) + 0.4*matern(nu=1.5, length_scale=0.8)*equal", 26);
    }
}

#[test]
fn every_estimator_passes_the_kit_on_sequences_too() {
    for entry in catalogue() {
        check(entry.name, "normalise(spectrum(k=2)) + 0.3*equal", 14);
    }
}

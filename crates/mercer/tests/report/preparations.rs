//! How often a comparison prepares its rows and binds its kernel to them. The counts are those of the process: tests of this file have one
//! each.

use mercer::compare::{self, Comparing, Outcome};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Split, Strings, Target, TargetInfo, Values};
use mercer::estimators::EstimatorExpr;
use mercer::fitting::PREPARATIONS;
use mercer::kernels::{BINDINGS, KernelExpr};
use std::sync::atomic::Ordering;

fn target() -> Target {
    Target::Classes { codes: (0..60).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] }
}

/// A comparison of sequences, with preparations and bindings.
fn compared(estimators: Vec<EstimatorExpr>) -> (Outcome, usize, usize) {
    let string = |i: usize| (0..20).map(|j| ['A', 'C', 'G', 'T'][(i * (j + 1) + j * j) % (2 + i % 3)]).collect::<String>();
    let values = Values::Sequences(Strings::new((0..60).map(string)));
    let data = Dataset::new(vec![Column { name: "letters".into(), values }]).unwrap();
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["a".into(), "b".into()]), labels: Default::default() };
    let target = target();
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let kernel = Some(KernelExpr::parse("normalise(spectrum(k=3))").unwrap());
    let comparing = Comparing { kernel, ..Comparing::new(estimators) };
    let counts = || (PREPARATIONS.load(Ordering::Relaxed), BINDINGS.load(Ordering::Relaxed));
    let before = counts();
    let outcome = compare::compare_watched(&examples, &info, &comparing, &Control::default(), &mut |_| (), None).unwrap();
    let after = counts();
    (outcome, after.0 - before.0, after.1 - before.1)
}

fn fitted(outcome: &Outcome) -> usize {
    outcome.rows.iter().filter(|row| row.model.is_some()).count()
}

#[test]
fn a_comparison_prepares_all_rows_and_those_of_each_fold_once() {
    let (outcome, made, _) = compared(EstimatorExpr::all_for(&target()).unwrap());
    assert!(fitted(&outcome) >= 12, "{}", fitted(&outcome));
    // Estimators that read features or cells prepare the columns for a kernel of their own.
    let own = outcome.rows.iter().filter(|row| !row.estimator.needs().reads_values()).count();
    assert!(made <= 1 + 5 + 2 * own, "{made} preparations, {own} kernels of their own");
}

#[test]
fn a_comparison_binds_a_kernel_to_all_rows_and_once_to_those_of_each_prediction_that_is_timed() {
    let mut estimators = EstimatorExpr::all_for(&target()).unwrap();
    estimators.retain(|e| e.needs().reads_values());
    let (outcome, _, bound) = compared(estimators);
    let fitted = fitted(&outcome);
    // The check that the kernel fits the columns, the values among all rows, and rows of which each model is asked; in each fold the rows of
    // the guess, which reads no value of them.
    assert!(fitted >= 10 && bound <= 2 + fitted + 5, "{bound} bindings, {fitted} models");
}

//! How often a comparison prepares its rows. The count is that of the process: tests of this file have one each.

use mercer::compare::{self, Comparing};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Split, Strings, Target, TargetInfo, Values};
use mercer::estimators::EstimatorExpr;
use mercer::fitting::PREPARATIONS;
use mercer::kernels::KernelExpr;
use std::sync::atomic::Ordering;

#[test]
fn a_comparison_prepares_all_rows_and_those_of_each_fold_once() {
    let string = |i: usize| (0..20).map(|j| ['A', 'C', 'G', 'T'][(i * (j + 1) + j * j) % (2 + i % 3)]).collect::<String>();
    let values = Values::Sequences(Strings::new((0..60).map(string)));
    let data = Dataset::new(vec![Column { name: "letters".into(), values }]).unwrap();
    let target = Target::Classes { codes: (0..60).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["a".into(), "b".into()]), labels: Default::default() };
    let examples = Examples { data: &data, target: &target, weights: None, split: &Split::Rows };
    let kernel = Some(KernelExpr::parse("normalise(spectrum(k=3))").unwrap());
    let comparing = Comparing { kernel, ..Comparing::new(EstimatorExpr::all_for(&target).unwrap()) };
    let before = PREPARATIONS.load(Ordering::Relaxed);
    let outcome = compare::compare_watched(&examples, &info, &comparing, &Control::default(), &mut |_| (), None).unwrap();
    let fitted = outcome.rows.iter().filter(|row| row.model.is_some()).count();
    assert!(fitted >= 12, "{fitted}");
    // Estimators that read features or cells prepare the columns for a kernel of their own.
    let own = outcome.rows.iter().filter(|row| !row.estimator.needs().reads_values()).count();
    let made = PREPARATIONS.load(Ordering::Relaxed) - before;
    assert!(made <= 1 + comparing.folds + 2 * own, "{made} preparations, {own} kernels of their own");
}

//! What the report says of rows that were not reached, scored in part, tied, or left without digits.

#[allow(dead_code, reason = "other tests draw the figures")]
use crate::samples;

use mercer::report::{Difference, Estimate};

#[test]
fn what_was_not_reached_did_not_fail() {
    let mut c = samples::classes();
    for k in [1, 2] {
        let row = &mut c.entries[k];
        row.failure = Some(format!("{}: stopped on request before there was a result", row.estimator));
        row.unreached = true;
    }
    let text = c.text(100);
    let of = |name: &str| text.lines().find(|l| l.trim_start().starts_with(name)).unwrap();
    assert!(of("svc ").contains("not reached") && of("knn").contains("not reached") && of("nu_svc").contains("failed"), "{text}");
    assert!(text.contains("Not reached\n  svc and knn: stopped on request before there was a result\n"), "{text}");
    assert!(c.html().unwrap().contains("not reached: svc: stopped on request"));
}

#[test]
fn the_same_reason_of_several_failures_stands_once() {
    let mut c = samples::classes();
    for k in [1, 2] {
        let row = &mut c.entries[k];
        row.failure = Some(format!("{} needs a Mercer kernel and K is not one", row.estimator));
    }
    let text = c.text(100);
    assert!(text.contains("svc and knn: each needs a Mercer kernel and K is not one\n"), "{text}");
}

#[test]
fn folds_that_were_not_scored_are_said_in_the_row() {
    let mut c = samples::classes();
    (c.entries[2].status.folds, c.entries[2].status.of_folds) = (1, 10);
    assert!(c.text(100).contains("  knn (1 of 10 folds) ") && c.html().unwrap().contains("knn (1 of 10 folds)"));
}

#[test]
fn a_tie_in_every_fold_is_said_as_one() {
    let mut c = samples::classes();
    c.entries[1].difference = Some(Difference { tied: true, ..samples::apart(0.0, 0.0) });
    assert!(c.verdict().starts_with("ridge and svc tie, in every fold: 97.3% correct (± 1.2)."), "{}", c.verdict());
    assert!(c.verdict().contains("knn cannot be distinguished from it"), "{}", c.verdict());
    let text = c.text(100);
    assert!(text.lines().any(|l| l.starts_with("  svc") && l.contains(" 0 (tie) ")) && !text.contains("0.0000 ± 0.0000"), "{text}");
}

#[test]
fn nothing_is_explained_that_does_not_stand_in_the_table() {
    let mut c = samples::classes();
    assert!(c.text(200).contains("* best by accuracy: share of"), "{}", c.text(200));
    for row in &mut c.entries {
        row.best = false;
    }
    let text = c.text(200);
    assert!(text.contains("accuracy: share of") && !text.contains("best by") && !text.contains("to the best row"), "{text}");
}

#[test]
fn what_was_settled_names_the_estimator_once() {
    let mut c = samples::classes();
    c.entries[0].settled = "ridge(lambda=0.013) with rbf(length_scale=0.7)".into();
    assert!(c.text(100).contains("Chosen settings\n  ridge(lambda=0.013) with rbf(length_scale=0.7)\n  svc: rbf"), "{}", c.text(100));
}

#[test]
fn a_kernel_that_several_fits_share_is_named_once() {
    let mut c = samples::classes();
    let kernel = "normalise(weighted_degree(degree=6)) + normalise(gapped)";
    for (row, estimator) in c.entries.iter_mut().zip(["ridge(lambda=0.013)", "svc(c=2)"]) {
        (row.settled, row.brief) = (format!("{estimator} with {kernel}"), String::new());
    }
    for said in [c.text(200), c.html().unwrap()] {
        assert_eq!(said.matches(kernel).count(), 1, "{said}");
        assert!(said.contains("ridge(lambda=0.013)") && !said.contains("ridge(lambda=0.013) with"), "{said}");
    }
    assert!(c.text(200).contains(&format!("kernel, unless another is named: {kernel}\n  ridge(lambda=0.013)\n")), "{}", c.text(200));
}

#[test]
fn a_number_beside_far_larger_ones_does_not_read_zero() {
    let mut c = samples::regression();
    c.entries[0].metrics[0].1 = Estimate { mean: 0.000_275, se: 0.000_030, folds: 5 };
    c.entries[1].metrics[0].1 = Estimate { mean: 3.019, se: 0.148, folds: 5 };
    assert!(c.text(100).contains("2.8e−4 ± 3e−5"), "{}", c.text(100));
    // Classes that are numbers are told from their recall.
    let mut c = samples::classes();
    c.class_rows = vec![5, 100, 101];
    c.task = mercer::report::Task::Classification { classes: ["0", "1", "more"].map(String::from).into() };
    c.entries[0].recalls = vec![Some(0.2), Some(0.99), None];
    assert!(c.text(100).contains("ridge: '0' 20.0%, '1' 99.0%, more –"), "{}", c.text(100));
}

#[test]
fn a_win_on_unequal_terms_is_said_as_one() {
    let mut c = samples::classes();
    for row in &mut c.entries {
        (row.status.rows, row.status.fitted_rows) = (150, 150);
    }
    assert!(!c.text(200).contains("rows used"), "{}", c.verdict());
    (c.entries[1].status.rows, c.entries[2].status.at_start) = (60, true);
    // Their differences say nothing, and a comparison makes none.
    (c.entries[1].difference, c.entries[2].difference) = (None, None);
    let verdict = c.verdict();
    assert!(
        verdict.starts_with("ridge is the most accurate: 97.3% correct") && verdict.ends_with("2 are not tuned and not compared."),
        "{verdict}"
    );
    let lines = c.standings();
    let said = "Not tuned, and so not compared: svc (trained on 60 of 150 rows) and knn (";
    assert!(lines.iter().any(|l| l.starts_with(said)), "{lines:?}");
    let text = c.text(200);
    assert!(text.lines().any(|l| l.starts_with("  svc") && l.contains(" 60, model 150 ")), "{text}");
    assert!(text.lines().any(|l| l.starts_with("  knn") && l.contains("not tuned")), "{text}");
    let json = c.json().unwrap();
    assert!(json.contains("\"at_start\": true") && json.contains("\"scored_rows\": 60"), "{json}");
    assert!(c.html().unwrap().contains("60, model 150"));
}

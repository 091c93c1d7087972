//! A comparison says each thing once, whoever it is about.

use mercer::compare::{Comparing, Outcome, compare};
use mercer::control::Control;
use mercer::data::Split;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::read::{ReadOptions, Table};
use mercer::report::{Comparison, Request};

/// The notices and the columns of a comparison of four estimators under a kernel.
fn told(text: &str, types: &[&str], kernel: &str, sample: Option<usize>) -> Result<(Vec<String>, Vec<String>)> {
    let mut table = Table::parse("t", text.as_bytes())?;
    let options = ReadOptions::with_types(types)?;
    let (target, info) = table.take_target(&["y"], &options)?;
    let data = table.dataset(&options)?;
    let estimators = "ridge(lambda=1), svc(c=1), knn(k=3), baseline";
    let comparing =
        Comparing { kernel: Some(KernelExpr::parse(kernel)?), sample, ..Comparing::new(EstimatorExpr::parse_list(estimators)?) };
    let control = Control::default();
    let outcome: Outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &control)?;
    let request = Request {
        command: String::new(),
        table: "t".into(),
        data: &data,
        target: &target,
        info: &info,
        comparing: &comparing,
        weights: None,
        facts: Vec::new(),
        leaks: Vec::new(),
        read_notices: &[],
    };
    let comparison = Comparison::of(&outcome, &request, &control)?;
    Ok((comparison.notices, comparison.columns))
}

#[test]
fn what_concerns_every_estimator_stands_once() {
    // Three texts without a single substring of three letters.
    let rows: String = (0..30).map(|i| format!("hello world {i},{}\n", i % 2)).chain((0..3).map(|i| format!("ab,{}\n", i % 2))).collect();
    let (notices, _) = told(&format!("t,y\n{rows}"), &["t=text"], "spectrum(k=3)", None).unwrap();
    assert_eq!(notices.iter().filter(|n| n.contains("k(x, x) = 0")).count(), 1, "{notices:?}");
}

#[test]
fn a_constant_column_stands_among_the_columns_alone() {
    let rows: String = (0..40).map(|i| format!("{},7,{}\n", i * i % 11, i % 2)).collect();
    let (notices, columns) = told(&format!("x,one,y\n{rows}"), &[], "rbf(length_scale=1)", None).unwrap();
    assert!(!notices.iter().any(|n| n.contains("one")), "{notices:?}");
    assert!(columns.iter().any(|c| c.contains("constant in training: one")), "{columns:?}");
}

#[test]
fn a_sample_is_told_with_the_reason_that_it_has_and_is_no_empty_one() {
    let rows: String = (0..60).map(|i| format!("{},{}\n", i * i % 23, i % 2)).collect();
    let text = format!("x,y\n{rows}");
    let (notices, _) = told(&text, &[], "rbf(length_scale=1)", Some(40)).unwrap();
    let sampled: Vec<&String> = notices.iter().filter(|n| n.contains("sample")).collect();
    assert_eq!(sampled, ["trained on a random sample of the rows: 40 of 60, as asked for"]);
    let refused = told(&text, &[], "rbf(length_scale=1)", Some(0)).unwrap_err().to_string();
    assert!(refused.contains("--sample") && refused.contains("1 or more"), "{refused}");
}

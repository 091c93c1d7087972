//! A comparison says each thing once, whoever it is about.

use mercer::compare::{Comparing, Outcome, compare};
use mercer::control::Control;
use mercer::data::Split;
use mercer::error::Result;
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::metrics::Metric;
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

// A class of one row, of one group, or that comes later is unknown to the fits of some folds: its rows are wrong there, and all others are
// judged as usual.
#[test]
fn a_class_that_the_training_rows_of_a_fold_lack_is_wrong_there_and_ends_nothing() {
    let class = |what: &str, i: usize| match what {
        "one row" => "abc".chars().nth(if i == 0 { 2 } else { i % 2 }).unwrap(),
        "one group" => {
            if i / 6 == 3 {
                'c'
            } else {
                ['a', 'b'][i % 2]
            }
        }
        _ => {
            if i < 24 {
                ['a', 'b'][i % 2]
            } else {
                ['a', 'b', 'c'][i % 3]
            }
        }
    };
    let place = |what: &str, i: usize| 2.0 * (class(what, i) as u32 - 'a' as u32) as f64 + (1.7 * i as f64).sin();
    for what in ["one row", "one group", "later"] {
        let rows: String = (0..36).map(|i| format!("{},{}\n", place(what, i), class(what, i))).collect();
        let mut table = Table::parse("t", format!("x,y\n{rows}").as_bytes()).unwrap();
        let options = ReadOptions::with_types::<&str>([]).unwrap();
        let (target, info) = table.take_target(&["y"], &options).unwrap();
        let data = table.dataset(&options).unwrap();
        let split = match what {
            "one row" => Split::Rows,
            "one group" => Split::Groups((0..36).map(|i| i / 6).collect()),
            _ => Split::Time((0..36).map(f64::from).collect()),
        };
        let estimators = "gp(noise=0.1, variance=1), svc(c=1), svc(c=1, probabilities=true), knn(k=3), ridge(lambda=1, probabilities=true), logistic(lambda=0.1), \
                          discriminant(lambda=0.1), bayes, nearest_medoid, nadaraya_watson, rvm, perceptron(rate=1), baseline";
        for metric in [None, Some(Metric::LogLoss), Some(Metric::Auc)] {
            let mut comparing = Comparing::new(EstimatorExpr::parse_list(estimators).unwrap());
            comparing.kernel = Some(KernelExpr::parse("rbf(length_scale=1)").unwrap());
            comparing.metric = metric;
            let outcome = compare(&data, &target, &info, None, &split, &comparing, &Control::default()).unwrap();
            for scored in &outcome.rows {
                let name = scored.estimator.to_string();
                let gives = metric.is_none() || !matches!(scored.estimator.name(), "nearest_medoid");
                assert!(scored.failure.is_none() || !gives, "{what}, {name}: {:?}", scored.failure);
                if let Some(found) = &scored.out_of_fold {
                    let wide = found.predictions.probabilities.as_ref().map_or(3, mercer::linalg::Matrix::cols);
                    assert!(wide == 3, "{what}, {name}: {wide}");
                }
            }
        }
    }
}

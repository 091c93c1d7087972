//! Advice on kernels and methods: the rule that fired stands beside what was measured, and numbers decide.

use crate::samples;

use mercer::compare::{Advice, Comparing, Rule, advise};
use mercer::control::Control;
use mercer::data::{Column, Dataset, Examples, Points, Split, Strings, Target, Values};
use mercer::report::{Comparison, Estimate, Method, Metric, advice_text};

/// A number in -1..1 without visible pattern.
fn noise(i: usize, j: usize) -> f64 {
    let v = (12.9898 * (i + 1) as f64 + 78.233 * (j + 1) as f64).sin() * 43758.5453;
    2.0 * (v - v.floor()) - 1.0
}

fn table(rows: usize, columns: usize) -> Vec<Vec<f64>> {
    (0..rows).map(|i| (0..columns).map(|j| noise(i, j)).collect()).collect()
}

fn advice(data: &Dataset, target: &Target) -> Advice {
    let examples = Examples { data, target, weights: None, split: &Split::Rows };
    advise(&examples, &Comparing::new(Vec::new()), &Control::default()).unwrap()
}

/// The leave-one-out error of a kernel that was judged.
fn error(advice: &Advice, kernel: &str) -> f64 {
    let judged = advice.judged.iter().find(|j| j.kernel.to_string() == kernel).unwrap();
    let tuning = judged.found.as_ref().unwrap();
    assert_eq!((tuning.criterion.to_string().as_str(), tuning.rises), ("leave-one-out error", false));
    tuning.value.unwrap()
}

/// Targets of rows with noise of standard deviation 0.1 / 3^1/2.
fn of(x: &[Vec<f64>], f: impl Fn(&[f64]) -> f64) -> Target {
    Target::numbers(&x.iter().enumerate().map(|(i, row)| f(row) + 0.1 * noise(i, 999)).collect::<Vec<_>>())
}

fn dense(x: &[Vec<f64>]) -> Dataset {
    Dataset::from_points(Points::dense(x.len(), x[0].len(), x.concat()).unwrap())
}

// spec: R01
#[test]
fn the_rule_that_fires_stands_beside_the_leave_one_out_error_of_the_others() {
    let sd = 0.1 / 3f64.sqrt();
    let near = |found: f64| (0.8 * sd..1.6 * sd).contains(&found);
    let x = table(120, 2);
    // A curve: rbf by default, and measured so.
    let curve = advice(&dense(&x), &of(&x, |r| (3.0 * r[0]).sin() + (2.0 * r[1]).cos()));
    assert_eq!((curve.rule, curve.holds()), (Rule::Smooth, true));
    assert!(near(error(&curve, "rbf")) && error(&curve, "linear") > 3.0 * sd);
    let text = advice_text(&curve, 200);
    for part in
        ["Suggested: rbf", "2 numbers in each of 120 rows", " rbf: RMSE 0.0", "  - linear: RMSE ", "predicting the mean: ", "\n  * "]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(text.ends_with("rbf is the best of 5 kernels") || text.contains("is not distinguishable from the best"), "{text}");
    // Products of two columns that mean something: the rule is corrected by what was measured, or is within its noise.
    let products = advice(&dense(&x), &of(&x, |r| 2.0 * r[0] * r[1]));
    assert!(products.rule == Rule::Smooth && near(error(&products, "polynomial(degree=2)")), "{}", advice_text(&products, 100));
    assert!(error(&products, "linear") > 3.0 * sd);
    // Texts have kernels of their own.
    let words = ["red wine", "white wine", "red rose", "white rose"];
    let texts = Dataset::new(vec![Column {
        name: "text".into(),
        values: Values::Texts(Strings::new((0..40).map(|i| format!("{} number {i}", words[i % 4])))),
    }])
    .unwrap();
    let found = advice(&texts, &Target::numbers(&(0..40).map(|i| f64::from(u8::from(i % 4 < 2)) + 0.01 * noise(i, 1)).collect::<Vec<_>>()));
    assert!(found.rule == Rule::Structure && found.judged.iter().any(|j| j.kernel.to_string().contains("spectrum")));
    assert!(advice_text(&found, 100).contains("kernels of strings"));
}

// spec: R03
#[test]
fn many_columns_and_sparse_ones_ask_for_lines() {
    let x = table(40, 60);
    let dense = advice(&dense(&x), &of(&x, |r| r[..5].iter().sum()));
    assert_eq!(dense.rule, Rule::ManyColumns);
    assert_eq!(dense.judged[0].kernel.to_string(), "linear");
    assert!(error(&dense, "linear").is_finite() && error(&dense, "rbf").is_finite());
    assert!(
        advice_text(&dense, 100).contains("linear (as many columns as rows are linearly separable; 60 numbers in each of 40 rows)"),
        "{}",
        advice_text(&dense, 100)
    );
    // Few columns, but sparse ones: one number a row.
    let (columns, values) = ((0..40).map(|i| (i % 6) as u32).collect::<Vec<_>>(), (0..40).map(|i| 1.0 + noise(i, 3).abs()).collect());
    let points = Points::csr(40, 6, (0..=40).collect(), columns.clone(), values).unwrap();
    let sparse = advice(&Dataset::from_points(points), &Target::numbers(&columns.iter().map(|c| f64::from(*c)).collect::<Vec<_>>()));
    assert_eq!((sparse.rule, sparse.judged[0].kernel.to_string().as_str()), (Rule::ManyColumns, "linear"));
}

/// A comparison made up, with what was measured of each method.
fn measured() -> Comparison {
    let mut comparison = samples::classes();
    for (k, row) in comparison.entries.iter_mut().filter(|r| r.failure.is_none()).enumerate() {
        row.predict_us_per_row = 3.0 + k as f64;
        row.method = Some(Method {
            starts: None,
            chosen_by: None,
            kept: if row.estimator.starts_with("svc") { 0.3 } else { 1.0 },
            several_classes: Some("direct"),
            needs_mercer: !row.estimator.starts_with("knn"),
            looks: true,
            model_bytes: 1000,
        });
    }
    comparison
}

// spec: R06
#[test]
fn every_recommendation_cites_what_was_measured_and_follows_it() {
    let mut comparison = measured();
    let line = |c: &Comparison, start: &str| c.recommendation().into_iter().find(|l| l.starts_with(start)).unwrap();
    for sentence in comparison.recommendation() {
        assert!(sentence.chars().any(|c| c.is_ascii_digit()), "no number in: {sentence}");
    }
    assert_eq!(line(&comparison, "best predictions"), "best predictions: ridge, 97.3% correct (± 1.2)");
    // Time and size where they matter: neither 3 µs a row nor 1 kB does.
    assert_eq!(comparison.recommendation().len(), 2, "{:?}", comparison.recommendation());
    let of = |c: &mut Comparison, name: &str, us: f64, bytes: usize| {
        for row in c.entries.iter_mut().filter(|r| r.estimator == name) {
            row.predict_us_per_row = us;
            row.method.iter_mut().for_each(|m| m.model_bytes = bytes);
        }
    };
    of(&mut comparison, "ridge", 60.0, 5_000_000);
    of(&mut comparison, "svc", 2.0, 200_000);
    of(&mut comparison, "knn", 9.0, 900_000);
    of(&mut comparison, "logistic", 60.0, 5_000_000);
    let said = line(&comparison, "fast predictions");
    assert!(said.contains("svc (2.0 µs a row instead of 60 µs), 96.7% correct (± 1.5) instead of 97.3%"), "{said}");
    let said = line(&comparison, "small model");
    assert!(said.contains("svc (200 kB instead of 5.0 MB)"), "{said}");
    // What gains less than nine tenths of what the best gains over a guess is recommended for nothing.
    comparison.entries[1].metrics[0].1.mean = 0.85;
    assert!(comparison.recommendation().iter().all(|l| !l.contains("svc")), "{:?}", comparison.recommendation());
    // Of one estimator there is no choice.
    comparison.entries.truncate(1);
    assert!(comparison.recommendation().is_empty());
}

#[test]
fn probabilities_are_those_of_the_lowest_log_loss_however_many_rows_are_wrong() {
    let mut comparison = measured();
    let line = |c: &Comparison| c.recommendation().into_iter().find(|l| l.starts_with("probabilities")).unwrap();
    assert!(line(&comparison).starts_with("probabilities: ridge (log loss 0.0912"), "{}", line(&comparison));
    // Behind by more than a tenth of what the best gains over a guess, and worse; its probabilities are the best ones.
    comparison.entries[2].metrics = vec![
        (Metric::Accuracy, Estimate { mean: 0.85, se: 0.03, folds: 5 }),
        (Metric::LogLoss, Estimate { mean: 0.07, se: 0.01, folds: 5 }),
    ];
    comparison.entries[2].difference = Some(samples::apart(-0.12, 0.03));
    let [near, far] = [samples::apart(0.02, 0.02), samples::apart(0.05, 0.01)];
    for (k, entry) in comparison.entries.iter_mut().enumerate().filter(|(k, entry)| *k != 2 && entry.failure.is_none()) {
        entry.log_loss_difference = Some(if k == 0 { near } else { far });
    }
    let said = line(&comparison);
    assert!(said.starts_with("probabilities: knn (log loss 0.0700") && said.ends_with("not distinguishable: ridge"), "{said}");
    // What is not tuned was not compared.
    comparison.entries[2].difference = None;
    assert!(!line(&comparison).contains("knn"), "{}", line(&comparison));
}

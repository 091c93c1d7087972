//! The cells of Table 14.1 (Murphy 2012, 14.6), one by one: l2vm, l1vm, rvm, svc and gp on two classes that overlap.

use crate::made;

use made::*;
use mercer::compare::{Comparing, SAME, Starts, compare};
use mercer::control::Control;
use mercer::data::{Dataset, Points, Split, Target};
use mercer::estimators::{
    CriterionSort, Estimator, EstimatorExpr, FitContext, Fitted, FittedModel, FittedRvm, Needs, Rvm, Scores, Size, Task, View, catalogue,
};
use mercer::gram::Dense;
use mercer::kernels::KernelExpr;
use mercer::param::Value;
use mercer::prep::Recipe;
use mercer::read::TargetInfo;

const N: usize = 120;
/// gamma of the kernel: narrow enough that rvm has several maxima to end in.
const WIDTH: f64 = 4.0;

fn table() -> (Rows, Target) {
    let x = points(14, N, 2);
    let wobble = errors(14, N);
    let side = |i: usize| (2.5 * x[i][0]).sin() + x[i][1] + 0.5 * wobble[i] > 0.0;
    let target = labels((0..N).map(side));
    (x, target)
}

fn learn(text: &str, gram: &Dense, target: &Target, from: Option<&FittedModel>) -> FittedModel {
    let task = Task { view: View::Values(gram), target, weights: None, control: &Control::default(), seed: 1 };
    EstimatorExpr::parse(text).unwrap().fit_with(&task, &FitContext { earlier: from, ..FitContext::default() }).unwrap().fitted
}

/// Scores of the training rows from two fits, and how far apart they are as a share of the largest.
fn apart(a: &FittedModel, b: &FittedModel, gram: &Dense) -> f64 {
    let (a, b) = (on_training(a, gram).scores.unwrap(), on_training(b, gram).scores.unwrap());
    let largest = a.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    a.data().iter().zip(b.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / largest
}

// Convex: l2vm, l1vm and svc end in one place from two starts, rvm in several; gp has no weights to start from.
// spec: T01
#[test]
fn two_starts_of_a_convex_method_agree_and_those_of_the_relevance_vector_machine_need_not() {
    let (x, target) = table();
    let gram = square(&x, |a, b| rbf(WIDTH)(a, b));
    for (text, other) in [
        ("l1vm(lambda=0.5, tolerance=1e-11)", "l1vm(lambda=5, tolerance=1e-11)"),
        ("svc(c=2, tolerance=1e-9)", "svc(c=20, tolerance=1e-9)"),
        ("l2vm(lambda=0.5)", "l2vm(lambda=5)"),
    ] {
        let from = learn(other, &gram, &target, None);
        let (cold, warm) = (learn(text, &gram, &target, None), learn(text, &gram, &target, Some(&from)));
        let found = apart(&cold, &warm, &gram);
        assert!(found <= 1e-8, "{text}: {found:e}");
        // The start was used.
        assert!(cold != warm, "{text}");
    }
    // The other start of rvm: the rows that it keeps of the same table where every other row weighs ten times as much.
    let weights: Vec<f64> = (0..N).map(|i| if i % 2 == 0 { 10.0 } else { 1.0 }).collect();
    let control = Control::default();
    let task = Task { view: View::Values(&gram), target: &target, weights: None, control: &control, seed: 1 };
    let once = Rvm { starts: Value::Number(1.0), ..Rvm::default() };
    let from = once.fit(&Task { weights: Some(&weights), ..task }).unwrap();
    let (cold, warm) = (once.fit(&task).unwrap(), once.fit_with(&task, &FitContext::from_earlier(&from)).unwrap().fitted);
    // Both are maxima of the evidence.
    assert!(cold.summary().converged && warm.summary().converged);
    let (a, b) = (on_training(&cold, &gram).scores.unwrap(), on_training(&warm, &gram).scores.unwrap());
    let far = a.data().iter().zip(b.data()).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(far > 1e-3 && cold.support() != warm.support(), "{far:e}");
    // Its own solution is where it stays, and of several starts the best counts.
    assert_eq!(once.fit_with(&task, &FitContext::from_earlier(&cold)).unwrap().fitted.support(), cold.support());
    let best = Rvm { starts: Value::Number(3.0), ..Rvm::default() }.fit_with(&task, &FitContext::from_earlier(&from)).unwrap().fitted;
    let evidence = |fitted: &FittedRvm| fitted.summary().evidence.unwrap();
    assert!(evidence(&best) >= evidence(&cold).max(evidence(&warm)));
}

// Sparse, probabilities, several classes, Mercer or not, what chooses the kernel.
// spec: T01
#[test]
fn kept_rows_probabilities_classes_and_kernels_are_as_the_table_says() {
    let (x, target) = table();
    let gram = square(&x, |a, b| rbf(WIDTH)(a, b));
    // Name, whether few rows stay, probabilities, several classes natively, any similarity, evidence.
    let cells = [
        ("l2vm(lambda=0.5)", false, true, true, true, true),
        ("l1vm(lambda=0.5)", true, true, true, true, false),
        ("rvm(max_relevant=500, starts=2)", true, true, true, true, false),
        ("svc(c=2)", true, false, false, false, false),
        ("gp(variance=1, noise=0.1)", false, true, true, false, true),
    ];
    for (text, sparse, probable, native, any, evidence) in cells {
        let fitted = learn(text, &gram, &target, None);
        assert_eq!(fitted.support().len() * 10 < 9 * N, sparse, "{text} keeps {} rows", fitted.support().len());
        assert_eq!(on_training(&fitted, &gram).probabilities.is_some(), probable, "{text}");
        let name = text.split('(').next().unwrap();
        let entry = catalogue().into_iter().find(|e| e.name == name).unwrap();
        assert_eq!(entry.gives.scores != Scores::Pairs, native, "{text}");
        assert_eq!(entry.needs == Needs::AnySimilarity, any, "{text}");
        let criterion = EstimatorExpr::parse(text).unwrap().criterion_name();
        assert_eq!(criterion.is_some_and(|c| c.sort == CriterionSort::Evidence), evidence, "{text}: {criterion:?}");
    }
    // The weights of rvm are chosen by evidence, its kernel by rows held out (`rvm.rs` says why).
    assert!(learn("rvm(max_relevant=500, starts=2)", &gram, &target, None).summary().evidence.unwrap() < 0.0);
}

// spec: T01
#[test]
fn a_comparison_measures_what_the_table_says() {
    let (x, target) = table();
    let data = Dataset::from_points(Points::dense(N, 2, x.concat()).unwrap());
    let info = TargetInfo { names: vec!["t".into()], classes: Some(vec!["no".into(), "yes".into()]), labels: Default::default() };
    let names = ["l2vm(lambda=0.5)", "l1vm(lambda=0.5)", "rvm", "svc(c=2)", "gp(variance=1)"];
    let estimators = names.iter().map(|e| EstimatorExpr::parse(e).unwrap()).collect();
    let comparing = Comparing { kernel: Some(KernelExpr::parse(&format!("rbf(gamma={WIDTH})")).unwrap()), ..Comparing::new(estimators) };
    let comparing = Comparing { effort: None, prep: Recipe { standardise: false, ..Recipe::default() }, ..comparing };
    let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()).unwrap();
    for (name, scored) in names.iter().zip(&outcome.rows) {
        match scored.starts {
            Some(Starts::Apart(share)) => assert_eq!(share <= SAME, *name != "rvm", "{name}: {share}"),
            // It has no weights, and begins each mode at functions of 0.
            other => assert!(name.starts_with("gp") && other == Some(Starts::Fixed), "{name}: {other:?}"),
        }
        let kept = scored.model.as_ref().unwrap().fitted.support().len();
        assert_eq!(kept * 10 < 9 * N, !name.starts_with("l2vm") && !name.starts_with("gp"), "{name} keeps {kept}");
    }
}

// A judgement of 2012 on small tables: which machine is the best, and which the fastest, is measured on each table.
// spec: E3-34
#[test]
fn which_of_two_machines_is_more_accurate_is_measured_table_by_table() {
    const ROWS: usize = 160;
    let x = points(14, ROWS, 2);
    let data = Dataset::from_points(Points::dense(ROWS, 2, x.concat()).unwrap());
    let info = classes_named(&["no", "yes"]);
    let compared = |side: &dyn Fn(&[f64]) -> bool, gamma: f64, svc: &str| {
        let estimators = ["rvm", svc].iter().map(|e| EstimatorExpr::parse(e).unwrap()).collect();
        let kernel = Some(KernelExpr::parse(&format!("rbf(gamma={gamma})")).unwrap());
        let prep = Recipe { standardise: false, ..Recipe::default() };
        let comparing = Comparing { kernel, effort: None, prep, ..Comparing::new(estimators) };
        let target = labels(x.iter().map(|p| side(p)));
        let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()).unwrap();
        let measured = |k: usize| {
            let scored = &outcome.rows[k];
            let (metric, accuracy) = &scored.metrics[0];
            assert_eq!(metric.name(), "accuracy");
            // Times are measured as well, of fits and of predictions.
            assert!(scored.fit_seconds > 0.0 && scored.predict_us_per_row > 0.0);
            (accuracy.mean, scored.model.as_ref().unwrap().fitted.support().len())
        };
        [measured(0), measured(1)]
    };
    let checks = compared(&|p| (6.0 * p[0]).sin() * (6.0 * p[1]).sin() > 0.0, 4.0, "svc(c=10)");
    let quarters = compared(&|p| p[0] * p[1] > 0.0, 0.5, "svc(c=2)");
    // A support vector machine is the better one of classes that structure nothing, and on another table it is not.
    assert!(checks[1].0 > checks[0].0 + 0.1, "{checks:?}");
    assert!(quarters[0].0 > quarters[1].0 + 0.02, "{quarters:?}");
    for [(_, relevant), (_, support)] in [checks, quarters] {
        assert!(relevant < support, "{relevant} relevant and {support} support rows");
    }
    // The fastest to predict by few rows, not to fit: operations as counted (`tests/costs.rs`).
    let work = |text: &str| {
        let size = Size { rows: 2000, outputs: 2, classes: true, rank: None, stored: None, per_value: Size::PER_VALUE };
        EstimatorExpr::parse(text).unwrap().costs(size).work(size)
    };
    assert!(work("rvm") > 2.0 * work("svc(c=1)"), "{:e} {:e}", work("rvm"), work("svc(c=1)"));
}

#[test]
fn a_comparison_is_the_same_for_any_number_of_threads() {
    let (x, target) = table();
    let data = Dataset::from_points(Points::dense(N, 2, x.concat()).unwrap());
    let info = TargetInfo { names: vec!["side".into()], classes: Some(vec!["no".into(), "yes".into()]), labels: Default::default() };
    let names = ["ridge", "svc", "knn", "logistic", "rvm", "l1vm"];
    let comparing = Comparing::new(names.iter().map(|name| EstimatorExpr::parse(name).unwrap()).collect());
    let told = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let outcome = pool.install(|| compare(&data, &target, &info, None, &Split::Rows, &comparing, &Control::default()).unwrap());
        let row = |r: &mercer::compare::Scored| {
            let model = r.model.as_ref().unwrap();
            (r.folds[0].1.clone(), model.estimator.to_string(), model.kernel.expr().to_string(), r.starts)
        };
        outcome.rows.iter().map(row).collect::<Vec<_>>()
    };
    let alone = told(1);
    assert!(alone.iter().all(|row| row.0.len() == 5));
    assert_eq!(alone, told(3));
}

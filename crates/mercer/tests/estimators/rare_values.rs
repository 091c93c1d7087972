//! Columns with a value that few rows have: constant in a sample, in the training rows of a fold or among landmarks, and not in all rows.

use mercer::compare::{self, Comparing};
use mercer::control::Control;
use mercer::data::{Column, ColumnKind, Dataset, Examples, Split, Target, Values};
use mercer::estimators::{EstimatorExpr, Needs, Predicted, Predictions, Want};
use mercer::fitting::{fit_settled, predict_from, prepare, prepare_to_fit};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, TrainingRows};
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::read::{Labels, TargetInfo};
use mercer::{store, testkit};
use rayon::prelude::*;

const ROWS: usize = 30;
/// Rows that have the rare value.
const RARE: [usize; 2] = [7, 23];

/// Numbers, and a column of one kind that holds one cell in all rows but two; a number that is missing there is a kind too.
fn table(kind: Option<ColumnKind>) -> Option<Dataset> {
    let all = testkit::table(ROWS, 5);
    let number = all.column("a").ok()?.clone();
    let rare = |i: usize| RARE.contains(&i);
    let values = match kind {
        None => Values::Numbers((0..ROWS).map(|i| if rare(i) { f64::NAN } else { (i % 5) as f64 }).collect()),
        Some(kind) => {
            let like = all.columns().iter().find(|c| c.values.kind() == kind && c.name != "a");
            let cells = like.map(|c| c.values.clone()).or_else(|| kind.invent(&mut mercer::data::Draw::new(ROWS, 3)))?;
            cells.select(&(0..ROWS).map(|i| if rare(i) { 5 } else { 0 }).collect::<Vec<_>>())
        }
    };
    Dataset::new(vec![number, Column { name: "rare".into(), values }]).ok()
}

/// A target of every sort that estimators take.
fn targets(data: &Dataset) -> Vec<Target> {
    let Values::Numbers(a) = &data.column("a").unwrap().values else { panic!("numbers expected") };
    let codes = a.iter().map(|x| usize::from(*x > 0.0)).collect();
    vec![
        Target::Numbers(Matrix::column(a.iter().map(|x| x.sin()).collect())),
        Target::Classes { codes, names: vec!["no".into(), "yes".into()] },
        Target::Absent { rows: ROWS },
    ]
}

fn info(target: &Target) -> TargetInfo {
    let classes = if let Target::Classes { names, .. } = target { Some(names.clone()) } else { None };
    TargetInfo { names: vec!["y".into()], classes, labels: Labels::default() }
}

fn is_whole(predictions: &Predictions) -> bool {
    match &predictions.values {
        Predicted::Numbers(m) => m.rows() == ROWS && m.data().iter().all(|v| v.is_finite()),
        Predicted::Classes(codes) => codes.len() == ROWS,
    }
}

/// Fits on rows that lack the rare value, exactly and through landmarks, and predicts all rows; what is wrong, in words.
fn without_the_rare_rows(data: &Dataset, target: &Target, estimator: &EstimatorExpr) -> Result<(), String> {
    let control = Control::default();
    let whole = prepare_to_fit(&Recipe::default(), None, estimator, data, None).map_err(|e| e.to_string())?;
    let common: Vec<usize> = (0..ROWS).filter(|i| !RARE.contains(i)).collect();
    let part = whole.again(&data.select(&common), None).map_err(|e| e.to_string())?;
    if part.data.names() != whole.data.names() {
        return Err(format!("columns {:?}, those of all rows are {:?}", part.data.names(), whole.data.names()));
    }
    let new = part.prep.apply(data).map_err(|e| e.to_string())?;
    let target = target.select(&common);
    let examples = Examples { data: &part.data, target: &target, weights: None, split: &Split::Rows };
    let exact = part.kernel.settle(&part.data).map_err(|e| e.to_string())?;
    let landmarks = KernelExpr::parse(&format!("nystroem({exact}, rank=6)")).map_err(|e| e.to_string())?;
    // Values through landmarks may fall below 0.
    let refuses_negative = estimator.needs() == Needs::NonNegative || estimator.name() == "spectral_clustering";
    let has_features = matches!(estimator.needs(), Needs::Features) || estimator.needs().reads_values();
    let through = (!refuses_negative && has_features).then_some(landmarks);
    for kernel in std::iter::once(exact).chain(through) {
        let fitted = fit_settled(&kernel, estimator, &examples, &control, 0);
        let (kernel, fitted) = fitted.map_err(|e| format!("{kernel}: {e}"))?;
        let found = predict_from(&kernel, &fitted, &part.data, &new, Want::default(), &control).map_err(|e| format!("{kernel}: {e}"))?;
        if !is_whole(&found) {
            return Err(format!("{kernel}: not every row is predicted"));
        }
    }
    Ok(())
}

/// A model of a random sample, stored and read again, predicts all rows.
fn through_a_sample_and_a_file(data: &Dataset, target: &Target, estimator: &EstimatorExpr, seed: u64) -> Result<(), String> {
    let control = Control::default();
    let prepared = prepare_to_fit(&Recipe::default(), None, estimator, data, None).map_err(|e| e.to_string())?;
    let kernel = prepared.kernel.settle(&prepared.data).map_err(|e| e.to_string())?;
    let learner =
        Learner { kernel: Some(kernel), sample: TrainingRows::Most(8), allow_non_mercer: true, seed, ..Learner::new(estimator.clone()) };
    let model = learner.fit(data, target, &info(target), None, &control).map_err(|e| e.to_string())?;
    let again = store::to_bytes(&model).and_then(|bytes| store::from_bytes(&bytes, "model")).map_err(|e| e.to_string())?;
    let found = again.predict(data, Want::default(), &control).map_err(|e| e.to_string())?;
    if is_whole(&found) { Ok(()) } else { Err("not every row is predicted".into()) }
}

#[test]
fn every_estimator_predicts_rows_with_a_value_that_its_training_rows_lack() {
    let kinds: Vec<Option<ColumnKind>> = std::iter::once(None).chain(ColumnKind::ALL.iter().copied().map(Some)).collect();
    let mut cases = Vec::new();
    for kind in kinds {
        let Some(data) = table(kind) else { continue };
        for target in targets(&data) {
            let has_sets = kind == Some(ColumnKind::Set);
            for estimator in EstimatorExpr::all_for(&target).unwrap().into_iter().filter(|e| has_sets || e.needs() != Needs::Vectors) {
                cases.push((kind, data.clone(), target.clone(), estimator));
            }
        }
    }
    assert!(cases.len() > 100, "{}", cases.len());
    let faults: Vec<String> = cases
        .par_iter()
        .filter_map(|(kind, data, target, estimator)| {
            let found =
                without_the_rare_rows(data, target, estimator).and_then(|()| through_a_sample_and_a_file(data, target, estimator, 1));
            // A density of a column that holds one value has no width.
            let has_no_width = |why: &String| estimator.name() == "kde" && why.contains("no scale for a bandwidth");
            found.err().filter(|why| !has_no_width(why)).map(|why| format!("{estimator}, a column of {kind:?}: {why}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_column_that_is_constant_in_samples_and_folds_is_compared_on_like_any_other() {
    let n = 300;
    let column = |name: &str, v: Vec<f64>| Column { name: name.into(), values: Values::Numbers(v) };
    let wave = |k: f64| (0..n).map(|i| (k * i as f64).sin()).collect::<Vec<f64>>();
    let rare = (0..n).map(|i| f64::from(u8::from(i == 41))).collect();
    let data = Dataset::new(vec![column("a", wave(0.7)), column("b", wave(1.3)), column("rare", rare)]).unwrap();
    let y = wave(0.7).iter().zip(wave(1.3)).map(|(a, b)| a * b + a).collect();
    let target = Target::Numbers(Matrix::column(y));
    let estimators = ["ridge(lambda=0.01)", "knn(k=3)", "gp(noise=0.1, variance=1)"].map(|e| EstimatorExpr::parse(e).unwrap());
    for kernel in [None, Some("rbf(length_scale=1) + 0.1*on(rare, rbf(length_scale=1))"), Some("rbf(ard=true)")] {
        let kernel = kernel.map(|k| KernelExpr::parse(k).unwrap());
        let comparing = Comparing { kernel, sample: Some(60), folds: 3, effort: None, ..Comparing::new(estimators.to_vec()) };
        let found = compare::compare(&data, &target, &info(&target), None, &Split::Rows, &comparing, &Control::default()).unwrap();
        let failed: Vec<String> = found.rows.iter().filter_map(|r| r.failure.as_ref().map(ToString::to_string)).collect();
        assert!(failed.is_empty(), "{failed:?}");
        assert!(found.rows.iter().all(|r| r.predict_us_per_row.is_finite() && r.model.is_some()));
    }
}

#[test]
fn a_value_that_no_training_row_tells_about_changes_no_prediction() {
    let control = Control::default();
    let data = table(Some(ColumnKind::Number)).unwrap();
    let whole = prepare(&Recipe::default(), None, &data).unwrap();
    let common: Vec<usize> = (0..ROWS).filter(|i| !RARE.contains(i)).collect();
    let part = whole.again(&data.select(&common), None).unwrap();
    let held = part.prep.apply(&data).unwrap();
    let Values::Numbers(v) = &held.column("rare").unwrap().values else { panic!("numbers expected") };
    assert_eq!(v, &[0.0; ROWS]);
    // A model of the sample that was never given the column says the same.
    let alone = Dataset::new(vec![data.column("a").unwrap().clone()]).unwrap();
    let kernel = KernelExpr::parse("rbf(length_scale=1)").unwrap().learn(&part.data, None, &control).unwrap();
    let values = |rows: &Dataset, new: &Dataset| {
        let bound = kernel.reference(rows, &control).unwrap().cross(new, &control).unwrap();
        mercer::gram::dense(bound.as_ref(), &control).unwrap()
    };
    let without = prepare(&Recipe::default(), None, &alone.select(&common)).unwrap();
    assert_eq!(values(&part.data, &held), values(&without.data, &without.prep.apply(&alone).unwrap()));
}

#[test]
fn a_kernel_pointed_at_a_constant_column_is_refused_by_name() {
    let mut columns = table(Some(ColumnKind::Number)).unwrap().into_columns();
    columns[1].values = Values::Numbers(vec![2.0; ROWS]);
    let data = Dataset::new(columns).unwrap();
    let kernel = KernelExpr::parse("rbf + on(rare, rbf)").unwrap();
    let message = prepare(&Recipe::default(), Some(&kernel), &data).unwrap_err().to_string();
    assert!(message.contains("column 'rare'") && message.contains("same value in every row"), "{message}");
}

#[test]
fn sides_with_other_columns_meet_in_an_error() {
    let control = Control::default();
    let data = testkit::table(9, 1);
    let numbers = |names: &[&str]| Dataset::new(names.iter().map(|n| data.column(n).unwrap().clone()).collect()).unwrap();
    let kernel = KernelExpr::parse("rbf(length_scale=1)").unwrap();
    let reference = kernel.learn(&numbers(&["a", "b"]), None, &control).unwrap().reference(&numbers(&["a", "b"]), &control).unwrap();
    let Err(error) = reference.cross(&numbers(&["a"]), &control) else { panic!("a column is missing") };
    assert!(error.to_string().contains("unknown column 'b'"), "{error}");
    // More columns, and in another order, are the same rows.
    let cross = |new: &Dataset| mercer::gram::dense(reference.cross(new, &control).unwrap().as_ref(), &control).unwrap();
    assert_eq!(cross(&numbers(&["c", "b", "a"])), cross(&numbers(&["a", "b"])));
    let mut text = numbers(&["a", "b"]).into_columns();
    text[1].values = data.column("seq").unwrap().values.clone();
    assert!(reference.cross(&Dataset::new(text).unwrap(), &control).is_err());
}

//! Kernel matrices from files: rows and columns by name.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Holds, Own, Similarities, Target, Values};
use mercer::estimators::{EstimatorExpr, Predicted, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{Labels, ReadOptions, Source, Table, TargetInfo};
use mercer::{gram, store};
use std::path::Path;

fn x(i: usize) -> f64 {
    (i * i % 17) as f64 / 3.0
}

/// The kernel matrix of the items, named r<i>.
fn written(folder: &Path, items: &[usize]) -> String {
    let mut text = format!("item,{}\n", items.iter().map(|i| format!("r{i}")).collect::<Vec<_>>().join(","));
    for &i in items {
        let row: Vec<String> = items.iter().map(|&j| (-0.5 * (x(i) - x(j)).powi(2)).exp().to_string()).collect();
        text.push_str(&format!("r{i},{}\n", row.join(",")));
    }
    let file = folder.join(format!("k{}.csv", items.len()));
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

fn table(items: &[usize]) -> Table {
    let rows: Vec<String> = items.iter().map(|i| format!("r{i},{},{}", x(*i), x(*i).sin())).collect();
    Table::parse("t", format!("id,x,y\n{}\n", rows.join("\n")).as_bytes()).unwrap()
}

fn taken(items: &[usize], gram: Option<&str>) -> (Dataset, mercer::data::Target, TargetInfo) {
    let mut table = table(items);
    if let Some(file) = gram {
        table.attach_gram("id", &Source::new(file), &Control::default()).unwrap();
    }
    let (target, info) = table.take_target(&["y"], &ReadOptions::default()).unwrap();
    (table.dataset(&ReadOptions::default()).unwrap(), target, info)
}

fn numbers(model: &Model, data: &Dataset) -> Matrix {
    match model.predict(data, Want::default(), &Control::default()).unwrap().values {
        Predicted::Numbers(m) => m,
        Predicted::Classes(_) => panic!("numbers"),
    }
}

#[test]
fn a_looked_up_kernel_is_the_kernel_that_was_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let (train, new): (Vec<usize>, Vec<usize>) = ((0..12).collect(), vec![20, 3, 15]);
    let learner = |kernel: &str, estimator: &str| {
        let mut learner = Learner::new(EstimatorExpr::parse(estimator).unwrap());
        learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
        learner.prep.standardise = false;
        learner
    };
    let file = written(folder.path(), &train);
    // The new rows come with a matrix of their own, its items in another order.
    let all: Vec<usize> = new.iter().copied().chain((0..12).rev().filter(|i| !new.contains(i))).collect();
    let wide = written(folder.path(), &all);
    for estimator in ["ridge(lambda=0.1)", "gp(noise=0.1, variance=1)", "svr(c=2, epsilon=0.05, tolerance=1e-8)", "knn(k=3)"] {
        let (data, target, info) = taken(&train, Some(&file));
        let looked_up = learner("precomputed", estimator).fit(&data, &target, &info, None, &Control::default()).unwrap();
        let bytes = store::to_bytes(&looked_up).unwrap();
        let looked_up = store::from_bytes(&bytes, "bytes").unwrap();
        let (plain, _, _) = taken(&train, None);
        let computed = learner("on(x, rbf(length_scale=1))", estimator).fit(&plain, &target, &info, None, &Control::default()).unwrap();
        let mut again = table(&new);
        again.attach_gram("id", &Source::new(&wide), &Control::default()).unwrap();
        let again = again.dataset_like(&looked_up.prep.schema, &ReadOptions::default()).unwrap();
        let (a, b) = (numbers(&looked_up, &again), numbers(&computed, &taken(&new, None).0));
        for (a, b) in a.data().iter().zip(b.data()) {
            assert!((a - b).abs() <= 1e-6, "{estimator}: {a} and {b}");
        }
        // Without the file, or with one that lacks the training rows, the fault is named.
        let why = table(&new).dataset_like(&looked_up.prep.schema, &ReadOptions::default()).unwrap_err().to_string();
        assert!(why.contains("--gram id=FILE"), "{why}");
        let mut short = table(&[0, 1]);
        short.attach_gram("id", &Source::new(&written(folder.path(), &[0, 1])), &Control::default()).unwrap();
        let why = short.dataset_like(&looked_up.prep.schema, &ReadOptions::default()).unwrap_err().to_string();
        assert!(why.contains("no item 'r2'"), "{why}");
    }
}

#[test]
fn a_given_matrix_is_judged_by_its_values_and_a_refusal_names_the_repair() {
    let folder = tempfile::tempdir().unwrap();
    let fit = |k: [[f64; 3]; 3], kernel: &str| {
        let file = folder.path().join("given.csv");
        let lines = k.iter().enumerate().map(|(i, row)| format!("r{i},{},{},{}\n", row[0], row[1], row[2])).collect::<String>();
        std::fs::write(&file, format!("i,r0,r1,r2\n{lines}")).unwrap();
        let (data, target, info) = taken(&[0, 1, 2], Some(&file.display().to_string()));
        let mut learner = Learner::new(EstimatorExpr::parse("ridge(lambda=0.5)").unwrap());
        learner.kernel = Some(KernelExpr::parse(kernel).unwrap());
        learner.fit(&data, &target, &info, None, &Control::default())
    };
    // 1 + 2 * 0.5 and 0.5 twice are the eigenvalues of the first; 1 - 2 * 0.9 is one of the second, whose cosines cannot be.
    let fine = [[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]];
    let wrong = [[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]];
    assert!(fit(fine, "precomputed").is_ok() && fit(fine, "2*precomputed + precomputed^2").is_ok());
    let why = fit(wrong, "precomputed").unwrap_err().to_string();
    assert!(why.contains("has the eigenvalue -0.8") && why.contains("repair this one on the training rows (clip(precomputed))"), "{why}");
    assert!(fit(wrong, "clip(precomputed)").is_ok());
    // What is wrong besides the matrix is still refused.
    assert!(fit(fine, "-1*precomputed").is_err());
}

#[test]
fn faults_of_a_kernel_matrix_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let attach = |text: &str| {
        let file = folder.path().join("k.csv");
        std::fs::write(&file, text).unwrap();
        let mut table = table(&[0, 1]);
        table.attach_gram("id", &Source::new(&file.display().to_string()), &Control::default()).unwrap_err().to_string()
    };
    for (text, why) in [
        ("i,r0,r1\nr0,1,0.5\nr1,0.5,1\nr2,0,0\n", "square"),
        ("i,r1,r0\nr0,1,0.5\nr1,0.5,1\n", "one order"),
        ("i,r0,r1\nr0,1,a\nr1,0.5,1\n", "row 1"),
        ("i,r0,r1\nr0,1,\nr1,0.5,1\n", "finite number"),
        ("i,r0,q\nr0,1,0.5\nq,0.5,1\n", "row 2 is called 'r1', which is not among the names"),
    ] {
        let found = attach(text);
        assert!(found.contains(why), "{text}: {found}");
    }
}

#[test]
fn rows_of_an_array_file_are_called_by_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.npy");
    let k = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.1 * (i + j) as f64 });
    std::fs::write(&file, mercer::npy::write(&k)).unwrap();
    let mut table = Table::parse("t", b"id,y\n2,1\n0,2\n").unwrap();
    table.attach_gram("id", &Source::new(&file.display().to_string()), &Control::default()).unwrap();
    table.take_target(&["y"], &ReadOptions::default()).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let expr = KernelExpr::natural(&[("id", mercer::data::ColumnKind::Similarities)]).unwrap();
    let found = gram::dense(expr.bind(None, &data).unwrap().as_ref(), &Control::default()).unwrap();
    assert_eq!(found.data(), [1.0, 0.2, 0.2, 1.0]);
}

/// Kernel values exp(-(x - z)^2 / 2) of two batches.
fn values(a: &[f64], b: &[f64]) -> Matrix {
    Matrix::from_fn(a.len(), b.len(), |i, j| (-0.5 * (a[i] - b[j]).powi(2)).exp())
}

fn one(rows: Similarities) -> Dataset {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Similarities(rows) }]).unwrap()
}

#[test]
fn kernel_values_that_are_given_are_the_kernel_and_the_model_keeps_none_of_them() {
    let control = Control::default();
    let (train, new): (Vec<f64>, Vec<f64>) = ((0..14).map(x).collect(), (20..25).map(|i| x(i) + 0.1).collect());
    let target = Target::numbers(&train.iter().map(|x| x.sin()).collect::<Vec<_>>());
    let info = TargetInfo { names: vec!["y".into()], classes: None, labels: Labels::Text };
    let mut learner = Learner::new(EstimatorExpr::parse("gp(noise=0.1, variance=2)").unwrap());
    learner.prep.standardise = false;
    learner.kernel = Some(KernelExpr::parse("rbf(length_scale=1)").unwrap());
    let plain = |rows: &[f64]| Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(rows.to_vec()) }]).unwrap();
    let computed = learner.fit(&plain(&train), &target, &info, None, &control).unwrap();
    learner.kernel = Some(KernelExpr::parse("precomputed").unwrap());
    let given = one(Similarities::among(values(&train, &train)).unwrap());
    let weights: Vec<f64> = (0..14).map(|i| f64::from(u8::from(i != 3))).collect();
    let model = learner.fit(&given, &target, &info, None, &control).unwrap();
    let less = learner.fit(&given, &target, &info, Some(&weights), &control).unwrap();
    let bytes = store::to_bytes(&model).unwrap();
    let model = store::from_bytes(&bytes, "bytes").unwrap();
    let Holds::Similarities(items) = &model.prep.schema.columns[0].holds else { panic!("similarities") };
    let rows = |own: Own| one(Similarities::against(items, values(&new, &train), own).unwrap());
    let everything = Want { variance: true, covariance: true, ..Want::default() };
    let close = |a: &Matrix, b: &Matrix| a.data().iter().zip(b.data()).for_each(|(a, b)| assert!((a - b).abs() <= 1e-12, "{a} and {b}"));
    let found = model.predict(&rows(Own::Among(values(&new, &new))), everything, &control).unwrap();
    let expected = computed.predict(&plain(&new), everything, &control).unwrap();
    close(&numbers(&model, &rows(Own::Unknown)), &numbers(&computed, &plain(&new)));
    close(&found.variance.unwrap(), &expected.variance.clone().unwrap());
    close(&found.covariance.unwrap(), &expected.covariance.unwrap());
    let only = Want { variance: true, ..Want::default() };
    close(&model.predict(&rows(Own::Squares(vec![1.0; 5])), only, &control).unwrap().variance.unwrap(), &expected.variance.unwrap());
    let why = |own: Own, want: Want| model.predict(&rows(own), want, &control).unwrap_err().to_string();
    assert!(why(Own::Unknown, only).contains("k(x, x) of the new rows"));
    assert!(why(Own::Squares(vec![1.0; 5]), everything).contains("kernel values among the new rows"));
    // Rows without weight are absent, and each other row can be left out where the matrix is given once more.
    assert_eq!(less.about.left_out, [3]);
    assert!(less.leave_one_out(None, &target, Some(&weights), &control).unwrap_err().to_string().contains("once more"));
    let left_out = model.leave_one_out(Some(&given), &target, None, &control).unwrap().unwrap();
    let expected = computed.leave_one_out(None, &target, None, &control).unwrap().unwrap();
    close(&left_out.variance.unwrap(), &expected.variance.unwrap());
    let (Predicted::Numbers(a), Predicted::Numbers(b)) = (&left_out.values, &expected.values) else { panic!("numbers") };
    close(a, b);
    assert!(Similarities::among(values(&new, &train)).is_err());
    let mut first_asymmetry = values(&train, &train);
    first_asymmetry[(3, 9)] += 1e-3;
    let first_asymmetry = one(Similarities::among(first_asymmetry).unwrap());
    let why = learner.fit(&first_asymmetry, &target, &info, None, &control).unwrap_err().to_string();
    assert!(why.contains("gp needs a symmetric similarity") && why.contains("'9' and '3'"), "{why}");
    let why = model.leave_one_out(Some(&first_asymmetry), &target, None, &control).unwrap_err().to_string();
    assert!(why.contains("gp needs a symmetric similarity"), "{why}");
    assert!(Similarities::against(items, values(&new, &new), Own::Unknown).is_err());
}

//! Small models, and their files taken apart and put together again with a checksum that is right.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Points, Target, Values};
use mercer::estimators::{EstimatorExpr, Predictions, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{ReadOptions, Source, Table, TargetInfo};
use mercer::store;

pub(crate) const ALL: Want = Want { variance: true, covariance: true, probabilities: true, scores: true, by_class: false };

pub(crate) fn estimator(text: &str) -> EstimatorExpr {
    EstimatorExpr::parse(text).unwrap()
}

/// The first rows of `example:mixed`, the named columns taken out as the target.
pub(crate) fn mixed(target: &[&str], rows: usize) -> (Dataset, Target, TargetInfo) {
    let mut table = Table::read(&Source::new("example:mixed")).unwrap();
    let (target, info) = table.take_target(target, &ReadOptions::default()).unwrap();
    let data = table.dataset(&ReadOptions::default()).unwrap();
    let some: Vec<usize> = (0..rows).collect();
    (data.select(&some), target.select(&some), info)
}

pub(crate) fn fit(learner: &Learner, data: &Dataset, target: &Target, info: &TargetInfo) -> Model {
    learner.fit(data, target, info, None, &Control::default()).unwrap()
}

pub(crate) fn predict(model: &Model, data: &Dataset) -> Predictions {
    model.predict(data, ALL, &Control::default()).unwrap()
}

/// A target of numbers or of three classes, or none, whichever the estimator takes, for any rows.
pub(crate) fn some_target(estimator: &EstimatorExpr, rows: usize, outputs: usize) -> (Target, TargetInfo) {
    if estimator.takes_no_target() {
        return (Target::Absent { rows }, TargetInfo { names: Vec::new(), classes: None, labels: Default::default() });
    }
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let classes = Target::Classes { codes: (0..rows).map(|i| i % 3).collect(), names: names.clone() };
    if outputs == 0 && estimator.takes(&classes) {
        return (classes, TargetInfo { names: vec!["t".into()], classes: Some(names), labels: Default::default() });
    }
    let numbers = Target::Numbers(Matrix::from_fn(rows, outputs.max(1), |i, o| (i as f64 + 2.0 * o as f64).sin()));
    (numbers, TargetInfo { names: (0..outputs.max(1)).map(|o| format!("t{o}")).collect(), classes: None, labels: Default::default() })
}

/// Sparse points of 50 numbers, four of them stored.
pub(crate) fn sparse(rows: usize) -> Dataset {
    let starts = (0..=rows).map(|i| 4 * i).collect();
    let columns = (0..rows).flat_map(|i| (0..4).map(move |k| (12 * k + (i * 5 + k) % 12) as u32)).collect();
    let values = (0..4 * rows).map(|k| 1.0 + (k % 5) as f64).collect();
    Dataset::from_points(Points::csr(rows, 50, starts, columns, values).unwrap())
}

/// A model of few rows over a column of numbers, a column of categories and sparse points.
pub(crate) fn small(text: &str) -> (Model, Dataset) {
    let rows = 12;
    let mut columns = sparse(rows).into_columns();
    columns.push(Column { name: "number".into(), values: Values::Numbers((0..rows).map(|i| (i as f64).cos()).collect()) });
    let labels: Vec<&str> = (0..rows).map(|i| ["red", "green"][i % 2]).collect();
    columns.push(Column { name: "colour".into(), values: Values::Categories(mercer::data::Categories::from_labels(&labels)) });
    let data = Dataset::new(columns).unwrap();
    let kernel = KernelExpr::parse("on(number, rbf(length_scale=1)) + equal + on(x, polynomial(gamma=0.01))").unwrap();
    let estimator = estimator(text);
    let (target, info) = some_target(&estimator, rows, 0);
    let model = fit(&Learner { kernel: Some(kernel), ..Learner::new(estimator) }, &data, &target, &info);
    (model, data)
}

/// Header and blocks of a model file.
pub(crate) fn apart(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes[20 + length..].to_vec())
}

/// A model file of any header and blocks, its lengths and checksum as they should be.
pub(crate) fn together(header: &str, blocks: &[u8]) -> Vec<u8> {
    let body = [header.as_bytes(), blocks].concat();
    let mut out = b"MERCER01".to_vec();
    out.extend((header.len() as u64).to_le_bytes());
    out.extend(crc32fast::hash(&body).to_le_bytes());
    out.extend(body);
    out
}

/// The words of the error that reading gives; an error of another kind, or none, is a failure.
#[track_caller]
pub(crate) fn refused(bytes: &[u8]) -> String {
    match store::from_bytes(bytes, "m") {
        Err(mercer::error::Error::ModelFile { why, .. }) => why,
        Err(other) => panic!("an error of another kind: {other}"),
        Ok(_) => panic!("the file was taken"),
    }
}

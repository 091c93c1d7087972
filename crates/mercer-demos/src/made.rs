//! Rows that demonstrations are made of, and fits to them with columns as they are.

use mercer::control::Control;
use mercer::data::{Column, Dataset, Target, TargetInfo, Values};
use mercer::error::{Error, Result};
use mercer::estimators::{EstimatorExpr, Predicted, Predictions, Want};
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::prep::Recipe;
use mercer::report::Layer;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Numbers drawn from a named generator.
pub(super) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub(super) fn new(seed: u64) -> Draw {
        Draw(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
    /// A number between two ends.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        let share: f64 = StandardUniform.sample(&mut self.0);
        low + (high - low) * share
    }
    /// A number of a normal distribution.
    pub(super) fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let z: f64 = StandardNormal.sample(&mut self.0);
        mean + deviation * z
    }
}

/// `count` numbers from one end to the other, at equal distances.
pub(super) fn even(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

/// The name of column d.
pub(super) fn column_names(d: usize) -> String {
    format!("x{}", d + 1)
}

/// One column of numbers.
pub(super) fn column(x: &[f64]) -> Result<Dataset> {
    Dataset::new(vec![Column { name: "x".into(), values: Values::Numbers(x.to_vec()) }])
}

/// Two columns of numbers, x1 and x2.
pub(super) fn plane(places: &[[f64; 2]]) -> Result<Dataset> {
    let side = |k: usize| Values::Numbers(places.iter().map(|p| p[k]).collect());
    Dataset::new((0..2).map(|k| Column { name: format!("x{}", k + 1), values: side(k) }).collect())
}

/// Marks of the rows of one class.
pub(super) fn rows_of(places: &[[f64; 2]], codes: &[usize], code: usize) -> Layer {
    Layer::Marks(code, places.iter().zip(codes).filter(|(_, k)| **k == code).map(|(p, _)| *p).collect())
}

/// Two classes by their codes.
pub(super) fn two_classes(codes: &[usize]) -> Target {
    Target::Classes { codes: codes.to_vec(), names: vec!["0".into(), "1".into()] }
}

/// An estimator and a kernel, both as expressions, for columns as they are.
pub(super) fn learner(estimator: &str, kernel: &str) -> Result<Learner> {
    let prep = Recipe { standardise: false, drop_constant: false, ..Recipe::default() };
    Ok(Learner { prep, kernel: Some(KernelExpr::parse(kernel)?), seed: 1, ..Learner::new(EstimatorExpr::parse(estimator)?) })
}

/// Fits an estimator with a kernel, both as expressions, to columns as they are.
pub(super) fn fit(estimator: &str, kernel: &str, data: &Dataset, target: &Target, control: &Control) -> Result<Model> {
    learner(estimator, kernel)?.fit(data, target, &TargetInfo::of(target), None, control)
}

fn all(model: &Model, data: &Dataset, want: Want, control: &Control) -> Result<Predictions> {
    model.predict(data, want, control)
}

/// Predicted numbers.
pub(super) fn numbers(model: &Model, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
    match all(model, data, Want::default(), control)?.values {
        Predicted::Numbers(m) => Ok(m.into_data()),
        Predicted::Classes(_) => Err(Error::Data("numbers were expected, and classes are predicted".into())),
    }
}

/// The share of rows whose class is predicted wrongly.
pub(super) fn error_rate(model: &Model, data: &Dataset, codes: &[usize], control: &Control) -> Result<f64> {
    match all(model, data, Want::default(), control)?.values {
        Predicted::Classes(found) => Ok(found.iter().zip(codes).filter(|(found, code)| found != code).count() as f64 / codes.len() as f64),
        Predicted::Numbers(_) => Err(Error::Data("classes were expected, and numbers are predicted".into())),
    }
}

/// Decision values of two classes.
pub(super) fn scores(model: &Model, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
    let found = all(model, data, Want { scores: true, ..Want::default() }, control)?.scores;
    found.map(Matrix::into_data).ok_or_else(|| Error::Data(format!("{} has no decision values", model.estimator.name())))
}

/// Log-odds of the second of two classes, from probabilities.
pub(super) fn log_odds(model: &Model, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
    let p = all(model, data, Want { probabilities: true, ..Want::default() }, control)?.probabilities;
    let p = p.ok_or_else(|| Error::Data("a model without probabilities has no log-odds".into()))?;
    Ok((0..p.rows()).map(|i| p[(i, 1)].max(f64::MIN_POSITIVE).ln() - p[(i, 0)].max(f64::MIN_POSITIVE).ln()).collect())
}

/// Points of a curve.
pub(super) fn points(x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
    x.iter().zip(y).map(|(x, y)| [*x, *y]).collect()
}

//! Estimators from outside of the crate: what `register` promises.

use mercer::compare::{Comparing, compare};
use mercer::control::Control;
use mercer::data::{Dataset, Kind, Split, Target, TargetInfo};
use mercer::error::Result;
use mercer::estimators::{
    Answer, Costs, Estimator, EstimatorExpr, Expansion, Fitted, Gives, Needs, Predicted, Predictions, Query, Size, Summary, Task, Want,
    catalogue, register,
};
use mercer::gram;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param, Value};
use mercer::read::{ReadOptions, Source, Table};
use mercer::store;
use mercer::testkit::check_estimator;
use serde::{Deserialize, Serialize};

const STEPS: usize = 100;

/// Descent along the gradient of |y - m - K a|^2 + lambda a'Ka in feature space: a <- a + step ((y - m) - (K + lambda) a), some steps,
/// m the mean of y. Weight 2 is a row that stands twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Descent {
    lambda: Value,
}

impl Default for Descent {
    fn default() -> Self {
        Descent { lambda: Value::Auto }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FittedDescent {
    expansion: Expansion,
    summary: Summary,
}

impl Estimator for Descent {
    const NAME: &'static str = "descent";
    const DOC: &'static str = "ridge regression by steps along the gradient";
    const PARAMS: &'static [Param] = &[Param::searched("lambda", "penalty; auto: 0.1", Domain::PositiveFinite, 100.0)];
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    const GIVES: Gives = Gives::VALUES;
    const NEEDS: Needs = Needs::MercerKernel;
    type Fitted = FittedDescent;

    fn costs(&self, size: Size) -> Costs {
        let (n, outputs) = (size.rows as f64, size.outputs as f64);
        Costs {
            bytes: 16 * (size.rows as u64).pow(2),
            values: n * n,
            fit: 2.0 * STEPS as f64 * n * n * outputs,
            prediction_values: n,
            prediction: 2.0 * n * outputs,
            ..Costs::default()
        }
    }
    fn start(&self, _: &str, _: &Task<'_>) -> Result<f64> {
        Ok(0.1)
    }
    fn fit(&self, task: &Task<'_>) -> Result<FittedDescent> {
        let Target::Numbers(y) = task.target else { unreachable!("numbers alone are taken") };
        let (k, n, lambda) = (gram::dense(task.gram, task.control)?, task.rows(), self.lambda.number());
        let weight = |i: usize| task.weights.map_or(1.0, |w| w[i]);
        let total: f64 = (0..n).map(weight).sum();
        let mean: Vec<f64> = (0..y.cols()).map(|o| (0..n).map(|i| weight(i) * y[(i, o)]).sum::<f64>() / total).collect();
        // The trace bounds the largest eigenvalue of W^1/2 K W^1/2.
        let step = 1.0 / ((0..n).map(|i| weight(i) * k[(i, i)]).sum::<f64>() + lambda);
        let mut coef = Matrix::zeros(n, y.cols());
        for _ in 0..STEPS {
            task.control.check()?;
            let f = Matrix::from_fn(n, y.cols(), |i, o| (0..n).map(|j| k[(i, j)] * coef[(j, o)]).sum());
            for i in 0..n {
                for o in 0..y.cols() {
                    coef[(i, o)] += step * (weight(i) * (y[(i, o)] - mean[o] - f[(i, o)]) - lambda * coef[(i, o)]);
                }
            }
        }
        let summary = Summary { iterations: STEPS, converged: true, ..Summary::default() };
        Ok(FittedDescent { expansion: Expansion::new((0..n).collect(), coef, mean), summary })
    }
}

impl Fitted for FittedDescent {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(query.cross, query.control)?)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, None)
    }
}

fn sinc() -> Result<(Dataset, Target, TargetInfo)> {
    let mut table = Table::read(&Source::new("example:sinc"))?;
    let (target, info) = table.take_target(&["y"], &ReadOptions::default())?;
    Ok((table.dataset(&ReadOptions::default())?, target, info))
}

#[test]
fn an_estimator_of_a_program_is_searched_compared_stored_and_loaded() {
    register::<Descent>().unwrap();
    register::<Descent>().unwrap();
    assert!(catalogue().iter().any(|entry| entry.name == "descent"));
    let (data, target, info) = sinc().unwrap();
    let control = Control::default();
    for estimator in [EstimatorExpr::parse("descent(lambda=0.01..1)").unwrap(), EstimatorExpr::own(Descent::default()).unwrap()] {
        let model = Learner::new(estimator.clone()).fit(&data, &target, &info, None, &control).unwrap();
        let again: Model = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
        let predict = |model: &Model| model.predict(&data, Want::default(), &control).unwrap();
        assert_eq!(predict(&model), predict(&again));
        let comparing = Comparing::new(vec![estimator, EstimatorExpr::parse("baseline").unwrap()]);
        let outcome = compare(&data, &target, &info, None, &Split::Rows, &comparing, &control).unwrap();
        assert!(outcome.rows.iter().all(|row| row.failure.is_none()));
        assert_eq!(outcome.best.map(|best| outcome.rows[best].estimator.name()), Some("descent"));
    }
}

#[test]
fn many_steps_are_ridge_with_a_fixed_mean() {
    // Two rows, K = [[2, 1], [1, 2]], lambda = 1: (K + 1) a = y - mean = (-1, 1), a = (-1/2, 1/2) by hand.
    register::<Descent>().unwrap();
    let k = gram::Dense::square(Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 })).unwrap();
    let (target, control) = (Target::Numbers(Matrix::column(vec![1.0, 3.0])), Control::default());
    let task = Task { gram: &k, target: &target, weights: None, control: &control, seed: 0 };
    let fitted = EstimatorExpr::parse("descent(lambda=1)").unwrap().fit(&task).unwrap();
    let cross = gram::Dense::square(Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 })).unwrap();
    let found = fitted.predict(&Query::new(&cross, Want::default(), &control)).unwrap();
    let Predicted::Numbers(values) = found.values else { panic!("numbers") };
    assert!((values[(0, 0)] - 1.5).abs() < 1e-12 && (values[(1, 0)] - 2.5).abs() < 1e-12, "{values:?}");
}

#[test]
fn the_kit_takes_it() {
    check_estimator::<Descent>().unwrap();
}

#[test]
fn what_is_not_registered_is_named() {
    let json = serde_json::to_string(&EstimatorExpr::own(Descent::default()).unwrap()).unwrap();
    let error = serde_json::from_str::<EstimatorExpr>(&json.replace("descent", "ascent")).unwrap_err().to_string();
    assert!(error.contains("the estimator 'ascent', which this program has not registered"), "{error}");
}

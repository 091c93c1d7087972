//! An estimator of one's own: written once, it stands in expressions, is tuned, compared, stored and loaded like any other. `main` also
//! shows what a program asks of a model: one number for one row, and the file.
//!
//! ```text
//! cargo run --release --example own_estimator
//! ```

use mercer::control::Control;
use mercer::data::{Kind, Target, TargetInfo};
use mercer::error::Result;
use mercer::estimators::{
    Answer, Costs, Estimator, EstimatorExpr, Expansion, Fit, FitContext, Fitted, Predicted, Predictions, Query, Size, Summary, Task, Want,
    register,
};
use mercer::gram;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::param::{Parameters, Value};
use mercer::read::{ReadOptions, Source, Table};
use serde::{Deserialize, Serialize};

const STEPS: usize = 100;

/// Descent along the gradient of |y - m - K a|^2 + lambda a'Ka in feature space: a <- a + step ((y - m) - (K + lambda) a), some steps,
/// m the mean of y. Weight 2 is a row that stands twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub(crate) struct Descent {
    /// penalty; auto: 0.1
    #[param(domain = PositiveFinite, search = 100.0)]
    lambda: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FittedDescent {
    expansion: Expansion,
    summary: Summary,
}

impl Estimator for Descent {
    const NAME: &'static str = "descent";
    const DOC: &'static str = "ridge regression by steps along the gradient";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
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
    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedDescent>) -> Result<Fit<FittedDescent>> {
        let Target::Numbers(y) = task.target else { unreachable!("numbers alone are taken") };
        let (k, n, lambda) = (gram::dense(task.gram()?, task.control)?, task.rows(), self.lambda.number());
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
        Ok(FittedDescent { expansion: Expansion::new((0..n).collect(), coef, mean), summary }.into())
    }
}

impl Fitted for FittedDescent {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Ok(Predictions::of(Predicted::Numbers(self.expansion.predict(query.cross()?, query.control)?)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, None)
    }
}

fn main() -> Result<()> {
    register::<Descent>()?;
    let control = Control::default();
    let mut table = Table::read(&Source::new("example:sinc"))?;
    let (target, info) = table.take_target(&["y"], &ReadOptions::default())?;
    let data = table.dataset(&ReadOptions::default())?;
    // `auto` and ranges are tuned by cross-validation: an estimator states no criterion of its own unless it has one.
    let descent = EstimatorExpr::own(Descent { lambda: (0.001..1.0).into() })?;
    let model = Learner::new(descent).fit(&data, &target, &info, None, &control)?;
    println!("{} with {}", model.estimator, model.kernel);
    let file = std::env::temp_dir().join("descent.mercer");
    model.save(&file)?;
    let found = Model::load(&file)?.predict(&data.select(&[0]), Want::default(), &control)?;
    println!("{:?} for the first row", found.numbers().unwrap_or_default());
    std::fs::remove_file(&file).map_err(|e| mercer::Error::io(file.display(), e))
}

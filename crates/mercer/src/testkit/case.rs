//! One estimator, one kernel, one table and one target: what the checks of an estimator start from.

use super::{Checked, Verdict, close, fail, words};
use crate::control::Control;
use crate::data::TargetInfo;
use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, OwnedView, Predicted, Predictions, Query, Task, View, Want};
use crate::facts;
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::learner::{Learner, Model, TrainingRows};
use crate::linalg::Matrix;
use crate::param::Value;
use crate::prep::Recipe;
use std::collections::HashSet;

/// Everything that a prediction can hold.
pub(super) const ALL: Want = Want { variance: true, covariance: true, probabilities: true, scores: true, by_class: false };

/// Seed of every fit.
const SEED: u64 = 5;

/// A task with all that surrounds it. Kernel and estimator are settled.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) kernel: KernelExpr,
    pub(super) estimator: EstimatorExpr,
    pub(super) data: Dataset,
    pub(super) target: Target,
    /// Rows to predict.
    pub(super) new: Dataset,
}

/// Every kind of target, by name: numbers in one and in three columns, two and four classes, none.
pub(super) fn targets(rows: usize) -> Vec<(&'static str, Target)> {
    let wave = |i: usize, o: usize| (1.3 * i as f64 + 0.7 * (o * o) as f64).sin() + 0.1 * ((i * i + 3 * o) % 7) as f64;
    let classes = |count: usize| Target::Classes {
        codes: (0..rows).map(|i| if i < count { i } else { (i * i + i / 3) % count }).collect(),
        names: ["north", "east", "south", "west"][..count].iter().map(|s| (*s).to_owned()).collect(),
    };
    vec![
        ("one column of numbers", Target::Numbers(Matrix::from_fn(rows, 1, wave))),
        ("three columns of numbers", Target::Numbers(Matrix::from_fn(rows, 3, wave))),
        ("two classes", classes(2)),
        ("four classes", classes(4)),
        ("no target", Target::Absent { rows }),
    ]
}

/// The estimator with every parameter named `tolerance` at its least useful value: solutions of two ways of stating one
/// problem then agree in more than the digits that users ask for.
pub(super) fn tightened(estimator: &EstimatorExpr) -> Checked<EstimatorExpr> {
    let mut out = estimator.clone();
    if out.values().iter().any(|own| own.path == "tolerance") {
        words(out.set("tolerance", &Value::Number(1e-10)))?;
    }
    Ok(out)
}

impl Case {
    /// A learner that does nothing to the columns.
    pub(super) fn learner(&self) -> Learner {
        Learner {
            prep: Recipe { standardise: false, drop_constant: false, ..Recipe::default() },
            kernel: Some(self.kernel.clone()),
            estimator: self.estimator.clone(),
            seed: SEED,
            allow_non_mercer: false,
            sample: TrainingRows::All,
            keep_rows: false,
            metric: None,
        }
    }

    /// The model of a learner.
    pub(super) fn model_of(&self, learner: &Learner, weights: Option<&[f64]>) -> Checked<Model> {
        words(learner.fit(&self.data, &self.target, &TargetInfo::of(&self.target), weights, &Control::default()))
    }

    /// The model of a learner that does nothing to the columns.
    pub(super) fn model(&self, weights: Option<&[f64]>) -> Checked<Model> {
        self.model_of(&self.learner(), weights)
    }

    /// All that a model says of the new rows.
    pub(super) fn predict(&self, model: &Model) -> Checked<Predictions> {
        words(model.predict(&self.new, ALL, &Control::default()))
    }

    /// The case with the first of each group of equal rows: where equal rows have different classes, ties depend on the order of
    /// classes, and it is unknown which copies belong together.
    pub(super) fn each_once(&self) -> Case {
        let groups = facts::equal_rows(&self.data);
        let mut seen = HashSet::new();
        self.select(&(0..groups.len()).filter(|&i| seen.insert(groups[i])).collect::<Vec<_>>())
    }

    /// The case restricted to some of its rows, which may repeat.
    pub(super) fn select(&self, rows: &[usize]) -> Case {
        Case { data: self.data.select(rows), target: self.target.select(rows), ..self.clone() }
    }

    /// What the estimator reads of the rows.
    pub(super) fn reading(&self) -> Result<OwnedView<'_>> {
        let control = Control::default();
        fitting::read_rows(&self.kernel.learn(&self.data, None, &control)?, self.estimator.needs().view(), &self.data, &control)
    }

    /// Runs `work` on the task of the case over what the estimator reads.
    pub(super) fn read<R>(&self, weights: Option<&[f64]>, work: impl FnOnce(&Task<'_>) -> R) -> Checked<R> {
        Ok(self.with_task(words(self.reading())?.view(), weights, work))
    }

    /// Runs `work` on the task of the case over a view.
    pub(super) fn with_task<R>(&self, view: View<'_>, weights: Option<&[f64]>, work: impl FnOnce(&Task<'_>) -> R) -> R {
        let control = Control::default();
        work(&Task { view, target: &self.target, weights, control: &control, seed: SEED })
    }

    /// Fits rows of a view and predicts other rows of it.
    pub(super) fn refit(&self, view: View<'_>, weights: Option<&[f64]>, learn: &[usize], predict: &[usize]) -> Checked<Predictions> {
        let among = view.part(learn, learn);
        let kept: Option<Vec<f64>> = weights.map(|w| learn.iter().map(|&i| w[i]).collect());
        let fitted: FittedModel = words(self.select(learn).with_task(among.view(), kept.as_deref(), |task| self.estimator.fit(task)))?;
        let support: Vec<usize> = fitted.support().iter().map(|&s| learn[s]).collect();
        words(fitted.predict(&Query::of(view.part(predict, &support).view(), Want { covariance: false, ..ALL }, &Control::default())))
    }
}

/// Whether two predictions hold the same, number by number. Classes are compared where the scores are not near a tie.
pub(super) fn agree(what: &str, a: &Predictions, b: &Predictions, tolerance: f64) -> Verdict {
    match (&a.values, &b.values) {
        (Predicted::Numbers(x), Predicted::Numbers(y)) => matrices(what, "predictions", Some(x), Some(y), tolerance)?,
        (Predicted::Classes(x), Predicted::Classes(y)) if x == y => {}
        (x, y) => return fail(what, format!("the predictions are {x:?} and {y:?}")),
    }
    for (name, x, y) in [
        ("variances", &a.variance, &b.variance),
        ("covariances", &a.covariance, &b.covariance),
        ("probabilities", &a.probabilities, &b.probabilities),
        ("scores", &a.scores, &b.scores),
    ] {
        matrices(what, name, x.as_ref(), y.as_ref(), tolerance)?;
    }
    let noise = |p: &Predictions| p.noise.clone().map(Matrix::column);
    matrices(what, "noises", noise(a).as_ref(), noise(b).as_ref(), tolerance)
}

fn matrices(what: &str, name: &str, a: Option<&Matrix>, b: Option<&Matrix>, tolerance: f64) -> Verdict {
    let (a, b) = match (a, b) {
        (None, None) => return Ok(()),
        (Some(a), Some(b)) if (a.rows(), a.cols()) == (b.rows(), b.cols()) => (a, b),
        _ => return fail(what, format!("{name} are there once only, or of other sizes")),
    };
    match a.data().iter().zip(b.data()).position(|(x, y)| !close(*x, *y, tolerance)) {
        Some(k) => {
            let place = (k / a.cols().max(1), k % a.cols().max(1));
            fail(what, format!("{name} at {place:?} are {} and {}", a.data()[k], b.data()[k]))
        }
        None => Ok(()),
    }
}

/// Finite numbers only; variances not negative; probabilities that sum to 1 and whose largest is the predicted class.
pub(super) fn sound(p: &Predictions) -> Verdict {
    let all = [&p.variance, &p.covariance, &p.probabilities, &p.scores];
    let values = if let Predicted::Numbers(m) = &p.values { m.data() } else { &[] };
    let numbers = all.iter().filter_map(|m| m.as_ref()).flat_map(|m| m.data()).chain(values).chain(p.noise.iter().flatten());
    if let Some(x) = numbers.clone().find(|x| !x.is_finite()) {
        return fail("a prediction is not finite", x);
    }
    if let Some(x) = p.variance.iter().flat_map(|m| m.data()).chain(p.noise.iter().flatten()).find(|x| **x < 0.0) {
        return fail("a variance is below 0", x);
    }
    let (Some(probabilities), Predicted::Classes(codes)) = (&p.probabilities, &p.values) else { return Ok(()) };
    for (i, &code) in codes.iter().enumerate() {
        let row = probabilities.row(i);
        if !close(row.iter().sum(), 1.0, 1e-12) || row.iter().any(|p| !(0.0..=1.0).contains(p)) {
            return fail("probabilities", format!("{row:?}"));
        }
        if row.get(code).is_none_or(|mine| row.iter().any(|other| other > mine)) {
            return fail("the predicted class is not the most probable", format!("class {code} of {row:?}"));
        }
    }
    Ok(())
}

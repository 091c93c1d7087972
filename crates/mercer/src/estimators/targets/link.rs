//! What the outputs of a generalised linear model stand for: numbers, or the latent functions of classes.

use super::class_scores::ClassScores;
use crate::data::Target;
use crate::error::Result;
use crate::estimators::{ClassWeight, Predicted, Predictions, Task, Want};
use crate::linalg::Matrix;
use crate::solve::losses::{Loss, Losses};
use serde::{Deserialize, Serialize};

/// From outputs to predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Link {
    /// Each output is a number: its constant is added, and it is in units of `scale`.
    Numbers {
        /// One number for all outputs.
        scale: f64,
    },
    /// Outputs are latent functions of the classes that have rows.
    Classes(ClassScores),
}

impl Link {
    /// The link and the losses of a task, whose sizes and numbers are checked.
    ///
    /// # Errors
    /// Fewer than two classes with rows; targets or weights that are not finite.
    pub(crate) fn of(task: &Task<'_>, class_weight: ClassWeight, who: &str) -> Result<(Link, Losses)> {
        if let Target::Classes { .. } = task.target {
            let (scores, likelihood) = ClassScores::of(task, class_weight, who)?;
            let loss = if scores.outputs() == 1 { Loss::Logistic } else { Loss::Softmax };
            return Ok((Link::Classes(scores), Losses::new(loss, likelihood.indicators(), likelihood.weights().to_vec())?));
        }
        let checked = super::outputs::outputs(task, who)?;
        let n = task.rows();
        // Numbers of size 1 at most have squares, whatever their unit.
        let most = checked.data().iter().fold(0.0f64, |m, y| m.max(y.abs()));
        let scale = if most > 0.0 { most } else { 1.0 };
        let y = Matrix::from_fn(checked.cols(), n, |o, i| checked[(i, o)] / scale);
        let weights = task.all_weights();
        Ok((Link::Numbers { scale }, Losses::new(Loss::Squared, y, weights)?))
    }

    /// The unit of the outputs.
    pub(crate) fn scale(&self) -> f64 {
        if let Link::Numbers { scale } = self { *scale } else { 1.0 }
    }

    /// Classes that have names, where classes are predicted.
    pub(crate) fn classes(&self) -> Option<usize> {
        if let Link::Classes(scores) = self { Some(scores.classes) } else { None }
    }

    /// Predictions from outputs (M x C), which are in the units of the target.
    pub(crate) fn predictions(&self, f: Matrix, want: Want) -> Result<Predictions> {
        let Link::Classes(scores) = self else { return Ok(Predictions::of(Predicted::Numbers(f))) };
        scores.check(f.cols())?;
        let probabilities = scores.probabilities(&f);
        Ok(scores.predictions(f, probabilities, want))
    }
}

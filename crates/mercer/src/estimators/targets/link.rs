//! What the outputs of a linear model in feature space stand for: numbers, or values that decide between classes.

use super::class_scores::ClassScores;
use super::outputs::{classes, decide, outputs};
use crate::data::Target;
use crate::error::Result;
use crate::estimators::{ClassWeight, Predictions, Task, Want};
use crate::linalg::Matrix;
use crate::solve::losses::{Loss, Losses};
use serde::{Deserialize, Serialize};

/// From outputs to predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Link {
    /// Each output is a number, in the units of the target.
    Numbers,
    /// Outputs are regressions on the indicators of so many classes.
    Indicators(usize),
    /// Outputs are decision values of the classes that have rows.
    Margins(ClassScores),
    /// Outputs are latent functions of the classes that have rows, and probabilities follow from them.
    Latent(ClassScores),
}

impl Link {
    /// The link of a regression, on indicators where the target is classes.
    pub(crate) fn of_target(target: &Target) -> Link {
        classes(target).map_or(Link::Numbers, Link::Indicators)
    }

    /// That of latent functions where there are classes.
    pub(crate) fn latent(scores: Option<ClassScores>) -> Link {
        scores.map_or(Link::Numbers, Link::Latent)
    }

    /// The link and the losses of a task, whose sizes and numbers are checked, and the unit of their outputs.
    ///
    /// # Errors
    /// Fewer than two classes with rows; targets or weights that are not finite.
    pub(crate) fn of(task: &Task<'_>, class_weight: ClassWeight, who: &str) -> Result<(Link, f64, Losses)> {
        if let Target::Classes { .. } = task.target {
            let (scores, likelihood) = ClassScores::of(task, class_weight, who)?;
            let loss = if scores.outputs() == 1 { Loss::Logistic } else { Loss::Softmax };
            return Ok((Link::Latent(scores), 1.0, Losses::new(loss, likelihood.indicators(), likelihood.weights().to_vec())?));
        }
        let checked = outputs(task, who)?;
        let n = task.rows();
        // Numbers of size 1 at most have squares, whatever their unit.
        let most = checked.data().iter().fold(0.0f64, |m, y| m.max(y.abs()));
        let scale = if most > 0.0 { most } else { 1.0 };
        let y = Matrix::from_fn(checked.cols(), n, |o, i| checked[(i, o)] / scale);
        let weights = task.all_weights();
        Ok((Link::Numbers, scale, Losses::new(Loss::Squared, y, weights)?))
    }

    /// Classes that have names, where classes are predicted.
    pub(crate) fn classes(&self) -> Option<usize> {
        match self {
            Link::Numbers => None,
            Link::Indicators(classes) => Some(*classes),
            Link::Margins(scores) | Link::Latent(scores) => Some(scores.classes),
        }
    }

    /// An error unless so many outputs fit it, which a damaged model file may bring about.
    pub(crate) fn check(&self, outputs: usize) -> Result<()> {
        match self {
            Link::Numbers | Link::Indicators(_) => Ok(()),
            Link::Margins(scores) | Link::Latent(scores) => scores.check(outputs),
        }
    }

    /// Predictions from checked outputs, M x C.
    pub(crate) fn predictions(&self, f: Matrix, want: Want) -> Predictions {
        match self {
            Link::Numbers | Link::Indicators(_) => decide(f, self.classes(), want),
            Link::Margins(scores) => decide(scores.scores(f), self.classes(), want),
            Link::Latent(scores) => {
                let probabilities = scores.probabilities(&f);
                scores.predictions(f, probabilities, want)
            }
        }
    }
}

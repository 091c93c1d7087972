//! The four models behind `gp`, and what a fit of each leaves.

use super::classes::{GpClassification, GpOfClasses};
use super::exact::ExactRegression;
use super::fitted_exact::{GpOfNumbers, Process, Scale};
use super::fitted_inducing::GpOfInducing;
use super::inducing::InducingRegression;
use super::likelihood::{GpOfLikelihood, LikelihoodRegression};
use crate::data::TargetInfo;
use crate::error::Result;
use crate::estimators::{Answer, Criterion, Expansion, Fitted, GradientQuery, Near, PredictionGradient, Predictions, Query, Summary, Task};
use crate::linalg::{Lower, Matrix};
use serde::{Deserialize, Serialize};

/// A Gaussian process whose parameters are settled, by what is observed of its function.
pub(super) enum GpModel {
    /// Numbers with normal noise: exact.
    Numbers(ExactRegression),
    /// Numbers with normal noise, through inducing rows.
    Inducing(InducingRegression),
    /// Classes: by Laplace's approximation or expectation propagation.
    Classes(GpClassification),
    /// Numbers under another likelihood: by Laplace's approximation.
    Likelihood(LikelihoodRegression),
}

impl GpModel {
    pub(super) fn fit(&self, task: &Task<'_>) -> Result<FittedGp> {
        match self {
            GpModel::Numbers(model) => model.fit(task).map(FittedGp::Numbers),
            GpModel::Inducing(model) => model.fit(task).map(FittedGp::Inducing),
            GpModel::Classes(model) => model.fit(task).map(FittedGp::Classes),
            GpModel::Likelihood(model) => model.fit(task).map(FittedGp::Likelihood),
        }
    }

    /// Minus the log evidence; a mode is found from the one nearby and left for the next value.
    pub(super) fn criterion(&self, task: &Task<'_>, near: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        match self {
            GpModel::Numbers(model) => model.criterion(task).map(|criterion| (criterion, None)),
            GpModel::Inducing(model) => model.criterion(task, near),
            GpModel::Classes(model) => model.criterion(task, near),
            GpModel::Likelihood(model) => model.criterion(task, near),
        }
    }

    /// The evidence for a few variances of the noise, where that is cheaper than one by one.
    pub(super) fn criterion_along_noise(&self, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        match self {
            GpModel::Numbers(model) => model.criterion_along_noise(values, task).map(Some),
            GpModel::Inducing(model) => model.criterion_along_noise(values, task).map(Some),
            GpModel::Classes(_) | GpModel::Likelihood(_) => Ok(None),
        }
    }

    /// The exact model, where it is that: rows left out have a closed form there.
    pub(super) fn exact(&self) -> Option<&ExactRegression> {
        match self {
            GpModel::Numbers(model) => Some(model),
            GpModel::Inducing(_) | GpModel::Classes(_) | GpModel::Likelihood(_) => None,
        }
    }
}

/// A fitted Gaussian process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FittedGp {
    /// Of numbers.
    Numbers(GpOfNumbers),
    /// Of numbers, through inducing rows.
    Inducing(GpOfInducing),
    /// Of classes.
    Classes(GpOfClasses),
    /// Of numbers that are not normal around the function.
    Likelihood(GpOfLikelihood),
}

impl FittedGp {
    /// The fit of whichever model it is.
    fn fitted(&self) -> &dyn Fitted {
        match self {
            FittedGp::Numbers(f) => f,
            FittedGp::Inducing(f) => f,
            FittedGp::Classes(f) => f,
            FittedGp::Likelihood(f) => f,
        }
    }

    /// A process of numbers that another program has solved, with a factor L of C = L L' of its rows: `noise` of new targets and the mean and
    /// deviation of each output, in which its expansion is written.
    ///
    /// # Errors
    /// A factor that is none: not square, with a number that is not finite or a pivot that is not above 0.
    pub(crate) fn solved_elsewhere(
        expansion: Expansion,
        factor: Matrix,
        noise: f64,
        scales: Vec<(f64, f64)>,
        summary: Summary,
    ) -> Result<FittedGp> {
        let scales = scales.into_iter().map(|(mean, deviation)| Scale { mean, deviation }).collect();
        let process = Process { noise, variance: 1.0, scales };
        Ok(FittedGp::Numbers(GpOfNumbers::solved_elsewhere(expansion, process, Lower::of_factor(factor)?, summary)))
    }

    /// The expansion of the mean of the function, or of the latent functions of classes.
    pub fn expansion(&self) -> &Expansion {
        match self {
            FittedGp::Numbers(f) => f.expansion(),
            FittedGp::Inducing(f) => f.expansion(),
            FittedGp::Classes(f) => f.expansion(),
            FittedGp::Likelihood(f) => f.expansion(),
        }
    }
}

impl Fitted for FittedGp {
    fn support(&self) -> &[usize] {
        self.fitted().support()
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.fitted().predict(query)
    }
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        self.fitted().predict_gradient(query)
    }
    fn summary(&self) -> &Summary {
        self.fitted().summary()
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        self.fitted().answer(target)
    }
    fn expansion(&self) -> Option<&Expansion> {
        self.fitted().expansion()
    }
    fn forget_rows(&mut self) {
        if let FittedGp::Numbers(f) = self {
            f.forget_rows();
        }
    }
    fn factor(&self) -> Option<&Lower> {
        self.fitted().factor()
    }
}

//! A kernel machine that another program has solved, and the [`Model`] that it becomes.

use crate::control::Control;
use crate::data::{Column, Dataset, Schema, TargetInfo, Values};
use crate::error::{Error, Result};
use crate::estimators::{
    Calibrated, EstimatorExpr, Expansion, ExpansionFit, Fitted, FittedGp, FittedModel, FittedOneClass, FittedSvc, Sigmoid, Summary,
    pairs_among,
};
use crate::kernels::KernelExpr;
use crate::learner::{About, Model};
use crate::linalg::Matrix;
use crate::notice::Notice;
use crate::prep::{self, Complete, Missing, PrepStep};

/// What another program has solved: `f(x) = sum_s coef[s, o] k(support_s, x) + bias[o]`, or by weights of features.
pub struct SolvedElsewhere {
    /// The program, for messages.
    pub program: String,
    /// The estimator that solves such problems here; a parameter that the program does not tell may stay open.
    pub estimator: EstimatorExpr,
    /// The kernel, all of whose parameters are numbers.
    pub kernel: KernelExpr,
    /// The rows of the expansion; without rows where it has weights.
    pub support: Dataset,
    /// Coefficients of these rows. Outputs of classes are those of their pairs, above 0 for the second of two, or of linear machines
    /// one a class, one alone for two.
    pub expansion: Expansion,
    /// The sigmoid of each pair of classes; none: there are no probabilities.
    pub sigmoids: Vec<Sigmoid>,
    /// What `gp` has besides an expansion.
    pub process: Option<SolvedProcess>,
    /// What is predicted.
    pub target: TargetInfo,
    /// Rows that the program was trained on, where it tells; otherwise those that are kept count.
    pub rows: Option<usize>,
    /// Whether the program says that it converged.
    pub converged: bool,
    /// What was left out.
    pub notices: Vec<Notice>,
}

/// What a Gaussian process has besides the expansion of its mean.
pub struct SolvedProcess {
    /// L of C = L L' of the training rows, N x N; the upper triangle is not read.
    pub factor: Matrix,
    /// Variance of the noise of a new target, in units of the deviations.
    pub noise: f64,
    /// Mean and deviation of each output.
    pub scales: Vec<(f64, f64)>,
}

impl SolvedElsewhere {
    /// The model: its rows stay as they are, and a missing cell of a new row is refused.
    ///
    /// # Errors
    /// Parts that do not fit together; an estimator that takes no solution of others; numbers that are not finite.
    pub fn into_model(self, control: &Control) -> Result<Model> {
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        let weights = self.expansion.weights.as_ref().map_or(&[][..], Matrix::data);
        if ![self.expansion.coef.data(), &self.expansion.bias, weights].into_iter().all(finite) {
            return Err(Error::Data(format!("a coefficient of the model of {} is not finite; fit it again there", self.program)));
        }
        let kept = self.expansion.support.len();
        let summary = Summary {
            converged: self.converged,
            notes: vec![format!("coefficients are those of {}: they have no certificate", self.program)],
            ..Summary::default()
        };
        let kernel = self.kernel.settle_weighed(&self.support, None)?.learn(&self.support, None, control)?;
        let about = About {
            version: env!("CARGO_PKG_VERSION").into(),
            rows: self.rows.unwrap_or(kept),
            asked_kernel: self.kernel.to_string(),
            asked_estimator: self.estimator.to_string(),
            seed: 0,
            tuning: None,
            notices: self.notices,
            warnings: Vec::new(),
            left_out: Vec::new(),
        };
        let prep = prep::Fitted { schema: Schema::of(&self.support), steps: complete(&self.support) };
        let fitted = fitted(&self.estimator, self.expansion, (self.sigmoids, self.process), &self.target, summary)?;
        let answer = fitted.answer(&self.target)?;
        let model = Model {
            prep,
            kernel,
            estimator: self.estimator,
            support: self.support.into(),
            fitted,
            answer,
            cut: None,
            conformal: None,
            about,
        };
        model.check(control)?;
        Ok(model)
    }
}

/// The step that refuses missing numbers.
fn complete(rows: &Dataset) -> Vec<PrepStep> {
    let is_number = |c: &&Column| matches!(c.values, Values::Numbers(_));
    let columns: Vec<_> = rows.columns().iter().filter(is_number).map(|c| (c.name.clone(), Missing::Error)).collect();
    if columns.is_empty() { Vec::new() } else { vec![PrepStep::Complete(Complete { columns })] }
}

/// The fitted form of an estimator.
fn fitted(
    estimator: &EstimatorExpr,
    expansion: Expansion,
    (sigmoids, process): (Vec<Sigmoid>, Option<SolvedProcess>),
    target: &TargetInfo,
    summary: Summary,
) -> Result<FittedModel> {
    let classes = target.classes.as_ref().map(Vec::len);
    let fitted = match (estimator, classes, process) {
        (EstimatorExpr::Svc(_), Some(classes), None) => FittedModel::Svc(FittedSvc::solved_elsewhere(expansion, classes, summary)),
        (EstimatorExpr::NuSvc(_), Some(classes), None) => FittedModel::NuSvc(FittedSvc::solved_elsewhere(expansion, classes, summary)),
        (EstimatorExpr::LinearSvc(_), Some(_), None) => FittedModel::LinearSvc(ExpansionFit::solved_elsewhere(expansion, classes, summary)),
        (EstimatorExpr::Logistic(_), Some(2), None) => FittedModel::Logistic(ExpansionFit::logit_solved_elsewhere(expansion, summary)),
        (EstimatorExpr::Svr(_), None, None) => FittedModel::Svr(ExpansionFit::solved_elsewhere(expansion, None, summary)),
        (EstimatorExpr::NuSvr(_), None, None) => FittedModel::NuSvr(ExpansionFit::solved_elsewhere(expansion, None, summary)),
        (EstimatorExpr::LinearSvr(_), None, None) => FittedModel::LinearSvr(ExpansionFit::solved_elsewhere(expansion, None, summary)),
        (EstimatorExpr::Ridge(_), None, None) => FittedModel::Ridge(ExpansionFit::solved_elsewhere(expansion, None, summary)),
        (EstimatorExpr::OneClass(_), None, None) => FittedModel::OneClass(FittedOneClass::solved_elsewhere(expansion, summary)),
        (EstimatorExpr::Gp(_), None, Some(SolvedProcess { factor, noise, scales })) => {
            FittedModel::Gp(FittedGp::solved_elsewhere(expansion, factor, noise, scales, summary)?)
        }
        _ => {
            let why = "takes no such solution of another program";
            return Err(Error::Setting { name: estimator.name().into(), why: why.into() });
        }
    };
    let Some(classes) = classes.filter(|_| !sigmoids.is_empty()) else { return Ok(fitted) };
    let pairs: Vec<(usize, usize)> = pairs_among(classes).collect();
    Error::unless_equal("sigmoids of pairs of classes", pairs.len(), sigmoids.len())?;
    Ok(FittedModel::Calibrated(Calibrated::by_sigmoids(fitted, classes, pairs, sigmoids)))
}

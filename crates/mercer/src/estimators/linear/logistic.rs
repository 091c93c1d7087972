//! Kernel logistic regression: two classes by one function, several by a softmax over one function each.
//!
//! ```text
//! minimise  sum_i w_i l(y_i, g(x_i) + b) + (lambda/2) sum_c ||g_c||^2,     l = log sum_k e^f_k - f_y
//! ```
//!
//! with constants b that are not penalised. It is the mode of latent functions with the prior covariance S = K / lambda, and is found
//! by `solve::mode`; the certificate is its duality gap. Laplace's approximation of the evidence of that model chooses lambda and
//! kernel parameters, with constants at their best (Rasmussen & Williams 2006, 3.4 and 3.5). M29.

use crate::data::Kind;
use crate::error::Result;
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::link::Link;
use crate::estimators::{
    Certificate, ClassWeight, Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Expansion, ExpansionFit, Fit, FitContext, Gives,
    Near, Scores, Size, Summary, Task, When,
};
use crate::gram;
use crate::linalg::{Matrix, product_within};
use crate::param::Value;
use crate::solve::feature_mode::Features;
use crate::solve::likelihood::{ClassLikelihood, Likelihood};
use crate::solve::mode::{self, Mode};
use crate::solve::{feature_laplace, laplace};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The relative duality gap that a fit is asked to reach.
pub(crate) const TOLERANCE: f64 = 1e-8;

/// Kernel logistic regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// strength of the penalty, in the units of the kernel; c = 1/lambda
    #[param(domain = Positive, search = 1e4)]
    pub lambda: Value,
    /// whether to add an unpenalised intercept per output
    #[param(default = true)]
    pub intercept: bool,
    /// none: rows count by their own weights; balanced: classes have equal total weight
    pub class_weight: ClassWeight,
}

/// The criterion over features and its derivatives.
pub(crate) struct OfFeatures {
    pub(crate) value: f64,
    /// N x m.
    pub(crate) by_features: Matrix,
    pub(crate) by_lambda: f64,
    /// The coefficients of the mode.
    pub(crate) alpha: Matrix,
}

/// Latent functions of another fit at the training rows (N x outputs), without their constants.
pub(crate) struct Start {
    latent: Matrix,
    constants: Vec<f64>,
}

impl Start {
    /// Those of an expansion in all rows of a task; `None` of another.
    pub(crate) fn of(expansion: &Expansion, task: &Task<'_>) -> Result<Option<Start>> {
        if expansion.support.len() != task.rows() {
            return Ok(None);
        }
        let latent = expansion.predict(task.gram()?, task.control)?;
        Ok(Some(Start { latent, constants: expansion.bias.clone() }))
    }

    /// The coefficients of these functions: a mode has the slopes of the loss for coefficients, times a number where the prior covariance
    /// is another multiple of the same matrix. `None` where there are none.
    fn coefficients(&self, likelihood: &ClassLikelihood, multiply: &dyn Fn(&Matrix) -> Result<Matrix>) -> Result<Option<Matrix>> {
        if self.latent.cols() != likelihood.outputs() {
            return Ok(None);
        }
        let mut alpha = likelihood.at(&self.latent).residual;
        let along = multiply(&alpha)?;
        let function = Matrix::from_fn(self.latent.rows(), self.latent.cols(), |i, o| self.latent[(i, o)] - self.constants[o]);
        let share = gram::dot(along.data(), function.data()) / gram::dot(along.data(), along.data());
        alpha.data_mut().iter_mut().for_each(|a| *a *= share);
        Ok(share.is_finite().then_some(alpha))
    }
}

impl Logistic {
    fn problem(&self, task: &Task<'_>) -> Result<(f64, ClassScores, ClassLikelihood)> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let (scores, likelihood) = ClassScores::of(task, self.class_weight, Self::NAME)?;
        Ok((lambda, scores, likelihood))
    }
}

/// How the search of a mode ended.
pub(crate) fn summary(mode: &Mode) -> Summary {
    summary_at(mode.iterations, mode.objective, mode.relative_gap())
}

/// How a fit ended after so many steps, by the objective and the relative duality gap.
pub(super) fn summary_at(iterations: usize, objective: f64, gap: f64) -> Summary {
    Summary {
        iterations,
        converged: gap <= TOLERANCE,
        objective: Some(objective),
        certificate: Some(Certificate { name: "relative duality gap".into(), value: gap, tolerance: TOLERANCE }),
        ..Summary::default()
    }
}

/// Operations of products with the Gram matrix for each of its numbers and each output.
pub(crate) const NEWTON_PRODUCTS: f64 = 200.0;

/// Operations of Newton's method over few features: ten times all products of these, for each output.
pub(crate) fn newton_over_features(rows: f64, rank: usize, outputs: f64) -> f64 {
    20.0 * rows * (rank as f64).powi(2) * outputs
}

impl Estimator for Logistic {
    const NAME: &'static str = "logistic";
    const DOC: &'static str = "kernel logistic regression: probabilities of two classes, or of several by a softmax";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::evidence("negative log evidence by Laplace's approximation"));
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES }
    }

    /// Coefficients that sum to 0 see nothing of f(z), and the constant takes up f(x).
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: self.intercept, ..EstimatorFacts::default() }
    }

    /// Newton's method: a factor and some fifty products with the Gram matrix, for each class where there are more than two; over few
    /// features ten matrices of their products. A criterion takes a factor and an inverse for two classes; for more one each, a
    /// triangular solve and a product.
    fn costs(&self, size: Size) -> Costs {
        let (n, several) = (size.rows as f64, size.outputs > 2);
        let latent = if several { size.outputs as f64 } else { 1.0 };
        let costs = bordered::costs(size, 20, latent / 3.0);
        let steps = size.few().map_or(NEWTON_PRODUCTS * n * n * size.outputs as f64, |rank| newton_over_features(n, rank, latent));
        // Steps over more features than a cache holds wait for memory.
        let pace = if size.few().is_some() { 2.0 } else { 1.0 };
        Costs { fit: costs.fit + steps, pace, criterion: if several { 3.0 * latent + 1.0 } else { 2.0 } * n.powi(3), ..costs }
    }

    /// lambda: a tenth of the mean k(x, x).
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(0.1 * task.mean_square()?)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        let start = context.earlier.map(|e| Start::of(&e.expansion, task)).transpose()?.flatten();
        Ok(self.fit_near(task, start.as_ref())?.into())
    }

    /// -log q(y) by Laplace's approximation, of which less than one unit is no evidence worth the name (Kass and Raftery 1995, Bayes
    /// factors). With G = d(-log q)/dS and S = K / lambda, dV/dK = G / lambda and dV/dlambda = -tr(G S) / lambda.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.criterion_by(task, None).map(|(criterion, _)| criterion)
    }

    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.criterion_by(task, Near::alpha(last)).map(|(criterion, alpha)| (criterion, Some(Near::mode(alpha))))
    }
}

impl Logistic {
    /// The fit, over kernel values from a start.
    pub(crate) fn fit_near(&self, task: &Task<'_>, start: Option<&Start>) -> Result<ExpansionFit> {
        let (lambda, scores, likelihood) = self.problem(task)?;
        let (n, control) = (task.rows(), task.control);
        let scaled = |mut v: Matrix| {
            v.data_mut().iter_mut().for_each(|v| *v /= lambda);
            v
        };
        let (mode, weights) = match task.few_features() {
            Some(z) => {
                let features = Features { z: &z, lambda, constants: self.intercept };
                let (mode, weights) = features.mode(&likelihood, None, control)?;
                (mode, Some(weights))
            }
            None => {
                let k = gram::dense(task.gram()?, control)?;
                let multiply = |v: &Matrix| product_within(&k, v, control).map(scaled);
                let start = start.map(|start| start.coefficients(&likelihood, &multiply)).transpose()?.flatten();
                let mode = match start {
                    Some(alpha) => mode::find_from(&likelihood, &alpha, &multiply, self.intercept, control)?,
                    None => mode::find(&likelihood, n, &multiply, self.intercept, control)?,
                };
                (mode, None)
            }
        };
        let mut summary = summary(&mode);
        if scores.separates(task, &mode.latent) {
            summary.notes.push(
                "every training row lies on the side of its own class: the penalty (lambda) alone keeps the functions finite, and probabilities are as sure as it allows".into(),
            );
        }
        let expansion = Expansion::new((0..n).collect(), scaled(mode.alpha), mode.constants);
        let expansion = match weights {
            Some(weights) => expansion.with_weights(weights),
            None => expansion,
        };
        Ok(ExpansionFit::new(expansion, Link::Latent(scores), summary))
    }

    fn criterion_by(&self, task: &Task<'_>, last: Option<&Matrix>) -> Result<(Criterion, Matrix)> {
        let (lambda, _, likelihood) = self.problem(task)?;
        let control = task.control;
        let mut s = gram::dense(task.gram()?, control)?;
        s.data_mut().iter_mut().for_each(|v| *v /= lambda);
        let multiply = |v: &Matrix| product_within(&s, v, control);
        let mode = match last.filter(|alpha| alpha.rows() == task.rows()) {
            Some(alpha) => mode::find_near(&likelihood, alpha, &multiply, self.intercept, control)?,
            None => mode::find(&likelihood, task.rows(), &multiply, self.intercept, control)?,
        };
        let laplace::Evidence { value, mut weights } = laplace::evidence(&s, &mode, &likelihood, self.intercept, control)?;
        let trace = gram::dot(weights.data(), s.data());
        weights.data_mut().iter_mut().for_each(|v| *v /= lambda);
        Ok((Criterion { value, weights: weights.into(), own: vec![("lambda", -trace / lambda)], indifference: 1.0 }, mode.alpha))
    }

    /// The criterion where K = Z Z' with few features Z, in the space of their weights.
    pub(crate) fn criterion_of_features(&self, z: &Matrix, task: &Task<'_>, last: Option<&Matrix>) -> Result<OfFeatures> {
        let (lambda, _, likelihood) = self.problem(task)?;
        let (control, root) = (task.control, lambda.sqrt());
        let mut scaled = z.clone();
        scaled.data_mut().iter_mut().for_each(|v| *v /= root);
        let near = last.filter(|alpha| alpha.rows() == task.rows());
        let features = Features { z: &scaled, lambda: 1.0, constants: self.intercept };
        let mode = features.mode(&likelihood, near, control)?.0;
        let feature_laplace::Evidence { value, mut by_features } =
            feature_laplace::evidence(&scaled, &mode, &likelihood, self.intercept, control)?;
        let by_lambda = -0.5 * gram::dot(by_features.data(), scaled.data()) / lambda;
        by_features.data_mut().iter_mut().for_each(|v| *v /= root);
        Ok(OfFeatures { value, by_features, by_lambda, alpha: mode.alpha })
    }
}

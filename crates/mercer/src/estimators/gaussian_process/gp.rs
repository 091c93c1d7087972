//! Gaussian processes: the parameters of `gp`, and which of the models in `model` they state for a target.

use super::classes::{self, GpClassification};
use super::exact::ExactRegression;
use super::fitted_exact::Scale;
use super::inducing::{self, InducingRegression};
use super::likelihood::LikelihoodRegression;
use super::model::{FittedGp, GpModel};
use super::tempering;
use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered;
use crate::estimators::{
    Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Fit, FitContext, Gives, LeaveOneOut, Near, Predictions, Scores, Size, Task,
    When,
};
use crate::gram::Gram;
use crate::param::{Choice, Value};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Gaussian process regression and classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Gp {
    /// noise variance, in units of the target's variance if the target is standardised (regression only)
    #[param(domain = NonNegative, search = 1e4)]
    pub noise: Value,
    /// variance of the function, in the same units: a factor on the kernel
    #[param(domain = Positive, search = 1e3)]
    pub variance: Value,
    /// standardise the target to mean 0 and variance 1 (regression only)
    #[param(default = true)]
    pub standardise_target: bool,
    /// posterior approximation (classification only). laplace: at the mode; ep: expectation propagation, for two classes: slower, more
    /// accurate
    #[serde(default)]
    pub inference: Inference,
    /// scale the Laplace covariance by a temperature of at most 1, chosen by leave-one-out log loss (classification only; 1 where the
    /// kernel learns from the rows); without it probabilities are underconfident where the variance is large
    #[param(default = true)]
    #[serde(default = "yes")]
    pub tempered: bool,
    /// observation model (regression only). gaussian; student_t: robust to outliers, with noise the square of its scale; poisson: counts
    /// whose log rate is the function. The last two use Laplace's approximation
    #[serde(default)]
    pub likelihood: NumberLikelihood,
    /// degrees of freedom of student_t, above 2
    #[param(default = usual_degrees(), domain = PositiveFinite)]
    #[serde(default = "usual_degrees")]
    pub degrees: Value,
    /// training rows through which all others are seen (regression with the gaussian likelihood only): the greedy rows of greatest
    /// variance, for many rows; all rows where there are fewer; inf: every row, exact
    #[param(default = f64::INFINITY, domain = IntegerOrInfinite(1))]
    #[serde(default = "all_rows")]
    pub inducing: Value,
}

fn all_rows() -> Value {
    Value::Number(f64::INFINITY)
}

fn yes() -> bool {
    true
}

fn usual_degrees() -> Value {
    Value::Number(4.0)
}

/// How numbers lie around the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum NumberLikelihood {
    /// Normally.
    #[default]
    Gaussian,
    /// Student's t, robust to outliers.
    StudentT,
    /// As counts with a rate whose logarithm is the function.
    Poisson,
}

impl NumberLikelihood {
    /// Its name in expressions.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// How the posterior of latent functions of classes is approximated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Inference {
    /// By a normal distribution around the mode.
    #[default]
    Laplace,
    /// By expectation propagation, for two classes.
    Ep,
}

/// For no more values of the noise a factor each is cheaper than derivatives.
pub(crate) const FEW_VALUES: usize = 8;

impl Gp {
    /// Variance of the targets in the units in which they are fitted, a mean over outputs.
    fn variance_of(&self, target: &Target, weights: Option<&[f64]>) -> f64 {
        match target {
            Target::Numbers(_) if self.likelihood == NumberLikelihood::Poisson => 1.0,
            Target::Numbers(y) if !self.standardise_target && y.cols() > 0 => {
                let total: f64 = (0..y.cols()).map(|o| Scale::of(weights, y, o, true).deviation.powi(2)).sum();
                total / y.cols() as f64
            }
            _ => 1.0,
        }
    }

    /// Whether rows are seen through inducing ones.
    pub(crate) fn has_inducing_rows(&self) -> bool {
        self.inducing != all_rows()
    }

    /// The model of such a target, its parameters settled.
    fn model(&self, target: Kind) -> Result<GpModel> {
        let number = |name, value| settled::<Self>(name, value);
        let exact = || -> Result<ExactRegression> {
            Ok(ExactRegression {
                noise: number("noise", &self.noise)?,
                variance: number("variance", &self.variance)?,
                standardise: self.standardise_target,
            })
        };
        match (target, self.likelihood) {
            (Kind::Classes, _) if self.has_inducing_rows() => Err(inducing::refuse("classes")),
            (Kind::Classes, _) => Ok(GpModel::Classes(GpClassification {
                variance: number("variance", &self.variance)?,
                inference: self.inference,
                tempered: self.tempered,
            })),
            (_, NumberLikelihood::Gaussian) if self.has_inducing_rows() => {
                Ok(GpModel::Inducing(InducingRegression { exact: exact()?, count: number("inducing", &self.inducing)? as usize }))
            }
            (_, NumberLikelihood::Gaussian) => exact().map(GpModel::Numbers),
            (_, likelihood) if self.has_inducing_rows() => Err(inducing::refuse(&format!("likelihood={}", likelihood.name()))),
            (_, likelihood) => Ok(GpModel::Likelihood(LikelihoodRegression {
                likelihood,
                variance: number("variance", &self.variance)?,
                noise: number("noise", &self.noise)?,
                degrees: number("degrees", &self.degrees)?,
                standardise: self.standardise_target,
            })),
        }
    }
}

impl Gp {
    /// The model through inducing rows.
    fn inducing_model(&self, target: Kind) -> Result<InducingRegression> {
        match self.model(target)? {
            GpModel::Inducing(model) => Ok(model),
            _ => Err(Error::Setting { name: "inducing".into(), why: "there are no inducing rows; fit gp(inducing=500)".into() }),
        }
    }

    /// The criterion through inducing inputs that stand behind the training rows in a Gram matrix, with derivatives by its values.
    pub(crate) fn criterion_behind(&self, among: &dyn Gram, task: &Task<'_>) -> Result<Criterion> {
        self.inducing_model(task.target.kind())?.criterion_behind(among, task)
    }

    /// The fit through inducing inputs that stand behind the training rows in a Gram matrix, and are numbered so.
    pub(crate) fn fit_behind(&self, among: &dyn Gram, task: &Task<'_>) -> Result<FittedGp> {
        self.inducing_model(task.target.kind())?.fit_behind(among, task).map(FittedGp::Inducing)
    }
}

impl Estimator for Gp {
    const NAME: &'static str = "gp";
    const DOC: &'static str = "Gaussian processes: means and variances of numbers, probabilities of classes, evidence";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::evidence("negative log evidence"));
    type Fitted = FittedGp;

    fn gives(&self) -> Gives {
        Gives {
            scores: Scores::Classes,
            probabilities: When::Of(Kind::Classes),
            variance: When::Of(Kind::Numbers),
            covariance: When::Of(Kind::Numbers),
            leave_one_out: if self.has_inducing_rows() || self.likelihood != NumberLikelihood::Gaussian {
                LeaveOneOut::None
            } else {
                LeaveOneOut::ClosedForm(When::Of(Kind::Numbers))
            },
            ..Gives::VALUES
        }
    }

    /// The weight of a row divides the variance of its noise.
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { takes_weights_of_any_unit: true, reads_few_values: self.has_inducing_rows(), ..EstimatorFacts::default() }
    }
    /// Of numbers a Cholesky factor, which is kept, and a variance for every prediction. Of classes two to three factors until the mode
    /// is found (of several classes three for each), triangular solves, and as many rows as a temperature asks for. A criterion takes a
    /// factor and an inverse; of more than two classes one each, a triangular solve and a product.
    fn costs(&self, size: Size) -> Costs {
        let (n, several) = (size.rows as f64, size.classes && size.outputs > 2);
        if self.has_inducing_rows() {
            return inducing::costs(size, self.inducing.number());
        }
        if !size.classes {
            let costs = bordered::costs(size, 8, 1.0 / 3.0);
            let wide = size.few().unwrap_or(size.rows) as f64;
            let factor = if size.few().is_none() { 4 * (size.rows as u64).pow(2) } else { 0 };
            return Costs { bytes: costs.bytes + factor, prediction: costs.prediction + wide.powi(2), ..costs };
        }
        let latent = if several { size.outputs } else { 1 };
        let (problems, factors) = if several { (3.0 * latent as f64, 1.0 / 3.0) } else { (1.0, 0.75) };
        let asked = if self.tempered { size.rows.min(tempering::MOST_ROWS) as f64 } else { 0.0 };
        let costs = size.by_values().costs();
        let numbers = size.rows * size.rows * (5 + 2 * latent) / 2 + 20 * size.rows * latent;
        Costs {
            bytes: 8 * numbers as u64 + classes::bytes(size.rows, size.rows, latent),
            fit: problems * n * n * (factors * n + 400.0 + asked),
            prediction: costs.prediction + if several { 2.0 * latent as f64 } else { 1.0 } * n * n,
            criterion: if several { 3.0 * latent as f64 + 1.0 } else { 2.5 } * n.powi(3),
            ..costs
        }
    }

    fn uses(&self, param: &str, target: Kind) -> bool {
        match param {
            "variance" => true,
            "noise" => target != Kind::Classes && self.likelihood != NumberLikelihood::Poisson,
            "degrees" => target != Kind::Classes && self.likelihood == NumberLikelihood::StudentT,
            _ => target != Kind::Classes,
        }
    }

    /// A tenth of the target's variance is noise, all of it is the function's; the target's variance is 1 if it is standardised, and for
    /// the logarithm of a rate.
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        if param == "degrees" {
            return Ok(usual_degrees().number());
        }
        let share = if param == "noise" { 0.1 } else { 1.0 };
        Ok(share * self.variance_of(task.target, task.weights))
    }

    /// The function's variance is left to the kernel where `variance` is given.
    fn amplitude(&self, target: &Target, weights: Option<&[f64]>) -> f64 {
        self.variance_of(target, weights) / self.variance.number()
    }

    /// Rows that the kernel has learnt from are no judges of a temperature.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedGp>) -> Result<Fit<FittedGp>> {
        let gp = Gp { tempered: self.tempered && context.hold.kernel.is_none(), ..self.clone() };
        Ok(gp.model(task.target.kind())?.fit(task)?.into())
    }

    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.criterion_near(task, None).map(|(criterion, _)| criterion)
    }

    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        self.model(task.target.kind())?.criterion(task, last)
    }

    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        if param != "noise" || values.len() > FEW_VALUES {
            return Ok(None);
        }
        self.model(task.target.kind())?.criterion_along_noise(values, task)
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        self.model(task.target.kind())?.exact().map(|model| model.leave_one_out(task)).transpose()
    }
}

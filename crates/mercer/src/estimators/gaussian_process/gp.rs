//! Gaussian processes: of classes see `gp_classes`; regression, t = f(x) + noise with f ~ GP(0, variance k), exactly.
//!
//! C = variance K + noise W^-1, alpha = C^-1 t; the mean at x is variance k(x)' alpha, the variance of f there
//! variance k(x, x) - ||L^-1 variance k(x)||^2 with C = L L', and log p(t) = -t'alpha/2 - log det(C)/2 - N log(2 pi)/2
//! (Rasmussen & Williams 2006, algorithm 2.1). Leave-one-out: mean t_i - alpha_i / [C^-1]_ii, variance of the
//! target 1 / [C^-1]_ii (ibid., 5.4.2). No inverse is formed for a prediction.
//!
//! A row of weight w has noise / w: means and variances are those of w equal rows; the evidence is not, because
//! w rows are more data than one.

use super::fitted_gp::{FittedGp, GpOfNumbers, Process, Scale};
use super::gp_classes;
use super::gp_numbers;
use super::tempering;
use crate::control::Control;
use crate::data::{Kind, Target};
use crate::error::{Error, Result};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered;
use crate::estimators::systems::primal::Primal;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{Costs, Criterion, Estimator, Gives, Near, Needs, Predicted, Predictions, Scores, Size, Task, When};
use crate::gram;
use crate::linalg::{Cholesky, Matrix};
use crate::param::{Domain, Param, Value};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Gaussian process regression and classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gp {
    /// Noise variance (regression only).
    pub noise: Value,
    /// Variance of the function: a factor on the kernel.
    pub variance: Value,
    /// Whether the target is shifted and scaled to mean 0 and variance 1 first; `noise` and `variance` are then in those units.
    pub standardise_target: bool,
    /// How the posterior of classes is approximated.
    #[serde(default)]
    pub inference: Inference,
    /// Whether Laplace's approximation for classes has a temperature: see `tempering`.
    #[serde(default = "yes")]
    pub tempered: bool,
    /// How numbers lie around the function.
    #[serde(default)]
    pub likelihood: NumberLikelihood,
    /// Degrees of freedom of Student's t.
    #[serde(default = "usual_degrees")]
    pub degrees: Value,
}

fn yes() -> bool {
    true
}

fn usual_degrees() -> Value {
    Value::Number(4.0)
}

/// How numbers lie around the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        match self {
            NumberLikelihood::Gaussian => "gaussian",
            NumberLikelihood::StudentT => "student_t",
            NumberLikelihood::Poisson => "poisson",
        }
    }
}

/// How the posterior of latent functions of classes is approximated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inference {
    /// By a normal distribution around the mode.
    #[default]
    Laplace,
    /// By expectation propagation, for two classes.
    Ep,
}

impl Default for Gp {
    fn default() -> Self {
        Gp {
            noise: Value::Auto,
            variance: Value::Auto,
            standardise_target: true,
            inference: Inference::Laplace,
            tempered: true,
            likelihood: NumberLikelihood::Gaussian,
            degrees: usual_degrees(),
        }
    }
}

/// The factorised covariance of the targets and what it makes of them.
pub(super) struct System {
    pub(super) cholesky: Cholesky,
    /// Standardised targets, N x outputs.
    pub(super) t: Matrix,
    /// C^-1 t.
    pub(super) alpha: Matrix,
    pub(super) process: Process,
}

/// From so many rows on few features are gone by; of fewer the factor of C itself is kept, which costs nothing then.
const PRIMAL_ROWS: usize = 2000;
/// For no more values of the noise a factor each is cheaper than derivatives.
pub(crate) const FEW_VALUES: usize = 8;
/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 8;
/// Numbers that one thread scales.
const PIECE: usize = 1 << 16;

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

    /// The numbers of a process whose numbers are not normal.
    fn settled(&self) -> Result<gp_numbers::Settled> {
        Ok(gp_numbers::Settled {
            likelihood: self.likelihood,
            variance: settled::<Self>("variance", &self.variance)?,
            noise: settled::<Self>("noise", &self.noise)?,
            degrees: settled::<Self>("degrees", &self.degrees)?,
            standardise: self.standardise_target,
        })
    }

    /// Checks the parameters and the task; the standardised targets.
    fn standardised(&self, task: &Task<'_>) -> Result<(Matrix, Process)> {
        let noise = settled::<Self>("noise", &self.noise)?;
        let variance = settled::<Self>("variance", &self.variance)?;
        task.target.as_numbers(Self::NAME)?;
        let mut t = outputs(task, Self::NAME)?;
        let scales: Vec<Scale> = (0..t.cols()).map(|o| Scale::of(task.weights, &t, o, self.standardise_target)).collect();
        for row in t.data_mut().chunks_exact_mut(scales.len().max(1)) {
            for (v, scale) in row.iter_mut().zip(&scales) {
                *v = (*v - scale.mean) / scale.deviation;
            }
        }
        Ok((t, Process { noise, variance, scales }))
    }

    /// The fit over few features, C = variance Z Z' + noise W^-1: a ridge regression with lambda = noise / variance, whose factor
    /// L L' = Z'W Z + lambda I gives variances noise |L^-1 phi|^2 and, by the lemma of the determinant,
    /// log det C = log det(L L' / lambda) + sum_i log(noise / w_i).
    fn fit_primal<'a>(&self, z: Cow<'a, Matrix>, task: &Task<'a>) -> Result<GpOfNumbers> {
        let (t, process) = self.standardised(task)?;
        let (n, lambda) = (t.rows(), process.noise / process.variance);
        let system = Primal::new(z, task, lambda, false)?;
        let found = system.solve(&t, task.control)?;
        // alpha of (K + lambda W^-1) alpha = t is variance times that of C.
        let mut alpha = system.dual(&t, &found);
        alpha.data_mut().iter_mut().for_each(|a| *a /= process.variance);
        let fit: f64 = t.data().iter().zip(alpha.data()).map(|(t, a)| t * a).sum();
        let noises: f64 = (0..n).map(|i| (process.noise / task.weight(i)).ln()).sum();
        let log_det = system.solver.log_det() - system.z.cols() as f64 * lambda.ln() + noises;
        let evidence = process.evidence(n, fit, log_det);
        GpOfNumbers::of_features(process, system.solver, found, alpha, evidence)
    }

    /// The prior covariance of the function.
    fn prior(process: &Process, task: &Task<'_>) -> Result<Matrix> {
        let mut prior = gram::dense(task.gram, task.control)?;
        if process.variance != 1.0 {
            prior.data_mut().par_chunks_mut(PIECE).for_each(|some| some.iter_mut().for_each(|v| *v *= process.variance));
        }
        Ok(prior)
    }

    /// Computes C and factorises it in place.
    fn system(&self, task: &Task<'_>) -> Result<System> {
        let (t, process) = self.standardised(task)?;
        let mut c = Self::prior(&process, task)?;
        c.add_to_diagonal(&(0..t.rows()).map(|i| process.noise / task.weight(i)).collect::<Vec<_>>());
        let cholesky = Cholesky::new(c, task.control)?;
        let alpha = cholesky.solve(&t, task.control)?;
        Ok(System { cholesky, t, alpha, process })
    }
}

impl System {
    /// sum_o t_o' alpha_o.
    fn fit(&self) -> f64 {
        self.t.data().iter().zip(self.alpha.data()).map(|(t, a)| t * a).sum()
    }

    /// The log density of the targets in their own units, summed over outputs.
    pub(super) fn evidence(&self) -> f64 {
        self.process.evidence(self.t.rows(), self.fit(), self.cholesky.log_det())
    }

    /// Iterative refinement of alpha; ||C alpha - t|| / ||t|| with C as it is without jitter.
    pub(super) fn refine(&mut self, control: &Control) -> Result<f64> {
        let size = self.t.norm();
        let minus = |a: &Matrix, b: &Matrix| Matrix::from_fn(a.rows(), a.cols(), |i, o| a[(i, o)] - b[(i, o)]);
        let share = |rest: &Matrix| if size > 0.0 { rest.norm() / size } else { rest.norm() };
        let mut rest = minus(&self.t, &self.cholesky.multiply(&self.alpha)?);
        for _ in 0..REFINEMENTS {
            if share(&rest) <= f64::EPSILON {
                break;
            }
            let step = self.cholesky.solve(&rest, control)?;
            let alpha = Matrix::from_fn(step.rows(), step.cols(), |i, o| self.alpha[(i, o)] + step[(i, o)]);
            let left = minus(&self.t, &self.cholesky.multiply(&alpha)?);
            let (before, now) = (rest.norm(), left.norm());
            if now.is_nan() || now >= before {
                break;
            }
            (self.alpha, rest) = (alpha, left);
            if now > 0.5 * before {
                break;
            }
        }
        Ok(share(&rest))
    }
}

impl Estimator for Gp {
    const NAME: &'static str = "gp";
    const DOC: &'static str = "Gaussian processes: means and variances of numbers, probabilities of classes, evidence";
    const PARAMS: &'static [Param] = &[
        Param::searched(
            "noise",
            "noise variance, in units of the target's variance if the target is standardised (regression only)",
            Domain::NonNegative,
            1e4,
        ),
        Param::searched("variance", "variance of the function, in the same units: a factor on the kernel", Domain::Positive, 1e3),
        Param::fixed("standardise_target", "standardise the target to mean 0 and variance 1 (regression only)", Domain::Flag),
        Param::fixed(
            "inference",
            "posterior approximation (classification only). laplace: at the mode; ep: expectation propagation, for two classes: slower, more accurate",
            Domain::Choice(&["laplace", "ep"]),
        ),
        Param::fixed(
            "tempered",
            "scale the Laplace covariance by a temperature of at most 1, chosen by leave-one-out log loss (classification only); without it probabilities are underconfident where the variance is large",
            Domain::Flag,
        ),
        Param::fixed(
            "likelihood",
            "observation model (regression only). gaussian; student_t: robust to outliers, with noise the square of its scale; poisson: counts whose log rate is the function. The last two use Laplace's approximation",
            Domain::Choice(&["gaussian", "student_t", "poisson"]),
        ),
        Param::fixed("degrees", "degrees of freedom of student_t, above 2", Domain::PositiveFinite),
    ];
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const GIVES: Gives = Gives {
        scores: Scores::Classes,
        probabilities: When::Of(Kind::Classes),
        variance: When::Of(Kind::Numbers),
        covariance: When::Of(Kind::Numbers),
        leave_one_out: When::Of(Kind::Numbers),
        ..Gives::VALUES
    };
    const NEEDS: Needs = Needs::MercerKernel;
    const CRITERION: Option<&'static str> = Some("negative log evidence");
    type Fitted = FittedGp;

    /// Of numbers a Cholesky factor, which is kept, and a variance for every prediction. Of classes two to three factors until the mode
    /// is found (of several classes three for each), triangular solves, and as many rows as a temperature asks for. A criterion takes a
    /// factor and an inverse; of more than two classes one each, a triangular solve and a product.
    fn costs(&self, size: Size) -> Costs {
        let (n, several) = (size.rows as f64, size.classes && size.outputs > 2);
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
            bytes: 8 * numbers as u64 + gp_classes::bytes(size.rows, size.rows, latent),
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

    fn fit(&self, task: &Task<'_>) -> Result<FittedGp> {
        if task.target.kind() == Kind::Classes {
            return gp_classes::fit(settled::<Self>("variance", &self.variance)?, self.inference, self.tempered, task)
                .map(FittedGp::Classes);
        }
        if self.likelihood != NumberLikelihood::Gaussian {
            return gp_numbers::fit(self.settled()?, task).map(FittedGp::Likelihood);
        }
        let many = task.rows() >= PRIMAL_ROWS;
        let fitted = match many.then(|| task.few_features()).flatten() {
            Some(z) => self.fit_primal(z, task),
            None => GpOfNumbers::new(self.system(task)?, task.control),
        };
        fitted.map(FittedGp::Numbers)
    }

    /// -log p(t), of which less than one unit (a factor of e in the odds) is no evidence worth the name (Kass and Raftery
    /// 1995, Bayes factors). With G = (O C^-1 - sum_o alpha_o alpha_o')/2, dV/dK = variance G, dV/dnoise = sum_i G_ii / w_i and
    /// dV/dvariance = tr(G K) = (tr(G C) - noise sum_i G_ii / w_i) / variance, where tr(G C) = (O N - sum_o t_o'alpha_o)/2.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        if task.target.kind() == Kind::Classes || self.likelihood != NumberLikelihood::Gaussian {
            return self.criterion_near(task, None).map(|(criterion, _)| criterion);
        }
        let n = task.rows();
        task.control.plan("the evidence of gp and its gradient", 8 * (n as u64).pow(2))?;
        let system = self.system(task)?;
        let value = -system.evidence();
        let outputs = system.t.cols() as f64;
        let trace = 0.5 * (outputs * n as f64 - system.fit());
        let System { cholesky, alpha, process, .. } = system;
        let jitter = cholesky.jitter();
        let mut weights = cholesky.into_inverse(task.control)?;
        let (half, alpha) = (0.5 * process.variance, alpha.transpose());
        weights.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            row.iter_mut().for_each(|v| *v *= outputs);
            for o in 0..alpha.rows() {
                let own = alpha[(o, i)];
                row.iter_mut().zip(alpha.row(o)).for_each(|(v, a)| *v -= own * a);
            }
            row.iter_mut().for_each(|v| *v *= half);
        });
        let diagonal: Vec<f64> = weights.diagonal().iter().map(|v| v / process.variance).collect();
        let by_noise: f64 = diagonal.iter().enumerate().map(|(i, g)| g / task.weight(i)).sum();
        let by_variance = (trace - process.noise * by_noise - jitter * diagonal.iter().sum::<f64>()) / process.variance;
        Ok(Criterion { value, weights, own: vec![("noise", by_noise), ("variance", by_variance)], indifference: 1.0 })
    }

    /// Means and variances of each row given the others; the target's mean and deviation stay those of all rows.
    fn criterion_near(&self, task: &Task<'_>, last: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        if task.target.kind() == Kind::Classes {
            return gp_classes::criterion(settled::<Self>("variance", &self.variance)?, self.inference, task, last);
        }
        if self.likelihood != NumberLikelihood::Gaussian {
            return gp_numbers::criterion(self.settled()?, task, last);
        }
        self.criterion(task).map(|criterion| (criterion, None))
    }

    /// Evidence for a few variances of the noise: the prior covariance once, and a factor for each.
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        let normal = task.target.kind() != Kind::Classes && self.likelihood == NumberLikelihood::Gaussian;
        if !normal || param != "noise" || values.len() > FEW_VALUES {
            return Ok(None);
        }
        let (t, process) = self.standardised(task)?;
        let n = t.rows();
        task.control.plan("the evidence of gp", 16 * (n as u64).pow(2))?;
        let prior = Self::prior(&process, task)?;
        let value = |noise: &f64| -> Result<f64> {
            let mut c = prior.clone();
            c.add_to_diagonal(&(0..n).map(|i| noise / task.weight(i)).collect::<Vec<_>>());
            let cholesky = match Cholesky::new(c, task.control) {
                Err(Error::Numerical { .. }) => return Ok(f64::INFINITY),
                found => found?,
            };
            let alpha = cholesky.solve(&t, task.control)?;
            let fit: f64 = t.data().iter().zip(alpha.data()).map(|(t, a)| t * a).sum();
            Ok(-process.evidence(n, fit, cholesky.log_det()))
        };
        values.iter().map(value).collect::<Result<_>>().map(Some)
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        if task.target.kind() == Kind::Classes || self.likelihood != NumberLikelihood::Gaussian {
            return Ok(None);
        }
        let System { cholesky, t, alpha, process } = self.system(task)?;
        let precision = cholesky.inverse_diagonal(task.control)?;
        let scales = &process.scales;
        let mean =
            Matrix::from_fn(t.rows(), t.cols(), |i, o| scales[o].mean + scales[o].deviation * (t[(i, o)] - alpha[(i, o)] / precision[i]));
        let variance = Matrix::from_fn(t.rows(), t.cols(), |i, o| {
            (1.0 / precision[i] - process.noise / task.weight(i)).max(0.0) * scales[o].deviation.powi(2)
        });
        Ok(Some(Predictions { variance: Some(variance), noise: Some(process.noises()), ..Predictions::of(Predicted::Numbers(mean)) }))
    }
}

//! Gaussian process classification by Laplace's approximation: latent functions f with S = variance K as their prior covariance,
//! a logistic likelihood for two classes and a softmax over one function each for more (Rasmussen & Williams 2006, 3.4 to 3.6).
//!
//! A prediction is the mean of the probabilities over the latent values at x, whose mean is S(x)' alpha and whose covariance is
//! ```text
//! [a = b] ( s(x, x) - |L_a^-1 D_a^1/2 S(x)|^2 ) + (M^-1 E_a S(x))' (M^-1 E_b S(x))
//! ```
//! with the factors of `solve::laplace`, or of `solve::expectation` where sites were propagated, times the temperature: see `tempering`.
//! The class predicted is the one of the greatest probability.

use super::gaussian_probabilities::Mean;
use super::tempering::{self, LeftOut};
use crate::control::Control;
use crate::data::TargetInfo;
use crate::error::{Error, Result};
use crate::estimators::linear::logistic;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::{
    Answer, Certificate, ClassWeight, Criterion, Estimator, Expansion, Fitted, Gp, Inference, Near, Predictions, Query, Summary, Task,
};
use crate::gram::{self, Gram, Side};
use crate::linalg::{Lower, Matrix, product_within};
use crate::solve::expectation::{self, Approximation, TwoClasses};
use crate::solve::laplace::{self, Posterior};
use crate::solve::likelihood::ClassLikelihood;
use crate::solve::mode::{self, Mode};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows whose covariances with the training rows are held at a time, once and for each latent function.
const ROWS: usize = 128;

/// Means of latent functions nearer to 0 than this are what rounding of their sums leaves: neither class is the more probable one.
const ROUNDING: f64 = 1e-11;

/// Bytes that covariances of latent functions at `rows` rows take on their way, from `training` rows.
pub(super) fn bytes(rows: usize, training: usize, outputs: usize) -> u64 {
    8 * (ROWS.min(rows) * training * (outputs + 4)) as u64
}

/// The largest change in the last sweep of expectation propagation that is asked for.
const TOLERANCE: f64 = 1e-6;

/// A fitted Gaussian process of classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpOfClasses {
    /// The means of the latent functions.
    expansion: Expansion,
    scores: ClassScores,
    variance: f64,
    /// A factor on the covariance of latent values.
    #[serde(default = "one")]
    temperature: f64,
    /// D^1/2, N x latent functions.
    root: Matrix,
    /// L_a of each.
    each: Vec<Lower>,
    /// M, of several.
    joint: Option<Lower>,
    summary: Summary,
}

fn one() -> f64 {
    1.0
}

/// Classification, its parameters settled.
#[derive(Clone, Copy)]
pub(super) struct GpClassification {
    pub(super) variance: f64,
    pub(super) inference: Inference,
    /// Whether Laplace's approximation has a temperature.
    pub(super) tempered: bool,
}

/// The classes with their likelihood, and S = variance K.
struct Prior {
    scores: ClassScores,
    likelihood: ClassLikelihood,
    s: Matrix,
}

impl Prior {
    fn of(variance: f64, task: &Task<'_>) -> Result<Self> {
        let (scores, likelihood) = ClassScores::of(task, ClassWeight::None, Gp::NAME)?;
        let mut s = gram::dense(task.gram()?, task.control)?;
        s.data_mut().iter_mut().for_each(|v| *v *= variance);
        Ok(Prior { scores, likelihood, s })
    }

    /// The mode; on the way of a search from one nearby, if there is one.
    fn mode(&self, task: &Task<'_>, near: Option<&Matrix>) -> Result<Mode> {
        let near = near.filter(|alpha| alpha.rows() == task.rows());
        if self.scores.outputs() == 1 {
            return mode::find_within(&self.likelihood, near, &self.s, task.control);
        }
        let multiply = |v: &Matrix| product_within(&self.s, v, task.control);
        match near {
            Some(alpha) => mode::find_near(&self.likelihood, alpha, &multiply, false, task.control),
            None => mode::find(&self.likelihood, task.rows(), &multiply, false, task.control),
        }
    }

    /// Whether sites are to be propagated, which they are for two classes.
    fn is_propagated(&self, inference: Inference) -> bool {
        inference == Inference::Ep && self.scores.outputs() == 1
    }

    fn propagated(&self, task: &Task<'_>) -> Result<Approximation> {
        let signs = self.likelihood.signs();
        expectation::approximate(&self.s, &TwoClasses { signs: &signs, weights: self.likelihood.weights() }, task.control)
    }
}

impl GpClassification {
    pub(super) fn fit(&self, task: &Task<'_>) -> Result<GpOfClasses> {
        let GpClassification { variance, inference, tempered } = *self;
        let prior = Prior::of(variance, task)?;
        let made = |scores: ClassScores, mut coef: Matrix, posterior: Posterior, summary: Summary| {
            coef.data_mut().iter_mut().for_each(|a| *a *= variance);
            let bias = vec![0.0; coef.cols()];
            let expansion = Expansion::new((0..task.rows()).collect(), coef, bias);
            let Posterior { root, each, joint, .. } = posterior;
            GpOfClasses { expansion, scores, variance, temperature: 1.0, root, each, joint, summary }
        };
        if prior.is_propagated(inference) {
            let found = prior.propagated(task)?;
            let summary = propagation(&found);
            let posterior =
                Posterior { root: Matrix::column(found.root), each: vec![found.factor.into_lower()], joint: None, value: found.value };
            return Ok(made(prior.scores, found.b, posterior, summary));
        }
        let mode = prior.mode(task, None)?;
        let posterior = laplace::posterior(&prior.s, &mode, task.control)?;
        let mut summary = Summary { evidence: Some(-posterior.value), ..logistic::summary(&mode) };
        if inference == Inference::Ep {
            summary.notes.push("expectation propagation is there for two classes; several went by Laplace's approximation".into());
        }
        let mut fitted = made(prior.scores, mode.alpha.clone(), posterior, summary);
        if tempered {
            let left_out = fitted.left_out(&prior.s, &mode, &prior.likelihood, task.control)?;
            fitted.temperature = tempering::temperature(&left_out, task.rows());
            fitted.summary.notes.extend(tempering::note(fitted.temperature));
        }
        Ok(fitted)
    }

    /// -log q(y). With G = d(-log q)/dS, dV/dK = variance G and dV/dvariance = tr(G S) / variance.
    pub(super) fn criterion(&self, task: &Task<'_>, near: Option<&Near>) -> Result<(Criterion, Option<Near>)> {
        let GpClassification { variance, inference, .. } = *self;
        let prior = Prior::of(variance, task)?;
        let (laplace::Evidence { value, mut weights }, alpha) = if prior.is_propagated(inference) {
            (prior.propagated(task)?.evidence(task.control)?, None)
        } else {
            let mode = prior.mode(task, Near::alpha(near))?;
            (laplace::evidence(&prior.s, &mode, &prior.likelihood, false, task.control)?, Some(mode.alpha))
        };
        let by_variance = gram::dot(weights.data(), prior.s.data()) / variance;
        weights.data_mut().iter_mut().for_each(|v| *v *= variance);
        task.control.keep(prior.s.into_data());
        Ok((
            Criterion { value, weights: weights.into(), own: vec![("noise", 0.0), ("variance", by_variance)], indifference: 1.0 },
            alpha.map(Near::mode),
        ))
    }
}

/// How expectation propagation ended.
fn propagation(found: &Approximation) -> Summary {
    let converged = found.change <= TOLERANCE;
    let mut notes = Vec::new();
    if !converged {
        notes.push("expectation propagation did not settle; inference=laplace always does".into());
    }
    let name = "largest change of a posterior mean or variance in a sweep".into();
    Summary {
        iterations: found.iterations,
        converged,
        evidence: Some(-found.value),
        certificate: Some(Certificate { name, value: found.change, tolerance: TOLERANCE }),
        notes,
        ..Summary::default()
    }
}

impl GpOfClasses {
    /// The expansion of the latent means: coefficients (N x latent functions).
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }

    /// An error unless the parts fit together, which a damaged model file may bring about.
    fn check(&self, cross: &dyn Gram) -> Result<()> {
        let (n, outputs) = (self.expansion.support.len(), self.expansion.bias.len());
        self.scores.check(outputs)?;
        let joint = self.joint.as_ref().map_or(n, Lower::size);
        for (what, expected, found) in [
            ("columns of the cross Gram matrix", n, cross.shape().1),
            ("factors of a Gaussian process of classes", outputs, self.each.len()),
            ("joint factors of a Gaussian process of classes", usize::from(outputs > 1), usize::from(self.joint.is_some())),
            ("the joint factor of a Gaussian process of classes", n, joint),
            ("roots of a Gaussian process of classes", n * outputs, self.root.data().len()),
            ("columns of these roots", outputs, self.root.cols()),
        ] {
            if expected != found {
                return Err(Error::Shape { what: what.into(), expected, found });
            }
        }
        if let Some(l) = self.each.iter().find(|l| l.size() != n) {
            return Err(Error::Shape { what: "a factor of a Gaussian process of classes".into(), expected: n, found: l.size() });
        }
        match self.temperature > 0.0 && self.temperature <= 1.0 {
            true => Ok(()),
            false => Err(Error::Data("the temperature of a Gaussian process of classes lies above 0 and is 1 at most".into())),
        }
    }

    /// Covariances of the latent functions at inputs, from their covariances with the training rows and their own prior variances.
    fn covariances(&self, s: &Matrix, prior: &[f64], control: &Control) -> Result<Vec<Matrix>> {
        let (m, outputs) = (s.rows(), self.root.cols());
        let square = |v: &Matrix, i: usize| gram::dot(v.row(i), v.row(i));
        let mut own = Matrix::zeros(m, outputs);
        let mut turned = Vec::new();
        for (a, factor) in self.each.iter().enumerate() {
            let root = self.root.col(a);
            let scale = |v: &mut Matrix| {
                v.data_mut().chunks_exact_mut(root.len().max(1)).for_each(|row| row.iter_mut().zip(&root).for_each(|(v, r)| *v *= r));
            };
            let mut v = s.clone();
            scale(&mut v);
            factor.solve_rows(&mut v, control)?;
            (0..m).for_each(|i| own[(i, a)] = (prior[i] - square(&v, i)).max(0.0));
            if let Some(joint) = &self.joint {
                factor.solve_transposed_rows(&mut v, control)?;
                scale(&mut v);
                joint.solve_rows(&mut v, control)?;
                turned.push(v);
            }
        }
        let of = |i: usize| {
            let shared = |a: usize, b: usize| if turned.is_empty() { 0.0 } else { gram::dot(turned[a].row(i), turned[b].row(i)) };
            Matrix::from_fn(outputs, outputs, |a, b| if a == b { own[(i, a)] } else { 0.0 } + shared(a.max(b), a.min(b)))
        };
        Ok((0..m).into_par_iter().map(of).collect())
    }

    /// Means of the latent functions; of two classes one that is rounding is 0, as likely one as the other.
    fn means(mut predicted: Matrix) -> Matrix {
        if predicted.cols() == 1 {
            predicted.data_mut().iter_mut().filter(|v| v.abs() <= ROUNDING).for_each(|v| *v = 0.0);
        }
        predicted
    }

    /// Training rows by the posterior without each.
    fn left_out(&self, s: &Matrix, mode: &Mode, likelihood: &ClassLikelihood, control: &Control) -> Result<Vec<LeftOut>> {
        let rows = tempering::rows(s.rows());
        control.plan("rows left out of gp", bytes(rows.len(), s.rows(), self.root.cols()))?;
        let mut out = Vec::with_capacity(rows.len());
        for some in rows.chunks(ROWS) {
            let own: Vec<f64> = some.iter().map(|&i| s[(i, i)]).collect();
            let covariances = self.covariances(&s.select_rows(some), &own, control)?;
            for (&i, covariance) in some.iter().zip(&covariances) {
                out.extend(LeftOut::of(i, covariance, mode, likelihood, control)?);
            }
        }
        Ok(out)
    }
}

impl Fitted for GpOfClasses {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Scores are the means of the latent functions. Of two classes these decide; of more the probabilities do.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let (cross, Query { want, control, .. }) = (query.cross()?, *query);
        self.check(cross)?;
        let (m, n) = cross.shape();
        let outputs = self.expansion.bias.len();
        if outputs == 1 && !(want.probabilities || want.variance) {
            let mean = Self::means(self.expansion.predict(cross, control)?);
            let by_sign = self.scores.probabilities(&mean);
            return Ok(self.scores.predictions(mean, by_sign, want));
        }
        control.plan("probabilities of gp", bytes(m, n, outputs))?;
        let expected = Mean::over(outputs);
        let prior: Vec<f64> = cross.diagonal(Side::Rows).iter().map(|k| self.variance * k).collect();
        let (mut means, mut probabilities) = (Matrix::zeros(0, outputs), Matrix::zeros(0, self.scores.classes));
        let mut variances = Vec::new();
        for start in (0..m).step_by(ROWS) {
            let rows: Vec<usize> = (start..(start + ROWS).min(m)).collect();
            let (latent, mut k) = self.expansion.predict_with_values(cross, &rows, control)?;
            let mean = Self::means(latent);
            k.data_mut().iter_mut().for_each(|v| *v *= self.variance);
            let covariances = self.covariances(&k, &prior[start..start + rows.len()], control)?;
            if want.variance {
                variances.extend(covariances.iter().flat_map(|c| (0..outputs).map(|o| self.temperature * c[(o, o)])));
            }
            let of = |(i, covariance): (usize, &Matrix)| {
                let mut all = vec![0.0; self.scores.classes];
                self.scores.spread(&mut all, &expected.probabilities(mean.row(i), covariance, self.temperature));
                all
            };
            let found: Vec<Vec<f64>> = covariances.par_iter().enumerate().map(of).collect();
            probabilities.append_rows(Matrix::new(rows.len(), self.scores.classes, found.concat())?);
            means.append_rows(mean);
        }
        let variance = if want.variance { Some(self.scores.variances(Matrix::new(m, outputs, variances)?)) } else { None };
        Ok(Predictions { variance, ..self.scores.predictions(means, probabilities, want) })
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.scores.classes))
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
}

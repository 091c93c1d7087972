//! Kernel ridge regression, and classification by regression on indicators.
//!
//! Minimises sum_i w_i (y_i - f(x_i))^2 / 2 + (lambda/2) ||g||^2 over f = g + b with b not penalised. With
//! C = K + lambda W^-1 the solution is the bordered system `[C 1; 1' 0] [alpha; b] = [y; 0]`, hence
//! alpha = P y with P = C^-1 - C^-1 1 1' C^-1 / (1' C^-1 1), and f(x) = sum_i alpha_i k(x_i, x) + b.
//! Without a penalty (lambda = 0) and with K singular it is the limit lambda -> 0: see `least_norm`.
//! The prediction for row i by the model fitted without it is y_i - alpha_i / P_ii (Cawley & Talbot 2003,
//! Reduced rank kernel ridge regression; Rifkin & Lippert 2007, Notes on regularized least squares).

use super::least_norm::LeastNorm;
use super::ridge_path::left_out_means;
use crate::data::{Kind, some_rows_of};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::gaussian_process::gp::FEW_VALUES;
use crate::estimators::probabilities::held_out::{FitsWithout, ScoreKind, enough, one_by_one, out_of_fold};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::bordered::{self, Bordered, Purpose, Solution};
use crate::estimators::systems::primal::{Primal, PrimalSolution, Solver};
use crate::estimators::systems::residual::{TOLERANCE, certificate};
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::{classes, decide, least_mean, outputs};
use crate::estimators::{
    Certificate, Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Expansion, ExpansionFit, Fit, FitContext, Fitted, Gives,
    HeldOut, LeaveOneOut, Predictions, Scores, Size, Summary, Task, Want, When,
};
use crate::gram::{Side, Structure};
use crate::linalg::{Matrix, SparseMatrix, gramian_within, product};
use crate::param::Value;
use mercer_derive::Parameters;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The relative duality gap that a way around the factor of a matrix must reach, or is not taken.
const SETTLED: f64 = 1e-18;

/// Kernel ridge regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Ridge {
    /// strength of the penalty, in the units of the kernel; c = 1/lambda; 0: none, and of all functions that fit best the one of least
    /// norm
    #[param(domain = NonNegative, search = 1e6)]
    pub lambda: Value,
    /// whether to add an unpenalised intercept
    #[param(default = true)]
    pub intercept: bool,
    /// Whether there are probabilities of classes.
    #[param(doc = CALIBRATED)]
    #[serde(default)]
    pub probabilities: bool,
}

impl Ridge {
    /// Targets, solution and P: what leaving rows out needs.
    fn left_out(&self, task: &Task<'_>) -> Result<(Matrix, Solution, Matrix)> {
        let y = outputs(task, Self::NAME)?;
        if y.rows() < 2 {
            return Err(Error::Data("leaving one row out needs at least 2 rows, and there is 1; add rows, or give ridge its lambda and the kernel its parameters".into()));
        }
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let system = match definite(Bordered::new(task, lambda, self.intercept, Purpose::Projection), lambda)? {
            Some(system) => system,
            None => {
                return Err(Error::Data(
                    "leaving one row out has no closed form where the kernel matrix is singular and nothing is penalised; give ridge a penalty (lambda) above 0".into(),
                ));
            }
        };
        let (solution, system) = system.solve(&y, task.control)?;
        Ok((y, solution, system.into_projection(task.control)?))
    }
}

impl Ridge {
    /// The criterion without its derivatives.
    fn left_out_value(&self, task: &Task<'_>) -> Result<f64> {
        let y = outputs(task, Self::NAME)?;
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let (Solution { alpha, .. }, system) = Bordered::new(task, lambda, self.intercept, Purpose::Projection)?.solve(&y, task.control)?;
        let p = system.projection_diagonal(&(0..y.rows()).collect::<Vec<_>>(), task.control)?;
        let (mut sum, mut size) = (0.0, 0.0);
        for (i, p) in p.iter().enumerate() {
            let w = task.weight(i);
            sum += alpha.row(i).iter().map(|a| w * (a / p).powi(2)).sum::<f64>();
            size += w * y.cols() as f64;
        }
        Ok(0.5 * (sum / size).max(least_mean(&y)).ln())
    }
}

/// The system if it can be solved as it stands; `None` where nothing is penalised and K is singular in working precision.
fn definite(system: Result<Bordered>, lambda: f64) -> Result<Option<Bordered>> {
    match system {
        Ok(system) if lambda > 0.0 || system.is_definite() => Ok(Some(system)),
        Ok(_) => Ok(None),
        Err(Error::Numerical { .. }) if lambda == 0.0 => Ok(None),
        Err(error) => Err(error),
    }
}

impl Ridge {
    /// The fit without a penalty where K is singular.
    fn fit_least_norm(&self, task: &Task<'_>, y: &Matrix) -> Result<ExpansionFit> {
        let LeastNorm { alpha, bias, product, rank, gradient } = LeastNorm::new(task, y, self.intercept)?;
        let (n, outputs) = (y.rows(), y.cols());
        let error = |i: usize| (0..outputs).map(|o| (y[(i, o)] - product[(i, o)] - bias[o]).powi(2)).sum::<f64>();
        let summary = Summary {
            converged: gradient <= TOLERANCE,
            objective: Some((0..n).map(|i| 0.5 * task.weight(i) * error(i)).sum()),
            certificate: Some(Certificate { name: "relative gradient of the squared error".into(), value: gradient, tolerance: TOLERANCE }),
            notes: vec![if rank < n {
                format!(
                    "nothing is penalised and the kernel matrix has rank {rank} of {n}: of all functions that fit best this is the one of least norm"
                )
            } else {
                "nothing is penalised and the kernel matrix is nearly singular, which takes digits from the solution: a penalty (lambda) above 0 helps".into()
            }],
            ..Summary::default()
        };
        Ok(ExpansionFit::new(Expansion::new((0..n).collect(), alpha, bias), Link::of_target(task.target), summary))
    }
}

impl Ridge {
    /// The fit over few features; on request also the leave-one-out predictions.
    fn fit_primal<'a>(
        &self,
        z: Cow<'a, Matrix>,
        task: &Task<'a>,
        y: &Matrix,
        lambda: f64,
        wants_left_out: bool,
    ) -> Result<(ExpansionFit, LeftOut)> {
        let system = Primal::new(z, task, lambda, self.intercept)?;
        let found = system.solve(y, task.control)?;
        let left_out = match wants_left_out {
            true => {
                // y_i - f_i of the fit without row i is (y_i - f_i) / (1 - h_i).
                let h = system.leverages(task.control)?;
                let without =
                    |i: usize, o: usize| y[(i, o)] - (y[(i, o)] - found.f[(i, o)] - found.bias[o]) / (1.0 - h[i]).max(f64::EPSILON);
                Some(((0..y.rows()).collect(), Matrix::from_fn(y.rows(), y.cols(), without)))
            }
            false => None,
        };
        let jitter = system.solver.jitter_used();
        let (expansion, mut summary, beta) = of_primal(&system, found, y);
        summary.jitter = jitter;
        Ok((ExpansionFit::new(expansion.with_weights(beta), Link::of_target(task.target), summary), left_out))
    }

    /// The fit over lazy features; `None` where that costs digits.
    fn fit_lazy(&self, task: &Task<'_>, y: &Matrix, lambda: f64) -> Result<Option<ExpansionFit>> {
        let Structure::Whitened { values, factor, .. } = task.gram()?.structure() else { return Ok(None) };
        if !task.few(values.cols()) {
            return Ok(None);
        }
        let (system, first) = match Primal::of_lazy_features(values, factor, task, y, lambda, self.intercept) {
            Err(Error::Numerical { .. }) => return Ok(None),
            system => system?,
        };
        let found = system.solve_from(first, y, task.control)?;
        if found.gap > SETTLED && !task.control.out_of_time() {
            return Ok(None);
        }
        let (expansion, summary, beta) = of_primal(&system, found, y);
        Ok(Some(ExpansionFit::new(expansion.with_weights(beta), Link::of_target(task.target), summary)))
    }

    /// The fit over sparse features by conjugate gradients, where kernel values are more work; `None` where these are requested, or
    /// where it does not converge.
    fn fit_sparse(&self, task: &Task<'_>, y: &Matrix, lambda: f64) -> Result<Option<ExpansionFit>> {
        let less =
            |z: &SparseMatrix<'_>| Size { stored: Some(z.stored().div_ceil(z.rows().max(1))), ..task.size() }.by_gradients().is_some();
        let Some(z) = task.gram()?.structure().sparse_features(Side::Rows).filter(less) else { return Ok(None) };
        let system = Primal::sparse(z, task, lambda, self.intercept)?;
        let found = system.solve(y, task.control)?;
        if found.gap > SETTLED && !task.control.out_of_time() {
            // A plan has not counted kernel values.
            task.control.plan("ridge by kernel values", bordered::costs(task.size(), 12, 1.0).bytes)?;
            return Ok(None);
        }
        let (mut expansion, summary, _) = of_primal(&system, found, y);
        expansion.weigh(task.gram()?, task.control)?;
        Ok(Some(ExpansionFit::new(expansion, Link::of_target(task.target), summary)))
    }

    /// The fit; on request also leave-one-out predictions: of all rows, or of as many as take no longer than the factorisation
    /// did.
    fn solved(&self, task: &Task<'_>, wants_left_out: bool) -> Result<(ExpansionFit, LeftOut)> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let y = outputs(task, Self::NAME)?;
        if let Some(fitted) = if wants_left_out || lambda <= 0.0 { None } else { self.fit_lazy(task, &y, lambda)? } {
            return Ok((fitted, None));
        }
        if let Some(z) = task.few_features().filter(|_| lambda > 0.0) {
            return self.fit_primal(z, task, &y, lambda, wants_left_out);
        }
        if let Some(fitted) = if wants_left_out || lambda <= 0.0 { None } else { self.fit_sparse(task, &y, lambda)? } {
            return Ok((fitted, None));
        }
        let solved = match definite(Bordered::new(task, lambda, self.intercept, Purpose::Solutions), lambda)? {
            Some(system) => Some(system.solve(&y, task.control)?).filter(|(s, _)| lambda > 0.0 || s.residual <= TOLERANCE),
            None => None,
        };
        let Some((Solution { alpha, bias, product, residual, rounding, .. }, system)) = solved else {
            return self.fit_least_norm(task, &y).map(|fitted| (fitted, None));
        };
        let mut objective = 0.0;
        for i in 0..y.rows() {
            let w = task.weight(i);
            for o in 0..y.cols() {
                let a = alpha[(i, o)];
                let g = product[(i, o)] - lambda / w * a;
                objective += 0.5 * w * (y[(i, o)] - g - bias[o]).powi(2) + 0.5 * lambda * a * g;
            }
        }
        let left_out = match wants_left_out && y.rows() > 1 {
            true => {
                let most = if y.rows() < SAMPLED_ROWS { y.rows() } else { (y.rows() / 3).min(enough(classes(task.target).unwrap_or(2))) };
                let rows = some_rows_of(task.target, most, task.seed);
                let p = system.projection_diagonal(&rows, task.control)?;
                let values = Matrix::from_fn(rows.len(), y.cols(), |k, o| y[(rows[k], o)] - alpha[(rows[k], o)] / p[k]);
                Some((rows, values))
            }
            false => None,
        };
        let certificate = certificate(residual, rounding);
        let summary = Summary {
            converged: certificate.is_met(),
            objective: Some(objective),
            certificate: Some(certificate),
            jitter: system.jitter_used(),
            ..Summary::default()
        };
        let expansion = Expansion::new((0..y.rows()).collect(), alpha, bias);
        Ok((ExpansionFit::new(expansion, Link::of_target(task.target), summary), left_out))
    }
}

/// What a solution in the primal says: coefficients of all rows, how it went, and the weights of features.
fn of_primal<S: Solver>(system: &Primal<'_, S>, found: PrimalSolution, y: &Matrix) -> (Expansion, Summary, Matrix) {
    let alpha = system.dual(y, &found);
    let summary = Summary {
        iterations: found.steps,
        converged: found.gap <= TOLERANCE,
        objective: Some(found.objective),
        certificate: Some(Certificate { name: "relative duality gap".into(), value: found.gap, tolerance: TOLERANCE }),
        ..Summary::default()
    };
    (Expansion::new((0..y.rows()).collect(), alpha, found.bias), summary, found.beta)
}

/// Rows, and the values there of the fits without them.
type LeftOut = Option<(Vec<usize>, Matrix)>;

/// From so many rows on those that are left out are a part of all.
const SAMPLED_ROWS: usize = 1500;

impl Estimator for Ridge {
    const NAME: &'static str = "ridge";
    const DOC: &'static str = "kernel ridge regression; classes through one-against-rest indicators";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::leave_one_out("leave-one-out error"));
    type Fitted = ExpansionFit;

    fn gives(&self) -> Gives {
        Gives {
            scores: Scores::Classes,
            probabilities: When::If("probabilities"),
            calibrated: When::If("probabilities"),
            leave_one_out: LeaveOneOut::ClosedForm(When::Always),
            ..Gives::VALUES
        }
    }

    /// The leave-one-out error itself, in units of the target.
    fn criterion_for_display(value: f64) -> f64 {
        value.exp()
    }

    /// Coefficients that sum to 0 see nothing of f(z), and the constant takes up f(x).
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts {
            ignores_shifts: self.intercept,
            multiplies_features: !self.probabilities && self.lambda != Value::Number(0.0),
            criterion_keeps_kernel: true,
            ..EstimatorFacts::default()
        }
    }

    /// A Cholesky factor, and the diagonal of its inverse for probabilities: n^3 / 3 each, half of it in single precision.
    fn costs(&self, size: Size) -> Costs {
        match size.by_gradients().filter(|_| !self.probabilities) {
            // Features as they are and multiplied, and vectors as long as the rows or the words.
            Some(fit) => {
                let bytes = (size.rows * (32 * size.stored.unwrap_or(0) + 16 * 8 * size.outputs)) as u64;
                Costs { bytes, values: 0.0, fit, ..size.costs() }
            }
            None => bordered::costs(size, 12, bordered::factor(size.rows) * if self.probabilities { 2.0 } else { 1.0 }),
        }
    }

    /// lambda: a tenth of the mean k(x, x).
    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(0.1 * task.mean_square()?)
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, ExpansionFit>) -> Result<Fit<ExpansionFit>> {
        let hold = context.hold;
        if !context.wants_scores || hold.split.repeated().is_some() {
            return Ok(self.solved(task, false)?.0.into());
        }
        let (fitted, left_out) = self.solved(task, hold.frees_rows())?;
        let held_out = match left_out {
            Some((rows, scores)) => HeldOut {
                fits: FitsWithout::each_alone(&rows, task),
                of: ScoreKind::DecisionValues,
                mass: rows.iter().map(|&i| task.weight(i)).collect(),
                how: one_by_one(rows.len(), task.rows()),
                rows,
                scores,
                pairs: Vec::new(),
                converged: true,
            }
            .of_known_classes(task),
            None => out_of_fold(self, task, hold)?,
        };
        Ok(Fit { held_out: Some(held_out), ..fitted.into() })
    }

    /// log of the root of the weighted mean of squared leave-one-out residuals over rows and outputs (indicators
    /// for classes): V = log(S)/2, S = sum_io w_i e_io^2 / (O sum_i w_i), e = alpha / P_ii.
    ///
    /// From dP = -P dC P: dS = (-2 u' dC alpha + 2 tr(dC P D P)) / (O sum w) with u = P (w e / p) and
    /// D = diag(w_i sum_o e_io^2 / p_i). The indifference is one standard error of S over the rows. A row of weight 2 is left out as a whole, unlike a row that stands twice.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        let n = task.rows();
        task.control.plan("the leave-one-out criterion of ridge", 16 * (n as u64).pow(2))?;
        let (y, Solution { alpha, .. }, p) = self.left_out(task)?;
        let outputs = y.cols();
        let size: f64 = (0..n).map(|i| task.weight(i)).sum::<f64>() * outputs as f64;
        let mut sum = 0.0;
        let mut scaled = Matrix::zeros(outputs, n);
        let mut d = vec![0.0; n];
        let mut squares = vec![0.0; n];
        for i in 0..n {
            let w = task.weight(i);
            for o in 0..outputs {
                let e = alpha[(i, o)] / p[(i, i)];
                sum += w * e * e;
                squares[i] += e * e / outputs as f64;
                scaled[(o, i)] = w * e / p[(i, i)];
                d[i] += w * e * e / p[(i, i)];
            }
        }
        let floor = least_mean(&y);
        let mean = sum / size;
        if mean <= floor {
            return Ok(Criterion {
                value: 0.5 * floor.ln(),
                weights: Matrix::zeros(n, n).into(),
                own: vec![("lambda", 0.0)],
                indifference: 0.0,
            });
        }
        let u = product(&scaled, &p)?;
        let mut half = p;
        for row in half.data_mut().chunks_exact_mut(n) {
            for (v, d) in row.iter_mut().zip(&d) {
                *v *= d.sqrt();
            }
        }
        let mut weights = gramian_within(&half, task.control)?;
        drop(half);
        let scale = 1.0 / (mean * size);
        weights.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            for (j, v) in row.iter_mut().enumerate() {
                let outer: f64 = (0..outputs).map(|o| u[(o, i)] * alpha[(j, o)] + u[(o, j)] * alpha[(i, o)]).sum();
                *v = scale * (*v - 0.5 * outer);
            }
        });
        let spread = (0..n).map(|i| task.weight(i) * (squares[i] - mean).powi(2)).sum::<f64>() * outputs as f64 / size;
        let indifference = 0.5 * (1.0 + (spread / n as f64).sqrt() / mean).ln();
        let own = (0..n).map(|i| weights[(i, i)] / task.weight(i)).sum();
        Ok(Criterion { value: 0.5 * mean.ln(), weights: weights.into(), own: vec![("lambda", own)], indifference })
    }

    /// One decomposition for many values of lambda, see `ridge_path`; a factor for each of a few.
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        if param != "lambda" || !values.iter().all(|l| *l > 0.0 && l.is_finite()) {
            return Ok(None);
        }
        if values.len() <= FEW_VALUES {
            let of = |lambda: &f64| Ridge { lambda: Value::Number(*lambda), ..self.clone() }.left_out_value(task);
            return values.iter().map(of).collect::<Result<_>>().map(Some);
        }
        let y = outputs(task, Self::NAME)?;
        let floor = least_mean(&y);
        let means = left_out_means(task, &y, self.intercept, values)?;
        Ok(Some(means.into_iter().map(|mean| 0.5 * mean.max(floor).ln()).collect()))
    }

    fn leave_one_out(&self, task: &Task<'_>) -> Result<Option<Predictions>> {
        let (y, Solution { alpha, .. }, p) = self.left_out(task)?;
        let f = Matrix::from_fn(y.rows(), y.cols(), |i, o| y[(i, o)] - alpha[(i, o)] / p[(i, i)]);
        Ok(Some(decide(f, classes(task.target), Want { scores: true, ..Want::default() })))
    }
}

/// f at the training rows of a task: where coefficients of rows solve the system they say it, y - lambda alpha / w, and kernel values
/// are not computed again.
pub(super) fn at_training_rows(fitted: &ExpansionFit, lambda: f64, task: &Task<'_>) -> Result<Matrix> {
    let solved = lambda > 0.0 && fitted.summary().converged && fitted.summary().jitter.is_none_or(|added| added == 0.0);
    if !solved || fitted.expansion.is_of_features() {
        return fitted.expansion.predict(task.gram()?, task.control);
    }
    let (y, alpha) = (outputs(task, Ridge::NAME)?, &fitted.expansion.coef);
    Ok(Matrix::from_fn(y.rows(), y.cols(), |i, o| y[(i, o)] - lambda / task.weight(i) * alpha[(i, o)]))
}

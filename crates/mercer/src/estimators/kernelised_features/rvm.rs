//! The relevance vector machine (Tipping 2001; Murphy 2012, 14.3.2): functions f(x) = sum_m w_m k(x, x_m) + b with w_m ~ N(0, 1 / alpha_m),
//! a flat prior of the constant b, and every alpha at the maximum of the marginal likelihood: most are infinite, and few training rows
//! stay. Any similarity will do: kernel values are features, and need not be inner products. With the constant, columns are taken about
//! their means over the training rows, which changes b alone.
//!
//! Numbers: t = f + noise, its variance by evidence too, and the variance phi(x)'H^-1 phi(x) of f, phi about the means, and that of b. Classes: one logistic function of two, a
//! softmax of more, whose rows are there for all classes or for none. The solvers are in `solve::relevance`.
//!
//! Evidence takes the columns as if they had been chosen before the targets were seen: where few rows let a curve pass through their noise,
//! its variances are too small. So held-out rows measure them, see `measured_band`.

use super::measured_band::measured_bands;
use crate::blocks;
use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{
    Answer, Certificate, ClassWeight, Costs, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, GradientQuery, HoldOut,
    Needs, Predicted, PredictionGradient, Predictions, Query, Scores, Size, Summary, Task, View, When,
};
use crate::gram::{self, Dense, axpy, dot};
use crate::linalg::{Matrix, product};
use crate::param::Value;
use crate::solve::likelihood::HELD;
use crate::solve::relevance::{self, ClassPlan, Columns, Numbers, Plan, Relevance, SPANNED};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// Columns that differ by less than this share of the largest kernel value are one.
const ALIKE: f64 = 1e-12;
/// Columns that may stay where it is not said: so many, or one in so many rows where that is more. A kernel that asks for more is so
/// narrow that every row speaks for itself, and each column costs a pass over all others.
const ENOUGH: usize = 500;
const ONE_IN: usize = 8;
/// The least variance of the noise, as a share of that of the target: a target without noise is a sum of so many columns that rounding
/// of their weights is of this size.
const LEAST_NOISE: f64 = 1e-10;

/// Weights that sum to less count no rows: a variance takes two.
const FEWEST: f64 = 2.0;
/// Starts where it is not said: of numbers columns by orthogonal least squares, no column, and random ones; of classes the first two.
const STARTS: [usize; 2] = [4, 2];
/// The work of a fit with fits without folds, of one start each, beside that of the fit alone.
const MEASURED: f64 = 1.5;
/// What the first start takes of the work of another.
const FIRST_START: f64 = 0.6;

/// The relevance vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Rvm {
    /// whether the intercept is one of the basis functions
    #[param(default = true)]
    pub intercept: bool,
    /// none: rows count by their own weights; balanced: classes have equal total weight
    pub class_weight: ClassWeight,
    /// most relevant rows; auto: an eighth of the rows, at least 500
    #[param(domain = Integer(1, usize::MAX))]
    pub max_relevant: Value,
    /// number of starts of the evidence maximisation, of which the best is kept; auto: 4 for regression, 2 for classification
    #[param(domain = Integer(1, usize::MAX))]
    pub starts: Value,
    /// whether the variance of predicted numbers is multiplied by what rows held out in folds ask for, where intervals by evidence do not
    /// hold them (regression only)
    #[param(default = true)]
    #[serde(default)]
    pub calibrated: bool,
}

/// What one output of numbers needs for its variance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spread {
    /// Places among the support.
    #[serde(with = "blocks::usizes")]
    columns: Vec<usize>,
    /// Means of their kernel values over the training rows, where there is a constant.
    #[serde(with = "blocks::f64s")]
    means: Vec<f64>,
    /// L with the covariance L L' of their weights.
    root: Matrix,
    /// Variance of the constant.
    constant: f64,
    /// Variance of the noise.
    noise: f64,
}

impl Spread {
    /// Multiplies standard deviations.
    fn widen(&mut self, factor: f64) {
        self.root.data_mut().iter_mut().for_each(|v| *v *= factor);
        self.constant *= factor * factor;
        self.noise *= factor * factor;
    }
}

/// A fitted relevance vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedRvm {
    expansion: Expansion,
    /// One for each output of numbers.
    spreads: Vec<Spread>,
    /// Scores of the classes, for classification.
    scores: Option<ClassScores>,
    summary: Summary,
}

/// Starts of a search where it is not said.
fn usual_starts(target: &Target) -> usize {
    STARTS[usize::from(matches!(target, Target::Classes { .. }))]
}

/// Relevant rows that are enough for so many rows.
fn most_relevant(rows: usize) -> usize {
    ENOUGH.max(rows / ONE_IN)
}

impl Rvm {
    /// Columns that may stay.
    fn most(&self, task: &Task<'_>) -> usize {
        self.max_relevant.settle(most_relevant(task.rows()) as f64).integer()
    }

    fn start_count(&self, task: &Task<'_>) -> usize {
        self.starts.settle(usual_starts(task.target) as f64).integer()
    }

    /// Kernel values that the fit and those without a fold read, computed once; `None` where they are there, or folds have values of their
    /// own.
    fn held_for_folds(&self, task: &Task<'_>, hold: HoldOut<'_>) -> Result<Option<Dense>> {
        let measured = self.calibrated && task.target.kind() == Kind::Numbers;
        if !measured || hold.kernel.is_some() || task.gram()?.structure().held().is_some() {
            return Ok(None);
        }
        task.control.plan("kernel values, and these as features", 24 * (task.rows() as u64).pow(2))?;
        Dense::of(task.gram()?, task.control).map(Some)
    }

    /// Kernel values as columns.
    fn columns(&self, task: &Task<'_>, weights: &[f64]) -> Result<Features> {
        let n = task.rows();
        task.control.plan("kernel values as features", 16 * (n as u64).pow(2))?;
        let mut values = gram::dense(task.gram()?, task.control)?;
        leave_out_copies(&mut values);
        let mut squares = vec![0.0; n];
        let mut means = vec![0.0; n];
        for (row, w) in values.data().chunks_exact(n.max(1)).zip(weights) {
            squares.iter_mut().zip(row).for_each(|(s, v)| *s += w * v * v);
            axpy(*w, row, &mut means);
        }
        let total: f64 = weights.iter().sum();
        means.iter_mut().for_each(|m| *m = if self.intercept { *m / total } else { 0.0 });
        values.data_mut().chunks_exact_mut(n.max(1)).for_each(|row| axpy(-1.0, &means, row));
        Ok(Features { values, means, squares })
    }

    fn numbers(&self, task: &Task<'_>, first: &[usize]) -> Result<FittedRvm> {
        let y = outputs(task, Self::NAME)?;
        let omega = task.all_weights();
        let total: f64 = omega.iter().sum();
        let roots: Vec<f64> = omega.iter().map(|w| w.sqrt()).collect();
        let Features { values, means, squares } = self.columns(task, &omega)?;
        let values = Matrix::from_fn(values.cols(), values.rows(), |m, i| roots[i] * values[(i, m)]);
        let rounding: Vec<f64> = squares.iter().map(|square| SPANNED * square).collect();
        let columns = Columns { values: &values, rounding: &rounding };
        let plan = Plan { first, most: self.most(task), starts: self.start_count(task), seed: task.seed };
        let (mut found, mut spreads) = (Vec::new(), Vec::new());
        for o in 0..y.cols() {
            let t = y.col(o);
            let mean = if self.intercept { weighted_mean(&t, &omega) } else { 0.0 };
            let targets: Vec<f64> = t.iter().zip(&roots).map(|(t, root)| root * (t - mean)).collect();
            let variance = dot(&targets, &targets) / total;
            let rounding = (4.0 * f64::EPSILON * t.iter().fold(0.0f64, |m, v| m.max(v.abs()))).powi(2);
            let mut fit = if variance <= rounding {
                Relevance::default()
            } else {
                let (rows, constant) = if self.intercept { (total - 1.0, -0.5 * total.ln()) } else { (total, 0.0) };
                let least_noise = (LEAST_NOISE * variance).max(rounding);
                relevance::numbers(columns, Numbers { targets: &targets, rows, constant, variance, least_noise }, &plan, task.control)?
            };
            fit.constant = vec![mean];
            spreads.push((fit.root.clone(), if self.intercept { fit.noise / total } else { 0.0 }));
            found.push(fit);
        }
        let (expansion, places) = expansion(&found, &means);
        let spread = |((f, columns), (root, constant)): ((&Relevance, Vec<usize>), (Matrix, f64))| Spread {
            means: f.columns.iter().map(|&c| means[c]).collect(),
            columns,
            root,
            constant,
            noise: f.noise,
        };
        let spreads = found.iter().zip(places).zip(spreads).map(spread).collect();
        let mut summary = summary(&found, y.rows(), &expansion, plan.most);
        let noises: Vec<String> = found.iter().map(|f| format!("{:.3e}", f.noise.sqrt())).collect();
        summary.notes.push(format!("standard deviation of the noise, by evidence: {}", noises.join(", ")));
        summary.notes.push(
            "far from the training rows the variance of a prediction falls to that of the noise where kernel values fall to 0, as of rbf: take normalise(..), add white(..), or take gp where variances there matter".into(),
        );
        Ok(FittedRvm { expansion, spreads, scores: None, summary })
    }

    fn classes(&self, task: &Task<'_>, first: &[usize]) -> Result<FittedRvm> {
        let (scores, likelihood) = ClassScores::of(task, self.class_weight, Self::NAME)?;
        let weights = likelihood.weights();
        let Features { values, means, .. } = self.columns(task, weights)?;
        let plan = ClassPlan { first, most: self.most(task), constant: self.intercept, weights, starts: self.start_count(task) };
        let found = vec![relevance::classes(&values, &likelihood, &plan, task.control)?];
        let (expansion, _) = expansion(&found, &means);
        let summary = summary(&found, task.rows(), &expansion, plan.most);
        Ok(FittedRvm { expansion, spreads: Vec::new(), scores: Some(scores), summary })
    }
}

/// Kernel values N x N, about their means where there is a constant, with the means and the sums of squares before.
struct Features {
    values: Matrix,
    means: Vec<f64>,
    squares: Vec<f64>,
}

/// The mean by weights; of numbers far from 0 too.
fn weighted_mean(t: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let about = dot(weights, t) / total;
    about + t.iter().zip(weights).map(|(t, w)| w * (t - about)).sum::<f64>() / total
}

/// One expansion over all rows that any output keeps, and for each output the places of its columns in it.
fn expansion(found: &[Relevance], means: &[f64]) -> (Expansion, Vec<Vec<usize>>) {
    let mut support: Vec<usize> = found.iter().flat_map(|f| f.columns.iter().copied()).collect();
    support.sort_unstable();
    support.dedup();
    let bias: Vec<f64> = found.iter().flat_map(|f| f.constant.iter().copied()).collect();
    let (mut coef, mut bias) = (Matrix::zeros(support.len(), bias.len()), bias);
    let place = |column: &usize| support.binary_search(column).unwrap_or(support.len());
    let mut o = 0;
    for f in found {
        for (k, column) in f.columns.iter().enumerate() {
            for (c, w) in f.weights.row(k).iter().enumerate() {
                coef[(place(column), o + c)] = *w;
                bias[o + c] -= w * means[*column];
            }
        }
        o += f.constant.len();
    }
    let places = found.iter().map(|f| f.columns.iter().map(place).collect()).collect();
    (Expansion::new(support, coef, bias), places)
}

/// Columns that are as an earlier one become 0, which is never relevant: which of two copies stays would be chance.
fn leave_out_copies(k: &mut Matrix) {
    let n = k.cols();
    let mut sums = vec![0.0; n];
    k.data().chunks_exact(n.max(1)).for_each(|row| sums.iter_mut().zip(row).for_each(|(s, v)| *s += v));
    let largest = k.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let (near, alike) = (ALIKE * largest * n as f64, ALIKE * largest);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(a.cmp(&b)));
    let mut copies = vec![false; n];
    for (at, &b) in order.iter().enumerate() {
        for &a in order[..at].iter().rev().take_while(|&&a| sums[b] - sums[a] <= near) {
            let (first, copy) = (a.min(b), a.max(b));
            if !copies[first] && !copies[copy] && (0..n).all(|i| (k[(i, first)] - k[(i, copy)]).abs() <= alike) {
                copies[copy] = true;
            }
        }
    }
    if copies.contains(&true) {
        k.data_mut()
            .chunks_exact_mut(n)
            .for_each(|row| row.iter_mut().zip(&copies).for_each(|(v, copy)| *v = if *copy { 0.0 } else { *v }));
    }
}

fn summary(found: &[Relevance], n: usize, expansion: &Expansion, most: usize) -> Summary {
    let gain = found.iter().map(|f| f.gain).fold(0.0, f64::max);
    let tolerance = found.iter().map(|f| f.tolerance).fold(0.0, f64::max);
    let kept = expansion.support.len();
    let mut notes = vec![format!("{kept} of {n} training rows are relevant")];
    if kept == 0 {
        notes.push("no training row adds to the evidence: predictions are constant; check the kernel's width, or whether the columns tell anything".into());
    }
    if gain > tolerance && found.iter().any(|f| f.columns.len() >= most) {
        notes.push("as many rows are relevant as may be (max_relevant), and the evidence asks for more: the kernel is narrow for this method; widen it, allow more, or take gp".into());
    }
    Summary {
        iterations: found.iter().map(|f| f.changes).sum(),
        converged: gain <= tolerance,
        evidence: Some(found.iter().map(|f| f.evidence).sum()),
        certificate: Some(Certificate { name: "gain of log evidence that one change would still bring".into(), value: gain, tolerance }),
        notes,
        ..Summary::default()
    }
}

impl Estimator for Rvm {
    const NAME: &'static str = "rvm";
    const DOC: &'static str = "relevance vector machine: few training rows, noise and weights by evidence, probabilities of classes";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = FittedRvm;

    fn gives(&self) -> Gives {
        Gives {
            scores: Scores::Classes,
            probabilities: When::Of(Kind::Classes),
            variance: When::Of(Kind::Numbers),
            measured_variance: When::If("calibrated"),
            ..Gives::VALUES
        }
    }
    fn needs(&self) -> Needs {
        Needs::AnySimilarity
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { takes_weights_of_any_unit: true, holds_out: self.calibrated, ..EstimatorFacts::default() }
    }
    /// K, once more where folds read it too, and columns of the rows that stay; of several classes blocks for each pair of them.
    /// Operations as counted on problems that need many functions, and half as many again, since tables differ tenfold in how many rows
    /// stay: of numbers some hundred changes, each a pass over K; of two classes more of them the more rows there are; of several a block
    /// for each pair of classes too.
    fn costs(&self, size: Size) -> Costs {
        let (n, rows, outputs) = (size.rows as f64, size.rows as u64, size.outputs as f64);
        let several = size.classes && size.outputs > 2;
        let blocks = if several {
            let (kept, c) = (rows / 40 + 10, size.outputs as u64);
            32 * (kept * c).pow(2) + 8 * (rows * kept * c * c).min(HELD as u64)
        } else {
            0
        };
        // The first start takes less than the others, which begin at random.
        let usual = STARTS[usize::from(size.classes)] as f64;
        let starts = if self.starts.is_settled() { self.starts.number() } else { usual };
        let begun = (FIRST_START + starts - 1.0).max(FIRST_START) / (FIRST_START + usual - 1.0);
        let changes = match (size.classes, several) {
            (true, true) => 300.0 * outputs.powi(2) + 1.6 * outputs * n,
            (true, false) => 30.0 * n,
            (false, _) => 30_000.0 * outputs,
        };
        let kept = size.by_values().at(most_relevant(size.rows).min(size.rows)).costs();
        let measured = self.calibrated && !size.classes;
        Costs {
            bytes: if measured { 24 } else { 16 } * rows * rows
                + 8 * rows * if size.classes { 100 } else { rows / 3 + 100 }
                + blocks
                + 300_000,
            fit: begun * changes * n * n * if measured { MEASURED } else { 1.0 },
            // On vowel and segment; of numbers 12 on wine_white and on 100,000 x 20, where hundreds of columns stay, and 70 on lab400, where
            // hardly any noise ends the search: between these.
            pace: match (size.classes, several) {
                (true, true) => 12.0,
                (true, false) => 4.0,
                (false, _) => 30.0,
            },
            prediction_values: kept.prediction_values,
            prediction: kept.prediction + if size.classes { 0.0 } else { kept.prediction_values.powi(2) },
            ..size.by_values().costs()
        }
    }

    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(if param == "starts" { usual_starts(task.target) } else { most_relevant(task.rows()) } as f64)
    }

    fn uses(&self, param: &str, target: Kind) -> bool {
        param != "calibrated" || target == Kind::Numbers
    }

    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedRvm>) -> Result<Fit<FittedRvm>> {
        let held = self.held_for_folds(task, context.hold)?;
        let task = &Task { view: held.as_ref().map_or(task.view, |held| View::Values(held)), ..*task };
        let mut fitted = self.fit_from(task, context.earlier)?;
        if let (Target::Numbers(y), true) = (task.target, self.calibrated) {
            let once = Rvm { starts: Value::Number(1.0), calibrated: false, ..self.clone() };
            let bands = measured_bands(&once, task, y, context.hold)?;
            for (spread, band) in fitted.spreads.iter_mut().zip(&bands) {
                spread.widen(band.factor);
                fitted.summary.notes.extend(band.note());
            }
        }
        Ok(fitted.into())
    }
}

impl Rvm {
    /// The first start is from the rows that the earlier fit keeps: the evidence has many maxima, and another start may lead to another
    /// one.
    fn fit_from(&self, task: &Task<'_>, earlier: Option<&FittedRvm>) -> Result<FittedRvm> {
        let kept = earlier.map_or(&[][..], |fitted| fitted.support());
        let first = if kept.last().is_none_or(|row| *row < task.rows()) { kept } else { &[] };
        let scaled = task.shares_as_counts(FEWEST, "two rows");
        let task = &Task { weights: scaled.as_ref().map(|(counts, _)| counts.as_slice()).or(task.weights), ..*task };
        let mut fitted = match task.target {
            Target::Classes { .. } => self.classes(task, first),
            _ => self.numbers(task, first),
        }?;
        fitted.summary.warnings.extend(scaled.map(|(_, said)| said));
        Ok(fitted)
    }
}

impl FittedRvm {
    /// phi'C phi of each new row and output, from kernel values with the support.
    fn variances(&self, cross: &Matrix) -> Result<Matrix> {
        let support = cross.cols();
        let mut out = Matrix::zeros(cross.rows(), self.spreads.len());
        for (o, spread) in self.spreads.iter().enumerate() {
            let m = spread.columns.len();
            Error::unless_equal("rows of the root of a covariance of weights", m, spread.root.rows())?;
            Error::unless_equal("means of the columns of weights", m, spread.means.len())?;
            if let Some(column) = spread.columns.iter().find(|c| **c >= support) {
                return Err(Error::Shape { what: "columns of the covariance of weights".into(), expected: support, found: column + 1 });
            }
            let phi = Matrix::from_fn(cross.rows(), m, |i, k| cross[(i, spread.columns[k])] - spread.means[k]);
            let along = product(&phi, &spread.root)?;
            (0..cross.rows()).for_each(|i| out[(i, o)] = spread.constant + dot(along.row(i), along.row(i)));
        }
        Ok(out)
    }
}

impl Fitted for FittedRvm {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Scores are log odds of the second of two classes, or latent functions of each.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        if let Some(scores) = &self.scores {
            scores.check(self.expansion.bias.len())?;
            let f = self.expansion.predict(query.cross()?, query.control)?;
            let probabilities = scores.probabilities(&f);
            return Ok(scores.predictions(f, probabilities, query.want));
        }
        Error::unless_equal("outputs of a relevance vector machine", self.expansion.bias.len(), self.spreads.len())?;
        let f = self.expansion.predict(query.cross()?, query.control)?;
        let variance = match query.want.variance {
            true => Some(self.variances(&gram::dense(query.cross()?, query.control)?)?),
            false => None,
        };
        let noise = Some(self.spreads.iter().map(|s| s.noise).collect());
        Ok(Predictions { variance, noise, ..Predictions::of(Predicted::Numbers(f)) })
    }
    /// That of the mean alone.
    fn predict_gradient(&self, query: &GradientQuery<'_>) -> Result<Option<PredictionGradient>> {
        match self.scores {
            None => Ok(Some(PredictionGradient { mean: self.expansion.gradient(query)?, variance: None })),
            Some(_) => Ok(None),
        }
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.scores.as_ref().map(|s| s.classes))
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
}

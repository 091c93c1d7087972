//! Kernel Fisher discriminant analysis: the directions in feature space with large variance between classes and small variance within
//! classes, S_B v = rho (S_W + lambda I) v, and Gaussian classes of one covariance along them.
//!
//! With regularised scatter the directions are those of the ridge regression F of the indicators Y of the classes, turned so that the
//! fitted values are uncorrelated and have variance 1 within classes (Mika et al. 1999; Hastie, Buja & Tibshirani 1995, Penalized
//! discriminant analysis): no N x N eigenproblem is solved, and the residual of the regression is the certificate.
//!
//! Means and the common covariance W of the classes along the directions are those of rows that the regression was fitted without, in
//! closed form: at the training rows themselves the fitted values lie closer to their classes than those of new rows do. Scores are
//! ln prior_c + m_c'W^-1 z - m_c'W^-1 m_c / 2.

use crate::control::Control;
use crate::data::{Kind, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::probabilities::held_out::out_of_fold;
use crate::estimators::registry::settled::settled;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{
    Answer, ClassWeight, Costs, Criterion, Estimator, EstimatorFacts, Expansion, Fitted, Gives, HeldOut, Needs, Predictions, Query, Ridge,
    Scores, Size, Summary, Task, Want, WarmStart, When,
};
use crate::linalg::{Cholesky, Matrix, eigh, product};
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// A spread of the fitted indicators below this, and below such a share of the largest, is rounding.
const SPREAD: (f64, f64) = (1e-20, 1e-12);
/// The share of the variance that is within classes is taken to be no less.
const WITHIN: f64 = 1e-10;

/// Kernel Fisher discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discriminant {
    /// What is added to the scatter within classes, in the units of the kernel.
    pub lambda: Value,
    /// The priors of the classes.
    pub priors: Priors,
    /// Whether probabilities are calibrated.
    #[serde(default)]
    pub calibrated: bool,
}

/// How frequent classes are taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priors {
    /// As among the training rows.
    #[default]
    Frequencies,
    /// All alike.
    Equal,
}

impl Default for Discriminant {
    fn default() -> Self {
        Discriminant { lambda: Value::Auto, priors: Priors::Frequencies, calibrated: true }
    }
}

impl Discriminant {
    /// The fit, and the coordinates of rows that the regression was fitted without, where it could be.
    fn fitted(&self, task: &Task<'_>, split: &Split) -> Result<(FittedDiscriminant, Option<(HeldOut, Matrix)>)> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let (link, _) = Link::of(task, ClassWeight::None, Self::NAME)?;
        let (fitted, held_out) = match self.ridge().fit_held_out(task, None, split) {
            Ok((fitted, held_out)) => (fitted, Some(held_out)),
            Err(error) if error.ends_all() => return Err(error),
            Err(_) => (self.ridge().fit(task)?, None),
        };
        let indicators = fitted.expansion();
        let f = fitted.at_training_rows(lambda, task)?;
        let groups = Groups::of(task, (&(0..task.rows()).collect::<Vec<_>>(), &task.all_weights()), &f)?;
        let (turn, between) = groups.directions(task.control)?;
        let mut unseen = None;
        let (mut means, mut towards) = (Matrix::zeros(0, 0), Matrix::zeros(0, 0));
        let mut how = "at the training rows, and surer than they should be".to_owned();
        if let Some(held_out) = held_out {
            // Rows alone know nothing of their copies: of a row of weight w one is left out, as of w rows. The others leave all copies out.
            let values = if *split == Split::Rows { without_one(task, &held_out, &f)? } else { held_out.scores.clone() };
            if !held_out.rows.is_empty() {
                let (rows, mass, all) = with_every_class(task, &held_out, &values, &f)?;
                let classes = Groups::of(task, (&rows, &mass), &all)?;
                (means, towards) = classes.gaussians(&turn, task.control)?;
                how.clone_from(&held_out.how);
                unseen = Some((held_out, product(&values, &turn)?));
            }
        }
        if unseen.is_none() {
            (means, towards) = groups.gaussians(&turn, task.control)?;
        }
        let shift = product(&Matrix::new(1, indicators.bias.len(), indicators.bias.clone())?, &turn)?.into_data();
        let mut expansion = Expansion::new(indicators.support.clone(), product(&indicators.coef, &turn)?, shift);
        if let Some(weights) = &indicators.weights {
            expansion = expansion.with_weights(product(weights, &turn)?);
        }
        let count = groups.shares.len();
        let priors = if self.priors == Priors::Equal { vec![1.0 / count as f64; count] } else { groups.shares };
        let mut summary = fitted.summary().clone();
        // That of the regression is no objective of this problem.
        summary.objective = None;
        if between.is_empty() {
            summary.notes.push("the kernel tells no class from another: every row gets the most frequent class".into());
        } else {
            summary.notes.push(format!("probabilities are those of Gaussian classes along the directions, {how}"));
        }
        Ok((FittedDiscriminant { expansion, means, towards: Some(towards), priors, between, link, summary }, unseen))
    }

    fn ridge(&self) -> Ridge {
        Ridge { lambda: self.lambda.clone(), intercept: true, probabilities: true }
    }
}

/// A fitted discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedDiscriminant {
    /// Coordinates along the discriminant directions, of variance 1 within classes at the training rows, most discriminating first.
    expansion: Expansion,
    /// Means of the classes that have rows, classes x directions, at rows left out.
    pub means: Matrix,
    /// m_c'W^-1, classes x directions; of models without it, W is the identity.
    #[serde(default)]
    towards: Option<Matrix>,
    /// Their priors.
    pub priors: Vec<f64>,
    /// Variance between classes, as a share of all, along each direction.
    pub between: Vec<f64>,
    link: Link,
    summary: Summary,
}

impl Estimator for Discriminant {
    const NAME: &'static str = "discriminant";
    const DOC: &'static str = "kernel Fisher discriminant analysis: discriminant directions, and Gaussian classes along them";
    const PARAMS: &'static [Param] = &[
        Param::searched(
            "lambda",
            "regularisation added to the within-class scatter, in the units of the kernel",
            Domain::PositiveFinite,
            1e6,
        ),
        Param::fixed(
            "priors",
            "frequencies: class priors from the training rows; equal: uniform priors",
            Domain::Choice(&["frequencies", "equal"]),
        ),
        Param::fixed("calibrated", CALIBRATED, Domain::Flag),
    ];
    const TAKES: &'static [Kind] = &[Kind::Classes];
    const GIVES: Gives =
        Gives { scores: Scores::Classes, probabilities: When::Always, calibrated: When::If("calibrated"), ..Gives::VALUES };
    const NEEDS: Needs = Needs::MercerKernel;
    const CRITERION: Option<&'static str> = Some("leave-one-out error of the indicators");
    type Fitted = FittedDiscriminant;

    fn criterion_for_display(value: f64) -> f64 {
        Ridge::criterion_for_display(value)
    }
    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { ignores_shifts: true, criterion_keeps_kernel: true, holds_out: true, ..EstimatorFacts::default() }
    }
    fn costs(&self, size: Size) -> Costs {
        self.ridge().costs(size)
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        self.ridge().start(param, task)
    }

    fn fit(&self, task: &Task<'_>) -> Result<FittedDiscriminant> {
        self.fitted(task, &Split::Rows).map(|(fitted, _)| fitted)
    }

    fn fit_keeping(
        &self,
        task: &Task<'_>,
        _earlier: Option<(&Self::Fitted, &WarmStart)>,
        split: &Split,
    ) -> Result<(Self::Fitted, WarmStart)> {
        self.fitted(task, split).map(|(fitted, _)| (fitted, WarmStart::default()))
    }

    fn fit_held_out(&self, task: &Task<'_>, _earlier: Option<&Self::Fitted>, split: &Split) -> Result<(Self::Fitted, HeldOut)> {
        let (fitted, unseen) = self.fitted(task, split)?;
        let Some((held_out, z)) = unseen else {
            return out_of_fold(self, task, split).map(|held_out| (fitted, held_out));
        };
        let predictions = fitted.of_coordinates(&z, Want { probabilities: true, ..Want::default() })?;
        let (scores, pairs) = predictions.for_calibration()?;
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        let mut of_class = vec![0.0; names.len()];
        held_out.rows.iter().zip(&held_out.mass).for_each(|(&i, w)| of_class[codes[i]] += w);
        // Where classes are taken to be alike, held-out rows of each count alike as a whole.
        let factor = |i: usize| if self.priors == Priors::Equal { 1.0 / of_class[codes[i]] } else { 1.0 };
        let whole = if self.priors == Priors::Equal { held_out.rows.len() as f64 / names.len() as f64 } else { 1.0 };
        let mass = held_out.rows.iter().zip(&held_out.mass).map(|(&i, w)| whole * factor(i) * w).collect();
        let made = HeldOut { mass, scores: scores.into_owned(), pairs: pairs.to_vec(), of: predictions.score_kind(), ..held_out };
        Ok((fitted, made))
    }

    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.ridge().criterion(task)
    }
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        self.ridge().criterion_along(param, values, task)
    }
}

/// The values of rows by the regression without one repetition of each, from those f of all rows and those of rows left out as a whole: of
/// weight w, with e the error of f and E that of a row left out, e = (1 - h) E and the error without a share r of the row is e / (1 - r h).
fn without_one(task: &Task<'_>, held_out: &HeldOut, f: &Matrix) -> Result<Matrix> {
    let y = outputs(task, Discriminant::NAME)?;
    Ok(Matrix::from_fn(held_out.rows.len(), f.cols(), |k, o| {
        let i = held_out.rows[k];
        let (share, fitted, whole) = (1.0 / task.weight(i).max(1.0), y[(i, o)] - f[(i, o)], y[(i, o)] - held_out.scores[(k, o)]);
        let left = (1.0 - share) * whole + share * fitted;
        y[(i, o)] - if share < 1.0 && left != 0.0 { fitted * whole / left } else { whole }
    }))
}

/// Held-out rows with their weights and values; of classes that have none of them the training rows with theirs.
fn with_every_class(task: &Task<'_>, held_out: &HeldOut, values: &Matrix, f: &Matrix) -> Result<(Vec<usize>, Vec<f64>, Matrix)> {
    let (codes, names) = task.target.as_classes(Discriminant::NAME)?;
    let mut known = vec![false; names.len()];
    held_out.rows.iter().for_each(|&i| known[codes[i]] = true);
    let others: Vec<usize> = (0..task.rows()).filter(|&i| !known[codes[i]]).collect();
    let mut all = values.clone();
    all.append_rows(f.select_rows(&others));
    let mass = held_out.mass.iter().copied().chain(others.iter().map(|&i| task.weight(i))).collect();
    Ok((held_out.rows.iter().chain(&others).copied().collect(), mass, all))
}

/// Fitted indicators by class.
struct Groups {
    /// Shares of the classes that have rows.
    shares: Vec<f64>,
    /// Their means, classes x outputs.
    means: Matrix,
    /// The mean of all rows.
    mean: Vec<f64>,
    /// Covariance of all rows around it.
    total: Matrix,
}

impl Groups {
    /// Of some rows of a task with their weights, by their outputs.
    fn of(task: &Task<'_>, (rows, weights): (&[usize], &[f64]), f: &Matrix) -> Result<Groups> {
        let Target::Classes { codes, names } = task.target else { return Err(Error::Data("discriminant predicts classes".into())) };
        let size = f.cols();
        let (mut of_task, mut mass) = (vec![0.0; names.len()], vec![0.0; names.len()]);
        codes.iter().enumerate().for_each(|(i, &k)| of_task[k] += task.weight(i));
        rows.iter().zip(weights).for_each(|(&i, w)| mass[codes[i]] += w);
        let present: Vec<usize> = (0..names.len()).filter(|&k| of_task[k] > 0.0).collect();
        let all: f64 = mass.iter().sum();
        let mut means = Matrix::zeros(present.len(), size);
        let mut mean = vec![0.0; size];
        for (k, &i) in rows.iter().enumerate() {
            let at = present.partition_point(|&k| k < codes[i]);
            for o in 0..size {
                means[(at, o)] += weights[k] * f[(k, o)] / mass[codes[i]];
                mean[o] += weights[k] * f[(k, o)] / all;
            }
        }
        let mut total = Matrix::zeros(size, size);
        for (k, weight) in weights.iter().enumerate() {
            for o in 0..size {
                for p in 0..size {
                    total[(o, p)] += weight / all * (f[(k, o)] - mean[o]) * (f[(k, p)] - mean[p]);
                }
            }
        }
        Ok(Groups { shares: present.iter().map(|&k| mass[k] / all).collect(), means, mean, total })
    }

    /// Along turned outputs (outputs x directions) the means of the classes, and m_c'W^-1 with W their common covariance, which is the
    /// total less that of the means.
    fn gaussians(&self, turn: &Matrix, control: &Control) -> Result<(Matrix, Matrix)> {
        let (size, means) = (turn.cols(), product(&self.means, turn)?);
        let all = product(&Matrix::new(1, self.mean.len(), self.mean.clone())?, turn)?;
        let mut within = product(&turn.transpose(), &product(&self.total, turn)?)?;
        let whole = within.diagonal().iter().fold(0.0f64, |most, v| most.max(*v)).max(f64::MIN_POSITIVE);
        for (c, share) in self.shares.iter().enumerate() {
            let away: Vec<f64> = means.row(c).iter().zip(all.data()).map(|(m, all)| m - all).collect();
            for (o, p) in (0..size).flat_map(|o| (0..size).map(move |p| (o, p))) {
                within[(o, p)] -= share * away[o] * away[p];
            }
        }
        within.add_to_diagonal(&vec![WITHIN * whole; size]);
        let towards = Cholesky::new(within, control)?.solve(&means.transpose(), control)?.transpose();
        Ok((means, towards))
    }

    /// The turn of the outputs (outputs x directions) after which they are uncorrelated with variance 1 within classes, and the share
    /// of the variance between classes along each. Where nothing varies, one direction along which all is 0.
    fn directions(&self, control: &Control) -> Result<(Matrix, Vec<f64>)> {
        let size = self.mean.len();
        let (values, vectors) = eigh(self.total.clone(), control)?;
        let most = values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..size).rev().filter(|&k| values[k] > SPREAD.0.max(SPREAD.1 * most)).take(self.shares.len() - 1).collect();
        if kept.is_empty() {
            return Ok((Matrix::zeros(size, 1), Vec::new()));
        }
        let white = Matrix::from_fn(size, kept.len(), |o, k| vectors[(o, kept[k])] / values[kept[k]].sqrt());
        let centred = Matrix::from_fn(self.means.rows(), size, |c, o| self.means[(c, o)] - self.mean[o]);
        let mut spread = product(&centred, &white)?;
        spread.data_mut().chunks_exact_mut(kept.len()).zip(&self.shares).for_each(|(row, s)| row.iter_mut().for_each(|v| *v *= s.sqrt()));
        let (between, turn) = eigh(product(&spread.transpose(), &spread)?, control)?;
        let between: Vec<f64> = between.iter().rev().map(|b| b.clamp(0.0, 1.0)).collect();
        let within = |k: usize| (1.0 - between[k]).max(WITHIN).sqrt();
        let last = kept.len() - 1;
        let turn = Matrix::from_fn(kept.len(), kept.len(), |j, k| turn[(j, last - k)] / within(k));
        Ok((product(&white, &turn)?, between))
    }
}

impl FittedDiscriminant {
    /// Predictions of rows at coordinates along the directions. Scores are logarithms of the probabilities up to a constant; of two classes
    /// the difference.
    fn of_coordinates(&self, z: &Matrix, want: Want) -> Result<Predictions> {
        Error::unless_equal("coordinates of the means of classes", z.cols(), self.means.cols())?;
        Error::unless_equal("priors of the classes", self.means.rows(), self.priors.len())?;
        let towards = self.towards.as_ref().unwrap_or(&self.means);
        Error::unless_equal("classes of a discriminant", self.means.rows(), towards.rows())?;
        Error::unless_equal("directions of a discriminant", self.means.cols(), towards.cols())?;
        let score = |i: usize, c: usize| {
            let each = towards.row(c).iter().zip(self.means.row(c)).zip(z.row(i));
            self.priors[c].ln() + each.map(|((t, m), z)| t * (z - 0.5 * m)).sum::<f64>()
        };
        let scores = match self.priors.len() {
            2 => Matrix::from_fn(z.rows(), 1, |i, _| score(i, 1) - score(i, 0)),
            several => Matrix::from_fn(z.rows(), several, score),
        };
        self.link.predictions(scores, want)
    }

    /// Coordinates along the discriminant directions as a kernel expansion.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }
}

impl Fitted for FittedDiscriminant {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.of_coordinates(&self.expansion.predict(query.cross, query.control)?, query.want)
    }

    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.link.classes())
    }
    fn forget_rows(&mut self) {
        self.expansion.forget_rows();
    }
    fn expansion(&self) -> Option<&Expansion> {
        Some(&self.expansion)
    }
}

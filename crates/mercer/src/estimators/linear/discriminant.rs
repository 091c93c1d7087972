//! Kernel Fisher discriminant analysis: the directions in feature space with large variance between classes and small variance within
//! classes, S_B v = rho (S_W + lambda I) v, and Gaussian classes of one covariance along them.
//!
//! With regularised scatter the directions are those of the ridge regression F of the indicators Y of the classes, turned so that the
//! fitted values are uncorrelated and have variance 1 within classes (Mika et al. 1999; Hastie, Buja & Tibshirani 1995, Penalized
//! discriminant analysis): no N x N eigenproblem is solved, and the residual of the regression is the certificate.
//!
//! Means and the common covariance W of the classes along the directions are those of rows that the regression was fitted without: at the
//! training rows themselves the fitted values lie closer to their classes than those of new rows do. Scores are
//! ln prior_c + m_c'W^-1 z - m_c'W^-1 m_c / 2.
//!
//! A fit without some rows of a class has another constant as well, which lies further from that class, and under strong regularisation
//! that is more than the kernel adds: classes would change places. So its values v are taken from the mean of all rows, those left out
//! included, which a constant does not change. With F_-T the regression without the rows T of weights w, of all weights W,
//! ```text
//! v_i = F_-T(x_i) + sum over T of w_j (y_j - F_-T(x_j)) / W,      of a row left out alone  v_i = F_-i(x_i) + w_i (y_i - F_-i(x_i)) / W
//! ```
//! and E v = 0 for every row where labels are dealt at random. A direction along which the means of the classes that v has do not follow
//! those of the fitted values is taken to say nothing.

use super::ridge::at_training_rows;
use crate::control::Control;
use crate::data::{Kind, Split, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::contract::answer::CALIBRATED;
use crate::estimators::probabilities::held_out::{fit_and_hold_out, out_of_fold};
use crate::estimators::registry::settled::settled;
use crate::estimators::targets::link::Link;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{
    Answer, ClassWeight, Costs, Criterion, CriterionName, Estimator, EstimatorFacts, Expansion, Fit, FitContext, Fitted, Gives, HeldOut,
    HoldOut, Predictions, Query, Ridge, Scores, Size, Summary, Task, Want, When,
};
use crate::linalg::{Cholesky, Matrix, eigh, product};
use crate::param::Value;
use mercer_derive::{Choice, Parameters};
use serde::{Deserialize, Serialize};

/// A spread of the fitted indicators below this, and below such a share of the largest, is rounding.
const SPREAD: (f64, f64) = (1e-20, 1e-12);
/// The share of the variance that is within classes is taken to be no less.
const WITHIN: f64 = 1e-10;

/// Kernel Fisher discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Discriminant {
    /// regularisation added to the within-class scatter, in the units of the kernel
    #[param(domain = PositiveFinite, search = 1e6)]
    pub lambda: Value,
    /// frequencies: class priors from the training rows; equal: uniform priors
    pub priors: Priors,
    /// Whether probabilities are calibrated.
    #[param(default = true, doc = CALIBRATED)]
    #[serde(default)]
    pub calibrated: bool,
}

/// How frequent classes are taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Priors {
    /// As among the training rows.
    #[default]
    Frequencies,
    /// All alike.
    Equal,
}

impl Discriminant {
    /// The fit, and the coordinates of rows that the regression was fitted without, where it could be.
    fn fitted(&self, task: &Task<'_>, hold: HoldOut<'_>) -> Result<(FittedDiscriminant, Option<Unseen>)> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let (link, ..) = Link::of(task, ClassWeight::None, Self::NAME)?;
        let (fitted, held_out) = match fit_and_hold_out(&self.ridge(), task, hold) {
            Ok((fitted, held_out)) => (fitted, Some(held_out).filter(|held_out| !held_out.rows.is_empty())),
            Err(error) if error.ends_all() => return Err(error),
            Err(_) => (self.ridge().fit(task)?, None),
        };
        let indicators = fitted.expansion();
        let f = at_training_rows(&fitted, lambda, task)?;
        let groups = Groups::of(task, (&(0..task.rows()).collect::<Vec<_>>(), &task.all_weights()), &f)?;
        let (turn, between) = groups.directions(task.control)?;
        let (classes, unseen, how) = match held_out {
            Some(held_out) => {
                // Rows alone know nothing of their copies: of a row of weight w one is left out, as of w rows. The others leave all copies out.
                let values = if *hold.split == Split::Rows && hold.kernel.is_none() {
                    without_one(task, &held_out, &f)?
                } else {
                    from_one_origin(task, &held_out)?
                };
                let (rows, mass, all) = with_every_class(task, &held_out, &values, &f)?;
                let how = held_out.how.clone();
                (Groups::of(task, (&rows, &mass), &all)?, Some((held_out, groups.coordinates(&values, &turn)?)), how)
            }
            None => (groups.clone(), None, "at the training rows, and surer than they should be".to_owned()),
        };
        let gaussians = Gaussians::along(&turn, &classes, &groups)?;
        let (means, towards) = (gaussians.means.clone(), gaussians.towards(task.control)?);
        let shift = groups.coordinates(&Matrix::new(1, indicators.bias.len(), indicators.bias.clone())?, &turn)?.into_data();
        let mut expansion = Expansion::new(indicators.support.clone(), product(&indicators.coef, &turn)?, shift);
        if let Some(weights) = &indicators.weights {
            expansion = expansion.with_weights(product(weights, &turn)?);
        }
        let count = groups.shares.len();
        let priors = if self.priors == Priors::Equal { vec![1.0 / count as f64; count] } else { groups.shares };
        let mut summary = fitted.summary().clone();
        // That of the regression is no objective of this problem.
        summary.objective = None;
        let dropped = gaussians.says.iter().filter(|says| !**says).count();
        if dropped > 0 && !between.is_empty() {
            summary.notes.push(format!(
                "held-out rows do not confirm {dropped} of {} discriminant directions, which says nothing of the classes here",
                gaussians.says.len()
            ));
        }
        if between.is_empty() {
            summary.notes.push("the kernel tells no class from another: every row gets the most frequent class".into());
        } else {
            summary.notes.push(format!("probabilities are those of Gaussian classes along the directions, {how}"));
        }
        let unseen = unseen.map(|(held_out, z)| Unseen { held_out, z, gaussians });
        Ok((FittedDiscriminant { expansion, means, towards: Some(towards), priors, between, link, summary }, unseen))
    }

    fn ridge(&self) -> Ridge {
        Ridge { lambda: self.lambda.clone(), intercept: true, probabilities: true }
    }
}

/// Rows that the regression was fitted without.
struct Unseen {
    held_out: HeldOut,
    /// Their coordinates along the directions.
    z: Matrix,
    gaussians: Gaussians,
}

/// A fitted discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedDiscriminant {
    /// Coordinates along the discriminant directions, of variance 1 within classes at the training rows, most discriminating first.
    expansion: Expansion,
    /// Means of the classes that have rows, classes x directions, at rows held out.
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
    const TAKES: &'static [Kind] = &[Kind::Classes];
    const CRITERION: Option<CriterionName> = Some(CriterionName::leave_one_out("leave-one-out error of the indicators"));
    type Fitted = FittedDiscriminant;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, calibrated: When::If("calibrated"), ..Gives::VALUES }
    }

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

    /// Of held-out rows each is given the Gaussian classes that the others have.
    fn fit_with(&self, task: &Task<'_>, context: &FitContext<'_, FittedDiscriminant>) -> Result<Fit<FittedDiscriminant>> {
        let (fitted, unseen) = self.fitted(task, context.hold)?;
        if !context.wants_scores {
            return Ok(fitted.into());
        }
        let Some(Unseen { held_out, z, gaussians }) = unseen else {
            return Ok(Fit { held_out: Some(out_of_fold(self, task, context.hold)?), ..fitted.into() });
        };
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        let mut scores = Matrix::zeros(z.rows(), fitted.scores());
        for (k, &i) in held_out.rows.iter().enumerate() {
            let (means, towards) = gaussians.without(z.row(k), codes[i], held_out.mass[k], task.control)?;
            fitted.write_scores(&means, &towards, z.row(k), scores.row_mut(k));
        }
        fitted.link.check(scores.cols())?;
        let predictions = fitted.link.predictions(scores, Want { probabilities: true, ..Want::default() });
        let (scores, pairs) = predictions.for_calibration()?;
        let mut of_class = vec![0.0; names.len()];
        held_out.rows.iter().zip(&held_out.mass).for_each(|(&i, w)| of_class[codes[i]] += w);
        // Where classes are taken to be alike, held-out rows of each count alike as a whole.
        let factor = |i: usize| if self.priors == Priors::Equal { 1.0 / of_class[codes[i]] } else { 1.0 };
        let whole = if self.priors == Priors::Equal { held_out.rows.len() as f64 / names.len() as f64 } else { 1.0 };
        let mass = held_out.rows.iter().zip(&held_out.mass).map(|(&i, w)| whole * factor(i) * w).collect();
        let made = HeldOut { mass, scores: scores.into_owned(), pairs: pairs.to_vec(), of: predictions.score_kind(), ..held_out };
        Ok(Fit { held_out: Some(made), ..fitted.into() })
    }

    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.ridge().criterion(task)
    }
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        self.ridge().criterion_along(param, values, task)
    }
}

/// The values of held-out rows, each fit without some of them taken from the mean of all rows that it learnt from or held out.
fn from_one_origin(task: &Task<'_>, held_out: &HeldOut) -> Result<Matrix> {
    let (y, scores) = (outputs(task, Discriminant::NAME)?, &held_out.scores);
    let learnt_from = held_out.fits.learnt_from();
    let (mut errors, mut masses) = (Matrix::zeros(learnt_from.len(), y.cols()), learnt_from.to_vec());
    for (k, (&i, w)) in held_out.rows.iter().zip(&held_out.mass).enumerate() {
        let fit = held_out.fits.of_row(k);
        masses[fit] += w;
        (0..y.cols()).for_each(|o| errors[(fit, o)] += w * (y[(i, o)] - scores[(k, o)]));
    }
    Ok(Matrix::from_fn(scores.rows(), y.cols(), |k, o| {
        let fit = held_out.fits.of_row(k);
        scores[(k, o)] + errors[(fit, o)] / masses[fit]
    }))
}

/// Those of the regression without one repetition of each row, from its values f of all rows and those of rows left out as a whole: of
/// weight w, with e the error of f and E that of a row left out, e = (1 - h) E and the error without a share r of the row is e / (1 - r h).
fn without_one(task: &Task<'_>, held_out: &HeldOut, f: &Matrix) -> Result<Matrix> {
    let y = outputs(task, Discriminant::NAME)?;
    let all: f64 = task.all_weights().iter().sum();
    Ok(Matrix::from_fn(held_out.rows.len(), f.cols(), |k, o| {
        let i = held_out.rows[k];
        let (share, fitted, whole) = (1.0 / task.weight(i).max(1.0), y[(i, o)] - f[(i, o)], y[(i, o)] - held_out.scores[(k, o)]);
        let left = (1.0 - share) * whole + share * fitted;
        let error = if share < 1.0 && left != 0.0 { fitted * whole / left } else { whole };
        y[(i, o)] - error * (1.0 - task.weight(i).min(1.0) / all)
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
#[derive(Clone)]
struct Groups {
    /// Codes of the classes that have rows, ascending.
    present: Vec<usize>,
    /// The weight of all rows.
    mass: f64,
    /// Shares of these classes.
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
        Ok(Groups { shares: present.iter().map(|&k| mass[k] / all).collect(), present, mass: all, means, mean, total })
    }

    /// Outputs along a turn of them (outputs x directions), from their mean.
    fn coordinates(&self, f: &Matrix, turn: &Matrix) -> Result<Matrix> {
        product(&Matrix::from_fn(f.rows(), f.cols(), |i, o| f[(i, o)] - self.mean[o]), turn)
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

/// Gaussian classes of one covariance along the directions.
struct Gaussians {
    /// Codes of the classes that have rows, ascending.
    present: Vec<usize>,
    /// Their weights.
    masses: Vec<f64>,
    /// Their means, classes x directions.
    means: Matrix,
    /// The sum of w (z - m)(z - m)' over rows, m the means of their classes.
    scatter: Matrix,
    /// The directions that say something.
    says: Vec<bool>,
}

impl Gaussians {
    /// Of rows by class, along turned outputs (outputs x directions) by which the classes of the training rows lie as `fitted` says.
    fn along(turn: &Matrix, classes: &Groups, fitted: &Groups) -> Result<Gaussians> {
        let size = turn.cols();
        let (means, as_fitted) = (fitted.coordinates(&classes.means, turn)?, fitted.coordinates(&fitted.means, turn)?);
        let away = classes.coordinates(&classes.means, turn)?;
        let mut scatter = product(&turn.transpose(), &product(&classes.total, turn)?)?;
        for (c, share) in classes.shares.iter().enumerate() {
            for (o, p) in (0..size).flat_map(|o| (0..size).map(move |p| (o, p))) {
                scatter[(o, p)] -= share * away[(c, o)] * away[(c, p)];
            }
        }
        scatter.data_mut().iter_mut().for_each(|v| *v *= classes.mass);
        let along = |o: usize| fitted.shares.iter().enumerate().map(|(c, share)| share * away[(c, o)] * as_fitted[(c, o)]).sum::<f64>();
        let masses = classes.shares.iter().map(|share| share * classes.mass).collect();
        Ok(Gaussians { present: classes.present.clone(), masses, means, scatter, says: (0..size).map(|o| along(o) > 0.0).collect() })
    }

    /// m_c'W^-1, classes x directions; 0 along directions that say nothing.
    fn towards(&self, control: &Control) -> Result<Matrix> {
        Self::weighed(&self.means, &self.scatter, self.masses.iter().sum(), &self.says, control)
    }

    fn weighed(means: &Matrix, scatter: &Matrix, mass: f64, says: &[bool], control: &Control) -> Result<Matrix> {
        let kept: Vec<usize> = (0..says.len()).filter(|&o| says[o]).collect();
        let mut out = Matrix::zeros(means.rows(), means.cols());
        if kept.is_empty() {
            return Ok(out);
        }
        let mut within = Matrix::from_fn(kept.len(), kept.len(), |o, p| scatter[(kept[o], kept[p])] / mass);
        let square = |o: usize| (0..means.rows()).map(|c| means[(c, kept[o])].powi(2)).fold(0.0, f64::max);
        let whole = (0..kept.len()).map(|o| within[(o, o)] + square(o)).fold(f64::MIN_POSITIVE, f64::max);
        within.add_to_diagonal(&vec![WITHIN * whole; kept.len()]);
        let of_kept = Matrix::from_fn(kept.len(), means.rows(), |o, c| means[(c, kept[o])]);
        let solved = Cholesky::new(within, control)?.solve(&of_kept, control)?;
        kept.iter().enumerate().for_each(|(o, &to)| (0..means.rows()).for_each(|c| out[(c, to)] = solved[(o, c)]));
        Ok(out)
    }

    /// The means and m_c'W^-1 that the other rows give, for one of these rows of a weight (of more than one a single repetition).
    fn without(&self, z: &[f64], code: usize, weight: f64, control: &Control) -> Result<(Matrix, Matrix)> {
        let (class, weight) = (self.present.partition_point(|&k| k < code), weight.min(1.0));
        let rest = self.masses[class] - weight;
        let all: f64 = self.masses.iter().sum();
        let (mut means, mut scatter) = (self.means.clone(), self.scatter.clone());
        if rest > WITHIN * all {
            let away: Vec<f64> = z.iter().zip(self.means.row(class)).map(|(z, m)| z - m).collect();
            let factor = weight * self.masses[class] / rest;
            for (o, a) in away.iter().enumerate() {
                away.iter().enumerate().for_each(|(p, b)| scatter[(o, p)] -= factor * a * b);
                means[(class, o)] -= weight / rest * a;
            }
        }
        let towards = Self::weighed(&means, &scatter, all - weight, &self.says, control)?;
        Ok((means, towards))
    }
}

impl FittedDiscriminant {
    /// Columns of scores: one for two classes, else one for each.
    fn scores(&self) -> usize {
        if self.priors.len() == 2 { 1 } else { self.priors.len() }
    }

    /// Logarithms of the probabilities of the classes at a row up to a constant; of two classes the difference.
    fn write_scores(&self, means: &Matrix, towards: &Matrix, z: &[f64], out: &mut [f64]) {
        let score = |c: usize| {
            let each = towards.row(c).iter().zip(means.row(c)).zip(z);
            self.priors[c].ln() + each.map(|((t, m), z)| t * (z - 0.5 * m)).sum::<f64>()
        };
        match out {
            [one] => *one = score(1) - score(0),
            several => several.iter_mut().enumerate().for_each(|(c, out)| *out = score(c)),
        }
    }

    /// Predictions of rows at coordinates along the directions.
    fn of_coordinates(&self, z: &Matrix, want: Want) -> Result<Predictions> {
        Error::unless_equal("coordinates of the means of classes", z.cols(), self.means.cols())?;
        Error::unless_equal("priors of the classes", self.means.rows(), self.priors.len())?;
        let towards = self.towards.as_ref().unwrap_or(&self.means);
        Error::unless_equal("classes of a discriminant", self.means.rows(), towards.rows())?;
        Error::unless_equal("directions of a discriminant", self.means.cols(), towards.cols())?;
        let mut scores = Matrix::zeros(z.rows(), self.scores());
        (0..z.rows()).for_each(|i| self.write_scores(&self.means, towards, z.row(i), scores.row_mut(i)));
        self.link.check(scores.cols())?;
        Ok(self.link.predictions(scores, want))
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
        self.of_coordinates(&self.expansion.predict(query.cross()?, query.control)?, query.want)
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
    fn expansion_mut(&mut self) -> Option<&mut Expansion> {
        Some(&mut self.expansion)
    }
}

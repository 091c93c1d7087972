//! Kernel Fisher discriminant analysis: the directions in feature space along which classes lie far apart and rows of one class close
//! together, S_B v = rho (S_W + lambda I) v, and Gaussian classes of one covariance along them.
//!
//! With regularised scatter the directions are those of the ridge regression F of the indicators Y of the classes, turned so that the
//! fitted values are uncorrelated and have variance 1 within classes (Mika et al. 1999; Hastie, Buja & Tibshirani 1995, Penalized
//! discriminant analysis): no N x N eigenproblem is solved, and the residual of the regression is the certificate.

use super::link::Link;
use super::settled::settled;
use super::{
    Answer, ClassWeight, Criterion, Estimator, Expansion, Fitted, Gives, Needs, Predictions, Query, Ridge, Scores, Size, Summary, Task,
    When,
};
use crate::control::Control;
use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, eigh, product};
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
        Discriminant { lambda: Value::Auto, priors: Priors::Frequencies }
    }
}

impl Discriminant {
    fn ridge(&self) -> Ridge {
        Ridge { lambda: self.lambda.clone(), intercept: true, probabilities: false }
    }
}

/// A fitted discriminant analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedDiscriminant {
    /// Coordinates along the discriminant directions, of variance 1 within classes, the one that tells most first.
    expansion: Expansion,
    /// Means of the classes that have rows, classes x directions.
    pub means: Matrix,
    /// Their priors.
    pub priors: Vec<f64>,
    /// Variance between classes, as a share of all, along each direction.
    pub between: Vec<f64>,
    link: Link,
    summary: Summary,
}

impl Estimator for Discriminant {
    const NAME: &'static str = "discriminant";
    const DOC: &'static str = "kernel Fisher discriminant analysis: directions that tell classes apart, and Gaussian classes along them";
    const PARAMS: &'static [Param] = &[
        Param::searched("lambda", "what is added to the scatter within classes, in the units of the kernel", Domain::PositiveFinite, 1e6),
        Param::fixed(
            "priors",
            "frequencies: classes are as frequent as among the training rows; equal: all alike",
            Domain::Choice(&["frequencies", "equal"]),
        ),
    ];
    const TAKES: &'static [Kind] = &[Kind::Classes];
    const GIVES: Gives = Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES };
    const NEEDS: Needs = Needs::MercerKernel;
    const CRITERION: Option<&'static str> = Some("leave-one-out error of the indicators");
    const CRITERION_LEAVES_OUT: bool = true;
    type Fitted = FittedDiscriminant;

    fn criterion_for_display(value: f64) -> f64 {
        Ridge::criterion_for_display(value)
    }
    fn absorbs_shifts(&self) -> bool {
        true
    }
    fn bytes(&self, size: Size) -> u64 {
        self.ridge().bytes(size)
    }
    fn work(&self, size: Size) -> f64 {
        self.ridge().work(size)
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        self.ridge().start(param, task)
    }

    fn fit(&self, task: &Task<'_>) -> Result<FittedDiscriminant> {
        let lambda = settled::<Self>("lambda", &self.lambda)?;
        let (link, _) = Link::of(task, ClassWeight::None, Self::NAME)?;
        let fitted = self.ridge().fit(task)?;
        let indicators = fitted.expansion();
        let groups = Groups::of(task, &fitted.at_training_rows(lambda, task)?)?;
        let (turn, between) = groups.directions(task.control)?;
        let means = product(&groups.means, &turn)?;
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
        } else if between[0] > 1.0 - WITHIN {
            summary.notes.push(
                "rows of one class fall together along the first direction: a larger lambda gives probabilities that are less sure".into(),
            );
        }
        Ok(FittedDiscriminant { expansion, means, priors, between, link, summary })
    }

    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        self.ridge().criterion(task)
    }
    fn criterion_along(&self, param: &str, values: &[f64], task: &Task<'_>) -> Result<Option<Vec<f64>>> {
        self.ridge().criterion_along(param, values, task)
    }
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
    fn of(task: &Task<'_>, f: &Matrix) -> Result<Groups> {
        let Target::Classes { codes, names } = task.target else { return Err(Error::Data("discriminant predicts classes".into())) };
        let (n, size) = (f.rows(), f.cols());
        let mut mass = vec![0.0; names.len()];
        codes.iter().enumerate().for_each(|(i, &k)| mass[k] += task.weight(i));
        let present: Vec<usize> = (0..names.len()).filter(|&k| mass[k] > 0.0).collect();
        let all: f64 = mass.iter().sum();
        let mut means = Matrix::zeros(present.len(), size);
        let mut mean = vec![0.0; size];
        for i in 0..n {
            let at = present.partition_point(|&k| k < codes[i]);
            for o in 0..size {
                means[(at, o)] += task.weight(i) * f[(i, o)] / mass[codes[i]];
                mean[o] += task.weight(i) * f[(i, o)] / all;
            }
        }
        let mut total = Matrix::zeros(size, size);
        for i in 0..n {
            for o in 0..size {
                for p in 0..size {
                    total[(o, p)] += task.weight(i) / all * (f[(i, o)] - mean[o]) * (f[(i, p)] - mean[p]);
                }
            }
        }
        Ok(Groups { shares: present.iter().map(|&k| mass[k] / all).collect(), means, mean, total })
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
    /// Coordinates along the discriminant directions as a kernel expansion.
    pub fn expansion(&self) -> &Expansion {
        &self.expansion
    }
}

impl Fitted for FittedDiscriminant {
    fn support(&self) -> &[usize] {
        &self.expansion.support
    }

    /// Scores are ln prior_c + m_c'z - |m_c|^2 / 2: logarithms of the probabilities up to a constant; of two classes the difference.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let z = self.expansion.predict(query.cross, query.control)?;
        Error::unless_equal("coordinates of the means of classes", z.cols(), self.means.cols())?;
        Error::unless_equal("priors of the classes", self.means.rows(), self.priors.len())?;
        let score = |i: usize, c: usize| {
            let m = self.means.row(c);
            self.priors[c].ln() + m.iter().zip(z.row(i)).map(|(m, z)| m * (z - 0.5 * m)).sum::<f64>()
        };
        let scores = match self.priors.len() {
            2 => Matrix::from_fn(z.rows(), 1, |i, _| score(i, 1) - score(i, 0)),
            several => Matrix::from_fn(z.rows(), several, score),
        };
        self.link.predictions(scores, query.want)
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

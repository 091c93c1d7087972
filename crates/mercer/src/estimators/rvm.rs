//! The relevance vector machine (Tipping 2001; Murphy 2012, 14.3.2): functions f(x) = sum_m w_m k(x, x_m) + b with w_m ~ N(0, 1 / alpha_m),
//! the constant a weight like the others, and every alpha at the maximum of the marginal likelihood: most are infinite, and few training
//! rows stay. Any similarity will do: kernel values are features, and need not be inner products.
//!
//! Numbers: t = f + noise, its variance by evidence too, and the variance phi(x)'H^-1 phi(x) of f. Classes: one logistic function of two, a
//! softmax of more, whose rows are there for all classes or for none. The solvers are in `solve::relevance`.

use super::class_scores::ClassScores;
use super::outputs::outputs;
use super::{
    Answer, Certificate, ClassWeight, Estimator, Expansion, Fitted, Gives, Needs, Predicted, Predictions, Query, Scores, Size, Summary,
    Task, When,
};
use crate::blocks;
use crate::data::{Kind, Target, TargetInfo};
use crate::error::{Error, Result};
use crate::gram::{self, dot};
use crate::linalg::Matrix;
use crate::param::{Domain, Param, Value};
use crate::solve::likelihood::HELD;
use crate::solve::relevance::{self, Relevance};
use serde::{Deserialize, Serialize};

/// Columns that differ by less than this share of the largest kernel value are one.
const ALIKE: f64 = 1e-12;
/// Columns that may stay where it is not said: so many, or one in so many rows where that is more. A kernel that asks for more is so
/// narrow that every row speaks for itself, and each column costs a pass over all others.
const ENOUGH: usize = 500;
const ONE_IN: usize = 8;

/// The relevance vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rvm {
    /// Whether a constant is one of the columns.
    pub intercept: bool,
    /// Weights of the classes.
    pub class_weight: ClassWeight,
    /// How many columns may stay.
    pub max_relevant: Value,
}

impl Default for Rvm {
    fn default() -> Self {
        Rvm { intercept: true, class_weight: ClassWeight::None, max_relevant: Value::Auto }
    }
}

/// What one output of numbers needs for its variance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spread {
    /// Places among the support; one past its end is the constant.
    #[serde(with = "blocks::usizes")]
    columns: Vec<usize>,
    /// Covariance of their weights.
    covariance: Matrix,
    /// Variance of the noise.
    noise: f64,
}

/// A fitted relevance vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedRvm {
    expansion: Expansion,
    /// One for each output of numbers.
    spreads: Vec<Spread>,
    /// Classes, where such are told apart.
    scores: Option<ClassScores>,
    summary: Summary,
}

/// Relevant rows that are enough for so many rows.
fn most_relevant(rows: usize) -> usize {
    ENOUGH.max(rows / ONE_IN)
}

impl Rvm {
    /// Columns that may stay, the constant among them.
    fn most(&self, task: &Task<'_>) -> usize {
        let rows = self.max_relevant.settle(most_relevant(task.rows()) as f64).integer();
        rows.saturating_add(usize::from(self.intercept))
    }

    /// Kernel values, and the constant as the last column.
    fn columns(&self, task: &Task<'_>) -> Result<Matrix> {
        let n = task.rows();
        task.control.plan("kernel values as features", 16 * (n as u64).pow(2))?;
        let mut k = gram::dense(task.gram, task.control)?;
        leave_out_copies(&mut k);
        if !self.intercept {
            return Ok(k);
        }
        let mut all = Vec::with_capacity(n * (n + 1));
        k.data().chunks_exact(n.max(1)).for_each(|row| {
            all.extend_from_slice(row);
            all.push(1.0);
        });
        Matrix::new(n, n + 1, all)
    }

    fn numbers(&self, task: &Task<'_>, first: &[usize]) -> Result<FittedRvm> {
        let y = outputs(task, Self::NAME)?;
        let phi = self.columns(task)?;
        let omega = task.all_weights();
        let total: f64 = omega.iter().sum();
        let mut found = Vec::new();
        for o in 0..y.cols() {
            let t = y.col(o);
            let mean = dot(&omega, &t) / total;
            let about = if self.intercept { mean } else { 0.0 };
            let variance = t.iter().zip(&omega).map(|(t, w)| w * (t - about).powi(2)).sum::<f64>() / total;
            let largest = t.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            found.push(if variance <= (4.0 * f64::EPSILON * largest).powi(2) {
                constant(y.rows(), if self.intercept { mean } else { 0.0 })
            } else {
                relevance::numbers(&phi, &t, &omega, variance, first, self.most(task), task.control)?
            });
        }
        let (expansion, places) = self.expansion(&found, y.rows(), y.cols())?;
        let spreads = found.iter().zip(places).map(|(f, columns)| Spread { columns, covariance: f.covariance.clone(), noise: f.noise });
        let mut summary = summary(&found, y.rows(), &expansion, self.most(task));
        let noises: Vec<String> = found.iter().map(|f| format!("{:.3e}", f.noise.sqrt())).collect();
        summary.notes.push(format!("standard deviation of the noise, by evidence: {}", noises.join(", ")));
        summary.notes.push(
            "far from the training rows the variance of a prediction falls to that of the noise where kernel values fall to 0, as of rbf: take normalise(..), add white(..), or take gp where variances there matter".into(),
        );
        Ok(FittedRvm { expansion, spreads: spreads.collect(), scores: None, summary })
    }

    fn classes(&self, task: &Task<'_>, first: &[usize]) -> Result<FittedRvm> {
        let (scores, likelihood) = ClassScores::of(task, self.class_weight, Self::NAME)?;
        let phi = self.columns(task)?;
        let found = vec![relevance::classes(&phi, &likelihood, first, self.most(task), task.control)?];
        let (expansion, _) = self.expansion(&found, task.rows(), scores.outputs())?;
        let summary = summary(&found, task.rows(), &expansion, self.most(task));
        Ok(FittedRvm { expansion, spreads: Vec::new(), scores: Some(scores), summary })
    }

    /// One expansion over all rows that any output keeps, and for each output the places of its columns in it.
    fn expansion(&self, found: &[Relevance], n: usize, outputs: usize) -> Result<(Expansion, Vec<Vec<usize>>)> {
        let mut support: Vec<usize> = found.iter().flat_map(|f| f.columns.iter().copied()).filter(|c| *c < n).collect();
        support.sort_unstable();
        support.dedup();
        let (mut coef, mut bias) = (Matrix::zeros(support.len(), outputs), vec![0.0; outputs]);
        let place = |column: &usize| support.binary_search(column).unwrap_or(support.len());
        let mut o = 0;
        for f in found {
            for (k, column) in f.columns.iter().enumerate() {
                for (c, w) in f.weights.row(k).iter().enumerate() {
                    if *column < n { coef[(place(column), o + c)] = *w } else { bias[o + c] = *w }
                }
            }
            o += f.weights.cols();
        }
        let places = found.iter().map(|f| f.columns.iter().map(place).collect()).collect();
        Ok((Expansion::new(support, coef, bias), places))
    }
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

/// The fit to targets that are all alike.
fn constant(n: usize, value: f64) -> Relevance {
    Relevance {
        columns: vec![n],
        weights: Matrix::column(vec![value]),
        covariance: Matrix::zeros(1, 1),
        alpha: vec![0.0],
        noise: 0.0,
        evidence: 0.0,
        changes: 0,
        gain: 0.0,
        tolerance: 0.0,
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
    const PARAMS: &'static [Param] = &[
        Param::fixed("intercept", "whether a constant is one of the columns", Domain::Flag),
        Param::fixed(
            "class_weight",
            "none: rows count by their own weights; balanced: every class counts alike as a whole",
            Domain::Choice(&["none", "balanced"]),
        ),
        Param::fixed(
            "max_relevant",
            "how many rows may be relevant at most; auto: an eighth of them, and 500 at least",
            Domain::Integer(1, usize::MAX),
        ),
    ];
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const GIVES: Gives =
        Gives { scores: Scores::Classes, probabilities: When::Of(Kind::Classes), variance: When::Of(Kind::Numbers), ..Gives::VALUES };
    const NEEDS: Needs = Needs::AnySimilarity;
    type Fitted = FittedRvm;

    /// Kernel values twice, and for the columns that stay they themselves and their products; of several classes H of an eighth of the
    /// rows, four times, and what a look at other columns holds.
    fn bytes(&self, size: Size) -> u64 {
        let n = size.rows as u64;
        let of_several = match size.classes && size.outputs > 2 {
            true => {
                let (kept, c) = (n / 8 + 10, size.outputs as u64);
                32 * (kept * c).pow(2) + 8 * (n * kept * c * c).min(HELD as u64)
            }
            false => 0,
        };
        16 * n * n + 8 * n * (n / 3 + 200) + of_several + 1_000_000
    }

    /// As measured: of numbers some products of all columns with those that stay; of classes a look at all columns and a mode for each of
    /// a hundred changes, with blocks for each pair of classes.
    fn work(&self, size: Size) -> f64 {
        let latent = if size.classes && size.outputs == 2 { 1 } else { size.outputs } as f64;
        let row = if size.classes { 54_000.0 + 1500.0 * latent.powi(2) } else { 10_000.0 * latent };
        row * (size.rows as f64).powi(2)
    }

    /// From the rows that stay, and of numbers a variance.
    fn prediction_work(&self, size: Size) -> f64 {
        let kept = size.at(most_relevant(size.rows).min(size.rows));
        kept.per_prediction() + if size.classes { 0.0 } else { (kept.rows as f64).powi(2) }
    }

    fn start(&self, _param: &str, task: &Task<'_>) -> Result<f64> {
        Ok(most_relevant(task.rows()) as f64)
    }

    fn fit(&self, task: &Task<'_>) -> Result<FittedRvm> {
        self.fit_from(task, None)
    }

    /// From the rows that the earlier fit keeps: the evidence has many maxima, and another start may lead to another one.
    fn fit_from(&self, task: &Task<'_>, earlier: Option<&FittedRvm>) -> Result<FittedRvm> {
        let kept = earlier.map_or(&[][..], |fitted| fitted.support());
        let first = if kept.last().is_none_or(|row| *row < task.rows()) { kept } else { &[] };
        match task.target {
            Target::Classes { .. } => self.classes(task, first),
            _ => self.numbers(task, first),
        }
    }
}

impl FittedRvm {
    /// phi'C phi of each new row and output, from kernel values with the support.
    fn variances(&self, cross: &Matrix) -> Result<Matrix> {
        let support = cross.cols();
        let mut out = Matrix::zeros(cross.rows(), self.spreads.len());
        for (o, spread) in self.spreads.iter().enumerate() {
            let m = spread.columns.len();
            Error::unless_equal("rows of the covariance of weights", m, spread.covariance.rows())?;
            if spread.covariance.cols() != m || spread.columns.iter().any(|c| *c > support) {
                return Err(Error::Shape {
                    what: "columns of the covariance of weights".into(),
                    expected: m,
                    found: spread.covariance.cols(),
                });
            }
            for i in 0..cross.rows() {
                let phi: Vec<f64> = spread.columns.iter().map(|&c| if c < support { cross[(i, c)] } else { 1.0 }).collect();
                out[(i, o)] = (0..m).map(|a| phi[a] * dot(spread.covariance.row(a), &phi)).sum::<f64>().max(0.0);
            }
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
            let f = self.expansion.predict(query.cross, query.control)?;
            let probabilities = scores.probabilities(&f);
            return Ok(scores.predictions(f, probabilities, query.want));
        }
        Error::unless_equal("outputs of a relevance vector machine", self.expansion.bias.len(), self.spreads.len())?;
        let f = self.expansion.predict(query.cross, query.control)?;
        let variance = match query.want.variance {
            true => Some(self.variances(&gram::dense(query.cross, query.control)?)?),
            false => None,
        };
        let noise = Some(self.spreads.iter().map(|s| s.noise).collect());
        Ok(Predictions { variance, noise, ..Predictions::of(Predicted::Numbers(f)) })
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

//! Kernel density estimation: f(x) = sum_i w_i k_h(x - x_i) / sum_i w_i over the coordinates of the rows (Rosenblatt 1956; Parzen 1962;
//! Murphy 2012, 14.78). Predictions are logarithms of the density, per unit of the columns, which are not standardised for it.
//!
//! [`smoothing::Density`](crate::smoothing::Density) computes it, and [`Rule`] says which rules choose the bandwidth.

use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Finds, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, Size, Summary,
    Task, ViewKind,
};
use crate::linalg::{Matrix, PASSED};
use crate::param::{OfOneDomain, Param, Value, require_settled};
use crate::smoothing::{Asked, Bandwidth, Density, Rule, Sample, Shape, SmoothingKernel};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Operations of a value of a smoothing kernel besides its distance.
const PER_ROW: f64 = 20.0;
/// Operations of the rules and of what is measured of each row, for each column.
const PER_COORDINATE: f64 = 50.0;

/// The record of the smoothing kernel.
pub(super) const SMOOTHING_KERNEL: Param = Param::fixed(
    "kernel",
    "the smoothing kernel; of one column gaussian and exponential reach everywhere, the others end at a bandwidth",
    SmoothingKernel::DOMAIN,
);

/// Kernel density estimation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Kde {
    /// width of the kernel in units of the columns, one number for all or a list with one for each; auto: as rule says
    #[param(domain = PositiveFinite, learnt)]
    pub bandwidth: Value,
    /// what chooses a bandwidth that is auto; auto: isj for one column, silverman for several and where values repeat
    pub rule: Rule,
    /// The smoothing kernel.
    #[param(SMOOTHING_KERNEL)]
    pub kernel: SmoothingKernel,
    /// radial: of several columns the kernel of the distance; product: the product of one for each column
    pub shape: Shape,
    /// whether each row has a width of its own, wide where rows are sparse (Abramson 1982)
    pub adaptive: bool,
}

impl Estimator for Kde {
    const NAME: &'static str = "kde";
    const DOC: &'static str = "kernel density estimation: how dense rows lie, as the logarithm of a density over columns of numbers";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    type Fitted = FittedKde;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Density, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Coordinates
    }

    fn facts(&self) -> EstimatorFacts {
        EstimatorFacts { takes_columns_as_they_are: true, ..EstimatorFacts::default() }
    }

    /// Rules of thumb; those by rows left out, and widths of rows, take a pass over all pairs.
    fn costs(&self, size: Size) -> Costs {
        let (n, wide) = (size.rows as f64, size.rank.unwrap_or(1) as f64);
        let pair = PASSED * (3.0 * wide + PER_ROW);
        let passes = match self.rule {
            _ if self.bandwidth != Value::Auto => 0.0,
            Rule::CrossValidation | Rule::LeastSquares => 40.0,
            Rule::SheatherJones => 2.0,
            _ => 0.0,
        } + if self.adaptive { 1.0 } else { 0.0 };
        Costs {
            bytes: (64.0 * n * (wide + 1.0)) as u64,
            values: n * wide,
            fit: PER_COORDINATE * n * wide + passes * pair * n * n,
            prediction_values: wide,
            prediction: pair * n,
            ..Costs::default()
        }
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedKde>) -> Result<Fit<FittedKde>> {
        require_settled(self, Self::NAME)?;
        let points = points(task, Self::NAME)?;
        let sample = Sample::new(&points, task.weights)?;
        let bandwidth = match self.bandwidth.numbers() {
            [] => Bandwidth::Rule(self.rule),
            [one] => Bandwidth::Number(*one),
            several => Bandwidth::Columns(several.to_vec()),
        };
        let asked = Asked { kernel: self.kernel, shape: self.shape, bandwidth, adaptive: self.adaptive, ..Asked::default() };
        let (density, rule) = Density::fit_by(&sample, &asked, task.control)?;
        let mut notes = density.notes().to_vec();
        if let Some(rule) = rule {
            notes.insert(0, format!("{} by {}", told_widths(&density.widths()), rule.name()));
        }
        Ok(FittedKde { density, summary: Summary { converged: true, notes, ..Summary::default() } }.into())
    }
}

/// `bandwidth 0.31`, or that of each column.
pub(super) fn told_widths(widths: &[f64]) -> String {
    let short = |h: &f64| Value::Number(*h).rounded(3).to_string();
    match widths {
        [one] => format!("bandwidth {}", short(one)),
        several => format!("bandwidths {}", several.iter().map(short).collect::<Vec<_>>().join(", ")),
    }
}

/// The coordinates of the training rows.
pub(super) fn points<'a>(task: &Task<'a>, who: &str) -> Result<Cow<'a, Matrix>> {
    task.view.features(who)?.dense().ok_or_else(|| sparse(who))
}

/// The coordinates of new rows.
pub(super) fn places<'a>(query: &Query<'a>, who: &str) -> Result<Cow<'a, Matrix>> {
    query.view.features(who)?.dense().ok_or_else(|| sparse(who))
}

fn sparse(who: &str) -> Error {
    Error::Data(format!("{who} reads coordinates that are all there, and these are sparse; take the kernel linear on columns of numbers"))
}

/// A fitted density. It keeps its rows itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedKde {
    /// The density.
    pub density: Density,
    summary: Summary,
}

impl Fitted for FittedKde {
    fn support(&self) -> &[usize] {
        &[]
    }
    fn reads(&self) -> ViewKind {
        ViewKind::Features
    }
    /// Logarithms of the density; -inf where a compact kernel reaches no row.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let logs = self.density.log_density(places(query, Kde::NAME)?.as_ref(), query.control)?;
        Ok(Predictions::of(Predicted::Numbers(Matrix::column(logs))))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::LogDensity)
    }
}

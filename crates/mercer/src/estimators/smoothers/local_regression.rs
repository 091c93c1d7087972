//! Local regression (loess): at each place a polynomial of degree 0, 1 or 2 is fitted to the rows, weighed by a smoothing kernel of their
//! distance, and read off there (Cleveland & Devlin 1988; Murphy 2012, 14.84 to 14.96).
//!
//! ```text
//! minimise  sum_i w_i p(|x_i - x| / h) (y_i - phi(x_i - x)'beta)^2,     f(x) = beta_0
//! ```
//!
//! The bandwidth h is one of each column, by the squares of rows left out where it is `auto`; with a `span` a place has its own, which
//! reaches that share of the rows. `rounds` fit again with less weight for rows of large residuals: `local_regression(span=0.667,
//! kernel=tricube, rounds=3)` is lowess. [`smoothing::LocalFit`](crate::smoothing::LocalFit) computes it, each column of the target for
//! itself and centred.

use super::kde::{SMOOTHING_KERNEL, places, points, told_widths};
use crate::blocks;
use crate::data::{Kind, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::targets::outputs::{check, means};
use crate::estimators::{
    Answer, Costs, Estimator, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, RowNotice, Size, Summary, Task,
    ViewKind, When,
};
use crate::linalg::{Matrix, PASSED};
use crate::notice::Notice;
use crate::param::{Value, require_settled};
use crate::smoothing::{LocalFit, LocalOptions, Reach, SmoothingKernel};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How many times rows are summed at a place: again where rows beyond the first reach may count.
const SUMMED: f64 = 1.7;
/// Operations of the weight of a row at a place.
const PER_ROW: f64 = 20.0;
/// Bandwidths that are tried, and rows at which each is judged, at most.
const TRIED: f64 = 43.0;
const JUDGED: f64 = 2000.0;
/// Rows that a place takes as long as at most, under a Gaussian in one or two columns: places are then taken together.
const TOGETHER: f64 = 1024.0;

/// Local regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct LocalRegression {
    /// width of the kernel in units of the prepared columns, one number for all or a list with one for each; auto: at which rows left out
    /// are predicted best
    #[param(domain = PositiveFinite, learnt)]
    pub bandwidth: Value,
    /// share of the rows that a place looks at, as in R's loess, instead of a bandwidth; 0: the bandwidth says how far
    #[param(default = 0.0, domain = NonNegative)]
    pub span: Value,
    /// degree of the polynomials
    #[param(default = 1.0, domain = Integer(0, 2))]
    pub degree: Value,
    /// The smoothing kernel.
    #[param(SMOOTHING_KERNEL)]
    pub kernel: SmoothingKernel,
    /// rounds after the first fit in which outliers lose weight
    #[param(default = 0.0, domain = Integer(0, 100))]
    pub rounds: Value,
}

impl Estimator for LocalRegression {
    const NAME: &'static str = "local_regression";
    const DOC: &'static str =
        "local regression (loess): at each place a polynomial fitted to the rows near it, over few columns of numbers";
    const TAKES: &'static [Kind] = &[Kind::Numbers];
    type Fitted = FittedLocalRegression;

    fn gives(&self) -> Gives {
        Gives { variance: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Coordinates
    }

    /// A pass over all rows at each row, and at some rows for each bandwidth that is tried.
    fn costs(&self, size: Size) -> Costs {
        let (n, wide, outputs) = (size.rows as f64, size.rank.unwrap_or(1), size.outputs.max(1) as f64);
        let terms = match self.degree.integer() {
            0 => 1,
            1 => wide + 1,
            _ => (wide + 1) * (wide + 2) / 2,
        } as f64;
        let pair = SUMMED * PASSED * (3.0 * wide as f64 + PER_ROW + terms * (terms + 4.0));
        let together = wide <= 2 && self.kernel == SmoothingKernel::Gaussian && self.span.number() == 0.0;
        let rows = if together { n.min(TOGETHER) } else { n };
        let tried = if self.bandwidth == Value::Auto && self.span.number() == 0.0 { TRIED } else { 0.0 };
        Costs {
            bytes: (64.0 * n * (wide as f64 + 4.0) * outputs) as u64,
            values: n * wide as f64,
            fit: outputs * pair * rows * (tried * n.min(JUDGED) + (2.0 + self.rounds.number()) * n),
            prediction_values: wide as f64,
            prediction: outputs * pair * rows,
            ..Costs::default()
        }
    }

    fn start(&self, param: &str, _task: &Task<'_>) -> Result<f64> {
        Ok(if param == "span" { 0.75 } else { 1.0 })
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedLocalRegression>) -> Result<Fit<FittedLocalRegression>> {
        require_settled(self, Self::NAME)?;
        let target = task.target.as_numbers(Self::NAME)?;
        check(task, Self::NAME)?;
        let points = points(task, Self::NAME)?;
        let (dim, columns) = (points.cols(), varying(&points));
        if columns.is_empty() {
            return Err(Error::Data(format!("{}: no column varies among the training rows, so that none is near another", Self::NAME)));
        }
        let points = some_columns(points, &columns);
        let reach = match (self.span.number(), self.bandwidth.numbers()) {
            (span, _) if span > 0.0 => Reach::Nearest(span),
            (_, []) => Reach::LeftOut,
            (_, [one]) => Reach::Widths(vec![*one; points.cols()]),
            (_, several) => {
                Error::unless_equal("bandwidths, one for each column", dim, several.len())?;
                Reach::Widths(columns.iter().map(|&j| several[j]).collect())
            }
        };
        let options = LocalOptions { kernel: self.kernel, reach, degree: self.degree.integer(), rounds: self.rounds.integer() };
        let all: Vec<usize> = (0..target.rows()).collect();
        let means = means(target, &all, &task.all_weights());
        let mut curves = Vec::new();
        let mut notes = Vec::new();
        for (o, mean) in means.iter().enumerate() {
            let y: Vec<f64> = target.col(o).iter().map(|y| y - mean).collect();
            let curve = LocalFit::fit(&points, &y, task.weights, &options, task.control)?;
            if let (Reach::LeftOut, Some(widths)) = (&options.reach, curve.widths()) {
                notes.push(format!("{} by the squares of rows left out", told_widths(widths)));
            }
            if curve.lowered() > 0 {
                notes.push(format!("at {} rows too few others are near for the degree, which is lowered there", curve.lowered()));
            }
            curves.push(curve);
        }
        Ok(FittedLocalRegression { curves, means, columns, summary: Summary { converged: true, notes, ..Summary::default() } }.into())
    }
}

/// A fitted local regression. It keeps its rows itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedLocalRegression {
    /// One for each column of the target less its mean.
    pub curves: Vec<LocalFit>,
    means: Vec<f64>,
    /// Those that vary among the training rows: of others no distance is known.
    #[serde(with = "blocks::usizes")]
    columns: Vec<usize>,
    summary: Summary,
}

/// The columns that hold more than one value.
fn varying(points: &Matrix) -> Vec<usize> {
    (0..points.cols()).filter(|&j| (1..points.rows()).any(|i| points[(i, j)] != points[(0, j)])).collect()
}

/// Some columns, ascending.
fn some_columns<'a>(points: Cow<'a, Matrix>, columns: &[usize]) -> Cow<'a, Matrix> {
    if columns.len() == points.cols() {
        return points;
    }
    Cow::Owned(Matrix::from_fn(points.rows(), columns.len(), |i, k| points[(i, columns[k])]))
}

impl Fitted for FittedLocalRegression {
    fn support(&self) -> &[usize] {
        &[]
    }
    fn reads(&self) -> ViewKind {
        ViewKind::Features
    }
    /// The variance is that of the curve, the noise that of the residuals. Places without a training row within the bandwidth have none.
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        Error::unless_equal("means of the target", self.curves.len(), self.means.len())?;
        let places = places(query, LocalRegression::NAME)?;
        if let Some(&j) = self.columns.iter().find(|&&j| j >= places.cols()) {
            return Err(Error::Shape { what: "columns".into(), expected: j + 1, found: places.cols() });
        }
        let places = some_columns(places, &self.columns);
        let (mut values, mut variance) = (Matrix::zeros(places.rows(), self.curves.len()), None);
        for (o, (curve, mean)) in self.curves.iter().zip(&self.means).enumerate() {
            let column = if query.want.variance {
                let found = curve.predict(&places, query.control)?;
                let all = variance.get_or_insert_with(|| Matrix::zeros(places.rows(), self.curves.len()));
                found.deviations.iter().enumerate().for_each(|(i, s)| all[(i, o)] = s * s);
                found.values
            } else {
                curve.values(&places, query.control)?
            };
            column.iter().enumerate().for_each(|(i, v)| values[(i, o)] = mean + v);
        }
        let noise = query.want.variance.then(|| self.curves.iter().map(|c| c.noise().powi(2)).collect());
        let rows: Vec<usize> = (0..values.rows()).filter(|&i| values.row(i).iter().any(|v| v.is_nan())).collect();
        let notices = if rows.is_empty() { Vec::new() } else { vec![RowNotice { rows, said: Notice::NoneNear }] };
        Ok(Predictions { variance, noise, notices, ..Predictions::of(Predicted::Numbers(values)) })
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, None)
    }
}

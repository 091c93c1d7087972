//! A generative model as a density: ln p(x | theta), theta fitted to the training rows (S3 14.5.1; Murphy 2012, 4.1 and 11.2).
//!
//! Predictions are logarithms of the density per unit of the columns, which are not standardised for it.

use super::modelled_columns::{self, DENSITY_PASSES, FIT_PASSES, Modelled};
use crate::data::{Kind, RowWeights, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::{
    Answer, Costs, Criterion, CriterionName, CriterionSort, Estimator, EstimatorFacts, Finds, Fit, FitContext, Fitted, GenerativePart,
    Gives, Needs, Predicted, Predictions, Query, Size, Summary, Task, ViewKind,
};
use crate::generative::{FittedGenerative, Gaussian, GenerativeExpr};
use crate::linalg::Matrix;
use crate::param::Value;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// BIC of a model whose difference from a better one is "not worth more than a bare mention" (Kass & Raftery 1995, Bayes factors, 3.2).
const INDIFFERENCE: f64 = 2.0;

/// Rows and the sum of their weights that differ by less than this share are equal but for rounding.
const SAME: f64 = 1e-9;

/// The density of a generative model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Density {
    /// the generative model
    #[param(default = Gaussian::default().into())]
    pub model: GenerativeExpr,
}

/// A fitted density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedDensity {
    /// The model.
    pub model: FittedGenerative,
    /// The columns that it is a distribution of.
    columns: Vec<String>,
    summary: Summary,
}

impl Estimator for Density {
    const NAME: &'static str = "density";
    const DOC: &'static str = "a generative model of the rows: how likely each is, as the logarithm of a density";
    const TAKES: &'static [Kind] = &[Kind::Nothing];
    const CRITERION: Option<CriterionName> = Some(CriterionName { name: "BIC", sort: CriterionSort::Information });
    type Fitted = FittedDensity;

    fn gives(&self) -> Gives {
        Gives { finds: Finds::Density, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Rows
    }

    fn facts(&self) -> EstimatorFacts {
        let reads_labels_as_strings = modelled_columns::reads_labels_as_strings(&self.model);
        EstimatorFacts {
            takes_columns_as_they_are: true,
            reads_labels_as_strings,
            takes_weights_of_any_unit: true,
            ..EstimatorFacts::default()
        }
    }
    /// Passes over the rows, as many as an iterative fit takes.
    fn costs(&self, size: Size) -> Costs {
        let row = size.per_value;
        Costs { fit: FIT_PASSES * row * size.rows as f64, prediction: DENSITY_PASSES * row, ..Costs::default() }
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        modelled_columns::start(&self.model, param, task, Self::NAME)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedDensity>) -> Result<Fit<FittedDensity>> {
        let (fitted, likelihood, columns, mut notes) = self.fitted(task)?;
        let Likelihood { log, rows, observations, mass, free } = likelihood;
        let short = |x: f64| Value::Number(x).rounded(6).to_string();
        let counted =
            if (observations - rows).abs() > SAME * rows { format!(", {} observations", short(observations)) } else { String::new() };
        notes.push(format!(
            "log likelihood {} ({} a row), {free} free parameters{counted}: AIC {}, BIC {} (lower is better)",
            short(log),
            short(log / mass),
            short(2.0 * free - 2.0 * likelihood.of_rows()),
            short(likelihood.bic())
        ));
        if (mass - rows).abs() > SAME * mass {
            notes.push(format!("AIC and BIC count rows of these weights as {} rows of equal weight", Value::Number(rows).rounded(4)));
        }
        if self.begins_later() {
            notes.push("likelihood of the times after the first ones, as many as the order: compare models of one order alone".into());
        }
        let warnings = fitted.notices();
        let summary = Summary { converged: true, evidence: None, objective: Some(-log), notes, warnings, ..Summary::default() };
        Ok(FittedDensity { model: fitted, columns, summary }.into())
    }
    /// BIC; no derivatives, as it serves for whole numbers: `components=1..8`.
    fn criterion(&self, task: &Task<'_>) -> Result<Criterion> {
        if self.begins_later() {
            let why =
                "likelihoods of other orders are of other times: the first ones of a series are given, as many as the order; give a number";
            return Err(Error::Setting { name: format!("order of {}", self.model.name()), why: why.into() });
        }
        let (_, likelihood, ..) = self.fitted(task)?;
        Ok(Criterion { value: likelihood.bic(), weights: Matrix::zeros(0, 0).into(), own: Vec::new(), indifference: INDIFFERENCE })
    }
}

/// How likely the training rows are.
struct Likelihood {
    /// Sum of the log densities, times the weights of the rows.
    log: f64,
    /// How many rows of equal weight say as much, whatever the unit of the weights: (sum w)^2 / sum w^2 (Kish 1965, Survey sampling).
    rows: f64,
    /// The factors of the likelihood of so many rows: the times of their series, the letters of their strings, or one each.
    observations: f64,
    /// Sum of the weights.
    mass: f64,
    /// Free parameters of the model.
    free: f64,
}

impl Likelihood {
    /// The log likelihood of so many rows.
    fn of_rows(&self) -> f64 {
        self.log * self.rows / self.mass
    }
    /// Bayesian information criterion (Schwarz 1978).
    fn bic(&self) -> f64 {
        self.free * self.observations.max(1.0).ln() - 2.0 * self.of_rows()
    }
}

impl Density {
    /// Whether the first times of a series are given, and those after them alone have a density.
    fn begins_later(&self) -> bool {
        matches!(self.model, GenerativeExpr::Autoregressive(_))
    }

    /// The model of the rows, how likely it makes these, the columns, and notes on the columns that are left out.
    fn fitted(&self, task: &Task<'_>) -> Result<(FittedGenerative, Likelihood, Vec<String>, Vec<String>)> {
        let Modelled { model, rows, columns, notes } = Modelled::of(&self.model, task, Self::NAME)?;
        let weights = task.weights_as_counts();
        let fitted = model.fit(&rows, RowWeights::from(task.weights.map(|_| weights.as_slice())), task.seed, task.control)?;
        let log = fitted.log_densities_of(&rows, task.control)?.iter().zip(&weights).map(|(log, w)| w * log).sum();
        let free = fitted.width(&rows)? as f64;
        let (mass, most) = (weights.iter().sum::<f64>(), weights.iter().fold(0.0f64, |most, w| most.max(*w)));
        // Squares of shares of the greatest, so that neither underflows.
        let equal = (mass / most).powi(2) / weights.iter().map(|w| (w / most).powi(2)).sum::<f64>();
        let observed: f64 = fitted.observations(&rows)?.iter().zip(&weights).map(|(count, w)| w * *count as f64).sum();
        let likelihood = Likelihood { log, rows: equal, observations: observed * equal / mass, mass, free };
        Ok((fitted, likelihood, columns, notes))
    }
}

impl Fitted for FittedDensity {
    fn support(&self) -> &[usize] {
        &[]
    }
    fn reads(&self) -> ViewKind {
        ViewKind::Rows
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let rows = modelled_columns::select(query.view.table(Density::NAME)?, &self.columns)?;
        let logs = Matrix::column(self.model.log_densities_of(&rows, query.control)?);
        Ok(Predictions { notices: modelled_columns::unseen(&self.model, &rows)?, ..Predictions::of(Predicted::Numbers(logs)) })
    }
    fn distributions(&self) -> Vec<GenerativePart<'_>> {
        vec![GenerativePart { class: None, prior: 1.0, fitted: &self.model, columns: &self.columns }]
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, _target: &TargetInfo) -> Result<Answer> {
        Ok(Answer::LogDensity)
    }
}

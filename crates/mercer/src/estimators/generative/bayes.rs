//! Bayes' rule over a generative model of each class: p(c | x) = p(c) p(x | theta_c) / sum_k p(k) p(x | theta_k), theta_c fitted to the
//! rows of class c (S3 14.5; Murphy 2012, 2.2.1 and 3.5). With gaussian it is quadratic discriminant analysis, or with a
//! diagonal covariance naive Bayes; with markov, hmm and autoregressive a classifier of strings and of series.

use super::modelled_columns::{self, DENSITY_PASSES, FIT_PASSES, Modelled};
use crate::control::Control;
use crate::data::{Dataset, Kind, RowWeights, TargetInfo};
use crate::error::{Error, Result};
use crate::estimators::targets::class_scores::{ClassScores, NEVER};
use crate::estimators::{
    Answer, Costs, Estimator, EstimatorFacts, Fit, FitContext, Fitted, GenerativePart, Gives, Needs, Predictions, Priors, Query, Scores,
    Size, Summary, Task, ViewKind, When,
};
use crate::generative::{FittedGenerative, Gaussian, GenerativeExpr};
use crate::linalg::Matrix;
use crate::notice::Notice;
use mercer_derive::Parameters;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Bayes' rule over a model of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Bayes {
    /// the generative model that is fitted to each class
    #[param(default = Gaussian::default().into())]
    pub model: GenerativeExpr,
    /// how frequent classes are taken to be: as among the training rows, or all alike
    pub priors: Priors,
}

/// A fitted model of each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedBayes {
    /// The model of each class that has rows.
    pub models: Vec<FittedGenerative>,
    /// Their priors.
    pub priors: Vec<f64>,
    classes: ClassScores,
    columns: Vec<String>,
    summary: Summary,
}

/// Bytes of a parameter of a model: its value, and what it is fitted from.
const PER_PARAMETER: u64 = 16;

impl Estimator for Bayes {
    const NAME: &'static str = "bayes";
    const DOC: &'static str = "Bayes' rule over a generative model of each class: naive Bayes, quadratic discriminants, Markov chains";
    const TAKES: &'static [Kind] = &[Kind::Classes];
    type Fitted = FittedBayes;

    fn gives(&self) -> Gives {
        Gives { scores: Scores::Classes, probabilities: When::Always, ..Gives::VALUES }
    }
    fn needs(&self) -> Needs {
        Needs::Rows
    }

    fn facts(&self) -> EstimatorFacts {
        let reads_labels_as_strings = modelled_columns::reads_labels_as_strings(&self.model);
        let takes_columns_as_they_are = self.model.column_needs().as_is;
        EstimatorFacts { takes_columns_as_they_are, reads_labels_as_strings, takes_weights_of_any_unit: true, ..EstimatorFacts::default() }
    }
    /// Passes over the rows, as many as an iterative fit takes; a prediction asks every model.
    fn costs(&self, size: Size) -> Costs {
        let row = size.per_value;
        Costs { fit: FIT_PASSES * row * size.rows as f64, prediction: DENSITY_PASSES * row * size.outputs as f64, ..Costs::default() }
    }
    fn start(&self, param: &str, task: &Task<'_>) -> Result<f64> {
        modelled_columns::start(&self.model, param, task, Self::NAME)
    }

    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedBayes>) -> Result<Fit<FittedBayes>> {
        let classes = ClassScores::present_in(task, Self::NAME)?;
        let (codes, names) = task.target.as_classes(Self::NAME)?;
        let Modelled { model, rows, columns, mut notes } = Modelled::of(&self.model, task, Self::NAME)?;
        let counts = task.weights_as_counts();
        if let Some(width) = model.free_parameters(&rows) {
            let needed = PER_PARAMETER.saturating_mul(width as u64).saturating_mul(classes.present().len() as u64);
            task.control.plan(&format!("models of {} classes of {width} parameters each", classes.present().len()), needed)?;
        }
        let fit = |&class: &usize, control: &Control| -> Result<(FittedGenerative, f64)> {
            let own: Vec<usize> = (0..rows.rows()).filter(|&i| codes[i] == class).collect();
            let weights: Vec<f64> = own.iter().map(|&i| counts[i]).collect();
            let all = (&rows, RowWeights::from(Some(counts.as_slice())));
            let of_class =
                |why: Error| if why.ends_all() { why } else { Error::Data(format!("{}: class '{}': {why}", Self::NAME, names[class])) };
            let own_weights = RowWeights::from(Some(weights.as_slice()));
            let fitted = model.fit_class(&rows.select(&own), own_weights, all, task.seed, control).map_err(of_class)?;
            Ok((fitted, weights.iter().sum()))
        };
        let quiet = task.control.side_by_side(rayon::current_num_threads().min(classes.present().len()));
        let fitted = match classes.present().par_iter().map(|class| fit(class, &quiet)).collect::<Result<Vec<_>>>() {
            // What has no room beside another has it alone.
            Err(Error::Memory { .. }) => classes.present().iter().map(|class| fit(class, task.control)).collect::<Result<Vec<_>>>(),
            fitted => fitted,
        };
        let (models, mass): (Vec<_>, Vec<f64>) = fitted?.into_iter().unzip();
        let each = classes.present().iter().zip(&models);
        let of_class = |class: usize, notice| Notice::OfClass { class: names[class].clone(), notice: Box::new(notice) };
        let warnings = each.flat_map(|(class, fitted)| fitted.notices().into_iter().map(|notice| of_class(*class, notice))).collect();
        notes.push(
            "probabilities are those of the models, and not calibrated: columns that depend on each other count as evidence each".into(),
        );
        let total: f64 = mass.iter().sum();
        let priors = match self.priors {
            Priors::Frequencies => mass.iter().map(|m| m / total).collect(),
            Priors::Equal => vec![1.0 / mass.len() as f64; mass.len()],
        };
        Ok(FittedBayes { models, priors, classes, columns, summary: Summary { converged: true, notes, warnings, ..Summary::default() } }
            .into())
    }
}

impl FittedBayes {
    /// ln p(c) + ln p(x | theta_c), rows x classes that have rows. Where no class gives a row a density above 0, the priors decide.
    fn joint(&self, rows: &Dataset, query: &Query<'_>) -> Result<Matrix> {
        let mut joint = Matrix::zeros(rows.rows(), self.models.len());
        for (c, (model, prior)) in self.models.iter().zip(&self.priors).enumerate() {
            for (i, log) in model.log_densities_of(rows, query.control)?.into_iter().enumerate() {
                joint[(i, c)] = prior.ln() + log;
            }
        }
        for i in 0..joint.rows() {
            let row = joint.row_mut(i);
            if row.iter().all(|log| *log == f64::NEG_INFINITY) {
                row.iter_mut().zip(&self.priors).for_each(|(log, prior)| *log = prior.ln());
            }
            let least = row.iter().copied().filter(|log| log.is_finite()).fold(f64::INFINITY, f64::min);
            row.iter_mut().filter(|log| !log.is_finite()).for_each(|log| *log = least - NEVER);
        }
        Ok(joint)
    }
}

impl Fitted for FittedBayes {
    fn support(&self) -> &[usize] {
        &[]
    }
    fn reads(&self) -> ViewKind {
        ViewKind::Rows
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        self.classes.check(if self.models.len() == 2 { 1 } else { self.models.len() })?;
        Error::unless_equal("priors of a classifier", self.models.len(), self.priors.len())?;
        let rows = modelled_columns::select(query.view.table(Bayes::NAME)?, &self.columns)?;
        let mut latent = self.joint(&rows, query)?;
        if let [_, _] = self.models[..] {
            latent = Matrix::from_fn(latent.rows(), 1, |i, _| latent[(i, 1)] - latent[(i, 0)]);
        }
        let probabilities = self.classes.probabilities(&latent);
        // Models of all classes are over the letters of all training rows.
        let notices = self.models.first().map_or(Ok(Vec::new()), |model| modelled_columns::unseen(model, &rows))?;
        Ok(Predictions { notices, ..self.classes.predictions(latent, probabilities, query.want) })
    }
    fn distributions(&self) -> Vec<GenerativePart<'_>> {
        let each = self.classes.present().iter().zip(&self.models).zip(&self.priors);
        each.map(|((class, fitted), prior)| GenerativePart { class: Some(*class), prior: *prior, fitted, columns: &self.columns }).collect()
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, Some(self.classes.classes))
    }
}

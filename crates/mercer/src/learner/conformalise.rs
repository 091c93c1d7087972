//! Conformity scores of a fitted model: from its training rows left out in closed form, from folds, or from another table.

use super::{Learner, Model};
use crate::conformal::{Conformal, ConformalBy, ConformalSource, FoldSplit};
use crate::control::{Control, contain};
use crate::data::{Examples, Split, folds};
use crate::error::{Error, Result};
use crate::estimators::{EstimatorExpr, FittedModel, Predictions, Want, When};
use crate::fitting::{Prepared, Used, fit_settled, predict_from};
use crate::trial::limits::AUTOMATIC_SCORES;

/// Folds that are held out for conformity scores where there is no closed form and no other number is asked for.
pub const CONFORMAL_FOLDS: usize = 10;

impl Learner {
    /// The model with conformity scores of its training rows: left out one by one in closed form where there is one and any row may be left
    /// out, else in `count` folds that keep to the split of the examples. Parameters stay those of the model, and its predictions too.
    /// `examples`: as they were given to the fit.
    ///
    /// # Errors
    /// No target; folds that the rows do not allow; what a fit to a part of the rows is refused for; bounds of `control`.
    pub fn conformalise(
        &self,
        model: &Model,
        examples: &Examples<'_>,
        by: ConformalBy<'_>,
        count: usize,
        control: &Control,
    ) -> Result<Model> {
        require_target(model)?;
        contain(format_args!("conformity scores of {}", model.estimator.name()), || {
            let closed = match examples.split.frees_rows() {
                true => self.scores_in_closed_form(model, examples, by, control)?,
                false => None,
            };
            let conformal = match closed {
                Some(found) => found,
                None => self.scores_in_folds(model, examples, by, count, control)?,
            };
            Ok(Model { conformal: Some(conformal), ..model.clone() })
        })
    }

    /// The model with conformity scores where they cost little: by a closed form, on few rows, of an estimator without a variance, whose
    /// intervals need none. Otherwise as it was.
    pub fn conformalise_cheaply(&self, model: Model, examples: &Examples<'_>, control: &Control) -> Model {
        let gives = model.estimator.gives();
        let is_asked = gives.leave_one_out.is_closed_form() && gives.variance == When::Never && model.about.rows <= AUTOMATIC_SCORES;
        if !is_asked || require_target(&model).is_err() || !examples.split.frees_rows() || control.was_stopped() {
            return model;
        }
        let quiet = Control { progress: None, ..control.clone() };
        let found = contain(format_args!("conformity scores of {}", model.estimator.name()), || {
            self.scores_in_closed_form(&model, examples, ConformalBy::All, &quiet)
        });
        Model { conformal: found.ok().flatten(), ..model }
    }

    /// The training rows as the fit prepared them.
    fn prepared_again(&self, examples: &Examples<'_>) -> Result<Prepared> {
        let used = Used::of(&self.prep, examples.data, examples.target, examples.weights)?;
        let used = examples.select(&used.rows);
        self.prepare(&used.data, used.weights.as_deref())
    }

    fn scores_in_closed_form(
        &self,
        model: &Model,
        examples: &Examples<'_>,
        by: ConformalBy<'_>,
        control: &Control,
    ) -> Result<Option<Conformal>> {
        // The closed form is one of the scores and not of what calibration makes of them.
        let has_closed_form = model.estimator.gives().leave_one_out.is_closed_form() && !matches!(model.fitted, FittedModel::Calibrated(_));
        if !has_closed_form || model.keeps_rows_in().is_some() {
            return Ok(None);
        }
        let rows = model.training_rows(examples.target.rows())?;
        let data = model.prep.apply(examples.data)?.select(&rows);
        let Some(predictions) = model.left_out_of(&data, &rows, examples.target, examples.weights, control)? else { return Ok(None) };
        Conformal::of(&[(&rows, &predictions)], examples.target, examples.weights, ConformalSource::LeaveOneOut, by).map(Some)
    }

    fn scores_in_folds(
        &self,
        model: &Model,
        examples: &Examples<'_>,
        by: ConformalBy<'_>,
        count: usize,
        control: &Control,
    ) -> Result<Conformal> {
        let rows = model.training_rows(examples.target.rows())?;
        let sample = examples.select(&rows);
        let prepared = self.prepared_again(examples)?;
        let most = sample.split.most_folds(rows.len());
        let parts = folds(&sample.target, &sample.split, if most < 2 { count } else { count.min(most) }, self.seed)?;
        let want = wanted(model);
        let mut predicted: Vec<(Vec<usize>, Predictions)> = Vec::with_capacity(parts.len());
        for (k, part) in parts.iter().enumerate() {
            control.check_time("conformity scores")?;
            control.tell("conformity scores: folds", k, parts.len());
            let (train, test) = (sample.examples().select(&part.train), sample.data.select(&part.test));
            let fold = prepared.again(&train.data, train.weights.as_deref())?;
            let test = fold.prep.apply(&test)?;
            let learning = Examples { data: &fold.data, split: &Split::Rows, ..train.examples() };
            let (kernel, fitted) = fit_settled(model.kernel.expr(), &model.estimator, &learning, control, self.seed)?;
            let found = predict_from(&kernel, &fitted, &fold.data, &test, want, control)?;
            predicted.push((part.test.iter().map(|&i| rows[i]).collect(), found));
        }
        let source = ConformalSource::Folds { count: parts.len(), split: FoldSplit::of(&sample.split) };
        let held_out: Vec<(&[usize], &Predictions)> = predicted.iter().map(|(rows, p)| (rows.as_slice(), p)).collect();
        Conformal::of(&held_out, examples.target, examples.weights, source, by)
    }
}

impl Model {
    /// The model with conformity scores of rows that it was not fitted to (split conformal): intervals then cover without any assumption on
    /// the model. Rows of weight 0 are absent.
    ///
    /// # Errors
    /// Rows without the training columns; no target, or one of another kind; bounds of `control`.
    pub fn conformalised_on(&self, examples: &Examples<'_>, by: ConformalBy<'_>, control: &Control) -> Result<Model> {
        require_target(self)?;
        let rows: Vec<usize> = (0..examples.rows()).filter(|&i| examples.weights.is_none_or(|w| w[i] > 0.0)).collect();
        Error::unless_equal("rows of the target", examples.rows(), examples.target.rows())?;
        let predictions = self.predict(&examples.data.select(&rows), wanted(self), control)?;
        let conformal = Conformal::of(&[(&rows, &predictions)], examples.target, examples.weights, ConformalSource::Table, by)?;
        conformal.check(self.answer.columns().len(), self.answer.classes().map(<[String]>::len))?;
        Ok(Model { conformal: Some(conformal), ..self.clone() })
    }

    /// The conformity scores.
    ///
    /// # Errors
    /// A model without any, with the ways to get them.
    pub fn require_conformal(&self, what: &str) -> Result<&Conformal> {
        self.conformal.as_ref().ok_or_else(|| Error::Setting {
            name: what.into(),
            why: format!(
                "this model of {} stores no conformity scores; fit it with --intervals (Python: intervals=True), or take the model that compare saves",
                self.estimator.name()
            ),
        })
    }
}

/// What predictions of held-out rows must hold: all that the estimator gives of it.
fn wanted(model: &Model) -> Want {
    let gives = model.estimator.gives();
    let of_classes = model.answer.classes().is_some();
    let is_transformed = matches!(model.estimator, EstimatorExpr::TransformedTarget(_));
    Want {
        variance: !of_classes && (is_transformed || gives.variance != When::Never),
        probabilities: of_classes,
        scores: of_classes,
        by_class: of_classes,
        ..Want::default()
    }
}

/// Refuses a model that predicts no target.
fn require_target(model: &Model) -> Result<()> {
    let of_target = !model.estimator.takes_no_target();
    if of_target {
        return Ok(());
    }
    let why = format!("{} gives {}, and intervals are of a target; leave it out", model.estimator.name(), model.answer.noun());
    Err(Error::Setting { name: "intervals".into(), why })
}

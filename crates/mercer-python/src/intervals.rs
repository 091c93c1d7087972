//! Conformal intervals, prediction sets and p-values of a model, and the scores that they come from.

use crate::answers::{Object, Pair};
use crate::arrays::{from_matrix, from_outputs};
use crate::dataset::weights;
use crate::errors::{data_error, raise, warn};
use crate::model::Model;
use crate::target::{group_labels, tested};
use crate::work::Limits;
use mercer::conformal::{Conformal, ConformalBy};
use mercer::control::Control;
use mercer::data::{Dataset, Examples, Kind, Split, Target};
use mercer::learner::{CONFORMAL_FOLDS, Learner};
use mercer::report;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The rows that each quantile is computed by.
pub(crate) enum ScoresBy {
    All,
    Class,
    Groups(Vec<String>),
}

/// Which conformity scores a fit stores.
pub(crate) enum ScoresAsked {
    /// Those that cost little.
    Cheap,
    None,
    By(ScoresBy),
}

impl ScoresBy {
    /// "class", or the group of each row; None: all rows.
    fn of(asked: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Self> {
        let Some(asked) = asked else { return Ok(ScoresBy::All) };
        match asked.extract::<String>() {
            Ok(word) if word == "class" => Ok(ScoresBy::Class),
            Ok(word) => Err(data_error(format!("expected \"class\" or the group of each row, found \"{word}\""))),
            Err(_) => group_labels(asked, rows).map(ScoresBy::Groups),
        }
    }

    fn borrowed(&self) -> ConformalBy<'_> {
        match self {
            ScoresBy::All => ConformalBy::All,
            ScoresBy::Class => ConformalBy::Class,
            ScoresBy::Groups(labels) => ConformalBy::Groups { column: "groups", labels },
        }
    }
}

impl ScoresAsked {
    /// None, a bool, "class" or the group of each row.
    pub(crate) fn of(asked: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Self> {
        match asked.map(|asked| (asked, asked.extract::<bool>())) {
            None => Ok(ScoresAsked::Cheap),
            Some((_, Ok(false))) => Ok(ScoresAsked::None),
            Some((_, Ok(true))) => Ok(ScoresAsked::By(ScoresBy::All)),
            Some((asked, Err(_))) => ScoresBy::of(Some(asked), rows).map(ScoresAsked::By),
        }
    }

    /// The fitted model with these scores.
    pub(crate) fn store(
        &self,
        learner: &Learner,
        model: mercer::learner::Model,
        (data, target, weights): (&Dataset, &Target, Option<&[f64]>),
        control: &Control,
    ) -> mercer::Result<mercer::learner::Model> {
        let examples = Examples { data, target, weights, split: &Split::Rows };
        match self {
            ScoresAsked::None => Ok(model),
            ScoresAsked::Cheap => Ok(learner.conformalise_cheaply(model, &examples, control)),
            ScoresAsked::By(by) => learner.conformalise(&model, &examples, by.borrowed(), CONFORMAL_FOLDS, control),
        }
    }
}

impl Model {
    /// The scores, with a warning where they are too few for a level.
    fn scores_for(&self, py: Python<'_>, what: &str, level: Option<f64>) -> PyResult<&Conformal> {
        let conformal = self.model.require_conformal(what).map_err(raise)?;
        let few = level.map(|level| conformal.too_few(level)).transpose().map_err(raise)?.flatten();
        warn(py, &few.into_iter().collect::<Vec<_>>())?;
        Ok(conformal)
    }

    /// Ends of intervals: see `predict_interval`.
    pub(crate) fn intervals<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        level: f64,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Pair<'py>> {
        if self.model.conformal.is_some() {
            self.scores_for(py, "predict_interval", Some(level))?;
        }
        let predictions = self.predictions(py, data, report::interval_wants(&self.model), threads)?;
        let groups = groups.map(labels_of).transpose()?;
        let (low, high) = report::model_interval(&self.model, &predictions, level, groups.as_deref(), "predict_interval").map_err(raise)?;
        Ok((from_outputs(py, low)?, from_outputs(py, high)?))
    }

    /// Which classes each prediction set holds: see `predict_set`.
    pub(crate) fn sets<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        level: f64,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        let conformal = self.scores_for(py, "predict_set", Some(level))?;
        let predictions = self.predictions(py, data, conformal.want(), threads)?;
        let groups = groups.map(labels_of).transpose()?;
        let classes = self.model.answer.classes().map_or(0, <[String]>::len);
        let sets = conformal.sets(&predictions, classes, level, groups.as_deref()).map_err(raise)?;
        let shape = [sets.len(), classes];
        Ok(sets.concat().into_pyarray(py).reshape(shape)?.into_any())
    }

    /// P-values of classes or of given targets: see `predict_p`.
    pub(crate) fn p_values<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: Option<&Object<'py>>,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        let conformal = self.scores_for(py, "predict_p", None)?;
        let rows = self.rows(py, data)?;
        let predictions = self.predictions(py, data, conformal.want(), threads)?;
        let groups = groups.map(labels_of).transpose()?;
        let truth = target.map(|target| tested(target, rows.rows(), &self.model.answer.target())).transpose()?;
        match (self.model.answer.classes(), truth) {
            (None, Some(Target::Numbers(y))) => {
                from_outputs(py, conformal.number_p_values(&predictions, &y, groups.as_deref()).map_err(raise)?)
            }
            (None, _) => Err(data_error("p-values of numbers are of given targets; give target")),
            (Some(classes), truth) => {
                let all = conformal.class_p_values(&predictions, classes.len(), groups.as_deref()).map_err(raise)?;
                match truth {
                    Some(Target::Classes { codes, .. }) => {
                        let of_truth: Vec<f64> = codes.iter().enumerate().map(|(row, &code)| all[(row, code)]).collect();
                        Ok(of_truth.into_pyarray(py).into_any())
                    }
                    _ => from_matrix(py, all),
                }
            }
        }
    }

    /// The model with scores of other rows: see `conformalize`.
    pub(crate) fn with_scores_of<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        by: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Model> {
        let (data, model) = (self.rows(py, data)?, self.model.clone());
        let (target, weights) = (tested(target, data.rows(), &model.answer.target())?, weights(sample_weight)?);
        let by = ScoresBy::of(by, data.rows())?;
        let made = Limits::threads(threads).run(py, move |control| {
            let examples = Examples { data: &data, target: &target, weights: weights.as_deref(), split: &Split::Rows };
            model.conformalised_on(&examples, by.borrowed(), control)
        })?;
        Ok(self.remade(made))
    }

    /// What intervals and sets come from: see `interval_source`.
    pub(crate) fn source_of_intervals(&self) -> Option<&'static str> {
        let kind = if self.model.answer.classes().is_some() { Kind::Classes } else { Kind::Numbers };
        let variance = self.model.estimator.gives().variance.is_always_for(kind);
        match (&self.model.conformal, variance) {
            (Some(_), _) => Some("scores"),
            (None, true) => Some("variance"),
            (None, false) => None,
        }
    }

    /// What the scores are: see `conformal`.
    pub(crate) fn scores_in_words<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(conformal) = &self.model.conformal else { return Ok(None) };
        let all = PyDict::new(py);
        all.set_item("kind", conformal.source.to_string())?;
        all.set_item("score", conformal.score.to_string())?;
        all.set_item("scores", from_outputs(py, conformal.scores().clone())?)?;
        all.set_item("by", conformal.categories.as_ref().map(|of| of.column.as_deref().unwrap_or("class")))?;
        Ok(Some(all))
    }
}

/// The group of each row, as many as there are.
fn labels_of(groups: &Object<'_>) -> PyResult<Vec<String>> {
    group_labels(groups, groups.len()?)
}

//! The rows that a model predicts: columns as in training, with what is said of them once.

use crate::answers::{self, Object};
use crate::arrays::from_outputs;
use crate::dataset::{dataset_like, weights};
use crate::errors::{Reported, data_error, raise, spoken, warn};
use crate::given::{among, takes_kernel_values};
use crate::model::Model;
use crate::target::known;
use crate::work::{Limits, Size};
use mercer::data::{Dataset, Examples, Split};
use mercer::estimators::{Gives, Predictions, Want, When, those_that_give};
use mercer::linalg::Matrix;
use mercer::report::{self, DeviationOf};
use pyo3::prelude::*;
use std::sync::Arc;

/// Whether standard deviations are asked for, or which.
#[derive(FromPyObject)]
pub(crate) enum Asked {
    Whether(bool),
    Of(String),
}

impl Model {
    pub(crate) fn new(model: mercer::learner::Model) -> Self {
        Model { model: Arc::new(model), reported: Reported::default() }
    }

    /// A model fitted to rows: their notices are not repeated for new rows.
    pub(crate) fn of_training(model: mercer::learner::Model, data: &Dataset, notices: &[String]) -> Self {
        let of_cells = model.prep.tell_by_column(data).into_iter().map(|(column, _)| column);
        let reported = Reported::of(of_cells.chain(notices.iter().map(|notice| spoken(notice))));
        Model { model: Arc::new(model), reported }
    }

    /// What the fit changed, or every notice of it, without those of reading; and what the search asks for, such as a wider range.
    pub(crate) fn warned_of(&self, every: bool) -> Vec<String> {
        let (about, of_reading, searched) = (&self.model.about, self.reported.all(), report::search_notices(&self.model));
        let of_fit = if every { &about.notices } else { &about.warnings }.iter().map(|notice| spoken(&notice.to_string()));
        let asks = searched.iter().filter(|(_, asks)| *asks).map(|(said, _)| spoken(said));
        of_fit.filter(|notice| !of_reading.contains(notice)).chain(asks).collect()
    }

    pub(crate) fn predictions(&self, py: Python<'_>, data: &Bound<'_, PyAny>, want: Want, threads: usize) -> PyResult<Predictions> {
        let (data, model) = (self.rows(py, data)?, self.model.clone());
        let size = Size::of_predicting(&model, &data, want);
        let found = Limits::threads(threads).run_sized(py, size, move |control| model.predict(&data, want, control))?;
        let reported = found.notices.iter().map(|notice| (notice.said.to_string(), notice.to_string())).collect();
        warn(py, &self.reported.new_of(reported))?;
        Ok(found)
    }

    /// Rows with the columns of training; the handling of missing cells is reported the first time.
    pub(crate) fn rows(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Arc<Dataset>> {
        let data = dataset_like(data, &self.model.prep.schema, &self.reported)?;
        warn(py, &self.reported.new_of(self.model.prep.tell_by_column(&data)))?;
        Ok(data)
    }

    pub(crate) fn lacks(&self, what: &str, has: &dyn Fn(&Gives) -> When) -> PyErr {
        data_error(format!("{} has no {what}; fit {}", self.model.estimator, those_that_give(has)))
    }

    /// Labels, numbers or components, with their standard deviations where these are asked for: see `predict`.
    pub(crate) fn predicted<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        std: Asked,
        codes: bool,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        let asked = match std {
            Asked::Whether(asked) => asked.then_some(DeviationOf::Target),
            Asked::Of(name) => Some(name.parse::<DeviationOf>().map_err(raise)?),
        };
        let predictions = self.predictions(py, data, Want { variance: asked.is_some(), ..Want::default() }, threads)?;
        let sd = asked.and_then(|of| report::standard_deviation(&predictions, of));
        let found = answers::answered(py, predictions.values, &self.model.answer, codes)?;
        if asked.is_none() {
            return Ok(found);
        }
        let sd = sd.ok_or_else(|| self.lacks("predictive variance", &|gives| gives.variance))?;
        Ok((found, from_outputs(py, sd)?).into_pyobject(py)?.into_any())
    }

    /// Variances of the function, of a transformed target those of its mean: see `variance`.
    pub(crate) fn variances<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        let found = self.predictions(py, data, Want { variance: true, ..Want::default() }, threads)?;
        let variances = if found.transformed.is_some() {
            let deviations = report::standard_deviation(&found, DeviationOf::Mean);
            deviations.map(|sd| Matrix::from_fn(sd.rows(), sd.cols(), |i, o| sd[(i, o)].powi(2)))
        } else {
            found.variance
        };
        from_outputs(py, variances.ok_or_else(|| self.lacks("predictive variance", &|gives| gives.variance))?)
    }

    /// Derivatives of means and of variances in the numbers of the rows: see `predict_gradient`.
    pub(crate) fn gradients<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        threads: usize,
    ) -> PyResult<(Object<'py>, Option<Object<'py>>)> {
        let (data, model) = (self.rows(py, data)?, self.model.clone());
        let found = Limits::threads(threads).run(py, move |control| model.predict_gradient(&data, control))?;
        let variance = found.variance.map(|variance| answers::by_output(py, variance)).transpose()?;
        Ok((answers::by_output(py, found.mean)?, variance))
    }

    /// The model with inducing inputs that were moved: see `move_inducing`.
    pub(crate) fn with_moved_inputs<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        (max_seconds, threads): (Option<f64>, usize),
    ) -> PyResult<Model> {
        let (data, model, weights) = (self.rows(py, data)?, self.model.clone(), weights(sample_weight)?);
        let (target, _) = known(target, data.rows(), model.answer.classes())?;
        let made = Limits { max_seconds, ..Limits::threads(threads) }.run(py, move |control| {
            let examples = Examples { data: &data, target: &target, weights: weights.as_deref(), split: &Split::Rows };
            model.move_inducing(&examples, control)
        })?;
        Ok(self.remade(made))
    }

    /// Another model of this one's rows, whose missing cells were noticed.
    pub(crate) fn remade(&self, model: mercer::learner::Model) -> Model {
        Model { model: Arc::new(model), reported: Reported::of(self.reported.all()) }
    }

    /// Predictions of the training rows, each by the model fitted without it: see `leave_one_out`.
    pub(crate) fn left_out<'py>(
        &self,
        py: Python<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        data: Option<&Object<'py>>,
        scores: bool,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        let (model, weights) = (self.model.clone(), weights(sample_weight)?);
        let (target, _) = known(target, model.about.rows + model.about.left_out.len(), model.answer.classes())?;
        let data = data.map(|data| if takes_kernel_values(model.kernel.expr()) { among(data) } else { self.rows(py, data) }).transpose()?;
        let left_out =
            Limits::threads(threads).run(py, move |control| model.leave_one_out(data.as_deref(), &target, weights.as_deref(), control))?;
        let why = |what: &str| self.model.keeps_rows_in().map_or_else(|| self.lacks(what, &|gives| gives.leave_one_out.when()), raise);
        answers::from_left_out(py, left_out, scores, &self.model.answer.target(), why)
    }
}

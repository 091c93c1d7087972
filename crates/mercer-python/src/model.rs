//! `mercer.Model`: a fitted model, which predicts and can be stored.

use crate::answers::{self, Object, Pair, Stored};
use crate::arrays::{from_indices, from_matrix, from_outputs, from_vec};
use crate::comparison::WIDTH;
use crate::dataset::weights;
use crate::distribution::Distribution;
use crate::errors::{Reported, spoken};
use crate::model_rows::Asked;
use crate::pickle::no_state;
use crate::target::{judged, labels};
use crate::work::Limits;
use crate::{kernel::Kernel, own_objects};
use mercer::estimators::{Answer, Fitted, Predicted, Want};
use mercer::{report, store};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::{borrow::Cow, path::PathBuf, sync::Arc};

/// A fitted model.
///
/// It predicts from a Dataset, or from anything one is made from, that has the columns of its training; a 2-D array has them in
/// their order. It is made by `Learner.fit` and `load`.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, height = mercer.example("sinc")
/// >>> model = mercer.Learner("gp(noise=auto)", "rbf(length_scale=auto)").fit(data, height)
/// >>> again = mercer.Model.from_bytes(model.to_bytes())
/// >>> bool((again.predict(data) == model.predict(data)).all())
/// True
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Model {
    pub(crate) model: Arc<mercer::learner::Model>,
    /// Columns of new rows whose missing cells were noticed: each is reported once.
    pub(crate) reported: Reported,
}

#[pymethods]
impl Model {
    /// Predicted labels, numbers or components of every row; 1 for inliers and -1 for outliers.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// std : bool or {"target", "mean"}
    ///     Also give the standard deviation of a new target around each prediction (True, "target"; gp, rvm, baseline), or that of the
    ///     predicted function alone, without the noise of a target ("mean").
    /// codes : bool
    ///     The places of labels among `classes` instead of the labels.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray or tuple of two of them
    ///     N labels or numbers, or N x outputs or components; with `std` the pair of predictions and standard deviations.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     A column that is missing or of another kind, and `std` of an estimator that has none.
    #[pyo3(
        signature = (data, std=Asked::Whether(false), *, codes=false, threads=0),
        text_signature = "($self, data, std=False, *, codes=False, threads=0)"
    )]
    fn predict<'py>(&self, py: Python<'py>, data: &Object<'py>, std: Asked, codes: bool, threads: usize) -> PyResult<Object<'py>> {
        self.predicted(py, data, std, codes, threads)
    }

    #[doc = include_str!("model/predict_gradient.txt")]
    #[pyo3(signature = (data, *, threads=0))]
    fn predict_gradient<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<(Object<'py>, Option<Object<'py>>)> {
        self.gradients(py, data, threads)
    }

    #[doc = include_str!("model/move_inducing.txt")]
    #[pyo3(signature = (data, target, sample_weight=None, *, max_seconds=None, threads=0))]
    fn move_inducing<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        max_seconds: Option<f64>,
        threads: usize,
    ) -> PyResult<Model> {
        self.with_moved_inputs(py, data, target, sample_weight, (max_seconds, threads))
    }

    #[doc = include_str!("model/predict_interval.txt")]
    #[pyo3(signature = (data, level=0.9, *, groups=None, threads=0))]
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        level: f64,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Pair<'py>> {
        self.intervals(py, data, level, groups, threads)
    }

    #[doc = include_str!("model/predict_set.txt")]
    #[pyo3(signature = (data, level=0.9, *, groups=None, threads=0))]
    fn predict_set<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        level: f64,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        self.sets(py, data, level, groups, threads)
    }

    #[doc = include_str!("model/predict_p.txt")]
    #[pyo3(signature = (data, target=None, *, groups=None, threads=0))]
    fn predict_p<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: Option<&Object<'py>>,
        groups: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        self.p_values(py, data, target, groups, threads)
    }

    #[doc = include_str!("model/conformalize.txt")]
    #[pyo3(signature = (data, target, sample_weight=None, *, by=None, threads=0))]
    fn conformalize<'py>(
        &self,
        py: Python<'py>,
        data: &Object<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        by: Option<&Object<'py>>,
        threads: usize,
    ) -> PyResult<Model> {
        self.with_scores_of(py, data, target, sample_weight, by, threads)
    }

    /// The conformity scores of held-out rows: kind, score (what one is), scores (one a row) and by (groups or class); None without any.
    #[getter]
    fn conformal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.scores_in_words(py)
    }

    /// What intervals and sets come from: conformity "scores" where such are stored, else a predicted "variance", or None.
    #[getter]
    fn interval_source(&self) -> Option<&'static str> {
        self.source_of_intervals()
    }

    /// Probability of each class; the predicted class is the one of the largest.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     N x classes, in the order of `classes`.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     An estimator without class probabilities.
    #[pyo3(signature = (data, *, threads=0))]
    fn predict_proba<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        let predictions = self.predictions(py, data, Want { probabilities: true, ..Want::default() }, threads)?;
        from_matrix(py, predictions.probabilities.ok_or_else(|| self.lacks("class probabilities", &|gives| gives.probabilities))?)
    }

    /// Decision values before they become classes, or inliers (0 and above) and outliers.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// by_class : bool
    ///     One for each class also where there is one for each pair: votes, and between equal votes the sum of values decides.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     One number a row for two classes (above 0 is the second), or N x values.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     An estimator without decision values.
    #[pyo3(signature = (data, *, by_class=false, threads=0))]
    fn decision_function<'py>(&self, py: Python<'py>, data: &Object<'py>, by_class: bool, threads: usize) -> PyResult<Object<'py>> {
        let found = self.predictions(py, data, Want { scores: true, by_class, ..Want::default() }, threads)?;
        let classes = self.model.answer.classes().map_or(0, <[String]>::len);
        if let (Predicted::Numbers(scores), Answer::Novelty) = (&found.values, &self.model.answer) {
            return from_outputs(py, scores.clone());
        }
        let scores = if by_class { found.scores_by_class(classes).map(Cow::into_owned) } else { found.scores };
        from_outputs(py, scores.ok_or_else(|| self.lacks("decision values", &|gives| gives.scores.when()))?)
    }

    #[doc = include_str!("model/variance.txt")]
    #[pyo3(signature = (data, *, threads=0))]
    fn variance<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        self.variances(py, data, threads)
    }

    /// Covariance between the function values of all rows, for the first output (gp; under `log_target` and `power_target`: of the
    /// transformed target).
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     N x N.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     An estimator without predictive covariance.
    #[pyo3(signature = (data, *, threads=0))]
    fn covariance<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        let predictions = self.predictions(py, data, Want { covariance: true, ..Want::default() }, threads)?;
        from_matrix(py, predictions.covariance.ok_or_else(|| self.lacks("predictive covariance", &|gives| gives.covariance))?)
    }

    #[doc = include_str!("model/score.txt")]
    #[pyo3(signature = (data, target, sample_weight=None, *, metric=None, threads=0))]
    fn score(
        &self,
        py: Python<'_>,
        data: &Object<'_>,
        target: &Object<'_>,
        sample_weight: Option<&Object<'_>>,
        metric: Option<&str>,
        threads: usize,
    ) -> PyResult<f64> {
        let (data, model) = (self.rows(py, data)?, self.model.clone());
        let (metric, sign) = answers::metric(metric)?;
        let (truth, weights) = (judged(target, data.rows(), &model.answer.target(), metric)?, weights(sample_weight)?);
        Ok(sign * Limits::threads(threads).run(py, move |control| model.score(&data, &truth, weights.as_deref(), metric, control))?)
    }

    /// Functions drawn from the posterior at the given rows, without the noise of a target (gp).
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// count : int
    ///     How many functions.
    /// seed : int
    ///     The same seed gives the same functions.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     N x count, or N x outputs x count.
    #[pyo3(signature = (data, count=1, *, seed=0, threads=0))]
    fn sample<'py>(&self, py: Python<'py>, data: &Object<'py>, count: usize, seed: u64, threads: usize) -> PyResult<Object<'py>> {
        let (data, model) = (self.rows(py, data)?, self.model.clone());
        let draws = Limits::threads(threads).run(py, move |control| model.sample(&data, count, seed, control))?;
        answers::by_output(py, draws.ok_or_else(|| self.lacks("predictive covariance", &|gives| gives.covariance))?)
    }

    /// The settled kernel, on prepared columns.
    #[getter]
    fn kernel(&self) -> Kernel {
        Kernel { expr: self.model.kernel.expr().clone() }
    }

    /// The settled estimator.
    #[getter]
    fn estimator(&self) -> String {
        self.model.estimator.to_string()
    }

    /// The settled parameters of the estimator by name, those that were searched among them.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        answers::parameters(py, &self.model.estimator)
    }

    /// The Cholesky factor L of the covariance of the (standardised) training targets (gp): L L' = variance K + noise / weights.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray or None
    ///     N x N, lower triangular; None for an estimator that keeps none.
    fn factor<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        self.model.fitted.factor().map(|factor| from_matrix(py, factor.to_matrix())).transpose()
    }

    /// Variance of the noise of each output of numbers, in the units of the target, transformed where it was (gp, rvm); else None.
    #[getter]
    fn noise<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        answers::noise(py, &self.model.fitted)
    }

    /// Coefficients of the rows of `support` (support x outputs), or of the features where no row is kept, and a constant per output. A row
    /// of more than two classes of svc has a coefficient for each of the other classes (support x (classes - 1)), and a pair a constant.
    #[getter]
    fn expansion<'py>(&self, py: Python<'py>) -> PyResult<Option<Pair<'py>>> {
        answers::expansion(py, self.model.fitted.expansion())
    }

    /// Slope and offset of Platt's sigmoid for each pair of classes (pairs x 2), where svc fitted probabilities; else None.
    #[getter]
    fn sigmoids<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        answers::sigmoids(py, self.model.fitted.sigmoids())
    }

    /// The variance along each component, as a sum over the rows, and that along all directions (kernel_pca); else None.
    #[getter]
    fn spectrum<'py>(&self, py: Python<'py>) -> Option<(Object<'py>, f64)> {
        answers::spectrum(py, self.model.fitted.spectrum())
    }

    /// The weight of the training rows of each cluster, heaviest first, and the rows that are the medoids, as they were given (none
    /// where centres are no rows); None where no clusters were found.
    #[getter]
    fn clusters<'py>(&self, py: Python<'py>) -> Option<Pair<'py>> {
        self.model.fitted.clusters().map(|c| (from_vec(py, c.sizes.clone()), from_indices(py, &self.model.medoid_rows())))
    }

    /// The generative models that it holds: one of all rows (density), one for each class that has rows (bayes), none of other estimators.
    #[getter]
    fn distributions<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, Distribution>>> {
        Distribution::all(slf)
    }

    /// Steps of the solver, one number for each problem that was solved.
    #[getter]
    fn steps(&self) -> Vec<usize> {
        self.model.fitted.steps()
    }

    #[doc = include_str!("model/leave_one_out.txt")]
    #[pyo3(signature = (target, sample_weight=None, *, data=None, scores=false, threads=0))]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        target: &Object<'py>,
        sample_weight: Option<&Object<'py>>,
        data: Option<&Object<'py>>,
        scores: bool,
        threads: usize,
    ) -> PyResult<Object<'py>> {
        self.left_out(py, target, sample_weight, data, scores, threads)
    }

    /// How the fit went: iterations, converged, objective, evidence, certificate, jitter, notes, tuning.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        answers::summary(py, self.model.summary(), self.model.about.tuning.as_ref())
    }

    /// Training rows that prediction needs, numbered from 0 as they were given.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Object<'py> {
        from_indices(py, &self.model.support_rows())
    }

    /// The classes in the order of their codes, as they were given; None where numbers are predicted.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        self.model.answer.classes().map(|_| labels(py, &self.model.answer.target())).transpose()
    }

    /// Names and types of the columns that a table must have.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        answers::kinds(py, self.model.prep.schema.columns.iter().map(|c| (c.name.as_str(), c.holds.kind())))
    }

    /// What is worth knowing about how the rows were read, about the fit and about what its search found, one sentence each.
    #[getter]
    fn notices(&self) -> Vec<String> {
        let searched = report::search_notices(&self.model);
        let of_fit = self.model.about.notices.iter().map(ToString::to_string);
        of_fit.chain(searched.into_iter().map(|(said, _)| said)).map(|notice| spoken(&notice)).collect()
    }

    /// What is warned of after a fit: what it changed, or with `every` all that is worth knowing of it, and what its search asks for.
    fn _to_warn_of(&self, every: bool) -> Vec<String> {
        self.warned_of(every)
    }

    /// Those of these notices about new rows that were not reported before.
    fn _not_yet_reported(&self, notices: Vec<String>) -> Vec<String> {
        self.reported.new_among(notices)
    }

    #[new]
    #[pyo3(signature = (data, reported=Vec::new(), own=None))]
    fn restored(data: &[u8], reported: Vec<String>, own: Option<answers::OwnParts<'_>>) -> PyResult<Self> {
        Ok(Model { reported: Reported::of(reported), ..own_objects::from_pickle(data, own.unwrap_or_default())? })
    }

    /// Writes the model file, whole or not at all.
    ///
    /// Parameters
    /// ----------
    /// path : str or path
    ///     Where; usually ending in ``.mercer``.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        own_objects::checked(py, &self.model, || store::save(&self.model, &path))
    }

    /// Reads a model file; no code in it is run. `mercer.load` also takes the classes of estimators of one's own.
    ///
    /// Parameters
    /// ----------
    /// path : str or path
    ///     The file.
    ///
    /// Returns
    /// -------
    /// Model
    ///     The model, which predicts the same bits.
    ///
    /// Raises
    /// ------
    /// ModelFileError
    ///     A file that is damaged, cut off, or none of ours.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        own_objects::load(path, None)
    }

    /// The bytes of the model file.
    ///
    /// Returns
    /// -------
    /// bytes
    ///     What `save` writes.
    pub(crate) fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &own_objects::checked(py, &self.model, || store::to_bytes(&self.model))?))
    }

    /// A model from the bytes of its file.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     What `to_bytes` gave or `save` wrote.
    ///
    /// Returns
    /// -------
    /// Model
    ///
    /// Raises
    /// ------
    /// ModelFileError
    ///     Bytes that are damaged, cut off, or none of ours.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        own_objects::from_bytes(data, None)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Object<'py>, Stored<'py>)> {
        Ok((slf.get_type().into_any(), own_objects::stored(slf)?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        format!("Model of {} with {}, {} of {} rows kept", m.estimator, m.kernel, m.support.rows(), m.about.rows)
    }

    fn _repr_html_(&self) -> String {
        report::model_fragment(&self.model)
    }

    fn __str__(&self) -> String {
        report::model_text(&self.model, WIDTH)
    }
}

//! `mercer.Partial`: sums over batches of rows, of which a model is made.

use crate::answers::Object;
use crate::dataset::weights;
use crate::errors::raise;
use crate::model::Model;
use crate::pickle::no_state;
use crate::target::{self, Takes};
use crate::work::Limits;
use mercer::data::{Dataset, Target, TargetInfo};
use mercer::partial::{self, PassOutcome};
use mercer::prep::Recipe;
use mercer::store;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, MutexGuard};

/// Sums over batches of rows, of which a model is fitted: one batch in memory at a time, on one machine or on many.
///
/// Ridge takes one pass over the batches; logistic, linear_svc and linear_svr (with squared losses) take several, after each of which `next`
/// gives the sums of the next pass or the model.
///
/// Columns, kernel and parameters are those of a model that was fitted to some of the rows, whose kernel has its features written out
/// (linear, fourier, nystroem). Batches are numbered; the model is the same to the bit whatever their order and whichever of them were added here or
/// merged. It is pickled as its bytes.
///
/// Parameters
/// ----------
/// model : Model
///     A model that was fitted to a sample of the rows.
/// data : Dataset, or anything one is made from
///     These rows, or others like them: they set the scale of the sums, and are not added.
/// target : array, list or series
///     Their numbers or labels.
/// rows : int, optional
///     How many rows are to come. Where passes over them take fewer operations than the squares of all their features, these are added up over a
///     sample alone, which preconditions the passes (Falkon; Rudi, Carratino and Rosasco 2017).
///
/// Raises
/// ------
/// ExpressionError
///     An estimator that does not learn from batches, or a kernel without features.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, height = mercer.example("sinc")
/// >>> model = mercer.Learner("ridge(lambda=0.1)", "nystroem(rbf, rank=20)").fit(data, height)
/// >>> partial = mercer.Partial(model, data, height)
/// >>> partial.add(0, data, height)
/// >>> partial.finish().score(data, height) == model.score(data, height)
/// True
///
/// Passes over the same batches, as many as it takes:
///
/// >>> data, species = mercer.example("iris")
/// >>> model = mercer.Learner("logistic(lambda=0.1)", "linear").fit(data, species)
/// >>> after = mercer.Partial(model, data, species)
/// >>> while isinstance(after, mercer.Partial):
/// ...     after.add(0, data, species)
/// ...     after = after.next()
/// >>> after.summary["converged"]
/// True
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Partial {
    partial: Arc<Mutex<partial::Partial>>,
    model: Py<Model>,
}

#[pymethods]
impl Partial {
    #[new]
    #[pyo3(signature = (model, data, target, *, rows=None))]
    fn new(py: Python<'_>, model: Py<Model>, data: &Object<'_>, target: &Object<'_>, rows: Option<usize>) -> PyResult<Self> {
        let (data, target) = of_batch(py, model.get(), data, target)?;
        let own = model.get().model.clone();
        let partial = Limits::threads(0)
            .run(py, move |control| partial::Partial::new((*own).clone(), &Recipe::default(), &data, &target, rows, control))?;
        Ok(Partial { partial: Arc::new(Mutex::new(partial)), model })
    }

    /// Adds a batch, wholly or not at all.
    ///
    /// Parameters
    /// ----------
    /// number : int
    ///     Its number, from 0, which no other batch has.
    /// data : Dataset, or anything one is made from
    ///     Its rows.
    /// target : array, list or series
    ///     Their numbers, or labels among those of the model.
    /// sample_weight : array, optional
    ///     2 means that the row counts twice, 0 that it is absent.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     A number that was added before, or was not in the passes before; rows without the columns of the model; targets that are not finite.
    #[pyo3(signature = (number, data, target, sample_weight=None, *, threads=0))]
    fn add(
        &self,
        py: Python<'_>,
        number: u64,
        data: &Object<'_>,
        target: &Object<'_>,
        sample_weight: Option<&Object<'_>>,
        threads: usize,
    ) -> PyResult<()> {
        let (data, target) = of_batch(py, self.model.get(), data, target)?;
        let (own, weights) = (self.partial.clone(), weights(sample_weight)?);
        Limits::threads(threads).run(py, move |control| held(&own).add(number, &data, &target, weights.as_deref(), control))
    }

    /// Adds the sums over other batches, as of another machine, wholly or not at all.
    ///
    /// Parameters
    /// ----------
    /// other : Partial
    ///     Sums that were begun from the same model.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Sums of another model, version or pass, and a batch that both have.
    fn merge(&self, other: &Partial) -> PyResult<()> {
        let other = held(&other.partial).clone();
        held(&self.partial).merge(&other).map_err(raise)
    }

    /// What follows from a pass over all batches.
    ///
    /// Returns
    /// -------
    /// Partial or Model
    ///     Sums of the next pass, to which every batch is added again, or the model, which keeps no training row. A model that is not converged
    ///     says so in its summary.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     No batch was added, or not all those of the first pass.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let own = self.partial.clone();
        let outcome = Limits::threads(0).run(py, move |control| held(&own).next(control))?;
        match outcome {
            PassOutcome::Model(model) => Ok(Bound::new(py, Model::new(*model))?.into_any()),
            PassOutcome::Next(next) => {
                let (partial, model) = (Arc::new(Mutex::new(*next)), self.model.clone_ref(py));
                Ok(Bound::new(py, Partial { partial, model })?.into_any())
            }
        }
    }

    /// The best model so far: of ridge that of all batches that were added, after which more can be added; of estimators of several passes that
    /// of the passes that are done, and its summary says whether it is converged.
    ///
    /// Returns
    /// -------
    /// Model
    ///     A model that keeps no training row.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     No batch was added, or too few passes were made for a model.
    fn finish(&self, py: Python<'_>) -> PyResult<Model> {
        let own = self.partial.clone();
        Limits::threads(0).run(py, move |control| held(&own).finish(control)).map(Model::new)
    }

    /// The number of the pass, from 1.
    #[getter]
    fn pass_number(&self) -> usize {
        held(&self.partial).pass()
    }

    /// Numbers of the batches that were added in this pass, ascending.
    #[getter]
    fn batches(&self) -> Vec<u64> {
        held(&self.partial).batches().collect()
    }

    /// Rows that were added in this pass, without those of weight 0.
    #[getter]
    fn rows(&self) -> usize {
        held(&self.partial).rows()
    }

    /// Its bytes, for another process or machine of the same version.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = store::partial_to_bytes(&held(&self.partial)).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Sums from their bytes.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     What `to_bytes` gave.
    ///
    /// Raises
    /// ------
    /// ModelFileError
    ///     Bytes that are damaged, cut off, or of something else.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let partial = store::partial_from_bytes(data).map_err(raise)?;
        let model = Py::new(py, Model::new(partial.model().clone()))?;
        Ok(Partial { partial: Arc::new(Mutex::new(partial)), model })
    }

    fn __repr__(&self) -> String {
        let partial = held(&self.partial);
        let (rows, batches, pass) = (partial.rows(), partial.batches().count(), partial.pass());
        format!("<mercer.Partial: {rows} rows in {batches} batches, pass {pass}, {}>", partial.model().estimator)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Object<'py>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

/// The sums; a panic in another thread left them as they were, since batches are added wholly or not at all.
fn held(partial: &Mutex<partial::Partial>) -> MutexGuard<'_, partial::Partial> {
    partial.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Rows and targets of a batch as the model has them.
fn of_batch(py: Python<'_>, model: &Model, data: &Object<'_>, target: &Object<'_>) -> PyResult<(Arc<Dataset>, Target)> {
    let data = model.rows(py, data)?;
    let target = target_like(target, data.rows(), &model.model.answer.target())?;
    Ok((data, target))
}

/// The target of a batch, of numbers or of classes that are known.
pub(crate) fn target_like(target: &Object<'_>, rows: usize, info: &TargetInfo) -> PyResult<Target> {
    match &info.classes {
        Some(_) => target::tested(target, rows, info),
        None => target::target(target, rows, Takes::of(&[]), Some("regression")).map(|(target, _)| target),
    }
}

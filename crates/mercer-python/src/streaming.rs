//! `learn_on`: a model that goes on with rows that come.

use crate::dataset::weights;
use crate::model::Model;
use crate::target::{self, Takes, coded};
use crate::work::Limits;
use pyo3::prelude::*;

/// Learns on from rows that come, of an estimator that sees one row after another (perceptron).
///
/// Parameters
/// ----------
/// model : Model
///     What was learnt so far.
/// data : Dataset, or anything one is made from
///     The rows that the model keeps, in the order of `support`, and new rows after them, which are seen once in their order.
/// target : array, list or series
///     Their numbers, or the places of their labels among `classes`.
/// known : int
///     How many of the rows the model keeps.
/// sample_weight : array, optional
///     2 means that the row counts twice, 0 that it is absent.
/// threads : int
///     How many to use; 0: one per core.
///
/// Returns
/// -------
/// Model
///     Another model, whose `support` are places among these rows.
///
/// Raises
/// ------
/// DataError
///     An estimator that learns from all rows at once.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> learner = mercer.Learner("perceptron(passes=1, order=given)", "linear", standardise=False)
/// >>> model = learner.fit([[1.0], [-1.0]], ["up", "down"])
/// >>> kept = len(model.support)
/// >>> model = mercer.learn_on(model, [[1.0], [-1.0], [2.0]][2 - kept :], [1, 0, 1][2 - kept :], kept)
/// >>> model.predict([[3.0]]).tolist()
/// ['up']
#[pyfunction]
#[pyo3(signature = (model, data, target, known, sample_weight=None, *, threads=0))]
pub(crate) fn learn_on(
    py: Python<'_>,
    model: &Model,
    data: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    known: usize,
    sample_weight: Option<&Bound<'_, PyAny>>,
    threads: usize,
) -> PyResult<Model> {
    let (data, model, weights) = (model.rows(py, data)?, model.model.clone(), weights(sample_weight)?);
    let info = model.answer.target();
    let (target, _) = match info.classes {
        Some(names) => coded(target, data.rows(), names, info.labels)?,
        None => target::target(target, data.rows(), Takes::of(&[]), Some("regression"))?,
    };
    let learnt = Limits::threads(threads).run(py, move |control| model.learn_on(&data, known, &target, weights.as_deref(), control))?;
    Ok(Model::new(learnt))
}

//! The rows beside the training rows on which `mercer.compare` scores its models.

use crate::comparison::Asked;
use crate::dataset::{dataset_like, weights};
use crate::errors::{Reported, data_error, raise, within};
use crate::target;
use mercer::control::{CancelFlag, Control};
use mercer::data::{Dataset, Schema, Target};
use mercer::report;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Arc;

/// What the rows are called.
const NAME: &str = "test";

/// Rows with their target and weights, read as the training rows were.
pub(crate) struct TestRows {
    data: Arc<Dataset>,
    target: Target,
    weights: Option<Vec<f64>>,
}

impl TestRows {
    /// `(data, target)` or `(data, target, sample_weight)`: the columns and the classes of training.
    pub(crate) fn read(given: &Bound<'_, PyAny>, training: &Asked) -> PyResult<Self> {
        let parts: Vec<Bound<'_, PyAny>> = match given.is_instance_of::<PyTuple>() || given.is_instance_of::<PyList>() {
            true => given.extract()?,
            false => Vec::new(),
        };
        let (data, y, sample_weight) = match parts.as_slice() {
            [data, y] => (data, y, None),
            [data, y, weights] => (data, y, Some(weights).filter(|weights| !weights.is_none())),
            _ => return Err(data_error(format!("{NAME}: expected (data, target) or (data, target, sample_weight)"))),
        };
        let read = || {
            let data = dataset_like(data, &Schema::of(&training.data), &Reported::default())?;
            let target = target::tested(y, data.rows(), &training.info)?;
            let rows = TestRows { data, target, weights: weights(sample_weight)? };
            rows.rows().check(&training.data).map_err(raise)?;
            Ok(rows)
        };
        read().map_err(|error| within(given.py(), NAME, error))
    }

    fn rows(&self) -> report::TestRows<'_> {
        report::TestRows { table: NAME, data: &self.data, target: &self.target, weights: self.weights.as_deref() }
    }

    /// Scores the models of a comparison, also where its time is spent.
    pub(crate) fn score(
        &self,
        comparison: &mut report::Comparison,
        outcome: &mercer::compare::Outcome,
        training: &Target,
        control: &Control,
    ) -> mercer::error::Result<()> {
        let untimed = Control { deadline: None, hard_deadline: None, stop_early: CancelFlag::default(), ..control.clone() };
        comparison.score_on(&self.rows(), outcome, training, &untimed)
    }
}

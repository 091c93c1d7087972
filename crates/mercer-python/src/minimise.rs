//! `minimise`: the library's search for a least value, of a function of Python.

use crate::errors::raise;
use mercer::control::Control;
use mercer::error::Error;
use mercer::solve::Minimiser;
use pyo3::prelude::*;

/// Where a function that gives its value and its slopes is least within a box, from a start: the place, the value there, and
/// whether a tolerance was met. What the function raises comes through.
#[pyfunction]
pub(crate) fn minimise(objective: &Bound<'_, PyAny>, start: Vec<f64>, bounds: Vec<[f64; 2]>) -> PyResult<(Vec<f64>, f64, bool)> {
    let mut raised = None;
    let value = |x: &[f64]| {
        let found = objective.call1((x.to_vec(),)).and_then(|found| {
            let (value, slopes): (f64, Bound<'_, PyAny>) = found.extract()?;
            Ok((value, slopes.try_iter()?.map(|slope| slope?.extract()).collect::<PyResult<Vec<f64>>>()?))
        });
        found.map_err(|error| {
            raised = Some(error);
            Error::Cancelled
        })
    };
    let bounds = bounds.into_iter().map(|[low, high]| (low, high)).collect();
    let found = Minimiser { tolerance: 1e-5, decrease: 2e-9, ..Minimiser::new(bounds) }.minimise(value, &start, &Control::default());
    let found = found.map_err(|error| raised.take().unwrap_or_else(|| raise(error)))?;
    Ok((found.x, found.value, found.converged))
}

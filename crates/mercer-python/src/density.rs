//! `Density`: a density by smoothing, for the class of scikit-learn's form.

use crate::arrays::{asarray, from_matrix, from_vec, matrix, vector};
use crate::dataset::weights;
use crate::errors::raise;
use crate::pickle::{Parts, no_state, parts, restored};
use crate::work::Limits;
use mercer::smoothing::{self, Asked, Bandwidth, Rule, Sample, Shape, SmoothingKernel, Support};
use pyo3::prelude::*;
use std::sync::Arc;

/// A density as a mean of kernels at the rows.
#[pyclass(frozen, module = "mercer._native")]
pub(crate) struct Density {
    density: Arc<smoothing::Density>,
}

/// A number, a number for each column, a matrix, or the name of a rule.
fn bandwidth(object: &Bound<'_, PyAny>, covariance: bool) -> PyResult<Bandwidth> {
    if let Ok(name) = object.extract::<String>() {
        let rule = Rule::parse(&name).map_err(raise)?;
        return Ok(if covariance { Bandwidth::Covariance(rule) } else { Bandwidth::Rule(rule) });
    }
    if let Ok(number) = object.extract::<f64>() {
        return Ok(Bandwidth::Number(number));
    }
    match crate::arrays::shape(&asarray(object)?)?.len() {
        1 => Ok(Bandwidth::Columns(vector(object, "bandwidth")?)),
        _ => Ok(Bandwidth::Matrix(matrix(object)?)),
    }
}

#[pymethods]
impl Density {
    #[staticmethod]
    #[pyo3(signature = (data, sample_weight=None, *, bandwidth, kernel="gaussian", shape="radial", covariance=false, support=None, adaptive=false, tolerance=1e-12, threads=0))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn fit(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        bandwidth: &Bound<'_, PyAny>,
        kernel: &str,
        shape: &str,
        covariance: bool,
        support: Option<Vec<(f64, f64)>>,
        adaptive: bool,
        tolerance: f64,
        threads: usize,
    ) -> PyResult<Self> {
        let asked = Asked {
            kernel: SmoothingKernel::parse(kernel).map_err(raise)?,
            shape: Shape::parse(shape).map_err(raise)?,
            bandwidth: self::bandwidth(bandwidth, covariance)?,
            support: support.into_iter().flatten().map(|(low, high)| Support { low, high }).collect(),
            adaptive,
            tolerance,
        };
        let sample = Sample::new(&matrix(data)?, weights(sample_weight)?.as_deref()).map_err(raise)?;
        let density = Limits::threads(threads).run(py, move |control| smoothing::Density::fit(&sample, &asked, control))?;
        Ok(Density { density: Arc::new(density) })
    }

    #[pyo3(signature = (data, *, threads=0))]
    fn log_density<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let (points, density) = (matrix(data)?, self.density.clone());
        Ok(from_vec(py, Limits::threads(threads).run(py, move |control| density.log_density(&points, control))?))
    }

    #[pyo3(signature = (*, threads=0))]
    fn left_out<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let density = self.density.clone();
        Ok(from_vec(py, Limits::threads(threads).run(py, move |control| density.left_out(control))?))
    }

    fn draw<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let density = self.density.clone();
        from_matrix(py, Limits::default().run(py, move |control| density.draw(count, seed, control))?)
    }

    fn cumulative<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let distribution = self.density.distribution().map_err(raise)?;
        Ok(from_vec(py, vector(x, "x")?.into_iter().map(|x| distribution.cumulative(x)).collect()))
    }

    fn quantile<'py>(&self, py: Python<'py>, p: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let distribution = self.density.distribution().map_err(raise)?;
        let found: Result<Vec<f64>, _> = vector(p, "p")?.into_iter().map(|p| distribution.quantile(p)).collect();
        Ok(from_vec(py, found.map_err(raise)?))
    }

    #[getter]
    fn widths(&self) -> Vec<f64> {
        self.density.widths()
    }

    #[getter]
    fn widths_of_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        from_vec(py, self.density.widths_of_rows().to_vec())
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.density.notes().to_vec()
    }

    #[new]
    fn restored(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<Self> {
        Ok(Density { density: Arc::new(restored(text, arrays)?) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().into_any(), parts(slf.py(), slf.get().density.as_ref())?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

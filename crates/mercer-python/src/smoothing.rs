//! `LocalRegression` and `Lowess`: curves by smoothing, for the classes of scikit-learn's form.

use crate::arrays::{asarray, from_matrix, from_vec, matrix, shape, vector};
use crate::dataset::weights;
use crate::errors::raise;
use crate::pickle::{Parts, no_state, parts, restored};
use crate::work::Limits;
use mercer::error::Error;
use mercer::smoothing::{self, LocalOptions, LowessOptions, Reach, SmoothingKernel};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// Polynomials fitted to the rows near each place.
#[pyclass(frozen, module = "mercer._native")]
pub(crate) struct LocalRegression {
    local: Arc<smoothing::LocalFit>,
}

/// A share of the rows, or a number, a number for each column, or "left_out".
fn reach(bandwidth: &Bound<'_, PyAny>, span: Option<f64>, columns: usize) -> PyResult<Reach> {
    if let Some(span) = span {
        return Ok(Reach::Nearest(span));
    }
    if let Ok(name) = bandwidth.extract::<String>() {
        return match name.as_str() {
            "left_out" => Ok(Reach::LeftOut),
            other => Err(raise(Error::unknown("bandwidth", other, ["left_out"]))),
        };
    }
    let widths =
        if shape(&asarray(bandwidth)?)?.is_empty() { vec![bandwidth.extract()?; columns] } else { vector(bandwidth, "bandwidth")? };
    Ok(Reach::Widths(widths))
}

#[pymethods]
impl LocalRegression {
    #[staticmethod]
    #[pyo3(signature = (data, target, sample_weight=None, *, bandwidth, span=None, kernel="gaussian", degree=1, rounds=0, threads=0))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn fit(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        bandwidth: &Bound<'_, PyAny>,
        span: Option<f64>,
        kernel: &str,
        degree: usize,
        rounds: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let points = matrix(data)?;
        let kernel = SmoothingKernel::parse(kernel).map_err(raise)?;
        let options = LocalOptions { kernel, reach: reach(bandwidth, span, points.cols())?, degree, rounds };
        let (y, w) = (vector(target, "y")?, weights(sample_weight)?);
        let fit = move |control: &_| smoothing::LocalFit::fit(&points, &y, w.as_deref(), &options, control);
        Ok(LocalRegression { local: Arc::new(Limits::threads(threads).run(py, fit)?) })
    }

    /// Values alone, which take less time.
    #[pyo3(signature = (data, *, threads=0))]
    fn values<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let (points, local) = (matrix(data)?, self.local.clone());
        Ok(from_vec(py, Limits::threads(threads).run(py, move |control| local.values(&points, control))?))
    }

    /// Values, their standard deviations, and slopes.
    #[pyo3(signature = (data, *, threads=0))]
    fn predict<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyTuple>> {
        let (points, local) = (matrix(data)?, self.local.clone());
        let found = Limits::threads(threads).run(py, move |control| local.predict(&points, control))?;
        (from_vec(py, found.values), from_vec(py, found.deviations), from_matrix(py, found.slopes)?).into_pyobject(py)
    }

    #[getter]
    fn widths(&self) -> Option<Vec<f64>> {
        self.local.widths().map(<[f64]>::to_vec)
    }

    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        from_vec(py, self.local.left_out())
    }

    #[getter]
    fn degrees_of_freedom(&self) -> f64 {
        self.local.degrees_of_freedom()
    }

    #[getter]
    fn noise(&self) -> f64 {
        self.local.noise()
    }

    #[getter]
    fn lowered(&self) -> usize {
        self.local.lowered()
    }

    #[new]
    fn restored(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<Self> {
        Ok(LocalRegression { local: Arc::new(restored(text, arrays)?) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().into_any(), parts(slf.py(), slf.get().local.as_ref())?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

/// Lines to the nearest rows, with less weight for outliers.
#[pyclass(frozen, module = "mercer._native")]
pub(crate) struct Lowess {
    lowess: Arc<smoothing::Lowess>,
}

#[pymethods]
impl Lowess {
    #[staticmethod]
    #[pyo3(signature = (x, y, *, frac, rounds, delta, threads=0))]
    fn fit(
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        frac: f64,
        rounds: usize,
        delta: f64,
        threads: usize,
    ) -> PyResult<Self> {
        let (x, y, options) = (vector(x, "x")?, vector(y, "y")?, LowessOptions { frac, rounds, delta });
        let lowess = Limits::threads(threads).run(py, move |control| smoothing::Lowess::fit(&x, &y, &options, control))?;
        Ok(Lowess { lowess: Arc::new(lowess) })
    }

    #[pyo3(signature = (x, *, threads=0))]
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let (x, lowess) = (vector(x, "x")?, self.lowess.clone());
        Ok(from_vec(py, Limits::threads(threads).run(py, move |control| lowess.predict(&x, control))?))
    }

    #[getter]
    fn fitted<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        from_vec(py, self.lowess.fitted().to_vec())
    }

    #[new]
    fn restored(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<Self> {
        Ok(Lowess { lowess: Arc::new(restored(text, arrays)?) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().into_any(), parts(slf.py(), slf.get().lowess.as_ref())?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

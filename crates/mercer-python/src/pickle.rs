//! What Python stores of an object of the library: its fields as text, its large arrays as bytes.
//!
//! `__reduce__` gives the class and what it is called with to be made again, and nothing else: pickle, copy, joblib and skops read that.

use crate::errors::{data_error, internal_error};
use mercer::blocks;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The text and the arrays of an object.
pub(crate) type Parts<'py> = (String, Vec<Bound<'py, PyBytes>>);

/// An object taken to parts.
pub(crate) fn parts<'py>(py: Python<'py>, object: &impl Serialize) -> PyResult<Parts<'py>> {
    let (text, arrays) = blocks::collect(|| serde_json::to_string(object));
    let text = text.map_err(|e| internal_error(e.to_string()))?;
    Ok((text, arrays.iter().map(|a| PyBytes::new(py, a)).collect()))
}

/// The object again.
pub(crate) fn restored<T: DeserializeOwned>(text: &str, arrays: Vec<Vec<u8>>) -> PyResult<T> {
    blocks::supply(arrays, || serde_json::from_str(text)).map_err(|e| data_error(e.to_string()))
}

/// The refusal of what stores a state beside an empty object, which none of these classes has: skops before 0.12 does, and would store what
/// it cannot read.
pub(crate) fn no_state(class: &Bound<'_, PyType>) -> PyErr {
    let name = class.name().map_or_else(|_| "object".into(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "a {name} of mercer is stored by pickle, joblib, copy, or skops 0.12 or newer; a Model also by save(path)"
    ))
}

/// The refusal of an object that skops would store without its contents.
pub(crate) fn not_for_skops(class: &Bound<'_, PyType>) -> PyErr {
    let name = class.name().map_or_else(|_| "object".into(), |name| name.to_string());
    PyTypeError::new_err(format!("a {name} of mercer is stored by pickle, joblib or copy, and not by skops"))
}

//! What Python pickles of an object of the library: its fields as text, its large arrays as bytes.

use crate::errors::{data_error, internal_error};
use mercer::blocks;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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

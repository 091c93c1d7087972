//! Series as aeon and sktime hold them: arrays whose channels come before their times, and frames with a row for each time.

use crate::arrays::{asarray, shape};
use crate::cells::is_missing;
use crate::errors::within;
use crate::frames::listed;
use mercer::data::{Cells as _, Series};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Whether an object is a frame of pandas whose rows have an index of two levels: instance and time.
pub(crate) fn is_panel(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !object.hasattr("columns")? || !object.hasattr("index")? {
        return Ok(false);
    }
    Ok(object.getattr("index")?.getattr("nlevels").is_ok_and(|levels| levels.eq(2).unwrap_or(false)))
}

/// An array of times x channels for each instance of such a frame, instances in the order of their first rows, times ascending.
pub(crate) fn of_panel<'py>(frame: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, series) = (frame.py(), PyList::empty(frame.py()));
    let (by_instance, by_time) = (PyDict::new(py), PyDict::new(py));
    by_instance.set_item("level", 0)?;
    by_instance.set_item("sort", false)?;
    by_time.set_item("level", 1)?;
    for instance in frame.call_method("groupby", (), Some(&by_instance))?.try_iter()? {
        let (_, rows): (Bound<'py, PyAny>, Bound<'py, PyAny>) = instance?.extract()?;
        series.append(rows.call_method("sort_index", (), Some(&by_time))?.call_method0("to_numpy")?)?;
    }
    Ok(series.into_any())
}

/// An array of the axes (rows, channels, times), or a list of arrays of (channels, times), with the last two axes exchanged; what has
/// no channels as it is.
pub(crate) fn channels_last<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match object.getattr("ndim").and_then(|axes| axes.extract::<usize>()) {
        Ok(3) => return asarray(object)?.call_method1("swapaxes", (1, 2)),
        Ok(2) => return Ok(object.clone()),
        _ => {}
    }
    let turned = PyList::empty(object.py());
    for (row, cell) in listed(object)?.try_iter()?.enumerate() {
        let cell = cell?;
        if is_missing(&cell)? {
            turned.append(cell)?;
            continue;
        }
        let array = asarray(&cell).map_err(|error| within(object.py(), &format!("row {}", row + 1), error))?;
        turned.append(if shape(&array)?.len() == 2 { array.getattr("T")? } else { cell })?;
    }
    Ok(turned.into_any())
}

/// What is worth knowing of the column `name` of series with more channels than times, whose axes may be in another order.
pub(crate) fn doubt_of_axes(name: &str, series: &Series) -> Option<String> {
    let longest = (0..series.len()).map(|row| series.length(row)).max().filter(|&times| times > 0 && times < series.channels())?;
    Some(format!(
        "column '{name}' has series of {} channels and at most {longest} times; --types {name}=series-channels-first reads arrays of the axes \
         (rows, channels, times), as those of aeon and sktime",
        series.channels()
    ))
}

//! Columns by name out of whatever holds them: a dict, an array of records of numpy, a frame of pandas or polars, a table of pyarrow,
//! any stream of Arrow. A frame is known by what it offers, so that none of these packages is imported here except pyarrow for streams.

use crate::errors::data_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Columns by name, as Python holds them.
pub(crate) type Named<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// Names and objects of a mapping of columns; `None` for anything else.
pub(crate) fn mapping<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Named<'py>>> {
    // An array or a series has one type; one of records has a type for each field.
    if object.hasattr("dtype")? {
        return fields(object);
    }
    if let Some(columns) = records(object)? {
        return mapping(&columns);
    }
    let pairs: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> = if object.hasattr("items")? {
        object.call_method0("items")?.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()?
    } else if object.hasattr("get_columns")? {
        let columns = object.call_method0("get_columns")?;
        columns.try_iter()?.map(|column| column.and_then(|c| Ok((c.getattr("name")?, c)))).collect::<PyResult<_>>()?
    } else if object.hasattr("itercolumns")? {
        let names = object.getattr("schema")?.getattr("names")?;
        names.try_iter()?.zip(object.call_method0("itercolumns")?.try_iter()?).map(|(n, c)| Ok((n?, c?))).collect::<PyResult<_>>()?
    } else {
        return Ok(None);
    };
    if pairs.is_empty() {
        return Err(data_error("there are no columns"));
    }
    pairs.into_iter().map(|(name, column)| Ok((name.str()?.to_string(), column))).collect::<PyResult<_>>().map(Some)
}

/// Whether an object is a frame of pandas or polars or a table of pyarrow, and no dict or list of records.
pub(crate) fn is_frame(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyDict>() || object.is_instance_of::<PyList>() || object.hasattr("dtype")? {
        return Ok(false);
    }
    Ok(object.hasattr("iloc")? && object.hasattr("columns")? || object.hasattr("get_columns")? || object.hasattr("itercolumns")?)
}

/// The fields of an array of records of numpy, as columns; `None` for any other array.
pub(crate) fn fields<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Named<'py>>> {
    match array.getattr("dtype")?.getattr("names").and_then(|names| names.extract::<Vec<String>>()) {
        Ok(names) => names.into_iter().map(|name| array.get_item(&name).map(|column| (name, column))).collect::<PyResult<_>>().map(Some),
        Err(_) => Ok(None),
    }
}

/// The columns of a list of records, `None` where a record lacks one; `None` for anything else.
fn records<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if !is_list || object.is_empty()? || !object.get_item(0)?.is_instance_of::<PyDict>() {
        return Ok(None);
    }
    let rows: Vec<Bound<'py, PyAny>> = object.extract()?;
    let columns = PyDict::new(object.py());
    for (at, row) in rows.iter().enumerate() {
        let Ok(row) = row.cast::<PyDict>() else {
            let found = row.get_type().name()?;
            return Err(data_error(format!("row {} holds {found}, row 1 a dict; make all rows records or none", at + 1)));
        };
        for (name, cell) in row.iter() {
            let column = match columns.get_item(&name)? {
                Some(column) => column.cast_into::<PyList>()?,
                None => {
                    let column = PyList::empty(object.py());
                    columns.set_item(&name, &column)?;
                    column
                }
            };
            (column.len()..at).try_for_each(|_| column.append(object.py().None()))?;
            column.append(cell)?;
        }
    }
    for column in columns.values() {
        let column = column.cast_into::<PyList>()?;
        (column.len()..rows.len()).try_for_each(|_| column.append(object.py().None()))?;
    }
    Ok(Some(columns.into_any()))
}

/// The object itself, or the table that it streams: a stream is read once.
pub(crate) fn tabled<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if object.hasattr("collect_schema")? && object.hasattr("collect")? && !object.hasattr("get_columns")? {
        return Err(data_error("this is a lazy frame; give its result: frame.collect()"));
    }
    let has_columns = ["items", "get_columns", "itercolumns", "dtype", "type"].map(|name| object.hasattr(name));
    if !object.hasattr("__arrow_c_stream__")? || has_columns.into_iter().any(|has| has.unwrap_or(true)) {
        return Ok(object.clone());
    }
    let pyarrow = object
        .py()
        .import("pyarrow")
        .map_err(|_| data_error("this is a stream of Arrow, which pyarrow takes apart; install pyarrow, or give a dict of columns"))?;
    pyarrow.call_method1("table", (object,)).map_err(|e| data_error(format!("this stream of Arrow is no table: {}", e.value(object.py()))))
}

/// The type of a column in the words of its frame: `category`, `Int64`, `dictionary<...>`; empty where it has none.
fn type_word(column: &Bound<'_, PyAny>) -> String {
    let of = |name: &str| column.getattr(name).and_then(|t| t.str()).map(|word| word.to_string());
    of("dtype").or_else(|_| of("type")).unwrap_or_default()
}

/// Whether a column of a frame says itself that it holds labels.
pub(crate) fn is_categorical(column: &Bound<'_, PyAny>) -> bool {
    // How pandas, polars and pyarrow begin the type of a column of labels.
    const CATEGORICAL: [&str; 4] = ["category", "Categorical", "Enum", "dictionary<"];
    let word = type_word(column);
    CATEGORICAL.iter().any(|start| word.starts_with(start))
}

/// A column that Arrow holds as codes and a dictionary, without these: made an array, it would lose its nulls. `None` for
/// anything else.
pub(crate) fn without_dictionary<'py>(column: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !type_word(column).starts_with("dictionary<") {
        return Ok(None);
    }
    if !column.hasattr("cast")? {
        return listed(column).map(Some);
    }
    column.call_method1("cast", (column.getattr("type")?.getattr("value_type")?,)).map(Some)
}

/// The cells of a column as Python objects of their own types. An array makes floats of whole numbers beside missing ones,
/// and texts of numbers beside texts.
pub(crate) fn listed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(object.clone());
    }
    if object.hasattr("cat")? && object.getattr("cat")?.hasattr("codes")? {
        return labels(&object.getattr("cat")?);
    }
    for method in ["to_pylist", "to_list", "tolist"] {
        if object.hasattr(method)? {
            return object.call_method0(method);
        }
    }
    object.py().import("numpy")?.call_method1("asarray", (object,))?.call_method0("tolist")
}

/// The labels of a categorical column of pandas, `None` where one is missing.
fn labels<'py>(of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let names: Vec<Bound<'py, PyAny>> = of.getattr("categories")?.call_method0("tolist")?.extract()?;
    let codes: Vec<i64> = of.getattr("codes")?.call_method0("tolist")?.extract()?;
    let label = |code: i64| usize::try_from(code).ok().and_then(|code| names.get(code));
    PyList::new(of.py(), codes.into_iter().map(label)).map(Bound::into_any)
}

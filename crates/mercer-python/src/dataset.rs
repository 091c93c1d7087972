//! `mercer.Dataset`: named, typed columns, made from whatever holds columns in Python.

use crate::arrays::{self, asarray, from_matrix, from_vec, is_numeric, kind, points, sparse, two_axes};
use crate::columns::{Cells, cells, mapping, strings};
use crate::errors::{data_error, internal_error, raise, warn};
use crate::model::Model;
use mercer::blocks;
use mercer::data::{Column, Holds, Schema, Sort, Values};
use mercer::error::Error;
use mercer::linalg::Matrix;
use mercer::read::{ColumnType, Notice, ReadOptions, Table};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::Arc;

/// What a pickled dataset is made of again.
type Parts<'py> = (String, Vec<Bound<'py, PyBytes>>, Vec<String>);

/// What messages call data that came from no file.
const HERE: &str = "data";
/// The column of data that has one column without a name.
const ONLY: &str = "x";

/// Named, typed columns of one length.
///
/// data: a dict of columns or a data frame; a 2-D array (columns x0, x1, ...); a list of str or a sparse matrix (one
/// column x). Columns of numbers and flags are numbers, NaN where one is missing; a 2-D array in a dict is a column of
/// vectors; columns of str are categories, texts or sequences, told from their cells as in a CSV file.
/// types: what columns hold where that is told wrongly, {"zip": "category"}: number, category, text, sequence or
/// ignore; a single word speaks of all columns.
/// like: a fitted model; columns are then taken as in its training.
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Dataset {
    pub(crate) data: Arc<mercer::data::Dataset>,
    notices: Vec<Notice>,
}

impl Dataset {
    pub(crate) fn new(data: mercer::data::Dataset, notices: Vec<Notice>) -> Self {
        Dataset { data: Arc::new(data), notices }
    }
}

/// Columns of any object that holds them; what is worth a notice is warned of.
pub(crate) fn dataset(object: &Bound<'_, PyAny>) -> PyResult<Arc<mercer::data::Dataset>> {
    if let Ok(data) = object.cast::<Dataset>() {
        return Ok(data.get().data.clone());
    }
    let (data, notices) = build(object, &ReadOptions::default(), None)?;
    warn(object.py(), &notices)?;
    Ok(Arc::new(data))
}

/// The columns of a training schema out of any object that holds them.
pub(crate) fn dataset_like(object: &Bound<'_, PyAny>, schema: &Schema) -> PyResult<Arc<mercer::data::Dataset>> {
    if let Ok(data) = object.cast::<Dataset>() {
        return Ok(data.get().data.clone());
    }
    let (data, notices) = build(object, &ReadOptions::default(), Some(schema))?;
    warn(object.py(), &notices)?;
    Ok(Arc::new(data))
}

/// Bare data for a kernel: an array is one column of points unless `by_column`, a list of str one column of `text`.
pub(crate) fn batch(object: &Bound<'_, PyAny>, by_column: bool, text: ColumnType) -> PyResult<Arc<mercer::data::Dataset>> {
    if let Ok(data) = object.cast::<Dataset>() {
        return Ok(data.get().data.clone());
    }
    if mapping(object)?.is_none() && sparse(object)?.is_none() {
        let array = asarray(object)?;
        if is_numeric(kind(&array)?) && !by_column {
            return Ok(Arc::new(mercer::data::Dataset::from_points(points(&array)?)));
        }
        if strings(object)?.is_some() {
            let options = ReadOptions { types: vec![(ONLY.into(), text)] };
            return build(object, &options, None).map(|(data, _)| Arc::new(data));
        }
    }
    dataset(object)
}

fn build(object: &Bound<'_, PyAny>, options: &ReadOptions, like: Option<&Schema>) -> PyResult<(mercer::data::Dataset, Vec<Notice>)> {
    if object.is_instance_of::<PyString>() {
        return Err(data_error("found a str, expected columns; mercer.read_table(path) reads a file"));
    }
    if let Some(points) = sparse(object)? {
        return Ok((mercer::data::Dataset::from_points(points), Vec::new()));
    }
    if let Some(columns) = mapping(object)? {
        return from_columns(columns, options, like);
    }
    if let Some(texts) = strings(object)? {
        return from_texts(object, texts, options, like);
    }
    let array = asarray(object)?;
    let [_, width] = two_axes(&array)?;
    let names: Vec<String> = match like {
        None => (0..width).map(|j| format!("x{j}")).collect(),
        Some(schema) => match schema.columns.as_slice() {
            [one] if matches!(one.holds, Holds::Points { .. }) => {
                let values = Values::Points(points(&array)?);
                let column = Column { name: one.name.clone(), values };
                return mercer::data::Dataset::new(vec![column]).map(|data| (data, Vec::new())).map_err(raise);
            }
            columns if columns.len() == width => columns.iter().map(|c| c.name.clone()).collect(),
            columns => return Err(raise(Error::Shape { what: "columns of the array".into(), expected: columns.len(), found: width })),
        },
    };
    let transposed = array.getattr("T")?;
    let columns = names.into_iter().zip(transposed.try_iter()?).map(|(name, column)| Ok((name, column?))).collect::<PyResult<_>>()?;
    from_columns(columns, options, like)
}

/// One unnamed column of str. One that looks like identifiers was still meant: it is text.
fn from_texts(
    object: &Bound<'_, PyAny>,
    texts: Vec<String>,
    options: &ReadOptions,
    like: Option<&Schema>,
) -> PyResult<(mercer::data::Dataset, Vec<Notice>)> {
    let name = match like.map(|s| s.columns.as_slice()) {
        None => ONLY.to_owned(),
        Some([one]) => one.name.clone(),
        Some(many) => return Err(raise(Error::Shape { what: "columns".into(), expected: many.len(), found: 1 })),
    };
    let rows = texts.len();
    let (data, notices) = from_columns(vec![(name.clone(), object.clone())], options, like)?;
    if data.columns().is_empty() && options.declared(&name).is_none() {
        let text = ReadOptions { types: vec![(name.clone(), ColumnType::Text)] };
        let data = Table::of_cells(HERE, rows, &[(name, texts)]).and_then(|mut t| t.dataset(&text)).map_err(raise)?;
        return Ok((data, Vec::new()));
    }
    Ok((data, notices))
}

/// A data frame's column of categories says itself what it is.
fn is_categorical(column: &Bound<'_, PyAny>) -> bool {
    column.getattr("dtype").and_then(|d| d.str()).is_ok_and(|word| word == "category")
}

fn from_columns(
    mut columns: Vec<(String, Bound<'_, PyAny>)>,
    options: &ReadOptions,
    like: Option<&Schema>,
) -> PyResult<(mercer::data::Dataset, Vec<Notice>)> {
    let known = || columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for name in options.types.iter().map(|(name, _)| name).chain(like.iter().flat_map(|s| s.columns.iter().map(|c| &c.name))) {
        if !columns.iter().any(|(n, _)| n == name) {
            return Err(raise(Error::unknown("column", name, known())));
        }
    }
    if let Some(schema) = like {
        let place = |name: &str| schema.columns.iter().position(|c| c.name == name);
        columns.retain(|(name, _)| place(name).is_some());
        columns.sort_by_key(|(name, _)| place(name));
    }
    let mut rows = None;
    let mut made: Vec<(String, Option<Values>)> = Vec::new();
    let mut texts = Vec::new();
    let mut types = Vec::new();
    for (name, object) in &columns {
        let declared = options.declared(name).or_else(|| is_categorical(object).then_some(ColumnType::Category));
        if declared == Some(ColumnType::Ignore) {
            continue;
        }
        let holds = like.and_then(|s| s.columns.iter().find(|c| c.name == *name)).map(|c| c.holds.sort());
        let wanted = declared.and_then(ColumnType::sort).or(holds);
        let as_text = matches!(wanted, Some(Sort::Category | Sort::Text | Sort::Sequence));
        let values = match cells(name, object, as_text)? {
            Cells::Numbers(v) => Some(Values::Numbers(v)),
            Cells::Points(p) => Some(Values::Points(p)),
            Cells::Texts(cells) => {
                rows.get_or_insert(cells.len());
                types.extend(declared.map(|t| (name.clone(), t)));
                texts.push((name.clone(), cells));
                None
            }
        };
        rows = rows.or(values.as_ref().map(Values::len));
        made.push((name.clone(), values));
    }
    let rows = rows.unwrap_or(0);
    let mut notices = Vec::new();
    let mut read = Vec::new();
    if !texts.is_empty() {
        let mut table = Table::of_cells(HERE, rows, &texts).map_err(raise)?;
        let data = match like {
            None => table.dataset(&ReadOptions { types }),
            Some(schema) => {
                let part = schema.columns.iter().filter(|c| texts.iter().any(|(name, _)| *name == c.name)).cloned();
                table.dataset_like(&Schema { columns: part.collect() })
            }
        };
        read = data.map_err(raise)?.into_columns();
        notices = table.into_notices();
    }
    let mut finished = Vec::new();
    for (name, values) in made {
        match values {
            Some(values) => finished.push(Column { name, values }),
            // A column that was read and left out is an identifier.
            None => finished.extend(read.iter().position(|c| c.name == name).map(|at| read.remove(at))),
        }
    }
    Ok((mercer::data::Dataset::with_rows(rows, finished).map_err(raise)?, notices))
}

/// Declared types as `{"column": "type"}`, or one word for `every` column.
pub(crate) fn declared(types: Option<&Bound<'_, PyAny>>, every: impl FnOnce() -> PyResult<Vec<String>>) -> PyResult<ReadOptions> {
    let Some(types) = types else { return Ok(ReadOptions::default()) };
    if let Ok(word) = types.extract::<String>() {
        let word: ColumnType = word.parse().map_err(raise)?;
        return Ok(ReadOptions { types: every()?.into_iter().map(|name| (name, word)).collect() });
    }
    let types = types.cast::<PyDict>().map_err(|_| data_error("types: expected a dict such as {\"zip\": \"category\"}"))?;
    let mut out = Vec::new();
    for (name, word) in types.iter() {
        out.push((name.str()?.to_string(), word.str()?.to_string().parse().map_err(raise)?));
    }
    Ok(ReadOptions { types: out })
}

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (data, types=None, *, like=None))]
    fn make(data: &Bound<'_, PyAny>, types: Option<&Bound<'_, PyAny>>, like: Option<&Bound<'_, Model>>) -> PyResult<Self> {
        let every = || match mapping(data)? {
            Some(columns) => Ok(columns.into_iter().map(|(name, _)| name).collect()),
            None if strings(data)?.is_some() => Ok(vec![ONLY.into()]),
            None => two_axes(&asarray(data)?).map(|[_, width]| (0..width).map(|j| format!("x{j}")).collect()),
        };
        let options = declared(types, every)?;
        let (data, notices) = match data.cast::<Dataset>() {
            Ok(_) if types.is_some() || like.is_some() => {
                return Err(data_error("this is a Dataset already; give types and like where it is made from columns"));
            }
            Ok(made) => ((*made.get().data).clone(), made.get().notices.clone()),
            Err(_) => build(data, &options, like.map(|m| &m.get().model.prep.schema))?,
        };
        Ok(Dataset::new(data, notices))
    }

    /// Names and types of the columns, in order: {"age": "number", ...}.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in self.data.columns() {
            columns.set_item(&column.name, column.values.sort().name())?;
        }
        Ok(columns)
    }

    /// What is worth knowing about how the data was taken, one sentence each.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    fn __len__(&self) -> usize {
        self.data.rows()
    }

    fn __repr__(&self) -> String {
        let columns: Vec<String> = self.data.columns().iter().map(|c| format!("{} ({})", c.name, c.values.sort())).collect();
        format!("Dataset of {} rows: {}", self.data.rows(), columns.join(", "))
    }

    /// A column by its name, as an array; or the rows that a slice, row numbers or a mask choose, as a Dataset.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.extract::<String>() {
            return column_array(py, &self.data.column(&name).map_err(raise)?.values);
        }
        if !(key.is_instance_of::<pyo3::types::PySlice>() || key.hasattr("__len__")?) {
            return Err(data_error("choose a column by its name, or rows by a slice, an array of row numbers or a mask"));
        }
        let empty = key.hasattr("__len__")? && key.len()? == 0;
        let all = py.import("numpy")?.call_method1("arange", (self.data.rows(),))?;
        let rows: Vec<usize> = if empty { Vec::new() } else { all.get_item(key)?.call_method0("tolist")?.extract()? };
        Ok(Bound::new(py, Dataset::new(self.data.select(&rows), self.notices.clone()))?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Dataset>().is_ok_and(|other| self.data == other.get().data)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let (text, arrays) = blocks::collect(|| serde_json::to_string(&*slf.get().data));
        let text = text.map_err(|e| internal_error(e.to_string()))?;
        let arrays = arrays.iter().map(|a| PyBytes::new(slf.py(), a)).collect();
        Ok((slf.get_type().getattr("_restored")?, (text, arrays, slf.get().notices.clone())))
    }

    #[staticmethod]
    fn _restored(text: &str, arrays: Vec<Vec<u8>>, notices: Vec<String>) -> PyResult<Self> {
        let data = blocks::supply(arrays, || serde_json::from_str(text)).map_err(|e| data_error(e.to_string()))?;
        Ok(Dataset::new(data, notices))
    }
}

/// The cells of a column as numpy holds them: float64, str (`None` for a label that training did not have), or vectors.
fn column_array<'py>(py: Python<'py>, values: &Values) -> PyResult<Bound<'py, PyAny>> {
    let texts = |list: Vec<Option<&str>>| py.import("numpy")?.call_method1("array", (list, "object"));
    match values {
        Values::Numbers(v) => Ok(from_vec(py, v.clone())),
        Values::Points(p) => from_matrix(py, Matrix::new(p.rows(), p.dim(), p.to_dense().into_owned()).map_err(raise)?),
        Values::Categories(c) => texts((0..c.codes.len()).map(|i| c.label(i)).collect()),
        Values::Texts(s) | Values::Sequences(s) => texts(s.iter().map(Some).collect()),
        Values::Similarities(s) => texts((0..values.len()).map(|i| Some(s.names()[s.own(i)].as_str())).collect()),
    }
}

/// Sample weights, one a row.
pub(crate) fn weights(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<f64>>> {
    object.map(|w| arrays::vector(w, "sample_weight")).transpose()
}

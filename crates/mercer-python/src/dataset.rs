//! `mercer.Dataset`: named, typed columns, made from whatever holds columns in Python.

use crate::answers::kinds;
use crate::arrays::{self, asarray, from_indices, from_matrix, from_vec, is_numeric, kind, points, sparse, two_axes};
use crate::building::{Asked, NAMED, ONLY, build, declared, grams, ignored_groups};
use crate::columns::strings;
use crate::errors::{Reported, data_error, raise, spoken, warn};
use crate::frames::{mapping, tabled};
use crate::given::{kernel_values, of_similarities};
use crate::lone_columns::is_lone_column;
use crate::model::Model;
use crate::panels::is_panel;
use crate::pickle::{self, no_state, parts};
use crate::sets::are_sets_alone;
use mercer::data::{ColumnSchema, Holds, Own, Schema, Similarities, Values};
use mercer::linalg::Matrix;
use mercer::read::{ColumnType, ReadOptions};
use mercer::report;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyIterator, PyList, PySlice, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a pickled dataset is made of again: its parts and its notices.
type Pickled<'py> = (String, Vec<Bound<'py, PyBytes>>, Vec<String>);

/// Named, typed columns of one length.
///
/// Columns of numbers and flags are numbers, NaN where one is missing; dates and periods are days since 1970-01-01, durations seconds;
/// columns of str and
/// of labels are categories, texts or sequences, inferred from their cells as in a table that is read. A str that looks like a
/// number is a label. A 2-D array, a sparse matrix or lists of one length are a column of vectors, a list of 2-D arrays one of
/// sets of vectors, a list of str such as ``(S (NP I) (VP run))`` one of trees, and such as ``C C O | 0-1 1-2`` one of graphs.
///
/// Parameters
/// ----------
/// data : dict, frame, array, list or sparse matrix
///     A dict of columns, a list of records (a dict each), a frame of pandas or polars, a table of pyarrow, a stream of Arrow; a 2-D
///     array (columns x0, x1, ...); a list of str or a sparse matrix (one column x).
/// types : dict or str, optional
///     Column types where detection is wrong, ``{"zip": "category"}``: number, category, text, sequence, tree, set, graph,
///     series, date, flag or ignore; ``"series-channels-first"`` for arrays of the axes (rows, channels, times). A single word applies
///     to all columns; ``"series"`` makes the rows of each instance one series where a frame is indexed by instance and time.
/// gram : dict, optional
///     Kernel matrices of your own for columns of names, which the kernel ``precomputed`` takes: ``{"item": K}``, the rows of
///     K called 0, 1, 2, ..., or ``{"item": (names, K)}``.
/// like : Model, optional
///     A fitted model; columns are then taken as in its training.
///
/// Raises
/// ------
/// DataError
///     Columns of different lengths, or a cell that fits no type, by column and row.
/// ExpressionError
///     A column or a type that there is not.
///
/// Examples
/// --------
/// >>> from mercer import Dataset
/// >>> data = Dataset({"age": [31, 45, None], "city": ["Bonn", "Jena", "Bonn"]})
/// >>> data
/// Dataset of 3 rows: age (number), city (category)
/// >>> data["age"]
/// array([31., 45., nan])
/// >>> len(data[data["age"] > 40])
/// 1
#[pyclass(frozen, module = "mercer")]
#[derive(Clone)]
pub(crate) struct Dataset {
    pub(crate) data: Arc<mercer::data::Dataset>,
    notices: Vec<String>,
    /// What is worth knowing where folds are dealt by rows: columns that are ignored and name groups of rows.
    pub(crate) of_groups: Vec<String>,
    /// Whether the notices were shown; rows that are taken out of it share that.
    shown: Arc<AtomicBool>,
}

/// A Dataset taken to parts, which the class of Datasets is called with to be made again: `Dataset(columns, types, ..)` has its own
/// arguments.
#[pyclass(frozen, module = "mercer._native")]
pub(crate) struct Stored {
    data: Dataset,
}

#[pymethods]
impl Stored {
    #[new]
    fn restored(text: &str, arrays: Vec<Vec<u8>>, notices: Vec<String>) -> PyResult<Self> {
        Ok(Stored { data: Dataset::shown(pickle::restored(text, arrays)?, notices) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let data = &slf.get().data;
        let (text, arrays) = parts(slf.py(), &*data.data)?;
        Ok((slf.get_type().into_any(), (text, arrays, data.notices.clone())))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

impl Dataset {
    pub(crate) fn new(data: mercer::data::Dataset, notices: Vec<String>) -> Self {
        Dataset { data: Arc::new(data), notices, of_groups: Vec::new(), shown: Arc::default() }
    }

    /// A dataset whose notices were shown.
    pub(crate) fn shown(data: mercer::data::Dataset, notices: Vec<String>) -> Self {
        Dataset { shown: Arc::new(AtomicBool::new(true)), ..Dataset::new(data, notices) }
    }

    /// Of a table whose ignored columns name groups of rows.
    pub(crate) fn with_groups(self, of_groups: Vec<String>) -> Self {
        Dataset { of_groups, ..self }
    }

    /// The notices, the first time that they are asked for.
    fn to_show(&self) -> &[String] {
        if self.shown.swap(true, Ordering::Relaxed) { &[] } else { &self.notices }
    }
}

/// Whether an object without column names is the one column of a structure that a single word declares.
fn is_one_column(object: &Bound<'_, PyAny>, types: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let word = types.and_then(|types| types.extract::<String>().ok());
    let kind = word.and_then(|word| word.parse::<ColumnType>().ok()).and_then(|word| word.kind());
    kind.map_or(Ok(false), |kind| is_lone_column(object, kind))
}

/// Columns of any object that holds them; what is worth a notice is warned of.
pub(crate) fn dataset(object: &Bound<'_, PyAny>) -> PyResult<Arc<mercer::data::Dataset>> {
    with_notices(object).map(|(data, _)| data)
}

/// Columns of any object that holds them, with their notices, each of which is warned of once.
pub(crate) fn with_notices(object: &Bound<'_, PyAny>) -> PyResult<(Arc<mercer::data::Dataset>, Vec<String>)> {
    if let Ok(data) = object.cast::<Dataset>() {
        warn(object.py(), data.get().to_show())?;
        return Ok((data.get().data.clone(), data.get().notices.clone()));
    }
    let (data, notices) = build(object, &Asked::default())?;
    warn(object.py(), &notices)?;
    Ok((Arc::new(data), notices))
}

/// Rows without column names as one column of this kind, with the notices, each of which is warned of once.
pub(crate) fn of_one_column(object: &Bound<'_, PyAny>, kind: ColumnType) -> PyResult<(Arc<mercer::data::Dataset>, Vec<String>)> {
    let options = ReadOptions { types: vec![(ONLY.into(), kind)], ..ReadOptions::default() };
    let (data, notices) = build(object, &Asked { options, ..Asked::default() })?;
    warn(object.py(), &notices)?;
    Ok((Arc::new(data), notices))
}

/// The columns of a training schema out of any object that holds them; notices in `reported` are not repeated.
pub(crate) fn dataset_like(object: &Bound<'_, PyAny>, schema: &Schema, reported: &Reported) -> PyResult<Arc<mercer::data::Dataset>> {
    if let Ok(data) = object.cast::<Dataset>() {
        return Ok(data.get().data.clone());
    }
    let (data, notices) = build(object, &Asked { like: Some(schema), ..Asked::default() })?;
    warn(object.py(), &reported.new_among(notices))?;
    Ok(Arc::new(data))
}

/// Bare data for a kernel: an array is one column of points unless `by_column`, a list of str one column of `text`.
pub(crate) fn batch(object: &Bound<'_, PyAny>, by_column: bool, text: ColumnType) -> PyResult<Arc<mercer::data::Dataset>> {
    if object.is_instance_of::<Dataset>() {
        return dataset(object);
    }
    let declared = |object: &Bound<'_, PyAny>| of_one_column(object, text.clone()).map(|(data, _)| data);
    if text.kind().map_or(Ok(false), |kind| is_lone_column(object, kind))? {
        return declared(object);
    }
    if mapping(object)?.is_none() && sparse(object)?.is_none() && !are_sets_alone(object)? {
        let array = asarray(object)?;
        if is_numeric(kind(&array)?) && !by_column {
            return Ok(Arc::new(mercer::data::Dataset::from_points(points(&array)?)));
        }
        if strings(object)?.is_some() {
            return declared(object);
        }
    }
    dataset(object)
}

#[pymethods]
impl Dataset {
    #[new]
    #[pyo3(signature = (data, types=None, *, gram=None, like=None))]
    fn make(
        data: &Bound<'_, PyAny>,
        types: Option<&Bound<'_, PyAny>>,
        gram: Option<&Bound<'_, PyDict>>,
        like: Option<&Bound<'_, Model>>,
    ) -> PyResult<Self> {
        if let Ok(stored) = data.cast::<Stored>() {
            return Ok(stored.get().data.clone());
        }
        let data = &tabled(data)?;
        let every = || match mapping(data)? {
            Some(_) if is_panel(data)? && is_one_column(data, types)? => Ok(vec![ONLY.into()]),
            Some(columns) => Ok(columns.into_iter().map(|(name, _)| name).collect()),
            None if is_one_column(data, types)? || strings(data)?.is_some() => Ok(vec![ONLY.into()]),
            None => two_axes(&asarray(data)?).map(|[_, width]| (0..width).map(|j| format!("x{j}")).collect()),
        };
        let options = declared(types, every)?;
        if let Ok(made) = data.cast::<Dataset>() {
            let is_plain = types.is_none() && gram.is_none() && like.is_none();
            let already = || data_error("this is a Dataset already; give types, gram and like where it is made from columns");
            return if is_plain { Ok(made.get().clone()) } else { Err(already()) };
        }
        let of_groups = ignored_groups(data, &options)?;
        let (data, notices) = build(data, &Asked { options, like: like.map(|m| &m.get().model.prep.schema), grams: grams(gram)? })?;
        Ok(Dataset::new(data, notices).with_groups(of_groups))
    }

    /// New rows for a model of the kernel ``precomputed``, from kernel values alone.
    ///
    /// Parameters
    /// ----------
    /// values : array of shape (M, N)
    ///     Kernel values of the new rows with all training rows.
    /// like : Model
    ///     The fitted model.
    /// diagonal : array of shape (M,), optional
    ///     k(x, x) of every new row, which variances need.
    /// among : array of shape (M, M), optional
    ///     Kernel values among the new rows, which covariances need.
    ///
    /// Returns
    /// -------
    /// Dataset
    ///     The rows.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     Kernel values that are not finite or of another shape; a model of another kernel.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> from mercer import Dataset, Learner
    /// >>> model = Learner("gp(noise=1, variance=1, standardise_target=false)", "precomputed").fit(np.eye(2), [1.0, -1.0])
    /// >>> model.variance(Dataset.precomputed([[1.0, 0.0]], model, diagonal=[1.0])).round(6)
    /// array([0.5])
    #[staticmethod]
    #[pyo3(signature = (values, like, *, diagonal=None, among=None))]
    fn precomputed(
        values: &Bound<'_, PyAny>,
        like: &Bound<'_, Model>,
        diagonal: Option<&Bound<'_, PyAny>>,
        among: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let model = &like.get().model;
        let [ColumnSchema { name, holds: Holds::Similarities(items), .. }] = model.prep.schema.columns.as_slice() else {
            return Err(data_error(format!("the model takes columns and not kernel values: it was fitted with {}", model.kernel)));
        };
        let own = match (diagonal, among) {
            (_, Some(among)) => Own::Among(kernel_values(among)?),
            (Some(diagonal), None) => Own::Squares(arrays::vector(diagonal, "diagonal")?),
            (None, None) => Own::Unknown,
        };
        Ok(Dataset::new(of_similarities(name, Similarities::against(items, kernel_values(values)?, own))?, Vec::new()))
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.data.rows(), self.data.columns().len())
    }

    /// A frame of pandas: numbers as float64, labels as categories, vectors as lists, anything else as str.
    ///
    /// Returns
    /// -------
    /// pandas.DataFrame
    ///     A column for each column.
    ///
    /// Examples
    /// --------
    /// >>> from mercer import Dataset
    /// >>> Dataset({"age": [31, 45], "city": ["Bonn", "Jena"]}).to_pandas().shape
    /// (2, 2)
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = py
            .import("pandas")
            .map_err(|_| data_error("to_pandas needs pandas; install it, or take columns by their names: data['age']"))?;
        let columns = PyDict::new(py);
        for column in self.data.columns() {
            let cells = exported(py, &column.values)?;
            let cells = match &column.values {
                Values::Categories(_) => pandas.call_method1("Categorical", (cells,))?,
                Values::Points(_) => cells.call_method0("tolist")?,
                _ => cells,
            };
            columns.set_item(&column.name, cells)?;
        }
        pandas.call_method1("DataFrame", (columns,))
    }

    /// The rows as records, ``{"age": 31.0, ...}`` each.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.records(py)?)?.try_iter()
    }

    /// Names and types of the columns, in order: ``{"age": "number", ...}``.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        kinds(py, self.data.columns().iter().map(|c| (c.name.as_str(), c.values.kind())))
    }

    /// What is worth knowing about how the data was taken, one sentence each. What learns from the rows warns of them once.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.iter().map(|notice| spoken(notice)).collect()
    }

    /// The notices, the first time that they are asked for.
    fn _to_show(&self) -> Vec<String> {
        self.to_show().iter().map(|notice| spoken(notice)).collect()
    }

    /// Rows with a missing cell, numbered from 0, by column: ``{"age": array([2])}``; whole columns have no entry.
    #[getter]
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let missing = PyDict::new(py);
        for column in self.data.columns() {
            let rows = column.values.missing();
            if !rows.is_empty() {
                missing.set_item(&column.name, from_indices(py, &rows))?;
            }
        }
        Ok(missing)
    }

    fn _repr_html_(&self) -> String {
        report::dataset_fragment(&self.data)
    }

    fn __len__(&self) -> usize {
        self.data.rows()
    }

    fn __repr__(&self) -> String {
        let all = self.data.columns();
        let mut columns: Vec<String> = all.iter().take(NAMED).map(|c| format!("{} ({})", c.name, c.values.kind())).collect();
        if all.len() > NAMED {
            columns.push(format!("and {} more columns", all.len() - NAMED));
        }
        format!("Dataset of {} rows: {}", self.data.rows(), columns.join(", "))
    }

    /// A column by its name, as an array; a row by its number, as a record; or the rows that a slice, row numbers or a mask choose, as
    /// a Dataset.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // `data[rows, ...]` and `data[rows, :]`, as an array has them.
        if let Ok(pair) = key.cast::<PyTuple>() {
            let rest = (pair.len() == 2).then(|| pair.get_item(1)).transpose()?;
            let all = |rest: &Bound<'_, PyAny>| Ok::<bool, PyErr>(rest.is(py.Ellipsis()) || rest.eq(PySlice::full(py))?);
            return match rest {
                Some(rest) if all(&rest)? => self.__getitem__(py, &pair.get_item(0)?),
                _ => Err(data_error("choose rows alone, data[rows], or a column by its name, data['age']")),
            };
        }
        if let (false, Ok(row)) = (key.is_instance_of::<PyBool>() || key.hasattr("__len__")?, key.extract::<isize>()) {
            let rows = self.data.rows() as isize;
            let at = if row < 0 { row + rows } else { row };
            if !(0..rows).contains(&at) {
                return Err(PyIndexError::new_err(format!("row {row} of {rows} rows")));
            }
            let one = Dataset::new(self.data.select(&[at as usize]), Vec::new());
            return one.records(py)?.pop().map(Bound::into_any).ok_or_else(|| data_error("there is no such row"));
        }
        if let Ok(name) = key.extract::<String>() {
            return column_array(py, &self.data.column(&name).map_err(raise)?.values);
        }
        if !(key.is_instance_of::<pyo3::types::PySlice>() || key.hasattr("__len__")?) {
            return Err(data_error("choose a column by its name, or rows by a slice, an array of row numbers or a mask"));
        }
        let empty = key.hasattr("__len__")? && key.len()? == 0;
        let all = py.import("numpy")?.call_method1("arange", (self.data.rows(),))?;
        let rows: Vec<usize> = if empty { Vec::new() } else { all.get_item(key)?.call_method0("tolist")?.extract()? };
        Ok(Bound::new(py, Dataset { data: Arc::new(self.data.select(&rows)), ..self.clone() })?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Dataset>().is_ok_and(|other| self.data == other.get().data)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, Stored>,))> {
        let stored = Stored { data: slf.get().clone() };
        Ok((slf.get_type().into_any(), (Bound::new(slf.py(), stored)?,)))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(no_state(&slf.get_type()))
    }
}

impl Dataset {
    /// Each row as a dict.
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows: Vec<Bound<'py, PyDict>> = (0..self.data.rows()).map(|_| PyDict::new(py)).collect();
        for column in self.data.columns() {
            let cells = exported(py, &column.values)?.call_method0("tolist")?;
            for (row, cell) in rows.iter().zip(cells.try_iter()?) {
                row.set_item(&column.name, cell?)?;
            }
        }
        Ok(rows)
    }
}

/// The cells of a column for other packages: a missing label is `None`, and not the label that stands for it here.
fn exported<'py>(py: Python<'py>, values: &Values) -> PyResult<Bound<'py, PyAny>> {
    let cells = column_array(py, values)?;
    if let Values::Categories(_) = values {
        values.missing().into_iter().try_for_each(|row| cells.set_item(row, py.None()))?;
    }
    Ok(cells)
}

/// The cells of a column as numpy holds them: float64, str (`None` for a label that training did not have), or vectors.
pub(crate) fn column_array<'py>(py: Python<'py>, values: &Values) -> PyResult<Bound<'py, PyAny>> {
    let texts = |list: Vec<Option<&str>>| py.import("numpy")?.call_method1("array", (list, "object"));
    match values {
        Values::Numbers(v) => Ok(from_vec(py, v.clone())),
        Values::Points(p) => from_matrix(py, Matrix::new(p.rows(), p.dim(), p.to_dense().into_owned()).map_err(raise)?),
        Values::Categories(c) => texts((0..c.codes.len()).map(|i| c.label(i)).collect()),
        Values::Texts(s) | Values::Sequences(s) => texts(s.iter().map(Some).collect()),
        Values::Similarities(s) => texts((0..values.len()).map(|i| s.names().get(s.own(i)).map(String::as_str)).collect()),
        Values::Sets(sets) => {
            let vectors = sets.vectors();
            vectors_of_rows(py, vectors.dim(), &vectors.to_dense(), (0..values.len()).map(|row| sets.range(row)))
        }
        Values::Series(series) => vectors_of_rows(py, series.channels(), &series.numbers(), (0..values.len()).map(|row| series.range(row))),
        other => {
            let cells: Vec<String> = (0..other.len()).map(|i| other.cell(i).as_str().unwrap_or_default().to_owned()).collect();
            texts(cells.iter().map(|cell| Some(cell.as_str())).collect())
        }
    }
}

/// A 2-D array for each row, of the vectors in its range.
fn vectors_of_rows<'py>(
    py: Python<'py>,
    dim: usize,
    numbers: &[f64],
    ranges: impl ExactSizeIterator<Item = std::ops::Range<usize>>,
) -> PyResult<Bound<'py, PyAny>> {
    let cells = py.import("numpy")?.call_method1("empty", (ranges.len(), "object"))?;
    for (row, range) in ranges.enumerate() {
        let own = numbers[range.start * dim..range.end * dim].to_vec();
        cells.set_item(row, from_matrix(py, Matrix::new(range.len(), dim, own).map_err(raise)?)?)?;
    }
    Ok(cells)
}

/// Sample weights, one a row.
pub(crate) fn weights(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<f64>>> {
    object.map(|w| arrays::vector(w, "sample_weight")).transpose()
}

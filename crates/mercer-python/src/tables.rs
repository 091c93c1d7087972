//! Tables from files and built-in ones, and the catalogue of what there is.

use crate::answers::from_json;
use crate::arrays::{from_outputs, from_vec};
use crate::building::declared;
use crate::dataset::Dataset;
use crate::errors::{guarded, raise, warn};
use crate::model::Model;
use crate::target::labels;
use mercer::control::Control;
use mercer::data::Target;
use mercer::facts::repeated_identifiers;
use mercer::read::{self, ReadOptions, Source, Table, WideSeries};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Dataset, target and weights; the latter two may be None.
type Parts<'py> = (Dataset, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Splits a table into inputs, target, weights and groups.
fn parts<'py>(
    py: Python<'py>,
    mut table: Table,
    target: Option<Vec<String>>,
    options: &ReadOptions,
    weights: Option<&str>,
    like: Option<&Model>,
    group_into: Option<&str>,
) -> PyResult<Parts<'py>> {
    if let Some(column) = group_into {
        let kept: Vec<String> = target.iter().flatten().cloned().chain(weights.map(str::to_owned)).collect();
        table.group_into(column, &kept, options).map_err(raise)?;
    }
    if let Some(model) = like {
        table.group_like(&model.model.prep.schema).map_err(raise)?;
    }
    let weights = weights.map(|name| table.take_weights(name).map_err(raise)).transpose()?.map(|w| from_vec(py, w));
    let target = match target {
        None => None,
        Some(names) => {
            let (target, info) = guarded(|| table.take_target(&names, options))?;
            Some(match target {
                Target::Numbers(numbers) => from_outputs(py, numbers)?,
                Target::Classes { codes, .. } => labels(py, &info)?.call_method1("take", (codes,))?,
                Target::Absent { .. } => py.None().into_bound(py),
            })
        }
    };
    let ignored = table.ignored(options).into_iter();
    let of_groups = ignored.filter_map(|(name, cells)| repeated_identifiers(name, true, cells.into_iter())).map(|fact| fact.to_string());
    let of_groups = of_groups.collect();
    let data = match like {
        Some(model) => table.dataset_like(&model.model.prep.schema, options),
        None => table.dataset(options),
    };
    let data = data.map_err(raise)?;
    let notices = table.into_notices();
    warn(py, &notices)?;
    Ok((Dataset::shown(data, notices).with_groups(of_groups), target, weights))
}

/// One name or several.
fn names(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match object.extract::<String>() {
        Ok(one) => Ok(vec![one]),
        Err(_) => object.extract(),
    }
}

fn with_weights<'py>(py: Python<'py>, (data, target, weights): Parts<'py>) -> PyResult<Bound<'py, PyAny>> {
    match weights {
        None => Ok((data, target).into_pyobject(py)?.into_any()),
        weights => Ok((data, target, weights).into_pyobject(py)?.into_any()),
    }
}

/// Reads a table: CSV, TSV, JSON lines, LIBSVM, FASTA, FASTQ, ARFF, .ts, NPY, NPZ, each also packed by gzip, Zstandard, bzip2 or xz.
///
/// A folder of texts, or a tar archive of one, has a row for each file; the folder that holds it is its label. The format is
/// detected from the first bytes. Frames of other libraries, which read Parquet and more, are taken by `Dataset`.
///
/// Parameters
/// ----------
/// path : str or path, or list of these
///     The file or folder; several files are joined, and the column ``file`` holds the name of each without its ending.
/// target : str or list of str, optional
///     The column to predict, or several; None: the one that the table names itself (LIBSVM, NPZ with y, ``file`` of several
///     files), or none.
/// types : dict, optional
///     Column types where detection is wrong, ``{"zip": "category"}``.
/// weights : str, optional
///     A column of sample weights.
/// like : Model, optional
///     A fitted model; columns are then taken as in its training.
/// na : str or list of str, optional
///     Texts that stand for missing cells, besides the usual ones; ``"age=-1"`` counts in the column ``age`` alone. ``""`` or
///     ``"label="`` keeps words such as None as labels, so that only empty cells are missing.
/// header : bool
///     Whether the first line of a table of cells holds the names of its columns; else these are 1, 2, 3, ...
/// delimiter : str, optional
///     Column separator; None: detected.
/// encoding : str, optional
///     Text encoding, such as ``"latin-1"``; None: detected.
/// decimal : str, optional
///     Decimal mark ``"."`` or ``","`` for ambiguous columns.
/// skip : int
///     Lines above the header to skip.
/// lines : bool
///     Whether each line is a label and a text; in a folder, whether each file holds the texts of one class, one a line.
/// group_into : str, optional
///     A column whose rows of one value become one row: their numbers are a set of vectors, or the times of a series
///     where ``types`` says that the column holds series.
/// series : dict, optional
///     Columns that are one series each, ``{"s": "t0..t95"}``; channels are separated by ``+``.
///
/// Returns
/// -------
/// tuple
///     ``(Dataset, target)``, or ``(Dataset, target, weights)`` where a column of weights is named. The target is an array of
///     str or float64, or None.
///
/// Raises
/// ------
/// DataError
///     A fault of the file, by row and column.
/// ExpressionError
///     A column or a type that there is not.
#[pyfunction]
#[pyo3(signature = (path, target=None, *, types=None, weights=None, like=None, na=None, header=true, delimiter=None, encoding=None, decimal=None, skip=0, lines=false, group_into=None, series=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn read_table<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    types: Option<&Bound<'py, PyDict>>,
    weights: Option<&str>,
    like: Option<&Bound<'py, Model>>,
    na: Option<&Bound<'py, PyAny>>,
    header: bool,
    delimiter: Option<&str>,
    encoding: Option<String>,
    decimal: Option<&str>,
    skip: usize,
    lines: bool,
    group_into: Option<&str>,
    series: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let asked = target.map(names).transpose()?;
    let trained = |model: &Bound<'_, Model>| model.get().model.prep.schema.columns.iter().map(|column| column.name.clone()).collect();
    let options = ReadOptions {
        names: like.map(trained).or_else(|| asked.clone()).unwrap_or_default(),
        series: series.map_or(Ok(Vec::new()), wide_series)?,
        na: na.map_or(Ok(Vec::new()), names)?,
        no_header: !header,
        skip,
        lines,
        delimiter: delimiter.map(str::parse).transpose().map_err(raise)?,
        encoding,
        decimal: decimal.map(str::parse).transpose().map_err(raise)?,
        ..declared(types.map(|t| t.as_any()), || Ok(Vec::new()))?
    };
    let source = source(path)?;
    let table = guarded(|| Table::read_within(&source, &options, &Control::default()))?;
    let target = match asked {
        Some(asked) => Some(asked),
        None if like.is_none() && !table.own_target().is_empty() => Some(table.own_target().to_vec()),
        None => None,
    };
    with_weights(py, parts(py, table, target, &options, weights, like.map(|m| m.get()), group_into)?)
}

/// The file or folder of a path, or the files of a list of paths.
fn source(path: &Bound<'_, PyAny>) -> PyResult<Source> {
    if let Ok(one) = path.extract() {
        return Ok(Source::File(one));
    }
    Ok(match <[PathBuf; 1]>::try_from(path.extract::<Vec<PathBuf>>()?) {
        Ok([one]) => Source::File(one),
        Err(several) => Source::Files(several),
    })
}

/// Series made of columns, `{"s": "t0..t95"}`.
fn wide_series(written: &Bound<'_, PyDict>) -> PyResult<Vec<WideSeries>> {
    written.iter().map(|(name, columns)| format!("{}={}", name.str()?, columns.str()?).parse().map_err(raise)).collect()
}

/// A built-in table.
///
/// Parameters
/// ----------
/// name : str
///     One of `examples`.
/// target : str or list of str, optional
///     Another column to predict than the usual one.
/// types : dict, optional
///     As for `read_table`.
///
/// Returns
/// -------
/// tuple
///     ``(Dataset, target)``.
///
/// Raises
/// ------
/// ExpressionError
///     A name that there is not.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> data, species = mercer.example("iris")
/// >>> len(data), len(species)
/// (150, 150)
#[pyfunction]
#[pyo3(signature = (name, target=None, *, types=None))]
pub(crate) fn example<'py>(
    py: Python<'py>,
    name: &str,
    target: Option<&Bound<'py, PyAny>>,
    types: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let usual = read::example(name).map_err(raise)?.target;
    let target = match target {
        Some(asked) => names(asked)?,
        None => vec![usual.to_owned()],
    };
    let options = declared(types.map(|t| t.as_any()), || Ok(Vec::new()))?;
    let table = Table::read(&Source::Example(name.to_owned())).map_err(raise)?;
    with_weights(py, parts(py, table, Some(target), &options, None, None, None)?)
}

/// Names of the built-in tables, and what they are.
///
/// Returns
/// -------
/// dict
///     A sentence for each name.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> "iris" in mercer.examples()
/// True
#[pyfunction]
pub(crate) fn examples<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for example in read::EXAMPLES {
        all.set_item(example.name, example.about)?;
    }
    Ok(all)
}

/// Every kernel, generative model, estimator and transformation of the target with its parameters.
///
/// Returns
/// -------
/// dict
///     ``{"kernels": [...], "compositions": [...], "models": [...], "estimators": [...], "transforms": [...]}``, a dict with name, doc and params for each.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> [one["name"] for one in mercer.catalogue()["kernels"]][:2]
/// ['linear', 'polynomial']
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    from_json(py, &mercer::report::catalogue_json().map_err(raise)?)
}

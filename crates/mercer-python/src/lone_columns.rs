//! Rows without column names that are one column of series, sets, graphs or trees: which of these they are.

use crate::arrays::{asarray, is_numeric, kind, shape};
use crate::cells::first_present;
use crate::dataset::Dataset;
use crate::errors::raise;
use crate::frames::mapping;
use crate::graphs::{are_graphs, is_graph};
use crate::kernel::Kernel;
use crate::panels::is_panel;
use crate::sets::{are_sets, are_sets_alone};
use crate::trees::are_trees;
use mercer::data::ColumnKind;
use mercer::generative::GenerativeExpr;
use mercer::kernels::KernelExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// Kinds whose cells are neither numbers nor texts.
const STRUCTURES: [ColumnKind; 4] = [ColumnKind::Series, ColumnKind::Set, ColumnKind::Graph, ColumnKind::Tree];

/// Whether an object without column names may be one column of such a kind, and is no list of records.
pub(crate) fn is_lone_column(object: &Bound<'_, PyAny>, kind: ColumnKind) -> PyResult<bool> {
    if !STRUCTURES.contains(&kind) {
        return Ok(false);
    }
    if kind == ColumnKind::Series && is_panel(object)? {
        return Ok(true);
    }
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if !is_list || object.is_empty()? {
        return Ok(is_list || object.hasattr("dtype")? && !object.hasattr("columns")?);
    }
    match object.get_item(0)?.cast::<PyDict>() {
        Ok(mapping) => Ok(kind == ColumnKind::Graph && is_graph(mapping)? || kind == ColumnKind::Tree && mapping.contains("children")?),
        Err(_) => Ok(true),
    }
}

/// Whether the rows of an object are cells of a kind of structure, and no texts of such.
fn holds(object: &Bound<'_, PyAny>, kind: ColumnKind) -> PyResult<bool> {
    if !is_lone_column(object, kind)? {
        return Ok(false);
    }
    match kind {
        ColumnKind::Series => are_series(object),
        ColumnKind::Set => are_sets(object, true),
        ColumnKind::Graph => are_graphs(object, true),
        _ => are_trees(object, true),
    }
}

/// Whether the first row that is there is a list of numbers or of vectors, or rows are indexed by instance and time.
fn are_series(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_panel(object)? {
        return Ok(true);
    }
    if object.try_iter().is_err() {
        return Ok(false);
    }
    let Some(row) = first_present(object)? else { return Ok(false) };
    Ok(match asarray(&row).and_then(|array| Ok((shape(&array)?.len(), is_numeric(self::kind(&array)?)))) {
        Ok((axes, numeric)) => numeric && (axes == 1 || axes == 2),
        // Times of unlike channels are reported as a fault of that series.
        Err(_) => !row.is_instance_of::<PyString>() && row.len().is_ok(),
    })
}

/// The kinds of structure that rows without column names may be: of those that a kernel takes as its only column, that a generative model
/// is one of, or of one that is named; where nothing is given, what they look like. None where they are named columns, numbers for what
/// takes numbers, or texts.
#[pyfunction]
#[pyo3(signature = (rows, *, kernel=None, model=None, kind=None))]
pub(crate) fn lone_kinds(
    rows: &Bound<'_, PyAny>,
    kernel: Option<&Bound<'_, Kernel>>,
    model: Option<&str>,
    kind: Option<&str>,
) -> PyResult<Vec<&'static str>> {
    let model = model.map(GenerativeExpr::parse).transpose().map_err(raise)?;
    if kernel.is_none() && model.is_none() && kind.is_none() {
        if mapping(rows)?.is_some() && !are_graphs(rows, false)? {
            return Ok(Vec::new());
        }
        let looks = [
            (ColumnKind::Set, are_sets_alone(rows)?),
            (ColumnKind::Graph, are_graphs(rows, false)?),
            (ColumnKind::Tree, are_trees(rows, false)?),
        ];
        return Ok(looks.into_iter().filter(|(_, looks)| *looks).map(|(kind, _)| kind.name()).collect());
    }
    let able = kinds(rows, |one| match (kernel, &model, kind) {
        (Some(kernel), ..) => takes(&kernel.get().expr, one),
        (_, Some(model), _) => (model.column_needs().takes)(one),
        (.., kind) => kind == Some(one.name()),
    })?;
    Ok(able.into_iter().map(ColumnKind::name).collect())
}

/// Whether a kernel takes a column of this kind alone.
fn takes(kernel: &KernelExpr, kind: ColumnKind) -> bool {
    kernel.uses(&[("x", kind)]).is_ok_and(|uses| uses.unused.is_empty())
}

/// The one kind of structure that rows without column names are for a kernel, where they are such.
pub(crate) fn only_kind(kernel: &KernelExpr, rows: &Bound<'_, PyAny>) -> PyResult<Option<ColumnKind>> {
    if rows.is_instance_of::<Dataset>() || mapping(rows)?.is_some() && !is_panel(rows)? {
        return Ok(None);
    }
    Ok(match kinds(rows, |one| takes(kernel, one))?[..] {
        [one] => Some(one),
        _ => None,
    })
}

/// Those kinds of structure that rows without column names may be, of those that are taken.
fn kinds(rows: &Bound<'_, PyAny>, takes: impl Fn(ColumnKind) -> bool) -> PyResult<Vec<ColumnKind>> {
    if !STRUCTURES.into_iter().any(&takes) {
        return Ok(Vec::new());
    }
    let is_table = || asarray(rows).and_then(|array| Ok(shape(&array)?.len() == 2 && is_numeric(self::kind(&array)?))).unwrap_or(false);
    if takes(ColumnKind::Points) && is_table() {
        return Ok(Vec::new());
    }
    let mut able = Vec::new();
    for one in STRUCTURES.into_iter().filter(|one| takes(*one)) {
        if holds(rows, one)? {
            able.push(one);
        }
    }
    Ok(able)
}

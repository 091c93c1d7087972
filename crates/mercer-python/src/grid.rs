//! `grid`: the cells of a grid of settings, for the search that has scikit-learn's form.

use crate::answers::values;
use crate::arrays::{from_matrix, from_outputs};
use crate::dataset::{dataset, weights};
use crate::errors::{data_error, raise};
use crate::kernel::kernel;
use crate::target::{Takes, coded, target};
use crate::work::Limits;
use mercer::data::{Examples, Fold, Split};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::read::{Labels, TargetInfo};
use mercer::select::{self, Cell, Strip};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Fits every setting to the training rows of every fold and predicts the others: strips x folds x settings of a strip, each a
/// dict of what was predicted and how long it took, or of the error alone.
#[pyfunction]
#[pyo3(signature = (data, target, folds, strips, sample_weight=None, *, classes=None, seed=0, scores=false, probabilities=false, threads=0, progress=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn grid<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    folds: Vec<(Vec<usize>, Vec<usize>)>,
    strips: Vec<(Bound<'py, PyAny>, Vec<String>)>,
    sample_weight: Option<&Bound<'py, PyAny>>,
    classes: Option<Vec<String>>,
    seed: u64,
    scores: bool,
    probabilities: bool,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<Vec<Vec<Bound<'py, PyDict>>>>> {
    let strips = strips.into_iter().map(|(k, list)| {
        let estimators = list.iter().map(|text| EstimatorExpr::parse(text).map_err(raise)).collect::<PyResult<Vec<_>>>()?;
        Ok(Strip { kernel: kernel(&k)?, estimators })
    });
    let strips = strips.collect::<PyResult<Vec<_>>>()?;
    let data = dataset(data)?;
    let first = strips.first().and_then(|s| s.estimators.first()).ok_or_else(|| data_error("there is no setting to try"))?;
    let (target, info) = match classes {
        Some(names) => coded(target, data.rows(), names, Labels::Text)?,
        None => self::target(target, data.rows(), Takes::of(std::slice::from_ref(first)), None)?,
    };
    let folds: Vec<Fold> = folds.into_iter().map(|(train, test)| Fold { train, test }).collect();
    let weights = weights(sample_weight)?;
    let want = Want { scores, probabilities, ..Want::default() };
    let limits = Limits { threads, progress, ..Limits::default() };
    let cells = limits.run(py, move |control| {
        let examples = Examples { data: &data, target: &target, weights: weights.as_deref(), split: &Split::Rows };
        select::grid(&strips, &examples, &folds, want, &control.clone().with_buffer_pool(), seed)
    })?;
    let strip = |strip: Vec<Vec<Cell>>| strip.into_iter().map(|fold| fold.into_iter().map(|c| as_dict(py, c, &info)).collect()).collect();
    cells.into_iter().map(strip).collect()
}

/// A cell as a dict.
fn as_dict<'py>(py: Python<'py>, cell: Cell, info: &TargetInfo) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("fitting", cell.fitting)?;
    out.set_item("predicting", cell.predicting)?;
    out.set_item("converged", cell.converged)?;
    match cell.predictions {
        Err(error) => out.set_item("error", raise(error))?,
        Ok(found) => {
            let by_class = found.scores_by_class(info.classes.as_ref().map_or(0, Vec::len)).map(|s| from_outputs(py, s.into_owned()));
            out.set_item("by_class", by_class.transpose()?)?;
            out.set_item("scores", found.scores.map(|s| from_outputs(py, s)).transpose()?)?;
            out.set_item("probabilities", found.probabilities.map(|p| from_matrix(py, p)).transpose()?)?;
            out.set_item("values", values(py, found.values, info, true)?)?;
        }
    }
    Ok(out)
}

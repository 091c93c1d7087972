//! Processes that run the trials of a comparison: Python programs with this package.

use crate::errors::{data_error, guarded};
use crate::{own, own_model};
use mercer::compare::{self, Comparing, Processes};
use mercer::control::with_threads;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::io::{stdin, stdout};
use std::process::Command;
use std::sync::Arc;

/// More processes than this are a typo.
const MOST: usize = 1024;

/// Runs the trials that another process writes to standard input, on so many threads, until there are no more.
#[pyfunction]
pub(crate) fn work(py: Python<'_>, threads: usize) -> PyResult<()> {
    py.detach(|| guarded(|| with_threads(threads, || compare::work(stdin(), stdout()))?))
}

/// So many processes that share so many threads (0: one per core), for what other processes know.
pub(crate) fn processes(py: Python<'_>, count: usize, threads: usize, comparing: &Comparing) -> PyResult<Processes> {
    if !(1..=MOST).contains(&count) {
        return Err(data_error(format!("workers: write a number from 1 to {MOST}")));
    }
    if let Some(own) = of_this_process(py, comparing) {
        return Err(data_error(format!("workers: other processes do not know {own}; leave workers out")));
    }
    let sys = py.import("sys")?;
    let program: Option<String> = sys.getattr("executable")?.extract()?;
    let program = program.filter(|path| !path.is_empty()).ok_or_else(|| data_error("workers: sys.executable names no Python to start"))?;
    let folders: Vec<String> = sys.getattr("path")?.cast::<PyList>()?.iter().filter_map(|folder| folder.extract().ok()).collect();
    let path = std::env::join_paths(folders.iter().filter(|folder| !folder.is_empty())).map_err(|e| data_error(e.to_string()))?;
    let all = if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
    let code = format!("from mercer._native import work; work({})", (all / count).max(1));
    let start = move || {
        let mut command = Command::new(&program);
        command.args(["-c", &code]).env("PYTHONPATH", &path);
        command
    };
    Ok(Processes { count, start: Arc::new(start) })
}

/// What is compared and lives in this process alone: functions, classes and objects of the program.
fn of_this_process(py: Python<'_>, comparing: &Comparing) -> Option<String> {
    if let Some(estimator) = comparing.estimators.iter().find(|estimator| own::object_of(py, estimator).is_some()) {
        return Some(estimator.to_string());
    }
    let kernel = comparing.kernel.as_ref()?;
    let has_own = !kernel.functions().is_empty() || !own_model::classes(py, &kernel.to_string()).is_empty();
    has_own.then(|| kernel.to_string())
}

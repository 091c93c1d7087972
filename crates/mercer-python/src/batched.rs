//! Rows of Python that come in batches as a source of batches of the library: every pass begins them anew.

use crate::dataset::weights;
use crate::errors::{Reported, data_error, internal_error};
use crate::given::training_rows;
use crate::own_objects::raised;
use crate::partial::target_like;
use crate::target::{Takes, target};
use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::error::{Error, Result};
use mercer::estimators::EstimatorExpr;
use mercer::kernels::KernelExpr;
use mercer::partial::{BatchForm, BatchRows, BatchSample, BatchSource};
use mercer::prep::Missing;
use mercer::read::RowSample;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::{Arc, Mutex, PoisonError};

/// The Python part: batches taken apart and put together.
const MODULE: &str = "mercer._batches";

/// What is read of the sample besides its rows.
pub(crate) struct SampleRead {
    /// The rows, as the notices count them.
    pub(crate) data: Arc<Dataset>,
    /// What was said of how they were read.
    pub(crate) notices: Vec<String>,
    /// All rows that there are.
    all: usize,
}

/// Batches of Python.
pub(crate) struct PythonBatches {
    batches: Py<PyAny>,
    kernel: Option<KernelExpr>,
    takes: Takes,
    task: Option<String>,
    reported: Reported,
    read: Mutex<Option<SampleRead>>,
}

/// Inputs, target and weights of a batch, and its rows.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, usize);

/// Kept rows of a batch.
struct KeptRows {
    /// The number of the batch, and how many rows there are before it.
    batch: (usize, usize),
    /// Where the rows stand among all.
    places: Vec<usize>,
    inputs: Py<PyAny>,
    target: Py<PyAny>,
    weights: Py<PyAny>,
}

impl KeptRows {
    /// An error unless the targets of some of all kept rows are finite.
    fn check(kept: &[KeptRows], drawn: &[usize], target: &Target) -> PyResult<()> {
        let Target::Numbers(y) = target else { return Ok(()) };
        let Some(at) = y.data().iter().position(|number| !number.is_finite()) else { return Ok(()) };
        let mut rows = kept.iter().flat_map(|rows| rows.places.iter().map(|place| (rows.batch, place)));
        let ((batch, first), place) = rows.nth(drawn[at / y.cols()]).ok_or_else(|| internal_error("a row of no batch"))?;
        let row = place - first + 1;
        Err(data_error(format!("batch {batch}: the target of row {row} is {}, not a finite number", y.data()[at])))
    }
}

impl PythonBatches {
    /// Batches that were begun once, to be refused where they cannot be begun again.
    pub(crate) fn new(
        batches: &Bound<'_, PyAny>,
        kernel: Option<KernelExpr>,
        estimator: &EstimatorExpr,
        task: Option<&str>,
    ) -> PyResult<Self> {
        if !batches.is_callable() {
            batches.py().import(MODULE)?.call_method1("begun", (batches,))?;
        }
        let takes = Takes::of(std::slice::from_ref(estimator));
        let (task, read) = (task.map(str::to_owned), Mutex::new(None));
        Ok(PythonBatches { batches: batches.clone().unbind(), kernel, takes, task, reported: Reported::default(), read })
    }

    /// What was read of the sample.
    pub(crate) fn into_read(self) -> Option<SampleRead> {
        self.read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// One pass: what is made of each batch under the lock of the interpreter is handed on without it. How many rows and batches there were.
    fn pass<T>(
        &self,
        control: &Control,
        mut made: impl FnMut((usize, usize), Parts<'_>) -> PyResult<T>,
        mut visit: impl FnMut(u64, T) -> Result<()>,
    ) -> Result<(usize, usize)> {
        let begin = |py: Python<'_>| Ok(py.import(MODULE)?.call_method1("begun", (&self.batches,))?.unbind());
        let iterator: Py<PyAny> = Python::attach(begin).map_err(|error: PyErr| raised("batches", &error))?;
        let (mut rows, mut number) = (0, 0_usize);
        loop {
            control.check()?;
            let next = Python::attach(|py| {
                let Some(batch) = iterator.bind(py).try_iter()?.next().transpose()? else { return Ok(None) };
                let parts: Parts<'_> = py.import(MODULE)?.call_method1("parts", (batch,))?.extract()?;
                let count = parts.3;
                made((number, rows), parts).map(|made| Some((count, made)))
            });
            let next = next.map_err(|error: PyErr| raised(&format!("batch {number}"), &error))?;
            let Some((count, made)) = next else { return Ok((rows, number)) };
            if count > 0 {
                visit(number as u64, made)?;
            }
            rows += count;
            number += 1;
        }
    }

    /// The rows that are kept of the batches, as one.
    fn sampled(&self, py: Python<'_>, kept: &[KeptRows], drawn: &[usize]) -> PyResult<(BatchRows, mercer::read::TargetInfo, SampleRead)> {
        let module = py.import(MODULE)?;
        let column = |part: fn(&KeptRows) -> &Py<PyAny>| {
            let several = PyList::new(py, kept.iter().map(part))?;
            module.call_method1("taken", (module.call_method1("stacked", (several,))?, drawn))
        };
        let (inputs, targets, weighed) = (column(|rows| &rows.inputs)?, column(|rows| &rows.target)?, column(|rows| &rows.weights)?);
        let (data, notices) = training_rows(self.kernel.as_ref(), &inputs)?;
        let (target, info) = target(&targets, data.rows(), self.takes, self.task.as_deref())?;
        KeptRows::check(kept, drawn, &target)?;
        let weights = weights(Some(&weighed).filter(|weighed| !weighed.is_none()))?;
        let rows = BatchRows { data: (*data).clone(), target, weights };
        Ok((rows, info, SampleRead { data, notices, all: 0 }))
    }
}

impl BatchSource for PythonBatches {
    fn sample(&self, most: usize, seed: u64, _: &[(String, Missing)], control: &Control) -> Result<BatchSample> {
        let mut sample = RowSample::new(most, seed);
        let mut kept: Vec<KeptRows> = Vec::new();
        let (all, batches) = self.pass(
            control,
            |batch, (inputs, target, weights, count)| {
                let first = batch.1;
                let places: Vec<usize> = (first..first + count).collect();
                let drawn = sample.draw(&places);
                let module = inputs.py().import(MODULE)?;
                let taken = |rows: &Bound<'_, PyAny>| Ok::<_, PyErr>(module.call_method1("taken", (rows, &drawn))?.unbind());
                let weights = weights.map_or_else(|| Ok(inputs.py().None()), |weights| taken(&weights))?;
                let places = drawn.iter().map(|&at| places[at]).collect();
                Ok(KeptRows { batch, places, inputs: taken(&inputs)?, target: taken(&target)?, weights })
            },
            |_, rows: KeptRows| {
                kept.extend(Some(rows).filter(|rows| !rows.places.is_empty()));
                Ok(())
            },
        )?;
        if kept.is_empty() {
            return Err(Error::Data("batches: there are no rows in them".into()));
        }
        let drawn = sample.drawn(&kept.iter().flat_map(|rows| rows.places.iter().copied()).collect::<Vec<_>>());
        let made = Python::attach(|py| self.sampled(py, &kept, &drawn));
        let (rows, info, read) = made.map_err(|error| raised("the sample of the rows", &error))?;
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(SampleRead { all, ..read });
        Ok(BatchSample { rows, info, facts: Vec::new(), all, batches })
    }

    fn each(&self, form: BatchForm<'_>, control: &Control, visit: &mut dyn FnMut(u64, BatchRows) -> Result<()>) -> Result<()> {
        let (found, _) = self.pass(
            control,
            |_, (inputs, target, weighed, count)| {
                let data = crate::dataset::dataset_like(&inputs, form.schema, &self.reported)?;
                let target = target_like(&target, count, form.info)?;
                Ok(BatchRows { data: Arc::unwrap_or_clone(data), target, weights: weights(weighed.as_ref())? })
            },
            visit,
        )?;
        let all = self.read.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(found, |read| read.all);
        if found != all {
            let why = format!("batches: one pass over them has {all} rows and another {found}; every pass has to begin anew");
            return Err(Error::Data(why));
        }
        Ok(())
    }

    fn target(&self) -> &[String] {
        &[]
    }

    fn bytes(&self) -> Option<u64> {
        None
    }
}

//! `mercer.Distribution`: a generative model that a fit holds, with its parameters, its hidden states and rows drawn from it.

use crate::answers::Object;
use crate::arrays::{from_indices, from_matrix, from_vec};
use crate::errors::{data_error, raise};
use crate::model::Model;
use crate::own_model::inputs;
use crate::target::labels;
use crate::work::Limits;
use mercer::control::Control;
use mercer::data::{ColumnKind, Dataset};
use mercer::error::Result;
use mercer::estimators::{self, Fitted};
use mercer::generative::{HiddenStates, ParameterArray};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyType};
use std::sync::Arc;

/// A generative model of a fitted model: of all rows (density), or of the rows of a class (bayes).
///
/// Its parameters are attributes with `_` behind their names, in the units of the table: `startprob_`, `transmat_`, `emissionprob_`, `means_`,
/// `covars_`, `weights_`, ... States, components and lags are numbered from 0 along the axes. `Model.distributions` gives them.
///
/// Examples
/// --------
/// >>> import mercer
/// >>> strings = mercer.Dataset({"s": ["aaabbb", "bbbaaa", "aabbba"] * 5})
/// >>> model = mercer.Learner("density(hmm(states=2))").fit(strings)
/// >>> hmm = model.distributions[0]
/// >>> hmm.transmat_.shape, hmm.emissionprob_.shape
/// ((2, 2), (2, 2))
/// >>> len(hmm.decode({"s": ["aab"]})[0])
/// 3
#[pyclass(frozen, module = "mercer")]
pub(crate) struct Distribution {
    model: Py<Model>,
    place: usize,
}

impl Distribution {
    /// Those of a model.
    pub(crate) fn all<'py>(model: &Bound<'py, Model>) -> PyResult<Vec<Bound<'py, Distribution>>> {
        let count = model.get().model.fitted.distributions().len();
        (0..count).map(|place| Bound::new(model.py(), Distribution { model: model.clone().unbind(), place })).collect()
    }
    fn model(&self) -> &Arc<mercer::learner::Model> {
        &self.model.get().model
    }
    /// What a function says of the distribution.
    fn asked<T>(&self, ask: impl FnOnce(&mercer::learner::Model, &estimators::GenerativePart<'_>) -> Result<T>) -> PyResult<T> {
        let model = self.model();
        let all = model.distributions().map_err(raise)?;
        let one = all
            .get(self.place)
            .ok_or_else(|| data_error(format!("the model has {} generative models, and none of number {}", all.len(), self.place)))?;
        ask(model, one).map_err(raise)
    }
    fn arrays(&self) -> PyResult<Vec<ParameterArray>> {
        self.asked(|model, of| model.parameter_arrays(of))
    }
    /// What a function says of the distribution and rows, without the lock of Python.
    fn of_rows<T: Send + 'static>(
        &self,
        py: Python<'_>,
        data: &Object<'_>,
        threads: usize,
        ask: impl FnOnce(&mercer::learner::Model, &estimators::GenerativePart<'_>, &Dataset, &Control) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (rows, model, place) = (self.model.get().rows(py, data)?, self.model().clone(), self.place);
        self.asked(|_, _| Ok(()))?;
        Limits::threads(threads).run(py, move |control| ask(&model, &model.distributions()?[place], &rows, control))
    }
    /// Whether a row is a sequence of times, and not one vector.
    fn is_of_sequences(&self) -> PyResult<bool> {
        self.asked(|model, of| {
            let first = of.columns.first().map(|name| Ok(model.support.column(name)?.values.kind())).transpose()?;
            Ok(!matches!(first, Some(ColumnKind::Number | ColumnKind::Points)))
        })
    }
    fn states(&self, py: Python<'_>, data: &Object<'_>, threads: usize) -> PyResult<Vec<HiddenStates>> {
        self.of_rows(py, data, threads, |model, of, rows, control| model.hidden_states_of(of, rows, control))
    }
}

#[pymethods]
impl Distribution {
    #[new]
    fn new(model: Py<Model>, place: usize) -> PyResult<Self> {
        let made = Distribution { model, place };
        made.asked(|_, _| Ok(()))?;
        Ok(made)
    }

    /// The class whose rows it is of, as it was given; None: it is of all rows.
    #[getter]
    fn label<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        let class = self.asked(|_, of| Ok(of.class))?;
        class.map(|class| labels(py, &self.model().answer.target())?.get_item(class)).transpose()
    }

    /// The code of that class, its place among the classes of the model.
    #[getter]
    fn code(&self) -> PyResult<Option<usize>> {
        self.asked(|_, of| Ok(of.class))
    }

    /// The prior probability of that class; 1 where it is of all rows.
    #[getter]
    fn prior(&self) -> PyResult<f64> {
        self.asked(|_, of| Ok(of.prior))
    }

    /// Every parameter by its name, as an array.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for array in self.arrays()? {
            all.set_item(array.name, shaped(py, array)?)?;
        }
        Ok(all)
    }

    /// What the places along each axis of a parameter are, such as its letters or columns: a list for each axis.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for ParameterArray { name, axes, .. } in self.arrays()? {
            all.set_item(name, axes.into_iter().map(|axis| axis.labels).collect::<Vec<_>>())?;
        }
        Ok(all)
    }

    /// Whether it has hidden states, or components, that rows are decoded into.
    #[getter]
    fn has_states(&self) -> PyResult<bool> {
        self.asked(|model, of| model.has_hidden_states(of))
    }

    /// Logarithms of the density at rows, per unit of the columns.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     One number a row.
    #[pyo3(signature = (data, *, threads=0))]
    fn log_density<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        Ok(from_vec(py, self.of_rows(py, data, threads, |model, of, rows, control| model.log_densities(of, rows, control))?))
    }

    /// The most probable states: of a sequence the path that is the most probable as a whole (Viterbi), of a vector its component.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// list of numpy.ndarray, or numpy.ndarray
    ///     States from 0: for each sequence one at each time; of vectors one a row.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     A model without hidden states.
    #[pyo3(signature = (data, *, threads=0))]
    fn decode<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        let states = self.states(py, data, threads)?;
        if self.is_of_sequences()? {
            return Ok(PyList::new(py, states.iter().map(|one| from_indices(py, &one.path)))?.into_any());
        }
        Ok(from_indices(py, &states.iter().flat_map(|one| one.path.iter().copied()).collect::<Vec<_>>()))
    }

    /// The probability of each state at each time, given the whole row.
    ///
    /// Parameters
    /// ----------
    /// data : Dataset, or anything one is made from
    ///     Rows with the columns of training.
    /// threads : int
    ///     How many to use; 0: one per core.
    ///
    /// Returns
    /// -------
    /// list of numpy.ndarray, or numpy.ndarray
    ///     For each sequence times x states; of vectors rows x components.
    ///
    /// Raises
    /// ------
    /// DataError
    ///     A model without hidden states.
    #[pyo3(signature = (data, *, threads=0))]
    fn posteriors<'py>(&self, py: Python<'py>, data: &Object<'py>, threads: usize) -> PyResult<Object<'py>> {
        let states = self.states(py, data, threads)?;
        let each = states.into_iter().map(|one| from_matrix(py, one.posteriors)).collect::<PyResult<Vec<_>>>()?;
        let list = PyList::new(py, &each)?.into_any();
        if self.is_of_sequences()? || each.is_empty() { Ok(list) } else { py.import("numpy")?.call_method1("concatenate", (list,)) }
    }

    /// Rows drawn from it.
    ///
    /// Parameters
    /// ----------
    /// count : int
    ///     How many.
    /// seed : int
    ///     The same seed draws the same rows.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray, list or Dataset
    ///     Of numbers and vectors rows x columns; of one column of strings or series its cells, of the length that the model was fitted with.
    #[pyo3(signature = (count=1, *, seed=0))]
    fn sample<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Object<'py>> {
        inputs(py, &self.asked(|model, of| model.draw_rows_of(of, count, seed))?.rows)
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Object<'py>> {
        let mut arrays = if name.starts_with('_') { Vec::new() } else { self.arrays()? };
        if let Some(place) = arrays.iter().position(|array| name.strip_suffix('_') == Some(array.name)) {
            return shaped(py, arrays.swap_remove(place));
        }
        let names: Vec<String> = arrays.iter().map(|array| format!("{}_", array.name)).collect();
        Err(PyAttributeError::new_err(format!("this distribution has no attribute '{name}'; its parameters are: {}", names.join(", "))))
    }

    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let mut names: Vec<String> = slf.py().import("builtins")?.call_method1("dir", (slf.get_type(),))?.extract()?;
        names.extend(slf.get().arrays()?.iter().map(|array| format!("{}_", array.name)));
        Ok(names)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Py<Model>, usize)) {
        (slf.get_type(), (slf.get().model.clone_ref(slf.py()), slf.get().place))
    }

    fn __repr__(&self) -> PyResult<String> {
        let names: Vec<String> = self.arrays()?.iter().map(|array| format!("{}_", array.name)).collect();
        Ok(format!("Distribution with {}", names.join(", ")))
    }
}

/// A parameter as an array of its shape.
fn shaped(py: Python<'_>, array: ParameterArray) -> PyResult<Object<'_>> {
    let shape = array.shape();
    from_vec(py, array.values).call_method1("reshape", (shape,))
}

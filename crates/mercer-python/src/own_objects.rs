//! Objects of the user's own classes: copied for fits, named in expressions, stored in model files and in pickles.

use crate::answers::{OwnParts, Stored};
use crate::errors::{data_error, guarded, keep_cause};
use crate::model::Model;
use crate::own::{FittedOwn, Own};
use crate::{own_kernel, own_model};
use mercer::error::{Error, Result};
use mercer::estimators::{FittedModel, register_unlisted};
use mercer::store;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde::{Serialize, Serializer, ser};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The Python part: how objects are shown, fitted, written down and made again.
pub(crate) const MODULE: &str = "mercer._own";

/// An object of Python that computations on any thread may hold.
#[derive(Clone, Debug)]
pub(crate) struct Object(Arc<Py<PyAny>>);

/// The objects that expressions name: by the text that shows them those of it, which differ.
static PROTOTYPES: LazyLock<Mutex<HashMap<String, Vec<Object>>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The classes that the models read on this thread may be of, by name.
    static CLASSES: RefCell<HashMap<String, Py<PyAny>>> = RefCell::default();
    /// The objects of the model that is pickled on this thread, or made again: it holds their numbers.
    static PICKLED: RefCell<Option<Vec<Object>>> = const { RefCell::new(None) };
}

/// The classes of the objects that this process was given or has read, by name: what a model that it stores is read again with.
static KNOWN: LazyLock<Mutex<HashMap<String, Object>>> = LazyLock::new(Mutex::default);

/// An object in the model file.
pub(crate) struct FileObject<'a> {
    /// The name of its class.
    pub(crate) class: &'a str,
    /// Its attributes, or its number among those that are pickled beside the model.
    pub(crate) state: String,
}

impl FileObject<'_> {
    /// The object, of the class of that name among those that were given to read with.
    pub(crate) fn made(self) -> std::result::Result<Object, String> {
        let FileObject { class, state } = self;
        if let Some(number) = state.strip_prefix('#') {
            let found = number.parse::<usize>().ok().and_then(|at| PICKLED.with_borrow(|all| all.as_ref()?.get(at).cloned()));
            return found.ok_or_else(|| "an object that was pickled beside the model is not there".into());
        }
        Python::attach(|py| {
            let found = CLASSES.with_borrow(|all| all.get(class).map(|found| found.clone_ref(py)));
            let own =
                found.ok_or_else(|| format!("it was fitted by the Python class {class}; mercer.load(path, classes=[{class}]) reads it"))?;
            know(class, own.clone_ref(py));
            let object = py.import(MODULE).and_then(|module| module.call_method1("unpack", (own, state)));
            object.map(Bound::unbind).map_err(|error| error.to_string())
        })
        .map(Object::of)
    }
}

fn know(name: &str, class: Py<PyAny>) {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Object::of(class));
}

/// The class of a name, where this process knows one.
pub(crate) fn known_class<'py>(py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(name).map(|class| class.bind(py).clone())
}

/// Keeps an object by the text that shows it, and gives its number among the different ones of this text, from 1.
pub(crate) fn remember(text: &str, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let class = given.get_type();
    know(&class.name()?.extract::<String>()?, class.into_any().unbind());
    let given = &given.py().import(MODULE)?.call_method1("blank", (given,))?;
    let known: Vec<Object> = PROTOTYPES.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned().unwrap_or_default();
    for (place, object) in known.iter().enumerate() {
        if object.is_like(given).unwrap_or(false) {
            return Ok(place + 1);
        }
    }
    // As it is now: what the caller changes in it later is another object.
    let copied = given.py().import("copy")?.call_method1("deepcopy", (given,)).unwrap_or_else(|_| given.clone());
    let mut all = PROTOTYPES.lock().unwrap_or_else(PoisonError::into_inner);
    let alike = all.entry(text.to_owned()).or_default();
    alike.push(Object::of(copied.unbind()));
    Ok(alike.len())
}

/// The object that a text and a number stand for.
pub(crate) fn prototype<'py>(py: Python<'py>, text: &str, number: usize) -> PyResult<Bound<'py, PyAny>> {
    let all = PROTOTYPES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all.get(text).and_then(|alike| alike.get(number.checked_sub(1)?)).cloned();
    drop(all);
    let unknown = || data_error(format!("there is no object {text} in this program; give the object itself"));
    Ok(found.ok_or_else(unknown)?.bind(py).clone())
}

impl Object {
    pub(crate) fn of(object: Py<PyAny>) -> Self {
        Object(Arc::new(object))
    }
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.0.bind(py)
    }
    fn is_like(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        py.import(MODULE)?.call_method1("alike", (self.bind(py), other))?.extract()
    }
    /// Whether two are one object, or of equal attributes.
    pub(crate) fn is(&self, other: &Object) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || Python::attach(|py| self.is_like(other.bind(py))).unwrap_or(false)
    }
    /// What it consists of, as text.
    fn packed(&self) -> std::result::Result<String, String> {
        Python::attach(|py| py.import(MODULE)?.call_method1("pack", (self.0.bind(py),))?.extract())
            .map_err(|error: PyErr| Python::attach(|py| error.value(py).to_string()))
    }
    /// Its number among the objects that are pickled beside a model, where one is.
    fn pickled(&self) -> Option<String> {
        PICKLED.with_borrow_mut(|all| {
            let all = all.as_mut()?;
            let known = all.iter().position(|one| one.0.as_ptr() == self.0.as_ptr());
            let at = known.unwrap_or_else(|| {
                all.push(self.clone());
                all.len() - 1
            });
            Some(format!("#{at}"))
        })
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        match self.pickled() {
            Some(number) => s.serialize_str(&number),
            None => s.serialize_str(&self.packed().map_err(ser::Error::custom)?),
        }
    }
}

/// Reads a model file; no code in it is run and no module imported.
///
/// A kernel of one's own is found by its name: register it (`mercer.kernels.register`) before.
///
/// Parameters
/// ----------
/// path : str or path
///     The file.
/// classes : list of type, optional
///     The classes of one's own that the model may be fitted by: its object is made by ``__new__`` of the class of that name, which
///     then gets its attributes (or ``__setstate__``, where the class has one).
///
/// Returns
/// -------
/// Model
///     The model, which predicts the same bits.
///
/// Raises
/// ------
/// ModelFileError
///     A file that is damaged, cut off, or none of ours; or whose class is not among `classes`.
#[pyfunction]
#[pyo3(signature = (path, classes=None))]
pub(crate) fn load(path: PathBuf, classes: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Model> {
    with_classes(classes, || guarded(|| store::load(&path)).map(Model::new))
}

/// A model from the bytes of its file, which one of these classes may have fitted.
pub(crate) fn from_bytes(data: &[u8], classes: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Model> {
    with_classes(classes, || guarded(|| store::from_bytes(data, "the bytes of a model")).map(Model::new))
}

/// A model from what is pickled of it.
pub(crate) fn from_pickle(data: &[u8], (classes, objects, functions): OwnParts<'_>) -> PyResult<Model> {
    functions.as_ref().map_or(Ok(()), own_kernel::restore)?;
    let before = PICKLED.replace(Some(objects.into_iter().map(Object::of).collect()));
    let read = from_bytes(data, Some(classes));
    PICKLED.set(before);
    read
}

/// Stores a model by a function that reads again what it has written, before it is the file.
pub(crate) fn checked<R>(py: Python<'_>, model: &mercer::learner::Model, store: impl FnOnce() -> Result<R>) -> PyResult<R> {
    with_classes(Some(classes_of(py, model)), || guarded(store))
}

/// Reads a model that one of these classes may have fitted.
fn with_classes<R>(classes: Option<Vec<Bound<'_, PyAny>>>, read: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    guarded(register_unlisted::<Own>)?;
    guarded(own_model::register)?;
    let mut known = HashMap::new();
    for class in classes.into_iter().flatten() {
        if !class.is_instance_of::<PyType>() {
            return Err(data_error(format!("classes: expected classes of estimators, found {}", class.get_type().name()?)));
        }
        known.insert(class.getattr("__name__")?.extract()?, class.unbind());
    }
    let before = CLASSES.replace(known);
    let read = read();
    CLASSES.set(before);
    read
}

/// The object that fitted a model, where one of the user's own did.
pub(crate) fn fitted_own(fitted: &FittedModel) -> Option<&FittedOwn> {
    let FittedModel::Registered(fitted) = fitted.uncalibrated() else { return None };
    fitted.as_left_by::<Own>()
}

/// The classes of one's own of a model: of its estimator, and of the generative models of its kernel and its estimator.
fn classes_of<'py>(py: Python<'py>, model: &mercer::learner::Model) -> Vec<Bound<'py, PyAny>> {
    let own = fitted_own(&model.fitted).map(|fitted| fitted.class(py));
    own.into_iter().chain(own_model::classes(py, &format!("{} {}", model.kernel, model.estimator))).collect()
}

/// What pickles hold of a model: the objects of one's own that fitted it, their classes and the kernels that it names go along.
pub(crate) fn stored<'py>(model: &Bound<'py, Model>) -> PyResult<Stored<'py>> {
    let (py, model) = (model.py(), model.get());
    let classes = classes_of(py, &model.model);
    let before = PICKLED.replace(Some(Vec::new()));
    let bytes = model.to_bytes(py);
    let objects = PICKLED.replace(before).unwrap_or_default();
    let objects: Vec<Py<PyAny>> = objects.iter().map(|object| object.0.clone_ref(py)).collect();
    let functions = own_kernel::registrations(py, model.model.kernel.expr())?;
    Ok((bytes?, model.reported.all(), (classes, objects, functions)))
}

/// What Python raised, as an error of the fit; the exception is kept to be the cause of ours.
pub(crate) fn raised(what: &str, error: &PyErr) -> Error {
    if Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
        return Error::Cancelled;
    }
    let (kind, said, is_ours) = Python::attach(|py| {
        let kind = error.get_type(py);
        let name = kind.name().map_or_else(|_| "an error".into(), |name| name.to_string());
        (name, error.value(py).to_string(), kind.module().is_ok_and(|module| module == "mercer.errors"))
    });
    if is_ours {
        return Error::Data(format!("{what}: {said}"));
    }
    let said = format!("{what} raised {kind}: {said}");
    keep_cause(&said, error);
    Error::Data(said)
}

//! Estimators written in Python: objects with `fit` and `predict` on kernel values, as one estimator of the library.

use crate::answers::Stored;
use crate::arrays::{asarray, from_indices, from_matrix, from_vec, kind, numbers, shape};
use crate::errors::{data_error, guarded};
use crate::model::Model;
use crate::own_model;
use mercer::data::{Kind, Target, TargetInfo};
use mercer::error::{Error, Result};
use mercer::estimators::{
    Answer, Costs, Estimator, EstimatorExpr, Fitted, FittedModel, Gives, Needs, Predicted, Predictions, Query, Size, Summary, Task, When,
    register_unlisted,
};
use mercer::gram;
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param};
use mercer::store;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde::{Deserialize, Serialize, Serializer, ser};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The Python part: how objects are written down and made again.
pub(crate) const MODULE: &str = "mercer._own";

/// An object of Python that computations on any thread may hold.
#[derive(Clone, Debug)]
pub(crate) struct Object(Arc<Py<PyAny>>);

/// The objects that expressions name, by their text: class and parameters.
static PROTOTYPES: LazyLock<Mutex<HashMap<String, Object>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The classes that the models read on this thread may be of, by name.
    static CLASSES: RefCell<HashMap<String, Py<PyAny>>> = RefCell::default();
}

/// The classes of the objects that this process was given or has read, by name: what a model that it stores is read again with.
static KNOWN: LazyLock<Mutex<HashMap<String, Object>>> = LazyLock::new(Mutex::default);

/// An object in the model file.
pub(crate) struct FileObject<'a> {
    /// The name of its class.
    pub(crate) class: &'a str,
    /// Its attributes.
    pub(crate) state: String,
}

impl FileObject<'_> {
    /// The object, of the class of that name among those that were given to read with.
    pub(crate) fn made(self) -> std::result::Result<Object, String> {
        let FileObject { class, state } = self;
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

/// Keeps an object by the text that stands for it in expressions.
pub(crate) fn remember(text: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let class = given.get_type();
    know(&class.name()?.extract::<String>()?, class.into_any().unbind());
    PROTOTYPES.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned(), Object::of(given.clone().unbind()));
    Ok(())
}

/// A copy of the object that a text stands for.
pub(crate) fn prototype(py: Python<'_>, text: &str) -> PyResult<Py<PyAny>> {
    let found = PROTOTYPES.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
    let unknown = || data_error(format!("python: there is no object {text:?}; give the object itself"));
    let copied = py.import("copy")?.call_method1("deepcopy", (found.ok_or_else(unknown)?.bind(py),))?;
    Ok(copied.unbind())
}

/// An estimator of the user's own, written in Python.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Own {
    class: Vec<String>,
    probabilities: bool,
}

/// What it left: the object after its `fit`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "FileForm")]
pub(crate) struct FittedOwn {
    class: String,
    state: Object,
    support: Vec<usize>,
    classes: Option<usize>,
    probabilities: bool,
    summary: Summary,
}

/// The form in the model file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    class: String,
    state: String,
    support: Vec<usize>,
    classes: Option<usize>,
    probabilities: bool,
    summary: Summary,
}

impl TryFrom<FileForm> for FittedOwn {
    type Error = String;

    fn try_from(stored: FileForm) -> std::result::Result<Self, String> {
        let FileForm { class, state, support, classes, probabilities, summary } = stored;
        let state = FileObject { class: &class, state }.made()?;
        Ok(FittedOwn { class, state, support, classes, probabilities, summary })
    }
}

impl Object {
    pub(crate) fn of(object: Py<PyAny>) -> Self {
        Object(Arc::new(object))
    }
    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.0.bind(py)
    }
    /// Whether two are one object, or of equal attributes.
    pub(crate) fn is(&self, other: &Object) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.packed() == other.packed()
    }
    /// What it consists of, as text.
    fn packed(&self) -> std::result::Result<String, String> {
        Python::attach(|py| {
            let text = py.import(MODULE)?.call_method1("pack", (self.0.bind(py),))?;
            text.extract()
        })
        .map_err(|error: PyErr| error.to_string())
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        s.serialize_str(&self.packed().map_err(ser::Error::custom)?)
    }
}

impl PartialEq for FittedOwn {
    fn eq(&self, other: &Self) -> bool {
        self.state.is(&other.state) && (&self.class, &self.support, self.classes) == (&other.class, &other.support, other.classes)
    }
}

/// The estimator that an argument says: an expression, or an object with `fit` and `predict`.
pub(crate) fn estimator(given: &Bound<'_, PyAny>, argument: &str) -> PyResult<EstimatorExpr> {
    if let Ok(text) = given.extract::<String>() {
        return guarded(|| EstimatorExpr::parse(&text));
    }
    if !given.hasattr("fit")? || !given.hasattr("predict")? || given.is_instance_of::<PyType>() {
        let what = given.get_type().name()?;
        return Err(data_error(format!(
            "{argument}: expected a text such as \"svc(c=1)\", or an object with fit and predict on kernel values; found {what}"
        )));
    }
    let text: String = given.py().import(MODULE)?.call_method1("text", (given,))?.extract()?;
    let probabilities = given.hasattr("predict_proba")?;
    remember(&text, given)?;
    guarded(|| {
        register_unlisted::<Own>()?;
        EstimatorExpr::own(Own { class: vec![text], probabilities })
    })
}

/// Reads a model file; no code in it is run and no module imported.
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

/// The class of one's own that fitted a model, where one did.
fn class<'py>(py: Python<'py>, fitted: &FittedModel) -> Option<Bound<'py, PyAny>> {
    let FittedModel::Registered(fitted) = fitted else { return None };
    Some(fitted.as_left_by::<Own>()?.state.0.bind(py).get_type().into_any())
}

/// The classes of one's own of a model: of its estimator, and of the generative models of its kernel.
fn classes_of<'py>(py: Python<'py>, model: &mercer::learner::Model) -> Vec<Bound<'py, PyAny>> {
    class(py, &model.fitted).into_iter().chain(own_model::classes(py, &format!("{} {}", model.kernel, model.estimator))).collect()
}

/// What pickles hold of a model: the classes of one's own that fitted it, where some did, go along.
pub(crate) fn stored<'py>(model: &Bound<'py, Model>) -> PyResult<Stored<'py>> {
    let (py, model) = (model.py(), model.get());
    let classes: Vec<Py<PyAny>> = classes_of(py, &model.model).into_iter().map(Bound::unbind).collect();
    Ok((model.to_bytes(py)?, model.told.all(), (!classes.is_empty()).then_some(classes)))
}

/// Whether it stands for an object of Python.
pub(crate) fn is_own(estimator: &EstimatorExpr) -> bool {
    estimator.name() == Own::NAME
}

impl Own {
    fn text(&self) -> &str {
        self.class.first().map_or("", String::as_str)
    }

    /// A copy of the object that the expression names.
    fn prototype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        prototype(py, self.text())
    }
}

/// What Python raised, as an error of the fit.
pub(crate) fn raised(class: &str, method: &str, error: &PyErr) -> Error {
    let (kind, said) =
        Python::attach(|py| (error.get_type(py).name().map_or_else(|_| "an error".into(), |n| n.to_string()), error.value(py).to_string()));
    Error::Data(format!("{class}.{method} raised {kind}: {said}"))
}

impl Estimator for Own {
    const NAME: &'static str = "python";
    const DOC: &'static str = "a class of Python with fit(gram, target, sample_weight=None) and predict(cross), given as an object";
    const PARAMS: &'static [Param] = &[
        Param::fixed("class", "class and parameters of the object", Domain::Words),
        Param::fixed("probabilities", "whether the class has predict_proba, for class probabilities", Domain::Flag),
    ];
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    const GIVES: Gives = Gives { probabilities: When::If("probabilities"), ..Gives::VALUES };
    const NEEDS: Needs = Needs::AnySimilarity;
    type Fitted = FittedOwn;

    /// Those of a factorisation, as nothing is known of it.
    fn costs(&self, size: Size) -> Costs {
        let n = size.rows as f64;
        Costs {
            bytes: 24 * (size.rows as u64).pow(2),
            values: n * n,
            fit: n * n * n / 3.0,
            prediction_values: n,
            prediction: 2.0 * n * size.outputs as f64,
            ..Costs::default()
        }
    }
    fn start(&self, param: &str, _: &Task<'_>) -> Result<f64> {
        Err(Error::Data(format!("python: {param} is no number")))
    }
    fn fit(&self, task: &Task<'_>) -> Result<FittedOwn> {
        let gram = gram::dense(task.gram, task.control)?;
        let class = self.text().split('(').next().unwrap_or_default().to_owned();
        let fit = |py: Python<'_>| -> PyResult<Py<PyAny>> {
            let object = self.prototype(py)?;
            let target = match task.target {
                Target::Numbers(y) if y.cols() == 1 => from_vec(py, y.data().to_vec()),
                Target::Numbers(y) => from_matrix(py, y.clone())?,
                Target::Classes { codes, .. } => from_indices(py, codes),
                Target::Absent { rows } => from_vec(py, vec![f64::NAN; *rows]),
            };
            let keywords = PyDict::new(py);
            if let Some(weights) = task.weights {
                keywords.set_item("sample_weight", from_vec(py, weights.to_vec()))?;
            }
            object.bind(py).call_method("fit", (from_matrix(py, gram)?, target), Some(&keywords))?;
            Ok(object)
        };
        let object = Python::attach(fit).map_err(|error| raised(&class, "fit", &error))?;
        task.control.check()?;
        Ok(FittedOwn {
            class,
            state: Object(Arc::new(object)),
            support: (0..task.rows()).collect(),
            classes: if let Target::Classes { names, .. } = task.target { Some(names.len()) } else { None },
            probabilities: self.probabilities,
            summary: Summary { iterations: 1, converged: true, ..Summary::default() },
        })
    }
}

impl FittedOwn {
    /// What a method of the object says of kernel values, rows x columns.
    fn asked(&self, method: &str, cross: Matrix) -> Result<Matrix> {
        let expected = cross.rows();
        let ask = |py: Python<'_>| -> PyResult<Matrix> {
            let said = self.state.0.bind(py).call_method1(method, (from_matrix(py, cross)?,))?;
            let array = asarray(&said)?;
            if !matches!(kind(&array)?, 'b' | 'i' | 'u' | 'f') {
                return Err(data_error("expected an array of numbers; classes by their numbers 0, 1, ..."));
            }
            let (rows, columns) = match shape(&array)?[..] {
                [rows] => (rows, 1),
                [rows, columns] => (rows, columns),
                _ => return Err(data_error("expected one number a row, or one row of numbers")),
            };
            if rows != expected {
                return Err(data_error(format!("expected {expected} rows, found {rows}")));
            }
            let values = if rows * columns == 0 { Vec::new() } else { numbers(&array)? };
            guarded(|| Matrix::new(rows, columns, values))
        };
        Python::attach(ask).map_err(|error| raised(&self.class, method, &error))
    }
}

impl Fitted for FittedOwn {
    fn support(&self) -> &[usize] {
        &self.support
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let cross = gram::dense(query.cross, query.control)?;
        let wrong = |method: &str, why: String| Error::Data(format!("{}.{method}: {why}", self.class));
        let Some(classes) = self.classes else { return Ok(Predictions::of(Predicted::Numbers(self.asked("predict", cross)?))) };
        if self.probabilities {
            let found = self.asked("predict_proba", cross)?;
            if found.cols() != classes {
                return Err(wrong("predict_proba", format!("expected a column for each of {classes} classes, found {}", found.cols())));
            }
            if let Some(i) = (0..found.rows()).find(|&i| found.row(i).iter().any(|p| !(0.0..=1.0).contains(p))) {
                return Err(wrong("predict_proba", format!("row {} is {:?}, expected probabilities", i + 1, found.row(i))));
            }
            let largest = |row: &[f64]| (0..classes).fold(0, |best, k| if row[k] > row[best] { k } else { best });
            let values = Predicted::Classes((0..found.rows()).map(|i| largest(found.row(i))).collect());
            return Ok(Predictions { probabilities: query.want.probabilities.then_some(found), ..Predictions::of(values) });
        }
        let found = self.asked("predict", cross)?;
        let code = |v: &f64| match *v {
            v if v.fract() == 0.0 && (0.0..classes as f64).contains(&v) => Ok(v as usize),
            v => Err(wrong("predict", format!("expected numbers of classes from 0 to {}, found {v}", classes - 1))),
        };
        if found.cols() != 1 && found.rows() > 0 {
            return Err(wrong("predict", format!("expected one class a row, found {} columns", found.cols())));
        }
        Ok(Predictions::of(Predicted::Classes(found.data().iter().map(code).collect::<Result<_>>()?)))
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.classes)
    }
}

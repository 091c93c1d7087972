//! Generative models written in Python: objects with `fit`, `log_density` and `score`, as one generative model of the library.

use crate::arrays::{asarray, from_vec, kind, numbers, shape};
use crate::dataset::{Dataset as PyDataset, column_array};
use crate::errors::{data_error, guarded};
use crate::own_columns::points;
use crate::own_objects::{FileObject, MODULE, Object, known_class, prototype, raised, remember};
use mercer::control::Control;
use mercer::data::{ColumnKind, Dataset, Inputs, RowWeights, Values};
use mercer::error::{Error, Result};
use mercer::generative::{FittedDistribution, FreeParameter, GenerativeModel, register_unlisted};
use mercer::linalg::Matrix;
use mercer::param::Parameters;
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A generative model of the user's own, written in Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnModel {
    /// class and parameters of the object
    class: Vec<String>,
}

/// The distribution that it left: the object after its `fit`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "StoredModel")]
pub(crate) struct FittedOwnModel {
    class: String,
    state: Object,
    width: usize,
}

/// Columns of any kind that cells can be written of: all but kernel values.
#[derive(Clone, Debug)]
pub(crate) struct AnyColumns(Dataset);

impl Inputs for AnyColumns {
    const NEEDS: &'static str = "columns of the kind that its class takes";

    fn takes(kind: ColumnKind) -> bool {
        kind != ColumnKind::Similarities
    }
    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        <Dataset as Inputs>::gather(data, columns).map(|rows| Cow::Owned(AnyColumns(rows.into_owned())))
    }
    fn len(&self) -> usize {
        self.0.rows()
    }
}

/// The form in the model file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredModel {
    class: String,
    state: String,
    width: usize,
}

impl TryFrom<StoredModel> for FittedOwnModel {
    type Error = String;

    fn try_from(stored: StoredModel) -> std::result::Result<Self, String> {
        let StoredModel { class, state, width } = stored;
        Ok(FittedOwnModel { state: FileObject { class: &class, state }.made()?, class, width })
    }
}

impl PartialEq for FittedOwnModel {
    fn eq(&self, other: &Self) -> bool {
        self.state.is(&other.state) && (&self.class, self.width) == (&other.class, other.width)
    }
}

/// Makes such models part of expressions; the list names none.
pub(crate) fn register() -> Result<()> {
    register_unlisted::<OwnModel>()
}

/// The expression of a generative model that is an object of Python.
///
/// Parameters
/// ----------
/// model : object
///     With ``fit(inputs, weight)``, ``log_density(inputs)`` and ``score(inputs)``.
///
/// Returns
/// -------
/// str
///     What stands for it in a kernel expression, in this process.
///
/// Raises
/// ------
/// DataError
///     An object without these methods.
#[pyfunction]
pub(crate) fn own_model(model: &Bound<'_, PyAny>) -> PyResult<String> {
    for method in ["fit", "log_density", "score"] {
        if model.is_instance_of::<PyType>() || !model.hasattr(method)? {
            let what = model.get_type().name()?;
            return Err(data_error(format!(
                "model: expected a text such as \"gaussian\", or an object with fit, log_density and score; found {what} without {method}"
            )));
        }
    }
    guarded(register)?;
    let text: String = model.py().import(MODULE)?.call_method1("text", (model,))?.extract()?;
    let text = match remember(&text, model)? {
        1 => text,
        number => format!("{text} #{number}"),
    };
    Ok(format!("{}(class=[\"{text}\"])", OwnModel::NAME))
}

/// The rows of a table as functions and methods of Python take them: an array of two axes of columns of numbers, the cells of a single column of another
/// kind, or the table.
pub(crate) fn inputs<'py>(py: Python<'py>, rows: &Dataset) -> PyResult<Bound<'py, PyAny>> {
    let columns = rows.columns();
    if let [one] = columns
        && one.values.kind() != ColumnKind::Number
    {
        return column_array(py, &one.values);
    }
    if !columns.is_empty() && columns.iter().all(|c| matches!(c.values.kind(), ColumnKind::Number | ColumnKind::Points)) {
        return points(py, rows);
    }
    Ok(Bound::new(py, PyDataset::new(rows.clone(), Vec::new()))?.into_any())
}

impl OwnModel {
    fn text(&self) -> &str {
        self.class.first().map_or("", String::as_str)
    }
}

impl GenerativeModel for OwnModel {
    const NAME: &'static str = "python";
    const DOC: &'static str = "a class of Python with fit(inputs, weight), log_density(inputs) and score(inputs), given as an object";
    const SOURCE: &'static str = "the user";
    type Inputs = AnyColumns;
    type Fitted = FittedOwnModel;

    fn free_parameters(&self, _: &AnyColumns) -> Option<usize> {
        None
    }
    fn fit(&self, AnyColumns(rows): &AnyColumns, weights: RowWeights<'_>, _seed: u64, control: &Control) -> Result<FittedOwnModel> {
        let class = self.text().split('(').next().unwrap_or_default().to_owned();
        let fit = |py: Python<'_>| -> PyResult<Py<PyAny>> {
            let (text, number) = self.text().rsplit_once(" #").unwrap_or((self.text(), "1"));
            let object = prototype(py, text, number.parse().unwrap_or(1))?;
            let object = py.import("copy")?.call_method1("deepcopy", (object,))?.unbind();
            let weight = from_vec(py, (0..rows.rows()).map(|i| weights.at(i)).collect());
            object.bind(py).call_method1("fit", (inputs(py, rows)?, weight))?;
            Ok(object)
        };
        let state = Python::attach(fit).map_err(|error| raised(&format!("{class}.fit"), &error))?;
        control.check()?;
        let fitted = FittedOwnModel { class, state: Object::of(state), width: 0 };
        let first = fitted.asked("score", &rows.select(&[0][..rows.rows().min(1)]))?;
        Ok(FittedOwnModel { width: first.cols(), ..fitted })
    }
}

impl FittedOwnModel {
    /// What a method of the object says of rows: numbers, one row of them for each.
    fn asked(&self, method: &str, rows: &Dataset) -> Result<Matrix> {
        let ask = |py: Python<'_>| -> PyResult<Matrix> {
            let said = self.state.bind(py).call_method1(method, (inputs(py, rows)?,))?;
            let array = asarray(&said)?;
            if !matches!(kind(&array)?, 'b' | 'i' | 'u' | 'f') {
                return Err(data_error("expected an array of numbers"));
            }
            let (found, columns) = match shape(&array)?[..] {
                [found] => (found, 1),
                [found, columns] => (found, columns),
                _ => return Err(data_error("expected one number a row, or one row of numbers")),
            };
            if found != rows.rows() || columns == 0 {
                return Err(data_error(format!("expected {} rows of numbers, found {found} of {columns}", rows.rows())));
            }
            let values = numbers(&array)?;
            guarded(|| Matrix::new(found, columns, values))
        };
        Python::attach(ask).map_err(|error| raised(&format!("{}.{method}", self.class), &error))
    }
}

impl FittedDistribution for FittedOwnModel {
    type Inputs = AnyColumns;

    fn parameters(&self) -> Vec<FreeParameter> {
        (0..self.width).map(|k| FreeParameter { name: format!("theta[{}]", k + 1), value: f64::NAN }).collect()
    }
    fn with_parameters(&self, _: &[f64]) -> Result<Self> {
        Err(Error::Setting { name: self.class.clone(), why: "the parameters of a model in Python are those of its fit".into() })
    }
    fn log_densities(&self, AnyColumns(rows): &AnyColumns) -> Result<Vec<f64>> {
        if rows.rows() == 0 {
            return Ok(Vec::new());
        }
        let found = self.asked("log_density", rows)?;
        if found.cols() != 1 {
            return Err(Error::Data(format!("{}.log_density: expected one number a row, found {}", self.class, found.cols())));
        }
        Ok(found.into_data())
    }
    fn scores(&self, AnyColumns(rows): &AnyColumns) -> Result<Matrix> {
        if rows.rows() == 0 {
            return Ok(Matrix::zeros(0, self.width));
        }
        let found = self.asked("score", rows)?;
        if found.cols() != self.width {
            return Err(Error::Data(format!(
                "{}.score: expected {} numbers a row, as for the first training row, found {}",
                self.class,
                self.width,
                found.cols()
            )));
        }
        Ok(found)
    }
    /// None: a class has no formula of it that its file would hold.
    fn information(&self) -> Option<Matrix> {
        None
    }
    fn sample(&self, _: usize, _: u64) -> Result<Values> {
        Err(Error::Setting { name: self.class.clone(), why: "a model in Python draws no samples here; call the object itself".into() })
    }
    fn is_maximum_likelihood(&self) -> bool {
        false
    }
}

/// The classes of the models that a kernel expression names, as far as this process knows them.
pub(crate) fn classes<'py>(py: Python<'py>, kernel: &str) -> Vec<Bound<'py, PyAny>> {
    let begins = format!("{}(class=[\"", OwnModel::NAME);
    let names = kernel.split(begins.as_str()).skip(1).filter_map(|rest| rest.split('(').next());
    names.filter_map(|name| known_class(py, name)).collect()
}

//! Estimators written in Python: objects with `fit` and `predict` as one estimator of the library, fitted to kernel values, or to columns
//! where they are of scikit-learn's kind.

use crate::arrays::{asarray, from_indices, from_matrix, from_vec, kind, numbers, shape};
use crate::errors::{data_error, guarded};
use crate::own_columns::columns;
use crate::own_objects::{FileObject, MODULE, Object, prototype, raised, remember};
use mercer::data::{Kind, Target, TargetInfo};
use mercer::error::{Error, Result};
use mercer::estimators::{
    Answer, Costs, Estimator, EstimatorEntry, EstimatorExpr, Fit, FitContext, Fitted, Gives, Needs, Predicted, Predictions, Query, Scores,
    Size, Summary, Task, View, ViewKind, When, register_unlisted,
};
use mercer::expr::{Argument, Term};
use mercer::gram;
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param, ParameterValue, Parameters, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};

/// What is shown of an object, and how it is fitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Face {
    class: String,
    /// What shows it, and its number among different objects that this shows: what it is found by.
    text: String,
    number: usize,
    /// Its numbers by name, and whether they are whole.
    records: Vec<(String, bool)>,
    /// Its other arguments by name; those without are parts of it, such as the steps of a pipeline.
    fixed: Vec<(String, String)>,
    /// Whether it is fitted to columns and not to kernel values.
    reads_columns: bool,
    /// What it predicts: classes, numbers, or both.
    takes: String,
    probabilities: bool,
    decisions: bool,
}

/// A face with its records, for as long as the program runs: one for each that differs.
struct Known {
    face: Face,
    entry: EstimatorEntry,
}

static KNOWN: LazyLock<Mutex<HashMap<Face, &'static Known>>> = LazyLock::new(Mutex::default);

/// The one of a face.
fn known(face: Face) -> &'static Known {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(&face) {
        return known;
    }
    let domain = |whole: bool| if whole { Domain::Integer(0, usize::MAX) } else { Domain::Real };
    let record = |(name, whole): &(String, bool)| Param::fixed(leaked(name.clone()), "an argument of the class", domain(*whole));
    let params: Vec<Param> = face.records.iter().map(record).collect();
    let takes: &'static [Kind] = match face.takes.as_str() {
        "classes" => &[Kind::Classes],
        "numbers" => &[Kind::Numbers],
        _ => &[Kind::Numbers, Kind::Classes],
    };
    let of_classes = |has: bool| if has { When::Of(Kind::Classes) } else { When::Never };
    let scores = if face.decisions { Scores::Classes } else { Scores::None };
    let name = if face.number > 1 { format!("{}_{}", face.class, face.number) } else { face.class.clone() };
    let entry = EstimatorEntry {
        name: leaked(name),
        params: Vec::leak(params),
        takes,
        criterion: None,
        aliases: &[],
        doc: Own::DOC,
        gives: Gives { probabilities: of_classes(face.probabilities), scores, ..Gives::VALUES },
        needs: if face.reads_columns { Needs::Rows } else { Needs::AnySimilarity },
    };
    let one: &'static Known = Box::leak(Box::new(Known { face: face.clone(), entry }));
    all.insert(face, one);
    one
}

fn leaked(text: String) -> &'static str {
    String::leak(text)
}

/// An estimator of the user's own, written in Python.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "OwnForm", into = "OwnForm")]
pub(crate) struct Own {
    known: &'static Known,
    numbers: BTreeMap<String, Value>,
}

/// The form in the model file: numbers stand by their names beside the face, whose key no argument has.
#[derive(Serialize, Deserialize)]
struct OwnForm {
    #[serde(rename = "#")]
    face: Face,
    #[serde(flatten)]
    numbers: BTreeMap<String, Value>,
}

impl TryFrom<OwnForm> for Own {
    type Error = String;

    fn try_from(OwnForm { face, numbers }: OwnForm) -> std::result::Result<Self, String> {
        if !numbers.keys().eq(face.records.iter().map(|(name, _)| name)) {
            return Err(format!("{}: its numbers are not those of its records", face.class));
        }
        Ok(Own { known: known(face), numbers })
    }
}

impl From<Own> for OwnForm {
    fn from(own: Own) -> Self {
        OwnForm { face: own.known.face.clone(), numbers: own.numbers }
    }
}

impl Default for Own {
    fn default() -> Self {
        Own { known: known(Face::default()), numbers: BTreeMap::new() }
    }
}

/// Its numbers, in the order of the records: by name.
impl Parameters for Own {
    fn records(&self) -> &'static [Param] {
        self.known.entry.params
    }
    fn parameter(&self, place: usize) -> Option<&dyn ParameterValue> {
        self.numbers.values().nth(place).map(|value| value as _)
    }
    fn parameter_mut(&mut self, place: usize) -> Option<&mut dyn ParameterValue> {
        self.numbers.values_mut().nth(place).map(|value| value as _)
    }
}

/// What it left: the object after its `fit`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "FileForm")]
pub(crate) struct FittedOwn {
    class: String,
    reads_columns: bool,
    state: Object,
    support: Vec<usize>,
    classes: Option<usize>,
    probabilities: bool,
    decisions: bool,
    summary: Summary,
}

/// The form in the model file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    class: String,
    reads_columns: bool,
    state: String,
    support: Vec<usize>,
    classes: Option<usize>,
    probabilities: bool,
    decisions: bool,
    summary: Summary,
}

impl TryFrom<FileForm> for FittedOwn {
    type Error = String;

    fn try_from(stored: FileForm) -> std::result::Result<Self, String> {
        let FileForm { class, reads_columns, state, support, classes, probabilities, decisions, summary } = stored;
        let state = FileObject { class: &class, state }.made()?;
        Ok(FittedOwn { class, reads_columns, state, support, classes, probabilities, decisions, summary })
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
            "{argument}: expected a text such as \"svc(c=1)\", or an object with fit and predict, of one's own or of scikit-learn; found {what}"
        )));
    }
    let said = given.py().import(MODULE)?.call_method1("described", (given,))?;
    let text: String = said.get_item("text")?.extract()?;
    let numbers: Vec<(String, String, bool)> = said.get_item("numbers")?.extract()?;
    let mut records: Vec<(String, bool)> = numbers.iter().map(|(name, _, whole)| (name.clone(), *whole)).collect();
    records.sort();
    let face = Face {
        class: said.get_item("class")?.extract()?,
        number: remember(&text, given)?,
        text,
        records,
        fixed: said.get_item("fixed")?.extract()?,
        reads_columns: said.get_item("columns")?.extract()?,
        takes: said.get_item("kinds")?.extract()?,
        probabilities: said.get_item("probabilities")?.extract()?,
        decisions: said.get_item("decisions")?.extract()?,
    };
    guarded(|| {
        register_unlisted::<Own>()?;
        let value = |text: &str| serde_json::from_value(text.into()).map_err(|e| Error::Data(e.to_string()));
        let numbers = numbers.iter().map(|(name, text, _)| Ok((name.clone(), value(text)?))).collect::<Result<_>>()?;
        EstimatorExpr::own(Own { known: known(face), numbers })
    })
}

/// The object that an estimator stands for, if it is one of Python.
pub(crate) fn object_of<'py>(py: Python<'py>, estimator: &EstimatorExpr) -> Option<PyResult<Bound<'py, PyAny>>> {
    let EstimatorExpr::Registered(own) = estimator else { return None };
    own.as_own::<Own>().map(|own| own.prototype(py))
}

impl Own {
    fn prototype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        prototype(py, &self.known.face.text, self.known.face.number)
    }

    /// A copy of the object with the numbers of the expression.
    fn made<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let numbers = PyDict::new(py);
        for (name, whole) in &self.known.face.records {
            match self.numbers.get(name).map(Value::number) {
                Some(x) if *whole => numbers.set_item(name, x as i64)?,
                Some(x) => numbers.set_item(name, x)?,
                None => {}
            }
        }
        py.import(MODULE)?.call_method1("made", (self.prototype(py)?, numbers, seed))
    }
}

impl Estimator for Own {
    const NAME: &'static str = "python";
    const DOC: &'static str = "a class of Python with fit and predict, given as an object";
    const TAKES: &'static [Kind] = &[Kind::Numbers, Kind::Classes];
    type Fitted = FittedOwn;

    fn gives(&self) -> Gives {
        self.known.entry.gives
    }
    fn needs(&self) -> Needs {
        self.known.entry.needs
    }

    fn entry(&self) -> EstimatorEntry {
        self.known.entry
    }
    fn shown(&self) -> Term {
        // A call without arguments is written as its name alone: these are words for people, and no text that is read.
        let word = |text: String| Term::Call { name: text, args: Vec::new(), at: 0 };
        let argument = |name: &str, text: String| Argument { name: (!name.is_empty()).then(|| name.to_owned()), term: word(text) };
        let fixed = self.known.face.fixed.iter().map(|(name, text)| argument(name, text.clone()));
        let args: Vec<Argument> = fixed.chain(self.numbers.iter().map(|(name, value)| argument(name, value.to_string()))).collect();
        let name = self.known.entry.name;
        if args.is_empty() { word(format!("{name}()")) } else { Term::Call { name: name.to_owned(), args, at: 0 } }
    }
    /// Those of a factorisation, or of trees, as nothing is known of it.
    fn costs(&self, size: Size) -> Costs {
        // Operations of a fit or a prediction for each cell and row: those of a hundred trees.
        const PER_CELL: f64 = 100.0;
        let n = size.rows as f64;
        if self.known.face.reads_columns {
            return Costs { fit: PER_CELL * n * size.per_value, prediction: PER_CELL * size.per_value, ..Costs::default() };
        }
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
        // A range is all that is left open: its middle, on a logarithmic scale where it has one.
        match self.numbers.get(param) {
            Some(Value::Range(low, high)) if *low > 0.0 => Ok((low * high).sqrt()),
            Some(Value::Range(low, high)) => Ok(0.5 * (low + high)),
            Some(value) => Ok(value.number()),
            None => Err(Error::Data(format!("{}: there is no number {param}", self.known.face.class))),
        }
    }
    fn fit_with(&self, task: &Task<'_>, _: &FitContext<'_, FittedOwn>) -> Result<Fit<FittedOwn>> {
        let face = &self.known.face;
        let inputs = Inputs::of(task.view, face.reads_columns, &face.class, task.control)?;
        let fit = |py: Python<'_>| -> PyResult<Py<PyAny>> {
            let target = match task.target {
                Target::Numbers(y) if y.cols() == 1 => from_vec(py, y.data().to_vec()),
                Target::Numbers(y) => from_matrix(py, y.clone())?,
                Target::Classes { codes, .. } => from_indices(py, codes),
                Target::Absent { rows } => from_vec(py, vec![f64::NAN; *rows]),
            };
            let weight = task.weights.map(|weights| from_vec(py, weights.to_vec()));
            let given = (self.made(py, task.seed)?, inputs.array(py)?, target, weight, task.target.kind() == Kind::Classes);
            Ok(py.import(MODULE)?.call_method1("fitted", given)?.unbind())
        };
        let object = Python::attach(fit).map_err(|error| raised(&format!("{}.fit", face.class), &error))?;
        task.control.check()?;
        Ok(FittedOwn {
            class: face.class.clone(),
            reads_columns: face.reads_columns,
            state: Object::of(object),
            support: if face.reads_columns { Vec::new() } else { (0..task.rows()).collect() },
            classes: if let Target::Classes { names, .. } = task.target { Some(names.len()) } else { None },
            probabilities: face.probabilities,
            decisions: face.decisions,
            summary: Summary { iterations: 1, converged: true, ..Summary::default() },
        }
        .into())
    }
}

/// What an object is fitted to or predicts from.
enum Inputs {
    Values(Matrix),
    Columns(mercer::data::Dataset),
}

impl Inputs {
    fn of(view: View<'_>, reads_columns: bool, who: &str, control: &mercer::control::Control) -> Result<Self> {
        match reads_columns {
            true => view.table(who).cloned().map(Inputs::Columns),
            false => gram::dense(view.values()?, control).map(Inputs::Values),
        }
    }
    fn rows(&self) -> usize {
        match self {
            Inputs::Values(values) => values.rows(),
            Inputs::Columns(table) => table.rows(),
        }
    }
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Inputs::Values(values) => from_matrix(py, values.clone()),
            Inputs::Columns(table) => columns(py, table),
        }
    }
}

impl FittedOwn {
    /// The class of the object.
    pub(crate) fn class<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.state.bind(py).get_type().into_any()
    }

    /// What a method of the object says of rows.
    fn asked(&self, method: &str, inputs: &Inputs) -> Result<Matrix> {
        self.matrix_of(method, inputs, |object, rows| object.call_method1(method, (rows,)).map(Some))?
            .ok_or_else(|| self.wrong(method, "expected an array of numbers".into()))
    }

    /// What a function of the module says of rows; it is given the object, the rows and the number of classes.
    fn answered(&self, function: &str, inputs: &Inputs, classes: usize) -> Result<Option<Matrix>> {
        self.matrix_of(function, inputs, |object, rows| {
            let said = object.py().import(MODULE)?.call_method1(function, (object, rows, classes))?;
            Ok((!said.is_none()).then_some(said))
        })
    }

    /// The array of numbers that a question gives, with a row for each row.
    fn matrix_of(
        &self,
        method: &str,
        inputs: &Inputs,
        ask: impl for<'py> Fn(&Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>>,
    ) -> Result<Option<Matrix>> {
        let expected = inputs.rows();
        let ask = |py: Python<'_>| -> PyResult<Option<Matrix>> {
            let Some(said) = ask(self.state.bind(py), inputs.array(py)?)? else { return Ok(None) };
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
            guarded(|| Matrix::new(rows, columns, values)).map(Some)
        };
        Python::attach(ask).map_err(|error| raised(&format!("{}.{method}", self.class), &error))
    }

    fn wrong(&self, method: &str, why: String) -> Error {
        Error::Data(format!("{}.{method}: {why}", self.class))
    }

    /// Probabilities of all classes.
    fn shares(&self, inputs: &Inputs, classes: usize) -> Result<Matrix> {
        let wrong = |why: String| self.wrong("predict_proba", why);
        let found = self.answered("probabilities", inputs, classes)?.ok_or_else(|| wrong("expected an array of numbers".into()))?;
        if found.cols() != classes {
            return Err(wrong(format!("expected a column for each of {classes} classes, found {}", found.cols())));
        }
        match (0..found.rows()).find(|&i| found.row(i).iter().any(|p| !(0.0..=1.0).contains(p))) {
            Some(i) => Err(wrong(format!("row {} is {:?}, expected probabilities", i + 1, found.row(i)))),
            None => Ok(found),
        }
    }

    /// Predicted classes.
    fn codes(&self, inputs: &Inputs, classes: usize) -> Result<Vec<usize>> {
        let found = self.asked("predict", inputs)?;
        let code = |v: &f64| match *v {
            v if v.fract() == 0.0 && (0.0..classes as f64).contains(&v) => Ok(v as usize),
            v => Err(self.wrong("predict", format!("expected numbers of classes from 0 to {}, found {v}", classes - 1))),
        };
        if found.cols() != 1 && found.rows() > 0 {
            return Err(self.wrong("predict", format!("expected one class a row, found {} columns", found.cols())));
        }
        found.data().iter().map(code).collect()
    }
}

impl Fitted for FittedOwn {
    fn support(&self) -> &[usize] {
        &self.support
    }
    fn reads(&self) -> ViewKind {
        if self.reads_columns { ViewKind::Rows } else { ViewKind::Values }
    }
    fn predict(&self, query: &Query<'_>) -> Result<Predictions> {
        let inputs = Inputs::of(query.view, self.reads_columns, &self.class, query.control)?;
        let Some(classes) = self.classes else {
            let empty = inputs.rows() == 0;
            let found = if empty { Matrix::zeros(0, 1) } else { self.asked("predict", &inputs)? };
            return Ok(Predictions::of(Predicted::Numbers(found)));
        };
        if inputs.rows() == 0 {
            return Ok(Predictions::of(Predicted::Classes(Vec::new())));
        }
        let largest = |row: &[f64]| (0..classes).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        // An object of kernel values predicts the most probable class; one of scikit-learn's kind may have its own rule.
        let decides = self.probabilities && !self.reads_columns;
        let shares = if decides || self.probabilities && query.want.probabilities { Some(self.shares(&inputs, classes)?) } else { None };
        let codes = match &shares {
            Some(shares) if decides => (0..shares.rows()).map(|i| largest(shares.row(i))).collect(),
            _ => self.codes(&inputs, classes)?,
        };
        let scores = if self.decisions && query.want.scores { self.answered("decisions", &inputs, classes)? } else { None };
        let probabilities = shares.filter(|_| query.want.probabilities);
        Ok(Predictions { probabilities, scores, ..Predictions::of(Predicted::Classes(codes)) })
    }
    fn summary(&self) -> &Summary {
        &self.summary
    }
    fn answer(&self, target: &TargetInfo) -> Result<Answer> {
        Answer::of_target(target, self.classes)
    }
}

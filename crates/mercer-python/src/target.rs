//! What is to be predicted: arrays of numbers or of labels, and which of the two they are.
//!
//! Labels of str and bool are classes, floats are numbers; dates are labels for an estimator that predicts nothing else. Whole numbers (also floats that are whole) are classes for
//! an estimator that predicts nothing else, numbers for one that predicts nothing else; where both are possible, ints of
//! exactly two values are classes, as when a table is read, and ints that come back are warned of. `task` decides differently.

use crate::arrays::{asarray, is_numeric, kind, numbers, shape};
use crate::cells::{Sort, is_missing};
use crate::columns::{Written, different, lose_digits, written};
use crate::errors::{data_error, guarded, raise, warn, within};
use crate::frames::is_categorical;
use mercer::data::Target;
use mercer::error::Error;
use mercer::estimators::EstimatorExpr;
use mercer::linalg::Matrix;
use mercer::metrics::{Metric, Needs};
use mercer::read::{ColumnType, Labels, ReadOptions, Table, TargetInfo, column_name};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};

/// What the target is called where it has no name.
const UNNAMED: &str = "target";

/// What the estimators in question can predict.
#[derive(Clone, Copy)]
pub(crate) struct Takes {
    classes: bool,
    numbers: bool,
}

impl Takes {
    /// What every one of them can predict; anything where there is none.
    pub(crate) fn of(estimators: &[EstimatorExpr]) -> Self {
        let classes = Target::classes(&["a", "b"]);
        let numbers = Target::numbers(&[0.0, 1.0]);
        Takes { classes: estimators.iter().all(|e| e.takes(&classes)), numbers: estimators.iter().all(|e| e.takes(&numbers)) }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Classes,
    Numbers,
}

fn asked(task: Option<&str>) -> PyResult<Option<Asked>> {
    match task {
        None => Ok(None),
        Some("classification") => Ok(Some(Asked::Classes)),
        Some("regression") => Ok(Some(Asked::Numbers)),
        Some(other) => Err(raise(Error::unknown("task", other, ["classification", "regression"]))),
    }
}

/// The target of `rows` rows. Whole numbers that come back and are taken as numbers are warned of, as they may be classes.
pub(crate) fn target(object: &Bound<'_, PyAny>, rows: usize, takes: Takes, task: Option<&str>) -> PyResult<(Target, TargetInfo)> {
    let (target, info) = taken(object, rows, takes, task)?;
    let undecided = task.is_none() && takes.classes && takes.numbers && matches!(&target, Target::Numbers(y) if y.cols() == 1);
    if undecided && matches!(kind(&asarray(object)?)?, 'i' | 'u') {
        let different = different(&asarray(object)?)?;
        if 2 * different <= rows {
            let name = &info.names[0];
            let said = format!(
                "target '{name}' has {different} different whole numbers: taken as numbers; task=\"classification\" takes them as classes"
            );
            warn(object.py(), &[said])?;
        }
    }
    Ok((target, info))
}

fn taken(object: &Bound<'_, PyAny>, rows: usize, takes: Takes, task: Option<&str>) -> PyResult<(Target, TargetInfo)> {
    refuse_name("target", object)?;
    let asked = asked(task)?.or(is_categorical(object).then_some(Asked::Classes));
    let name = object.getattr("name").ok().and_then(|n| n.extract::<String>().ok()).unwrap_or_else(|| UNNAMED.into());
    let array = asarray(object)?;
    let axes = shape(&array)?;
    if axes.first().is_none_or(|&found| found != rows) {
        let found = axes.first().copied().unwrap_or(1);
        return Err(raise(Error::Shape { what: "rows of the target".into(), expected: rows, found }));
    }
    if rows == 0 {
        return Err(data_error("there are no rows to learn from"));
    }
    match axes.as_slice() {
        [_] => {}
        [_, width] if *width > 0 && is_numeric(kind(&array)?) && asked != Some(Asked::Classes) => {
            let y = Matrix::new(rows, *width, numbers(&array)?).map_err(raise)?;
            let names = if *width == 1 { vec![name] } else { (0..*width).map(|o| format!("{name}{o}")).collect() };
            return Ok((Target::Numbers(y), TargetInfo { names, classes: None, labels: Labels::Text }));
        }
        other => return Err(data_error(format!("target: expected one label or number a row, found an array of shape {other:?}"))),
    }
    let (sort, read) = sort(&name, object, &array)?;
    let numbers = || read.as_ref().map_or_else(|| numbers(&array), |read| Ok(read.numbers.clone()));
    let classes = match (sort, asked) {
        (_, Some(Asked::Classes)) => true,
        (Sort::Date | Sort::Duration, _) if takes.numbers || sort == Sort::Duration || asked.is_some() => {
            return Err(no_numbers(&name, sort));
        }
        (Sort::Text | Sort::Label, Some(Asked::Numbers)) => {
            return Err(data_error("target: labels of str are no numbers; leave task=\"regression\" out, or give numbers"));
        }
        (_, Some(Asked::Numbers)) => false,
        (Sort::Text | Sort::Label | Sort::Date | Sort::Duration | Sort::Flag, None) => true,
        (Sort::Integer, None) => {
            let different = || read.as_ref().map_or_else(|| different(&array), |read| Ok(read.different()));
            let lose_digits = || read.as_ref().map_or_else(|| lose_digits(&array, &numbers()?), |read| Ok(read.loses_digits()));
            takes.classes && (!takes.numbers || different()? == 2 || lose_digits()?)
        }
        (Sort::Number, None) => takes.classes && !takes.numbers && whole(&numbers()?),
    };
    if !classes {
        return Ok((Target::numbers(&numbers()?), TargetInfo { names: vec![name], classes: None, labels: Labels::Text }));
    }
    let texts = match read {
        Some(read) => read.texts,
        None => labelled(&name, object, &array)?.texts,
    };
    // A str is a label, whatever it looks like: "NA", "None".
    let mut table = guarded(|| Table::of_strings("data", rows, &[(name.clone(), texts.clone())]))?;
    let as_classes = ReadOptions { types: vec![(name.clone(), ColumnType::CATEGORY)], ..ReadOptions::default() };
    let (target, info) = guarded(|| table.take_target(&[name], &as_classes))?;
    warn(object.py(), &table.into_notices())?;
    let (target, info) = as_given(target, info, &texts);
    let again = readable(sort.labels(), info.classes.as_deref().unwrap_or_default());
    Ok((target, TargetInfo { labels: if again { sort.labels() } else { Labels::Text }, ..info }))
}

/// The refusal of dates and durations where numbers are predicted.
fn no_numbers(name: &str, sort: Sort) -> PyErr {
    data_error(match sort {
        Sort::Duration => {
            format!("target '{name}' holds durations, expected numbers or labels: y / numpy.timedelta64(1, 's') makes seconds of them")
        }
        _ => format!(
            "target '{name}' holds dates, expected numbers or labels: (y - y.min()) / numpy.timedelta64(1, 'D') makes days of an array of \
             them, and task=\"classification\" takes each as a label"
        ),
    })
}

/// Classes called as their first label was given, in however many characters its letters came.
fn as_given(target: Target, info: TargetInfo, given: &[String]) -> (Target, TargetInfo) {
    let mut first = std::collections::HashMap::new();
    given.iter().filter(|label| !label.is_ascii()).for_each(|label| _ = first.entry(column_name(label)).or_insert(label));
    let own = |class: String| first.get(&class).map_or(class, |label| (*label).clone());
    match (target, info.classes.clone()) {
        (Target::Classes { codes, names }, Some(classes)) => (
            Target::Classes { codes, names: names.into_iter().map(own).collect() },
            TargetInfo { classes: Some(classes.into_iter().map(own).collect()), ..info },
        ),
        (target, _) => (target, info),
    }
}

/// A label as it is compared: of a text, its letters composed.
fn compared<'py>(label: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match label.extract::<String>() {
        Ok(text) => Ok(column_name(&text).into_pyobject(label.py())?.into_any()),
        Err(_) => Ok(label.clone()),
    }
}

/// Labels of classes as text, and what they are: int, float, bool or str; several sorts are taken as str.
pub(crate) fn named(labels: &Bound<'_, PyAny>) -> PyResult<(Vec<String>, Labels)> {
    let list = labels.call_method0("tolist").unwrap_or_else(|_| labels.clone());
    let each = list.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    let names = each.iter().map(|label| Ok(label.str()?.to_string())).collect::<PyResult<Vec<String>>>()?;
    let sort = |label: &Bound<'_, PyAny>| match () {
        () if label.is_instance_of::<PyBool>() => Labels::Flag,
        () if label.is_instance_of::<PyInt>() => Labels::Integer,
        () if label.is_instance_of::<PyFloat>() => Labels::Number,
        () => Labels::Text,
    };
    let first = each.first().map_or(Labels::Text, sort);
    let alike = each.iter().all(|label| sort(label) == first) && readable(first, &names);
    Ok((names, if alike { first } else { Labels::Text }))
}

/// Whether names of labels can be made labels again.
fn readable(sort: Labels, names: &[String]) -> bool {
    match sort {
        Labels::Integer => names.iter().all(|name| name.parse::<i64>().is_ok()),
        Labels::Number => names.iter().all(|name| name.parse::<f64>().is_ok()),
        Labels::Text | Labels::Flag => true,
    }
}

/// No target of so many rows.
pub(crate) fn absent(rows: usize) -> (Target, TargetInfo) {
    (Target::Absent { rows }, TargetInfo { names: Vec::new(), classes: None, labels: Labels::Text })
}

/// Classes by their codes: 0 is the first of the names.
pub(crate) fn coded(object: &Bound<'_, PyAny>, rows: usize, names: Vec<String>, labels: Labels) -> PyResult<(Target, TargetInfo)> {
    let codes: Vec<usize> = asarray(object)?.call_method0("tolist")?.extract()?;
    if codes.len() != rows {
        return Err(raise(Error::Shape { what: "rows of the target".into(), expected: rows, found: codes.len() }));
    }
    if let Some(row) = codes.iter().position(|&code| code >= names.len()) {
        return Err(data_error(format!("target: row {} has the code {} and there are {} classes", row + 1, codes[row], names.len())));
    }
    let info = TargetInfo { names: vec![UNNAMED.into()], classes: Some(names.clone()), labels };
    Ok((Target::Classes { codes, names }, info))
}

/// The target of a fit once more: codes of the classes, or numbers where there are none.
pub(crate) fn known(object: &Bound<'_, PyAny>, rows: usize, classes: Option<&[String]>) -> PyResult<(Target, TargetInfo)> {
    match classes {
        Some(names) => coded(object, rows, names.to_vec(), Labels::Text),
        None => target(object, rows, Takes { classes: false, numbers: true }, Some("regression")),
    }
}

/// The target of rows that a model predicts: classes by their place among its own, numbers as they are. Labels that the model
/// does not know follow its own, and no prediction of them is correct; where it knows none of them, they are another target.
pub(crate) fn judged(object: &Bound<'_, PyAny>, rows: usize, info: &TargetInfo, metric: Option<Metric>) -> PyResult<Target> {
    // Classes that a message names.
    const NAMED: usize = 8;
    let Some(names) = &info.classes else {
        return target(object, rows, Takes { classes: false, numbers: true }, Some("regression")).map(|(target, _)| target);
    };
    let py = object.py();
    let places = PyDict::new(py);
    for (code, label) in labels(py, info)?.call_method0("tolist")?.try_iter()?.enumerate() {
        places.set_item(compared(&label?)?, code)?;
    }
    let mut names = names.clone();
    let mut codes = Vec::with_capacity(rows);
    for label in asarray(object)?.call_method0("tolist")?.try_iter()? {
        let label = label?;
        let known = compared(&label)?;
        codes.push(match places.get_item(&known)? {
            Some(code) => code.extract()?,
            None => {
                if let Some(metric) = metric.filter(|m| m.needs() != Needs::Nothing) {
                    let why = "which the model does not know, and hence no probability of";
                    return Err(data_error(format!(
                        "target: row {} holds {label}, {why}: {} has no value",
                        codes.len() + 1,
                        metric.name()
                    )));
                }
                places.set_item(&known, names.len())?;
                names.push(label.str()?.to_string());
                names.len() - 1
            }
        });
    }
    if codes.len() != rows {
        return Err(raise(Error::Shape { what: "rows of the target".into(), expected: rows, found: codes.len() }));
    }
    let own = info.classes.as_deref().unwrap_or_default();
    if let Some(first) = codes.first().filter(|_| codes.iter().all(|&code| code >= own.len())) {
        let (theirs, ours) = (asarray(object)?.getattr("dtype")?.str()?, labels(py, info)?);
        let some: Vec<String> = own.iter().take(NAMED).cloned().collect();
        return Err(data_error(format!(
            "target: the model knows none of these labels: the first is '{}' ({theirs}), and it learnt {}{} ({})",
            names[*first],
            some.join(", "),
            if own.len() > NAMED { ", ..." } else { "" },
            ours.getattr("dtype")?.str()?
        )));
    }
    Ok(Target::Classes { codes, names })
}

/// The target of rows on which models are scored beside their folds: as [`judged`], with no class that training lacks.
pub(crate) fn tested(object: &Bound<'_, PyAny>, rows: usize, info: &TargetInfo) -> PyResult<Target> {
    if object.is_none() {
        return Err(data_error("the rows have no target"));
    }
    let target = judged(object, rows, info, None)?;
    let (Target::Classes { codes, names }, Some(own)) = (&target, &info.classes) else { return Ok(target) };
    let Some(row) = codes.iter().position(|&code| code >= own.len()) else { return Ok(target) };
    Err(data_error(match is_missing(&asarray(object)?.get_item(row)?)? {
        true => format!("target: row {} has no value; leave the row out", row + 1),
        false => format!("target: row {} holds '{}', expected one of the classes {}", row + 1, names[codes[row]], own.join(", ")),
    }))
}

/// Refuses the name of a column where an array is expected: an array of text has an axis more.
fn refuse_name(what: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    match object.extract::<String>() {
        Ok(name) => Err(data_error(format!(
            "{what}: found the text '{name}', expected an array with one entry a row; of a frame that is frame[\"{name}\"]"
        ))),
        Err(_) => Ok(()),
    }
}

/// Groups of rows: equal labels are one group.
pub(crate) fn groups(object: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<usize>> {
    refuse_name("groups", object)?;
    let texts = labelled("groups", object, &asarray(object)?)?.texts;
    Table::of_strings("groups", rows, &[("groups".into(), texts)]).and_then(|mut table| table.take_groups("groups")).map_err(raise)
}

/// The group of each row, as text.
pub(crate) fn group_labels(object: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<String>> {
    refuse_name("groups", object)?;
    let texts = labelled("groups", object, &asarray(object)?)?.texts;
    Error::unless_equal("rows of the groups", rows, texts.len()).map_err(raise)?;
    Ok(texts)
}

/// Times of rows: numbers, or dates as ISO text (`datetime64` is written so).
pub(crate) fn times(object: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<f64>> {
    refuse_name("time", object)?;
    let texts = labelled("time", object, &asarray(object)?)?.texts;
    Table::of_cells("time", rows, &[("time".into(), texts)]).and_then(|table| table.times("time", &ReadOptions::default())).map_err(raise)
}

/// Labels as text; a fault names what they are of.
fn labelled(name: &str, object: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Written> {
    written(object, array).map_err(|e| within(object.py(), &format!("column '{name}'"), e))
}

/// What the labels are, and how they were read where they are no array of numbers.
fn sort(name: &str, object: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<(Sort, Option<Written>)> {
    Ok(match kind(array)? {
        'b' => (Sort::Flag, None),
        'i' | 'u' => (Sort::Integer, None),
        'f' => (Sort::Number, None),
        _ => {
            let read = labelled(name, object, array)?;
            (read.sort, Some(read))
        }
    })
}

fn whole(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.fract() == 0.0)
}

/// The classes of a model as they were given: an array of str, int64, float64 or bool.
pub(crate) fn labels<'py>(py: Python<'py>, info: &TargetInfo) -> PyResult<Bound<'py, PyAny>> {
    let names: &[String] = info.classes.as_deref().unwrap_or_default();
    let array = |list: Bound<'py, PyAny>, dtype: &str| py.import("numpy")?.call_method1("array", (list, dtype));
    match info.labels {
        Labels::Text => array(names.into_pyobject(py)?.into_any(), "str"),
        Labels::Flag => array(names.iter().map(|n| n == "True").collect::<Vec<_>>().into_pyobject(py)?.into_any(), "bool"),
        Labels::Integer => {
            let whole = names.iter().map(|n| n.parse::<i64>().unwrap_or_default()).collect::<Vec<_>>();
            array(whole.into_pyobject(py)?.into_any(), "int64")
        }
        Labels::Number => {
            let numbers = names.iter().map(|n| n.parse::<f64>().unwrap_or(f64::NAN)).collect::<Vec<_>>();
            array(numbers.into_pyobject(py)?.into_any(), "float64")
        }
    }
}

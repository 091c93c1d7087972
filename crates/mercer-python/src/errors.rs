//! Errors of the library as the exception classes of `mercer.errors`, by their kind.

use crate::work::alone;
use mercer::control::contain;
use mercer::error::{Error, ErrorKind, Result};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::collections::HashSet;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

const MODULE: &str = "mercer.errors";

/// The exception that says an error of the library.
pub(crate) fn raise(error: Error) -> PyErr {
    let class = match (&error, error.kind()) {
        (Error::Cancelled, _) => return PyKeyboardInterrupt::new_err(()),
        (_, ErrorKind::Expression) => "ExpressionError",
        (_, ErrorKind::Data) => "DataError",
        (_, ErrorKind::Resource) => "ResourceError",
        (_, ErrorKind::ModelFile) => "ModelFileError",
        (_, ErrorKind::Internal) => "InternalError",
    };
    let said = error.to_string();
    let exception = exception(class, spoken(&said));
    if let Some(cause) = cause_of(&said) {
        Python::attach(|py| exception.set_cause(py, Some(cause)));
    }
    exception
}

/// What functions and classes of the user have raised, with the words that errors of the library hold of it: the last few.
static CAUSES: Mutex<Vec<(String, PyErr)>> = Mutex::new(Vec::new());

/// Keeps what Python raised, to be the cause of an error of the library that holds these words.
pub(crate) fn keep_cause(said: &str, error: &PyErr) {
    // Exceptions that are kept, with the frames of their tracebacks, until they are raised.
    const KEPT: usize = 8;
    let error = Python::attach(|py| error.clone_ref(py));
    let mut causes = CAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    if causes.len() == KEPT {
        causes.remove(0);
    }
    causes.push((said.to_owned(), error));
}

/// The exception behind an error of the library; it is taken out.
fn cause_of(said: &str) -> Option<PyErr> {
    let mut causes = CAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = causes.iter().rposition(|(words, _)| said.contains(words.as_str()))?;
    Some(causes.remove(place).1)
}

/// Calls the library on the thread of Python: its error, or a panic in it, is an exception.
pub(crate) fn guarded<R>(call: impl FnOnce() -> Result<R>) -> PyResult<R> {
    alone();
    contain("a call", call).map_err(raise)
}

/// A fault of what was given.
pub(crate) fn data_error(message: impl Into<String>) -> PyErr {
    raise(Error::Data(message.into()))
}

/// Adds the location to a DataError; other errors are unchanged.
pub(crate) fn within(py: Python<'_>, place: &str, error: PyErr) -> PyErr {
    let is_ours = error.get_type(py).name().is_ok_and(|name| name == "DataError");
    if is_ours { data_error(format!("{place}: {}", error.value(py))) } else { error }
}

/// A fault of ours.
pub(crate) fn internal_error(message: impl Into<String>) -> PyErr {
    raise(Error::Internal { what: "mercer".into(), why: message.into() })
}

fn exception(class: &str, message: String) -> PyErr {
    Python::attach(|py| match py.import(MODULE).and_then(|m| m.getattr(class)).and_then(|c| Ok(c.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message),
        Err(failed) => failed,
    })
}

/// A message of the library as Python says it. Options of the command line are keywords: `--types age=category` is
/// `types={"age": "category"}`, `--gram id=FILE` is `gram={"id": K}`. A row and a column have their index beside their number.
pub(crate) fn spoken(message: &str) -> String {
    let message = indexed(&indexed(message, "row "), "column ");
    // A target that is missing is left out by the one who gives it.
    let message = match message.split_once(", or leave out such rows (--missing ") {
        Some((before, after)) => format!("{before}{}", after.split_once(')').map_or("", |(_, after)| after)),
        None => message,
    };
    let message = keyword(&message, "--types ", "types=", |word| format!("\"{word}\""));
    let message = keyword(&message, "--missing ", "missing=", |word| format!("\"{word}\""));
    let message = keyword(&message, "--gram ", "gram=", |_| "K".into());
    let plain = [
        ("--types", "types="),
        ("--target", "target"),
        ("--missing", "missing="),
        ("--groups", "groups="),
        ("--na=", "na="),
        ("--na '", "na='"),
        ("(--na)", "(na)"),
        ("--na ", "na "),
        ("--no-header", "header=False"),
        ("--skip ", "skip="),
        ("--no-standardise", "standardise=False"),
        ("--folds ", "folds="),
        ("--metric ", "metric="),
        ("--estimators ", "estimators="),
        ("--probabilities", "probabilities=True"),
        ("--thorough", "effort=None"),
        ("--effort (0.1 to 10)", "effort="),
        ("(--effort)", "(effort)"),
        ("--kernel '", "kernel='"),
        (" (--max-seconds)", ""),
        (" (--costs)", ""),
        (" (--allow-non-mercer)", ""),
        (" (--kernel)", ""),
        (" (--sample)", ""),
        ("--weights ", "weights="),
        (" (--max-memory)", ""),
        ("--json and --report", "json() and to_html()"),
        ("--decimal ", "decimal="),
        ("--encoding ", "encoding="),
        ("--encoding", "encoding="),
        ("--delimiter", "delimiter="),
    ];
    plain.iter().fold(message, |said, (option, keyword)| said.replace(option, keyword))
}

/// `row 2` as `row 2 (index 1)`: the library counts from 1, Python from 0. A name in quotes is left as it is.
fn indexed(message: &str, word: &str) -> String {
    let (mut out, mut rest) = (String::new(), message);
    while let Some(at) = rest.find(word) {
        let (before, after) = rest.split_at(at + word.len());
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, left) = after.split_at(digits);
        out.push_str(before);
        out.push_str(number);
        let begins = !before[..at].ends_with(|c: char| c.is_alphanumeric() || c == '\'');
        let ends = !left.starts_with(" (index ") && !left.starts_with(|c: char| c.is_alphanumeric());
        if let (true, Some(index)) = (begins && ends, number.parse::<usize>().ok().and_then(|n| n.checked_sub(1))) {
            out.push_str(&format!(" (index {index})"));
        }
        rest = left;
    }
    out + rest
}

/// An option followed by `COLUMN=WORD` as a keyword whose value is a dict.
fn keyword(message: &str, option: &str, keyword: &str, value: impl Fn(&str) -> String) -> String {
    let mut parts = message.split(option);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // What a shell needs quoted stands in quotes: 'order id=ignore'.
        let quoted = part.strip_prefix('\'').and_then(|part| part.split_once('\''));
        let (said, rest) = quoted.unwrap_or_else(|| part.split_at(part.find([' ', ',', ';', ')']).unwrap_or(part.len())));
        match said.rsplit_once('=') {
            Some((column, word)) => {
                let column = column.trim_matches('"');
                out.push_str(&format!("{keyword}{{\"{column}\": {}}}{rest}", value(word)));
            }
            None => out.push_str(&format!("{keyword}{part}")),
        }
    }
    out
}

/// Notices shown already.
#[derive(Default)]
pub(crate) struct Reported(Mutex<HashSet<String>>);

impl Reported {
    /// The notices whose subject was not noticed before; each comes with its subject.
    pub(crate) fn new_of<N>(&self, notices: Vec<(String, N)>) -> Vec<N> {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notices.into_iter().filter(|(what, _)| reported.insert(what.clone())).map(|(_, notice)| notice).collect()
    }

    /// The notices not shown before, neither without nor with a hint at their end.
    pub(crate) fn new_among(&self, mut notices: Vec<String>) -> Vec<String> {
        let is_known = |notice: &str| {
            let reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            reported.iter().any(|known| known.starts_with(notice))
        };
        notices.retain(|notice| !is_known(&spoken(notice)));
        self.new_of(notices.into_iter().map(|notice| (spoken(&notice), notice)).collect())
    }

    /// The notices shown, to be stored.
    pub(crate) fn all(&self) -> Vec<String> {
        let mut all: Vec<String> = self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect();
        all.sort();
        all
    }

    /// The notices shown, as stored.
    pub(crate) fn of(reported: impl IntoIterator<Item = String>) -> Self {
        Reported(Mutex::new(reported.into_iter().collect()))
    }
}

/// Warns of each notice once, by `mercer.errors.MercerWarning`; the calling frame is the one of Python that called us.
pub(crate) fn warn<N: PartialEq + Display>(py: Python<'_>, notices: &[N]) -> PyResult<()> {
    if notices.is_empty() {
        return Ok(());
    }
    let class = py.import(MODULE)?.getattr("MercerWarning")?;
    for (i, notice) in notices.iter().enumerate() {
        if !notices[..i].contains(notice) {
            py.import("warnings")?.call_method1("warn", (spoken(&notice.to_string()), &class, 1))?;
        }
    }
    Ok(())
}

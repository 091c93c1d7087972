//! Kernels written in Python: functions of two batches that stand in expressions by the names that they are registered by.

use crate::arrays::{asarray, kind, numbers, shape};
use crate::errors::{data_error, guarded};
use crate::kernel::Kernel;
use crate::own_model::inputs;
use crate::own_objects::{Object, raised};
use mercer::data::{Arity, ColumnKind, Dataset};
use mercer::error::{Error, Result};
use mercer::expr::Term;
use mercer::kernels::{KernelEntry, KernelExpr, KernelFunction, register_function};
use mercer::linalg::Matrix;
use mercer::param::{Domain, Param};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// The Python part: functions by their names.
const MODULE: &str = "mercer.kernels";

/// A function of two batches.
struct OwnKernel {
    entry: KernelEntry,
    function: Object,
    diagonal: Option<Object>,
    /// The one kind of column that it takes; `None`: any.
    kind: Option<ColumnKind>,
    mercer: bool,
}

fn leaked(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

/// A parameter as it was registered: name, sort, default, words to choose from.
type Record = (String, String, String, Vec<String>);

fn param((name, sort, _, words): &Record, positive: bool) -> Param {
    // A parameter that is `auto` is searched within this factor of its default.
    const SPAN: f64 = 100.0;
    let domain = match sort.as_str() {
        "integer" => Domain::Integer(0, usize::MAX),
        "flag" => Domain::Flag,
        "choice" => Domain::Choice(Vec::leak(words.iter().map(|word| leaked(word)).collect())),
        _ => Domain::Real,
    };
    let (name, doc) = (leaked(name), "a parameter of the function");
    if positive { Param::searched(name, doc, domain, SPAN) } else { Param::fixed(name, doc, domain) }
}

/// Makes a function a kernel of expressions. Called by `mercer.kernels.register`.
#[pyfunction]
#[pyo3(signature = (name, function, parameters, *, inputs, mercer, as_is, diagonal, doc))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn register_kernel(
    name: &str,
    function: Py<PyAny>,
    parameters: Vec<Record>,
    inputs: &str,
    mercer: bool,
    as_is: bool,
    diagonal: Option<Py<PyAny>>,
    doc: &str,
) -> PyResult<()> {
    let kind = match inputs {
        "any" => None,
        word => {
            let known: Vec<ColumnKind> = ColumnKind::ALL.iter().copied().filter(|kind| *kind != ColumnKind::Similarities).collect();
            let names = || known.iter().map(|kind| kind.name()).chain(["any"]).collect::<Vec<_>>().join(", ");
            let found = known.iter().find(|kind| kind.name() == word);
            Some(*found.ok_or_else(|| data_error(format!("inputs: expected one of {}, found {word:?}", names())))?)
        }
    };
    let takes = match kind {
        None => "columns of any kind".to_owned(),
        Some(ColumnKind::Number | ColumnKind::Points) => "number columns".to_owned(),
        Some(kind) => format!("one column of {}", kind.holds()),
    };
    let is_positive = |(_, sort, default, _): &Record| sort == "number" && default.parse::<f64>().is_ok_and(|x| x > 0.0);
    let params: Vec<Param> = parameters.iter().map(|record| param(record, is_positive(record))).collect();
    let defaults: Vec<&'static str> = parameters.iter().map(|(_, _, default, _)| leaked(default)).collect();
    let (params, defaults) = (Vec::leak(params), Vec::leak(defaults));
    let entry = KernelEntry::of_function(leaked(name), leaked(doc), leaked(&takes), as_is, params, defaults);
    let kernel = OwnKernel { entry, function: Object::of(function), diagonal: diagonal.map(Object::of), kind, mercer };
    guarded(|| register_function(Arc::new(kernel)))
}

/// Names of the functions of the program in a kernel expression.
#[pyfunction]
pub(crate) fn functions_in(kernel: &Kernel) -> Vec<&'static str> {
    kernel.expr.functions()
}

/// What makes the functions of an expression known in another process; None where it has none.
pub(crate) fn registrations<'py>(py: Python<'py>, kernel: &KernelExpr) -> PyResult<Option<Bound<'py, PyAny>>> {
    let names = kernel.functions();
    if names.is_empty() {
        return Ok(None);
    }
    py.import(MODULE)?.call_method1("_registrations", (PyList::new(py, names)?,)).map(Some)
}

/// Makes functions known that came with a pickle.
pub(crate) fn restore(functions: &Bound<'_, PyAny>) -> PyResult<()> {
    if !functions.is_none() {
        functions.py().import(MODULE)?.call_method1("_restore", (functions,))?;
    }
    Ok(())
}

/// The kernel that a function is registered as; None for anything else.
pub(crate) fn registered(object: &Bound<'_, PyAny>) -> PyResult<Option<KernelExpr>> {
    if !object.is_callable() || object.is_instance_of::<Kernel>() {
        return Ok(None);
    }
    name_of(object)?.map(|name| guarded(|| KernelExpr::parse(&name))).transpose()
}

/// The refusal of what is no kernel.
pub(crate) fn refused(object: &Bound<'_, PyAny>) -> PyErr {
    let found = object.get_type().name().map_or_else(|_| "something else".into(), |n| n.to_string());
    let fix = if object.is_callable() {
        "; mercer.kernels.register(function) makes a function of two batches a kernel of expressions, models and comparisons"
    } else {
        ""
    };
    data_error(format!("kernel: expected a Kernel or an expression in a str, found {found}{fix}"))
}

/// The other operand of a sum or a product, where it is a kernel.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Option<KernelExpr>> {
    match object.cast::<Kernel>() {
        Ok(kernel) => Ok(Some(kernel.get().expr.clone())),
        Err(_) => registered(object),
    }
}

/// The name by which a function is registered, where it is.
fn name_of(function: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    function.py().import(MODULE)?.call_method1("_name_of", (function,))?.extract()
}

impl OwnKernel {
    /// The parameters as keywords.
    fn keywords<'py>(py: Python<'py>, arguments: &[(&'static Param, Term)]) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (param, term) in arguments {
            match (param.domain, term) {
                (Domain::Flag, term) => all.set_item(param.name, term.word() == Some("true"))?,
                (Domain::Integer(..), Term::Number(x)) => all.set_item(param.name, *x as i64)?,
                (_, Term::Number(x)) => all.set_item(param.name, *x)?,
                (_, Term::List(list)) => {
                    let numbers: Vec<f64> = list.iter().filter_map(|t| if let Term::Number(x) = t { Some(*x) } else { None }).collect();
                    all.set_item(param.name, crate::arrays::from_vec(py, numbers))?;
                }
                (_, term) => all.set_item(param.name, term.word().unwrap_or_default())?,
            }
        }
        Ok(all)
    }

    /// The numbers that an object returned, with the lengths of its axes.
    fn numbers(said: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
        let dense = if said.hasattr("toarray")? { said.call_method0("toarray")? } else { said.clone() };
        let array = asarray(&dense)?;
        if !matches!(kind(&array)?, 'b' | 'i' | 'u' | 'f') {
            return Err(data_error(format!("expected an array of numbers, found one of {}", array.getattr("dtype")?)));
        }
        let lengths = shape(&array)?;
        let values = if lengths.contains(&0) { Vec::new() } else { numbers(&array)? };
        Ok((lengths, values))
    }
}

impl KernelFunction for OwnKernel {
    fn entry(&self) -> KernelEntry {
        self.entry
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        match self.kind {
            None => kind != ColumnKind::Similarities,
            Some(ColumnKind::Number | ColumnKind::Points) => matches!(kind, ColumnKind::Number | ColumnKind::Points),
            Some(own) => own == kind,
        }
    }
    fn arity(&self) -> Arity {
        match self.kind {
            None | Some(ColumnKind::Number | ColumnKind::Points) => Arity::Some,
            Some(_) => Arity::One,
        }
    }
    fn is_declared_mercer(&self) -> bool {
        self.mercer
    }
    fn values(&self, arguments: &[(&'static Param, Term)], rows: &Dataset, columns: &Dataset) -> Result<Matrix> {
        let (name, expected) = (self.entry.name, [rows.rows(), columns.rows()]);
        let ask = |py: Python<'_>| -> PyResult<Matrix> {
            let x = inputs(py, rows)?;
            let z = if std::ptr::eq(rows, columns) { x.clone() } else { inputs(py, columns)? };
            let said = self.function.bind(py).call((x, z), Some(&Self::keywords(py, arguments)?))?;
            let (found, values) = Self::numbers(&said)?;
            if found != expected {
                return Err(data_error(format!(
                    "expected an array of {} x {} kernel values, found one of shape {found:?}",
                    expected[0], expected[1]
                )));
            }
            guarded(|| Matrix::new(expected[0], expected[1], values))
        };
        Python::attach(ask).map_err(|error| raised(&format!("the kernel {name}"), &error))
    }
    fn diagonal(&self, arguments: &[(&'static Param, Term)], rows: &Dataset) -> Result<Vec<f64>> {
        // Rows of the squares out of which k(x, x) is taken where no function gives it.
        const SQUARE: usize = 8;
        let Some(diagonal) = &self.diagonal else {
            let mut squares = Vec::with_capacity(rows.rows());
            for start in (0..rows.rows()).step_by(SQUARE) {
                let some = rows.select(&(start..rows.rows().min(start + SQUARE)).collect::<Vec<_>>());
                squares.extend(self.values(arguments, &some, &some)?.diagonal());
            }
            return Ok(squares);
        };
        let ask = |py: Python<'_>| -> PyResult<Vec<f64>> {
            let said = diagonal.bind(py).call((inputs(py, rows)?,), Some(&Self::keywords(py, arguments)?))?;
            let (found, values) = Self::numbers(&said)?;
            match found[..] {
                [n] if n == rows.rows() => Ok(values),
                _ => Err(data_error(format!("expected {} numbers, one a row, found an array of shape {found:?}", rows.rows()))),
            }
        };
        let name = self.entry.name;
        Python::attach(ask).map_err(|error: PyErr| -> Error { raised(&format!("the diagonal of the kernel {name}"), &error) })
    }
}

//! Parameters whose value is an expression of another list: the model in `fisher(gaussian(covariance=full))`.

use super::{Domain, Param, Value, find};
use crate::error::{Error, Result};
use crate::expr::Term;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use std::fmt;

/// An expression of a list that parameters may hold.
pub trait NestedTerm: Serialize + DeserializeOwned {
    /// What such an expression is, in words with an article.
    const WHAT: &'static str;
    /// Reads an expression.
    ///
    /// # Errors
    /// A term that is none; an unknown name or parameter, a value outside its domain.
    fn from_term(term: &Term) -> Result<Self>;
    /// The expression as a term, as it is printed.
    fn term(&self) -> Term;
    /// Every numeric parameter of the expression with its path in it.
    fn numbers(&self) -> Vec<NumericSetting>;
    /// Sets a numeric parameter of the expression by its path.
    ///
    /// # Errors
    /// An unknown path, a value outside the domain.
    fn set(&mut self, path: &str, value: &Value) -> Result<()>;
    /// The names of the list, with one of which an expression begins.
    fn names() -> Vec<&'static str>;
}

/// The list that a parameter takes its value from.
#[derive(Clone, Copy)]
pub struct TermList {
    what: &'static str,
    names: fn() -> Vec<&'static str>,
    read: fn(&Term) -> Result<Json>,
    print: fn(&Json) -> Option<Term>,
    numbers: fn(&Json) -> Vec<NumericSetting>,
    set: fn(&Json, &str, &Value) -> Result<Json>,
}

impl TermList {
    /// The list of an expression type.
    pub const fn of<T: NestedTerm>() -> TermList {
        TermList { what: T::WHAT, names: T::names, read: read::<T>, print: print::<T>, numbers: numbers_of::<T>, set: set_in::<T> }
    }

    /// The names of the list, with one of which a value begins.
    pub fn names(&self) -> Vec<&'static str> {
        (self.names)()
    }
    pub(super) fn read(&self, term: &Term) -> Result<Json> {
        (self.read)(term)
    }
    pub(super) fn print(&self, stored: &Json) -> Option<Term> {
        (self.print)(stored)
    }
}

/// One list has one kind of expression.
impl PartialEq for TermList {
    fn eq(&self, other: &Self) -> bool {
        self.what == other.what
    }
}

impl fmt::Debug for TermList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for TermList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.names().join(", "))
    }
}

fn fault(error: serde_json::Error) -> Error {
    Error::Data(error.to_string())
}

fn read<T: NestedTerm>(term: &Term) -> Result<Json> {
    serde_json::to_value(T::from_term(term)?).map_err(fault)
}

fn print<T: NestedTerm>(stored: &Json) -> Option<Term> {
    T::deserialize(stored).ok().map(|nested| nested.term())
}

fn numbers_of<T: NestedTerm>(stored: &Json) -> Vec<NumericSetting> {
    T::deserialize(stored).map(|nested| nested.numbers()).unwrap_or_default()
}

fn set_in<T: NestedTerm>(stored: &Json, path: &str, value: &Value) -> Result<Json> {
    let mut nested = T::deserialize(stored).map_err(fault)?;
    nested.set(path, value)?;
    serde_json::to_value(nested).map_err(fault)
}

/// A numeric parameter of an owner or of an expression that one of its parameters holds.
#[derive(Clone, Debug)]
pub struct NumericSetting {
    /// Names from the owner down, joined by dots: `length_scale`, `model.gaussian.variance`.
    pub path: String,
    /// The record of the parameter.
    pub param: &'static Param,
    /// The value of the parameter.
    pub value: Value,
}

impl NumericSetting {
    /// This setting as one of an expression that a parameter of this name holds.
    #[must_use]
    pub fn below(self, name: &str) -> Self {
        NumericSetting { path: format!("{name}.{}", self.path), ..self }
    }
}

/// Every numeric parameter, those of nested expressions where these stand.
pub(crate) fn numbers<T: Serialize>(object: &T, params: &'static [Param]) -> Vec<NumericSetting> {
    let own = super::values(object, params).into_iter();
    let mut own = own.map(|(param, value)| NumericSetting { path: param.name.to_owned(), param, value }).peekable();
    let stored = if params.iter().any(|p| matches!(p.domain, Domain::Term(_))) {
        serde_json::to_value(object).unwrap_or_default()
    } else {
        Json::Null
    };
    let mut all = Vec::new();
    for param in params {
        match param.domain {
            Domain::Term(list) => all.extend((list.numbers)(&stored[param.name]).into_iter().map(|nested| nested.below(param.name))),
            _ => all.extend(own.next_if(|setting| setting.path == param.name)),
        }
    }
    all
}

/// Sets a numeric parameter by its path, its domain checked.
pub(crate) fn set_at<T: Serialize + DeserializeOwned>(
    object: &mut T,
    owner: &str,
    params: &'static [Param],
    path: &str,
    value: &Value,
) -> Result<()> {
    let nested = path.split_once('.').map(|(name, rest)| find(owner, params, &[], name).map(|param| (param, rest))).transpose()?;
    match nested {
        Some((Param { name, domain: Domain::Term(list), .. }, rest)) => {
            let stored = serde_json::to_value(&*object).map_err(fault)?;
            super::edit(object, owner, name, (list.set)(&stored[*name], rest, value)?)
        }
        _ => super::set(object, owner, params, path, value),
    }
}

/// An error that names the first parameter, of the owner or of a nested expression, that is not settled or, which only a damaged
/// file brings about, not in its domain.
pub(crate) fn require_settled<T: Serialize>(object: &T, owner: &str, params: &'static [Param]) -> Result<()> {
    super::require_own_settled(object, owner, params)?;
    for NumericSetting { path, param, value } in numbers(object, params).into_iter().filter(|setting| setting.path.contains('.')) {
        param.domain.check(owner, &path, &value)?;
        let is_learnt = param.learnt && value == Value::Auto;
        if !is_learnt && !value.is_settled() {
            return Err(Error::Unsettled { owner: owner.into(), name: path, value: value.to_string() });
        }
    }
    Ok(())
}

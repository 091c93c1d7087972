//! Parameters whose value is an expression of another list: the model in `fisher(gaussian(covariance=full))`.

use super::{Param, Value};
use std::fmt;

/// The list that a parameter takes its value from.
#[derive(Clone, Copy)]
pub struct TermList {
    /// What an expression of it is, in words with an article.
    what: &'static str,
    names: fn() -> Vec<&'static str>,
}

impl TermList {
    /// A list of expressions: what one is, in words with an article, and the names with one of which it begins.
    pub const fn new(what: &'static str, names: fn() -> Vec<&'static str>) -> TermList {
        TermList { what, names }
    }

    /// The names of the list, with one of which a value begins.
    pub fn names(&self) -> Vec<&'static str> {
        (self.names)()
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

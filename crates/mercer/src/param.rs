//! Parameter records: what a kernel or an estimator lets the user set, and what may be written there.
//!
//! A record (name, domain, meaning, search range) is written once, beside the field that it is of; the expression parser, the checks, the
//! search, the command line, Python and the docs all read it. An owner is a plain struct, and [`Parameters`] gives its fields one by one.

mod access;
mod elsewhere;
mod fields;
pub(crate) mod named;
mod nested;
mod setting;

pub(crate) use access::{
    build, call, fill, find, given, numbers, require_settled, set, set_at, set_word, settle_from_defaults, terms, written,
};
pub use fields::{Choice, OfOneDomain, ParameterValue, Parameters};
pub use mercer_derive::{Choice, Parameters};
pub use nested::{NumericSetting, TermList};
pub use setting::auto;
#[cfg(test)]
pub(crate) use setting::tests::set_one_by_one;

use crate::error::{Error, Result};
use crate::expr::{Short, Term};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number as a user may write it: `2.5`, `auto`, `0.1..10`, or one number per column `[1, 2]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// To be settled from the training data.
    Auto,
    /// Settled.
    Number(f64),
    /// To be searched between two ends, on a logarithmic scale where both are positive.
    Range(f64, f64),
    /// Settled, one number per column.
    List(Vec<f64>),
}

impl Value {
    /// The number, or NaN if it is not settled (binding a kernel and fitting check that first).
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(x) => *x,
            Value::List(v) if v.len() == 1 => v[0],
            _ => f64::NAN,
        }
    }
    /// The number rounded to an integer.
    pub fn integer(&self) -> usize {
        self.number().round() as usize
    }
    /// The numbers: one, or one per column.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Value::Number(x) => std::slice::from_ref(x),
            Value::List(v) => v,
            _ => &[],
        }
    }
    /// The value with every number replaced by `f` of it; the ends of a range change places where `f` falls.
    fn map(&self, f: impl Fn(f64) -> f64) -> Value {
        match self {
            Value::Auto => Value::Auto,
            Value::Number(x) => Value::Number(f(*x)),
            Value::Range(a, b) => Value::Range(f(*a).min(f(*b)), f(*a).max(f(*b))),
            Value::List(v) => Value::List(v.iter().map(|x| f(*x)).collect()),
        }
    }
    /// The value with its numbers cut to `digits` significant digits, for reading.
    pub fn rounded(&self, digits: usize) -> Value {
        self.map(|x| format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x))
    }
    /// Whether nothing is left to choose.
    pub fn is_settled(&self) -> bool {
        matches!(self, Value::Number(_) | Value::List(_))
    }
    /// Whether every number that it is or may become under a search lies between two ends, which count; what is `auto`
    /// becomes what its owner takes it to be.
    pub fn lies_within(&self, low: f64, high: f64) -> bool {
        match self {
            Value::Auto => true,
            Value::Range(a, b) => low <= *a && *b <= high,
            settled => settled.numbers().iter().all(|x| (low..=high).contains(x)),
        }
    }
    /// `auto` becomes `start`, a range becomes `start` moved into it, a number stays.
    pub fn settle(&self, start: f64) -> Value {
        self.settle_by(|| start)
    }
    /// Settles the value with a start that is computed only where one is needed: `auto` and ranges.
    pub(crate) fn settle_by(&self, start: impl FnOnce() -> f64) -> Value {
        match self {
            Value::Auto => Value::Number(start()),
            // Ends that are the wrong way round are refused elsewhere.
            Value::Range(low, high) => Value::Number(start().max(*low).min(*high)),
            v => v.clone(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Auto => write!(f, "auto"),
            Value::Number(x) => write!(f, "{}", Short(*x)),
            Value::Range(a, b) => write!(f, "{}..{}", Short(*a), Short(*b)),
            Value::List(v) => {
                write!(f, "[")?;
                for (i, x) in v.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, Short(*x))?;
                }
                write!(f, "]")
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        // The domain belongs to the parameter, not to the value: it is checked where a parameter is set.
        crate::expr::parse(&text).and_then(|t| Value::of(&t, Domain::Real, "value", "value")).map_err(serde::de::Error::custom)
    }
}

impl Value {
    /// A term of an expression as a value of the given domain.
    pub(crate) fn from_term(term: &Term, owner: &str, name: &str, domain: Domain) -> Result<Value> {
        let value = Self::of(term, domain, owner, name)?;
        domain.check(owner, name, &value)?;
        Ok(value)
    }

    /// A term as a value, whatever its size; the rest is for the message where it is no value at all.
    fn of(term: &Term, domain: Domain, owner: &str, name: &str) -> Result<Value> {
        Ok(match term {
            Term::Number(x) => Value::Number(*x),
            Term::Auto => Value::Auto,
            Term::Range(a, b) => Value::Range(*a, *b),
            Term::List(list) => Value::List(
                list.iter()
                    .map(|t| match t {
                        Term::Number(x) => Ok(*x),
                        other => Err(domain.refuse(owner, name, &other.to_string())),
                    })
                    .collect::<Result<_>>()?,
            ),
            other => return Err(domain.refuse(owner, name, &other.to_string())),
        })
    }
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Any finite number.
    Real,
    /// Above 0; infinity allowed (a length scale of `inf` drops its column).
    Positive,
    /// Above 0, finite.
    PositiveFinite,
    /// 0 or above, finite.
    NonNegative,
    /// Strictly between 0 and 1.
    Fraction,
    /// Above 0, at most 1.
    UpToOne,
    /// A whole number between two ends.
    Integer(usize, usize),
    /// A whole number from an end on, or infinity.
    IntegerOrInfinite(usize),
    /// A whole number from 1, or a share strictly between 0 and 1.
    CountOrShare,
    /// `true` or `false`.
    Flag,
    /// One of the words.
    Choice(&'static [&'static str]),
    /// A list of words.
    Words,
    /// An expression of another list.
    Term(&'static TermList),
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Real => write!(f, "a finite number"),
            Domain::Positive => write!(f, "above 0"),
            Domain::PositiveFinite => write!(f, "above 0 and finite"),
            Domain::NonNegative => write!(f, "0 or above"),
            Domain::Fraction => write!(f, "strictly between 0 and 1"),
            Domain::UpToOne => write!(f, "above 0 and at most 1"),
            Domain::Integer(low, usize::MAX) => write!(f, "a whole number from {low}"),
            Domain::Integer(low, high) => write!(f, "a whole number from {low} to {high}"),
            Domain::IntegerOrInfinite(low) => write!(f, "a whole number from {low}, or inf"),
            Domain::CountOrShare => write!(f, "a whole number from 1, or a share strictly between 0 and 1"),
            Domain::Flag => write!(f, "true or false"),
            Domain::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Domain::Words => write!(f, "a list of words such as [the, of, \"don't\"]"),
            Domain::Term(list) => write!(f, "{list}"),
        }
    }
}

impl Domain {
    /// What a value is, in a word: `flag`, `choice`, `words`, `term`, `count_or_share` or `number`.
    pub fn kind(self) -> &'static str {
        match self {
            Domain::Flag => "flag",
            Domain::Integer(..) => "integer",
            Domain::Choice(_) => "choice",
            Domain::Words => "words",
            Domain::Term(_) => "term",
            Domain::CountOrShare => "count_or_share",
            _ => "number",
        }
    }

    /// The words to choose from.
    pub fn choices(self) -> &'static [&'static str] {
        if let Domain::Choice(words) = self { words } else { &[] }
    }

    fn refuse(self, owner: &str, name: &str, value: &str) -> Error {
        Error::OutOfDomain { owner: owner.into(), name: name.into(), value: value.into(), domain: self.to_string() }
    }

    fn has(self, x: f64) -> bool {
        match self {
            Domain::Real => x.is_finite(),
            Domain::Positive => x > 0.0,
            Domain::PositiveFinite => x > 0.0 && x.is_finite(),
            Domain::NonNegative => x >= 0.0 && x.is_finite(),
            Domain::Fraction => x > 0.0 && x < 1.0,
            Domain::UpToOne => x > 0.0 && x <= 1.0,
            Domain::Integer(low, high) => x.fract() == 0.0 && x >= low as f64 && x <= high as f64,
            Domain::IntegerOrInfinite(low) => x == f64::INFINITY || x.fract() == 0.0 && x >= low as f64,
            Domain::CountOrShare => x > 0.0 && (x < 1.0 || x.fract() == 0.0 && x.is_finite()),
            Domain::Flag | Domain::Choice(_) | Domain::Words | Domain::Term(_) => false,
        }
    }

    /// An error unless every number of the value lies in the domain and a range runs upwards.
    pub fn check(self, owner: &str, name: &str, value: &Value) -> Result<()> {
        let fine = match value {
            Value::Auto => true,
            Value::Number(x) => self.has(*x),
            Value::Range(a, b) => self.has(*a) && self.has(*b) && a < b && b.is_finite(),
            Value::List(v) => !v.is_empty() && v.iter().all(|x| self.has(*x)),
        };
        match value {
            _ if fine => Ok(()),
            Value::Range(a, b) if self.has(*a) && self.has(*b) => Err(Error::OutOfDomain {
                owner: owner.into(),
                name: name.into(),
                value: value.to_string(),
                domain: format!("a range from its lower end to its upper end, such as {b}..{a}"),
            }),
            _ => Err(self.refuse(owner, name, &value.to_string())),
        }
    }
}

/// The record of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name: the struct field, the keyword in text and Python, the key in files.
    pub name: &'static str,
    /// One sentence for the user, with units.
    pub doc: &'static str,
    /// What it may be.
    pub domain: Domain,
    /// Where the search looks for an `auto` value, relative to its settled start: `(1/s, s)`; `None`: not searched.
    pub search: Option<f64>,
    /// Whether its `auto` stays: what it stands for is learnt with the kernel.
    pub learnt: bool,
}

impl Param {
    /// A parameter whose `auto` is searched within a factor `span` either side of its start.
    pub const fn searched(name: &'static str, doc: &'static str, domain: Domain, span: f64) -> Self {
        Param { name, doc, domain, search: Some(span), learnt: false }
    }
    /// A parameter that is searched only over a range given by the user.
    pub const fn fixed(name: &'static str, doc: &'static str, domain: Domain) -> Self {
        Param { name, doc, domain, search: None, learnt: false }
    }

    /// The error of a term that is no value of it.
    fn refuse(&self, owner: &str, term: &Term) -> Error {
        self.domain.refuse(owner, self.name, &term.to_string())
    }
}

/// Another name for a parameter: (name, parameter, value of the parameter for a value of the name).
pub type Alias = (&'static str, &'static str, fn(f64) -> f64);

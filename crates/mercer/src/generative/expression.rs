//! Expressions of generative models, `gaussian(covariance=full)`, and what a fitted one answers.

use super::{GenerativeExpr, GenerativeModel, catalogue};
use crate::data::{Dataset, Inputs, RowWeights};
use crate::error::{Error, Result};
use crate::expr::{self, Argument, Term};
use crate::param::{self, Alias, Domain, NumericSetting, OfOneDomain, Param, ParameterValue, TermList, Value};
use std::fmt;

/// What the list, the help and the docs say of a generative model.
#[derive(Clone, Copy, Debug)]
pub struct GenerativeEntry {
    /// Name in expressions.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Where the formulas stand.
    pub source: &'static str,
    /// The kind of columns it takes.
    pub takes: &'static str,
    /// Whether a column of this kind can be part of its input.
    pub needs: fn(crate::data::ColumnKind) -> bool,
    /// Whether it takes columns as they are, not standardised.
    pub as_is: bool,
    /// Parameter records.
    pub params: &'static [Param],
    /// Other names of parameters.
    pub aliases: &'static [Alias],
    /// The default of each parameter, as it is written in an expression.
    pub defaults: fn() -> Vec<String>,
}

pub(super) fn entry<M: GenerativeModel>() -> GenerativeEntry {
    GenerativeEntry {
        name: M::NAME,
        doc: M::DOC,
        source: M::SOURCE,
        takes: M::Inputs::NEEDS,
        needs: M::Inputs::takes,
        as_is: M::AS_IS,
        params: M::default().records(),
        aliases: M::ALIASES,
        defaults: || param::written(&M::default()),
    }
}

pub(super) fn build<M: GenerativeModel>(args: &[Argument]) -> Result<M> {
    param::build(M::NAME, M::ALIASES, args)
}

/// What other books and libraries call a model.
const ELSEWHERE: &[(&str, &str)] = &[
    ("normal", "gaussian"),
    ("multivariate_normal", "gaussian"),
    ("mvn", "gaussian"),
    ("markov_chain", "markov"),
    ("dcm", "dirichlet_multinomial"),
    ("polya", "dirichlet_multinomial"),
    ("gmm", "gaussian_mixture"),
    ("mixture", "gaussian_mixture"),
    ("categorical_hmm", "hmm"),
    ("var", "autoregressive"),
];

impl OfOneDomain for GenerativeExpr {
    const DOMAIN: Domain = Domain::Term(&TermList::new("a generative model", GenerativeExpr::names));
}

impl ParameterValue for GenerativeExpr {
    fn term(&self) -> Term {
        (**self).term()
    }
    fn read(&mut self, term: &Term, _owner: &str, _param: &Param) -> Result<()> {
        *self = expr::locate_nested(term, Self::from_term(term))?;
        Ok(())
    }
    fn nested_numbers(&self) -> Vec<NumericSetting> {
        (**self).numbers().into_iter().map(|setting| setting.below(self.name())).collect()
    }
    fn set_nested(&mut self, path: &str, value: &Value) -> Result<()> {
        match path.split_once('.') {
            Some((own, rest)) if own == self.name() => (**self).set(rest, value),
            _ => Err(Error::unknown("parameter of a generative model", path, self.nested_numbers().into_iter().map(|n| n.path))),
        }
    }
}

impl GenerativeExpr {
    fn names() -> Vec<&'static str> {
        catalogue().into_iter().map(|entry| entry.name).collect()
    }
    fn from_term(term: &Term) -> Result<Self> {
        let Term::Call { name, args, .. } = term else {
            return Err(Error::Data(format!("'{term}' is not a generative model; there are: {}", Self::names().join(", "))));
        };
        Self::call(name, args).unwrap_or_else(|| Err(Error::unknown_here("generative model", name, Self::names(), ELSEWHERE)))
    }
    /// Reads an expression such as `gaussian(covariance=full)`.
    ///
    /// # Errors
    /// Text that is none, with the character where reading stopped.
    pub fn parse(text: &str) -> Result<Self> {
        let term = expr::parse(text)?;
        let at = if let Term::Call { at, .. } = &term { *at } else { 0 };
        expr::locate(text, at, Self::from_term(&term))
    }
    /// The model with every `auto` that is not left to the fit replaced by what the rows suggest, and every range by its point nearest
    /// to that.
    ///
    /// # Errors
    /// Rows that do not hold its kind of input.
    pub fn settle(&self, rows: &Dataset, weights: RowWeights<'_>) -> Result<Self> {
        let mut settled = self.clone();
        settled.settle_on(rows, weights)?;
        Ok(settled)
    }
}

impl fmt::Display for GenerativeExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).term().fmt(f)
    }
}

impl std::str::FromStr for GenerativeExpr {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

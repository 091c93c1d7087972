//! Expressions of generative models, `gaussian(covariance=full)`, and what a fitted one answers.

use super::{FittedGenerative, FreeParameter, GenerativeExpr, GenerativeModel, catalogue};
use crate::data::{ColumnNeeds, Dataset, Inputs, RowWeights, Values};
use crate::error::{Error, Result};
use crate::expr::{self, Argument, Term};
use crate::linalg::Matrix;
use crate::param::{self, Alias, NestedTerm, NumericSetting, Param, Value};
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
        as_is: M::AS_IS,
        params: M::PARAMS,
        aliases: M::ALIASES,
        defaults: || param::terms(&M::default(), M::PARAMS).into_iter().map(|(_, term)| term.to_string()).collect(),
    }
}

pub(super) fn build<M: GenerativeModel>(args: &[Argument]) -> Result<M> {
    param::build(M::NAME, M::PARAMS, M::ALIASES, args)
}

/// What other books and libraries call a model.
const ELSEWHERE: &[(&str, &str)] = &[("normal", "gaussian"), ("multivariate_normal", "gaussian"), ("mvn", "gaussian")];

impl NestedTerm for GenerativeExpr {
    const WHAT: &'static str = "a generative model";

    fn from_term(term: &Term) -> Result<Self> {
        let Term::Call { name, args, .. } = term else {
            return Err(Error::Data(format!("'{term}' is not a generative model; there are: {}", Self::names().join(", "))));
        };
        Self::call(name, args).unwrap_or_else(|| Err(Error::unknown_here("generative model", name, Self::names(), ELSEWHERE)))
    }
    fn term(&self) -> Term {
        self.any().term()
    }
    fn numbers(&self) -> Vec<NumericSetting> {
        self.any().numbers().into_iter().map(|setting| setting.below(self.name())).collect()
    }
    fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        match path.split_once('.') {
            Some((own, rest)) if own == self.name() => self.any_mut().set(rest, value),
            _ => Err(Error::unknown("parameter of a generative model", path, NestedTerm::numbers(self).into_iter().map(|n| n.path))),
        }
    }
    fn names() -> Vec<&'static str> {
        catalogue().into_iter().map(|entry| entry.name).collect()
    }
}

impl GenerativeExpr {
    /// Reads an expression such as `gaussian(covariance=full)`.
    ///
    /// # Errors
    /// Text that is none, with the character where reading stopped.
    pub fn parse(text: &str) -> Result<Self> {
        let term = expr::parse(text)?;
        let at = if let Term::Call { at, .. } = &term { *at } else { 0 };
        expr::locate(text, at, Self::from_term(&term))
    }
    /// The name of the model.
    pub fn name(&self) -> &'static str {
        self.any().name()
    }
    /// The parameter records of the model.
    pub fn params(&self) -> &'static [Param] {
        self.any().params()
    }
    /// The columns that the model is a distribution of.
    pub fn column_needs(&self) -> ColumnNeeds {
        self.any().column_needs()
    }
    /// The model with every `auto` that is not left to the fit replaced by what the rows suggest, and every range by its point nearest
    /// to that.
    ///
    /// # Errors
    /// Rows that do not hold its kind of input.
    pub fn settle(&self, rows: &Dataset, weights: RowWeights<'_>) -> Result<Self> {
        let mut settled = self.clone();
        settled.any_mut().settle_on(rows, weights)?;
        Ok(settled)
    }
    /// Checks that parameters and rows fit together.
    ///
    /// # Errors
    /// Parameters that do not, such as a list of another length than a row.
    pub fn check(&self, rows: &Dataset) -> Result<()> {
        self.any().check(rows)
    }
    /// Free parameters of a fit to such rows; `None` where only a fit tells.
    pub fn free_parameters(&self, rows: &Dataset) -> Option<usize> {
        self.any().free_parameters(rows)
    }
}

impl fmt::Display for GenerativeExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.any().term().fmt(f)
    }
}

impl std::str::FromStr for GenerativeExpr {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

/// Each takes rows that hold the columns of the fit and no others: see [`FittedDistribution`](super::FittedDistribution).
impl FittedGenerative {
    /// The free parameters theta, in the order of the score vector.
    pub fn parameters(&self) -> Vec<FreeParameter> {
        self.any().parameters()
    }
    /// ln p(x) of each row.
    ///
    /// # Errors
    /// Rows of another shape than those of the fit.
    pub fn log_densities(&self, rows: &Dataset) -> Result<Vec<f64>> {
        self.any().log_densities(rows)
    }
    /// The score vector of each row.
    ///
    /// # Errors
    /// As [`FittedGenerative::log_densities`].
    pub fn scores(&self, rows: &Dataset) -> Result<Matrix> {
        self.any().scores(rows)
    }
    /// The Fisher information of one row, where a formula is known.
    pub fn information(&self) -> Option<Matrix> {
        self.any().information()
    }
    /// Score vectors times the inverse root of the information, where there is a closed form.
    ///
    /// # Errors
    /// As [`FittedGenerative::log_densities`].
    pub fn whitened_scores(&self, rows: &Dataset) -> Result<Option<Matrix>> {
        self.any().whitened_scores(rows)
    }
    /// Draws so many rows.
    ///
    /// # Errors
    /// More than fit in memory.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        self.any().sample(rows, seed)
    }
    /// Whether theta maximises the weighted likelihood of the rows of the fit.
    pub fn is_maximum_likelihood(&self) -> bool {
        self.any().is_maximum_likelihood()
    }
    /// What the user should know of the fit.
    pub fn notices(&self) -> Vec<String> {
        self.any().notices()
    }
}

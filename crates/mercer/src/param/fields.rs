//! Structs whose fields are parameters, and what such a field may hold.

use super::{Domain, NumericSetting, Param, Value};
use crate::error::{Error, Result};
use crate::expr::Term;

/// A struct whose fields are parameters: a kernel, a composition, a generative model, an estimator. It is derived, with the record of a
/// parameter beside its field:
///
/// ```
/// use mercer::param::{Choice, Parameters, Value};
///
/// #[derive(Clone, Copy, PartialEq, Default, Choice)]
/// enum Loss {
///     #[default]
///     Hinge,
///     SquaredHinge,
/// }
///
/// #[derive(Parameters)]
/// struct Machine {
///     /// penalty on margin violations
///     #[param(domain = Positive, search = 1e3)]
///     c: Value,
///     /// most steps of the solver
///     #[param(default = 1000, domain = Integer(1, usize::MAX))]
///     steps: Value,
///     /// what a row inside the margin costs
///     loss: Loss,
///     /// whether to add an intercept
///     #[param(default = true)]
///     intercept: bool,
/// }
///
/// let machine = Machine::default().c(0.1..10.0).loss(Loss::SquaredHinge);
/// assert_eq!(machine.records()[0].doc, "penalty on margin violations");
/// assert_eq!(machine.parameter(2).unwrap().term().to_string(), "squared_hinge");
/// ```
///
/// | in the attribute | meaning |
/// |---|---|
/// | a constant `Param` | the record, shared with other owners |
/// | `default` | the default; without it `auto` for a number, `Default` for another type |
/// | `domain` | the [`Domain`] of a number; of another type it is known |
/// | `search` | a number: within this factor of its start an `auto` value is searched |
/// | `learnt` | its `auto` stays: what it stands for is learnt with the kernel |
/// | `hidden` | the field is no parameter: it is written otherwise than by its name |
/// | `doc` | the sentence for the user, where it is not the doc comment |
pub trait Parameters {
    /// The records of the parameters, in the order of the fields.
    fn records(&self) -> &'static [Param] {
        &[]
    }
    /// The parameter with the record at a place.
    fn parameter(&self, _place: usize) -> Option<&dyn ParameterValue> {
        None
    }
    /// The parameter with the record at a place, to be changed.
    fn parameter_mut(&mut self, _place: usize) -> Option<&mut dyn ParameterValue> {
        None
    }
}

/// What the field of a parameter holds: a [`Value`], a flag, a [`Choice`], words, an expression of another list.
pub trait ParameterValue {
    /// The value as a term of an expression.
    fn term(&self) -> Term;
    /// Reads the value from a term, for a parameter of this name.
    ///
    /// # Errors
    /// A term outside the domain of the parameter.
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()>;
    /// The value as a number.
    fn number(&self) -> Option<&Value> {
        None
    }
    /// The value as a number, to be changed.
    fn number_mut(&mut self) -> Option<&mut Value> {
        None
    }
    /// Every numeric parameter of an expression, with its path in it.
    fn nested_numbers(&self) -> Vec<NumericSetting> {
        Vec::new()
    }
    /// Sets a numeric parameter of an expression by its path.
    ///
    /// # Errors
    /// An unknown path, a value outside the domain.
    fn set_nested(&mut self, path: &str, _value: &Value) -> Result<()> {
        Err(Error::unknown("parameter", path, std::iter::empty::<&str>()))
    }
}

/// A type of parameters that has one domain, whatever the parameter.
pub trait OfOneDomain {
    /// What such a parameter may be.
    const DOMAIN: Domain;
}

/// An enum whose variants are the words of a parameter, as serde stores them. Derived.
pub trait Choice: Copy + PartialEq + 'static {
    /// The words, in the order of the variants.
    const WORDS: &'static [&'static str];
    /// The variants.
    const VARIANTS: &'static [Self];
    /// The word of the variant.
    fn word(self) -> &'static str {
        Self::VARIANTS.iter().zip(Self::WORDS).find(|(variant, _)| **variant == self).map_or("", |(_, word)| word)
    }
}

impl<T: Choice> OfOneDomain for T {
    const DOMAIN: Domain = Domain::Choice(T::WORDS);
}

impl<T: Choice> ParameterValue for T {
    fn term(&self) -> Term {
        of_word(self.word())
    }
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()> {
        let word = chosen(term, owner, param)?;
        let variants = T::VARIANTS.iter().zip(T::WORDS);
        *self = *variants.into_iter().find(|(_, known)| **known == word).ok_or_else(|| param.refuse(owner, term))?.0;
        Ok(())
    }
}

/// A word as a term: `auto` is what it is anywhere.
fn of_word(word: &str) -> Term {
    if word == "auto" { Term::Auto } else { Term::Word(word.to_owned()) }
}

/// The word of the domain that a term is.
fn chosen(term: &Term, owner: &str, param: &Param) -> Result<&'static str> {
    // The word of a choice, and not a number that is open.
    let word = if *term == Term::Auto { Some("auto") } else { term.word() };
    let found = param.domain.choices().iter().find(|known| word == Some(known));
    found.copied().ok_or_else(|| param.refuse(owner, term))
}

/// One of the words of a domain that is known when the program runs.
impl ParameterValue for &'static str {
    fn term(&self) -> Term {
        of_word(self)
    }
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()> {
        *self = chosen(term, owner, param)?;
        Ok(())
    }
}

impl ParameterValue for Value {
    fn term(&self) -> Term {
        match self {
            Value::Auto => Term::Auto,
            Value::Number(x) => Term::Number(*x),
            Value::Range(low, high) => Term::Range(*low, *high),
            Value::List(numbers) => Term::List(numbers.iter().map(|x| Term::Number(*x)).collect()),
        }
    }
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()> {
        *self = Value::from_term(term, owner, param.name, param.domain)?;
        Ok(())
    }
    fn number(&self) -> Option<&Value> {
        Some(self)
    }
    fn number_mut(&mut self) -> Option<&mut Value> {
        Some(self)
    }
}

impl OfOneDomain for bool {
    const DOMAIN: Domain = Domain::Flag;
}

impl ParameterValue for bool {
    fn term(&self) -> Term {
        Term::Word(self.to_string())
    }
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()> {
        *self = term.word().and_then(|word| word.parse().ok()).ok_or_else(|| param.refuse(owner, term))?;
        Ok(())
    }
}

impl OfOneDomain for Vec<String> {
    const DOMAIN: Domain = Domain::Words;
}

impl ParameterValue for Vec<String> {
    fn term(&self) -> Term {
        Term::List(self.iter().map(|word| Term::Word(word.clone())).collect())
    }
    fn read(&mut self, term: &Term, owner: &str, param: &Param) -> Result<()> {
        *self = term.words().ok_or_else(|| param.refuse(owner, term))?;
        Ok(())
    }
}

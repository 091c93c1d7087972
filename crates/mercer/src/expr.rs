//! The text form shared by kernels and estimators: `0.5*rbf(length_scale=auto) + on(seq, spectrum(k=3))`.
//!
//! This room knows the grammar only; what a name means is decided by the lists in `kernels` and `estimators`.
//!
//! ```text
//! sum     := product (('+' | '-') product)*
//! product := factor ('*' factor)*
//! factor  := '-' factor | base ['^' whole number]
//! base    := number ['..' number] | 'auto' | "quoted word" | name ['(' args ')'] | '[' list ']' | '(' sum ')'
//! args    := [name '='] sum (',' [name '='] sum)*
//! ```

use crate::error::{Error, Result};
use std::fmt;

/// A parsed expression.
#[derive(Clone, Debug)]
pub enum Term {
    /// A number.
    Number(f64),
    /// `auto`.
    Auto,
    /// `low..high`.
    Range(f64, f64),
    /// A quoted word; a bare name is a call without arguments until who reads it knows better.
    Word(String),
    /// `[a, b]`.
    List(Vec<Term>),
    /// `name(arguments)`; `at` is the character where the name stands.
    Call {
        /// The name called.
        name: String,
        /// Its arguments, in order.
        args: Vec<Argument>,
        /// Character position of the name, from 0.
        at: usize,
    },
    /// `a + b + ...`.
    Sum(Vec<Term>),
    /// `a * b * ...`.
    Product(Vec<Term>),
    /// `a ^ exponent`.
    Power {
        /// What is raised.
        base: Box<Term>,
        /// To this power.
        exponent: u32,
    },
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The keyword, if one was written.
    pub name: Option<String>,
    /// What was written for it.
    pub term: Term,
}

/// Terms are equal when they print alike: positions do not count.
impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// Reads an expression; the error points at the character where reading stopped.
pub fn parse(text: &str) -> Result<Term> {
    let mut p = Parser { text, chars: text.chars().collect(), at: 0, depth: 0 };
    let term = p.sum()?;
    p.space();
    if p.at < p.chars.len() {
        return p.fault("expected '+', '*', '^' or the end here");
    }
    Ok(term)
}

/// Reads expressions separated by commas, each with the character where it begins.
pub fn parse_list(text: &str) -> Result<Vec<(Term, usize)>> {
    let mut p = Parser { text, chars: text.chars().collect(), at: 0, depth: 0 };
    let mut list = Vec::new();
    loop {
        p.space();
        let at = p.at;
        list.push((p.sum()?, at));
        match p.peek() {
            None => return Ok(list),
            Some(',') => p.at += 1,
            Some(_) => return p.fault("expected ',', '+', '*', '^' or the end here"),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn fault<T>(&self, expected: &str) -> Result<T> {
        Err(Error::Syntax { text: self.text.to_owned(), at: self.at, expected: expected.to_owned() })
    }
    fn space(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }
    fn peek(&mut self) -> Option<char> {
        self.space();
        self.chars.get(self.at).copied()
    }
    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }
    /// The bracket that closes what was opened.
    fn close(&mut self, c: char) -> Result<()> {
        match self.take(c) {
            true => Ok(()),
            false if self.at == self.chars.len() => self.fault(&format!("a closing '{c}' is missing here")),
            false => self.fault(&format!("expected '{c}' here")),
        }
    }
    /// What parts the items of a list that ends with a bracket.
    fn part(&mut self, close: char) -> Result<()> {
        match self.take(',') {
            true => Ok(()),
            false if self.at == self.chars.len() => self.close(close),
            false => self.fault(&format!("expected ',' or '{close}' here")),
        }
    }

    fn sum(&mut self) -> Result<Term> {
        self.depth += 1;
        if self.depth > 64 {
            return self.fault("expressions nest at most 64 deep");
        }
        let mut terms = vec![self.product()?];
        loop {
            if self.take('+') {
                terms.push(self.product()?);
            } else if self.take('-') {
                terms.push(negate(self.product()?));
            } else {
                break;
            }
        }
        self.depth -= 1;
        Ok(if terms.len() == 1 { terms.remove(0) } else { Term::Sum(terms) })
    }

    fn product(&mut self) -> Result<Term> {
        let mut factors = vec![self.factor()?];
        while self.take('*') {
            factors.push(self.factor()?);
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { Term::Product(factors) })
    }

    fn factor(&mut self) -> Result<Term> {
        if self.take('-') {
            self.depth += 1;
            if self.depth > 64 {
                return self.fault("expressions nest at most 64 deep");
            }
            let inner = self.factor()?;
            self.depth -= 1;
            return Ok(negate(inner));
        }
        let base = self.base()?;
        if !self.take('^') {
            return Ok(base);
        }
        self.space();
        let start = self.at;
        match self.digits() {
            Ok(n) if n.fract() == 0.0 && (1.0..=64.0).contains(&n) => Ok(Term::Power { base: Box::new(base), exponent: n as u32 }),
            _ => {
                self.at = start;
                self.fault("expected a whole number from 1 to 64 here")
            }
        }
    }

    fn base(&mut self) -> Result<Term> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.close(')')?;
                Ok(inner)
            }
            Some('[') => {
                self.at += 1;
                let mut list = Vec::new();
                while !self.take(']') {
                    if !list.is_empty() {
                        self.part(']')?;
                    }
                    list.push(self.sum()?);
                }
                Ok(Term::List(list))
            }
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Term::Word),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => self.fault("expected a kernel, an estimator or a number here"),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String> {
        self.at += 1;
        let mut word = String::new();
        while let Some(&c) = self.chars.get(self.at) {
            self.at += 1;
            match c {
                '\\' => {
                    if let Some(&next) = self.chars.get(self.at) {
                        word.push(next);
                        self.at += 1;
                    }
                }
                c if c == quote => return Ok(word),
                c => word.push(c),
            }
        }
        self.fault("expected a closing quote here")
    }

    fn digits(&mut self) -> Result<f64> {
        self.space();
        let start = self.at;
        let at = |p: &Self, k: usize| p.chars.get(p.at + k).copied();
        while at(self, 0).is_some_and(|c| c.is_ascii_digit()) || (at(self, 0) == Some('.') && at(self, 1) != Some('.')) {
            self.at += 1;
        }
        if matches!(at(self, 0), Some('e' | 'E')) {
            let signed = usize::from(matches!(at(self, 1), Some('+' | '-')));
            if at(self, 1 + signed).is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1 + signed;
                while at(self, 0).is_some_and(|c| c.is_ascii_digit()) {
                    self.at += 1;
                }
            }
        }
        let text: String = self.chars[start..self.at].iter().collect();
        match text.parse() {
            Ok(x) => Ok(x),
            Err(_) => {
                self.at = start;
                self.fault("expected a number here")
            }
        }
    }

    fn number(&mut self) -> Result<Term> {
        let low = self.digits()?;
        if self.peek() == Some('.') && self.chars.get(self.at + 1) == Some(&'.') {
            self.at += 2;
            let sign = if self.take('-') { -1.0 } else { 1.0 };
            return Ok(Term::Range(low, sign * self.digits()?));
        }
        Ok(Term::Number(low))
    }

    fn name(&mut self) -> Result<Term> {
        let at = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let name: String = self.chars[at..self.at].iter().collect();
        match name.as_str() {
            "auto" => return Ok(Term::Auto),
            "inf" => return Ok(Term::Number(f64::INFINITY)),
            _ => {}
        }
        if !self.take('(') {
            return Ok(Term::Call { name, args: Vec::new(), at });
        }
        let mut args = Vec::new();
        while !self.take(')') {
            if !args.is_empty() {
                self.part(')')?;
            }
            let before = self.at;
            let keyword = self.keyword();
            if keyword.is_none() {
                self.at = before;
            }
            args.push(Argument { name: keyword, term: self.sum()? });
        }
        Ok(Term::Call { name, args, at })
    }

    /// `name =`, if that is what stands here.
    fn keyword(&mut self) -> Option<String> {
        self.space();
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        (!name.is_empty() && self.take('=')).then_some(name)
    }
}

fn negate(t: Term) -> Term {
    match t {
        Term::Number(x) => Term::Number(-x),
        Term::Range(a, b) => Term::Range(-a, b),
        Term::Product(mut factors) => {
            factors.insert(0, Term::Number(-1.0));
            Term::Product(factors)
        }
        other => Term::Product(vec![Term::Number(-1.0), other]),
    }
}

impl Term {
    /// For a product with a number below 0 in front: the product without the sign.
    fn negated(&self) -> Option<Term> {
        let Term::Product(factors) = self else { return None };
        match factors.as_slice() {
            [Term::Number(x), rest @ ..] if *x < 0.0 && !rest.is_empty() => {
                let number = (*x != -1.0).then_some(Term::Number(-x));
                // A product even of one factor, which puts a sum in brackets.
                Some(Term::Product(number.into_iter().chain(rest.iter().cloned()).collect()))
            }
            _ => None,
        }
    }

    /// The word that stands here: a quoted word or a bare name.
    pub fn word(&self) -> Option<&str> {
        match self {
            Term::Word(w) => Some(w),
            Term::Call { name, args, .. } if args.is_empty() => Some(name),
            _ => None,
        }
    }

    /// The words of a list, in which no name has a meaning of its own; one word is a list of one.
    pub fn words(&self) -> Option<Vec<String>> {
        let word = |term: &Term| match term {
            Term::Auto => Some("auto".to_owned()),
            // The name of a class or a word may be a number.
            Term::Number(x) if *x == f64::INFINITY => Some("inf".to_owned()),
            Term::Number(_) => Some(term.to_string()),
            term => term.word().map(str::to_owned),
        };
        match self {
            Term::List(list) => list.iter().map(word).collect(),
            one => word(one).map(|w| vec![w]),
        }
    }
}

/// A word as it has to be written: quoted unless it is a plain name.
pub(crate) fn quoted(word: &str) -> String {
    let plain = word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || c == '_')
        && word != "auto"
        && word != "inf";
    if plain { word.to_owned() } else { format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")) }
}

fn join(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display], with: &str) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { with } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}={}", self.term),
            None => write!(f, "{}", self.term),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(x) => write!(f, "{}", Short(*x)),
            Term::Auto => write!(f, "auto"),
            Term::Range(a, b) => write!(f, "{}..{}", Short(*a), Short(*b)),
            Term::Word(w) => write!(f, "{}", quoted(w)),
            Term::List(list) => {
                write!(f, "[")?;
                join(f, list, ", ")?;
                write!(f, "]")
            }
            Term::Call { name, args, .. } if args.is_empty() => write!(f, "{name}"),
            Term::Call { name, args, .. } => {
                write!(f, "{name}(")?;
                join(f, args, ", ")?;
                write!(f, ")")
            }
            Term::Sum(terms) => {
                for (i, t) in terms.iter().enumerate() {
                    match (i, t.negated()) {
                        (0, _) => write!(f, "{t}")?,
                        (_, Some(size)) => write!(f, " - {size}")?,
                        _ => write!(f, " + {t}")?,
                    }
                }
                Ok(())
            }
            Term::Product(factors) => {
                let shown: Vec<String> =
                    factors.iter().map(|t| if matches!(t, Term::Sum(_)) { format!("({t})") } else { t.to_string() }).collect();
                join(f, &shown, "*")
            }
            Term::Power { base, exponent } => match **base {
                Term::Sum(_) | Term::Product(_) | Term::Power { .. } => write!(f, "({base})^{exponent}"),
                _ => write!(f, "{base}^{exponent}"),
            },
        }
    }
}

/// Adds to an error the text of the expression and the character of it that is meant, unless the error names one itself.
pub(crate) fn locate<T>(text: &str, at: usize, made: Result<T>) -> Result<T> {
    made.map_err(|e| match e {
        // Of a nested term: see below.
        Error::Syntax { text: unknown, at, expected } if unknown.is_empty() => Error::Syntax { text: text.to_owned(), at, expected },
        Error::Syntax { .. } => e,
        other => Error::Syntax { text: text.to_owned(), at, expected: other.to_string() },
    })
}

/// Adds to an error the character where a nested term begins; [`locate`] adds the text once it is known.
pub(crate) fn locate_nested<T>(term: &Term, made: Result<T>) -> Result<T> {
    if let Term::Call { at, .. } = term { locate("", *at, made) } else { made }
}

/// A number in the shortest text that reads back to the same bits.
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if self.0 != 0.0 && self.0.is_finite() && !(1e-4..1e15).contains(&size) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

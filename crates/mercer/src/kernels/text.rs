//! Kernel expressions as text: reading and printing.

use super::{Constant, KernelExpr, SetKernel, catalogue};
use crate::error::{Error, Result};
use crate::expr::{self, Argument, Term};
use crate::gram::{Pairs, Repair};
use crate::param::{Domain, Value};
use std::fmt;

impl KernelExpr {
    /// Reads an expression such as `0.5*rbf(length_scale=2) + on(seq, spectrum(k=3))`.
    pub fn parse(text: &str) -> Result<KernelExpr> {
        Self::from_term(&expr::parse(text)?, text)
    }

    fn from_term(term: &Term, text: &str) -> Result<KernelExpr> {
        match term {
            Term::Sum(terms) => {
                // Sums inside of sums are one sum, so that what is printed reads back as the same expression.
                let mut parts = Vec::new();
                for t in terms {
                    match t {
                        Term::Number(x) => parts.push(Self::number(*x)?),
                        kernel => match Self::from_term(kernel, text)? {
                            KernelExpr::Sum(more) => parts.extend(more),
                            one => parts.push(one),
                        },
                    }
                }
                Ok(KernelExpr::Sum(parts))
            }
            Term::Product(factors) => Self::product(factors, text),
            Term::Power { base, exponent } => {
                let of = Self::from_term(base, text)?;
                Ok(if *exponent == 1 { of } else { KernelExpr::Power { exponent: *exponent, of: Box::new(of) } })
            }
            Term::Call { name, args, at } => {
                let one = |example: &str| match args.as_slice() {
                    [Argument { name: None, term }] => Self::from_term(term, text).map(Box::new),
                    _ => fault(text, *at, &format!("{name} takes one kernel: {example}")),
                };
                match name.as_str() {
                    "on" => Self::on(args, *at, text),
                    "weighted" => Self::weighted(args, *at, text),
                    "exp" => Ok(KernelExpr::Exp(one("exp(linear)")?)),
                    "normalise" | "normalize" => Ok(KernelExpr::Normalise(one("normalise(spectrum(k=3))")?)),
                    "centre" | "center" => Ok(KernelExpr::Centre(one("centre(rbf)")?)),
                    _ => {
                        if let Some(pairs) = Pairs::ALL.into_iter().find(|p| p.name() == name) {
                            return Ok(KernelExpr::Set(SetKernel { pairs, of: one("set_mean(rbf)")? }));
                        }
                        if let Some(how) = Repair::ALL.into_iter().find(|r| r.name() == name) {
                            return Ok(KernelExpr::Repaired { how, of: one("clip(sigmoid)")? });
                        }
                        let made = Self::call(name, args).unwrap_or_else(|| Err(Error::unknown_here("kernel", name, names(), ELSEWHERE)));
                        expr::locate(text, *at, made)
                    }
                }
            }
            other => fault(text, 0, &format!("'{other}' alone is not a kernel; there are: {}", names().join(", "))),
        }
    }

    /// A number among the terms of a sum: a constant kernel.
    fn number(x: f64) -> Result<KernelExpr> {
        Domain::Real.check("kernel", "a number in a sum", &Value::Number(x))?;
        let constant = |size: f64| -> Result<KernelExpr> {
            let term = Argument { name: None, term: Term::Number(size) };
            super::leaf::build::<Constant>(&[term]).map(KernelExpr::Constant)
        };
        if x < 0.0 { Ok(KernelExpr::Scale { by: Value::Number(x), of: Box::new(constant(1.0)?) }) } else { constant(x) }
    }

    fn product(factors: &[Term], text: &str) -> Result<KernelExpr> {
        let mut by: Option<Value> = None;
        let mut kernels = Vec::new();
        for f in factors {
            let number = match f {
                Term::Number(_) | Term::Auto | Term::Range(..) => Some(Value::from_term(f, "kernel", "scale", Domain::Real)?),
                // Products inside of products are one product, with one number in front.
                kernel => {
                    let (number, kernel) = match Self::from_term(kernel, text)? {
                        KernelExpr::Scale { by, of } => (Some(by), *of),
                        kernel => (None, kernel),
                    };
                    match kernel {
                        KernelExpr::Product(more) => kernels.extend(more),
                        one => kernels.push(one),
                    }
                    number
                }
            };
            let Some(number) = number else { continue };
            by = Some(match (by, number) {
                (None, v) => v,
                (Some(Value::Number(a)), Value::Number(b)) if (a * b).is_finite() => Value::Number(a * b),
                (Some(_), v) => {
                    return Err(Error::OutOfDomain {
                        owner: "kernel".into(),
                        name: "scale".into(),
                        value: v.to_string(),
                        domain: "one number, auto or range per product".into(),
                    });
                }
            });
        }
        let of = match kernels.len() {
            0 => return fault(text, 0, "a product needs at least one kernel"),
            1 => kernels.remove(0),
            _ => KernelExpr::Product(kernels),
        };
        Ok(match by {
            Some(by) => KernelExpr::Scale { by, of: Box::new(of) },
            None => of,
        })
    }

    /// `on(column, kernel)`, `on(a, b, kernel)` or `on([a, b], kernel)`.
    fn on(args: &[Argument], at: usize, text: &str) -> Result<KernelExpr> {
        const FORM: &str = "on takes columns and a kernel: on(age, rbf), on([age, \"body mass\"], rbf)";
        let Some((kernel, columns)) = args.split_last() else { return fault(text, at, FORM) };
        let mut names = Vec::new();
        for c in columns {
            match &c.term {
                Term::List(list) => names.extend(list.iter().map(|t| t.word().map(str::to_owned))),
                term => names.push(term.word().map(str::to_owned)),
            }
        }
        match names.into_iter().collect::<Option<Vec<String>>>() {
            Some(columns) if !columns.is_empty() && args.iter().all(|a| a.name.is_none()) => {
                Ok(KernelExpr::On { columns, of: Box::new(Self::from_term(&kernel.term, text)?) })
            }
            _ => fault(text, at, FORM),
        }
    }

    /// `weighted(column, kernel)`.
    fn weighted(args: &[Argument], at: usize, text: &str) -> Result<KernelExpr> {
        match args {
            [Argument { name: None, term: column }, Argument { name: None, term: kernel }] if column.word().is_some() => {
                let column = column.word().unwrap_or_default().to_owned();
                Ok(KernelExpr::Weighted { column, of: Box::new(Self::from_term(kernel, text)?) })
            }
            _ => fault(text, at, "weighted takes a column of numbers and a kernel: weighted(quality, rbf)"),
        }
    }

    pub(super) fn term(&self) -> Term {
        let call = |name: &str, args: Vec<Term>| Term::Call {
            name: name.to_owned(),
            args: args.into_iter().map(|term| Argument { name: None, term }).collect(),
            at: 0,
        };
        match self {
            KernelExpr::Sum(parts) => Term::Sum(parts.iter().map(Self::term).collect()),
            KernelExpr::Product(parts) => Term::Product(parts.iter().map(Self::term).collect()),
            KernelExpr::Scale { by, of } => {
                let number = expr::parse(&by.to_string()).unwrap_or(Term::Auto);
                let mut factors = vec![number];
                match of.term() {
                    Term::Product(more) => factors.extend(more),
                    one => factors.push(one),
                }
                Term::Product(factors)
            }
            KernelExpr::Power { exponent, of } => Term::Power { base: Box::new(of.term()), exponent: *exponent },
            KernelExpr::Exp(of) => call("exp", vec![of.term()]),
            KernelExpr::Normalise(of) => call("normalise", vec![of.term()]),
            KernelExpr::Centre(of) => call("centre", vec![of.term()]),
            KernelExpr::Repaired { how, of } => call(how.name(), vec![of.term()]),
            KernelExpr::Weighted { column, of } => call("weighted", vec![Term::Word(column.clone()), of.term()]),
            KernelExpr::On { columns, of } => {
                let words: Vec<Term> = columns.iter().map(|c| Term::Word(c.clone())).collect();
                let columns = if words.len() == 1 { words[0].clone() } else { Term::List(words) };
                call("on", vec![columns, of.term()])
            }
            leaf => leaf.leaf().map_or(Term::Auto, |k| k.term()),
        }
    }
}

fn fault<T>(text: &str, at: usize, expected: &str) -> Result<T> {
    Err(Error::Syntax { text: text.to_owned(), at, expected: expected.to_owned() })
}

/// A way of making a kernel of kernels: what is written, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Composition {
    /// The name that is called; empty for signs.
    pub name: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// Every way of making a kernel of kernels.
pub const COMPOSITIONS: [Composition; 14] = [
    sign("k1 + k2", "features side by side; a number among the terms is a constant kernel"),
    sign("k1*k2", "products of features"),
    sign("2.5*k", "a number, `auto` or a range in front"),
    sign("k^3", "a product of k with itself, up to 64 times"),
    call("on", "on(age, k), on([a, b], k)", "k of these columns only"),
    call("normalise", "normalise(k)", "k(x, z) / sqrt(k(x, x) k(z, z))"),
    call("centre", "centre(k)", "features less their mean over the training rows"),
    call("weighted", "weighted(w, k)", "f(x) k(x, z) f(z), f the column w of numbers as it is"),
    call("set_mean", "set_mean(k)", "the mean of k over all pairs of vectors of two sets"),
    call("set_sum", "set_sum(k)", "their sum"),
    call("exp", "exp(k)", "the exponential of k"),
    call("clip", "clip(k)", "any similarity, its negative eigenvalues among the training rows set to 0"),
    call("flip", "flip(k)", "any similarity, the signs of its negative eigenvalues changed"),
    call("shift", "shift(k)", "any similarity, k(x, x) raised until no eigenvalue is negative"),
];

const fn sign(form: &'static str, doc: &'static str) -> Composition {
    Composition { name: "", form, doc }
}

const fn call(name: &'static str, form: &'static str, doc: &'static str) -> Composition {
    Composition { name, form, doc }
}

/// What other books and libraries call kernels, and what that is here.
pub(crate) const ELSEWHERE: &[(&str, &str)] = &[
    ("gaussian", "rbf"),
    ("squared_exponential", "rbf"),
    ("exponentiated_quadratic", "rbf"),
    ("se", "rbf"),
    ("ard", "rbf(length_scale=[..]), one number per column"),
    ("poly", "polynomial"),
    ("quadratic", "polynomial(degree=2)"),
    ("cubic", "polynomial(degree=3)"),
    ("tanh", "sigmoid"),
    ("mlp", "sigmoid"),
    ("logistic", "sigmoid, or the estimator svc to tell classes apart"),
    ("dot_product", "linear"),
    ("exponential", "matern(nu=0.5), or laplacian for the sum of absolute differences"),
    ("ornstein_uhlenbeck", "matern(nu=0.5)"),
    ("ou", "matern(nu=0.5)"),
    ("rq", "rational_quadratic"),
    ("cauchy", "rational_quadratic(alpha=1)"),
    ("exp_sine_squared", "periodic"),
    ("chi2", "chi_squared"),
    ("additive_chi2", "chi_squared"),
    ("intersection", "histogram_intersection"),
    ("bias", "constant"),
    ("noise", "white"),
    ("white_kernel", "white"),
    ("delta", "equal"),
    ("levenshtein", "edit"),
    ("ngram", "spectrum"),
    ("kmer", "spectrum"),
    ("cosine_similarity", "cosine"),
    ("tf_idf", "tfidf"),
    ("bag_of_words", "tfidf(tf=count, idf=none, normalised=false)"),
    ("bow", "tfidf(tf=count, idf=none, normalised=false)"),
    ("tree", "subset_tree"),
    ("multi_instance", "set_mean(rbf), or set_sum(rbf), of a column of sets"),
    ("normalize", "normalise"),
];

/// Names that may stand in an expression.
fn names() -> Vec<&'static str> {
    let compositions = COMPOSITIONS.iter().map(|c| c.name).filter(|name| !name.is_empty());
    catalogue().into_iter().map(|e| e.name).chain(compositions).collect()
}

impl fmt::Display for KernelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.term().fmt(f)
    }
}

impl std::str::FromStr for KernelExpr {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

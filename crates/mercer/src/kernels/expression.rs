//! Kernel expressions as text and as data: reading, printing, their parameters, and what is known of their validity.

use super::{KernelExpr, catalogue};
use crate::error::{Error, Result};
use crate::expr::{self, Argument, Term};
use crate::gram::Mercer;
use crate::param::{Domain, Param, Value};
use std::fmt;

/// The number in front of a kernel.
static SCALE: Param = Param::searched("scale", "number times the kernel", Domain::Real, 100.0);

/// One numeric parameter of an expression.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Where it stands: child numbers from the root, the kernel's name, the parameter's name, joined by dots.
    pub path: String,
    /// Its record.
    pub param: &'static Param,
    /// Its value.
    pub value: Value,
    /// Whether the bound kernel's gradient knows it.
    pub differentiable: bool,
}

impl KernelExpr {
    /// Reads an expression such as `0.5*rbf(length_scale=2) + on(seq, spectrum(k=3))`.
    pub fn parse(text: &str) -> Result<KernelExpr> {
        Self::from_term(&expr::parse(text)?, text)
    }

    fn from_term(term: &Term, text: &str) -> Result<KernelExpr> {
        let fault = |at, expected: &str| Err(Error::Syntax { text: text.to_owned(), at, expected: expected.to_owned() });
        match term {
            Term::Sum(terms) => {
                // Sums inside of sums are one sum, so that what is printed reads back as the same expression.
                let mut parts = Vec::new();
                for t in terms {
                    match Self::from_term(t, text)? {
                        KernelExpr::Sum(more) => parts.extend(more),
                        one => parts.push(one),
                    }
                }
                Ok(KernelExpr::Sum(parts))
            }
            Term::Product(factors) => Self::product(factors, text),
            Term::Call { name, args, at } => match name.as_str() {
                "on" => Self::on(args, *at, text),
                "normalise" | "normalize" => match args.as_slice() {
                    [Argument { name: None, term }] => Ok(KernelExpr::Normalise(Box::new(Self::from_term(term, text)?))),
                    _ => fault(*at, "normalise takes one kernel: normalise(spectrum(k=3))"),
                },
                _ => {
                    let made = Self::call(name, args).unwrap_or_else(|| Err(Error::unknown("kernel", name, names())));
                    expr::locate(text, *at, made)
                }
            },
            other => fault(0, &format!("'{other}' alone is not a kernel; there are: {}", names().join(", "))),
        }
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
            0 => return Err(Error::Syntax { text: text.to_owned(), at: 0, expected: "a product needs at least one kernel".into() }),
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
        let fault = || Error::Syntax {
            text: text.to_owned(),
            at,
            expected: "on takes columns and a kernel: on(age, rbf), on([age, \"body mass\"], rbf)".into(),
        };
        let (kernel, columns) = args.split_last().ok_or_else(fault)?;
        let mut names = Vec::new();
        for c in columns {
            match &c.term {
                Term::List(list) => names.extend(list.iter().map(|t| t.word().map(str::to_owned))),
                term => names.push(term.word().map(str::to_owned)),
            }
        }
        let columns: Vec<String> = names.into_iter().collect::<Option<_>>().ok_or_else(fault)?;
        if columns.is_empty() || args.iter().any(|a| a.name.is_some()) {
            return Err(fault());
        }
        Ok(KernelExpr::On { columns, of: Box::new(Self::from_term(&kernel.term, text)?) })
    }

    fn term(&self) -> Term {
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
            KernelExpr::Normalise(of) => call("normalise", vec![of.term()]),
            KernelExpr::On { columns, of } => {
                let words: Vec<Term> = columns.iter().map(|c| Term::Word(c.clone())).collect();
                let columns = if words.len() == 1 { words[0].clone() } else { Term::List(words) };
                call("on", vec![columns, of.term()])
            }
            leaf => leaf.leaf().map_or(Term::Auto, |k| k.term()),
        }
    }

    /// The parts of a composition, in order; none for a kernel of the list.
    pub fn parts(&self) -> Vec<&KernelExpr> {
        match self {
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.iter().collect(),
            KernelExpr::Scale { of, .. } | KernelExpr::Normalise(of) | KernelExpr::On { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }

    pub(super) fn parts_mut(&mut self) -> Vec<&mut KernelExpr> {
        match self {
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.iter_mut().collect(),
            KernelExpr::Scale { of, .. } | KernelExpr::Normalise(of) | KernelExpr::On { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }

    /// Every numeric parameter, in the order in which a bound kernel's gradient lists them.
    pub fn values(&self) -> Vec<Parameter> {
        let mut out = Vec::new();
        self.collect_values("", true, &mut out);
        out
    }

    fn collect_values(&self, prefix: &str, smooth: bool, out: &mut Vec<Parameter>) {
        if let KernelExpr::Scale { by, .. } = self {
            out.push(Parameter { path: format!("{prefix}scale"), param: &SCALE, value: by.clone(), differentiable: smooth });
        }
        if let Some(k) = self.leaf() {
            for (param, value) in k.values() {
                let differentiable = smooth && k.has_gradient(param.name);
                out.push(Parameter { path: format!("{prefix}{}.{}", k.name(), param.name), param, value, differentiable });
            }
        }
        for (i, part) in self.parts().into_iter().enumerate() {
            part.collect_values(&format!("{prefix}{i}."), smooth && !matches!(self, KernelExpr::Normalise(_)), out);
        }
    }

    /// Sets the parameter at a path given by [`KernelExpr::values`].
    pub fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        let unknown = |e: &Self| Error::unknown("kernel parameter", path, e.values().into_iter().map(|p| p.path));
        match path.split_once('.') {
            None if path == "scale" => {
                if let KernelExpr::Scale { by, .. } = self {
                    SCALE.domain.check("kernel", "scale", value)?;
                    *by = value.clone();
                    return Ok(());
                }
                Err(unknown(self))
            }
            Some((first, rest)) => {
                if let Ok(i) = first.parse::<usize>() {
                    let error = unknown(self);
                    return self.parts_mut().into_iter().nth(i).ok_or(error)?.set(rest, value);
                }
                let error = unknown(self);
                match self.leaf_mut() {
                    Some(k) if k.name() == first => k.set(rest, value),
                    _ => Err(error),
                }
            }
            None => Err(unknown(self)),
        }
    }

    /// What is known about positive semi-definiteness from structure alone (closure rules F24).
    pub fn mercer(&self) -> Mercer {
        match self {
            KernelExpr::Scale { by, of } => {
                let negative = by.numbers().iter().any(|b| *b < 0.0) || matches!(by, Value::Range(low, _) if *low < 0.0);
                match of.mercer() {
                    Mercer::Always if negative => Mercer::Never(format!("{by} times a Mercer kernel has k(x, x) < 0")),
                    verdict => verdict,
                }
            }
            leaf if leaf.parts().is_empty() => leaf.leaf().map_or(Mercer::Always, |k| k.verdict()),
            composed => {
                let doubts: Vec<String> = composed
                    .parts()
                    .into_iter()
                    .filter_map(|p| match p.mercer() {
                        Mercer::Always => None,
                        Mercer::Conditional(why) | Mercer::Never(why) => Some(format!("{p}: {why}")),
                    })
                    .collect();
                match (doubts.is_empty(), composed) {
                    (true, _) => Mercer::Always,
                    (false, KernelExpr::Sum(_) | KernelExpr::Product(_)) => Mercer::Conditional(doubts.join("; ")),
                    (false, _) => Mercer::Never(doubts.join("; ")),
                }
            }
        }
    }
}

/// Names that may stand in an expression.
fn names() -> Vec<&'static str> {
    catalogue().into_iter().map(|e| e.name).chain(["on", "normalise"]).collect()
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

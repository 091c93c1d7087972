//! What an expression and its parameters say about positive semi-definiteness: closure rules, and the derivation they make (F24).

use super::KernelExpr;
use super::leaf::AnyKernel;
use crate::gram::Mercer;
use crate::param::Value;
use std::fmt;

/// A proof by closure rules: a tree whose leaves are kernels of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The expression that is shown to be valid.
    pub expression: String,
    /// Why it is.
    pub rule: String,
    /// What the rule needs.
    pub parts: Vec<Derivation>,
}

/// What is known without any input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Positive semi-definite for every input.
    Proved(Derivation),
    /// Not, for the reason named; rows and weights that show it are found by [`crate::validity::check`].
    Refuted(String),
    /// No rule decides, for the reason named.
    Open(String),
}

impl Derivation {
    fn lines(&self, depth: usize, out: &mut Vec<(String, String)>) {
        out.push((format!("{:width$}{}", "", self.expression, width = 2 * depth), self.rule.clone()));
        self.parts.iter().for_each(|p| p.lines(depth + 1, out));
    }
}

/// One line per step: the expression, indented, and the rule.
impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        self.lines(0, &mut lines);
        let width = lines.iter().map(|(e, _)| e.chars().count()).max().unwrap_or(0);
        for (k, (expression, rule)) in lines.iter().enumerate() {
            write!(f, "{}{expression:width$}  {rule}", if k > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl KernelExpr {
    fn derived(&self, rule: impl Into<String>, parts: Vec<Derivation>) -> Derivation {
        Derivation { expression: self.to_string(), rule: rule.into(), parts }
    }

    /// What is known about positive semi-definiteness without any input, for all values that parameters may take.
    pub fn validity(&self) -> Validity {
        if self.is_zero() || self.is_multiple_of_nothing() {
            return Validity::Proved(self.derived("0 for every pair", Vec::new()));
        }
        if let Some(k) = self.leaf().filter(|_| self.parts().is_empty()) {
            return match k.verdict() {
                Mercer::Always => Validity::Proved(self.derived(k.because(), Vec::new())),
                Mercer::Conditional(why) => Validity::Open(format!("{self}: {why}")),
                Mercer::Never(why) => Validity::Refuted(format!("{self}: {why}")),
            };
        }
        if let KernelExpr::Exp(of) | KernelExpr::Centre(of) = self
            && !matches!(of.validity(), Validity::Proved(_))
            && let Some(part) = of.negative_type()
        {
            let what = if matches!(self, KernelExpr::Exp(_)) { "exp" } else { "the centred form" };
            return Validity::Proved(self.derived(format!("{what} of a kernel of negative type (Schoenberg)"), vec![part]));
        }
        let (mut proofs, mut doubts, mut refuted) = (Vec::new(), Vec::new(), false);
        for part in self.parts() {
            match part.validity() {
                Validity::Proved(proof) => proofs.push(proof),
                Validity::Open(why) => doubts.push(why),
                Validity::Refuted(why) => {
                    refuted = true;
                    doubts.push(why);
                }
            }
        }
        if let KernelExpr::Repaired { how, .. } = self {
            return Validity::Proved(self.derived(how.because(), proofs));
        }
        let negative = |by: &Value| by.numbers().iter().any(|b| *b < 0.0) || matches!(by, Value::Range(low, _) if *low < 0.0);
        if doubts.is_empty() {
            return match self {
                KernelExpr::Scale { by, .. } if negative(by) => {
                    Validity::Refuted(format!("{self}: {by} times a Mercer kernel has k(x, x) < 0"))
                }
                _ => Validity::Proved(self.derived(self.rule(), proofs)),
            };
        }
        let why = doubts.join("; ");
        match self {
            KernelExpr::Exp(of) | KernelExpr::Centre(of) => {
                Validity::Open(format!("{self}: {of} is not known to be a Mercer kernel or of negative type ({why})"))
            }
            KernelExpr::Scale { by, .. } if refuted && !negative(by) => Validity::Refuted(why),
            KernelExpr::On { .. } | KernelExpr::Weighted { .. } | KernelExpr::Set(_) if refuted => Validity::Refuted(why),
            _ => Validity::Open(why),
        }
    }

    /// Whether it is 0 for every pair of inputs.
    fn is_zero(&self) -> bool {
        match self {
            KernelExpr::Constant(_) | KernelExpr::White(_) => self.values().iter().all(|p| p.value == Value::Number(0.0)),
            KernelExpr::Scale { by, of } => *by == Value::Number(0.0) || of.is_zero(),
            KernelExpr::Sum(parts) => !parts.is_empty() && parts.iter().all(Self::is_zero),
            KernelExpr::Product(parts) => parts.iter().any(Self::is_zero),
            KernelExpr::Exp(_) => false,
            other => other.parts().first().is_some_and(|of| of.is_zero()),
        }
    }

    /// Whether it is a number times a centred constant, of which rounding alone is left: no sign of the number refutes it.
    fn is_multiple_of_nothing(&self) -> bool {
        matches!(self, KernelExpr::Scale { of, .. } if matches!(&**of, KernelExpr::Centre(inner) if inner.is_constant()))
    }

    /// Whether it has one value for all pairs of inputs.
    fn is_constant(&self) -> bool {
        match self {
            KernelExpr::Constant(_) => true,
            KernelExpr::Weighted { .. } | KernelExpr::Repaired { .. } | KernelExpr::Set(_) => false,
            other => !other.parts().is_empty() && other.parts().into_iter().all(Self::is_constant),
        }
    }

    /// Why a composition of Mercer kernels is one.
    fn rule(&self) -> &'static str {
        match self {
            KernelExpr::Sum(_) => "a sum of Mercer kernels: features side by side",
            KernelExpr::Product(_) => "a product of Mercer kernels: products of features (Schur)",
            KernelExpr::Scale { .. } => "a Mercer kernel times a number of 0 or above",
            KernelExpr::Power { .. } => "a product of a Mercer kernel with itself (Schur)",
            KernelExpr::Exp(_) => "a power series of a Mercer kernel with factors of 0 or above",
            KernelExpr::Normalise(_) => "f(x) k(x, z) f(z) with f(x) = k(x, x)^(-1/2)",
            KernelExpr::Centre(_) => "the inner product of features less their mean",
            KernelExpr::Weighted { .. } => "f(x) k(x, z) f(z)",
            KernelExpr::Set(k) => k.because(),
            KernelExpr::On { .. } => "a Mercer kernel of a part of the input",
            _ => "",
        }
    }

    /// A derivation that v'Kv >= 0 whenever the weights v sum to 0, where the rules give one.
    fn negative_type(&self) -> Option<Derivation> {
        if let Validity::Proved(proof) = self.validity() {
            return Some(proof);
        }
        if let Some(k) = self.leaf() {
            return k.negative_type().map(|why| self.derived(why, Vec::new()));
        }
        match self {
            KernelExpr::Scale { of, .. } if matches!(**of, KernelExpr::Constant(_)) => {
                Some(self.derived("a constant counts for nothing where weights sum to 0", Vec::new()))
            }
            KernelExpr::Scale { by, .. } if by.numbers().iter().any(|b| *b < 0.0) || !by.is_settled() => None,
            KernelExpr::Sum(_) | KernelExpr::Scale { .. } | KernelExpr::On { .. } => {
                let parts = self.parts().into_iter().map(Self::negative_type).collect::<Option<Vec<_>>>()?;
                Some(self.derived("sums and multiples of kernels of negative type are of negative type", parts))
            }
            _ => None,
        }
    }

    /// Whether it is positive semi-definite if every kernel matrix that is given is.
    pub fn is_mercer_of_given(&self) -> bool {
        let mut with = self.clone();
        with.trust_given();
        with.mercer() == Mercer::Always
    }

    /// Puts a kernel that is valid in the place of each given matrix.
    fn trust_given(&mut self) {
        if matches!(self, KernelExpr::Precomputed(_)) {
            *self = KernelExpr::Linear(super::Linear::default());
        }
        self.parts_mut().into_iter().for_each(Self::trust_given);
    }

    /// What is known about positive semi-definiteness, in one word and a reason.
    pub fn mercer(&self) -> Mercer {
        match self.validity() {
            Validity::Proved(_) => Mercer::Always,
            Validity::Refuted(why) => Mercer::Never(why),
            Validity::Open(why) => Mercer::Conditional(why),
        }
    }
}

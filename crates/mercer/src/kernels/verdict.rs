//! What an expression and its parameters say about positive semi-definiteness: closure rules, and the derivation they make (F24).

use super::KernelExpr;
use super::composition::Closure;
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
        if self.is_zero() || self.is_scaled_zero() {
            return Validity::Proved(self.derived("0 for every pair", Vec::new()));
        }
        let composed = match (self.leaf(), self.composed()) {
            (_, Some(composed)) => composed,
            (Some(kernel), None) => {
                return match kernel.verdict() {
                    Mercer::Always => Validity::Proved(self.derived(kernel.because(), Vec::new())),
                    Mercer::Conditional(why) => Validity::Open(format!("{self}: {why}")),
                    Mercer::Never(why) => Validity::Refuted(format!("{self}: {why}")),
                };
            }
            (None, None) => return Validity::Open(self.to_string()),
        };
        let closure = composed.closure();
        if let (Closure::OfNegativeType(what), [of]) = (&closure, self.parts())
            && !matches!(of.validity(), Validity::Proved(_))
            && let Some(part) = of.negative_type()
        {
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
        let why = doubts.join("; ");
        match closure {
            Closure::Never(reason) if doubts.is_empty() => Validity::Refuted(format!("{self}: {reason}")),
            _ if doubts.is_empty() => Validity::Proved(self.derived(composed.form().because, proofs)),
            Closure::Always => Validity::Proved(self.derived(composed.form().because, proofs)),
            Closure::OfNegativeType(_) => {
                let of = self.parts().iter().map(ToString::to_string).collect::<String>();
                Validity::Open(format!("{self}: {of} is not known to be a Mercer kernel or of negative type ({why})"))
            }
            Closure::Faithful if refuted => Validity::Refuted(why),
            _ => Validity::Open(why),
        }
    }

    /// Whether it is 0 for every pair of inputs.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            KernelExpr::Constant(_) | KernelExpr::White(_) => self.values().iter().all(|p| p.value == Value::Number(0.0)),
            other => other.composed().is_some_and(|c| c.is_zero()),
        }
    }

    /// Whether it is a number times a centred constant, of which rounding alone is left: no sign of the number refutes it.
    fn is_scaled_zero(&self) -> bool {
        let is_nothing = |k: &KernelExpr| matches!(k, KernelExpr::Centre(_)) && k.parts().iter().all(Self::is_constant);
        matches!(self, KernelExpr::Scale(k) if k.of.iter().all(is_nothing))
    }

    /// Whether it has one value for all pairs of inputs.
    fn is_constant(&self) -> bool {
        let keeps = self.composed().is_some_and(|c| c.is().keeps_constants && !c.parts().is_empty());
        matches!(self, KernelExpr::Constant(_)) || keeps && self.parts().iter().all(Self::is_constant)
    }

    /// A derivation that v'Kv >= 0 whenever the weights v sum to 0, where the rules give one.
    fn negative_type(&self) -> Option<Derivation> {
        if let Validity::Proved(proof) = self.validity() {
            return Some(proof);
        }
        if let Some(k) = self.leaf() {
            return k.negative_type().map(|why| self.derived(why, Vec::new()));
        }
        if self.is_constant() {
            return Some(self.derived("a constant counts for nothing where weights sum to 0", Vec::new()));
        }
        let sums = self.composed().is_some_and(|c| c.is().linear && !matches!(c.closure(), Closure::Never(_)));
        let parts = self.parts().iter().filter(|_| sums).map(Self::negative_type).collect::<Option<Vec<_>>>()?;
        sums.then(|| self.derived("sums and multiples of kernels of negative type are of negative type", parts))
    }

    /// Whether it is positive semi-definite if every kernel matrix that is given is, and every function that is declared to be.
    pub fn is_mercer_of_given(&self) -> bool {
        let mut with = self.clone();
        with.trust_given();
        with.mercer() == Mercer::Always
    }

    /// Replaces each given matrix and each function that is declared valid by a valid kernel.
    fn trust_given(&mut self) {
        if matches!(self, KernelExpr::Precomputed(_)) || matches!(self, KernelExpr::Registered(k) if k.is_declared_mercer()) {
            *self = KernelExpr::Linear(super::Linear::default());
        }
        self.parts_mut().iter_mut().for_each(Self::trust_given);
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

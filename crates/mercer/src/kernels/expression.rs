//! A kernel expression as data: its parts and its parameters.

use super::{KernelExpr, SetKernel};
use crate::error::{Error, Result};
use crate::param::{Domain, Param, Value};

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

/// The parts of an expression, shared or to be changed.
macro_rules! parts_of {
    ($expr:expr, $each:ident) => {
        match $expr {
            KernelExpr::Sum(parts) | KernelExpr::Product(parts) => parts.$each().collect(),
            KernelExpr::Scale { of, .. }
            | KernelExpr::Power { of, .. }
            | KernelExpr::Exp(of)
            | KernelExpr::Normalise(of)
            | KernelExpr::Centre(of)
            | KernelExpr::Repaired { of, .. }
            | KernelExpr::Weighted { of, .. }
            | KernelExpr::Set(SetKernel { of, .. })
            | KernelExpr::On { of, .. } => vec![of],
            _ => Vec::new(),
        }
    };
}

impl KernelExpr {
    /// The parts of a composition, in order; none for a kernel of the list.
    pub fn parts(&self) -> Vec<&KernelExpr> {
        parts_of!(self, iter)
    }

    pub(super) fn parts_mut(&mut self) -> Vec<&mut KernelExpr> {
        parts_of!(self, iter_mut)
    }

    /// Whether a prediction compares a new row with every training row, all of which must then stand along the columns.
    pub fn needs_training_rows(&self) -> bool {
        matches!(self, KernelExpr::Centre(_) | KernelExpr::Repaired { .. }) || self.parts().into_iter().any(Self::needs_training_rows)
    }

    /// Whether kernel values between two rows depend on the other training rows besides through its parameters.
    pub fn learns(&self) -> bool {
        let own = self.leaf().map_or(matches!(self, KernelExpr::Centre(_) | KernelExpr::Repaired { .. }), |k| k.learns());
        own || self.parts().into_iter().any(Self::learns)
    }

    /// Whether all that kernel values take from the training rows is a function of one input and of the other,
    /// k(x, z) + f(x) + f(z): [centred](KernelExpr::Centre) kernels and sums of them.
    pub fn learns_only_shifts(&self) -> bool {
        match self {
            KernelExpr::Centre(of) => !of.learns() || of.learns_only_shifts(),
            KernelExpr::Sum(_) | KernelExpr::Scale { .. } | KernelExpr::On { .. } => {
                self.parts().into_iter().all(|p| !p.learns() || p.learns_only_shifts())
            }
            _ => false,
        }
    }

    /// Whether a row differs from an equal row: no kernel of inputs alone.
    pub fn tells_equal_rows_apart(&self) -> bool {
        matches!(self, KernelExpr::White(_)) || self.parts().into_iter().any(Self::tells_equal_rows_apart)
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
            part.collect_values(&format!("{prefix}{i}."), smooth && !matches!(self, KernelExpr::Repaired { .. }), out);
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
}

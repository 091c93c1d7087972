//! A kernel expression as data: its parts and its parameters.

use super::KernelExpr;
use super::composition::{AnyComposition, Learns};
use super::leaf::Takes;
use crate::error::{Error, Result};
use crate::param::{NumericSetting, Param, Value};

/// One numeric parameter of an expression.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Where it stands: child numbers from the root, the kernel's name, the parameter's name, joined by dots; a sign has no name. Of an
    /// expression that a parameter holds, its name and the parameter's follow.
    pub path: String,
    /// Its record.
    pub param: &'static Param,
    /// Its value.
    pub value: Value,
    /// Whether the bound kernel's gradient knows it.
    pub differentiable: bool,
}

impl KernelExpr {
    /// The parts of a composition, in order; none for a kernel of the list.
    pub fn parts(&self) -> &[KernelExpr] {
        self.composed().map_or(&[], AnyComposition::parts)
    }

    pub(super) fn parts_mut(&mut self) -> &mut [KernelExpr] {
        self.composed_mut().map_or(&mut [], AnyComposition::parts_mut)
    }

    /// What takes columns here, and not in the parts.
    pub(super) fn taker(&self) -> Option<&dyn Takes> {
        match self.leaf() {
            Some(kernel) => Some(kernel),
            None => self.composed().filter(|c| c.takes_itself()).map(|c| c as &dyn Takes),
        }
    }

    /// Whether the expression names the columns that it compares.
    pub fn names_columns(&self) -> bool {
        self.composed().is_some_and(|c| c.selected().is_some()) || self.parts().iter().any(Self::names_columns)
    }

    /// Whether a prediction compares a new row with every training row, all of which must then stand along the columns.
    pub fn needs_training_rows(&self) -> bool {
        self.composed().is_some_and(|c| c.is().needs_training_rows) || self.parts().iter().any(Self::needs_training_rows)
    }

    /// Whether kernel values between two rows depend on the other training rows besides through its parameters.
    pub fn learns(&self) -> bool {
        let composed = self.composed().is_some_and(|c| c.is().learns != Learns::Nothing);
        composed || self.leaf().is_some_and(|k| k.learns()) || self.parts().iter().any(Self::learns)
    }

    /// Whether all that kernel values take from the training rows is a function of one input and of the other,
    /// k(x, z) + f(x) + f(z): centred kernels and sums of them.
    pub fn learns_only_shifts(&self) -> bool {
        let keeps = self.composed().is_some_and(|c| c.is().linear || c.is().learns == Learns::Shifts);
        keeps && self.parts().iter().all(|p| !p.learns() || p.learns_only_shifts())
    }

    /// Whether a row differs from an equal row: no kernel of inputs alone.
    pub fn depends_on_row_identity(&self) -> bool {
        matches!(self, KernelExpr::White(_)) || self.parts().iter().any(Self::depends_on_row_identity)
    }

    /// Whether it is an inner product of features that are counts, weighted or not: those of a kernel that counts, of some columns,
    /// side by side, or times a number for each input.
    pub(super) fn has_counts(&self) -> bool {
        let keeps = self.composed().is_some_and(|c| c.is().keeps_features && !c.parts().is_empty());
        self.leaf().is_some_and(|k| k.has_counts()) || keeps && self.parts().iter().all(Self::has_counts)
    }

    /// How many numbers [`KernelExpr::values`] lists.
    pub(crate) fn numbers(&self) -> usize {
        self.values().iter().map(|p| p.value.numbers().len()).sum()
    }

    /// Every numeric parameter, in the order in which a bound kernel's gradient lists them.
    pub fn values(&self) -> Vec<Parameter> {
        let mut out = Vec::new();
        self.collect_values("", true, &mut out);
        out
    }

    fn collect_values(&self, prefix: &str, smooth: bool, out: &mut Vec<Parameter>) {
        if let Some(c) = self.composed() {
            let name = c.form().name;
            let prefix = if name.is_empty() { prefix.to_owned() } else { format!("{prefix}{name}.") };
            for NumericSetting { path, param, value } in c.values() {
                let differentiable = smooth && c.has_gradient(&path);
                out.push(Parameter { path: format!("{prefix}{path}"), param, value, differentiable });
            }
        }
        if let Some(k) = self.leaf() {
            for NumericSetting { path, param, value } in k.values() {
                let differentiable = smooth && k.has_gradient(&path);
                out.push(Parameter { path: format!("{prefix}{}.{path}", k.name()), param, value, differentiable });
            }
        }
        let smooth = smooth && self.composed().is_none_or(|c| c.is().smooth);
        for (i, part) in self.parts().iter().enumerate() {
            part.collect_values(&format!("{prefix}{i}."), smooth, out);
        }
    }

    /// Sets the parameter at a path given by [`KernelExpr::values`].
    pub fn set(&mut self, path: &str, value: &Value) -> Result<()> {
        let error = Error::unknown("kernel parameter", path, self.values().into_iter().map(|p| p.path));
        let (first, rest) = path.split_once('.').unwrap_or(("", path));
        if let Ok(i) = first.parse::<usize>() {
            return self.parts_mut().get_mut(i).ok_or(error)?.set(rest, value);
        }
        if let Some(c) = self.composed_mut() {
            let known = c.form().name == first && c.values().iter().any(|p| p.path == rest);
            return if known { c.set(rest, value) } else { Err(error) };
        }
        match self.leaf_mut() {
            Some(k) if k.name() == first => k.set(rest, value),
            _ => Err(error),
        }
    }
}

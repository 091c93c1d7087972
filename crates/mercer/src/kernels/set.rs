//! Kernels of sets of vectors, made of a kernel of vectors: set_sum(k)(X, Z) = sum_ij k(x_i, z_j), and set_mean(k), the same over
//! |X| |Z| (Gaertner, Flach, Kowalczyk & Smola, Multi-instance kernels, 2002, section 4). Features of a set are the sum, or the
//! mean, of those of its vectors; an empty set has none, and is like nothing.

use super::leaf::{AnyKernel, Columns, Fixed};
use super::{FittedKernel, KernelExpr, Reference};
use crate::control::Control;
use crate::data::{Arity, Cells, Column, ColumnKind, Dataset, RowWeights, Sets, Values};
use crate::error::{Error, Result};
use crate::expr::{Argument, Term};
use crate::gram::{Bound, Mercer, OverSets, Pairs, SetSide};
use crate::param::{Param, Value};
use serde::{Deserialize, Serialize};

/// A kernel of vectors, over all pairs of two sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetKernel {
    /// What is made of the values of all pairs.
    pub pairs: Pairs,
    /// The kernel of vectors.
    pub of: Box<KernelExpr>,
}

/// The column of sets among those chosen, and its vectors as a table of their own, under the column's name.
fn vectors<'d>((data, columns): Columns<'d>) -> Result<(&'d Sets, Dataset)> {
    if let [one] = columns
        && let Column { name, values: Values::Sets(sets) } = &data.columns()[*one]
    {
        let column = Column { name: name.clone(), values: Values::Points(sets.vectors().clone()) };
        return Ok((sets, Dataset::new(vec![column])?));
    }
    Err(Error::Shape { what: "columns of a kernel of sets".into(), expected: 1, found: columns.len() })
}

impl AnyKernel for SetKernel {
    fn name(&self) -> &'static str {
        self.pairs.name()
    }
    fn takes(&self, kind: ColumnKind) -> bool {
        kind == ColumnKind::Set
    }
    fn takes_words(&self) -> &'static str {
        "one column of sets of vectors"
    }
    fn arity(&self) -> Arity {
        Arity::One
    }
    fn as_is(&self) -> bool {
        self.of.has_leaf(&|k| k.as_is())
    }
    fn because(&self) -> &'static str {
        "an inner product of sums of features"
    }
    fn negative_type(&self) -> Option<&'static str> {
        None
    }
    fn term(&self) -> Term {
        Term::Call { name: self.name().into(), args: vec![Argument { name: None, term: self.of.term() }], at: 0 }
    }
    /// Parameters are those of its part.
    fn values(&self) -> Vec<(&'static Param, Value)> {
        Vec::new()
    }
    fn has_gradient(&self, _: &str) -> bool {
        false
    }
    fn set(&mut self, name: &str, _: &Value) -> Result<()> {
        Err(Error::unknown("kernel parameter", name, self.of.values().into_iter().map(|p| format!("0.{}", p.path))))
    }
    fn verdict(&self) -> Mercer {
        self.of.mercer()
    }
    fn learns(&self) -> bool {
        self.of.learns()
    }
    fn dim(&self) -> Option<usize> {
        None
    }
    /// What is `auto` is settled on the vectors, each of which counts as often as its set.
    fn settle_on(&mut self, columns: Columns<'_>, weights: RowWeights<'_>) -> Result<()> {
        let (sets, vectors) = vectors(columns)?;
        *self.of = self.of.settle_weighed(&vectors, Some(&weights_of(sets, weights)))?;
        Ok(())
    }
}

impl SetKernel {
    /// What the kernel of vectors learns from them, each of which counts as often as its set.
    pub(super) fn learn(&self, columns: Columns<'_>, weights: RowWeights<'_>, control: &Control) -> Result<FittedKernel> {
        if self.of.needs_training_rows() {
            let why = format!("{} is a kernel of training rows, and a set is one row; write it around {}", self.of, self.name());
            return Err(Error::Setting { name: self.name().into(), why });
        }
        let (sets, vectors) = vectors(columns)?;
        self.of.learn(&vectors, Some(&weights_of(sets, weights)), control)
    }

    /// Sets made ready.
    pub(super) fn fix(&self, learnt: &FittedKernel, columns: Columns<'_>, control: &Control) -> Result<Box<dyn Fixed>> {
        let (sets, vectors) = vectors(columns)?;
        let vectors = learnt.reference(&vectors, control)?;
        let side = SetSide::new(self.pairs, vectors.among(control)?.as_ref(), sets.starts());
        Ok(Box::new(FixedSets { pairs: self.pairs, vectors, side }))
    }
}

/// The weight of each vector: that of its set.
fn weights_of(sets: &Sets, weights: RowWeights<'_>) -> Vec<f64> {
    (0..sets.vectors().rows()).map(|i| weights.at(sets.owner(i))).collect()
}

/// Sets made ready: their vectors are.
struct FixedSets {
    pairs: Pairs,
    vectors: Reference,
    side: SetSide,
}

impl Fixed for FixedSets {
    fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        Ok(Box::new(OverSets::new(self.pairs, self.vectors.among(control)?, self.side.clone(), self.side.clone())))
    }
    fn cross(&self, columns: Columns<'_>, control: &Control) -> Result<Box<dyn Bound>> {
        let (sets, new) = vectors(columns)?;
        let cross = self.vectors.cross(&new, control)?;
        let own = self.vectors.kernel().gram(&new, control)?;
        let side = SetSide::new(self.pairs, own.as_ref(), sets.starts());
        Ok(Box::new(OverSets::new(self.pairs, cross, side, self.side.clone())))
    }
}

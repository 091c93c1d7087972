//! A settled expression with what its parts have learnt: the only thing that binds, and what a model stores.
//!
//! Learning, making ready and binding walk the expression in the same order, parts before what is made of them; what was learnt
//! and what was made ready are lists in that order.

use super::leaf::{Columns, Fixed};
use super::uses::{kinds, pick};
use super::{KernelExpr, Learnt};
use crate::control::Control;
use crate::data::{Dataset, RowWeights, Values};
use crate::error::{Error, Result};
use crate::gram::{Bound, Centre, Eigenpairs, Exp, FeatureMean, Normalise, Power, Product, Repaired, Rewritten, Scale, Sum, Weigh};
use crate::param::Value;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::slice::Iter;
use std::sync::Arc;

/// A settled expression with what its parts have learnt. A clone shares what was learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedKernel(Arc<Parts>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    expr: KernelExpr,
    /// Of every kernel of the list, every centre and every repair.
    learnt: Vec<Learnt>,
}

/// Training rows made ready for a fitted kernel: the side of Gram matrices that stays while new rows come and go.
pub struct Reference {
    kernel: FittedKernel,
    /// Of every kernel of the list and every column of weights.
    fixed: Vec<Side>,
}

/// What stays of one part of an expression.
enum Side {
    Inputs(Box<dyn Fixed>),
    Weights(Vec<f64>),
}

impl KernelExpr {
    /// Learns from the training rows, counted by weight, what the kernel takes from them besides its parameters, which are
    /// settled.
    pub fn learn(&self, data: &Dataset, weights: Option<&[f64]>, control: &Control) -> Result<FittedKernel> {
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        let mut learnt = Vec::new();
        self.learn_in(data, weights, None, &mut learnt, control)?;
        Ok(FittedKernel(Arc::new(Parts { expr: self.clone(), learnt })))
    }

    fn learn_in(
        &self,
        data: &Dataset,
        weights: RowWeights<'_>,
        selected: Option<&[String]>,
        learnt: &mut Vec<Learnt>,
        control: &Control,
    ) -> Result<()> {
        control.check()?;
        if let Some(k) = self.leaf() {
            let columns = pick(k, &kinds(data), selected)?;
            learnt.extend(self.learn_leaf((data, &columns), weights, control)?);
            return Ok(());
        }
        let own = if let KernelExpr::On { columns, .. } = self { Some(columns.as_slice()) } else { None };
        let (selected, first) = (own.or(selected), learnt.len());
        for part in self.parts() {
            part.learn_in(data, weights, selected, learnt, control)?;
        }
        let among = |of: &KernelExpr| {
            let mut fixed = Vec::new();
            of.fix_in(&mut learnt[first..].iter(), data, selected, &mut fixed, control)?;
            of.bind_in(&mut Walk { learnt: learnt[first..].iter(), fixed: fixed.iter() }, None, selected, control)
        };
        let own = match self {
            KernelExpr::Centre(of) => Learnt::Centre(FeatureMean::learn(among(of)?.as_ref(), control)?),
            KernelExpr::Repaired { how, of } => Learnt::Repaired(Eigenpairs::learn(*how, among(of)?.as_ref(), control)?),
            _ => return Ok(()),
        };
        learnt.push(own);
        Ok(())
    }

    /// Makes ready what stays.
    fn fix_in(
        &self,
        learnt: &mut Iter<'_, Learnt>,
        data: &Dataset,
        selected: Option<&[String]>,
        fixed: &mut Vec<Side>,
        control: &Control,
    ) -> Result<()> {
        control.check()?;
        if let Some(k) = self.leaf() {
            let columns = pick(k, &kinds(data), selected)?;
            fixed.push(Side::Inputs(self.fix_leaf(learnt.next().ok_or_else(foreign)?, (data, &columns), control)?));
            return Ok(());
        }
        let own = if let KernelExpr::On { columns, .. } = self { Some(columns.as_slice()) } else { None };
        for part in self.parts() {
            part.fix_in(learnt, data, own.or(selected), fixed, control)?;
        }
        match self {
            KernelExpr::Centre(_) | KernelExpr::Repaired { .. } => drop(learnt.next()),
            KernelExpr::Weighted { column, .. } => fixed.push(Side::Weights(numbers(data, column)?.to_vec())),
            _ => {}
        }
        Ok(())
    }

    /// The Gram matrix among the rows that were made ready (`new = None`), or of new rows against them.
    fn bind_in(
        &self,
        walk: &mut Walk<'_>,
        new: Option<&Dataset>,
        selected: Option<&[String]>,
        control: &Control,
    ) -> Result<Box<dyn Bound>> {
        control.check()?;
        if let Some(k) = self.leaf() {
            walk.learnt.next();
            let Some(Side::Inputs(fixed)) = walk.fixed.next() else { return Err(foreign()) };
            let Some(new) = new else { return fixed.among(control) };
            let columns: Columns<'_> = (new, &pick(k, &kinds(new), selected)?);
            return fixed.cross(columns, control);
        }
        if self.parts().is_empty() {
            return Err(Error::Data("a sum or a product of no kernels cannot be bound".into()));
        }
        let mut part = |p: &KernelExpr| p.bind_in(walk, new, selected, control);
        Ok(match self {
            KernelExpr::Sum(parts) => Box::new(Sum(parts.iter().map(part).collect::<Result<_>>()?)),
            KernelExpr::Product(parts) => Box::new(Product(parts.iter().map(part).collect::<Result<_>>()?)),
            KernelExpr::Scale { by: Value::Number(by), of } => Box::new(Rewritten::new(part(of)?, Scale(*by))),
            KernelExpr::Scale { by, .. } => {
                return Err(Error::Unsettled { owner: "kernel".into(), name: "scale".into(), value: by.to_string() });
            }
            KernelExpr::Power { exponent, of } => Box::new(Rewritten::new(part(of)?, Power((*exponent).max(1)))),
            KernelExpr::Exp(of) => Box::new(Rewritten::new(part(of)?, Exp)),
            KernelExpr::Normalise(of) => {
                let of = part(of)?;
                let how = Normalise::new(of.as_ref());
                Box::new(Rewritten::new(of, how))
            }
            KernelExpr::Centre(of) => {
                let of = part(of)?;
                let Some(Learnt::Centre(mean)) = walk.learnt.next() else { return Err(foreign()) };
                let how = Centre::new(of.as_ref(), mean, control)?;
                Box::new(Rewritten::new(of, how))
            }
            KernelExpr::Repaired { how, of } => {
                let of = part(of)?;
                let Some(Learnt::Repaired(pairs)) = walk.learnt.next() else { return Err(foreign()) };
                Box::new(Repaired::new(*how, of.as_ref(), pairs, control)?)
            }
            KernelExpr::Weighted { column, of } => {
                let of = part(of)?;
                let Some(Side::Weights(cols)) = walk.fixed.next() else { return Err(foreign()) };
                let rows = new.map_or(Ok(cols.as_slice()), |n| numbers(n, column))?.to_vec();
                Box::new(Rewritten::new(of, Weigh { rows, cols: cols.clone() }))
            }
            KernelExpr::On { columns, of } => return of.bind_in(walk, new, Some(columns), control),
            leaf => return Err(Error::Data(format!("{leaf} cannot be bound"))),
        })
    }

    /// The Gram matrix among the rows of one dataset (`new = None`), or of new rows against them, by a kernel that has learnt
    /// from that dataset. Every parameter is settled.
    pub fn bind(&self, new: Option<&Dataset>, data: &Dataset) -> Result<Box<dyn Bound>> {
        self.bind_within(new, data, &Control::default())
    }

    /// The same within bounds.
    pub fn bind_within(&self, new: Option<&Dataset>, data: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        let fitted = self.learn(data, None, control)?;
        match new {
            None => fitted.gram(data, control),
            Some(new) => fitted.reference(data, control)?.cross(new, control),
        }
    }
}

impl FittedKernel {
    /// The settled expression.
    pub fn expr(&self) -> &KernelExpr {
        &self.0.expr
    }

    /// The Gram matrix among some rows: all training rows where the kernel
    /// [needs them](KernelExpr::needs_training_rows).
    pub fn gram(&self, rows: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.bind(None, &self.fix(rows, control)?, control)
    }

    /// Makes rows ready that new rows are compared with: all training rows where the kernel
    /// [needs them](KernelExpr::needs_training_rows).
    pub fn reference(&self, rows: &Dataset, control: &Control) -> Result<Reference> {
        Ok(Reference { kernel: self.clone(), fixed: self.fix(rows, control)? })
    }

    fn fix(&self, rows: &Dataset, control: &Control) -> Result<Vec<Side>> {
        let mut fixed = Vec::new();
        let mut learnt = self.0.learnt.iter();
        self.0.expr.fix_in(&mut learnt, rows, None, &mut fixed, control)?;
        if learnt.next().is_some() { Err(foreign()) } else { Ok(fixed) }
    }

    fn bind(&self, new: Option<&Dataset>, fixed: &[Side], control: &Control) -> Result<Box<dyn Bound>> {
        self.0.expr.bind_in(&mut Walk { learnt: self.0.learnt.iter(), fixed: fixed.iter() }, new, None, control)
    }
}

impl Reference {
    /// The kernel.
    pub fn kernel(&self) -> &FittedKernel {
        &self.kernel
    }

    /// The Gram matrix among the rows that were made ready.
    pub fn among(&self, control: &Control) -> Result<Box<dyn Bound>> {
        self.kernel.bind(None, &self.fixed, control)
    }

    /// The Gram matrix of new rows against those that were made ready.
    pub fn cross(&self, new: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.kernel.bind(Some(new), &self.fixed, control)
    }
}

impl fmt::Display for FittedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expr.fmt(f)
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows made ready for {}", self.kernel)
    }
}

impl Serialize for FittedKernel {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(s)
    }
}

impl<'de> Deserialize<'de> for FittedKernel {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        Parts::deserialize(d).map(|parts| FittedKernel(Arc::new(parts)))
    }
}

/// What was learnt and what was made ready, in the order of the expression.
struct Walk<'a> {
    learnt: Iter<'a, Learnt>,
    fixed: Iter<'a, Side>,
}

/// What only a damaged file brings about.
pub(super) fn foreign() -> Error {
    Error::Data("what the kernel has learnt is not of this kernel".into())
}

/// The numbers of a column.
fn numbers<'a>(data: &'a Dataset, column: &str) -> Result<&'a [f64]> {
    match &data.column(column)?.values {
        Values::Numbers(v) => Ok(v),
        other => Err(Error::Data(format!("column '{column}' holds {}, and a weight must be a number", other.kind().holds()))),
    }
}

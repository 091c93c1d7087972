//! From an expression and data to a settled expression: every parameter a number, or left to be learnt.

use super::fitted::Scope;
use super::{Composed, KernelExpr};
use crate::data::{Dataset, RowWeights};
use crate::error::Result;

impl KernelExpr {
    /// Replaces every `auto` by what the data suggest and every range by its point nearest to that.
    pub fn settle(&self, data: &Dataset) -> Result<KernelExpr> {
        self.settle_weighed(data, None)
    }

    /// Replaces every `auto` and every range, with row weights: a row of weight 2 counts as two rows.
    ///
    /// # Errors
    /// What the parser refuses in such an expression; rows that determine no value.
    pub fn settle_weighed(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<KernelExpr> {
        self.require_readable()?;
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        let mut settled = self.clone();
        settled.settle_on(Scope::of(data), weights)?;
        Ok(settled)
    }

    pub(super) fn settle_on(&mut self, rows: Scope<'_>, weights: RowWeights<'_>) -> Result<()> {
        if let Some(k) = self.leaf_mut() {
            return k.settle_on(rows, weights);
        }
        self.composed_mut().map_or(Ok(()), |c| c.settle_on(rows, weights))
    }

    /// Moves each factor in front of a summand to `amplitude` where `asked`, the same expression before it was settled, leaves
    /// it open: the scale of the values comes from the target, not from the inputs. A product has one such factor.
    pub(crate) fn settle_amplitudes(&mut self, asked: &KernelExpr, amplitude: f64) {
        match (self, asked) {
            (KernelExpr::Scale(k), KernelExpr::Scale(open)) if open.how.is_open() => k.how.settle_to(&open.how, amplitude),
            (KernelExpr::Constant(k), KernelExpr::Constant(open)) => k.settle_to(open, amplitude),
            (KernelExpr::White(k), KernelExpr::White(open)) => k.settle_to(open, amplitude),
            (KernelExpr::Product(k), KernelExpr::Product(open)) => {
                let first = k.of.iter_mut().zip(&open.of).find(|(_, open)| matches!(open, KernelExpr::Constant(k) if k.is_open()));
                first.into_iter().for_each(|(part, open)| part.settle_amplitudes(open, amplitude));
            }
            (KernelExpr::Sum(k), KernelExpr::Sum(Composed { of: open, .. })) => {
                k.of.iter_mut().zip(open).for_each(|(part, open)| part.settle_amplitudes(open, amplitude));
            }
            (KernelExpr::On(k), KernelExpr::On(Composed { of: open, .. })) => {
                k.of.iter_mut().zip(open).for_each(|(part, open)| part.settle_amplitudes(open, amplitude));
            }
            _ => {}
        }
    }
}

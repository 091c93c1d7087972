//! From an expression and data to a settled expression: every parameter a number, or left to be learnt.

use super::KernelExpr;
use super::uses::{kinds, pick};
use crate::data::{Dataset, RowWeights};
use crate::error::Result;

impl KernelExpr {
    /// Replaces every `auto` by what the data suggest and every range by its point nearest to that.
    pub fn settle(&self, data: &Dataset) -> Result<KernelExpr> {
        self.settle_weighed(data, None)
    }

    /// The same where rows count by weight: a row of weight 2 is two rows.
    pub fn settle_weighed(&self, data: &Dataset, weights: Option<&[f64]>) -> Result<KernelExpr> {
        let weights = RowWeights::from(weights);
        weights.check(data.rows())?;
        let mut settled = self.clone();
        settled.settle_in(data, weights, None)?;
        Ok(settled)
    }

    fn settle_in(&mut self, data: &Dataset, weights: RowWeights<'_>, selected: Option<&[String]>) -> Result<()> {
        if let Some(k) = self.leaf_mut() {
            let columns = pick(&*k, &kinds(data), selected)?;
            return k.settle_on((data, &columns), weights);
        }
        if let KernelExpr::Scale { by, .. } = self {
            *by = by.settle(1.0);
        }
        let own = if let KernelExpr::On { columns, .. } = self { Some(columns.clone()) } else { None };
        let selected = own.as_deref().or(selected);
        self.parts_mut().into_iter().try_for_each(|p| p.settle_in(data, weights, selected))
    }

    /// Moves each factor in front of a summand to `amplitude` where `asked`, the same expression before it was settled, leaves
    /// it open: to what the target says of the size of values, which no input tells. A product has one such factor.
    pub(crate) fn settle_amplitudes(&mut self, asked: &KernelExpr, amplitude: f64) {
        match (self, asked) {
            (KernelExpr::Scale { by, .. }, KernelExpr::Scale { by: open, .. }) if !open.is_settled() => *by = open.settle(amplitude),
            (KernelExpr::Constant(k), KernelExpr::Constant(open)) => k.settle_to(open, amplitude),
            (KernelExpr::White(k), KernelExpr::White(open)) => k.settle_to(open, amplitude),
            (KernelExpr::Sum(parts), KernelExpr::Sum(open)) => {
                parts.iter_mut().zip(open).for_each(|(part, open)| part.settle_amplitudes(open, amplitude));
            }
            (KernelExpr::Product(parts), KernelExpr::Product(open)) => {
                let first = parts.iter_mut().zip(open).find(|(_, open)| matches!(open, KernelExpr::Constant(k) if k.is_open()));
                first.into_iter().for_each(|(part, open)| part.settle_amplitudes(open, amplitude));
            }
            (KernelExpr::On { of, .. }, KernelExpr::On { of: open, .. }) => of.settle_amplitudes(open, amplitude),
            _ => {}
        }
    }
}

//! From an expression and data to a Gram matrix: settling `auto`, binding, checking.

use super::KernelExpr;
use super::leaf::Columns;
use super::uses::{pick, sorts};
use crate::control::Control;
use crate::data::{Dataset, RowWeights, Values};
use crate::error::{Error, Result};
use crate::gram::{Bound, Centre, Exp, Normalise, Power, Product, Repaired, Rewritten, Scale, Sum, Weigh};
use crate::param::Value;

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
            let columns = pick(&*k, &sorts(data), selected)?;
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

    /// The Gram matrix among the rows of one dataset (`new = None`), or of new rows against them. Every parameter is settled.
    /// Where the expression [is anchored](KernelExpr::is_anchored), `data` holds all training rows.
    pub fn bind(&self, new: Option<&Dataset>, data: &Dataset) -> Result<Box<dyn Bound>> {
        self.bind_within(new, data, &Control::default())
    }

    /// The same within bounds: a repaired kernel is computed whole while it is bound.
    pub fn bind_within(&self, new: Option<&Dataset>, data: &Dataset, control: &Control) -> Result<Box<dyn Bound>> {
        self.bind_in(new, data, None, control)
    }

    fn bind_in(&self, new: Option<&Dataset>, data: &Dataset, selected: Option<&[String]>, control: &Control) -> Result<Box<dyn Bound>> {
        control.check()?;
        if let Some(k) = self.leaf() {
            let columns = pick(k, &sorts(data), selected)?;
            let new_columns = new.map(|n| pick(k, &sorts(n), selected)).transpose()?;
            let rows: Option<Columns<'_>> = new.zip(new_columns.as_deref());
            return k.bind(rows, (data, &columns));
        }
        if self.parts().is_empty() {
            return Err(Error::Data("a sum or a product of no kernels cannot be bound".into()));
        }
        let part = |p: &KernelExpr| p.bind_in(new, data, selected, control);
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
                let reference = new.map(|_| of.bind_in(None, data, selected, control)).transpose()?;
                let of = part(of)?;
                let how = Centre::new(of.as_ref(), reference.as_deref(), control)?;
                Box::new(Rewritten::new(of, how))
            }
            KernelExpr::Repaired { how, of } => {
                let among = of.bind_in(None, data, selected, control)?;
                let cross = new.map(|n| of.bind_in(Some(n), data, selected, control)).transpose()?;
                Box::new(Repaired::new(*how, cross.as_deref(), among.as_ref(), control)?)
            }
            KernelExpr::Weighted { column, of } => {
                let cols = numbers(data, column)?;
                let rows = new.map_or(Ok(cols), |n| numbers(n, column))?.to_vec();
                Box::new(Rewritten::new(part(of)?, Weigh { rows, cols: cols.to_vec() }))
            }
            KernelExpr::On { columns, of } => return of.bind_in(new, data, Some(columns), control),
            leaf => return Err(Error::Data(format!("{leaf} cannot be bound"))),
        })
    }
}

/// The numbers of a column.
fn numbers<'a>(data: &'a Dataset, column: &str) -> Result<&'a [f64]> {
    match &data.column(column)?.values {
        Values::Numbers(v) => Ok(v),
        other => Err(Error::Data(format!("column '{column}' holds {}, and a weight must be a number", other.sort().holds()))),
    }
}

//! The columns that a pass over rows multiplies by, a = ((z - origin) / unit, constant): features that are not formed are not formed here.

use crate::control::Control;
use crate::error::Result;
use crate::gram::{Features, Multiplied};
use crate::linalg::{Matrix, product_within, transposed_product_within};

/// Columns of some rows.
pub(crate) struct PassColumns<'a> {
    held: Held<'a>,
    scale: ColumnScale<'a>,
}

/// What features are measured from and in, and the number in the last column.
#[derive(Clone, Copy)]
pub(crate) struct ColumnScale<'a> {
    pub(crate) origin: &'a [f64],
    pub(crate) unit: &'a [f64],
    pub(crate) constant: f64,
}

enum Held<'a> {
    /// The columns themselves.
    Formed(Matrix),
    /// Features in units of their own.
    Applied(&'a Multiplied<'a>),
}

impl<'a> PassColumns<'a> {
    /// Those of rows with such features.
    pub(crate) fn of(z: &'a Multiplied<'a>, scale: ColumnScale<'a>) -> Self {
        let held = match z {
            Multiplied::Whole(Features::Dense(z)) => Held::Formed(scale.formed(z)),
            _ => Held::Applied(z),
        };
        PassColumns { held, scale }
    }

    /// A V' for weights V of functions, functions x columns: their values, rows x functions.
    pub(crate) fn values(&self, weights: &Matrix, control: &Control) -> Result<Matrix> {
        let z = match &self.held {
            Held::Formed(a) => return product_within(a, &weights.transpose(), control),
            Held::Applied(z) => z,
        };
        let ColumnScale { origin, unit, constant } = self.scale;
        let own = Matrix::from_fn(unit.len(), weights.rows(), |j, f| weights[(f, j)] / unit[j]);
        let from: Vec<f64> = (0..weights.rows())
            .map(|f| constant * weights[(f, unit.len())] - origin.iter().enumerate().map(|(j, o)| o * own[(j, f)]).sum::<f64>())
            .collect();
        let mut values = z.product(&own, control)?;
        values.data_mut().chunks_exact_mut(from.len().max(1)).for_each(|row| row.iter_mut().zip(&from).for_each(|(v, from)| *v += from));
        Ok(values)
    }

    /// R'A for numbers R of the rows, rows x functions: functions x columns.
    pub(crate) fn sums(&self, of: &Matrix, control: &Control) -> Result<Matrix> {
        let z = match &self.held {
            Held::Formed(a) => return transposed_product_within(of, a, control),
            Held::Applied(z) => z,
        };
        let ColumnScale { origin, unit, constant } = self.scale;
        let back = z.transposed_product(of, control)?;
        let masses: Vec<f64> = (0..of.cols()).map(|f| (0..of.rows()).map(|i| of[(i, f)]).sum()).collect();
        Ok(Matrix::from_fn(of.cols(), unit.len() + 1, |f, j| match unit.get(j) {
            Some(unit) => (back[(j, f)] - origin[j] * masses[f]) / unit,
            None => constant * masses[f],
        }))
    }
}

impl ColumnScale<'_> {
    /// The columns of features that are written out.
    pub(crate) fn formed(self, z: &Matrix) -> Matrix {
        let of = |i: usize, j: usize| self.unit.get(j).map_or(self.constant, |unit| (z[(i, j)] - self.origin[j]) / unit);
        Matrix::from_fn(z.rows(), self.unit.len() + 1, of)
    }
}

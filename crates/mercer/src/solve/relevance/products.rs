//! Phi'Omega phi of columns, each a pass over the matrix Phi: those that promise most are computed together, which takes little longer
//! than one by itself.

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, transposed_product_within};
use std::collections::BTreeMap;

/// Columns whose products are computed together, and products that are kept beside them.
const TOGETHER: usize = 16;
const KEPT: usize = 64;

pub(super) struct Products<'a> {
    phi: &'a Matrix,
    omega: &'a [f64],
    /// Of columns that may be asked for.
    known: BTreeMap<usize, Vec<f64>>,
}

impl<'a> Products<'a> {
    pub(super) fn new(phi: &'a Matrix, omega: &'a [f64]) -> Self {
        Products { phi, omega, known: BTreeMap::new() }
    }

    /// Of some columns.
    pub(super) fn of(&self, columns: &[usize], control: &Control) -> Result<Vec<Vec<f64>>> {
        let weighed = Matrix::from_fn(self.phi.rows(), columns.len(), |i, k| self.omega[i] * self.phi[(i, columns[k])]);
        let products = transposed_product_within(self.phi, &weighed, control)?;
        Ok((0..columns.len()).map(|k| products.col(k)).collect())
    }

    /// Of one column; others: columns that may be asked for soon, and how much they promise.
    pub(super) fn take(&mut self, column: usize, mut others: Vec<(usize, f64)>, control: &Control) -> Result<Vec<f64>> {
        if let Some(known) = self.known.remove(&column) {
            return Ok(known);
        }
        if self.known.len() > KEPT {
            self.known.clear();
        }
        others.retain(|(m, _)| *m != column && !self.known.contains_key(m));
        others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let columns: Vec<usize> = std::iter::once(column).chain(others.into_iter().map(|o| o.0).take(TOGETHER - 1)).collect();
        let mut products = columns.iter().copied().zip(self.of(&columns, control)?);
        let product = products.next().map(|(_, product)| product).unwrap_or_default();
        self.known.extend(products);
        Ok(product)
    }

    /// Keeps that of a column that has gone.
    pub(super) fn keep(&mut self, column: usize, product: Vec<f64>) {
        self.known.insert(column, product);
    }
}

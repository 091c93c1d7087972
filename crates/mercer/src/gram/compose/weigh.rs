//! f(x) k(x, z) f(z): a kernel weighed by a column of numbers (F24).

use super::super::gradient::plan_copies;
use super::super::{Bound, Side};
use super::rewrite::Rewrite;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, Real};

/// f of both batches.
pub(crate) struct Weigh {
    pub(crate) rows: Vec<f64>,
    pub(crate) cols: Vec<f64>,
}

impl Rewrite for Weigh {
    fn row<T: Real>(&self, i: usize, first: usize, _: bool, values: &mut [T]) {
        for (v, right) in values.iter_mut().zip(&self.cols[first..]) {
            *v = *v * T::from_f64(self.rows[i] * right);
        }
    }
    fn diagonal(&self, side: Side, inner: Vec<f64>) -> Vec<f64> {
        let f = if side == Side::Rows { &self.rows } else { &self.cols };
        inner.iter().zip(f).map(|(d, f)| d * f * f).collect()
    }
    fn multiplies(&self, side: Side, _: usize) -> Option<Vec<f64>> {
        Some(if side == Side::Rows { &self.rows } else { &self.cols }.clone())
    }
    fn gradient(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        let n = weights.rows();
        plan_copies(1, weights, control)?;
        inner.gradient(&Matrix::from_fn(n, n, |i, j| self.rows[i] * self.cols[j] * weights[(i, j)]), control)
    }
}

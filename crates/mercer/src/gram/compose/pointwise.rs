//! Kernels that are a function of one kernel value: multiples, powers, the exponential (F24).

use super::super::gradient::{inner_product, plan_copies, reweigh};
use super::super::{Bound, Side};
use super::rewrite::Rewrite;
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, Real};

/// by * k.
pub(crate) struct Scale(pub f64);
/// k^exponent.
pub(crate) struct Power(pub u32);
/// exp(k).
pub(crate) struct Exp;

impl Rewrite for Scale {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        values.iter_mut().for_each(|v| *v = *v * T::from_f64(self.0));
    }
    fn diagonal(&self, _: Side, inner: Vec<f64>) -> Vec<f64> {
        inner.iter().map(|d| self.0 * d).collect()
    }
    fn stretches(&self) -> Option<f64> {
        (self.0 > 0.0).then_some(self.0)
    }
    fn multiplies(&self, _: Side, inputs: usize) -> Option<Vec<f64>> {
        (self.0 >= 0.0).then(|| vec![self.0.sqrt(); inputs])
    }
    fn parameters(&self) -> usize {
        1
    }
    fn gradient(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        let mut out = vec![inner_product(inner, weights, control)?];
        if inner.parameters() > 0 {
            out.extend(inner.gradient(weights, control)?.iter().map(|g| self.0 * g));
        }
        Ok(out)
    }
}

/// x^n by squaring, for any precision.
fn power<T: Real>(x: T, n: u32) -> T {
    let (mut result, mut square, mut left) = (T::from_f64(1.0), x, n);
    while left > 0 {
        if left & 1 == 1 {
            result = result * square;
        }
        square = square * square;
        left >>= 1;
    }
    result
}

impl Rewrite for Power {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        values.iter_mut().for_each(|v| *v = power(*v, self.0));
    }
    fn diagonal(&self, _: Side, inner: Vec<f64>) -> Vec<f64> {
        inner.iter().map(|d| power(*d, self.0)).collect()
    }
    /// d k^n = n k^(n-1) dk.
    fn gradient(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        slope(inner, weights, |k| f64::from(self.0) * power(k, self.0 - 1), control)
    }
}

impl Rewrite for Exp {
    fn row<T: Real>(&self, _: usize, _: usize, _: bool, values: &mut [T]) {
        super::super::simd::map_row(values, Exponential);
    }
    fn diagonal(&self, _: Side, mut inner: Vec<f64>) -> Vec<f64> {
        super::super::simd::map_row(&mut inner, Exponential);
        inner
    }
    /// d exp(k) = exp(k) dk.
    fn gradient(&self, inner: &dyn Bound, weights: &Matrix, control: &Control) -> Result<Vec<f64>> {
        slope(inner, weights, f64::exp, control)
    }
}

#[derive(Clone, Copy)]
struct Exponential;

impl super::super::Map for Exponential {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        x.exponential::<FMA>()
    }
}

/// The gradient of f(k): the slope of f at every kernel value joins the weights.
fn slope(inner: &dyn Bound, weights: &Matrix, slope: impl Fn(f64) -> f64 + Sync, control: &Control) -> Result<Vec<f64>> {
    if inner.parameters() == 0 {
        return Ok(Vec::new());
    }
    plan_copies(1, weights, control)?;
    let mut all = weights.clone();
    reweigh(inner, &mut all, control, |w, k| w * slope(k))?;
    inner.gradient(&all, control)
}

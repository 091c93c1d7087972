//! Feature maps that can be written out: x -> phi(x) with k(x, z) = <phi(x), phi(z)>, equal to their kernels.
//!
//! Kernels exist so that these vectors need not be made; where they are short, or for teaching and proof, here they are.

mod counting;
mod empirical;
mod fastfood;
mod frequencies;
mod gaussian;
mod monomials;

pub use counting::{binomial, monomials_up_to, separable_dichotomies};
pub use empirical::Empirical;
pub use fastfood::Fastfood;
pub use frequencies::Frequencies;
pub use gaussian::GaussianSeries;
pub use monomials::{Monomials, OrderedProducts};

use crate::linalg::Matrix;

/// A map from a point to its features.
pub trait FeatureMap {
    /// The features of one point.
    fn features(&self, x: &[f64]) -> Vec<f64>;

    /// The features of every row of `x` (N x D), one row each.
    fn apply(&self, x: &Matrix) -> Matrix {
        let rows: Vec<Vec<f64>> = (0..x.rows()).map(|i| self.features(x.row(i))).collect();
        let width = rows.first().map_or(0, Vec::len);
        Matrix::from_fn(rows.len(), width, |i, j| rows[i][j])
    }
}

/// Every product of a feature of one map and a feature of the other: the map of the product kernel (F25).
pub struct Tensor<A, B>(pub A, pub B);

impl<A: FeatureMap, B: FeatureMap> FeatureMap for Tensor<A, B> {
    fn features(&self, x: &[f64]) -> Vec<f64> {
        let (a, b) = (self.0.features(x), self.1.features(x));
        a.iter().flat_map(|p| b.iter().map(move |q| p * q)).collect()
    }
}

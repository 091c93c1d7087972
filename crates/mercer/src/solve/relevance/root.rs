//! Square roots of covariance matrices, G = L L', and what a measurement makes of them (Potter's algorithm: Bierman 1977): of
//! G - g G z z'G / (1 + g z'G z) the root is L - kappa L y y' with y = L'z. However small G becomes, its root keeps its digits, and G
//! stays positive semidefinite.

use crate::gram::{axpy, dot};
use crate::linalg::Matrix;

/// One measurement: y and its gain g, which is below 0 where one is taken back.
pub(super) struct Measured {
    pub(super) y: Vec<f64>,
    /// 1 + g |y|^2.
    pub(super) factor: f64,
    kappa: f64,
}

impl Measured {
    /// `None` where too little would be left to take back: 1 + g |y|^2 is rounding.
    pub(super) fn new(y: Vec<f64>, gain: f64) -> Option<Self> {
        /// Of a difference from 1 half of the digits are left.
        const LEAST: f64 = 1e-8;
        let factor = 1.0 + gain * dot(&y, &y);
        let root = factor.sqrt();
        (factor > LEAST).then(|| Measured { y, factor, kappa: gain / (root * (root + 1.0)) })
    }

    /// L - kappa L y y'.
    pub(super) fn shrink(&self, root: &mut Matrix) {
        for i in 0..root.rows() {
            let row = root.row_mut(i);
            axpy(-self.kappa * dot(row, &self.y), &self.y, row);
        }
    }

    /// Applies the update of the root to L'v, for one vector v.
    pub(super) fn shrink_vector(&self, seen: &mut [f64]) {
        axpy(-self.kappa * dot(seen, &self.y), &self.y, seen);
    }

    /// Applies the update of the root to L'V, for vectors V (b x P).
    pub(super) fn shrink_columns(&self, turned: &mut Matrix) {
        let mut sum = vec![0.0; turned.cols()];
        for (j, y) in self.y.iter().enumerate() {
            axpy(*y, turned.row(j), &mut sum);
        }
        for (j, y) in self.y.iter().enumerate() {
            axpy(-self.kappa * y, &sum, turned.row_mut(j));
        }
    }
}

/// L'z.
pub(super) fn turned(root: &Matrix, z: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; root.cols()];
    for (i, z) in z.iter().enumerate() {
        axpy(*z, root.row(i), &mut out);
    }
    out
}

/// The identity.
pub(super) fn identity(size: usize) -> Matrix {
    Matrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j)))
}

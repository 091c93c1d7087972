//! Kernel ridge regression without a penalty where K is singular: of all functions with the least weighted squared error
//! that of least norm ||g||, which is the limit lambda -> 0 of the penalised one.
//!
//! With W the weights, u = W^(1/2) 1 / ||W^(1/2) 1||, M = I - u u' where there is a constant and M = I without one, and
//! A = M W^(1/2) K W^(1/2) M: beta = A^+ M W^(1/2) y, alpha = W^(1/2) beta, and b is the weighted mean of y - K alpha. Since
//! beta is orthogonal to u, sum alpha = 0 as with a penalty. A^+ is the pseudo-inverse (Penrose 1955, A generalized inverse
//! for matrices); eigenvalues up to N eps times the largest are taken as 0, as by numpy.linalg.matrix_rank.

use crate::error::Result;
use crate::estimators::Task;
use crate::gram;
use crate::linalg::{Matrix, eigh, product};

/// The function of least norm.
pub(super) struct LeastNorm {
    /// N x outputs.
    pub(super) alpha: Matrix,
    /// One per output.
    pub(super) bias: Vec<f64>,
    /// K alpha.
    pub(super) product: Matrix,
    /// Eigenvalues that are not taken as 0.
    pub(super) rank: usize,
    /// ||A (M W^(1/2) y - A beta)|| / (s ||M W^(1/2) y||) with s the largest eigenvalue: how far from least the error is.
    pub(super) gradient: f64,
}

impl LeastNorm {
    /// For targets y (N x outputs). Takes three N x N matrices.
    pub(super) fn new(task: &Task<'_>, y: &Matrix, intercept: bool) -> Result<Self> {
        let (n, outputs) = (y.rows(), y.cols());
        task.control.plan("the pseudo-inverse of the kernel matrix", 32 * (n as u64).pow(2))?;
        let root: Vec<f64> = (0..n).map(|i| task.weight(i).sqrt()).collect();
        let length = root.iter().map(|r| r * r).sum::<f64>().sqrt();
        let u: Vec<f64> = root.iter().map(|r| if intercept { r / length } else { 0.0 }).collect();
        let k = gram::dense(task.gram()?, task.control)?;
        let scaled = centred(centred(Matrix::from_fn(n, n, |i, j| root[i] * k[(i, j)] * root[j]), &u).transpose(), &u);
        // Exactly symmetric, which the order of the two projections is not.
        let a = Matrix::from_fn(n, n, |i, j| 0.5 * (scaled[(i, j)] + scaled[(j, i)]));
        drop(scaled);
        let right = centred(Matrix::from_fn(n, outputs, |i, o| root[i] * y[(i, o)]), &u);
        let (values, vectors) = eigh(a, task.control)?;
        let largest = values.iter().fold(0.0f64, |m, s| m.max(s.abs()));
        let least = n as f64 * f64::EPSILON * largest;
        let along = product(&vectors.transpose(), &right)?;
        let inverse = |s: f64| if s.abs() > least { 1.0 / s } else { 0.0 };
        let beta = product(&vectors, &Matrix::from_fn(n, outputs, |e, o| inverse(values[e]) * along[(e, o)]))?;
        let beta = centred(beta, &u);
        // In the coordinates of the eigenvectors A (right - A beta) is s (1 - s s^+) times the right side.
        let found = product(&vectors.transpose(), &beta)?;
        let rest = Matrix::from_fn(n, outputs, |e, o| values[e] * (along[(e, o)] - values[e] * found[(e, o)]));
        let alpha = Matrix::from_fn(n, outputs, |i, o| root[i] * beta[(i, o)]);
        let product = product(&k, &alpha)?;
        let total = length * length;
        let mean = |o: usize| (0..n).map(|i| task.weight(i) * (y[(i, o)] - product[(i, o)])).sum::<f64>() / total;
        let bias = (0..outputs).map(|o| if intercept { mean(o) } else { 0.0 }).collect();
        let size = largest * right.norm();
        let gradient = if size > 0.0 { rest.norm() / size } else { 0.0 };
        Ok(LeastNorm { alpha, bias, product, rank: values.iter().filter(|s| s.abs() > least).count(), gradient })
    }
}

/// Every column without its part along u: (I - u u') B.
fn centred(mut b: Matrix, u: &[f64]) -> Matrix {
    let mut along = vec![0.0; b.cols()];
    for (i, u) in u.iter().enumerate() {
        along.iter_mut().zip(b.row(i)).for_each(|(a, v)| *a += u * v);
    }
    for (i, u) in u.iter().enumerate() {
        b.row_mut(i).iter_mut().zip(&along).for_each(|(v, a)| *v -= u * a);
    }
    b
}

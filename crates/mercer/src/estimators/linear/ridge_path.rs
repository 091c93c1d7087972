//! Kernel ridge regression for many lambdas at the price of one decomposition (Rifkin & Lippert 2007, Notes on regularized
//! least squares).
//!
//! With A = W^(1/2) K W^(1/2) = U diag(s) U', C^-1 = W^(1/2) U diag(1/(s + lambda)) U' W^(1/2) for every lambda. What every
//! lambda needs of it, C^-1 [y 1] and its diagonal, are products of U and of its squares with one column per lambda. Where
//! A has few eigenvalues above rounding, U has as many columns, and the others stand for 0:
//! U diag(1/(s + lambda)) U' becomes U diag(1/(s + lambda) - 1/lambda) U' + I/lambda.

use crate::error::Result;
use crate::estimators::Task;
use crate::gram;
use crate::linalg::{Matrix, eigh, gramian_within, product, product_within};
use rayon::prelude::*;

/// Eigenvalues are few where there is no more than one for so many rows.
const FEW: usize = 8;

/// Eigenvalues of A above rounding and their vectors (N x rank).
struct Spectrum {
    values: Vec<f64>,
    vectors: Matrix,
    /// Whether there are others, which are 0.
    others: bool,
}

impl Spectrum {
    fn new(task: &Task<'_>, scale: &[f64]) -> Result<Self> {
        let n = task.rows();
        let by_construction = task.gram()?.structure().dense_features(gram::Side::Rows).filter(|z| z.cols() <= n / FEW);
        let few = match by_construction {
            Some(z) => Some(Matrix::from_fn(z.cols(), n, |k, i| scale[i] * z[(i, k)])),
            None => Some(gram::pivoted_cholesky(task.gram()?, scale, n / FEW, task.control)?).filter(|p| p.complete).map(|p| p.g),
        };
        if let Some(g) = few {
            // G'G = U S U' with U = G' V S^(-1/2) for G G' = V S V'.
            let (values, v) = eigh(gramian_within(&g, task.control)?, task.control)?;
            let least = values.last().map_or(0.0, |top| top * f64::EPSILON * values.len() as f64);
            let first = values.partition_point(|s| *s <= least);
            let v = Matrix::from_fn(v.rows(), values.len() - first, |i, k| v[(i, first + k)] / values[first + k].sqrt());
            return Ok(Spectrum {
                values: values[first..].to_vec(),
                vectors: product_within(&g.transpose(), &v, task.control)?,
                others: true,
            });
        }
        let mut a = gram::dense(task.gram()?, task.control)?;
        a.data_mut().par_chunks_mut(n).zip(scale).for_each(|(row, d)| row.iter_mut().zip(scale).for_each(|(v, e)| *v *= d * e));
        let (values, vectors) = eigh(a, task.control)?;
        Ok(Spectrum { values, vectors, others: false })
    }

    /// The share of the identity in (A + lambda I)^-1, and that of eigenvector k besides.
    fn rest(&self, lambda: f64) -> f64 {
        if self.others { 1.0 / lambda } else { 0.0 }
    }
    fn factor(&self, k: usize, lambda: f64) -> f64 {
        let s = self.values[k];
        if self.others { -s / (lambda * (s + lambda)) } else { 1.0 / (s + lambda) }
    }
}

/// The weighted mean of squared leave-one-out residuals over rows and outputs, for each lambda (above 0); `y` is N x outputs.
pub(super) fn left_out_means(task: &Task<'_>, y: &Matrix, intercept: bool, lambdas: &[f64]) -> Result<Vec<f64>> {
    let (n, outputs, count) = (y.rows(), y.cols(), lambdas.len());
    task.control.plan("the path of ridge", 8 * (4 * (n as u64).pow(2) + (n * count * (outputs + 2)) as u64))?;
    let scale: Vec<f64> = (0..n).map(|i| task.weight(i).sqrt()).collect();
    let spectrum = Spectrum::new(task, &scale)?;
    let vectors = &spectrum.vectors;
    let rank = vectors.cols();
    // The targets without their means and, last, ones: what the constant needs.
    let total: f64 = (0..n).map(|i| task.weight(i)).sum();
    let mean = |o: usize| (0..n).map(|i| task.weight(i) * y[(i, o)]).sum::<f64>() / total;
    let means: Vec<f64> = (0..outputs).map(|o| if intercept { mean(o) } else { 0.0 }).collect();
    let sides = Matrix::from_fn(n, outputs + 1, |i, o| scale[i] * if o < outputs { y[(i, o)] - means[o] } else { 1.0 });
    let along = product(&vectors.transpose(), &sides)?;
    let factors = Matrix::from_fn(rank, count, |k, l| spectrum.factor(k, lambdas[l]));
    let rest: Vec<f64> = lambdas.iter().map(|l| spectrum.rest(*l)).collect();
    // N x lambdas each: the diagonal of C^-1, and C^-1 times each side.
    let mut diagonal = product_within(&Matrix::new(n, rank, vectors.data().iter().map(|v| v * v).collect())?, &factors, task.control)?;
    let mut solved = Vec::with_capacity(outputs + 1);
    for o in 0..=outputs {
        solved.push(product_within(vectors, &Matrix::from_fn(rank, count, |k, l| factors[(k, l)] * along[(k, o)]), task.control)?);
    }
    for i in 0..n {
        for l in 0..count {
            diagonal[(i, l)] = scale[i] * scale[i] * (diagonal[(i, l)] + rest[l]);
            solved.iter_mut().enumerate().for_each(|(o, v)| v[(i, l)] = scale[i] * (v[(i, l)] + rest[l] * sides[(i, o)]));
        }
    }
    let sum = |v: &Matrix, l: usize| (0..n).map(|i| v[(i, l)]).sum::<f64>();
    let mean_of = |l: usize| {
        let ones = &solved[outputs];
        let z = if intercept { 1.0 / sum(ones, l) } else { 0.0 };
        let constants: Vec<f64> = (0..outputs).map(|o| z * sum(&solved[o], l)).collect();
        let of_row = |i: usize| {
            let p = diagonal[(i, l)] - z * ones[(i, l)].powi(2);
            let each = (0..outputs).map(|o| ((solved[o][(i, l)] - constants[o] * ones[(i, l)]) / p).powi(2));
            task.weight(i) * each.sum::<f64>()
        };
        (0..n).map(of_row).sum::<f64>() / (total * outputs as f64)
    };
    Ok((0..count).map(mean_of).collect())
}

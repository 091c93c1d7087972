//! The least mean squares rule in feature space and by kernels (S0 5.2-5.12): gradient descent on sum_i (y_i - f(x_i))^2 / 2.
//!
//! With theta = sum_i beta_i phi(x_i) both forms take the same steps. They converge where
//! 0 < rate < 2 / (largest eigenvalue of K), and the limit interpolates where K is positive definite.

use super::minimiser::dot;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, product};

/// Weights of the features (N x P) after `steps` steps over all rows: theta += rate sum_i (y_i - theta'phi_i) phi_i.
pub fn batch(features: &Matrix, y: &[f64], rate: f64, steps: usize) -> Result<Vec<f64>> {
    Error::unless_equal("targets", features.rows(), y.len())?;
    let mut theta = vec![0.0; features.cols()];
    for _ in 0..steps {
        let errors: Vec<f64> = (0..y.len()).map(|i| y[i] - dot(features.row(i), &theta)).collect();
        for (i, e) in errors.iter().enumerate() {
            theta.iter_mut().zip(features.row(i)).for_each(|(t, p)| *t += rate * e * p);
        }
    }
    Ok(theta)
}

/// Weights of the features after single-row steps in the given order: theta += rate (y_i - theta'phi_i) phi_i.
pub fn stochastic(features: &Matrix, y: &[f64], rate: f64, order: &[usize]) -> Result<Vec<f64>> {
    Error::unless_equal("targets", features.rows(), y.len())?;
    let mut theta = vec![0.0; features.cols()];
    for &i in order {
        let row = features.row(i);
        let error = y[i] - dot(row, &theta);
        theta.iter_mut().zip(row).for_each(|(t, p)| *t += rate * error * p);
    }
    Ok(theta)
}

/// Coefficients after `steps` sweeps over all rows: beta += rate (y - K beta), from 0. O(N^2) a sweep.
pub fn kernel_batch(gram: &Matrix, y: &[f64], rate: f64, steps: usize) -> Result<Vec<f64>> {
    Error::unless_equal("targets", gram.rows(), y.len())?;
    let mut beta = Matrix::zeros(y.len(), 1);
    for _ in 0..steps {
        let f = product(gram, &beta)?;
        beta.data_mut().iter_mut().zip(f.data().iter().zip(y)).for_each(|(b, (f, y))| *b += rate * (y - f));
    }
    Ok(beta.into_data())
}

/// Coefficients after single-row steps in the given order: beta_i += rate (y_i - (K beta)_i). O(N) a step.
pub fn kernel_stochastic(gram: &Matrix, y: &[f64], rate: f64, order: &[usize]) -> Result<Vec<f64>> {
    Error::unless_equal("targets", gram.rows(), y.len())?;
    let mut beta = vec![0.0; y.len()];
    for &i in order {
        beta[i] += rate * (y[i] - dot(gram.row(i), &beta));
    }
    Ok(beta)
}

//! Coordinates in units of the bandwidth: z = L^-1 (x - centre), with L the widths of the columns or the factor of H = L L'.

use super::sample::quantile;
use super::{Chosen, Sample};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use serde::{Deserialize, Serialize};

/// What turns points into units of the bandwidth and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Frame {
    /// The median of each column: differences of numbers far from 0 keep their digits.
    centre: Vec<f64>,
    /// The bandwidth of each column, where there is no matrix.
    widths: Vec<f64>,
    /// The lower factor of H.
    factor: Option<Matrix>,
}

/// The lower factor L of H = L L'.
///
/// # Errors
/// A matrix that is not square, symmetric, finite and positive definite.
pub(super) fn factor(matrix: &Matrix, control: &Control) -> Result<Matrix> {
    control.check()?;
    let dim = matrix.rows();
    let fault =
        |why: &str| Error::Setting { name: "bandwidth".into(), why: format!("the matrix {why}; H = h^2 times a covariance is one") };
    if matrix.cols() != dim {
        return Err(fault(&format!("is {dim} x {} and has to be square", matrix.cols())));
    }
    if matrix.data().iter().any(|v| !v.is_finite()) {
        return Err(fault("holds a number that is not finite"));
    }
    // Correlations are factored, so that columns of very different units are no obstacle.
    let scale: Vec<f64> = matrix.diagonal().iter().map(|d| d.sqrt()).collect();
    if !scale.iter().all(|s| *s > 0.0) {
        return Err(fault("has a diagonal that is not above 0"));
    }
    let correlation = |i: usize, j: usize| matrix[(i, j)] / (scale[i] * scale[j]);
    let mut lower = Matrix::zeros(dim, dim);
    for i in 0..dim {
        for j in 0..=i {
            if (correlation(i, j) - correlation(j, i)).abs() > 1e-9 {
                return Err(fault("is not symmetric"));
            }
            let rest = correlation(i, j) - (0..j).map(|k| lower[(i, k)] * lower[(j, k)]).sum::<f64>();
            if i != j {
                lower[(i, j)] = rest / lower[(j, j)];
            } else if rest > 1e-12 {
                lower[(i, i)] = rest.sqrt();
            } else {
                return Err(fault("is not positive definite: columns that depend linearly on one another leave no width"));
            }
        }
    }
    Ok(Matrix::from_fn(dim, dim, |i, j| scale[i] * lower[(i, j)]))
}

impl Frame {
    pub(super) fn new(sample: &Sample, chosen: &Chosen, control: &Control) -> Result<Frame> {
        let centre = (0..sample.dim()).map(|j| quantile(&sample.ordered(j), 0.5)).collect();
        let factor = chosen.matrix.as_ref().map(|matrix| factor(matrix, control)).transpose()?;
        Ok(Frame { centre, widths: chosen.columns.clone(), factor })
    }

    pub(super) fn dim(&self) -> usize {
        self.centre.len()
    }

    /// The bandwidth of a column; of a matrix the root of its diagonal.
    pub(super) fn width(&self, column: usize) -> f64 {
        self.widths[column]
    }

    pub(super) fn is_oblique(&self) -> bool {
        self.factor.is_some()
    }

    /// The frame of some columns, without oblique directions.
    pub(super) fn columns(&self, kept: &[usize]) -> Frame {
        let of = |all: &[f64]| kept.iter().map(|&j| all[j]).collect();
        Frame { centre: of(&self.centre), widths: of(&self.widths), factor: None }
    }

    /// ln |L|.
    pub(super) fn log_volume(&self) -> f64 {
        match &self.factor {
            Some(lower) => lower.diagonal().iter().map(|d| d.ln()).sum(),
            None => self.widths.iter().map(|h| h.ln()).sum(),
        }
    }

    /// A point in units of the bandwidth.
    pub(super) fn in_units(&self, x: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = x.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        match &self.factor {
            Some(lower) => {
                for i in 0..z.len() {
                    let known: f64 = (0..i).map(|k| lower[(i, k)] * z[k]).sum();
                    z[i] = (z[i] - known) / lower[(i, i)];
                }
            }
            None => z.iter_mut().zip(&self.widths).for_each(|(z, h)| *z /= h),
        }
        z
    }

    /// A step in units of the bandwidth as one in the columns.
    pub(super) fn step(&self, z: &[f64]) -> Vec<f64> {
        match &self.factor {
            Some(lower) => (0..z.len()).map(|i| (0..=i).map(|k| lower[(i, k)] * z[k]).sum()).collect(),
            None => z.iter().zip(&self.widths).map(|(z, h)| z * h).collect(),
        }
    }
}

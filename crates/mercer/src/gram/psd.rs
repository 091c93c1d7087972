//! The numeric test of positive semi-definiteness, with a witness when it fails.

use crate::error::Result;
use crate::linalg::{Matrix, eigh};

/// The numeric test of positive semi-definiteness of one Gram matrix (F19, F20).
#[derive(Clone, Debug)]
pub struct PsdCheck {
    /// Smallest eigenvalue.
    pub smallest: f64,
    /// Largest eigenvalue.
    pub largest: f64,
    /// v with v' K v < 0, if the smallest eigenvalue is below -N eps times the largest.
    pub witness: Option<Vec<f64>>,
}

/// Tests a symmetric matrix; the witness proves a failure to anyone who evaluates v' K v.
pub fn psd_check(gram: &Matrix) -> Result<PsdCheck> {
    let (values, vectors) = eigh(gram.clone())?;
    let (smallest, largest) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
    let bound = -(gram.rows() as f64) * f64::EPSILON * largest.abs().max(smallest.abs());
    let witness = (smallest < bound).then(|| vectors.col(0));
    Ok(PsdCheck { smallest, largest, witness })
}

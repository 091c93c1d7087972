//! Factors of covariances and of information matrices that may be singular.
//!
//! C = D R D with the scales D = diag(C)^(1/2) and the correlations R. Of these a share s is taken away, (1 - s) R + s I = L L', which
//! keeps the diagonal of C and does not depend on the units of its rows (Ledoit & Wolf 2004 with the diagonal as target).

use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Lower, Matrix};
use serde::{Deserialize, Serialize};

/// D and L of D ((1 - s) R + s I) D = D L (D L)'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShrunkFactor {
    #[serde(with = "crate::blocks::f64s")]
    scales: Vec<f64>,
    lower: Lower,
    share: f64,
}

impl ShrunkFactor {
    /// Factors a covariance that so many rows were averaged into. `share` of the correlations is taken away; `None`: nothing where the
    /// matrix is positive definite, else size / (rows + size), since few rows say little of many correlations.
    ///
    /// # Errors
    /// A matrix that is singular with the given share; bounds of `control`.
    pub(crate) fn new(covariance: &Matrix, rows: f64, share: Option<f64>, control: &Control) -> Result<Self> {
        // A share of variance that no other row explains below which a matrix counts as singular: correlations that are known to 16 digits
        // leave six of the inverse.
        const SINGULAR: f64 = 1e-10;
        // A singular matrix loses no less of its correlations than this share, whatever its number of rows.
        const LEAST_SHARE: f64 = 1e-6;
        let size = covariance.rows();
        // What does not vary correlates with nothing.
        let scales: Vec<f64> = covariance.diagonal().into_iter().map(|v| if v > 0.0 { v.sqrt() } else { 1.0 }).collect();
        let shrunk = |share: f64| {
            let entry = |i: usize, j: usize| {
                if i == j { 1.0 } else { (1.0 - share) * covariance[(i, j)] / scales[i] / scales[j] }
            };
            Cholesky::new(Matrix::from_fn(size, size, entry), control)
        };
        let definite = |made: Result<Cholesky>| match made {
            Ok(factor) if factor.jitter() == 0.0 && factor.pivots().iter().all(|l| l * l >= SINGULAR) => Ok(Some(factor)),
            Err(error) if error.ends_all() => Err(error),
            _ => Ok(None),
        };
        let asked = share.unwrap_or(0.0);
        let (share, factor) = match (definite(shrunk(asked))?, share) {
            (Some(factor), _) => (asked, factor),
            (None, None) => {
                let share = (size as f64 / (rows.max(0.0) + size as f64)).max(LEAST_SHARE);
                (share, shrunk(share)?)
            }
            (None, Some(share)) => {
                let why =
                    format!("it is singular with a share of {share} of its correlations taken away; take more away, or leave it auto");
                return Err(Error::Numerical { what: "a covariance".into(), why });
            }
        };
        Ok(ShrunkFactor { scales, lower: factor.into_lower(), share })
    }

    /// D.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }
    /// L.
    pub fn lower(&self) -> &Lower {
        &self.lower
    }
    /// The share of the correlations that was taken away.
    pub fn share(&self) -> f64 {
        self.share
    }
    /// L^-1 D^-1 x for every row x.
    ///
    /// # Errors
    /// Rows of another length.
    pub(crate) fn whiten(&self, rows: &mut Matrix, control: &Control) -> Result<()> {
        Error::unless_equal("numbers per row of what is whitened", self.scales.len(), rows.cols())?;
        for i in 0..rows.rows() {
            rows.row_mut(i).iter_mut().zip(&self.scales).for_each(|(x, scale)| *x /= scale);
        }
        self.lower.solve_rows(rows, control)
    }
}

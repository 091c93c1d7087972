//! The size of a fit: what its costs are computed from.

use crate::estimators::Costs;
use crate::linalg::SCATTERED;
use serde::{Deserialize, Serialize};

/// The size of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// Rows that are learnt from.
    pub rows: usize,
    /// Columns of the target, or classes.
    pub outputs: usize,
    /// Whether the outputs are classes.
    pub classes: bool,
    /// Features that the kernel is made of, where they are few by construction: see [`crate::gram::FeatureSource::dense`].
    pub rank: Option<usize>,
    /// Numbers that are not 0 among the features of a row, where these are many and sparse: see
    /// [`crate::gram::FeatureSource::sparse`].
    pub stored: Option<usize>,
    /// Operations of one kernel value once inputs are prepared: see `KernelExpr::per_value`.
    pub per_value: f64,
}

/// Fewer rows are solved by kernel values, however sparse their features.
const SPARSE_ROWS: usize = 2048;
/// Steps of conjugate gradients that a least-squares fit over sparse features takes, half of the most of one refinement, and operations
/// of each for a stored number: a product with the features and one with their transpose.
const GRADIENT_STEPS: f64 = 500.0;
const PER_STORED: f64 = 4.0;
/// Rows of a tile of kernel values.
const TILE: f64 = 256.0;
/// Features are few where there are so many rows for each of them.
const ROWS_PER_FEATURE: usize = 2;

/// Bytes of a nonzero of sparse features while a batch is prepared: column and value of its row, and those of the whole (16 + 12).
const PREPARED: u64 = 28;

impl Size {
    /// Operations of a kernel value of ten numbers: a squared distance and an exponential.
    pub const PER_VALUE: f64 = 40.0;

    /// The size of the fit with another number of rows.
    pub fn at(self, rows: usize) -> Size {
        Size { rows, ..self }
    }

    /// The number of features, where they are few enough for a fit to use them instead of kernel values.
    pub fn few(self) -> Option<usize> {
        self.rank.filter(|rank| ROWS_PER_FEATURE * rank < self.rows)
    }

    /// The numbers among the features of a row that are not 0, where fits go over these instead of kernel values.
    pub(crate) fn sparse(self) -> Option<usize> {
        self.stored.filter(|_| self.few().is_none() && self.rows >= SPARSE_ROWS)
    }

    /// Memory of the sparse features of a row while a batch of them is prepared, in bytes.
    pub(crate) fn stored_bytes(self) -> u64 {
        PREPARED.saturating_mul(self.stored.unwrap_or(0) as u64)
    }

    /// Memory of the features of a row, in bytes.
    pub(crate) fn feature_bytes(self) -> u64 {
        (8 * self.rank.unwrap_or(0) as u64).saturating_add(self.stored_bytes())
    }

    /// The size where kernel values are known: reading one takes no more than an easy one does to compute.
    pub(crate) fn known(self) -> Size {
        Size { per_value: self.per_value.min(Size::PER_VALUE), ..self }
    }

    /// The size without few features: for an estimator that uses kernel values whatever the kernel.
    pub(crate) fn by_values(self) -> Size {
        Size { rank: None, ..self }
    }

    /// The costs that most estimators share: every kernel value, or every feature where these are few; predictions from all training
    /// rows, or from features, by a product with weights; a criterion that takes a factor of the Gram matrix and its inverse.
    pub(crate) fn costs(self) -> Costs {
        let (n, wide) = (self.rows as f64, self.few().unwrap_or(self.rows) as f64);
        // A symmetric matrix is filled by tiles, those on one side of the diagonal.
        let among = n * n.min((n + TILE) / 2.0);
        Costs {
            values: if self.few().is_some() { n * wide } else { among },
            prediction_values: wide,
            prediction: 2.0 * wide * self.outputs.max(1) as f64,
            criterion_values: 2.0 * among,
            criterion: 2.5 * n.powi(3),
            ..Costs::default()
        }
    }

    /// Operations of a least-squares fit by conjugate gradients over sparse features, where they are fewer than those of a factor of
    /// kernel values.
    pub fn by_gradients(self) -> Option<f64> {
        let stored = self.sparse()?;
        let work = SCATTERED * GRADIENT_STEPS * PER_STORED * (self.rows * stored.max(1) * self.outputs.max(1)) as f64;
        (work <= (self.rows as f64).powi(3) / 6.0).then_some(work)
    }
}

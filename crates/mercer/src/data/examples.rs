//! Rows with their targets: what is fitted to, tuned on and scored.

use super::{Dataset, Split, Target};

/// Rows with their targets, ready for kernels.
#[derive(Clone, Copy)]
pub struct Examples<'a> {
    /// Prepared inputs.
    pub data: &'a Dataset,
    /// Their targets.
    pub target: &'a Target,
    /// Their weights, each above 0.
    pub weights: Option<&'a [f64]>,
    /// What inner folds must respect.
    pub split: &'a Split,
}

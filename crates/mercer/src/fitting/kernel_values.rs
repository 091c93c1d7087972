//! Kernel values computed once for several fits to the same rows.

use crate::control::Control;
use crate::data::{ColumnKind, Dataset, Examples};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Fitted, FittedModel, Predictions, Query, Want};
use crate::gram::{Bound, Dense, Gram, Side, Subset};
use crate::kernels::KernelExpr;
use crate::linalg::Matrix;
use std::sync::Arc;

/// Kernel values among training rows, and of held-out rows with them.
pub(crate) struct KernelValues {
    pub among: Arc<Dense>,
    cross: Dense,
}

impl KernelValues {
    /// The values of a kernel that learns from the training rows, not yet computed: among these rows, and of the held-out rows with them.
    pub(crate) fn bind(
        kernel: &KernelExpr,
        train: &Dataset,
        weights: Option<&[f64]>,
        held_out: &Dataset,
        control: &Control,
    ) -> Result<[Box<dyn Bound>; 2]> {
        let reference = kernel.learn(train, weights, control)?.reference(train, control)?;
        Ok([reference.among(control)?, reference.cross(held_out, control)?])
    }

    /// Computes them, with held-out rows or without.
    pub(crate) fn of(among: &dyn Gram, cross: Option<&dyn Gram>, control: &Control) -> Result<KernelValues> {
        let among = Arc::new(Dense::of(among, control)?);
        let none = || Dense::cross(Matrix::zeros(0, among.shape().1), Vec::new(), among.diagonal(Side::Cols));
        Ok(KernelValues { cross: cross.map_or_else(none, |cross| Dense::of(cross, control))?, among })
    }

    /// Memory of the kernel values of so many training and held-out rows, in bytes.
    pub(crate) fn bytes(train: usize, held_out: usize) -> u64 {
        8 * train as u64 * (train + held_out) as u64
    }

    /// Whether a value takes much more work than reading it again: for columns of texts, trees, sets and series, unless fits use few features.
    pub(crate) fn are_costly(kernel: &KernelExpr, data: &Dataset) -> bool {
        let has_structure =
            |kind| matches!(kind, ColumnKind::Text | ColumnKind::Sequence | ColumnKind::Tree | ColumnKind::Set | ColumnKind::Series);
        data.columns().iter().any(|c| has_structure(c.values.kind())) && kernel.rank(data).is_none()
    }

    /// The values of the held-out rows with some training rows.
    pub(crate) fn against(&self, support: &[usize]) -> Subset<'_> {
        let all: Vec<usize> = (0..self.cross.shape().0).collect();
        Subset::new(&self.cross, &all, support)
    }

    /// A settled fit to the training rows, whose values these are by `kernel`, and its predictions for the rows held out.
    pub(crate) fn fit(
        &self,
        (kernel, estimator): (&KernelExpr, &EstimatorExpr),
        train: &Examples<'_>,
        want: Want,
        control: &Control,
        seed: u64,
    ) -> Result<(FittedModel, Predictions)> {
        let fitted = super::fit_bound(self.among.as_ref(), (kernel, estimator), train, control, seed)?;
        let predictions = fitted.predict(&Query::new(&self.against(fitted.support()), want, control))?;
        Ok((fitted, predictions))
    }
}

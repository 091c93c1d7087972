//! A kernel learnt anew without the rows that a fit holds out.

use super::{KernelValues, Sharing, rows_leave_the_kernel};
use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::estimators::{EstimatorExpr, OwnedView, RelearntKernel, ViewKind};
use crate::kernels::KernelExpr;
use std::sync::Arc;

/// A settled kernel expression and the prepared rows of a task.
pub(crate) struct Relearnt<'a> {
    pub kernel: &'a KernelExpr,
    /// What the estimator reads of them.
    pub reads: ViewKind,
    pub rows: &'a Dataset,
    /// Where others use kernel values among these rows.
    pub sharing: Option<&'a Sharing>,
}

impl Relearnt<'_> {
    /// Itself, where kernel values would be others without some rows and the estimator would feel it.
    pub(crate) fn where_felt(&self, estimator: &EstimatorExpr) -> Option<&dyn RelearntKernel> {
        (!rows_leave_the_kernel(self.kernel, estimator)).then_some(self as &dyn RelearntKernel)
    }
}

impl RelearntKernel for Relearnt<'_> {
    fn values(&self, train: &[usize], weights: Option<&[f64]>, test: &[usize], control: &Control) -> Result<[OwnedView<'_>; 2]> {
        let bind = || {
            let (train, test) = (self.rows.select(train), self.rows.select(test));
            KernelValues::bind(self.kernel, &train, weights, &test, control)
        };
        // Weights are those of an estimator, and other estimators may have others.
        if let Some(sharing) =
            self.sharing.filter(|sharing| self.reads == ViewKind::Values && weights.is_none() && sharing.has_room(train.len(), test.len()))
        {
            let make = || {
                let [among, cross] = bind()?;
                KernelValues::of(among.as_ref(), Some(cross.as_ref()), control)
            };
            if let Some([among, cross]) = sharing.values((train, test), false, self.kernel, make)?.held() {
                return Ok([OwnedView::Values(Arc::new(among)), OwnedView::Values(Arc::new(cross))]);
            }
        }
        Ok(bind()?.map(|bound| OwnedView::of(self.reads, bound)))
    }
}

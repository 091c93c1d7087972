//! What an estimator reads of prepared rows under a kernel that has learnt.

use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::estimators::{OwnedView, ViewKind};
use crate::kernels::FittedKernel;

/// What a view of a kind reads of some rows: all training rows where the kernel
/// [needs them](crate::kernels::KernelExpr::needs_training_rows). Where columns are read, they are those that the kernel names.
///
/// # Errors
/// Rows that the kernel cannot take; bounds of `control`.
pub fn read_rows<'a>(kernel: &FittedKernel, kind: ViewKind, rows: &'a Dataset, control: &Control) -> Result<OwnedView<'a>> {
    match kind {
        ViewKind::Rows => kernel.expr().named_table(rows).map(OwnedView::Rows),
        _ => Ok(OwnedView::of(kind, kernel.gram(rows, control)?)),
    }
}

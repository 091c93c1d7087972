//! What an estimator reads of prepared rows under a kernel that has learnt.

use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::estimators::{OwnedView, View, ViewKind};
use crate::gram::Bound;
use crate::kernels::{FittedKernel, KernelExpr};
use std::borrow::Cow;

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

/// The columns that are read where no kernel value is; `None` where a kernel is read.
///
/// # Errors
/// A kernel that names no columns, of these.
pub(crate) fn named_rows<'a>(kind: ViewKind, kernel: &KernelExpr, rows: &'a Dataset) -> Result<Option<Cow<'a, Dataset>>> {
    (kind == ViewKind::Rows).then(|| kernel.named_table(rows)).transpose()
}

/// The view of a kind of rows that a kernel is bound to, of which these columns are named.
pub(crate) fn view_of<'v>(kind: ViewKind, bound: &'v dyn Bound, named: Option<&'v Dataset>) -> View<'v> {
    named.filter(|_| kind == ViewKind::Rows).map_or_else(|| View::of(kind, bound), View::Rows)
}

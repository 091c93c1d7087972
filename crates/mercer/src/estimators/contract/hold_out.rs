//! How a fit holds rows out: which rows go together, and the kernel values that the others have without them.

use crate::control::Control;
use crate::data::Split;
use crate::error::Result;
use crate::estimators::OwnedView;

/// A kernel that learns from the training rows, learnt anew from some of them.
pub trait RelearntKernel: Sync {
    /// What is read of it among the rows `train`, of which alone it learns, counted by `weights`; and of the rows `test` with these. Rows
    /// are those of the task, from 0.
    ///
    /// # Errors
    /// Rows that the kernel cannot learn from; bounds of `control`.
    fn values(&self, train: &[usize], weights: Option<&[f64]>, test: &[usize], control: &Control) -> Result<[OwnedView<'_>; 2]>;
}

/// How a fit holds rows out.
#[derive(Clone, Copy)]
pub struct HoldOut<'a> {
    /// Which rows stand on one side.
    pub split: &'a Split,
    /// The kernel, where it has learnt from all rows of the task: their values are then no values of a row that was held out.
    pub kernel: Option<&'a dyn RelearntKernel>,
}

impl Default for HoldOut<'_> {
    fn default() -> Self {
        HoldOut::by(&Split::Rows)
    }
}

impl<'a> HoldOut<'a> {
    /// Rows go by a split, under a kernel that learns from no row.
    pub fn by(split: &'a Split) -> Self {
        HoldOut { split, kernel: None }
    }

    /// Whether each row may be held out separately, with the kernel values of all.
    pub(crate) fn frees_rows(&self) -> bool {
        self.kernel.is_none() && self.split.frees_rows()
    }
}

/// The kernel learnt anew, from rows that are numbered by their place among some rows of the task.
pub(crate) struct RelearntAmong<'a> {
    pub(crate) kernel: &'a dyn RelearntKernel,
    pub(crate) rows: &'a [usize],
}

impl RelearntKernel for RelearntAmong<'_> {
    fn values(&self, train: &[usize], weights: Option<&[f64]>, test: &[usize], control: &Control) -> Result<[OwnedView<'_>; 2]> {
        let of_task = |places: &[usize]| places.iter().map(|&p| self.rows[p]).collect::<Vec<_>>();
        self.kernel.values(&of_task(train), weights, &of_task(test), control)
    }
}

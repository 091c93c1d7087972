//! The features of the rows of an inner fold, for estimators that read these: made once for all settings with one kernel.

use crate::control::Control;
use crate::data::{Dataset, Examples};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Fitted, Predictions, Query, View, ViewKind, Want};
use crate::fitting;
use crate::gram::Bound;
use crate::kernels::{FittedKernel, KernelExpr};

/// Training and held-out rows under a kernel that the training rows settle.
pub(super) struct FoldFeatures {
    kernel: FittedKernel,
    train: Box<dyn Bound>,
    test: Box<dyn Bound>,
}

impl FoldFeatures {
    /// # Errors
    /// What fitting to these rows meets before its first step.
    pub(super) fn of(
        kernel: &KernelExpr,
        estimator: &EstimatorExpr,
        train: &Examples<'_>,
        test: &Dataset,
        control: &Control,
    ) -> Result<Self> {
        let size = fitting::size_of(kernel, train.data, train.target);
        fitting::plan(estimator, size, train.target, control)?;
        let kernel = kernel.learn(train.data, train.weights, control)?;
        let train = fitting::bound_for(&kernel, estimator, size, train.data, control)?;
        let test = kernel.gram_to_multiply(test, control)?;
        Ok(FoldFeatures { kernel, train, test })
    }

    /// Predictions for the held-out rows by a fit to the training rows.
    pub(super) fn predict(
        &self,
        estimator: &EstimatorExpr,
        train: &Examples<'_>,
        test: &Dataset,
        want: Want,
        control: &Control,
        seed: u64,
    ) -> Result<Predictions> {
        let view = |bound| View::of(ViewKind::Features, bound);
        let given = (self.kernel.expr(), estimator);
        let mut fitted = fitting::fit_view(view(self.train.as_ref()), given, (train, None), control, seed)?;
        fitted.forget_rows();
        match fitted.reads_new_rows_alone() {
            true => fitted.predict(&Query::of(View::of(fitted.reads(), self.test.as_ref()), want, control)),
            false => fitting::predict_from(&self.kernel, &fitted, train.data, test, want, control),
        }
    }
}

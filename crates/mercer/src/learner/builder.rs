//! A learner as a Rust program writes it: `Learner::new(svc().c(10.0)).kernel(rbf())`.

use super::{Learner, TrainingRows};
use crate::estimators::EstimatorExpr;
use crate::kernels::KernelExpr;
use crate::metrics::Metric;
use crate::prep;

impl<E: Into<EstimatorExpr>> From<E> for Learner {
    fn from(estimator: E) -> Self {
        Learner::new(estimator)
    }
}

impl Learner {
    /// Sets the kernel; without one it is made from the column types.
    #[must_use]
    pub fn kernel(self, kernel: impl Into<KernelExpr>) -> Self {
        Learner { kernel: Some(kernel.into()), ..self }
    }
    /// Sets how columns become inputs.
    #[must_use]
    pub fn prep(self, prep: prep::Recipe) -> Self {
        Learner { prep, ..self }
    }
    /// Sets the seed of anything random.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Learner { seed, ..self }
    }
    /// Sets which rows to learn from.
    #[must_use]
    pub fn sample(self, sample: TrainingRows) -> Self {
        Learner { sample, ..self }
    }
    /// Sets the metric that cross-validation tunes by.
    #[must_use]
    pub fn metric(self, metric: Metric) -> Self {
        Learner { metric: Some(metric), ..self }
    }
    /// Fits although the kernel is not positive semi-definite and the estimator needs one that is.
    #[must_use]
    pub fn allow_non_mercer(self) -> Self {
        Learner { allow_non_mercer: true, ..self }
    }
    /// Keeps the training rows that prediction needs none of, where the kernel is made of few features: for their coefficients.
    #[must_use]
    pub fn keep_rows(self) -> Self {
        Learner { keep_rows: true, ..self }
    }
}

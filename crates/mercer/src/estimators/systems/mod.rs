//! Linear systems that several estimators solve: ridge regression in the dual and in the primal, with residuals.

pub(super) mod bordered;
pub(super) mod primal;
pub(super) mod residual;

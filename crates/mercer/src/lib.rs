//! Mercer: kernel methods. One kernel language, one Gram engine, every estimator.

pub mod blocks;
pub mod control;
pub mod data;
pub mod error;
pub mod estimators;
pub mod expr;
pub mod gram;
pub mod kernels;
pub mod learner;
pub mod linalg;
pub mod param;
pub mod prep;
pub mod read;
pub mod report;
pub mod select;
pub mod solve;
pub mod store;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

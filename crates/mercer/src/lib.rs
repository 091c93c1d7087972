//! Mercer: kernel methods. One kernel language, one Gram engine, every estimator.

pub mod blocks;
pub mod control;
pub mod data;
pub mod error;
pub mod estimators;
pub mod expr;
pub mod gram;
pub mod kernels;
pub mod linalg;
pub mod param;
pub mod prep;
pub mod read;
pub mod report;
pub mod solve;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

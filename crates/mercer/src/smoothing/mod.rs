//! Smoothing: kernels that weigh by nearness, and what is averaged under them.

mod kernels;

pub use kernels::{Shape, SmoothingKernel};

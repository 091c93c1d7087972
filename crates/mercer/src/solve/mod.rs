//! Problems, not models: solvers that know nothing of kernels or targets.

mod lbfgs;
mod line_search;

pub use lbfgs::{Lbfgs, Minimum};

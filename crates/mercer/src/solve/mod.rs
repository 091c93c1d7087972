//! Optimisation problems and their solvers. None of them knows a model: they see numbers, bounds and rows of a matrix.

mod eigen;
mod lbfgs;
mod line_search;
pub mod linear;
pub mod lms;
pub mod smo;

pub use eigen::{Eigenpairs, Wanted, leading, leading_of};
pub use lbfgs::{Lbfgs, Minimum};

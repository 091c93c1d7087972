//! Optimisation problems and their solvers. None of them knows a model: they see numbers, bounds and rows of a matrix.

pub mod smo;

//! Optimisation problems and their solvers. None of them knows a model: they see numbers, bounds and rows of a matrix.

mod eigen;
pub mod exchange;
pub mod expectation;
pub mod feature_laplace;
pub mod feature_mode;
pub(crate) mod gradients;
pub mod hinge_mixture;
pub mod joint;
mod kernel_means;
pub mod l1;
pub mod laplace;
mod lbfgs;
pub mod likelihood;
mod line_search;
pub mod linear;
pub mod lms;
pub mod losses;
mod medoids;
mod minimiser;
pub mod mode;
mod near_factor;
pub mod number_likelihoods;
pub mod online;
mod quasi_newton;
pub mod relevance;
pub mod robust_mode;
mod scaling;
pub mod smo;

pub(crate) use eigen::{EIGEN, least_operations, usual_operations};
pub use eigen::{Eigenpairs, Wanted, leading, leading_of};
pub use kernel_means::{KernelMeans, kernel_means};
pub use medoids::{Medoids, medoids};
pub use minimiser::{Minimiser, Minimum, Point};
pub use quasi_newton::{Ended, positive};
pub(crate) use scaling::PER_PAIR;
pub use scaling::{Misfit, Scaled, place, scaling};

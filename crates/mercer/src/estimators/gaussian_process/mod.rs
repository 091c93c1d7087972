//! Gaussian processes.

mod draws;
mod fitted_gp;
mod gaussian_probabilities;
pub(super) mod gp;
mod gp_classes;
mod gp_numbers;
mod tempering;

pub use fitted_gp::{FittedGp, GpOfNumbers};
pub use gp::{Gp, Inference, NumberLikelihood};
pub use gp_classes::GpOfClasses;
pub use gp_numbers::GpOfLikelihood;

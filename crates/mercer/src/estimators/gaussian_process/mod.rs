//! Gaussian processes: one estimator, `gp`, and three models behind it. `model` is the choice between them; `exact` and `fitted_exact` are
//! numbers with normal noise, `classes` is classification, `likelihood` numbers under another likelihood.

mod classes;
mod exact;
mod fitted_exact;
mod gaussian_probabilities;
pub(super) mod gp;
mod likelihood;
mod model;
mod tempering;

pub use classes::GpOfClasses;
pub use fitted_exact::GpOfNumbers;
pub use gp::{Gp, Inference, NumberLikelihood};
pub use likelihood::GpOfLikelihood;
pub use model::FittedGp;

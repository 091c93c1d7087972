//! Gaussian processes: one estimator, `gp`, and three models behind it. `model` is the choice between them; `exact` and `fitted_exact` are
//! numbers with normal noise, `inducing` and `fitted_inducing` the same through a few of the rows, `classes` is classification, `likelihood` numbers under another likelihood.

mod classes;
mod exact;
mod fitted_exact;
mod fitted_inducing;
mod gaussian_probabilities;
pub(super) mod gp;
mod inducing;
mod likelihood;
mod model;
mod tempering;

pub use classes::GpOfClasses;
pub use fitted_exact::GpOfNumbers;
pub use fitted_inducing::GpOfInducing;
pub use gp::{Gp, Inference, NumberLikelihood};
pub use likelihood::GpOfLikelihood;
pub use model::FittedGp;

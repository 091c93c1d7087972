//! Linear models in feature space: ridge and logistic regression, discriminants, the perceptron.

mod discriminant;
mod least_norm;
pub(super) mod logistic;
mod logistic_sums;
mod perceptron;
mod ridge;
mod ridge_path;
mod ridge_sums;

pub use discriminant::{Discriminant, FittedDiscriminant, Priors};
pub use logistic::Logistic;
pub use perceptron::{FittedPerceptron, Perceptron, RowOrder, Vector};
pub use ridge::Ridge;

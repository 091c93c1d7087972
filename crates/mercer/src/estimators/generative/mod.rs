//! Estimators that are generative models: they read the cells of rows and no kernel value.

mod bayes;
mod density;
mod modelled_columns;

pub use bayes::{Bayes, FittedBayes};
pub use density::{Density, FittedDensity};

//! Local averages under a smoothing kernel: densities, regression.

mod kde;
mod local_regression;
mod nadaraya_watson;

pub use kde::{FittedKde, Kde};
pub use local_regression::{FittedLocalRegression, LocalRegression};
pub use nadaraya_watson::{FittedNadarayaWatson, NadarayaWatson};

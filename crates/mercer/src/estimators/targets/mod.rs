//! Targets as columns of numbers, and numbers back as classes.

pub(super) mod class_scores;
mod class_weight;
mod expansion_fit;
pub(super) mod link;
pub(super) mod outputs;
pub(super) mod transformed;

pub use class_weight::ClassWeight;
pub use expansion_fit::ExpansionFit;
pub use transformed::FittedTransformed;

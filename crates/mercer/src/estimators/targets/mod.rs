//! Targets as columns of numbers, and numbers back as classes.

pub(super) mod class_scores;
mod class_weight;
pub(super) mod link;
pub(super) mod outputs;

pub use class_weight::ClassWeight;

//! The list of estimators, their expressions, and those that a program registers.

mod any;
mod elsewhere;
pub(super) mod list;
mod registered;
pub(super) mod settled;
mod transformed;
mod variants;

pub use any::DynEstimator;
#[cfg(feature = "report")]
pub(crate) use elsewhere::ELSEWHERE;
pub use list::{EstimatorEntry, EstimatorExpr, FittedModel, catalogue, constructors};
pub use registered::{FittedOfProgram, Registered, RegisteredFit, register, register_unlisted};
pub use transformed::{TargetTransformEntry, TransformedTarget, target_transforms};

#[cfg(test)]
mod constructor_tests;

//! Class probabilities from scores: held-out scores and the maps that are fitted to them.

mod calibrated;
mod calibration;
mod coupling;
mod damped_newton;
pub(super) mod held_out;
mod platt;
mod scaled_softmax;

pub use calibrated::Calibrated;
pub use calibration::Calibration;
pub use held_out::HeldOut;
pub use platt::Sigmoid;
pub use scaled_softmax::ScaledSoftmax;

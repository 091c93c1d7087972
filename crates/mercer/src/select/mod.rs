//! Choosing: metrics, tuning of what is `auto` or a range.

mod crossval;
mod free;
mod metrics;
mod profile;
mod tune;

pub use metrics::{Estimate, Metric, score};
pub use profile::{Edge, End, TunedParameter};
pub use tune::{Tuned, Tuning, criterion, tune};

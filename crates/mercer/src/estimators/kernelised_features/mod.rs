//! Linear models on kernel values with the training rows or with centroids of them as features (Murphy 2012, 14.3.2).

mod centroids;
mod exemplars;
mod l1vm;
mod l2vm;
mod measured_band;
mod rbf_network;
mod rvm;

pub use centroids::Centroids;
pub use l1vm::{L1vm, PathPoint, choose};
pub use l2vm::L2vm;
pub use rbf_network::RbfNetwork;
pub use rvm::{FittedRvm, Rvm};

//! What kernels of trees share: nodes with their children and hashes, and the comparison of one tree with several side by side.

pub(crate) mod forest;
pub(crate) mod labelled;

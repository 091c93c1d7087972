//! What kernels of infinitely wide networks share: what an activation does to covariances, the recursion over layers, prepared rows.

pub(crate) mod activation;
pub(crate) mod deep;
pub(crate) mod jet;
pub(crate) mod lanes;
pub(crate) mod layers;
pub(crate) mod mixture;
pub(crate) mod prepared;

//! What kernels of graphs share: adjacency lists, hashed labels, and counts of hashed features.

pub(crate) mod adjacency;

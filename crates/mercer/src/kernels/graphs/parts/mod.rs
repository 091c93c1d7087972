//! What kernels of graphs share: adjacency lists, hashed labels, and counts of hashed features.

pub(crate) mod adjacency;

/// Kernels of graphs that are tried in place of the natural one: other depths, shares of the counts in common, other patterns.
pub(crate) const ALTERNATIVES: &[&str] = &[
    "normalise(weisfeiler_lehman(depth=1))",
    "weisfeiler_lehman(depth=2)",
    "min_max(weisfeiler_lehman(depth=1))",
    "min_max(weisfeiler_lehman(depth=3))",
    "normalise(shortest_path)",
];

//! What kernels of trees share: nodes with their children and hashes, and the comparison of one tree with several side by side.

pub(crate) mod forest;
pub(crate) mod labelled;

/// Kernels of trees that are tried in place of the natural one: whole subtrees, shares of them in common, larger fragments for less.
pub(crate) const ALTERNATIVES: &[&str] =
    &["normalise(subtree)", "min_max(subtree)", "normalise(subset_tree(decay=0.1))", "normalise(partial_tree)"];

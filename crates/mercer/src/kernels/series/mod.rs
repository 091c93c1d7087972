//! What kernels of series share: dense batches, pairs eight abreast, and the recursions over the times of two series.

pub(crate) mod abreast;
pub(crate) mod alignments;
pub(crate) mod cell_series;
pub(crate) mod convolved;
pub(crate) mod dense;
pub(crate) mod goursat;
pub(crate) mod local;
pub(crate) mod signatures;
pub(crate) mod warping;

/// Kernels of series that are tried in place of the natural one.
pub(crate) const ALTERNATIVES: &[&str] = &["convolutions", "normalise(signature(depth=3, time=true))"];

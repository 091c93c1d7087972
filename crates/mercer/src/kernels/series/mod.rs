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

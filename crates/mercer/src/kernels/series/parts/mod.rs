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

use crate::data::{Inputs, Series};

/// Kernels of series that are tried in place of the natural one.
pub(crate) fn alternatives(series: &Series) -> Vec<&'static str> {
    // Candidates for every column of series.
    const ALTERNATIVES: [&str; 2] = ["convolutions", "normalise(signature(depth=3, time=true))"];
    // Those of series of one length beside them.
    const OF_ONE_LENGTH: [&str; 4] = ["lockstep(rbf)", "lockstep(matern)", "lockstep(linear)", "lockstep(rbf, differences=true)"];
    let mut lengths = (0..series.len()).map(|row| series.length(row));
    let is_one = lengths.next().is_some_and(|first| first > 1 && lengths.all(|length| length == first));
    ALTERNATIVES.into_iter().chain(OF_ONE_LENGTH.into_iter().filter(|_| is_one)).collect()
}

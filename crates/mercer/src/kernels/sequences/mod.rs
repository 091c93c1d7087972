//! What kernels of strings share: letters of alphabets, counts of substrings, distances of windows.

mod automaton;
pub(crate) mod by_distance;
pub(crate) mod counts;
pub(crate) mod hamming;
mod kmers;
pub(crate) mod lanes;
pub(crate) mod letters;
pub(crate) mod usual;
pub(crate) mod weights;
pub(crate) mod windows;

//! What kernels of strings share: letters of alphabets, counts of substrings, distances of windows, alignments.

pub(crate) mod abreast;
mod automaton;
pub(crate) mod blosum62;
pub(crate) mod by_distance;
pub(crate) mod counts;
pub(crate) mod hamming;
mod kmers;
pub(crate) mod lanes;
pub(crate) mod local;
pub(crate) mod octet;
pub(crate) mod stop_lists;
pub(crate) mod usual;
pub(crate) mod weights;
pub(crate) mod windows;
pub(crate) mod words;

pub(crate) use crate::data::letters;

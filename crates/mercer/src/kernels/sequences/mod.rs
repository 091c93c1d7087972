//! What kernels of strings share: letters of alphabets, counts of substrings, distances of windows.

pub(crate) mod abreast;
pub(crate) mod blosum62;
pub(crate) mod letters;
pub(crate) mod local;
pub(crate) mod octet;

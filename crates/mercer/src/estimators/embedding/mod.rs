//! Coordinates in few dimensions: principal components, multidimensional scaling.

pub(super) mod centred;
mod kernel_pca;
mod mds;

pub use kernel_pca::{FittedKernelPca, KernelPca, KernelValueKind, Spectrum};
pub use mds::{FittedMds, Loss, Mds};

//! Clusters in feature space, and how many there are.

pub(super) mod clusters;
mod count_by;
mod fitted_clusters;
mod k_medoids;
mod kernel_k_means;
mod spectral_clustering;

pub(crate) use clusters::MOST_CLUSTERS;
pub use count_by::{CountBy, CountCurve, CountTried};
pub use fitted_clusters::{Clusters, FittedClusters};
pub use k_medoids::KMedoids;
pub use kernel_k_means::KernelKMeans;
pub use spectral_clustering::{FittedSpectralClustering, SpectralClustering};

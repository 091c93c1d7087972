//! Prediction by the nearest rows, and by the nearest medoids.

mod found;
mod knn;
mod nearest_medoid;

pub use found::Found;
pub use knn::{FittedKnn, Knn, NeighbourWeights, Ties};
pub use nearest_medoid::{FittedNearestMedoid, NearestMedoid};

//! Prediction by the nearest rows, and by the nearest medoids.

mod found_neighbours;
mod knn;
mod nearest;
mod nearest_column;
mod nearest_medoid;

pub use found_neighbours::FoundNeighbours;
pub use knn::{FittedKnn, Knn, NeighbourWeights, Ties};
pub(crate) use nearest_column::nearest_column;
pub use nearest_medoid::{FittedNearestMedoid, NearestMedoid};

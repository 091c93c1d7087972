//! Counts of hashed features, with a column for each feature of the batch that stays.
//!
//! A feature that this batch lacks meets nothing there and has no column, and counts in k(x, x): values of new inputs are those of one
//! Gram matrix of all inputs.

use crate::data::{Cells, Graphs, PER_FUNCTION};
use crate::error::Result;
use crate::gram::{FeatureWeights, Fold, PreparedBatch, PreparedPoints, Sparse};
use crate::linalg::{Matrix, SCATTERED};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Takes 64 bits of a hash as they are.
#[derive(Default)]
struct LowBits(u64);

impl Hasher for LowBits {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }
}

/// A map from hashed features.
type FeatureMap<V> = HashMap<u128, V, BuildHasherDefault<LowBits>>;

/// Counts of features, one row an input.
pub struct HashedCounts {
    counts: PreparedPoints,
    columns: Arc<FeatureMap<u32>>,
}

impl HashedCounts {
    /// From the features of each input and their counts, each feature once; with the columns of `like`, the batch that stays.
    pub(crate) fn new(rows: Vec<Vec<(u128, f64)>>, like: Option<&HashedCounts>) -> Self {
        let norms = rows.iter().map(|row| row.iter().map(|(_, count)| count * count).sum()).collect();
        let columns = like.map_or_else(
            || {
                // Growing a map step by step takes twice as long.
                let mut columns = FeatureMap::with_capacity_and_hasher(rows.iter().map(Vec::len).sum(), BuildHasherDefault::default());
                for (feature, _) in rows.iter().flatten() {
                    let next = columns.len() as u32;
                    columns.entry(*feature).or_insert(next);
                }
                columns.shrink_to_fit();
                Arc::new(columns)
            },
            |like| like.columns.clone(),
        );
        let placed = |row: Vec<(u128, f64)>| {
            let mut row: Vec<(u32, f64)> = row.iter().filter_map(|(feature, count)| Some((*columns.get(feature)?, *count))).collect();
            row.sort_unstable_by_key(|(column, _)| *column);
            row
        };
        let counts = Sparse::from_rows(rows.into_iter().map(placed).collect());
        let counts = PreparedPoints::from_counts(columns.len(), counts, norms, like.map(|l| &l.counts));
        HashedCounts { counts, columns }
    }
    /// The counts, one row an input.
    pub(crate) fn points(&self) -> &PreparedPoints {
        &self.counts
    }
}

impl PreparedBatch for HashedCounts {
    fn fold(&self, coef: &Matrix) -> Option<Box<dyn Fold<HashedCounts>>> {
        FeatureWeights::of(&self.counts, coef).map(|weights| Box::new(weights) as _)
    }
}

impl Fold<HashedCounts> for FeatureWeights {
    fn values(&self, batch: &HashedCounts, rows: &[usize]) -> Matrix {
        self.sums(&batch.counts, rows)
    }
}

/// Graphs from which the cost of a value is estimated.
const SAMPLE: usize = 64;

/// Operations of a value: one at a scattered place for each feature that two graphs share, by some of them.
pub(crate) fn per_value(inputs: &Graphs, prepare: impl Fn(&Graphs) -> Result<HashedCounts>) -> f64 {
    let step = Cells::len(inputs).div_ceil(SAMPLE).max(1);
    let some: Vec<usize> = (0..Cells::len(inputs)).step_by(step).collect();
    let shared = prepare(&Cells::select(inputs, &some)).map_or(0.0, |counted| counted.counts.shared_columns());
    PER_FUNCTION + 2.0 * SCATTERED * shared
}

/// The methods of [`crate::gram::Kernel`] of a kernel of graphs that counts features, from its method `count`, which makes the features
/// of a graph, and `most_features`, a bound on their number.
macro_rules! by_hashed_counts {
    () => {
        fn prepare(&self, (): &(), inputs: &Graphs, like: Option<&HashedCounts>) -> Result<HashedCounts> {
            Ok(HashedCounts::new(features_of(inputs, |graph| self.count(graph)), like))
        }
        fn fill<T: Real>(&self, tile: Tile<'_, HashedCounts, T>) {
            tile.of(HashedCounts::points).from_dots(Identity);
        }
        fn diagonal(&self, x: &HashedCounts) -> Vec<f64> {
            x.points().norms().to_vec()
        }
        fn sparse_features<'p>(&self, x: &'p HashedCounts) -> Option<SparseMatrix<'p>> {
            Some(x.points().sparse())
        }
        fn stored(&self, inputs: &Graphs) -> Option<usize> {
            Some((0..Cells::len(inputs)).map(|row| self.most_features(inputs.graph(row).labels.len())).sum())
        }
        fn per_value(&self, inputs: &Graphs) -> f64 {
            per_value(inputs, |some| self.prepare(&(), some, None))
        }
        fn features_stand_alone(&self) -> bool {
            false
        }
        fn mercer(&self) -> Mercer {
            Mercer::Always
        }
    };
}
pub(crate) use by_hashed_counts;

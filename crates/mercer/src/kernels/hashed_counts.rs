//! Counts of hashed features, with a column for each feature of the batch that stays.
//!
//! A feature that this batch lacks meets nothing there and has no column, and counts in k(x, x): values of new inputs are those of one
//! Gram matrix of all inputs.

use crate::control::Control;
use crate::data::{Cells, PER_FUNCTION};
use crate::error::Result;
use crate::gram::{Counts, FeatureWeights, Fold, PreparedBatch, PreparedPoints, Sparse};
use crate::linalg::{Matrix, SCATTERED};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// Mixes a word into a hash. The step is not one to one, as no random function is: two of n features meet with a probability of about
/// n^2 / 2^129.
pub(crate) fn mixed(hash: u128, word: u128) -> u128 {
    // An odd number: the golden ratio in 128 bits.
    const MULTIPLIER: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let product = (hash.rotate_left(59) ^ word).wrapping_mul(MULTIPLIER);
    (product ^ (product >> 67)).wrapping_mul(MULTIPLIER) ^ (product >> 31)
}

/// The hash of a text.
pub(crate) fn hashed_text(text: &str) -> u128 {
    // What the hash of a text starts from.
    const SEED: u128 = 0x2436_3f84_a885_a308_d313_198a_2e03_7073;
    let words = text.as_bytes().chunks(16).map(|part| {
        let mut bytes = [0; 16];
        bytes[..part.len()].copy_from_slice(part);
        u128::from_le_bytes(bytes)
    });
    words.fold(mixed(SEED, text.len() as u128), mixed)
}

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

/// Adds how often each value occurs to a row of counts; `values` are sorted.
pub(crate) fn count_runs(values: &mut [u128], row: &mut Vec<(u128, f64)>) {
    values.sort_unstable();
    row.extend(values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)));
}

/// Counts of features, one row an input.
pub struct HashedCounts {
    counts: PreparedPoints,
    /// Sum of the counts of each input, those without a column included.
    totals: Vec<f64>,
    columns: Arc<FeatureMap<u32>>,
}

impl HashedCounts {
    /// From the features of each input and their counts, each feature once; with the columns of `like`, the batch that stays.
    ///
    /// # Errors
    /// Bounds of `control`.
    pub(crate) fn new(rows: Vec<Vec<(u128, f64)>>, like: Option<&HashedCounts>, control: &Control) -> Result<Self> {
        // Bytes of a count while a batch is prepared, beside its hash: the map of columns, the row and the whole.
        const PER_COUNT: u64 = 84;
        control.plan("counts of features", PER_COUNT.saturating_mul(rows.iter().map(Vec::len).sum::<usize>() as u64))?;
        let norms = rows.iter().map(|row| row.iter().map(|(_, count)| count * count).sum()).collect();
        let totals = rows.iter().map(|row| row.iter().map(|(_, count)| count).sum()).collect();
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
        Ok(HashedCounts { counts, totals, columns })
    }
    /// The counts, one row an input.
    pub(crate) fn points(&self) -> &PreparedPoints {
        &self.counts
    }
    /// The counts, with their sum for each input.
    pub(crate) fn counts(&self) -> Counts<'_> {
        Counts { features: self.counts.sparse(), totals: self.totals.clone() }
    }
}

impl PreparedBatch for HashedCounts {
    const FOLDS: bool = true;
    fn fold(&self, coef: &Matrix) -> Option<Box<dyn Fold<HashedCounts>>> {
        FeatureWeights::of(&self.counts, coef).map(|weights| Box::new(weights) as _)
    }
}

impl Fold<HashedCounts> for FeatureWeights {
    fn values(&self, batch: &HashedCounts, rows: &[usize]) -> Matrix {
        self.sums(&batch.counts, rows)
    }
}

/// Operations of a value: one at a scattered place for each feature that two inputs share, by some of them; `stored`: features of all inputs.
pub(crate) fn per_value<I: Cells>(inputs: &I, stored: usize, prepare: impl Fn(&I) -> Result<HashedCounts>) -> f64 {
    // Inputs from which the cost of a value is estimated.
    const SAMPLE: usize = 64;
    // Features of these that are counted for it.
    const SAMPLED_COUNTS: usize = 1 << 18;
    let each = stored / inputs.len().max(1);
    let most = (SAMPLED_COUNTS / each.max(1)).min(SAMPLE);
    if most < 2 {
        // Inputs of so many features are not counted for this: they may have all of them in common.
        return PER_FUNCTION + 2.0 * SCATTERED * each as f64;
    }
    let step = inputs.len().div_ceil(most).max(1);
    let some: Vec<usize> = (0..inputs.len()).step_by(step).collect();
    PER_FUNCTION + prepare(&inputs.select(&some)).map_or(0.0, |counted| counted.counts.per_dot())
}

/// The methods of [`crate::gram::Kernel`] of a kernel that is an inner product of hashed features.
macro_rules! by_hashed_features {
    () => {
        fn fill<T: Real>(&self, tile: Tile<'_, HashedCounts, T>) {
            tile.of(HashedCounts::points).from_dots(Identity);
        }
        fn diagonal(&self, x: &HashedCounts) -> Vec<f64> {
            x.points().norms().to_vec()
        }
        fn sparse_features<'p>(&self, x: &'p HashedCounts) -> Option<SparseMatrix<'p>> {
            Some(x.points().sparse())
        }
        fn features_stand_alone(&self) -> bool {
            false
        }
        fn mercer(&self) -> Mercer {
            Mercer::Always
        }
    };
}
pub(crate) use by_hashed_features;

/// The methods of [`crate::gram::Kernel`] of a kernel whose hashed features are counts of things, each under one hash.
macro_rules! by_plain_counts {
    () => {
        fn has_counts(&self) -> bool {
            true
        }
        fn counts<'p>(&self, x: &'p HashedCounts) -> Option<$crate::gram::Counts<'p>> {
            Some(x.counts())
        }
    };
}
pub(crate) use by_plain_counts;

/// The methods of [`crate::gram::Kernel`] of a kernel of graphs that counts features, from its method `count`, which makes the features
/// of a graph, and `most_features`, a bound on their number.
macro_rules! by_hashed_counts {
    () => {
        fn prepare(
            &self,
            (): &(),
            inputs: &Graphs,
            like: Option<&HashedCounts>,
            control: &$crate::control::Control,
        ) -> Result<HashedCounts> {
            HashedCounts::new(features_of(inputs, control, |graph| self.count(graph))?, like, control)
        }
        fn stored(&self, inputs: &Graphs) -> Option<usize> {
            Some((0..Cells::len(inputs)).map(|row| self.most_features(inputs.graph(row).labels.len())).sum())
        }
        fn per_value(&self, inputs: &Graphs) -> f64 {
            per_value(inputs, Kernel::stored(self, inputs).unwrap_or(0), |some| {
                self.prepare(&(), some, None, &$crate::control::Control::unwatched())
            })
        }
        crate::kernels::hashed_counts::by_hashed_features!();
    };
}
pub(crate) use by_hashed_counts;

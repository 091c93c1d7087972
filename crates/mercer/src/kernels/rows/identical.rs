//! identical: k(x, z) = 1 where two rows hold the same cells, else 0 (Kronecker's delta).

use crate::control::Control;
use crate::data::{ColumnNeeds, Dataset};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Equal in every cell or not.
///
/// ```text
/// 1 where two rows are equal in every column, else 0: each different row is a class of its own
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Identical {}

/// The cells of each row as words.
pub struct ComparedCells(Vec<Vec<u64>>);

impl PreparedBatch for ComparedCells {}

impl Kernel for Identical {
    const NAME: &'static str = "identical";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Kronecker's delta: the inner product of indicators of different rows";
    const BECAUSE: &'static str = "an inner product of indicators of different rows";
    type Inputs = Dataset;
    type Learnt = ();
    type Prepared = ComparedCells;

    fn column_needs(&self) -> ColumnNeeds {
        ColumnNeeds { words: "columns of any kind", ..ColumnNeeds::of::<Dataset>() }
    }
    fn prepare(&self, (): &(), inputs: &Dataset, _: Option<&ComparedCells>, _: &Control) -> Result<ComparedCells> {
        Ok(ComparedCells((0..inputs.rows()).map(|i| inputs.words(i)).collect()))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, ComparedCells, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| if a.0[i] == b.0[j] { 1.0 } else { 0.0 });
    }
    fn diagonal(&self, x: &ComparedCells) -> Vec<f64> {
        vec![1.0; x.0.len()]
    }
    fn log_diagonal(&self, x: &ComparedCells) -> Option<Vec<f64>> {
        Some(vec![0.0; x.0.len()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, ComparedCells, f64>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs(|i, j| if a.0[i] == b.0[j] { 0.0 } else { f64::INFINITY });
    }
    /// As many comparisons as a row has words.
    fn per_value(&self, inputs: &Dataset) -> f64 {
        // Rows whose words are counted to tell what a value costs.
        const SAMPLED: usize = 64;
        let sampled: Vec<usize> = (0..inputs.rows()).step_by((inputs.rows() / SAMPLED).max(1)).collect();
        let words: usize = sampled.iter().map(|&i| inputs.words(i).len()).sum();
        1.0 + words as f64 / sampled.len().max(1) as f64
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

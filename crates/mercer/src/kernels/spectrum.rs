//! spectrum: k(x, z) = sum over all strings s of length k of (times s stands in x) (times s stands in z) (K24, K27; S3 14.2.6).
//!
//! Overlaps count. k = 1 is the bag of characters (K22). Cost: one pass over each string, then one sparse inner product per pair.

use super::words::{composed, per_shared};
use crate::data::{CutRows, RowWeights, Strings};
use crate::error::Result;
use crate::gram::{PreparedPoints, PreparedBatch, Identity, Kernel, Mercer, Sparse, Tile};
use crate::linalg::{Real, SparseMatrix};
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Inner product of the counts of all substrings of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spectrum {
    k: Value,
}

impl Default for Spectrum {
    fn default() -> Self {
        Spectrum { k: Value::Number(3.0) }
    }
}

/// Counts of substrings, and the column of each substring.
pub struct Counted {
    counts: PreparedPoints,
    columns: HashMap<String, u32>,
}

impl PreparedBatch for Counted {}

/// Every substring of `k` characters, overlaps included.
fn substrings(text: &str, k: usize) -> impl Iterator<Item = &str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    (0..ends.len().saturating_sub(k)).map(move |i| &text[ends[i]..ends[i + k]])
}

impl Spectrum {
    /// The strings as their substrings; `None` of few strings.
    fn cut<'s>(&self, strings: &'s Strings) -> Option<CutRows<'s>> {
        let k = self.k.integer();
        strings.cut(&format!("substrings {k}"), &|text, visit| substrings(&composed(text.into()), k).for_each(visit))
    }
}

impl Kernel for Spectrum {
    const NAME: &'static str = "spectrum";
    const DOC: &'static str = "sum over strings s of k letters of (times s stands in x) (times s stands in z): common substrings counted";
    const SOURCE: &'static str = "Leslie, Eskin & Noble, The spectrum kernel (2002)";
    const BECAUSE: &'static str = "an inner product of counts";
    const PARAMS: &'static [Param] = &[Param::fixed("k", "length of the substrings in characters (of the composed text, NFC)", Domain::Integer(1, 1000))];
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Counted;

    fn settle(&self, _: &Strings, _: RowWeights<'_>) -> Self {
        Spectrum { k: self.k.settle(3.0) }
    }

    /// Substrings that the other batch lacks meet nothing there, but count in k(x, x).
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&Counted>) -> Result<Counted> {
        let k = self.k.integer();
        let mut columns = HashMap::new();
        // The column of a substring; it is given one where the batch stands alone.
        let mut column = |s: &str| match like {
            Some(other) => other.columns.get(s).copied(),
            None => {
                let next = columns.len() as u32;
                Some(columns.get(s).copied().unwrap_or_else(|| *columns.entry(s.to_owned()).or_insert(next)))
            }
        };
        let (mut rows, mut norms) = (Vec::with_capacity(inputs.len()), Vec::with_capacity(inputs.len()));
        let mut count = |counts: &mut dyn Iterator<Item = (Option<u32>, f64)>| {
            let mut norm = 0.0;
            let mut row: Vec<(u32, f64)> = counts.inspect(|(_, c)| norm += c * c).filter_map(|(col, c)| Some((col?, c))).collect();
            row.sort_unstable_by_key(|(col, _)| *col);
            rows.push(row);
            norms.push(norm);
        };
        match self.cut(inputs) {
            Some(cut) => {
                let held = cut.pieces().iter().zip(cut.holders(|_| 1.0));
                let places: Vec<Option<u32>> = held.map(|(s, held)| held.and_then(|_| column(s))).collect();
                for i in 0..inputs.len() {
                    let mut numbers = cut.row(i).to_vec();
                    numbers.sort_unstable();
                    count(&mut numbers.chunk_by(|a, b| a == b).map(|run| (places[run[0] as usize], run.len() as f64)));
                }
            }
            None => {
                for text in inputs.iter() {
                    let text = composed(text.into());
                    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
                    substrings(&text, k).for_each(|s| *counts.entry(s).or_default() += 1.0);
                    count(&mut counts.into_iter().map(|(s, c)| (column(s), c)));
                }
            }
        }
        let dim = like.map_or(columns.len(), |other| other.columns.len());
        Ok(Counted { counts: PreparedPoints::from_counts(dim, Sparse::from_rows(rows), norms, like.map(|l| &l.counts)), columns })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Counted, T>) {
        tile.of(|counted| &counted.counts).from_dots(Identity);
    }
    fn diagonal(&self, x: &Counted) -> Vec<f64> {
        x.counts.norms().to_vec()
    }
    fn sparse_features<'p>(&self, x: &'p Counted) -> Option<SparseMatrix<'p>> {
        Some(x.counts.sparse())
    }
    fn stored(&self, inputs: &Strings) -> Option<usize> {
        let count = |text: &str| substrings(&composed(text.into()), self.k.integer()).count();
        Some(self.cut(inputs).map_or_else(|| inputs.iter().map(count).sum(), |cut| cut.count()))
    }
    /// Two products and a sum for each substring that both hold.
    fn per_value(&self, inputs: &Strings) -> f64 {
        per_shared(self.cut(inputs))
    }
    /// Substrings have their columns in the order in which a batch meets them.
    fn features_stand_alone(&self) -> bool {
        false
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

//! subtree: k(x, z) = sum over subtrees s of decay^|s| (times s stands in x) (times s stands in z), a subtree being a node
//! with all that is below it, and |s| its productions
//! (K28; Collins & Duffy, Convolution kernels for natural language, 2001;
//! Vishwanathan & Smola, Fast kernels for string and tree matching, 2003). Equal subtrees have one hash: k is an inner product of counts.

use super::parts::labelled::{DECAY, LabelledTree, ORDERED};
use crate::control::Control;
use crate::data::{Cells, Trees};
use crate::error::Result;
use crate::gram::{Identity, Kernel, Mercer, Tile, prepare_each};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_features, by_plain_counts, per_value};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Shared subtrees, down to the words.
///
/// ```text
/// sum over whole subtrees of decay^productions (times in x) (times in z): equal phrases
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Subtree {
    /// weight of each production in a subtree; 1 counts subtrees
    #[param(default = DECAY, domain = UpToOne, search = 10.0)]
    decay: Value,
    #[param(ORDERED, default = true)]
    ordered: bool,
}

impl Subtree {
    /// The subtrees of a tree that are no words, and how often each occurs times the root of its weight.
    fn count(&self, trees: &Trees, row: usize) -> Vec<(u128, f64)> {
        let tree = LabelledTree::of(trees, row, self.ordered);
        let (hashes, mut sizes) = (tree.subtrees(), vec![0u32; tree.labels.len()]);
        let mut found: Vec<(u128, u32)> = Vec::new();
        for node in (0..tree.labels.len()).rev().filter(|&node| tree.is_inner(node as u32)) {
            sizes[node] = 1 + tree.children[node].iter().map(|&child| sizes[child as usize]).sum::<u32>();
            found.push((hashes[node], sizes[node]));
        }
        found.sort_unstable();
        let counted = |run: &[(u128, u32)]| (run[0].0, run.len() as f64 * self.decay.number().powf(0.5 * f64::from(run[0].1)));
        found.chunk_by(|a, b| a.0 == b.0).map(counted).collect()
    }
}

impl Kernel for Subtree {
    const NAME: &'static str = "subtree";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Vishwanathan & Smola, Fast kernels for string and tree matching (2003)";
    const BECAUSE: &'static str = "an inner product of weighted counts of subtrees";
    const SHARED: &'static str = "subtree";
    type Inputs = Trees;
    type Learnt = ();
    type Prepared = HashedCounts;

    fn prepare(&self, (): &(), inputs: &Trees, like: Option<&HashedCounts>, control: &Control) -> Result<HashedCounts> {
        // Trees whose subtrees one thread counts at a time.
        const TOGETHER: usize = 64;
        let rows = prepare_each(Cells::len(inputs), TOGETHER, control, |row| self.count(inputs, row))?;
        HashedCounts::new(rows, like, control)
    }
    fn stored(&self, inputs: &Trees) -> Option<usize> {
        Some((0..Cells::len(inputs)).map(|row| inputs.nodes(row).len()).sum())
    }
    fn per_value(&self, inputs: &Trees) -> f64 {
        per_value(inputs, Kernel::stored(self, inputs).unwrap_or(0), |some| self.prepare(&(), some, None, &Control::unwatched()))
    }
    by_plain_counts!();
    by_hashed_features!();
}

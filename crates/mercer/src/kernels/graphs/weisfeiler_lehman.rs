//! weisfeiler_lehman: k(x, z) = sum over r = 0..depth, over labels l of round r, of (times l in x) (times l in z), where the label of a
//! node in round 0 is its own, and in round r its label and the sorted labels of its edges and neighbours in round r - 1
//! (Shervashidze et al., Weisfeiler-Lehman graph kernels, JMLR 12, 2011). Cost: depth passes over the edges, then one sparse product.

use super::parts::adjacency::{Adjacency, features_of};
use crate::data::{Cells, Graphs};
use crate::error::Result;
use crate::gram::{Identity, Kernel, Mercer, Tile};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_counts, by_plain_counts, count_runs, mixed, per_value};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of rooted subtree patterns up to a depth.
///
/// ```text
/// sum over rounds of refinement, over labels, of (times in x) (times in z): common rooted subtree patterns
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct WeisfeilerLehman {
    /// rounds of refinement: edges from the root of a pattern
    // The rounds of Shervashidze et al. (2011) lie between 0 and 10; GraKeL takes 5.
    #[param(default = 5.0, domain = Integer(0, 100))]
    depth: Value,
}

impl WeisfeilerLehman {
    fn count(&self, graph: &Adjacency) -> Vec<(u128, f64)> {
        let depth = self.depth.integer();
        let (mut labels, mut next) = (graph.labels.clone(), vec![0; graph.nodes()]);
        let (mut sorted, mut around) = (Vec::new(), Vec::new());
        let mut row = Vec::new();
        for round in 0..=depth {
            if round > 0 {
                for (node, label) in next.iter_mut().enumerate() {
                    around.clear();
                    around.extend(graph.edges(node).map(|(to, edge)| mixed(edge, labels[to])));
                    around.sort_unstable();
                    // The round: a node without neighbours has another label in each.
                    *label = around.iter().fold(mixed(labels[node], round as u128), |hash, &word| mixed(hash, word));
                }
                std::mem::swap(&mut labels, &mut next);
            }
            sorted.clear();
            sorted.extend_from_slice(&labels);
            count_runs(&mut sorted, &mut row);
        }
        row
    }
    /// One label a node and round.
    fn most_features(&self, nodes: usize) -> usize {
        nodes.saturating_mul(self.depth.integer() + 1)
    }
}

impl Kernel for WeisfeilerLehman {
    const NAME: &'static str = "weisfeiler_lehman";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt, Weisfeiler-Lehman graph kernels (2011)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "label of a node";
    type Inputs = Graphs;
    type Learnt = ();
    type Prepared = HashedCounts;

    by_plain_counts!();
    by_hashed_counts!();
}

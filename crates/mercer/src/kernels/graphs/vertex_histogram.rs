//! vertex_histogram: k(x, z) = sum over labels l of (nodes of x with l) (nodes of z with l)
//! (Sugiyama & Borgwardt, Halting in random walk kernels, NIPS 2015). Edges are not looked at.

use super::parts::adjacency::{Adjacency, features_of};
use crate::data::{Cells, Graphs};
use crate::error::Result;
use crate::gram::{Identity, Kernel, Mercer, Tile};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_counts, by_plain_counts, count_runs, per_value};
use crate::linalg::{Real, SparseMatrix};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of node labels.
///
/// ```text
/// sum over labels of (nodes of x) (nodes of z): a baseline that ignores edges
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct VertexHistogram {}

impl VertexHistogram {
    fn count(&self, graph: &Adjacency) -> Vec<(u128, f64)> {
        let mut row = Vec::new();
        count_runs(&mut graph.labels.clone(), &mut row);
        row
    }
    fn most_features(&self, nodes: usize) -> usize {
        nodes
    }
}

impl Kernel for VertexHistogram {
    const NAME: &'static str = "vertex_histogram";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Sugiyama & Borgwardt, Halting in random walk kernels (2015)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "label of a node";
    type Inputs = Graphs;
    type Learnt = ();
    type Prepared = HashedCounts;

    by_plain_counts!();
    by_hashed_counts!();
}

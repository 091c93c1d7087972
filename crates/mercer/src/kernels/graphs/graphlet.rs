//! graphlet: k(x, z) = sum over connected graphs g of `size` nodes of (induced subgraphs of x like g) (induced subgraphs of z like g), labels
//! aside (Shervashidze et al., Efficient graphlet kernels for large graph comparison, AISTATS 2009, its connected graphlets).
//!
//! Every subgraph is counted, none is sampled: by the degrees of nodes, the triangles of edges, the cycles of four, and the cliques of four,
//! from which the induced counts follow by inclusion and exclusion
//! (Ahmed et al., Efficient graphlet counting for large networks, ICDM 2015).

use super::parts::adjacency::{Adjacency, features_of};
use crate::data::{Cells, Graphs};
use crate::error::Result;
use crate::gram::{Identity, Kernel, Mercer, Tile};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_counts, by_plain_counts, mixed, per_value};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of connected induced subgraphs of 3 or 4 nodes.
///
/// ```text
/// sum over connected graphs of size nodes of (induced subgraphs in x) (induced subgraphs in z), labels ignored
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Graphlet {
    /// nodes of the subgraphs
    #[param(default = 4.0, domain = Integer(3, 4))]
    size: Value,
}

/// n over 2.
fn pairs(n: f64) -> f64 {
    n * (n - 1.0) / 2.0
}

/// The values that two ascending lists share.
fn shared(a: &[u32], b: &[u32], out: &mut Vec<u32>) {
    out.clear();
    let mut b = b.iter().peekable();
    for value in a {
        while b.next_if(|other| *other < value).is_some() {}
        out.extend(b.next_if(|other| *other == value));
    }
}

/// Neighbours of each node without loops, ascending.
fn without_loops(graph: &Adjacency) -> Vec<Vec<u32>> {
    (0..graph.nodes()).map(|node| graph.neighbours(node).iter().copied().filter(|&to| to as usize != node).collect()).collect()
}

/// Induced paths of three nodes and triangles.
fn of_three(around: &[Vec<u32>]) -> [f64; 2] {
    let (mut triangles, mut common) = (0.0, Vec::new());
    for (u, own) in around.iter().enumerate() {
        for &v in own.iter().filter(|&&v| v as usize > u) {
            shared(own, &around[v as usize], &mut common);
            triangles += common.len() as f64;
        }
    }
    triangles /= 3.0;
    let wedges: f64 = around.iter().map(|own| pairs(own.len() as f64)).sum();
    [wedges - 3.0 * triangles, triangles]
}

/// Induced paths, stars, cycles, triangles with a tail, diamonds and cliques of four nodes.
fn of_four(around: &[Vec<u32>]) -> [f64; 6] {
    let degree = |node: usize| around[node].len() as f64;
    // Subgraphs that need not be induced; what is counted more than once is divided below.
    let (mut paths, mut stars, mut cycles, mut tailed, mut diamonds, mut cliques) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut triangles, mut common, mut both) = (0.0, Vec::new(), Vec::new());
    let mut meeting = vec![0u32; around.len()];
    let mut met: Vec<u32> = Vec::new();
    for (u, own) in around.iter().enumerate() {
        stars += pairs(degree(u)) * (degree(u) - 2.0) / 3.0;
        let mut through = 0.0;
        for &v in own {
            let other = &around[v as usize];
            shared(own, other, &mut common);
            through += common.len() as f64;
            if v as usize > u {
                paths += (degree(u) - 1.0) * (degree(v as usize) - 1.0);
                triangles += common.len() as f64;
                diamonds += pairs(common.len() as f64);
                for &w in &common {
                    shared(&common, &around[w as usize], &mut both);
                    cliques += both.len() as f64;
                }
            }
            for &w in other.iter().filter(|&&w| w as usize > u) {
                if meeting[w as usize] == 0 {
                    met.push(w);
                }
                meeting[w as usize] += 1;
            }
        }
        // Each triangle at u is met through two of its edges.
        tailed += through / 2.0 * (degree(u) - 2.0);
        met.drain(..).for_each(|w| cycles += pairs(f64::from(std::mem::take(&mut meeting[w as usize]))));
    }
    // A path is counted at its middle edge, where both ends may be one node: three times in each triangle. A clique is met from each of
    // its 6 edges by either of the two other nodes; a cycle from each of its two diagonals.
    let (cliques, cycles, paths) = (cliques / 12.0, cycles / 2.0, paths - triangles);
    let diamonds = diamonds - 6.0 * cliques;
    let tailed = tailed - 4.0 * diamonds - 12.0 * cliques;
    let cycles = cycles - diamonds - 3.0 * cliques;
    let stars = stars - tailed - 2.0 * diamonds - 4.0 * cliques;
    let paths = paths - 2.0 * tailed - 4.0 * cycles - 6.0 * diamonds - 12.0 * cliques;
    [paths, stars, cycles, tailed, diamonds, cliques]
}

impl Graphlet {
    fn count(&self, graph: &Adjacency) -> Vec<(u128, f64)> {
        let around = without_loops(graph);
        let counts = if self.size.integer() == 3 { of_three(&around).to_vec() } else { of_four(&around).to_vec() };
        let features = (0u128..).map(|number| mixed(0, number));
        features.zip(counts).filter(|(_, count)| *count > 0.0).collect()
    }
    /// Two connected graphs of three nodes, six of four.
    fn most_features(&self, _nodes: usize) -> usize {
        if self.size.integer() == 3 { 2 } else { 6 }
    }
}

impl Kernel for Graphlet {
    const NAME: &'static str = "graphlet";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Shervashidze, Vishwanathan, Petri, Mehlhorn & Borgwardt, Efficient graphlet kernels (2009)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "connected subgraph of that size";
    type Inputs = Graphs;
    type Learnt = ();
    type Prepared = HashedCounts;

    by_plain_counts!();
    by_hashed_counts!();
}

//! shortest_path: k(x, z) = sum over pairs of different connected nodes (u, v) of x and (s, t) of z of [labels of u and s equal]
//! [labels of v and t equal] [d(u, v) = d(s, t)], d being the number of edges of a shortest path
//! (Borgwardt & Kriegel, Shortest-path kernels on graphs, ICDM 2005). Cost: a breadth-first search from each node, then one sparse product.
//!
//! With ordered pairs, (u, v) and (v, u) are two pairs: n pairs with labels a != b give n features (a, b, d) and n features (b, a, d), and
//! n pairs with one label 2 n features. One column holds both: sqrt(2) n for unlike labels, 2 n for equal ones.

use super::parts::adjacency::{Adjacency, features_of};
use crate::data::{Cells, Graphs};
use crate::error::Result;
use crate::gram::{Counts, Identity, Kernel, Mercer, Tile};
use crate::kernels::hashed_counts::{HashedCounts, by_hashed_counts, mixed, per_value};
use crate::linalg::{Real, SparseMatrix};
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::f64::consts::SQRT_2;

/// Inner product of the counts of shortest paths by the labels of their ends and their length.
///
/// ```text
/// sum over labels a, b and lengths d of (pairs of nodes a, b at distance d in x) (the same in z): shortest paths
/// with equal ends
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct ShortestPath {
    /// ordered counts a pair of nodes from both ends, so that pairs with equal labels weigh twice as much; unordered counts it once
    pairs: NodePairs,
}

/// What counts as a pair of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum NodePairs {
    /// (u, v) and (v, u) are two pairs.
    #[default]
    Ordered,
    /// {u, v} is one pair.
    Unordered,
}

impl ShortestPath {
    fn count(&self, graph: &Adjacency) -> Vec<(u128, f64)> {
        // Numbers of the table in which pairs are counted, 256 kB; others are counted in a map.
        const MOST_TABLE: usize = 1 << 16;
        // The distance of a node that is not reached.
        const FAR: u32 = u32::MAX;
        let nodes = graph.nodes();
        let mut labels = graph.labels.clone();
        labels.sort_unstable();
        labels.dedup();
        let rank: Vec<usize> = graph.labels.iter().map(|label| labels.partition_point(|other| other < label)).collect();
        // How many unordered pairs have two labels and a distance, by (lower rank, higher rank, distance) as one number.
        let size = labels.len().saturating_mul(labels.len()).saturating_mul(nodes);
        let mut table = vec![0u32; size.min(MOST_TABLE)];
        let mut beyond: HashMap<usize, u32> = HashMap::new();
        let mut distance = vec![FAR; nodes];
        let mut reached: Vec<u32> = Vec::with_capacity(nodes);
        for start in 0..nodes {
            reached.clear();
            reached.push(start as u32);
            distance[start] = 0;
            let mut done = 0;
            while let Some(&node) = reached.get(done) {
                let next = distance[node as usize] + 1;
                for &to in graph.neighbours(node as usize) {
                    if distance[to as usize] == FAR {
                        distance[to as usize] = next;
                        reached.push(to);
                    }
                }
                done += 1;
            }
            let own = rank[start];
            for &node in &reached {
                let length = std::mem::replace(&mut distance[node as usize], FAR) as usize;
                if node as usize > start {
                    let other = rank[node as usize];
                    let key = (own.min(other) * labels.len() + own.max(other)) * nodes + length;
                    match table.get_mut(key) {
                        Some(count) => *count += 1,
                        None => *beyond.entry(key).or_default() += 1,
                    }
                }
            }
        }
        let scale = |equal: bool| match (self.pairs, equal) {
            (NodePairs::Unordered, _) => 1.0,
            (NodePairs::Ordered, true) => 2.0,
            (NodePairs::Ordered, false) => SQRT_2,
        };
        let feature = |(key, count): (usize, u32)| {
            let (a, b, length) = (key / nodes / labels.len(), key / nodes % labels.len(), key % nodes);
            (mixed(mixed(labels[a], labels[b]), length as u128), scale(a == b) * f64::from(count))
        };
        let counted = table.into_iter().enumerate().filter(|(_, count)| *count > 0);
        let mut beyond: Vec<(usize, u32)> = beyond.into_iter().collect();
        beyond.sort_unstable();
        counted.chain(beyond).map(feature).collect()
    }
    fn most_features(&self, nodes: usize) -> usize {
        nodes.saturating_mul(nodes.saturating_sub(1)) / 2
    }
}

impl Kernel for ShortestPath {
    const NAME: &'static str = "shortest_path";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Borgwardt & Kriegel, Shortest-path kernels on graphs (2005)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "path between nodes with its labels";
    type Inputs = Graphs;
    type Learnt = ();
    type Prepared = HashedCounts;

    /// One column of ordered pairs may hold two counts.
    fn has_counts(&self) -> bool {
        self.pairs == NodePairs::Unordered
    }
    fn counts<'p>(&self, x: &'p HashedCounts) -> Option<Counts<'p>> {
        self.has_counts().then(|| x.counts())
    }
    by_hashed_counts!();
}

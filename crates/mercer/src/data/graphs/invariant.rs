//! What a graph is, whatever the numbers of its nodes: colours of nodes, refined by those of their neighbours until no round splits a
//! class (Weisfeiler & Leman 1968), from labels and distances to all labels at the start. Isomorphic graphs have equal words; of others
//! only such as strongly regular graphs of the same parameters may have.

use super::Graph;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Graph<'_> {
    /// Words that are equal for isomorphic graphs.
    pub(super) fn invariant(&self) -> Vec<u64> {
        let nodes = self.labels.len();
        let mut around = vec![Vec::new(); nodes];
        for edge in &self.edges {
            let (a, b) = edge.ends;
            around[a].push((b, edge.label));
            // A loop is one edge of its node.
            if a != b {
                around[b].push((a, edge.label));
            }
        }
        let mut colours: Vec<u64> = (0..nodes).map(|node| self.distances(node, &around)).collect();
        let mut classes = distinct(&colours);
        for _ in 0..nodes {
            let refined = |node: usize| {
                let mut beside: Vec<(&str, u64)> = around[node].iter().map(|(to, label)| (*label, colours[*to])).collect();
                beside.sort_unstable();
                hashed(&(colours[node], beside))
            };
            colours = (0..nodes).map(refined).collect();
            let split = distinct(&colours);
            if split == classes {
                break;
            }
            classes = split;
        }
        colours.sort_unstable();
        colours.insert(0, nodes as u64);
        colours
    }

    /// The label of a node, and how many nodes of each label lie at each distance from it.
    fn distances(&self, from: usize, around: &[Vec<(usize, &str)>]) -> u64 {
        let mut distance = vec![usize::MAX; around.len()];
        distance[from] = 0;
        let (mut reached, mut next) = (vec![from], 0);
        while let Some(&node) = reached.get(next) {
            for &(to, _) in &around[node] {
                if distance[to] == usize::MAX {
                    distance[to] = distance[node] + 1;
                    reached.push(to);
                }
            }
            next += 1;
        }
        let mut met: Vec<(usize, &str)> = reached.iter().map(|&node| (distance[node], self.labels[node])).collect();
        met.sort_unstable();
        hashed(&met)
    }
}

fn hashed(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

//! What a graph is, whatever the numbers of its nodes: colours of nodes from their labels, refined by those of their neighbours until no
//! round splits a class (Weisfeiler & Leman 1968); where nodes still share one, by how many nodes of each colour lie at each distance,
//! and refined again. Isomorphic graphs have equal words; of others only such as strongly regular graphs of the same parameters may
//! have, and large ones for which all of that would take long.

use super::Graph;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Steps of all rounds, and of all searches by breadth, in one graph at most: tenths of a second.
const MOST_STEPS: usize = 10_000_000;

/// For each node its neighbours, with the labels of the edges.
type Around<'a> = [Vec<(usize, &'a str)>];

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
        let mut colours = refined(self.labels.iter().map(hashed).collect(), &around);
        let shared = shared(&colours);
        if !shared.is_empty() && shared.len().saturating_mul(nodes + self.edges.len()) <= MOST_STEPS {
            let profiles: Vec<u64> = shared.iter().map(|&node| distances(node, &colours, &around)).collect();
            shared.into_iter().zip(profiles).for_each(|(node, colour)| colours[node] = colour);
            colours = refined(colours, &around);
        }
        colours.sort_unstable();
        colours.insert(0, nodes as u64);
        colours
    }
}

/// Colours refined by those of the neighbours until no round splits a class.
fn refined(mut colours: Vec<u64>, around: &Around<'_>) -> Vec<u64> {
    let mut classes = distinct(&colours);
    let size = around.iter().map(|beside| 1 + beside.len()).sum::<usize>();
    for _ in 0..MOST_STEPS / size.max(1) {
        let refine = |node: usize| {
            let beside = around[node].iter().map(|(to, label)| hashed((label, colours[*to])));
            hashed((colours[node], around[node].len(), beside.fold(0, u64::wrapping_add)))
        };
        colours = (0..colours.len()).map(refine).collect();
        let split = distinct(&colours);
        if split == classes {
            break;
        }
        classes = split;
    }
    colours
}

/// The nodes whose colour another one has too.
fn shared(colours: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..colours.len()).collect();
    order.sort_unstable_by_key(|&node| colours[node]);
    order.chunk_by(|&a, &b| colours[a] == colours[b]).filter(|class| class.len() > 1).flatten().copied().collect()
}

/// The colour of a node, and how many nodes of each colour lie at each distance from it.
fn distances(from: usize, colours: &[u64], around: &Around<'_>) -> u64 {
    let mut distance = vec![usize::MAX; around.len()];
    distance[from] = 0;
    let (mut reached, mut next, mut met) = (vec![from], 0, 0u64);
    while let Some(&node) = reached.get(next) {
        met = met.wrapping_add(hashed((distance[node], colours[node])));
        for &(to, _) in &around[node] {
            if distance[to] == usize::MAX {
                distance[to] = distance[node] + 1;
                reached.push(to);
            }
        }
        next += 1;
    }
    hashed((colours[from], met))
}

fn hashed(what: impl Hash) -> u64 {
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

#[cfg(test)]
mod tests {
    use crate::data::Graphs;

    fn words(graph: &str) -> Vec<u64> {
        Graphs::new([graph]).unwrap().graph(0).invariant()
    }

    #[test]
    fn words_are_those_of_a_graph_whatever_the_order_of_its_nodes_and_tell_others_apart() {
        assert_eq!(words("C C O | 0-1 1-2:double"), words("O C C | 0-1:double 1-2"));
        // The other end of the chain, another label of an edge, a loop, a double edge of labels.
        for other in
            ["C C O | 0-1:double 1-2", "C C O | 0-1 1-2", "C C O | 0-1 1-2:double 0-0", "C C C | 0-1 1-2:double", "C C O | 1-2:double"]
        {
            assert_ne!(words("C C O | 0-1 1-2:double"), words(other), "{other}");
        }
        // Neighbours alone do not tell a ring of six from two rings of three, nor the four nodes of a square from those of a matching.
        assert_ne!(words("0-1 1-2 2-3 3-4 4-5 5-0"), words("0-1 1-2 2-0 3-4 4-5 5-3"));
        assert_eq!(words("0-1 1-2 2-3 3-4 4-5 5-0"), words("0-3 3-1 1-4 4-2 2-5 5-0"));
        assert_eq!(words(""), words(""));
    }
}

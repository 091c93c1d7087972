//! A graph as adjacency lists whose labels are hashed to 128 bits.
//!
//! A label is equal to another where the hashes are. Among 10^9 different ones two share a hash with a probability of 10^-21, so that no
//! dictionary has to be carried from one batch to the next.

use crate::control::Control;
use crate::data::{Cells, Graphs};
use crate::error::Result;
use crate::gram::prepare_each;
use crate::kernels::hashed_counts::hashed_text;

/// Adjacency lists: node i has the neighbours `neighbours[starts[i]..starts[i + 1]]`. A loop makes a node its own neighbour, once.
pub(crate) struct Adjacency {
    /// The hashed label of each node.
    pub(crate) labels: Vec<u128>,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// The hashed label of the edge to each neighbour.
    edge_labels: Vec<u128>,
}

impl Adjacency {
    /// The graph of a row.
    pub(crate) fn of(graphs: &Graphs, row: usize) -> Self {
        let graph = graphs.graph(row);
        let nodes = graph.labels.len();
        let mut starts = vec![0; nodes + 1];
        let both = |(a, b): (usize, usize)| [(a, b), (b, a)].into_iter().take(if a == b { 1 } else { 2 });
        graph.edges.iter().flat_map(|edge| both(edge.ends)).for_each(|(from, _)| starts[from + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        let ends = starts[nodes] as usize;
        let (mut neighbours, mut edge_labels, mut next) = (vec![0; ends], vec![0; ends], starts.clone());
        for edge in &graph.edges {
            let label = hashed_text(edge.label);
            for (from, to) in both(edge.ends) {
                let at = next[from] as usize;
                (neighbours[at], edge_labels[at]) = (to as u32, label);
                next[from] += 1;
            }
        }
        Adjacency { labels: graph.labels.iter().map(|label| hashed_text(label)).collect(), starts, neighbours, edge_labels }
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.labels.len()
    }
    /// The neighbours of a node, ascending.
    pub(crate) fn neighbours(&self, node: usize) -> &[u32] {
        &self.neighbours[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
    /// The neighbours of a node and the hashed labels of the edges to them.
    pub(crate) fn edges(&self, node: usize) -> impl Iterator<Item = (usize, u128)> + '_ {
        let range = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.neighbours[range.clone()].iter().map(|&to| to as usize).zip(self.edge_labels[range].iter().copied())
    }
}

/// Rows whose adjacency lists one thread makes at a time.
pub(crate) const TOGETHER: usize = 64;

/// What `features` finds in each graph of a batch, graph after graph.
///
/// # Errors
/// Bounds of `control`.
pub(crate) fn features_of(
    graphs: &Graphs,
    control: &Control,
    features: impl Fn(&Adjacency) -> Vec<(u128, f64)> + Sync + Send,
) -> Result<Vec<Vec<(u128, f64)>>> {
    prepare_each(Cells::len(graphs), TOGETHER, control, |row| features(&Adjacency::of(graphs, row)))
}

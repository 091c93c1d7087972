//! The nodes and edges of a graph as parts that can be masked.

use super::Graph;
use super::written::BAR;
use crate::data::{Part, Parts};

impl Graph<'_> {
    /// Nodes with their edges, and edges. A node is named by its label, and by the labels of its neighbours too.
    pub(super) fn parts(&self) -> Parts {
        let (labels, nodes) = (&self.labels, self.labels.len());
        let mut around: Vec<Vec<String>> = vec![Vec::new(); nodes];
        let mut masked: Vec<Vec<usize>> = (0..nodes).map(|node| vec![node]).collect();
        let mut units: Vec<String> = labels.iter().map(|label| format!("{label} ")).collect();
        let mut edges = Vec::new();
        for (k, edge) in self.edges.iter().enumerate() {
            let ((a, b), unit) = (edge.ends, nodes + k);
            let label = if edge.label.is_empty() { String::new() } else { format!(":{}", edge.label) };
            units.push(format!("{a}-{b}{label} "));
            for (node, other) in [(a, b), (b, a)].into_iter().take(if a == b { 1 } else { 2 }) {
                masked[node].push(unit);
                around[node].push(format!("{}{label}", labels[other]));
            }
            let (low, high) = (labels[a].min(labels[b]), labels[a].max(labels[b]));
            let text = format!("{low}-{high}{label}");
            edges.push(Part { units: vec![unit], names: vec![text.clone()], text, place: format!("edge {a}-{b}") });
        }
        let node = |(node, (units, mut around)): (usize, (Vec<usize>, Vec<String>))| {
            around.sort_unstable();
            let text = if around.is_empty() { labels[node].to_owned() } else { format!("{}({})", labels[node], around.join(" ")) };
            let mut names = vec![labels[node].to_owned(), text.clone()];
            names.dedup();
            Part { units, names, text, place: format!("node {node}") }
        };
        let parts = masked.into_iter().zip(around).enumerate().map(node).chain(edges).collect();
        Parts { units, parts, axis: None }
    }

    /// The canonical text of the graph without some nodes and edges, numbered as [`Graph::parts`] does.
    pub(super) fn without(&self, masked: &[usize]) -> String {
        let nodes = self.labels.len();
        let is_kept = |unit: usize| masked.binary_search(&unit).is_err();
        let mut kept = Vec::new();
        // The number of each node that stays.
        let number: Vec<usize> = (0..nodes)
            .map(|node| {
                kept.extend(is_kept(node).then_some(self.labels[node]));
                kept.len().saturating_sub(1)
            })
            .collect();
        if kept.is_empty() {
            return String::new();
        }
        let mut text = kept.join(" ") + " " + BAR;
        for (_, edge) in self.edges.iter().enumerate().filter(|(k, _)| is_kept(nodes + k)) {
            text.push_str(&format!(" {}-{}", number[edge.ends.0], number[edge.ends.1]));
            if !edge.label.is_empty() {
                text.push(':');
                text.push_str(edge.label);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Cells, ColumnKind, Graphs};

    #[test]
    fn a_graph_without_a_node_lacks_its_edges_and_numbers_the_others_anew() {
        let graphs = Graphs::new(["C O N C | 0-1:double 1-2 2-3 3-3", "C | 0-0"]).unwrap();
        let parts = Cells::parts(&graphs, 0, None, ColumnKind::Graph).parts;
        let names: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(names, ["C(O:double)", "O(C:double N)", "N(C O)", "C(C N)", "C-O:double", "N-O", "C-N", "C-C"]);
        assert_eq!((parts[1].names[0].as_str(), parts[1].place.as_str(), parts[4].place.as_str()), ("O", "node 1", "edge 0-1"));
        let masked = Cells::masked(&graphs, 0, &parts, ColumnKind::Graph).unwrap();
        // As they would be written by hand.
        let by_hand = [
            "O N C | 0-1 1-2 2-2",
            "C N C | 1-2 2-2",
            "C O C | 0-1:double 2-2",
            "C O N | 0-1:double 1-2",
            "C O N C | 1-2 2-3 3-3",
            "C O N C | 0-1:double 2-3 3-3",
            "C O N C | 0-1:double 1-2 3-3",
            "C O N C | 0-1:double 1-2 2-3",
        ];
        assert_eq!(masked, Graphs::new(by_hand).unwrap());
        let alone = Cells::parts(&graphs, 1, None, ColumnKind::Graph).parts;
        assert_eq!(Cells::masked(&graphs, 1, &alone, ColumnKind::Graph).unwrap(), Graphs::new(["", "C |"]).unwrap());
    }
}

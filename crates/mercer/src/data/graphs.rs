//! Columns of graphs with labelled nodes and undirected, labelled edges: `C C O | 0-1 1-2:double`, the labels of the nodes, a bar,
//! and the edges between nodes numbered from 0. An edge list alone, `0-1 1-2 2-0`, is a graph without labels. A molecule in SMILES,
//! `CC(=O)O`, is the graph of its atoms and bonds.

use super::cells::{Cells, Draw, Misfit};
use super::{Arity, ColumnKind, Dataset, Inputs, PER_STEP, Part, Parts, Values, one_column};
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

mod invariant;
mod parts;
mod smiles;
mod written;
#[cfg(feature = "read")]
pub(crate) use smiles::is_smiles;
pub use written::{Edge, Graph};

/// One graph a row, as canonical text: single spaces, each edge once with its smaller node first, edges in ascending order. The
/// graph without nodes is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Graphs(Vec<String>);

impl Graphs {
    /// Graphs from text, JSON or SMILES, in order; an empty text is the graph without nodes.
    ///
    /// # Errors
    /// The first text that is no graph, by row, with the place of its fault.
    ///
    /// ```
    /// use mercer::data::Graphs;
    /// let graphs = Graphs::new(["C C O | 1-0 2-1:double", "0-1 1-2 2-0", r#"{"nodes": ["C", "O"], "edges": [[0, 1]]}"#])?;
    /// assert_eq!(graphs.get(0), "C C O | 0-1 1-2:double");
    /// assert_eq!(graphs.get(1), "_ _ _ | 0-1 0-2 1-2");
    /// assert_eq!(graphs.graph(2).labels, ["C", "O"]);
    /// assert!(Graphs::new(["C C | 0-2"]).unwrap_err().to_string().contains("character 7"));
    /// # Ok::<(), mercer::error::Error>(())
    /// ```
    pub fn new<S: AsRef<str>>(rows: impl IntoIterator<Item = S>) -> Result<Self> {
        let rows: Vec<S> = rows.into_iter().collect();
        Cells::parse(&mut rows.iter().map(AsRef::as_ref)).map_err(|misfit: Misfit| misfit.of_column("graph"))
    }
    /// The graph of a row as text.
    pub fn get(&self, row: usize) -> &str {
        &self.0[row]
    }
    /// Nodes and edges of the graph of a row.
    pub fn graph(&self, row: usize) -> Graph<'_> {
        Graph::of_canonical(self.get(row))
    }
}

/// Stored graphs are checked like new ones.
impl<'de> Deserialize<'de> for Graphs {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        Graphs::new(Vec::<String>::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

impl Cells for Graphs {
    type Schema = ();
    const WRITTEN: Option<&'static str> = Some("a graph such as C C O | 0-1 1-2, or SMILES");
    const EMPTY: Option<&'static str> = Some("the graph without nodes");
    const HAS_PARTS: bool = true;

    fn len(&self) -> usize {
        self.0.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        Graphs(rows.iter().map(|&i| self.0[i].clone()).collect())
    }
    fn schema(&self) {}
    /// A bar with an edge behind it, or JSON. An edge list alone may be something else, such as ranges of numbers.
    fn looks_like(text: &str) -> bool {
        let barred = text.split_once('|').is_some_and(|(_, edges)| edges.contains('-'));
        (barred || text.starts_with('{')) && written::canonical(text).is_ok()
    }
    /// Nodes without edges, `C |`, edges without labels of nodes, and SMILES.
    fn could_be(text: &str) -> bool {
        !text.is_empty() && written::canonical(text).is_ok()
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let graph = |(row, text): (usize, &str)| {
            let misfit = |why| Misfit { row, found: text.to_owned(), expected: format!("{}; {why}", Self::WRITTEN.unwrap_or_default()) };
            if text.is_empty() { Ok(String::new()) } else { written::canonical(text).map_err(misfit) }
        };
        texts.enumerate().map(graph).collect::<std::result::Result<_, _>>().map(Graphs)
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.get(row).into()
    }
    /// Equal too for graphs that differ in the numbers of their nodes alone.
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        self.graph(row).invariant().into_iter().for_each(word);
    }
    fn describe(&self) -> String {
        let sizes: Vec<usize> = (0..self.0.len()).map(|i| self.graph(i).labels.len()).collect();
        match (sizes.iter().min(), sizes.iter().max()) {
            (Some(least), Some(most)) => format!("{least} to {most} nodes"),
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&i| self.0[i].is_empty()).collect()
    }
    fn stored(&self) -> usize {
        self.0.iter().map(|text| text.len().div_ceil(size_of::<f64>())).sum()
    }
    fn parts(&self, row: usize, _width: Option<usize>, _kind: ColumnKind) -> Parts {
        self.graph(row).parts()
    }
    fn masked(&self, row: usize, parts: &[Part], _kind: ColumnKind) -> Option<Self> {
        let graph = self.graph(row);
        Some(Graphs(parts.iter().map(|part| graph.without(&part.units)).collect()))
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        Graphs::new((0..draw.rows).map(|_| grown(draw)).collect::<Vec<_>>()).ok()
    }
}

/// A random graph of up to six nodes: each is tied to one before it, and some to others.
fn grown(draw: &mut Draw) -> String {
    let nodes = draw.whole(1, 7);
    let labels: Vec<&str> = (0..nodes).map(|_| draw.one_of(&["a", "b"])).collect();
    let mut edges = Vec::new();
    for node in 1..nodes {
        let before = draw.whole(0, node);
        edges.push(format!("{before}-{node}{}", draw.one_of(&["", "", ":d"])));
        if before > 0 && draw.whole(0, 2) == 0 {
            edges.push(format!("0-{node}"));
        }
    }
    format!("{} | {}", labels.join(" "), edges.join(" "))
}

// Nodes of one against nodes of the other, one pair after the other.
one_column!(Graphs, Graph, Graphs, "one column of graphs", "graphs", per_pair: |graphs| {
    let nodes: usize = (0..Cells::len(graphs)).map(|row| graphs.graph(row).labels.len()).sum();
    PER_STEP * (nodes as f64 / Cells::len(graphs).max(1) as f64).powi(2)
});

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Graphs::new([text]).unwrap_err().to_string()
    }

    #[test]
    fn equal_graphs_have_one_text_however_they_are_written() {
        let canonical = "C _ \"N |\" | 0-1:\"a b\" 0-2 2-2";
        for text in [
            canonical,
            "  C  _\t\"N |\"|2-2 0-2   1-0:\"a b\" 0-1:\"a b\" ",
            r#"{"nodes": ["C", null, "N |"], "edges": [[1, 0, "a b"], [2, 2], [2, 0, null]]}"#,
            r#"{"edges": [[0, 2], [0, 1, "a b"], [2, 2, ""]], "nodes": ["C", "", "N |"]}"#,
        ] {
            assert_eq!(Graphs::new([text]).unwrap().get(0), canonical, "{text}");
        }
        let graphs = Graphs::new([canonical, "", "3 -4 a:b |", "0-1", "{\"edges\": [[1, 0, 2.5]]}"]).unwrap();
        assert_eq!(graphs.graph(0).labels, ["C", "_", "\"N |\""]);
        assert_eq!(graphs.graph(0).edges[0], Edge { ends: (0, 1), label: "\"a b\"" });
        assert_eq!((graphs.graph(2).labels, graphs.graph(2).edges.len()), (vec!["3", "-4", "a:b"], 0));
        assert_eq!((graphs.get(3), graphs.get(4)), ("_ _ | 0-1", "_ _ | 0-1:2.5"));
        assert_eq!((Cells::missing(&graphs), graphs.graph(1).labels.len()), (vec![1], 0));
        let stored = serde_json::to_string(&graphs).unwrap();
        assert_eq!(serde_json::from_str::<Graphs>(&stored).unwrap(), graphs);
        assert!(serde_json::from_str::<Graphs>("[\"C | 0-1\"]").is_err());
    }

    #[test]
    fn faults_of_graphs_are_named_by_row_and_place() {
        for (text, place) in [
            ("é C | 0-1 1-2", "'1-2' at character 11 ends at node 2, and the last node is 1"),
            ("C C | 0-1 1", "'1' at character 11 is no edge such as 0-1 or 0-1:label"),
            ("C C | 0-1:a 1-0:b", "'1-0:b' at character 13 is a second edge between nodes 0 and 1, with another label"),
            ("C C | 0-1:", "'0-1:' at character 7 has an empty label"),
            ("C C | 0-1 | 0-1", "'|' at character 11 is a second bar"),
            ("C \"C | 0-1", "'\"C | 0-1' at character 3 has a quote that is not closed"),
            ("| 0-1", "it has no nodes"),
            ("0-1 1-3", "node 2 has no edge: write the labels of all nodes before a bar"),
            ("1-2 2-3", "node 0 has no edge"),
            ("0-4000000000", "node 1 has no edge"),
            ("0-99999999999", "'0-99999999999' at character 1 is no edge"),
            ("{\"nodes\": [1, 2]", "as JSON it ends or breaks at character 16"),
            ("{\"nodes\": [1, 2]}", "it has no list \"edges\""),
            ("{\"nodes\": [], \"edges\": []}", "it has no nodes"),
            ("{\"nodes\": [1, [2]], \"edges\": []}", "\"nodes\": the label of node 1 is [2]"),
            ("{\"nodes\": [1, 2], \"edges\": [[0, 1], [0, 2]]}", "\"edges\": [0,2], number 2, ends at node 2, and the last node is 1"),
            ("{\"nodes\": [1, 2], \"edges\": [[0, -1]]}", "\"edges\": [0,-1], number 1, is no edge"),
            ("{\"nodes\": [1], \"edges\": [], \"links\": []}", "it has a member \"links\""),
        ] {
            assert!(fault(text).contains(place), "{text}: {}", fault(text));
            assert!(fault(text).contains("row 1"), "{}", fault(text));
        }
    }

    #[test]
    fn undeclared_cells_are_graphs_only_where_nothing_else_looks_like_them() {
        let looks = <Graphs as Cells>::looks_like;
        assert!(looks("C O | 0-1") && looks("{\"edges\": [[0, 1]]}"));
        assert!(!looks("25-34") && !looks("a | b") && !looks("C | 0-1") && !looks("{}"));
    }
}

//! A graph that is put together from nodes and edges of Python, and what of a column of such graphs is not read.

use super::LABEL;
use crate::cells::{self, Sort};
use crate::errors::data_error;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What of a column of graphs is not read, or is read in a way that is worth knowing.
#[derive(Default)]
pub(super) struct Unread {
    /// Attributes besides the label.
    pub(super) of_nodes: BTreeSet<String>,
    pub(super) of_edges: BTreeSet<String>,
    /// The first row in which two nodes are joined by several edges.
    pub(super) several: Option<usize>,
    /// The first row in which a neighbour does not name the node of which it is one.
    pub(super) one_way: Option<usize>,
    /// A number that became the label of an edge.
    weight: Option<f64>,
}

impl Unread {
    /// One sentence for each, whose subject is the column.
    pub(super) fn sentences(&self) -> Vec<String> {
        // Attributes that a sentence names.
        const NAMED: usize = 5;
        let mut said = Vec::new();
        for (of, attributes) in [("node", &self.of_nodes), ("edge", &self.of_edges)] {
            if let Some(first) = attributes.first() {
                let listed = attributes.iter().take(NAMED).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
                let more = if attributes.len() > NAMED { format!(" and {} more", attributes.len() - NAMED) } else { String::new() };
                said.push(format!(
                    "holds graphs whose {of}s have {listed}{more}, which no kernel of graphs reads: the label of {an} {of} is its '{LABEL}'; \
                     networkx.set_{of}_attributes(graph, networkx.get_{of}_attributes(graph, '{first}'), '{LABEL}') makes a label of '{first}'",
                    an = if of == "edge" { "an" } else { "a" }
                ));
            }
        }
        if let Some(weight) = self.weight {
            said.push(format!(
                "has numbers at the edges of its graphs, such as {weight}: they are read as labels, which are equal or not, since no kernel of \
                 graphs takes weights"
            ));
        }
        if let Some(row) = self.several {
            said.push(format!("has several edges between two nodes, first in row {}: they are read as one", row + 1));
        }
        if let Some(row) = self.one_way {
            said.push(format!(
                "has nodes that do not name the node whose neighbours they are, first in row {}: edges are read without a direction",
                row + 1
            ));
        }
        said
    }
}

/// Nodes and undirected edges of one graph.
pub(super) struct Drawn<'py> {
    pub(super) row: usize,
    /// The number of each node by its name.
    places: Bound<'py, PyDict>,
    labels: Vec<Option<String>>,
    edges: BTreeMap<(usize, usize), Joint>,
}

/// An edge: its label, and from which of its ends it was named.
struct Joint {
    label: Option<String>,
    from_first: bool,
    from_second: bool,
}

impl<'py> Drawn<'py> {
    pub(super) fn new(py: Python<'py>, row: usize) -> Self {
        Drawn { row, places: PyDict::new(py), labels: Vec::new(), edges: BTreeMap::new() }
    }
    /// Adds a node.
    pub(super) fn node(&mut self, name: &Bound<'py, PyAny>, label: Option<String>) -> PyResult<()> {
        self.places.set_item(name, self.labels.len())?;
        self.labels.push(label);
        Ok(())
    }
    /// Adds a node without name and label.
    pub(super) fn unlabelled(&mut self) {
        self.labels.push(None);
    }
    /// The number of a node.
    fn place(&self, node: &Bound<'py, PyAny>) -> PyResult<usize> {
        match self.places.get_item(node)? {
            Some(place) => place.extract(),
            None => Err(data_error(format!("an edge ends at {}, which is no node of the graph", node.repr()?))),
        }
    }
    /// Adds an edge between two nodes by their names; whether there was none before.
    pub(super) fn edge(&mut self, from: &Bound<'py, PyAny>, to: &Bound<'py, PyAny>, label: Option<String>) -> PyResult<bool> {
        let (a, b) = (self.place(from)?, self.place(to)?);
        self.join(a, b, label)
    }
    /// Adds an edge between two nodes by their numbers; whether there was none before.
    pub(super) fn join(&mut self, from: usize, to: usize, label: Option<String>) -> PyResult<bool> {
        let ends = (from.min(to), from.max(to));
        let is_new = !self.edges.contains_key(&ends);
        let joint = self.edges.entry(ends).or_insert_with(|| Joint { label: label.clone(), from_first: false, from_second: false });
        if joint.label != label {
            let word = |label: &Option<String>| label.as_ref().map_or_else(|| "none".into(), |label| format!("'{label}'"));
            return Err(data_error(format!(
                "the edge between nodes {} and {} (counted from 0) has two labels, {} and {}; an edge has one",
                ends.0,
                ends.1,
                word(&joint.label),
                word(&label)
            )));
        }
        joint.from_first |= from <= to;
        joint.from_second |= from >= to;
        Ok(is_new)
    }
    pub(super) fn is_named_from_both_ends(&self) -> bool {
        self.edges.values().all(|joint| joint.from_first && joint.from_second)
    }
    /// The label among the attributes of a node or an edge, and the names of the others.
    pub(super) fn label_among(&self, attributes: &Bound<'_, PyAny>, others: &mut BTreeSet<String>) -> PyResult<Option<String>> {
        let mut label = None;
        for pair in attributes.call_method0("items")?.try_iter()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
            if name.eq(LABEL)? {
                label = label_of(&value)?.map(|(text, _)| text);
            } else {
                others.insert(name.str()?.to_string());
            }
        }
        Ok(label)
    }
    /// What stands at an edge, as its label.
    pub(super) fn label_at_edge(&self, value: &Bound<'_, PyAny>, unread: &mut Unread) -> PyResult<Option<String>> {
        let Some((text, number)) = label_of(value)? else { return Ok(None) };
        if number.fract().abs() > 0.0 {
            unread.weight.get_or_insert(number);
        }
        Ok(Some(text))
    }
    /// The graph as JSON.
    pub(super) fn written(self) -> PyResult<String> {
        let nodes: Vec<Value> = self.labels.into_iter().map(|label| label.map_or(Value::Null, Value::String)).collect();
        if nodes.is_empty() { Err(without_nodes()) } else { Ok(json!({ "nodes": nodes, "edges": in_json(self.edges) }).to_string()) }
    }
    /// The graph as JSON, its nodes those of its edges.
    pub(super) fn written_by_edges(self) -> PyResult<String> {
        if self.edges.is_empty() { Err(without_nodes()) } else { Ok(json!({ "edges": in_json(self.edges) }).to_string()) }
    }
}

fn in_json(edges: BTreeMap<(usize, usize), Joint>) -> Vec<Value> {
    edges.into_iter().map(|((a, b), joint)| json!([a, b, joint.label])).collect()
}

/// The refusal of a graph that holds nothing.
fn without_nodes() -> PyErr {
    data_error("the graph has no nodes; leave the row out, or write None for a missing graph")
}

/// A label as the library reads it from JSON, and its number where it is one; `None` where it is missing.
fn label_of(value: &Bound<'_, PyAny>) -> PyResult<Option<(String, f64)>> {
    let found = cells::read(value)?.map_err(|why| data_error(format!("a label {why}")))?;
    Ok(found.map(|cell| match cell.sort {
        Sort::Flag => (cell.text.to_lowercase(), f64::NAN),
        // The form of JSON, where the text is that of the float.
        Sort::Number if cell.text.parse() == Ok(cell.number) => (json!(cell.number).to_string(), cell.number),
        _ => (cell.text, cell.number),
    }))
}

/// An entry of a matrix as the label of an edge.
pub(super) fn label_of_number(entry: f64, unread: &mut Unread) -> String {
    if entry.fract() != 0.0 {
        unread.weight.get_or_insert(entry);
        return json!(entry).to_string();
    }
    format!("{entry:.0}")
}

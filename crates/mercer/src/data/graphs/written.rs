//! Graphs as text, as JSON and as SMILES: reading, checking, and the canonical text of a graph.

use super::smiles;
use serde_json::Value;
use std::borrow::Cow;

/// A graph with labelled nodes, numbered from 0, and undirected, labelled edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph<'a> {
    /// The label of each node; `_` for a node without a label. Labels with white space, a bar or a quote are JSON strings.
    pub labels: Vec<&'a str>,
    /// The edges in ascending order of their ends.
    pub edges: Vec<Edge<'a>>,
}

/// An undirected edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'a> {
    /// The nodes that it joins, the smaller first; a loop joins a node with itself.
    pub ends: (usize, usize),
    /// Its label; empty for an edge without a label.
    pub label: &'a str,
}

/// The label of a node that has none.
const UNLABELLED: &str = "_";
pub(super) const BAR: &str = "|";

impl<'a> Graph<'a> {
    /// The graph of a canonical text.
    pub(super) fn of_canonical(text: &'a str) -> Self {
        let mut graph = Graph::default();
        let mut tokens = Tokens::of(text);
        graph.labels.extend(tokens.by_ref().map(|(_, token)| token).take_while(|token| *token != BAR));
        let edge = |(_, token): (usize, &'a str)| {
            let (ends, label) = split_edge(token)?;
            Some(Edge { ends, label: label.unwrap_or_default() })
        };
        graph.edges.extend(tokens.filter_map(edge));
        graph
    }
}

/// The words of a text and their places in bytes: white space and bars delimit, except in quotes. A quote opens at the start of a word
/// or behind a colon.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether the last word has a quote that is not closed.
    unclosed: bool,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        Tokens { text, at: 0, unclosed: false }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let mut quoted = false;
        let mut before = None;
        let mut escaped = false;
        let mut end = rest.len();
        for (i, c) in rest.char_indices() {
            if quoted {
                quoted = escaped || c != '"';
                escaped = c == '\\' && !escaped;
            } else if c == '"' && matches!(before, None | Some(':')) {
                quoted = true;
            } else if c.is_whitespace() || c == '|' {
                end = if i == 0 { c.len_utf8() } else { i };
                break;
            }
            before = Some(c);
        }
        self.at = start + end;
        self.unclosed |= quoted;
        (end > 0).then(|| (start, &rest[..end]))
    }
}

/// The ends of an edge, the smaller first, and its label.
fn split_edge(token: &str) -> Option<((usize, usize), Option<&str>)> {
    let (ends, label) = token.split_once(':').map_or((token, None), |(ends, label)| (ends, Some(label)));
    let (a, b) = ends.split_once('-')?;
    let node = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?;
    let (a, b) = (node(a)? as usize, node(b)? as usize);
    Some(((a.min(b), a.max(b)), label))
}

/// A label as canonical text holds it.
fn label_text(label: &str) -> Cow<'_, str> {
    if label.contains(|c: char| c.is_whitespace() || c == '|' || c == '"') {
        Cow::Owned(Value::from(label).to_string())
    } else {
        label.into()
    }
}

/// A label as canonical text holds it, from one that may be quoted; `None` where the quotes are not closed.
fn label_of_token(token: &str) -> Option<Cow<'_, str>> {
    if !token.starts_with('"') {
        return Some(label_text(token));
    }
    serde_json::from_str::<String>(token).ok().map(|label| Cow::Owned(label_text(&label).into_owned()))
}

/// An edge that was read: its ends, its label, and its number among those that were written.
pub(super) struct ReadEdge<'a> {
    pub(super) ends: (usize, usize),
    pub(super) label: Cow<'a, str>,
    pub(super) number: usize,
}

/// The canonical text of a graph that is written in any form.
///
/// # Errors
/// What is wrong with the text, with its place.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    match text.trim_start().chars().next() {
        Some('{') => of_json(text),
        Some(c) if smiles::begins(c) && !text.contains('|') => smiles::canonical(text),
        _ => of_text(text),
    }
}

fn of_text(text: &str) -> Result<String, String> {
    let mut all = Tokens::of(text);
    let tokens: Vec<(usize, &str)> = all.by_ref().collect();
    let named = |k: usize| format!("the '{}' at character {}", tokens[k].1, text[..tokens[k].0].chars().count() + 1);
    let unclosed = |k: usize| format!("{} has a quote that is not closed", named(k));
    if all.unclosed {
        return Err(unclosed(tokens.len() - 1));
    }
    let bar = tokens.iter().position(|(_, token)| *token == BAR);
    let label = |k: usize| label_of_token(tokens[k].1).ok_or_else(|| unclosed(k));
    let labels = bar.map(|bar| (0..bar).map(label).collect::<Result<Vec<_>, _>>()).transpose()?;
    let edge = |k: usize| {
        let fault = |why: &str| format!("{} {why}", named(k));
        if tokens[k].1 == BAR {
            return Err(fault("is a second bar"));
        }
        let (ends, label) = split_edge(tokens[k].1).ok_or_else(|| fault("is no edge such as 0-1 or 0-1:label"))?;
        if label == Some("") {
            return Err(fault("has an empty label"));
        }
        let label = label_of_token(label.unwrap_or_default()).ok_or_else(|| unclosed(k))?;
        Ok(ReadEdge { ends, label, number: k })
    };
    let edges = (bar.map_or(0, |bar| bar + 1)..tokens.len()).map(edge).collect::<Result<_, _>>()?;
    checked(labels, edges, &named)
}

fn of_json(text: &str) -> Result<String, String> {
    let json: Value = serde_json::from_str(text).map_err(|why| format!("as JSON it ends or breaks at character {}", why.column()))?;
    if let Some((name, _)) = json.as_object().into_iter().flatten().find(|(name, _)| *name != "nodes" && *name != "edges") {
        return Err(format!("it has a member \"{name}\", and only \"nodes\" and \"edges\" are read"));
    }
    let label = |value: &Value| match value {
        Value::Null => Some(String::new()),
        Value::String(label) => Some(label_text(label).into_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let node = |(i, value): (usize, &Value)| {
        let label = label(value).ok_or_else(|| format!("\"nodes\": the label of node {i} is {value}, expected a text or a number"))?;
        Ok(Cow::Owned(if label.is_empty() { UNLABELLED.to_owned() } else { label }))
    };
    let labels = match json.get("nodes") {
        None => None,
        Some(Value::Array(nodes)) => Some(nodes.iter().enumerate().map(node).collect::<Result<Vec<_>, String>>()?),
        Some(_) => return Err("\"nodes\" is no list of labels".into()),
    };
    let Some(Value::Array(list)) = json.get("edges") else { return Err("it has no list \"edges\"".into()) };
    let named = |k: usize| format!("\"edges\": {}, number {},", list[k], k + 1);
    let edge = |k: usize| {
        let end = |value: &Value| value.as_u64().and_then(|node| u32::try_from(node).ok()).map(|node| node as usize);
        let parts = match list[k].as_array().map(Vec::as_slice) {
            Some([a, b]) => end(a).zip(end(b)).zip(Some(String::new())),
            Some([a, b, name]) => end(a).zip(end(b)).zip(label(name)),
            _ => None,
        };
        let ((a, b), label) = parts.ok_or_else(|| format!("{} is no edge such as [0, 1] or [0, 1, \"label\"]", named(k)))?;
        Ok(ReadEdge { ends: (a.min(b), a.max(b)), label: Cow::Owned(label), number: k })
    };
    checked(labels, (0..list.len()).map(edge).collect::<Result<_, String>>()?, &named)
}

/// The canonical text of nodes and edges; without `labels`, the nodes are those that have edges. `named` names a written edge.
pub(super) fn checked(
    labels: Option<Vec<Cow<'_, str>>>,
    mut edges: Vec<ReadEdge<'_>>,
    named: &dyn Fn(usize) -> String,
) -> Result<String, String> {
    // A stable sort keeps edges of the same ends in the order in which they are written.
    edges.sort_by_key(|edge| edge.ends);
    let labels = match labels {
        Some(labels) => labels,
        None => vec![Cow::Borrowed(UNLABELLED); joined_nodes(&edges)?],
    };
    if labels.is_empty() {
        return Err("it has no nodes".into());
    }
    let mut text = labels.join(" ") + " |";
    for (k, edge) in edges.iter().enumerate() {
        let (a, b) = edge.ends;
        if b >= labels.len() {
            return Err(format!("{} ends at node {b}, and the last node is {}", named(edge.number), labels.len() - 1));
        }
        if let Some(same) = k.checked_sub(1).map(|before| &edges[before]).filter(|before| before.ends == edge.ends) {
            if same.label != edge.label {
                return Err(format!("{} is a second edge between nodes {a} and {b}, with another label", named(edge.number)));
            }
            continue;
        }
        text.push_str(&format!(" {a}-{b}"));
        if !edge.label.is_empty() {
            text.push(':');
            text.push_str(&edge.label);
        }
    }
    Ok(text)
}

/// The number of nodes of an edge list that names each of them.
fn joined_nodes(edges: &[ReadEdge<'_>]) -> Result<usize, String> {
    let mut joined: Vec<usize> = edges.iter().flat_map(|edge| [edge.ends.0, edge.ends.1]).collect();
    joined.sort_unstable();
    joined.dedup();
    match joined.iter().enumerate().find(|&(i, &node)| i != node) {
        Some((i, _)) => Err(format!("node {i} has no edge: write the labels of all nodes before a bar, _ for a node without a label")),
        None => Ok(joined.len()),
    }
}

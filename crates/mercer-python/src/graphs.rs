//! Graphs as Python has them: graphs of networkx, mappings of nodes to their neighbours, `{"nodes": .., "edges": ..}`, lists of edges.
//! Each becomes the JSON that the library reads.

use crate::errors::{data_error, within};
use crate::frames::listed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use serde_json::{Value, json};

/// What an edge or a node is called in the data that networkx keeps of it.
const LABEL: &str = "label";

/// The graphs of an object whose rows are such, as JSON; `None` for any other object. Mappings and lists of edges are graphs only where
/// a graph is `wanted`. `None` is the graph without nodes.
pub(crate) fn graphs(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<Option<Vec<String>>> {
    if !are_graphs(object, wanted)? {
        return Ok(None);
    }
    let text = |(row, cell): (usize, PyResult<Bound<'_, PyAny>>)| {
        let cell = cell?;
        written(&cell).map_err(|e| within(object.py(), &format!("row {}", row + 1), e))
    };
    listed(object)?.try_iter()?.enumerate().map(text).collect::<PyResult<_>>().map(Some)
}

/// Whether the first row that is there is a graph.
pub(crate) fn are_graphs(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<bool> {
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if !is_list && !object.hasattr("dtype")? || object.getattr("ndim").is_ok_and(|axes| !axes.eq(1).unwrap_or(false)) {
        return Ok(false);
    }
    let Ok(cells) = object.try_iter() else { return Ok(false) };
    for cell in cells {
        let cell = cell?;
        if !cell.is_none() {
            return Ok(is_of_networkx(&cell)? || wanted && !cell.is_instance_of::<PyString>());
        }
    }
    Ok(false)
}

/// Whether a mapping is a graph and no record: it has edges, or its values are lists of its keys.
pub(crate) fn is_graph(mapping: &Bound<'_, PyDict>) -> PyResult<bool> {
    if mapping.contains("edges")? {
        return Ok(true);
    }
    for neighbours in mapping.values() {
        if neighbours.is_instance_of::<PyString>() {
            return Ok(false);
        }
        let Ok(neighbours) = neighbours.try_iter() else { return Ok(false) };
        for neighbour in neighbours {
            if !mapping.contains(neighbour?)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_of_networkx(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(cell.hasattr("nodes")? && cell.hasattr("edges")? && cell.hasattr("is_directed")?)
}

/// A graph as the library reads it; the empty text where there is none.
fn written(cell: &Bound<'_, PyAny>) -> PyResult<String> {
    if cell.is_none() {
        return Ok(String::new());
    }
    if cell.is_instance_of::<PyString>() {
        return cell.extract();
    }
    if is_of_networkx(cell)? {
        return of_networkx(cell);
    }
    if let Ok(mapping) = cell.cast::<PyDict>() {
        if mapping.contains("edges")? {
            let text = cell.py().import("json")?.call_method1("dumps", (cell,));
            return text.map_err(|e| data_error(format!("this graph is no JSON: {}", e.value(cell.py()))))?.extract();
        }
        return of_neighbours(mapping);
    }
    let no_graph = |_| {
        let found = cell.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
        data_error(format!("expected a graph: of networkx, a dict of neighbours, or a list of pairs of whole numbers; found {found}"))
    };
    let edge = |edge: PyResult<Bound<'_, PyAny>>| edge?.extract::<(usize, usize)>().map(|(a, b)| json!([a, b]));
    let edges = cell.try_iter().and_then(|edges| edges.map(edge).collect::<PyResult<Vec<Value>>>()).map_err(no_graph)?;
    if edges.is_empty() { Err(without_nodes()) } else { Ok(json!({ "edges": edges }).to_string()) }
}

/// The refusal of a graph that holds nothing.
fn without_nodes() -> PyErr {
    data_error("the graph has no nodes; leave the row out, or write None for a missing graph")
}

/// A label, or nothing.
fn label(of: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(if of.is_none() { Value::Null } else { Value::String(of.str()?.to_string()) })
}

/// Nodes, edges and their `label`s; other data of nodes and edges is left out.
fn of_networkx(graph: &Bound<'_, PyAny>) -> PyResult<String> {
    if graph.call_method0("is_directed")?.is_truthy()? {
        return Err(data_error("the graph is directed, and kernels of graphs take undirected ones: to_undirected() makes it one"));
    }
    let places = PyDict::new(graph.py());
    let mut nodes = Vec::new();
    for node in graph.call_method1("nodes", (LABEL,))?.try_iter()? {
        let (node, name): (Bound<'_, PyAny>, Bound<'_, PyAny>) = node?.extract()?;
        places.set_item(node, nodes.len())?;
        nodes.push(label(&name)?);
    }
    let mut edges = Vec::new();
    for edge in graph.call_method1("edges", (LABEL,))?.try_iter()? {
        let (a, b, name): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = edge?.extract()?;
        edges.push(json!([place(&places, &a)?, place(&places, &b)?, label(&name)?]));
    }
    if nodes.is_empty() { Err(without_nodes()) } else { Ok(json!({ "nodes": nodes, "edges": edges }).to_string()) }
}

/// A graph without labels of a mapping of each node to its neighbours.
fn of_neighbours(mapping: &Bound<'_, PyDict>) -> PyResult<String> {
    let places = PyDict::new(mapping.py());
    mapping.keys().iter().enumerate().try_for_each(|(at, node)| places.set_item(node, at))?;
    let mut edges = Vec::new();
    for (node, neighbours) in mapping.iter() {
        let from = place(&places, &node)?;
        for neighbour in neighbours.try_iter()? {
            edges.push(json!([from, place(&places, &neighbour?)?]));
        }
    }
    let nodes = vec![Value::Null; mapping.len()];
    if nodes.is_empty() { Err(without_nodes()) } else { Ok(json!({ "nodes": nodes, "edges": edges }).to_string()) }
}

/// The number of a node.
fn place(places: &Bound<'_, PyDict>, node: &Bound<'_, PyAny>) -> PyResult<usize> {
    match places.get_item(node)? {
        Some(place) => place.extract(),
        None => Err(data_error(format!("an edge ends at {}, which is no node of the graph", node.repr()?))),
    }
}

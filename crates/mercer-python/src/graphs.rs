//! Graphs as Python has them: graphs of networkx, molecules of RDKit, mappings of nodes to their neighbours, `{"nodes": .., "edges": ..}`, lists of edges and
//! adjacency matrices. Each becomes the JSON, or the SMILES, that the library reads; what kernels of graphs do not see of it is reported.

use crate::arrays::{asarray, numbers, shape};
use crate::cells::{first_present, holds_objects, is_missing};
use crate::errors::{data_error, within};
use crate::frames::listed;
use drawn::{Drawn, Unread};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::HashMap;

mod drawn;

/// The attribute of a node or an edge that is its label.
const LABEL: &str = "label";
/// What a cell of a column of graphs may be.
const FORMS: &str = "expected a graph: of networkx, a molecule of RDKit, a dict of each node's neighbours, a list of pairs of whole numbers, or a square adjacency matrix";

/// The graphs of an object whose rows are such, as JSON or SMILES; `None` for any other object. What is no graph of networkx and no
/// molecule of RDKit is one only where a graph is `wanted`. A missing cell is the graph without nodes. What was left out adds a sentence to `said`.
pub(crate) fn graphs(object: &Bound<'_, PyAny>, wanted: bool, said: &mut Vec<String>) -> PyResult<Option<Vec<String>>> {
    if !are_graphs(object, wanted)? {
        return Ok(None);
    }
    let mut unread = Unread::default();
    let mut texts = Vec::new();
    for (row, cell) in cells_of(object)?.try_iter()?.enumerate() {
        let text = written(&cell?, row, &mut unread);
        texts.push(text.map_err(|e| within(object.py(), &format!("row {}", row + 1), e))?);
    }
    said.extend(unread.sentences());
    Ok(Some(texts))
}

/// The cells of a column; of an array of three axes its matrices.
fn cells_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if axes(object) == Some(3) { Ok(object.clone()) } else { listed(object) }
}

fn axes(object: &Bound<'_, PyAny>) -> Option<usize> {
    object.getattr("ndim").and_then(|axes| axes.extract()).ok()
}

/// Whether the first row that is there is a graph; where graphs are `wanted`, whether some are no texts.
pub(crate) fn are_graphs(object: &Bound<'_, PyAny>, wanted: bool) -> PyResult<bool> {
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    let is_column = axes(object).is_none_or(|axes| axes == 1 || wanted && axes == 3);
    if !is_list && !object.hasattr("dtype")? || !is_column || object.try_iter().is_err() {
        return Ok(false);
    }
    let Some(cell) = first_present(object)? else { return Ok(false) };
    Ok(is_of_networkx(&cell)? || is_molecule(&cell)? || wanted && holds_objects(object)?)
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
            let neighbour = neighbour?;
            // What cannot be hashed is no node.
            if neighbour.hash().is_err() || !mapping.contains(neighbour)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_of_networkx(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(cell.hasattr("nodes")? && cell.hasattr("edges")? && cell.hasattr("is_directed")?)
}

fn is_molecule(cell: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(cell.hasattr("GetAtoms")? && cell.hasattr("GetBonds")? && cell.hasattr("GetNumConformers")?)
}

/// The SMILES of a molecule of RDKit, its atoms in their order where that is possible.
fn smiles(molecule: &Bound<'_, PyAny>) -> PyResult<String> {
    let as_it_stands = PyDict::new(molecule.py());
    as_it_stands.set_item("canonical", false)?;
    let written = molecule.py().import("rdkit.Chem")?.call_method("MolToSmiles", (molecule,), Some(&as_it_stands))?;
    if written.is_empty()? {
        Err(data_error("the molecule has no atoms; leave the row out, or write None for a missing graph"))
    } else {
        written.extract()
    }
}

/// A graph as the library reads it; the empty text where there is none.
fn written(cell: &Bound<'_, PyAny>, row: usize, unread: &mut Unread) -> PyResult<String> {
    if is_missing(cell)? {
        return Ok(String::new());
    }
    if cell.is_instance_of::<PyString>() {
        return cell.extract();
    }
    if is_of_networkx(cell)? {
        return of_networkx(cell, row, unread);
    }
    if is_molecule(cell)? {
        return smiles(cell);
    }
    if let Ok(mapping) = cell.cast::<PyDict>() {
        if mapping.contains("edges")? {
            let text = cell.py().import("json")?.call_method1("dumps", (cell,));
            return text.map_err(|e| data_error(format!("this graph is no JSON: {}", e.value(cell.py()))))?.extract();
        }
        return of_neighbours(mapping, row, unread);
    }
    if cell.hasattr("tocoo")? || axes(cell) == Some(2) {
        return of_matrix(cell, row, unread);
    }
    if cell.is_instance_of::<PyList>() || cell.is_instance_of::<PyTuple>() {
        return of_edges(cell, row, unread);
    }
    let class = cell.get_type().name()?;
    let way = match (cell.hasattr("to_networkx")?, cell.hasattr("edge_index")?) {
        (true, _) => "; to_networkx() makes it one of networkx",
        (_, true) => "; torch_geometric.utils.to_networkx(data, to_undirected=True) makes it one of networkx",
        _ => "",
    };
    Err(data_error(format!("{FORMS}; found {class}{way}")))
}

/// A graph of networkx, its attributes `label` as labels.
fn of_networkx(graph: &Bound<'_, PyAny>, row: usize, unread: &mut Unread) -> PyResult<String> {
    if graph.call_method0("is_directed")?.is_truthy()? {
        return Err(data_error("the graph is directed, and kernels of graphs take undirected ones: to_undirected() makes it one"));
    }
    let mut drawn = Drawn::new(graph.py(), row);
    for node in graph.getattr("nodes")?.call_method1("data", (true,))?.try_iter()? {
        let (node, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>) = node?.extract()?;
        let label = drawn.label_among(&attributes, &mut unread.of_nodes)?;
        drawn.node(&node, label)?;
    }
    for edge in graph.getattr("edges")?.call_method1("data", (true,))?.try_iter()? {
        let (a, b, attributes): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = edge?.extract()?;
        let label = drawn.label_among(&attributes, &mut unread.of_edges)?;
        if !drawn.edge(&a, &b, label)? {
            unread.several.get_or_insert(row);
        }
    }
    drawn.written()
}

/// A graph of a mapping of each node to its neighbours: a list of them, or a mapping of each to what stands at the edge, which is its
/// label, a mapping that holds the label, or one of several such edges (`to_dict_of_dicts` of networkx).
fn of_neighbours(mapping: &Bound<'_, PyDict>, row: usize, unread: &mut Unread) -> PyResult<String> {
    let mut drawn = Drawn::new(mapping.py(), row);
    mapping.keys().iter().try_for_each(|node| drawn.node(&node, None))?;
    for (node, neighbours) in mapping.iter() {
        let at_edges = neighbours.cast::<PyDict>().ok();
        for neighbour in neighbours.try_iter().map_err(|_| no_neighbours(&node, &neighbours))? {
            let neighbour = neighbour?;
            let at_edge = at_edges.map(|all| all.get_item(&neighbour)).transpose()?.flatten();
            for label in labels_at(at_edge, &drawn, unread)? {
                drawn.edge(&node, &neighbour, label)?;
            }
        }
    }
    if !drawn.is_named_from_both_ends() {
        unread.one_way.get_or_insert(row);
    }
    drawn.written()
}

fn no_neighbours(node: &Bound<'_, PyAny>, found: &Bound<'_, PyAny>) -> PyErr {
    let of = |object: &Bound<'_, PyAny>| object.repr().map_or_else(|_| "something".into(), |text| text.to_string());
    data_error(format!("node {} has {}, expected a list or a dict of its neighbours", of(node), of(found)))
}

/// The labels of the edges that a value at a pair of nodes stands for.
fn labels_at(value: Option<Bound<'_, PyAny>>, drawn: &Drawn<'_>, unread: &mut Unread) -> PyResult<Vec<Option<String>>> {
    let Some(value) = value else { return Ok(vec![None]) };
    let Ok(attributes) = value.cast::<PyDict>() else { return Ok(vec![drawn.label_at_edge(&value, unread)?]) };
    let several = !attributes.is_empty() && attributes.values().iter().all(|one| one.is_instance_of::<PyDict>());
    if !several {
        return Ok(vec![drawn.label_among(attributes, &mut unread.of_edges)?]);
    }
    if attributes.len() > 1 {
        unread.several.get_or_insert(drawn.row);
    }
    attributes.values().iter().map(|one| drawn.label_among(&one, &mut unread.of_edges)).collect()
}

/// A graph of edges between numbered nodes, `(0, 1)` or `(0, 1, label)`.
fn of_edges(cell: &Bound<'_, PyAny>, row: usize, unread: &mut Unread) -> PyResult<String> {
    let mut drawn = Drawn::new(cell.py(), row);
    let lists_of_numbers = |edge: &Bound<'_, PyAny>| edge.is_instance_of::<PyList>() && edge.extract::<[f64; 3]>().is_ok();
    if cell.len()? == 3 && cell.try_iter()?.all(|edge| edge.is_ok_and(|edge| lists_of_numbers(&edge))) {
        let advice = "give numpy.array(..) for the matrix, and tuples for edges";
        return Err(data_error(format!("three lists of three numbers are an adjacency matrix or three edges with labels; {advice}")));
    }
    for edge in cell.try_iter()? {
        let edge = edge?;
        let no_edge =
            |_| data_error(format!("{FORMS}; found {}", edge.repr().map_or_else(|_| "something else".into(), |text| text.to_string())));
        let (a, b, third) = match edge.len().unwrap_or_default() {
            3 => parts_of(&edge).map_err(no_edge)?,
            _ => edge.extract::<[usize; 2]>().map(|[a, b]| (a, b, None)).map_err(no_edge)?,
        };
        let label = match third {
            None => None,
            Some(third) => match third.cast::<PyDict>() {
                Ok(attributes) => drawn.label_among(attributes, &mut unread.of_edges)?,
                Err(_) => drawn.label_at_edge(&third, unread)?,
            },
        };
        drawn.join(a, b, label)?;
    }
    drawn.written_by_edges()
}

/// The two ends of an edge of three parts, and the third part.
fn parts_of<'py>(edge: &Bound<'py, PyAny>) -> PyResult<(usize, usize, Option<Bound<'py, PyAny>>)> {
    Ok((edge.get_item(0)?.extract()?, edge.get_item(1)?.extract()?, Some(edge.get_item(2)?)))
}

/// A graph of a square matrix, dense or sparse: where it is 1, there is an edge without a label, and any other number but 0 is a label.
fn of_matrix(cell: &Bound<'_, PyAny>, row: usize, unread: &mut Unread) -> PyResult<String> {
    let is_sparse = cell.hasattr("tocoo")?;
    let array = if is_sparse { cell.call_method0("tocsr")?.call_method0("tocoo")? } else { asarray(cell)? };
    let shape = shape(&array)?;
    let (&[nodes, columns], true) = (shape.first_chunk::<2>().unwrap_or(&[0, 1]), shape.len() == 2) else { return Err(not_square(&shape)) };
    if nodes != columns {
        return Err(not_square(&shape));
    }
    let read = |part: &str| numbers(&asarray(&array.getattr(part)?)?);
    let entries: Vec<(usize, usize, f64)> = match is_sparse {
        true => read("row")?.into_iter().zip(read("col")?).zip(read("data")?).map(|((i, j), x)| (i as usize, j as usize, x)).collect(),
        false => numbers(&array)?.into_iter().enumerate().map(|(at, x)| (at / nodes, at % nodes, x)).collect(),
    };
    let mut drawn = Drawn::new(cell.py(), row);
    (0..nodes).for_each(|_| drawn.unlabelled());
    let values: HashMap<(usize, usize), f64> =
        entries.into_iter().filter(|(.., x)| *x != 0.0 && !x.is_nan()).map(|(i, j, x)| ((i, j), x)).collect();
    let mut places: Vec<(usize, usize)> = values.keys().copied().collect();
    places.sort_unstable();
    for (i, j) in places {
        let (one, other) = (values[&(i, j)], values.get(&(j, i)).copied().unwrap_or_default());
        if one != other {
            return Err(data_error(format!(
                "the adjacency matrix is not symmetric: [{i}, {j}] is {one} and [{j}, {i}] is {other}; kernels of graphs take undirected graphs"
            )));
        }
        drawn.join(i, j, (one != 1.0).then(|| drawn::label_of_number(one, unread)))?;
    }
    drawn.written()
}

fn not_square(shape: &[usize]) -> PyErr {
    data_error(format!("{FORMS}; found an array of shape {shape:?}: edges are a list of pairs, edges.tolist()"))
}

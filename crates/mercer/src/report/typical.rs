//! Which rows of graphs and of series a page draws: of each class the correctly classified ones with the largest decision values, of
//! numbers those with the largest and the smallest predictions.

use super::{DrawnGraph, Picture, TypicalGraphs, TypicalRow, TypicalSeries};
use crate::control::Control;
use crate::data::{Cells, Dataset, Graphs, Series, Target, Values, some_rows_of};
use crate::error::Result;
use crate::estimators::{Predicted, Want};
use crate::learner::Model;

/// Rows of a class, and classes.
const EACH: usize = 3;
const CLASSES: usize = 4;
/// Nodes of a graph that is drawn, and channels of a series.
const NODES: usize = 60;
const CHANNELS: usize = 7;

/// The pictures of the first column of graphs and of the first column of series that a model reads; none of a model that has neither, nor
/// of one without decision values.
pub(super) fn of_model(model: &Model, data: &Dataset, target: &Target, control: &Control) -> Result<Vec<Picture>> {
    // Rows that are predicted.
    const ROWS: usize = 500;
    let read = |name: &str| model.prep.schema.columns.iter().any(|c| c.name == name);
    let columns = || data.columns().iter().filter(|c| read(&c.name));
    let graphs = columns().find_map(|c| if let Values::Graphs(graphs) = &c.values { Some((&c.name, graphs)) } else { None });
    let series = columns().find_map(|c| if let Values::Series(series) = &c.values { Some((&c.name, series)) } else { None });
    if graphs.is_none() && series.is_none() {
        return Ok(Vec::new());
    }
    let rows = some_rows_of(target, ROWS, 0);
    let Some(ranked) = ranked(model, data, target, &rows, control)? else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    if let Some((column, graphs)) = graphs {
        let drawn = picked(&ranked, |i| (1..=NODES).contains(&graphs.graph(i).labels.len()));
        let drawn: Vec<_> = drawn.into_iter().map(|row| (row.clone(), drawn_graph(graphs, row.row - 1))).collect();
        out.extend((!drawn.is_empty()).then(|| Picture::Graphs(TypicalGraphs { column: column.clone(), drawn })));
    }
    if let Some((column, series)) = series {
        let drawn = picked(&ranked, |i| series.length(i) > 0);
        let drawn: Vec<_> = drawn.into_iter().map(|row| (row.clone(), channels(series, row.row - 1))).collect();
        out.extend((!drawn.is_empty()).then(|| Picture::Series(TypicalSeries { column: column.clone(), drawn })));
    }
    Ok(out)
}

/// Rows of each class or of each end of the predictions, the most typical first.
fn ranked(model: &Model, data: &Dataset, target: &Target, rows: &[usize], control: &Control) -> Result<Option<Vec<Vec<TypicalRow>>>> {
    let want = Want { scores: true, ..Want::default() };
    let predictions = model.predict(&data.select(rows), want, control)?;
    let Ok(outputs) = model.outputs(&predictions) else { return Ok(None) };
    let sorted = |mut of: Vec<TypicalRow>, largest: bool| {
        of.sort_by(|a, b| if largest { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) }.then(a.row.cmp(&b.row)));
        of
    };
    Ok(match (target, &predictions.values) {
        (Target::Classes { codes, names }, Predicted::Classes(found)) if outputs.len() == names.len() => {
            let of_class = |class: usize| {
                let correct = (0..rows.len()).filter(|&k| codes[rows[k]] == class && found[k] == class);
                let one = |k: usize| TypicalRow { row: rows[k] + 1, class: names[class].clone(), value: outputs[class][k] };
                sorted(correct.map(one).collect(), true)
            };
            Some((0..names.len().min(CLASSES)).map(of_class).collect())
        }
        (Target::Numbers(_), Predicted::Numbers(_)) if outputs.len() == 1 => {
            let all: Vec<TypicalRow> =
                rows.iter().zip(&outputs[0]).map(|(row, value)| TypicalRow { row: row + 1, class: String::new(), value: *value }).collect();
            // No row stands at both ends.
            let half = all.len() / 2;
            let (mut high, low) = (sorted(all.clone(), true), sorted(all, false));
            high.truncate(low.len() - half);
            Some(vec![high, low.into_iter().take(half).collect()])
        }
        _ => None,
    })
}

/// The first rows of each list that can be drawn.
fn picked(ranked: &[Vec<TypicalRow>], can_be_drawn: impl Fn(usize) -> bool) -> Vec<&TypicalRow> {
    ranked.iter().flat_map(|of| of.iter().filter(|row| can_be_drawn(row.row - 1)).take(EACH)).collect()
}

fn drawn_graph(graphs: &Graphs, row: usize) -> DrawnGraph {
    let graph = graphs.graph(row);
    let name = |label: &&str| if *label == "_" { String::new() } else { (*label).to_owned() };
    DrawnGraph {
        nodes: graph.labels.iter().map(name).collect(),
        edges: graph.edges.iter().map(|edge| (edge.ends.0, edge.ends.1, edge.label.to_owned())).collect(),
        strong: Vec::new(),
    }
}

/// The numbers of each channel of a series.
fn channels(series: &Series, row: usize) -> Vec<Vec<f64>> {
    let (width, one) = (series.channels(), Cells::select(series, &[row]));
    let values = one.vectors().to_dense();
    (0..width.min(CHANNELS)).map(|c| values.iter().skip(c).step_by(width.max(1)).copied().collect()).collect()
}

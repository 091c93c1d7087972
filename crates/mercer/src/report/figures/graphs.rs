//! Some graphs with their labels, drawn so that nodes are as far apart as their shortest paths are long (Kamada & Kawai, An algorithm for
//! drawing general undirected graphs, 1989, by majorisation as Gansner, Koren & North 2004).

use super::canvas::{Anchor, Sheet, draw};
use super::colours::{Colour, INK, MUTED, class};
use super::typical::{TypicalRow, chosen};
use crate::error::Result;
use crate::report::words::shown;
use std::collections::VecDeque;
use std::f64::consts::TAU;

/// Graphs of the rows that are most typical of each class, or of large and of small numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct TypicalGraphs {
    /// The column that holds them.
    pub column: String,
    /// The graphs, those of one class after another.
    pub drawn: Vec<(TypicalRow, DrawnGraph)>,
}

/// A graph to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnGraph {
    /// The label of each node; empty for a node without one.
    pub nodes: Vec<String>,
    /// The two nodes and the label of each edge.
    pub edges: Vec<(usize, usize, String)>,
    /// The nodes, and the edges numbered behind them, without which the answer changes most; none where this is not known.
    pub strong: Vec<usize>,
}

/// Pixels of one graph, of the words above it, and from a node in the margin to the border.
const SIZE: (f64, f64) = (250.0, 200.0);
const TITLE: f64 = 22.0;
const MARGIN: f64 = 16.0;

impl TypicalGraphs {
    /// What the figure shows.
    pub(super) fn sentence(&self) -> String {
        let said = chosen(&self.column, "graphs", self.drawn.iter().map(|(row, _)| row));
        let is_marked = self.drawn.iter().any(|(_, graph)| !graph.strong.is_empty());
        if is_marked { format!("{said} Without the full nodes and the dark edges the answer changes most.") } else { said }
    }

    pub(super) fn svg(&self, label: &str) -> Result<String> {
        // Graphs side by side.
        const ACROSS: usize = 3;
        let (width, height) = (SIZE.0, SIZE.1 + TITLE);
        let lines = self.drawn.len().div_ceil(ACROSS);
        let size = (width * self.drawn.len().min(ACROSS) as f64, height * lines as f64);
        // Colours by label, in the order in which they are met.
        let mut labels: Vec<&str> = Vec::new();
        for name in self.drawn.iter().flat_map(|(_, graph)| &graph.nodes) {
            if !labels.contains(&name.as_str()) {
                labels.push(name);
            }
        }
        let colour = |name: &str| labels.iter().position(|l| *l == name).map_or(MUTED, class);
        draw(size, label, |sheet| {
            for (k, (row, graph)) in self.drawn.iter().enumerate() {
                let at = ((k % ACROSS) as f64 * width, (k / ACROSS) as f64 * height);
                sheet.text(&shown(&row.caption(), 40), (at.0 + width / 2.0, at.1 + TITLE / 2.0), Anchor::Middle, 12.0, INK)?;
                graph.draw(sheet, (at.0, at.1 + TITLE), &colour)?;
            }
            Ok(())
        })
    }
}

impl DrawnGraph {
    fn draw(&self, sheet: &Sheet<'_>, at: (f64, f64), colour: &dyn Fn(&str) -> Colour) -> Result<()> {
        // Radius of a node and size of its label, in pixels.
        const RADIUS: f64 = 8.0;
        const LABEL: f64 = 10.0;
        // Characters of a label.
        const LETTERS: usize = 4;
        let places = fitted(&places(self.nodes.len(), &self.edges), at);
        for (k, (a, b, name)) in self.edges.iter().enumerate() {
            let ends = [places[*a], places[*b]];
            let (ink, thickness) = if self.strong.contains(&(self.nodes.len() + k)) { (INK, 2.8) } else { (MUTED, 1.4) };
            sheet.line(&ends, ink, thickness)?;
            if !name.is_empty() {
                let middle = (0.5 * (ends[0].0 + ends[1].0), 0.5 * (ends[0].1 + ends[1].1));
                sheet.text(&shown(name, LETTERS), (middle.0 + 5.0, middle.1 - 5.0), Anchor::Start, LABEL - 2.0, MUTED)?;
            }
        }
        for (k, (name, place)) in self.nodes.iter().zip(&places).enumerate() {
            sheet.mark(*place, 0, colour(name).tint(if self.strong.contains(&k) { 0.9 } else { 0.3 }), RADIUS)?;
            sheet.text(&shown(name, LETTERS), *place, Anchor::Middle, LABEL, INK)?;
        }
        Ok(())
    }
}

/// Edges of the shortest path between any two nodes.
fn distances(nodes: usize, edges: &[(usize, usize, String)]) -> Vec<Vec<f64>> {
    // Parts without a path between them are so many edges further apart than the longest path.
    const APART: f64 = 1.0;
    let mut near = vec![Vec::new(); nodes];
    for (a, b, _) in edges {
        near[*a].push(*b);
        near[*b].push(*a);
    }
    let mut all = vec![vec![f64::INFINITY; nodes]; nodes];
    for (start, far) in all.iter_mut().enumerate() {
        far[start] = 0.0;
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for &next in &near[node] {
                if far[next].is_infinite() {
                    far[next] = far[node] + 1.0;
                    waiting.push_back(next);
                }
            }
        }
    }
    let longest = all.iter().flatten().filter(|d| d.is_finite()).fold(0.0f64, |most, d| most.max(*d));
    all.iter_mut().flatten().filter(|d| d.is_infinite()).for_each(|d| *d = longest + APART);
    all
}

/// Places at which sum_ij (|x_i - x_j| / d_ij - 1)^2 is small: each round moves every node to the mean of where the others want it. The
/// start is a circle in the order of the distances from the node that is farthest from another one.
fn places(nodes: usize, edges: &[(usize, usize, String)]) -> Vec<(f64, f64)> {
    // Rounds of majorisation.
    const ROUNDS: usize = 200;
    let far = distances(nodes, edges);
    let most = |from: &[f64]| from.iter().fold(0.0f64, |most, d| most.max(*d));
    let first = (0..nodes).fold(0, |best, i| if most(&far[i]) > most(&far[best]) { i } else { best });
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by(|&a, &b| far[first][a].total_cmp(&far[first][b]).then(a.cmp(&b)));
    let mut at = vec![(0.0, 0.0); nodes];
    for (k, &node) in order.iter().enumerate() {
        // Half a turn, so that the two ends are apart.
        let (sin, cos) = (0.5 * TAU * k as f64 / nodes.max(1) as f64).sin_cos();
        at[node] = (nodes as f64 * cos, nodes as f64 * sin * 0.5);
    }
    for _ in 0..ROUNDS {
        for i in 0..nodes {
            let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
            for j in (0..nodes).filter(|j| *j != i) {
                let (dx, dy) = (at[i].0 - at[j].0, at[i].1 - at[j].1);
                let (apart, wanted) = (dx.hypot(dy).max(1e-9), far[i][j]);
                let weight = 1.0 / (wanted * wanted);
                x += weight * (at[j].0 + wanted * dx / apart);
                y += weight * (at[j].1 + wanted * dy / apart);
                weights += weight;
            }
            if weights > 0.0 {
                at[i] = (x / weights, y / weights);
            }
        }
    }
    at
}

/// Places moved and scaled alike in both directions into the box of a graph.
fn fitted(places: &[(f64, f64)], corner: (f64, f64)) -> Vec<(f64, f64)> {
    let ends = |of: &dyn Fn(&(f64, f64)) -> f64| {
        places.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x, y) = (ends(&|p| p.0), ends(&|p| p.1));
    let room = (SIZE.0 - 2.0 * MARGIN, SIZE.1 - 2.0 * MARGIN);
    // A path of few edges is not drawn to the borders.
    let scale = (room.0 / (x.1 - x.0).max(1e-9)).min(room.1 / (y.1 - y.0).max(1e-9)).min(60.0);
    let middle = (corner.0 + SIZE.0 / 2.0, corner.1 + SIZE.1 / 2.0);
    let one = |p: &(f64, f64)| (middle.0 + scale * (p.0 - 0.5 * (x.0 + x.1)), middle.1 + scale * (p.1 - 0.5 * (y.0 + y.1)));
    places.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(all: &[(usize, usize)]) -> Vec<(usize, usize, String)> {
        all.iter().map(|(a, b)| (*a, *b, String::new())).collect()
    }

    #[test]
    fn nodes_of_a_path_and_of_a_ring_are_as_far_apart_as_their_paths_are_long() {
        let path = places(4, &edges(&[(0, 1), (1, 2), (2, 3)]));
        for (i, j) in [(0, 1), (1, 2), (0, 2), (0, 3)] {
            let apart = (path[i].0 - path[j].0).hypot(path[i].1 - path[j].1);
            assert!((apart - (j - i) as f64).abs() <= 0.05, "{i} {j}: {apart}");
        }
        // A hexagon has equal sides, and opposite corners at twice their length.
        let ring = places(6, &edges(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]));
        let apart = |i: usize, j: usize| (ring[i].0 - ring[j].0).hypot(ring[i].1 - ring[j].1);
        let side = apart(0, 1);
        for i in 0..6 {
            assert!((apart(i, (i + 1) % 6) / side - 1.0).abs() <= 0.05, "{ring:?}");
            assert!((apart(i, (i + 3) % 6) / side - 2.0).abs() <= 0.1, "{ring:?}");
        }
    }

    #[test]
    fn parts_without_a_path_single_nodes_and_none_have_places() {
        for (nodes, joined) in [(0, vec![]), (1, vec![]), (5, vec![(0, 1), (3, 4)]), (2, vec![(0, 0)])] {
            let at = fitted(&places(nodes, &edges(&joined)), (0.0, 0.0));
            assert!(at.len() == nodes && at.iter().all(|p| (0.0..=SIZE.0).contains(&p.0) && (0.0..=SIZE.1).contains(&p.1)), "{at:?}");
        }
    }
}

//! Sums of a kernel over the points that count, in vectors over whole leaves of a [`BoxTree`].
//!
//! A box is passed over where its share is provably below rounding: beyond reach, all points together weigh less than the
//! tolerance times the nearest point alone.

use super::weighing::{LEAVES, Law};
use crate::gram::{BoxNode, BoxTree};

/// Points, weights and boxes.
#[derive(Clone, Debug)]
pub(super) struct Index {
    dim: usize,
    tree: BoxTree,
    /// The place of each row.
    places: Vec<usize>,
    /// Coordinates of each leaf, one column after another.
    points: Vec<f64>,
    /// w_i / l_i^D, with l_i the width of the row.
    weights: Vec<f64>,
    total: f64,
    own: Option<Own>,
}

/// Rows with widths of their own.
#[derive(Clone, Debug)]
struct Own {
    /// 1 / l_i of each place, and the least of each node.
    per: Vec<f64>,
    least: Vec<f64>,
}

/// A sum over points: `value` times p at the distance `near`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summed {
    pub(super) value: f64,
    pub(super) near: f64,
}

impl Index {
    /// Points row by row, with weights above 0 and widths (empty: 1).
    pub(super) fn new(points: &[f64], dim: usize, weights: &[f64], widths: &[f64]) -> Index {
        let tree = BoxTree::new(points, dim, &vec![1.0; dim], LEAVES);
        let columns: Vec<Vec<f64>> = (0..dim).map(|j| tree.lay_out(None, |i| points[i * dim + j])).collect();
        let mut leaves = Vec::with_capacity(dim * tree.rows().len());
        tree.leaves(0.0, |_| 0.0, |leaf| columns.iter().for_each(|column| leaves.extend_from_slice(&column[leaf.from..leaf.to])));
        let mut places = vec![0; weights.len()];
        tree.rows().iter().enumerate().for_each(|(place, row)| row.iter().for_each(|&i| places[i] = place));
        let own = (!widths.is_empty()).then(|| {
            let per = tree.lay_out(None, |i| 1.0 / widths[i]);
            let least = |node: BoxNode| per[node.from..node.to].iter().copied().fold(f64::INFINITY, f64::min);
            Own { least: tree.nodes().iter().map(|node| least(*node)).collect(), per }
        });
        let weight = |i: usize| widths.get(i).map_or(weights[i], |l| weights[i] * (1.0 / l).powi(dim as i32));
        let padded = tree.lay_out(Some(0.0), weight);
        Index { dim, tree, places, points: leaves, total: padded.iter().sum(), weights: padded, own }
    }

    /// What one repetition of the row at a place weighs.
    fn once(&self, place: usize) -> f64 {
        self.own.as_ref().map_or(1.0, |own| own.per[place].powi(self.dim as i32))
    }

    /// 1 / l_i of some places; empty where they are 1.
    fn per(&self, node: BoxNode) -> &[f64] {
        self.own.as_ref().map_or(&[], |own| &own.per[node.from..node.to])
    }

    /// sum_i w_i p(x, x_i) with an error below the tolerance times itself; `left_out`: one repetition of that row is absent.
    pub(super) fn sum(&self, law: Law, x: &[f64], left_out: Option<usize>, tolerance: f64) -> Summed {
        let own = left_out.map(|row| self.places[row]).map(|place| (place, (self.weights[place] - self.once(place)).max(0.0)));
        let near = if law.kernel.is_compact() {
            Some((0.0, 0))
        } else {
            let mut search =
                Nearest { index: self, law, x, absent: own.filter(|(_, left)| *left == 0.0).map(|(place, _)| place), found: None };
            search.enter(0, self.to_box(law, 0, x));
            search.found
        };
        let Some((near, leaf)) = near else { return Summed { value: 0.0, near: 0.0 } };
        let mut sum = Sum { index: self, law, x, own, near, reach: f64::INFINITY };
        if !law.kernel.is_compact() {
            // The sum is no less than that over the leaf of the nearest point.
            let least = sum.over(leaf);
            sum.reach = law.reach(near, (self.total / (least * tolerance)).ln().max(0.0));
        } else {
            sum.reach = law.reach(near, 0.0);
        }
        Summed { value: sum.over(0), near }
    }

    /// The least distance that a point of a node can have.
    fn to_box(&self, law: Law, node: usize, x: &[f64]) -> f64 {
        let least = self.own.as_ref().map_or(1.0, |own| own.least[node]);
        law.metric().of(self.tree.gaps(node, x).map(|gap| gap * least))
    }

    fn block(&self, node: BoxNode) -> &[f64] {
        &self.points[node.from * self.dim..node.to * self.dim]
    }
}

/// A search for the nearest point.
struct Nearest<'a> {
    index: &'a Index,
    law: Law,
    x: &'a [f64],
    /// The place of a point that is not there.
    absent: Option<usize>,
    /// Its distance and its leaf.
    found: Option<(f64, usize)>,
}

impl Nearest<'_> {
    fn enter(&mut self, node: usize, distance: f64) {
        if self.found.is_some_and(|(least, _)| distance >= least) {
            return;
        }
        let index = self.index;
        if let Some(second) = index.tree.node(node).second {
            let first = node + 1;
            let (one, other) = (index.to_box(self.law, first, self.x), index.to_box(self.law, second, self.x));
            let order = if other < one { [(second, other), (first, one)] } else { [(first, one), (second, other)] };
            order.into_iter().for_each(|(node, distance)| self.enter(node, distance));
            return;
        }
        let BoxNode { from, to, .. } = index.tree.node(node);
        let (count, block, metric) = (to - from, index.block(index.tree.node(node)), self.law.metric());
        let per = index.per(index.tree.node(node));
        for k in 0..count {
            let weight = index.weights[from + k];
            if weight > 0.0 && self.absent != Some(from + k) {
                let per = per.get(k).copied().unwrap_or(1.0);
                let distance = metric.of(self.x.iter().enumerate().map(|(j, x)| (x - block[j * count + k]) * per));
                if self.found.is_none_or(|(least, _)| distance < least) {
                    self.found = Some((distance, node));
                }
            }
        }
    }
}

/// A sum on its way.
struct Sum<'a> {
    index: &'a Index,
    law: Law,
    x: &'a [f64],
    /// The place of a point, and the weight that is left of it.
    own: Option<(usize, f64)>,
    near: f64,
    reach: f64,
}

impl Sum<'_> {
    fn over(&mut self, node: usize) -> f64 {
        let index = self.index;
        if index.to_box(self.law, node, self.x) > self.reach {
            return 0.0;
        }
        let BoxNode { from, to, second } = index.tree.node(node);
        if let Some(second) = second {
            return self.over(node + 1) + self.over(second);
        }
        let (block, weights, per) = (index.block(index.tree.node(node)), &index.weights[from..to], index.per(index.tree.node(node)));
        match self.own {
            Some((place, left)) if (from..to).contains(&place) => {
                let mut weights = weights.to_vec();
                weights[place - from] = left;
                self.law.sum(self.x, block, &weights, per, self.near)
            }
            _ => self.law.sum(self.x, block, weights, per, self.near),
        }
    }
}

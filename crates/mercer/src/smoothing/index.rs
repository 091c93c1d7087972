//! Points in nested boxes (Bentley 1975): sums of a kernel over those that count, in vectors over whole leaves.
//!
//! A box is passed over where its share is provably below rounding: beyond reach, all points together weigh less than the
//! tolerance times the nearest point alone.

use super::weighing::{LANES, Law};

/// Points of a leaf at most.
const LEAF: usize = 128;

/// Points, weights and boxes.
#[derive(Clone, Debug)]
pub(super) struct Index {
    dim: usize,
    /// The row of each place; `None` fills up a vector.
    rows: Vec<Option<usize>>,
    /// The place of each row.
    places: Vec<usize>,
    /// Coordinates of each leaf, one column after another.
    points: Vec<f64>,
    weights: Vec<f64>,
    total: f64,
    nodes: Vec<Node>,
    /// Least and greatest coordinates of each node: 2 dim numbers.
    boxes: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    from: usize,
    to: usize,
    /// The second child; the first follows its parent. `None`: a leaf.
    second: Option<usize>,
}

/// A sum over points: `value` times p at the distance `near`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summed {
    pub(super) value: f64,
    pub(super) near: f64,
}

impl Index {
    /// Points row by row, with weights above 0.
    pub(super) fn new(points: &[f64], dim: usize, weights: &[f64]) -> Index {
        let mut index = Index {
            dim,
            rows: Vec::new(),
            places: vec![0; weights.len()],
            points: Vec::new(),
            weights: Vec::new(),
            total: weights.iter().sum(),
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        let mut rows: Vec<usize> = (0..weights.len()).collect();
        index.grow(points, weights, &mut rows);
        index
    }

    fn grow(&mut self, all: &[f64], weights: &[f64], rows: &mut [usize]) {
        let (own, dim, from) = (self.nodes.len(), self.dim, self.rows.len());
        self.nodes.push(Node { from, to: from, second: None });
        let column = |j: usize| rows.iter().map(move |&i| all[i * dim + j]);
        let ends: Vec<(f64, f64)> =
            (0..dim).map(|j| (column(j).fold(f64::INFINITY, f64::min), column(j).fold(f64::NEG_INFINITY, f64::max))).collect();
        self.boxes.extend(ends.iter().flat_map(|(low, high)| [*low, *high]));
        if rows.len() <= LEAF {
            let filled = rows.len().next_multiple_of(LANES);
            let row = |k: usize| rows[k.min(rows.len() - 1)];
            for j in 0..dim {
                self.points.extend((0..filled).map(|k| all[row(k) * dim + j]));
            }
            self.weights.extend((0..filled).map(|k| if k < rows.len() { weights[rows[k]] } else { 0.0 }));
            rows.iter().enumerate().for_each(|(k, &i)| self.places[i] = from + k);
            self.rows.extend((0..filled).map(|k| rows.get(k).copied()));
        } else {
            let widest = (0..dim).fold(0, |best, j| if ends[j].1 - ends[j].0 > ends[best].1 - ends[best].0 { j } else { best });
            let middle = rows.len() / 2;
            rows.select_nth_unstable_by(middle, |&a, &b| all[a * dim + widest].total_cmp(&all[b * dim + widest]).then(a.cmp(&b)));
            let (first, second) = rows.split_at_mut(middle);
            self.grow(all, weights, first);
            self.nodes[own].second = Some(self.nodes.len());
            self.grow(all, weights, second);
        }
        self.nodes[own].to = self.rows.len();
    }

    /// sum_i w_i p(x, x_i) with an error below the tolerance times itself; `left_out`: one repetition of that row is absent.
    pub(super) fn sum(&self, law: Law, x: &[f64], left_out: Option<usize>, tolerance: f64) -> Summed {
        let own = left_out.map(|row| (self.places[row], (self.weights[self.places[row]] - 1.0).max(0.0)));
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
        let sides = self.boxes[node * 2 * self.dim..(node + 1) * 2 * self.dim].chunks_exact(2);
        law.metric().of(sides.zip(x).map(|(side, x)| if *x < side[0] { side[0] - x } else { (x - side[1]).max(0.0) }))
    }

    fn block(&self, node: Node) -> &[f64] {
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
        if let Some(second) = index.nodes[node].second {
            let first = node + 1;
            let (one, other) = (index.to_box(self.law, first, self.x), index.to_box(self.law, second, self.x));
            let order = if other < one { [(second, other), (first, one)] } else { [(first, one), (second, other)] };
            order.into_iter().for_each(|(node, distance)| self.enter(node, distance));
            return;
        }
        let Node { from, to, .. } = index.nodes[node];
        let (count, block, metric) = (to - from, index.block(index.nodes[node]), self.law.metric());
        for k in 0..count {
            let weight = index.weights[from + k];
            if weight > 0.0 && self.absent != Some(from + k) {
                let distance = metric.of(self.x.iter().enumerate().map(|(j, x)| x - block[j * count + k]));
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
        let Node { from, to, second } = index.nodes[node];
        if let Some(second) = second {
            return self.over(node + 1) + self.over(second);
        }
        let (block, weights) = (index.block(index.nodes[node]), &index.weights[from..to]);
        match self.own {
            Some((place, left)) if (from..to).contains(&place) => {
                let mut weights = weights.to_vec();
                weights[place - from] = left;
                self.law.sum(self.x, block, &weights, self.near)
            }
            _ => self.law.sum(self.x, block, weights, self.near),
        }
    }
}

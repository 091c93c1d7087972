//! A k-d tree: rows in nested boxes, halved along their widest side (Bentley 1975, Multidimensional binary search trees used for associative
//! searching). Whether rows can be near a place is asked of their box first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How the rows of a tree are laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxLayout {
    /// Rows of a leaf at most.
    pub(crate) leaf: usize,
    /// Leaves but the last have a multiple of this.
    pub(crate) full: usize,
    /// Leaves are filled up to a multiple of this.
    pub(crate) vector: usize,
}

/// Boxes over rows, which stand leaf by leaf, filled up to whole vectors.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    dim: usize,
    /// The row of each place; `None` fills up a vector.
    rows: Vec<Option<usize>>,
    nodes: Vec<BoxNode>,
    /// Least and greatest coordinates of each node: 2 dim numbers.
    boxes: Vec<f64>,
}

/// A box and its places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxNode {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The second child; the first follows its parent. `None`: a leaf.
    pub(crate) second: Option<usize>,
}

impl BoxTree {
    /// Points row by row; sides of boxes are compared in units of the columns.
    pub(crate) fn new(points: &[f64], dim: usize, units: &[f64], layout: BoxLayout) -> Self {
        let mut tree = BoxTree { dim, rows: Vec::new(), nodes: Vec::new(), boxes: Vec::new() };
        let mut rows: Vec<usize> = (0..points.len() / dim).collect();
        tree.grow((points, units), layout, &mut rows);
        tree
    }

    fn grow(&mut self, (all, units): (&[f64], &[f64]), layout: BoxLayout, rows: &mut [usize]) {
        let (own, dim, from) = (self.nodes.len(), self.dim, self.rows.len());
        self.nodes.push(BoxNode { from, to: from, second: None });
        let column = |j: usize| rows.iter().map(move |&i| all[i * dim + j]);
        let ends: Vec<(f64, f64)> =
            (0..dim).map(|j| (column(j).fold(f64::INFINITY, f64::min), column(j).fold(f64::NEG_INFINITY, f64::max))).collect();
        self.boxes.extend(ends.iter().flat_map(|(low, high)| [*low, *high]));
        if rows.len() <= layout.leaf {
            self.rows.extend((0..rows.len().next_multiple_of(layout.vector)).map(|k| rows.get(k).copied()));
        } else {
            let side = |j: usize| (ends[j].1 - ends[j].0) / units[j];
            let widest = (0..dim).fold(0, |best, j| if side(j) > side(best) { j } else { best });
            let middle = (rows.len() / 2).next_multiple_of(layout.full);
            rows.select_nth_unstable_by(middle, |&a, &b| all[a * dim + widest].total_cmp(&all[b * dim + widest]).then(a.cmp(&b)));
            let (first, second) = rows.split_at_mut(middle);
            self.grow((all, units), layout, first);
            self.nodes[own].second = Some(self.nodes.len());
            self.grow((all, units), layout, second);
        }
        self.nodes[own].to = self.rows.len();
    }

    /// The row of each place; `None` fills up a vector.
    pub(crate) fn rows(&self) -> &[Option<usize>] {
        &self.rows
    }

    /// Every node, the first child behind its parent.
    pub(crate) fn nodes(&self) -> &[BoxNode] {
        &self.nodes
    }

    pub(crate) fn node(&self, node: usize) -> BoxNode {
        self.nodes[node]
    }

    /// What of each place; where a place fills up a vector, `nothing`, or that of the row before it.
    pub(crate) fn lay_out(&self, nothing: Option<f64>, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut before = 0.0;
        let at = |row: &Option<usize>| {
            before = row.map_or(nothing.unwrap_or(before), &of);
            before
        };
        self.rows.iter().map(at).collect()
    }

    /// How far a place is from the box of a node in each column; 0 inside.
    #[inline(always)]
    pub(crate) fn gaps<'a>(&'a self, node: usize, place: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let sides = self.boxes[node * 2 * self.dim..(node + 1) * 2 * self.dim].chunks_exact(2);
        sides.zip(place).map(|(side, x)| if *x < side[0] { side[0] - x } else { (x - side[1]).max(0.0) })
    }

    /// Leaves whose boxes are no farther than `reach` by some distance of nodes, in the order of places.
    pub(crate) fn leaves(&self, reach: f64, far: impl Fn(usize) -> f64, mut found: impl FnMut(BoxNode)) {
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if far(at) <= reach {
                let node = self.nodes[at];
                match node.second {
                    Some(second) => open.extend([second, at + 1]),
                    None => found(node),
                }
            }
        }
    }

    /// Leaves, the nearest boxes first, as long as they are no farther than what `found` answers; distances are 0 or above.
    pub(crate) fn nearest_first(&self, far: impl Fn(usize) -> f64, mut found: impl FnMut(BoxNode) -> f64) {
        // The bits of numbers that are not negative stand in the order of the numbers.
        let mut open = BinaryHeap::from([Reverse((far(0).to_bits(), 0))]);
        let mut reach = f64::INFINITY;
        while let Some(Reverse((distance, at))) = open.pop() {
            if f64::from_bits(distance) > reach {
                return;
            }
            let node = self.nodes[at];
            match node.second {
                Some(second) => open.extend([at + 1, second].map(|child| Reverse((far(child).to_bits(), child)))),
                None => reach = found(node),
            }
        }
    }
}

//! A k-d tree over points of few dimensions: the nearest of N points in about log N steps (Bentley 1975, Multidimensional
//! binary search trees used for associative searching; boxes as in Friedman, Bentley & Finkel 1977).
//!
//! Distances to boxes are added up in the order of distances to points, so that rounding cannot make a box seem farther than
//! a point in it: ties are never missed.

use super::boxes::{BoxLayout, BoxNode, BoxTree};
use super::{PreparedPoints, TIED};

/// Dimensions above which a scan is as fast.
pub(super) const MOST_DIMENSIONS: usize = 8;
/// Points below which a scan is as fast.
pub(super) const LEAST_POINTS: usize = 1000;

/// Points in nested boxes.
pub(super) struct Tree {
    boxes: BoxTree,
    /// The number of each point, in the order of the leaves.
    rows: Vec<usize>,
    /// Coordinates in that order.
    points: Vec<f64>,
}

/// A point met on the way, with its squared distance.
type Met = (usize, f64);

impl Tree {
    /// The tree of dense points that are many and of few dimensions.
    pub(super) fn new(cloud: &PreparedPoints) -> Option<Tree> {
        // Points of a leaf at most.
        const LEAF: usize = 12;
        let (n, dim) = (cloud.rows(), cloud.dim());
        let all = cloud.dense().filter(|_| n >= LEAST_POINTS && (1..=MOST_DIMENSIONS).contains(&dim))?;
        let boxes = BoxTree::new(all, dim, &vec![1.0; dim], BoxLayout { leaf: LEAF, full: 1, vector: 1 });
        let rows: Vec<usize> = boxes.rows().iter().flatten().copied().collect();
        let points = rows.iter().flat_map(|&i| &all[i * dim..(i + 1) * dim]).copied().collect();
        Some(Tree { boxes, rows, points })
    }

    /// The `count` points nearest to `x`, and all others that are as near as the last of them but for rounding, by row.
    pub(super) fn nearest(&self, x: &[f64], count: usize) -> Vec<Met> {
        let mut search = Nearest { tree: self, x, count: count.clamp(1, self.rows.len()), least: Vec::new(), met: Vec::new() };
        search.enter(0, self.to_box(0, x));
        let edge = search.edge();
        let mut met = search.met;
        met.retain(|(_, d)| *d <= edge);
        met.sort_unstable_by_key(|(row, _)| *row);
        met
    }

    /// The least squared distance that a point of a node can have.
    fn to_box(&self, node: usize, x: &[f64]) -> f64 {
        self.boxes.gaps(node, x).map(|gap| gap * gap).sum()
    }
}

/// A search on its way.
struct Nearest<'a> {
    tree: &'a Tree,
    x: &'a [f64],
    count: usize,
    /// The least distances met, ascending, `count` at most.
    least: Vec<f64>,
    /// Every point that was no farther than the edge when it was met.
    met: Vec<Met>,
}

impl Nearest<'_> {
    /// Points farther than this are not wanted.
    fn edge(&self) -> f64 {
        if self.least.len() < self.count { f64::INFINITY } else { self.least[self.count - 1] * (1.0 + TIED) }
    }

    fn enter(&mut self, node: usize, distance: f64) {
        if distance > self.edge() {
            return;
        }
        let tree = self.tree;
        let BoxNode { from, to, second } = tree.boxes.node(node);
        if let Some(second) = second {
            let first = node + 1;
            let (one, other) = (tree.to_box(first, self.x), tree.to_box(second, self.x));
            let order = if other < one { [(second, other), (first, one)] } else { [(first, one), (second, other)] };
            order.into_iter().for_each(|(node, distance)| self.enter(node, distance));
            return;
        }
        let dim = self.x.len();
        for k in from..to {
            let point = &tree.points[k * dim..(k + 1) * dim];
            let d: f64 = self.x.iter().zip(point).map(|(x, z)| (x - z) * (x - z)).sum();
            if d > self.edge() {
                continue;
            }
            self.met.push((tree.rows[k], d));
            if self.least.len() == self.count {
                self.least.pop();
            }
            self.least.insert(self.least.partition_point(|l| *l <= d), d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Points;

    /// Numbers in 0..1 without visible pattern; with `grid`, on a coarse grid, so that many distances are equal.
    fn cloud(n: usize, dim: usize, set: u64, grid: bool) -> PreparedPoints {
        let mut state = set.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let x = (state >> 11) as f64 / (1u64 << 53) as f64;
            if grid { (4.0 * x).floor() } else { x }
        };
        PreparedPoints::plain(&Points::dense(n, dim, (0..n * dim).map(|_| next()).collect()).unwrap(), None)
    }

    #[test]
    fn the_tree_finds_what_a_scan_finds_ties_included() {
        for (dim, grid) in [(1, false), (3, false), (3, true), (8, false), (2, true)] {
            let (points, new) = (cloud(1500, dim, 1, grid), cloud(40, dim, 2, grid));
            let tree = Tree::new(&points).unwrap();
            for count in [1, 2, 7, 40, 1500] {
                for i in 0..new.rows() {
                    let distances: Vec<f64> = (0..1500).map(|j| new.sqdist(i, &points, j)).collect();
                    let mut sorted = distances.clone();
                    sorted.sort_by(f64::total_cmp);
                    let expected: Vec<Met> = (0..1500).map(|j| (j, distances[j])).filter(|(_, d)| *d <= sorted[count - 1]).collect();
                    assert_eq!(tree.nearest(new.row(i).unwrap(), count), expected, "{dim} dimensions, {count} neighbours, grid {grid}");
                }
            }
        }
    }

    #[test]
    fn points_that_are_all_equal_are_all_found() {
        let same = PreparedPoints::plain(&Points::dense(1200, 2, vec![0.5; 2400]).unwrap(), None);
        let tree = Tree::new(&same).unwrap();
        assert_eq!(tree.nearest(&[0.0, 0.0], 3).len(), 1200);
        assert!(Tree::new(&cloud(1200, 9, 1, false)).is_none() && Tree::new(&cloud(999, 2, 1, false)).is_none());
    }
}

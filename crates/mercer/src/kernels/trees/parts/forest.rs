//! One tree against several side by side: for each of its nodes the values C(n, m) of all nodes m that it may be like, those of one key.
//!
//! Nodes are compared where their keys are equal (Moschitti, Making tree kernels practical for natural language learning, EACL 2006): a
//! production, or a label. k = sum_nm C(n, m), and C(n, m) is made of the values of the children of n with those of m. Children come first,
//! and no recursion is needed.

use super::labelled::LabelledTree;
use crate::control::Control;
use crate::data::{Cells, Trees};
use crate::error::{Error, Result};
use crate::gram::{PreparedBatch, Tile, prepare_each};
use crate::kernels::hashed_counts::hashed_text;
use crate::linalg::Real;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// The nodes of a tree that are compared.
pub(crate) struct KeyedNodes {
    /// What two nodes must share to be compared.
    keys: Vec<u128>,
    /// The children of each node, parents before children; [`NOT_COMPARED`] those that are not compared.
    children: Vec<Vec<u32>>,
}

/// A child that is compared with no node: C is 0.
const NOT_COMPARED: u32 = u32::MAX;

impl KeyedNodes {
    /// The nodes with children, by their productions. A leaf has none and is compared with no node, whether or not the child at its place
    /// in another tree is a leaf.
    pub(crate) fn by_production(tree: &LabelledTree<'_>) -> Self {
        let inner: Vec<u32> = (0..tree.labels.len() as u32).filter(|&node| tree.is_inner(node)).collect();
        let mut place = vec![NOT_COMPARED; tree.labels.len()];
        inner.iter().zip(0u32..).for_each(|(&node, at)| place[node as usize] = at);
        let productions = tree.productions();
        let below = |&node: &u32| tree.children[node as usize].iter().map(|&child| place[child as usize]).collect();
        KeyedNodes { keys: inner.iter().map(|&node| productions[node as usize]).collect(), children: inner.iter().map(below).collect() }
    }

    /// All nodes, by their labels.
    pub(crate) fn by_label(tree: LabelledTree<'_>) -> Self {
        KeyedNodes { keys: tree.labels.iter().map(|label| hashed_text(label)).collect(), children: tree.children }
    }
}

/// The nodes of one or several trees: a node has a slot, and slots of one key follow each other.
struct Forest {
    /// The keys, ascending, and their slots.
    keys: Vec<(u128, Range<u32>)>,
    /// The tree of each slot.
    owner: Vec<u32>,
    /// The slots of the children of slot s: `kids[kid_starts[s]..kid_starts[s + 1]]`.
    kids: Vec<u32>,
    kid_starts: Vec<u32>,
    /// The slot of each node, parents before children, and the place of the key of each slot.
    slot_of: Vec<u32>,
    key_of: Vec<u32>,
}

impl Forest {
    fn of(trees: &[KeyedNodes]) -> Self {
        let mut nodes: Vec<(u128, u32)> = Vec::new();
        let (mut owners, mut children) = (Vec::new(), Vec::new());
        for (tree, owner) in trees.iter().zip(0u32..) {
            let first = nodes.len() as u32;
            nodes.extend(tree.keys.iter().copied().zip(first..));
            owners.resize(nodes.len(), owner);
            children.extend(tree.children.iter().map(|below| (first, below)));
        }
        let count = nodes.len();
        // Slots of one key with as many children follow each other too, so that loops over them do not change their course.
        nodes.sort_unstable_by_key(|&(key, node)| (key, children[node as usize].1.len(), node));
        let (mut slot_of, mut key_of, mut keys) = (vec![0; count], vec![0; count], Vec::new());
        for run in nodes.chunk_by(|a, b| a.0 == b.0) {
            let start = keys.last().map_or(0, |(_, slots): &(u128, Range<u32>)| slots.end);
            for (&(_, node), slot) in run.iter().zip(start..) {
                (slot_of[node as usize], key_of[slot as usize]) = (slot, keys.len() as u32);
            }
            keys.push((run[0].0, start..start + run.len() as u32));
        }
        let (mut kids, mut kid_starts) = (Vec::new(), vec![0]);
        for (_, node) in &nodes {
            let (first, below) = children[*node as usize];
            let slot = |child: &u32| if *child == NOT_COMPARED { NOT_COMPARED } else { slot_of[(first + child) as usize] };
            kids.extend(below.iter().map(slot));
            kid_starts.push(kids.len() as u32);
        }
        let owner = nodes.iter().map(|(_, node)| owners[*node as usize]).collect();
        Forest { keys, owner, kids, kid_starts, slot_of, key_of }
    }

    /// For each key of this forest the slots of the other that have it; `None` where there are none at all.
    fn matched(&self, other: &Forest) -> Option<Vec<Range<u32>>> {
        let mut theirs = other.keys.iter().peekable();
        let mut any = false;
        let one = |(key, _): &(u128, Range<u32>)| {
            while theirs.next_if(|(other, _)| other < key).is_some() {}
            let same = theirs.next_if(|(other, _)| other == key);
            any |= same.is_some();
            same.map_or(0..0, |(_, slots)| slots.clone())
        };
        let all = self.keys.iter().map(one).collect();
        any.then_some(all)
    }

    /// Adds k(x, z) to the number of each tree z of the other forest, x the one tree of this one.
    fn add_values(&self, other: &Forest, values: &impl NodeValues, sums: &mut [f64]) {
        let Some(matched) = self.matched(other) else { return };
        // A row of values for each node, with a 0 at its end: those of a node's children lie on top, and make room for its own. The first is
        // that of children that are not compared.
        let mut rows: Vec<f64> = vec![0.0];
        let mut made = vec![ChildValues::default(); self.slot_of.len()];
        let mut totals = vec![0.0; other.owner.len()];
        let (mut below, mut fresh) = (Vec::new(), Vec::new());
        for &slot in self.slot_of.iter().rev() {
            let slots = &matched[self.key_of[slot as usize] as usize];
            let kids = self.kids_of(slot..slot + 1).kids;
            fresh.clear();
            if !slots.is_empty() {
                below.clear();
                below.extend(kids.iter().map(|&kid| made.get(kid as usize).copied().unwrap_or_default()));
                values.of(&below, &rows, other.kids_of(slots.clone()), &mut fresh);
                let totals = &mut totals[slots.start as usize..slots.end as usize];
                totals.iter_mut().zip(&fresh).for_each(|(total, value)| *total += value);
            }
            let start = kids.iter().rev().find_map(|&kid| made.get(kid as usize)).map_or(rows.len(), |last| last.start);
            made[slot as usize] = ChildValues { start, first: slots.start, len: slots.len() as u32 };
            fresh.push(0.0);
            rows.truncate(start);
            rows.extend_from_slice(&fresh);
        }
        totals.iter().zip(&other.owner).for_each(|(total, &tree)| sums[tree as usize] += total);
    }

    /// The children of some slots.
    fn kids_of(&self, slots: Range<u32>) -> Kids<'_> {
        Kids { kids: &self.kids, starts: &self.kid_starts[slots.start as usize..=slots.end as usize] }.within()
    }
}

/// The children of slots that follow each other.
#[derive(Clone, Copy)]
pub(crate) struct Kids<'f> {
    kids: &'f [u32],
    starts: &'f [u32],
}

impl<'f> Kids<'f> {
    /// The children of those slots alone.
    fn within(self) -> Self {
        Kids { kids: &self.kids[self.starts[0] as usize..self.starts[self.starts.len() - 1] as usize], ..self }
    }
    /// How many slots there are.
    pub(crate) fn len(self) -> usize {
        self.starts.len() - 1
    }
    /// The children of all slots, one slot after the other.
    pub(crate) fn all(self) -> &'f [u32] {
        self.kids
    }
    /// The children of each slot.
    pub(crate) fn each(self) -> impl Iterator<Item = &'f [u32]> {
        let first = self.starts[0];
        self.starts.windows(2).map(move |w| &self.kids[(w[0] - first) as usize..(w[1] - first) as usize])
    }
}

/// C(c, d) of one node c, for the slots d of its key: where they stand in the rows of values. It is 0 for all other slots, and by default
/// for all.
#[derive(Clone, Copy, Default)]
pub(crate) struct ChildValues {
    start: usize,
    first: u32,
    len: u32,
}

impl ChildValues {
    /// Whether C(c, d) is 0 for every d.
    pub(crate) fn is_zero(self) -> bool {
        self.len == 0
    }
    /// C(c, d) of a slot d.
    #[inline(always)]
    pub(crate) fn at(self, rows: &[f64], slot: u32) -> f64 {
        // Slots before the first wrap around to numbers above the last: both find the 0 behind the values.
        rows[self.start + slot.wrapping_sub(self.first).min(self.len) as usize]
    }
}

/// What C(n, m) is made of.
pub(crate) trait NodeValues: Sync {
    /// Writes C(n, m) for the slots m of the key of n, from the values of the children of n and the children of these slots.
    fn of(&self, below: &[ChildValues], rows: &[f64], kids: Kids<'_>, out: &mut Vec<f64>);
}

/// A batch of trees, each alone and, for the side of the columns, several side by side.
pub struct PreparedTrees {
    trees: Vec<Forest>,
    /// Groups of trees that follow each other.
    groups: Vec<(Range<usize>, Forest)>,
    /// k(x, x) of every tree.
    own: Vec<f64>,
}

impl PreparedBatch for PreparedTrees {}

impl PreparedTrees {
    /// Trees made ready. Refuses trees whose value with themselves is above the largest number: no other value is larger than both of those.
    pub(crate) fn of(
        trees: &Trees,
        nodes: impl Fn(usize) -> KeyedNodes + Send + Sync,
        values: &impl NodeValues,
        remedy: &str,
        control: &Control,
    ) -> Result<Self> {
        // Trees that are compared with another side by side; fewer of so many nodes that rows of their values would leave the cache.
        const ABREAST: usize = 16;
        const MOST_NODES: usize = 4096;
        let nodes: Vec<KeyedNodes> = prepare_each(Cells::len(trees), ABREAST, control, nodes)?;
        let alone: Vec<Forest> = prepare_each(nodes.len(), ABREAST, control, |i| Forest::of(&nodes[i..=i]))?;
        let own: Vec<f64> = prepare_each(alone.len(), 1, control, |i| value(&alone[i], &alone[i], values))?;
        if let Some(row) = own.iter().position(|k| !k.is_finite()) {
            return Err(Error::Numerical {
                what: format!("the tree in row {}", row + 1),
                why: format!("it shares more than 1e308 fragments with itself; {remedy}"),
            });
        }
        let mut ranges = Vec::new();
        let mut open: Vec<Range<usize>> = (0..nodes.len()).step_by(ABREAST).map(|at| at..(at + ABREAST).min(nodes.len())).rev().collect();
        while let Some(range) = open.pop() {
            let count: usize = nodes[range.clone()].iter().map(|tree| tree.keys.len()).sum();
            let middle = range.start + range.len() / 2;
            if range.len() > 1 && count > MOST_NODES {
                open.extend([middle..range.end, range.start..middle]);
            } else {
                ranges.push(range);
            }
        }
        let groups = ranges.into_par_iter().map(|range| (range.clone(), Forest::of(&nodes[range]))).collect();
        Ok(PreparedTrees { trees: alone, groups, own })
    }

    /// k(x, x) of every tree.
    pub(crate) fn own(&self) -> &[f64] {
        &self.own
    }

    /// Writes every pair of a tile.
    pub(crate) fn fill<T: Real>(mut tile: Tile<'_, PreparedTrees, T>, values: &impl NodeValues) {
        // A group of which less than this share is asked for is compared tree by tree.
        const SHARE: usize = 4;
        let mut sums = Vec::new();
        let first = tile.b.groups.partition_point(|(range, _)| range.end <= tile.cols.start);
        for (range, group) in tile.b.groups[first..].iter().take_while(|(range, _)| range.start < tile.cols.end) {
            let wanted = range.start.max(tile.cols.start)..range.end.min(tile.cols.end);
            let together = SHARE * wanted.len() >= range.len();
            for k in 0..tile.rows.len() {
                if tile.out.is_given_up() {
                    return;
                }
                let tree = &tile.a.trees[tile.rows.at(k)];
                sums.clear();
                if together {
                    sums.resize(range.len(), 0.0);
                    tree.add_values(group, values, &mut sums);
                    sums.drain(..wanted.start - range.start);
                } else {
                    sums.extend(wanted.clone().map(|j| value(tree, &tile.b.trees[j], values)));
                }
                let out = &mut tile.out.row_mut(k)[wanted.start - tile.cols.start..wanted.end - tile.cols.start];
                out.iter_mut().zip(&sums).for_each(|(o, sum)| *o = T::from_f64(*sum));
            }
        }
    }
}

/// k(x, z) of two trees.
fn value(x: &Forest, z: &Forest, values: &impl NodeValues) -> f64 {
    let mut sum = [0.0];
    x.add_values(z, values, &mut sum);
    sum[0]
}

/// Operations of a value: one step for each key of both trees, and `per_pair` for each pair of nodes of one key, by some of them.
pub(crate) fn per_value(trees: &Trees, nodes: impl Fn(usize) -> KeyedNodes, per_pair: f64) -> f64 {
    // Trees from which the cost of a value is estimated.
    const SAMPLE: usize = 64;
    // Operations of finding a key of one tree among those of another.
    const PER_KEY: f64 = 10.0;
    let step = Cells::len(trees).div_ceil(SAMPLE).max(1);
    let (mut keys, mut counts, mut rows) = (0.0, HashMap::<u128, f64>::new(), 0.0);
    for row in (0..Cells::len(trees)).step_by(step) {
        let nodes = nodes(row);
        nodes.keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1.0);
        (keys, rows) = (keys + nodes.keys.len() as f64, rows + 1.0);
    }
    // Whole numbers: their sum is the same in any order.
    let pairs: f64 = counts.into_values().map(|count| count * count).sum();
    PER_KEY * 2.0 * keys / f64::max(rows, 1.0) + per_pair * pairs / f64::max(rows * rows, 1.0)
}

/// The methods of [`crate::gram::Kernel`] of a kernel that compares trees node by node, from its `nodes` and its `values`; `remedy`: what to
/// do about values above the largest number.
macro_rules! by_nodes {
    (remedy: $remedy:literal) => {
        fn prepare(&self, (): &(), inputs: &Trees, _: Option<&PreparedTrees>, control: &$crate::control::Control) -> Result<PreparedTrees> {
            PreparedTrees::of(inputs, |row| self.nodes(inputs, row), &self.values(), $remedy, control)
        }
        fn fill<T: Real>(&self, tile: Tile<'_, PreparedTrees, T>) {
            PreparedTrees::fill(tile, &self.values());
        }
        fn diagonal(&self, x: &PreparedTrees) -> Vec<f64> {
            x.own().to_vec()
        }
        fn per_value(&self, inputs: &Trees) -> f64 {
            per_value(inputs, |row| self.nodes(inputs, row), PER_PAIR)
        }
        fn mercer(&self) -> Mercer {
            Mercer::Always
        }
    };
}
pub(crate) use by_nodes;

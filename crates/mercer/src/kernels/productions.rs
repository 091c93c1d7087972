//! Fragments that two trees share, counted by productions (Collins & Duffy, Convolution kernels for natural language, 2001).
//!
//! A production is a node with its children. For nodes n, m of one production C(n, m) = decay prod_j (cut + C(n_j, m_j)) over
//! their children that have children, and 0 for nodes of two; k = sum_nm C(n, m). Where cut is 1, a fragment may end at any
//! child; where it is 0, it goes down to the words. Productions are sorted, so that only pairs of one production are looked at
//! (Moschitti, Making tree kernels practical for natural language learning, 2006); O(|T1| |T2|) at worst, and no recursion.

use crate::data::{Cells, PER_STEP, Trees};
use crate::error::{Error, Result};
use crate::gram::PreparedBatch;
use crate::param::{Domain, Param};
use std::collections::HashMap;
use std::ops::Range;

/// The decay of SVM-light-TK.
pub(super) const DECAY: f64 = 0.4;
/// The parameters of kernels of fragments.
pub(super) const PARAMS: &[Param] =
    &[Param::searched("decay", "weight of each production in a fragment; 1 counts fragments", Domain::UpToOne, 10.0)];

/// Trees as productions, which have one number in all batches that are compared.
pub struct Productions {
    trees: Vec<Tree>,
    numbers: HashMap<String, u32>,
    /// k(x, x) of every tree.
    own: Vec<f64>,
}

impl PreparedBatch for Productions {}

/// The inner nodes of a tree, parents before children.
struct Tree {
    /// Children that have children, of all nodes; node i has `children[first[i]..first[i + 1]]`.
    children: Vec<u32>,
    first: Vec<u32>,
    /// The production of each node as its place among those of the tree.
    place: Vec<u32>,
    /// The different productions, ascending, and where their nodes stand in `nodes`.
    productions: Vec<(u32, Range<u32>)>,
    /// Nodes by production.
    nodes: Vec<u32>,
    /// Where each node stands among those of its production.
    rank: Vec<u32>,
}

impl Productions {
    /// The productions of trees, with the numbers of `like` where it has them. Refuses trees with more fragments than a number
    /// holds: no other value is larger than that of a tree with itself.
    pub(super) fn of(trees: &Trees, like: Option<&Productions>, decay: f64, cut: f64) -> Result<Self> {
        let mut numbers = HashMap::new();
        let known = like.map(|other| &other.numbers);
        let trees: Vec<Tree> = (0..Cells::len(trees)).map(|row| Tree::of(trees, row, known, &mut numbers)).collect();
        let own: Vec<f64> = trees.iter().map(|tree| tree.shared(tree, decay, cut)).collect();
        match own.iter().position(|k| !k.is_finite()) {
            None => Ok(Productions { trees, numbers, own }),
            Some(row) => Err(Error::Numerical {
                what: format!("the tree in row {}", row + 1),
                why: "it shares more than 1e308 fragments with itself; take a smaller decay, or the kernel subtree".into(),
            }),
        }
    }

    /// Operations of a kernel value: one pass over the productions of both trees, and a step for each pair of nodes of one production.
    pub(super) fn per_pair(trees: &Trees) -> f64 {
        let (mut numbers, mut nodes, mut productions) = (HashMap::new(), HashMap::new(), 0);
        let rows = Cells::len(trees);
        for row in 0..rows {
            let tree = Tree::of(trees, row, None, &mut numbers);
            productions += tree.productions.len();
            tree.productions.iter().for_each(|(number, at)| *nodes.entry(*number).or_insert(0.0) += at.len() as f64);
        }
        let (rows, pairs) = (rows.max(1) as f64, nodes.values().map(|count| count * count).sum::<f64>());
        PER_STEP * (2.0 * productions as f64 / rows + pairs / (rows * rows))
    }

    /// k(x_i, z_j).
    pub(super) fn shared(&self, i: usize, other: &Productions, j: usize, decay: f64, cut: f64) -> f64 {
        self.trees[i].shared(&other.trees[j], decay, cut)
    }

    /// k(x, x) of every tree.
    pub(super) fn own(&self) -> &[f64] {
        &self.own
    }
}

impl Tree {
    fn of(trees: &Trees, row: usize, known: Option<&HashMap<String, u32>>, numbers: &mut HashMap<String, u32>) -> Self {
        let all = trees.nodes(row);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        all.iter().enumerate().for_each(|(i, node)| node.parent.into_iter().for_each(|parent| children[parent].push(i)));
        let inner: Vec<usize> = (0..all.len()).filter(|&i| !children[i].is_empty()).collect();
        let mut place_of = vec![0; all.len()];
        inner.iter().zip(0u32..).for_each(|(&i, place)| place_of[i] = place);
        let mut tree = Tree {
            children: Vec::new(),
            first: vec![0],
            place: vec![0; inner.len()],
            productions: Vec::new(),
            nodes: (0..inner.len() as u32).collect(),
            rank: vec![0; inner.len()],
        };
        let mut number = Vec::with_capacity(inner.len());
        for &i in &inner {
            // No label holds a space or a bracket.
            let mut production = all[i].label.to_owned();
            for &child in &children[i] {
                let is_inner = !children[child].is_empty();
                production.push_str(if is_inner { " (" } else { " " });
                production.push_str(all[child].label);
                if is_inner {
                    tree.children.push(place_of[child]);
                }
            }
            tree.first.push(tree.children.len() as u32);
            let next = (known.map_or(0, HashMap::len) + numbers.len()) as u32;
            let found = known.and_then(|known| known.get(&production).copied());
            number.push(found.unwrap_or_else(|| *numbers.entry(production).or_insert(next)));
        }
        tree.nodes.sort_by_key(|&node| number[node as usize]);
        for run in tree.nodes.chunk_by(|&a, &b| number[a as usize] == number[b as usize]) {
            let start = tree.productions.last().map_or(0, |(_, nodes)| nodes.end);
            for (&node, rank) in run.iter().zip(0u32..) {
                tree.place[node as usize] = tree.productions.len() as u32;
                tree.rank[node as usize] = rank;
            }
            tree.productions.push((number[run[0] as usize], start..start + run.len() as u32));
        }
        tree
    }

    fn children(&self, node: usize) -> &[u32] {
        &self.children[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// For each production of this tree the nodes of the other that have it; `None` where there are none at all.
    fn matched(&self, other: &Tree) -> Option<Vec<Range<usize>>> {
        let mut all = vec![0..0; self.productions.len()];
        let mut theirs = other.productions.iter().peekable();
        let mut any = false;
        for (mine, (number, _)) in all.iter_mut().zip(&self.productions) {
            while theirs.next_if(|(n, _)| n < number).is_some() {}
            if let Some((_, nodes)) = theirs.next_if(|(n, _)| n == number) {
                *mine = nodes.start as usize..nodes.end as usize;
                any = true;
            }
        }
        any.then_some(all)
    }

    fn shared(&self, other: &Tree, decay: f64, cut: f64) -> f64 {
        let Some(matched) = self.matched(other) else { return 0.0 };
        // Rows of C, children before parents: those of a node's children lie on top, and make room for its own.
        let mut rows: Vec<f64> = Vec::new();
        let mut start = vec![0; self.place.len()];
        let mut total = 0.0;
        for n in (0..self.place.len()).rev() {
            let partners = &other.nodes[matched[self.place[n] as usize].clone()];
            let children = self.children(n);
            let top = rows.len();
            for &m in partners {
                let pairs = children.iter().zip(other.children(m as usize));
                let below = |(&c, &d): (&u32, &u32)| {
                    let same = matched[self.place[c as usize] as usize].contains(&other.first_of(d));
                    if same { rows[start[c as usize] + other.rank[d as usize] as usize] } else { 0.0 }
                };
                let count = decay * pairs.map(|pair| cut + below(pair)).product::<f64>();
                rows.push(count);
            }
            total += rows[top..].iter().sum::<f64>();
            start[n] = children.last().map_or(top, |&last| start[last as usize]);
            rows.copy_within(top.., start[n]);
            rows.truncate(start[n] + partners.len());
        }
        total
    }

    /// Where the nodes begin that have the production of this one.
    fn first_of(&self, node: u32) -> usize {
        self.productions[self.place[node as usize] as usize].1.start as usize
    }
}

//! A tree as labels and lists of children, as written or with the children of each node sorted, and hashes of its subtrees.

use crate::data::Trees;
use crate::kernels::hashed_counts::{hashed_text, mixed};
use crate::param::{Domain, Param};

/// The decay of SVM-light-TK.
pub(crate) const DECAY: f64 = 0.4;
/// The parameter of the kernels of trees that says whether siblings have an order.
pub(crate) const ORDERED: Param =
    Param::fixed("ordered", "whether the order of siblings counts; false: each node's children are sorted first", Domain::Flag);

/// The nodes of a tree, parents before children and the nodes below one before those below its next sibling.
pub(crate) struct LabelledTree<'a> {
    pub(crate) labels: Vec<&'a str>,
    pub(crate) children: Vec<Vec<u32>>,
}

impl<'a> LabelledTree<'a> {
    /// The tree of a row, as it is written or in the one order of all trees that differ in the order of siblings alone.
    pub(crate) fn of(trees: &'a Trees, row: usize, ordered: bool) -> Self {
        let nodes = trees.nodes(row);
        let mut children = vec![Vec::new(); nodes.len()];
        for (node, i) in nodes.iter().zip(0u32..) {
            node.parent.into_iter().for_each(|parent| children[parent].push(i));
        }
        let tree = LabelledTree { labels: nodes.iter().map(|node| node.label).collect(), children };
        if ordered { tree } else { tree.sorted() }
    }

    /// Whether a node has children.
    pub(crate) fn is_inner(&self, node: u32) -> bool {
        !self.children[node as usize].is_empty()
    }

    /// The hash of a label and of whether its node has children.
    fn hashed_label(&self, node: u32) -> u128 {
        mixed(hashed_text(self.labels[node as usize]), u128::from(self.is_inner(node)))
    }

    /// The hash of the label of each node with those of its children.
    pub(crate) fn productions(&self) -> Vec<u128> {
        let own: Vec<u128> = self.labels.iter().map(|label| hashed_text(label)).collect();
        let one = |(own_label, children): (&u128, &Vec<u32>)| children.iter().fold(*own_label, |hash, &c| mixed(hash, own[c as usize]));
        own.iter().zip(&self.children).map(one).collect()
    }

    /// The hash of each node with all that is below it.
    pub(crate) fn subtrees(&self) -> Vec<u128> {
        let mut hashes = vec![0; self.labels.len()];
        for node in (0..self.labels.len() as u32).rev() {
            let below = self.children[node as usize].iter().fold(self.hashed_label(node), |hash, &c| mixed(hash, hashes[c as usize]));
            hashes[node as usize] = below;
        }
        hashes
    }

    /// The tree with the children of each node in order of their labels, and of one label by what is below them.
    fn sorted(mut self) -> Self {
        // Children come after their parents: below a node all is sorted before its hash is made.
        let mut hashes = vec![0; self.labels.len()];
        for node in (0..self.labels.len()).rev() {
            let mut below = std::mem::take(&mut self.children[node]);
            below.sort_by_key(|&child| (self.labels[child as usize], hashes[child as usize]));
            let hash = below.iter().fold(hashed_text(self.labels[node]), |hash, &child| mixed(hash, hashes[child as usize]));
            hashes[node] = mixed(hash, below.len() as u128);
            self.children[node] = below;
        }
        // Nodes are numbered again, the nodes below one before those below its next sibling.
        let mut tree = LabelledTree { labels: Vec::with_capacity(self.labels.len()), children: Vec::with_capacity(self.labels.len()) };
        let mut open: Vec<(u32, Option<u32>)> = if self.labels.is_empty() { Vec::new() } else { vec![(0, None)] };
        while let Some((node, parent)) = open.pop() {
            let number = tree.labels.len() as u32;
            tree.labels.push(self.labels[node as usize]);
            tree.children.push(Vec::new());
            parent.into_iter().for_each(|parent| tree.children[parent as usize].push(number));
            open.extend(self.children[node as usize].iter().rev().map(|&child| (child, Some(number))));
        }
        tree
    }
}

//! The subtrees of a tree as parts that can be masked.

use super::{Node, bracketed};
use crate::data::{Part, Parts};
use std::iter::successors;

/// Nodes of a subtree that is masked.
const MOST_NODES: usize = 1000;

/// The node behind the last one of each subtree: nodes stand in the order in which they are written, so that a subtree is a range of them.
fn ends(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=nodes.len()).collect();
    for (i, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            ends[parent] = ends[parent].max(ends[i]);
        }
    }
    ends
}

/// The nodes of a subtree, or of a tree without one, as a tree of their own.
fn renumbered<'a>(nodes: &[Node<'a>], kept: impl Iterator<Item = usize>) -> Vec<Node<'a>> {
    let mut number = vec![None; nodes.len()];
    let mut own = Vec::new();
    for i in kept {
        number[i] = Some(own.len());
        own.push(Node { label: nodes[i].label, parent: nodes[i].parent.and_then(|parent| number[parent]) });
    }
    own
}

/// Every subtree of up to [`MOST_NODES`] nodes but the whole tree. A subtree is named by the label of its root, and as a whole.
pub(super) fn of(nodes: &[Node<'_>]) -> Parts {
    let ends = ends(nodes);
    let is_leaf = |i: usize| ends[i] == i + 1;
    let unit = |(i, node): (usize, &Node<'_>)| {
        let closed = successors(node.parent, |&above| nodes[above].parent).take_while(|&above| ends[above] == i + 1).count();
        format!("{}{}{} ", if is_leaf(i) { "" } else { "(" }, node.label, ")".repeat(closed))
    };
    let part = |i: usize| {
        let units: Vec<usize> = (i..ends[i]).collect();
        let text = if is_leaf(i) { nodes[i].label.to_owned() } else { bracketed(&renumbered(nodes, i..ends[i])) };
        let mut names = vec![nodes[i].label.to_owned(), text.clone()];
        names.dedup();
        Part { units, names, text, place: format!("node {}", i + 1) }
    };
    let parts = (usize::from(nodes.len() > 1)..nodes.len()).filter(|&i| ends[i] - i <= MOST_NODES).map(part).collect();
    Parts { units: nodes.iter().enumerate().map(unit).collect(), parts, axis: None }
}

/// A tree without some of its nodes, in bracket form.
pub(super) fn without(nodes: &[Node<'_>], masked: &[usize]) -> String {
    bracketed(&renumbered(nodes, (0..nodes.len()).filter(|i| masked.binary_search(i).is_err())))
}

#[cfg(test)]
mod tests {
    use crate::data::{Cells, ColumnKind, Trees};

    #[test]
    fn a_tree_without_a_subtree_is_the_tree_that_is_written_without_it() {
        let trees = Trees::new(["(S (NP I) (VP (V run) fast))", "(S)"]).unwrap();
        let found = Cells::parts(&trees, 0, None, ColumnKind::Tree);
        assert_eq!(found.units.concat().trim_end(), "(S (NP I) (VP (V run) fast))");
        let names: Vec<&str> = found.parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(names, ["(NP I)", "I", "(VP (V run) fast)", "(V run)", "run", "fast"]);
        assert_eq!(found.parts[2].names, ["VP", "(VP (V run) fast)"]);
        let by_hand = [
            "(S (VP (V run) fast))",
            "(S NP (VP (V run) fast))",
            "(S (NP I))",
            "(S (NP I) (VP fast))",
            "(S (NP I) (VP V fast))",
            "(S (NP I) (VP (V run)))",
        ];
        assert_eq!(Cells::masked(&trees, 0, &found.parts, ColumnKind::Tree).unwrap(), Trees::new(by_hand).unwrap());
        let alone = Cells::parts(&trees, 1, None, ColumnKind::Tree).parts;
        assert_eq!(Cells::masked(&trees, 1, &alone, ColumnKind::Tree).unwrap(), Trees::new([""]).unwrap());
    }
}

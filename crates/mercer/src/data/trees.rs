//! Columns of trees in bracket form, `(S (NP I) (VP (V run)))`, as the Penn Treebank writes them: a bracket holds a label and
//! children, each a bracket or a word. Nothing here recurses, so that no depth is too deep. JSON is read too.

use super::cells::{Cells, Draw, Misfit, words_of_text};
use super::{Arity, ColumnKind, Dataset, Inputs, PER_STEP, Part, Parts, Values, one_column};
use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

mod json;
mod parts;

/// One tree a row, in bracket form with single spaces; the empty tree is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Trees(Vec<String>);

/// A node of a tree whose nodes stand in the order in which they are written, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Its label, or the word of a leaf.
    pub label: &'a str,
    /// Where its parent stands; the root has none.
    pub parent: Option<usize>,
}

/// Where a text stops being a tree: a character, from 1, and why.
type Fault = (usize, &'static str);

/// The nodes of a tree in bracket form; none of the empty text.
fn parse(text: &str) -> std::result::Result<Vec<Node<'_>>, Fault> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    // The brackets that are open: their nodes, and the characters where they stand.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // Whether the last token opened a bracket, whose label may follow.
    let mut unlabelled = false;
    let mut rest = text;
    let mut at = 1;
    while let Some(c) = rest.chars().next() {
        let delimits = |c: char| c.is_whitespace() || c == '(' || c == ')';
        let token = if delimits(c) { &rest[..c.len_utf8()] } else { &rest[..rest.find(delimits).unwrap_or(rest.len())] };
        let parent = open.last().map(|(node, _)| *node);
        match c {
            c if c.is_whitespace() => {}
            _ if parent.is_none() && !nodes.is_empty() => {
                return Err((at, if c == ')' { "closes nothing" } else { "stands behind the tree" }));
            }
            '(' => {
                open.push((nodes.len(), at));
                nodes.push(Node { label: "", parent });
                unlabelled = true;
            }
            ')' if unlabelled => return Err((at, "closes a bracket that holds nothing")),
            ')' if open.pop().is_none() => return Err((at, "closes nothing")),
            ')' => {}
            _ if parent.is_none() => return Err((at, "stands before the first bracket")),
            _ if unlabelled => {
                nodes.last_mut().into_iter().for_each(|node| node.label = token);
                unlabelled = false;
            }
            _ => nodes.push(Node { label: token, parent }),
        }
        unlabelled &= c == '(' || c.is_whitespace();
        at += token.chars().count();
        rest = &rest[token.len()..];
    }
    match open.last() {
        Some((_, at)) => Err((*at, "is not closed")),
        None => Ok(nodes),
    }
}

/// Nodes in bracket form, with single spaces.
fn bracketed(nodes: &[Node<'_>]) -> String {
    let mut text = String::new();
    let mut open: Vec<usize> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        while open.last().copied() != node.parent && open.pop().is_some() {
            text.push(')');
        }
        if !text.is_empty() {
            text.push(' ');
        }
        let is_leaf = nodes.get(i + 1).is_none_or(|next| next.parent != Some(i));
        if !is_leaf || i == 0 {
            text.push('(');
            open.push(i);
        }
        text.push_str(node.label);
    }
    open.iter().for_each(|_| text.push(')'));
    text
}

impl Trees {
    /// Trees in bracket form or JSON, in order; an empty text is the empty tree.
    ///
    /// # Errors
    /// The first text that is no tree, by row and character.
    ///
    /// ```
    /// use mercer::data::Trees;
    /// let trees = Trees::new(["(S (NP I) (VP  run))"])?;
    /// assert_eq!(trees.get(0), "(S (NP I) (VP run))");
    /// assert_eq!(Trees::new([r#"["S", ["NP", "I"], {"label": "VP", "children": ["run"]}]"#])?, trees);
    /// assert!(Trees::new(["(S (NP I)"]).unwrap_err().to_string().contains("character 1"));
    /// # Ok::<(), mercer::error::Error>(())
    /// ```
    pub fn new<S: AsRef<str>>(rows: impl IntoIterator<Item = S>) -> Result<Self> {
        let rows: Vec<S> = rows.into_iter().collect();
        Cells::parse(&mut rows.iter().map(AsRef::as_ref)).map_err(|misfit: Misfit| misfit.of_column("tree"))
    }
    /// The tree of a row, in bracket form.
    pub fn get(&self, row: usize) -> &str {
        &self.0[row]
    }
    /// The nodes of the tree of a row, in the order in which they are written.
    pub fn nodes(&self, row: usize) -> Vec<Node<'_>> {
        parse(self.get(row)).unwrap_or_default()
    }
}

/// Stored trees are checked like new ones.
impl<'de> Deserialize<'de> for Trees {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        Trees::new(Vec::<String>::deserialize(d)?).map_err(serde::de::Error::custom)
    }
}

impl Cells for Trees {
    type Schema = ();
    const WRITTEN: Option<&'static str> = Some("a tree such as (S (NP I) (VP run))");
    const EMPTY: Option<&'static str> = Some("the empty tree");
    const HAS_PARTS: bool = true;

    fn len(&self) -> usize {
        self.0.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        Trees(rows.iter().map(|&i| self.0[i].clone()).collect())
    }
    fn schema(&self) {}
    /// A bracket in a bracket, or JSON.
    fn looks_like(text: &str) -> bool {
        text.starts_with('(') && text[1..].contains('(') && parse(text).is_ok() || json::looks_like(text)
    }
    /// A node without children, `(NP)`.
    fn could_be(text: &str) -> bool {
        !text.is_empty() && if json::is_json(text) { json::bracketed(text).is_ok() } else { parse(text).is_ok() }
    }
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        let tree = |(row, text): (usize, &str)| {
            let misfit = |(at, why): Fault| {
                let character = text.chars().nth(at - 1).unwrap_or('(');
                let expected = format!("{}; the '{character}' at character {at} {why}", Self::WRITTEN.unwrap_or_default());
                Misfit { row, found: text.to_owned(), expected }
            };
            if json::is_json(text) {
                let why = |why| Misfit { row, found: text.to_owned(), expected: format!("{}; {why}", Self::WRITTEN.unwrap_or_default()) };
                let written = json::bracketed(text).map_err(why)?;
                return parse(&written).map(|nodes| bracketed(&nodes)).map_err(misfit);
            }
            parse(text).map(|nodes| bracketed(&nodes)).map_err(misfit)
        };
        texts.enumerate().map(tree).collect::<std::result::Result<_, _>>().map(Trees)
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.get(row).into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        words_of_text(self.get(row), word);
    }
    fn describe(&self) -> String {
        let sizes: Vec<usize> = (0..self.0.len()).map(|i| self.nodes(i).len()).collect();
        match (sizes.iter().min(), sizes.iter().max()) {
            (Some(least), Some(most)) => format!("{least} to {most} nodes"),
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&i| self.0[i].is_empty()).collect()
    }
    fn parts(&self, row: usize, _width: Option<usize>, _kind: ColumnKind) -> Parts {
        parts::of(&self.nodes(row))
    }
    fn masked(&self, row: usize, parts: &[Part], _kind: ColumnKind) -> Option<Self> {
        let nodes = self.nodes(row);
        Some(Trees(parts.iter().map(|part| parts::without(&nodes, &part.units)).collect()))
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        Some(Trees((0..draw.rows).map(|_| grown(draw, 3)).collect()))
    }
}

/// A tree that is made up, no deeper than said.
fn grown(draw: &mut Draw, depth: usize) -> String {
    let label = draw.one_of(&["S", "NP", "VP"]);
    if depth == 0 || draw.whole(0, 3) == 0 {
        return format!("({label} {})", draw.one_of(&["a", "b"]));
    }
    let children: Vec<String> = (0..draw.whole(1, 3)).map(|_| grown(draw, depth - 1)).collect();
    format!("({label} {})", children.join(" "))
}

// Nodes of one against nodes of the other, one pair after the other.
one_column!(Trees, Tree, Trees, "one column of trees", "trees", per_pair: |trees| {
    let nodes: usize = (0..Cells::len(trees)).map(|row| trees.nodes(row).len()).sum();
    PER_STEP * (nodes as f64 / Cells::len(trees).max(1) as f64).powi(2)
});

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Trees::new([text]).unwrap_err().to_string()
    }

    #[test]
    fn trees_are_read_in_the_order_in_which_they_are_written() {
        let trees = Trees::new(["( (S (NP I)\t(VP (V run) fast)))", "", "(S)"]).unwrap();
        assert_eq!(trees.get(0), "( (S (NP I) (VP (V run) fast)))");
        assert_eq!(trees, Trees::new([trees.get(0), "", "(S)"]).unwrap());
        let labels: Vec<&str> = trees.nodes(0).iter().map(|n| n.label).collect();
        assert_eq!(labels, ["", "S", "NP", "I", "VP", "V", "run", "fast"]);
        let parents: Vec<Option<usize>> = trees.nodes(0).iter().map(|n| n.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(1), Some(4), Some(5), Some(4)]);
        assert_eq!((Cells::missing(&trees), trees.nodes(2).len()), (vec![1], 1));
    }

    #[test]
    fn brackets_that_do_not_match_are_named_by_row_and_character() {
        for (text, place) in [
            ("(S (NP é)", "'(' at character 1 is not closed"),
            ("(S (NP é)))", "')' at character 11 closes nothing"),
            ("(S x) y", "'y' at character 7 stands behind the tree"),
            ("S (NP x)", "'S' at character 1 stands before the first bracket"),
            ("(S ())", "')' at character 5 closes a bracket that holds nothing"),
            (")", "')' at character 1 closes nothing"),
        ] {
            assert!(fault(text).contains(place), "{text}: {}", fault(text));
            assert!(fault(text).contains("row 1"), "{}", fault(text));
        }
    }

    #[test]
    fn a_tree_of_depth_ten_thousand_is_a_tree() {
        let deep = format!("{}x{}", "(S ".repeat(10_000), ")".repeat(10_000));
        let trees = Trees::new([&deep]).unwrap();
        assert_eq!(trees.get(0), deep);
        assert_eq!(trees.nodes(0).len(), 10_001);
        let stored = serde_json::to_string(&trees).unwrap();
        assert_eq!(serde_json::from_str::<Trees>(&stored).unwrap(), trees);
        assert!(serde_json::from_str::<Trees>("[\"(S\"]").is_err());
    }

    #[test]
    fn json_trees_are_those_of_brackets() {
        for text in [
            r#"["S", ["NP", "I"], ["VP", ["V", "run"], 2]]"#,
            r#"{"label": "S", "children": [{"label": "NP", "children": [{"label": "I"}]}, ["VP", ["V", "run"], "2"]]}"#,
        ] {
            assert_eq!(Trees::new([text]).unwrap().get(0), "(S (NP I) (VP (V run) 2))", "{text}");
            assert!(<Trees as Cells>::looks_like(text));
        }
        assert_eq!(Trees::new(["[\"S\"]"]).unwrap(), Trees::new(["(S)"]).unwrap());
        assert!(!<Trees as Cells>::looks_like("[\"a\", \"b\"]") && !<Trees as Cells>::looks_like("[[1, 2], [3, 4]]"));
        for (text, place) in [
            (r#"["S", ["NP"#, "as JSON it ends or breaks at character 10"),
            (r#"["S", []]"#, "an empty list"),
            (r#"["S", ["a b", "c"]]"#, "the label \"a b\" holds ' '"),
            (r#"["S", ""]"#, "it has an empty label; write one"),
            (r#"{"label": "S", "kids": []}"#, "a member \"kids\""),
            (r#"{"label": "S", "children": 2}"#, "\"children\" is 2"),
            (r#"["S", [["x"], "y"]]"#, "the label [\"x\"] is no text or number"),
        ] {
            assert!(fault(text).contains(place) && fault(text).contains("row 1"), "{text}: {}", fault(text));
        }
        let deep = format!("{}\"x\"{}", "[\"S\",".repeat(10_000), "]".repeat(10_000));
        assert!(fault(&deep).contains("more than 127 brackets deep"));
    }
}

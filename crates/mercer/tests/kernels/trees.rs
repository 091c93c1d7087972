//! Kernels of trees against the enumeration of fragments, and trees from tables to predictions.

use crate::feature_maps::inner_products;
use mercer::control::Control;
use mercer::data::{Column, ColumnKind, Dataset, Target, Trees, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{Labels, ReadOptions, Table, TargetInfo};
use mercer::store;
use std::collections::BTreeMap;

fn data(trees: &[&str]) -> Dataset {
    Dataset::new(vec![Column { name: "tree".into(), values: Values::Trees(Trees::new(trees).unwrap()) }]).unwrap()
}

fn matrix(kernel: &str, trees: &[&str]) -> Matrix {
    let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data(trees)).unwrap();
    gram::dense(bound.as_ref(), &Control::default()).unwrap()
}

/// A node and its children, for trees so small that recursion and powers of their size are no matter.
struct Nested {
    label: String,
    children: Vec<Nested>,
}

fn nested(trees: &Trees, row: usize) -> Nested {
    let nodes = trees.nodes(row);
    let mut made: Vec<Option<Nested>> = nodes.iter().map(|n| Some(Nested { label: n.label.into(), children: Vec::new() })).collect();
    for i in (1..nodes.len()).rev() {
        let node = made[i].take().unwrap();
        let parent = made[nodes[i].parent.unwrap()].as_mut().unwrap();
        parent.children.insert(0, node);
    }
    made[0].take().unwrap()
}

/// Every fragment with this root, written out, with the number of its productions: each child with children is cut, where
/// fragments may be, or goes on with any fragment of its own.
fn rooted(node: &Nested, cut: bool) -> Vec<(String, i32)> {
    if node.children.is_empty() {
        return Vec::new();
    }
    let mut all = vec![(format!("({}", node.label), 1)];
    for child in &node.children {
        let mut ways = if child.children.is_empty() || cut { vec![(child.label.clone(), 0)] } else { Vec::new() };
        ways.extend(rooted(child, cut));
        all = all.iter().flat_map(|(text, n)| ways.iter().map(move |(more, m)| (format!("{text} {more}"), n + m))).collect();
    }
    all.into_iter().map(|(text, n)| (text + ")", n)).collect()
}

/// How often each fragment stands anywhere in the tree.
fn fragments(node: &Nested, cut: bool, counts: &mut BTreeMap<(String, i32), f64>) {
    rooted(node, cut).into_iter().for_each(|fragment| *counts.entry(fragment).or_default() += 1.0);
    node.children.iter().for_each(|child| fragments(child, cut, counts));
}

/// sum over fragments of decay^productions times both counts.
fn enumerated(trees: &Trees, i: usize, j: usize, decay: f64, cut: bool) -> f64 {
    let [a, b] = [i, j].map(|row| {
        let mut counts = BTreeMap::new();
        fragments(&nested(trees, row), cut, &mut counts);
        counts
    });
    a.iter().map(|((f, n), x)| decay.powi(*n) * x * b.get(&(f.clone(), *n)).unwrap_or(&0.0)).sum()
}

const SMALL: [&str; 9] = [
    "(S (NP (D a) (N cat)) (V naps))",
    "(S (NP (D a) (N dog)) (V naps))",
    "(NP (D a) (N dog))",
    "(S (S (S x) x) (S x))",
    "(S (S x) (S (S x) x))",
    "(A (A (A (A (A (A (A x)))))))",
    "(A b (B c) b d e)",
    "(A b (B d) b d e)",
    "(S)",
];

// spec: K28
#[test]
fn tree_kernels_count_the_fragments_that_enumeration_finds() {
    let trees = Trees::new(SMALL).unwrap();
    assert!((0..SMALL.len()).all(|i| trees.nodes(i).len() <= 8));
    for (name, cut) in [("subset_tree", true), ("subtree", false)] {
        for decay in [1.0, 0.4, 0.05] {
            let k = matrix(&format!("{name}(decay={decay})"), &SMALL);
            for i in 0..SMALL.len() {
                for j in 0..SMALL.len() {
                    let expected = enumerated(&trees, i, j, decay, cut);
                    assert!(
                        (k[(i, j)] - expected).abs() <= 1e-12 * (1.0 + expected),
                        "{name} {decay} ({i}, {j}): {} and {expected}",
                        k[(i, j)]
                    );
                    assert!(decay < 1.0 || k[(i, j)].fract() == 0.0, "{name} ({i}, {j}): {} is no integer", k[(i, j)]);
                }
            }
        }
    }
    // By hand: N -> dog, D -> a and four fragments with the root, each of its children cut or not.
    assert_eq!(matrix("subset_tree(decay=1)", &[SMALL[2]])[(0, 0)], 6.0);
    // Collins & Duffy (2001), figure 2: "the apple" has six fragments.
    assert_eq!(matrix("subset_tree(decay=1)", &["(NP (D the) (N apple))"])[(0, 0)], 6.0);
    assert_eq!(matrix("subtree(decay=1)", &[SMALL[2]])[(0, 0)], 3.0);
}

#[test]
fn deep_trees_are_compared_without_recursion() {
    let deep = format!("{}x{}", "(S ".repeat(10_000), ")".repeat(10_000));
    let other = format!("{}y{}", "(S ".repeat(10_000), ")".repeat(10_000));
    // Of two chains that end in unlike words every pair of nodes n, m from the bottom shares sum_{l < min(n, m)} decay^l.
    let expected: f64 = (2..=10_000u32).map(|n| f64::from(2 * (10_000 - n) + 1) * (0.25 - 0.25f64.powi(n as i32)) / 0.75).sum();
    let k = matrix("subset_tree(decay=0.25)", &[&deep, &other]);
    assert!((k[(0, 1)] - expected).abs() <= 1e-9 * expected, "{} and {expected}", k[(0, 1)]);
    assert_eq!(matrix("subtree", &[&deep, &other])[(0, 1)], 0.0);
    // Trees with more fragments than a number holds are named.
    let wide = (0..11).fold("(S x)".to_owned(), |tree, _| format!("(S {tree} {tree})"));
    let why = KernelExpr::parse("subset_tree(decay=1)").unwrap().bind(None, &data(&["(S x)", &wide])).err().unwrap().to_string();
    assert!(why.contains("row 2") && why.contains("smaller decay"), "{why}");
}

fn table(cells: &[&str]) -> Table {
    let cells = cells.iter().map(|c| (*c).to_owned()).collect();
    Table::of_cells("t.csv", 12, &[("x".to_owned(), cells)]).unwrap()
}

#[test]
fn trees_are_told_from_their_cells_and_their_faults_by_place() {
    let mut cells = vec!["(S (NP I) (VP run))"; 11];
    cells.push("");
    let read = table(&cells).dataset(&ReadOptions::default()).unwrap();
    assert_eq!((read.columns()[0].values.kind(), read.columns()[0].values.missing()), (ColumnKind::Tree, vec![11]));
    let one = |cell: &str| Table::of_cells("t.csv", 1, &[("x".to_owned(), vec![cell.to_owned()])]).unwrap();
    let declared = ReadOptions::with_types(["x=tree"]).unwrap();
    assert_eq!(one("(S run)").dataset(&declared).unwrap().columns()[0].values.kind(), ColumnKind::Tree);
    cells[4] = "(S (NP I) (VP run)";
    let why = table(&cells).dataset(&ReadOptions::default()).unwrap_err().to_string();
    for part in ["t.csv", "row 5", "'x'", "character 1 is not closed"] {
        assert!(why.contains(part), "{why}");
    }
    let why = one("run").dataset(&declared).unwrap_err().to_string();
    assert!(why.contains("such as (S (NP I) (VP run))"), "{why}");
    // Words in brackets are no trees.
    assert_ne!(table(&["(none)"; 12]).dataset(&ReadOptions::default()).unwrap().columns()[0].values.kind(), ColumnKind::Tree);
}

/// Trees whose class is whether they hold a V.
fn examples() -> (Dataset, Target) {
    let trees: Vec<String> =
        (0..30).map(|i| format!("(S (NP {}) ({} {}))", ["I", "you"][i % 2], ["V", "N"][i / 2 % 2], ["a", "b", "c"][i % 3])).collect();
    let all: Vec<&str> = trees.iter().map(String::as_str).collect();
    (data(&all), Target::Classes { codes: (0..30).map(|i| i / 2 % 2).collect(), names: vec!["verb".into(), "noun".into()] })
}

#[test]
fn a_model_of_trees_is_made_without_a_kernel_and_comes_back_from_its_file() {
    let (data, target) = examples();
    let learner = Learner::new(EstimatorExpr::parse("svc").unwrap());
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["verb".into(), "noun".into()]), labels: Labels::Text };
    let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    assert_eq!(model.kernel.to_string(), "normalise(subset_tree)");
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    let say = |model: &Model| model.predict(&data, Want::default(), &Control::default()).unwrap();
    assert_eq!(format!("{:?}", say(&model)), format!("{:?}", say(&again)));
}

#[test]
fn the_treebank_is_read_where_it_is_there() {
    let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/sst_trees/dev.txt"));
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: no sst_trees");
        return;
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let read = Table::of_cells("dev.txt", lines.len(), &[("tree".to_owned(), lines)]).unwrap().dataset(&ReadOptions::default()).unwrap();
    assert_eq!((read.rows(), read.columns()[0].values.kind()), (1101, ColumnKind::Tree));
}

/// Subsequences of places up to a count, with the places from the first to the last.
fn subsequences(count: usize) -> Vec<(Vec<usize>, i32)> {
    let chosen = |bits: usize| (0..count).filter(|place| bits & (1 << place) != 0).collect::<Vec<_>>();
    (1..1usize << count).map(chosen).map(|places| (places.clone(), (places[places.len() - 1] - places[0] + 1) as i32)).collect()
}

/// Every partial fragment with this root, written out, with its nodes and with the places that its children take: a node alone takes one.
fn partial(node: &Nested) -> Vec<(String, i32, i32)> {
    let mut all = vec![(node.label.clone(), 1, 1)];
    for (places, span) in subsequences(node.children.len()) {
        let mut some = vec![(node.label.clone(), 1, span)];
        for place in places {
            let ways = partial(&node.children[place]);
            some = some
                .iter()
                .flat_map(|(text, n, d)| ways.iter().map(move |(more, m, e)| (format!("{text} {more}"), n + m, d + e)))
                .collect();
        }
        all.extend(some.into_iter().map(|(text, n, d)| (format!("({text})"), n, d)));
    }
    all
}

fn all_partial(node: &Nested) -> Vec<(String, i32, i32)> {
    let below = node.children.iter().flat_map(all_partial);
    partial(node).into_iter().chain(below).collect()
}

// Moschitti (2006), section 3: the fragments that both trees hold, each pair weighted by height for each node and by decay for each place
// that children take, of both trees.
#[test]
fn partial_tree_counts_the_fragments_that_enumeration_finds() {
    let trees = Trees::new(SMALL).unwrap();
    let all: Vec<Vec<(String, i32, i32)>> = (0..SMALL.len()).map(|row| all_partial(&nested(&trees, row))).collect();
    for (decay, height) in [(1.0, 1.0), (0.4, 0.4), (0.7, 0.2)] {
        let k = matrix(&format!("partial_tree(decay={decay}, height={height})"), &SMALL);
        for i in 0..SMALL.len() {
            for j in 0..SMALL.len() {
                let pairs = all[i].iter().flat_map(|x| all[j].iter().map(move |z| (x, z))).filter(|(x, z)| x.0 == z.0);
                let expected: f64 = pairs.map(|(x, z)| f64::powi(height, x.1) * f64::powi(decay, x.2 + z.2)).sum();
                assert!(
                    (k[(i, j)] - expected).abs() <= 1e-12 * (1.0 + expected),
                    "{decay} {height} ({i}, {j}): {} and {expected}",
                    k[(i, j)]
                );
            }
        }
    }
    // By hand: N and dog are shared by themselves and as (N dog): height (decay^2 + height decay^4) + height decay^2.
    let k = matrix("partial_tree(decay=0.5, height=0.2)", &["(N dog)", "(NP (N dog))"]);
    assert!((k[(0, 1)] - (0.2 * (0.25 + 0.25 * 0.2 * 0.25) + 0.2 * 0.25)).abs() <= 1e-16, "{}", k[(0, 1)]);
}

/// Trees of up to seven nodes of three labels, each node below one drawn among those before.
fn drawn_trees(count: usize) -> Vec<String> {
    let mut draw = mercer::data::Draw::new(count, 9);
    let mut tree = || {
        let nodes = draw.whole(1, 8);
        let labels: Vec<char> = (0..nodes).map(|_| ['A', 'B', 'x'][draw.whole(0, 3)]).collect();
        let parents: Vec<usize> = (0..nodes).map(|i| if i == 0 { 0 } else { draw.whole(0, i) }).collect();
        let mut written = vec![String::new(); nodes];
        for i in (0..nodes).rev() {
            let below: String = (i + 1..nodes).filter(|c| parents[*c] == i).map(|c| format!(" {}", written[c])).collect();
            written[i] = format!("({}{below})", labels[i]);
        }
        written.swap_remove(0)
    };
    (0..count).map(|_| tree()).collect()
}

// On 120 random trees, each fragment a feature.
// spec: F09
#[test]
fn kernels_of_trees_are_inner_products_of_the_fragments_that_are_written_out() {
    let cells = drawn_trees(120);
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let trees = Trees::new(&cells).unwrap();
    let roots: Vec<Nested> = (0..cells.len()).map(|row| nested(&trees, row)).collect();
    for (name, cut) in [("subset_tree", true), ("subtree", false)] {
        let features = |root: &Nested| {
            let mut counts = BTreeMap::new();
            fragments(root, cut, &mut counts);
            counts.iter_mut().for_each(|((_, productions), count)| *count *= f64::powi(0.4, *productions).sqrt());
            counts
        };
        inner_products(&matrix(&format!("{name}(decay=0.4)"), &cells), &roots.iter().map(features).collect::<Vec<_>>());
    }
    let features = |root: &Nested| {
        let mut weights = BTreeMap::new();
        for (fragment, nodes, places) in all_partial(root) {
            *weights.entry(fragment).or_insert(0.0) += f64::powi(0.3, nodes).sqrt() * f64::powi(0.6, places);
        }
        weights
    };
    inner_products(&matrix("partial_tree(decay=0.6, height=0.3)", &cells), &roots.iter().map(features).collect::<Vec<_>>());
}

#[test]
fn siblings_without_an_order_are_compared_as_sorted() {
    let written = ["(S (NP (D a) (N cat)) (V naps) (V (x b) a))", "(A (A x) (A (B c) y))"];
    let turned = ["(S (V naps) (V a (x b)) (NP (N cat) (D a)))", "(A (A y (B c)) (A x))"];
    for name in ["subset_tree", "subtree", "partial_tree"] {
        let k = matrix(&format!("{name}(ordered=false)"), &[written[0], turned[0], written[1], turned[1]]);
        for (i, j) in [(0, 1), (2, 3)] {
            assert_eq!((k[(i, i)], k[(j, j)]), (k[(i, j)], k[(i, j)]), "{name}");
        }
        let ordered = matrix(name, &[written[0], turned[0]]);
        assert!(ordered[(0, 1)] < ordered[(0, 0)], "{name}");
    }
}

#[test]
fn trees_side_by_side_have_the_values_of_pairs() {
    let cells: Vec<String> = (0..70).map(|i| format!("(S (NP (D a) (N n{})) (VP (V v{}) (NP (N n{}))))", i % 3, i % 5, i % 7)).collect();
    let trees: Vec<&str> = cells.iter().map(String::as_str).collect();
    for name in ["subset_tree", "partial_tree", "subtree"] {
        let k = matrix(name, &trees);
        for (i, j) in [(0, 0), (3, 17), (69, 1), (40, 66), (15, 16)] {
            assert_eq!(k[(i, j)], matrix(name, &[trees[i], trees[j]])[(0, 1)], "{name} ({i}, {j})");
        }
    }
}

#[test]
fn json_lines_hold_trees_as_lists_and_as_objects() {
    let lines = [
        r#"{"x": ["S", ["NP", "I"], ["VP", "run"]], "y": 1}"#,
        r#"{"x": ["S", "run"], "y": 2}"#,
        r#"{"x": {"label": "S", "children": [{"label": "NP"}, {"label": "VP", "children": [2]}]}, "y": 3}"#,
    ];
    let declared = ReadOptions::with_types(["x=tree"]).unwrap();
    let read = Table::parse("t.jsonl", lines.join("\n").as_bytes()).unwrap().dataset(&declared).unwrap();
    let Values::Trees(trees) = &read.columns()[0].values else { panic!("no trees: {:?}", read.columns()[0].values.kind()) };
    assert_eq!((trees.get(0), trees.get(1), trees.get(2)), ("(S (NP I) (VP run))", "(S run)", "(S NP (VP 2))"));
    let flat = Table::parse("t.jsonl", br#"{"x": ["red", "blue"]}"#).unwrap_err().to_string();
    assert!(flat.contains("item 1") && flat.contains("expected a number"), "{flat}");
}

#[test]
fn labels_of_trees_in_json_that_are_empty_and_trees_too_deep_for_json_are_told() {
    let fault = |text: &str| mercer::data::Trees::new([text]).unwrap_err().to_string();
    for (text, why) in [
        (r#"{"label": "", "children": []}"#, "it has an empty label; write one"),
        (r#"["", "I"]"#, "it has an empty label; write one"),
        (r#"["", ["NP", "I"]]"#, "it has an empty label; write one"),
        (r#"{"children": ["I"]}"#, "it has a node without a label; write one"),
        (r#"{"children": []}"#, "it has a node without a label; write one"),
    ] {
        assert!(fault(text).contains(why), "{text}: {}", fault(text));
    }
    // The outer bracket of a treebank has no label.
    assert_eq!(mercer::data::Trees::new([r#"{"children": [["NP", "I"]]}"#]).unwrap().get(0), "( (NP I))");
    let deep = |levels: usize| format!("{}\"x\"{}", "[\"S\",".repeat(levels), "]".repeat(levels));
    assert!(mercer::data::Trees::new([deep(127)]).is_ok());
    assert!(fault(&deep(128)).contains("more than 127 brackets deep"), "{}", fault(&deep(128)));
    let bracketed = format!("{}x{}", "(S ".repeat(5000), ")".repeat(5000));
    assert_eq!(mercer::data::Trees::new([&bracketed]).unwrap().nodes(0).len(), 5001);
}

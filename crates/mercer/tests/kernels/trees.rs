//! Kernels of trees against the enumeration of fragments, and trees from tables to predictions.

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
        if !child.children.is_empty() && cut {
            // A label that is cut is no word.
            ways = vec![(format!("<{}>", child.label), 0)];
        }
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

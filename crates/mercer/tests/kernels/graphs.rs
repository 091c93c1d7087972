//! Kernels of graphs against counts by hand, the definitions written out, and the values of GraKeL; graphs from tables to predictions.

use crate::feature_maps::inner_products;
use mercer::control::Control;
use mercer::data::{Column, ColumnKind, Dataset, Graphs, Target, Values};
use mercer::estimators::{EstimatorExpr, Want};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::learner::{Learner, Model};
use mercer::linalg::Matrix;
use mercer::read::{Labels, ReadOptions, Table, TargetInfo};
use mercer::store;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

fn data<S: AsRef<str>>(graphs: &[S]) -> Dataset {
    Dataset::new(vec![Column { name: "graph".into(), values: Values::Graphs(Graphs::new(graphs).unwrap()) }]).unwrap()
}

fn matrix<S: AsRef<str>>(kernel: &str, graphs: &[S]) -> Matrix {
    let bound = KernelExpr::parse(kernel).unwrap().bind(None, &data(graphs)).unwrap();
    gram::dense(bound.as_ref(), &Control::default()).unwrap()
}

fn cross<S: AsRef<str>>(kernel: &str, rows: &[S], cols: &[S]) -> Matrix {
    let bound = KernelExpr::parse(kernel).unwrap().bind(Some(&data(rows)), &data(cols)).unwrap();
    gram::dense(bound.as_ref(), &Control::default()).unwrap()
}

/// A graph for tests: labels and adjacency, an edge label where there is an edge.
struct Small {
    labels: Vec<u8>,
    edges: BTreeMap<(usize, usize), u8>,
}

impl Small {
    fn random(random: &mut Xoshiro256PlusPlus, most: usize) -> Self {
        let nodes = random.random_range(1..=most);
        let labels = (0..nodes).map(|_| random.random_range(0..3)).collect();
        let mut edges = BTreeMap::new();
        for b in 0..nodes {
            for a in 0..b {
                if random.random_range(0..5) < 2 {
                    edges.insert((a, b), random.random_range(0..2));
                }
            }
        }
        Small { labels, edges }
    }
    fn text(&self) -> String {
        let labels: Vec<String> = self.labels.iter().map(u8::to_string).collect();
        let edges: Vec<String> = self.edges.iter().map(|((a, b), l)| format!("{a}-{b}:{l}")).collect();
        format!("{} | {}", labels.join(" "), edges.join(" "))
    }
    fn edge(&self, a: usize, b: usize) -> Option<u8> {
        self.edges.get(&(a.min(b), a.max(b))).copied()
    }
    fn nodes(&self) -> usize {
        self.labels.len()
    }
    /// The graph with its nodes in another order.
    fn shuffled(&self, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut place: Vec<usize> = (0..self.nodes()).collect();
        (1..self.nodes()).for_each(|i| place.swap(i, random.random_range(0..=i)));
        let mut labels = vec![0; self.nodes()];
        place.iter().zip(&self.labels).for_each(|(&p, &l)| labels[p] = l);
        let edges = self.edges.iter().map(|(&(a, b), &l)| ((place[a].min(place[b]), place[a].max(place[b])), l)).collect();
        Small { labels, edges }
    }
}

fn random_graphs(seed: u64, count: usize, most: usize) -> Vec<Small> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| Small::random(&mut random, most)).collect()
}

/// Inner product of two tables of counts.
fn dot<K: Ord>(a: &BTreeMap<K, f64>, b: &BTreeMap<K, f64>) -> f64 {
    a.iter().filter_map(|(k, x)| Some(x * b.get(k)?)).sum()
}

fn counted<K: Ord>(all: impl IntoIterator<Item = K>) -> BTreeMap<K, f64> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|k| *counts.entry(k).or_default() += 1.0);
    counts
}

/// The pattern of a node as nested text: its label, and the sorted patterns of its neighbours with the labels of the edges.
fn pattern(graph: &Small, node: usize, depth: usize) -> String {
    if depth == 0 {
        return graph.labels[node].to_string();
    }
    let around = (0..graph.nodes()).filter_map(|to| Some(format!("{}~{}", graph.edge(node, to)?, pattern(graph, to, depth - 1))));
    let mut around: Vec<String> = around.collect();
    around.sort();
    format!("{}({})", pattern(graph, node, depth - 1), around.join(","))
}

/// The kernel is the inner product of features that are written out, on 100 random graphs.
fn has_features<K: Ord>(kernel: &str, seed: u64, features: impl Fn(&Small) -> BTreeMap<K, f64>) {
    let graphs = random_graphs(seed, 100, 7);
    let texts: Vec<String> = graphs.iter().map(Small::text).collect();
    inner_products(&matrix(kernel, &texts), &graphs.iter().map(features).collect::<Vec<_>>());
}

fn agrees(kernel: &str, graphs: &[Small], defined: impl Fn(&Small, &Small) -> f64) {
    let texts: Vec<String> = graphs.iter().map(Small::text).collect();
    let found = matrix(kernel, &texts);
    for (i, a) in graphs.iter().enumerate() {
        for (j, b) in graphs.iter().enumerate() {
            let (found, expected) = (found[(i, j)], defined(a, b));
            assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{kernel}: {i}, {j}: {found} is not {expected}");
        }
    }
}

// spec: F09
#[test]
fn weisfeiler_lehman_counts_the_patterns_that_are_written_out() {
    for depth in [0, 1, 3] {
        let patterns = |g: &Small| counted((0..=depth).flat_map(|r| (0..g.nodes()).map(move |node| (r, pattern(g, node, r)))));
        has_features(&format!("weisfeiler_lehman(depth={depth})"), 1, patterns);
    }
}

#[test]
fn weisfeiler_lehman_of_small_graphs_is_what_is_counted_by_hand() {
    // A path of three and a triangle without labels: round 0 counts 3 x 3; in round 1 the path has one node of degree 2, as all
    // three of the triangle; in round 2 none are alike, since the neighbours differ.
    let graphs = ["0-1 1-2", "0-1 1-2 2-0"];
    let k = |depth: usize| {
        let m = matrix(&format!("weisfeiler_lehman(depth={depth})"), &graphs);
        [m[(0, 0)], m[(0, 1)], m[(1, 1)]]
    };
    assert_eq!((k(0), k(1), k(2)), ([9.0, 9.0, 9.0], [14.0, 12.0, 18.0], [19.0, 12.0, 27.0]));
}

#[test]
fn new_graphs_have_the_values_of_one_gram_matrix_and_permuted_nodes_change_nothing() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let graphs = random_graphs(2, 16, 8);
    let texts: Vec<String> = graphs.iter().map(Small::text).collect();
    let other: Vec<String> = graphs.iter().map(|g| g.shuffled(&mut random).text()).collect();
    for kernel in KERNELS {
        let joint = matrix(kernel, &texts);
        let block = cross(kernel, &texts[6..], &texts[..6]);
        for i in 0..10 {
            for j in 0..6 {
                assert_eq!(block[(i, j)], joint[(6 + i, j)], "{kernel}: {i}, {j}");
            }
        }
        let permuted = matrix(kernel, &other);
        for i in 0..16 {
            for j in 0..16 {
                assert!((joint[(i, j)] - permuted[(i, j)]).abs() <= 1e-12 * joint[(i, j)].abs().max(1.0), "{kernel}: {i}, {j}");
            }
        }
        // Features that the training graphs lack count in k(x, x).
        let own = |kernel: &str| cross(kernel, &["Z Y X | 0-1 1-2", "0 1 | 0-1"], &["0 1 | 0-1", "0 0 |"]);
        let normalised = own(&format!("normalise({kernel})"));
        let (equal, unlike) = (normalised[(1, 0)], normalised[(0, 0)]);
        assert!((equal - 1.0).abs() <= 1e-15 || equal == 0.0, "{kernel}: {equal}");
        assert!((0.0..1.0).contains(&unlike), "{kernel}: {unlike}");
    }
}

const KERNELS: [&str; 9] = [
    "weisfeiler_lehman",
    "weisfeiler_lehman(depth=2)",
    "shortest_path",
    "shortest_path(pairs=unordered)",
    "vertex_histogram",
    "graphlet(size=3)",
    "graphlet(size=4)",
    "random_walk",
    "random_walk(decay=0.02, unlimited=true)",
];

/// The graphs of mutag in the form of a cell, and their classes; `None` where the data are not there.
fn mutag() -> Option<(Vec<String>, Vec<usize>)> {
    let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/mutag/mutag.txt"));
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: no mutag");
        return None;
    };
    let mut lines = text.lines().map(|line| line.split_whitespace().map(|x| x.parse::<i64>().unwrap()).collect::<Vec<_>>());
    let count = lines.next().unwrap()[0];
    let (mut graphs, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let head = lines.next().unwrap();
        let (mut labels, mut edges) = (Vec::new(), Vec::new());
        for node in 0..head[0] {
            let line = lines.next().unwrap();
            labels.push(line[0].to_string());
            edges.extend(line[2..].iter().map(|to| format!("{node}-{to}")));
        }
        graphs.push(format!("{} | {}", labels.join(" "), edges.join(" ")));
        classes.push(usize::from(head[1] > 0));
    }
    Some((graphs, classes))
}

/// k(0, 1) and the mean of the values off the diagonal, as ../shared/peers/graphs_peers.py takes them.
fn first_and_mean(k: &Matrix) -> (f64, f64) {
    let n = k.rows();
    let sum: f64 = (0..n).flat_map(|i| (0..n).filter(move |&j| i != j).map(move |j| (i, j))).map(|at| k[at]).sum();
    (k[(0, 1)], sum / (n * (n - 1)) as f64)
}

fn agrees_on_mutag(kernel: &str, first: f64, mean: f64) {
    let Some((graphs, _)) = mutag() else { return };
    assert_eq!(graphs.len(), 188);
    let (found, average) = first_and_mean(&matrix(kernel, &graphs));
    assert!((found - first).abs() <= 1e-5 && (average - mean).abs() <= 1e-5, "{kernel}: {found}, {average}");
}

#[test]
fn weisfeiler_lehman_has_the_values_of_grakel_on_mutag() {
    // GraKeL 0.1.11, WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram, normalize=True).
    agrees_on_mutag("normalise(weisfeiler_lehman(depth=5))", 0.56907, 0.706624);
}

// spec: F09
#[test]
fn shortest_path_counts_pairs_of_nodes_by_their_labels_and_distance() {
    // Floyd and Warshall.
    let distances = |g: &Small| {
        let n = g.nodes();
        let start = |a: usize, b: usize| if a == b { 0 } else { g.edge(a, b).map_or(100, |_| 1) };
        let mut d: Vec<Vec<usize>> = (0..n).map(|a| (0..n).map(|b| start(a, b)).collect()).collect();
        for m in 0..n {
            for a in 0..n {
                for b in 0..n {
                    d[a][b] = d[a][b].min(d[a][m] + d[m][b]);
                }
            }
        }
        d
    };
    let paths = |g: &Small, ordered: bool| {
        let d = distances(g);
        let all = (0..g.nodes()).flat_map(|a| (0..g.nodes()).map(move |b| (a, b)));
        let pairs = all.filter(|&(a, b)| a != b && d[a][b] < 100 && (ordered || a < b));
        let key = |(a, b): (usize, usize)| {
            let (x, z) = (g.labels[a], g.labels[b]);
            (if ordered { (x, z) } else { (x.min(z), x.max(z)) }, d[a][b])
        };
        counted(pairs.map(key).collect::<Vec<_>>())
    };
    has_features("shortest_path", 3, |g| paths(g, true));
    has_features("shortest_path(pairs=unordered)", 3, |g| paths(g, false));
    // Of 50 labels in 50 nodes there are more pairs and distances than the table of counts has room for: all 1,225 pairs are unlike.
    let path = format!(
        "{} | {}",
        (0..50).map(|i| i.to_string()).collect::<Vec<_>>().join(" "),
        (1..50).map(|i| format!("{}-{i}", i - 1)).collect::<Vec<_>>().join(" ")
    );
    assert_eq!(matrix("shortest_path(pairs=unordered)", &[path])[(0, 0)], 1225.0);
    // C-C-O: {C, C} at 1, {C, O} at 1 and at 2. Ordered: two pairs of each.
    let k = |kernel: &str| matrix(kernel, &["C C O | 0-1 1-2"])[(0, 0)];
    assert!((k("shortest_path") - 8.0).abs() <= 1e-14 && k("shortest_path(pairs=unordered)") == 3.0);
}

#[test]
fn shortest_path_and_vertex_histogram_have_the_values_of_grakel_on_mutag() {
    // GraKeL 0.1.11, ShortestPath(normalize=True, with_labels=True), which counts ordered pairs; unordered ones by sp_counts of
    // ../shared/peers/graphs_peers.py.
    agrees_on_mutag("normalise(shortest_path)", 0.687805, 0.849333);
    agrees_on_mutag("normalise(shortest_path(pairs=unordered))", 0.63328, 0.821957);
    let Some((graphs, _)) = mutag() else { return };
    let (histogram, no_rounds) = (matrix("vertex_histogram", &graphs), matrix("weisfeiler_lehman(depth=0)", &graphs));
    assert!((0..188).all(|i| (0..188).all(|j| histogram[(i, j)] == no_rounds[(i, j)])));
}

// spec: F09
#[test]
fn vertex_histogram_counts_labels() {
    has_features("vertex_histogram", 4, |g| counted(g.labels.iter().copied()));
    assert_eq!(matrix("vertex_histogram", &["C C O | 0-1", "C N O O |"])[(0, 1)], 4.0);
}

/// Connected induced subgraphs of a size, by the sorted degrees of their nodes, which tell connected graphs of up to 4 nodes apart.
fn induced(graph: &Small, size: u32) -> BTreeMap<Vec<usize>, f64> {
    let mut all = Vec::new();
    for chosen in 0u32..1 << graph.nodes() {
        if chosen.count_ones() != size {
            continue;
        }
        let nodes: Vec<usize> = (0..graph.nodes()).filter(|i| chosen >> i & 1 == 1).collect();
        let tied = |a: usize, b: usize| a != b && graph.edge(a, b).is_some();
        let mut reached = vec![nodes[0]];
        for k in 0.. {
            let Some(&node) = reached.get(k) else { break };
            let new: Vec<usize> = nodes.iter().copied().filter(|&to| tied(node, to) && !reached.contains(&to)).collect();
            reached.extend(new);
        }
        if reached.len() == nodes.len() {
            let mut degrees: Vec<usize> = nodes.iter().map(|&a| nodes.iter().filter(|&&b| tied(a, b)).count()).collect();
            degrees.sort_unstable();
            all.push(degrees);
        }
    }
    counted(all)
}

// spec: F09
#[test]
fn graphlets_are_all_connected_induced_subgraphs() {
    [3, 4].iter().for_each(|size| has_features(&format!("graphlet(size={size})"), 6, |g| induced(g, *size)));
    // A clique of six, which holds no other graphlet, and a star.
    let clique = (0..6).flat_map(|b| (0..b).map(move |a| ((a, b), 0))).collect();
    let graphs = [clique, (1..6).map(|b| ((0, b), 0)).collect()].map(|edges| Small { labels: vec![0; 6], edges });
    for size in [3, 4] {
        agrees(&format!("graphlet(size={size})"), &graphs, |a, b| dot(&induced(a, size), &induced(b, size)));
    }
    // A cycle of five: five paths of three, five paths of four; a loop changes nothing.
    let k = |kernel: &str| matrix(kernel, &["0-1 1-2 2-3 3-4 4-0 0-0"])[(0, 0)];
    assert_eq!((k("graphlet(size=3)"), k("graphlet")), (25.0, 25.0));
}

/// sum over p of decay^p 1' A^p 1 by the dense matrix of the direct product graph, up to so many steps.
fn walks(x: &Small, z: &Small, decay: f64, steps: usize) -> f64 {
    let pairs: Vec<(usize, usize)> =
        (0..x.nodes()).flat_map(|u| (0..z.nodes()).map(move |v| (u, v))).filter(|&(u, v)| x.labels[u] == z.labels[v]).collect();
    let joined = |a: (usize, usize), b: (usize, usize)| {
        a.0 != b.0 && a.1 != b.1 && x.edge(a.0, b.0).is_some() && x.edge(a.0, b.0) == z.edge(a.1, b.1)
    };
    let mut count = vec![1.0; pairs.len()];
    let mut total = 0.0;
    for p in 0..=steps {
        total += decay.powi(p as i32) * count.iter().sum::<f64>();
        count = pairs.iter().map(|&a| pairs.iter().zip(&count).filter(|(b, _)| joined(a, **b)).map(|(_, c)| c).sum()).collect();
    }
    total
}

/// Walks of up to so many steps by their labels, each worth the root of decay^steps.
fn labelled_walks(graph: &Small, decay: f64, steps: usize) -> BTreeMap<Vec<u8>, f64> {
    let mut found = BTreeMap::new();
    let mut walks: Vec<(usize, Vec<u8>)> = (0..graph.nodes()).map(|node| (node, vec![graph.labels[node]])).collect();
    for p in 0..=steps {
        walks.iter().for_each(|(_, labels)| *found.entry(labels.clone()).or_insert(0.0) += decay.powi(p as i32).sqrt());
        let on = |(at, labels): &(usize, Vec<u8>)| {
            let (at, labels) = (*at, labels.clone());
            let steps = (0..graph.nodes()).filter_map(move |to| Some((to, graph.edge(at, to).filter(|_| to != at)?)));
            steps.map(move |(to, edge)| (to, [&labels[..], &[edge, graph.labels[to]]].concat())).collect::<Vec<_>>()
        };
        walks = walks.iter().flat_map(on).collect();
    }
    found
}

// spec: F09
#[test]
fn random_walk_is_the_sum_over_the_direct_product_graph() {
    has_features("random_walk(decay=0.3, steps=3)", 8, |g| labelled_walks(g, 0.3, 3));
    let graphs = random_graphs(7, 10, 7);
    agrees("random_walk(decay=0.3, steps=4)", &graphs, |a, b| walks(a, b, 0.3, 4));
    agrees("random_walk(decay=0.02, unlimited=true)", &graphs, |a, b| walks(a, b, 0.02, 60));
    // Two nodes of one label and an edge: A is the exchange of (0, 0) with (1, 1) and of (0, 1) with (1, 0), 4 walks of each length.
    let k = |kernel: &str| matrix(kernel, &["0-1"])[(0, 0)];
    assert!((k("random_walk(decay=0.5, unlimited=true)") - 8.0).abs() <= 1e-14);
    assert_eq!((k("random_walk(decay=0.5, steps=0)"), k("random_walk(decay=0.5, steps=2)")), (4.0, 7.0));
    // Of n nodes all joined, whose labels differ, the product with itself is the graph again: sum_p n ((n - 1) / 10)^p.
    for (graph, n) in [("A B C D | 0-1 0-2 0-3 1-2 1-3 2-3", 4.0), ("A B C D E | 0-1 0-2 0-3 0-4 1-2 1-3 1-4 2-3 2-4 3-4", 5.0)] {
        let found = matrix("random_walk(decay=0.1, unlimited=true)", &[graph])[(0, 0)];
        assert!((found - n / (1.0 - (n - 1.0) / 10.0)).abs() <= 1e-13, "{graph}: {found}");
    }
}

#[test]
fn walks_without_a_finite_sum_are_refused_with_the_bound() {
    let bind = |kernel: &str| KernelExpr::parse(kernel).unwrap().bind(None, &data(&["0-1", "0-1 1-2 2-0"])).map(|_| ());
    // The largest eigenvalue of a triangle is 2, and of its product with itself 4: decay must be below .99 / 4.
    let why = bind("random_walk(decay=0.25, unlimited=true)").unwrap_err().to_string();
    assert!(why.contains("row 2") && why.contains("4.0000") && why.contains("below 0.2475"), "{why}");
    assert!(bind("random_walk(decay=0.24, unlimited=true)").is_ok() && bind("random_walk(decay=2)").is_ok());
    let why = bind("random_walk(decay=1e300, steps=9)").unwrap_err().to_string();
    assert!(why.contains("row 1") && why.contains("smaller decay"), "{why}");
}

fn table(cells: &[&str]) -> Table {
    let cells = cells.iter().map(|c| (*c).to_owned()).collect();
    Table::of_cells("t.csv", 12, &[("x".to_owned(), cells)]).unwrap()
}

#[test]
fn graphs_are_told_from_their_cells_and_their_faults_by_place() {
    let mut cells = vec!["C C O | 0-1 1-2"; 11];
    cells.push("");
    let read = table(&cells).dataset(&ReadOptions::default()).unwrap();
    assert_eq!((read.columns()[0].values.kind(), read.columns()[0].values.missing()), (ColumnKind::Graph, vec![11]));
    cells[4] = "C C O | 0-1 1-3";
    let why = table(&cells).dataset(&ReadOptions::default()).unwrap_err().to_string();
    for part in ["t.csv", "row 5", "'x'", "'1-3' at character 13 ends at node 3"] {
        assert!(why.contains(part), "{why}");
    }
    let one = |cell: &str| Table::of_cells("t.csv", 1, &[("x".to_owned(), vec![cell.to_owned()])]).unwrap();
    let declared = ReadOptions::with_types(["x=graph"]).unwrap();
    assert_eq!(one("0-1 1-2").dataset(&declared).unwrap().columns()[0].values.kind(), ColumnKind::Graph);
    assert_ne!(one("0-1").dataset(&ReadOptions::default()).unwrap().columns()[0].values.kind(), ColumnKind::Graph);
}

#[test]
fn a_model_of_graphs_is_made_without_a_kernel_and_comes_back_from_its_file() {
    let graphs: Vec<String> =
        (0..30).map(|i| format!("{} C {} | 0-1 {}", ["C", "N"][i % 2], ["O", "S", "C"][i % 3], ["1-2", "0-2 1-2"][i / 2 % 2])).collect();
    let data = data(&graphs);
    let target = Target::Classes { codes: (0..30).map(|i| i / 2 % 2).collect(), names: vec!["path".into(), "ring".into()] };
    let info = TargetInfo { names: vec!["y".into()], classes: Some(vec!["path".into(), "ring".into()]), labels: Labels::Text };
    let learner = Learner::new(EstimatorExpr::parse("svc").unwrap());
    let model = learner.fit(&data, &target, &info, None, &Control::default()).unwrap();
    assert_eq!(model.kernel.to_string(), "normalise(weisfeiler_lehman)");
    let again = store::from_bytes(&store::to_bytes(&model).unwrap(), "model").unwrap();
    let say = |model: &Model| model.predict(&data, Want::default(), &Control::default()).unwrap();
    assert_eq!(format!("{:?}", say(&model)), format!("{:?}", say(&again)));
}

//! Operations that are counted for a Gram matrix beside the seconds that it takes: `cargo run --release -p mercer-bench --bin kernel_work
//! [KERNEL]`.
//!
//! Every kernel of columns with structure, on inputs of several numbers and lengths, on one thread. `ratio`: counted seconds, at the rate
//! that plans assume, in units of the measured ones; it is to lie between 2/3 and 3/2 on the machine that the rate is of. Without
//! link-time optimisation the recursions of series take ten times as long.

#![allow(clippy::unwrap_used, reason = "inputs are made here")]

use mercer::control::{Control, with_threads};
use mercer::data::{Column, Dataset, Graphs, Series, Sets, Strings, Trees, Values};
use mercer::gram;
use mercer::kernels::KernelExpr;
use mercer::trial::limits::RATE;
use rand::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

/// A value below which a measurement says little, in seconds.
const SHORT: f64 = 0.02;

type Random = Xoshiro256PlusPlus;

fn dna(random: &mut Random, length: usize) -> String {
    (0..length).map(|_| ['A', 'C', 'G', 'T'][random.random_range(0..4)]).collect()
}

fn text(random: &mut Random, words: usize) -> String {
    // Zipf: the k-th word is met 1/k as often as the first.
    let word = |random: &mut Random| (20_000f64.powf(random.random::<f64>())) as usize;
    (0..words).map(|_| format!("w{:x}", word(random))).collect::<Vec<_>>().join(" ")
}

fn walk(random: &mut Random, times: usize) -> Vec<Vec<f64>> {
    let mut at = 0.0;
    (0..times)
        .map(|_| {
            at += random.random::<f64>() - 0.5;
            vec![at]
        })
        .collect()
}

fn graph(random: &mut Random, nodes: usize) -> String {
    let labels: Vec<&str> = (0..nodes).map(|_| ["C", "N", "O"][random.random_range(0..3)]).collect();
    let chain = (1..nodes).map(|i| format!("{}-{i}", i - 1));
    let edges: Vec<String> = chain.chain((0..nodes / 2).map(|k| format!("{}-{}", k, (k + 2 + k % 3) % nodes))).collect();
    format!("{} | {}", labels.join(" "), edges.join(" "))
}

fn tree(random: &mut Random, nodes: usize) -> String {
    if nodes <= 2 {
        return format!("(N {})", ["dog", "cat", "bird"][random.random_range(0..3)]);
    }
    let left = random.random_range(1..nodes - 1);
    format!("({} {} {})", ["S", "NP", "VP"][random.random_range(0..3)], tree(random, left), tree(random, nodes - 1 - left))
}

/// So many inputs of so many letters, words, times, nodes or members.
fn inputs(kind: &str, rows: usize, length: usize) -> Values {
    let random = &mut Random::seed_from_u64(1);
    match kind {
        "sequence" => Values::Sequences(Strings::new((0..rows).map(|_| dna(random, length)))),
        "text" => Values::Texts(Strings::new((0..rows).map(|_| text(random, length)))),
        "series" => Values::Series(Series::of_rows(&(0..rows).map(|_| walk(random, length)).collect::<Vec<_>>()).unwrap()),
        "set" => Values::Sets(Sets::of_rows(&(0..rows).map(|_| walk(random, length)).collect::<Vec<_>>()).unwrap()),
        "graph" => Values::Graphs(Graphs::new((0..rows).map(|_| graph(random, length))).unwrap()),
        _ => Values::Trees(Trees::new((0..rows).map(|_| tree(random, length))).unwrap()),
    }
}

/// Kernels of each kind of column, and the lengths of inputs.
const KERNELS: &[(&str, &[usize], &[&str])] = &[
    (
        "sequence",
        &[50, 200, 800],
        &[
            "spectrum(k=3)",
            "spectrum(k=6)",
            "blended(k=4)",
            "substrings",
            "gapped(length=8, k=6)",
            "mismatch(k=6)",
            "weighted_degree(degree=8)",
            "weighted_degree(degree=8, shift=10)",
            "subsequence(k=3)",
            "edit",
            "local_alignment",
            "normalise(spectrum(k=6))",
        ],
    ),
    ("text", &[10, 100, 400], &["tfidf", "normalise(spectrum(k=4))"]),
    (
        "series",
        &[30, 100, 300],
        &["dtw", "global_alignment", "signature(depth=4)", "signature_pde", "autoregressive(order=2)", "cross_correlation", "convolutions"],
    ),
    ("set", &[5, 30, 100], &["set_mean(rbf)", "best_match(rbf)", "set_extremes(rbf)", "pyramid_match", "codebook(centres=32)"]),
    (
        "graph",
        &[10, 30, 100],
        &["weisfeiler_lehman", "shortest_path", "graphlet", "vertex_histogram", "random_walk", "min_max(weisfeiler_lehman)"],
    ),
    ("tree", &[10, 30, 100], &["subtree", "subset_tree", "partial_tree"]),
];

fn main() {
    let only = std::env::args().nth(1);
    println!("{:<40} {:>6} {:>7} {:>9} {:>9} {:>7}", "kernel", "rows", "length", "counted", "seconds", "ratio");
    for (kind, lengths, kernels) in KERNELS {
        for name in kernels.iter().filter(|name| only.as_ref().is_none_or(|only| name.contains(only.as_str()))) {
            for &length in *lengths {
                if let Err(error) = with_threads(1, || one(kind, name, length)).and_then(|made| made) {
                    println!("{name:<40} {error}");
                }
            }
        }
    }
}

/// More rows until the matrix takes long enough to be measured.
fn one(kind: &str, name: &str, length: usize) -> mercer::error::Result<()> {
    let control = Control::default();
    for rows in [100, 300, 1000, 3000] {
        let data = Dataset::new(vec![Column { name: "x".into(), values: inputs(kind, rows, length) }])?;
        let kernel = KernelExpr::parse(name)?.settle(&data)?;
        let counted = kernel.per_value(&data).unwrap_or(f64::NAN) * (rows * (rows + 1) / 2) as f64 / RATE;
        let clock = Instant::now();
        gram::dense(kernel.learn(&data, None, &control)?.gram(&data, &control)?.as_ref(), &control)?;
        let seconds = clock.elapsed().as_secs_f64();
        if seconds > SHORT {
            println!("{name:<40} {rows:>6} {length:>7} {counted:>9.4} {seconds:>9.4} {:>7.2}", counted / seconds);
        }
        if seconds > 0.5 {
            break;
        }
    }
    Ok(())
}

//! Level and power of paired differences between estimators: `cargo run --release -p mercer-bench --bin paired [TABLES]`.
//!
//! The first table says how often estimators that are equally good are told apart, which is to be 5%; the second how often one that is
//! better is found, beside the paired test of a textbook (McNemar's exact one, Student's t of squared errors).

#![allow(clippy::unwrap_used, reason = "shared with the tests")]
#![allow(dead_code, reason = "the tests look at single tables")]

#[path = "../../../crates/mercer/tests/report/simulate.rs"]
mod simulate;

use mercer::metrics::Metric;
use simulate::{Design, power, wrong};

fn main() {
    let tables = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    println!("{:<24} {:>5} {:>10} {:>4} {:>7} {:>6}", "metric", "rows", "estimators", "far", "copies", "wrong");
    for metric in [Metric::Accuracy, Metric::BalancedAccuracy, Metric::F1, Metric::Auc, Metric::Rmse, Metric::Mae] {
        for (rows, estimators, far, copies) in
            [(50, 2, 0, 1), (200, 2, 0, 1), (1000, 2, 0, 1), (200, 2, 0, 4), (200, 14, 0, 1), (200, 14, 12, 1)]
        {
            let design = Design { estimators, far, copies, ..Design::of(metric, rows) };
            let share = wrong(&design, tables / rows.div_ceil(200));
            println!("{:<24} {rows:>5} {estimators:>10} {far:>4} {copies:>7} {:>5.1}%", metric.name(), 100.0 * share);
        }
    }
    println!("\n{:<24} {:>5} {:>6} {:>6} {:>9}", "metric", "rows", "ahead", "found", "textbook");
    for metric in [Metric::Accuracy, Metric::Rmse] {
        for (rows, ahead) in [(50, 0.5), (100, 0.25), (100, 0.5), (300, 0.25), (1000, 0.1)] {
            let [ours, textbook] = power(&Design { ahead, ..Design::of(metric, rows) }, tables / rows.div_ceil(200));
            println!("{:<24} {rows:>5} {ahead:>6} {:>5.1}% {:>8.1}%", metric.name(), 100.0 * ours, 100.0 * textbook);
        }
    }
}

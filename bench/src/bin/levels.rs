//! What a comparison says of tables of pure noise: `cargo run --release -p mercer-bench --bin levels [TABLES] [MOST_ROWS]`.
//!
//! Five columns of normal numbers that have nothing to do with the target, classes of about one size or normal numbers; every default
//! estimator, or three. Printed for each number of rows and kind of folds: the share of tables on which the best estimator is called
//! better than a guess, the share on which any estimator is called worse than the best, both to be 5% at most; and the mean score of the
//! best one, as it is and corrected for its choice, beside what it is worth: 50%, or a root mean squared error of 1.

#![allow(clippy::unwrap_used, reason = "shared with the tests")]

#[path = "../../../crates/mercer/tests/report/noise.rs"]
mod noise;

use mercer::estimators::EstimatorExpr;
use noise::{Folds, Noise, looked_at};

fn main() {
    let mut asked = std::env::args().skip(1).map(|n| n.parse::<usize>().unwrap());
    let (tables, most) = (asked.next().unwrap_or(200), asked.next().unwrap_or(400));
    let few: Vec<EstimatorExpr> = ["ridge", "knn", "baseline"].iter().map(|name| EstimatorExpr::parse(name).unwrap()).collect();
    println!(
        "{:<8} {:>5} {:>6} {:>11} {:>8} {:>8} {:>6} {:>10}",
        "target", "rows", "folds", "estimators", "better", "worse", "score", "corrected"
    );
    for classes in [true, false] {
        for rows in [5, 6, 8, 10, 15, 20, 40, 100, 400].into_iter().filter(|&n| n <= most) {
            for folds in [Folds::Five, Folds::EachRow].into_iter().filter(|&f| f == Folds::Five || rows <= 100) {
                for estimators in [None, Some(few.as_slice())] {
                    let found = looked_at(&Noise { classes, rows, folds }, estimators, tables);
                    let share = |n: usize| 100.0 * n as f64 / found.tables.max(1) as f64;
                    println!(
                        "{:<8} {rows:>5} {:>6} {:>11} {:>7.1}% {:>7.1}% {:>6.3} {:>10.3}",
                        if classes { "classes" } else { "numbers" },
                        if folds == Folds::Five { "5" } else { "rows" },
                        estimators.map_or("default".into(), |e| e.len().to_string()),
                        share(found.better),
                        share(found.worse),
                        found.score,
                        found.corrected,
                    );
                }
            }
        }
    }
}

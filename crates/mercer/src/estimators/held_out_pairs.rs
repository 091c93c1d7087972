//! Decision values of pairs of classes for rows that the machines did not learn from.

use super::HeldOut;
use super::held_out::{in_folds, parts};
use super::{Task, svm};
use crate::error::Result;
use crate::gram::Subset;
use crate::linalg::Matrix;
use crate::solve::smo::{self, Options, Problem, Solution};

/// The tolerance of machines that are only there to score rows, and by how much it exceeds the one asked for at most.
const LOOSE: f64 = 1e-2;
const LOOSER: f64 = 10.0;

/// Decision values of every pair of classes. `problems` are those of the pairs, solved by `solutions`; `mass` is the weight of
/// each row.
///
/// Folds are the same for all pairs. Problems of folds start from the solution on all rows and share kernel values. Where a class of
/// a pair cannot be learnt, as it has no other row than those of the fold, the decision value is 0: that of a machine that knows
/// nothing.
pub(super) fn held_out(
    task: &Task<'_>,
    pairs: &[(usize, usize)],
    problems: &[Problem],
    solutions: &[Solution],
    mass: impl Fn(usize) -> f64,
    options: &Options,
) -> Result<HeldOut> {
    let parts = parts(task)?;
    let mut fold = vec![usize::MAX; task.rows()];
    parts.iter().enumerate().for_each(|(k, part)| part.test.iter().for_each(|&i| fold[i] = k));
    let mut which = Vec::new();
    let mut without = Vec::new();
    for k in 0..parts.len() {
        for (o, (problem, solution)) in problems.iter().zip(solutions).enumerate() {
            let reduced = leave_out(problem, solution, |i| fold[i] == k);
            if reduced.target.iter().any(|t| *t > 0.0) && reduced.target.iter().any(|t| *t < 0.0) {
                which.push((k, o));
                without.push(reduced);
            }
        }
    }
    let loose = Options { tolerance: options.tolerance.max((LOOSER * options.tolerance).min(LOOSE)), ..*options };
    let solved = smo::solve(task.gram, &without, &loose, task.control)?;
    let rows: Vec<usize> = parts.iter().flat_map(|part| part.test.iter().copied()).collect();
    let mut scores = Matrix::zeros(rows.len(), problems.len());
    let mut first = 0;
    for (k, part) in parts.iter().enumerate() {
        let machines = which.partition_point(|w| w.0 < k)..which.partition_point(|w| w.0 <= k);
        let found = decide(task, &part.test, &machines.clone().map(|m| (&without[m], &solved[m])).collect::<Vec<_>>())?;
        for r in 0..part.test.len() {
            machines.clone().enumerate().for_each(|(column, m)| scores[(first + r, which[m].1)] = found[(r, column)]);
        }
        first += part.test.len();
    }
    Ok(HeldOut {
        mass: rows.iter().map(|&i| mass(i)).collect(),
        rows,
        scores,
        pairs: pairs.to_vec(),
        converged: solved.iter().all(|s| s.converged),
        how: in_folds(parts.len(), task.rows()),
    })
}

/// A problem without some of its rows, started from its solution: coefficients of the heavier sign shrink until all sum to 0.
fn leave_out(problem: &Problem, solution: &Solution, out: impl Fn(usize) -> bool) -> Problem {
    let kept: Vec<usize> = (0..problem.row.len()).filter(|&k| !out(problem.row[k])).collect();
    let of = |values: &[f64]| kept.iter().map(|&k| values[k]).collect::<Vec<f64>>();
    let mut start = of(&solution.coef);
    let up: f64 = start.iter().filter(|b| **b > 0.0).sum();
    let down: f64 = start.iter().filter(|b| **b < 0.0).map(|b| -b).sum();
    for b in &mut start {
        *b *= if *b > 0.0 { down.min(up) / up } else { down.min(up) / down.max(f64::MIN_POSITIVE) };
    }
    Problem {
        row: kept.iter().map(|&k| problem.row[k]).collect(),
        target: of(&problem.target),
        low: of(&problem.low),
        high: of(&problem.high),
        tube: problem.tube,
        start: Some(start),
    }
}

/// Decision values of rows, one column for each machine.
fn decide(task: &Task<'_>, rows: &[usize], machines: &[(&Problem, &Solution)]) -> Result<Matrix> {
    let columns: Vec<Vec<(usize, f64)>> =
        machines.iter().map(|(p, s)| p.row.iter().copied().zip(s.coef.iter().copied()).collect()).collect();
    let expansion = svm::expansion(task.rows(), &columns, machines.iter().map(|(_, s)| s.offset).collect());
    // A fit that was ended has machines all the same, and what they say is not lost.
    let control = task.control.last_step().at_least(1.0);
    expansion.predict(&Subset::new(task.gram, rows, &expansion.support), &control)
}

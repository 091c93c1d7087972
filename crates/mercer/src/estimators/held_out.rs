//! Decision values of pairs of classes for rows that the machine did not learn from, and Platt's sigmoids of them.

use super::platt::Sigmoid;
use super::{Task, svm};
use crate::data::{Split, folds};
use crate::error::Result;
use crate::gram::Subset;
use crate::linalg::Matrix;
use crate::solve::smo::{self, Options, Problem, Solution};

/// Parts of the rows that are held out in turn.
const FOLDS: usize = 5;

/// A sigmoid for each pair, and what there is to say of them.
pub(super) struct Calibration {
    pub(super) sigmoids: Vec<Sigmoid>,
    pub(super) converged: bool,
    pub(super) notes: Vec<String>,
}

/// Sigmoids of held-out decision values of every pair of classes. `problems` are those of the pairs, solved by `solutions`; `mass`
/// is the weight of each row.
///
/// Folds hold equal shares of every class, and are the same for all pairs. Problems of folds start from the solution on all
/// rows and share kernel values. A row of a fold in which a class of the pair cannot be learnt, as it has no other row,
/// has the decision value 0 of a machine that knows nothing.
pub(super) fn calibrate(
    task: &Task<'_>,
    codes: &[usize],
    problems: &[Problem],
    solutions: &[Solution],
    mass: impl Fn(usize) -> f64,
    options: &Options,
) -> Result<Calibration> {
    let count = FOLDS.min(codes.len());
    let parts = folds(task.target, &Split::Rows, count, task.seed)?;
    let mut fold = vec![0; codes.len()];
    parts.iter().enumerate().for_each(|(k, part)| part.test.iter().for_each(|&i| fold[i] = k));
    let mut which = Vec::new();
    let mut without = Vec::new();
    for k in 0..count {
        for (o, (problem, solution)) in problems.iter().zip(solutions).enumerate() {
            let reduced = leave_out(problem, solution, |i| fold[i] == k);
            if reduced.target.iter().any(|t| *t > 0.0) && reduced.target.iter().any(|t| *t < 0.0) {
                which.push((k, o));
                without.push(reduced);
            }
        }
    }
    let solved = smo::solve(task.gram, &without, options, task.control)?;
    let mut values: Vec<Vec<f64>> = problems.iter().map(|p| vec![0.0; p.row.len()]).collect();
    for (k, part) in parts.iter().enumerate() {
        let of_fold = which.partition_point(|w| w.0 < k)..which.partition_point(|w| w.0 <= k);
        let mut classes: Vec<usize> = part.test.iter().map(|&i| codes[i]).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            let rows: Vec<usize> = part.test.iter().copied().filter(|&i| codes[i] == class).collect();
            // Machines that tell this class from others: all of them hold rows of it.
            let held = |o: usize| rows.first().is_some_and(|i| problems[o].row.binary_search(i).is_ok());
            let machines: Vec<usize> = of_fold.clone().filter(|&m| held(which[m].1)).collect();
            let found = decide(task, &rows, &machines.iter().map(|&m| (&without[m], &solved[m])).collect::<Vec<_>>())?;
            for (column, &m) in machines.iter().enumerate() {
                let o = which[m].1;
                for (r, i) in rows.iter().enumerate() {
                    if let Ok(at) = problems[o].row.binary_search(i) {
                        values[o][at] = found[(r, column)];
                    }
                }
            }
        }
    }
    let of_pair = |(problem, values): (&Problem, &Vec<f64>)| {
        let rows = problem.row.iter().zip(&problem.target).zip(values);
        Sigmoid::fit(&rows.map(|((&i, &t), &f)| (f, t > 0.0, mass(i))).collect::<Vec<_>>())
    };
    let sigmoids: Vec<Sigmoid> = problems.iter().zip(&values).map(of_pair).collect();
    let mut notes = vec![format!("probabilities are Platt's sigmoids of decision values held out in {count} folds")];
    let falling = sigmoids.iter().filter(|s| s.slope < 0.0).count();
    if falling > 0 {
        notes.push(format!(
            "the sigmoid falls with the decision value in {falling} of {} problems: held-out rows lay on the wrong side more often than not, and probabilities there go against the margin",
            sigmoids.len()
        ));
    }
    let converged = solved.iter().all(|s| s.converged);
    if !converged {
        notes.push("fits without a fold stopped before their tolerance was met: probabilities are less certain than they could be".into());
    }
    Ok(Calibration { sigmoids, converged, notes })
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

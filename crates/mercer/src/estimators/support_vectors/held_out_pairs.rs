//! Decision values of pairs of classes for rows that the machines did not learn from.

use super::by_class::ByClass;
use super::svm;
use crate::control::Control;
use crate::data::{Fold, Split};
use crate::error::Result;
use crate::estimators::probabilities::held_out::{FitsWithout, ScoreKind, in_folds, of_known_classes};
use crate::estimators::{HeldOut, Task};
use crate::gram::{Gram, Subset};
use crate::linalg::Matrix;
use crate::solve::smo::{self, Options, Problem, Solution};
use rayon::prelude::*;

/// Machines of pairs of classes as they were solved.
pub(super) struct Solved<'a> {
    pub(super) pairs: &'a [(usize, usize)],
    pub(super) problems: &'a [Problem],
    pub(super) solutions: &'a [Solution],
    /// K by class, if it is held: then the problems have its rows.
    pub(super) held: Option<&'a ByClass>,
    /// The weight of each row of the task, times that of its class.
    pub(super) counted: &'a [f64],
    pub(super) options: Options,
}

impl<'a> Solved<'a> {
    /// Kernel values of the rows that the problems have.
    pub(super) fn gram(&self, task: &Task<'a>) -> Result<&'a dyn Gram> {
        match self.held {
            Some(held) => Ok(&held.k),
            None => task.gram(),
        }
    }

    /// The row of the task that each of those rows is; `None`: they stand in its order.
    pub(super) fn order(&self) -> Option<&'a [usize]> {
        self.held.map(|held| &held.order[..])
    }
}

/// Decision values of every pair of classes, of what the folds hold out in turn.
///
/// Folds are the same for all pairs. Problems of folds start from the solution on all rows and share kernel values. Where a class of
/// a pair cannot be learnt, as it has no other row than those of the fold, the decision value is 0: that of a machine that knows
/// nothing. Rows of that class are left out.
pub(super) fn held_out<'a>(task: &Task<'a>, all: &Solved<'a>, parts: &[Fold], split: &Split) -> Result<HeldOut> {
    // The tolerance of machines that are only there to score rows, and by how much it exceeds the one asked for at most.
    const LOOSE: f64 = 1e-2;
    const LOOSER: f64 = 10.0;
    let Solved { problems, solutions, options, .. } = *all;
    let order: Vec<usize> = all.order().map_or_else(|| (0..task.rows()).collect(), <[usize]>::to_vec);
    let gram = all.gram(task)?;
    let mut fold = vec![usize::MAX; task.rows()];
    parts.iter().enumerate().for_each(|(f, part)| part.test.iter().for_each(|&i| fold[i] = f));
    let which: Vec<(usize, usize)> = (0..parts.len()).flat_map(|f| (0..problems.len()).map(move |o| (f, o))).collect();
    let reduced = |&(f, o): &(usize, usize)| {
        let (without, values) = leave_out(&problems[o], &solutions[o], gram.structure().held(), |row| fold[order[row]] == f);
        let both = without.target.iter().any(|t| *t > 0.0) && without.target.iter().any(|t| *t < 0.0);
        both.then_some(((f, o), (without, values)))
    };
    let (which, (without, values)): (Vec<_>, (Vec<_>, Vec<_>)) = which.par_iter().filter_map(reduced).unzip();
    let known: Vec<Option<&[f64]>> = values.iter().map(Option::as_deref).collect();
    let loose = Options { tolerance: options.tolerance.max((LOOSER * options.tolerance).min(LOOSE)), ..options };
    let solved = smo::solve_from(gram, &without, &known, &loose, task.control)?;
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(row, &i)| place[i] = row);
    let (codes, _) = task.target.as_classes("a calibration")?;
    let tests: Vec<Vec<usize>> = parts.iter().map(|part| of_known_classes(part, codes)).collect();
    let rows = tests.concat();
    let mut scores = Matrix::zeros(rows.len(), problems.len());
    let mut first = 0;
    for (f, rows) in tests.iter().enumerate() {
        let machines = which.partition_point(|w| w.0 < f)..which.partition_point(|w| w.0 <= f);
        let test: Vec<usize> = rows.iter().map(|&i| place[i]).collect();
        let found = decide(gram, &test, &machines.clone().map(|m| (&without[m], &solved[m])).collect::<Vec<_>>(), task.control)?;
        for r in 0..rows.len() {
            machines.clone().enumerate().for_each(|(column, m)| scores[(first + r, which[m].1)] = found[(r, column)]);
        }
        first += rows.len();
    }
    Ok(HeldOut {
        mass: rows.iter().map(|&i| all.counted[i]).collect(),
        fits: FitsWithout::folds(parts, &tests, task),
        rows,
        scores,
        pairs: all.pairs.to_vec(),
        of: ScoreKind::DecisionValues,
        converged: solved.iter().all(|s| s.converged),
        how: in_folds(parts.len(), task.rows(), split),
    })
}

/// A problem without some of its rows, started from its solution, and f = Kb there where K is there.
fn leave_out(problem: &Problem, solution: &Solution, k: Option<&Matrix>, out: impl Fn(usize) -> bool) -> (Problem, Option<Vec<f64>>) {
    let (left, kept): (Vec<usize>, Vec<usize>) = (0..problem.row.len()).partition(|&v| out(problem.row[v]));
    let all = without_coefficients(problem, solution, k, &left, &kept);
    let values = values_of(problem, solution, k, &all, &kept);
    let of = |values: &[f64]| kept.iter().map(|&v| values[v]).collect::<Vec<f64>>();
    let row = kept.iter().map(|&v| problem.row[v]).collect();
    let (target, low, high) = (of(&problem.target), of(&problem.low), of(&problem.high));
    (Problem { row, target, low, high, tube: problem.tube, start: Some(of(&all)), ..Problem::default() }, values)
}

/// The coefficients of a solution, those of the variables that are `left` out at 0, with the same sum. Where K is there, what a row leaves
/// goes to the rows of its side that are most like it, as far as they have room. The rest, and all of it where K is not there, is taken
/// from the heavier side in equal shares.
pub(super) fn without_coefficients(problem: &Problem, solution: &Solution, k: Option<&Matrix>, left: &[usize], kept: &[usize]) -> Vec<f64> {
    // A difference of the two sides that is rounding, as a share of them.
    const ROUNDING: f64 = 1e-12;
    let mut all = solution.coef.clone();
    let [above, below] = [&problem.high, &problem.low].map(|bound| kept.iter().copied().filter(|&v| bound[v] != 0.0).collect::<Vec<_>>());
    for &v in left {
        let gone = std::mem::take(&mut all[v]);
        if let (Some(k), true) = (k, gone != 0.0) {
            let (side, bounds) = if gone > 0.0 { (&above, &problem.high) } else { (&below, &problem.low) };
            let like = k.row(problem.row[v]);
            hand_on(gone, side, |v| like[problem.row[v]], bounds, &mut all);
        }
    }
    let up: f64 = all.iter().filter(|b| **b > 0.0).sum();
    let down: f64 = all.iter().filter(|b| **b < 0.0).map(|b| -b).sum();
    if (up - down).abs() > ROUNDING * up.max(down) {
        all.iter_mut().for_each(|b| *b *= if *b > 0.0 { down.min(up) / up } else { down.min(up) / down.max(f64::MIN_POSITIVE) });
    }
    all
}

/// f = Kb of some variables for other coefficients than those of the solution, where K and f of the solution are there.
pub(super) fn values_of(problem: &Problem, solution: &Solution, k: Option<&Matrix>, coef: &[f64], variables: &[usize]) -> Option<Vec<f64>> {
    let (k, before) = (k?, solution.exact_values()?);
    let row: Vec<usize> = variables.iter().map(|&v| problem.row[v]).collect();
    let mut values: Vec<f64> = variables.iter().map(|&v| before[v]).collect();
    for (v, (now, was)) in coef.iter().zip(&solution.coef).enumerate().filter(|(_, (now, was))| now != was) {
        let of_v = k.row(problem.row[v]);
        values.iter_mut().zip(&row).for_each(|(f, &r)| *f += (now - was) * of_v[r]);
    }
    Some(values)
}

/// Alpha seeding: moves a removed coefficient to the most similar variables of its side, up to their bounds.
fn hand_on(mut gone: f64, side: &[usize], like: impl Fn(usize) -> f64, bounds: &[f64], coef: &mut [f64]) {
    while gone != 0.0 {
        let mut nearest = (f64::NEG_INFINITY, None);
        for &v in side.iter().filter(|&&v| coef[v] != bounds[v]) {
            let near = like(v);
            if near > nearest.0 {
                nearest = (near, Some(v));
            }
        }
        let Some(next) = nearest.1 else { return };
        let room = bounds[next] - coef[next];
        (coef[next], gone) = if room.abs() <= gone.abs() { (bounds[next], gone - room) } else { (coef[next] + gone, 0.0) };
    }
}

/// Decision values of rows, one column for each machine.
pub(super) fn decide(gram: &dyn Gram, rows: &[usize], machines: &[(&Problem, &Solution)], control: &Control) -> Result<Matrix> {
    let columns: Vec<Vec<(usize, f64)>> =
        machines.iter().map(|(p, s)| p.row.iter().copied().zip(s.coef.iter().copied()).collect()).collect();
    let expansion = svm::expansion(gram.shape().0, &columns, machines.iter().map(|(_, s)| s.offsets[0]).collect());
    // A fit that was ended has machines all the same, and what they say is not lost.
    let control = control.last_step().at_least(1.0);
    expansion.predict(&Subset::new(gram, rows, &expansion.support), &control)
}

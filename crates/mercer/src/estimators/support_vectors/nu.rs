//! The problem whose sum of coefficients is given, in the unit in which the margin rho is 1.
//!
//! Bounds and sums times s have the solution times s. Where rho is 1, the tolerance is one of decision values, as for `svc`, whatever nu,
//! the weights and the kernel are: with coefficients of 0..1 it would be nu N times looser or tighter. Targets are those of the margins,
//! 1 and -1: as sums are kept, they change the objective by a constant, and at rho = 1 the problem is the one of C-SVC with C = s.
//! rho is known at the end only: a problem is solved in a first unit, and from there in that of its rho until both agree.

use crate::control::Control;
use crate::error::Result;
use crate::gram::Gram;
use crate::solve::smo::{KnownValues, Options, Precision, Problem, Proof, Solution, SolverSession};

/// The share of the tolerance that problems are solved to: objectives are LIBSVM's to 1e-4 at a tolerance of 1e-3, which with coefficients of
/// 0..1 asks for more than here.
pub(super) const GOAL: f64 = 0.1;

/// A solution in the unit in which rho is 1.
pub(super) struct InUnit {
    pub(super) solution: Solution,
    /// The coefficients in the scale of the problem as it was given.
    pub(super) coef: Vec<f64>,
    /// What coefficients are multiplied by: with bounds of 1 it is the penalty C of the same machine.
    pub(super) scale: f64,
    /// Whether there is no margin: then the unit is the one in which the mean of k(x, x) and the sum of coefficients are 1.
    pub(super) flat: bool,
}

/// Solves a problem with targets of 1 and a start; `mean_square` is the mean of k(x, x).
pub(super) fn solve(gram: &dyn Gram, problem: &Problem, mean_square: f64, options: &Options, control: &Control) -> Result<InUnit> {
    // Times that a problem is solved; two or three are usual.
    const ROUNDS: usize = 24;
    // A margin below this share of the mean of k(x, x), by sums of 1, is none.
    const FLAT: f64 = 1e-9;
    // Where a margin is smaller than the violation it is computed with, the next tolerance is this share of the last.
    const TIGHTER: f64 = 0.1;
    let start = problem.start.as_deref().unwrap_or_default();
    let mut scale = 1.0 / (mean_square * start.iter().map(|b| b.abs()).sum::<f64>());
    let mut scaled = in_unit(problem, scale, start);
    let mut session = SolverSession::new(gram)?;
    let (mut values, mut steps, mut tolerance): (Option<(Vec<f64>, Precision)>, usize, f64) = (None, 0, GOAL * options.tolerance);
    let mut round = 0;
    loop {
        round += 1;
        let left = Options { tolerance, max_iterations: options.max_iterations.saturating_sub(steps).max(1), ..*options };
        let known = values.as_ref().map(|(values, precision)| KnownValues { values, precision: *precision });
        let mut solution = session.solve(std::slice::from_ref(&scaled), &[known], Proof::Exact, &left, control)?.remove(0);
        steps += solution.iterations;
        solution.iterations = steps;
        let stopped = !solution.converged || round == ROUNDS;
        let coef = moved(&solution.coef, &scaled, problem, scale);
        let rho = rho(&solution);
        let is_small = rho.is_nan() || rho <= solution.violation.max(FLAT);
        if is_small && !stopped && solution.violation > FLAT {
            tolerance = (TIGHTER * tolerance).min(TIGHTER * solution.violation);
            (scaled.start, values) = (Some(solution.coef), Some((solution.values, solution.precision)));
            continue;
        }
        if is_small && !stopped {
            return Ok(InUnit { solution, coef, scale, flat: true });
        }
        // Where a limit left no margin, the point stays in its unit.
        let rho = if rho > FLAT { rho } else { 1.0 };
        scale /= rho;
        let next = in_unit(problem, scale, &coef);
        let solution = with_margin_of_one(solution, &next, rho, options.tolerance);
        if solution.converged || stopped {
            return Ok(InUnit { solution, coef, scale, flat: false });
        }
        (scaled, values, tolerance) = (next, Some((solution.values, solution.precision)), GOAL * options.tolerance);
    }
}

/// The margin: the target less the offset.
fn rho(solution: &Solution) -> f64 {
    1.0 - solution.offsets[0]
}

/// The problem with bounds times `scale`, started from `start` times as much.
fn in_unit(problem: &Problem, scale: f64, start: &[f64]) -> Problem {
    let times = |list: &[f64]| -> Vec<f64> { list.iter().map(|b| scale * b).collect() };
    Problem { low: times(&problem.low), high: times(&problem.high), start: Some(times(start)), ..problem.clone() }
}

/// Coefficients of a problem in one unit as those of the problem itself; what is at a bound stays there to the last bit.
fn moved(coef: &[f64], scaled: &Problem, problem: &Problem, scale: f64) -> Vec<f64> {
    let of = |k: usize| match coef[k] {
        b if b == scaled.high[k] => problem.high[k],
        b if b == scaled.low[k] => problem.low[k],
        b => (b / scale).clamp(problem.low[k], problem.high[k]),
    };
    (0..coef.len()).map(of).collect()
}

/// The solution with all coefficients divided by rho, and its certificate there: slopes less offsets are divided too, so that the gap is
/// divided by the square. It is held against the objective at rho = 1.
fn with_margin_of_one(solution: Solution, next: &Problem, rho: f64, tolerance: f64) -> Solution {
    let size: f64 = solution.coef.iter().map(|b| b.abs()).sum();
    let (quadratic, gap) = (size - solution.dual, solution.primal - solution.dual);
    let dual = size / rho - quadratic / (rho * rho);
    let primal = dual + gap / (rho * rho);
    let relative = gap / (rho * rho) / primal.abs().max(dual.abs()).max(f64::MIN_POSITIVE);
    let violation = solution.violation / rho;
    Solution {
        coef: next.start.clone().unwrap_or_default(),
        values: solution.values.into_iter().map(|f| f / rho).collect(),
        // The margin takes all of it.
        offsets: vec![0.0],
        primal,
        dual,
        gap: relative,
        violation,
        converged: violation <= tolerance && relative <= tolerance,
        ..solution
    }
}

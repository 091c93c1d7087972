//! From one block of variables to the next, until no pair violates the optimality conditions.
//!
//! A block is half worst violators, half what is left of the last block. Its rows of K are fetched together, the
//! small problem on it is solved, and f = Kb takes one update of its rank, chunk by chunk on all threads.

use super::pairs::Block;
use super::{Options, Problem, Solution, certificate, malformed};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Cell, RowCache};
use crate::linalg::{Matrix, mirror_lower};
use rayon::prelude::*;

/// Variables in a block.
const BLOCK: usize = 256;
/// The small problem is solved to this share of the violation of the whole.
const INNER: f64 = 0.1;
/// Where the gap is still too large, the next goal is this share of the violation reached.
const TIGHTEN: f64 = 0.3;
/// Pair steps in a block, per variable of it.
const STEPS: usize = 20;
/// Share of the tolerance that is aimed at, so that exact values do not just miss it.
const MARGIN: f64 = 0.9;
/// Rows of f that one task updates.
const CHUNK: usize = 1024;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Violation and gap are within the tolerance, as far as rows of this precision can tell.
    Reached,
    /// No step makes progress in this precision.
    Stalled,
    /// Time or iterations are spent.
    Limit,
}

/// A problem and where its solution stands.
pub(super) struct State<'a> {
    pub(super) problem: &'a Problem,
    /// Distinct rows of K, ascending.
    pub(super) rows: Vec<usize>,
    /// Each variable's place in `rows`.
    pub(super) place: Vec<usize>,
    /// b.
    pub(super) coef: Vec<f64>,
    /// f = Kb at `rows`.
    pub(super) values: Vec<f64>,
    pub(super) iterations: usize,
    /// Nothing more is to be done.
    pub(super) closed: bool,
}

impl<'a> State<'a> {
    pub(super) fn new(problem: &'a Problem, shape: (usize, usize), diagonal: &[f64]) -> Result<Self> {
        let n = problem.row.len();
        let coef = problem.start.clone().unwrap_or_else(|| vec![0.0; n]);
        if [problem.target.len(), problem.low.len(), problem.high.len(), coef.len()] != [n; 4] {
            return Err(malformed("rows, targets, bounds and start differ in number"));
        }
        if shape.0 != shape.1 || diagonal.len() != shape.0 || problem.row.iter().any(|&r| r >= shape.0) {
            return Err(malformed("its rows are not those of a square Gram matrix"));
        }
        let fits = |k: usize| {
            let (low, high) = (problem.low[k], problem.high[k]);
            low <= 0.0
                && high >= 0.0
                && low.is_finite()
                && high.is_finite()
                && problem.target[k].is_finite()
                && low <= coef[k]
                && coef[k] <= high
        };
        if let Some(k) = (0..n).find(|&k| !fits(k)) {
            return Err(malformed(&format!("variable {k} has a target, bounds or a start that are not finite or do not fit together")));
        }
        let mut rows = problem.row.clone();
        rows.sort_unstable();
        rows.dedup();
        let place = problem.row.iter().map(|r| rows.partition_point(|q| q < r)).collect();
        Ok(State { problem, values: vec![0.0; rows.len()], rows, place, coef, iterations: 0, closed: false })
    }

    /// Whether any variable is not zero.
    pub(super) fn is_moved(&self) -> bool {
        self.coef.iter().any(|&b| b != 0.0)
    }

    /// v = z - f of a variable.
    pub(super) fn v(&self, k: usize) -> f64 {
        self.problem.target[k] - self.values[self.place[k]]
    }

    pub(super) fn may_rise(&self, k: usize) -> bool {
        self.coef[k] < self.problem.high[k]
    }

    pub(super) fn may_fall(&self, k: usize) -> bool {
        self.coef[k] > self.problem.low[k]
    }

    pub(super) fn is_optimal(&self, tolerance: f64) -> bool {
        certificate::of(self).within(tolerance)
    }

    pub(super) fn into_solution(self, tolerance: f64) -> Solution {
        let c = certificate::of(&self);
        Solution {
            offset: c.offset,
            free: c.free,
            bound: c.bound,
            primal: c.primal,
            dual: c.dual,
            gap: c.gap,
            violation: c.violation,
            iterations: self.iterations,
            converged: c.within(tolerance),
            coef: self.coef,
        }
    }
}

/// Runs until violation and gap are within the tolerance, nothing moves, or a limit is met.
pub(super) fn run<T: Cell>(state: &mut State<'_>, cache: &mut RowCache<'_, T>, options: &Options, control: &Control) -> Result<Stop> {
    let tolerance = MARGIN * options.tolerance;
    // A small violation may still leave a large gap (large bounds): then the goal is tightened.
    let mut goal = tolerance;
    let mut last: Vec<usize> = Vec::new();
    loop {
        control.check()?;
        control.tell("pair steps", state.iterations, options.max_iterations);
        let Choice { violation, block } = choose(state, &last, BLOCK.min(cache.capacity()))?;
        if violation <= goal {
            if certificate::of(state).within(tolerance) {
                return Ok(Stop::Reached);
            }
            if violation <= 0.0 {
                return Ok(Stop::Stalled);
            }
            goal = TIGHTEN * violation;
        }
        if state.iterations >= options.max_iterations || control.out_of_time() {
            return Ok(Stop::Limit);
        }
        let most = (STEPS * block.len()).min(options.max_iterations - state.iterations);
        let steps = improve(state, cache, &block, (INNER * violation).max(0.5 * goal), most, control)?;
        state.iterations += steps;
        if steps == 0 {
            return Ok(Stop::Stalled);
        }
        last = block;
    }
}

/// What to work on next.
struct Choice {
    violation: f64,
    block: Vec<usize>,
}

/// The violation, and a block of the worst violators together with half of the last block.
fn choose(state: &State<'_>, last: &[usize], size: usize) -> Result<Choice> {
    let n = state.coef.len();
    let (mut rise, mut fall) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for k in 0..n {
        let v = state.v(k);
        if !v.is_finite() {
            return Err(Error::Numerical {
                what: "support vector solver".into(),
                why: format!("a kernel value of row {} is not finite or far too large; scale the columns", state.problem.row[k] + 1),
            });
        }
        if state.may_rise(k) {
            rise.push((-v, k));
        }
        if state.may_fall(k) {
            fall.push((v, k));
        }
    }
    let kept = last.len().min(size / 2);
    let each = ((size - kept) / 2).max(1);
    let worst = |list: &mut Vec<(f64, usize)>| {
        if list.len() > each {
            list.select_nth_unstable_by(each - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            list.truncate(each);
        }
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    };
    worst(&mut rise);
    worst(&mut fall);
    let violation = match (rise.first(), fall.first()) {
        (Some(r), Some(f)) => -r.0 - f.0,
        _ => 0.0,
    };
    let mut block = Vec::with_capacity(size);
    let mut taken = vec![false; n];
    let candidates = rise.iter().zip(&fall).flat_map(|(r, f)| [r.1, f.1]);
    let longer = if rise.len() > fall.len() { &rise[fall.len()..] } else { &fall[rise.len()..] };
    for k in candidates.chain(longer.iter().map(|c| c.1)).chain(last.iter().copied()) {
        if block.len() < size && !std::mem::replace(&mut taken[k], true) {
            block.push(k);
        }
    }
    Ok(Choice { violation, block })
}

/// Solves the problem on a block and brings f up to date. Returns the pair steps.
fn improve<T: Cell>(
    state: &mut State<'_>,
    cache: &mut RowCache<'_, T>,
    block: &[usize],
    goal: f64,
    most: usize,
    control: &Control,
) -> Result<usize> {
    let mut list: Vec<usize> = block.iter().map(|&k| state.problem.row[k]).collect();
    list.sort_unstable();
    list.dedup();
    let rows = cache.rows(&list, control)?;
    let own: Vec<&[T]> = block.iter().map(|&k| rows[list.partition_point(|&r| r < state.problem.row[k])]).collect();
    let pick = |from: &[f64]| block.iter().map(|&k| from[k]).collect::<Vec<f64>>();
    let mut small = Block {
        kernel: among(state, block, &own),
        v: block.iter().map(|&k| state.v(k)).collect(),
        coef: pick(&state.coef),
        low: pick(&state.problem.low),
        high: pick(&state.problem.high),
    };
    let steps = small.solve(goal, most);
    let mut changes: Vec<(&[T], f64)> = Vec::new();
    for ((&k, row), &new) in block.iter().zip(own).zip(&small.coef) {
        if new != state.coef[k] {
            changes.push((row, new - state.coef[k]));
            state.coef[k] = new;
        }
    }
    update(&mut state.values, &state.rows, &changes);
    Ok(if changes.is_empty() { 0 } else { steps })
}

/// K among the variables of a block, exactly symmetric: each pair from the row of its later variable, then mirrored.
fn among<T: Cell>(state: &State<'_>, block: &[usize], own: &[&[T]]) -> Vec<f64> {
    let n = block.len();
    let places: Vec<usize> = block.iter().map(|&k| state.problem.row[k]).collect();
    let mut kernel = Matrix::zeros(n, n);
    for (i, row) in own.iter().enumerate() {
        for (value, &at) in kernel.row_mut(i).iter_mut().zip(&places[..=i]) {
            *value = row[at].to_f64();
        }
    }
    mirror_lower(&mut kernel);
    kernel.into_data()
}

/// values += sum of change x kernel row, at the rows of the problem; summed in f64, so that nothing drifts.
fn update<T: Cell>(values: &mut [f64], rows: &[usize], changes: &[(&[T], f64)]) {
    let whole = rows.last().is_some_and(|&r| r + 1 == rows.len());
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(c, part)| {
        let start = c * CHUNK;
        let end = start + part.len();
        let fours = changes.chunks_exact(4);
        let rest = fours.remainder();
        if whole {
            for four in fours {
                if let [(a, da), (b, db), (c, dc), (d, dd)] = four {
                    let rows = a[start..end].iter().zip(&b[start..end]).zip(&c[start..end]).zip(&d[start..end]);
                    for (v, (((a, b), c), d)) in part.iter_mut().zip(rows) {
                        *v += da * a.to_f64() + db * b.to_f64() + dc * c.to_f64() + dd * d.to_f64();
                    }
                }
            }
        }
        for (row, change) in if whole { rest } else { changes } {
            if whole {
                for (v, k) in part.iter_mut().zip(&row[start..end]) {
                    *v += change * k.to_f64();
                }
            } else {
                for (v, &r) in part.iter_mut().zip(&rows[start..end]) {
                    *v += change * row[r].to_f64();
                }
            }
        }
    });
}

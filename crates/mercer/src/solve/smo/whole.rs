//! Problems so small that K among their rows is held in f64: each is one block, and nothing is computed twice. Whether K is
//! held for all problems at once, for those of some classes or for one alone follows from the memory and changes no bit.
//!
//! A problem is solved in f32 first; values of f are then computed anew in f64 from the same K, and the rest is done in f64.
//! The gap of a problem with large bounds is within the tolerance only where the violation is far below it: the goal is
//! tightened by what the last look showed.

use super::pairs::{Block, Rows, Until, width};
use super::panels::{self, Groups};
use super::passes::Passes;
use super::state::State;
use super::{MARGIN, NARROW, Options, PATIENCE, Problem, certificate, interior, sides};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Gram, Subset, add_rows, axpy, dense, runs, with_scratch};
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// A problem of no more variables is one block, of no more where several share values of K, and where K is there already.
const WHOLE: [usize; 3] = [2048, 3072, 4096];
/// K among the rows of all such problems is computed once where there are no more.
const SHARED: usize = 4096;
/// The first goal is this share of the violation asked for.
const GOAL: f64 = 0.7;
/// Where the gap is too large, the next goal is this share of the last, as the gap asks for.
const TIGHTEN: (f64, f64) = (0.01, 0.4);
/// A violation above this share of the last has not gone down.
const STANDS: f64 = 0.9;
/// Where violation or gap in f32 are above so many tolerances, those in f64 are not asked for.
const ROUGHLY: f64 = 1.5;
/// Times that a problem is taken up again, per kind of number.
const ROUNDS: usize = 12;

/// Rows of a block take memory that is kept for the next where they have no more bytes.
const MEMORY: usize = 16 << 20;
/// Rows of K are read run by run where runs have so many values on average.
const SHORT: usize = 8;
/// Rows of K that are added up at once.
const TOGETHER: usize = 8;
/// Steps in f32 between two looks in f64, per variable and besides.
const LOOK: (usize, usize) = (8, 500);
/// Where v in f32 has gone so many goals from the exact one between two looks, its steps lead elsewhere.
const DRIFT: f64 = 0.5;
/// A violation so many times the goal of f32 is rounding, and more of it leads nowhere.
const NOISE: f64 = 3.0;
/// Problems of so many variables are taken up by those that may still change, where these are no more than this share.
const PART: (usize, f64) = (1024, 0.6);
/// Such a part is solved to this share of the violation of the whole: what it comes to may change who belongs to it.
const FIRST: f64 = 0.1;
/// Parts that are tried.
const PARTS: usize = 20;

/// Whether a problem is one block: K in f64 and the rows of the block in f32, whatever else is kept.
pub(super) fn fits(state: &State<'_>, problems: usize, gram: &dyn Gram, control: &Control) -> bool {
    let n = state.coef.len();
    n <= WHOLE[if gram.held().is_some() { 2 } else { usize::from(problems > 1) }] && 12 * (n * n) as u64 <= control.allowed() / 2
}

/// Solves problems side by side, and closes them.
///
/// Problems over some of the rows are pairs of classes: one class is laid out after the other, as K between two classes is.
pub(super) fn solve(gram: &dyn Gram, states: &mut [&mut State<'_>], options: &Options, control: &Control) -> Result<()> {
    let of_all = |s: &State<'_>| s.coef.len() == gram.shape().0;
    if states.iter().all(|s| of_all(s)) {
        return solve_or_close(gram, states, options, control);
    }
    let by_side = |s: &State<'_>| {
        if of_all(s) {
            return (0..s.coef.len()).collect();
        }
        let (below, above): (Vec<usize>, Vec<usize>) = (0..s.coef.len()).partition(|&k| s.problem.high[k] == 0.0);
        [below, above].concat()
    };
    let orders: Vec<Vec<usize>> = states.par_iter().map(|s| by_side(s)).collect();
    let laid_out = |(s, order): (&&mut State<'_>, &Vec<usize>)| s.problem_of(order, order.iter().map(|&k| s.problem.row[k]).collect());
    let problems: Vec<Problem> = states.par_iter().zip(&orders).map(laid_out).collect();
    let mut parts: Vec<State<'_>> = states.par_iter().zip(&problems).zip(&orders).map(|((s, p), order)| s.part(p, order)).collect();
    let mut all: Vec<&mut State<'_>> = parts.iter_mut().collect();
    let result = match gram.held() {
        None if sides::fits(gram) => sides::solve(gram, &mut all, options, control).and_then(|()| {
            all.retain(|s| !s.closed);
            if all.is_empty() { Ok(()) } else { solve_or_close(gram, &mut all, options, control) }
        }),
        _ => solve_or_close(gram, &mut all, options, control),
    };
    states.par_iter_mut().zip(&parts).zip(&orders).for_each(|((s, part), order)| s.take(part, order));
    result
}

/// The same for problems as they are laid out.
pub(super) fn solve_or_close(gram: &dyn Gram, states: &mut [&mut State<'_>], options: &Options, control: &Control) -> Result<()> {
    match solve_in_time(gram, states, options, control) {
        // There is an iterate to return, though no K to go on with.
        Err(Error::Time { .. }) => close(gram, states, control),
        other => other,
    }
}

/// Leaves problems as they stand.
fn close(gram: &dyn Gram, states: &mut [&mut State<'_>], control: &Control) -> Result<()> {
    let mut moved: Vec<&mut State<'_>> = states.iter_mut().filter(|s| !s.closed && s.is_moved()).map(|s| &mut **s).collect();
    certificate::refresh(gram, &mut moved, None, control)?;
    states.iter_mut().for_each(|s| s.closed = true);
    Ok(())
}

fn solve_in_time(gram: &dyn Gram, states: &mut [&mut State<'_>], options: &Options, control: &Control) -> Result<()> {
    if control.out_of_time() {
        return close(gram, states, control);
    }
    if let Some(matrix) = gram.held() {
        return side_by_side(states, matrix, Some(gram), &|row| row, options, control);
    }
    let mut rows: Vec<usize> = states.iter().flat_map(|s| s.problem.row.iter().copied()).collect();
    rows.sort_unstable();
    rows.dedup();
    let among = |n: usize| 8 * (n * n) as u64;
    if rows.len() > SHARED || among(rows.len()) > options.cache_bytes {
        let groups = Groups::of(states);
        if groups.bytes() <= options.cache_bytes {
            return panels::solve(gram, states, &groups, options, control);
        }
        return states.iter_mut().try_for_each(|state| {
            let rows = &state.problem.row;
            let matrix = dense(&Subset::new(gram, rows, rows), control)?;
            let result = one(state, &Shared::new(&matrix, None, (0..rows.len()).collect()), options, control);
            control.keep(matrix.into_data());
            result
        });
    }
    let matrix = if rows.len() == gram.shape().0 { dense(gram, control)? } else { dense(&Subset::new(gram, &rows, &rows), control)? };
    let result = side_by_side(states, &matrix, None, &|row| rows.partition_point(|q| *q < row), options, control);
    control.keep(matrix.into_data());
    result
}

/// Solves problems on one matrix that holds K among the rows of all; `place` says where a row lies in it, `holder` is who
/// holds it for others too.
fn side_by_side(
    states: &mut [&mut State<'_>],
    matrix: &Matrix,
    holder: Option<&dyn Gram>,
    place: &(dyn Fn(usize) -> usize + Sync),
    options: &Options,
    control: &Control,
) -> Result<()> {
    states.par_iter_mut().try_for_each(|state| {
        let at = state.problem.row.iter().map(|&r| place(r)).collect();
        one(state, &Shared::new(matrix, holder, at), options, control)
    })
}

/// K among the variables of a problem.
pub(super) trait Kernel: Sync {
    /// Writes the row of a variable.
    fn write<T: Passes>(&self, k: usize, out: &mut [T]);
    /// Writes what some variables have in the row of a variable; `row` is room for all of it.
    fn write_some<T: Passes>(&self, k: usize, some: &[usize], row: &mut Vec<T>, of: usize, out: &mut [T]) {
        match self.row(k) {
            Some(row) => out.iter_mut().zip(some).for_each(|(o, &s)| *o = T::from_f64(row[s])),
            None => {
                row.resize(of, T::default());
                self.write(k, row);
                out.iter_mut().zip(some).for_each(|(o, &s)| *o = row[s]);
            }
        }
    }
    /// The row of a variable where it lies as a whole.
    fn row(&self, _k: usize) -> Option<&[f64]> {
        None
    }
    /// K among the variables where rows are computed as they are asked for, so that f is computed in f64 where that decides.
    fn inputs(&self) -> Option<&dyn Gram> {
        None
    }
    /// All rows in f32 where they are held so, each of so many numbers.
    fn single(&self, _width: usize) -> Option<&[f32]> {
        None
    }
}

/// A part of a matrix that several problems share.
struct Shared<'a> {
    matrix: &'a Matrix,
    holder: Option<&'a dyn Gram>,
    /// The row of the matrix that each variable belongs to.
    at: Vec<usize>,
    /// The same as runs of rows that follow on each other; none where there are many short ones.
    runs: Vec<Range<usize>>,
}

impl<'a> Shared<'a> {
    fn new(matrix: &'a Matrix, holder: Option<&'a dyn Gram>, at: Vec<usize>) -> Self {
        let mut runs: Vec<Range<usize>> = runs(&at).into_iter().map(|(_, run)| run).collect();
        if runs.len() > 1 && runs.len() * SHORT > at.len() {
            runs.clear();
        }
        Shared { matrix, holder, at, runs }
    }
}

impl Kernel for Shared<'_> {
    fn write<T: Passes>(&self, k: usize, out: &mut [T]) {
        let (row, mut rest) = (self.matrix.row(self.at[k]), out);
        for run in &self.runs {
            let (some, others) = rest.split_at_mut(run.len());
            some.iter_mut().zip(&row[run.clone()]).for_each(|(o, v)| *o = T::from_f64(*v));
            rest = others;
        }
        if self.runs.is_empty() {
            rest.iter_mut().zip(&self.at).for_each(|(o, &at)| *o = T::from_f64(row[at]));
        }
    }
    fn row(&self, k: usize) -> Option<&[f64]> {
        let [run] = &self.runs[..] else { return None };
        Some(&self.matrix.row(self.at[k])[run.clone()])
    }
    fn single(&self, width: usize) -> Option<&[f32]> {
        self.holder.filter(|_| matches!(&self.runs[..], [run] if *run == (0..self.matrix.cols())))?.held_single(width)
    }
}

/// Solves one problem.
pub(super) fn one(state: &mut State<'_>, kernel: &impl Kernel, options: &Options, control: &Control) -> Result<()> {
    let known = if state.exact { state.coef.clone() } else { Vec::new() };
    Solver { state, kernel, known, options, control }.solve()
}

/// One problem on its way.
struct Solver<'w, 'p, K> {
    state: &'w mut State<'p>,
    kernel: &'w K,
    /// The coefficients that f belongs to; none at the beginning.
    known: Vec<f64>,
    options: &'w Options,
    control: &'w Control,
}

impl<K: Kernel> Solver<'_, '_, K> {
    fn solve(&mut self) -> Result<()> {
        if self.state.is_moved() {
            self.refresh::<f64>(&[], true)?;
            self.state.stretch();
            self.known.clone_from(&self.state.coef);
        }
        let (narrow, most) = (self.options.tolerance >= NARROW, self.options.max_iterations);
        if let Some(features) = self.state.features.take() {
            // Few steps in pairs are less work than those of an interior point.
            if narrow {
                self.stage::<f32>(interior::pairs_instead(self.state, &features).min(most))?;
            }
            if !self.state.closed {
                interior::start(self.state, &features, self.control);
                self.refresh::<f64>(&[], true)?;
            }
        }
        if narrow && !self.state.near {
            self.stage::<f32>(most)?;
        }
        if self.kernel.inputs().is_some() && !self.state.closed && self.state.is_moved() {
            // What was known in f32 is not enough for steps in f64.
            self.refresh::<f64>(&[], true)?;
        }
        self.stage::<f64>(most)?;
        (self.state.closed, self.state.exact) = (true, self.kernel.inputs().is_none());
        Ok(())
    }

    /// f = Kb in f64, from f of the coefficients known where fewer have changed than there are; or, from v as the steps have left
    /// it, where that decides: nowhere, but for the last look, as long as it is far from optimal.
    fn refresh<T: Passes>(&mut self, v: &[T], last: bool) -> Result<()> {
        let Solver { state, kernel, known, .. } = self;
        if let Some(inputs) = kernel.inputs() {
            let problem = state.problem;
            let rounded = (!v.is_empty()).then_some(self.options.tolerance);
            state.values.iter_mut().zip(&problem.target).zip(v).for_each(|((f, z), v)| *f = z - v.to_f64());
            if !last && size_of::<T>() == 4 && !certificate::of(state).within(ROUGHLY * self.options.tolerance) {
                return Ok(());
            }
            return certificate::refresh_here(inputs, state, rounded, self.control);
        }
        let State { coef, values, .. } = &mut **state;
        let changed = known.iter().zip(&*coef).filter(|(a, b)| a != b).count();
        if known.is_empty() || changed >= coef.iter().filter(|b| **b != 0.0).count() {
            values.fill(0.0);
            *known = vec![0.0; values.len()];
        }
        let mut changes: Vec<(usize, f64)> = Vec::new();
        for (k, (&b, before)) in coef.iter().zip(known).enumerate().filter(|(_, (b, before))| *b != *before) {
            changes.push((k, b - std::mem::replace(before, b)));
        }
        let n = values.len().max(1);
        let mut written = Vec::new();
        for some in changes.chunks(TOGETHER) {
            for (place, &(k, _)) in some.iter().enumerate().filter(|(_, (k, _))| kernel.row(*k).is_none()) {
                written.resize(TOGETHER * n, 0.0);
                kernel.write(k, &mut written[place * n..(place + 1) * n]);
            }
            let row = |(place, &(k, _)): (usize, &(usize, f64))| kernel.row(k).unwrap_or_else(|| &written[place * n..(place + 1) * n]);
            match some.iter().enumerate().map(row).collect::<Vec<&[f64]>>().try_into() {
                Ok(rows) => add_rows(values, rows, std::array::from_fn(|q| some[q].1)),
                Err(rows) => some.iter().zip::<Vec<&[f64]>>(rows).for_each(|(&(_, change), row)| axpy(change, row, values)),
            }
        }
        Ok(())
    }

    /// Goes on in one kind of number until the point is optimal, nothing moves any more, or a limit is met; which closes it,
    /// but for the second and for `most` steps in all.
    fn stage<T: Passes>(&mut self, most: usize) -> Result<()> {
        if self.state.closed {
            return Ok(());
        }
        let n = self.state.coef.len();
        if n >= PART.0 && self.kernel.inputs().is_none() && self.parts::<T>(most)? {
            return Ok(());
        }
        if let Some(lent) = self.kernel.single(width(n)).and_then(T::lent) {
            return self.stage_on(Rows::Held(lent), most);
        }
        let (kernel, size) = (self.kernel, n * width(n));
        let write = |k: usize, out: &mut [T]| kernel.write(k, out);
        if size * size_of::<T>() > MEMORY {
            return self.stage_on(Rows::later(n, &mut vec![T::default(); size], &write), most);
        }
        with_scratch(size, |memory: &mut [T]| self.stage_on(Rows::later(n, memory, &write), most))
    }

    /// Pair steps among the variables that may still change, without the others, which mostly stay where they are: at a bound,
    /// or held out by bounds of 0. Whether that was all; the whole goes on where it was not, and where nearly all may change.
    fn parts<T: Passes>(&mut self, most: usize) -> Result<bool> {
        let (n, goal, rounded) = (self.state.coef.len(), GOAL * self.options.tolerance, size_of::<T>() == 4);
        let (whole, mut last) = (RefCell::new(Vec::new()), f64::INFINITY);
        let (kernel, lent) = (self.kernel, self.kernel.single(width(n)).and_then(T::lent));
        for _ in 0..PARTS {
            self.control.check()?;
            let quality = certificate::of(self.state);
            let spent = self.control.out_of_time() || self.state.iterations >= self.options.max_iterations;
            self.state.closed = spent || quality.within(MARGIN * self.options.tolerance);
            let stands = quality.violation >= last || quality.violation <= goal;
            if self.state.closed || self.state.iterations >= most || stands {
                return Ok(self.state.closed);
            }
            let members: Vec<usize> = self.state.unsettled(&quality).collect();
            let wide = width(members.len());
            if members.len() as f64 > PART.1 * n as f64 {
                return Ok(false);
            }
            let inner = goal.max(FIRST * quality.violation);
            let left = (most - self.state.iterations).min(if rounded { LOOK.0 * members.len() + LOOK.1 } else { usize::MAX });
            let until = Until { goal: inner, most: left, control: self.control };
            let write = |a: usize, out: &mut [T]| match lent.map(|all| &all[members[a] * width(n)..]) {
                Some(row) => out.iter_mut().zip(&members).for_each(|(o, &s)| *o = row[s]),
                None => kernel.write_some(members[a], &members, &mut whole.borrow_mut(), n, out),
            };
            let steps = with_scratch(members.len() * wide, |memory: &mut [T]| {
                let mut block: Block<'_, T> = Block::new(self.state, &members, Rows::later(members.len(), memory, &write));
                let steps = block.solve(self.state, &until);
                members.iter().zip(&block.coef).for_each(|(&k, &b)| self.state.coef[k] = b);
                steps
            });
            self.state.iterations += steps;
            self.refresh::<T>(&[], true)?;
            self.state.finite()?;
            if steps == 0 {
                return Ok(false);
            }
            last = if steps == left { f64::INFINITY } else { quality.violation };
        }
        Ok(false)
    }

    fn stage_on<T: Passes>(&mut self, rows: Rows<'_, T>, most: usize) -> Result<()> {
        let (options, control) = (self.options, self.control);
        let members: Vec<usize> = (0..self.state.coef.len()).collect();
        let (n, rounded) = (members.len(), size_of::<T>() == 4);
        let mut block: Block<'_, T> = Block::new(self.state, &members, rows);
        let (mut goal, mut reached, mut last) = (GOAL * options.tolerance, None, f64::INFINITY);
        let mut round = 0;
        while round < ROUNDS {
            control.check()?;
            control.tell("steps of the solver", self.state.iterations, options.max_iterations);
            let until = reached.map_or(most, |before: usize| most.min(PATIENCE.0 * before + PATIENCE.1 * n));
            let left = until.saturating_sub(self.state.iterations).min(if rounded { LOOK.0 * n + LOOK.1 } else { usize::MAX });
            let spent = control.out_of_time() || self.state.iterations >= options.max_iterations;
            let steps = if spent { 0 } else { block.solve(self.state, &Until { goal, most: left, control }) };
            self.state.coef.copy_from_slice(&block.coef);
            self.state.iterations += steps;
            self.refresh(&block.v, spent || self.state.iterations >= until)?;
            self.state.finite()?;
            let drift = block.v.iter().take(n).enumerate().fold(0.0f64, |far, (k, v)| far.max((v.to_f64() - self.state.v(k)).abs()));
            let quality = certificate::of(self.state);
            self.state.closed = spent || quality.within(MARGIN * options.tolerance);
            if self.state.closed || self.state.iterations >= until || rounded && drift > DRIFT * goal {
                return Ok(());
            }
            if steps == left {
                block.reset(self.state);
                continue;
            }
            // In this kind of number there is nothing left where no pair moves above the goal, or where violation and gap stand
            // still.
            let idle = steps == 0 && quality.violation > goal;
            let stands = steps > 0 && quality.violation.max(0.0) >= STANDS * last && quality.violation <= goal;
            if idle || stands || rounded && quality.violation > NOISE * goal {
                return Ok(());
            }
            last = quality.violation.max(0.0);
            if quality.violation <= MARGIN * options.tolerance {
                reached = reached.or(Some(self.state.iterations));
                let wanted = 0.5 * options.tolerance / quality.gap;
                goal = quality.violation.min(goal) * wanted.clamp(TIGHTEN.0, TIGHTEN.1);
            } else {
                goal = goal.min(0.5 * quality.violation);
            }
            block.reset(self.state);
            round += 1;
        }
        Ok(())
    }
}

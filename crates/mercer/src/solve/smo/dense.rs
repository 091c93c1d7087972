//! Problems so small that K among their rows is held in f64: each is one block, and nothing is computed twice. Whether K is
//! held for all problems at once, for those of some classes or for one alone follows from the memory and changes no bit.
//!
//! A problem is solved in f32 first; values of f are then computed anew in f64 from the same K, and the rest is done in f64.
//! The gap of a problem with large bounds is within the tolerance only where the violation is far below it: the goal is
//! tightened by what the last look showed.

use super::limits::dense::*;
use super::pairs::{Block, BlockRows, Until, width};
use super::passes::Passes;
use super::plan::Road;
use super::state::{ProblemStage, ProblemState};
use super::{MARGIN, NARROW, PATIENCE, Precision, Problem, SolverJob, TOGETHER, certificate, interior};
use crate::error::{Error, Result};
use crate::gram::{Features, Gram, Subset, add_rows, axpy, dense, runs, with_scratch};
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// Takes problems along a road, class by class: those over some of the rows are pairs of classes, and one class is laid out after the
/// other, as K between two classes is.
pub(super) fn by_class(
    job: &SolverJob<'_>,
    states: &mut [&mut ProblemState<'_>],
    road: impl Fn(&SolverJob<'_>, &mut [&mut ProblemState<'_>]) -> Result<()>,
) -> Result<()> {
    let of_all = |s: &ProblemState<'_>| s.coef.len() == job.gram.shape().0;
    if states.iter().all(|s| of_all(s)) {
        return road(job, states);
    }
    let by_side = |s: &ProblemState<'_>| {
        if of_all(s) {
            return (0..s.coef.len()).collect();
        }
        let (below, above): (Vec<usize>, Vec<usize>) = (0..s.coef.len()).partition(|&k| s.problem.high[k] == 0.0);
        [below, above].concat()
    };
    let orders: Vec<Vec<usize>> = states.par_iter().map(|s| by_side(s)).collect();
    let laid_out =
        |(s, order): (&&mut ProblemState<'_>, &Vec<usize>)| s.problem_of(order, order.iter().map(|&k| s.problem.row[k]).collect());
    let problems: Vec<Problem> = states.par_iter().zip(&orders).map(laid_out).collect();
    let mut parts: Vec<ProblemState<'_>> = states.par_iter().zip(&problems).zip(&orders).map(|((s, p), order)| s.part(p, order)).collect();
    let result = road(job, &mut parts.iter_mut().collect::<Vec<_>>());
    states.par_iter_mut().zip(&parts).zip(&orders).for_each(|((s, part), order)| s.take(part, order));
    result
}

/// Solves problems by K as it is held.
pub(super) fn held(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    in_time(job, states, |states| match job.gram.structure().held() {
        Some(matrix) => side_by_side(job, states, matrix, Some(job.gram), &|row| row),
        None => Ok(()),
    })
}

/// Solves problems by K among the rows of all of them.
pub(super) fn shared(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    in_time(job, states, |states| {
        let mut place = vec![usize::MAX; job.gram.shape().0];
        states.iter().flat_map(|s| &s.problem.row).for_each(|&r| place[r] = 0);
        let rows: Vec<usize> = (0..place.len()).filter(|&r| place[r] == 0).collect();
        rows.iter().enumerate().for_each(|(at, &r)| place[r] = at);
        let all = rows.len() == place.len();
        let matrix = if all { dense(job.gram, job.control)? } else { dense(&Subset::new(job.gram, &rows, &rows), job.control)? };
        let result = side_by_side(job, states, &matrix, None, &|row| place[row]);
        job.control.keep(matrix.into_data());
        result
    })
}

/// Solves one problem after the other by K among its rows.
pub(super) fn alone(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'_>]) -> Result<()> {
    in_time(job, states, |states| {
        states.iter_mut().try_for_each(|state| {
            let rows = &state.problem.row;
            let matrix = dense(&Subset::new(job.gram, rows, rows), job.control)?;
            let result = one(state, &MatrixRows::new(&matrix, None, (0..rows.len()).collect()), job);
            job.control.keep(matrix.into_data());
            result
        })
    })
}

/// Solves problems, or leaves them as they stand where time is over: there is an iterate to return, though no K to go on with.
pub(super) fn in_time<'p>(
    job: &SolverJob<'_>,
    states: &mut [&mut ProblemState<'p>],
    solve: impl FnOnce(&mut [&mut ProblemState<'p>]) -> Result<()>,
) -> Result<()> {
    if !job.control.out_of_time() {
        match solve(states) {
            Err(Error::Time { .. }) => (),
            other => return other,
        }
    }
    let mut moved: Vec<&mut ProblemState<'_>> = states.iter_mut().filter(|s| !s.is_done() && s.is_moved()).map(|s| &mut **s).collect();
    certificate::refresh(job, &mut moved, None, 1)?;
    states.iter_mut().for_each(|s| s.stage = ProblemStage::Done);
    Ok(())
}

/// Solves problems on one matrix that holds K among the rows of all; `place` says where a row lies in it, `holder` is who
/// holds it for others too.
fn side_by_side(
    job: &SolverJob<'_>,
    states: &mut [&mut ProblemState<'_>],
    matrix: &Matrix,
    holder: Option<&dyn Gram>,
    place: &(dyn Fn(usize) -> usize + Sync),
) -> Result<()> {
    states.par_iter_mut().try_for_each(|state| {
        let at = state.problem.row.iter().map(|&r| place(r)).collect();
        one(state, &MatrixRows::new(matrix, holder, at), job)
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
struct MatrixRows<'a> {
    matrix: &'a Matrix,
    holder: Option<&'a dyn Gram>,
    /// The row of the matrix that each variable belongs to.
    at: Vec<usize>,
    /// `at` as runs of consecutive rows; none where there are many short ones.
    runs: Vec<Range<usize>>,
}

impl<'a> MatrixRows<'a> {
    fn new(matrix: &'a Matrix, holder: Option<&'a dyn Gram>, at: Vec<usize>) -> Self {
        let mut runs: Vec<Range<usize>> = runs(&at).into_iter().map(|(_, run)| run).collect();
        if runs.len() > 1 && runs.len() * SHORT > at.len() {
            runs.clear();
        }
        MatrixRows { matrix, holder, at, runs }
    }
}

impl Kernel for MatrixRows<'_> {
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
        self.holder.filter(|_| matches!(&self.runs[..], [run] if *run == (0..self.matrix.cols())))?.structure().held_single(width)
    }
}

/// Solves one problem.
pub(super) fn one(state: &mut ProblemState<'_>, kernel: &impl Kernel, job: &SolverJob<'_>) -> Result<()> {
    let known = if state.known == Some(Precision::Exact) { state.coef.clone() } else { Vec::new() };
    Solver { state, kernel, known, job }.solve()
}

/// One problem on its way.
struct Solver<'w, 'p, K> {
    state: &'w mut ProblemState<'p>,
    kernel: &'w K,
    /// The coefficients that f belongs to; none at the beginning.
    known: Vec<f64>,
    job: &'w SolverJob<'w>,
}

impl<K: Kernel> Solver<'_, '_, K> {
    fn solve(&mut self) -> Result<()> {
        if self.state.is_moved() {
            self.refresh::<f64>(&[], true)?;
            self.state.stretch();
            self.known.clone_from(&self.state.coef);
        }
        let (narrow, most) = (self.job.options.tolerance >= NARROW, self.job.options.max_iterations);
        if let (true, Some(Features::Dense(features))) = (self.state.roads.contains(&Road::Interior), self.job.features) {
            // Few steps in pairs are less work than those of an interior point.
            if narrow {
                self.stage::<f32>(interior::pairs_instead(self.state, features).min(most))?;
            }
            if !self.state.is_done() {
                interior::start(self.state, features, self.job.control);
                self.refresh::<f64>(&[], true)?;
            }
        }
        if narrow && self.state.stage != ProblemStage::Warm {
            self.stage::<f32>(most)?;
        }
        if self.kernel.inputs().is_some() && !self.state.is_done() && self.state.is_moved() {
            // What was known in f32 is not enough for steps in f64.
            self.refresh::<f64>(&[], true)?;
        }
        self.stage::<f64>(most)?;
        let precision = if self.kernel.inputs().is_none() { Precision::Exact } else { Precision::Certified };
        (self.state.stage, self.state.known) = (ProblemStage::Done, Some(precision));
        Ok(())
    }

    /// f = Kb in f64, from f of the coefficients known where fewer have changed than there are; or, from v as the steps have left
    /// it, where that decides: nowhere, but for the last look, as long as it is far from optimal.
    fn refresh<T: Passes>(&mut self, v: &[T], last: bool) -> Result<()> {
        let Solver { state, kernel, known, .. } = self;
        if let Some(inputs) = kernel.inputs() {
            let problem = state.problem;
            let rounded = (!v.is_empty()).then_some(self.job.options.tolerance);
            state.values.iter_mut().zip(&problem.target).zip(v).for_each(|((f, z), v)| *f = z - v.to_f64());
            if !last && size_of::<T>() == 4 && !certificate::of(state).within(ROUGHLY * self.job.options.tolerance) {
                return Ok(());
            }
            return certificate::refresh_here(self.job, inputs, state, rounded);
        }
        let ProblemState { coef, values, .. } = &mut **state;
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
        if self.state.is_done() {
            return Ok(());
        }
        let n = self.state.coef.len();
        if n >= PART.0 && self.kernel.inputs().is_none() && self.parts::<T>(most)? {
            return Ok(());
        }
        if let Some(lent) = self.kernel.single(width(n)).and_then(T::lent) {
            return self.stage_on(BlockRows::Held(lent), most);
        }
        let (kernel, size) = (self.kernel, n * width(n));
        let write = |k: usize, out: &mut [T]| kernel.write(k, out);
        if size * size_of::<T>() > MEMORY {
            return self.stage_on(BlockRows::later(n, &mut vec![T::default(); size], &write), most);
        }
        with_scratch(size, |memory: &mut [T]| self.stage_on(BlockRows::later(n, memory, &write), most))
    }

    /// Pair steps among the variables that may still change, without the others, which mostly stay where they are: at a bound,
    /// or held out by bounds of 0. Whether that was all; the whole goes on where it was not, and where nearly all may change.
    fn parts<T: Passes>(&mut self, most: usize) -> Result<bool> {
        let (n, goal, rounded) = (self.state.coef.len(), GOAL * self.job.options.tolerance, size_of::<T>() == 4);
        let (whole, mut last) = (RefCell::new(Vec::new()), f64::INFINITY);
        let (kernel, lent) = (self.kernel, self.kernel.single(width(n)).and_then(T::lent));
        for _ in 0..PARTS {
            self.job.control.check()?;
            let quality = certificate::of(self.state);
            let spent = self.job.control.out_of_time() || self.state.iterations >= self.job.options.max_iterations;
            self.state.end_if(spent || quality.within(MARGIN * self.job.options.tolerance));
            let stands = quality.violation >= last || quality.violation <= goal;
            if self.state.is_done() || self.state.iterations >= most || stands {
                return Ok(self.state.is_done());
            }
            let members: Vec<usize> = self.state.unsettled(&quality).collect();
            let wide = width(members.len());
            if members.len() as f64 > PART.1 * n as f64 {
                return Ok(false);
            }
            let inner = goal.max(FIRST * quality.violation);
            let left = (most - self.state.iterations).min(if rounded { LOOK.0 * members.len() + LOOK.1 } else { usize::MAX });
            let until = Until { goal: inner, most: left, control: self.job.control };
            let write = |a: usize, out: &mut [T]| match lent.map(|all| &all[members[a] * width(n)..]) {
                Some(row) => out.iter_mut().zip(&members).for_each(|(o, &s)| *o = row[s]),
                None => kernel.write_some(members[a], &members, &mut whole.borrow_mut(), n, out),
            };
            let steps = with_scratch(members.len() * wide, |memory: &mut [T]| {
                let mut block: Block<'_, T> = Block::new(self.state, &members, BlockRows::later(members.len(), memory, &write));
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

    fn stage_on<T: Passes>(&mut self, rows: BlockRows<'_, T>, most: usize) -> Result<()> {
        let (options, control) = (&self.job.options, self.job.control);
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
            self.state.end_if(spent || quality.within(MARGIN * options.tolerance));
            if self.state.is_done() || self.state.iterations >= until || rounded && drift > DRIFT * goal {
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

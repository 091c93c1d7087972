//! From one block of variables to the next, until no pair violates the optimality conditions.
//!
//! A block is what is left of the last block to three quarters, the rest worst violators. The problems go
//! forward together: the rows of K that their blocks ask for are fetched at once, the small problems on the blocks are
//! solved side by side, and f = Kb takes one update of the rank of each block. What one problem comes to depends neither
//! on the others nor on how many rows are kept: where fewer fit than a block has, they are asked for in pieces.

use super::certificate::GroupLevel;
use super::limits::decompose::*;
use super::pairs::{self, Block, Until};
use super::passes::Passes;
use super::state::{ProblemStage, ProblemState};
use super::working_set_gram::WorkingSetGram;
use super::{MARGIN, Options, PATIENCE, StepProgress, TOGETHER, certificate};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::{Cell, Gram, RowCache, add_rows};
use crate::linalg::count_passed;
use rayon::prelude::*;

/// Runs every open problem until its violation and gap are within the tolerance, nothing moves in this precision, or a
/// limit is met, which ends it; or until no more than `few` of its variables may still change.
pub(super) fn run<T: Passes>(
    states: &mut [&mut ProblemState<'_>],
    cache: &mut RowCache<'_, T>,
    options: &Options,
    few: usize,
    control: &Control,
) -> Result<StepProgress> {
    let mut runs: Vec<Run<'_, '_, T>> = states.iter_mut().filter(|s| !s.is_done()).map(|s| Run::new(s, options)).collect();
    let steps = |runs: &[Run<'_, '_, T>]| runs.iter().map(|r| r.state.iterations).sum::<usize>();
    let before = steps(&runs);
    loop {
        control.check()?;
        control.tell("steps of the solver", steps(&runs), options.max_iterations.saturating_mul(runs.len()));
        let (capacity, spent) = (cache.capacity(), control.out_of_time());
        runs.par_iter_mut().try_for_each(|run| run.plan(options, few, spent))?;
        let mut open: Vec<&mut Run<'_, '_, T>> = runs.iter_mut().filter(|r| !r.ended).collect();
        if open.is_empty() {
            let moved = steps(&runs) > before && runs.iter().any(|r| !r.stands);
            return Ok(if moved { StepProgress::Moved } else { StepProgress::Stands });
        }
        if open.len() > KEPT_FOR {
            open.iter_mut().for_each(|run| run.among.forget());
        }
        let mut rest = open.as_mut_slice();
        while !rest.is_empty() {
            let (list, count) = asked(rest, capacity);
            let (together, others) = rest.split_at_mut(count);
            let improved = if list.len() <= capacity {
                let quick = (cache.seconds_per_value() < GATHERED).then_some(cache.gram());
                cache.rows(&list, control).map(|values| {
                    let rows = CachedRows { values, list };
                    together.par_iter_mut().for_each(|run| run.improve(&rows, quick, options, control));
                })
            } else {
                together.iter_mut().try_for_each(|run| run.improve_in_pieces(cache, options, control))
            };
            match improved {
                // Where they are is the best that there is time for.
                Err(Error::Time { .. }) => together.iter_mut().for_each(|run| run.end()),
                other => other?,
            }
            rest = others;
        }
    }
}

/// The rows that the blocks of as many runs as possible ask for, ascending, and how many runs these are.
fn asked<T>(runs: &[&mut Run<'_, '_, T>], capacity: usize) -> (Vec<usize>, usize) {
    let union = |runs: &[&mut Run<'_, '_, T>]| {
        let mut list: Vec<usize> = runs.iter().flat_map(|run| run.block.iter().map(|&k| run.state.problem.row[k])).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let (mut count, mut list) = (runs.len(), union(runs));
    while count > 1 && list.len() > capacity {
        count /= 2;
        list = union(&runs[..count]);
    }
    (list, count)
}

/// Rows of K and which they are, ascending.
struct CachedRows<'a, T> {
    list: Vec<usize>,
    values: Vec<&'a [T]>,
}

impl<'a, T> CachedRows<'a, T> {
    fn of(&self, row: usize) -> &'a [T] {
        self.values[self.list.partition_point(|&r| r < row)]
    }
}

/// One problem on its way.
struct Run<'s, 'p, T> {
    state: &'s mut ProblemState<'p>,
    /// The violation to be reached.
    goal: f64,
    /// Violation of the whole problem.
    violation: f64,
    patience: Patience,
    /// Whether it ended because more steps lead nowhere in this precision.
    stands: bool,
    /// The variables at work.
    block: Vec<usize>,
    /// Blocks so far.
    blocks: usize,
    among: WorkingSetGram<T>,
    ended: bool,
}

impl<'s, 'p, T: Passes> Run<'s, 'p, T> {
    fn new(state: &'s mut ProblemState<'p>, options: &Options) -> Self {
        let (goal, violation, patience) = (MARGIN * options.tolerance, f64::INFINITY, Patience::of::<T>(state));
        Run {
            state,
            goal,
            violation,
            patience,
            stands: false,
            block: Vec::new(),
            blocks: 0,
            among: WorkingSetGram::default(),
            ended: false,
        }
    }

    /// Ends, or chooses the next block.
    fn plan(&mut self, options: &Options, few: usize, spent: bool) -> Result<()> {
        if self.ended {
            return Ok(());
        }
        (self.violation, self.block) = choose(self.state, &self.block, BLOCK)?;
        // A small violation may still leave a large gap (large bounds): then the goal is tightened.
        if self.violation <= self.goal {
            let reached = certificate::of(self.state).within(MARGIN * options.tolerance);
            if reached || self.violation <= 0.0 {
                self.ended = true;
                return Ok(());
            }
            self.goal = TIGHTEN * self.violation;
        }
        self.blocks += 1;
        if few > 0 && self.blocks.is_multiple_of(COUNTED) && self.state.unsettled(&certificate::of(self.state)).count() <= few {
            self.ended = true;
            return Ok(());
        }
        self.stands = self.patience.is_over(self.state, self.violation <= MARGIN * options.tolerance);
        self.ended = self.stands;
        if self.state.iterations >= options.max_iterations || spent {
            self.end();
        }
        Ok(())
    }

    /// Ends where it is.
    fn end(&mut self) {
        (self.ended, self.state.stage) = (true, ProblemStage::Done);
    }

    /// Brings K among the variables up to the block; the rows of K that they belong to.
    fn go_on(&mut self) -> Vec<usize> {
        self.among.go_on(&self.block);
        self.among.block.iter().map(|&k| self.state.problem.row[k]).collect()
    }

    /// Solves the problem on the block and brings f up to date; ends where no step makes progress in this precision.
    fn improve(&mut self, rows: &CachedRows<'_, T>, quick: Option<&dyn Gram>, options: &Options, control: &Control) {
        let places = self.go_on();
        let own: Vec<&[T]> = places.iter().map(|&r| rows.of(r)).collect();
        match quick.and_then(|gram| gram.gathered(&places)) {
            Some(gram) => self.among.compute(gram.as_ref()),
            None => {
                let new: Vec<&[T]> = self.among.new.iter().map(|&a| own[a]).collect();
                self.among.take(0, &new, &places);
            }
        }
        let changes = self.solve(options, control);
        let changes: Vec<(&[T], f64)> = changes.into_iter().map(|(a, change)| (own[a], change)).collect();
        update(&mut self.state.values, &self.state.problem.row, &changes);
    }

    /// Improves with no more rows at a time than the cache keeps.
    fn improve_in_pieces(&mut self, cache: &mut RowCache<'_, T>, options: &Options, control: &Control) -> Result<()> {
        let places = self.go_on();
        let new: Vec<usize> = self.among.new.iter().map(|&a| places[a]).collect();
        for (piece, some) in new.chunks(cache.capacity()).enumerate() {
            self.among.take(piece * cache.capacity(), &cache.rows(some, control)?, &places);
        }
        let before = (self.state.coef.clone(), self.state.values.clone());
        let changes = self.solve(options, control);
        // As many as are added up together, so that the sums are the same.
        let most = cache.capacity() / TOGETHER * TOGETHER;
        for some in changes.chunks(most) {
            let list: Vec<usize> = some.iter().map(|&(a, _)| places[a]).collect();
            let rows = match cache.rows(&list, control) {
                Ok(rows) => rows,
                Err(why) => {
                    (self.state.coef, self.state.values) = before;
                    return Err(why);
                }
            };
            let rows: Vec<(&[T], f64)> = rows.into_iter().zip(some.iter().map(|c| c.1)).collect();
            update(&mut self.state.values, &self.state.problem.row, &rows);
        }
        Ok(())
    }

    /// Solves the problem on the block; which of its variables changed, and by how much.
    fn solve(&mut self, options: &Options, control: &Control) -> Vec<(usize, f64)> {
        self.among.mirror();
        let (state, values) = (&mut *self.state, std::mem::take(&mut self.among.values));
        let block = &self.among.block;
        let whole = block.len() == state.coef.len();
        let mut small = Block::new(state, block, pairs::BlockRows::Held(&values));
        let goal = if whole { 0.5 * self.goal } else { (INNER * self.violation).max(0.5 * self.goal) };
        let most = (STEPS * block.len()).min(options.max_iterations - state.iterations);
        let steps = small.solve(state, &Until { goal, most, control });
        let solved = small.coef;
        self.among.values = values;
        let mut changes = Vec::new();
        for (a, (&k, &new)) in block.iter().zip(&solved).enumerate() {
            if new != state.coef[k] {
                changes.push((a, new - state.coef[k]));
                state.coef[k] = new;
            }
        }
        state.iterations += if changes.is_empty() { 0 } else { steps };
        self.ended = steps == 0 || changes.is_empty();
        changes
    }
}

/// How long a problem is worked at in one precision.
struct Patience {
    /// Steps before.
    before: usize,
    /// Steps until the violation was within the tolerance, where it was.
    reached: Option<usize>,
    /// Steps until the last look at the dual value, and the value.
    look: (usize, f64),
    /// Times the steps taken, and steps per variable, that the gap may take.
    more: (usize, usize),
    /// The share by which the dual value must grow.
    growth: f64,
}

impl Patience {
    fn of<T>(state: &ProblemState<'_>) -> Self {
        let (more, growth) = if size_of::<T>() == 4 { (PATIENCE_ROUNDED, GROWTH.2) } else { (PATIENCE, GROWTH.1) };
        Patience { before: state.iterations, reached: None, look: (0, f64::NEG_INFINITY), more, growth }
    }

    /// Whether more steps lead nowhere: the gap of a point within the tolerance does not close, or the dual value stands.
    fn is_over(&mut self, state: &ProblemState<'_>, reached: bool) -> bool {
        let (n, steps) = (state.coef.len(), state.iterations - self.before);
        if reached && self.reached.is_none() {
            self.reached = Some(steps);
        }
        if self.reached.is_some_and(|r| steps > r + self.more.0 * r + self.more.1 * n) {
            return true;
        }
        if steps < self.look.0 + GROWTH.0 * n {
            return false;
        }
        let (last, dual) = (self.look.1, certificate::of(state).dual);
        self.look = (steps, dual);
        dual - last <= self.growth * dual.abs()
    }
}

/// The violation, and a block of the worst violators together with most of the last block; all variables if so many fit.
fn choose(state: &ProblemState<'_>, last: &[usize], size: usize) -> Result<(f64, Vec<usize>)> {
    let n = state.coef.len();
    let (mut rise, mut fall) = (Vec::with_capacity(n), Vec::with_capacity(n));
    state.finite()?;
    let quality = (!state.problem.group.is_empty()).then(|| certificate::of(state));
    let levels = quality.as_ref().map_or_else(|| vec![0.0], |q| q.levels.iter().map(GroupLevel::middle).collect());
    for k in 0..n {
        let ((up, down), level) = (state.slopes(k), levels[state.problem.group_of(k)]);
        let (up, down) = (up - level, down - level);
        if up > f64::NEG_INFINITY {
            rise.push((-up, k));
        }
        if down < f64::INFINITY {
            fall.push((down, k));
        }
    }
    let least = |list: &[(f64, usize)]| list.iter().fold(f64::INFINITY, |least, c| least.min(c.0));
    let violation = match quality {
        Some(quality) => quality.violation,
        None if rise.is_empty() || fall.is_empty() => 0.0,
        None => -least(&rise) - least(&fall),
    };
    if size >= n {
        return Ok((violation, (0..n).collect()));
    }
    let kept = last.len().min(size * KEPT.0 / KEPT.1);
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
    let mut block = Vec::with_capacity(size);
    let mut taken = vec![false; n];
    let candidates = rise.iter().zip(&fall).flat_map(|(r, f)| [r.1, f.1]);
    let longer = if rise.len() > fall.len() { &rise[fall.len()..] } else { &fall[rise.len()..] };
    // What is free to go both ways stays first.
    let (free, fixed): (Vec<usize>, Vec<usize>) = last.iter().partition(|&&k| {
        let (up, down) = state.slopes(k);
        up == down
    });
    for k in candidates.chain(longer.iter().map(|c| c.1)).chain(free).chain(fixed) {
        if block.len() < size && !std::mem::replace(&mut taken[k], true) {
            block.push(k);
        }
    }
    Ok((violation, block))
}

/// values += sum of change x kernel row, at the rows of the problem. A few rows at a time are summed in the precision
/// that they are held in, which loses no more than holding them did; the sums go to f64, so that nothing drifts.
fn update<T: Cell>(values: &mut [f64], rows: &[usize], changes: &[(&[T], f64)]) {
    let whole = rows.last().is_some_and(|&r| r + 1 == rows.len());
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(c, part)| {
        let start = c * CHUNK;
        let end = start + part.len();
        for some in changes.chunks(TOGETHER) {
            if whole && some.len() == TOGETHER {
                let rows = std::array::from_fn(|q| &some[q].0[start..end]);
                add_rows(part, rows, std::array::from_fn(|q| T::from_f64(some[q].1)));
                continue;
            }
            for (row, change) in some {
                count_passed(2 * part.len());
                if whole {
                    part.iter_mut().zip(&row[start..end]).for_each(|(v, k)| *v += change * k.to_f64());
                } else {
                    part.iter_mut().zip(&rows[start..end]).for_each(|(v, &r)| *v += change * row[r].to_f64());
                }
            }
        }
    });
}

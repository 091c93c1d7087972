//! Problems over some of the rows, such as pairs of classes: a row of K is computed when it is first asked for.
//!
//! A machine of two classes asks for few of its rows, and what they are multiplied with for its certificate are fewer still
//! ([`certificate::refresh_here`](super::certificate::refresh_here)): most of K is never computed. The rows of a class among themselves
//! are kept for all its problems. Which of them came first changes no bit, and problems know nothing of each other.

use super::limits::rows::*;
use super::passes::Passes;
use super::state::{ProblemStage, ProblemState};
use super::{Options, SolverJob, dense};
use crate::error::Result;
use crate::gram::{Block, Gram, Side, Subset};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows of a side among themselves, in f32.
type Kept = Vec<OnceLock<Vec<f32>>>;

/// Solves problems that are laid out one side after the other; what could not be laid out stays open, and what takes many steps
/// does where they have left it: it asks for most rows, and may be one that f32 is not enough for.
pub(super) fn run<'p>(job: &SolverJob<'_>, states: &mut [&mut ProblemState<'p>]) -> Result<()> {
    let (gram, options) = (job.gram, &job.options);
    let mut kept: BTreeMap<&'p [usize], Kept> = BTreeMap::new();
    let (mut starts, mut rows, mut bytes): (BTreeMap<&'p [usize], usize>, Vec<usize>, u64) = (BTreeMap::new(), Vec::new(), 0);
    for side in states.iter().flat_map(|s| sides(s)) {
        let size = 4 * (side.len() as u64).pow(2);
        if !starts.contains_key(side) {
            starts.insert(side, rows.len());
            rows.extend(side);
        } else if bytes + size <= options.cache_bytes && !kept.contains_key(side) {
            bytes += size;
            kept.insert(side, side.iter().map(|_| OnceLock::new()).collect());
        }
    }
    // Sides that are classes: no row is laid out twice.
    let together = if rows.len() <= gram.shape().0 { gram.gathered(&rows) } else { None };
    states.par_iter_mut().with_max_len(1).try_for_each(|state| {
        job.control.check()?;
        let most = options.max_iterations.min(STEPS.0 * state.coef.len() + STEPS.1);
        let limited = SolverJob { options: Options { max_iterations: most, ..*options }, ..*job };
        let [below, above] = sides(state);
        let kept = [kept.get(below), kept.get(above)];
        let place = |side: &[usize]| starts.get(side).copied().unwrap_or_default();
        let alone = if together.is_some() { None } else { gram.gathered(&state.problem.row) };
        let starts = if together.is_some() { [place(below), place(above)] } else { [0, below.len()] };
        let Some(laid_out) = together.as_ref().or(alone.as_ref()) else { return Ok(()) };
        dense::one(state, &LazyRows::new(laid_out.as_ref(), starts, [below, above], kept), &limited)?;
        let hard = state.iterations >= most && most < options.max_iterations && !job.control.out_of_time();
        if hard && !state.is_optimal(options.tolerance) {
            state.stage = ProblemStage::Cold;
        }
        Ok(())
    })
}

/// The rows that stay below 0, and those after them.
fn sides<'p>(state: &ProblemState<'p>) -> [&'p [usize]; 2] {
    let problem = state.problem;
    let (below, above) = problem.row.split_at(problem.high.partition_point(|high| *high == 0.0));
    [below, above]
}

/// K among the variables of a problem.
struct LazyRows<'a> {
    inputs: Laid<'a>,
    /// Where each side stands among what is laid out.
    sides: [Range<usize>; 2],
    /// The rows of each side that are kept.
    kept: [Option<&'a Kept>; 2],
}

impl<'a> LazyRows<'a> {
    fn new(gram: &'a dyn Gram, starts: [usize; 2], sides: [&[usize]; 2], kept: [Option<&'a Kept>; 2]) -> Self {
        let sides: [Range<usize>; 2] = std::array::from_fn(|s| starts[s]..starts[s] + sides[s].len());
        let rows: Vec<usize> = sides.iter().cloned().flatten().collect();
        LazyRows { inputs: Laid { gram, all: Subset::new(gram, &rows, &rows), rows }, sides, kept }
    }
}

impl dense::Kernel for LazyRows<'_> {
    fn write<T: Passes>(&self, k: usize, out: &mut [T]) {
        let row = self.inputs.rows[k];
        let fill = |cols: &Range<usize>, out: &mut [T]| T::fill(self.inputs.gram, &[row], cols.clone(), Block::new(out, 1, cols.len()));
        let (below, above) = out.split_at_mut(self.sides[0].len());
        let own = usize::from(k >= below.len());
        let (in_own, in_other) = if own == 0 { (below, above) } else { (above, below) };
        let cols = &self.sides[own];
        fill(&self.sides[1 - own], in_other);
        let Some(row) = self.kept[own].and_then(|rows| rows.get(row - cols.start)) else { return fill(cols, in_own) };
        let made = row.get_or_init(|| {
            let mut made = vec![0.0; cols.len()];
            self.inputs.gram.fill_f32(&[self.inputs.rows[k]], cols.clone(), Block::new(&mut made, 1, cols.len()));
            made
        });
        match T::lent(made) {
            Some(made) => in_own.copy_from_slice(made),
            None => fill(cols, in_own),
        }
    }
    fn inputs(&self) -> Option<&dyn Gram> {
        Some(&self.inputs)
    }
}

/// K among some of the inputs that are laid out.
struct Laid<'a> {
    gram: &'a dyn Gram,
    all: Subset<'a>,
    rows: Vec<usize>,
}

impl Gram for Laid<'_> {
    fn shape(&self) -> (usize, usize) {
        self.all.shape()
    }
    fn fill(&self, rows: Range<usize>, cols: Range<usize>, out: Block<'_, f64>) {
        self.all.fill(rows, cols, out);
    }
    fn diagonal(&self, side: Side) -> Vec<f64> {
        self.all.diagonal(side)
    }
    fn symmetric(&self) -> bool {
        true
    }
    fn gathered(&self, rows: &[usize]) -> Option<Box<dyn Gram + '_>> {
        self.gram.gathered(&rows.iter().map(|&k| self.rows[k]).collect::<Vec<_>>())
    }
}

//! Large problems, first as a whole, then over the variables that may still change, the others held where they are.
//!
//! Most variables come to a bound, or stay at zero, long before the others have come to rest (Joachims 1999, shrinking). Without
//! them rows of K are shorter: there is less to compute, to keep and to add up. Their inputs are left out of the Gram matrix for
//! that, not columns out of its rows. What the others' values of f come to is worked out when a part is done, and where one of
//! them is not where it belongs, a part is chosen anew.

use super::limits::shrinking::*;
use super::passes::Passes;
use super::state::ProblemState;
use super::{MARGIN, Options, SolverJob, StepProgress, certificate, decompose};
use crate::error::Result;
use crate::gram::{Memory, RowCache, add_products};

/// Takes a problem to its tolerance.
pub(super) fn run<T: Passes>(job: &SolverJob<'_>, state: &mut ProblemState<'_>) -> Result<StepProgress> {
    let (options, most, before) = (&job.options, (SHARE * state.coef.len() as f64) as usize, state.iterations);
    let mut memory = Memory::default();
    if state.unsettled(&certificate::of(state)).count() > most {
        let mut cache = RowCache::<T>::new(job.gram, options.cache_bytes);
        if decompose::run(&mut [state], &mut cache, options, most, job.control)? == StepProgress::Stands {
            return Ok(StepProgress::Stands);
        }
        memory = cache.into_memory();
    }
    for turn in 0..PARTS {
        let quality = certificate::of(state);
        if state.is_done() || quality.within(MARGIN * options.tolerance) {
            break;
        }
        let goal = if turn == 0 { FIRST * quality.violation } else { 0.0 };
        let variables: Vec<usize> = state.unsettled(&quality).collect();
        if solve::<T>(job, state, &variables, goal.max(options.tolerance), &mut memory)? == StepProgress::Stands {
            return Ok(StepProgress::Stands);
        }
    }
    Ok(if state.iterations > before { StepProgress::Moved } else { StepProgress::Stands })
}

/// Solves the part of some variables, first to a tolerance of its own, until it is at its optimum or others belong to it.
fn solve<T: Passes>(
    job: &SolverJob<'_>,
    state: &mut ProblemState<'_>,
    variables: &[usize],
    mut tolerance: f64,
    memory: &mut Memory<T>,
) -> Result<StepProgress> {
    let SolverJob { gram, options, control, .. } = *job;
    let rows = |list: &[usize]| list.iter().map(|&k| state.problem.row[k]).collect::<Vec<usize>>();
    let mut inside = vec![false; state.coef.len()];
    variables.iter().for_each(|&k| inside[k] = true);
    let others: Vec<usize> = (0..inside.len()).filter(|&k| !inside[k]).collect();
    let (own, rest) = (rows(variables), rows(&others));
    let Some(part_of_gram) = gram.gathered(&own) else { return Ok(StepProgress::Stands) };
    let problem = state.problem_of(variables, (0..variables.len()).collect());
    let mut cache = RowCache::within(part_of_gram.as_ref(), options.cache_bytes, std::mem::take(memory));
    let progress = loop {
        let mut part = state.part_from_here(&problem, variables);
        let progress = decompose::run(&mut [&mut part], &mut cache, &Options { tolerance, ..options }, 0, control)?;
        let changed: Vec<usize> = (0..variables.len()).filter(|&a| part.coef[a] != state.coef[variables[a]]).collect();
        let changes: Vec<f64> = changed.iter().map(|&a| part.coef[a] - state.coef[variables[a]]).collect();
        state.take(&part, variables);
        let list: Vec<usize> = changed.iter().map(|&a| own[a]).chain(rest.iter().copied()).collect();
        let Some(between) = gram.gathered(&list) else { break StepProgress::Stands };
        let mut values: Vec<f64> = others.iter().map(|&k| state.values[k]).collect();
        add_products::<T>(between.as_ref(), &changes, &mut values, &control.finishing())?;
        others.iter().zip(values).for_each(|(&k, f)| state.values[k] = f);
        let quality = certificate::of(state);
        let reached = state.is_done() || quality.within(MARGIN * options.tolerance);
        if reached || progress == StepProgress::Stands || !state.unsettled(&quality).all(|k| inside[k]) {
            break progress;
        }
        tolerance = options.tolerance;
    };
    *memory = cache.into_memory();
    Ok(progress)
}

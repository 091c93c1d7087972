//! Large problems, first as a whole, then over the variables that may still change, the others held where they are.
//!
//! Most variables come to a bound, or stay at zero, long before the others have come to rest (Joachims 1999, shrinking). Without
//! them rows of K are shorter: there is less to compute, to keep and to add up. Their inputs are left out of the Gram matrix for
//! that, not columns out of its rows. What the others' values of f come to is worked out when a part is done, and where one of
//! them is not where it belongs, a part is chosen anew.

use super::passes::Passes;
use super::state::{Before, State};
use super::{MARGIN, Options, certificate, decompose};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Gram, Memory, RowCache, add_products};

/// Problems of fewer variables are solved as a whole.
const LEAST: usize = 8192;
/// A part has at most this share of the variables of the whole.
const SHARE: f64 = 0.5;
/// The first part is solved to this share of the violation: what the others come to may change which variables belong to it.
const FIRST: f64 = 0.05;
/// Parts that are tried.
const PARTS: usize = 8;

/// Whether a problem is large enough, and the Gram matrix of some inputs can be had.
pub(super) fn fits(gram: &dyn Gram, state: &State<'_>) -> bool {
    state.coef.len() > LEAST && gram.gathered(&state.problem.row[..1]).is_some()
}

/// Takes a problem to its tolerance; whether anything moved, and more of it would lead further.
pub(super) fn run<T: Passes>(gram: &dyn Gram, state: &mut State<'_>, options: &Options, control: &Control) -> Result<bool> {
    let (most, before) = ((SHARE * state.coef.len() as f64) as usize, state.iterations);
    let mut memory = Memory::default();
    if state.unsettled(&certificate::of(state)).count() > most {
        let mut cache = RowCache::<T>::new(gram, options.cache_bytes);
        if !decompose::run(&mut [state], &mut cache, options, most, control)? {
            return Ok(false);
        }
        memory = cache.into_memory();
    }
    for turn in 0..PARTS {
        let quality = certificate::of(state);
        if state.closed || quality.within(MARGIN * options.tolerance) {
            break;
        }
        let goal = if turn == 0 { FIRST * quality.violation } else { 0.0 };
        let variables: Vec<usize> = state.unsettled(&quality).collect();
        if !solve::<T>(gram, state, &variables, goal.max(options.tolerance), options, &mut memory, control)? {
            return Ok(false);
        }
    }
    Ok(state.iterations > before)
}

/// Solves the part of some variables, first to a tolerance of its own, until it is at its optimum or others belong to it.
fn solve<T: Passes>(
    gram: &dyn Gram,
    state: &mut State<'_>,
    variables: &[usize],
    mut tolerance: f64,
    options: &Options,
    memory: &mut Memory<T>,
    control: &Control,
) -> Result<bool> {
    let rows = |list: &[usize]| list.iter().map(|&k| state.problem.row[k]).collect::<Vec<usize>>();
    let mut inside = vec![false; state.coef.len()];
    variables.iter().for_each(|&k| inside[k] = true);
    let others: Vec<usize> = (0..inside.len()).filter(|&k| !inside[k]).collect();
    let (own, rest) = (rows(variables), rows(&others));
    let Some(part_of_gram) = gram.gathered(&own) else { return Ok(false) };
    let problem = state.problem_of(variables, (0..variables.len()).collect());
    let mut cache = RowCache::within(part_of_gram.as_ref(), options.cache_bytes, std::mem::take(memory));
    let moved = loop {
        let mut part = state.part(&problem, variables);
        part.before = Some(Box::new(Before { dual: certificate::of(state).dual, coef: part.coef.clone(), values: part.values.clone() }));
        let moved = decompose::run(&mut [&mut part], &mut cache, &Options { tolerance, ..*options }, 0, control)?;
        let changed: Vec<usize> = (0..variables.len()).filter(|&a| part.coef[a] != state.coef[variables[a]]).collect();
        let changes: Vec<f64> = changed.iter().map(|&a| part.coef[a] - state.coef[variables[a]]).collect();
        state.take(&part, variables);
        let list: Vec<usize> = changed.iter().map(|&a| own[a]).chain(rest.iter().copied()).collect();
        let Some(between) = gram.gathered(&list) else { break false };
        let mut values: Vec<f64> = others.iter().map(|&k| state.values[k]).collect();
        add_products::<T>(between.as_ref(), &changes, &mut values, control)?;
        others.iter().zip(values).for_each(|(&k, f)| state.values[k] = f);
        let quality = certificate::of(state);
        if !moved || state.closed || quality.within(MARGIN * options.tolerance) || !state.unsettled(&quality).all(|k| inside[k]) {
            break moved;
        }
        tolerance = options.tolerance;
    };
    *memory = cache.into_memory();
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::super::bells::Bells;
    use super::super::{Problem, solve as solve_problems};
    use super::*;

    #[test]
    fn a_problem_solved_in_parts_is_solved_as_a_whole_and_rows_left_out_of_the_certificate_have_no_part_in_it() {
        let n = 3000;
        let points = (0..n).map(|i| [(i as f64 * 0.737).sin() * 2.0, (i as f64 * 1.311).cos() * 2.0]).collect::<Vec<_>>();
        let above = |i: usize| points[i][0] + 0.5 * (3.0 * points[i][1]).sin() + 0.6 * (i as f64 * 7.77).sin() > 0.0;
        let bound = |sign: f64| (0..n).map(|i| if above(i) == (sign > 0.0) { 10.0 * sign } else { 0.0 }).collect();
        let target = (0..n).map(|i| if above(i) { 1.0 } else { -1.0 }).collect();
        let problem = Problem { row: (0..n).collect(), target, low: bound(-1.0), high: bound(1.0), tube: 0.0, start: None };
        let gram = Bells::new(points, 4.0);
        let (options, control) = (Options::default(), Control::default());
        let mut state = State::new(&problem, (n, n), &vec![1.0; n]).unwrap();
        assert!(run::<f32>(&gram, &mut state, &options, &control).unwrap());
        // More inputs than a block has, but not all.
        assert!(gram.laid_out().iter().any(|count| (1025..n).contains(count)), "there was no part");
        certificate::refresh(&gram, &mut [&mut state], Some(options.tolerance), &control).unwrap();
        let some = certificate::of(&state);
        certificate::refresh(&gram, &mut [&mut state], None, &control).unwrap();
        let all = certificate::of(&state);
        assert!(some.within(options.tolerance) && (some.violation - all.violation).abs() <= 1e-9 && some.free == all.free);
        for (a, b) in [(some.primal, all.primal), (some.dual, all.dual), (some.offset, all.offset)] {
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} and {b}");
        }
        let whole = &solve_problems(&gram, std::slice::from_ref(&problem), &options, &control).unwrap()[0];
        assert!(whole.converged && (whole.dual - all.dual).abs() <= 1e-4 * whole.dual, "{} and {}", whole.dual, all.dual);
    }
}

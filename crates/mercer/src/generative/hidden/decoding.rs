//! The states behind sequences: the most probable path of all (Viterbi 1967; Rabiner 1989, III.B), and the posterior probability of each
//! state at each time.

use super::passes::{LANES, Lane, PASSES, Passes, look_after};
use super::{Emission, Transitions, by_length, bytes};
use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Matrix, argmax};
use rayon::prelude::*;

/// The hidden states behind one input: of a sequence one for each time, of a vector the component.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenStates {
    /// The most probable path of states, numbered from 0; the first of several that are as probable.
    pub path: Vec<usize>,
    /// The probability of each state at each time, given the whole input: times x states.
    pub posteriors: Matrix,
}

impl HiddenStates {
    /// The component of a vector.
    pub(in crate::generative) fn of_vector(posteriors: &[f64]) -> Result<Self> {
        Ok(HiddenStates { path: vec![argmax(posteriors)], posteriors: Matrix::new(1, posteriors.len(), posteriors.to_vec())? })
    }
}

/// The states behind each row.
///
/// # Errors
/// Bounds of `control`.
pub(in crate::generative) fn decoded<E: Emission>(
    chain: &Transitions,
    emission: &E,
    rows: &E::Sequences,
    count: usize,
    control: &Control,
) -> Result<Vec<HiddenStates>> {
    let states = chain.states();
    let lengths = || (0..count).map(|row| E::length(rows, row));
    let held = lengths().sum::<usize>().saturating_mul(16 * states.max(1)) as u64;
    let passes = bytes(states, lengths().max().unwrap_or(0), count, states * (states + 1) + emission.width(states));
    control.plan("posterior probabilities of hidden states", held.saturating_add(2 * passes))?;
    let of_block = |block: &[usize]| -> Result<Vec<(usize, HiddenStates)>> {
        let mut work = Passes::default();
        work.run(chain, emission, rows, block, true, control)?;
        let times = block.iter().map(|&row| E::length(rows, row)).max().unwrap_or(0);
        let mut densities = vec![[1.0; LANES]; times * states];
        emission.densities(states, rows, block, &mut densities, &mut [0.0; LANES]);
        let of_lane = |(lane, &row): (usize, &usize)| {
            let path = most_probable_path(chain, &densities[..E::length(rows, row) * states], lane, control)?;
            let posteriors = Matrix::new(path.len(), states, work.posteriors(states, lane))?;
            Ok((row, HiddenStates { path, posteriors }))
        };
        block.iter().enumerate().map(of_lane).collect()
    };
    let order = by_length::<E>(rows, count);
    let mut found: Vec<_> = order.par_chunks(LANES).map(of_block).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    found.sort_by_key(|(row, _)| *row);
    Ok(found.into_iter().map(|(_, states)| states).collect())
}

/// The path s of the greatest pi(s_1) b(x_1 | s_1) prod_t A(s_{t-1}, s_t) b(x_t | s_t), in logarithms.
fn most_probable_path(chain: &Transitions, densities: &[Lane], lane: usize, control: &Control) -> Result<Vec<usize>> {
    let states = chain.states();
    let next: Vec<f64> = chain.next.iter().map(|p| p.ln()).collect();
    let mut best: Vec<f64> = chain.start.iter().map(|p| p.ln()).collect();
    let mut before = Vec::with_capacity(densities.len());
    for (t, density) in densities.chunks(states).enumerate() {
        if t % look_after(states) == 0 {
            control.check_time(PASSES)?;
        }
        if t > 0 {
            let reached = |j: usize| (0..states).map(|i| best[i] + next[i * states + j]).collect::<Vec<_>>();
            let from: Vec<(usize, f64)> = (0..states)
                .map(reached)
                .map(|all| {
                    let best = argmax(&all);
                    (best, all[best])
                })
                .collect();
            before.extend(from.iter().map(|(i, _)| *i));
            best = from.into_iter().map(|(_, log)| log).collect();
        }
        best.iter_mut().zip(density).for_each(|(log, b)| *log += b[lane].ln());
    }
    let mut path = Vec::with_capacity(densities.len() / states);
    if !densities.is_empty() {
        path.push(argmax(&best));
        for from in before.chunks(states).rev() {
            path.push(from[path[path.len() - 1]]);
        }
    }
    path.reverse();
    Ok(path)
}

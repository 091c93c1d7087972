//! Hidden Markov chains, whatever their states emit: p(x) = sum_s pi(s_1) b(x_1 | s_1) prod_t A(s_{t-1}, s_t) b(x_t | s_t), given the
//! length of x (Rabiner, A tutorial on hidden Markov models, 1989; Murphy 2012, 17.4 and 17.5).
//!
//! Forward and backward passes run over eight rows abreast (`passes`); probabilities are divided by their sum at every time, and the
//! logarithms of the sums are kept, so that no length is too long.

mod decoding;
mod passes;
mod product;
mod training;

pub use decoding::HiddenStates;
pub(super) use decoding::decoded;
pub(super) use passes::{LANES, Lane};
pub(super) use product::{MOST_STRINGS, log_pair_sum};
pub(super) use training::{Trained, Training, baum_welch};

use super::simplex;
use super::{ArrayAxis, FreeParameter, ParameterArray};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Rows whose counts are added up one after the other, whatever the number of threads.
const GROUP: usize = 8 * LANES;

/// Probabilities of the first state and of the next state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transitions {
    /// pi.
    #[serde(with = "crate::blocks::f64s")]
    pub(super) start: Vec<f64>,
    /// A, row after row.
    #[serde(with = "crate::blocks::f64s")]
    pub(super) next: Vec<f64>,
}

/// What the states emit.
pub(super) trait Emission: Clone + Send + Sync {
    /// Rows made ready.
    type Sequences: ?Sized + Sync;

    /// Times of a row.
    fn length(rows: &Self::Sequences, row: usize) -> usize;
    /// Numbers that [`Emission::count`] adds to.
    fn width(&self, states: usize) -> usize;
    /// b(x_t | q) of up to eight rows at `[t * states + q]`, divided by the exponential of what is added to `logs`; 1 behind the end.
    fn densities(&self, states: usize, rows: &Self::Sequences, block: &[usize], into: &mut [Lane], logs: &mut Lane);
    /// Adds what the rows say of the emissions, given the posterior probabilities of the states at `[t * states + q]`.
    fn count(&self, states: usize, rows: &Self::Sequences, block: &[usize], posterior: &[Lane], into: &mut [Lane]);
    /// The emission that maximises the expected log posterior of such counts.
    fn updated(&self, states: usize, counts: &[f64], prior: f64) -> Self;
    /// The part of the log density of the prior that the emission changes.
    fn log_prior(&self, states: usize, prior: f64) -> f64;
    /// Appends the free parameters.
    fn push_parameters(&self, states: usize, to: &mut Vec<FreeParameter>);
    /// Appends d ln p / d theta, made of the counts of one row.
    fn push_scores(&self, states: usize, counts: &[f64], to: &mut Vec<f64>);
}

/// The log densities of rows, and what is counted of each.
pub(super) struct Counted {
    pub(super) logs: Vec<f64>,
    /// One row each: first states, transitions, emissions. Empty where nothing is counted.
    pub(super) counts: Vec<Vec<f64>>,
}

impl Transitions {
    pub(super) fn states(&self) -> usize {
        self.start.len()
    }

    /// An error unless stored numbers are probabilities of one number of states.
    pub(super) fn check(&self, model: &str) -> Result<()> {
        let states = self.states();
        Error::unless_equal(&format!("transitions of {model}"), states.saturating_mul(states), self.next.len())?;
        let sound = states > 0 && simplex::are_probabilities(&self.start) && self.next.chunks(states).all(simplex::are_probabilities);
        if sound { Ok(()) } else { Err(Error::Data(format!("a stored {model} has numbers that are not probabilities"))) }
    }

    /// Free parameters.
    pub(super) fn width(states: usize) -> usize {
        (states - 1) * (states + 1)
    }

    pub(super) fn push_parameters(&self, to: &mut Vec<FreeParameter>) {
        let states = self.states();
        to.extend(simplex::log_ratios("start", &self.start));
        for (i, row) in self.next.chunks(states).enumerate() {
            to.extend(simplex::log_ratios(&format!("transition {},", i + 1), row));
        }
    }

    /// pi and A.
    pub(super) fn arrays(&self) -> Vec<ParameterArray> {
        let state = |of: &'static str| ArrayAxis::numbered(of, self.states());
        vec![
            ParameterArray::new("startprob", "probability of the first state", vec![state("state")], self.start.clone()),
            ParameterArray::new("transmat", "probability of the next state", vec![state("after"), state("state")], self.next.clone()),
        ]
    }

    /// Those of the first free parameters.
    pub(super) fn from_parameters(states: usize, values: &[f64]) -> Self {
        let (start, next) = values.split_at(states - 1);
        let next = if states == 1 { vec![1.0] } else { next.chunks(states - 1).flat_map(simplex::from_log_ratios).collect() };
        Transitions { start: simplex::from_log_ratios(start), next }
    }

    fn push_scores(&self, counts: &[f64], to: &mut Vec<f64>) {
        let states = self.states();
        simplex::push_scores(&counts[..states], &self.start, to);
        for (row, p) in counts[states..states * (states + 1)].chunks(states).zip(self.next.chunks(states)) {
            simplex::push_scores(row, p, to);
        }
    }

    /// The state after one, drawn; the first where there is none before.
    pub(super) fn draw(&self, random: &mut impl rand::Rng, before: Option<usize>) -> usize {
        let states = self.states();
        simplex::draw_class(random, before.map_or(&self.start, |i| &self.next[i * states..(i + 1) * states]))
    }
}

/// Blocks of rows of like lengths, whose results are put in the order of the rows.
fn by_length<E: Emission>(rows: &E::Sequences, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&row| E::length(rows, row));
    order
}

/// Bytes of the passes over so many rows of at most so many times, on all threads: forward probabilities and densities, and counts of
/// `width` numbers, of eight rows and of each group.
pub(super) fn bytes(states: usize, longest: usize, rows: usize, width: usize) -> u64 {
    let lanes = (2 * states as u64 + 2).saturating_mul(longest as u64).saturating_add(width as u64);
    let groups = rows.div_ceil(GROUP).max(1);
    let threads = groups.min(rayon::current_num_threads()) as u64;
    let passes = lanes.saturating_mul(size_of::<Lane>() as u64).saturating_mul(threads);
    passes.saturating_add(16 * (groups as u64 + 1).saturating_mul(width as u64))
}

/// Log densities of rows, and with `counting` the expected counts of each: of first states, of transitions, and what emissions count.
///
/// # Errors
/// Bounds of `control`.
pub(super) fn passes_over<E: Emission>(
    chain: &Transitions,
    emission: &E,
    rows: &E::Sequences,
    count: usize,
    counting: bool,
    control: &Control,
) -> Result<Counted> {
    let order = by_length::<E>(rows, count);
    let of_group = |group: &[usize]| group_passes(chain, emission, rows, group, counting, control);
    let made: Vec<_> = order.par_chunks(GROUP).map(of_group).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let mut all = Counted { logs: vec![0.0; count], counts: if counting { vec![Vec::new(); count] } else { Vec::new() } };
    for (row, log, counts) in made {
        all.logs[row] = log;
        if counting {
            all.counts[row] = counts;
        }
    }
    Ok(all)
}

/// The row, its log density and its counts, of each row of a group.
fn group_passes<E: Emission>(
    chain: &Transitions,
    emission: &E,
    rows: &E::Sequences,
    group: &[usize],
    counting: bool,
    control: &Control,
) -> Result<Vec<(usize, f64, Vec<f64>)>> {
    let mut work = passes::Passes::default();
    let mut made = Vec::with_capacity(group.len());
    for block in group.chunks(LANES) {
        work.run(chain, emission, rows, block, counting, control)?;
        for (lane, &row) in block.iter().enumerate() {
            made.push((row, work.log_density(lane), work.counts().iter().map(|c| c[lane]).collect()));
        }
    }
    Ok(made)
}

/// The sum of weighted log densities, and the weighted sum of counts.
fn expected<E: Emission>(
    chain: &Transitions,
    emission: &E,
    rows: &E::Sequences,
    weights: &[f64],
    control: &Control,
) -> Result<(f64, Vec<f64>)> {
    let order = by_length::<E>(rows, weights.len());
    let width = chain.states() * (chain.states() + 1) + emission.width(chain.states());
    let groups: Vec<(f64, Vec<f64>)> = order
        .par_chunks(GROUP)
        .map(|group| {
            let (mut work, mut log, mut sums) = (passes::Passes::default(), 0.0, vec![0.0; width]);
            for block in group.chunks(LANES) {
                work.run(chain, emission, rows, block, true, control)?;
                for (lane, &row) in block.iter().enumerate() {
                    log += weights[row] * work.log_density(lane);
                    sums.iter_mut().zip(work.counts()).for_each(|(sum, c)| *sum += weights[row] * c[lane]);
                }
            }
            Ok((log, sums))
        })
        .collect::<Result<_>>()?;
    Ok(groups.into_iter().fold((0.0, vec![0.0; width]), |(log, mut sums), (more, counts)| {
        sums.iter_mut().zip(counts).for_each(|(sum, c)| *sum += c);
        (log + more, sums)
    }))
}

/// Score vectors of rows, one per row.
///
/// # Errors
/// Bounds of `control`.
pub(super) fn scores<E: Emission>(
    chain: &Transitions,
    emission: &E,
    rows: &E::Sequences,
    count: usize,
    control: &Control,
) -> Result<Matrix> {
    let (states, mut all) = (chain.states(), Vec::new());
    let width = states * (states + 1) + emission.width(states);
    let longest = (0..count).map(|row| E::length(rows, row)).max().unwrap_or(0);
    let held = 32 * (count as u64).saturating_mul(width as u64);
    control.plan("score vectors of hidden states", bytes(states, longest, count, width).saturating_add(held))?;
    for counts in passes_over(chain, emission, rows, count, true, control)?.counts {
        chain.push_scores(&counts, &mut all);
        emission.push_scores(states, &counts[states * (states + 1)..], &mut all);
    }
    let mut parameters = Vec::new();
    chain.push_parameters(&mut parameters);
    emission.push_parameters(states, &mut parameters);
    Matrix::new(count, parameters.len(), all)
}

/// Whether the weighted score vectors of the rows are known to sum to 0.
pub(super) fn is_maximum<E: Emission>(chain: &Transitions, emission: &E, rows: &E::Sequences, weights: &[f64], control: &Control) -> bool {
    scores(chain, emission, rows, weights.len(), control).is_ok_and(|scores| sums_to_zero(&scores, weights))
}

/// Whether weighted rows sum to 0, beside 1 and the sum of the sizes of their numbers.
pub(super) fn sums_to_zero(scores: &Matrix, weights: &[f64]) -> bool {
    // A sum of score vectors below this share of the sum of their sizes counts as 0.
    const ZERO: f64 = 5e-11;
    (0..scores.cols()).all(|k| {
        let terms = || (0..scores.rows()).map(|i| weights[i] * scores[(i, k)]);
        terms().sum::<f64>().abs() <= ZERO * (1.0 + terms().map(f64::abs).sum::<f64>())
    })
}

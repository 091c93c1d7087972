//! Forward and backward passes over eight rows abreast, one in each lane. A lane is never mixed with another one, so that the numbers of
//! a row do not depend on the rows beside it.

use super::{Emission, Transitions};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Level, dispatch, level};
use crate::linalg::fma;

/// Rows abreast.
pub(in crate::generative) const LANES: usize = 8;
/// A number of each of eight rows.
pub(in crate::generative) type Lane = [f64; LANES];

/// What goes on.
pub(super) const PASSES: &str = "passes of a hidden Markov model";

/// Times between two looks at the clock.
pub(super) fn look_after(states: usize) -> usize {
    // Pairs of states that are gone through between two looks at the clock.
    const PAIRS: usize = 4096;
    (PAIRS / states.pow(2).max(1)).max(1)
}

/// The memory of passes over one block of rows, kept for the next.
#[derive(Default)]
pub(super) struct Passes {
    lengths: [usize; LANES],
    times: usize,
    /// Densities b at `[t * states + q]`; posterior probabilities of the states once they are counted.
    densities: Vec<Lane>,
    /// Forward probabilities, of sum 1 at each time.
    forward: Vec<Lane>,
    /// One over the sums that these were divided by.
    scales: Vec<Lane>,
    logs: Lane,
    counts: Vec<Lane>,
    ahead: Vec<Lane>,
    here: Vec<Lane>,
}

impl Passes {
    /// Runs both passes over up to eight rows, or only the forward pass.
    ///
    /// # Errors
    /// Bounds of `control`, which is asked for time along the rows.
    pub(super) fn run<E: Emission>(
        &mut self,
        chain: &Transitions,
        emission: &E,
        rows: &E::Sequences,
        block: &[usize],
        counting: bool,
        control: &Control,
    ) -> Result<()> {
        let states = chain.states();
        self.lengths = [0; LANES];
        block.iter().zip(&mut self.lengths).for_each(|(&row, length)| *length = E::length(rows, row));
        self.times = self.lengths.iter().copied().max().unwrap_or(0);
        for lanes in [&mut self.densities, &mut self.forward] {
            lanes.clear();
            lanes.resize(self.times * states, [1.0; LANES]);
        }
        self.scales.resize(self.times, [1.0; LANES]);
        self.logs = [0.0; LANES];
        emission.densities(states, rows, block, &mut self.densities, &mut self.logs);
        forward(chain, self, control);
        control.check_time(PASSES)?;
        self.counts.clear();
        if counting {
            let own = states * (states + 1);
            self.counts.resize(own + emission.width(states), [0.0; LANES]);
            backward(chain, self, control);
            control.check_time(PASSES)?;
            emission.count(states, rows, block, &self.densities, &mut self.counts[own..]);
        }
        Ok(())
    }
    /// The posterior probabilities of the states at each time of a row, one after the other, once they are counted.
    pub(super) fn posteriors(&self, states: usize, lane: usize) -> Vec<f64> {
        self.densities[..self.lengths[lane] * states].iter().map(|p| p[lane]).collect()
    }
    pub(super) fn log_density(&self, lane: usize) -> f64 {
        self.logs[lane]
    }
    /// Of first states, of transitions, and of emissions.
    pub(super) fn counts(&self) -> &[Lane] {
        &self.counts
    }
}

dispatch! {
    /// p(s_t, x_1 .. x_t) of all states, divided by their sum.
    forward, forward_body, <>, (chain: &Transitions, work: &mut Passes, control: &Control) -> (), operations: work.densities.len() * LANES * (chain.states() + 2)
}
dispatch! {
    /// Posterior probabilities of the states in the place of densities, and counts of first states and of transitions.
    backward, backward_body, <>, (chain: &Transitions, work: &mut Passes, control: &Control) -> (), operations: work.densities.len() * LANES * 2 * (chain.states() + 2)
}

/// to <- to + a x.
#[inline(always)]
fn add<const FMA: bool>(to: &mut Lane, a: f64, x: &Lane) {
    for (to, x) in to.iter_mut().zip(x) {
        *to = fma::<f64, FMA>(a, *x, *to);
    }
}

#[inline(always)]
fn forward_body<const FMA: bool>(chain: &Transitions, work: &mut Passes, control: &Control) {
    // A product of sums below this is put into the logarithm: the next sum is not below the least probability, and their product is a number
    // of full precision still.
    const SMALL: f64 = 1e-150;
    let states = chain.states();
    let mut products: Lane = [1.0; LANES];
    let look = look_after(states);
    for t in 0..work.times {
        if t % look == 0 && control.is_given_up() {
            return;
        }
        let (before, now) = work.forward.split_at_mut(t * states);
        let now = &mut now[..states];
        let density = &work.densities[t * states..(t + 1) * states];
        let mut sum: Lane = [0.0; LANES];
        for (j, now) in now.iter_mut().enumerate() {
            let mut reached: Lane = [0.0; LANES];
            if t == 0 {
                reached = [chain.start[j]; LANES];
            } else {
                let before = &before[(t - 1) * states..];
                for (i, before) in before.iter().enumerate() {
                    add::<FMA>(&mut reached, chain.next[i * states + j], before);
                }
            }
            for l in 0..LANES {
                now[l] = reached[l] * density[j][l];
                sum[l] += now[l];
            }
        }
        let mut smallest = 1.0;
        for l in 0..LANES {
            work.scales[t][l] = 1.0 / sum[l];
            products[l] *= if t < work.lengths[l] { sum[l] } else { 1.0 };
            smallest = if products[l] < smallest { products[l] } else { smallest };
        }
        for now in now.iter_mut() {
            for l in 0..LANES {
                now[l] *= work.scales[t][l];
            }
        }
        if smallest < SMALL || t + 1 == work.times {
            for (log, product) in work.logs.iter_mut().zip(&mut products) {
                *log += product.ln();
                *product = 1.0;
            }
        }
    }
}

#[inline(always)]
fn backward_body<const FMA: bool>(chain: &Transitions, work: &mut Passes, control: &Control) {
    let states = chain.states();
    let Passes { lengths, times, densities, forward, scales, counts, ahead, here, .. } = work;
    // b(x_{t+1} | j) p(x_{t+2} .. | j), divided as the forward probabilities are; 0 behind the end of a row.
    ahead.clear();
    ahead.resize(states, [0.0; LANES]);
    here.clear();
    here.resize(states, [0.0; LANES]);
    let look = look_after(states);
    for t in (0..*times).rev() {
        if t % look == 0 && control.is_given_up() {
            return;
        }
        let forward = &forward[t * states..(t + 1) * states];
        let density = &mut densities[t * states..(t + 1) * states];
        let live = lengths.map(|length| if t < length { 1.0 } else { 0.0 });
        let is_last = lengths.map(|length| t + 1 >= length);
        for i in 0..states {
            let mut backward: Lane = [0.0; LANES];
            for (j, ahead) in ahead.iter().enumerate() {
                add::<FMA>(&mut backward, chain.next[i * states + j], ahead);
                let count = &mut counts[states + i * states + j];
                for l in 0..LANES {
                    count[l] = fma::<f64, FMA>(forward[i][l], ahead[l], count[l]);
                }
            }
            for l in 0..LANES {
                backward[l] = if is_last[l] { 1.0 } else { backward[l] };
                here[i][l] = backward[l] * density[i][l] * scales[t][l] * live[l];
                density[i][l] = forward[i][l] * backward[l] * live[l];
            }
        }
        std::mem::swap(ahead, here);
    }
    if *times > 0 {
        counts[..states].copy_from_slice(&densities[..states]);
    }
    for (count, a) in counts[states..].iter_mut().zip(&chain.next) {
        count.iter_mut().for_each(|c| *c *= a);
    }
}

//! Baum-Welch: expectation maximisation of a hidden Markov chain, from several starts.

use super::{Emission, Transitions, bytes, expected};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::generative::simplex;
use crate::notice::Notice;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How a chain is trained.
pub(in crate::generative) struct Training {
    /// The name of the model.
    pub(in crate::generative) model: &'static str,
    pub(in crate::generative) states: usize,
    pub(in crate::generative) starts: usize,
    pub(in crate::generative) iterations: usize,
    pub(in crate::generative) tolerance: f64,
    pub(in crate::generative) prior: f64,
    pub(in crate::generative) seed: u64,
}

/// The best chain of all starts.
pub(in crate::generative) struct Trained<E> {
    pub(in crate::generative) chain: Transitions,
    pub(in crate::generative) emission: E,
    /// What the user should know.
    pub(in crate::generative) notices: Vec<Notice>,
}

/// The chain of the largest posterior density (of the largest likelihood where the prior is flat), and whether its iterations converged.
pub(in crate::generative) fn baum_welch<E: Emission>(
    training: &Training,
    rows: &E::Sequences,
    weights: &[f64],
    start: impl Fn(&mut Xoshiro256PlusPlus) -> E,
    control: &Control,
) -> Result<Trained<E>> {
    let Training { model, states, .. } = *training;
    let longest = (0..weights.len()).map(|row| E::length(rows, row)).max().unwrap_or(0);
    let times: f64 = weights.iter().enumerate().map(|(row, w)| w * E::length(rows, row) as f64).sum();
    let mut best: Option<(f64, bool, Transitions, E)> = None;
    for number in 0..training.starts {
        if best.is_some() && control.out_of_time() {
            break;
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(training.seed.wrapping_add(0x9E37_79B9 * number as u64));
        let first = simplex::draw(&mut random, states);
        let next = (0..states).flat_map(|_| simplex::draw(&mut random, states)).collect();
        let (mut chain, mut emission) = (Transitions { start: first, next }, start(&mut random));
        if number == 0 {
            let width = states * (states + 1) + emission.width(states);
            control.plan(&format!("forward probabilities of {model}"), bytes(states, longest, weights.len(), width))?;
        }
        let at = |chain: &Transitions, emission: &E| -> Result<(f64, Vec<f64>)> {
            let (log, counts) = expected(chain, emission, rows, weights, control)?;
            let now = log + log_prior(chain, emission, training.prior);
            if !now.is_finite() || counts.iter().any(|c| !c.is_finite()) {
                let why = "the likelihood is not finite; divide the columns by numbers".into();
                return Err(Error::Numerical { what: format!("the fit of {model}"), why });
            }
            Ok((now, counts))
        };
        let mut converged = false;
        let (mut objective, mut counts) = match at(&chain, &emission) {
            // What earlier starts reached stands.
            Err(Error::Time { .. }) if best.is_some() => break,
            found => found?,
        };
        for done in 0..training.iterations {
            control.check()?;
            control.tell(&format!("{model}: start {} of {}", number + 1, training.starts), done, training.iterations);
            if done > 0 && control.out_of_time() {
                break;
            }
            let next = updated(&chain, &emission, &counts, training.prior);
            let (now, after) = match at(&next.0, &next.1) {
                Err(Error::Time { .. }) => break,
                found => found?,
            };
            (chain, emission) = next;
            converged = training.tolerance > 0.0 && now - objective <= training.tolerance * times;
            (objective, counts) = (now, after);
            if converged {
                break;
            }
        }
        if best.as_ref().is_none_or(|(most, ..)| objective > *most) {
            best = Some((objective, converged, chain, emission));
        }
    }
    let (_, converged, chain, emission) = best.ok_or_else(|| Error::Data(format!("{model}: no start was made")))?;
    let mut notices = Vec::new();
    if !converged && training.tolerance > 0.0 {
        notices.push(Notice::NotConverged { model: model.to_string(), iterations: training.iterations });
    }
    if times < states as f64 {
        notices.push(Notice::FewObservations { model: model.to_string(), states, observations: times });
    }
    Ok(Trained { chain, emission, notices })
}

fn log_prior<E: Emission>(chain: &Transitions, emission: &E, prior: f64) -> f64 {
    if prior == 1.0 {
        return 0.0;
    }
    (prior - 1.0) * (simplex::log_sum(&chain.start) + simplex::log_sum(&chain.next)) + emission.log_prior(chain.states(), prior)
}

fn updated<E: Emission>(chain: &Transitions, emission: &E, counts: &[f64], prior: f64) -> (Transitions, E) {
    let states = chain.states();
    let (first, rest) = counts.split_at(states);
    let (next, emitted) = rest.split_at(states * states);
    let start = simplex::most_probable(first, prior);
    let next = next.chunks(states).flat_map(|row| simplex::most_probable(row, prior)).collect();
    (Transitions { start, next }, emission.updated(states, emitted, prior))
}

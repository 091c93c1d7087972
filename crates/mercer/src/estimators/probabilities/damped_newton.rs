//! Newton's method with halved steps, for convex losses of a few parameters.

use crate::error::Result;

/// Most steps; a handful is usual.
const STEPS: usize = 100;
/// The share of the fall foreseen that a step must bring, and the least share of a step.
const DECREASE: f64 = 1e-4;
const LEAST: f64 = 1e-10;

/// A step at a place and how far the loss falls along all of it to first order, below 0.
pub(super) struct NewtonStep<S> {
    pub(super) by: S,
    pub(super) fall: f64,
}

/// The minimum from `start`. `place` is the loss at a point with what a step is made of; `step` is `None` where nothing is left to gain,
/// and the last where it promises no more than `small`.
pub(super) fn minimum<X, P, S>(
    start: X,
    small: f64,
    place: impl Fn(&X) -> (f64, P),
    step: impl Fn(P) -> Result<Option<NewtonStep<S>>>,
    moved: impl Fn(&X, &S, f64) -> X,
) -> Result<X> {
    let (mut loss, mut here) = place(&start);
    let mut now = start;
    for _ in 0..STEPS {
        let Some(NewtonStep { by, fall }) = step(here)? else { break };
        let halves = std::iter::successors(Some(1.0), |share: &f64| Some(share / 2.0)).take_while(|share| *share >= LEAST);
        let lower = |share: f64| {
            let next = moved(&now, &by, share);
            let found = place(&next);
            (found.0 <= loss + DECREASE * share * fall).then_some((next, found))
        };
        // No lower point along the step: the minimum, as far as rounding allows.
        let Some((next, found)) = halves.map(lower).find_map(|found| found) else { break };
        (now, (loss, here)) = (next, found);
        // What a step so small leaves open is the square of it.
        if -fall <= small {
            break;
        }
    }
    Ok(now)
}

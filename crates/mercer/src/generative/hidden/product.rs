//! sum_x p(x) q(x) over all x of T times, for two hidden Markov chains: a recursion over pairs of states (Jebara, Kondor & Howard,
//! Probability product kernels, 2004, section 5).

use super::Transitions;
use crate::control::Control;
use crate::error::Result;

/// Strings that are written out one by one where there is no recursion.
pub(in crate::generative) const MOST_STRINGS: f64 = 1e5;

/// States of the second chain that are computed side by side; the last ones may stand for none.
const LANES: usize = 4;

/// Numbers of states side by side.
type Lanes = [f64; LANES];

/// `to += factor * from`.
#[inline(always)]
fn add(to: &mut Lanes, factor: f64, from: &Lanes) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// Rows of n numbers, each filled up with 0 to whole lanes.
fn in_lanes(numbers: &[f64], n: usize) -> Vec<Lanes> {
    let lanes = |some: &[f64]| std::array::from_fn(|l| some.get(l).copied().unwrap_or(0.0));
    numbers.chunks(n).flat_map(|row| row.chunks(LANES).map(lanes)).collect()
}

/// ln sum_x p(x) q(x), x of so many times: F_1 = pi pi' o E, F_t = (A' F_{t-1} B) o E, with E_ij the integral of the product of what
/// state i of the one and state j of the other emit, given as `emitted = E / exp(log)` with no entry above 1. Minus infinity where no x
/// has a density in both.
///
/// # Errors
/// Bounds of `control`, which is asked for time once per time of x.
pub(in crate::generative) fn log_pair_sum(
    a: &Transitions,
    b: &Transitions,
    emitted: &[f64],
    log: f64,
    times: usize,
    control: &Control,
) -> Result<f64> {
    // Of few states the compiler knows how many lanes there are.
    let sum = match b.states().div_ceil(LANES) {
        1 => log_sum::<1>,
        2 => log_sum::<2>,
        _ => log_sum::<0>,
    };
    sum(a, b, emitted, log, times, control)
}

/// [`log_pair_sum`] with so many lanes for the states of `b`; 0: as many as they need.
fn log_sum<const WIDTH: usize>(
    a: &Transitions,
    b: &Transitions,
    emitted: &[f64],
    log: f64,
    times: usize,
    control: &Control,
) -> Result<f64> {
    // Pairs of states that are gone through between two looks at the clock.
    const PAIRS: usize = 4096;
    // A sum below this is put into the logarithm.
    const SMALL: f64 = 1e-60;
    let (m, n) = (a.states(), b.states());
    let width = if WIDTH > 0 { WIDTH } else { n.div_ceil(LANES) };
    let (next, emitted) = (in_lanes(&b.next, n), in_lanes(emitted, n));
    let mut pairs = in_lanes(&(0..m * n).map(|k| a.start[k / n] * b.start[k % n]).collect::<Vec<_>>(), n);
    let mut half = vec![[0.0; LANES]; m * width];
    let mut total = times as f64 * log;
    let look = (PAIRS / (m * n).max(1)).max(1);
    for t in 0..times {
        if t > 0 {
            // half = A' F, then F = half B.
            half.fill([0.0; LANES]);
            if t % look == 0 {
                control.check_time("the product of two hidden Markov models")?;
            }
            for (row, weights) in pairs.chunks_exact(width).zip(a.next.chunks_exact(m)) {
                if m * n > PAIRS && control.is_given_up() {
                    break;
                }
                for (to, weight) in half.chunks_exact_mut(width).zip(weights) {
                    to.iter_mut().zip(row).for_each(|(to, f)| add(to, *weight, f));
                }
            }
            for (to, row) in pairs.chunks_exact_mut(width).zip(half.chunks_exact(width)) {
                to.fill([0.0; LANES]);
                for (f, from) in row.as_flattened()[..n].iter().zip(next.chunks_exact(width)) {
                    to.iter_mut().zip(from).for_each(|(to, b)| add(to, *f, b));
                }
            }
        }
        pairs.as_flattened_mut().iter_mut().zip(emitted.as_flattened()).for_each(|(f, e)| *f *= e);
        let mut sums = [0.0; LANES];
        pairs.iter().for_each(|some| add(&mut sums, 1.0, some));
        let sum: f64 = sums.iter().sum();
        // The two chains have no x in common.
        if sum == 0.0 {
            return Ok(f64::NEG_INFINITY);
        }
        if sum < SMALL || t + 1 == times {
            total += sum.ln();
            pairs.as_flattened_mut().iter_mut().for_each(|f| *f /= sum);
        }
    }
    control.check_time("the product of two hidden Markov models")?;
    Ok(total)
}

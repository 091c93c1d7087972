//! sum_x p(x) q(x) over all x of T times, for two hidden Markov chains: a recursion over pairs of states (Jebara, Kondor & Howard,
//! Probability product kernels, 2004, section 5).

use super::Transitions;

/// Strings that are written out one by one where there is no recursion.
pub(in crate::generative) const MOST_STRINGS: f64 = 1e5;

/// A sum below this is put into the logarithm.
const SMALL: f64 = 1e-60;

/// ln sum_x p(x) q(x), x of so many times: F_1 = pi pi' o E, F_t = (A' F_{t-1} B) o E, with E_ij the integral of the product of what
/// state i of the one and state j of the other emit, given as `emitted = E / exp(log)` with no entry above 1. Minus infinity where no x
/// has a density in both.
pub(in crate::generative) fn log_pair_sum(a: &Transitions, b: &Transitions, emitted: &[f64], log: f64, times: usize) -> f64 {
    let (m, n) = (a.states(), b.states());
    let mut pairs: Vec<f64> = (0..m * n).map(|k| a.start[k / n] * b.start[k % n]).collect();
    let mut half = vec![0.0; m * n];
    let mut total = times as f64 * log;
    for t in 0..times {
        if t > 0 {
            // half = A' F, then F = half B.
            half.fill(0.0);
            for (i, row) in pairs.chunks(n).enumerate() {
                for (j, to) in half.chunks_mut(n).enumerate() {
                    to.iter_mut().zip(row).for_each(|(to, f)| *to += a.next[i * m + j] * f);
                }
            }
            pairs.fill(0.0);
            for (row, to) in half.chunks(n).zip(pairs.chunks_mut(n)) {
                for (f, from) in row.iter().zip(b.next.chunks(n)) {
                    to.iter_mut().zip(from).for_each(|(to, b)| *to += f * b);
                }
            }
        }
        pairs.iter_mut().zip(emitted).for_each(|(f, e)| *f *= e);
        let sum: f64 = pairs.iter().sum();
        // The two chains have no x in common.
        if sum == 0.0 {
            return f64::NEG_INFINITY;
        }
        if sum < SMALL || t + 1 == times {
            total += sum.ln();
            pairs.iter_mut().for_each(|f| *f /= sum);
        }
    }
    total
}

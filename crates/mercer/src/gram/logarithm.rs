//! Kernels that are known by the logarithms of their values:
//!
//! ```text
//! k(x, z) = exp((l(x) + l(z)) / 2 - d(x, z)),    l(x) = ln k(x, x),    d(x, z) = -ln(k(x, z) / sqrt(k(x, x) k(z, z)))
//! ```
//!
//! 1 - exp(-d) is 1 to the last bit from d = 37 on, and exp(-d) is 0 from d = 745 on: d keeps the order of inputs that are far apart, and
//! the ratios of values beyond the range of numbers.

use super::{Block, Gram, Side};
use crate::error::{Error, Result};
use std::ops::Range;

/// A Gram matrix of positive values that is known by their logarithms.
pub trait LogGram: Sync {
    /// ln k(x, x) of every input of one side; minus infinity where k(x, x) is 0.
    fn log_diagonal(&self, side: Side) -> Vec<f64>;
    /// Writes d of every pair of a list of rows and a range of columns: 0 or above for Mercer kernels, 0 between equal inputs, infinite
    /// where k is 0. Where k(x, x) or k(z, z) is 0 any number will do.
    fn fill_log_decay(&self, rows: &[usize], cols: Range<usize>, out: Block<'_, f64>);
    /// ln k(x, x), where all inputs of both sides have the same; 0 of no inputs.
    fn common_log_diagonal(&self) -> Option<f64> {
        let (rows, cols) = (self.log_diagonal(Side::Rows), self.log_diagonal(Side::Cols));
        let first = rows.first().or(cols.first()).copied().unwrap_or(0.0);
        rows.iter().chain(&cols).all(|l| *l == first).then_some(first)
    }
}

/// An error where some k(x, x) of a side is 0 and its logarithm says that it is a number below all others: every value with that row is
/// lost.
pub(super) fn require_not_lost(gram: &(impl Gram + ?Sized), side: Side, diagonal: &[f64]) -> Result<()> {
    let Some(log) = gram.logarithm().filter(|_| diagonal.contains(&0.0)) else { return Ok(()) };
    let logs = log.log_diagonal(side);
    match diagonal.iter().zip(&logs).position(|(k, l)| *k == 0.0 && l.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::Numerical {
            what: "Gram matrix".into(),
            why: format!(
                "the kernel of row {} with itself is 1e{:.0}, below the range of numbers; wrap the kernel in normalise(..), or scale the columns",
                row + 1,
                (logs[row] / std::f64::consts::LN_10).floor()
            ),
        }),
    }
}

/// d of a kernel value and sqrt(k(x, x) k(z, z)), with the digits that the value has.
pub(crate) fn log_decay(value: f64, scale: f64) -> f64 {
    let lost = (scale - value) / scale;
    if lost < 0.5 { -libm::log1p(-lost) } else { -libm::log(value / scale) }
}

/// ln k(x, x) of a sum of kernels with these.
pub(crate) fn log_diagonal_of_sum<'a>(parts: impl Iterator<Item = &'a dyn LogGram>, side: Side) -> Vec<f64> {
    let parts: Vec<Vec<f64>> = parts.map(|part| part.log_diagonal(side)).collect();
    let inputs = parts.first().map_or(0, Vec::len);
    (0..inputs).map(|i| log_sum(parts.iter().map(|part| part[i]))).collect()
}

/// ln of a sum of numbers, from their logarithms.
pub(crate) fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most.is_infinite() { most } else { most + logs.map(|log| libm::exp(log - most)).sum::<f64>().ln() }
}

/// d of a sum of kernels: with the shares p_t = exp((l_t(x) + l_t(z) - l(x) - l(z)) / 2), exp(-d) = sum_t p_t exp(-d_t).
pub(crate) fn fill_log_decay_of_sum<'a>(
    parts: impl Iterator<Item = &'a dyn LogGram> + Clone,
    rows: &[usize],
    cols: Range<usize>,
    mut out: Block<'_, f64>,
) {
    let own: Vec<[Vec<f64>; 2]> = parts.clone().map(|part| [Side::Rows, Side::Cols].map(|side| part.log_diagonal(side))).collect();
    let all = [Side::Rows, Side::Cols].map(|side| log_diagonal_of_sum(parts.clone(), side));
    let width = cols.len();
    let decays: Vec<Vec<f64>> = parts
        .map(|part| {
            let mut decay = vec![0.0; rows.len() * width];
            part.fill_log_decay(rows, cols.clone(), Block::new(&mut decay, rows.len(), width));
            decay
        })
        .collect();
    // ln p_t and d_t.
    let mut terms = vec![(0.0, 0.0); own.len()];
    for (k, &i) in rows.iter().enumerate() {
        for (l, j) in cols.clone().enumerate() {
            let whole = 0.5 * (all[0][i] + all[1][j]);
            for (term, ([left, right], decay)) in terms.iter_mut().zip(own.iter().zip(&decays)) {
                *term = (0.5 * (left[i] + right[j]) - whole, decay[k * width + l]);
            }
            out.row_mut(k)[l] = decay_of_sum(&terms);
        }
    }
}

/// d from ln p_t and d_t of each term; those with p_t = 0 are left out.
fn decay_of_sum(terms: &[(f64, f64)]) -> f64 {
    let there = || terms.iter().filter(|(log_share, _)| *log_share > f64::NEG_INFINITY);
    let share: f64 = there().map(|(log_share, _)| libm::exp(*log_share)).sum();
    // Shares of kernels with a common diagonal sum to 1 but for rounding.
    let missing = if (1.0 - share).abs() <= 8.0 * f64::EPSILON { 0.0 } else { 1.0 - share };
    let lost: f64 = there().map(|(log_share, decay)| -libm::exp(*log_share) * libm::expm1(-decay)).sum();
    if missing + lost < 0.5 { -libm::log1p(-(missing + lost)) } else { -log_sum(there().map(|(log_share, decay)| log_share - decay)) }
}

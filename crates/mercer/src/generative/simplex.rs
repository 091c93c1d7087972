//! Probabilities that sum to 1: most probable values under a Dirichlet prior, draws, and coordinates that are free to take any value, see
//! `log_ratios`.

use super::FreeParameter;
use super::log_ratios::{contrasts, log_probabilities};
use rand::{Rng, RngExt};

/// No probability is below this: a row of probabilities is never 0, and a sequence that was never seen has a finite log density.
pub(super) const LEAST: f64 = 1e-100;

/// The coordinates of probabilities, each with a name: `log_ratio[start 2]`.
pub(super) fn log_ratios(of: &str, p: &[f64]) -> Vec<FreeParameter> {
    let logs: Vec<f64> = p.iter().map(|p| p.ln()).collect();
    let named = |(k, value)| FreeParameter { name: format!("log_ratio[{of} {}]", k + 2), value };
    contrasts(&logs).enumerate().map(named).collect()
}

/// The probabilities of these K - 1 coordinates.
pub(super) fn from_log_ratios(ratios: &[f64]) -> Vec<f64> {
    normalised(log_probabilities(ratios).into_iter().map(f64::exp).collect())
}

/// Appends the derivatives of sum_k c_k ln p_k in the coordinates, those of the residual c - p sum c.
pub(super) fn push_scores(counts: &[f64], p: &[f64], out: &mut Vec<f64>) {
    let total: f64 = counts.iter().sum();
    let residual: Vec<f64> = counts.iter().zip(p).map(|(c, p)| c - p * total).collect();
    out.extend(contrasts(&residual));
}

/// The p that maximises sum_k (c_k + prior - 1) ln p_k: all equal where nothing is counted.
pub(super) fn most_probable(counts: &[f64], prior: f64) -> Vec<f64> {
    let weights: Vec<f64> = counts.iter().map(|c| c + (prior - 1.0)).collect();
    let total: f64 = weights.iter().sum();
    // Counts so small that their shares have no digits say nothing.
    if total < f64::MIN_POSITIVE { normalised(vec![1.0; counts.len()]) } else { normalised(weights) }
}

/// sum_k ln p_k.
pub(super) fn log_sum(p: &[f64]) -> f64 {
    p.iter().map(|p| p.ln()).sum()
}

/// A draw from the simplex in which all points are equally likely (Dirichlet of parameters 1).
pub(super) fn draw(random: &mut impl Rng, size: usize) -> Vec<f64> {
    normalised((0..size).map(|_| -(1.0 - random.random::<f64>()).ln()).collect())
}

/// The number of a class drawn by these probabilities.
pub(super) fn draw_class(random: &mut impl Rng, p: &[f64]) -> usize {
    let mut left = random.random::<f64>() * p.iter().sum::<f64>();
    let drawn = p.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    drawn.unwrap_or(p.len().saturating_sub(1))
}

/// Whether stored numbers are probabilities that sum to 1.
pub(super) fn are_probabilities(p: &[f64]) -> bool {
    p.iter().all(|p| *p > 0.0 && *p <= 1.0) && (p.iter().sum::<f64>() - 1.0).abs() <= 1e-9
}

fn normalised(mut p: Vec<f64>) -> Vec<f64> {
    for _ in 0..2 {
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p = (*p / total).max(LEAST));
    }
    p
}

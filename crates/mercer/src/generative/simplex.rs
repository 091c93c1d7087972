//! Probabilities that sum to 1: most probable values under a Dirichlet prior, draws, and the coordinates ln(p_k / p_K), k < K, which are
//! free to take any value: p_k = exp(r_k) / sum_l exp(r_l) with r_K = 0.

use rand::{Rng, RngExt};

/// No probability is below this: a row of probabilities is never 0, and a sequence that was never seen has a finite log density.
pub(super) const LEAST: f64 = 1e-100;

/// ln(p_k / p_K), k < K.
pub(super) fn log_ratios(p: &[f64]) -> impl Iterator<Item = f64> {
    let last = p.last().copied().unwrap_or(1.0).ln();
    p[..p.len().saturating_sub(1)].iter().map(move |p| p.ln() - last)
}

/// The probabilities of these K - 1 coordinates.
pub(super) fn from_log_ratios(ratios: &[f64]) -> Vec<f64> {
    let largest = ratios.iter().fold(0.0, |a: f64, b| a.max(*b));
    normalised(ratios.iter().chain([&0.0]).map(|r| (r - largest).exp()).collect())
}

/// Appends sum_k c_k d ln p_k / d r = c_k - p_k sum c for each coordinate r of log ratios.
pub(super) fn push_scores(counts: &[f64], p: &[f64], out: &mut Vec<f64>) {
    let total: f64 = counts.iter().sum();
    out.extend(counts.iter().zip(p).take(p.len().saturating_sub(1)).map(|(c, p)| c - p * total));
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

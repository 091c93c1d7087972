//! Where expectation maximisation of normal distributions starts: points far from one another (Arthur & Vassilvitskii, k-means++, 2007).

use super::simplex::draw_class;
use rand::Rng;

/// The share of the variance of all rows that a variance does not fall below, whatever the prior: the likelihood of a component that sits
/// on one point has no bound.
pub(super) const LEAST_SHARE: f64 = 1e-6;

/// `count` of the points (numbers of each, row after row), each drawn by weight times the squared distance to the nearest of those
/// drawn before, with columns divided by the roots of `variances`.
pub(super) fn centres(random: &mut impl Rng, values: &[f64], variances: &[f64], weights: &[f64], count: usize) -> Vec<f64> {
    let dim = variances.len();
    let mut nearest = vec![f64::INFINITY; weights.len()];
    let mut chosen = Vec::with_capacity(count * dim);
    for drawn in 0..count {
        let odds: Vec<f64> = weights.iter().zip(&nearest).map(|(w, d)| if drawn == 0 { *w } else { w * d }).collect();
        // Fewer points than centres: some stand twice.
        let at = draw_class(random, if odds.iter().any(|o| *o > 0.0) { &odds } else { weights });
        let centre = &values[at * dim..(at + 1) * dim];
        for (near, point) in nearest.iter_mut().zip(values.chunks(dim.max(1))) {
            let distance: f64 = point.iter().zip(centre).zip(variances).map(|((x, c), v)| (x - c).powi(2) / v).sum();
            *near = near.min(distance);
        }
        chosen.extend_from_slice(centre);
    }
    chosen
}

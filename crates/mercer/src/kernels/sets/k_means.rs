//! k-means of weighted points: centres m that minimise sum_i w_i min_c |x_i - m_c|^2, by rounds of assignment and means (Lloyd, Least squares
//! quantization in PCM, 1982) from a start drawn by squared distances (Arthur & Vassilvitskii, k-means++, 2007).
//!
//! Points are sorted and copies of one are merged first: neither their order nor copies instead of weights change the centres.

use crate::blocks;
use crate::control::Control;
use crate::data::{RowWeights, some_rows};
use crate::error::{Error, Result};
use crate::generative::{compare_numbers, distinct};
use crate::gram::axpy;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Centres, and the mean squared distance to the nearest over the number of axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Centres {
    dim: usize,
    /// Centre after centre.
    #[serde(with = "blocks::f64s")]
    values: Vec<f64>,
    variance: f64,
}

/// Points that one thread takes at a time, whose sums are added in order.
const TOGETHER: usize = 512;

/// Points that differ, in ascending order, and how often each counts.
fn merged(points: &[f64], dim: usize, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    // Points that centres are learnt from at most: more say little more of where they are.
    const MOST: usize = 1 << 16;
    let point = |i: usize| &points[i * dim..(i + 1) * dim];
    let (kept, counts) = distinct(weights.len(), RowWeights::from(Some(weights)), |i, j| compare_numbers(point(i), point(j)));
    let some = some_rows(kept.len(), MOST, 0);
    (some.iter().flat_map(|&k| point(kept[k])).copied().collect(), some.iter().map(|&k| counts[k]).collect())
}

impl Centres {
    /// At most `count` centres of points of `dim` numbers, as many as differ.
    ///
    /// # Errors
    /// Bounds of `control`.
    pub(super) fn of(points: &[f64], dim: usize, weights: &[f64], count: usize, seed: u64, control: &Control) -> Result<Self> {
        // Rounds at most; what is left to gain after so many is small.
        const ROUNDS: usize = 100;
        // Rounds end where they take less than this share off the loss.
        const LEAST: f64 = 1e-6;
        let (points, weights) = merged(points, dim, weights);
        let mut centres = Centres { dim, values: drawn(&points, dim, &weights, count, seed), variance: 0.0 };
        let total: f64 = weights.iter().sum();
        let mut loss = f64::INFINITY;
        for _ in 0..ROUNDS {
            control.check()?;
            let (sums, counts, now) = centres.sums(&points, &weights);
            centres.variance = now / (total.max(f64::MIN_POSITIVE) * dim.max(1) as f64);
            if now >= loss * (1.0 - LEAST) || control.out_of_time() {
                break;
            }
            loss = now;
            for ((centre, sum), count) in centres.values.chunks_exact_mut(dim.max(1)).zip(sums.chunks_exact(dim.max(1))).zip(counts) {
                // A centre that no point is nearest to stays.
                if count > 0.0 {
                    centre.iter_mut().zip(sum).for_each(|(m, s)| *m = s / count);
                }
            }
        }
        Ok(centres)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.values.len() / self.dim.max(1)
    }
    /// The mean squared distance of a training point to its centre, over the number of axes.
    pub(super) fn variance(&self) -> f64 {
        self.variance
    }
    /// An error unless these are centres of vectors of so many numbers.
    pub(super) fn check(&self, dim: usize) -> Result<()> {
        Error::unless_equal("numbers per vector of a codebook", self.dim, dim)?;
        Error::unless_equal("numbers of the centres of a codebook", self.count() * self.dim, self.values.len())
    }

    /// The centres axis by axis.
    fn by_axis(&self) -> Vec<f64> {
        let count = self.count();
        (0..self.dim).flat_map(|axis| (0..count).map(move |c| (c, axis))).map(|(c, axis)| self.values[c * self.dim + axis]).collect()
    }

    /// Calls `each` with every point's number and squared distances to all centres.
    pub(super) fn each_distances(&self, points: &[f64], mut each: impl FnMut(usize, &[f64])) {
        let (count, by_axis) = (self.count(), self.by_axis());
        let (mut squares, mut differences) = (vec![0.0; count], vec![0.0; count]);
        for (i, point) in points.chunks_exact(self.dim.max(1)).enumerate() {
            squares.fill(0.0);
            for (x, centres) in point.iter().zip(by_axis.chunks_exact(count.max(1))) {
                differences.copy_from_slice(centres);
                differences.iter_mut().for_each(|d| *d -= x);
                squares.iter_mut().zip(&differences).for_each(|(s, d)| *s += d * d);
            }
            each(i, &squares);
        }
    }

    /// Sums and weights of the points nearest to each centre, and the loss.
    fn sums(&self, points: &[f64], weights: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let (dim, count) = (self.dim.max(1), self.count());
        let some = |(points, weights): (&[f64], &[f64])| {
            let (mut sums, mut counts, mut loss) = (vec![0.0; count * dim], vec![0.0; count], 0.0);
            self.each_distances(points, |i, squares| {
                let centre = nearest(squares);
                axpy(weights[i], &points[i * dim..(i + 1) * dim], &mut sums[centre * dim..(centre + 1) * dim]);
                counts[centre] += weights[i];
                loss += weights[i] * squares[centre];
            });
            (sums, counts, loss)
        };
        let parts: Vec<_> = points.par_chunks(TOGETHER * dim).zip(weights.par_chunks(TOGETHER)).map(some).collect();
        let mut all = (vec![0.0; count * dim], vec![0.0; count], 0.0);
        for (sums, counts, loss) in parts {
            all.0.iter_mut().zip(sums).for_each(|(a, s)| *a += s);
            all.1.iter_mut().zip(counts).for_each(|(a, c)| *a += c);
            all.2 += loss;
        }
        all
    }
}

/// The first of the least values.
pub(super) fn nearest(squares: &[f64]) -> usize {
    (1..squares.len()).fold(0, |best, c| if squares[c] < squares[best] { c } else { best })
}

/// Points drawn one after the other, with probabilities that rise with weight and squared distance to those before: of 2 + ln(count) each
/// time the one that leaves the least loss.
fn drawn(points: &[f64], dim: usize, weights: &[f64], count: usize, seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let tried = 2 + (count as f64).ln() as usize;
    let point = |i: usize| &points[i * dim..(i + 1) * dim];
    let mut left: Vec<f64> = weights.to_vec();
    let mut nearest = vec![f64::INFINITY; weights.len()];
    let mut centres = Vec::new();
    for _ in 0..count {
        let total: f64 = left.iter().sum();
        let Some(last) = left.iter().rposition(|share| *share > 0.0) else { break };
        let mut best: Option<(f64, usize, Vec<f64>)> = None;
        for _ in 0..if centres.is_empty() { 1 } else { tried } {
            let mut at = random.random_range(0.0..1.0) * total;
            let passed = |share: &f64| {
                at -= share;
                at < 0.0 && *share > 0.0
            };
            let chosen = left.iter().position(passed).unwrap_or(last);
            let squared_distance =
                |point: &[f64]| -> f64 { point.iter().zip(&points[chosen * dim..]).map(|(x, m)| (x - m) * (x - m)).sum() };
            let all = points.par_chunks_exact(dim.max(1)).with_min_len(TOGETHER).zip(&nearest);
            let nearest: Vec<f64> = all.map(|(point, nearest)| nearest.min(squared_distance(point))).collect();
            let loss: f64 = nearest.iter().zip(weights).map(|(d, w)| d * w).sum();
            if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
                best = Some((loss, chosen, nearest));
            }
        }
        let Some((_, chosen, now)) = best else { break };
        nearest = now;
        left.iter_mut().zip(&nearest).zip(weights).for_each(|((left, d), w)| *left = w * d);
        centres.extend_from_slice(point(chosen));
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    fn centres(points: &[f64], weights: &[f64], count: usize) -> Centres {
        Centres::of(points, 1, weights, count, 0, &Control::default()).unwrap()
    }

    #[test]
    fn centres_are_means_of_the_points_nearest_to_them() {
        let found = centres(&[10.0, 0.0, 1.0, 11.0, 0.0], &[1.0, 1.0, 2.0, 3.0, 0.0], 2);
        let mut values = found.values.clone();
        values.sort_by(f64::total_cmp);
        // (0 + 2 1) / 3 and (10 + 3 11) / 4, with squared distances 4/9 + 2/9 and 9/16 + 3/16 of weights 7.
        assert!((values[0] - 2.0 / 3.0).abs() <= 1e-15 && (values[1] - 10.75).abs() <= 1e-14, "{values:?}");
        assert!((found.variance() - (2.0 / 3.0 + 0.75) / 7.0).abs() <= 1e-15, "{}", found.variance());
        // Copies instead of weights, in another order.
        assert_eq!(centres(&[11.0, 0.0, 1.0, 11.0, 10.0, 1.0, 11.0], &[1.0; 7], 2), found);
    }

    #[test]
    fn there_are_no_more_centres_than_points_that_differ() {
        let found = centres(&[2.0, 1.0, 2.0], &[1.0; 3], 5);
        assert_eq!((found.count(), found.variance()), (2, 0.0));
        assert_eq!(centres(&[], &[], 3).count(), 0);
    }
}

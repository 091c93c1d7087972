//! Which training rows are nearest, whether by rounding alone, and what probabilities their votes make.

use crate::gram::{Block, Gram, Side, TIED};

/// What a class that wins by being nearer gets on top of its votes, so that its probability is the greatest too.
pub(super) const NEARER: f64 = 1e-6;
/// Up to so many neighbours the farthest of them is found by keeping the least distances in order.
const FEW: usize = 32;

/// Votes to probabilities: (votes + f) / (sum of votes + 1), f = counts / sum of counts the frequencies of the classes, which
/// count like one further neighbour. Classes that f would lift above the one that won share evenly with it, but for a millionth.
pub(super) fn smooth(votes: &mut [f64], best: usize, counts: &[f64]) {
    let (total, of_counts) = (votes.iter().sum::<f64>() + 1.0, counts.iter().sum::<f64>());
    votes.iter_mut().zip(counts).for_each(|(v, n)| *v = (*v + n / of_counts) / total);
    let above: Vec<usize> = (0..votes.len()).filter(|&c| c != best && votes[c] >= votes[best]).collect();
    if above.is_empty() {
        return;
    }
    let count = above.len() as f64;
    let mean = (votes[best] + above.iter().map(|&c| votes[c]).sum::<f64>()) / (count + 1.0);
    votes[best] = mean * (1.0 + NEARER);
    above.into_iter().for_each(|c| votes[c] = mean * (1.0 - NEARER / count));
}

/// Whether the farthest of the candidates are equally far by rounding alone: of kernel values that are 0 and above with all rows, those
/// with equal k(z, z) differ. Distances that are known by logarithms or features do not tie so.
pub(super) fn tied_by_rounding(cross: &dyn Gram, input: usize, candidates: &[(usize, f64)]) -> bool {
    if cross.logarithm().is_some() {
        return false;
    }
    let edge = candidates.iter().fold(f64::NEG_INFINITY, |edge, c| edge.max(c.1));
    let n = cross.shape().1;
    let (mut values, own) = (vec![0.0; n], cross.diagonal(Side::Cols));
    cross.fill_rows(&[input], 0..n, Block::new(&mut values, 1, n));
    let last: Vec<usize> = candidates.iter().filter(|c| !farther(edge, c.1)).map(|c| c.0).collect();
    let differs = |a: usize, b: usize| own[a] == own[b] && (values[a] - values[b]).abs() > TIED * values[a].max(values[b]);
    // Of values whose sign is their rounding some lie below 0.
    values.iter().all(|k| *k >= 0.0) && last.iter().any(|&j| differs(last[0], j))
}

/// Whether a row is farther than another, and not by rounding.
pub(super) fn farther(apart: f64, than: f64) -> bool {
    apart > than + TIED * than.abs()
}

/// The distance of the farthest of the `most` nearest.
pub(super) fn farthest(distances: &[f64], most: usize) -> f64 {
    if most > FEW {
        return *distances.to_vec().select_nth_unstable_by(most - 1, f64::total_cmp).1;
    }
    let mut least = distances[..most].to_vec();
    least.sort_unstable_by(f64::total_cmp);
    let mut edge = least[most - 1];
    for &d in &distances[most..] {
        if d < edge {
            least.pop();
            least.insert(least.partition_point(|&l| l <= d), d);
            edge = least[most - 1];
        }
    }
    edge
}

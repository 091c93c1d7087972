//! Probabilities of several classes from those of their pairs.
//!
//! With r_ij the probability of class i where it is either i or j, p is the point of
//!
//! ```text
//! minimise  sum over i < j of (r_ji p_i - r_ij p_j)^2      subject to  sum p = 1
//! ```
//!
//! the second method of Wu, Lin and Weng (2004), Probability estimates for multi-class classification by pairwise coupling. In
//! matrices: Q p = mu 1 with Q_ii = sum over j of r_ji^2 and Q_ij = -r_ji r_ij; as 1'p = 1, (Q + 11') p is a multiple of 1 too,
//! and that matrix is positive definite. The point is never negative (their theorem 2).

use crate::control::Control;
use crate::error::Result;
use crate::linalg::{Cholesky, Matrix};

/// The least probability of a class of a pair.
const LEAST: f64 = 1e-7;

/// The probability of each of so many classes; `pairs` are of codes, one for each two of the classes that there are, and
/// `second` holds the probability of the second of each pair. A class in no pair has the probability 0.
pub(super) fn couple(pairs: &[(usize, usize)], second: &[f64], classes: usize) -> Result<Vec<f64>> {
    let r = |s: f64| s.clamp(LEAST, 1.0 - LEAST);
    let mut out = vec![0.0; classes];
    if let ([(a, b)], [s]) = (pairs, second) {
        (out[*a], out[*b]) = (1.0 - r(*s), r(*s));
        return Ok(out);
    }
    let mut place = vec![usize::MAX; classes];
    pairs.iter().for_each(|&(a, b)| (place[a], place[b]) = (0, 0));
    let present: Vec<usize> = (0..classes).filter(|&class| place[class] == 0).collect();
    present.iter().enumerate().for_each(|(k, &class)| place[class] = k);
    let mut q = Matrix::from_fn(present.len(), present.len(), |_, _| 1.0);
    for (&(a, b), &s) in pairs.iter().zip(second) {
        let (i, j, of_j) = (place[a], place[b], r(s));
        let of_i = 1.0 - of_j;
        q[(i, i)] += of_j * of_j;
        q[(j, j)] += of_i * of_i;
        q[(i, j)] -= of_i * of_j;
        q[(j, i)] -= of_i * of_j;
    }
    let control = Control::unwatched();
    let p = Cholesky::new(q, &control)?.solve(&Matrix::from_fn(present.len(), 1, |_, _| 1.0), &control)?;
    // What rounding takes below 0 is as small as a probability can be.
    let p: Vec<f64> = p.data().iter().map(|x| x.max(f64::MIN_POSITIVE)).collect();
    let sum: f64 = p.iter().sum();
    present.iter().zip(&p).for_each(|(&class, x)| out[class] = x / sum);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::pairs_among;

    fn pairs(k: usize) -> Vec<(usize, usize)> {
        pairs_among(k).collect()
    }

    /// Probabilities of second classes without a pattern, some of them certain.
    fn made(k: usize, set: usize) -> Vec<f64> {
        pairs(k).iter().map(|&(a, b)| (0.5 + 0.7 * ((a * 7 + b * 3 + set * 5) as f64).sin()).clamp(0.0, 1.0)).collect()
    }

    fn objective(pairs: &[(usize, usize)], second: &[f64], p: &[f64]) -> f64 {
        let one = |(&(a, b), s): (&(usize, usize), &f64)| (s * p[a] - (1.0 - s) * p[b]).powi(2);
        pairs.iter().zip(second).map(one).sum()
    }

    #[test]
    fn pairs_that_agree_give_their_probabilities_back() {
        for p in [vec![0.2, 0.5, 0.3], vec![0.01, 0.04, 0.15, 0.8], vec![0.25; 4]] {
            let pairs = pairs(p.len());
            let second: Vec<f64> = pairs.iter().map(|&(a, b)| p[b] / (p[a] + p[b])).collect();
            for (found, expected) in couple(&pairs, &second, p.len()).unwrap().iter().zip(&p) {
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
        assert_eq!(couple(&[(0, 1)], &[0.75], 2).unwrap(), [0.25, 0.75]);
    }

    #[test]
    fn no_point_of_the_simplex_is_better() {
        for k in [3, 4, 7, 26] {
            for set in 0..20 {
                let (pairs, second) = (pairs(k), made(k, set));
                let p = couple(&pairs, &second, k).unwrap();
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|x| *x > 0.0), "{p:?}");
                let least = objective(&pairs, &second, &p);
                // Convex: no better point in any direction that goes from one class to another.
                for (from, to) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                    let step = 0.5 * p[from];
                    let mut other = p.clone();
                    other[from] -= step;
                    other[to] += step;
                    assert!(objective(&pairs, &second, &other) >= least - 1e-9, "{k} classes, set {set}");
                }
            }
        }
    }

    #[test]
    fn a_class_in_no_pair_has_no_probability_and_certain_pairs_leave_some_to_every_other() {
        let p = couple(&[(0, 2), (0, 4), (2, 4)], &[1.0, 0.0, 0.0], 5).unwrap();
        assert!(p[1] == 0.0 && p[3] == 0.0 && p[2] > 0.999, "{p:?}");
        assert!(p[0] > 0.0 && p[4] > 0.0, "{p:?}");
    }
}

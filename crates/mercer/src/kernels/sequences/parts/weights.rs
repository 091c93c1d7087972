//! Weights of substrings: by their length, or given for each (S3 14.2.6).

/// The weight of every substring.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SubstringWeights {
    /// Weights of the lengths from `shortest` on; longer substrings have none.
    Bounded { shortest: usize, weights: Vec<f64> },
    /// factor^length, for every length from `shortest` to `longest`.
    Geometric { shortest: usize, longest: usize, factor: f64 },
    /// Weights of some substrings; all others have none.
    Given { substrings: Vec<String>, weights: Vec<f64> },
}

impl SubstringWeights {
    /// Weight 1 for one length.
    pub(crate) fn one(length: usize) -> Self {
        SubstringWeights::Bounded { shortest: length, weights: vec![1.0] }
    }

    /// factor^length from `shortest` to `longest`, which may be infinite.
    pub(crate) fn geometric(shortest: usize, longest: f64, factor: f64) -> Self {
        // Lengths that have a weight each; of more the weights follow from the length.
        const MOST_WEIGHTS: usize = 1 << 12;
        // Infinity is the greatest number.
        let longest = if longest.is_nan() { usize::MAX } else { longest as usize };
        if longest < shortest.saturating_add(MOST_WEIGHTS) {
            let weights = (shortest..=longest).map(|l| factor.powi(i32::try_from(l).unwrap_or(i32::MAX))).collect();
            return SubstringWeights::Bounded { shortest, weights };
        }
        SubstringWeights::Geometric { shortest, longest, factor }
    }

    /// The sum of the weights by length of the lengths above `from` and up to `to`.
    pub(crate) fn between(&self, from: usize, to: usize) -> f64 {
        match self {
            SubstringWeights::Bounded { shortest, weights } => {
                let at = |length: usize| (length + 1).saturating_sub(*shortest).min(weights.len());
                weights[at(from).min(at(to))..at(to)].iter().sum()
            }
            SubstringWeights::Given { .. } => 0.0,
            SubstringWeights::Geometric { shortest, longest, factor } => {
                let (from, to) = (from.max(shortest.saturating_sub(1)), to.min(*longest));
                if to <= from {
                    0.0
                } else if *factor == 1.0 {
                    (to - from) as f64
                } else {
                    // f^(from+1) + .. + f^to = f^(from+1) (f^n - 1) / (f - 1), n = to - from, without a difference of powers near 1.
                    let log = if *factor > 0.5 { libm::log1p(factor - 1.0) } else { libm::log(*factor) };
                    factor.powf((from + 1) as f64) * libm::expm1((to - from) as f64 * log) / (factor - 1.0)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_weights_are_sums_over_lengths() {
        let all = [
            SubstringWeights::one(3),
            SubstringWeights::geometric(2, 5.0, 0.5),
            SubstringWeights::geometric(1, f64::INFINITY, 1.0),
            SubstringWeights::geometric(3, f64::INFINITY, 0.7),
            SubstringWeights::Geometric { shortest: 2, longest: 6, factor: 0.9 },
            SubstringWeights::geometric(2, 9e15, 0.9),
            SubstringWeights::geometric(1, f64::INFINITY, 1.2),
        ];
        for weights in all {
            let of = |l: usize| match &weights {
                SubstringWeights::Bounded { shortest, weights } => {
                    l.checked_sub(*shortest).and_then(|k| weights.get(k)).copied().unwrap_or(0.0)
                }
                SubstringWeights::Given { .. } => 0.0,
                SubstringWeights::Geometric { shortest, longest, factor } => {
                    if (*shortest..=*longest).contains(&l) {
                        factor.powi(l as i32)
                    } else {
                        0.0
                    }
                }
            };
            for from in 0..9 {
                for to in from..9 {
                    let sum: f64 = (from + 1..=to).map(of).sum();
                    assert!((weights.between(from, to) - sum).abs() < 1e-12, "{weights:?} {from} {to}");
                }
            }
        }
    }

    // With f = 1 - h: sum_(l = 1..n) f^l = n - h n (n + 1) / 2 + h^2 (n + 1) n (n - 1) / 6 - ...
    #[test]
    fn sums_of_powers_near_one_keep_their_digits() {
        for h in [1e-4, 1e-8, 1e-12, -1e-8, -1e-5] {
            let weights = SubstringWeights::geometric(1, f64::INFINITY, 1.0 - h);
            let h = 1.0 - (1.0 - h);
            for n in [1usize, 7, 60] {
                let m = n as f64;
                let series = m - h * m * (m + 1.0) / 2.0 + h * h * (m + 1.0) * m * (m - 1.0) / 6.0
                    - h.powi(3) * (m + 1.0) * m * (m - 1.0) * (m - 2.0) / 24.0;
                assert!((weights.between(0, n) / series - 1.0).abs() <= 1e-15 + 10.0 * (m * h).powi(4), "{h} {n}");
            }
        }
    }
}

//! The quantile of conformity scores that covers a new row: with n scores the ceil((n + 1) level)-th smallest (Vovk, Gammerman and Shafer
//! 2005, Algorithmic learning in a random world). A row of weight w counts as w rows.

/// Relative rounding error of level (n + 1): 0.55 * 20 is 11.000000000000002, which must ask for the 11th score and not for the 12th.
const ROUNDING: f64 = 1e-12;

/// Conformity scores in ascending order with their cumulative weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SortedScores {
    scores: Vec<f64>,
    /// Weight of each score and of those before it.
    cumulative: Vec<f64>,
}

impl SortedScores {
    /// Of scores with the weight of each.
    pub(super) fn of(mut pairs: Vec<(f64, f64)>) -> Self {
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let cumulative = pairs.iter().map(|(_, weight)| {
            sum += weight;
            sum
        });
        SortedScores { cumulative: cumulative.collect(), scores: pairs.into_iter().map(|(score, _)| score).collect() }
    }

    /// Weight of all scores.
    pub(super) fn total(&self) -> f64 {
        self.cumulative.last().copied().unwrap_or(0.0)
    }

    /// Weight of the scores below a value.
    fn below(&self, score: f64) -> f64 {
        match self.scores.partition_point(|s| *s < score) {
            0 => 0.0,
            place => self.cumulative[place - 1],
        }
    }

    /// The smallest score that a new row exceeds with probability 1 - level at most; infinite where there are too few scores.
    pub(super) fn quantile(&self, level: f64) -> f64 {
        let needed = needed(level, self.total());
        let place = self.cumulative.partition_point(|sum| *sum < needed);
        self.scores.get(place).copied().unwrap_or(f64::INFINITY)
    }

    /// The p-value of a new row with this score: the share of rows, itself among them, that conform no better.
    pub(super) fn p_value(&self, score: f64) -> f64 {
        (self.total() - self.below(score) + 1.0) / (self.total() + 1.0)
    }

    /// Weight of the rows whose score is within the quantile of the other scores.
    pub(super) fn covered(&self, level: f64) -> f64 {
        let mut before = 0.0;
        let mut covered = 0.0;
        for (score, sum) in self.scores.iter().zip(&self.cumulative) {
            let weight = sum - before;
            before = *sum;
            if self.below(*score) < needed(level, self.total() - weight) {
                covered += weight;
            }
        }
        covered
    }
}

/// Weight of scores that the quantile reaches.
fn needed(level: f64, total: f64) -> f64 {
    level * (total + 1.0) * (1.0 - ROUNDING)
}

/// The fewest rows for which the quantile of a level is finite: the least n with n >= level (n + 1).
pub(super) fn fewest_rows(level: f64) -> usize {
    (level / (1.0 - level) * (1.0 - ROUNDING)).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(n: usize) -> SortedScores {
        SortedScores::of((1..=n).rev().map(|k| (k as f64, 1.0)).collect())
    }

    // Score k is the k-th smallest, and levels are whole percentages: ceil((n + 1) p / 100) in whole numbers.
    #[test]
    fn the_order_statistic_is_right_for_every_number_of_rows_and_every_percentage() {
        for n in 0..=150_usize {
            for percent in 1..100 {
                let place = ((n + 1) * percent).div_ceil(100);
                let expected = if place > n { f64::INFINITY } else { place as f64 };
                let level = percent as f64 / 100.0;
                assert_eq!(scores(n).quantile(level), expected, "{n} rows at {level}");
                assert_eq!(place <= n, n >= fewest_rows(level), "{n} rows at {level}");
            }
        }
    }

    #[test]
    fn five_rows_are_too_few_for_nine_in_ten_and_nine_are_enough() {
        assert_eq!((scores(5).quantile(0.9), scores(8).quantile(0.9), scores(9).quantile(0.9)), (f64::INFINITY, f64::INFINITY, 9.0));
        assert_eq!((fewest_rows(0.9), fewest_rows(0.95), fewest_rows(0.99), fewest_rows(0.5)), (9, 19, 99, 1));
    }

    #[test]
    fn a_weight_of_two_is_two_rows_and_a_weight_of_zero_none() {
        let weighted = SortedScores::of(vec![(3.0, 2.0), (1.0, 1.0), (7.0, 0.0), (2.0, 3.0)]);
        let repeated = SortedScores::of([3.0, 3.0, 1.0, 2.0, 2.0, 2.0].map(|s| (s, 1.0)).to_vec());
        for level in [0.1, 0.3, 0.5, 0.7, 0.85, 0.9] {
            assert_eq!(weighted.quantile(level), repeated.quantile(level), "{level}");
        }
        for score in [0.0, 1.0, 2.5, 3.0, 4.0] {
            assert_eq!(weighted.p_value(score), repeated.p_value(score), "{score}");
        }
    }

    // Of the scores 1, 2, 2, 4 and a new one: at least 2 are three of four, and the new one is the fourth of five.
    #[test]
    fn p_values_count_the_row_itself() {
        let some = SortedScores::of([4.0, 1.0, 2.0, 2.0].map(|s| (s, 1.0)).to_vec());
        assert_eq!([0.0, 2.0, 3.0, 5.0].map(|s| some.p_value(s)), [1.0, 0.8, 0.4, 0.2]);
        // A score is within the quantile exactly where its p-value exceeds 1 - level.
        for level in [0.15, 0.33, 0.5, 0.66, 0.75, 0.9] {
            for score in [0.5, 1.0, 2.0, 4.0, 5.0] {
                assert_eq!(score <= some.quantile(level), some.p_value(score) > 1.0 - level, "{score} at {level}");
            }
        }
    }

    // Of 1..10 without one of them nine scores are left, of which nine in ten asks for the ninth: all but the largest are within it.
    #[test]
    fn coverage_leaves_each_row_out() {
        assert_eq!(scores(10).covered(0.9), 9.0);
        assert_eq!(scores(5).covered(0.9), 5.0);
    }
}

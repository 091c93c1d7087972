//! Times of a series that lack a number.

use serde::{Deserialize, Serialize};

/// What is done with the gaps of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapFill {
    /// A time that lacks a number is left out.
    Skip,
    /// The last number before it, or the first of all where there is none.
    Forward,
    /// Linearly between the numbers on both sides, all times being equally far apart; before the first number and behind the last one
    /// the nearest of them.
    Interpolate,
}

impl GapFill {
    /// What is done with the gaps, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            GapFill::Interpolate => "interpolated",
            GapFill::Forward => "filled with the last number before them",
            GapFill::Skip => "left out with their times",
        }
    }
}

/// How many gaps there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapCount {
    /// Times that lack a number.
    pub times: usize,
    /// Rows that have such times.
    pub rows: usize,
    /// The first of them, from 0.
    pub first: usize,
}

/// Fills the NaN of each channel of one series; a channel without any number becomes 0.
pub(super) fn fill(series: &mut [f64], channels: usize, how: GapFill) {
    for channel in 0..channels {
        let known: Vec<(usize, f64)> =
            (channel..series.len()).step_by(channels).map(|at| (at, series[at])).filter(|(_, x)| !x.is_nan()).collect();
        for at in (channel..series.len()).step_by(channels).filter(|at| series[*at].is_nan()).collect::<Vec<_>>() {
            let behind = known.partition_point(|(k, _)| *k < at);
            series[at] = match (behind.checked_sub(1).map(|before| known[before]), known.get(behind)) {
                (Some((first, a)), Some((last, b))) if how == GapFill::Interpolate => {
                    a + (b - a) / (last - first) as f64 * (at - first) as f64
                }
                (Some((_, x)), _) | (None, Some(&(_, x))) => x,
                (None, None) => 0.0,
            };
        }
    }
}

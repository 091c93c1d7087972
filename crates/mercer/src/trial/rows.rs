//! How many rows an estimator learns from: all of them, or a random part or all through landmarks where an exact fit costs too much.

use super::limits::{FEWEST_PER_CLASS, FEWEST_ROWS, LEAST_ROWS, WORTH_CUTTING};
use crate::estimators::{EstimatorExpr, Size};
use serde::{Deserialize, Serialize};

/// Landmarks that are tried where an exact fit takes too much.
const LANDMARKS: [usize; 8] = [2000, 1500, 1000, 700, 500, 300, 200, 100];

/// The two ways where an exact fit to all rows takes too much: the exact kernel on a part of the rows, and all rows through
/// landmarks. Which predicts better depends on the noise and on how rough the function is; held-out rows decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Landmarks {
    /// Landmarks for a Nystroem approximation on all rows: see [`Nystroem`](crate::kernels::Nystroem).
    pub rank: usize,
    /// Rows that an exact fit is possible for.
    pub exact_rows: usize,
}

impl Landmarks {
    /// The size of a fit that goes through so many of them, where there are any.
    pub(crate) fn size(of: Option<Landmarks>, size: Size) -> Size {
        Size { rank: of.map(|l| l.rank).or(size.rank), ..size }
    }
}

/// Rows to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsOf {
    /// So many.
    pub rows: usize,
    /// The most that memory and the sample asked for allow.
    pub most: usize,
    /// The ways out where an exact fit to all takes too much; `rows` are then all.
    pub landmarks: Option<Landmarks>,
}

/// Rows for fits of an estimator to `asked` rows at most. `size`: of a fit to all; `in_memory` and `price` of fits of a size, which
/// are to take no more than `share`, and in no case more than `all`.
pub(crate) fn rows_for(
    estimator: &EstimatorExpr,
    takes_landmarks: bool,
    size: Size,
    asked: usize,
    in_memory: impl Fn(Size) -> bool,
    price: impl Fn(Size) -> f64,
    (share, all): (f64, f64),
) -> RowsOf {
    let fewest = fewest(size);
    let most = largest(asked, |n| in_memory(size.at(n)));
    let bound = |n: usize| if n <= LEAST_ROWS { all } else { share };
    let within = largest(most, |n| n <= fewest || price(size.at(n)) <= bound(n));
    let exact = if worth_cutting(within, most) { within } else { most };
    let whole = RowsOf { rows: exact, most, landmarks: None };
    // An exact fit to most of the rows is as good.
    let exact_only = size.rank.is_some() || !takes_landmarks || !estimator.needs().reads_values();
    if 2 * exact > asked || exact_only {
        return whole;
    }
    let low = |rank: usize| Size { rank: Some(rank), ..size.at(asked) };
    let work = |size: Size| estimator.costs(size).work(size);
    let less = |size: Size| size.few().is_some() && work(size) < work(Size { rank: None, ..size });
    let rank = LANDMARKS.into_iter().find(|&r| less(low(r)) && in_memory(low(r)) && price(low(r)) <= share);
    rank.map_or(whole, |rank| RowsOf { rows: asked, most: asked, landmarks: Some(Landmarks { rank, exact_rows: exact }) })
}

/// Rows below which no fit is made smaller to cost less.
pub(crate) fn fewest(size: Size) -> usize {
    FEWEST_ROWS.max(if size.classes { FEWEST_PER_CLASS * size.outputs } else { 0 })
}

/// Whether so many rows of all are few enough to be worth the rows that are left out.
fn worth_cutting(rows: usize, all: usize) -> bool {
    rows as f64 <= WORTH_CUTTING * all as f64
}

/// The largest number of rows up to `most` that is within bounds, which hold for fewer rows too; `most` where none is, so that
/// the refusal names it.
pub(crate) fn largest(most: usize, within: impl Fn(usize) -> bool) -> usize {
    if within(most) {
        return most;
    }
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if within(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if low == 0 { most } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_of_rows_within_bounds_is_found() {
        assert_eq!(largest(100, |n| n <= 37), 37);
        assert_eq!(largest(100, |_| true), 100);
        assert_eq!(largest(100, |_| false), 100);
        assert_eq!(largest(1, |n| n <= 1), 1);
    }
}

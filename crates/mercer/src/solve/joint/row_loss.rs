//! What a loss of a row says of the variables of that row.

/// A loss l of the margins m_c = 1 - (g_y - g_c) that a row lacks, and the bounds of its variables a_c; m_y and a_y are 0.
pub(super) trait RowLoss: Sync {
    /// l(m).
    fn loss(&self, margins: &[f64]) -> f64;
    /// The greatest violation of the optimality conditions, in units of m.
    fn violation(&self, margins: &[f64], class: usize, variables: &[f64], cost: f64) -> f64;
    /// The best variables of the row where those of all others stay: m_c = square (targets_c - a_c - sum a), with square > 0.
    fn best(&self, targets: &[f64], class: usize, cost: f64, variables: &mut [f64]);
    /// Brings variables within their bounds.
    fn clip(&self, variables: &mut [f64], cost: f64);
    /// The directions in which the row is free to go both ways, none of which follows from others.
    fn free_directions(&self, variables: &[f64], class: usize, cost: f64) -> Vec<Direction>;
    /// How far the row may go along some change of its variables.
    fn room(&self, variables: &[f64], moves: &[f64], cost: f64) -> f64;
    /// Whether no variable may rise.
    fn is_full(&self, variables: &[f64], class: usize, cost: f64) -> bool;
}

/// A change of B of a row: from one class to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Direction {
    /// (e_to - e_from)'(e_to - e_from) of two directions.
    pub(super) fn product(&self, other: &Direction) -> f64 {
        let same = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        same(self.to, other.to) + same(self.from, other.from) - same(self.to, other.from) - same(self.from, other.to)
    }
}

/// What counts as rounding, as a share of a cost or of a variable.
pub(super) const ROUNDING: f64 = 1e-12;

/// How far a number may go at a rate before it is 0.
pub(super) fn way_down(number: f64, rate: f64) -> f64 {
    if rate < 0.0 { number / -rate } else { f64::INFINITY }
}

/// The level u with sum_c min(max(0, q_c - u), cap) = slope u + rest: the left side falls, the right side does not.
pub(super) fn water_level(q: impl Iterator<Item = f64> + Clone, cap: f64, slope: f64, rest: f64) -> f64 {
    let excess = |u: f64| q.clone().map(|q| (q - u).clamp(0.0, cap)).sum::<f64>() - slope * u - rest;
    let mut bends: Vec<f64> = q.clone().chain(q.clone().map(|q| q - cap)).filter(|bend| bend.is_finite()).collect();
    bends.sort_by(f64::total_cmp);
    let next = bends.partition_point(|&u| excess(u) > 0.0);
    // A point of the interval between two bends that has the level.
    let inside = match (next.checked_sub(1).map(|before| bends[before]), bends.get(next)) {
        (Some(before), Some(&after)) => 0.5 * (before + after),
        (None, Some(&after)) => after - 1.0 - after.abs(),
        (Some(before), None) => before + 1.0 + before.abs(),
        (None, None) => 0.0,
    };
    let (mut free, mut sum) = (0.0, -rest);
    for q in q.filter(|q| *q > inside) {
        if q - cap >= inside {
            sum += cap;
        } else {
            (free, sum) = (free + 1.0, sum + q);
        }
    }
    if free + slope > 0.0 { sum / (free + slope) } else { inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_equal_at_the_level() {
        let draw = |k: usize| 3.0 * (1.7 * k as f64 + 0.3).sin();
        for set in 0..200 {
            let q: Vec<f64> = (0..1 + set % 7).map(|k| draw(11 * set + k)).collect();
            let cap = if set % 3 == 0 { f64::INFINITY } else { 0.2 + draw(set).abs() };
            let sides = |u: f64, slope: f64, rest: f64| (q.iter().map(|q| (q - u).clamp(0.0, cap)).sum::<f64>(), slope * u + rest);
            for (slope, rest) in [(1.0, 0.0), (0.0, 0.4 * cap.min(2.0))] {
                let u = water_level(q.iter().copied(), cap, slope, rest);
                let (left, right) = sides(u, slope, rest);
                assert!((left - right).abs() <= 1e-12, "{set}: {left} {right}");
            }
        }
    }
}

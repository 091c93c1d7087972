//! What a path passes: the values of lambda at which coefficients or offset change their direction, with what changed.
//!
//! Where no row is between its bounds the offset is the middle of an interval. With u = h - s_0, rows outside the margin and rows left of
//! the elbow bound it by
//!
//! ```text
//! max(lambda - u_i (right, +), -lambda - u_i (left, -)) <= s_0 <= min(lambda - u_i (left, +), -lambda - u_i (right, -))
//! ```
//!
//! so that the middle has at most two bends in between.

use super::Breakpoint;
use super::walk::{RowSide, Walk};
use crate::gram::dot;

/// Lambdas that differ by no more than this share are equal.
const ROUNDING: f64 = 1e-12;

/// One of them.
#[derive(Clone, Debug)]
struct Knot {
    lambda: f64,
    offset: f64,
    /// Coefficients that differ from those before, with their new values.
    changes: Vec<(usize, f64)>,
    /// Of rows from here on.
    elbow: usize,
    left: usize,
    right: usize,
    error: f64,
    violation: f64,
}

/// All of them, by falling lambda.
#[derive(Clone, Debug)]
pub(super) struct Knots {
    all: Vec<Knot>,
    /// The mean of each row of K, by which the offset differs from that of centred rows.
    means: Vec<f64>,
    /// The coefficients at the last one.
    s: Vec<f64>,
    /// d offset / d lambda before the first one.
    first_slope: f64,
    /// Whether the offset is the middle of an interval from the last one on, if any was departed from.
    open: Option<OpenOffset>,
    /// Rows left of the elbow from the last one on; `None` before the first stretch.
    left: Option<usize>,
}

/// The bounds of the offset: max(lambda + low[0], -lambda + low[1]) and min(lambda + high[0], -lambda + high[1]).
#[derive(Clone, Copy, Debug)]
struct OpenOffset {
    low: [f64; 2],
    high: [f64; 2],
}

impl OpenOffset {
    fn of(walk: &Walk<'_>) -> Option<Self> {
        if !walk.is_open() {
            return None;
        }
        let mut open = OpenOffset { low: [f64::NEG_INFINITY; 2], high: [f64::INFINITY; 2] };
        for i in (0..walk.s.len()).filter(|&i| walk.takes_part(i)) {
            let (bound, is_plus) = (walk.offset - walk.h[i], walk.signs[i] > 0.0);
            let place = usize::from(!is_plus);
            if is_plus == (walk.bound_side(i) == RowSide::Right) {
                open.low[place] = open.low[place].max(bound);
            } else {
                open.high[place] = open.high[place].min(bound);
            }
        }
        Some(open)
    }

    fn middle(&self, lambda: f64) -> f64 {
        let low = (lambda + self.low[0]).max(self.low[1] - lambda);
        let high = (lambda + self.high[0]).min(self.high[1] - lambda);
        0.5 * (low + high)
    }

    /// d middle / d lambda where lambda is large.
    fn slope(&self) -> f64 {
        let low = if self.low[0].is_finite() { 1.0 } else { -1.0 };
        let high = if self.high[1].is_finite() { -1.0 } else { 1.0 };
        0.5 * (low + high)
    }

    /// Where the middle bends, by falling lambda: not where both bounds do.
    fn bends(&self) -> Vec<f64> {
        let (a, b) = (0.5 * (self.low[1] - self.low[0]), 0.5 * (self.high[1] - self.high[0]));
        if (a - b).abs() <= ROUNDING * a.abs() { Vec::new() } else { vec![a.max(b), a.min(b)] }
    }
}

impl Knots {
    pub(super) fn new(means: Vec<f64>) -> Self {
        Knots { all: Vec::new(), s: vec![0.0; means.len()], means, first_slope: 0.0, open: None, left: None }
    }

    /// Keeps the state at which a stretch begins, and the bends of the offset down to the lambda at which it ends.
    pub(super) fn depart(&mut self, walk: &Walk<'_>, end: f64) {
        let (from, open) = (walk.parameter(), OpenOffset::of(walk));
        if self.left.is_none() {
            self.first_slope = open.map_or(walk.offset_rate, |open| open.slope());
        } else if self.open.is_some() && open.is_some() {
            // The bounds of the offset have changed their rows, and the middle goes on.
            self.forget_last();
        } else if self.differs(walk) {
            self.push(walk, from, walk.offset);
        }
        let sides =
            (0..walk.s.len()).filter(|&i| walk.takes_part(i)).map(|i| if open.is_some() { walk.bound_side(i) } else { walk.side[i] });
        let mut counts = [0; 3];
        sides.for_each(|side| counts[side as usize] += 1);
        let [left, elbow, right] = counts;
        if let Some(knot) = self.all.last_mut() {
            (knot.left, knot.elbow, knot.right) = (left, elbow, right);
        }
        // A bend at an end is one of the stretch that comes first.
        let rounding = ROUNDING * from;
        for bend in open.iter().flat_map(OpenOffset::bends).filter(|bend| *bend < from - rounding && *bend >= end - rounding) {
            let offset = open.map_or(walk.offset, |open| open.middle(bend));
            self.push(walk, bend, offset);
            if let Some(knot) = self.all.last_mut() {
                (knot.left, knot.elbow, knot.right) = (left, elbow, right);
            }
        }
        (self.open, self.left) = (open, Some(left));
    }

    /// Keeps the state at which a stretch ends.
    pub(super) fn arrive(&mut self, walk: &Walk<'_>) {
        let lambda = walk.parameter();
        self.push(walk, lambda, self.open.map_or(walk.offset, |open| open.middle(lambda)));
        if self.ends_in_zero() {
            // Rounding is all that is left of coefficients in proportion to lambda.
            let n = self.s.len();
            if let Some(knot) = self.all.last_mut() {
                (knot.changes, knot.offset) = ((0..n).map(|i| (i, 0.0)).collect(), 0.0);
            }
        }
    }

    /// Whether the last one is that of lambda = 0, and no row was left of the elbow before it.
    pub(super) fn ends_in_zero(&self) -> bool {
        self.left == Some(0) && self.all.last().is_some_and(|knot| knot.lambda == 0.0)
    }

    fn differs(&self, walk: &Walk<'_>) -> bool {
        // Coefficients that differ by no more than this share of the weights are equal.
        const EQUAL: f64 = 1e-9;
        let most = EQUAL * walk.total();
        self.s.iter().zip(&walk.s).any(|(a, b)| (a - b).abs() > most)
    }

    fn push(&mut self, walk: &Walk<'_>, lambda: f64, offset: f64) {
        let changes: Vec<(usize, f64)> = (0..self.s.len()).filter(|&i| self.s[i] != walk.s[i]).map(|i| (i, walk.s[i])).collect();
        self.s.copy_from_slice(&walk.s);
        let wrong = |i: &usize| (walk.h[*i] - walk.offset + offset > 0.0) != (walk.signs[*i] > 0.0);
        let error = (0..self.s.len()).filter(wrong).map(|i| walk.weights[i]).sum::<f64>() / walk.total();
        let offset = offset - dot(&self.means, &self.s);
        let (elbow, left, right) = self.all.last().map_or((0, 0, 0), |knot| (knot.elbow, knot.left, knot.right));
        self.all.push(Knot { lambda, offset, changes, elbow, left, right, error, violation: 0.0 });
    }

    /// Takes note of a violation at the last one; the violation.
    pub(super) fn judge(&mut self, violation: f64) -> f64 {
        match self.all.last_mut() {
            Some(knot) => {
                knot.violation = knot.violation.max(violation);
                violation
            }
            None => 0.0,
        }
    }

    /// Forgets the last one, if another is left.
    pub(super) fn forget_last(&mut self) {
        if self.all.len() > 1 {
            self.all.pop();
        }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many have a C that is finite.
    pub(super) fn finite(&self) -> usize {
        self.all.iter().filter(|knot| knot.lambda > 0.0).count()
    }

    pub(super) fn last_c(&self) -> f64 {
        self.all.last().map_or(0.0, |knot| 1.0 / knot.lambda)
    }

    /// Those whose C is finite.
    pub(super) fn breakpoints(&self) -> Vec<Breakpoint> {
        let finite = self.all.iter().filter(|knot| knot.lambda > 0.0);
        finite
            .map(|knot| Breakpoint {
                c: 1.0 / knot.lambda,
                intercept: knot.offset / knot.lambda,
                elbow: knot.elbow,
                left: knot.left,
                right: knot.right,
                error: knot.error,
                violation: knot.violation,
            })
            .collect()
    }

    /// Hands over the coefficients at each whose C is finite.
    pub(super) fn each_finite(&self, mut take: impl FnMut(&[f64])) {
        let mut s = vec![0.0; self.means.len()];
        for knot in self.all.iter().filter(|knot| knot.lambda > 0.0) {
            knot.changes.iter().for_each(|&(i, v)| s[i] = v);
            take(&s);
        }
    }

    /// Coefficients and offset at a lambda: on the line between two of them, or before the first, where only the offset moves.
    pub(super) fn at(&self, lambda: f64) -> (Vec<f64>, f64) {
        let next = self.all.partition_point(|knot| knot.lambda > lambda);
        let mut s = vec![0.0; self.means.len()];
        let passed = next.clamp(1, self.all.len());
        self.all[..passed].iter().flat_map(|knot| &knot.changes).for_each(|&(i, v)| s[i] = v);
        match (&self.all[passed - 1], self.all.get(next)) {
            (last, None) => (s, last.offset),
            (first, _) if next == 0 => (s, first.offset + self.first_slope * (lambda - first.lambda)),
            (from, Some(to)) => {
                let left = (lambda - to.lambda) / (from.lambda - to.lambda);
                to.changes.iter().for_each(|&(i, v)| s[i] = v + left * (s[i] - v));
                (s, to.offset + left * (from.offset - to.offset))
            }
        }
    }
}

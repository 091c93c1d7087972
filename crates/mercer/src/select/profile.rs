//! The loss along one searched parameter through the optimum, the others held, and the range that scores the same.
//!
//! A loss that exceeds the best by no more than the indifference (one standard error, or one unit of log evidence) is tied
//! with it: the one-standard-error rule of Breiman, Friedman, Olshen and Stone (1984), Classification and Regression
//! Trees, 3.4.3. The ends of that range are met by interpolating the root of the excess, which is exact for a parabola.

use super::free::Free;
use crate::control::Control;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// First step from the optimum, in natural logarithms (a factor of 3).
const FIRST: f64 = 1.1;

/// One end of a searched range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The least value of the search.
    Lower,
    /// The greatest value of the search.
    Upper,
}

/// What lies beyond the range that scores the same, on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundStatus {
    /// Values that score worse.
    Worse,
    /// The end of the search: every value tried up to it scores the same.
    End,
    /// Nothing that was tried: every value tried on this side scores the same.
    Open,
    /// Not known: no value was tried on this side.
    Unknown,
}

/// The tuning result of one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunedParameter {
    /// Its name in words: `c`, `length_scale of rbf`.
    pub name: String,
    /// The column that it belongs to, where there is one per column.
    pub column: Option<String>,
    /// Its path in the kernel, or its name in the estimator.
    pub path: String,
    /// The value chosen.
    pub value: f64,
    /// The least value of the search.
    pub low: f64,
    /// The greatest value of the search.
    pub high: f64,
    /// Whether it is a whole number.
    pub integer: bool,
    /// Values tried with the other parameters as chosen, ascending, with their scores; none where the search was not
    /// looked at afterwards.
    pub tried: Vec<(f64, f64)>,
    /// The end of the search at which the choice stands, if it does.
    pub at_bound: Option<End>,
    /// The range around the choice that scores the same.
    pub same: [f64; 2],
    /// What lies below that range, and what above.
    pub edges: [BoundStatus; 2],
}

impl TunedParameter {
    /// Whether worse values were met on both sides, so that the data say where the parameter must lie.
    pub fn is_identified(&self) -> bool {
        self.edges.iter().all(|e| matches!(e, BoundStatus::Worse | BoundStatus::Unknown))
    }
}

/// The loss along one coordinate.
pub(super) struct Curve {
    /// Coordinates and losses, ascending, the optimum among them.
    pub tried: Vec<(f64, f64)>,
    /// The range of coordinates that scores the same.
    pub same: [f64; 2],
    /// What lies below it and above it.
    pub edges: [BoundStatus; 2],
}

/// Where to look, and what is known.
pub(super) struct ProfileScan<'a> {
    /// The coordinate.
    pub free: &'a Free,
    /// The optimum along it.
    pub at: f64,
    /// The loss there.
    pub loss: f64,
    /// Tolerance: losses within it are statistically tied.
    pub indifference: f64,
    /// Evaluations at most on each side.
    pub steps: usize,
}

impl Curve {
    /// The curve of nothing but the optimum.
    pub(super) fn not_scanned(at: f64) -> Curve {
        Curve { tried: Vec::new(), same: [at; 2], edges: [BoundStatus::Unknown; 2] }
    }
}

impl ProfileScan<'_> {
    /// Looks along the coordinate; `known` holds coordinates and losses that the search has met there already.
    pub(super) fn along(&self, known: Vec<(f64, f64)>, control: &Control, evaluate: &mut dyn FnMut(f64) -> Result<f64>) -> Result<Curve> {
        let mut tried = known;
        tried.retain(|(x, _)| *x != self.at);
        tried.push((self.at, self.loss));
        let ends = self.free.bounds();
        let (mut same, mut edges) = ([self.at; 2], [BoundStatus::Unknown; 2]);
        // Of one column among many the question is whether it matters at all: the far end of its length scale.
        let alone = self.free.is_element();
        for (side, way, end) in [(0, -1.0, ends.0), (1, 1.0, ends.1)] {
            let reach = (end - self.at).abs();
            for _ in 0..if alone { side } else { self.steps } {
                let Some(distance) = self.next(&tried, way, reach) else { break };
                if control.out_of_time() {
                    break;
                }
                let x = self.free.rounded(self.at + way * distance);
                match evaluate(x) {
                    Ok(loss) => tried.push((x, loss)),
                    Err(Error::Time { .. }) => break,
                    Err(e) => return Err(e),
                }
            }
            let (inner, outer) = self.bracket(&tried, way);
            let (distance, edge) = match outer {
                Some(outer) if self.free.integer || alone => {
                    (inner.0, if outer.0 > 0.0 { BoundStatus::Worse } else { BoundStatus::Unknown })
                }
                Some(outer) => (self.crossing(inner, outer), BoundStatus::Worse),
                None if inner.0 >= reach * (1.0 - 1e-9) => (reach, BoundStatus::End),
                None if inner.0 > 0.0 => (inner.0, BoundStatus::Open),
                None => (0.0, BoundStatus::Unknown),
            };
            same[side] = self.at + way * distance;
            edges[side] = edge;
        }
        tried.retain(|(_, loss)| loss.is_finite());
        tried.sort_by(|a, b| a.0.total_cmp(&b.0));
        tried.dedup_by(|a, b| a.0 == b.0);
        Ok(Curve { tried, same, edges })
    }

    /// On one side: the farthest place before which nothing is worse, and the nearest worse place; (distance, excess).
    fn bracket(&self, tried: &[(f64, f64)], way: f64) -> ((f64, f64), Option<(f64, f64)>) {
        let mut side: Vec<(f64, f64)> =
            tried.iter().map(|(x, loss)| (way * (x - self.at), loss - self.loss)).filter(|(d, _)| *d > 0.0).collect();
        side.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut inner = (0.0, 0.0);
        for place in side {
            if place.1 > self.indifference {
                return (inner, Some(place));
            }
            inner = place;
        }
        (inner, None)
    }

    /// The distance at which the excess is the indifference.
    fn crossing(&self, inner: (f64, f64), outer: (f64, f64)) -> f64 {
        let root = |excess: f64| excess.max(0.0).sqrt();
        let (a, b) = (root(inner.1), root(outer.1));
        let share = if b.is_finite() && b > a { (root(self.indifference) - a) / (b - a) } else { 0.5 };
        inner.0 + (outer.0 - inner.0) * share.clamp(0.0, 1.0)
    }

    /// The next distance to look at; `None` where nothing is left to learn.
    fn next(&self, tried: &[(f64, f64)], way: f64, reach: f64) -> Option<f64> {
        let (inner, outer) = self.bracket(tried, way);
        let distance = match outer {
            None if inner.0 >= reach * (1.0 - 1e-9) => return None,
            None if self.free.is_element() => reach,
            None => (3.0 * inner.0).max(self.free.step(FIRST)).min(reach),
            Some(outer) => {
                let gap = outer.0 - inner.0;
                self.crossing(inner, outer).clamp(inner.0 + 0.1 * gap, outer.0 - 0.1 * gap)
            }
        };
        let x = self.free.rounded(self.at + way * distance);
        // Whole numbers: there may be none between.
        let news = way * (x - self.at) > inner.0 && outer.is_none_or(|o| way * (x - self.at) < o.0);
        if news {
            return Some(distance);
        }
        let step = self.free.neighbour(self.at + way * inner.0, way).map(|x| way * (x - self.at))?;
        (step <= reach && outer.is_none_or(|o| step < o.0 * (1.0 - 1e-9))).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(free: &Free, at: f64, indifference: f64) -> ProfileScan<'_> {
        ProfileScan { free, at, loss: 0.0, indifference, steps: 3 }
    }

    #[test]
    fn the_flat_range_of_a_parabola_ends_where_the_excess_is_the_slack() {
        // loss = (x - 1)^2 with x = log value, indifference 0.25: from 0.5 to 1.5.
        let free = Free::for_test(1e-3, 1e3, false);
        let c = look(&free, 1.0, 0.25).along(Vec::new(), &Control::default(), &mut |x| Ok((x - 1.0) * (x - 1.0))).unwrap();
        assert!((c.same[0] - 0.5).abs() <= 1e-9 && (c.same[1] - 1.5).abs() <= 1e-9, "{:?}", c.same);
        assert_eq!(c.edges, [BoundStatus::Worse; 2]);
        assert!(c.tried.windows(2).all(|w| w[0].0 < w[1].0) && c.tried.len() <= 7);
    }

    #[test]
    fn a_level_loss_is_open_on_both_sides_and_a_near_end_is_met() {
        let free = Free::for_test(1e-9, 2.0, false);
        let c = look(&free, 0.0, 0.1).along(Vec::new(), &Control::default(), &mut |_| Ok(0.0)).unwrap();
        assert_eq!(c.edges, [BoundStatus::Open, BoundStatus::End]);
        assert!((c.same[1] - 2f64.ln()).abs() <= 1e-12);
        let none = ProfileScan { steps: 0, ..look(&free, 0.0, 0.1) }.along(Vec::new(), &Control::default(), &mut |_| Ok(0.0)).unwrap();
        assert_eq!(none.edges, [BoundStatus::Unknown; 2]);
    }

    #[test]
    fn whole_numbers_are_looked_at_once_each_and_the_flat_range_ends_on_one() {
        // loss 0 for k = 3, 4, 5; 1 otherwise.
        let free = Free::for_test(1.0, 50.0, true);
        let mut seen = Vec::new();
        let mut evaluate = |x: f64| {
            let k = x.exp().round();
            seen.push(k as usize);
            Ok(if (3.0..=5.0).contains(&k) { 0.0 } else { 1.0 })
        };
        let c = ProfileScan { steps: 9, ..look(&free, 4f64.ln(), 0.0) }.along(Vec::new(), &Control::default(), &mut evaluate).unwrap();
        assert_eq!(c.same.map(|x| x.exp().round()), [3.0, 5.0]);
        assert_eq!(c.edges, [BoundStatus::Worse; 2]);
        let mut once = seen.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), seen.len(), "{seen:?}");
    }

    #[test]
    fn values_that_cannot_be_fitted_are_worse_and_are_not_drawn() {
        let free = Free::for_test(1e-3, 1e3, false);
        let mut evaluate = |x: f64| Ok(if x > 0.7 { f64::INFINITY } else { 0.0 });
        let c = look(&free, 0.0, 0.1).along(Vec::new(), &Control::default(), &mut evaluate).unwrap();
        assert_eq!(c.edges[1], BoundStatus::Worse);
        assert!(c.tried.iter().all(|(_, l)| l.is_finite()) && c.same[1] <= 1.1);
    }
}

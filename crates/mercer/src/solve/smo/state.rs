//! Where the solution of one problem stands.

use super::{Problem, Solution, certificate, malformed};
use crate::error::Result;

/// A problem and where its solution stands.
pub(super) struct State<'a> {
    pub(super) problem: &'a Problem,
    /// Distinct rows of K, ascending.
    pub(super) rows: Vec<usize>,
    /// Each variable's place in `rows`.
    pub(super) place: Vec<usize>,
    /// b.
    pub(super) coef: Vec<f64>,
    /// f = Kb at `rows`.
    pub(super) values: Vec<f64>,
    pub(super) iterations: usize,
    /// Nothing more is to be done.
    pub(super) closed: bool,
}

impl<'a> State<'a> {
    pub(super) fn new(problem: &'a Problem, shape: (usize, usize), diagonal: &[f64]) -> Result<Self> {
        let n = problem.row.len();
        let coef = problem.start.clone().unwrap_or_else(|| vec![0.0; n]);
        if [problem.target.len(), problem.low.len(), problem.high.len(), coef.len()] != [n; 4] {
            return Err(malformed("rows, targets, bounds and start differ in number"));
        }
        if shape.0 != shape.1 || diagonal.len() != shape.0 || problem.row.iter().any(|&r| r >= shape.0) {
            return Err(malformed("its rows are not those of a square Gram matrix"));
        }
        let fits = |k: usize| {
            let (low, high) = (problem.low[k], problem.high[k]);
            low <= 0.0
                && high >= 0.0
                && low.is_finite()
                && high.is_finite()
                && problem.target[k].is_finite()
                && low <= coef[k]
                && coef[k] <= high
        };
        if let Some(k) = (0..n).find(|&k| !fits(k)) {
            return Err(malformed(&format!("variable {k} has a target, bounds or a start that are not finite or do not fit together")));
        }
        let mut rows = problem.row.clone();
        rows.sort_unstable();
        rows.dedup();
        let place = problem.row.iter().map(|r| rows.partition_point(|q| q < r)).collect();
        Ok(State { problem, values: vec![0.0; rows.len()], rows, place, coef, iterations: 0, closed: false })
    }

    /// Whether any variable is not zero.
    pub(super) fn is_moved(&self) -> bool {
        self.coef.iter().any(|&b| b != 0.0)
    }

    /// v = z - f of a variable.
    pub(super) fn v(&self, k: usize) -> f64 {
        self.problem.target[k] - self.values[self.place[k]]
    }

    pub(super) fn may_rise(&self, k: usize) -> bool {
        self.coef[k] < self.problem.high[k]
    }

    pub(super) fn may_fall(&self, k: usize) -> bool {
        self.coef[k] > self.problem.low[k]
    }

    pub(super) fn is_optimal(&self, tolerance: f64) -> bool {
        certificate::of(self).within(tolerance)
    }

    pub(super) fn into_solution(self, tolerance: f64) -> Solution {
        let c = certificate::of(&self);
        Solution {
            offset: c.offset,
            free: c.free,
            bound: c.bound,
            primal: c.primal,
            dual: c.dual,
            gap: c.gap,
            violation: c.violation,
            iterations: self.iterations,
            converged: c.within(tolerance),
            coef: self.coef,
        }
    }
}

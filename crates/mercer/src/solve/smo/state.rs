//! Where the solution of one problem stands.

use super::certificate::{GroupLevel, Quality};
use super::plan::Road;
use super::{Precision, Problem, ROUNDING, SLACK, Solution, certificate, malformed};
use crate::error::{Error, Result};

/// How far a problem has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProblemStage {
    /// Steps in f32 come first.
    Cold,
    /// It is so near its optimum that the rounding of f32 would lead away from it.
    Warm,
    /// Nothing more is to be done.
    Done,
}

/// A problem and where its solution stands.
pub(super) struct ProblemState<'a> {
    pub(super) problem: &'a Problem,
    /// k(x, x) of each variable.
    pub(super) diagonal: Vec<f64>,
    /// b.
    pub(super) coef: Vec<f64>,
    /// f = Kb.
    pub(super) values: Vec<f64>,
    pub(super) iterations: usize,
    /// The roads that it takes, in order.
    pub(super) roads: Vec<Road>,
    pub(super) stage: ProblemStage,
    /// How exact f is, where it is that of b.
    pub(super) known: Option<Precision>,
    /// Where it began, if it is part of another.
    pub(super) before: Option<Box<Before>>,
}

/// Where a part of a problem began: what the rest adds to the dual value follows from it.
pub(super) struct Before {
    /// The dual value of the whole problem.
    pub(super) dual: f64,
    pub(super) coef: Vec<f64>,
    pub(super) values: Vec<f64>,
}

impl<'a> ProblemState<'a> {
    pub(super) fn new(problem: &'a Problem, shape: (usize, usize), diagonal: &[f64]) -> Result<Self> {
        let n = problem.row.len();
        let coef = problem.start.clone().unwrap_or_else(|| vec![0.0; n]);
        if [problem.target.len(), problem.low.len(), problem.high.len(), coef.len()] != [n; 4] {
            return Err(malformed("rows, targets, bounds and start differ in number"));
        }
        let ascending = problem.row.windows(2).all(|w| w[0] < w[1]);
        if shape.0 != shape.1 || diagonal.len() != shape.0 || !ascending || problem.row.last().is_some_and(|&r| r >= shape.0) {
            return Err(malformed("its rows are not ascending rows of a square Gram matrix"));
        }
        if !problem.group.is_empty() && (problem.group.len() != n || problem.group.iter().any(|&g| g >= n)) {
            return Err(malformed("its groups are not numbers below that of its variables, one for each"));
        }
        if !(problem.tube >= 0.0 && problem.tube.is_finite()) {
            return Err(malformed("half the height of its tube is not a finite number of 0 or above"));
        }
        let fits = |k: usize| {
            let (low, high, target) = (problem.low[k], problem.high[k], problem.target[k]);
            low <= 0.0 && high >= 0.0 && [low, high, target].iter().all(|x| x.is_finite()) && low <= coef[k] && coef[k] <= high
        };
        if let Some(k) = (0..n).find(|&k| !fits(k)) {
            return Err(malformed(&format!("variable {k} has a target, bounds or a start that are not finite or do not fit together")));
        }
        let diagonal = problem.row.iter().map(|&r| diagonal[r]).collect();
        let (values, roads) = (vec![0.0; n], Vec::new());
        Ok(ProblemState { problem, diagonal, coef, values, iterations: 0, roads, stage: ProblemStage::Cold, known: None, before: None })
    }

    /// Some of its variables, in any order, as a problem of their own: rows of K are those that `row` names.
    pub(super) fn problem_of(&self, variables: &[usize], row: Vec<usize>) -> Problem {
        let p = self.problem;
        let [target, low, high] = [&p.target, &p.low, &p.high].map(|list| pick(list, variables));
        let group = if p.group.is_empty() { Vec::new() } else { pick(&p.group, variables) };
        Problem { row, target, low, high, tube: p.tube, start: None, group }
    }

    /// Where that problem stands.
    pub(super) fn part<'b>(&self, problem: &'b Problem, variables: &[usize]) -> ProblemState<'b> {
        let [diagonal, coef, values] = [&self.diagonal, &self.coef, &self.values].map(|list| pick(list, variables));
        let (iterations, roads, stage, known) = (self.iterations, self.roads.clone(), self.stage, self.known);
        ProblemState { problem, diagonal, coef, values, iterations, roads, stage, known, before: None }
    }

    /// Where it stands with what the rest adds to its dual value.
    pub(super) fn part_from_here<'b>(&self, problem: &'b Problem, variables: &[usize]) -> ProblemState<'b> {
        let mut part = self.part(problem, variables);
        part.before = Some(Box::new(Before { dual: certificate::of(self).dual, coef: part.coef.clone(), values: part.values.clone() }));
        part
    }

    /// Takes over what came of it.
    pub(super) fn take(&mut self, part: &ProblemState<'_>, variables: &[usize]) {
        for (a, &k) in variables.iter().enumerate() {
            (self.coef[k], self.values[k]) = (part.coef[a], part.values[a]);
        }
        (self.iterations, self.stage, self.known) = (part.iterations, part.stage, part.known);
    }

    pub(super) fn is_done(&self) -> bool {
        self.stage == ProblemStage::Done
    }

    pub(super) fn end_if(&mut self, ended: bool) {
        if ended {
            self.stage = ProblemStage::Done;
        }
    }

    /// Whether any variable is not zero.
    pub(super) fn is_moved(&self) -> bool {
        self.coef.iter().any(|&b| b != 0.0)
    }

    /// Multiplies b, whose f is known, by the factor of 1 or above that is best within the bounds: a start that was found
    /// under tighter bounds grows with them. Not where b has a sum, which must stay.
    pub(super) fn stretch(&mut self) {
        let p = self.problem;
        let (mut sum, mut size, mut linear, mut curve, mut most) = (0.0, 0.0, 0.0, 0.0, f64::INFINITY);
        for (k, &b) in self.coef.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            sum += b;
            size += b.abs();
            linear += p.target[k] * b - p.tube * b.abs();
            curve += b * self.values[k];
            most = most.min((if b < 0.0 { p.low[k] } else { p.high[k] }) / b);
        }
        let best = if curve > 0.0 { linear / curve } else { f64::INFINITY };
        let factor = best.min(most);
        if !(p.group.is_empty() && factor > 1.0 && factor.is_finite() && sum.abs() <= ROUNDING * size) {
            return;
        }
        for (k, b) in self.coef.iter_mut().enumerate().filter(|(_, b)| **b != 0.0) {
            let bound = if *b < 0.0 { p.low[k] } else { p.high[k] };
            let grown = *b * factor;
            // What comes to its bound is the bound to the last bit.
            *b = if grown.abs() >= bound.abs() * (1.0 - ROUNDING) { bound } else { grown };
        }
        self.values.iter_mut().for_each(|f| *f *= factor);
    }

    /// v = z - f of a variable.
    pub(super) fn v(&self, k: usize) -> f64 {
        self.problem.target[k] - self.values[k]
    }

    /// What is added to v for the slope of the objective where b is raised: the tube's share, or -infinity at the upper bound.
    pub(super) fn slope_up(&self, k: usize, b: f64) -> f64 {
        let tube = self.problem.tube;
        match b {
            b if b >= self.problem.high[k] => f64::NEG_INFINITY,
            b if b < 0.0 => tube,
            _ => 0.0 - tube,
        }
    }

    /// What is added to v for the slope where b is lowered: the tube's share, or +infinity at the lower bound.
    pub(super) fn slope_down(&self, k: usize, b: f64) -> f64 {
        let tube = self.problem.tube;
        match b {
            b if b <= self.problem.low[k] => f64::INFINITY,
            b if b > 0.0 => 0.0 - tube,
            _ => tube,
        }
    }

    /// Where b ends when it is raised: at a bound or the kink at 0.
    pub(super) fn room_up(&self, k: usize, b: f64) -> f64 {
        if b < 0.0 { 0.0 } else { self.problem.high[k] }
    }

    /// Where b ends when it is lowered: at a bound or the kink at 0.
    pub(super) fn room_down(&self, k: usize, b: f64) -> f64 {
        if b > 0.0 { 0.0 } else { self.problem.low[k] }
    }

    /// The slope of the objective where b is raised, and where it is lowered: optimal where no first is above any second.
    pub(super) fn slopes(&self, k: usize) -> (f64, f64) {
        let (v, b) = (self.v(k), self.coef[k]);
        (v + self.slope_up(k, b), v + self.slope_down(k, b))
    }

    /// Variables that are not clearly where they belong.
    pub(super) fn unsettled(&self, quality: &Quality) -> impl Iterator<Item = usize> {
        let slack = SLACK * quality.violation.max(0.0);
        let ends: Vec<(f64, f64)> = quality.levels.iter().map(|l| (l.offset() - slack, l.offset() + slack)).collect();
        (0..self.coef.len()).filter(move |&k| {
            let ((rise, fall), (least, most)) = (self.slopes(k), ends[self.problem.group_of(k)]);
            !(rise < least && most < fall)
        })
    }

    /// An error if a value of f is not finite.
    pub(super) fn finite(&self) -> Result<()> {
        match (0..self.coef.len()).find(|&k| !self.v(k).is_finite()) {
            None => Ok(()),
            Some(k) => Err(Error::Numerical {
                what: "support vector solver".into(),
                why: format!("a kernel value of row {} is not finite or far too large; scale the columns", self.problem.row[k] + 1),
            }),
        }
    }

    pub(super) fn is_optimal(&self, tolerance: f64) -> bool {
        certificate::of(self).within(tolerance)
    }

    pub(super) fn into_solution(self, tolerance: f64) -> Solution {
        let c = certificate::of(&self);
        Solution {
            free: c.free(),
            offsets: c.levels.iter().map(GroupLevel::offset).collect(),
            bound: c.bound,
            primal: c.primal,
            dual: c.dual,
            gap: c.gap,
            violation: c.violation,
            iterations: self.iterations,
            converged: c.within(tolerance),
            precision: self.known.unwrap_or(Precision::Certified),
            values: self.values,
            coef: self.coef,
        }
    }
}

fn pick<N: Copy>(list: &[N], variables: &[usize]) -> Vec<N> {
    variables.iter().map(|&k| list[k]).collect()
}

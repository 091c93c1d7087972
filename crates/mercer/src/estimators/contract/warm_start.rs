//! Warm starts: f = Kb of every variable of a fit, those held at 0 too. The next fit along a path of penalties starts from it, and
//! rows of weight 0 are predicted from it. It belongs to the caller that follows the path, not to a model.

use crate::estimators::Task;
use crate::solve::smo::{Precision, Problem, Solution};

/// Solver values of a fit at the rows of its task, reused by later fits: see [`FitContext::warm`](crate::estimators::FitContext::warm).
#[derive(Clone, Debug, Default)]
pub struct WarmStart(Vec<Option<Known>>);

/// One problem as it was solved.
#[derive(Clone, Debug)]
struct Known {
    /// b.
    coef: Vec<f64>,
    /// f = Kb.
    values: Vec<f64>,
    /// What f is multiplied by in the units of the target.
    unit: f64,
}

impl WarmStart {
    /// That of a fit to a matrix that stays, as only there more fits follow; `units` of the target, one for each problem.
    pub(crate) fn of(solutions: Vec<Solution>, units: impl Iterator<Item = f64>, task: &Task<'_>) -> Self {
        let mut all = WarmStart::default();
        all.extend(solutions, units, task);
        all
    }

    /// Adds those of further problems.
    pub(crate) fn extend(&mut self, solutions: Vec<Solution>, units: impl Iterator<Item = f64>, task: &Task<'_>) {
        let kept = task.gram().is_ok_and(|gram| gram.structure().held().is_some());
        let is_known = |s: &Solution| kept && s.precision == Precision::Exact;
        let known = |(s, unit): (Solution, f64)| is_known(&s).then_some(Known { coef: s.coef, values: s.values, unit });
        self.0.extend(solutions.into_iter().zip(units).map(known));
    }

    /// b of a problem as it was solved.
    pub(crate) fn coefficients(&self, problem: usize) -> Option<&[f64]> {
        self.0.get(problem)?.as_ref().map(|k| &k.coef[..])
    }

    /// Kb of a problem that goes on from b as it was.
    pub(crate) fn known(&self, problem: usize, next: &Problem) -> Option<&[f64]> {
        let known = self.0.get(problem)?.as_ref()?;
        (next.start.as_deref() == Some(&known.coef[..])).then_some(&known.values[..])
    }

    /// f of a problem without its offset, in the units of the target, at rows that its variables are numbered by.
    pub(crate) fn values(&self, problem: usize, rows: &[usize]) -> Option<Vec<f64>> {
        let known = self.0.get(problem)?.as_ref()?;
        rows.iter().map(|&r| known.values.get(r).map(|f| known.unit * f)).collect()
    }
}

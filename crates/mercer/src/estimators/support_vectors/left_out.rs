//! Decision values of training rows by machines that were fitted without them.
//!
//! A machine in which a row has the coefficient 0 stays optimal without that row, so that f(x) stands. Without any other row it is solved
//! again, with the row held at 0 and from the coefficients on all rows, as Joachims (2000), "Estimating the generalization performance of
//! an SVM efficiently", counts them; a removed coefficient goes to similar rows (DeCoste and Wagstaff 2000, alpha seeding). Bounds are those
//! of the fit to all rows, and so are weights of classes and the scale of a target. All machines share kernel values.

use super::held_out_pairs::{decide, values_of, without_coefficients};
use super::pair_problems::TOGETHER;
use super::svm;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::Matrix;
use crate::solve::smo::{self, Options, Problem, Solution};
use rayon::prelude::*;

/// Machines as they were solved on all rows.
pub(super) struct Machines<'a> {
    pub(super) gram: &'a dyn Gram,
    pub(super) problems: &'a [Problem],
    pub(super) solutions: &'a [Solution],
}

/// The value of a machine at a row that it was fitted without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LeftOutValue {
    /// The machine.
    pub(super) machine: usize,
    /// The row of K.
    pub(super) row: usize,
    /// f(x) of the machine without that row.
    pub(super) value: f64,
    /// Steps of the solver that it took.
    pub(super) steps: usize,
}

impl Machines<'_> {
    /// Values of each machine at the rows that it depends on; f(x) of the machine itself is that of every other row.
    ///
    /// # Errors
    /// A machine that does not meet its tolerance; bounds of `control`.
    pub(super) fn without_each_row(&self, options: &Options, control: &Control) -> Result<Vec<LeftOutValue>> {
        const WHAT: &str = "leaving rows out";
        let Machines { gram, problems, solutions } = *self;
        let all: Vec<(usize, usize)> = (0..problems.len()).flat_map(|m| self.rows_that_count(m).map(move |v| (m, v))).collect();
        let largest = problems.iter().map(|p| p.row.len()).max().unwrap_or(0);
        let mut found = Vec::with_capacity(all.len());
        solutions.iter().try_for_each(|solution| require_converged(solution, options, control))?;
        for some in all.chunks((TOGETHER / largest.max(1)).max(1)) {
            control.check_time(WHAT)?;
            control.tell(WHAT, found.len(), all.len());
            let (without, values): (Vec<Problem>, Vec<Option<Vec<f64>>>) = some.par_iter().map(|&(m, v)| self.without(m, v)).unzip();
            let known: Vec<Option<&[f64]>> = values.iter().map(Option::as_deref).collect();
            let solved = smo::solve_from(gram, &without, &known, options, control)?;
            for ((&(machine, v), problem), solution) in some.iter().zip(&without).zip(&solved) {
                require_converged(solution, options, control)?;
                let row = problem.row[v];
                let value = match solution.exact_values() {
                    Some(values) => values[v] + solution.offsets[0],
                    None => decide(gram, &[row], &[(problem, solution)], control)?[(0, 0)],
                };
                found.push(LeftOutValue { machine, row, value, steps: solution.iterations });
            }
        }
        Ok(found)
    }

    /// The variables that a machine is another one without: those with a coefficient; all of them where none lies between its bounds, as
    /// the offset is then the middle of an interval that any of them may end.
    fn rows_that_count(&self, machine: usize) -> impl Iterator<Item = usize> + use<'_> {
        let Solution { coef, free, .. } = &self.solutions[machine];
        (0..coef.len()).filter(move |&v| coef[v] != 0.0 || *free == 0)
    }

    /// The problem of a machine with one variable held at 0, and f = Kb of where it starts, if K is held.
    fn without(&self, machine: usize, variable: usize) -> (Problem, Option<Vec<f64>>) {
        let (problem, solution) = (&self.problems[machine], &self.solutions[machine]);
        let k: Option<&Matrix> = self.gram.structure().held();
        let all: Vec<usize> = (0..problem.row.len()).collect();
        let kept: Vec<usize> = all.iter().copied().filter(|&v| v != variable).collect();
        let start = without_coefficients(problem, solution, k, &[variable], &kept);
        let values = values_of(problem, solution, k, &start, &all);
        let mut without = Problem { start: Some(start), ..problem.clone() };
        (without.low[variable], without.high[variable]) = (0.0, 0.0);
        (without, values)
    }
}

/// An error where a machine has not met its tolerance: what it says without a row is then that of no fit.
fn require_converged(solution: &Solution, options: &Options, control: &Control) -> Result<()> {
    if solution.converged {
        return Ok(());
    }
    control.check_time("leaving rows out")?;
    let why = svm::unconverged_note(solution.gap, solution.violation, options.tolerance);
    Err(Error::Numerical { what: "leaving rows out".into(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Dense;

    fn at(i: usize) -> f64 {
        10.0 * ((i * 37) as f64 * 0.618).fract()
    }

    fn blur(i: usize) -> f64 {
        ((i * i) as f64).sin()
    }

    /// The problem of a curve within a tube, and that of two classes that overlap.
    fn problems(n: usize) -> [Problem; 2] {
        let (row, ones): (Vec<usize>, _) = ((0..n).collect(), vec![1.0; n]);
        let curve = (0..n).map(|i| at(i).sin() + 0.3 * blur(i)).collect();
        let side: Vec<f64> = (0..n).map(|i| (at(i).sin() + 0.5 * blur(i)).signum()).collect();
        let [low, high] = [-1.0, 1.0].map(|sign| side.iter().map(|t| if *t == sign { sign } else { 0.0 }).collect());
        let tube = Problem { row: row.clone(), target: curve, low: vec![-1.0; n], high: ones, tube: 0.3, ..Problem::default() };
        [tube, Problem { row, target: side, low, high, ..Problem::default() }]
    }

    fn kernel(n: usize) -> Dense {
        Dense::square(Matrix::from_fn(n, n, |i, j| (-(at(i) - at(j)).powi(2)).exp())).unwrap().known_finite()
    }

    #[test]
    fn there_is_one_machine_for_each_support_vector_and_it_starts_near_its_end() {
        let (gram, options, control) = (kernel(120), Options::default(), Control::default());
        for problem in problems(120) {
            let problems = [problem];
            let solutions = smo::solve(&gram, &problems, &options, &control).unwrap();
            let found = Machines { gram: &gram, problems: &problems, solutions: &solutions }.without_each_row(&options, &control).unwrap();
            let support: Vec<usize> = (0..120).filter(|&v| solutions[0].coef[v] != 0.0).collect();
            assert!(solutions[0].free > 0 && support.len() < 100);
            assert_eq!(found.iter().map(|one| one.row).collect::<Vec<_>>(), support);
            let (steps, of_all) = (found.iter().map(|one| one.steps).sum::<usize>(), solutions[0].iterations);
            assert!(2 * steps < of_all * support.len(), "{steps} steps of {} machines, {of_all} of all rows", support.len());
        }
    }
}

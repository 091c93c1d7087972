//! Machines that split the classes in two: one for each column of a code matrix of +1 and -1, all over the same rows.
//!
//! ```text
//! minimise  1/2 |w_l|^2 + sum_i C_i max(0, 1 - M[y_i, l] f_l(x_i)),     f_l(x) = w_l'phi(x) + b_l
//! ```

use super::by_class::ByClass;
use super::fitted_svc::FittedSvc;
use super::left_out::{LeftOutValue, Machines};
use super::model::SvcRows;
use super::pair_problems::TOGETHER;
use super::svm::{self, Totals};
use crate::error::Result;
use crate::estimators::{Expansion, Summary};
use crate::gram::{Gram, ranges};
use crate::linalg::Matrix;
use crate::solve::smo::{self, Problem};

/// What the machines of a code matrix leave: one output for each column.
pub(super) struct Dichotomies {
    pub(super) expansion: Expansion,
    pub(super) iterations: Vec<usize>,
    pub(super) summary: Summary,
}

/// Fits a machine for each column of a code matrix, whose rows are the classes that have rows. Starts from machines of the same columns.
pub(super) fn fit(code: &Matrix, rows: &SvcRows<'_>, earlier: Option<&FittedSvc>) -> Result<Dichotomies> {
    solve(code, rows, earlier, rows.task.gram()?, None)
}

/// Fits from nothing, and gives the values of each row by machines that were fitted without it where it takes part in one.
pub(super) fn leave_one_out(code: &Matrix, rows: &SvcRows<'_>) -> Result<(Dichotomies, Vec<LeftOutValue>)> {
    let (task, mut found) = (rows.task, Vec::new());
    let held = ByClass::of(task, rows.codes, 1, true)?;
    let gram: &dyn Gram = held.as_ref().map_or(task.gram()?, |held| &held.k);
    let mut without = |machines: &Machines<'_>, first: usize| {
        let values = machines.without_each_row(&rows.options, task.control)?;
        found.extend(values.into_iter().map(|one| LeftOutValue { machine: first + one.machine, ..one }));
        Ok(())
    };
    let all = solve(code, rows, None, gram, Some(&mut without))?;
    Ok((all, found))
}

/// What is made of further machines over the same rows from some as they were solved, given with the place of the first of them.
type Further<'f> = &'f mut dyn FnMut(&Machines<'_>, usize) -> Result<()>;

/// Solves a machine for each column.
fn solve(
    code: &Matrix,
    rows: &SvcRows<'_>,
    earlier: Option<&FittedSvc>,
    gram: &dyn Gram,
    mut further: Option<Further<'_>>,
) -> Result<Dichotomies> {
    let (task, n) = (rows.task, rows.codes.len());
    let (places, bounds) = (rows.places(), rows.bounds());
    let all: Vec<usize> = (0..n).collect();
    let earlier = earlier.filter(|fitted| fitted.expansion.bias.len() == code.cols() && fitted.expansion.pairs.is_none());
    let problem = |column: usize| {
        let target: Vec<f64> = places.iter().map(|&class| code[(class, column)]).collect();
        let problem = Problem {
            row: all.clone(),
            low: target.iter().zip(&bounds).map(|(t, bound)| if *t < 0.0 { -bound } else { 0.0 }).collect(),
            high: target.iter().zip(&bounds).map(|(t, bound)| if *t > 0.0 { *bound } else { 0.0 }).collect(),
            target,
            ..Problem::default()
        };
        let start = earlier.and_then(|fitted| svm::start(&problem, fitted.expansion.coefficients(column, (0, 1), &all)));
        Problem { start, ..problem }
    };
    let (mut columns, mut bias, mut iterations, mut totals) = (Vec::new(), Vec::new(), Vec::new(), Totals::default());
    for some in ranges(code.cols(), (TOGETHER / n.max(1)).max(1)) {
        let problems: Vec<Problem> = some.clone().map(problem).collect();
        let solutions = smo::solve(gram, &problems, &rows.options, task.control)?;
        if let Some(further) = &mut further {
            further(&Machines { gram, problems: &problems, solutions: &solutions }, some.start)?;
        }
        for solution in solutions {
            totals.add(&solution);
            bias.push(solution.offsets[0]);
            iterations.push(solution.iterations);
            columns.push(solution.coef.into_iter().enumerate().filter(|(_, b)| *b != 0.0).collect::<Vec<_>>());
        }
    }
    let mut expansion = svm::expansion(n, &columns, bias);
    drop(columns);
    expansion.weigh(task.gram()?, task.control)?;
    let rounded = svm::round(&mut expansion, task, rows.options.tolerance, (0..code.cols()).map(|_| 1.0))?;
    Ok(Dichotomies { expansion, iterations, summary: svm::summary(&totals, rows.options.tolerance, rounded) })
}

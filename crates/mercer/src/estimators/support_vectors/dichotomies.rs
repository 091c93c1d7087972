//! Machines that split the classes in two: one for each column of a code matrix of +1 and -1, all over the same rows.
//!
//! ```text
//! minimise  1/2 |w_l|^2 + sum_i C_i max(0, 1 - M[y_i, l] f_l(x_i)),     f_l(x) = w_l'phi(x) + b_l
//! ```

use super::fitted_svc::FittedSvc;
use super::model::SvcRows;
use super::pair_problems::TOGETHER;
use super::svm::{self, Totals};
use crate::error::Result;
use crate::estimators::{Expansion, Summary};
use crate::gram::ranges;
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
        let problems: Vec<Problem> = some.map(problem).collect();
        for solution in smo::solve(task.gram()?, &problems, &rows.options, task.control)? {
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

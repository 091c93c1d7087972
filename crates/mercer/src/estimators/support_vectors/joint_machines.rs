//! One problem of all classes, by what a row costs: `svc(multiclass=weston_watkins)` and `svc(multiclass=crammer_singer)`.
//!
//! ```text
//! minimise  1/2 sum_c |w_c|^2 + sum_i C_i l(1 - (f_y(x_i) - f_c(x_i)), c != y = y_i),     C_i = c weight_i class_weight
//! ```
//!
//! l is the sum of what the margins to the other classes lack, or what the least of them lacks. The class of the greatest f_c is
//! predicted. Of two classes both are the machine of pairs at twice the c. The certificate is the relative duality gap: see
//! [`solve::joint`](crate::solve::joint).

use super::fitted_svc::{FittedSvc, LargestScore, SvcDecision};
use super::model::SvcRows;
use super::svm;
use crate::error::Result;
use crate::estimators::targets::class_scores::ClassScores;
use crate::estimators::{Certificate, Costs, Estimator, Size, Summary, Svc};
use crate::linalg::Matrix;
use crate::param::Value;
use crate::solve::joint::{self, JointLoss, JointProblem, JointSolution, Offsets};

/// Costs of a fit: steps of rows, each over the values of all rows for some of the classes.
pub(super) fn costs(size: Size, cache_mb: &Value, probabilities: bool) -> Costs {
    // Bytes of a variable: the variable, its coefficient, value and change.
    const PER_VARIABLE: u64 = 64;
    // Passes over the rows of a fit.
    const PASSES: f64 = 20.0;
    let (rows, classes) = (size.rows as u64, size.outputs.max(2) as u64);
    let (n, fits) = (size.rows as f64, if probabilities { 5.0 } else { 1.0 });
    let cache = ((cache_mb.number() * 1e6) as u64).min(8 * rows * rows);
    Costs {
        bytes: PER_VARIABLE * rows * classes + cache.min(8 * rows * 256) + joint::bytes_of_steps(size.rows, classes as usize),
        kept_bytes: cache,
        values: fits * 2.0 * n * n,
        fit: fits * PASSES * 4.0 * n * n * (classes as f64).min(4.0),
        ..size.by_values().costs()
    }
}

/// Fits one problem of all classes that have rows, from an earlier fit where there is one.
pub(super) fn fit(loss: JointLoss, rows: &SvcRows<'_>, earlier: Option<&FittedSvc>) -> Result<FittedSvc> {
    let (task, classes) = (rows.task, rows.present.len());
    let decision = SvcDecision::PerClass(LargestScore::new(ClassScores::present_in(task, Svc::NAME)?));
    let problem = JointProblem {
        class: rows.places(),
        classes,
        cost: rows.bounds(),
        loss,
        offsets: Offsets::Free,
        start: earlier.and_then(|fitted| start(fitted, rows.codes.len(), classes)),
    };
    let gram = task.gram()?;
    let solution = joint::solve(gram, &problem, &rows.options, task.control)?;
    let of_two = |first: f64, second: f64| second - first;
    let (columns, bias): (Vec<Vec<f64>>, Vec<f64>) = match &solution.offsets[..] {
        [first, second] => {
            let difference = solution.coef.col(0).iter().zip(solution.coef.col(1)).map(|(a, b)| of_two(*a, b)).collect();
            (vec![difference], vec![of_two(*first, *second)])
        }
        several => ((0..classes).map(|c| solution.coef.col(c)).collect(), several.to_vec()),
    };
    let columns: Vec<Vec<(usize, f64)>> =
        columns.into_iter().map(|column| column.into_iter().enumerate().filter(|(_, b)| *b != 0.0).collect()).collect();
    let mut expansion = svm::expansion(rows.codes.len(), &columns, bias);
    expansion.weigh(gram, task.control)?;
    let tolerance = rows.options.tolerance;
    let rounded = svm::round(&mut expansion, task, tolerance, columns.iter().map(|_| 1.0))?;
    let summary = summary(&solution, tolerance, rounded);
    Ok(FittedSvc::new(expansion, rows.names.len(), decision, vec![solution.iterations], summary))
}

/// Coefficients and offsets of every class of an earlier fit, where it has such.
fn start(fitted: &FittedSvc, rows: usize, classes: usize) -> Option<(Matrix, Vec<f64>)> {
    let SvcDecision::PerClass(_) = fitted.decision else { return None };
    let all: Vec<usize> = (0..rows).collect();
    let column = |o: usize| fitted.expansion.coefficients(o, (0, 1), &all);
    match (&fitted.expansion.bias[..], classes) {
        ([bias], 2) => {
            let half = column(0);
            let sign = |c: usize| if c == 0 { -0.5 } else { 0.5 };
            Some((Matrix::from_fn(rows, 2, |i, c| sign(c) * half[i]), vec![-0.5 * bias, 0.5 * bias]))
        }
        (several, _) if several.len() == classes => {
            let columns: Vec<Vec<f64>> = (0..classes).map(column).collect();
            Some((Matrix::from_fn(rows, classes, |i, c| columns[c][i]), several.to_vec()))
        }
        _ => None,
    }
}

fn summary(solution: &JointSolution, tolerance: f64, rounded: Option<f64>) -> Summary {
    let JointSolution { free, bound, gap, violation, converged, .. } = *solution;
    let mut notes = vec![format!(
        "{free} rows have coefficients between their bounds (rows on the margins), {bound} at their bound (rows beyond them)"
    )];
    notes.extend(rounded.map(|change| svm::rounding_note(change, tolerance)));
    if !converged {
        notes.push(svm::unconverged_note(gap, violation, tolerance));
    }
    Summary {
        iterations: solution.iterations,
        converged,
        objective: Some(solution.primal),
        certificate: Some(Certificate { name: "relative duality gap".into(), value: gap, tolerance }),
        violation: Some(violation),
        notes,
        ..Summary::default()
    }
}

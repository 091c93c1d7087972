//! Answers do not depend on the unit of a target, on where its zero lies, or on what classes are called and in which order.

use super::case::{Case, tightened};
use super::{Checked, Verdict, fail};
use crate::data::Target;
use crate::estimators::{Predicted, Predictions};
use crate::kernels::KernelExpr;
use crate::learner::Learner;
use crate::linalg::Matrix;

/// The standard deviation of a column.
fn spread(y: &Matrix, o: usize) -> f64 {
    let (n, column) = (y.rows() as f64, y.col(o));
    let mean = column.iter().sum::<f64>() / n;
    (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// The case with the target a y + b.
fn moved(case: &Case, y: &Matrix, a: f64, b: &[f64]) -> Case {
    Case { target: Target::Numbers(Matrix::from_fn(y.rows(), y.cols(), |i, o| a * y[(i, o)] + b[o])), ..case.clone() }
}

/// Predictions of the new rows by a learner whose parameters are those of the case.
fn predicted(case: &Case, learner: &Learner) -> Checked<Predictions> {
    case.predict(&case.model_of(learner, None)?)
}

/// `given` has every parameter settled; `open` those that the estimator leaves open are found by its own search beside the kernel as
/// it was asked for.
pub(super) fn check(given: &Case, open: &Case, kernel: &KernelExpr) -> Verdict {
    // Where the zero of a target is moved to, in its standard deviations: 7 of its 16 digits are left.
    const FAR: f64 = 1e9;
    // Units that a target is brought to.
    const UNITS: [f64; 2] = [1e-4, 1e4];
    // Differences between predictions of given parameters, in standard deviations of the target: what is left of its digits, by the condition
    // of the system.
    const GIVEN: f64 = 1e-5;
    // Differences where parameters are searched: searches end within their tolerance of one another.
    const SEARCHED: f64 = 2e-2;
    // Estimators whose answers depend on what is held here all the same: one visits copies of a row in the order of their classes, and the
    // positive class of the other is the last where none is named.
    const DEPENDENT: [&str; 2] = ["perceptron", "mi_svm"];
    let searching = Learner { kernel: Some(kernel.clone()), ..open.learner() };
    match &given.target {
        // Without a constant the zero of the target counts.
        Target::Numbers(_) if given.learner().estimator.to_string().contains("intercept=false") => Ok(()),
        Target::Numbers(y) => {
            let far: Vec<f64> = (0..y.cols()).map(|o| FAR * spread(y, o)).collect();
            let (base, searched) = (predicted(given, &given.learner())?, predicted(open, &searching)?);
            let there = moved(given, y, 1.0, &far);
            follows("a target far from 0", &base, &predicted(&there, &there.learner())?, y, 1.0, &far, GIVEN)?;
            follows(
                "a target far from 0, searched",
                &searched,
                &predicted(&moved(open, y, 1.0, &far), &searching)?,
                y,
                1.0,
                &far,
                SEARCHED,
            )?;
            for unit in UNITS {
                let none = vec![0.0; y.cols()];
                let there = predicted(&moved(open, y, unit, &none), &searching)?;
                follows("a target in another unit, searched", &searched, &there, y, unit, &none, SEARCHED)?;
            }
            Ok(())
        }
        Target::Classes { codes, names } if !DEPENDENT.contains(&given.learner().estimator.name()) => {
            let last = names.len() - 1;
            let turned = Target::Classes {
                codes: codes.iter().map(|c| last - c).collect(),
                names: (0..names.len()).map(|c| format!("class {c}")).collect(),
            };
            let other = Case { target: turned.clone(), ..given.clone() };
            permuted("classes in another order", &predicted(given, &given.learner())?, &predicted(&other, &given.learner())?, last, GIVEN)?;
            let searching = Learner { estimator: tightened(&searching.estimator)?, ..searching };
            let other = Case { target: turned, ..open.clone() }.each_once();
            let (here, there) = (predicted(&open.each_once(), &searching)?, predicted(&other, &searching)?);
            permuted("classes in another order, searched", &here, &there, last, SEARCHED)
        }
        Target::Classes { .. } | Target::Absent { .. } => Ok(()),
    }
}

/// `there` is a f + b where `here` is f.
#[allow(clippy::too_many_arguments, reason = "one comparison, named where it is made")]
fn follows(what: &str, here: &Predictions, there: &Predictions, y: &Matrix, a: f64, b: &[f64], slack: f64) -> Verdict {
    let (Predicted::Numbers(f), Predicted::Numbers(g)) = (&here.values, &there.values) else {
        return fail(what, "no numbers are predicted");
    };
    for i in 0..f.rows() {
        for (o, b) in b.iter().enumerate() {
            let (found, expected) = ((g[(i, o)] - b) / a, f[(i, o)]);
            if (found - expected).is_nan() || (found - expected).abs() > slack * spread(y, o) {
                return fail(what, format!("the prediction at {:?} is {found} and not {expected}", (i, o)));
            }
        }
    }
    Ok(())
}

/// `there` says of class last - c what `here` says of c.
fn permuted(what: &str, here: &Predictions, there: &Predictions, last: usize, slack: f64) -> Verdict {
    if let (Some(p), Some(q)) = (&here.probabilities, &there.probabilities) {
        for i in 0..p.rows() {
            if let Some(c) = (0..=last).find(|&c| (p[(i, c)] - q[(i, last - c)]).abs() > slack) {
                return fail(what, format!("class {c} of row {i} has the probabilities {} and {}", p[(i, c)], q[(i, last - c)]));
            }
        }
        return Ok(());
    }
    let (Predicted::Classes(a), Predicted::Classes(b)) = (&here.values, &there.values) else {
        return fail(what, "no classes are predicted");
    };
    // A decision value of 0, as far as the slack tells, is of no class.
    let border = |i: usize| here.scores.as_ref().is_some_and(|s| s.cols() == 1 && s[(i, 0)].abs() <= slack);
    match (0..a.len().min(b.len())).find(|&i| a[i] != last - b[i] && !border(i)) {
        Some(i) => fail(what, format!("row {i} is of the classes {} and {}", a[i], last - b[i])),
        None => Ok(()),
    }
}

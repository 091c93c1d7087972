//! Targets as columns of numbers and back: least-squares methods see outputs, whether they predict numbers or classes.
//!
//! Two classes are one output, -1 for the first and +1 for the second, decided by the sign; more classes are one
//! output each, +1 for the class and -1 for the rest, decided by the largest.

use crate::data::{Target, absent};
use crate::error::{Error, Result};
use crate::estimators::{Predicted, Predictions, Task, View, Want};
use crate::linalg::Matrix;

/// An error unless sizes and weights of a task are as they should be.
pub(crate) fn check(task: &Task<'_>, who: &str) -> Result<()> {
    let n = task.rows();
    let shape = |what: &str, found| Error::unless_equal(what, n, found);
    if let View::Values(gram) = task.view {
        shape("columns of the Gram matrix", gram.shape().1)?;
    }
    shape("rows of the target", task.target.rows())?;
    shape("weights", task.weights.map_or(n, <[f64]>::len))?;
    if n == 0 {
        return Err(Error::Data(format!("{who} needs at least one row")));
    }
    if let Some(i) = (0..n).find(|&i| !(task.weight(i) > 0.0 && task.weight(i).is_finite())) {
        return Err(Error::Data(format!("the weight of row {} is {}; weights must be finite and above 0 here", i + 1, task.weight(i))));
    }
    Ok(())
}

/// The target of a task as N x outputs numbers, the task checked.
pub(crate) fn outputs(task: &Task<'_>, who: &str) -> Result<Matrix> {
    check(task, who)?;
    let n = task.rows();
    match task.target {
        Target::Numbers(y) => match y.data().iter().position(|v| !v.is_finite()) {
            Some(k) => Err(Error::Data(format!("the target of row {} is {}, not a finite number", k / y.cols() + 1, y.data()[k]))),
            None => Ok(y.clone()),
        },
        Target::Classes { codes, names } if names.len() <= 2 => {
            Ok(Matrix::column(codes.iter().map(|&k| if k == 1 { 1.0 } else { -1.0 }).collect()))
        }
        Target::Classes { codes, names } => Ok(Matrix::from_fn(n, names.len(), |i, c| if codes[i] == c { 1.0 } else { -1.0 })),
        Target::Absent { .. } => Err(absent(who)),
    }
}

/// 1 for the class of a row and 0 for the others, N x classes, the task checked.
pub(crate) fn indicators(task: &Task<'_>, who: &str) -> Result<Matrix> {
    check(task, who)?;
    let (codes, names) = task.target.as_classes(who)?;
    Ok(Matrix::from_fn(codes.len(), names.len(), |i, k| f64::from(u8::from(codes[i] == k))))
}

/// Weighted means of the columns of some rows; of a constant column the constant itself.
pub(crate) fn means(y: &Matrix, rows: &[usize], weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let of = |o: usize, origin: f64| rows.iter().zip(weights).map(|(&i, w)| w * (y[(i, o)] - origin)).sum::<f64>() / total;
    (0..y.cols())
        .map(|o| {
            let first = of(o, 0.0);
            first + of(o, first)
        })
        .collect()
}

/// The target of a task as N x outputs numbers less their weighted means, in which no digit is lost where 0 lies far off.
pub(crate) fn centred_outputs(task: &Task<'_>, who: &str) -> Result<Matrix> {
    let y = outputs(task, who)?;
    let all: Vec<usize> = (0..y.rows()).collect();
    let means = means(&y, &all, &task.all_weights());
    Ok(Matrix::from_fn(y.rows(), y.cols(), |i, o| y[(i, o)] - means[o]))
}

/// The mean of squared residuals below which they are rounding: a target that is fitted without error has no logarithm.
pub(crate) fn least_mean(y: &Matrix) -> f64 {
    let largest = y.data().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    (f64::EPSILON * largest).powi(2).max(f64::MIN_POSITIVE)
}

/// The number of classes of a target of classes.
pub(crate) fn classes(target: &Target) -> Option<usize> {
    match target {
        Target::Classes { names, .. } => Some(names.len()),
        _ => None,
    }
}

/// Outputs (M x outputs) as predicted numbers, or as the classes they decide on.
pub(crate) fn decide(f: Matrix, classes: Option<usize>, want: Want) -> Predictions {
    let Some(_) = classes else {
        return Predictions::of(Predicted::Numbers(f));
    };
    let codes = (0..f.rows())
        .map(|i| match f.row(i) {
            [score] => usize::from(*score > 0.0),
            scores => scores.iter().enumerate().fold(0, |best, (c, s)| if *s > scores[best] { c } else { best }),
        })
        .collect();
    Predictions { scores: want.scores.then_some(f), ..Predictions::of(Predicted::Classes(codes)) }
}

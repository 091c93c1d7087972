//! Ridge regression over features from sums over batches of rows, which are never together in memory.

use super::ridge::Ridge;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::estimators::registry::settled::settled;
use crate::estimators::systems::square_sums::SquareSums;
use crate::estimators::targets::outputs::outputs;
use crate::estimators::{Estimator, EstimatorExpr, Expansion, ExpansionFit, FittedModel, Task};
use crate::gram::{Features, Side};
use crate::linalg::Matrix;
use crate::param::Value;
use std::borrow::Cow;

/// Ridge regression that learns from sums alone, whose parameters may be open.
///
/// # Errors
/// Another estimator; probabilities, for which rows have to be held out; no penalty.
pub(crate) fn require(estimator: &EstimatorExpr) -> Result<&Ridge> {
    let refused = |why: &str| Error::Setting { name: "estimator".into(), why: format!("{estimator} {why}") };
    match estimator {
        EstimatorExpr::Ridge(ridge) if ridge.probabilities => {
            Err(refused("holds rows out for its probabilities, which batches do not allow; leave probabilities out"))
        }
        EstimatorExpr::Ridge(ridge) if ridge.lambda == Value::Number(0.0) => {
            Err(refused("has no penalty, and sums over rows settle no solution without one; take a lambda above 0"))
        }
        EstimatorExpr::Ridge(ridge) => Ok(ridge),
        _ => Err(refused("does not learn from batches of rows; ridge does")),
    }
}

/// [`require`], and the penalty.
fn summed(estimator: &EstimatorExpr) -> Result<(&Ridge, f64)> {
    let ridge = require(estimator)?;
    Ok((ridge, settled::<Ridge>("lambda", &ridge.lambda)?))
}

/// The features of the rows of a task.
fn features<'a>(task: &Task<'a>) -> Result<Cow<'a, Matrix>> {
    let gram = task.gram()?;
    if !gram.structure().features_stand_alone() {
        return Err(without_features());
    }
    match Features::of(gram, Side::Rows).ok_or_else(without_features)? {
        Features::Dense(z) => Ok(z),
        Features::Sparse(z) => {
            let mut dense = Matrix::zeros(z.rows(), z.cols());
            for i in 0..z.rows() {
                let (columns, values) = z.row(i);
                let row = dense.row_mut(i);
                columns.iter().zip(values).for_each(|(j, v)| row[*j as usize] += v);
            }
            Ok(Cow::Owned(dense))
        }
    }
}

fn without_features() -> Error {
    let why = "batches of rows are added up over the features of a kernel, and this one has none written out; take linear, or \
               nystroem(K, rank=1000) of any kernel K";
    Error::Setting { name: "kernel".into(), why: why.into() }
}

/// Sums over no rows for an estimator, in units by which the rows of a task are near 1.
///
/// # Errors
/// An estimator that does not learn from sums; a kernel without features; no memory for the square of their number.
pub(crate) fn begin(estimator: &EstimatorExpr, task: &Task<'_>) -> Result<SquareSums> {
    let (ridge, _) = summed(estimator)?;
    let z = features(task)?;
    // Sums of a batch and of all of them, of 16 bytes, and matrices of f64 of the batch and of the solution.
    let width = (z.cols() + task.target.outputs() + 1) as u64;
    task.control.plan(&format!("the sums over {} features", z.cols()), width * width * (16 + 4 * 8))?;
    Ok(SquareSums::scaled_by(&z, &outputs(task, Ridge::NAME)?, ridge.intercept))
}

/// Adds the rows of a task.
///
/// # Errors
/// Targets that are not finite; numbers far larger than those that set the scale.
pub(crate) fn add(sums: &mut SquareSums, task: &Task<'_>) -> Result<()> {
    sums.add(features(task)?.as_ref(), &outputs(task, Ridge::NAME)?, task.weights, task.control)
}

/// The fit to all rows that were added, of whose kind of target there is a fit already.
///
/// # Errors
/// No rows; bounds of `control`.
pub(crate) fn finish(estimator: &EstimatorExpr, sums: &SquareSums, like: &FittedModel, control: &Control) -> Result<FittedModel> {
    let (ridge, lambda) = summed(estimator)?;
    let FittedModel::Ridge(like) = like else { return Err(Error::Internal { what: "sums".into(), why: "they are of another fit".into() }) };
    let solution = sums.solve(lambda, ridge.intercept, control)?;
    let none = Expansion::new(Vec::new(), Matrix::zeros(0, solution.bias.len()), solution.bias);
    let fit = ExpansionFit::new(none.with_weights(solution.beta), like.link().clone(), solution.summary);
    Ok(FittedModel::Ridge(fit))
}

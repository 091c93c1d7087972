//! Where an exact fit to all rows takes too much there are two ways out: the exact kernel on a part of the rows, and all rows
//! through landmarks. Which predicts better depends on the noise and on how rough the function is; held-out rows decide.

use crate::control::Control;
use crate::data::{Examples, some_rows_of};
use crate::error::Result;
use crate::estimators::{EstimatorExpr, Want};
use crate::fitting;
use crate::kernels::KernelExpr;
use crate::metrics::Scoring;
use crate::trial::Landmarks;

/// Rows held out, and their greatest share of all.
const HELD_OUT: (usize, usize) = (2000, 5);

/// Whether all rows through landmarks predict rows held out no worse than the exact kernel on a part of them; every
/// parameter is settled.
pub(crate) fn wins(
    landmarks: Landmarks,
    kernel: &KernelExpr,
    estimator: &EstimatorExpr,
    examples: &Examples<'_>,
    scoring: Scoring,
    control: &Control,
    seed: u64,
) -> Result<bool> {
    let n = examples.rows();
    let held_out = some_rows_of(examples.target, HELD_OUT.0.min(n / HELD_OUT.1), seed);
    let rest: Vec<usize> = (0..n).filter(|i| held_out.binary_search(i).is_err()).collect();
    let (test, train) = (examples.select(&held_out), examples.select(&rest));
    let loss = |kernel: &KernelExpr, rows: &Examples<'_>| -> Result<f64> {
        let (kernel, fitted) = fitting::fit_settled(kernel, estimator, rows, control, seed)?;
        let predicted = fitting::predict_from(&kernel, &fitted, rows.data, &test.data, Want::JUDGED, control)?;
        let value = scoring.decide(&predicted, &test.target, test.weights.as_deref());
        Ok(if scoring.deciding.rises() { -value } else { value })
    };
    let part = train.examples().select(&some_rows_of(&train.target, landmarks.exact_rows, seed));
    let exact = loss(kernel, &part.examples())?;
    drop(part);
    let through = loss(&kernel.clone().through_landmarks(landmarks.rank, seed), &train.examples())?;
    Ok(exact.is_nan() || through <= exact)
}

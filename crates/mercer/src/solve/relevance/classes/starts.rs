//! Where the search of classes begins: columns with their alphas.

use super::super::{forward, span::Columns};
use super::{ClassPlan, OUTSIDE};
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::Matrix;
use crate::solve::likelihood::Likelihood;

/// The first columns of a plan with the alphas of which functions of each alone have the variance 1.
pub(super) fn equal(phi: &Matrix, plan: &ClassPlan<'_>) -> Vec<(usize, f64)> {
    let total: f64 = plan.weights.iter().sum();
    let alpha_of = |column: usize| plan.weights.iter().enumerate().map(|(i, w)| w * phi[(i, column)].powi(2)).sum::<f64>() / total;
    plan.first.iter().map(|&a| (a, alpha_of(a))).filter(|(_, alpha)| *alpha > 0.0).collect()
}

/// Columns that least squares choose for the classes' indicators, and the alphas that their weights ask for as slopes of log odds.
pub(super) fn orthogonal(phi: &Matrix, loss: &dyn Likelihood, plan: &ClassPlan<'_>, control: &Control) -> Result<Vec<(usize, f64)>> {
    // The least variance around least squares, as a share of that of all rows, by which weights are made slopes of log odds.
    const LEAST_LEFT: f64 = 0.01;
    let (n, p, outputs) = (phi.rows(), phi.cols(), loss.outputs());
    let (total, roots): (f64, Vec<f64>) = (plan.weights.iter().sum(), plan.weights.iter().map(|w| w.sqrt()).collect());
    // Without a function the slopes are what indicators are above or below their expectation.
    let slopes = loss.at(&Matrix::zeros(n, outputs)).residual;
    let sums: Vec<f64> = (0..outputs).map(|o| if plan.constant { slopes.col(o).iter().sum::<f64>() } else { 0.0 }).collect();
    let values = Matrix::from_fn(p, n, |m, i| roots[i] * phi[(i, m)]);
    let targets = Matrix::from_fn(outputs, n, |o, i| (slopes[(i, o)] / plan.weights[i] - sums[o] / total) * roots[i]);
    let squares = |rows: &Matrix| -> Vec<f64> { (0..rows.rows()).map(|k| dot(rows.row(k), rows.row(k))).collect() };
    let all = squares(&targets);
    let rounding: Vec<f64> = squares(&values).iter().map(|square| OUTSIDE * square).collect();
    let columns = Columns { values: &values, rounding: &rounding };
    let least = all.iter().sum::<f64>() * LEAST_LEFT;
    let found = forward::chosen(columns, &targets, (total - f64::from(u8::from(plan.constant)), least), plan.most, control)?;
    let left: Vec<f64> = found.left.iter().zip(&all).map(|(left, all)| left.max(LEAST_LEFT * all) / total).collect();
    let alpha = |k: usize| {
        let square: f64 = found.weights.row(k).iter().zip(&left).map(|(w, left)| (w / left).powi(2)).sum();
        outputs as f64 / square
    };
    let mut begin: Vec<(usize, f64)> =
        found.columns.iter().enumerate().map(|(k, &a)| (a, alpha(k))).filter(|(_, a)| a.is_finite()).collect();
    begin.sort_unstable_by_key(|pair| pair.0);
    Ok(begin)
}

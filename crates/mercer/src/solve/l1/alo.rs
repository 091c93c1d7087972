//! Approximate leave-one-out on the active columns: f_i without row i is f_i - h_i r_i / (1 - d_i h_i), h_i = z_i'(Z'DZ)^-1 z_i, Z the
//! active columns and the constant (Rad & Maleki 2020; exact for squared losses while the active set and its signs stay).

use super::{Columns, Solution};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within};
use crate::solve::losses::Losses;

/// Predictions of each row by the others (1 x N), for one output.
///
/// # Errors
/// Several outputs; on request of `control`.
pub fn leave_one_out(columns: &dyn Columns, losses: &Losses, solution: &Solution, control: &Control) -> Result<Matrix> {
    Error::unless_equal("outputs of approximate leave-one-out", 1, losses.outputs())?;
    let (n, active) = (losses.rows(), solution.support.len());
    let x = columns.columns(&solution.support, control)?;
    let means = losses.means(&solution.predictions);
    let (residuals, d) = (losses.residuals(&means), losses.curvature(&means).into_data());
    let z = Matrix::from_fn(n, active + 1, |i, k| if k < active { x[(k, i)] } else { 1.0 });
    let factor = Cholesky::new(gramian_of_columns_within(&z, Some(&d), control)?, control)?;
    let mut rows = z;
    factor.solve_rows(&mut rows, control)?;
    Ok(Matrix::from_fn(1, n, |_, i| {
        let h: f64 = rows.row(i).iter().map(|v| v * v).sum();
        let left = (1.0 - d[i] * h).max(f64::EPSILON);
        solution.predictions[(0, i)] - h * residuals[(0, i)] / left
    }))
}

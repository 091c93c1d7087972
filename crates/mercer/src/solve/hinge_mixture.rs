//! Linear support vector machines by expectation and maximisation (Polson & Scott 2011, Data augmentation for support vector machines;
//! Murphy 2012, 14.5.5).
//!
//! exp(-2 max(0, u)) with u = 1 - z w'x is the integral over l > 0 of a normal density of u with the mean -l and the variance l. Given w the
//! expectation of 1 / l is 1 / |u|, and given these w is the solution of a ridge regression with a weight for each row:
//!
//! ```text
//! minimise  |w|^2 / 2 + c sum_i max(0, u_i)
//! (1 + (c / 2) sum_i x_i x_i' / l_i) w = (c / 2) sum_i (1 + 1 / l_i) z_i x_i,     l_i = |u_i|
//! ```
//!
//! No step raises the objective, as |u| <= u^2 / (2 l) + l / 2. A row at the margin has l = 0: there the loss is rounded within [`ROUNDED`].

use super::minimiser::dot;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within, product_within};

/// Distances from the margin that count as this one: weights 1 / l keep half of the digits of a number.
pub const ROUNDED: f64 = 1e-8;

/// The mode of the weights: the support vector machine.
#[derive(Clone, Debug, PartialEq)]
pub struct HingeMode {
    /// One for each column.
    pub weights: Vec<f64>,
    /// |w|^2 / 2 + c sum_i loss_i before each step and after the last; the loss is at most `ROUNDED / 4` above that of the hinge.
    pub objectives: Vec<f64>,
    /// Whether the last step moved no weight by more than the tolerance.
    pub converged: bool,
}

/// Weights without an intercept for rows (N x D) and their signs z = +1 or -1, by at most so many steps.
///
/// # Errors
/// As many signs as rows; c that is not above 0; bounds of `control`.
pub fn hinge(rows: &Matrix, signs: &[f64], c: f64, (tolerance, steps): (f64, usize), control: &Control) -> Result<HingeMode> {
    Error::unless_equal("signs", rows.rows(), signs.len())?;
    if !(c > 0.0 && c.is_finite()) {
        let domain = "above 0 and finite".into();
        return Err(Error::OutOfDomain { owner: "a mixture of normal densities".into(), name: "c".into(), value: c.to_string(), domain });
    }
    let mut weights = Matrix::zeros(rows.cols(), 1);
    let (mut objectives, mut converged) = (Vec::new(), false);
    loop {
        control.check_time("a support vector machine by expectation and maximisation")?;
        let margins: Vec<f64> = product_within(rows, &weights, control)?.data().iter().zip(signs).map(|(f, z)| 1.0 - z * f).collect();
        let latent: Vec<f64> = margins.iter().map(|u| u.abs().max(ROUNDED)).collect();
        let losses = margins.iter().zip(&latent).map(|(u, l)| 0.5 * (u + 0.5 * (u * u / l + l)));
        objectives.push(0.5 * dot(weights.data(), weights.data()) + c * losses.sum::<f64>());
        if converged || objectives.len() > steps {
            return Ok(HingeMode { weights: weights.into_data(), objectives, converged });
        }
        let of_rows: Vec<f64> = latent.iter().map(|l| 0.5 * c / l).collect();
        let mut system = gramian_of_columns_within(rows, Some(&of_rows), control)?;
        system.add_to_diagonal(&[1.0]);
        let pulls = Matrix::new(1, signs.len(), latent.iter().zip(signs).map(|(l, z)| 0.5 * c * (1.0 + 1.0 / l) * z).collect())?;
        let next = Cholesky::new(system, control)?.solve(&product_within(&pulls, rows, control)?.transpose(), control)?;
        converged = next.data().iter().zip(weights.data()).all(|(a, b)| (a - b).abs() <= tolerance);
        weights = next;
    }
}

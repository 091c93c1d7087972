//! The whole Hessian of several outputs, where it is so small that products with its blocks would cost more.

use super::bends::Bends;
use super::conditions::norm;
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Cholesky, Matrix};

/// That of the losses, over some columns, the last of them that of the constants; a column's outputs stand one after another.
pub(super) struct Hessian(Matrix);

impl Hessian {
    /// Of columns X, one a row.
    pub(super) fn new(x: &Matrix, bends: &Bends<'_>) -> Hessian {
        let (rows, size) = (x.rows(), bends.d.rows());
        let mut h = Matrix::zeros(rows * size, rows * size);
        for c in 0..size {
            for e in 0..=c {
                let Some(between) = bends.between(c, e) else { continue };
                for j in 0..rows {
                    let scaled: Vec<f64> = x.row(j).iter().zip(&between).map(|(x, w)| x * w).collect();
                    for k in 0..=j {
                        let value = dot(&scaled, x.row(k));
                        for (p, q) in [(j * size + c, k * size + e), (j * size + e, k * size + c)] {
                            h[(p, q)] = value;
                            h[(q, p)] = value;
                        }
                    }
                }
            }
        }
        if bends.weights.is_some() {
            // What is common to all constants changes nothing.
            let constants = (rows - 1) * size..rows * size;
            let mean = constants.clone().map(|p| h[(p, p)]).sum::<f64>() / size as f64;
            constants.clone().for_each(|p| constants.clone().for_each(|q| h[(p, q)] += mean / size as f64));
        }
        Hessian(h)
    }

    /// The step of groups b_j (one a row) and of the constants, at these places of the columns, for slopes `fall`; see `Held` for the
    /// damping.
    ///
    /// # Errors
    /// Numbers that break down; on request of `control`.
    pub(super) fn step(
        &self,
        places: &[usize],
        b: &Matrix,
        (lambda, damping): (f64, f64),
        fall: &Matrix,
        control: &Control,
    ) -> Result<Matrix> {
        let size = b.cols();
        let at: Vec<usize> = places.iter().flat_map(|j| j * size..(j + 1) * size).collect();
        let mut h = Matrix::from_fn(at.len(), at.len(), |p, q| self.0[(at[p], at[q])]);
        for j in 0..b.rows() {
            let length = norm(b.row(j));
            let along = (1.0 - damping) * lambda / length.powi(3);
            for c in 0..size {
                h[(j * size + c, j * size + c)] += lambda / length;
                for e in 0..size {
                    h[(j * size + c, j * size + e)] -= along * b[(j, c)] * b[(j, e)];
                }
            }
        }
        let step = Cholesky::new(h, control)?.solve(&Matrix::column(fall.data().to_vec()), control)?;
        Matrix::new(places.len(), size, step.into_data())
    }
}

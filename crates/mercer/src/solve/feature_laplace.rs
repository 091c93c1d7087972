//! Laplace's approximation where the prior covariance is S = Z Z' with few features Z (N x m), in the space of their weights. With
//!
//! ```text
//! H = I + sum_i z_i z_i' (x) W_i,     Sigma = H^-1,     |I + S W| = |H|,
//! V = (S + W^-1)^-1 = W - W Z Sigma Z'W,     V Z = W Z Sigma,     Cov f_i = z_i' Sigma z_i,
//! ```
//!
//! the evidence and its derivative by Z take N m^2 operations for each pair of outputs and (m outputs)^3, not N^3; see `laplace` for
//! t, u and what they mean:
//!
//! ```text
//! d(-log q) / dZ = sum_c ( (V Z)_cc - alpha_c alpha_c'Z + u_c alpha_c'Z + alpha_c u_c'Z ).
//! ```

use super::laplace::{add, moved, turn};
use super::likelihood::{Curvature, Likelihood, parts};
use super::mode::Mode;
use crate::control::Control;
use crate::error::Result;
use crate::gram::{axpy, dot};
use crate::linalg::{Cholesky, Matrix, product_within, transposed_product_within};

/// -log q and its derivative by the features.
pub struct Evidence {
    /// -log q.
    pub value: f64,
    /// d value / d Z, N x m.
    pub by_features: Matrix,
}

/// The evidence at a mode under the prior covariance Z Z'.
///
/// # Errors
/// Memory, or a request of `control`; numbers that break down.
pub fn evidence(z: &Matrix, mode: &Mode, likelihood: &dyn Likelihood, constants: bool, control: &Control) -> Result<Evidence> {
    let (n, m, outputs) = (z.rows(), z.cols(), mode.alpha.cols());
    let curvature = &mode.curvature;
    // H, its factor, Sigma and the sum of one part of H; rows of z (x) D and their images.
    let part = parts(n, m * outputs).next().map_or(0, |rows| rows.len() * m * outputs);
    control.plan("the evidence and its gradient", 8 * (4 * (m * outputs).pow(2) + 3 * n * m + 2 * part) as u64)?;
    let mut h = curvature.of_features(z, control)?;
    h.add_to_diagonal(&vec![1.0; m * outputs]);
    let factor = Cholesky::new(h, control)?;
    let value = mode.objective + 0.5 * factor.log_det();
    // (I - V S) t needs products with H^-1 and not the inverse, which is not as exact.
    let times = |x: &Matrix| -> Result<Matrix> {
        let mut bent = curvature.times(x);
        let inside = Matrix::column(transposed_product_within(z, &bent, control)?.into_data());
        let solved = Matrix::new(m, outputs, factor.solve(&inside, control)?.into_data())?;
        add(&mut bent, -1.0, &curvature.times(&product_within(z, &solved, control)?));
        Ok(bent)
    };
    let prior = |x: &Matrix| product_within(z, &transposed_product_within(z, x, control)?, control);
    let sigma = factor.clone().into_inverse(control)?;
    let Covered { own, with, mut by_features } = Covered::of(z, &sigma, curvature, control)?;
    let t = turns(&own, &with, curvature, || likelihood.third(&mode.latent))?;
    let u = moved(&t, &prior, &times, constants, control)?;
    // Rows: alpha_c'Z and u_c'Z.
    let (of_alpha, of_u) = (transposed_product_within(&mode.alpha, z, control)?, transposed_product_within(&u, z, control)?);
    let mut less = u;
    add(&mut less, -1.0, &mode.alpha);
    add(&mut by_features, 1.0, &product_within(&less, &of_alpha, control)?);
    add(&mut by_features, 1.0, &product_within(&mode.alpha, &of_u, control)?);
    Ok(Evidence { value, by_features })
}

/// What rows see of a covariance Sigma of weights, its places by feature and then by output.
struct Covered {
    /// Cov_aa of the latent functions of each row, N x outputs.
    own: Matrix,
    /// sum_b Cov_ab D_b, N x outputs, where outputs are coupled.
    with: Matrix,
    /// (W Z Sigma)_aa summed over the outputs, N x m.
    by_features: Matrix,
}

impl Covered {
    /// With T_i = Sigma (z_i (x) D_i) the sums over b are z_i'T_i, and W_i takes sum_a D_a T_ia / w from sum_a D_a Sigma_aa z_i.
    fn of(z: &Matrix, sigma: &Matrix, curvature: &Curvature, control: &Control) -> Result<Self> {
        let (n, m, outputs) = (z.rows(), z.cols(), curvature.diagonal.cols());
        let d = &curvature.diagonal;
        let (mut own, mut with, mut by_features) = (Matrix::zeros(n, outputs), Matrix::zeros(n, outputs), Matrix::zeros(n, m));
        for a in 0..outputs {
            let block = Matrix::from_fn(m, m, |j, k| sigma[(j * outputs + a, k * outputs + a)]);
            let image = product_within(z, &block, control)?;
            for i in 0..n {
                own[(i, a)] = dot(image.row(i), z.row(i));
                axpy(d[(i, a)], image.row(i), by_features.row_mut(i));
            }
        }
        let Some(weights) = &curvature.coupled else { return Ok(Covered { own, with, by_features }) };
        for rows in parts(n, m * outputs) {
            let turned = product_within(&curvature.spread(z, rows.clone(), |_| 1.0), sigma, control)?;
            for (i, turned) in rows.zip(turned.data().chunks_exact((m * outputs).max(1))) {
                for (j, turned) in turned.chunks_exact(outputs).enumerate() {
                    axpy(z[(i, j)], turned, with.row_mut(i));
                    by_features[(i, j)] -= dot(d.row(i), turned) / weights[i];
                }
            }
        }
        Ok(Covered { own, with, by_features })
    }
}

/// t = 1/2 d log |H| / d f of every row, N x outputs; `third` gives the third derivatives where there is one output.
fn turns(own: &Matrix, with: &Matrix, curvature: &Curvature, third: impl FnOnce() -> Vec<f64>) -> Result<Matrix> {
    let Some(weights) = &curvature.coupled else {
        let of_row = |(third, variance): (&f64, &f64)| 0.5 * third * variance;
        return Ok(Matrix::column(third().iter().zip(own.data()).map(of_row).collect()));
    };
    let of_row = |i: usize| {
        let (d, w) = (curvature.diagonal.row(i), weights[i]);
        let q: Vec<f64> = d.iter().zip(own.row(i)).map(|(d, own)| d / w * own).collect();
        let v: Vec<f64> = d.iter().zip(with.row(i)).map(|(d, with)| d / w * (with / w)).collect();
        turn(w, d, &q, &v)
    };
    Matrix::new(own.rows(), own.cols(), (0..own.rows()).flat_map(of_row).collect())
}

#[cfg(test)]
mod tests {
    use super::super::laplace;
    use super::super::likelihood::ClassLikelihood;
    use super::super::mode;
    use super::*;

    fn features() -> Matrix {
        Matrix::from_fn(14, 4, |i, j| (1.3 * i as f64 + 2.1 * j as f64).sin() + 0.2 * j as f64)
    }

    fn of(z: &Matrix, classes: usize, constants: bool) -> (Evidence, f64, Matrix) {
        let control = Control::default();
        let weights = (0..14).map(|i| 0.5 + (i % 3) as f64).collect();
        let likelihood = ClassLikelihood::new((0..14).map(|i| (i * i) % classes).collect(), weights, classes);
        let s = product_within(z, &z.transpose(), &control).unwrap();
        let multiply = |v: &Matrix| product_within(&s, v, &control);
        let mode = mode::find(&likelihood, 14, &multiply, constants, &control).unwrap();
        let rows = laplace::evidence(&s, &mode, &likelihood, constants, &control).unwrap();
        let mut by = product_within(&rows.weights, z, &control).unwrap();
        by.data_mut().iter_mut().for_each(|v| *v *= 2.0);
        (evidence(z, &mode, &likelihood, constants, &control).unwrap(), rows.value, by)
    }

    // Against the evidence by N x N matrices, whose derivative by S is G: dV/dZ = 2 G Z.
    #[test]
    fn the_evidence_over_features_is_that_of_their_products() {
        for classes in [2, 3, 4] {
            for constants in [false, true] {
                let (found, value, by) = of(&features(), classes, constants);
                assert!((found.value - value).abs() < 1e-10 * value, "{} {value}", found.value);
                for (a, b) in found.by_features.data().iter().zip(by.data()) {
                    assert!((a - b).abs() < 1e-9, "{classes} {constants}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn its_derivatives_are_those_of_differences() {
        let z = features();
        for classes in [2, 3] {
            let found = of(&z, classes, true).0;
            for (i, j) in [(0, 0), (5, 2), (13, 3)] {
                let moved = |by: f64| {
                    let mut z = z.clone();
                    z[(i, j)] += by;
                    of(&z, classes, true).0.value
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - found.by_features[(i, j)]).abs() < 1e-7, "{slope} {}", found.by_features[(i, j)]);
            }
        }
    }
}

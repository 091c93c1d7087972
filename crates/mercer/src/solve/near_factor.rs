//! Steps of Newton's method for the mode of one latent function, by a factor made at curvature nearby.
//!
//! With R = W^1/2 and B = I + R S R, the step (S + S W S) d = S e is d = e - R y, B y = R S e, and S d = S e - S R y. B is solved by
//! conjugate gradients preconditioned by B_0 = I + R_0 S R_0, R_0 from nearby, factorised in f32: a few products with S instead of the
//! dozens that S alone as preconditioner takes where it has large eigenvalues (Golub & Van Loan, Matrix Computations, 11.5.1).

use super::laplace::within_roots;
use super::likelihood::Curvature;
use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Matrix, SingleCholesky};

/// The remaining residual r is measured by r'B_0^-1 r, the gap of the next step by r'(B - I) r: where B has large eigenvalues the second
/// is far greater, and steps that stop by the first alone do not converge.
const SHARPER: f64 = 1e-4;

/// B_0, factorised.
pub(super) struct NearFactor(SingleCholesky);

fn root(curvature: &Curvature) -> Vec<f64> {
    curvature.diagonal.data().iter().map(|d| d.sqrt()).collect()
}

impl NearFactor {
    /// `None` where B_0 is not positive definite in f32.
    pub(super) fn new(s: &Matrix, curvature: &Curvature, control: &Control) -> Result<Option<Self>> {
        control.plan("steps of Newton's method", 8 * (s.rows() as u64).pow(2))?;
        match SingleCholesky::new(within_roots(s, &root(curvature), control), control)? {
            Ok(factor) => Ok(Some(NearFactor(factor))),
            Err(b) => {
                control.keep(b.into_data());
                Ok(None)
            }
        }
    }

    /// The memory, to be used again.
    pub(super) fn into_memory(self) -> Vec<f64> {
        self.0.into_memory()
    }

    /// d, S d and the number of products with S, until the residual's square is less than `reduce` of what it was, by [`SHARPER`]; `image` is S e.
    pub(super) fn step(
        &self,
        curvature: &Curvature,
        residual: &Matrix,
        image: &Matrix,
        multiply: &dyn Fn(&Matrix) -> Result<Matrix>,
        reduce: f64,
        control: &Control,
    ) -> Result<(Matrix, Matrix, usize)> {
        // Products with S in a step, at most: a factor that needs as many is no use.
        const PRODUCTS: usize = 100;
        let root = root(curvature);
        let by_root = |v: &Matrix| Matrix::column(v.data().iter().zip(&root).map(|(v, r)| v * r).collect());
        let add = |to: &mut Matrix, by: f64, v: &Matrix| to.data_mut().iter_mut().zip(v.data()).for_each(|(t, v)| *t += by * v);
        let (mut d, mut sd) = (residual.clone(), image.clone());
        let mut r = by_root(image);
        let mut z = self.0.solve(&r, control)?;
        let mut p = z.clone();
        let mut square = dot(r.data(), z.data());
        let least = SHARPER * reduce * square;
        let mut products = 0;
        while products < PRODUCTS {
            products += 1;
            control.check_time("the search of a mode")?;
            let turned = by_root(&p);
            let moved = multiply(&turned)?;
            let mut q = by_root(&moved);
            add(&mut q, 1.0, &p);
            let bend = dot(p.data(), q.data());
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let t = square / bend;
            add(&mut d, -t, &turned);
            add(&mut sd, -t, &moved);
            add(&mut r, -t, &q);
            z = self.0.solve(&r, control)?;
            let next = dot(r.data(), z.data());
            if next.is_nan() || next <= least {
                break;
            }
            p.data_mut().iter_mut().zip(z.data()).for_each(|(p, z)| *p = z + next / square * *p);
            square = next;
        }
        Ok((d, sd, products))
    }
}

//! The linear-algebra backend of Mercer: the only crate that names it.
//!
//! The backend is generic and large; everything that Mercer uses of it is instantiated here, once, behind plain
//! functions on views, so that the library itself compiles in seconds. Results are the same for any number of threads:
//! every function but [`eigen`] runs on one, and callers cut work into blocks of a fixed size.

mod pages;
mod view;

pub use pages::prefer_large_pages;
pub use view::{View, ViewMut};

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Auto, Par, Spec};

/// Whether a product replaces what is there or is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    /// out = factor A B.
    Replace,
    /// out += factor A B.
    Add,
}

impl Into {
    fn accum(self) -> Accum {
        match self {
            Into::Replace => Accum::Replace,
            Into::Add => Accum::Add,
        }
    }
}

/// out = or += factor A B in f64.
pub fn product_f64(out: ViewMut<'_, f64>, into: Into, a: View<'_, f64>, b: View<'_, f64>, factor: f64) {
    matmul(out.0, into.accum(), a.0, b.0, factor, Par::Seq);
}

/// out = or += factor A B in f32.
pub fn product_f32(out: ViewMut<'_, f32>, into: Into, a: View<'_, f32>, b: View<'_, f32>, factor: f32) {
    matmul(out.0, into.accum(), a.0, b.0, factor, Par::Seq);
}

/// x <- L^-1 x for the lower triangle of `l`.
pub fn solve_lower(l: View<'_, f64>, x: ViewMut<'_, f64>) {
    solve_lower_triangular_in_place(l.0, x.0, Par::Seq);
}

/// x <- U^-1 x for the upper triangle of `u`.
pub fn solve_upper(u: View<'_, f64>, x: ViewMut<'_, f64>) {
    solve_upper_triangular_in_place(u.0, x.0, Par::Seq);
}

/// A = L L' in place of the lower triangle; what stands above it is overwritten. On failure the row of the pivot that
/// is not above 0.
pub fn cholesky(a: ViewMut<'_, f64>) -> Result<(), usize> {
    let size = a.0.nrows();
    let params: Spec<LltParams, f64> = <LltParams as Auto<f64>>::auto().into();
    let mut memory = MemBuffer::try_new(cholesky_in_place_scratch::<f64>(size, Par::Seq, params)).map_err(|_| 0usize)?;
    cholesky_in_place(a.0, LltRegularization::default(), Par::Seq, MemStack::new(&mut memory), params)
        .map(|_| ())
        .map_err(|LltError::NonPositivePivot { index }| index)
}

/// Parts of an eigendecomposition that may be computed at the same time.
const EIGEN_PARTS: usize = 4;

/// Eigenvalues (ascending) and eigenvectors (columns) of the symmetric matrix in the lower triangle of `a`; `false`
/// where the iteration does not converge or there is no memory for its work space. The work is cut into the same parts
/// whatever the number of threads that take them.
pub fn eigen(a: View<'_, f64>, values: &mut [f64], vectors: ViewMut<'_, f64>) -> bool {
    let parts = Par::rayon(EIGEN_PARTS);
    let scratch = self_adjoint_evd_scratch::<f64>(a.0.nrows(), ComputeEigenvectors::Yes, parts, Default::default());
    let Ok(mut memory) = MemBuffer::try_new(scratch) else { return false };
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a.0, DiagMut::from_slice_mut(values), Some(vectors.0), parts, stack, Default::default()).is_ok()
}

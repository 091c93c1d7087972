//! The linear-algebra backend of Mercer: the only crate that names it.
//!
//! The backend is generic and large; everything that Mercer uses of it is instantiated here, once, behind plain
//! functions on views, so that the library itself compiles in seconds. Results are the same for any number of threads:
//! every function but [`tridiagonal_eigen`] runs on one, and callers cut work into blocks of a fixed size.

mod count;
mod pages;
mod view;

pub use count::count;
#[cfg(feature = "testkit")]
pub use count::counted;
pub use pages::{give_back, prefer_large_pages};
pub use view::{View, ViewMut};

use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd};
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

/// A precision that products, triangular solves and factors exist in: f64 or f32. Use the functions of the same names.
pub trait Precision: Sized {
    /// See [`product`].
    fn product(out: ViewMut<'_, Self>, into: Into, a: View<'_, Self>, b: View<'_, Self>, factor: f64);
    /// See [`solve_lower`].
    fn solve_lower(l: View<'_, Self>, x: ViewMut<'_, Self>);
    /// See [`solve_upper`].
    fn solve_upper(u: View<'_, Self>, x: ViewMut<'_, Self>);
    /// See [`cholesky`].
    ///
    /// # Errors
    /// The row of the pivot that is not above 0.
    fn cholesky(a: ViewMut<'_, Self>) -> Result<(), usize>;
}

macro_rules! precision {
    ($number:ty) => {
        impl Precision for $number {
            fn product(out: ViewMut<'_, Self>, into: Into, a: View<'_, Self>, b: View<'_, Self>, factor: f64) {
                matmul(out.0, into.accum(), a.0, b.0, factor as $number, Par::Seq);
            }
            fn solve_lower(l: View<'_, Self>, x: ViewMut<'_, Self>) {
                solve_lower_triangular_in_place(l.0, x.0, Par::Seq);
            }
            fn solve_upper(u: View<'_, Self>, x: ViewMut<'_, Self>) {
                solve_upper_triangular_in_place(u.0, x.0, Par::Seq);
            }
            fn cholesky(a: ViewMut<'_, Self>) -> Result<(), usize> {
                let size = a.0.nrows();
                let params: Spec<LltParams, $number> = <LltParams as Auto<$number>>::auto().into();
                let mut memory = MemBuffer::try_new(cholesky_in_place_scratch::<$number>(size, Par::Seq, params)).map_err(|_| 0usize)?;
                cholesky_in_place(a.0, LltRegularization::default(), Par::Seq, MemStack::new(&mut memory), params)
                    .map(|_| ())
                    .map_err(|LltError::NonPositivePivot { index }| index)
            }
        }
    };
}
precision!(f64);
precision!(f32);

/// Counts operations in a precision, of which twice as many in f32 take the time of those in f64.
fn count_of<T>(operations: usize) {
    count(operations * size_of::<T>() / size_of::<f64>());
}

/// out = or += factor A B.
pub fn product<T: Precision>(out: ViewMut<'_, T>, into: Into, a: View<'_, T>, b: View<'_, T>, factor: f64) {
    count_of::<T>(2 * a.0.nrows() * a.0.ncols() * b.0.ncols());
    T::product(out, into, a, b, factor);
}

/// x <- L^-1 x for the lower triangle of `l`.
pub fn solve_lower<T: Precision>(l: View<'_, T>, x: ViewMut<'_, T>) {
    count_of::<T>(x.0.nrows() * x.0.nrows() * x.0.ncols());
    T::solve_lower(l, x);
}

/// x <- U^-1 x for the upper triangle of `u`.
pub fn solve_upper<T: Precision>(u: View<'_, T>, x: ViewMut<'_, T>) {
    count_of::<T>(x.0.nrows() * x.0.nrows() * x.0.ncols());
    T::solve_upper(u, x);
}

/// A = L L' in place of the lower triangle; what stands above it is overwritten. On failure the row of the pivot that
/// is not above 0.
///
/// # Errors
/// The row of the pivot that is not above 0.
pub fn cholesky<T: Precision>(a: ViewMut<'_, T>) -> Result<(), usize> {
    count_of::<T>(a.0.nrows().pow(3) / 3);
    T::cholesky(a)
}

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric tridiagonal matrix, from its diagonal and what stands
/// beside it; `false` where the iteration does not converge or there is no memory for its work space. The work is cut into the
/// same parts whatever the number of threads that take them.
pub fn tridiagonal_eigen(diagonal: &[f64], beside: &[f64], values: &mut [f64], vectors: ViewMut<'_, f64>) -> bool {
    // Parts of an eigendecomposition that may be computed at the same time.
    const EIGEN_PARTS: usize = 4;
    let (n, parts) = (diagonal.len(), Par::rayon(EIGEN_PARTS));
    // Divide and conquer: products of blocks of vectors, 4/3 n^3 where nothing deflates (Demmel, Applied Numerical Linear Algebra, 5.3.3).
    count(4 * n.pow(3) / 3);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, parts, Default::default());
    let Ok(mut memory) = MemBuffer::try_new(scratch) else { return false };
    // The backend reads as many numbers beside the diagonal as on it.
    let beside: Vec<f64> = beside.iter().copied().chain([0.0]).take(n).collect();
    let (diagonal, beside) = (DiagRef::from_slice(diagonal), DiagRef::from_slice(&beside));
    let (stack, values) = (MemStack::new(&mut memory), DiagMut::from_slice_mut(values));
    tridiagonal_self_adjoint_evd(diagonal, beside, values, Some(vectors.0), parts, stack, Default::default()).is_ok()
}

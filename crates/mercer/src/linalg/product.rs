//! Matrix products on slices and windows, row-major, in f64 and f32.

use crate::gram::{Block, exp32, exp64};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::{Add, Div, Mul, Sub};

mod sealed {
    /// Only f64 and f32 are numbers of a tile.
    pub trait Sealed: faer::traits::ComplexField {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

/// A number of a tile: f64 or f32.
pub trait Real:
    sealed::Sealed
    + Copy
    + Send
    + Sync
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + 'static
{
    /// Rounded from f64.
    fn from_f64(x: f64) -> Self;
    /// Widened to f64.
    fn to_f64(self) -> f64;
    /// self * b + c, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// e^self.
    fn exponential<const FMA: bool>(self) -> Self;
    /// Square root.
    fn root(self) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn exponential<const FMA: bool>(self) -> Self {
        exp64::<FMA>(self)
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn exponential<const FMA: bool>(self) -> Self {
        exp32::<FMA>(self)
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// out = A B' for A (rows x dim) and B (cols x dim), both row after row. One thread: callers run tiles in parallel.
pub(crate) fn product_abt<T: Real>(a: &[T], b: &[T], dim: usize, mut out: Block<'_, T>) {
    let (m, n, stride) = (out.rows(), out.cols(), out.stride());
    assert!(a.len() >= m * dim && b.len() >= n * dim);
    let a = MatRef::from_row_major_slice(&a[..m * dim], m, dim);
    let b = MatRef::from_row_major_slice(&b[..n * dim], n, dim);
    // SAFETY: the block promises that its window is valid and its own.
    let out = unsafe { MatMut::from_raw_parts_mut(out.as_mut_ptr(), m, n, stride as isize, 1) };
    matmul(out, Accum::Replace, a, b.transpose(), T::from_f64(1.0), Par::Seq);
}

/// out += A B for A (m x k), B (k x n), all row after row. One thread.
pub(crate) fn add_product(a: &[f64], b: &[f64], out: &mut [f64], m: usize, k: usize, n: usize) {
    let a = MatRef::from_row_major_slice(&a[..m * k], m, k);
    let b = MatRef::from_row_major_slice(&b[..k * n], k, n);
    matmul(MatMut::from_row_major_slice_mut(&mut out[..m * n], m, n), Accum::Add, a, b, 1.0, Par::Seq);
}

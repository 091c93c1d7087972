//! The two precisions of a tile.

use crate::gram::{exp32, exp64};
use mercer_linalg::{Into, View, ViewMut};
use std::ops::{Add, Div, Mul, Sub};

mod sealed {
    /// Only f64 and f32 are numbers of a tile.
    pub trait Sealed {}
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
    /// out = A B, by one thread.
    fn product(out: ViewMut<'_, Self>, a: View<'_, Self>, b: View<'_, Self>);
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
    fn product(out: ViewMut<'_, Self>, a: View<'_, Self>, b: View<'_, Self>) {
        mercer_linalg::product_f64(out, Into::Replace, a, b, 1.0);
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
    fn product(out: ViewMut<'_, Self>, a: View<'_, Self>, b: View<'_, Self>) {
        mercer_linalg::product_f32(out, Into::Replace, a, b, 1.0);
    }
}

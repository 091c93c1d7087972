//! The two precisions of a tile.

use super::exponential::{exp_less_one64, exp32, exp64};
use mercer_linalg::Precision;
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
    + Precision
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
    /// e^self - 1.
    fn exponential_less_one<const FMA: bool>(self) -> Self;
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
    fn exponential_less_one<const FMA: bool>(self) -> Self {
        exp_less_one64::<FMA>(self)
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
    fn exponential_less_one<const FMA: bool>(self) -> Self {
        exp_less_one64::<FMA>(f64::from(self)) as f32
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

//! Vectorised maps over rows of a tile, compiled once per instruction set and picked at run time.
//!
//! A map is a small struct with an `#[inline(always)]` function of one number, so that the loop around
//! it can be compiled with AVX2 or AVX-512 whatever the build target is (a closure would not be inlined there).

use crate::linalg::Real;
use std::sync::OnceLock;

/// A function applied to every value of a tile.
pub trait Map: Copy + Send + Sync {
    /// The function; implementations are `#[inline(always)]`. `FMA` says whether fused multiply-add is one instruction.
    fn at<T: Real, const FMA: bool>(self, x: T) -> T;
}

/// The values as they are.
#[derive(Clone, Copy)]
pub struct Identity;

impl Map for Identity {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        x
    }
}

/// Instruction sets with a compiled copy of each loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every processor of the target has.
    Base,
    Avx2,
    Avx512,
}

/// The best one here.
#[inline]
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let fma = is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl");
    if fma && avx512 {
        Level::Avx512
    } else if fma && is_x86_feature_detected!("avx2") {
        Level::Avx2
    } else {
        Level::Base
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Base
}

/// Defines `name(args)` as a run-time choice between copies of an inlined `body::<T, .., FMA>(args)`.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident, $body:ident, <$($g:ident: $bound:path),*>, ($($arg:ident: $t:ty),*) -> $ret:ty) => {
        $(#[$doc])*
        pub(crate) fn $name<$($g: $bound),*>($($arg: $t),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$($g,)* true>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
                fn avx512<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$($g,)* true>($($arg),*)
                }
                // SAFETY: called only where the features were detected.
                unsafe {
                    match level() {
                        Level::Avx512 => return avx512($($arg),*),
                        Level::Avx2 => return avx2($($arg),*),
                        Level::Base => {}
                    }
                }
            }
            $body::<$($g,)* false>($($arg),*)
        }
    };
}

dispatch! {
    /// x <- map(x).
    map_row, map_body, <T: Real, M: Map>, (row: &mut [T], map: M) -> ()
}
dispatch! {
    /// Inner products become squared distances, max(0, norms_j + norm - 2 x_j). Returns whether one of them is so
    /// small beside the norms that cancellation has eaten its digits: below `floor` times their sum.
    sqdist_row, sqdist_body, <T: Real>, (row: &mut [T], norms: &[T], norm: T, floor: T) -> bool
}
dispatch! {
    /// sum_j at(a_j, b_j).
    sum_pairs, sum_body, <T: Real, R: Pairwise>, (a: &[T], b: &[T], pair: R) -> T
}

dispatch! {
    /// y <- y + a x.
    axpy, axpy_body, <T: Real>, (a: T, x: &[T], y: &mut [T]) -> ()
}

/// A function of two numbers whose sum over coordinates compares two points.
pub(crate) trait Pairwise: Copy {
    /// The function; implementations are `#[inline(always)]`.
    fn at<T: Real>(self, x: T, z: T) -> T;
}

#[derive(Clone, Copy)]
struct Absolute;
impl Pairwise for Absolute {
    #[inline(always)]
    fn at<T: Real>(self, x: T, z: T) -> T {
        absolute(x - z)
    }
}

#[derive(Clone, Copy)]
struct ChiSquared;
impl Pairwise for ChiSquared {
    #[inline(always)]
    fn at<T: Real>(self, x: T, z: T) -> T {
        let (difference, sum) = (x - z, x + z);
        let zero = T::from_f64(0.0);
        let quotient = difference * difference / if sum > zero { sum } else { T::from_f64(1.0) };
        if sum > zero { quotient } else { zero }
    }
}

#[derive(Clone, Copy)]
struct Product;
impl Pairwise for Product {
    #[inline(always)]
    fn at<T: Real>(self, x: T, z: T) -> T {
        x * z
    }
}

/// sum_j a_j b_j.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    sum_pairs(a, b, Product)
}

/// sum_j |a_j - b_j|.
pub(crate) fn l1_distance<T: Real>(a: &[T], b: &[T]) -> T {
    sum_pairs(a, b, Absolute)
}

/// sum_j (a_j - b_j)^2 / (a_j + b_j) of numbers of 0 or above, with 0/0 = 0.
pub(crate) fn chi_squared_distance<T: Real>(a: &[T], b: &[T]) -> T {
    sum_pairs(a, b, ChiSquared)
}

#[inline(always)]
fn map_body<T: Real, M: Map, const FMA: bool>(row: &mut [T], map: M) {
    for v in row {
        *v = map.at::<T, FMA>(*v);
    }
}

#[inline(always)]
fn sqdist_body<T: Real, const FMA: bool>(row: &mut [T], norms: &[T], norm: T, floor: T) -> bool {
    let zero = T::from_f64(0.0);
    let minus_two = T::from_f64(-2.0);
    // Bits are joined, not minima: a minimum of floating point numbers would keep the loop from running in vectors.
    let mut near = 0u32;
    for (v, &n) in row.iter_mut().zip(norms) {
        let sum = n + norm;
        let d = fma::<T, FMA>(minus_two, *v, sum);
        near |= u32::from(d <= floor * sum);
        *v = if d > zero { d } else { zero };
    }
    near != 0
}

/// Sixteen running sums, so that the order of addition does not depend on the instruction set.
#[inline(always)]
fn sum_body<T: Real, R: Pairwise, const FMA: bool>(a: &[T], b: &[T], pair: R) -> T {
    let zero = T::from_f64(0.0);
    let mut sums = [zero; 16];
    let (pa, pb) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest = pa.remainder().iter().zip(pb.remainder());
    for (ca, cb) in pa.zip(pb) {
        for k in 0..16 {
            sums[k] = sums[k] + pair.at(ca[k], cb[k]);
        }
    }
    let tail = rest.fold(zero, |s, (&x, &z)| s + pair.at(x, z));
    sums.iter().fold(tail, |s, &x| s + x)
}

#[inline(always)]
fn axpy_body<T: Real, const FMA: bool>(a: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = fma::<T, FMA>(a, *x, *y);
    }
}

#[inline(always)]
fn absolute<T: Real>(x: T) -> T {
    if x < T::from_f64(0.0) { T::from_f64(0.0) - x } else { x }
}

/// a b + c, fused where that is one instruction.
#[inline(always)]
pub(crate) fn fma<T: Real, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { a.fused(b, c) } else { a * b + c }
}

/// exp(x) for f64 within 1 unit in the last place; 0 below -708.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 q(r), q a Chebyshev fit of degree 9; then 2^n by exponent bits.
#[inline(always)]
pub(crate) fn exp64<const FMA: bool>(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: adding it rounds to an integer in the low bits
    const LOW: f64 = -708.0;
    const HIGH: f64 = 709.0;
    let c = if x < LOW { LOW } else { x };
    let c = if c > HIGH { HIGH } else { c };
    let t = fma::<f64, FMA>(c, std::f64::consts::LOG2_E, SHIFT);
    let n = t - SHIFT;
    let r = fma::<f64, FMA>(n, -6.931_471_803_691_238e-1, c);
    let r = fma::<f64, FMA>(n, -1.908_214_929_270_587_7e-10, r);
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let q0 = fma::<f64, FMA>(
        r2,
        fma::<f64, FMA>(r, 0.008_333_333_333_330_051, 0.041_666_666_666_623_99),
        fma::<f64, FMA>(r, 0.166_666_666_666_666_74, 0.500_000_000_000_000_1),
    );
    let q1 = fma::<f64, FMA>(
        r2,
        fma::<f64, FMA>(r, 2.755_726_837_868_419_3e-6, 2.480_152_119_021_722_8e-5),
        fma::<f64, FMA>(r, 1.984_126_986_310_597e-4, 1.388_888_891_728_179_3e-3),
    );
    let q2 = fma::<f64, FMA>(r, 2.510_042_415_700_507e-8, 2.762_013_871_973_999_6e-7);
    let q = fma::<f64, FMA>(r4, fma::<f64, FMA>(r4, q2, q1), q0);
    let p = fma::<f64, FMA>(r2, q, r) + 1.0;
    let y = f64::from_bits(p.to_bits().wrapping_add(t.to_bits() << 52));
    if x < LOW { 0.0 } else { y }
}

/// exp(x) for f32 within 1 unit in the last place; 0 below -87.
#[inline(always)]
pub(crate) fn exp32<const FMA: bool>(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23
    const LOW: f32 = -87.0;
    const HIGH: f32 = 88.0;
    let c = if x < LOW { LOW } else { x };
    let c = if c > HIGH { HIGH } else { c };
    let t = fma::<f32, FMA>(c, std::f32::consts::LOG2_E, SHIFT);
    let n = t - SHIFT;
    let r = fma::<f32, FMA>(n, -0.693_359_4, c);
    let r = fma::<f32, FMA>(n, 2.121_944_4e-4, r);
    let r2 = r * r;
    let p45 = fma::<f32, FMA>(r, 0.008_363_203, 0.041_666_554);
    let p = fma::<f32, FMA>(r2, fma::<f32, FMA>(r2, 0.001_392_621_3, p45), fma::<f32, FMA>(r, 0.166_665_77, 0.5));
    let p = fma::<f32, FMA>(r2, p, r) + 1.0;
    let y = f32::from_bits(p.to_bits().wrapping_add(t.to_bits() << 23));
    if x < LOW { 0.0 } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Exp;
    impl Map for Exp {
        #[inline(always)]
        fn at<T: Real, const FMA: bool>(self, x: T) -> T {
            x.exponential::<FMA>()
        }
    }

    #[test]
    fn exp_is_within_two_units_in_the_last_place_of_the_standard_library() {
        let xs: Vec<f64> = (0..200_000).map(|i| -700.0 + i as f64 * 0.0035).collect();
        let mut row = xs.clone();
        map_row(&mut row, Exp);
        for (x, y) in xs.iter().zip(&row) {
            assert!((y / x.exp() - 1.0).abs() <= 2.0 * f64::EPSILON, "exp({x}) = {y}");
        }
        let xs: Vec<f32> = (0..50_000).map(|i| -80.0 + i as f32 * 0.0016).collect();
        let mut row = xs.clone();
        map_row(&mut row, Exp);
        for (x, y) in xs.iter().zip(&row) {
            assert!((y / x.exp() - 1.0).abs() <= 2.0 * f32::EPSILON, "exp({x}) = {y}");
        }
    }

    #[test]
    fn exp_of_zero_is_exactly_one_and_of_very_negative_numbers_is_zero() {
        assert_eq!(exp64::<true>(0.0), 1.0);
        assert_eq!(exp64::<false>(0.0), 1.0);
        assert_eq!(exp32::<true>(0.0), 1.0);
        assert_eq!(exp64::<true>(-1e300), 0.0);
        assert_eq!(exp32::<true>(-1e30), 0.0);
    }

    #[test]
    fn distances_that_cancel_are_reported() {
        let norms = [1.0, 2.0, 5.0];
        let mut far = [0.0, 0.5, 0.1];
        assert!(!sqdist_row(&mut far, &norms, 1.0, 1e-5));
        assert_eq!(far, [2.0, 2.0, 5.8]);
        let mut near = [0.0, 0.5, 3.0];
        assert!(sqdist_row(&mut near, &norms, 1.0, 1e-5), "5 + 1 - 2*3 = 0");
    }

    #[test]
    fn l1_distance_adds_every_coordinate() {
        let a: Vec<f64> = (0..37).map(f64::from).collect();
        let b: Vec<f64> = (0..37).map(|i| f64::from(2 * i)).collect();
        assert_eq!(l1_distance(&a, &b), 666.0);
    }
}

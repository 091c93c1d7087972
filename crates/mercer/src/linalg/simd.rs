//! Vectorised maps over rows of a tile, compiled once per instruction set and picked at run time.
//!
//! A map is a small struct with an `#[inline(always)]` function of one number, so that the loop around
//! it can be compiled with AVX2 or AVX-512 whatever the build target is (a closure would not be inlined there).

use super::{Real, fma};
use std::sync::OnceLock;

/// A function applied to every value of a tile.
pub trait Map: Copy + Send + Sync {
    /// The function; implementations are `#[inline(always)]`. `FMA` says whether fused multiply-add is one instruction.
    fn at<T: Real, const FMA: bool>(self, x: T) -> T;
    /// The formula by name, for engines that have code of their own for it; `None`: only this code computes it.
    fn formula(self) -> Option<MapFormula> {
        None
    }
}

/// The formula of a [`Map`] and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFormula {
    /// Its name, the same for one formula everywhere: `gaussian`, `polynomial`, ...
    pub name: &'static str,
    /// The numbers in it, in the order that the map documents.
    pub numbers: Vec<f64>,
}

impl MapFormula {
    /// A formula with its numbers.
    pub fn new(name: &'static str, numbers: &[f64]) -> Self {
        MapFormula { name, numbers: numbers.to_vec() }
    }
}

/// The values as they are.
#[derive(Clone, Copy)]
pub struct Identity;

impl Map for Identity {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        x
    }
    /// `identity`: x.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("identity", &[]))
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
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
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

/// Defines `name(args)` as a run-time choice between copies of an inlined `body::<T, .., FMA>(args)`, which takes so many `operations`.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident, $body:ident, <$($g:ident: $bound:path),*>, ($($arg:ident: $t:ty),*) -> $ret:ty $(, operations: $count:expr)?) => {
        $(#[$doc])*
        pub(crate) fn $name<$($g: $bound),*>($($arg: $t),*) -> $ret {
            $(crate::linalg::count_passed($count);)?
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<$($g: $bound),*>($($arg: $t),*) -> $ret {
                    $body::<$($g,)* true>($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
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

pub(crate) use dispatch;

dispatch! {
    /// x <- map(x).
    map_row, map_body, <T: Real, M: Map>, (row: &mut [T], map: M) -> (), operations: 20 * row.len()
}
dispatch! {
    /// Inner products become squared distances, max(0, norms_j + norm - 2 x_j). Returns a bit for each part of the row,
    /// of [`part`] numbers: whether one of them is so small beside the norms that cancellation has eaten its digits,
    /// below `floor` times their sum.
    sqdist_row, sqdist_body, <T: Real>, (row: &mut [T], norms: &[T], norm: T, floor: T) -> u64, operations: 4 * row.len()
}
dispatch! {
    /// Whether no value is infinite or NaN.
    all_finite, finite_body, <>, (row: &[f64]) -> bool
}
dispatch! {
    /// sum_j at(a_j, b_j).
    sum_pairs, sum_body, <T: Real, R: Pairwise>, (a: &[T], b: &[T], pair: R) -> T, operations: 2 * a.len()
}

/// Rows that are read together.
pub(super) const TOGETHER: usize = 8;

dispatch! {
    /// Inner products of rows with x.
    dot_rows, dot_rows_body, <T: Real>, (rows: [&[T]; TOGETHER], x: &[T]) -> [T; TOGETHER], operations: 2 * TOGETHER * x.len()
}
dispatch! {
    /// Inner products of rows with x, and sum <- sum + the factors times the rows: both products with a part of a symmetric matrix,
    /// which is read once.
    dot_and_add_rows, dot_and_add_rows_body, <>, (rows: [&[f64]; 8], x: &[f64], sum: &mut [f64], factors: [f64; 8]) -> [f64; 8], operations: 32 * x.len()
}
dispatch! {
    /// sum <- sum + the factors times the rows.
    add_rows, add_rows_body, <T: Real>, (sum: &mut [f64], rows: [&[T]; 8], factors: [T; 8]) -> (), operations: 16 * sum.len()
}
dispatch! {
    /// y <- y + a x.
    axpy, axpy_body, <T: Real>, (a: T, x: &[T], y: &mut [T]) -> (), operations: 2 * x.len()
}

dispatch! {
    /// (x, y) <- (c x + s y, c y - s x).
    rotate, rotate_body, <T: Real>, (c: T, s: T, x: &mut [T], y: &mut [T]) -> (), operations: 6 * x.len()
}

dispatch! {
    /// sum_j a_j b_j, added up in f64.
    dot_wide, dot_wide_body, <T: Real>, (a: &[T], b: &[f64]) -> f64, operations: 2 * a.len()
}
dispatch! {
    /// y <- y + a x, in f64.
    axpy_wide, axpy_wide_body, <T: Real>, (a: f64, x: &[T], y: &mut [f64]) -> (), operations: 2 * x.len()
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
struct Square;
impl Pairwise for Square {
    #[inline(always)]
    fn at<T: Real>(self, x: T, z: T) -> T {
        (x - z) * (x - z)
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
struct Lesser;
impl Pairwise for Lesser {
    #[inline(always)]
    fn at<T: Real>(self, x: T, z: T) -> T {
        if x < z { x } else { z }
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

/// sum_j (a_j - b_j)^2.
pub(crate) fn squared_distance<T: Real>(a: &[T], b: &[T]) -> T {
    sum_pairs(a, b, Square)
}

/// sum_j min(a_j, b_j).
pub(crate) fn sum_of_minima<T: Real>(a: &[T], b: &[T]) -> T {
    sum_pairs(a, b, Lesser)
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

/// Numbers of a row that one bit of [`sqdist_row`] stands for.
pub(crate) fn part(len: usize) -> usize {
    len.div_ceil(64).max(32)
}

#[inline(always)]
fn sqdist_body<T: Real, const FMA: bool>(row: &mut [T], norms: &[T], norm: T, floor: T) -> u64 {
    let (zero, minus_two, size) = (T::from_f64(0.0), T::from_f64(-2.0), part(row.len()));
    let mut found = 0;
    for (bit, (row, norms)) in row.chunks_mut(size).zip(norms.chunks(size)).enumerate() {
        // Bits are joined, not minima: a minimum of floating point numbers would keep the loop from running in vectors.
        let mut near = 0u32;
        for (v, &n) in row.iter_mut().zip(norms) {
            let sum = n + norm;
            let d = fma::<T, FMA>(minus_two, *v, sum);
            near |= u32::from(d <= floor * sum);
            *v = if d > zero { d } else { zero };
        }
        found |= u64::from(near != 0) << bit;
    }
    found
}

#[inline(always)]
fn finite_body<const FMA: bool>(row: &[f64]) -> bool {
    // The greatest exponent, over bits without a sign: a maximum of floating point numbers would not tell NaN.
    const EXPONENT: u64 = 0x7ff << 52;
    row.iter().fold(0, |most, v| (v.to_bits() & EXPONENT).max(most)) < EXPONENT
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
    if a.len() < sums.len() { tail } else { sums.iter().fold(tail, |s, &x| s + x) }
}

#[inline(always)]
fn dot_rows_body<T: Real, const FMA: bool>(rows: [&[T]; 8], x: &[T]) -> [T; 8] {
    let n = x.len();
    let (rows, whole) = (rows.map(|row| &row[..n]), n - n % 8);
    let mut dots = [[T::default(); 8]; 8];
    for k in (0..whole).step_by(8) {
        // Slices, whose lengths the compiler knows; of chunks in arrays it keeps no sum in registers.
        let x = &x[k..k + 8];
        for q in 0..8 {
            let row = &rows[q][k..k + 8];
            for l in 0..8 {
                dots[q][l] = fma::<T, FMA>(row[l], x[l], dots[q][l]);
            }
        }
    }
    std::array::from_fn(|q| {
        let rest = rows[q][whole..].iter().zip(&x[whole..]).fold(T::default(), |s, (r, x)| s + *r * *x);
        dots[q].iter().fold(rest, |s, v| s + *v)
    })
}

#[inline(always)]
fn dot_and_add_rows_body<const FMA: bool>(rows: [&[f64]; 8], x: &[f64], sum: &mut [f64], factors: [f64; 8]) -> [f64; 8] {
    let n = x.len();
    let (rows, whole) = (rows.map(|row| &row[..n]), n - n % 8);
    let mut dots = [[0.0; 8]; 8];
    for k in (0..whole).step_by(8) {
        let (x, mut added) = (&x[k..k + 8], [0.0; 8]);
        for q in 0..8 {
            let row = &rows[q][k..k + 8];
            for l in 0..8 {
                dots[q][l] = fma::<f64, FMA>(row[l], x[l], dots[q][l]);
            }
            for l in 0..8 {
                added[l] = fma::<f64, FMA>(row[l], factors[q], added[l]);
            }
        }
        sum[k..k + 8].iter_mut().zip(added).for_each(|(s, a)| *s += a);
    }
    let mut out = dots.map(|d| d.iter().sum());
    for k in whole..n {
        for q in 0..8 {
            out[q] += rows[q][k] * x[k];
            sum[k] += factors[q] * rows[q][k];
        }
    }
    out
}

#[inline(always)]
fn add_rows_body<T: Real, const FMA: bool>(sum: &mut [f64], rows: [&[T]; 8], factors: [T; 8]) {
    let n = sum.len();
    let rows = rows.map(|r| &r[..n]);
    for k in 0..n {
        let mut s = factors[0] * rows[0][k];
        for q in 1..8 {
            s = fma::<T, FMA>(factors[q], rows[q][k], s);
        }
        sum[k] += s.to_f64();
    }
}

#[inline(always)]
fn axpy_body<T: Real, const FMA: bool>(a: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = fma::<T, FMA>(a, *x, *y);
    }
}

#[inline(always)]
fn rotate_body<T: Real, const FMA: bool>(c: T, s: T, x: &mut [T], y: &mut [T]) {
    for (x, y) in x.iter_mut().zip(y) {
        let (a, b) = (*x, *y);
        (*x, *y) = (fma::<T, FMA>(c, a, s * b), c * b - s * a);
    }
}

#[inline(always)]
fn dot_wide_body<T: Real, const FMA: bool>(a: &[T], b: &[f64]) -> f64 {
    let mut sums = [0.0; 16];
    let (pa, pb) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest = pa.remainder().iter().zip(pb.remainder());
    for (ca, cb) in pa.zip(pb) {
        for k in 0..16 {
            sums[k] += ca[k].to_f64() * cb[k];
        }
    }
    let tail = rest.fold(0.0, |s, (x, z)| s + x.to_f64() * z);
    sums.iter().fold(tail, |s, &x| s + x)
}

#[inline(always)]
fn axpy_wide_body<T: Real, const FMA: bool>(a: f64, x: &[T], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = fma::<f64, FMA>(a, x.to_f64(), *y);
    }
}

#[inline(always)]
fn absolute<T: Real>(x: T) -> T {
    if x < T::from_f64(0.0) { T::from_f64(0.0) - x } else { x }
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
    fn distances_that_cancel_are_reported() {
        let norms = [1.0, 2.0, 5.0];
        let mut far = [0.0, 0.5, 0.1];
        assert_eq!(sqdist_row(&mut far, &norms, 1.0, 1e-5), 0);
        assert_eq!(far, [2.0, 2.0, 5.8]);
        let mut near = [0.0, 0.5, 3.0];
        assert_eq!(sqdist_row(&mut near, &norms, 1.0, 1e-5), 1, "5 + 1 - 2*3 = 0");
        for len in [33, 500, 5000] {
            let mut row = vec![0.0; len];
            row[len - 1] = 1.0;
            assert_eq!(sqdist_row(&mut row, &vec![1.0; len], 1.0, 1e-5), 1 << ((len - 1) / part(len)));
        }
    }

    #[test]
    fn l1_distance_adds_every_coordinate() {
        let a: Vec<f64> = (0..37).map(f64::from).collect();
        let b: Vec<f64> = (0..37).map(|i| f64::from(2 * i)).collect();
        assert_eq!(l1_distance(&a, &b), 666.0);
    }
}

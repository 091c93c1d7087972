//! Eight numbers side by side: what recursions over the letters of eight pairs of strings, and over the times of eight pairs of series,
//! are written in.
//!
//! The compiler splits arrays of eight loop-carried numbers into registers of odd widths (.31 ns a cell of a recursion, against .05), so
//! that the registers are named here: AVX-512, AVX2, and plain arrays for every other processor.

/// How many numbers.
pub(crate) const LANES: usize = 8;

/// A letter of each of eight strings, as numbers.
pub(crate) type Letters = [u32; LANES];

/// Eight numbers. A value is proof that the processor has the instructions: only the unsafe functions make one out of nothing.
pub(crate) trait Octet: Copy {
    /// Which lanes are chosen.
    type Mask: Copy;
    /// Recursions of three numbers each that fit into registers side by side, at most 4.
    const RECURSIONS: usize;

    /// One number in every lane.
    ///
    /// # Safety
    /// The processor has the instructions of this type.
    unsafe fn splat(x: f64) -> Self;
    /// # Safety
    /// The processor has the instructions of this type.
    unsafe fn load(from: &[f64; LANES]) -> Self;
    /// The lanes in which two letters are equal.
    ///
    /// # Safety
    /// The processor has the instructions of this type.
    unsafe fn equal(x: &Letters, z: &Letters) -> Self::Mask;
    /// `table[x + z]` in every lane.
    ///
    /// # Safety
    /// The processor has the instructions of this type, and every x + z is a place of the table.
    unsafe fn lookup(table: &[f64], x: &Letters, z: &Letters) -> Self;
    fn store(self, to: &mut [f64; LANES]);
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    /// self * b + c.
    fn fused(self, b: Self, c: Self) -> Self;
    /// The numbers of the chosen lanes, 0 in the others.
    fn chosen(self, mask: Self::Mask) -> Self;
    /// self * 2^by, for whole numbers `by`, of at most 1023 where self is not 0; 0 where that is less than a number holds.
    fn scaled(self, by: Self) -> Self;
    /// The exponents of numbers of 0 or above in the base 2, rounded down; below -1e9 of 0.
    fn exponent(self) -> Self;
}

/// Defines `name(args)` as a run-time choice between copies of an inlined unsafe `body::<octet>(args)`.
macro_rules! by_octets {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $t:ty),* $(,)?)) => {
        $(#[$doc])*
        fn $name($($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            {
                use crate::linalg::simd::{Level, level};
                use std::arch::x86_64::{__m256d, __m512d};
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $t),*) {
                    // SAFETY: this function runs only where the instructions are there.
                    unsafe { $body::<[__m256d; 2]>($($arg),*) }
                }
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
                fn avx512($($arg: $t),*) {
                    // SAFETY: this function runs only where the instructions are there.
                    unsafe { $body::<__m512d>($($arg),*) }
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
            // SAFETY: every processor has plain arrays.
            unsafe { $body::<[f64; $crate::kernels::sequences::parts::octet::LANES]>($($arg),*) }
        }
    };
}
pub(crate) use by_octets;

/// Functions of plain arrays, number by number.
macro_rules! zips {
    ($($name:ident |$x:ident, $y:ident| $value:expr),*) => {$(
        #[inline(always)]
        fn $name(self, b: Self) -> Self {
            let mut out = self;
            out.iter_mut().zip(b).for_each(|(out, $y)| {
                let $x = *out;
                *out = $value;
            });
            out
        }
    )*};
}

impl Octet for [f64; LANES] {
    type Mask = [bool; LANES];
    const RECURSIONS: usize = 1;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        [x; LANES]
    }
    #[inline(always)]
    unsafe fn load(from: &[f64; LANES]) -> Self {
        *from
    }
    #[inline(always)]
    unsafe fn equal(x: &Letters, z: &Letters) -> Self::Mask {
        std::array::from_fn(|l| x[l] == z[l])
    }
    #[inline(always)]
    unsafe fn lookup(table: &[f64], x: &Letters, z: &Letters) -> Self {
        std::array::from_fn(|l| table[(x[l] + z[l]) as usize])
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        *to = self;
    }
    zips!(add | x, y | x + y, sub | x, y | x - y, mul | x, y | x * y, div | x, y | x / y, max | x, y | if x > y { x } else { y });
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    #[inline(always)]
    fn chosen(self, mask: Self::Mask) -> Self {
        std::array::from_fn(|l| if mask[l] { self[l] } else { 0.0 })
    }
    #[inline(always)]
    fn scaled(self, by: Self) -> Self {
        std::array::from_fn(|l| self[l] * f64::from_bits(((by[l].clamp(-1023.0, 1023.0) + 1023.0) as u64) << 52))
    }
    #[inline(always)]
    fn exponent(self) -> Self {
        std::array::from_fn(|l| if self[l] > 0.0 { ((self[l].to_bits() >> 52) as f64) - 1023.0 } else { -1e10 })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Letters, Octet};
    use std::arch::x86_64::*;

    impl Octet for __m512d {
        type Mask = __mmask8;
        const RECURSIONS: usize = 4;

        #[inline(always)]
        unsafe fn splat(x: f64) -> Self {
            // SAFETY: promised by the caller.
            unsafe { _mm512_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn load(from: &[f64; LANES]) -> Self {
            // SAFETY: promised by the caller; the array holds eight numbers.
            unsafe { _mm512_loadu_pd(from.as_ptr()) }
        }
        #[inline(always)]
        unsafe fn equal(x: &Letters, z: &Letters) -> Self::Mask {
            // SAFETY: promised by the caller; the arrays hold eight letters.
            unsafe { _mm256_cmpeq_epi32_mask(_mm256_loadu_si256(x.as_ptr().cast()), _mm256_loadu_si256(z.as_ptr().cast())) }
        }
        #[inline(always)]
        unsafe fn lookup(table: &[f64], x: &Letters, z: &Letters) -> Self {
            // SAFETY: promised by the caller.
            unsafe {
                let at = _mm256_add_epi32(_mm256_loadu_si256(x.as_ptr().cast()), _mm256_loadu_si256(z.as_ptr().cast()));
                _mm512_i32gather_pd::<8>(at, table.as_ptr())
            }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64; LANES]) {
            // SAFETY: a value of this type is proof of the instructions; so it is below.
            unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self) }
        }
        #[inline(always)]
        fn add(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_add_pd(self, b) }
        }
        #[inline(always)]
        fn sub(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_sub_pd(self, b) }
        }
        #[inline(always)]
        fn mul(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_mul_pd(self, b) }
        }
        #[inline(always)]
        fn div(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_div_pd(self, b) }
        }
        #[inline(always)]
        fn max(self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_max_pd(self, b) }
        }
        #[inline(always)]
        fn fused(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_fmadd_pd(self, b, c) }
        }
        #[inline(always)]
        fn chosen(self, mask: Self::Mask) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_maskz_mov_pd(mask, self) }
        }
        #[inline(always)]
        fn scaled(self, by: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_scalef_pd(self, by) }
        }
        #[inline(always)]
        fn exponent(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_max_pd(_mm512_getexp_pd(self), _mm512_set1_pd(-1e10)) }
        }
    }

    /// 2^52.
    const TWO_52: f64 = 4_503_599_627_370_496.0;

    /// Both halves of two registers.
    macro_rules! halves {
        ($($name:ident $call:ident),*) => {$(
            #[inline(always)]
            fn $name(self, b: Self) -> Self {
                // SAFETY: a value of this type is proof of the instructions.
                unsafe { [$call(self[0], b[0]), $call(self[1], b[1])] }
            }
        )*};
    }

    impl Octet for [__m256d; 2] {
        type Mask = [__m256d; 2];
        const RECURSIONS: usize = 1;

        #[inline(always)]
        unsafe fn splat(x: f64) -> Self {
            // SAFETY: promised by the caller.
            unsafe { [_mm256_set1_pd(x); 2] }
        }
        #[inline(always)]
        unsafe fn load(from: &[f64; LANES]) -> Self {
            // SAFETY: promised by the caller; the array holds eight numbers.
            unsafe { [_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))] }
        }
        #[inline(always)]
        unsafe fn equal(x: &Letters, z: &Letters) -> Self::Mask {
            // SAFETY: promised by the caller; the arrays hold eight letters.
            unsafe {
                let same = _mm256_cmpeq_epi32(_mm256_loadu_si256(x.as_ptr().cast()), _mm256_loadu_si256(z.as_ptr().cast()));
                let wide = |half: __m128i| _mm256_castsi256_pd(_mm256_cvtepi32_epi64(half));
                [wide(_mm256_castsi256_si128(same)), wide(_mm256_extracti128_si256::<1>(same))]
            }
        }
        #[inline(always)]
        unsafe fn lookup(table: &[f64], x: &Letters, z: &Letters) -> Self {
            // SAFETY: promised by the caller.
            unsafe {
                let at = _mm256_add_epi32(_mm256_loadu_si256(x.as_ptr().cast()), _mm256_loadu_si256(z.as_ptr().cast()));
                let (low, high) = (_mm256_castsi256_si128(at), _mm256_extracti128_si256::<1>(at));
                [_mm256_i32gather_pd::<8>(table.as_ptr(), low), _mm256_i32gather_pd::<8>(table.as_ptr(), high)]
            }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64; LANES]) {
            // SAFETY: a value of this type is proof of the instructions; the array holds eight numbers.
            unsafe {
                _mm256_storeu_pd(to.as_mut_ptr(), self[0]);
                _mm256_storeu_pd(to.as_mut_ptr().add(4), self[1]);
            }
        }
        halves!(add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd, div _mm256_div_pd, max _mm256_max_pd, chosen _mm256_and_pd);
        #[inline(always)]
        fn fused(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            unsafe { [_mm256_fmadd_pd(self[0], b[0], c[0]), _mm256_fmadd_pd(self[1], b[1], c[1])] }
        }
        #[inline(always)]
        fn scaled(self, by: Self) -> Self {
            // SAFETY: as above. Whole numbers added to 2^52 stand in the last bits.
            unsafe {
                let power = |by: __m256d| {
                    let by = _mm256_min_pd(_mm256_max_pd(by, _mm256_set1_pd(-1023.0)), _mm256_set1_pd(1023.0));
                    let biased = _mm256_add_pd(by, _mm256_set1_pd(TWO_52 + 1023.0));
                    _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(biased)))
                };
                [_mm256_mul_pd(self[0], power(by[0])), _mm256_mul_pd(self[1], power(by[1]))]
            }
        }
        #[inline(always)]
        fn exponent(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let of = |x: __m256d| {
                    let bits = _mm256_srli_epi64::<52>(_mm256_castpd_si256(x));
                    let biased = _mm256_or_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(TWO_52));
                    let exponent = _mm256_sub_pd(biased, _mm256_set1_pd(TWO_52 + 1023.0));
                    _mm256_blendv_pd(exponent, _mm256_set1_pd(-1e10), _mm256_cmp_pd::<_CMP_EQ_OQ>(x, _mm256_setzero_pd()))
                };
                [of(self[0]), of(self[1])]
            }
        }
    }
}

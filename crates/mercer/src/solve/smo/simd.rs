//! Numbers side by side in a register: what the passes of the pair solver are written in.
//!
//! Loops that carry the place of a maximum are not vectorised by the compiler, so that the registers are named here:
//! AVX-512, AVX2, and plain arrays for every other processor.

use crate::linalg::Real;

/// Some numbers side by side. A value is proof that the processor has the instructions: only the two unsafe
/// functions make one out of nothing.
pub(super) trait Lanes: Copy {
    type Number: Real;
    /// How many.
    const COUNT: usize;

    /// One number in every lane.
    ///
    /// # Safety
    /// The processor has the instructions of this type.
    unsafe fn splat(x: Self::Number) -> Self;
    /// # Safety
    /// The processor has the instructions of this type, and `COUNT` numbers may be read.
    unsafe fn load(from: *const Self::Number) -> Self;
    /// # Safety
    /// `COUNT` numbers may be written.
    unsafe fn store(self, to: *mut Self::Number);
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    /// self * b + c.
    fn fused(self, b: Self, c: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    /// Where a > b what stands in x, elsewhere what stands in y.
    fn pick<const W: usize>(a: Self, b: Self, x: [Self; W], y: [Self; W]) -> [Self; W];
    /// The greatest number and where it stands, the first of equals; COUNT for none but NaN.
    fn greatest(self) -> (Self::Number, usize);
}

/// Eight numbers for processors without a type of their own.
#[derive(Clone, Copy)]
pub(super) struct Plain<T>([T; 8]);

/// Functions of two registers, number by number.
macro_rules! zips {
    ($($name:ident |$x:ident, $y:ident| $value:expr),*) => {$(
        #[inline(always)]
        fn $name(self, b: Self) -> Self {
            let mut out = self.0;
            out.iter_mut().zip(b.0).for_each(|(out, $y)| {
                let $x = *out;
                *out = $value;
            });
            Plain(out)
        }
    )*};
}

impl<T: Real> Lanes for Plain<T> {
    type Number = T;
    const COUNT: usize = 8;

    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        Plain([x; 8])
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: promised by the caller.
        Plain(unsafe { from.cast::<[T; 8]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: promised by the caller.
        unsafe { to.cast::<[T; 8]>().write(self.0) }
    }
    zips!(add | x, y | x + y, sub | x, y | x - y, mul | x, y | x * y, div | x, y | x / y);
    zips!(max | x, y | if x > y { x } else { y }, min | x, y | if x < y { x } else { y });
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul(b).add(c)
    }
    #[inline(always)]
    fn pick<const W: usize>(a: Self, b: Self, x: [Self; W], y: [Self; W]) -> [Self; W] {
        let mut out = y;
        for (o, x) in out.iter_mut().zip(x) {
            for l in 0..8 {
                o.0[l] = if a.0[l] > b.0[l] { x.0[l] } else { o.0[l] };
            }
        }
        out
    }
    #[inline(always)]
    fn greatest(self) -> (T, usize) {
        let top = self.0.iter().fold(T::from_f64(f64::NEG_INFINITY), |m, x| if *x > m { *x } else { m });
        (top, self.0.iter().position(|x| *x == top).unwrap_or(8))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Functions that are one instruction each.
    macro_rules! calls {
        ($($name:ident($($x:ident),*) $call:ident),*) => {$(
            #[inline(always)]
            fn $name(self, $($x: Self),*) -> Self {
                // SAFETY: a value of this type is proof of the instructions; so it is below.
                unsafe { $call(self, $($x),*) }
            }
        )*};
    }

    /// The parts that AVX2 and AVX-512 have alike.
    macro_rules! lanes {
        ($wide:ty, $number:ty, $count:expr, [$set:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident $div:ident $fused:ident $max:ident $min:ident],
         { $($rest:tt)* }) => {
            impl Lanes for $wide {
                type Number = $number;
                const COUNT: usize = $count;

                #[inline(always)]
                unsafe fn splat(x: $number) -> Self {
                    // SAFETY: promised by the caller.
                    unsafe { $set(x) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $number) -> Self {
                    // SAFETY: promised by the caller.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $number) {
                    // SAFETY: promised by the caller.
                    unsafe { $store(to, self) }
                }
                calls!(add(b) $add, sub(b) $sub, mul(b) $mul, div(b) $div, fused(b, c) $fused, max(b) $max, min(b) $min);
                $($rest)*
            }
        };
    }

    macro_rules! avx512 {
        ($wide:ty, $number:ty, $count:expr, $calls:tt, $compare:ident, $blend:ident, $reduce:ident, $set:ident) => {
            lanes!($wide, $number, $count, $calls, {
                #[inline(always)]
                fn pick<const W: usize>(a: Self, b: Self, x: [Self; W], y: [Self; W]) -> [Self; W] {
                    // SAFETY: as above.
                    unsafe {
                        let above = $compare::<_CMP_GT_OQ>(a, b);
                        let mut out = y;
                        for (o, x) in out.iter_mut().zip(x) {
                            *o = $blend(above, *o, x);
                        }
                        out
                    }
                }
                #[inline(always)]
                fn greatest(self) -> ($number, usize) {
                    // SAFETY: as above.
                    unsafe {
                        let top = $reduce(self);
                        (top, (u32::from($compare::<_CMP_EQ_OQ>(self, $set(top))) | 1 << $count).trailing_zeros() as usize)
                    }
                }
            });
        };
    }
    avx512!(__m512, f32, 16, [_mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_fmadd_ps _mm512_max_ps _mm512_min_ps],
        _mm512_cmp_ps_mask, _mm512_mask_blend_ps, _mm512_reduce_max_ps, _mm512_set1_ps);
    avx512!(__m512d, f64, 8, [_mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_fmadd_pd _mm512_max_pd _mm512_min_pd],
        _mm512_cmp_pd_mask, _mm512_mask_blend_pd, _mm512_reduce_max_pd, _mm512_set1_pd);

    macro_rules! avx2 {
        ($wide:ty, $number:ty, $count:expr, $calls:tt, $compare:ident, $blend:ident) => {
            lanes!($wide, $number, $count, $calls, {
                #[inline(always)]
                fn pick<const W: usize>(a: Self, b: Self, x: [Self; W], y: [Self; W]) -> [Self; W] {
                    // SAFETY: as above.
                    unsafe {
                        let above = $compare::<_CMP_GT_OQ>(a, b);
                        let mut out = y;
                        for (o, x) in out.iter_mut().zip(x) {
                            *o = $blend(*o, x, above);
                        }
                        out
                    }
                }
                #[inline(always)]
                fn greatest(self) -> ($number, usize) {
                    let mut all = [0.0; $count];
                    // SAFETY: the array holds as many numbers.
                    unsafe { self.store(all.as_mut_ptr()) };
                    let top = all.iter().fold(<$number>::NEG_INFINITY, |m, x| if *x > m { *x } else { m });
                    (top, all.iter().position(|x| *x == top).unwrap_or($count))
                }
            });
        };
    }
    avx2!(__m256, f32, 8, [_mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_fmadd_ps _mm256_max_ps _mm256_min_ps],
        _mm256_cmp_ps, _mm256_blendv_ps);
    avx2!(__m256d, f64, 4, [_mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_fmadd_pd _mm256_max_pd _mm256_min_pd],
        _mm256_cmp_pd, _mm256_blendv_pd);
}

//! e^x in straight-line code, so that a loop over it runs in vectors, and the fused step that it is made of.

use super::Real;

/// a b + c, fused where that is one instruction.
#[inline(always)]
pub(crate) fn fma<T: Real, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { a.fused(b, c) } else { a * b + c }
}

/// exp(x) for f64 within 1 unit in the last place; 0 below -708, infinite above the logarithm of the largest number.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 q(r), q a Chebyshev fit of degree 9; then 2^n by exponent bits.
#[inline(always)]
pub(super) fn exp64<const FMA: bool>(x: f64) -> f64 {
    let (t, rest) = reduced64::<FMA>(if x > LARGEST { LARGEST } else { x });
    let y = f64::from_bits((rest + 1.0).to_bits().wrapping_add(t.to_bits() << 52));
    let y = if x > LARGEST { f64::INFINITY } else { y };
    if x < LOW { 0.0 } else { y }
}

/// exp(x) - 1 for f64, which loses no digits near 0: 2^n (e^r - 1) + (2^n - 1).
#[inline(always)]
pub(super) fn exp_less_one64<const FMA: bool>(x: f64) -> f64 {
    // Up to here 2^n is a number.
    const HIGH: f64 = 709.0;
    let (t, rest) = reduced64::<FMA>(if x > HIGH { HIGH } else { x });
    let power = f64::from_bits(1f64.to_bits().wrapping_add(t.to_bits() << 52));
    fma::<f64, FMA>(power, rest, power - 1.0)
}

/// Below this exp(x) has no room among numbers, and above ln of the largest number.
const LOW: f64 = -708.0;
const LARGEST: f64 = 709.782_712_893_384;

/// n, in the low bits of a number, and e^r - 1; x is [`LARGEST`] at most.
#[inline(always)]
fn reduced64<const FMA: bool>(x: f64) -> (f64, f64) {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: adding it rounds to an integer in the low bits
    let c = if x < LOW { LOW } else { x };
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
    (t, fma::<f64, FMA>(r2, q, r))
}

/// exp(x) for f32 within 1 unit in the last place; 0 below -87, infinite above the logarithm of the largest number.
#[inline(always)]
pub(super) fn exp32<const FMA: bool>(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23
    const LOW: f32 = -87.0;
    const LARGEST: f32 = 88.722_83;
    let c = if x < LOW { LOW } else { x };
    let c = if c > LARGEST { LARGEST } else { c };
    let t = fma::<f32, FMA>(c, std::f32::consts::LOG2_E, SHIFT);
    let n = t - SHIFT;
    let r = fma::<f32, FMA>(n, -0.693_359_4, c);
    let r = fma::<f32, FMA>(n, 2.121_944_4e-4, r);
    let r2 = r * r;
    let p45 = fma::<f32, FMA>(r, 0.008_363_203, 0.041_666_554);
    let p = fma::<f32, FMA>(r2, fma::<f32, FMA>(r2, 0.001_392_621_3, p45), fma::<f32, FMA>(r, 0.166_665_77, 0.5));
    let p = fma::<f32, FMA>(r2, p, r) + 1.0;
    let y = f32::from_bits(p.to_bits().wrapping_add(t.to_bits() << 23));
    let y = if x > LARGEST { f32::INFINITY } else { y };
    if x < LOW { 0.0 } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_of_zero_is_exactly_one_and_of_very_negative_numbers_is_zero() {
        assert_eq!(exp64::<true>(0.0), 1.0);
        assert_eq!(exp64::<false>(0.0), 1.0);
        assert_eq!(exp32::<true>(0.0), 1.0);
        assert_eq!(exp64::<true>(-1e300), 0.0);
        assert_eq!(exp32::<true>(-1e30), 0.0);
    }

    // ln of the largest number is 709.78271 in f64 and 88.72284 in f32.
    #[test]
    fn exp_is_infinite_from_where_it_exceeds_every_number_and_exact_up_to_there() {
        for x in [700.0, 709.0, 709.2, 709.5, 709.78, 709.782_712_893_38] {
            for y in [exp64::<true>(x), exp64::<false>(x)] {
                assert!((y / libm::exp(x) - 1.0).abs() <= 2.0 * f64::EPSILON, "exp({x}) = {y}");
            }
        }
        for x in [80.0f32, 88.0, 88.4, 88.72] {
            let (y, exact) = (exp32::<true>(x), libm::exp(f64::from(x)));
            assert!((f64::from(y) / exact - 1.0).abs() <= 2.0 * f64::from(f32::EPSILON), "exp({x}) = {y}");
        }
        for x in [709.79, 710.0, 1e300, f64::INFINITY] {
            assert_eq!((exp64::<true>(x), exp32::<true>(x as f32)), (f64::INFINITY, f32::INFINITY));
        }
        assert!(exp64::<true>(f64::NAN).is_nan() && exp32::<true>(f32::NAN).is_nan());
        assert_eq!(exp32::<false>(88.73), f32::INFINITY);
    }

    #[test]
    fn exp_less_one_keeps_its_digits_near_zero() {
        assert_eq!((exp_less_one64::<true>(0.0), exp_less_one64::<false>(0.0)), (0.0, 0.0));
        assert_eq!((exp_less_one64::<true>(-1e300), exp_less_one64::<true>(-50.0)), (-1.0, -1.0));
        for k in 0..60_000 {
            // Of every size from 1e-18 to 30.
            let x = -30.0 * 10f64.powf(-f64::from(k) / 3100.0);
            for y in [exp_less_one64::<true>(x), exp_less_one64::<false>(x)] {
                assert!((y / libm::expm1(x) - 1.0).abs() <= 3.0 * f64::EPSILON, "exp({x}) - 1 = {y}");
            }
        }
    }
}

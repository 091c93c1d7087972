//! What recursions over the times of two series read in a cell: distances of two vectors, and exponentials of them, in eight lanes.

use super::abreast::Eight;
use crate::kernels::sequences::parts::octet::Octet;

/// Calls a recursion with the number of channels as a constant, 0 for more than 3.
macro_rules! by_channels {
    ($channels:expr, $recursion:ident, [$Octet:ident $(, $flag:literal)?], ($($arg:expr),*)) => {
        match $channels {
            1 => $recursion::<$Octet, 1 $(, $flag)?>($($arg),*),
            2 => $recursion::<$Octet, 2 $(, $flag)?>($($arg),*),
            3 => $recursion::<$Octet, 3 $(, $flag)?>($($arg),*),
            _ => $recursion::<$Octet, 0 $(, $flag)?>($($arg),*),
        }
    };
}
pub(crate) use by_channels;

/// |x - z|^2 of two vectors of C channels; of any number where C is 0.
///
/// # Safety
/// The processor has the instructions of the octet; both slices hold the channels.
#[inline(always)]
pub(crate) unsafe fn squared_distance<O: Octet, const C: usize>(x: &[Eight], z: &[Eight]) -> O {
    let channels = if C > 0 { C } else { x.len() };
    // SAFETY: promised by the caller.
    unsafe {
        let mut sum = O::splat(0.0);
        for (x, z) in x[..channels].iter().zip(&z[..channels]) {
            let difference = O::load(x).sub(O::load(z));
            sum = difference.fused(difference, sum);
        }
        sum
    }
}

/// Below this e^x is 0.
pub(crate) const LOW: f64 = -800.0;

/// Numbers n and d with n / d = e^x for x of at most 0, to 2e-16, so that a quotient of exponentials takes one division:
/// e^r = (Q + r P) / (Q - r P) with P and Q of r^2, |r| <= ln 2 / 2 (Moshier, Cephes, exp.c).
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
pub(crate) unsafe fn exponential<O: Octet>(x: O) -> (O, O) {
    // 1.5 * 2^52: adding it rounds to a whole number.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    // SAFETY: promised by the caller.
    unsafe {
        let of = |x: f64| O::splat(x);
        let x = x.max(of(LOW));
        let power = x.fused(of(std::f64::consts::LOG2_E), of(SHIFT)).sub(of(SHIFT));
        let r = power.fused(of(-6.931_457_519_531_25e-1), x);
        let r = power.fused(of(-1.428_606_820_309_417_2e-6), r);
        let square = r.mul(r);
        let p = of(1.261_771_930_748_105_9e-4).fused(square, of(3.029_944_077_074_419_6e-2)).fused(square, of(1.0)).mul(r);
        let q = of(3.001_985_051_386_644_6e-6).fused(square, of(2.524_483_403_496_841e-3));
        let q = q.fused(square, of(2.272_655_482_081_550_3e-1)).fused(square, of(2.0));
        (q.add(p).scaled(power), q.sub(p))
    }
}

//! Eight pairs of rows at a time, each operation a loop over them that runs in vectors.

use super::jet::Scalar;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::ops::{Add, Div, Mul, Sub};

/// Numbers that are computed together.
pub(crate) const ABREAST: usize = crate::gram::DirectionCosine::TOGETHER;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairLanes(pub(crate) [f64; ABREAST]);

macro_rules! operator {
    ($Trait:ident, $name:ident, $op:tt) => {
        impl $Trait for PairLanes {
            type Output = PairLanes;
            #[inline(always)]
            fn $name(self, other: PairLanes) -> PairLanes {
                let mut all = self.0;
                for k in 0..ABREAST {
                    all[k] = self.0[k] $op other.0[k];
                }
                PairLanes(all)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl PairLanes {
    /// arctan of numbers from 0 to 1, by the rational function of Cephes (Moshier 1989), `atan.c`.
    #[inline(always)]
    fn arctangent(self) -> PairLanes {
        const P: [f64; 5] = [
            -8.750_608_600_031_904e-1,
            -1.615_753_718_733_365e1,
            -7.500_855_792_314_705e1,
            -1.228_866_684_490_136_2e2,
            -6.485_021_904_942_025e1,
        ];
        const Q: [f64; 5] = [
            2.485_846_490_142_306_3e1,
            1.650_270_098_316_988_5e2,
            4.328_810_604_912_903e2,
            4.853_903_996_359_137e2,
            1.945_506_571_482_614e2,
        ];
        // Above it, arctan x = pi/4 + arctan((x - 1) / (x + 1)).
        const REDUCED: f64 = 0.66;
        let mut all = self.0;
        for value in &mut all {
            let x = *value;
            let is_reduced = x > REDUCED;
            let quotient = (x - 1.0) / (x + 1.0);
            let (x, start) = (if is_reduced { quotient } else { x }, if is_reduced { FRAC_PI_4 } else { 0.0 });
            let z = x * x;
            let above = (((P[0] * z + P[1]) * z + P[2]) * z + P[3]) * z + P[4];
            let below = ((((z + Q[0]) * z + Q[1]) * z + Q[2]) * z + Q[3]) * z + Q[4];
            *value = start + (x + x * (z * above / below));
        }
        PairLanes(all)
    }
}

impl Scalar for PairLanes {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        PairLanes([x; ABREAST])
    }
    fn value(self) -> f64 {
        f64::NAN
    }
    fn with(self, value: f64, _: impl FnOnce() -> f64) -> Self {
        PairLanes([value; ABREAST])
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == [0.0; ABREAST]
    }
    #[inline(always)]
    fn root(self) -> Self {
        let mut all = self.0;
        for value in &mut all {
            *value = value.sqrt();
        }
        PairLanes(all)
    }
    fn exponential(self) -> Self {
        PairLanes(self.0.map(libm::exp))
    }
    #[inline(always)]
    fn not_negative(self) -> Self {
        let mut all = self.0;
        for value in &mut all {
            *value = if *value < 0.0 { 0.0 } else { *value };
        }
        PairLanes(all)
    }
    #[inline(always)]
    fn angle_over(self, x: Self) -> Self {
        let (mut quotients, mut angles) = (self.0, [0.0; ABREAST]);
        for k in 0..ABREAST {
            let y = self.0[k].abs();
            quotients[k] = if y < x.0[k] { y } else { x.0[k] } / if y < x.0[k] { x.0[k] } else { y };
        }
        let arcs = PairLanes(quotients).arctangent().0;
        for k in 0..ABREAST {
            let arc = if self.0[k].abs() < x.0[k] { arcs[k] } else { FRAC_PI_2 - arcs[k] };
            angles[k] = if self.0[k] < 0.0 { -arc } else { arc };
        }
        PairLanes(angles)
    }
    #[inline(always)]
    fn arcs(deficit: Self, excess: Self) -> (Self, Self) {
        let mut quotients = deficit.0;
        for k in 0..ABREAST {
            let is_near = deficit.0[k] < excess.0[k];
            let (less, more) = (if is_near { deficit.0[k] } else { excess.0[k] }, if is_near { excess.0[k] } else { deficit.0[k] });
            quotients[k] = less / more;
        }
        let half = PairLanes(quotients).root().arctangent().0;
        let (mut angles, mut rests) = (half, half);
        for k in 0..ABREAST {
            let (small, large) = (2.0 * half[k], PI - 2.0 * half[k]);
            let is_near = deficit.0[k] < excess.0[k];
            angles[k] = if is_near { small } else { large };
            rests[k] = if is_near { large } else { small };
        }
        (PairLanes(angles), PairLanes(rests))
    }
    #[inline(always)]
    fn unless_below(measure: Self, bound: f64, _: impl FnOnce() -> Self, usual: Self) -> Self {
        let mut all = usual.0;
        for k in 0..ABREAST {
            all[k] = if measure.0[k] < bound { f64::NAN } else { all[k] };
        }
        PairLanes(all)
    }
}

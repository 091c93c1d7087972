//! What the recursion of a network computes with: numbers; numbers with their derivatives in two parameters, which give its gradient
//! (forward mode); several numbers at a time (`lanes.rs`).

use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Sub};

/// A number, alone or with derivatives, or several of them.
pub(crate) trait Scalar: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// A number that no parameter changes.
    fn constant(x: f64) -> Self;
    /// The number; NaN of several.
    fn value(self) -> f64;
    /// A function of it, from its value and its slope there.
    fn with(self, value: f64, slope: impl FnOnce() -> f64) -> Self;
    /// Whether it is 0 for all parameters nearby.
    fn is_zero(self) -> bool;
    /// The angle of the point (x, self), x above 0.
    fn angle_over(self, x: Self) -> Self;
    /// arccos r and pi - arccos r, from 1 - r and 1 + r.
    fn arcs(deficit: Self, excess: Self) -> (Self, Self) {
        let (near, far, pi) = (deficit.root(), excess.root(), Self::constant(PI));
        if deficit.value() < excess.value() {
            let angle = near.angle_over(far).times(2.0);
            (angle, pi - angle)
        } else {
            let rest = far.angle_over(near).times(2.0);
            (pi - rest, rest)
        }
    }
    /// What `special` gives where `measure` is below a bound, else the usual value; of several numbers NaN in place of what is special.
    fn unless_below(measure: Self, bound: f64, special: impl FnOnce() -> Self, usual: Self) -> Self {
        if measure.value() < bound { special() } else { usual }
    }

    /// by times it.
    fn times(self, by: f64) -> Self {
        self * Self::constant(by)
    }
    /// Its sum with a number.
    fn plus(self, other: f64) -> Self {
        self + Self::constant(other)
    }
    /// Its square root, whose slope at 0 counts as 0.
    fn root(self) -> Self {
        let root = self.value().sqrt();
        self.with(root, || if root > 0.0 { 0.5 / root } else { 0.0 })
    }
    /// e^self.
    fn exponential(self) -> Self {
        let value = libm::exp(self.value());
        self.with(value, || value)
    }
    /// 0 where it is below.
    fn not_negative(self) -> Self {
        if self.value() > 0.0 { self } else { Self::constant(0.0) }
    }
}

impl Scalar for f64 {
    fn constant(x: f64) -> Self {
        x
    }
    fn value(self) -> f64 {
        self
    }
    fn with(self, value: f64, _: impl FnOnce() -> f64) -> Self {
        value
    }
    fn is_zero(self) -> bool {
        self == 0.0
    }
    fn angle_over(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
}

/// A number and its derivatives in two parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jet {
    pub(crate) value: f64,
    pub(crate) slopes: [f64; 2],
}

impl Jet {
    /// The parameter of a place, at a value.
    pub(crate) fn parameter(value: f64, place: usize) -> Jet {
        let mut slopes = [0.0; 2];
        slopes[place] = 1.0;
        Jet { value, slopes }
    }
    fn combined(value: f64, (a, by_a): (Jet, f64), (b, by_b): (Jet, f64)) -> Jet {
        Jet { value, slopes: [0, 1].map(|p| by_a * a.slopes[p] + by_b * b.slopes[p]) }
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, other: Jet) -> Jet {
        Jet::combined(self.value + other.value, (self, 1.0), (other, 1.0))
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, other: Jet) -> Jet {
        Jet::combined(self.value - other.value, (self, 1.0), (other, -1.0))
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        Jet::combined(self.value * other.value, (self, other.value), (other, self.value))
    }
}

impl Div for Jet {
    type Output = Jet;
    fn div(self, other: Jet) -> Jet {
        let value = self.value / other.value;
        Jet::combined(value, (self, 1.0 / other.value), (other, -value / other.value))
    }
}

impl Scalar for Jet {
    fn constant(value: f64) -> Self {
        Jet { value, slopes: [0.0; 2] }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn with(self, value: f64, slope: impl FnOnce() -> f64) -> Self {
        let slope = slope();
        Jet { value, slopes: self.slopes.map(|s| slope * s) }
    }
    fn is_zero(self) -> bool {
        self.value == 0.0 && self.slopes == [0.0; 2]
    }
    fn angle_over(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let over = |part: f64| if square > 0.0 { part / square } else { 0.0 };
        Jet::combined(libm::atan2(self.value, x.value), (self, over(x.value)), (x, -over(self.value)))
    }
}

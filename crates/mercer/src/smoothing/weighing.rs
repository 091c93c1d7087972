//! sum_i w_i p(x, x_i) over a block of points, in vectors: points stand column by column, padded to whole vectors by weights of 0.

use super::{Shape, SmoothingKernel};
use crate::gram::{BoxLayout, Level, dispatch, level};
use crate::linalg::Real;

/// Points are taken so many at a time.
pub(super) const LANES: usize = 8;
/// Points of a leaf at most.
pub(super) const LEAF: usize = 128;
/// Leaves but the last hold a multiple of some vectors.
pub(super) const LEAVES: BoxLayout = BoxLayout { leaf: LEAF, full: 4 * LANES, vector: LANES };

/// A profile of differences, straight-line code: joined over columns, then finished.
pub(super) trait Weighing: Copy + Send + Sync {
    /// The value of no column.
    fn start(self) -> f64;
    /// One more column, in which the points are so far apart.
    fn join<const FMA: bool>(self, sum: f64, apart: f64) -> f64;
    /// The weight.
    fn finish<const FMA: bool>(self, sum: f64) -> f64;
}

/// p as a function of a squared distance.
trait OfSquare: Copy + Send + Sync {
    fn at<const FMA: bool>(self, square: f64) -> f64;
}

#[derive(Clone, Copy)]
struct Radial<P>(P);

impl<P: OfSquare> Weighing for Radial<P> {
    #[inline(always)]
    fn start(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn join<const FMA: bool>(self, sum: f64, apart: f64) -> f64 {
        crate::linalg::fma::<f64, FMA>(apart, apart, sum)
    }
    #[inline(always)]
    fn finish<const FMA: bool>(self, sum: f64) -> f64 {
        self.0.at::<FMA>(sum)
    }
}

#[derive(Clone, Copy)]
struct Product<P>(P);

impl<P: OfSquare> Weighing for Product<P> {
    #[inline(always)]
    fn start(self) -> f64 {
        1.0
    }
    #[inline(always)]
    fn join<const FMA: bool>(self, sum: f64, apart: f64) -> f64 {
        sum * self.0.at::<FMA>(apart * apart)
    }
    #[inline(always)]
    fn finish<const FMA: bool>(self, sum: f64) -> f64 {
        sum
    }
}

/// exp(near - sum_j |x_j|).
#[derive(Clone, Copy)]
struct Taxi {
    near: f64,
}

impl Weighing for Taxi {
    #[inline(always)]
    fn start(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn join<const FMA: bool>(self, sum: f64, apart: f64) -> f64 {
        sum + apart.abs()
    }
    #[inline(always)]
    fn finish<const FMA: bool>(self, sum: f64) -> f64 {
        at_most_zero(self.near - sum).exponential::<FMA>()
    }
}

/// A number, and 0 where it is above: no point that counts is nearer than the nearest one, but one that is left out with a weight of 0 may
/// be, by so much that its exponential is infinite.
#[inline(always)]
fn at_most_zero(x: f64) -> f64 {
    if x > 0.0 { 0.0 } else { x }
}

macro_rules! profiles {
    ($($(#[$doc:meta])* $name:ident ($($field:ident)?): |$q:ident| $value:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name { $($field: f64)? }
        impl OfSquare for $name {
            #[inline(always)]
            fn at<const FMA: bool>(self, $q: f64) -> f64 {
                $(let $field = self.$field;)?
                $value
            }
        })*
    };
}

profiles! {
    /// exp((near - q) / 2): relative to that of the nearest point, so that it is never 0 where that counts.
    Gaussian(near): |q| at_most_zero(0.5 * (near - q)).exponential::<FMA>();
    /// exp(near - sqrt(q)).
    Exponential(near): |q| at_most_zero(near - q.sqrt()).exponential::<FMA>();
    Boxcar(): |q| if q <= 1.0 { 1.0 } else { 0.0 };
    Epanechnikov(): |q| above_zero(1.0 - q);
    Biweight(): |q| above_zero(1.0 - q) * above_zero(1.0 - q);
    Triangular(): |q| above_zero(1.0 - q.sqrt());
    Tricube(): |q| {
        let one = above_zero(1.0 - q * q.sqrt());
        one * one * one
    };
    /// cos(pi sqrt(q) / 2) = sum_k (-1)^k (pi / 2)^2k q^k / (2k)! up to q = 1.
    Cosine(): |q| if q < 1.0 { above_zero(cosine(q)) } else { 0.0 };
}

#[inline(always)]
fn above_zero(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[inline(always)]
fn cosine(q: f64) -> f64 {
    // (1 - q) times a polynomial would be no more exact: the sum is within 1e-16 of the cosine.
    let s = -q * (std::f64::consts::FRAC_PI_2 * std::f64::consts::FRAC_PI_2);
    let mut sum = 1.0;
    let mut even = 22.0;
    while even > 0.0 {
        sum = 1.0 + s / (even * (even - 1.0)) * sum;
        even -= 2.0;
    }
    sum
}

dispatch! {
    /// sum_i w_i p(x, x_i); the block holds one column of the points after another.
    sum_block, sum_body, <W: Weighing>, (x: &[f64], block: &[f64], weights: &[f64], by: W) -> f64
}

#[inline(always)]
fn sum_body<W: Weighing, const FMA: bool>(x: &[f64], block: &[f64], weights: &[f64], by: W) -> f64 {
    let count = weights.len();
    let mut total = [0.0; LANES];
    let mut at = 0;
    while at + LANES <= count {
        let mut joined = [by.start(); LANES];
        for (j, x) in x.iter().enumerate() {
            let column = &block[j * count + at..j * count + at + LANES];
            for l in 0..LANES {
                joined[l] = by.join::<FMA>(joined[l], x - column[l]);
            }
        }
        let weights = &weights[at..at + LANES];
        for l in 0..LANES {
            total[l] += weights[l] * by.finish::<FMA>(joined[l]);
        }
        at += LANES;
    }
    total.iter().sum()
}

dispatch! {
    /// sum_i w_i p((x - x_i) / l_i), of points with widths of their own.
    sum_widths_block, sum_widths_body, <W: Weighing>, (x: &[f64], block: &[f64], weights: &[f64], per: &[f64], by: W) -> f64
}

#[inline(always)]
fn sum_widths_body<W: Weighing, const FMA: bool>(x: &[f64], block: &[f64], weights: &[f64], per: &[f64], by: W) -> f64 {
    let count = weights.len();
    let mut total = [0.0; LANES];
    for at in (0..count / LANES * LANES).step_by(LANES) {
        let (weights, per) = (&weights[at..at + LANES], &per[at..at + LANES]);
        let mut joined = [by.start(); LANES];
        for (j, x) in x.iter().enumerate() {
            let column = &block[j * count + at..j * count + at + LANES];
            for l in 0..LANES {
                joined[l] = by.join::<FMA>(joined[l], (x - column[l]) * per[l]);
            }
        }
        for l in 0..LANES {
            total[l] += weights[l] * by.finish::<FMA>(joined[l]);
        }
    }
    total.iter().sum()
}

/// How far points are apart, for what may be passed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Metric {
    /// Squared Euclidean distances.
    Squares,
    /// Sums of distances of columns.
    Taxi,
    /// The greatest distance of a column.
    Greatest,
}

impl Metric {
    /// The distance of differences in the columns.
    #[inline(always)]
    pub(super) fn of(self, apart: impl Iterator<Item = f64>) -> f64 {
        match self {
            Metric::Squares => apart.map(|d| d * d).sum(),
            Metric::Taxi => apart.map(f64::abs).sum(),
            Metric::Greatest => apart.fold(0.0, |most, d| most.max(d.abs())),
        }
    }
}

/// A kernel of some shape in units of the bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    pub(super) kernel: SmoothingKernel,
    pub(super) shape: Shape,
}

impl Law {
    pub(super) fn metric(self) -> Metric {
        match (self.kernel, self.shape) {
            (SmoothingKernel::Gaussian, _) | (_, Shape::Radial) => Metric::Squares,
            (SmoothingKernel::Exponential, Shape::Product) => Metric::Taxi,
            (_, Shape::Product) => Metric::Greatest,
        }
    }

    /// ln p at a distance, for kernels that are never 0; 0 for the others.
    pub(super) fn log_profile(self, distance: f64) -> f64 {
        match (self.kernel, self.metric()) {
            (SmoothingKernel::Gaussian, _) => -0.5 * distance,
            (SmoothingKernel::Exponential, Metric::Squares) => -distance.sqrt(),
            (SmoothingKernel::Exponential, _) => -distance,
            _ => 0.0,
        }
    }

    /// The distance beyond which p is below p(near) e^-smaller: no point farther than it counts.
    pub(super) fn reach(self, near: f64, smaller: f64) -> f64 {
        match (self.kernel, self.metric()) {
            (SmoothingKernel::Gaussian, _) => near + 2.0 * smaller,
            (SmoothingKernel::Exponential, Metric::Squares) => (near.sqrt() + smaller).powi(2),
            (SmoothingKernel::Exponential, _) => near + smaller,
            _ => 1.0,
        }
    }

    /// sum_i w_i p((x - x_i) / l_i) / p(near), near 0 for kernels that are 0 somewhere; `per` are 1 / l_i, empty where they are 1.
    pub(super) fn sum(self, x: &[f64], block: &[f64], weights: &[f64], per: &[f64], near: f64) -> f64 {
        self.weighed(near, Summing { x, block, weights, per })
    }

    /// Uses what weighs by this law, beside a distance `near` for kernels that are never 0.
    pub(super) fn weighed<U: Used>(self, near: f64, used: U) -> U::Out {
        macro_rules! by {
            ($profile:expr) => {
                match self.metric() {
                    Metric::Greatest => used.by(Product($profile)),
                    _ => used.by(Radial($profile)),
                }
            };
        }
        match self.kernel {
            SmoothingKernel::Gaussian => used.by(Radial(Gaussian { near })),
            SmoothingKernel::Exponential if self.metric() == Metric::Taxi => used.by(Taxi { near }),
            SmoothingKernel::Exponential => used.by(Radial(Exponential { near: near.sqrt() })),
            SmoothingKernel::Epanechnikov => by!(Epanechnikov {}),
            SmoothingKernel::Tricube => by!(Tricube {}),
            SmoothingKernel::Boxcar => by!(Boxcar {}),
            SmoothingKernel::Biweight => by!(Biweight {}),
            SmoothingKernel::Triangular => by!(Triangular {}),
            SmoothingKernel::Cosine => by!(Cosine {}),
        }
    }
}

/// What is done by a weighing, whichever it is.
pub(super) trait Used {
    type Out;
    fn by<W: Weighing>(self, by: W) -> Self::Out;
}

struct Summing<'a> {
    x: &'a [f64],
    block: &'a [f64],
    weights: &'a [f64],
    per: &'a [f64],
}

impl Used for Summing<'_> {
    type Out = f64;
    fn by<W: Weighing>(self, by: W) -> f64 {
        let Summing { x, block, weights, per } = self;
        if per.is_empty() { sum_block(x, block, weights, by) } else { sum_widths_block(x, block, weights, per, by) }
    }
}

//! matern: k = 2^(1 - nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu s), s = sum_j (x_j - z_j)^2 / length_scale_j^2
//! (K10, K11; S3 14.20, 14.21 with the length scale restored, E3-05); nu = inf is the rbf kernel (K12).
//!
//! With g_nu for k as a function of t, K_(nu+1) = K_(nu-1) + (2 nu / t) K_nu becomes
//! g_(nu+1) = g_nu + t^2 / (4 nu (nu - 1)) g_(nu-1): positive terms only, so that nothing cancels and, with e^t taken out,
//! nothing overflows. Orders p + 1/2 start from g_(1/2) = e^-t and g_(3/2) = (1 + t) e^-t, others from Bessel functions.

use super::bessel;
use super::rbf::Gaussian;
use super::stationary::{self, Profile};
use crate::control::Control;
use crate::data::{Points, RowWeights};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Spectral, Tile, map_row, no_input_gradient};
use crate::linalg::Real;
use crate::param::{Alias, Value};
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The Matern kernel: functions with a chosen number of derivatives.
///
/// ```text
/// 2^(1 - nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu) |x - z| / length_scale: functions that have a k-th
/// derivative (in the mean square) for every whole k below nu; nu = inf is rbf
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Matern {
    /// order: 0.5, 1.5, 2.5 and 3.5 are fast, others take Bessel functions; up to 1000, or inf
    #[param(default = 2.5, domain = Positive)]
    nu: Value,
    #[param(stationary::LENGTH_SCALE)]
    length_scale: Value,
    #[param(stationary::ARD)]
    ard: bool,
}

/// The order P + 1/2: a polynomial times e^-t.
#[derive(Clone, Copy)]
struct HalfInteger<const P: usize>;

/// e^t g of the orders p + 1/2 and p - 1/2 at t.
#[inline(always)]
fn polynomials<T: Real>(p: usize, t: T) -> (T, T) {
    let one = T::from_f64(1.0);
    let (mut below, mut now) = (one, if p == 0 { one } else { one + t });
    for k in 2..=p {
        let next = now + T::from_f64(1.0 / ((2 * k - 1) * (2 * k - 3)) as f64) * t * t * below;
        below = now;
        now = next;
    }
    (now, below)
}

#[inline(always)]
fn distance<T: Real>(p: usize, s: T) -> T {
    (T::from_f64((2 * p + 1) as f64) * s).root()
}

/// e^-t of a t >= 0.
#[inline(always)]
fn decay<T: Real, const FMA: bool>(t: T) -> T {
    (T::from_f64(0.0) - t).exponential::<FMA>()
}

impl<const P: usize> Map for HalfInteger<P> {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        let t = distance(P, s);
        polynomials(P, t).0 * decay::<T, FMA>(t)
    }
    /// `matern`: 2^(1 - nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu s); its number is nu.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("matern", &[P as f64 + 0.5]))
    }
}

impl<const P: usize> Profile for HalfInteger<P> {
    /// t^2 / (2 nu - 2) g_(nu-1); t e^-t for nu = 1/2.
    #[inline(always)]
    fn log_scale_derivative<T: Real, const FMA: bool>(self, s: T) -> T {
        let t = distance(P, s);
        let factor = if P == 0 { t } else { T::from_f64(1.0 / (2.0 * P as f64 - 1.0)) * t * t * polynomials(P, t).1 };
        factor * decay::<T, FMA>(t)
    }
    #[inline(always)]
    fn log_decay(self, s: f64) -> f64 {
        let t = distance(P, s);
        (t - libm::log(polynomials(P, t).0)).max(0.0)
    }
}

/// Any order: nu = base + steps with base in (0, 1].
#[derive(Clone, Copy)]
struct General {
    nu: f64,
    base: f64,
    steps: usize,
    /// 2^(1 - base) / Gamma(base).
    front: f64,
}

impl General {
    fn new(nu: f64) -> Self {
        let steps = nu.ceil() - 1.0;
        let base = nu - steps;
        General { nu, base, steps: steps as usize, front: (1.0 - base).exp2() / libm::tgamma(base) }
    }

    /// g_nu(t) and -t g_nu'(t) = t^2 / (2 nu - 2) g_(nu-1)(t) = front t^(nu+1) K_(nu-1)(t).
    fn at_distance(self, t: f64) -> (f64, f64) {
        let (value, falls, exponent) = self.times_exponential(t);
        let out = libm::exp(exponent);
        (value * out, falls * out)
    }

    /// Both without a factor e^exponent, and the exponent.
    fn times_exponential(self, t: f64) -> (f64, f64, f64) {
        // Distances below this count as 0 for orders above 1/2.
        const TINY: f64 = 1e-150;
        // Numbers above this are scaled back.
        const LARGE: f64 = 1e200;
        // 1 - g falls as t^(2 min(nu, 1)), or t^2 log t: nothing is left of it, and the terms of the recurrence overflow.
        if t <= 0.0 || (self.nu > 0.5 && t < TINY) {
            return (1.0, 0.0, 0.0);
        }
        // Of e^t K, one order below the base, at the base and one above.
        let (below, base, above) = if self.base <= 0.5 {
            let (_, above) = bessel::scaled_pair(self.base, t);
            let (base, below) = bessel::scaled_pair(-self.base, t);
            (below, base, above)
        } else {
            let (below, base) = bessel::scaled_pair(self.base - 1.0, t);
            (below, base, below + 2.0 * self.base / t * base)
        };
        let scale = self.front * t.powf(self.base);
        let mut now = scale * base;
        if self.steps == 0 {
            return (now, scale * t * below, -t);
        }
        let mut last = now;
        now = scale * above * t / (2.0 * self.base);
        let mut exponent = -t;
        for k in 1..self.steps {
            let order = self.base + k as f64;
            let next = now + t * t / (4.0 * order * (order - 1.0)) * last;
            (last, now) = (now, next);
            if now > LARGE {
                (last, now) = (last / LARGE, now / LARGE);
                exponent += LARGE.ln();
            }
        }
        (now, t * t / (2.0 * (self.nu - 1.0)) * last, exponent)
    }
    fn distance(self, s: f64) -> f64 {
        (2.0 * self.nu * s).sqrt()
    }
}

impl Map for General {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(self.at_distance(self.distance(s.to_f64())).0)
    }
    /// `matern`: 2^(1 - nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu s); its number is nu.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("matern", &[self.nu]))
    }
}

impl Profile for General {
    #[inline(always)]
    fn log_scale_derivative<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(self.at_distance(self.distance(s.to_f64())).1)
    }
    #[inline(always)]
    fn log_decay(self, s: f64) -> f64 {
        let (value, _, exponent) = self.times_exponential(self.distance(s));
        (-exponent - libm::log(value)).max(0.0)
    }
}

/// Runs `$body` with `$profile` set to the profile of the order nu.
macro_rules! with_profile {
    ($nu:expr, $profile:ident => $body:expr) => {
        match $nu.number() {
            0.5 => with_profile!(HalfInteger::<0>, $profile, $body),
            1.5 => with_profile!(HalfInteger::<1>, $profile, $body),
            2.5 => with_profile!(HalfInteger::<2>, $profile, $body),
            3.5 => with_profile!(HalfInteger::<3>, $profile, $body),
            f64::INFINITY => with_profile!(Gaussian, $profile, $body),
            nu => with_profile!(General::new(nu), $profile, $body),
        }
    };
    ($made:expr, $profile:ident, $body:expr) => {{
        let $profile = $made;
        $body
    }};
}

impl Kernel for Matern {
    const NAME: &'static str = "matern";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), (4.14)";
    const BECAUSE: &'static str = "its Fourier transform is a power of 1/(2 nu + w^2), nowhere negative (Bochner)";
    const ALIASES: &'static [Alias] = &[("sigma", "length_scale", |s| s)];
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Points, weights: RowWeights<'_>) -> Self {
        Matern { length_scale: stationary::settle(&self.length_scale, self.ard, inputs, weights), ..self.clone() }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        // The largest finite order: the work per pair grows with it, and the kernel is within 0.0003 of rbf there.
        const MOST: f64 = 1000.0;
        let nu = self.nu.number();
        if nu > MOST && nu < f64::INFINITY {
            return Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "nu".into(),
                value: self.nu.to_string(),
                domain: format!("above 0 up to {MOST}, or inf, which is rbf"),
            });
        }
        stationary::check(Self::NAME, &self.length_scale, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(stationary::prepare(&self.length_scale, inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        with_profile!(self.nu, profile => tile.from_sqdist(profile));
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        with_profile!(self.nu, profile => PointFormula::of_sqdist(profile, rows, cols))
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        with_profile!(self.nu, profile => map_row(sqdists, profile));
        sqdists.iter_mut().for_each(|s| *s = 2.0 * (1.0 - *s));
    }
    fn log_diagonal(&self, x: &PreparedPoints) -> Option<Vec<f64>> {
        Some(vec![0.0; x.rows()])
    }
    fn fill_log_decay(&self, tile: Tile<'_, PreparedPoints, f64>) {
        with_profile!(self.nu, profile => stationary::fill_log_decay(tile, profile));
    }
    fn spectral(&self) -> Option<(Spectral, Vec<f64>)> {
        let nu = self.nu.number();
        let measure = if nu.is_infinite() { Spectral::Normal } else { Spectral::Student(2.0 * nu) };
        Some((measure, self.length_scale.numbers().to_vec()))
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// The order nu is not learnt: its entry stays 0.
    fn gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        with_profile!(self.nu, profile => stationary::gradient(tile, profile, &self.length_scale, weights, &mut out[1..]));
    }
    /// Up to nu = 1/2 there is none where x = z.
    fn input_gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) -> Result<()> {
        if self.nu.number() <= 0.5 {
            return Err(no_input_gradient(&format!("matern(nu={})", self.nu)));
        }
        with_profile!(self.nu, profile => stationary::input_gradient(tile, profile, self.length_scale.numbers(), weights, out));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: K10
    #[test]
    fn the_code_for_any_order_gives_the_closed_forms() {
        for t in [1e-9f64, 0.01, 0.7, 1.99, 2.01, 8.0, 60.0, 400.0] {
            let closed = |p: usize| polynomials(p, t).0 * (-t).exp();
            for p in 0..30 {
                let (value, falls) = General::new(p as f64 + 0.5).at_distance(t);
                assert!((value - closed(p)).abs() <= 1e-13 * closed(p), "p = {p}, t = {t}: {value} and {}", closed(p));
                let slope = if p == 0 { t * (-t).exp() } else { t * t / (2.0 * p as f64 - 1.0) * closed(p - 1) };
                assert!((falls - slope).abs() <= 1e-13 * slope, "p = {p}, t = {t}: {falls} and {slope}");
            }
        }
    }

    #[test]
    fn tiny_distances_give_one() {
        for nu in [0.7, 0.95, 1.0, 1.05, 1.95, 2.0, 2.95, 3.0, 4.0, 10.0, 777.7] {
            for s in [5e-324, 1e-310, 4e-310, 1e-304, 1e-300, 1e-298, 1e-290, 1e-200] {
                let matern = General::new(nu);
                let (value, falls) = matern.at_distance(matern.distance(s));
                assert!((value - 1.0).abs() <= 1e-13 && (0.0..1e-100).contains(&falls), "nu = {nu}, s = {s}: {value}, {falls}");
            }
        }
        // 1 - g = Gamma(1 - nu) / Gamma(1 + nu) (t / 2)^(2 nu) to first order: far from 0 where nu is near it.
        let matern = General::new(0.001);
        let t = 1e-155f64;
        let rest = libm::tgamma(0.999) / libm::tgamma(1.001) * (0.5 * t).powf(0.002);
        assert!((matern.at_distance(t).0 - (1.0 - rest)).abs() <= 1e-12, "{}", matern.at_distance(t).0);
    }

    #[test]
    fn high_orders_far_out_do_not_overflow() {
        for nu in [200.0, 777.7, 1000.0] {
            for r in [0.0f64, 1e-6, 1.0, 5.0, 36.0, 100.0, 1e6] {
                let matern = General::new(nu);
                let value = matern.at_distance(matern.distance(r * r)).0;
                assert!((0.0..=1.0).contains(&value), "nu = {nu}, r = {r}: {value}");
            }
        }
    }
}

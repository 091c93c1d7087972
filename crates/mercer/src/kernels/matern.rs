//! matern: nu = 1/2: exp(-r); 3/2: (1 + t) exp(-t), t = sqrt(3) r; 5/2: (1 + t + t^2/3) exp(-t), t = sqrt(5) r;
//! r^2 = sum_j (x_j - z_j)^2 / length_scale_j^2 (K10, K11; S3 14.20, 14.21 with the length scale restored, E3-05).

use super::stationary::{self, Profile};
use crate::data::Points;
use crate::error::{Error, Result};
use crate::gram::{Cloud, Kernel, Map, Mercer, Tile};
use crate::linalg::Real;
use crate::param::{Alias, Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// The Matern kernel: functions with a chosen number of derivatives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matern {
    nu: Value,
    length_scale: Value,
    ard: bool,
}

impl Default for Matern {
    fn default() -> Self {
        Matern { nu: Value::Number(2.5), length_scale: Value::Auto, ard: false }
    }
}

#[derive(Clone, Copy)]
struct Half;
#[derive(Clone, Copy)]
struct ThreeHalves;
#[derive(Clone, Copy)]
struct FiveHalves;

/// e^-t of a t >= 0.
#[inline(always)]
fn decay<T: Real, const FMA: bool>(t: T) -> T {
    (T::from_f64(0.0) - t).exponential::<FMA>()
}

impl Map for Half {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        decay::<T, FMA>(s.root())
    }
}
impl Map for ThreeHalves {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        let t = (T::from_f64(3.0) * s).root();
        (T::from_f64(1.0) + t) * decay::<T, FMA>(t)
    }
}
impl Map for FiveHalves {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        let t = (T::from_f64(5.0) * s).root();
        (T::from_f64(1.0) + t + T::from_f64(1.0 / 3.0) * t * t) * decay::<T, FMA>(t)
    }
}
impl Profile for Half {
    #[inline(always)]
    fn falls<T: Real, const FMA: bool>(self, s: T) -> T {
        s.root() * decay::<T, FMA>(s.root())
    }
}
impl Profile for ThreeHalves {
    #[inline(always)]
    fn falls<T: Real, const FMA: bool>(self, s: T) -> T {
        let s = T::from_f64(3.0) * s;
        s * decay::<T, FMA>(s.root())
    }
}
impl Profile for FiveHalves {
    #[inline(always)]
    fn falls<T: Real, const FMA: bool>(self, s: T) -> T {
        let t = (T::from_f64(5.0) * s).root();
        T::from_f64(5.0 / 3.0) * s * (T::from_f64(1.0) + t) * decay::<T, FMA>(t)
    }
}

/// Runs `$body` with `$profile` set to the profile of the order nu.
macro_rules! with_profile {
    ($nu:expr, $profile:ident => $body:expr) => {
        match $nu.number() {
            0.5 => {
                let $profile = Half;
                $body
            }
            1.5 => {
                let $profile = ThreeHalves;
                $body
            }
            _ => {
                let $profile = FiveHalves;
                $body
            }
        }
    };
}

impl Kernel for Matern {
    const NAME: &'static str = "matern";
    const DOC: &'static str = "Matern of order nu = 0.5, 1.5 or 2.5: functions with 0, 1 or 2 derivatives";
    const PARAMS: &'static [Param] = &[
        Param::fixed("nu", "order: 0.5, 1.5 or 2.5", Domain::Positive),
        stationary::LENGTH_SCALE,
        stationary::ARD,
    ];
    const ALIASES: &'static [Alias] = &[("sigma", "length_scale", |s| s)];
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Points;
    type Prepared = Cloud;

    fn settle(&self, inputs: &Points) -> Self {
        Matern { nu: self.nu.settle(2.5), length_scale: stationary::settle(&self.length_scale, self.ard, inputs), ard: self.ard }
    }
    fn check(&self, inputs: &Points) -> Result<()> {
        if ![0.5, 1.5, 2.5].contains(&self.nu.number()) {
            return Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "nu".into(),
                value: self.nu.to_string(),
                domain: "0.5, 1.5 or 2.5".into(),
            });
        }
        stationary::check(Self::NAME, &self.length_scale, inputs)
    }
    fn prepare(&self, inputs: &Points, like: Option<&Cloud>) -> Cloud {
        stationary::prepare(&self.length_scale, inputs, like)
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Cloud, T>) {
        with_profile!(self.nu, profile => tile.from_sqdist(profile));
    }
    fn diagonal(&self, x: &Cloud) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// The order nu is not learnt: its entry stays 0.
    fn gradient(&self, tile: Tile<'_, Cloud, f64>, weights: &[f64], out: &mut [f64]) {
        with_profile!(self.nu, profile => stationary::gradient(tile, profile, &self.length_scale, weights, &mut out[1..]));
    }
}

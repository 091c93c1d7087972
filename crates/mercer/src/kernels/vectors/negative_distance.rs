//! negative_distance: k(x, z) = -|x - z|^power (F26; Schoenberg 1938).
//!
//! Not a Mercer kernel, but of negative type for powers up to 2, and for no other: centre(negative_distance) and
//! exp(negative_distance) are Mercer kernels then.

use crate::control::Control;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Kernel, Map, MapFormula, Mercer, PointFormula, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Minus a power of the distance.
///
/// ```text
/// -|x - z|^power: not a Mercer kernel, but centre(..) and exp(..) of it are, for powers up to 2
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct NegativeDistance {
    /// power of the distance; up to 2 it is of negative type
    #[param(default = 2.0, domain = PositiveFinite)]
    power: Value,
}

/// -s.
#[derive(Clone, Copy)]
struct Square;
/// -s^(1/2).
#[derive(Clone, Copy)]
struct Root;
/// -s^(power / 2).
#[derive(Clone, Copy)]
struct Power {
    power: f64,
}

impl Map for Square {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(0.0) - s
    }
    /// `negative_power`: -s^exponent, its number.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("negative_power", &[1.0]))
    }
}
impl Map for Root {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(0.0) - s.root()
    }
    /// `negative_power`: -s^exponent, its number.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("negative_power", &[0.5]))
    }
}
impl Map for Power {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        T::from_f64(-libm::pow(s.to_f64(), 0.5 * self.power))
    }
    /// `negative_power`: -s^exponent, its number.
    fn formula(self) -> Option<MapFormula> {
        Some(MapFormula::new("negative_power", &[0.5 * self.power]))
    }
}

impl Kernel for NegativeDistance {
    const NAME: &'static str = "negative_distance";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Schoenberg, Metric spaces and positive definite functions (1938)";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::scaled(inputs, &[1.0], like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        match self.power.number() {
            2.0 => tile.from_sqdist(Square),
            1.0 => tile.from_sqdist(Root),
            power => tile.from_sqdist(Power { power }),
        }
    }
    fn point_formula<'p>(&self, rows: &'p PreparedPoints, cols: &'p PreparedPoints) -> Option<PointFormula<'p>> {
        match self.power.number() {
            2.0 => PointFormula::of_sqdist(Square, rows, cols),
            1.0 => PointFormula::of_sqdist(Root, rows, cols),
            power => PointFormula::of_sqdist(Power { power }, rows, cols),
        }
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![0.0; x.rows()]
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn squared_distances(&self, sqdists: &mut [f64]) {
        let power = 0.5 * self.power.number();
        sqdists.iter_mut().for_each(|s| *s = 2.0 * libm::pow(*s, power));
    }
    fn mercer(&self) -> Mercer {
        Mercer::Never("k(x, x) = 0 and k(x, z) < 0: two different inputs with weights 1 and 1 give a negative sum".into())
    }
    fn negative_type(&self) -> Option<&'static str> {
        self.power.lies_within(f64::MIN_POSITIVE, 2.0).then_some("minus a distance to a power of at most 2 (Schoenberg)")
    }
}

//! cosine: k(x, z) = x . z / (|x| |z|), 0 where x or z is the origin (K15; S3 14.4).

use crate::control::Control;
use crate::data::Points;
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, PreparedPoints, Tile};
use crate::linalg::Real;
use crate::linalg::fma;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// The cosine of the angle between two points.
///
/// ```text
/// x . z / (|x| |z|): direction only, length ignored
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Cosine {}

/// cos = 1 - |u - v|^2 / 2 for unit vectors: exactly 1 for equal directions.
#[derive(Clone, Copy)]
struct FromUnit;

impl Map for FromUnit {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, sqdist: T) -> T {
        fma::<T, FMA>(T::from_f64(-0.5), sqdist, T::from_f64(1.0))
    }
}

/// The cosines of points of unit length, 0 at the origin.
pub(in crate::kernels) fn from_unit<T: Real>(mut tile: Tile<'_, PreparedPoints, T>) {
    tile.sqdists();
    tile.map(FromUnit);
    for k in 0..tile.rows.len() {
        let at_origin = tile.a.norms()[tile.rows.at(k)] == 0.0;
        let norms = &tile.b.norms()[tile.cols.clone()];
        for (o, n) in tile.out.row_mut(k).iter_mut().zip(norms) {
            if at_origin || *n == 0.0 {
                *o = T::from_f64(0.0);
            }
        }
    }
}

impl Kernel for Cosine {
    const NAME: &'static str = "cosine";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.4)";
    const BECAUSE: &'static str = "an inner product of inputs of unit length";
    type Inputs = Points;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn prepare(&self, (): &(), inputs: &Points, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Ok(PreparedPoints::unit(inputs, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        from_unit(tile);
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

//! dtw: k(x, z) = exp(-gamma d(x, z)^2), d^2 the least sum of |x_i - z_j|^2 over all alignments of two series, dynamic time warping (Sakoe &
//! Chiba, Dynamic programming algorithm optimization for spoken word recognition, 1978; Bahlmann, Haasdonk & Burkhardt, Online handwriting
//! recognition with support vector machines, 2002).
//!
//! A Mercer kernel for no gamma: the series (0) and (0, 0) have d = 0, so that one would give them one feature vector; but (t) is t^2 from
//! the first and 2 t^2 from the second.

use super::parts::abreast::fill_eight;
use super::parts::dense::{DenseSeries, mean_length, total_variance};
use super::parts::warping::Warping;
use crate::control::Control;
use crate::data::{RowWeights, Series};
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Likeness by dynamic time warping.
///
/// ```text
/// exp(-gamma d^2), d^2 the least sum of |x_i - z_j|^2 over all alignments of two series: not a Mercer kernel,
/// whatever gamma
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Dtw {
    /// factor of the squared distance; auto: 1 over the mean length times the sum of the variances of the channels
    #[param(domain = PositiveFinite, search = 100.0)]
    gamma: Value,
    /// only times less than this from the diagonals through both ends are aligned: 1 is the Euclidean distance of series of one length; 0:
    /// all
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    window: Value,
}

/// exp(-gamma s) of a squared distance s.
#[derive(Clone, Copy)]
struct Decay {
    gamma: f64,
}

impl Map for Decay {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, s: T) -> T {
        (T::from_f64(-self.gamma) * s).exponential::<FMA>()
    }
}

/// A number times another.
#[derive(Clone, Copy)]
pub(super) struct Times(pub f64);

impl Map for Times {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, x: T) -> T {
        T::from_f64(self.0) * x
    }
}

/// A batch of series, as it is.
pub struct WarpedSeries(DenseSeries);

impl PreparedBatch for WarpedSeries {}

/// 1 over the sum of the variances of the channels times the mean length: a series that is independent of another has a squared Euclidean
/// distance of twice that.
fn start(inputs: &Series, weights: RowWeights<'_>) -> f64 {
    let start = 1.0 / (total_variance(inputs, weights) * mean_length(inputs, weights));
    if start > 0.0 && start.is_finite() { start } else { 1.0 }
}

impl Dtw {
    /// Writes the squared distances of a tile.
    fn fill_distances<T: Real>(&self, tile: &mut Tile<'_, WarpedSeries, T>) {
        let mut warping = Warping::new(self.window.number() as usize);
        let (a, b) = ((&tile.a.0, &tile.rows), (&tile.b.0, tile.cols.clone()));
        // An infinite distance is one whose exponential is 0, also times the distance.
        fill_eight(&mut tile.out, a, b, |pairs| warping.squared_distances(pairs), |square, _, _| square.min(f64::MAX));
    }
}

impl Kernel for Dtw {
    const NAME: &'static str = "dtw";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Sakoe & Chiba, Dynamic programming algorithm optimization for spoken word recognition (1978), for the distance";
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma"];
    type Inputs = Series;
    type Learnt = ();
    type Prepared = WarpedSeries;

    fn settle(&self, inputs: &Series, weights: RowWeights<'_>) -> Self {
        Dtw { gamma: self.gamma.settle_by(|| start(inputs, weights)), ..self.clone() }
    }
    fn prepare(&self, (): &(), inputs: &Series, _: Option<&WarpedSeries>, _: &Control) -> Result<WarpedSeries> {
        Ok(WarpedSeries(DenseSeries::scaled(inputs, 1.0)))
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, WarpedSeries, T>) {
        self.fill_distances(&mut tile);
        tile.map(Decay { gamma: self.gamma.number() });
    }
    fn diagonal(&self, x: &WarpedSeries) -> Vec<f64> {
        vec![1.0; x.0.len()]
    }
    fn log_diagonal(&self, x: &WarpedSeries) -> Option<Vec<f64>> {
        Some(vec![0.0; x.0.len()])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, WarpedSeries, f64>) {
        self.fill_distances(&mut tile);
        tile.map(Times(self.gamma.number()));
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        // Operations of one cell of the recursion, at 10^10 operations a second.
        const PER_CELL: f64 = 1.6;
        let length = inputs.mean_length();
        let window = if self.window.number() > 0.0 { 2.0 * self.window.number() } else { length };
        PER_CELL * length * length.min(window)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Never("no gamma makes it one: the series (0) and (0, 0) are at distance 0, and (1) is at 1 from the first and at sqrt(2) from the second; global_alignment is one, and clip(..) repairs a matrix".into())
    }
    /// dk/dgamma = -d^2 k.
    fn gradient(&self, mut tile: Tile<'_, WarpedSeries, f64>, weights: &[f64], out: &mut [f64]) {
        self.fill_distances(&mut tile);
        let decay = Decay { gamma: self.gamma.number() };
        for (k, weights) in weights.chunks_exact(tile.cols.len().max(1)).enumerate() {
            for (weight, square) in weights.iter().zip(&*tile.out.row_mut(k)) {
                out[0] -= weight * square * decay.at::<f64, false>(*square);
            }
        }
    }
}

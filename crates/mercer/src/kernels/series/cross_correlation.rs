//! cross_correlation: k(x, z) = sum over all lags s of (exp(gamma (c_s - 1)) - exp(-gamma)), c_s = sum over t of <x_t+s, z_t> the correlation of
//! two series at a lag, each minus its own mean and of norm 1 (Wachman, Khardon, Protopapas & Alcock, Kernels for periodic time series
//! arising in astronomy, 2009, with all lags of series of finite length in place of cyclic ones).
//!
//! A Mercer kernel: exp(gamma <x, z>) - 1 is a sum of powers of an inner product that shifts of both series leave as it is, and the sum
//! over all shifts of one of them is an inner product of what does not change under shifts. A lag at which the two do not overlap adds 0.

use super::parts::dense::DenseSeries;
use crate::control::Control;
use crate::data::Series;
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile, prepare_each};
use crate::linalg::{Real, simd::dot};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Likeness by correlations at all lags.
///
/// ```text
/// sum over all lags s of exp(gamma (c_s - 1)) - exp(-gamma), c_s the correlation of one series with the other
/// shifted by s
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct CrossCorrelation {
    /// factor of the correlation: the larger, the more the lag counts at which the two are most alike
    // A correlation of 0.8 counts e^-2 of one of 1.
    #[param(default = 10.0, domain = PositiveFinite, search = 10.0)]
    gamma: Value,
}

/// Centred series of norm 1, and k of each with itself.
pub struct UnitSeries {
    series: DenseSeries,
    own: Vec<f64>,
}

impl PreparedBatch for UnitSeries {}

/// The correlations of two series at every lag at which they overlap.
fn correlations<'a>(x: &'a [f64], z: &'a [f64], channels: usize) -> impl Iterator<Item = f64> + 'a {
    let later = (0..x.len()).step_by(channels).map(move |lag| dot_of(&x[lag..], z));
    let earlier = (channels..z.len()).step_by(channels).map(move |lag| dot_of(x, &z[lag..]));
    later.chain(earlier.filter(|_| !x.is_empty()))
}

/// The inner product of the numbers that both have.
fn dot_of(x: &[f64], z: &[f64]) -> f64 {
    let both = x.len().min(z.len());
    dot(&x[..both], &z[..both])
}

impl CrossCorrelation {
    fn value(&self, x: &[f64], z: &[f64], channels: usize) -> f64 {
        let (gamma, least) = (self.gamma.number(), (-self.gamma.number()).exp());
        let at = |c: f64| if gamma * c < 1.0 { least * (gamma * c).exp_m1() } else { (gamma * (c - 1.0)).exp() - least };
        correlations(x, z, channels).fold(0.0, |sum, c| sum + at(c))
    }
}

impl Kernel for CrossCorrelation {
    const NAME: &'static str = "cross_correlation";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Wachman, Khardon, Protopapas & Alcock, Kernels for periodic time series arising in astronomy (2009), section 3";
    const BECAUSE: &'static str = "a sum over all shifts of powers of an inner product that they leave as it is";
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma"];
    type Inputs = Series;
    type Learnt = ();
    type Prepared = UnitSeries;

    fn prepare(&self, (): &(), inputs: &Series, _: Option<&UnitSeries>, control: &Control) -> Result<UnitSeries> {
        let series = DenseSeries::unit(inputs);
        let channels = series.channels().max(1);
        let own = prepare_each(series.len(), 1, control, |i| self.value(series.row(i), series.row(i), channels))?;
        Ok(UnitSeries { series, own })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, UnitSeries, T>) {
        let (a, b) = (&tile.a.series, &tile.b.series);
        let channels = a.channels().max(b.channels()).max(1);
        tile.from_pairs(|i, j| self.value(a.row(i), b.row(j), channels));
    }
    fn diagonal(&self, x: &UnitSeries) -> Vec<f64> {
        x.own.clone()
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        // Operations of a lag besides its products, and of one of these, at 2 10^10 operations a second: an exponential, and a step that waits
        // for the one before it.
        const PER_LAG: f64 = 120.0;
        const PER_PRODUCT: f64 = 3.0;
        let length = inputs.mean_length();
        2.0 * length * (PER_LAG + PER_PRODUCT * length * inputs.channels() as f64)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    /// dk/dgamma = sum over lags of (c_s - 1) exp(gamma (c_s - 1)) + exp(-gamma).
    fn gradient(&self, tile: Tile<'_, UnitSeries, f64>, weights: &[f64], out: &mut [f64]) {
        let (a, b, gamma) = (&tile.a.series, &tile.b.series, self.gamma.number());
        let channels = a.channels().max(b.channels()).max(1);
        for (k, weights) in weights.chunks_exact(tile.cols.len().max(1)).enumerate() {
            let x = a.row(tile.rows.at(k));
            for (weight, j) in weights.iter().zip(tile.cols.clone()) {
                let slope = |c: f64| (c - 1.0) * (gamma * (c - 1.0)).exp() + (-gamma).exp();
                out[0] += weight * correlations(x, b.row(j), channels).map(slope).sum::<f64>();
            }
        }
    }
}

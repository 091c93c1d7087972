//! autoregressive: k(x, z) = exp(-|a(x) - a(z)|^2 / (2 length_scale^2)), a(x) the coefficients of a vector autoregression fitted to the one
//! series x by ridge regression: the A that minimise sum_{t > p} |x_t - sum_k A_k x_{t-k}|^2 + penalty |A|^2 (Luetkepohl, New
//! introduction to multiple time series analysis, 2005, 3.2; as a distance of series: Piccolo, A distance measure for classifying ARIMA
//! models, 1990). Each channel of each series has mean 0 and variance 1 first, so that neither level nor unit counts.

use crate::control::Control;
use crate::data::{Inputs, Points, RowWeights, Series};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedPoints, Tile};
use crate::kernels::vectors::rbf::Gaussian;
use crate::kernels::vectors::stationary;
use crate::linalg::{Cholesky, Matrix, Real, gramian_of_columns_within};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Likeness by autoregressive coefficients.
///
/// ```text
/// exp(-|a(x) - a(z)|^2 / (2 length_scale^2)), a the coefficients of an autoregression fitted to each series: how
/// the next time depends on the last ones, whatever level and size
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Autoregressive {
    /// times that the next one depends on
    #[param(default = 2.0, domain = Integer(1, MOST_LAGS))]
    order: Value,
    /// distance of coefficients over which the kernel falls; auto: sqrt(coefficients * variance / 2)
    #[param(domain = PositiveFinite, search = 100.0)]
    length_scale: Value,
    /// penalty on the squares of coefficients, in times of variance 1: short series have coefficients near 0
    #[param(default = 1.0, domain = PositiveFinite)]
    penalty: Value,
}

/// The most coefficients of a channel: their normal equations take 8 MB.
const MOST_LAGS: usize = 1000;

/// The numbers of a series, time after time, each channel with mean 0 and variance 1; a constant channel is 0.
fn standardised(values: &[f64], channels: usize) -> Vec<f64> {
    let mut out = values.to_vec();
    for channel in 0..channels {
        let greatest = |out: &[f64]| out.iter().skip(channel).step_by(channels).fold(0.0f64, |most, x| most.max(x.abs()));
        let times = (out.len() / channels).max(1) as f64;
        // Squares of what is at most 1 have a sum.
        let largest = greatest(&out);
        let scale = |out: &mut [f64], by: f64| out.iter_mut().skip(channel).step_by(channels).for_each(|x| *x /= by);
        scale(&mut out, if largest > 0.0 { largest } else { 1.0 });
        let mean = out.iter().skip(channel).step_by(channels).sum::<f64>() / times;
        out.iter_mut().skip(channel).step_by(channels).for_each(|x| *x -= mean);
        let left = greatest(&out);
        let rounding = 4.0 * f64::EPSILON;
        if left <= rounding {
            out.iter_mut().skip(channel).step_by(channels).for_each(|x| *x = 0.0);
            continue;
        }
        scale(&mut out, left);
        let variance = out.iter().skip(channel).step_by(channels).map(|x| x * x).sum::<f64>() / times;
        scale(&mut out, variance.sqrt());
    }
    out
}

impl Autoregressive {
    /// The coefficients of one series: of each channel, what it takes of each channel at the last time, at the time before, ... All 0
    /// where there are no more times than the order.
    fn coefficients(&self, values: &[f64], channels: usize) -> Result<Vec<f64>> {
        let (order, lags) = (self.order.integer(), self.order.integer() * channels);
        let times = values.len() / channels.max(1);
        if times <= order || channels == 0 {
            return Ok(vec![0.0; lags * channels]);
        }
        let x = standardised(values, channels);
        let at = |t: usize| &x[t * channels..(t + 1) * channels];
        // The times before, the last first, and the time itself.
        let equations = (order..times).flat_map(|t| (1..=order).map(move |lag| t - lag).chain([t])).flat_map(|t| at(t).iter().copied());
        let equations = Matrix::new(times - order, lags + channels, equations.collect())?;
        let gram = gramian_of_columns_within(&equations, None, &Control::default())?;
        let penalty = self.penalty.number();
        let normal = Matrix::from_fn(lags, lags, |i, j| gram[(i, j)] + if i == j { penalty } else { 0.0 });
        let answers = Matrix::from_fn(lags, channels, |i, c| gram[(i, lags + c)]);
        let solved = Cholesky::new(normal, &Control::default())?.solve(&answers, &Control::default())?;
        Ok((0..channels).flat_map(|c| solved.col(c)).collect())
    }

    /// Coefficients of every series, a row each.
    fn features(&self, inputs: &Series) -> Result<Points> {
        let (channels, all) = (inputs.channels(), inputs.vectors().to_dense());
        let one = |row: usize| {
            let times = inputs.range(row);
            self.coefficients(&all[times.start * channels..times.end * channels], channels)
        };
        let rows: Vec<Vec<f64>> = (0..inputs.len()).into_par_iter().map(one).collect::<Result<_>>()?;
        Ok(Points::computed(rows.len(), self.order.integer() * channels * channels, rows.concat()))
    }
}

impl Kernel for Autoregressive {
    const NAME: &'static str = "autoregressive";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Piccolo, A distance measure for classifying ARIMA models (1990), for the distance of coefficients";
    const BECAUSE: &'static str = "a Gaussian kernel of the coefficients of each series";
    const DIFFERENTIABLE: &'static [&'static str] = &["length_scale"];
    type Inputs = Series;
    type Learnt = ();
    type Prepared = PreparedPoints;

    fn settle(&self, inputs: &Series, weights: RowWeights<'_>) -> Self {
        let settled = self.clone().length_scale(1.0);
        // What cannot be fitted is refused when it is prepared.
        let start = || match settled.check(inputs).and_then(|()| settled.features(inputs)) {
            Ok(points) => stationary::settle(&Value::Auto, false, &points, weights).number(),
            Err(_) => 1.0,
        };
        let length_scale = self.length_scale.settle_by(start);
        Autoregressive { length_scale, ..settled }
    }
    fn check(&self, inputs: &Series) -> Result<()> {
        match self.order.integer().checked_mul(inputs.channels()) {
            Some(lags) if lags <= MOST_LAGS => Ok(()),
            _ => Err(Error::Setting {
                name: format!("{}: order", Self::NAME),
                why: format!(
                    "{} channels at {} times have more than {MOST_LAGS} coefficients for each channel; give a smaller order",
                    inputs.channels(),
                    self.order.integer()
                ),
            }),
        }
    }
    /// A batch without any vector has the channels of the other one.
    fn prepare(&self, (): &(), inputs: &Series, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        let mut points = self.features(inputs)?;
        if points.dim() == 0 {
            let dim = like.map_or(0, PreparedPoints::dim);
            points = Points::computed(inputs.len(), dim, vec![0.0; inputs.len() * dim]);
        }
        Ok(stationary::prepare(&self.length_scale, &points, like))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        tile.from_sqdist(Gaussian);
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        vec![1.0; x.rows()]
    }
    fn per_value(&self, inputs: &Series) -> f64 {
        20.0 + 2.0 * (self.order.integer() * inputs.channels().pow(2)) as f64
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, PreparedPoints, f64>, weights: &[f64], out: &mut [f64]) {
        stationary::gradient(tile, Gaussian, &self.length_scale, weights, &mut out[1..]);
    }
}

//! A fitted vector autoregression: densities given the first times, score vectors, samples.

use super::check_lengths;
use crate::blocks;
use crate::control::Control;
use crate::data::{Cells, Points, Series, Values};
use crate::error::{Error, Result};
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, ParameterArray};
use crate::linalg::Matrix;
use crate::notice::Notice;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A vector autoregression with its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredAutoregressive")]
pub struct FittedAutoregressive {
    order: usize,
    length: usize,
    /// Of each channel: the constant, then what it takes of each channel at the last time, at the time before, ...
    #[serde(with = "blocks::f64s")]
    coefficients: Vec<f64>,
    /// The variance of each channel given the times before.
    #[serde(with = "blocks::f64s")]
    innovations: Vec<f64>,
    /// Mean and variance of each channel: what the first times of samples are drawn from.
    #[serde(with = "blocks::f64s")]
    mean: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    variances: Vec<f64>,
    pub(super) is_maximum: bool,
    pub(super) notices: Vec<Notice>,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredAutoregressive {
    order: usize,
    length: usize,
    #[serde(with = "blocks::f64s")]
    coefficients: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    innovations: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    mean: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    variances: Vec<f64>,
    is_maximum: bool,
    notices: Vec<Notice>,
}

impl TryFrom<StoredAutoregressive> for FittedAutoregressive {
    type Error = Error;
    fn try_from(stored: StoredAutoregressive) -> Result<Self> {
        let StoredAutoregressive { order, length, coefficients, innovations, mean, variances, is_maximum, notices } = stored;
        let channels = innovations.len();
        let width = order.checked_mul(channels).and_then(|w| w.checked_add(1)).and_then(|w| w.checked_mul(channels));
        let fits = width == Some(coefficients.len()) && mean.len() == channels && variances.len() == channels;
        let finite = coefficients.iter().chain(&mean).all(|x| x.is_finite());
        let positive = innovations.iter().chain(&variances).all(|v| *v > 0.0 && v.is_finite());
        if !fits || !finite || !positive || order == 0 || length <= order {
            return Err(Error::Data("a stored autoregressive has coefficients or variances that none has".into()));
        }
        Ok(FittedAutoregressive { order, length, coefficients, innovations, mean, variances, is_maximum, notices })
    }
}

impl FittedAutoregressive {
    pub(super) fn new(
        order: usize,
        length: usize,
        coefficients: Vec<f64>,
        innovations: Vec<f64>,
        mean: Vec<f64>,
        variances: Vec<f64>,
    ) -> Self {
        FittedAutoregressive { order, length, coefficients, innovations, mean, variances, is_maximum: false, notices: Vec::new() }
    }

    /// Numbers that a channel is predicted by, with the 1 of the constant.
    fn lags(&self) -> usize {
        1 + self.order * self.innovations.len()
    }

    /// Calls `visit` for each row and each time that is predicted, with 1 and the times before it, and the errors of the prediction.
    fn each_time(&self, inputs: &Series, mut visit: impl FnMut(usize, &[f64], &[f64])) -> Result<()> {
        let channels = self.innovations.len();
        if inputs.vectors().rows() > 0 {
            Error::unless_equal("channels of autoregressive", channels, inputs.channels())?;
        }
        check_lengths(self.order, inputs)?;
        let values = inputs.vectors().to_dense();
        let (mut before, mut errors) = (vec![1.0; self.lags()], vec![0.0; channels]);
        for row in 0..Cells::len(inputs) {
            for t in inputs.range(row).skip(self.order) {
                for (k, to) in before[1..].chunks_mut(channels).enumerate() {
                    to.copy_from_slice(&values[(t - 1 - k) * channels..(t - k) * channels]);
                }
                let now = &values[t * channels..(t + 1) * channels];
                for ((error, x), a) in errors.iter_mut().zip(now).zip(self.coefficients.chunks(before.len())) {
                    *error = x - a.iter().zip(&before).map(|(a, z)| a * z).sum::<f64>();
                }
                visit(row, &before, &errors);
            }
        }
        Ok(())
    }
}

impl FittedDistribution for FittedAutoregressive {
    type Inputs = Series;

    fn parameters(&self) -> Vec<FreeParameter> {
        let channels = self.innovations.len();
        let name = |c: usize, k: usize| match k {
            0 => format!("constant[{}]", c + 1),
            _ => format!("coefficient[{},{}] of lag {}", c + 1, (k - 1) % channels + 1, (k - 1) / channels + 1),
        };
        let lags = self.lags();
        let coefficients = self.coefficients.iter().enumerate();
        let mut all: Vec<FreeParameter> = coefficients.map(|(k, &value)| FreeParameter { name: name(k / lags, k % lags), value }).collect();
        all.extend(self.innovations.iter().enumerate().map(|(c, &value)| FreeParameter { name: format!("variance[{}]", c + 1), value }));
        all
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        Error::unless_equal("free parameters of autoregressive", self.coefficients.len() + self.innovations.len(), values.len())?;
        let (coefficients, innovations) = values.split_at(self.coefficients.len());
        if !values.iter().all(|v| v.is_finite()) || innovations.iter().any(|v| *v <= 0.0) {
            return Err(Error::Data("autoregressive has finite parameters, and variances above 0".into()));
        }
        let (coefficients, innovations) = (coefficients.to_vec(), innovations.to_vec());
        Ok(FittedAutoregressive { coefficients, innovations, is_maximum: false, notices: Vec::new(), ..self.clone() })
    }
    fn log_densities(&self, inputs: &Series) -> Result<Vec<f64>> {
        let constant: f64 = -0.5 * self.innovations.iter().map(|v| (TAU * v).ln()).sum::<f64>();
        let mut logs = vec![0.0; Cells::len(inputs)];
        self.each_time(inputs, |row, _, errors| {
            logs[row] += constant - 0.5 * errors.iter().zip(&self.innovations).map(|(e, v)| e * e / v).sum::<f64>();
        })?;
        Ok(logs)
    }
    /// sum_t e_t z_t / v for the coefficients of a channel, z_t being 1 and the times before; sum_t (e_t^2 / v - 1) / (2 v) for v.
    fn scores(&self, inputs: &Series) -> Result<Matrix> {
        let (lags, own) = (self.lags(), self.coefficients.len());
        let mut scores = Matrix::zeros(Cells::len(inputs), own + self.innovations.len());
        self.each_time(inputs, |row, before, errors| {
            let (slopes, variances) = scores.row_mut(row).split_at_mut(own);
            for ((to, e), v) in slopes.chunks_mut(lags).zip(errors).zip(&self.innovations) {
                to.iter_mut().zip(before).for_each(|(to, z)| *to += e / v * z);
            }
            for ((to, e), v) in variances.iter_mut().zip(errors).zip(&self.innovations) {
                *to += 0.5 * (e * e / v - 1.0) / v;
            }
        })?;
        Ok(scores)
    }
    fn information(&self) -> Option<Matrix> {
        None
    }
    /// A channel m + s z has the coefficients s_i a_ij / s_j, and the constant s_i c_i + m_i less what these take of the m_j.
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        let (channels, lags, Coordinates { shift, scale, .. }) = (self.innovations.len(), self.lags(), coordinates);
        let slope = |k: usize, i: usize, j: usize| self.coefficients[i * lags + 1 + k * channels + j] * scale[i] / scale[j];
        let each = || (0..self.order).flat_map(|k| (0..channels).map(move |j| (k, j)));
        let constant =
            |i: usize| scale[i] * self.coefficients[i * lags] + shift[i] - each().map(|(k, j)| slope(k, i, j) * shift[j]).sum::<f64>();
        let slopes = (0..self.order).flat_map(|k| (0..channels * channels).map(move |ij| (k, ij / channels, ij % channels)));
        let slopes = slopes.map(|(k, i, j)| slope(k, i, j)).collect();
        let channel = || coordinates.axis("channel");
        vec![
            ParameterArray::new("intercept", "constant of each channel", vec![channel()], (0..channels).map(constant).collect()),
            ParameterArray::new(
                "coefs",
                "what a channel takes of each channel, by lag",
                vec![ArrayAxis::numbered("lag", self.order), channel(), channel()],
                slopes,
            ),
            ParameterArray::new(
                "variances",
                "variance of each channel given the times before",
                vec![channel()],
                coordinates.variances(&self.innovations),
            ),
        ]
    }
    /// The first times are given.
    fn observations(&self, inputs: &Series) -> Vec<usize> {
        (0..Cells::len(inputs)).map(|row| inputs.length(row).saturating_sub(self.order)).collect()
    }
    /// The first times are drawn by the mean and the variance of all times, each of the others by those before it.
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (channels, times) = (self.innovations.len(), rows.saturating_mul(self.length));
        Control::default().plan("a sample of series", 8 * (times as u64).saturating_mul(channels as u64))?;
        let mut values: Vec<f64> = Vec::with_capacity(times * channels);
        for _ in 0..rows {
            let start = values.len();
            for t in 0..self.length {
                for c in 0..channels {
                    let normal: f64 = StandardNormal.sample(&mut random);
                    if t < self.order {
                        values.push(self.mean[c] + self.variances[c].sqrt() * normal);
                        continue;
                    }
                    let a = &self.coefficients[c * self.lags()..(c + 1) * self.lags()];
                    let here = start + t * channels;
                    let lag = |k: usize| &values[here - (k + 1) * channels..here - k * channels];
                    let slopes = a[1..].chunks(channels).enumerate();
                    let mean = a[0] + slopes.map(|(k, a)| a.iter().zip(lag(k)).map(|(a, x)| a * x).sum::<f64>()).sum::<f64>();
                    values.push(mean + self.innovations[c].sqrt() * normal);
                }
            }
        }
        if values.iter().any(|x| !x.is_finite()) {
            let why = "the series grows beyond all numbers; take a smaller length, or a prior further above 1".into();
            return Err(Error::Numerical { what: "a sample of autoregressive".into(), why });
        }
        Series::new((0..=rows).map(|row| row * self.length).collect(), Points::dense(times, channels, values)?).map(Values::Series)
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.is_maximum
    }
    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }
}

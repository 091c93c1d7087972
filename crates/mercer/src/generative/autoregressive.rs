//! autoregressive: p(x) = prod_{t > p} N(x_t; c + sum_k A_k x_{t-k}, V) with a diagonal V, given the first p times of the series
//! (Luetkepohl, New introduction to multiple time series analysis, 2005, 3.2 and 3.4).
//!
//! Each channel is a weighted least squares fit to the last p times of all channels. The prior adds prior - 1 times without any
//! dependence between channels and times, with the mean and the variance of all times, which shrinks A towards 0. The score vector is in
//! c, A and V, channel after channel.

mod fitted;

use super::distinct::distinct_series;
use super::gaussian::Moments;
use super::gaussian_hmm::longest;
use super::hmm::{LENGTH, check_prior};
use super::seeding::LEAST_SHARE;
use super::{FittedDistribution, GenerativeModel, hidden};
use crate::control::Control;
use crate::data::{Cells, RowWeights, Series};
use crate::error::{Error, Result};
use crate::linalg::{Cholesky, Matrix, gramian_of_columns_within};
use crate::notice::Notice;
use crate::param::Value;
use fitted::FittedAutoregressive;
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The vector autoregression of series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Autoregressive {
    /// times that the next one depends on
    #[param(default = 1.0, domain = Integer(1, 10_000))]
    order: Value,
    /// 1 or above: prior - 1 times of white noise with the mean and the variance of all times are added to those of the rows, so that
    /// coefficients shrink towards 0; 1: least squares
    #[param(default = 1.1, domain = Positive)]
    prior: Value,
    #[param(LENGTH)]
    length: Value,
}

/// An error that names the first series of fewer times than the order and one more.
fn check_lengths(order: usize, inputs: &Series) -> Result<()> {
    match (0..Cells::len(inputs)).find(|&row| inputs.length(row) <= order) {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "row {}: autoregressive(order={order}) takes series of {} times or more, found {}; take a smaller order, or leave the row out",
            row + 1,
            order + 1,
            inputs.length(row)
        ))),
    }
}

impl GenerativeModel for Autoregressive {
    const NAME: &'static str = "autoregressive";
    const DOC: &'static str =
        "prod over t of N(x_t; c + sum over k of A_k x_t-k, V): series in which each time depends on the last few, of all channels";
    const SOURCE: &'static str = "Luetkepohl, New introduction to multiple time series analysis (2005), sections 3.2 and 3.4";
    type Inputs = Series;
    type Fitted = FittedAutoregressive;

    fn settle(&self, inputs: &Series, _: RowWeights<'_>) -> Self {
        Autoregressive { length: self.length.settle_by(|| longest(inputs)), ..self.clone() }
    }
    fn check(&self, inputs: &Series) -> Result<()> {
        check_prior(Self::NAME, &self.prior)?;
        if self.order.is_settled() { check_lengths(self.order.integer(), inputs) } else { Ok(()) }
    }
    fn free_parameters(&self, inputs: &Series) -> Option<usize> {
        let channels = inputs.channels();
        Some(channels * (self.order.integer() * channels + 2))
    }
    fn fit(&self, inputs: &Series, weights: RowWeights<'_>, _seed: u64, control: &Control) -> Result<FittedAutoregressive> {
        self.fitted(inputs, weights, None, control)
    }
    /// A channel that is constant in the class has the variance of all series in the prior.
    fn fit_class(
        &self,
        inputs: &Series,
        weights: RowWeights<'_>,
        all: (&Series, RowWeights<'_>),
        _: u64,
        control: &Control,
    ) -> Result<FittedAutoregressive> {
        self.fitted(inputs, weights, Some(all), control)
    }
}

impl Autoregressive {
    /// The model of some series; beside all of them, where they are those of a class.
    fn fitted(
        &self,
        inputs: &Series,
        weights: RowWeights<'_>,
        all: Option<(&Series, RowWeights<'_>)>,
        control: &Control,
    ) -> Result<FittedAutoregressive> {
        let (order, channels, added) = (self.order.integer(), inputs.channels(), self.prior.number() - 1.0);
        let (kept, counts) = distinct_series(inputs, weights);
        let series = Cells::select(inputs, &kept);
        if kept.is_empty() {
            return Err(Error::Data(format!("{}: there is no row of positive weight to fit it to", Self::NAME)));
        }
        let each: Vec<f64> = (0..kept.len()).flat_map(|row| std::iter::repeat_n(counts[row], series.length(row))).collect();
        let moments = Moments::of(series.vectors(), RowWeights::from(Some(each.as_slice())), control)?;
        let variances = moments.variances_of_series(all, control)?;
        let (lags, width) = (1 + order * channels, 1 + (order + 1) * channels);
        control.plan("predictors of autoregressive", 16 * (width as u64).saturating_mul(each.len() as u64))?;
        // Of each time that has enough before it: 1, the times before, the time itself, all less the mean.
        let (mut equations, mut shares) = (Vec::new(), Vec::new());
        for (row, count) in counts.iter().enumerate() {
            for t in series.range(row).skip(order) {
                equations.push(1.0);
                (1..=order).for_each(|lag| equations.extend_from_slice(moments.centred.row(t - lag)));
                equations.extend_from_slice(moments.centred.row(t));
                shares.push(*count);
            }
        }
        let equations = Matrix::new(shares.len(), width, equations)?;
        let mut gram = gramian_of_columns_within(&equations, Some(&shares), control)?;
        let priors: Vec<f64> = std::iter::once(1.0).chain(variances.repeat(order)).collect();
        priors.iter().enumerate().for_each(|(k, v)| gram[(k, k)] += added * v);
        // Predictors of one size.
        let scales: Vec<f64> = (0..lags).map(|k| if gram[(k, k)] > 0.0 { gram[(k, k)].sqrt() } else { 1.0 }).collect();
        let predictors = Matrix::from_fn(lags, lags, |i, j| gram[(i, j)] / scales[i] / scales[j]);
        let factor = Cholesky::new(predictors, control)?;
        let answers = Matrix::from_fn(lags, channels, |k, c| gram[(k, lags + c)] / scales[k]);
        let solved = factor.solve(&answers, control)?;
        let slopes = Matrix::from_fn(channels, lags, |c, k| solved[(k, c)] / scales[k]);
        let total = shares.iter().sum::<f64>() + added;
        let variance = |c: usize| {
            let residual = |row: &[f64]| row[lags + c] - slopes.row(c).iter().zip(row).map(|(a, z)| a * z).sum::<f64>();
            let squares: f64 = (0..equations.rows()).map(|i| shares[i] * residual(equations.row(i)).powi(2)).sum();
            let prior = variances[c] + slopes.row(c).iter().zip(&priors).map(|(a, v)| a * a * v).sum::<f64>();
            ((squares + added * prior) / total).max(LEAST_SHARE * variances[c])
        };
        let innovations = (0..channels).map(variance).collect();
        // The constant of the series themselves, not of their distances to the mean.
        let mut coefficients = slopes.clone();
        for c in 0..channels {
            let level: f64 = slopes.row(c)[1..].iter().zip(moments.mean.iter().cycle()).map(|(a, m)| a * m).sum();
            coefficients[(c, 0)] += moments.mean[c] - level;
        }
        let length = self.length.integer().max(order + 1);
        let mut fitted = FittedAutoregressive::new(order, length, coefficients.into_data(), innovations, moments.mean, variances);
        if factor.jitter() > 0.0 {
            fitted.notices.push(Notice::DependentPredictors);
        }
        fitted.is_maximum = added == 0.0 && hidden::sums_to_zero(&fitted.scores(&series)?, &counts);
        Ok(fitted)
    }
}

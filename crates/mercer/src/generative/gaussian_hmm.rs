//! gaussian_hmm: p(x) = sum_s pi(s_1) N(x_1 | s_1) prod_t A(s_{t-1}, s_t) N(x_t | s_t), a series that hidden states emit, each by a normal
//! distribution with a mean and a variance for each channel, given its length (Rabiner 1989; Murphy 2012, 17.5).
//!
//! Fitted by Baum-Welch from several starts. The prior is that of `hmm` for probabilities; to the observations of a state it adds
//! prior - 1 that have the mean and the variance of all times. The score vector is in the log ratios of pi and A, the means and the
//! variances.

mod fitted;

use super::distinct::distinct_series;
use super::gaussian::Moments;
use super::hidden::{Training, Transitions, baum_welch};
use super::hmm::{ITERATIONS, LENGTH, PRIOR, STARTS, STATES, TOLERANCE, check_prior};
use super::{GenerativeModel, seeding};
use crate::control::Control;
use crate::data::{Cells, RowWeights, Series};
use crate::error::{Error, Result};
use crate::param::Value;
use fitted::{FittedGaussianHmm, NormalEmission, SeriesRows};
use mercer_derive::Parameters;
use serde::{Deserialize, Serialize};

/// The hidden Markov model of series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Parameters)]
#[serde(deny_unknown_fields)]
pub struct GaussianHmm {
    #[param(STATES, default = 2.0)]
    states: Value,
    #[param(STARTS, default = 3.0)]
    starts: Value,
    #[param(ITERATIONS, default = 100.0)]
    iterations: Value,
    #[param(PRIOR, default = 1.1)]
    prior: Value,
    #[param(TOLERANCE, default = 1e-6)]
    tolerance: Value,
    #[param(LENGTH)]
    length: Value,
}

/// Times of the longest row, 1 at least.
pub(super) fn longest(inputs: &Series) -> f64 {
    (0..Cells::len(inputs)).map(|row| inputs.length(row)).max().unwrap_or(0).max(1) as f64
}

impl GenerativeModel for GaussianHmm {
    const NAME: &'static str = "gaussian_hmm";
    const DOC: &'static str = "sum over s of pi(s_1) N(x_1 | s_1) prod A(s_t-1, s_t) N(x_t | s_t): series whose mean and variance depend on a state that changes unseen";
    const SOURCE: &'static str = "Rabiner, A tutorial on hidden Markov models (1989); Murphy (2012), section 17.5";
    type Inputs = Series;
    type Fitted = FittedGaussianHmm;

    fn settle(&self, inputs: &Series, _: RowWeights<'_>) -> Self {
        GaussianHmm { length: self.length.settle_by(|| longest(inputs)), ..self.clone() }
    }
    fn check(&self, _: &Series) -> Result<()> {
        check_prior(Self::NAME, &self.prior)
    }
    fn free_parameters(&self, inputs: &Series) -> Option<usize> {
        let states = self.states.integer();
        Some(Transitions::width(states) + 2 * states * inputs.channels())
    }
    fn fit(&self, inputs: &Series, weights: RowWeights<'_>, seed: u64, control: &Control) -> Result<FittedGaussianHmm> {
        self.fitted(inputs, weights, None, seed, control)
    }
    /// A channel that is constant in the class has the variance of all series in the prior.
    fn fit_class(
        &self,
        inputs: &Series,
        weights: RowWeights<'_>,
        all: (&Series, RowWeights<'_>),
        seed: u64,
        control: &Control,
    ) -> Result<FittedGaussianHmm> {
        self.fitted(inputs, weights, Some(all), seed, control)
    }
}

impl GaussianHmm {
    /// The chain of some series; beside all of them, where they are those of a class.
    fn fitted(
        &self,
        inputs: &Series,
        weights: RowWeights<'_>,
        all: Option<(&Series, RowWeights<'_>)>,
        seed: u64,
        control: &Control,
    ) -> Result<FittedGaussianHmm> {
        let (kept, counts) = distinct_series(inputs, weights);
        let series = Cells::select(inputs, &kept);
        if series.vectors().rows() == 0 {
            return Err(Error::Data(format!("{}: there is no row of positive weight and of 1 time at least to fit it to", Self::NAME)));
        }
        let each: Vec<f64> = (0..kept.len()).flat_map(|row| std::iter::repeat_n(counts[row], series.length(row))).collect();
        let moments = Moments::of(series.vectors(), RowWeights::from(Some(each.as_slice())), control)?;
        let (mean, variances, rows) = (moments.mean.clone(), moments.variances_of_series(all, control)?, SeriesRows::of(&series));
        let training = Training {
            model: Self::NAME,
            states: self.states.integer(),
            starts: self.starts.integer(),
            iterations: self.iterations.integer(),
            tolerance: self.tolerance.number(),
            prior: self.prior.number(),
            seed,
        };
        let start = |random: &mut _| {
            let means = seeding::centres(random, rows.values(), &variances, &each, training.states);
            NormalEmission::new(means, variances.repeat(training.states)).with_prior(&mean, &variances)
        };
        let trained = baum_welch(&training, &rows, &counts, start, control)?;
        Ok(FittedGaussianHmm::trained(trained, self.length.integer(), &rows, &counts, training.prior == 1.0, control))
    }
}

//! A fitted hidden Markov model of series: densities, score vectors, samples, probability products.

use crate::blocks;
use crate::control::Control;
use crate::data::{Cells, Points, Series, Values};
use crate::error::{Error, Result};
use crate::generative::hidden::{self, Emission, Lane, Trained, Transitions};
use crate::generative::seeding::LEAST_SHARE;
use crate::generative::{ArrayAxis, Coordinates, FittedDistribution, FreeParameter, HiddenStates, ParameterArray};
use crate::linalg::Matrix;
use crate::notice::Notice;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A hidden Markov model of series with its probabilities, means and variances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredGaussianHmm")]
pub struct FittedGaussianHmm {
    chain: Transitions,
    emission: NormalEmission,
    length: usize,
    is_maximum: bool,
    notices: Vec<Notice>,
}

/// Normal distributions of each state: a mean and a variance for each channel, state after state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalEmission {
    #[serde(with = "blocks::f64s")]
    means: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    variances: Vec<f64>,
    /// Mean and variance of all times, channel by channel, while it is trained.
    #[serde(skip)]
    all: Vec<(f64, f64)>,
}

/// A fit as a file holds it, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGaussianHmm {
    chain: Transitions,
    emission: NormalEmission,
    length: usize,
    is_maximum: bool,
    notices: Vec<Notice>,
}

impl TryFrom<StoredGaussianHmm> for FittedGaussianHmm {
    type Error = Error;
    fn try_from(StoredGaussianHmm { chain, emission, length, is_maximum, notices }: StoredGaussianHmm) -> Result<Self> {
        chain.check("gaussian_hmm")?;
        Error::unless_equal("variances of a stored gaussian_hmm", emission.means.len(), emission.variances.len())?;
        let NormalEmission { means, variances, .. } = &emission;
        let sound = means.len().is_multiple_of(chain.states()) && means.iter().all(|m| m.is_finite());
        if !sound || !variances.iter().all(|v| *v > 0.0 && v.is_finite()) {
            return Err(Error::Data("a stored gaussian_hmm has means or variances that none has".into()));
        }
        Ok(FittedGaussianHmm { chain, emission, length, is_maximum, notices })
    }
}

/// Series as numbers, one time after the other.
pub(super) struct SeriesRows {
    values: Vec<f64>,
    channels: usize,
    starts: Vec<usize>,
}

impl SeriesRows {
    pub(super) fn of(series: &Series) -> Self {
        let starts = (0..Cells::len(series)).map(|row| series.range(row).start).chain([series.vectors().rows()]).collect();
        SeriesRows { values: series.vectors().to_dense().into_owned(), channels: series.channels(), starts }
    }
    /// The numbers of all times.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }
    /// The vectors of a row, in order of time.
    fn row(&self, row: usize) -> impl Iterator<Item = &[f64]> {
        self.values[self.starts[row] * self.channels..self.starts[row + 1] * self.channels].chunks(self.channels.max(1))
    }
}

impl NormalEmission {
    pub(super) fn new(means: Vec<f64>, variances: Vec<f64>) -> Self {
        NormalEmission { means, variances, all: Vec::new() }
    }
    /// The emission under a prior around the mean and the variance of all times.
    pub(super) fn with_prior(self, mean: &[f64], variances: &[f64]) -> Self {
        NormalEmission { all: mean.iter().copied().zip(variances.iter().copied()).collect(), ..self }
    }
    fn channels(&self, states: usize) -> usize {
        self.means.len() / states
    }
    /// Mean and variance of each channel of a state.
    fn state(&self, q: usize, channels: usize) -> impl Iterator<Item = (f64, f64)> {
        let of = q * channels..(q + 1) * channels;
        self.means[of.clone()].iter().copied().zip(self.variances[of].iter().copied())
    }
}

/// Of each state: the sum of the posterior probabilities, and for each channel those of the distances to the mean and of their squares.
impl Emission for NormalEmission {
    type Sequences = SeriesRows;

    fn length(rows: &SeriesRows, row: usize) -> usize {
        rows.starts[row + 1] - rows.starts[row]
    }
    fn width(&self, states: usize) -> usize {
        states + 2 * self.means.len()
    }
    fn densities(&self, states: usize, rows: &SeriesRows, block: &[usize], into: &mut [Lane], logs: &mut Lane) {
        let channels = self.channels(states);
        let constants: Vec<f64> = (0..states).map(|q| -0.5 * self.state(q, channels).map(|(_, v)| (TAU * v).ln()).sum::<f64>()).collect();
        for (lane, &row) in block.iter().enumerate() {
            for (x, into) in rows.row(row).zip(into.chunks_mut(states)) {
                let mut largest = f64::NEG_INFINITY;
                for (q, to) in into.iter_mut().enumerate() {
                    let squares: f64 = x.iter().zip(self.state(q, channels)).map(|(x, (m, v))| (x - m) * (x - m) / v).sum();
                    to[lane] = constants[q] - 0.5 * squares;
                    largest = largest.max(to[lane]);
                }
                // So far from every state that no square of the distance is a number, all are as likely.
                let known = largest > f64::NEG_INFINITY;
                into.iter_mut().for_each(|to| to[lane] = if known { (to[lane] - largest).exp() } else { 1.0 });
                logs[lane] += largest;
            }
        }
    }
    fn count(&self, states: usize, rows: &SeriesRows, block: &[usize], posterior: &[Lane], into: &mut [Lane]) {
        let channels = self.channels(states);
        for (lane, &row) in block.iter().enumerate() {
            for (x, posterior) in rows.row(row).zip(posterior.chunks(states)) {
                for (q, (p, into)) in posterior.iter().zip(into.chunks_mut(1 + 2 * channels)).enumerate() {
                    into[0][lane] += p[lane];
                    for (c, (x, (m, _))) in x.iter().zip(self.state(q, channels)).enumerate() {
                        into[1 + c][lane] += p[lane] * (x - m);
                        into[1 + channels + c][lane] += p[lane] * (x - m) * (x - m);
                    }
                }
            }
        }
    }
    fn updated(&self, states: usize, counts: &[f64], prior: f64) -> Self {
        let (channels, added) = (self.channels(states), prior - 1.0);
        let mut next = self.clone();
        for (q, counts) in counts.chunks(1 + 2 * channels).enumerate() {
            let total = counts[0] + added;
            if total < f64::MIN_POSITIVE {
                continue;
            }
            for (c, (mean, variance)) in self.all.iter().enumerate() {
                let away = mean - self.means[q * channels + c];
                let step = (counts[1 + c] + added * away) / total;
                let second = (counts[1 + channels + c] + added * (variance + away * away)) / total;
                next.means[q * channels + c] += step;
                next.variances[q * channels + c] = (second - step * step).max(LEAST_SHARE * variance);
            }
        }
        next
    }
    fn log_prior(&self, states: usize, prior: f64) -> f64 {
        let channels = self.channels(states);
        let term = |((m, v), (mean, variance)): ((f64, f64), &(f64, f64))| (TAU * v).ln() + (variance + (mean - m).powi(2)) / v;
        let of = |q: usize| self.state(q, channels).zip(&self.all).map(term).sum::<f64>();
        -0.5 * (prior - 1.0) * (0..states).map(of).sum::<f64>()
    }
    fn push_parameters(&self, states: usize, to: &mut Vec<FreeParameter>) {
        let channels = self.channels(states);
        for (what, values) in [("mean", &self.means), ("variance", &self.variances)] {
            let named = |k: usize| format!("{what}[{},{}]", k / channels + 1, k % channels + 1);
            to.extend(values.iter().enumerate().map(|(k, &value)| FreeParameter { name: named(k), value }));
        }
    }
    /// sum p (x - m) / v for a mean, sum p ((x - m)^2 / v - 1) / (2 v) for a variance.
    fn push_scores(&self, states: usize, counts: &[f64], to: &mut Vec<f64>) {
        let channels = self.channels(states);
        let each = || counts.chunks(1 + 2 * channels).enumerate().flat_map(|(q, counts)| (0..channels).map(move |c| (q, c, counts)));
        to.extend(each().map(|(q, c, counts)| counts[1 + c] / self.variances[q * channels + c]));
        to.extend(each().map(|(q, c, counts)| {
            let v = self.variances[q * channels + c];
            0.5 * (counts[1 + channels + c] / v - counts[0]) / v
        }));
    }
}

impl FittedGaussianHmm {
    pub(super) fn trained(
        trained: Trained<NormalEmission>,
        length: usize,
        rows: &SeriesRows,
        weights: &[f64],
        is_flat: bool,
        control: &Control,
    ) -> Self {
        let Trained { chain, emission, notices } = trained;
        let is_maximum = is_flat && hidden::is_maximum(&chain, &emission, rows, weights, control);
        FittedGaussianHmm { chain, emission: NormalEmission { all: Vec::new(), ..emission }, length, is_maximum, notices }
    }
    fn channels(&self) -> usize {
        self.emission.channels(self.chain.states())
    }
    fn rows(&self, inputs: &Series) -> Result<SeriesRows> {
        if inputs.vectors().rows() > 0 {
            Error::unless_equal("channels of gaussian_hmm", self.channels(), inputs.channels())?;
        }
        Ok(SeriesRows::of(inputs))
    }
}

impl FittedDistribution for FittedGaussianHmm {
    type Inputs = Series;

    fn parameters(&self) -> Vec<FreeParameter> {
        let mut all = Vec::new();
        self.chain.push_parameters(&mut all);
        self.emission.push_parameters(self.chain.states(), &mut all);
        all
    }
    fn with_parameters(&self, values: &[f64]) -> Result<Self> {
        let (own, each) = (Transitions::width(self.chain.states()), self.emission.means.len());
        Error::unless_equal("free parameters of gaussian_hmm", own + 2 * each, values.len())?;
        let (next, emitted) = values.split_at(own);
        let (means, variances) = emitted.split_at(each);
        let finite = values.iter().all(|v| v.is_finite());
        if !finite || variances.iter().any(|v| *v <= 0.0) {
            return Err(Error::Data("gaussian_hmm has finite parameters, and variances above 0".into()));
        }
        let chain = Transitions::from_parameters(self.chain.states(), next);
        let emission = NormalEmission::new(means.to_vec(), variances.to_vec());
        Ok(FittedGaussianHmm { chain, emission, length: self.length, is_maximum: false, notices: Vec::new() })
    }
    fn log_densities(&self, inputs: &Series) -> Result<Vec<f64>> {
        self.log_densities_within(inputs, &Control::unwatched())
    }
    fn log_densities_within(&self, inputs: &Series, control: &Control) -> Result<Vec<f64>> {
        Ok(hidden::passes_over(&self.chain, &self.emission, &self.rows(inputs)?, Cells::len(inputs), false, control)?.logs)
    }
    fn scores(&self, inputs: &Series) -> Result<Matrix> {
        self.scores_within(inputs, &Control::unwatched())
    }
    fn scores_within(&self, inputs: &Series, control: &Control) -> Result<Matrix> {
        hidden::scores(&self.chain, &self.emission, &self.rows(inputs)?, Cells::len(inputs), control)
    }
    fn information(&self) -> Option<Matrix> {
        None
    }
    fn log_product(&self, other: &Self, rho: f64) -> Result<f64> {
        self.log_product_within(other, rho, &Control::unwatched())
    }
    /// By pairs of states, with the integral of N(x; m, v) N(x; n, w), which is N(m; n, v + w).
    fn log_product_within(&self, other: &Self, rho: f64, control: &Control) -> Result<f64> {
        Error::unless_equal("length of the series of two hidden Markov models", self.length, other.length)?;
        Error::unless_equal("channels of two hidden Markov models", self.channels(), other.channels())?;
        if rho != 1.0 {
            let why = "a power of a sum over hidden states is no such sum: only rho=1 has a recursion".to_owned();
            return Err(Error::Setting { name: "rho".into(), why });
        }
        let (m, n, channels) = (self.chain.states(), other.chain.states(), self.channels());
        let pair = |k: usize| {
            let both = self.emission.state(k / n, channels).zip(other.emission.state(k % n, channels));
            -0.5 * both.map(|((m, v), (n, w))| (TAU * (v + w)).ln() + (m - n).powi(2) / (v + w)).sum::<f64>()
        };
        let logs: Vec<f64> = (0..m * n).map(pair).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let emitted: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        hidden::log_pair_sum(&self.chain, &other.chain, &emitted, largest, self.length, control)
    }
    fn arrays(&self, coordinates: &Coordinates) -> Vec<ParameterArray> {
        let axes = || vec![ArrayAxis::numbered("state", self.chain.states()), coordinates.axis("channel")];
        let NormalEmission { means, variances, .. } = &self.emission;
        let mut all = self.chain.arrays();
        all.push(ParameterArray::new("means", "mean of each channel", axes(), coordinates.points(means)));
        all.push(ParameterArray::new("covars", "variance of each channel", axes(), coordinates.variances(variances)));
        all
    }
    fn observations(&self, inputs: &Series) -> Vec<usize> {
        (0..Cells::len(inputs)).map(|row| inputs.length(row)).collect()
    }
    fn hidden_states(&self, inputs: &Series, control: &Control) -> Result<Option<Vec<HiddenStates>>> {
        hidden::decoded(&self.chain, &self.emission, &self.rows(inputs)?, Cells::len(inputs), control).map(Some)
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Values> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (channels, times) = (self.channels(), rows.saturating_mul(self.length));
        Control::default().plan("a sample of series", 8 * (times as u64).saturating_mul(channels as u64))?;
        let mut values = Vec::with_capacity(times * channels);
        for _ in 0..rows {
            let mut state = None;
            for _ in 0..self.length {
                let now = self.chain.draw(&mut random, state);
                let normal = |random: &mut Xoshiro256PlusPlus| -> f64 { StandardNormal.sample(random) };
                values.extend(self.emission.state(now, channels).map(|(m, v)| m + v.sqrt() * normal(&mut random)));
                state = Some(now);
            }
        }
        let starts = (0..=rows).map(|row| row * self.length).collect();
        Series::new(starts, Points::dense(times, channels, values)?).map(Values::Series)
    }
    fn is_maximum_likelihood(&self) -> bool {
        self.is_maximum
    }
    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }
}

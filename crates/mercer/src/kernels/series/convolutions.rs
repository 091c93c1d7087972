//! convolutions: k(x, z) = sum_j f_j(x) f_j(z) / count, f_j a feature of MiniRocket minus its mean over the training rows and divided by its
//! standard deviation there, 0 where that is 0 (Dempster, Schmidt & Webb, MiniRocket: a very fast (almost) deterministic transform for time
//! series classification, KDD 2021).
//!
//! A feature is the share of the times of a series at which the output of one of 84 fixed kernels, at one dilation, is above a bias: see
//! `series/convolved.rs`. Biases are quantiles of the outputs on a training row drawn for each kernel and dilation; their levels are the
//! multiples of the golden ratio modulo 1. Of several channels each kernel and dilation adds up the outputs of some that are drawn for it,
//! 2^u of them rounded down, u uniform between 0 and log2(1 + min(channels, 9)), as the program of the authors does.

use super::parts::convolved::{Combination, Convolver, KERNELS, SharedSums, combinations};
use crate::blocks;
use crate::control::Control;
use crate::data::{Inputs, PER_FUNCTION, Points, RowWeights, Series};
use crate::error::{Error, Result};
use crate::generative::distinct_series;
use crate::gram::{FeatureWeights, Fold, Identity, Kernel, Mercer, PointFormula, PreparedBatch, PreparedPoints, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Likeness by shares of convolutions above biases.
///
/// ```text
/// mean product of the features of MiniRocket, standardised on the training rows: at how many of the times of a
/// series the output of one of 84 small fixed kernels, dilated, is above a bias
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Convolutions {
    /// number of features, rounded down to a multiple of 84
    // As in the paper.
    #[param(default = 10_000.0, domain = Integer(KERNELS, 1_000_000))]
    count: Value,
    /// seed of the training rows that biases are taken from, and of the channels that are added up
    #[param(default = 0.0, domain = Integer(0, usize::MAX))]
    seed: Value,
}

/// Rows whose moments are summed together, in order.
const TOGETHER: usize = 32;
/// Bytes of a feature of a row: as it is computed, and prepared.
const PER_FEATURE: u64 = 16;
/// What long work is called.
const WORK: &str = "convolutions of series";

/// Learnt from the training series: biases, the channels that are added up, means and deviations of features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvolutionBiases {
    channels: usize,
    /// Times of the longest training row.
    length: usize,
    /// Channels that each combination of kernel and dilation adds up: how many, and which; none of series of one channel.
    #[serde(with = "blocks::usizes")]
    added_counts: Vec<usize>,
    #[serde(with = "blocks::usizes")]
    added: Vec<usize>,
    #[serde(with = "blocks::f64s")]
    biases: Vec<f64>,
    #[serde(with = "blocks::f64s")]
    means: Vec<f64>,
    /// 1 / (standard deviation * sqrt(count)), 0 of a feature that is constant.
    #[serde(with = "blocks::f64s")]
    factors: Vec<f64>,
}

impl ConvolutionBiases {
    /// The channels that each combination adds up.
    fn added(&self, combinations: usize) -> Vec<&[usize]> {
        let mut rest = &self.added[..];
        let mut next = |count: usize| {
            let (own, behind) = rest.split_at(count);
            rest = behind;
            own
        };
        if self.channels > 1 { self.added_counts.iter().map(|count| next(*count)).collect() } else { vec![&[0]; combinations] }
    }

    /// An error unless everything is there for so many features and combinations, as it may not be in a damaged file.
    fn check(&self, features: usize, combinations: usize) -> Result<()> {
        for numbers in [&self.biases, &self.means, &self.factors] {
            Error::unless_equal("features of convolutions", features, numbers.len())?;
        }
        if self.channels > 1 {
            let most = self.added_counts.iter().fold(0usize, |sum, count| sum.saturating_add(*count));
            Error::unless_equal("kernels and dilations of convolutions", combinations, self.added_counts.len())?;
            Error::unless_equal("channels that convolutions add up", most, self.added.len())?;
            Error::unless_equal("channels of convolutions", self.added.len(), self.added.iter().filter(|c| **c < self.channels).count())?;
        }
        Ok(())
    }
}

/// Rows as the features of convolutions.
pub struct ConvolutionFeatures(PreparedPoints);

impl PreparedBatch for ConvolutionFeatures {
    const FOLDS: bool = true;
    fn gather(&self, rows: &[usize]) -> Option<Self> {
        self.0.gather(rows).map(ConvolutionFeatures)
    }
    fn fold(&self, coef: &Matrix) -> Option<Box<dyn Fold<Self>>> {
        let weights = (coef.cols() < self.0.rows()).then(|| FeatureWeights::of(&self.0, coef))?;
        weights.map(|weights| Box::new(weights) as _)
    }
}

impl Fold<ConvolutionFeatures> for FeatureWeights {
    fn values(&self, batch: &ConvolutionFeatures, rows: &[usize]) -> Matrix {
        self.sums(&batch.0, rows)
    }
}

/// A quantile of sorted numbers, linear between them; 0 of none.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let place = level * sorted.len().saturating_sub(1) as f64;
    let at = |place: usize| sorted.get(place).copied();
    let low = at(place as usize).unwrap_or(0.0);
    low + place.fract() * (at(place as usize + 1).unwrap_or(low) - low)
}

/// The channels that each of so many combinations adds up, ascending, as their numbers and one list.
fn drawn_channels(channels: usize, combinations: usize, random: &mut Xoshiro256PlusPlus) -> (Vec<usize>, Vec<usize>) {
    // Channels that one kernel adds up at most.
    const MOST_ADDED: usize = 9;
    let (mut counts, mut added) = (Vec::new(), Vec::new());
    let most = channels.min(MOST_ADDED);
    for _ in 0..if channels > 1 { combinations } else { 0 } {
        let count = ((random.random::<f64>() * ((most + 1) as f64).log2()).exp2() as usize).clamp(1, most);
        let mut own = rand::seq::index::sample(random, channels, count).into_vec();
        own.sort_unstable();
        counts.push(count);
        added.extend(own);
    }
    (counts, added)
}

/// The biases of each combination: quantiles of its outputs on one of the distinct rows, drawn by weight.
fn drawn_biases(
    combinations: &[Combination],
    added: &[&[usize]],
    (series, channels): (&[&[f64]], usize),
    weights: &[f64],
    random: &mut Xoshiro256PlusPlus,
) -> Vec<f64> {
    // The golden ratio, whose multiples are spread evenly modulo 1.
    const GOLDEN: f64 = 1.618_033_988_749_895;
    let mut total = 0.0;
    let (mut rows, mut bounds) = (Vec::new(), Vec::new());
    for (row, weight) in weights.iter().enumerate().filter(|(row, _)| !series[*row].is_empty()) {
        total += weight;
        rows.push(row);
        bounds.push(total);
    }
    let Some(&last) = rows.last() else { return vec![0.0; combinations.last().map_or(0, |c| c.features.end)] };
    let mut draw = || {
        let at = random.random::<f64>() * total;
        rows.get(bounds.partition_point(|bound| *bound <= at)).copied().unwrap_or(last)
    };
    let drawn: Vec<usize> = combinations.iter().map(|_| draw()).collect();
    let one = |sums: &mut SharedSums, (place, combination): (usize, &Combination)| -> Vec<f64> {
        sums.take(series[drawn[place]], channels, combination);
        let mut outputs = sums.outputs(combination, added[place]).to_vec();
        outputs.sort_unstable_by(f64::total_cmp);
        combination.of_kernel.clone().map(|feature| quantile(&outputs, ((feature + 1) as f64 * GOLDEN).fract())).collect()
    };
    let biases: Vec<Vec<f64>> = combinations.par_iter().enumerate().map_init(SharedSums::default, one).collect();
    biases.concat()
}

/// The mean and the variance of each feature over distinct rows that count by weight.
fn moments(convolver: &Convolver<'_>, series: &[&[f64]], weights: &[f64], control: &Control) -> Result<Vec<[f64; 2]>> {
    let count = convolver.biases.len();
    // Differences from one of the rows: where all are equal both moments are exact.
    let mut origin = vec![0.0; count];
    if let Some(first) = series.first() {
        convolver.write(first, &mut SharedSums::default(), &mut origin);
    }
    let part = |(series, weights): (&[&[f64]], &[f64])| {
        let (mut sums, mut shares, mut part) = (SharedSums::default(), vec![0.0; count], vec![[0.0; 2]; count]);
        for (series, weight) in series.iter().zip(weights) {
            control.check_time(WORK)?;
            convolver.write(series, &mut sums, &mut shares);
            for ((sum, share), origin) in part.iter_mut().zip(&shares).zip(&origin) {
                let away = share - origin;
                *sum = [sum[0] + weight * away, sum[1] + weight * away * away];
            }
        }
        Ok::<_, Error>(part)
    };
    let parts: Vec<Vec<[f64; 2]>> = series.par_chunks(TOGETHER).zip(weights.par_chunks(TOGETHER)).map(part).collect::<Result<_>>()?;
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let both = |feature: usize| {
        let [sum, squares] = parts.iter().fold([0.0; 2], |[a, b], part| [a + part[feature][0], b + part[feature][1]]);
        [origin[feature] + sum / total, ((squares - sum * sum / total) / total).max(0.0)]
    };
    Ok((0..count).map(both).collect())
}

impl Convolutions {
    fn per_kernel(&self) -> usize {
        (self.count.integer() / KERNELS).max(1)
    }
    /// Features: as many for each kernel, no more than asked for.
    fn feature_count(&self) -> usize {
        KERNELS * self.per_kernel()
    }
}

impl Kernel for Convolutions {
    const NAME: &'static str = "convolutions";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Dempster, Schmidt & Webb, MiniRocket: a very fast (almost) deterministic transform for time series classification (2021), section 3";
    const BECAUSE: &'static str = "an inner product of shares of times";
    type Inputs = Series;
    type Learnt = ConvolutionBiases;
    type Prepared = ConvolutionFeatures;

    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Series, weights: RowWeights<'_>, control: &Control) -> Result<ConvolutionBiases> {
        let (channels, values) = (inputs.channels(), inputs.vectors().to_dense());
        // In one order and each once: neither the order of rows nor copies instead of weights change what is drawn.
        let (kept, weights) = distinct_series(inputs, weights);
        let series: Vec<&[f64]> = kept.iter().map(|row| numbers(inputs, &values, *row)).collect();
        let length = kept.iter().map(|row| inputs.length(*row)).max().unwrap_or(0);
        let blocks = 2 + kept.len().div_ceil(TOGETHER) as u64;
        control.plan(WORK, PER_FEATURE.saturating_mul(self.feature_count() as u64).saturating_mul(blocks))?;
        let combinations = combinations(length, self.per_kernel());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed.integer() as u64);
        let (added_counts, added) = drawn_channels(channels, combinations.len(), &mut random);
        let mut learnt = ConvolutionBiases { channels, length, added_counts, added, ..ConvolutionBiases::default() };
        let added = learnt.added(combinations.len());
        let biases = drawn_biases(&combinations, &added, (&series, channels), &weights, &mut random);
        if biases.iter().any(|bias| !bias.is_finite()) {
            let why = "sums of nine of their numbers exceed the range of numbers; scale the channels".into();
            return Err(Error::Numerical { what: "convolutions of the training series".into(), why });
        }
        let moments =
            moments(&Convolver { channels, combinations: &combinations, added: &added, biases: &biases }, &series, &weights, control)?;
        let root = (self.feature_count() as f64).sqrt();
        let factor = |variance: f64| if variance > 0.0 { 1.0 / (variance.sqrt() * root) } else { 0.0 };
        (learnt.means, learnt.factors) = moments.iter().map(|[mean, variance]| (*mean, factor(*variance))).unzip();
        learnt.biases = biases;
        Ok(learnt)
    }
    fn prepare(
        &self,
        learnt: &ConvolutionBiases,
        inputs: &Series,
        like: Option<&ConvolutionFeatures>,
        control: &Control,
    ) -> Result<ConvolutionFeatures> {
        let (rows, count) = (inputs.len(), self.feature_count());
        let combinations = combinations(learnt.length, self.per_kernel());
        learnt.check(count, combinations.len())?;
        if inputs.vectors().rows() > 0 {
            Error::unless_equal("channels of series, which convolutions were learnt from", learnt.channels, inputs.channels())?;
        }
        control.plan(WORK, PER_FEATURE.saturating_mul(count as u64).saturating_mul(rows as u64))?;
        let (values, added) = (inputs.vectors().to_dense(), learnt.added(combinations.len()));
        let convolver = Convolver { channels: learnt.channels, combinations: &combinations, added: &added, biases: &learnt.biases };
        let mut features = vec![0.0; rows * count];
        features.par_chunks_mut(count).enumerate().try_for_each_init(SharedSums::default, |sums, (row, out)| {
            control.check_time(WORK)?;
            convolver.write(numbers(inputs, &values, row), sums, out);
            out.iter_mut().zip(&learnt.means).zip(&learnt.factors).for_each(|((x, mean), factor)| *x = (*x - mean) * factor);
            Ok::<(), Error>(())
        })?;
        Ok(ConvolutionFeatures(PreparedPoints::plain(&Points::computed(rows, count, features), like.map(|like| &like.0))))
    }
    fn fill<T: Real>(&self, tile: Tile<'_, ConvolutionFeatures, T>) {
        tile.of(|features| &features.0).from_dots(Identity);
    }
    fn point_formula<'p>(&self, rows: &'p ConvolutionFeatures, cols: &'p ConvolutionFeatures) -> Option<PointFormula<'p>> {
        PointFormula::of_dots(Identity, &rows.0, &cols.0)
    }
    fn diagonal(&self, x: &ConvolutionFeatures) -> Vec<f64> {
        x.0.norms().to_vec()
    }
    fn features(&self, x: &ConvolutionFeatures) -> Option<Matrix> {
        Matrix::new(x.0.rows(), x.0.dim(), x.0.dense()?.to_vec()).ok()
    }
    fn rank(&self, _: &Series) -> Option<usize> {
        Some(self.feature_count())
    }
    fn points<'p>(&self, x: &'p ConvolutionFeatures) -> Option<&'p PreparedPoints> {
        Some(&x.0)
    }
    fn per_value(&self, _: &Series) -> f64 {
        PER_FUNCTION + 2.0 * self.feature_count() as f64
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

/// The numbers of a row, time after time.
fn numbers<'v>(inputs: &Series, values: &'v [f64], row: usize) -> &'v [f64] {
    let times = inputs.range(row);
    &values[times.start * inputs.channels()..times.end * inputs.channels()]
}

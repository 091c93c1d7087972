//! Batches of series as dense numbers, time after time.

use crate::data::{Inputs, Points, RowWeights, Series};
use crate::error::Result;
use std::borrow::Cow;
use std::ops::Range;

/// Series whose numbers may have been scaled.
pub(crate) struct DenseSeries {
    starts: Vec<usize>,
    channels: usize,
    values: Vec<f64>,
}

impl DenseSeries {
    /// Series times a factor.
    pub(crate) fn scaled(series: &Series, factor: f64) -> Self {
        let starts = (0..series.len()).map(|row| series.range(row).start).chain([series.vectors().rows()]).collect();
        let values = series.vectors().to_dense().iter().map(|x| factor * x).collect();
        DenseSeries { starts, channels: series.channels(), values }
    }

    /// Series minus their means, of each channel, divided by the root of the sum of squares of all channels; 0 where that is 0 but for
    /// rounding.
    pub(crate) fn unit(series: &Series) -> Self {
        let mut dense = DenseSeries::scaled(series, 1.0);
        for row in 0..dense.len() {
            let (times, channels) = (dense.range(row), dense.channels);
            let values = &mut dense.values[times.start * channels..times.end * channels];
            let rounding = 4.0 * f64::EPSILON * greatest(values);
            for channel in 0..channels {
                let mean = values.iter().skip(channel).step_by(channels).sum::<f64>() / times.len().max(1) as f64;
                values.iter_mut().skip(channel).step_by(channels).for_each(|x| *x -= mean);
            }
            let largest = greatest(values);
            let norm = values.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
            let factor = |x: f64| if largest > rounding { x / largest / norm } else { 0.0 };
            values.iter_mut().for_each(|x| *x = factor(*x));
        }
        dense
    }

    /// The differences of series from each time to the next, times a factor: one less than there are times.
    pub(crate) fn increments(series: &Series, factor: f64) -> Self {
        let (channels, all) = (series.channels(), series.vectors().to_dense());
        let (mut starts, mut values) = (vec![0], Vec::with_capacity(all.len()));
        for row in 0..series.len() {
            let times = series.range(row);
            let own = &all[times.start * channels..times.end * channels];
            values.extend(own.iter().zip(own.iter().skip(channels)).map(|(x, next)| factor * (next - x)));
            starts.push(starts[row] + times.len().saturating_sub(1));
        }
        DenseSeries { starts, channels, values }
    }

    /// Rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Numbers at each time.
    pub(crate) fn channels(&self) -> usize {
        self.channels
    }
    /// Times of a row.
    pub(crate) fn length(&self, row: usize) -> usize {
        self.range(row).len()
    }
    /// The numbers of a row, time after time.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        let times = self.range(row);
        &self.values[times.start * self.channels..times.end * self.channels]
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
}

/// The greatest absolute value; 0 of none.
fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// Series with one more channel, the time: from 0 at the first vector to 1 at the last.
pub(crate) fn with_time(series: &Series) -> Result<Cow<'_, Series>> {
    let (channels, all) = (series.channels(), series.vectors().to_dense());
    let starts = (0..series.len()).map(|row| series.range(row).start).chain([series.vectors().rows()]).collect();
    let mut values = Vec::with_capacity(all.len() + series.vectors().rows());
    for row in 0..series.len() {
        let steps = series.length(row).saturating_sub(1).max(1) as f64;
        for (step, time) in series.range(row).enumerate() {
            values.extend_from_slice(&all[time * channels..(time + 1) * channels]);
            values.push(step as f64 / steps);
        }
    }
    let vectors = Points::computed(series.vectors().rows(), channels + 1, values);
    Series::new(starts, vectors).map(Cow::Owned)
}

/// The sum of the variances of the channels over all vectors, each of which counts as often as its series; 0 where there is none.
pub(crate) fn total_variance(series: &Series, weights: RowWeights<'_>) -> f64 {
    let (channels, values) = (series.channels(), series.vectors().to_dense());
    let count: f64 = (0..series.len()).map(|row| weights.at(row) * series.length(row) as f64).sum();
    if count.is_nan() || count <= 0.0 {
        return 0.0;
    }
    // Sums over all vectors of their distances from an origin, and of the squares of these.
    let about = |origin: &[f64]| {
        let (mut sums, mut squares) = (vec![0.0; channels], vec![0.0; channels]);
        for row in 0..series.len() {
            let weight = weights.at(row);
            for time in series.range(row) {
                for (channel, x) in values[time * channels..(time + 1) * channels].iter().enumerate() {
                    let away = x - origin[channel];
                    sums[channel] += weight * away;
                    squares[channel] += weight * away * away;
                }
            }
        }
        (sums, squares)
    };
    // Neither a large mean nor a first vector that lies far from the others costs digits.
    let mut mean = values[..channels].to_vec();
    for _ in 0..2 {
        let (sums, _) = about(&mean);
        mean.iter_mut().zip(sums).for_each(|(m, sum)| *m += sum / count);
    }
    let (sums, squares) = about(&mean);
    sums.iter().zip(squares).map(|(sum, square)| (square - sum * sum / count).max(0.0) / count).sum()
}

/// Times of a series, on average by weight.
pub(crate) fn mean_length(series: &Series, weights: RowWeights<'_>) -> f64 {
    let times: f64 = (0..series.len()).map(|row| weights.at(row) * series.length(row) as f64).sum();
    times / weights.total(series.len()).max(f64::MIN_POSITIVE)
}

//! Batches of series as dense numbers, time after time.

use crate::data::{Inputs, RowWeights, Series};
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

/// The sum of the variances of the channels over all vectors, each of which counts as often as its series; 0 where there is none.
pub(crate) fn total_variance(series: &Series, weights: RowWeights<'_>) -> f64 {
    let (channels, values) = (series.channels(), series.vectors().to_dense());
    let (mut count, mut means, mut squares) = (0.0, vec![0.0; channels], vec![0.0; channels]);
    // Around the first vector, so that a large mean costs no digits.
    for row in 0..series.len() {
        let weight = weights.at(row);
        for time in series.range(row) {
            count += weight;
            for (channel, x) in values[time * channels..(time + 1) * channels].iter().enumerate() {
                let x = x - values[channel];
                means[channel] += weight * x;
                squares[channel] += weight * x * x;
            }
        }
    }
    if count > 0.0 { means.iter().zip(squares).map(|(sum, square)| (square - sum * sum / count).max(0.0) / count).sum() } else { 0.0 }
}

/// Times of a series, on average by weight.
pub(crate) fn mean_length(series: &Series, weights: RowWeights<'_>) -> f64 {
    let times: f64 = (0..series.len()).map(|row| weights.at(row) * series.length(row) as f64).sum();
    times / weights.total(series.len()).max(f64::MIN_POSITIVE)
}

//! Training rows in one order, with copies of a row counted once: neither the order of rows nor how copies are written, as rows or as
//! weights, changes what is drawn for a start or how sums are rounded.

use crate::data::{RowWeights, Series, Strings};
use std::cmp::Ordering;

/// The rows of positive weight that differ, in the order of `compare`, each with the weight of all its copies.
pub(crate) fn distinct(rows: usize, weights: RowWeights<'_>, compare: impl Fn(usize, usize) -> Ordering) -> (Vec<usize>, Vec<f64>) {
    let mut order: Vec<usize> = (0..rows).filter(|&i| weights.at(i) > 0.0).collect();
    order.sort_by(|&i, &j| compare(i, j).then(weights.at(i).total_cmp(&weights.at(j))));
    let (mut kept, mut sums): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    for i in order {
        match (kept.last(), sums.last_mut()) {
            (Some(&last), Some(sum)) if compare(last, i) == Ordering::Equal => *sum += weights.at(i),
            _ => {
                kept.push(i);
                sums.push(weights.at(i));
            }
        }
    }
    (kept, sums)
}

/// Two lists of finite numbers by their first unlike number, then by length.
pub(crate) fn compare_numbers(a: &[f64], b: &[f64]) -> Ordering {
    let unlike = a.iter().zip(b).map(|(a, b)| a.partial_cmp(b).unwrap_or(Ordering::Equal)).find(|order| order.is_ne());
    unlike.unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// Distinct strings.
pub(super) fn distinct_strings(inputs: &Strings, weights: RowWeights<'_>) -> (Vec<usize>, Vec<f64>) {
    distinct(inputs.len(), weights, |i, j| inputs.get(i).cmp(inputs.get(j)))
}

/// Distinct series.
pub(crate) fn distinct_series(inputs: &Series, weights: RowWeights<'_>) -> (Vec<usize>, Vec<f64>) {
    let (values, channels) = (inputs.vectors().to_dense(), inputs.channels());
    let row = |i: usize| &values[inputs.range(i).start * channels..inputs.range(i).end * channels];
    distinct(crate::data::Cells::len(inputs), weights, |i, j| compare_numbers(row(i), row(j)))
}

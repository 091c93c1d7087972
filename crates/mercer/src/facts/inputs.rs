//! Facts about single input columns: tails, vectors of length 1.

use super::{Fact, numbers, quoted};
use crate::data::{Column, Points, Storage, Values, Writing};

pub(super) fn fact(column: &Column, writing: Writing, standardise: bool) -> Option<Fact> {
    match &column.values {
        Values::Numbers(v) => numbers::of_input(&column.name, v, writing),
        Values::Points(p) if standardise => unit_length(&column.name, p),
        _ => None,
    }
}

fn unit_length(name: &str, points: &Points) -> Option<Fact> {
    // Length that a vector may differ from 1 by.
    const UNIT: f64 = 1e-3;
    // Unit vectors are reported from this share of all vectors; empty texts are no vectors of length 1.
    const MOST: f64 = 0.95;
    let Storage::Csr { starts, values, .. } = points.storage() else { return None };
    let squared = |w: &[usize]| values[w[0]..w[1]].iter().map(|x| x * x).sum::<f64>();
    let unit = starts.windows(2).filter(|w| (squared(w).sqrt() - 1.0).abs() <= UNIT && w[1] - w[0] > 1).count();
    (points.rows() > 1 && unit as f64 >= MOST * points.rows() as f64).then(|| Fact {
        leaks: Vec::new(),
        found: format!("{unit} of {} vectors of {} have length 1, as tf-idf and normalised counts have", points.rows(), quoted(name)),
        advice: "scaling the columns undoes that and mostly predicts worse; leave the numbers as they are (--no-standardise)".into(),
    })
}

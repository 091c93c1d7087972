//! Columns of numbers: one a row, NaN where it is missing.

use super::cells::{Cells, Draw, word_of_number};
use crate::param::Value;

/// Relative to the largest of them, numbers this near to each other are one number: sums of a few terms in another order differ so.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Whether numbers are one and the same but for rounding. Whole numbers are exact.
pub(crate) fn are_constant(values: impl Iterator<Item = f64> + Clone) -> bool {
    let Some(first) = values.clone().next() else { return true };
    if values.clone().all(|x| x == first) {
        return true;
    }
    let largest = values.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
    let near = |x: f64| (x - first).abs() <= ROUNDING * largest;
    values.clone().all(near) && values.clone().any(|x| x.fract() != 0.0)
}

impl Cells for Vec<f64> {
    type Schema = ();
    const WRITTEN: Option<&'static str> = Some("a finite number");

    fn len(&self) -> usize {
        self.as_slice().len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&i| self[i]).collect()
    }
    fn schema(&self) {}
    fn cell(&self, row: usize) -> serde_json::Value {
        self[row].into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        word(word_of_number(self[row]));
    }
    fn describe(&self) -> String {
        let there = || self.iter().copied().filter(|x| !x.is_nan());
        let short = |x: f64| Value::Number(x).rounded(4).to_string();
        match there().next() {
            Some(_) => format!("{} to {}", short(there().fold(f64::INFINITY, f64::min)), short(there().fold(f64::NEG_INFINITY, f64::max))),
            None => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.as_slice().len()).filter(|&i| self[i].is_nan()).collect()
    }
    fn is_constant(&self) -> bool {
        are_constant(self.iter().copied())
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        Some((0..draw.rows).map(|_| draw.number()).collect())
    }
}

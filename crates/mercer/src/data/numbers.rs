//! Columns of numbers: one a row, NaN where it is missing.

use super::cells::{Cells, Draw, word_of_number};
use crate::param::Value;

/// Whether numbers are one and the same but for rounding. Whole numbers are exact.
pub(crate) fn are_constant(values: impl Iterator<Item = f64> + Clone) -> bool {
    // Relative to the largest of them, numbers this near to each other are one number: sums of a few terms in another order differ so.
    const ROUNDING: f64 = 16.0 * f64::EPSILON;
    let Some(first) = values.clone().next() else { return true };
    if values.clone().all(|x| x == first) {
        return true;
    }
    let largest = values.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
    let near = |x: f64| (x - first).abs() <= ROUNDING * largest;
    values.clone().all(near) && values.clone().any(|x| x.fract() != 0.0)
}

/// A value such as -999 that stands several times far outside of all others.
pub(crate) fn marker(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let (&least, &most) = (sorted.first()?, sorted.last()?);
    [least, most].into_iter().find_map(|value| {
        let count = sorted.iter().filter(|&&x| x == value).count();
        let rest: Vec<f64> = sorted.iter().copied().filter(|&x| x != value).collect();
        let (&low, &high) = (rest.first()?, rest.last()?);
        let gap = if value < low { low - value } else { value - high };
        (count > 1 && nines(value) && gap > high - low).then_some(value)
    })
}

/// -9, 99, -999, 9999, ...
fn nines(value: f64) -> bool {
    let text = value.to_string();
    let digits = text.trim_start_matches('-');
    digits.bytes().all(|b| b == b'9') && (digits.len() > 1 || value < 0.0)
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

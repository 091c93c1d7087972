//! A batch of strings: texts or sequences.

use super::cells::{Cells, Draw, Misfit, words_of_text};
use super::{Arity, ColumnKind, Dataset, Inputs, PER_STEP, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One string a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Strings(Vec<String>);

impl Strings {
    /// The given strings, in order.
    pub fn new<S: Into<String>>(rows: impl IntoIterator<Item = S>) -> Self {
        Strings(rows.into_iter().map(Into::into).collect())
    }
    /// Rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The string of a row.
    pub fn get(&self, row: usize) -> &str {
        &self.0[row]
    }
    /// Whether all of them are made of the letters of nucleotides (IUPAC), nine in ten of which name one base, in capital and in small
    /// ones.
    pub(crate) fn are_nucleotides_of_both_cases(&self) -> bool {
        let (mut capital, mut small, mut bases) = (0usize, 0usize, 0usize);
        for b in self.iter().flat_map(str::bytes) {
            match b.to_ascii_uppercase() {
                b'A' | b'C' | b'G' | b'T' | b'U' | b'N' => bases += 1,
                b'R' | b'Y' | b'S' | b'W' | b'K' | b'M' | b'B' | b'D' | b'H' | b'V' => {}
                b'-' | b'.' => continue,
                _ => return false,
            }
            *if b.is_ascii_uppercase() { &mut capital } else { &mut small } += 1;
        }
        capital > 0 && small > 0 && 10 * bases >= 9 * (capital + small)
    }
    /// The strings, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl Cells for Strings {
    type Schema = ();
    const WRITTEN: Option<&'static str> = Some("a text");
    const EMPTY: Option<&'static str> = Some("the empty text");

    fn len(&self) -> usize {
        self.0.len()
    }
    fn select(&self, rows: &[usize]) -> Self {
        Strings(rows.iter().map(|&i| self.0[i].clone()).collect())
    }
    fn schema(&self) {}
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> std::result::Result<Self, Misfit> {
        Ok(Strings::new(texts))
    }
    fn texts(&self) -> Option<Cow<'_, Strings>> {
        Some(Cow::Borrowed(self))
    }
    fn cell(&self, row: usize) -> serde_json::Value {
        self.get(row).into()
    }
    fn words(&self, row: usize, word: &mut dyn FnMut(u64)) {
        words_of_text(self.get(row), word);
    }
    fn describe(&self) -> String {
        let lengths = || self.iter().map(|s| s.chars().count());
        match (lengths().min(), lengths().max()) {
            (Some(least), Some(most)) => format!("{least} to {most} characters"),
            _ => "nothing".into(),
        }
    }
    fn missing(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|&i| self.0[i].is_empty()).collect()
    }
    fn invent(draw: &mut Draw) -> Option<Self> {
        let rows = draw.rows;
        let string = |_| (0..draw.whole(2, 20)).map(|_| draw.one_of(&['A', 'C', 'G', 'T'])).collect();
        Some(Strings((0..rows).map(string).collect()))
    }
    /// A string of one letter, and those that have another letter at one of its places.
    fn star(others: usize) -> Option<Self> {
        let place = |changed: usize| (0..others).map(|i| if i == changed { 'C' } else { 'A' }).collect();
        Some(Strings((0..=others).rev().map(place).collect()))
    }
}

impl Inputs for Strings {
    const NEEDS: &'static str = "one column of sequences or texts";
    const ARITY: Arity = Arity::One;

    fn takes(kind: ColumnKind) -> bool {
        matches!(kind, ColumnKind::Text | ColumnKind::Sequence)
    }

    fn gather<'a>(data: &'a Dataset, columns: &[usize]) -> Result<Cow<'a, Self>> {
        if let [one] = columns
            && let Values::Texts(s) | Values::Sequences(s) = &data.columns()[*one].values
        {
            return Ok(Cow::Borrowed(s));
        }
        Err(Error::Shape { what: "columns of a string kernel".into(), expected: 1, found: columns.len() })
    }

    /// Letters of one against letters of the other, one pair after the other.
    fn per_pair(&self) -> f64 {
        let letters: usize = self.iter().map(|s| s.chars().count()).sum();
        PER_STEP * (letters as f64 / self.len().max(1) as f64).powi(2)
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

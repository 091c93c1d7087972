//! Strings as numbers of the letters of a model.

use super::{ParameterArray, simplex};
use crate::data::letters::{Alphabet, Ambiguity, Code, Encoded, Reading, with_codes};
use crate::data::{RowWeights, Strings};
use crate::notice::Notice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a model of strings reads them, as a file holds it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredReading {
    alphabet: Alphabet,
    ambiguity: Ambiguity,
}

impl From<Reading> for StoredReading {
    fn from(reading: Reading) -> Self {
        StoredReading { alphabet: reading.alphabet, ambiguity: reading.ambiguity }
    }
}

impl From<StoredReading> for Reading {
    fn from(stored: StoredReading) -> Self {
        Reading { alphabet: stored.alphabet, ambiguity: stored.ambiguity, reverse_complement: false }
    }
}

/// A letter that is not among those of the model: it tells nothing.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Strings as numbers of letters, one after the other.
pub(super) struct LetterCodes {
    codes: Vec<u32>,
    starts: Vec<usize>,
}

impl LetterCodes {
    /// The numbers of a string's letters.
    pub(super) fn row(&self, row: usize) -> &[u32] {
        &self.codes[self.starts[row]..self.starts[row + 1]]
    }
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// The letters that strings are written in: those of the alphabet, and of text those that there are, in order.
pub(super) fn letters_of(reading: Reading, inputs: &Strings) -> Vec<char> {
    let encoded = reading.encode(inputs, None);
    (0..encoded.size()).map(|code| encoded.letter(code)).collect()
}

/// Strings as numbers of these letters.
pub(super) fn coded(reading: Reading, letters: &[char], inputs: &Strings) -> LetterCodes {
    let encoded = reading.encode(inputs, Some(&Encoded::of_letters(letters.to_vec())));
    let mut made = LetterCodes { codes: Vec::new(), starts: vec![0] };
    for row in 0..encoded.len() {
        let number = |code: usize| if code < letters.len() { code as u32 } else { UNKNOWN };
        with_codes!(encoded, codes => made.codes.extend(codes[encoded.range(row)].iter().map(|code| number(code.number()))));
        made.starts.push(made.codes.len());
    }
    made
}

/// Letters of each string that the model has probabilities for.
pub(super) fn observed(reading: Reading, letters: &[char], inputs: &Strings) -> Vec<usize> {
    let coded = coded(reading, letters, inputs);
    (0..coded.len()).map(|row| coded.row(row).iter().filter(|code| **code != UNKNOWN).count()).collect()
}

/// The letters of each string that no training row has, ambiguous ones and masked ones aside.
pub(super) fn unseen(reading: Reading, letters: &[char], inputs: &Strings) -> Vec<Vec<char>> {
    let known: BTreeSet<char> = letters.iter().copied().collect();
    inputs.iter().map(|text| reading.foreign(&known, text)).collect()
}

/// The probability of a letter that no training row has: prior / (N + prior (A + 1)), where the prior is the count of each letter before any
/// string is seen, N counts the letters of the training rows by weight, A are the letters that there are, and one more stands for all
/// others. The probabilities of those A are not changed by it. All classes have it alike, so that it is no evidence for any.
pub(super) fn unseen_probability(reading: Reading, letters: &[char], (rows, weights): (&Strings, RowWeights<'_>), prior: f64) -> f64 {
    let counts = observed(reading, letters, rows);
    let total: f64 = counts.iter().enumerate().map(|(row, count)| weights.at(row) * *count as f64).sum();
    (prior / (total + prior * (letters.len() as f64 + 1.0))).max(simplex::LEAST)
}

/// Whether a stored number is such a probability.
pub(super) fn is_unseen_probability(p: f64) -> bool {
    p > 0.0 && p <= 1.0
}

pub(super) fn unseen_array(probability: f64) -> ParameterArray {
    ParameterArray::new("unseen", "probability of a letter that no training row has", Vec::new(), vec![probability])
}

/// The strings with such letters, and the notice about them.
pub(super) fn rows_of_unseen(reading: Reading, letters: &[char], inputs: &Strings) -> Option<(Vec<usize>, Notice)> {
    // Letters that a notice names.
    const NAMED: usize = 8;
    let unseen = unseen(reading, letters, inputs);
    let rows: Vec<usize> = (0..unseen.len()).filter(|&row| !unseen[row].is_empty()).collect();
    let all: BTreeSet<char> = unseen.into_iter().flatten().collect();
    let more = all.len().saturating_sub(NAMED);
    (!rows.is_empty()).then(|| (rows, Notice::UnseenLetters { letters: all.into_iter().take(NAMED).collect(), more }))
}

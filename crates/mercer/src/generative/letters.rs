//! Strings as numbers of the letters of a model.

use crate::data::Strings;
use crate::data::letters::{Alphabet, Ambiguity, Code, Encoded, Reading, with_codes};
use serde::{Deserialize, Serialize};

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

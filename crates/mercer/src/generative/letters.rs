//! Strings as numbers of letters: the characters of the training rows, in order of their code points.

use crate::data::Strings;
use crate::error::{Error, Result};
use std::collections::BTreeSet;

/// A letter that is not among those of the model: it tells nothing.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Strings as numbers of letters, one after the other.
pub(super) struct LetterCodes {
    pub(super) codes: Vec<u32>,
    pub(super) starts: Vec<usize>,
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

/// The different characters of strings.
pub(super) fn letters_of(inputs: &Strings) -> Vec<char> {
    inputs.iter().flat_map(str::chars).collect::<BTreeSet<char>>().into_iter().collect()
}

/// Letters that were declared, one character each, in order.
pub(super) fn declared(model: &str, words: &[String]) -> Result<Vec<char>> {
    let single = |word: &String| match (word.chars().next(), word.chars().nth(1)) {
        (Some(letter), None) => Ok(letter),
        _ => Err(Error::Setting { name: format!("{model}: letters"), why: format!("'{word}' is not one character; write [A, C, G, T]") }),
    };
    Ok(words.iter().map(single).collect::<Result<BTreeSet<char>>>()?.into_iter().collect())
}

/// Strings in terms of letters that are in order.
pub(super) fn coded(inputs: &Strings, letters: &[char], rows: impl Iterator<Item = usize>) -> LetterCodes {
    let mut made = LetterCodes { codes: Vec::new(), starts: vec![0] };
    for row in rows {
        made.codes.extend(inputs.get(row).chars().map(|c| letters.binary_search(&c).map_or(UNKNOWN, |k| k as u32)));
        made.starts.push(made.codes.len());
    }
    made
}

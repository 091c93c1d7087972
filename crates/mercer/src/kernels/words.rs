//! Documents as words and as runs of words.

use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tokens {
    /// A run of letters, digits and underscores.
    Words,
    /// All that stands between white space.
    Spaces,
}

/// Reads the words of a document that count, and runs of them, joined by one space.
pub(super) struct Words {
    tokens: Tokens,
    lower_case: bool,
    longest_run: usize,
    stop_words: HashSet<String>,
}

/// Documents that one thread reads together.
const TOGETHER: usize = 256;

impl Words {
    pub(super) fn new(tokens: Tokens, lower_case: bool, longest_run: usize, stop_words: &[String]) -> Self {
        let same_case = |word: &String| if lower_case { word.to_lowercase() } else { word.clone() };
        Words { tokens, lower_case, longest_run, stop_words: stop_words.iter().map(same_case).collect() }
    }

    /// Calls `visit` with every word and every run of words, in order. Stop words are taken out first.
    pub(super) fn each(&self, document: &str, mut visit: impl FnMut(&str)) {
        let lowered;
        let text = if self.lower_case {
            lowered = document.to_lowercase();
            &lowered
        } else {
            document
        };
        let counts = |word: &&str| !word.is_empty() && !self.stop_words.contains(*word);
        let words: Vec<&str> = match self.tokens {
            Tokens::Words => text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(counts).collect(),
            Tokens::Spaces => text.split_whitespace().filter(counts).collect(),
        };
        let mut run = String::new();
        for first in 0..words.len() {
            run.clear();
            for word in words[first..].iter().take(self.longest_run) {
                if !run.is_empty() {
                    run.push(' ');
                }
                run.push_str(word);
                visit(&run);
            }
        }
    }

    /// How many documents hold each word or run of words, by weight; words ascend.
    pub(super) fn frequencies(&self, documents: &Strings, weights: RowWeights<'_>, control: &Control) -> Result<Vec<(String, f64)>> {
        let rows: Vec<usize> = (0..documents.len()).collect();
        let of_some = |rows: &[usize]| -> Result<HashMap<String, (usize, f64)>> {
            control.check()?;
            // The last document that held the word, and the weight of all so far.
            let mut found: HashMap<String, (usize, f64)> = HashMap::new();
            for &i in rows {
                self.each(documents.get(i), |word| match found.get_mut(word) {
                    Some((last, _)) if *last == i => {}
                    Some(seen) => *seen = (i, seen.1 + weights.at(i)),
                    None => drop(found.insert(word.to_owned(), (i, weights.at(i)))),
                });
            }
            Ok(found)
        };
        let parts: Vec<HashMap<String, (usize, f64)>> = rows.par_chunks(TOGETHER).map(of_some).collect::<Result<_>>()?;
        // The parts in their order, so that sums have the same bits for any number of threads.
        let mut all: HashMap<String, f64> = HashMap::new();
        for (word, (_, weight)) in parts.into_iter().flatten() {
            *all.entry(word).or_insert(0.0) += weight;
        }
        let mut all: Vec<(String, f64)> = all.into_iter().collect();
        all.par_sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(all)
    }
}

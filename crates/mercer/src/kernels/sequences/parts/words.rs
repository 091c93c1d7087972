//! Documents as words and as runs of words (Unicode Standard Annex 29, Unicode text segmentation, section 4; Annex 15, Unicode
//! normalization forms).
//!
//! Texts are composed (NFC) before they are cut, so that the ways to write an accented letter are one. A mark belongs to the letter
//! before it; an apostrophe, point or colon between letters does not end a word. Where a script puts no space between words, each
//! character is one (Chinese, Japanese but for runs of katakana, Thai, Lao, Khmer, Burmese).

use crate::control::Control;
pub(in crate::kernels) use crate::data::letters::composed;
use crate::data::{CutRows, PER_FUNCTION, RowWeights, Strings};
use crate::error::Result;
use crate::linalg::SCATTERED;
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// Kernels of texts that are tried in place of the natural ones: words alone, with pairs of them, runs of letters.
pub(crate) const ALTERNATIVES: &[&str] = &["tfidf", "tfidf(ngrams=2)", "normalise(spectrum(k=5))"];

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum Tokens {
    /// What lies between the word boundaries of Unicode and holds a letter or a digit.
    Words,
    /// All that stands between white space.
    Spaces,
}

/// Reads the words of a document that count, and runs of them, joined by one space.
pub(in crate::kernels) struct Words {
    tokens: Tokens,
    lower_case: bool,
    longest_run: usize,
    /// Stop words by the first word that they are cut into: the words that follow it, more of them first.
    stop_words: HashMap<String, Vec<Vec<String>>>,
}

/// Operations of an inner product of the counts of two strings that are cut into pieces: one at a scattered place for each piece that both
/// hold. Few strings, which are not cut, share next to nothing.
pub(in crate::kernels) fn per_shared(cut: Option<CutRows<'_>>) -> f64 {
    let Some(cut) = cut else { return PER_FUNCTION };
    let pairs = (cut.rows() * cut.rows().saturating_sub(1)).max(1) as f64;
    let shared: f64 = cut.holders(|_| 1.0).into_iter().flatten().map(|count| count * (count - 1.0)).sum();
    PER_FUNCTION + 2.0 * SCATTERED * shared / pairs
}

impl Words {
    /// Stop words are cut as documents are: one that is several words counts where these follow one another.
    pub(in crate::kernels) fn new(tokens: Tokens, lower_case: bool, longest_run: usize, stop_words: &[String]) -> Self {
        let mut words = Words { tokens, lower_case, longest_run, stop_words: HashMap::new() };
        for stop_word in stop_words {
            let text = words.normal(stop_word);
            let mut parts = words.cut(&text).into_iter().map(str::to_owned);
            if let Some(first) = parts.next() {
                words.stop_words.entry(first).or_default().push(parts.collect());
            }
        }
        words.stop_words.values_mut().for_each(|rests| rests.sort_by_key(|rest| std::cmp::Reverse(rest.len())));
        words
    }

    /// The first of some stop words in which there is no word, so that it could have no effect.
    pub(in crate::kernels) fn without_a_word<'s>(&self, stop_words: &'s [String]) -> Option<&'s String> {
        stop_words.iter().find(|stop_word| self.cut(&self.normal(stop_word)).is_empty())
    }

    /// The text in the form in which words are compared.
    fn normal<'d>(&self, document: &'d str) -> Cow<'d, str> {
        // The apostrophe of typesetters, which is the one of keyboards too.
        const APOSTROPHE: char = '\u{2019}';
        let text = if self.lower_case { Cow::Owned(document.to_lowercase()) } else { Cow::Borrowed(document) };
        if text.is_ascii() {
            return text;
        }
        let text = composed(text);
        match self.tokens {
            Tokens::Words if text.contains(APOSTROPHE) => Cow::Owned(text.replace(APOSTROPHE, "'")),
            _ => text,
        }
    }

    fn cut<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match self.tokens {
            Tokens::Words => text.unicode_words().collect(),
            Tokens::Spaces => text.split_whitespace().collect(),
        }
    }

    /// How many words from the first one on are a stop word.
    fn stopped(&self, words: &[&str]) -> usize {
        let Some((first, after)) = words.split_first() else { return 0 };
        let follows = |rest: &&Vec<String>| rest.len() <= after.len() && rest.iter().zip(after).all(|(a, b)| a == b);
        self.stop_words.get(*first).and_then(|rests| rests.iter().find(follows)).map_or(0, |rest| 1 + rest.len())
    }

    /// Calls `visit` with every word and every run of words, in order. Stop words are taken out first.
    pub(in crate::kernels) fn each(&self, document: &str, mut visit: impl FnMut(&str)) {
        let text = self.normal(document);
        let mut words = self.cut(&text);
        if !self.stop_words.is_empty() {
            let (mut kept, mut at) = (0, 0);
            while at < words.len() {
                match self.stopped(&words[at..]) {
                    0 => {
                        words[kept] = words[at];
                        (kept, at) = (kept + 1, at + 1);
                    }
                    stopped => at += stopped,
                }
            }
            words.truncate(kept);
        }
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

    /// What these words are, in a few letters: documents that are cut in one way are cut once.
    fn name(&self) -> String {
        let Words { tokens, lower_case, longest_run, stop_words } = self;
        let mut stop_words: Vec<_> = stop_words.iter().collect();
        stop_words.sort_unstable();
        format!("words {tokens:?} {lower_case} {longest_run} {stop_words:?}")
    }

    /// The documents as words and runs of words; `None` of few documents.
    pub(in crate::kernels) fn cut_rows<'d>(&self, documents: &'d Strings) -> Option<CutRows<'d>> {
        documents.cut(&self.name(), &|document, visit| self.each(document, visit))
    }

    /// How many documents hold each word or run of words, by weight; words ascend.
    pub(in crate::kernels) fn frequencies(
        &self,
        documents: &Strings,
        weights: RowWeights<'_>,
        control: &Control,
    ) -> Result<Vec<(String, f64)>> {
        control.check()?;
        let Some(cut) = self.cut_rows(documents) else {
            let mut found: HashMap<String, f64> = HashMap::new();
            for i in 0..documents.len() {
                let mut own = HashSet::new();
                self.each(documents.get(i), |word| {
                    own.insert(word.to_owned());
                });
                own.into_iter().for_each(|word| *found.entry(word).or_default() += weights.at(i));
            }
            let mut all: Vec<(String, f64)> = found.into_iter().collect();
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            return Ok(all);
        };
        let held = cut.pieces().iter().zip(cut.holders(|i| weights.at(i)));
        Ok(held.filter_map(|(word, weight)| Some((word.clone(), weight?))).collect())
    }
}

//! mismatch: k(x, z) = sum over all words s of k letters of (windows of x within m letters of s) (windows of z within m letters of s)
//! (K25; S3 14.2.6).
//!
//! Two windows at distance d share a number of words that depends on d alone, 0 beyond 2 m. The words are those over the letters of the
//! alphabet: of text as many as `letters` says, among them those of the training strings. Where a new string has other letters, and they are
//! more than that leaves room for, a window with one of them matches nothing: with fewer letters than the windows have the numbers would
//! be those of no inner product.

use super::parts::by_distance::{ByDistance, Windowed, by_windows};
use super::parts::hamming::mismatch_table;
use super::parts::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, MASKED, REVERSE_COMPLEMENT, Reading, composed};
use super::parts::windows::LONGEST;
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;

/// Inner product of the counts of all substrings of one length, each counted for every word that differs from it in few letters.
///
/// ```text
/// sum over words s of k letters of (windows of x with at most m letters other than s) (such windows of z):
/// common substrings with some letters changed
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    /// length of the windows in letters
    #[param(default = 5.0, domain = Integer(1, LONGEST))]
    k: Value,
    /// letters of a window that may be others
    #[param(default = 1.0, domain = Integer(0, 20))]
    m: Value,
    /// how many letters the alphabet has; auto: 4 of dna and rna, 20 of proteins, of text those in the training rows; no fewer than the
    /// strings have
    #[param(domain = Integer(1, 65_000))]
    letters: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
    #[param(REVERSE_COMPLEMENT)]
    reverse_complement: bool,
}

/// The letters of the training strings, of text; the alphabet says those of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingLetters {
    letters: Option<String>,
}

impl TrainingLetters {
    fn of(reading: Reading, inputs: &Strings) -> Self {
        TrainingLetters { letters: reading.fixed_size().is_none().then(|| reading.encode(inputs, None).letters().iter().collect()) }
    }

    /// The strings, with letters that training did not have as letters that match nothing where they are more than there is room for.
    fn masked<'s>(&self, inputs: &'s Strings, letters: usize) -> Cow<'s, Strings> {
        let Some(known) = &self.letters else { return Cow::Borrowed(inputs) };
        let known: HashSet<char> = known.chars().collect();
        let read = |text: &str| -> String {
            let text = composed(text.into());
            let new: HashSet<char> = text.chars().filter(|c| *c != MASKED && !known.contains(c)).collect();
            let fits = known.len() + new.len() <= letters;
            text.chars().map(|c| if fits || known.contains(&c) { c } else { MASKED }).collect()
        };
        let all: Vec<String> = inputs.iter().map(read).collect();
        Cow::Owned(Strings::new(&all))
    }
}

impl Mismatch {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn too_few(&self, domain: String) -> Error {
        Error::OutOfDomain { owner: Self::NAME.into(), name: "letters".into(), value: self.letters.to_string(), domain }
    }
    fn by_distance(&self) -> ByDistance {
        let (length, m) = (self.k.integer(), self.m.integer());
        ByDistance { reading: self.reading(), length, table: mismatch_table(length, m, self.letters.integer()) }
    }
}

impl Kernel for Mismatch {
    const NAME: &'static str = "mismatch";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Leslie, Eskin, Cohen, Weston & Noble, Mismatch string kernels for discriminative protein classification (2004)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "substring";
    type Inputs = Strings;
    type Learnt = TrainingLetters;
    type Prepared = Windowed;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        let alphabet = self.reading().settled(inputs);
        let reading = Reading { alphabet, ..self.reading() };
        let letters = self.letters.settle_by(|| reading.fixed_size().unwrap_or_else(|| reading.encode(inputs, None).size()).max(1) as f64);
        Mismatch { letters, alphabet, ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        if self.m.number() > self.k.number() {
            return Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "m".into(),
                value: self.m.to_string(),
                domain: format!("at most k={}, the letters of a window", self.k),
            });
        }
        if let Some(least) = self.reading().fixed_size().filter(|size| self.letters.integer() < *size) {
            return Err(self.too_few(format!("at least {least}, the letters of the alphabet")));
        }
        self.reading().check(Self::NAME, inputs)
    }
    /// # Errors
    /// Fewer letters than the strings have.
    fn learn(&self, inputs: &Strings, _: RowWeights<'_>, _: &Control) -> Result<TrainingLetters> {
        let known = TrainingLetters::of(self.reading(), inputs);
        let least = known.letters.as_ref().map_or(0, |letters| letters.chars().count());
        if self.letters.integer() < least {
            return Err(self.too_few(format!("at least {least}, the letters of the strings")));
        }
        Ok(known)
    }
    fn prepare(&self, known: &TrainingLetters, inputs: &Strings, like: Option<&Windowed>, control: &Control) -> Result<Windowed> {
        self.by_distance().prepare(&known.masked(inputs, self.letters.integer()), like, control)
    }
    by_windows!();
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

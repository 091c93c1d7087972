//! mismatch: k(x, z) = sum over all words s of k letters of (windows of x within m letters of s) (windows of z within m letters of s)
//! (K25; S3 14.2.6).
//!
//! Two windows at distance d share a number of words that depends on d alone, 0 beyond 2 m.

use super::sequences::by_distance::{ByDistance, Windowed, by_windows};
use super::sequences::hamming::mismatch_table;
use super::sequences::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, REVERSE_COMPLEMENT, Reading};
use super::sequences::windows::LONGEST;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of all substrings of one length, each counted for every word that differs from it in few letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mismatch {
    k: Value,
    m: Value,
    letters: Value,
    alphabet: Alphabet,
    ambiguity: Ambiguity,
    reverse_complement: bool,
}

impl Default for Mismatch {
    fn default() -> Self {
        Mismatch {
            k: Value::Number(5.0),
            m: Value::Number(1.0),
            letters: Value::Auto,
            alphabet: Alphabet::Auto,
            ambiguity: Ambiguity::Split,
            reverse_complement: false,
        }
    }
}

impl Mismatch {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn by_distance(&self) -> ByDistance {
        let (length, m) = (self.k.integer(), self.m.integer());
        ByDistance { reading: self.reading(), length, table: mismatch_table(length, m, self.letters.integer()) }
    }
}

impl Kernel for Mismatch {
    const NAME: &'static str = "mismatch";
    const DOC: &'static str = "sum over words s of k letters of (windows of x with at most m letters other than s) (such windows of z): common substrings with some letters changed";
    const SOURCE: &'static str = "Leslie, Eskin, Cohen, Weston & Noble, Mismatch string kernels for discriminative protein classification (2004)";
    const BECAUSE: &'static str = "an inner product of counts";
    const PARAMS: &'static [Param] = &[
        Param::fixed("k", "length of the windows in letters", Domain::Integer(1, LONGEST)),
        Param::fixed("m", "letters of a window that may be others", Domain::Integer(0, 20)),
        Param::fixed("letters", "how many letters the alphabet has; auto: 4 of dna and rna, 20 of proteins, of text those in the training rows", Domain::Integer(1, 65_000)),
        ALPHABET,
        AMBIGUITY,
        REVERSE_COMPLEMENT,
    ];
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Windowed;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        let alphabet = self.reading().settled(inputs);
        let reading = Reading { alphabet, ..self.reading() };
        let letters = self.letters.settle_by(|| reading.fixed_size().unwrap_or_else(|| reading.encode(inputs, None).size()).max(1) as f64);
        Mismatch { k: self.k.settle(5.0), m: self.m.settle(1.0), letters, alphabet, ..self.clone() }
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
            return Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "letters".into(),
                value: self.letters.to_string(),
                domain: format!("at least {least}, the letters of the alphabet"),
            });
        }
        self.reading().check(Self::NAME, inputs)
    }
    by_windows!();
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

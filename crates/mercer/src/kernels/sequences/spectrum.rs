//! spectrum: k(x, z) = sum over all strings s of length k of (times s stands in x) (times s stands in z) (K24, K27; S3 14.2.6).
//!
//! Overlaps count. k = 1 is the bag of characters (K22). Cost: one pass over each string, then one sparse inner product per pair.

use super::parts::counts::{Counted, Counting, by_counts};
use super::parts::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, REVERSE_COMPLEMENT, Reading};
use super::parts::weights::SubstringWeights;
use crate::data::{RowWeights, Strings};
use crate::error::Result;
use crate::gram::{Identity, Kernel, Mercer, Tile};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of all substrings of one length.
///
/// ```text
/// sum over strings s of k letters of (times s stands in x) (times s stands in z): common substrings counted
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Spectrum {
    /// length of the substrings in letters (of text: characters of its composed form, NFC)
    #[param(default = 3.0, domain = Integer(1, 1000))]
    k: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
    #[param(REVERSE_COMPLEMENT)]
    reverse_complement: bool,
}

impl Spectrum {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn counting(&self) -> Counting {
        Counting { reading: self.reading(), weights: SubstringWeights::one(self.k.integer()) }
    }
}

impl Kernel for Spectrum {
    const NAME: &'static str = "spectrum";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Leslie, Eskin & Noble, The spectrum kernel (2002)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "substring";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Counted;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        Spectrum { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    by_counts!();
}

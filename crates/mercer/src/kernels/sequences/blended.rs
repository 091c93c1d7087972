//! blended: k(x, z) = sum over all strings s of 1 to k letters of decay^|s| (times s stands in x) (times s stands in z) (K21; S3 14.2.6).

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

/// Inner product of the counts of all substrings up to a length.
///
/// ```text
/// sum over strings s of 1 to k letters of decay^|s| (times s stands in x) (times s stands in z): spectrum
/// kernels added
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Blended {
    /// greatest length of the substrings in letters
    #[param(default = 4.0, domain = Integer(1, 1000))]
    k: Value,
    /// weight of a substring for each of its letters: above 1, long ones count more
    #[param(default = 1.0, domain = PositiveFinite)]
    decay: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
    #[param(REVERSE_COMPLEMENT)]
    reverse_complement: bool,
}

impl Blended {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn counting(&self) -> Counting {
        Counting { reading: self.reading(), weights: SubstringWeights::geometric(1, self.k.number().round(), self.decay.number()) }
    }
}

impl Kernel for Blended {
    const NAME: &'static str = "blended";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Shawe-Taylor & Cristianini, Kernel Methods for Pattern Analysis (2004), 11.2 (blended spectrum)";
    const BECAUSE: &'static str = "an inner product of weighted counts";
    const SHARED: &'static str = "substring";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Counted;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        Blended { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    by_counts!();
}

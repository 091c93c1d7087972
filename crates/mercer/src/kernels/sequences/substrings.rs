//! substrings: k(x, z) = sum over all strings s of w_s (times s stands in x) (times s stands in z) (K20, K21; S3 (14.22)).
//!
//! w_s is decay^|s| between two lengths, the longest of which may be infinite, or given for each of some substrings. All lengths at once
//! are features of the suffix automaton of the batch: time and memory are linear in the letters.

use super::parts::counts::{Counted, Counting, by_counts};
use super::parts::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, REVERSE_COMPLEMENT, Reading};
use super::parts::weights::SubstringWeights;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Identity, Kernel, Mercer, Tile};
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the weighted counts of all substrings.
///
/// ```text
/// sum over strings s of every length of decay^|s| (times s stands in x) (times s stands in z): all common
/// substrings counted
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Substrings {
    /// least length of the substrings in letters
    #[param(default = 1.0, domain = Integer(1, 1_000_000))]
    shortest: Value,
    /// greatest length of the substrings in letters; inf: every length
    #[param(default = f64::INFINITY, domain = IntegerOrInfinite(1))]
    longest: Value,
    /// weight of a substring for each of its letters; 1: all weigh the same
    #[param(default = 1.0, domain = PositiveFinite)]
    decay: Value,
    /// substrings that count, a list such as [TATA, CCAAT]; all others weigh nothing; empty: all count
    only: Vec<String>,
    /// weights of the substrings in `only`: one number for all, or a list of as many
    #[param(default = 1.0, domain = NonNegative)]
    weights: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
    #[param(REVERSE_COMPLEMENT)]
    reverse_complement: bool,
}

impl Substrings {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn counting(&self) -> Counting {
        let weights = if self.only.is_empty() {
            SubstringWeights::geometric(self.shortest.integer(), self.longest.number(), self.decay.number())
        } else {
            let given = self.weights.numbers();
            let weights = if given.len() == 1 { vec![given[0]; self.only.len()] } else { given.to_vec() };
            SubstringWeights::Given { substrings: self.only.clone(), weights }
        };
        Counting { reading: self.reading(), weights }
    }
    fn outside(name: &str, value: &Value, domain: String) -> Error {
        Error::OutOfDomain { owner: Self::NAME.into(), name: name.into(), value: value.to_string(), domain }
    }
}

impl Kernel for Substrings {
    const NAME: &'static str = "substrings";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Vishwanathan & Smola, Fast kernels for string and tree matching (2003)";
    const BECAUSE: &'static str = "an inner product of weighted counts";
    const SHARED: &'static str = "substring";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Counted;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        Substrings { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    by_counts!(check: |kernel| {
        let (shortest, longest) = (kernel.shortest.number(), kernel.longest.number());
        if longest < shortest {
            return Err(Self::outside("longest", &kernel.longest, format!("a whole number from {shortest}, the shortest length, or inf")));
        }
        let (given, words) = (kernel.weights.numbers().len(), kernel.only.len());
        if given != 1 && given != words {
            return Err(Self::outside("weights", &kernel.weights, format!("one number, or one for each of the {words} substrings in `only`")));
        }
        kernel.reading().check_every_letter("the list `only` of substrings", &Strings::new(&kernel.only))
    });
}

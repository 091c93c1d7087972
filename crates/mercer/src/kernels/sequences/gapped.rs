//! gapped: k(x, z) = sum over all gapped words of (times it stands in x) (times it stands in z), a gapped word being k letters at some of
//! the places of a window of `length` (Ghandi, Lee, Mohammad-Noori & Beer 2014).
//!
//! Two windows at distance d share C(length - d, k) gapped words, so that gapped words need not be listed.

use super::parts::by_distance::{ByDistance, Windowed, by_windows};
use super::parts::hamming::gapped_table;
use super::parts::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, REVERSE_COMPLEMENT, Reading};
use super::parts::windows::LONGEST;
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, Tile};
use crate::linalg::{Matrix, Real};
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Inner product of the counts of all gapped words.
///
/// ```text
/// sum over gapped words, k letters at some places of a window, of (times it stands in x) (times it stands in z)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Gapped {
    /// length of the windows in letters
    #[param(default = 10.0, domain = Integer(1, LONGEST))]
    length: Value,
    /// letters of a window that a gapped word keeps
    #[param(default = 6.0, domain = Integer(1, LONGEST))]
    k: Value,
    /// windows that differ in more letters do not count; auto: length - k, where no gapped word is shared any more
    #[param(domain = Integer(0, LONGEST))]
    mismatches: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
    #[param(REVERSE_COMPLEMENT)]
    reverse_complement: bool,
}

impl Gapped {
    /// Words of 4 letters in windows of 6: 4,096 features of nucleic acids.
    pub(super) fn short() -> Self {
        Gapped { length: Value::Number(6.0), k: Value::Number(4.0), ..Gapped::default() }
    }
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: self.reverse_complement }
    }
    fn by_distance(&self) -> ByDistance {
        let (length, k) = (self.length.integer(), self.k.integer().min(self.length.integer()));
        ByDistance { reading: self.reading(), length, table: gapped_table(length, k, self.mismatches.settle(length as f64).integer()) }
    }
}

impl Kernel for Gapped {
    const NAME: &'static str = "gapped";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Ghandi, Lee, Mohammad-Noori & Beer, Enhanced regulatory sequence prediction using gapped k-mer features (2014)";
    const BECAUSE: &'static str = "an inner product of counts";
    const SHARED: &'static str = "gapped word";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Windowed;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        let mismatches = self.mismatches.settle((self.length.number() - self.k.number()).max(0.0));
        Gapped { mismatches, alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        if self.k.number() > self.length.number() {
            return Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "k".into(),
                value: self.k.to_string(),
                domain: format!("at most length={}, the letters of a window", self.length),
            });
        }
        self.reading().check(Self::NAME, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&Windowed>, control: &Control) -> Result<Windowed> {
        self.by_distance().prepare(inputs, like, control)
    }
    by_windows!();
    /// All gapped words are an inner product of counts; without those that only distant windows share, the eigenvalues over all words decide.
    fn mercer(&self) -> Mercer {
        let settled = [&self.length, &self.k, &self.mismatches].iter().all(|v| v.is_settled());
        if self.mismatches == Value::Auto || settled && self.mismatches.number() >= self.length.number() - self.k.number() {
            return Mercer::Always;
        }
        match self.by_distance().least_eigenvalue().filter(|_| settled) {
            Some(least) if least >= 0.0 => Mercer::Always,
            Some(least) => Mercer::Never(format!(
                "without the windows that differ in more than {} letters it has the eigenvalue {least:.3} over all strings of {} letters; leave mismatches out",
                self.mismatches, self.length
            )),
            None => Mercer::Conditional(
                "mismatches leaves windows out that share gapped words: whether what is left is semi-definite depends on the alphabet"
                    .into(),
            ),
        }
    }
}

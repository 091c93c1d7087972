//! local_alignment: by K(x, z) = sum over all local alignments of exp(beta score), with affine gaps (Vert, Saigo & Akutsu, Local alignment
//! kernels for biological sequences, 2004): ln K / beta, K normalised, or the best score (Smith & Waterman, 1981).
//!
//! K is a convolution of kernels of single letters, exp(beta S), and of gaps (Haussler, 1999). That of gaps is positive semi-definite, so
//! that K is where exp(beta S) is: for all beta if S is conditionally positive definite (Schoenberg), as BLOSUM62 of the 20 amino acids is
//! (its least eigenvalue over weights with sum 0 is 0.212), and match against mismatch if match is no less. Of ln K this is not known.
//! Of the best score it is false: strings a, b, ab and ba of two letters whose score is 0 or less, with the weights 1, 1, -1/2 and -1/2,
//! have v'Kv = -min(S(a, a), S(b, b)) / 2.

use super::parts::abreast::{LaneLetters, fill_eight, own_values};
use super::parts::blosum62;
use super::parts::letters::{ALPHABET, AMBIGUITY_IN_GAPS, Alphabet, Ambiguity, Encoded, Reading};
use super::parts::local::{AddedUp, LocalAlignments, PairWeights};
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};

/// What of the scores of all local alignments is the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum AlignmentScore {
    /// ln K(x, z) / beta.
    #[default]
    LogSum,
    /// K(x, z) / sqrt(K(x, x) K(z, z)).
    Sum,
    /// The greatest.
    Best,
}

/// What scores two letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum SubstitutionMatrix {
    /// BLOSUM62 of proteins, match and mismatch of others.
    #[default]
    Auto,
    /// BLOSUM62, of amino acids.
    Blosum62,
    /// One score for equal letters and one for others.
    Match,
}

/// Likeness by local alignments.
///
/// ```text
/// K = sum over local alignments with gaps of exp(beta score), as ln K / beta or normalised, or the best score
/// (Smith-Waterman)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct LocalAlignment {
    /// log_sum: ln K / beta; sum: K(x, z) / sqrt(K(x, x) K(z, z)), a Mercer kernel; best: the score of the best local alignment
    score: AlignmentScore,
    /// weight of the score of an alignment; the larger, the more the best ones count
    // As open and extend: the LA kernel of Saigo, Vert, Ueda & Akutsu, Protein homology detection using string alignment kernels (2004).
    #[param(default = 0.5, domain = PositiveFinite, search = 10.0)]
    beta: Value,
    /// scores of two letters: blosum62, of amino acids; match, match if they are equal and else mismatch; auto: blosum62 of proteins
    matrix: SubstitutionMatrix,
    /// score of equal letters (matrix=match)
    // As mismatch: EDNAFULL, the matrix of EMBOSS for bases.
    #[param(default = 5.0, domain = PositiveFinite)]
    #[serde(rename = "match")]
    matched: Value,
    /// score of different letters (matrix=match)
    #[param(default = -4.0, domain = Real)]
    mismatch: Value,
    /// cost of the first letter of a gap
    #[param(default = 11.0, domain = NonNegative)]
    open: Value,
    /// cost of each further letter of a gap
    #[param(default = 1.0, domain = NonNegative)]
    extend: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY_IN_GAPS)]
    ambiguity: Ambiguity,
}

/// Strings as codes, and of each with itself ln K or the best score.
pub struct AlignedStrings {
    strings: Encoded,
    own: Vec<f64>,
}

impl PreparedBatch for AlignedStrings {}

impl LocalAlignment {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: false }
    }

    /// Whether pairs of letters score as in BLOSUM62.
    fn is_blosum62(&self) -> bool {
        self.matrix == SubstitutionMatrix::Blosum62 || self.matrix == SubstitutionMatrix::Auto && self.alphabet == Alphabet::Protein
    }

    /// The recursion for strings that are compared with these, and the letters that it reads.
    fn recursion(&self, columns: &Encoded) -> (LocalAlignments, LaneLetters) {
        let added_up = if self.score == AlignmentScore::Best { AddedUp::Best } else { AddedUp::Sum };
        let beta = self.beta.number();
        let weight = |score: f64| if added_up == AddedUp::Sum { (beta * score).exp() } else { score };
        let gap = |cost: &Value| weight(-cost.number());
        let (pairs, letters) = if self.is_blosum62() {
            let size = columns.size();
            let none = if added_up == AddedUp::Sum { 0.0 } else { f64::NEG_INFINITY };
            let cell = |at: usize| {
                let (p, q) = (at / (size + 1), at % (size + 1));
                if p.max(q) == size { none } else { weight(blosum62::score(columns.letter(p), columns.letter(q))) }
            };
            (PairWeights::Table((0..(size + 1).pow(2)).map(cell).collect()), LaneLetters::of_table(size))
        } else {
            (PairWeights::Match(weight(self.matched.number()), weight(self.mismatch.number())), LaneLetters::compared(columns))
        };
        (LocalAlignments::new(added_up, pairs, gap(&self.open), gap(&self.extend)), letters)
    }

    /// Writes a function of ln K(x, z), or the best score, and of the mean of those of x and of z with themselves.
    fn fill_by<T: Real>(&self, tile: &mut Tile<'_, AlignedStrings, T>, of: impl Fn(f64, f64) -> f64) {
        let (a, b) = (tile.a, tile.b);
        let (mut recursion, letters) = self.recursion(&b.strings);
        let (rows, cols) = ((&a.strings, &tile.rows), (&b.strings, tile.cols.clone()));
        let of = |value: f64, i: usize, j: usize| of(value, 0.5 * (a.own[i] + b.own[j]));
        fill_eight(&mut tile.out, rows, cols, letters, |pairs| recursion.values(pairs), of);
    }

    fn own(&self, strings: &Encoded, control: &Control) -> Result<Vec<f64>> {
        let (mut recursion, letters) = self.recursion(strings);
        own_values(strings, letters, |pairs| recursion.values(pairs), "alignments of strings", control)
    }
}

impl Kernel for LocalAlignment {
    const NAME: &'static str = "local_alignment";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Vert, Saigo & Akutsu, Local alignment kernels for biological sequences (2004)";
    const BECAUSE: &'static str = "a convolution of kernels of letters and gaps, normalised";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = AlignedStrings;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        LocalAlignment { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        // The most that beta times a score may be: exp of it, of one row after the other, stays within the range of numbers.
        const MOST: f64 = 300.0;
        if self.matrix == SubstitutionMatrix::Blosum62 && self.alphabet != Alphabet::Protein {
            return Err(Error::Setting {
                name: format!("{}: matrix", Self::NAME),
                why: format!(
                    "blosum62 scores amino acids, and the strings are {}; give matrix=match, or alphabet=protein",
                    self.alphabet.name()
                ),
            });
        }
        // 11 is the score of tryptophan with itself, the greatest.
        let greatest = if self.is_blosum62() { 11.0 } else { self.matched.number().max(self.mismatch.number()) };
        if self.score != AlignmentScore::Best && self.beta.number() * greatest > MOST {
            return Err(Error::Setting {
                name: format!("{}: beta", Self::NAME),
                why: format!("beta times the greatest score of two letters, {greatest}, must be at most {MOST}; give a smaller beta"),
            });
        }
        self.reading().check(Self::NAME, inputs)
    }
    /// Letters that the other batch lacks are other letters than its own.
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&AlignedStrings>, control: &Control) -> Result<AlignedStrings> {
        let alone = self.reading().encode(inputs, None);
        let own = self.own(&alone, control)?;
        let strings = like.map_or(alone, |like| self.reading().encode(inputs, Some(&like.strings)));
        Ok(AlignedStrings { strings, own })
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, AlignedStrings, T>) {
        let (score, beta) = (self.score, self.beta.number());
        self.fill_by(&mut tile, |value, own| match score {
            AlignmentScore::Best => value,
            AlignmentScore::LogSum => value / beta,
            AlignmentScore::Sum => (value - own).exp(),
        });
    }
    fn log_diagonal(&self, x: &AlignedStrings) -> Option<Vec<f64>> {
        (self.score == AlignmentScore::Sum).then(|| vec![0.0; x.own.len()])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, AlignedStrings, f64>) {
        self.fill_by(&mut tile, |value, own| (own - value).max(0.0));
    }
    fn diagonal(&self, x: &AlignedStrings) -> Vec<f64> {
        match self.score {
            AlignmentScore::Best => x.own.clone(),
            AlignmentScore::LogSum => x.own.iter().map(|ln| ln / self.beta.number()).collect(),
            AlignmentScore::Sum => vec![1.0; x.own.len()],
        }
    }
    fn per_value(&self, inputs: &Strings) -> f64 {
        // Operations of one cell of the recursion, at 10^10 operations a second.
        const PER_CELL: f64 = 4.0;
        PER_CELL * inputs.mean_length().powi(2)
    }
    fn mercer(&self) -> Mercer {
        let may_be_blosum62 = self.is_blosum62() || self.matrix == SubstitutionMatrix::Auto && self.alphabet == Alphabet::Auto;
        let may_match = self.matrix != SubstitutionMatrix::Blosum62 && !self.is_blosum62();
        let ascending = self.matched.number() >= self.mismatch.number();
        let (ambiguous, unordered) = (may_be_blosum62 && self.ambiguity == Ambiguity::Letter, may_match && !ascending);
        let may_be_positive = self.mismatch.number() > 0.0 || self.mismatch.number().is_nan();
        match self.score {
            AlignmentScore::Sum if ambiguous => Mercer::Conditional("with ambiguous letters the exponentials of the scores of BLOSUM62 are not positive semi-definite for every beta".into()),
            AlignmentScore::Sum if unordered => Mercer::Conditional("it is one if match is no less than mismatch".into()),
            AlignmentScore::Sum => Mercer::Always,
            AlignmentScore::LogSum => Mercer::Conditional("the logarithm of a Mercer kernel need not be one: by default the proteins A, C, AC and CA have a negative eigenvalue; score=sum is one, and clip(..) repairs a matrix".into()),
            AlignmentScore::Best if may_match && may_be_positive => Mercer::Conditional("the score of the best alignment need not be one; score=sum is one, and clip(..) repairs a matrix".into()),
            AlignmentScore::Best => Mercer::Never("the best score is none: two letters a and b whose score is 0 or less give the strings a, b, ab and ba, with the weights 1, 1, -1/2 and -1/2, the sum -min(S(a, a), S(b, b)) / 2; score=sum is one, and clip(..) repairs a matrix".into()),
        }
    }
}

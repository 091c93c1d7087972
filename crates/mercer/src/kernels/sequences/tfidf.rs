//! tfidf: k(x, z) = sum_w u_w(x) u_w(z) with u_w(x) = tf(x_w) idf(w), u / |u| where normalised (K16-K19; S3 14.5-14.8).
//!
//! x_w: how often the word w stands in document x; N training documents, N_w of which hold w. What was not seen at training
//! counts for nothing. tf=count, idf=none, normalised=false is the bag of words (K23).

use super::parts::stop_lists;
use super::parts::words::{Tokens, Words, per_shared};
use crate::blocks;
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Counts, Identity, Kernel, Mercer, PreparedPoints, Sparse, Tile};
use crate::kernels::vectors::cosine::from_unit;
use crate::linalg::{Real, SparseMatrix};
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Inner product of the weighted words of two documents.
///
/// ```text
/// sum over words of tf(x) idf tf(z) idf, by default divided by the norms: documents by the words they share,
/// rare words first
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Tfidf {
    /// what x times a word counts: log(1 + x), sublinear 1 + log(x), count x, binary 1
    #[param(default = TermFrequency::Log)]
    tf: TermFrequency,
    /// weight of a word in n of N training documents: smooth log((1 + N)/(1 + n)) + 1, plain log(N/n) + 1, murphy log(N/(1 + n)), none 1
    #[param(default = InverseDocumentFrequency::Smooth)]
    idf: InverseDocumentFrequency,
    /// whether k(x, x) is 1: the cosine
    #[param(default = true)]
    normalised: bool,
    /// n-grams of words up to this n
    #[param(default = 1.0, domain = Integer(1, 10))]
    ngrams: Value,
    /// least number of training documents with the word; below 1: a share of them
    #[param(default = 1.0, domain = PositiveFinite)]
    min_df: Value,
    /// greatest number of training documents with the word; up to 1: a share of them
    #[param(default = 1.0, domain = PositiveFinite)]
    max_df: Value,
    /// lower-case the text first
    #[param(default = true)]
    lower_case: bool,
    /// what a word is: words, by the word boundaries of Unicode (UAX 29); spaces, all between white space
    #[param(default = Tokens::Words)]
    tokens: Tokens,
    /// words that do not count, a list, or the name of a language, such as english or german, or several, for the lists of NLTK; each is
    /// cut as texts are, and one of several words counts where these follow one another
    stop_words: Vec<String>,
}

/// What x times a word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum TermFrequency {
    /// log(1 + x).
    Log,
    /// 1 + log(x).
    Sublinear,
    /// x.
    Count,
    /// 1.
    Binary,
}

/// What a word that few documents hold counts more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum InverseDocumentFrequency {
    /// log((1 + N) / (1 + n)) + 1, for a word in n of N training documents.
    Smooth,
    /// log(N / n) + 1.
    Plain,
    /// log(N / (1 + n)).
    Murphy,
    /// 1.
    None,
}

impl TermFrequency {
    fn of(self, x: f64) -> f64 {
        match self {
            TermFrequency::Log => x.ln_1p(),
            TermFrequency::Sublinear => 1.0 + x.ln(),
            TermFrequency::Count => x,
            TermFrequency::Binary => 1.0,
        }
    }
}

impl InverseDocumentFrequency {
    fn of(self, all: f64, holding: f64) -> f64 {
        match self {
            InverseDocumentFrequency::Smooth => ((1.0 + all) / (1.0 + holding)).ln() + 1.0,
            InverseDocumentFrequency::Plain => (all / holding).ln() + 1.0,
            InverseDocumentFrequency::Murphy => (all / (1.0 + holding)).ln(),
            InverseDocumentFrequency::None => 1.0,
        }
    }
}

/// The words of the training documents that count, ascending, and their idf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vocabulary {
    words: Vec<String>,
    #[serde(with = "blocks::f64s")]
    idf: Vec<f64>,
}

impl Vocabulary {
    /// The place of a word.
    fn place(&self, word: &str) -> Option<usize> {
        self.words.binary_search_by(|w| w.as_str().cmp(word)).ok()
    }
}

impl Tfidf {
    fn reader(&self) -> Words {
        Words::new(self.tokens, self.lower_case, self.ngrams.integer(), &stop_lists::meant(&self.stop_words))
    }

    /// The fewest and the most documents that a word may stand in.
    fn limits(&self, all: f64) -> (f64, f64) {
        // Rounding of a share of the documents.
        const ROUNDING: f64 = 1e-9;
        let (min, max) = (self.min_df.number(), self.max_df.number());
        (if min < 1.0 { min * all } else { min } - ROUNDING * all, if max <= 1.0 { max * all } else { max } + ROUNDING * all)
    }
}

impl Kernel for Tfidf {
    const NAME: &'static str = "tfidf";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Murphy, Machine Learning: a Probabilistic Perspective (2012), (14.5) to (14.8)";
    const BECAUSE: &'static str = "an inner product of weighted counts";
    const SHARED: &'static str = "word";
    type Inputs = Strings;
    type Learnt = Vocabulary;
    type Prepared = PreparedPoints;

    fn check(&self, _: &Strings) -> Result<()> {
        match self.reader().without_a_word(&stop_lists::meant(&self.stop_words)) {
            Some(stop_word) => Err(Error::OutOfDomain {
                owner: Self::NAME.into(),
                name: "stop_words".into(),
                value: format!("'{stop_word}'"),
                domain: "words, and there is no word in this; leave it out, or cut texts at white space only (tokens=spaces)".into(),
            }),
            None => Ok(()),
        }
    }
    fn learns(&self) -> bool {
        true
    }
    fn learn(&self, inputs: &Strings, weights: RowWeights<'_>, control: &Control) -> Result<Vocabulary> {
        let all = weights.total(inputs.len());
        let seen = self.reader().frequencies(inputs, weights, control)?;
        let (least, most) = self.limits(all);
        let count = seen.len();
        let kept: Vec<(String, f64)> = seen.into_iter().filter(|(_, n)| least <= *n && *n <= most).collect();
        if kept.is_empty() && !inputs.is_empty() {
            return Err(Error::Data(match count {
                0 => format!("{}: no training document holds a word that counts; see tokens and stop_words", Self::NAME),
                words => format!(
                    "{}: min_df={} and max_df={} leave none of the {words} words of {} training documents; lower min_df or raise max_df",
                    Self::NAME,
                    self.min_df,
                    self.max_df,
                    inputs.len()
                ),
            }));
        }
        let idf = kept.iter().map(|(_, n)| self.idf.of(all, *n)).collect();
        Ok(Vocabulary { words: kept.into_iter().map(|(word, _)| word).collect(), idf })
    }
    fn prepare(&self, learnt: &Vocabulary, inputs: &Strings, like: Option<&PreparedPoints>, _: &Control) -> Result<PreparedPoints> {
        Error::unless_equal("weights of the words of tfidf", learnt.words.len(), learnt.idf.len())?;
        let reader = self.reader();
        let weighted = |run: &[usize]| (run[0] as u32, self.tf.of(run.len() as f64) * learnt.idf[run[0]]);
        let counted = |mut places: Vec<usize>| -> Vec<(u32, f64)> {
            places.sort_unstable();
            places.chunk_by(|a, b| a == b).map(weighted).collect()
        };
        let rows: Vec<Vec<(u32, f64)>> = match reader.cut_rows(inputs) {
            Some(cut) => {
                let places: Vec<Option<usize>> = cut.pieces().par_iter().map(|word| learnt.place(word)).collect();
                (0..inputs.len())
                    .into_par_iter()
                    .map(|i| counted(cut.row(i).iter().filter_map(|&word| places[word as usize]).collect()))
                    .collect()
            }
            None => {
                let read = |text: &str| {
                    let mut places = Vec::new();
                    reader.each(text, |word| places.extend(learnt.place(word)));
                    counted(places)
                };
                inputs.iter().map(read).collect()
            }
        };
        let norms = rows.iter().map(|row| row.iter().map(|(_, u)| u * u).sum()).collect();
        let cloud = PreparedPoints::from_counts(learnt.words.len(), Sparse::from_rows(rows), norms, like);
        Ok(if self.normalised { cloud.into_unit() } else { cloud })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, PreparedPoints, T>) {
        if self.normalised { from_unit(tile) } else { tile.from_dots(Identity) }
    }
    fn diagonal(&self, x: &PreparedPoints) -> Vec<f64> {
        x.norms().to_vec()
    }
    fn sparse_features<'p>(&self, x: &'p PreparedPoints) -> Option<SparseMatrix<'p>> {
        Some(x.sparse())
    }
    fn has_counts(&self) -> bool {
        true
    }
    fn counts<'p>(&self, x: &'p PreparedPoints) -> Option<Counts<'p>> {
        Some(Counts::of(x.sparse()))
    }
    fn stored(&self, inputs: &Strings) -> Option<usize> {
        let (reader, mut count) = (self.reader(), 0);
        if let Some(cut) = reader.cut_rows(inputs) {
            return Some(cut.count());
        }
        inputs.iter().for_each(|text| reader.each(text, |_| count += 1));
        Some(count)
    }
    fn per_value(&self, inputs: &Strings) -> f64 {
        per_shared(self.reader().cut_rows(inputs))
    }
    fn points<'p>(&self, x: &'p PreparedPoints) -> Option<&'p PreparedPoints> {
        Some(x)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

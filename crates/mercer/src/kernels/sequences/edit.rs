//! edit: k(x, z) = exp(-gamma d(x, z)^2), d the edit distance of Levenshtein (1966): letters inserted, deleted or substituted
//! (F36, K29). A Mercer kernel for no gamma: take a string of m letters a and, with weight -s each, the m strings that have
//! one b in it. They lie 1 from the first and 2 from each other, so that
//! v'Kv = 1 - 2 s m e^-gamma + s^2 m (1 + (m - 1) e^(-4 gamma)), below 0 at its least s where m > 1 + e^(2 gamma).
//!
//! The distance is computed 64 letters at a time: bits hold where it rises and falls along a string (Myers, A fast bit-vector algorithm for
//! approximate string matching based on dynamic programming, 1999; Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau
//! edit distances, 2003), O(ceil(|x| / 64) |z|) steps.

use super::parts::abreast::{TilePlace, shared};
use super::parts::letters::{Alphabet, Ambiguity, Code, Encoded, Reading, with_codes};
use super::parts::words::composed;
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::Result;
use crate::gram::{Kernel, Map, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Likeness by edit distance.
///
/// ```text
/// exp(-gamma d^2), d the edit distance of two strings: not a Mercer kernel, whatever gamma
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// factor of the squared distance; auto: 1 over the mean squared length
    #[param(domain = PositiveFinite, search = 100.0)]
    gamma: Value,
}

#[derive(Clone, Copy)]
struct Decay {
    gamma: f64,
}

impl Map for Decay {
    #[inline(always)]
    fn at<T: Real, const FMA: bool>(self, d: T) -> T {
        (T::from_f64(-self.gamma) * d * d).exponential::<FMA>()
    }
}

/// Letters of a string that one step compares with a letter of another.
const WORD: usize = 64;

/// A string that others are compared with: for each letter the places where it stands, in words of 64 bits.
struct Pattern {
    length: usize,
    words: usize,
    /// `places[letter * words + word]`.
    places: Vec<u64>,
    /// Where the distance rises and where it falls by 1 from a letter of the pattern to the next.
    rises: Vec<u64>,
    falls: Vec<u64>,
}

impl Pattern {
    fn new() -> Self {
        Pattern { length: 0, words: 0, places: Vec::new(), rises: Vec::new(), falls: Vec::new() }
    }

    /// Takes a string, of letters with numbers below `size`; those above match nothing.
    fn set<C: Code>(&mut self, codes: &[C], size: usize) {
        (self.length, self.words) = (codes.len(), codes.len().div_ceil(WORD));
        self.places.clear();
        self.places.resize(size * self.words, 0);
        for (at, code) in codes.iter().enumerate().filter(|(_, code)| code.number() < size) {
            self.places[code.number() * self.words + at / WORD] |= 1 << (at % WORD);
        }
    }

    /// The edit distance of the pattern and a string.
    fn distance<C: Code>(&mut self, codes: &[C]) -> usize {
        let words = self.words;
        if words == 0 {
            return codes.len();
        }
        self.rises.clear();
        self.rises.resize(words, u64::MAX);
        self.falls.clear();
        self.falls.resize(words, 0);
        let last = (self.length - 1) % WORD;
        let (mut risen, mut fallen) = (self.length, 0);
        for code in codes {
            let places = self.places.get(code.number() * words..(code.number() + 1) * words).unwrap_or(&[]);
            // Whether the distance rises or falls from the string so far to this letter: above the pattern it rises.
            let (mut up, mut down) = (1, 0);
            for word in 0..words {
                let (rises, falls) = (self.rises[word], self.falls[word]);
                let equal = places.get(word).copied().unwrap_or(0);
                let vertical = equal | falls;
                let equal = equal | down;
                let horizontal = ((equal & rises).wrapping_add(rises) ^ rises) | equal;
                let (plus, minus) = (falls | !(horizontal | rises), rises & horizontal);
                let top = if word + 1 == words { last } else { WORD - 1 };
                let next = ((plus >> top) & 1, (minus >> top) & 1);
                let (plus, minus) = (plus << 1 | up, minus << 1 | down);
                self.rises[word] = minus | !(vertical | plus);
                self.falls[word] = plus & vertical;
                (up, down) = next;
            }
            risen += up as usize;
            fallen += down as usize;
        }
        risen - fallen
    }
}

/// Writes the edit distances of a tile.
fn fill_distances<T: Real>(tile: &mut Tile<'_, Characters, T>) {
    // Pairs between two looks at the clock.
    const LOOK: usize = 8;
    let (a, b) = (&tile.a.0, &tile.b.0);
    let shared = shared(a, &tile.rows, b, &tile.cols);
    let mut pattern = Pattern::new();
    with_codes!(a, rows => with_codes!(b, columns => for k in 0..tile.rows.len() {
        let i = tile.rows.at(k);
        pattern.set(&rows[a.range(i)], b.size());
        for j in tile.cols.clone() {
            if j % LOOK == 0 && tile.out.is_given_up() {
                return;
            }
            let Some(place) = TilePlace::of(&shared, (k, i), j, tile.cols.start) else { continue };
            let distance = T::from_f64(pattern.distance(&columns[b.range(j)]) as f64);
            place.each(|row, column| tile.out.row_mut(row)[column] = distance);
        }
    }));
}

/// 1 over the mean square of the lengths: strings of that length with nothing in common are e^-1 alike.
fn start(inputs: &Strings, weights: RowWeights<'_>) -> f64 {
    let squares: f64 = inputs.iter().enumerate().map(|(i, s)| weights.at(i) * (composed(s.into()).chars().count() as f64).powi(2)).sum();
    if squares > 0.0 { weights.total(inputs.len()) / squares } else { 1.0 }
}

/// Strings as codes of their characters.
pub struct Characters(Encoded);

impl PreparedBatch for Characters {}

impl Kernel for Edit {
    const NAME: &'static str = "edit";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str =
        "Levenshtein, Binary codes capable of correcting deletions, insertions and reversals (1966), for the distance";
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma"];
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Characters;

    fn settle(&self, inputs: &Strings, weights: RowWeights<'_>) -> Self {
        Edit { gamma: self.gamma.settle_by(|| start(inputs, weights)) }
    }
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&Characters>, _: &Control) -> Result<Characters> {
        // Every character is a letter.
        const CHARACTERS: Reading = Reading { alphabet: Alphabet::Text, ambiguity: Ambiguity::Letter, reverse_complement: false };
        Ok(Characters(CHARACTERS.encode(inputs, like.map(|like| &like.0))))
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, Characters, T>) {
        fill_distances(&mut tile);
        tile.map(Decay { gamma: self.gamma.number() });
    }
    fn diagonal(&self, x: &Characters) -> Vec<f64> {
        vec![1.0; x.0.len()]
    }
    fn log_diagonal(&self, x: &Characters) -> Option<Vec<f64>> {
        Some(vec![0.0; x.0.len()])
    }
    fn fill_log_decay(&self, mut tile: Tile<'_, Characters, f64>) {
        fill_distances(&mut tile);
        let gamma = self.gamma.number();
        (0..tile.rows.len()).for_each(|k| tile.out.row_mut(k).iter_mut().for_each(|d| *d = gamma * d.powi(2)));
    }
    fn per_value(&self, inputs: &Strings) -> f64 {
        // Operations of one step: 2 ns at 10^10 operations a second.
        const PER_WORD: f64 = 20.0;
        let length = inputs.mean_length();
        PER_WORD * length * (length / WORD as f64).ceil()
    }
    fn mercer(&self) -> Mercer {
        Mercer::Never("no gamma makes it one: a string of m equal letters against the m strings that differ from it in one letter have weights with a negative sum where m > 1 + e^(2 gamma)".into())
    }
    /// dk/dgamma = -d^2 k.
    fn gradient(&self, mut tile: Tile<'_, Characters, f64>, weights: &[f64], out: &mut [f64]) {
        fill_distances(&mut tile);
        let decay = Decay { gamma: self.gamma.number() };
        for (k, weights) in weights.chunks_exact(tile.cols.len().max(1)).enumerate() {
            for (weight, d) in weights.iter().zip(&*tile.out.row_mut(k)) {
                out[0] -= weight * d * d * decay.at::<f64, false>(*d);
            }
        }
    }
}

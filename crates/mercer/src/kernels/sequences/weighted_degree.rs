//! weighted_degree: k(x, z) = sum over d = 1..D of b_d times the places where x and z have the same d letters,
//! b_d = 2 (D - d + 1) / (D (D + 1)) (Raetsch & Sonnenburg 2004).
//!
//! With a shift S, the same letters up to S places apart count too, s > 0 places apart in either direction 1 / (2 (s + 1)) as much
//! (Raetsch, Sonnenburg & Schoelkopf 2005). It stays semi-definite: r(0) = 1, r(s) = 1 / (2 (|s| + 1)) is a function of the distance
//! of two places with the transform 1 + sum_s cos(s w) / (s + 1), at least 1/2 by the inequality of Rogosinski and Szegoe (1928).

use super::parts::lanes::{ABREAST, Blocks};
use super::parts::letters::{ALPHABET, AMBIGUITY, Alphabet, Ambiguity, Code, Encoded, Reading, with_codes};
use crate::control::Control;
use crate::data::{PER_FUNCTION, RowWeights, Strings};
use crate::error::Result;
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile, prepare_each};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Likeness by the substrings at the same places.
///
/// ```text
/// sum over lengths d up to the degree of b_d (places where x and z have the same d letters), b_d falling from 2
/// / (D + 1) to 2 / (D (D + 1)): strings that are aligned
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct WeightedDegree {
    /// greatest length of the substrings in letters
    #[param(default = 10.0, domain = Integer(1, 255))]
    degree: Value,
    /// substrings up to so many places apart count too, s places apart 1 / (2 (s + 1)) as much
    #[param(default = 0.0, domain = Integer(0, 1000))]
    shift: Value,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY)]
    ambiguity: Ambiguity,
}

/// Strings, and the same in blocks.
pub struct Aligned {
    strings: Encoded,
    blocks: Blocks,
    diagonal: Vec<f64>,
}

impl PreparedBatch for Aligned {}

impl WeightedDegree {
    /// Substrings of up to 6 letters.
    pub(super) fn short() -> Self {
        WeightedDegree { degree: Value::Number(6.0), ..WeightedDegree::default() }
    }
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: false }
    }

    /// The weight of the same d letters at one place, d = 1..D.
    fn weights(&self) -> Vec<f64> {
        let most = self.degree.integer();
        (1..=most).map(|d| 2.0 * (most - d + 1) as f64 / (most * (most + 1)) as f64).collect()
    }

    /// The weight of places so far apart.
    fn at_lag(lag: usize) -> f64 {
        if lag == 0 { 1.0 } else { 0.5 / (lag + 1) as f64 }
    }

    /// k(x, x); `sums` of the weights of the first lengths.
    fn self_similarity<C: Code>(&self, x: &[C], sums: &[f64]) -> f64 {
        let of_lag = |lag: usize| {
            let (mut run, mut sum) = (0, 0.0);
            for p in lag..x.len() {
                run = if x[p] == x[p - lag] && !x[p].is_split() { (run + 1).min(sums.len() - 1) } else { 0 };
                sum += sums[run];
            }
            sum
        };
        let both = (1..=self.shift.integer().min(x.len())).map(|lag| 2.0 * Self::at_lag(lag) * of_lag(lag)).sum::<f64>();
        of_lag(0) + both
    }
}

impl Kernel for WeightedDegree {
    const NAME: &'static str = "weighted_degree";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Raetsch, Sonnenburg & Schoelkopf, RASE: recognition of alternatively spliced exons in C. elegans (2005)";
    const BECAUSE: &'static str =
        "a sum over places of inner products of indicators, weighted by a positive definite function of their distance";
    const SHARED: &'static str = "substring at the same place";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Aligned;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        WeightedDegree { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        self.reading().check(Self::NAME, inputs)
    }
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&Aligned>, control: &Control) -> Result<Aligned> {
        let strings = self.reading().encode(inputs, like.map(|l| &l.strings));
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(self.weights().into_iter().scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            }))
            .collect();
        // Letters that the other batch lacks match nothing there, and one another here.
        let own = self.reading().encode(inputs, None);
        let diagonal =
            with_codes!(own, codes => prepare_each(own.len(), 1, control, |i| self.self_similarity(&codes[own.range(i)], &sums)))?;
        Ok(Aligned { blocks: Blocks::new(&strings), strings, diagonal })
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Aligned, T>) {
        let (a, b, mut out) = (tile.a, tile.b, tile.out);
        let (weights, shift) = (self.weights(), self.shift.integer() as isize);
        let mut counts = vec![[0u32; ABREAST]; weights.len()];
        for k in 0..tile.rows.len() {
            let i = tile.rows.at(k);
            out.row_mut(k).fill(T::from_f64(0.0));
            for block in tile.cols.start / ABREAST..tile.cols.end.div_ceil(ABREAST) {
                let first = block * ABREAST;
                let wanted = tile.cols.start.max(first)..tile.cols.end.min(first + ABREAST);
                let mut values = [0.0; ABREAST];
                for lag in -shift..=shift {
                    if out.is_given_up() {
                        return;
                    }
                    counts.iter_mut().for_each(|count| count.fill(0));
                    b.blocks.count(&a.strings, i, block, lag, &mut counts);
                    for (count, weight) in counts.iter().zip(&weights) {
                        let weight = weight * Self::at_lag(lag.unsigned_abs());
                        values.iter_mut().zip(count).for_each(|(value, c)| *value += weight * f64::from(*c));
                    }
                }
                for j in wanted {
                    out.row_mut(k)[j - tile.cols.start] = T::from_f64(values[j - first]);
                }
            }
        }
    }
    fn diagonal(&self, x: &Aligned) -> Vec<f64> {
        x.diagonal.clone()
    }
    /// A step of bytes for each letter and each length.
    fn per_value(&self, inputs: &Strings) -> f64 {
        let lags = 2.0 * self.shift.settle(0.0).number() + 1.0;
        PER_FUNCTION + lags * inputs.mean_length() * (2.0 + self.degree.settle(10.0).number()) / 4.0
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
}

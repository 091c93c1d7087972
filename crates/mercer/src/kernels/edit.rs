//! edit: k(x, z) = exp(-gamma d(x, z)^2), d the edit distance of Levenshtein (1966): letters inserted, deleted or substituted
//! (F36, K29). A Mercer kernel for no gamma: take a string of m letters a and, with weight -s each, the m strings that have
//! one b in it. They lie 1 from the first and 2 from each other, so that
//! v'Kv = 1 - 2 s m e^-gamma + s^2 m (1 + (m - 1) e^(-4 gamma)), below 0 at its least s where m > 1 + e^(2 gamma).

use super::words::composed;
use crate::data::{RowWeights, Strings};
use crate::error::Result;
use crate::gram::{PreparedBatch, Kernel, Map, Mercer, Tile};
use crate::linalg::Real;
use crate::param::{Domain, Param, Value};
use serde::{Deserialize, Serialize};

/// Likeness by edit distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    gamma: Value,
}

impl Default for Edit {
    fn default() -> Self {
        Edit { gamma: Value::Auto }
    }
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

/// The edit distance of two strings of characters, in O(|a| |b|) steps and O(|b|) memory.
pub(crate) fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        // row[j] is the distance of a[..i] and b[..j], `corner` that of a[..i] and b[..j - 1].
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, z) in b.iter().enumerate() {
            let changed = corner + usize::from(x != z);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// 1 over the mean square of the lengths: strings of that length with nothing in common are e^-1 alike.
fn start(inputs: &Strings, weights: RowWeights<'_>) -> f64 {
    let squares: f64 = inputs.iter().enumerate().map(|(i, s)| weights.at(i) * (composed(s.into()).chars().count() as f64).powi(2)).sum();
    if squares > 0.0 { weights.total(inputs.len()) / squares } else { 1.0 }
}

impl PreparedBatch for Vec<Vec<char>> {}

impl Kernel for Edit {
    const NAME: &'static str = "edit";
    const DOC: &'static str = "exp(-gamma d^2), d the edit distance of two strings: not a Mercer kernel, whatever gamma";
    const SOURCE: &'static str =
        "Levenshtein, Binary codes capable of correcting deletions, insertions and reversals (1966), for the distance";
    const PARAMS: &'static [Param] =
        &[Param::searched("gamma", "factor of the squared distance; auto: 1 over the mean squared length", Domain::PositiveFinite, 100.0)];
    const DIFFERENTIABLE: &'static [&'static str] = &["gamma"];
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = Vec<Vec<char>>;

    fn settle(&self, inputs: &Strings, weights: RowWeights<'_>) -> Self {
        Edit { gamma: self.gamma.settle_by(|| start(inputs, weights)) }
    }
    fn prepare(&self, (): &(), inputs: &Strings, _: Option<&Vec<Vec<char>>>) -> Result<Vec<Vec<char>>> {
        Ok(inputs.iter().map(|s| composed(s.into()).chars().collect()).collect())
    }
    fn fill<T: Real>(&self, tile: Tile<'_, Vec<Vec<char>>, T>) {
        let (a, b) = (tile.a, tile.b);
        tile.from_pairs_mapped(|i, j| edit_distance(&a[i], &b[j]) as f64, Decay { gamma: self.gamma.number() });
    }
    fn diagonal(&self, x: &Vec<Vec<char>>) -> Vec<f64> {
        vec![1.0; x.len()]
    }
    fn mercer(&self) -> Mercer {
        Mercer::Never("no gamma makes it one: a string of m equal letters against the m strings that differ from it in one letter have weights with a negative sum where m > 1 + e^(2 gamma)".into())
    }
    /// dk/dgamma = -d^2 k.
    fn gradient(&self, tile: Tile<'_, Vec<Vec<char>>, f64>, weights: &[f64], out: &mut [f64]) {
        let decay = Decay { gamma: self.gamma.number() };
        let columns = tile.cols.len();
        for k in 0..tile.rows.len() {
            for (l, j) in tile.cols.clone().enumerate() {
                let d = edit_distance(&tile.a[tile.rows.at(k)], &tile.b[j]) as f64;
                out[0] -= weights[k * columns + l] * d * d * decay.at::<f64, false>(d);
            }
        }
    }
}

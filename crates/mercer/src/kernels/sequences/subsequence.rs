//! subsequence: k(x, z) = sum over strings u of k letters of sum decay^(span in x) decay^(span in z) over the places where u stands in x
//! and in z, gaps allowed (Lodhi et al., Text classification using string kernels, 2002).
//!
//! K_i(xa, z) = K_i(x, z) + sum_j [z_j = a] decay^2 K'_(i-1)(x, z[..j]), K'_i(xa, z) = decay K'_i(x, z) + K''_i(xa, z), and
//! K''_i(xa, zb) = decay K''_i(xa, z) + [a = b] decay^2 K'_(i-1)(x, z); K'_0 = 1. The factors decay^2 are left to the end, so that
//! K'_i does not underflow. O(k |x| |z|) steps and O(k |z|) memory, eight pairs of strings at a time.

use super::parts::abreast::{EightPairs, LaneLetters, each_eight, fill_eight, own_values};
use super::parts::letters::{ALPHABET, AMBIGUITY_IN_GAPS, Alphabet, Ambiguity, Encoded, Reading};
use super::parts::octet::{LANES, Letters, Octet, by_octets};
use crate::control::Control;
use crate::data::{RowWeights, Strings};
use crate::error::{Error, Result};
use crate::gram::{Kernel, Mercer, PreparedBatch, Tile};
use crate::linalg::Real;
use crate::param::Value;
use mercer_derive::{Choice, Formula, Parameters};
use serde::{Deserialize, Serialize};

/// Which subsequences count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Choice)]
#[serde(rename_all = "snake_case")]
pub enum SubsequenceLengths {
    /// Those of k letters.
    #[default]
    One,
    /// Those of 1 to k letters.
    UpTo,
}

/// Common subsequences with gaps, weighted by the letters that they span.
///
/// ```text
/// sum over subsequences u of k letters, gaps allowed, of decay^(letters that u spans in x) decay^(letters that u
/// spans in z)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Formula, Parameters)]
#[serde(deny_unknown_fields)]
pub struct Subsequence {
    /// letters of the subsequences
    #[param(default = 4.0, domain = Integer(1, 100))]
    k: Value,
    /// factor for each letter that a subsequence spans, gaps included; 1 counts subsequences
    // Lodhi et al., table 1.
    #[param(default = 0.5, domain = UpToOne, search = 10.0)]
    decay: Value,
    /// which subsequences are added: one, those of k letters; up_to, those of 1 to k letters
    lengths: SubsequenceLengths,
    #[param(ALPHABET)]
    alphabet: Alphabet,
    #[param(AMBIGUITY_IN_GAPS)]
    ambiguity: Ambiguity,
}

/// Strings as codes, with k(x, x).
pub struct CodedStrings {
    strings: Encoded,
    own: Vec<f64>,
}

impl PreparedBatch for CodedStrings {}

impl Subsequence {
    fn reading(&self) -> Reading {
        Reading { alphabet: self.alphabet, ambiguity: self.ambiguity, reverse_complement: false }
    }

    fn recursion(&self, derivative: Derivative) -> Recursion {
        Recursion {
            length: self.k.integer(),
            decay: self.decay.number(),
            lengths: self.lengths,
            derivative,
            before: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn own(&self, strings: &Encoded, control: &Control) -> Result<Vec<f64>> {
        let mut recursion = self.recursion(Derivative::None);
        let letters = LaneLetters::compared(strings);
        let own = own_values(strings, letters, |pairs| recursion.values(pairs), "subsequences of strings", control)?;
        match own.iter().position(|k| !k.is_finite()) {
            None => Ok(own),
            Some(row) => Err(Error::Numerical {
                what: format!("the string in row {}", row + 1),
                why: "it shares more than 1e308 subsequences with itself; take a smaller decay or a smaller k".into(),
            }),
        }
    }
}

/// Whether the derivative with respect to decay is computed beside the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Derivative {
    None,
    OfDecay,
}

/// The recursion for eight pairs, with its memory.
struct Recursion {
    length: usize,
    decay: f64,
    lengths: SubsequenceLengths,
    derivative: Derivative,
    /// K'_i for all of the second string and the first up to a letter: for each length an entry for each letter of the second string,
    /// and behind all of them their derivatives.
    before: Vec<[f64; LANES]>,
    /// K_i without its factor decay^(2i), for each length, and behind them their derivatives.
    sums: Vec<[f64; LANES]>,
}

impl Recursion {
    fn run(&mut self, pairs: &EightPairs<'_>) {
        let with = 1 + usize::from(self.derivative == Derivative::OfDecay);
        self.before.clear();
        self.before.resize(with * self.length * pairs.z.len(), [0.0; LANES]);
        self.sums.clear();
        self.sums.resize(with * self.length, [0.0; LANES]);
        let run = if self.derivative == Derivative::None { recurse } else { recurse_with_derivative };
        run(pairs, self.decay, &mut self.before, &mut self.sums);
    }

    /// The lengths that count, with decay^(2i) and its derivative.
    fn counted(&self) -> impl Iterator<Item = (usize, f64, f64)> + use<> {
        let (decay, first) = (self.decay, if self.lengths == SubsequenceLengths::One { self.length } else { 1 });
        (first..=self.length).map(move |i| {
            let power = 2.0 * i as f64;
            (i - 1, decay.powf(power), power * decay.powf(power - 1.0))
        })
    }

    /// k of eight pairs.
    fn values(&mut self, pairs: &EightPairs<'_>) -> [f64; LANES] {
        self.run(pairs);
        let sums = &self.sums;
        std::array::from_fn(|l| self.counted().map(|(i, factor, _)| factor * sums[i][l]).sum())
    }

    /// dk/ddecay of eight pairs.
    fn derivatives(&mut self, pairs: &EightPairs<'_>) -> [f64; LANES] {
        self.run(pairs);
        let (sums, derivatives) = self.sums.split_at(self.length);
        std::array::from_fn(|l| self.counted().map(|(i, factor, slope)| slope * sums[i][l] + factor * derivatives[i][l]).sum())
    }
}

by_octets! {
    recurse, recurse_body, (pairs: &EightPairs<'_>, decay: f64, before: &mut [[f64; LANES]], sums: &mut [[f64; LANES]])
}
by_octets! {
    recurse_with_derivative, derivative_body,
    (pairs: &EightPairs<'_>, decay: f64, before: &mut [[f64; LANES]], sums: &mut [[f64; LANES]])
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn recurse_body<O: Octet>(pairs: &EightPairs<'_>, decay: f64, before: &mut [[f64; LANES]], sums: &mut [[f64; LANES]]) {
    let (n, length) = (pairs.z.len(), sums.len());
    for letters in pairs.x {
        // Longer ones first: each reads what the shorter ones were before this letter.
        let mut end = length;
        while end > 0 {
            let first = (end - 1) / O::RECURSIONS * O::RECURSIONS;
            let (shorter, own) = before[..end * n].split_at_mut(first * n);
            let shorter = first.checked_sub(1).map(|last| &shorter[last * n..]);
            let sums = &mut sums[first..end];
            // SAFETY: promised by the caller.
            unsafe {
                match end - first {
                    1 => letter::<O, 1>(letters, pairs.z, decay, shorter, own, sums),
                    2 => letter::<O, 2>(letters, pairs.z, decay, shorter, own, sums),
                    3 => letter::<O, 3>(letters, pairs.z, decay, shorter, own, sums),
                    _ => letter::<O, 4>(letters, pairs.z, decay, shorter, own, sums),
                }
            }
            end = first;
        }
    }
}

/// One letter of the first strings for W lengths, with K'_i of the length before them. The last of the lengths is carried along although no
/// longer one may read it: leaving it out saves less than the branch costs.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn letter<O: Octet, const W: usize>(
    letters: &Letters,
    z: &[Letters],
    decay: f64,
    shorter: Option<&[[f64; LANES]]>,
    own: &mut [[f64; LANES]],
    sums: &mut [[f64; LANES]],
) {
    let n = z.len();
    // SAFETY: promised by the caller.
    unsafe {
        let (decay, zero, one) = (O::splat(decay), O::splat(0.0), O::splat(1.0));
        let mut sum: [O; W] = std::array::from_fn(|i| O::load(&sums[i]));
        // K''_i, and K'_(i-1) before this letter and before the letter of the second string.
        let (mut run, mut corner) = ([zero; W], [zero; W]);
        if shorter.is_none() {
            corner[0] = one;
        }
        for (j, other) in z.iter().enumerate() {
            let equal = O::equal(letters, other);
            let mut next = [one; W];
            if let Some(shorter) = shorter {
                next[0] = O::load(&shorter[j]);
            }
            for i in 0..W {
                let matched = corner[i].chosen(equal);
                sum[i] = sum[i].add(matched);
                run[i] = decay.fused(run[i], matched);
                let old = O::load(&own[i * n + j]);
                decay.fused(old, run[i]).store(&mut own[i * n + j]);
                if i + 1 < W {
                    next[i + 1] = old;
                }
            }
            corner = next;
        }
        (0..W).for_each(|i| sum[i].store(&mut sums[i]));
    }
}

/// The recursion with its derivative, one length after the other.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn derivative_body<O: Octet>(pairs: &EightPairs<'_>, decay: f64, before: &mut [[f64; LANES]], sums: &mut [[f64; LANES]]) {
    let (n, length) = (pairs.z.len(), sums.len() / 2);
    let (before, slopes) = before.split_at_mut(length * n);
    let (sums, sum_slopes) = sums.split_at_mut(length);
    // SAFETY: promised by the caller.
    unsafe {
        let (decay, zero, one) = (O::splat(decay), O::splat(0.0), O::splat(1.0));
        for letters in pairs.x {
            for i in (0..length).rev() {
                let (shorter, own) = before.split_at_mut(i * n);
                let (shorter_slopes, own_slopes) = slopes.split_at_mut(i * n);
                let from = i.checked_sub(1).map(|last| (&shorter[last * n..], &shorter_slopes[last * n..]));
                let (mut sum, mut sum_slope) = (O::load(&sums[i]), O::load(&sum_slopes[i]));
                let (mut run, mut run_slope) = (zero, zero);
                let (mut corner, mut corner_slope) = (if from.is_none() { one } else { zero }, zero);
                for (j, other) in pairs.z.iter().enumerate() {
                    let equal = O::equal(letters, other);
                    let (matched, matched_slope) = (corner.chosen(equal), corner_slope.chosen(equal));
                    (sum, sum_slope) = (sum.add(matched), sum_slope.add(matched_slope));
                    run_slope = decay.fused(run_slope, run.add(matched_slope));
                    run = decay.fused(run, matched);
                    let (old, old_slope) = (O::load(&own[j]), O::load(&own_slopes[j]));
                    decay.fused(old_slope, old.add(run_slope)).store(&mut own_slopes[j]);
                    decay.fused(old, run).store(&mut own[j]);
                    if let Some((values, slopes)) = from {
                        (corner, corner_slope) = (O::load(&values[j]), O::load(&slopes[j]));
                    }
                }
                sum.store(&mut sums[i]);
                sum_slope.store(&mut sum_slopes[i]);
            }
        }
    }
}

impl Kernel for Subsequence {
    const NAME: &'static str = "subsequence";
    const DOC: &'static str = Self::FORMULA;
    const SOURCE: &'static str = "Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins, Text classification using string kernels (2002)";
    const BECAUSE: &'static str = "an inner product of weights of subsequences";
    const DIFFERENTIABLE: &'static [&'static str] = &["decay"];
    const SHARED: &'static str = "subsequence";
    type Inputs = Strings;
    type Learnt = ();
    type Prepared = CodedStrings;

    fn settle(&self, inputs: &Strings, _: RowWeights<'_>) -> Self {
        Subsequence { alphabet: self.reading().settled(inputs), ..self.clone() }
    }
    fn check(&self, inputs: &Strings) -> Result<()> {
        self.reading().check(Self::NAME, inputs)
    }
    /// Letters that the other batch lacks match nothing there, but count in k(x, x).
    fn prepare(&self, (): &(), inputs: &Strings, like: Option<&CodedStrings>, control: &Control) -> Result<CodedStrings> {
        let alone = self.reading().encode(inputs, None);
        let own = self.own(&alone, control)?;
        let strings = like.map_or(alone, |like| self.reading().encode(inputs, Some(&like.strings)));
        Ok(CodedStrings { strings, own })
    }
    fn fill<T: Real>(&self, mut tile: Tile<'_, CodedStrings, T>) {
        let (a, b) = ((&tile.a.strings, &tile.rows), (&tile.b.strings, tile.cols.clone()));
        let (mut recursion, letters) = (self.recursion(Derivative::None), LaneLetters::compared(b.0));
        fill_eight(&mut tile.out, a, b, letters, |pairs| recursion.values(pairs), |value, _, _| value);
    }
    fn diagonal(&self, x: &CodedStrings) -> Vec<f64> {
        x.own.clone()
    }
    fn per_value(&self, inputs: &Strings) -> f64 {
        // Operations of one cell of the recursion for one length: .045 ns of AVX-512 at 2 10^10 operations a second, .1 ns of AVX2.
        const PER_CELL: f64 = 1.2;
        PER_CELL * self.k.number() * inputs.mean_length().powi(2)
    }
    fn mercer(&self) -> Mercer {
        Mercer::Always
    }
    fn gradient(&self, tile: Tile<'_, CodedStrings, f64>, weights: &[f64], out: &mut [f64]) {
        let (a, b, width) = (&tile.a.strings, &tile.b.strings, tile.cols.len());
        let mut recursion = self.recursion(Derivative::OfDecay);
        each_eight((a, &tile.rows), (b, tile.cols.clone()), LaneLetters::compared(b), &mut |pairs, places| {
            for (place, slope) in places.iter().zip(recursion.derivatives(pairs)) {
                place.each(|row, column| out[1] += weights[row * width + column] * slope);
            }
        });
    }
}

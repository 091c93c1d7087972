//! Substrings of a few lengths, numbered: each is the number that its letters are the digits of, shorter substrings first.

use super::letters::{Code, Encoded, complement, with_codes};
use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

/// Numbers of all substrings of some lengths over an alphabet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbering {
    size: u64,
    lengths: RangeInclusive<usize>,
    /// The number of the first substring of each length, and the number after the last.
    firsts: Vec<u64>,
}

impl Numbering {
    /// `None` where there are more substrings than numbers.
    pub(crate) fn new(size: usize, lengths: RangeInclusive<usize>) -> Option<Self> {
        let size = size.max(1) as u64;
        let mut firsts = vec![0u64];
        for length in lengths.clone() {
            let count = size.checked_pow(u32::try_from(length).ok()?)?;
            firsts.push(firsts[firsts.len() - 1].checked_add(count).filter(|n| *n < 1 << 62)?);
        }
        Some(Numbering { size, lengths, firsts })
    }
    /// How many substrings have a number.
    pub(crate) fn count(&self) -> u64 {
        self.firsts[self.firsts.len() - 1]
    }
    /// Substrings of a string, ascending by number, with `weights[length]^(1/2)` times how often each occurs; with both strands, a substring
    /// and its reverse complement are one, the lesser of their numbers.
    pub(crate) fn counts(&self, strings: &Encoded, row: usize, weights: &[f64], both_strands: bool) -> Vec<(u64, f64)> {
        with_codes!(strings, codes => self.counts_of(&codes[strings.range(row)], weights, both_strands))
    }

    fn counts_of<C: Code>(&self, codes: &[C], weights: &[f64], both_strands: bool) -> Vec<(u64, f64)> {
        let mut all = Vec::new();
        let mut numbers: Vec<u64> = Vec::with_capacity(codes.len());
        for ((length, &first), &weight) in self.lengths.clone().zip(&self.firsts).zip(weights) {
            if weight == 0.0 {
                continue;
            }
            numbers.clear();
            let highest = self.size.pow(length as u32 - 1);
            // The number of the last letters, that of their reverse complement, and how many letters there are since one that has none.
            let (mut number, mut reverse, mut run) = (0u64, 0u64, 0usize);
            for &code in codes {
                let digit = code.number() as u64;
                if digit >= self.size {
                    run = 0;
                    continue;
                }
                (number, run) = (number % highest * self.size + digit, run + 1);
                if both_strands {
                    reverse = reverse / self.size + complement(code).number() as u64 * highest;
                }
                if run >= length {
                    // A run that has just begun carries digits of the one before it only below its length.
                    numbers.push(if both_strands { number.min(reverse) << 1 | u64::from(number == reverse) } else { number << 1 });
                }
            }
            numbers.sort_unstable();
            let root = weight.sqrt();
            all.extend(numbers.chunk_by(|a, b| a == b).map(|same| {
                let palindrome = same[0] & 1 == 1;
                (first + (same[0] >> 1), root * same.len() as f64 * if palindrome { SQRT_2 } else { 1.0 })
            }));
        }
        all
    }
}

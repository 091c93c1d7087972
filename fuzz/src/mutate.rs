//! Changes of inputs: bytes, runs of bytes, numbers, words of the format, and parts of other inputs. The generator is
//! seeded, so that a run can be repeated where no counters guide it.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Bytes and numbers at which readers break.
const BYTES: &[u8] = &[0, 1, 0x7F, 0x80, 0xFF, b'\n', b'\r', b' ', b'"', b',', b';', b'\t', b'-', b'.', b'0', b'9', b':', b'(', b'['];
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "1e308",
    "-1e-308",
    "1e999",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775808",
    "NaN",
    "inf",
    "0.1",
    "1,5",
    "2024-02-30",
    "99999999999999999999",
];

pub(crate) struct Mutator {
    random: Xoshiro256PlusPlus,
    words: &'static [&'static str],
}

impl Mutator {
    pub(crate) fn new(seed: u64, words: &'static [&'static str]) -> Self {
        Mutator { random: Xoshiro256PlusPlus::seed_from_u64(seed), words }
    }

    /// A number below `n`, 0 where there is none.
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.random.random_range(0..n) }
    }

    /// One of the inputs, changed a few times.
    pub(crate) fn change(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        // What was added last has been changed least.
        let at =
            if self.random.random_bool(0.5) { inputs.len() - 1 - self.below(inputs.len().div_ceil(8)) } else { self.below(inputs.len()) };
        let mut input = inputs[at].clone();
        for _ in 0..1 << self.below(5) {
            self.step(&mut input, inputs);
        }
        input
    }

    fn step(&mut self, input: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let scale = self.below(8);
        let end = (at + 1 + self.below(1 << scale)).min(input.len());
        let at = at.min(end);
        match self.below(10) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = BYTES[self.below(BYTES.len())],
            2 if at < input.len() => input[at] = self.random.next_u32() as u8,
            3 => _ = input.drain(at..end),
            4 => {
                let part = input[at..end].to_vec();
                let times = 1 << self.below(6);
                _ = input.splice(at..at, part.repeat(times));
            }
            5 => self.replace_number(input, at),
            6 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                _ = input.splice(at..at, word.bytes());
            }
            7 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                _ = input.splice(at..end, word.bytes());
            }
            8 => {
                let other = &inputs[self.below(inputs.len())];
                let from = self.below(other.len() + 1);
                let to = (from + self.below(64)).min(other.len());
                _ = input.splice(at..end, other[from..to].iter().copied());
            }
            _ => _ = input.splice(at..at, [BYTES[self.below(BYTES.len())]]),
        }
    }

    /// The digits at or after a place become another number.
    fn replace_number(&mut self, input: &mut Vec<u8>, at: usize) {
        let Some(begin) = input[at..].iter().position(u8::is_ascii_digit).map(|k| at + k) else { return };
        let end = begin + input[begin..].iter().take_while(|b| b.is_ascii_digit()).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        _ = input.splice(begin..end, number.bytes());
    }
}

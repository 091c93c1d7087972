//! Pairs of windows of two strings by their Hamming distance, 512 pairs at a time.
//!
//! Along a diagonal of the table of matches the number of places where two windows agree grows by the letter that comes in and falls by
//! the one that goes out. One bit of a word is one diagonal: the numbers of all diagonals are a few words, one for each binary digit, and the
//! letters of a string against one letter are a bit map. The string of the columns is a ring, closed by letters that match nothing, so
//! that a diagonal that leaves it at the end comes back at the start with no match. A row of the table costs some 40 instructions for 512
//! cells, for any alphabet.

use super::letters::{Code, Encoded, with_codes};
use crate::gram::{Level, dispatch, level};

/// The longest windows: their matches are numbers of eight binary digits.
pub(crate) const LONGEST: usize = 250;
/// Words of 64 diagonals that are moved together: a register of 512 bits.
const WORDS: usize = 8;
/// Bit maps are kept for each shift by less than a byte, so that every rotation is a load from some byte on.
const SHIFTS: usize = 8;

/// A batch of strings and their windows: which of them a split letter breaks.
pub(crate) struct Windows {
    strings: Encoded,
    length: usize,
    /// Windows of each string with a split letter in them, ascending.
    broken: Vec<Vec<u32>>,
}

/// A string of the columns as bit maps.
#[derive(Default)]
pub(crate) struct BitMaps {
    /// Diagonals of the ring.
    ring: usize,
    /// Bytes of one shift of a map.
    stride: usize,
    /// All shifts of the maps: of no letter, of whole windows, of each letter that the string holds.
    bytes: Vec<u8>,
    /// The map of each code.
    maps: Vec<u32>,
    windows: usize,
    /// For the string of the rows, the map of each of its letters.
    letters: Vec<u32>,
    tallies: Vec<[u64; WORDS]>,
}

const NO_LETTER: u32 = 0;
const WHOLE: u32 = 1;

impl Windows {
    pub(crate) fn new(strings: Encoded, length: usize) -> Self {
        let broken = (0..strings.len()).map(|i| with_codes!(strings, codes => broken(&codes[strings.range(i)], length))).collect();
        Windows { strings, length, broken }
    }

    /// How many strings.
    pub(crate) fn len(&self) -> usize {
        self.strings.len()
    }

    /// Letters of a string.
    pub(crate) fn length(&self, i: usize) -> usize {
        self.strings.length(i)
    }

    /// How many letters all of them have.
    pub(crate) fn letters(&self) -> usize {
        (0..self.len()).map(|i| self.strings.length(i)).sum()
    }

    /// Calls `each` with every whole window of a string over an alphabet of so many letters: the number that its letters are the digits of.
    pub(crate) fn each_word(&self, i: usize, size: usize, mut each: impl FnMut(usize)) {
        let highest = size.pow(self.length as u32 - 1);
        let (mut word, mut run) = (0, 0);
        with_codes!(self.strings, codes => for code in &codes[self.strings.range(i)] {
            if code.number() >= size {
                run = 0;
                continue;
            }
            (word, run) = (word % highest * size + code.number(), run + 1);
            if run >= self.length {
                each(word);
            }
        });
    }

    /// Makes the bit maps of a string, which [`Windows::count`] then compares others with.
    pub(crate) fn map(&self, j: usize, maps: &mut BitMaps) {
        with_codes!(self.strings, codes => maps.set(&codes[self.strings.range(j)], self.length, &self.broken[j]));
    }

    /// How many windows of string i and of the string of the maps agree in all but 0, 1, .. letters, up to the number of counts.
    pub(crate) fn count(&self, i: usize, maps: &mut BitMaps, counts: &mut [u64]) {
        counts.fill(0);
        let windows = (self.strings.length(i) + 1).saturating_sub(self.length);
        if windows == 0 || maps.windows == 0 {
            return;
        }
        with_codes!(self.strings, codes => maps.find(&codes[self.strings.range(i)]));
        let (ring, stride) = (maps.ring, maps.stride);
        let cells = Cells { bytes: &maps.bytes, ring, stride, letters: &maps.letters, length: self.length, broken: &self.broken[i] };
        for first in (0..ring / 64).step_by(WORDS) {
            maps.tallies.clear();
            maps.tallies.resize(counts.len(), [0; WORDS]);
            match self.length {
                0..16 => tally::<4>(&cells, first, &mut maps.tallies),
                16..64 => tally::<6>(&cells, first, &mut maps.tallies),
                _ => tally::<8>(&cells, first, &mut maps.tallies),
            }
            for (count, tally) in counts.iter_mut().zip(&maps.tallies) {
                *count += tally.iter().sum::<u64>();
            }
        }
    }
}

/// Operations on words for a string of so many letters against another one whose ring has so many diagonals.
pub(crate) fn steps(letters: f64, diagonals: f64, counts: usize) -> f64 {
    let words = (diagonals / (64 * WORDS) as f64).ceil().max(1.0) * WORDS as f64;
    letters * words * (2 + counts) as f64
}

/// Windows that hold a split letter, ascending.
fn broken<C: Code>(codes: &[C], length: usize) -> Vec<u32> {
    let windows = (codes.len() + 1).saturating_sub(length);
    let mut broken: Vec<u32> = Vec::new();
    for at in (0..codes.len()).filter(|at| codes[*at].is_split()) {
        let from = broken.last().map_or(0, |last| *last as usize + 1).max((at + 1).saturating_sub(length));
        broken.extend((from..windows.min(at + 1)).map(|w| w as u32));
    }
    broken
}

impl BitMaps {
    fn set<C: Code>(&mut self, codes: &[C], length: usize, broken: &[u32]) {
        self.windows = (codes.len() + 1).saturating_sub(length);
        if self.windows == 0 {
            return;
        }
        self.ring = (codes.len() + length).next_multiple_of(64 * WORDS);
        self.stride = self.ring / 4;
        self.maps.fill(NO_LETTER);
        let most = codes.iter().filter(|c| c.is_letter()).map(|c| c.number() + 1).max().unwrap_or(0);
        self.maps.resize(self.maps.len().max(most), NO_LETTER);
        let mut count = 2;
        for code in codes.iter().filter(|c| c.is_letter()) {
            let map = &mut self.maps[code.number()];
            if *map == NO_LETTER {
                (*map, count) = (count, count + 1);
            }
        }
        self.bytes.clear();
        self.bytes.resize(count as usize * SHIFTS * self.stride, 0);
        for (at, code) in codes.iter().enumerate().filter(|(_, c)| c.is_letter()) {
            let map = self.maps[code.number()];
            self.mark(map, at);
        }
        let mut broken = broken.iter().peekable();
        for w in 0..self.windows {
            if broken.next_if(|b| **b as usize == w).is_none() {
                self.mark(WHOLE, w);
            }
        }
        // Twice the ring, so that no rotation ends before its end; and the shifts by less than a byte.
        for map in 1..count as usize {
            let (first, others) = self.bytes[map * SHIFTS * self.stride..(map + 1) * SHIFTS * self.stride].split_at_mut(self.stride);
            first.copy_within(..self.ring / 8, self.ring / 8);
            for (s, other) in (1u32..).zip(others.chunks_exact_mut(self.stride)) {
                for (k, byte) in other.iter_mut().enumerate() {
                    let next = first.get(k + 1).copied().unwrap_or(first[0]);
                    *byte = (u16::from_le_bytes([first[k], next]) >> s) as u8;
                }
            }
        }
    }

    fn mark(&mut self, map: u32, at: usize) {
        self.bytes[map as usize * SHIFTS * self.stride + at / 8] |= 1 << (at % 8);
    }

    /// The maps of the letters of a string of the rows.
    fn find<C: Code>(&mut self, codes: &[C]) {
        let BitMaps { letters, maps, .. } = self;
        letters.clear();
        letters.extend(codes.iter().map(|c| maps.get(c.number()).copied().unwrap_or(NO_LETTER)));
    }
}

/// The table of matches of two strings.
pub(crate) struct Cells<'a> {
    bytes: &'a [u8],
    ring: usize,
    stride: usize,
    letters: &'a [u32],
    length: usize,
    broken: &'a [u32],
}

impl Cells<'_> {
    /// Bits of a map turned by `turn`, from a word on.
    #[inline(always)]
    fn load(&self, map: u32, turn: usize, first: usize) -> [u64; WORDS] {
        let turn = turn % self.ring;
        let from = (map as usize * SHIFTS + turn % 8) * self.stride + turn / 8 + 8 * first;
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(self.bytes[from..from + 8 * WORDS].as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words
    }
}

dispatch! {
    /// Adds to the tallies, for 512 diagonals from a word on, how many pairs of whole windows agree in all letters, all but one, and so on;
    /// `DIGITS` binary digits hold the length of a window.
    tally_here, tally_body, <>, (cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) -> ()
}

fn tally<const DIGITS: usize>(cells: &Cells<'_>, first: usize, tallies: &mut [[u64; WORDS]]) {
    crate::linalg::count_passed(steps(cells.letters.len() as f64, 1.0, tallies.len()) as usize);
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 && is_x86_feature_detected!("avx512vpopcntdq") {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
        fn counting<const DIGITS: usize>(cells: &Cells<'_>, first: usize, tallies: &mut [[u64; WORDS]]) {
            tally_digits::<DIGITS>(cells, first, tallies);
        }
        // SAFETY: called only where the features were detected.
        return unsafe { counting::<DIGITS>(cells, first, tallies) };
    }
    tally_here(cells, DIGITS, first, tallies);
}

#[inline(always)]
fn tally_body<const FMA: bool>(cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) {
    match digits {
        4 => tally_digits::<4>(cells, first, tallies),
        6 => tally_digits::<6>(cells, first, tallies),
        _ => tally_digits::<8>(cells, first, tallies),
    }
}

#[inline(always)]
fn tally_digits<const DIGITS: usize>(cells: &Cells<'_>, first: usize, tallies: &mut [[u64; WORDS]]) {
    let length = cells.length;
    let mut digits = [[0u64; WORDS]; DIGITS];
    let mut broken = cells.broken.iter().peekable();
    for t in 0..cells.letters.len() {
        let enters = cells.load(cells.letters[t], t, first);
        let leaves = if t >= length { cells.load(cells.letters[t - length], t - length, first) } else { [0; WORDS] };
        let (mut up, mut down) = ([0; WORDS], [0; WORDS]);
        for k in 0..WORDS {
            (up[k], down[k]) = (enters[k] & !leaves[k], leaves[k] & !enters[k]);
        }
        for digit in &mut digits {
            for k in 0..WORDS {
                let d = digit[k];
                digit[k] = d ^ (up[k] | down[k]);
                (up[k], down[k]) = (up[k] & d, down[k] & !d);
            }
        }
        if t + 1 < length || broken.next_if(|w| **w as usize + length == t + 1).is_some() {
            continue;
        }
        let whole = cells.load(WHOLE, t + 1 - length, first);
        for (differ, tally) in tallies.iter_mut().enumerate() {
            let mut here = whole;
            for (b, digit) in digits.iter().enumerate() {
                let flip = if length - differ >> b & 1 == 1 { 0 } else { u64::MAX };
                for k in 0..WORDS {
                    here[k] &= digit[k] ^ flip;
                }
            }
            for k in 0..WORDS {
                tally[k] += u64::from(here[k].count_ones());
            }
        }
    }
}

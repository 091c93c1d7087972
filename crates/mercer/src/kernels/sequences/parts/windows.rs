//! Pairs of windows of two strings by their Hamming distance, 512 pairs at a time.
//!
//! Along a diagonal of the table of matches the number of places where two windows agree grows by the letter that comes in and falls by
//! the one that goes out. One bit of a word is one diagonal: the numbers of all diagonals are a few words, one for each binary digit, and the
//! letters of a string against one letter are a bit map. The string of the columns is a ring, closed by letters that match nothing, so
//! that a diagonal that leaves it at the end comes back at the start with no match. A row of the table costs some 40 instructions for 512
//! cells, for any alphabet.

use super::letters::{Code, Encoded, with_codes};
use crate::gram::{Level, dispatch, level};
use std::ops::Range;

/// The longest windows: their matches are numbers of eight binary digits.
pub(crate) const LONGEST: usize = 250;
/// Words of 64 diagonals that are moved together: a register of 512 bits.
const WORDS: usize = 8;
/// Bit maps are kept for each shift by less than a byte, so that every rotation is a load from some byte on.
const SHIFTS: usize = 8;
/// Short strings whose rings share a register.
const TOGETHER: usize = 4;

/// A batch of strings and their windows: which of them a split letter breaks.
pub(crate) struct Windows {
    strings: Encoded,
    length: usize,
    /// Windows of each string with a split letter in them, ascending.
    broken: Vec<Vec<u32>>,
}

/// Strings of the columns as bit maps: one, or four that are short enough to share a register.
#[derive(Default)]
pub(crate) struct BitMaps {
    strings: Vec<StringMaps>,
    /// How many of them there are.
    count: usize,
    /// Diagonals of the ring of each.
    ring: usize,
    /// For the string of the rows, the map of each of its letters in each string of the columns.
    letters: Vec<[u32; TOGETHER]>,
    tallies: Vec<[u64; WORDS]>,
}

/// The bit maps of one string.
#[derive(Default)]
struct StringMaps {
    /// All shifts of the maps: of no letter, of whole windows, of each letter that the string holds.
    bytes: Vec<u8>,
    /// The map of each code.
    maps: Vec<u32>,
}

/// Distances that are counted at a time.
const COUNTS: usize = 8;

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

    /// How many strings from one on, and before another one, are compared at once.
    pub(crate) fn together(&self, first: usize, end: usize) -> usize {
        let short = |j: usize| self.strings.length(j) + self.length <= 64 * WORDS / TOGETHER;
        let all = (first..end.min(first + TOGETHER)).take_while(|j| short(*j)).count();
        all.max(1)
    }

    /// Makes the bit maps of as many strings as are compared at once, which [`Windows::count`] then compares others with.
    pub(crate) fn map(&self, strings: Range<usize>, maps: &mut BitMaps) {
        maps.count = strings.len();
        let longest = strings.clone().map(|j| self.strings.length(j)).max().unwrap_or(0);
        let several = longest + self.length <= 64 * WORDS / TOGETHER;
        maps.ring = if several { 64 * WORDS / TOGETHER } else { (longest + self.length).next_multiple_of(64 * WORDS) };
        maps.strings.resize_with(if several { TOGETHER } else { 1 }, StringMaps::default);
        for (k, string) in maps.strings.iter_mut().enumerate() {
            match strings.clone().nth(k) {
                Some(j) => {
                    with_codes!(self.strings, codes => string.set(&codes[self.strings.range(j)], self.length, &self.broken[j], maps.ring))
                }
                None => string.set::<u8>(&[], self.length, &[], maps.ring),
            }
        }
    }

    /// How many windows of string i and of each string of the maps agree in all but 0, 1, .. letters: `distances` counts for each.
    pub(crate) fn count(&self, i: usize, maps: &mut BitMaps, distances: usize, counts: &mut Vec<u64>) {
        counts.clear();
        counts.resize(maps.count * distances, 0);
        if self.strings.length(i) < self.length {
            return;
        }
        with_codes!(self.strings, codes => maps.find(&codes[self.strings.range(i)]));
        let BitMaps { strings, count, ring, letters, tallies } = maps;
        let cells = Cells { strings, ring: *ring, letters, length: self.length, broken: &self.broken[i] };
        for first in (0..(*ring / 64).max(WORDS)).step_by(WORDS) {
            tallies.clear();
            tallies.resize(distances, [0; WORDS]);
            tally(&cells, digits_of(self.length), first, tallies);
            let words = WORDS / cells.strings.len();
            for (d, tally) in tallies.iter().enumerate() {
                for (s, own) in tally.chunks_exact(words).take(*count).enumerate() {
                    counts[s * distances + d] += own.iter().sum::<u64>();
                }
            }
        }
    }
}

/// Binary digits of the numbers of matches of windows of a length.
fn digits_of(length: usize) -> usize {
    if length < 16 { 4 } else { 8 }
}

/// Operations on words for a string of so many letters against another one whose ring has so many diagonals: of each letter three loads, two
/// masks and three for every digit, one for every digit of each count and four for its sum; two registers at a time.
pub(crate) fn steps(letters: f64, diagonals: f64, length: usize, counts: usize) -> f64 {
    let register = (64 * WORDS) as f64;
    let registers = if diagonals <= register / TOGETHER as f64 { 1.0 / TOGETHER as f64 } else { (diagonals / register).ceil() };
    let digits = digits_of(length);
    letters * registers * (WORDS / 2 * (5 + 3 * digits + counts * (4 + digits))) as f64
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

impl StringMaps {
    fn set<C: Code>(&mut self, codes: &[C], length: usize, broken: &[u32], ring: usize) {
        let stride = stride(ring);
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
        self.bytes.resize(count as usize * SHIFTS * stride, 0);
        let mut mark = |map: u32, at: usize| self.bytes[map as usize * SHIFTS * stride + at / 8] |= 1 << (at % 8);
        for (at, code) in codes.iter().enumerate().filter(|(_, c)| c.is_letter()) {
            mark(self.maps[code.number()], at);
        }
        let mut broken = broken.iter().peekable();
        for w in 0..(codes.len() + 1).saturating_sub(length) {
            if broken.next_if(|b| **b as usize == w).is_none() {
                mark(WHOLE, w);
            }
        }
        // Twice the ring, so that no rotation ends before its end; and the shifts by less than a byte.
        for map in 1..count as usize {
            let (first, others) = self.bytes[map * SHIFTS * stride..(map + 1) * SHIFTS * stride].split_at_mut(stride);
            first.copy_within(..ring / 8, ring / 8);
            for (s, other) in (1u32..).zip(others.chunks_exact_mut(stride)) {
                for (k, byte) in other.iter_mut().enumerate() {
                    let next = first.get(k + 1).copied().unwrap_or(first[0]);
                    *byte = (u16::from_le_bytes([first[k], next]) >> s) as u8;
                }
            }
        }
    }
}

impl BitMaps {
    /// The maps of the letters of a string of the rows.
    fn find<C: Code>(&mut self, codes: &[C]) {
        let BitMaps { letters, strings, .. } = self;
        letters.clear();
        letters.resize(codes.len(), [NO_LETTER; TOGETHER]);
        for (s, string) in strings.iter().enumerate() {
            for (found, code) in letters.iter_mut().zip(codes) {
                found[s] = string.maps.get(code.number()).copied().unwrap_or(NO_LETTER);
            }
        }
    }
}

/// Bytes of one shift of a map.
fn stride(ring: usize) -> usize {
    ring / 4
}

/// The tables of matches of a string of the rows and strings of the columns.
pub(crate) struct Cells<'a> {
    strings: &'a [StringMaps],
    ring: usize,
    letters: &'a [[u32; TOGETHER]],
    length: usize,
    broken: &'a [u32],
}

impl Cells<'_> {
    /// Bits of the maps of `STRINGS` strings turned by `turn`, from a word of each on.
    #[inline(always)]
    fn load<const STRINGS: usize>(&self, maps: [u32; TOGETHER], turn: usize, first: usize) -> [u64; WORDS] {
        let turn = if turn < self.ring { turn } else { turn % self.ring };
        let mut words = [0; WORDS];
        let own = WORDS / STRINGS;
        for s in 0..STRINGS {
            let from = (maps[s] as usize * SHIFTS + turn % 8) * stride(self.ring) + turn / 8 + 8 * first;
            for (word, bytes) in words[s * own..][..own].iter_mut().zip(self.strings[s].bytes[from..from + 8 * own].as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
        }
        words
    }
}

dispatch! {
    /// Adds to the tallies, for 512 diagonals from a word on, how many pairs of whole windows agree in all letters, all but one, and so on;
    /// `DIGITS` binary digits hold the length of a window.
    tally_here, tally_body, <>, (cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) -> ()
}

fn tally(cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) {
    crate::linalg::count_passed(steps(cells.letters.len() as f64, 512.0, cells.length, tallies.len()) as usize);
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 && is_x86_feature_detected!("avx512vpopcntdq") {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
        fn counting(cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) {
            tally_body::<true>(cells, digits, first, tallies);
        }
        // SAFETY: called only where the features were detected.
        return unsafe { counting(cells, digits, first, tallies) };
    }
    tally_here(cells, digits, first, tallies);
}

#[inline(always)]
fn tally_body<const FMA: bool>(cells: &Cells<'_>, digits: usize, first: usize, tallies: &mut [[u64; WORDS]]) {
    match (digits, cells.strings.len()) {
        (4, TOGETHER) => tally_digits::<4, TOGETHER>(cells, first, tallies),
        (4, _) => tally_digits::<4, 1>(cells, first, tallies),
        (_, TOGETHER) => tally_digits::<8, TOGETHER>(cells, first, tallies),
        _ => tally_digits::<8, 1>(cells, first, tallies),
    }
}

#[inline(always)]
fn tally_digits<const DIGITS: usize, const STRINGS: usize>(cells: &Cells<'_>, first: usize, tallies: &mut [[u64; WORDS]]) {
    for (part, some) in tallies.chunks_mut(COUNTS).enumerate() {
        tally_some::<DIGITS, STRINGS>(cells, first, part * COUNTS, some);
    }
}

/// The tallies of windows that differ in `fewest` letters and more, as many as there are tallies.
#[inline(always)]
fn tally_some<const DIGITS: usize, const STRINGS: usize>(cells: &Cells<'_>, first: usize, fewest: usize, tallies: &mut [[u64; WORDS]]) {
    let length = cells.length;
    // Bits to turn over, so that those of the number that is counted are all 1.
    let mut flips = [[0; DIGITS]; COUNTS];
    for (k, flips) in flips.iter_mut().enumerate().take(tallies.len()) {
        for (b, flip) in flips.iter_mut().enumerate() {
            *flip = if ((length - fewest - k) >> b) & 1 == 1 { 0 } else { u64::MAX };
        }
    }
    let mut digits = [[0u64; WORDS]; DIGITS];
    let mut broken = cells.broken.iter().peekable();
    for t in 0..cells.letters.len() {
        let enters = cells.load::<STRINGS>(cells.letters[t], t, first);
        let leaves = if t >= length { cells.load::<STRINGS>(cells.letters[t - length], t - length, first) } else { [0; WORDS] };
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
        let whole = cells.load::<STRINGS>([WHOLE; TOGETHER], t + 1 - length, first);
        for (flips, tally) in flips.iter().zip(&mut *tallies) {
            let mut here = whole;
            for (digit, flip) in digits.iter().zip(flips) {
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

//! Pairs of windows of two strings by their Hamming distance, and kernels that are a table of it.
//!
//! Along a diagonal of the table of matches the distance of two windows changes by the letters that come in and those that go out, so that
//! one pass of byte instructions over all cells serves every kernel that is a sum over pairs of windows of `table[distance]`: gapped
//! substrings, mismatches. Its cost is that of the cells, for any alphabet.

use super::letters::{Code, Encoded, with_codes};
use crate::gram::{Level, dispatch, level};
use std::ops::Range;

/// The longest windows: distances are bytes, and one is kept for what is no window.
pub(crate) const LONGEST: usize = 250;
/// Cells in one count of a distance: a byte holds it.
const PART: usize = 128;

dispatch! {
    /// Distances of the windows of a row of cells from those of the row before, one place down the diagonal; returns the least.
    slide, slide_body, <C: Code>, (distances: &mut [u8], entering: &[C], leaving: &[C], enters: C, leaves: C) -> u8, operations: distances.len() / 8
}
dispatch! {
    /// How many of the distances are 0, 1, .. is added to `counts`.
    tally, tally_body, <>, (distances: &[u8], counts: &mut [u64]) -> (), operations: distances.len() * counts.len() / 16
}
dispatch! {
    /// Adds to distances whether letters differ from one.
    compare, compare_body, <C: Code>, (distances: &mut [u8], letters: &[C], letter: C) -> (), operations: distances.len() / 16
}

#[inline(always)]
fn slide_body<C: Code, const FMA: bool>(distances: &mut [u8], entering: &[C], leaving: &[C], enters: C, leaves: C) -> u8 {
    let mut least = u8::MAX;
    for ((d, e), l) in distances.iter_mut().zip(entering).zip(leaving) {
        let moved = d.wrapping_add(u8::from(*e != enters)).wrapping_sub(u8::from(*l != leaves));
        *d = moved;
        least = least.min(moved);
    }
    least
}

#[inline(always)]
fn tally_body<const FMA: bool>(distances: &[u8], counts: &mut [u64]) {
    for (t, count) in counts.iter_mut().enumerate() {
        *count += distances.chunks(PART).map(|part| u64::from(part.iter().map(|d| u8::from(*d == t as u8)).sum::<u8>())).sum::<u64>();
    }
}

#[inline(always)]
fn compare_body<C: Code, const FMA: bool>(distances: &mut [u8], letters: &[C], letter: C) {
    for (d, l) in distances.iter_mut().zip(letters) {
        *d += u8::from(*l != letter);
    }
}

/// Windows of the strings of a batch: which of them a split letter breaks.
pub(crate) struct Windows {
    pub(crate) strings: Encoded,
    length: usize,
    /// Windows of each string with a split letter in them.
    broken: Vec<Vec<u32>>,
}

/// Memory for distances.
#[derive(Default)]
pub(crate) struct Scratch {
    /// One for each diagonal that the cells of the current row lie on, from the last row's first column on.
    diagonals: Vec<u8>,
    /// Those of the first column.
    first: Vec<u8>,
}

impl Windows {
    pub(crate) fn new(strings: Encoded, length: usize) -> Self {
        let broken = (0..strings.len()).map(|i| with_codes!(strings, codes => broken(&codes[strings.range(i)], length))).collect();
        Windows { strings, length, broken }
    }

    /// How many windows of string i of these and string j of others have each distance below the number of counts.
    pub(crate) fn count(&self, i: usize, others: &Windows, j: usize, counts: &mut [u64], scratch: &mut Scratch) {
        counts.fill(0);
        let (rows, cols) = (self.strings.range(i), others.strings.range(j));
        let broken = (&self.broken[i][..], &others.broken[j][..]);
        with_codes!(self.strings, x => with_codes!(others.strings, z => count(&x[rows], &z[cols], self.length, broken, counts, scratch)));
    }

    /// The windows of a string that no split letter breaks, as places among all codes.
    pub(crate) fn whole(&self, i: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let range = self.strings.range(i);
        let windows = (range.len() + 1).saturating_sub(self.length);
        let (length, first) = (self.length, range.start);
        (0..windows).filter(move |w| self.broken[i].binary_search(&(*w as u32)).is_err()).map(move |w| first + w..first + w + length)
    }
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

/// The code that a letter of a row is compared by: what is no letter matches nothing.
fn sought<C: Code>(code: C) -> C {
    if code.is_letter() { code } else { C::NOTHING }
}

fn count<A: Code, C: Code>(x: &[A], z: &[C], length: usize, broken: (&[u32], &[u32]), counts: &mut [u64], scratch: &mut Scratch) {
    if x.len() < length || z.len() < length || length == 0 {
        return;
    }
    let (rows, cols) = (x.len() + 1 - length, z.len() + 1 - length);
    let row_letter = |at: usize| sought(C::of(x[at].number()));
    let (diagonals, first) = (&mut scratch.diagonals, &mut scratch.first);
    // The first column by the letters of x, the first row by those of z.
    first.clear();
    first.resize(rows, 0);
    for t in 0..length {
        compare(first, &x[t..t + rows], sought(A::of(z[t].number())));
    }
    diagonals.clear();
    diagonals.resize(rows + cols, 0);
    for t in 0..length {
        compare(&mut diagonals[rows - 1..rows - 1 + cols], &z[t..t + cols], row_letter(t));
    }
    let mut broken_rows = broken.0.iter().peekable();
    for i in 0..rows {
        let here = &mut diagonals[rows - 1 - i..rows - 1 - i + cols];
        let least = if i == 0 {
            0
        } else {
            let least = slide(&mut here[1..], &z[length..], &z[..cols - 1], row_letter(i + length - 1), row_letter(i - 1));
            here[0] = first[i];
            least.min(first[i])
        };
        if broken_rows.next_if(|w| **w as usize == i).is_some() || usize::from(least) >= counts.len() {
            continue;
        }
        tally(here, counts);
        for &w in broken.1 {
            if let Some(count) = counts.get_mut(usize::from(here[w as usize])) {
                *count -= 1;
            }
        }
    }
}

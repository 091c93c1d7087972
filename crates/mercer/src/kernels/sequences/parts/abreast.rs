//! Pairs of strings compared eight at a time, one in each lane, strings of like lengths side by side.

use super::letters::{Code, Encoded, with_codes};
use super::octet::{LANES, Letters};
use crate::control::Control;
use crate::error::Result;
use crate::gram::{Block, TileRows};
use crate::linalg::Real;
use std::ops::Range;

/// The letters of eight pairs of strings: `x[p][l]` is letter p of the first string of lane l, `z[p][l]` that of the second. The first is no
/// longer than the second.
pub(crate) struct EightPairs<'e> {
    pub(crate) x: &'e [Letters],
    pub(crate) z: &'e [Letters],
}

/// The numbers that stand for letters in lanes: those of the first strings are multiplied by `stride`.
#[derive(Clone, Copy)]
pub(crate) struct LaneLetters {
    /// The letters of the batch of the columns have codes below this.
    size: usize,
    stride: u32,
    /// What stands for ambiguous letters and for what lies behind the end of a string, in the first and in the second strings.
    nothing: [u32; 2],
    /// What stands for letters that the batch of the columns lacks.
    unknown: [u32; 2],
}

impl LaneLetters {
    /// Letters that are compared for equality; the strings are those of two batches, the second of which knows its letters.
    pub(crate) fn compared(columns: &Encoded) -> Self {
        LaneLetters { size: columns.size(), stride: 1, nothing: [u32::MAX, u32::MAX - 1], unknown: [u32::MAX - 2, u32::MAX - 3] }
    }
    /// Letters of the first strings as rows of a square table and of the second as its columns. The last row and the last column are of
    /// letters that match nothing: the table has `size + 1` rows.
    pub(crate) fn of_table(size: usize) -> Self {
        let last = size as u32;
        let nothing = [last * (last + 1), last];
        LaneLetters { size, stride: last + 1, nothing, unknown: nothing }
    }

    fn write(self, side: usize, strings: &Encoded, row: usize, lane: usize, to: &mut [Letters]) {
        with_codes!(strings, codes => self.write_codes(side, &codes[strings.range(row)], lane, to));
    }

    fn write_codes<C: Code>(self, side: usize, codes: &[C], lane: usize, to: &mut [Letters]) {
        let stride = if side == 0 { self.stride } else { 1 };
        for (to, code) in to.iter_mut().zip(codes) {
            to[lane] = match code.number() {
                number if number < self.size => number as u32 * stride,
                _ if *code == C::SPLIT => self.nothing[side],
                _ => self.unknown[side],
            };
        }
    }
}

/// Pairs that are gathered until there are eight.
pub(crate) struct Abreast<'a, P> {
    a: &'a Encoded,
    b: &'a Encoded,
    letters: LaneLetters,
    /// Rows of both batches.
    waiting: Vec<(usize, usize)>,
    /// What each of these pairs was added with.
    with: Vec<P>,
    x: Vec<Letters>,
    z: Vec<Letters>,
}

impl<'a, P> Abreast<'a, P> {
    pub(crate) fn new(a: &'a Encoded, b: &'a Encoded, letters: LaneLetters) -> Self {
        Abreast { a, b, letters, waiting: Vec::with_capacity(LANES), with: Vec::with_capacity(LANES), x: Vec::new(), z: Vec::new() }
    }

    /// Adds a pair, and hands eight of them to `visit` once there are so many, with what they were added with.
    pub(crate) fn push(&mut self, i: usize, j: usize, with: P, visit: &mut impl FnMut(&EightPairs<'_>, &[P])) {
        self.waiting.push((i, j));
        self.with.push(with);
        if self.waiting.len() == LANES {
            self.finish(visit);
        }
    }

    /// Hands over the pairs that are left.
    pub(crate) fn finish(&mut self, visit: &mut impl FnMut(&EightPairs<'_>, &[P])) {
        if self.waiting.is_empty() {
            return;
        }
        // One order for the pair of i and j and for that of j and i, so that both have the same bits.
        let same = std::ptr::eq(self.a, self.b);
        let turned = |i: usize, j: usize| {
            let (m, n) = (self.a.length(i), self.b.length(j));
            m > n || same && m == n && i > j
        };
        let lengths = |(i, j): &(usize, usize)| {
            let (m, n) = (self.a.length(*i), self.b.length(*j));
            (m.min(n), m.max(n))
        };
        let (m, n) = self.waiting.iter().map(lengths).fold((0, 0), |most, now| (most.0.max(now.0), most.1.max(now.1)));
        self.x.clear();
        self.x.resize(m, [self.letters.nothing[0]; LANES]);
        self.z.clear();
        self.z.resize(n, [self.letters.nothing[1]; LANES]);
        for (lane, (i, j)) in self.waiting.iter().enumerate() {
            let (first, second) = if turned(*i, *j) { ((self.b, *j), (self.a, *i)) } else { ((self.a, *i), (self.b, *j)) };
            self.letters.write(0, first.0, first.1, lane, &mut self.x);
            self.letters.write(1, second.0, second.1, lane, &mut self.z);
        }
        visit(&EightPairs { x: &self.x, z: &self.z }, &self.with);
        self.waiting.clear();
        self.with.clear();
    }
}

/// Where the value of a pair goes in a tile: a row and a column of it, and whether to the mirror image of these too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePlace {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// The row and the column of the mirror image, if it lies in the tile and off the diagonal.
    pub(crate) mirrored: Option<(usize, usize)>,
}

impl TilePlace {
    /// Calls `write` with the row and the column of the pair, and with those of its mirror image.
    pub(crate) fn each(&self, mut write: impl FnMut(usize, usize)) {
        write(self.row, self.column);
        if let Some((row, column)) = self.mirrored {
            write(row, column);
        }
    }
}

/// The rows of a tile that are columns of it too, where both are of one batch: pairs of these come twice.
pub(crate) fn shared<B>(a: &B, rows: &TileRows<'_>, b: &B, cols: &Range<usize>) -> Range<usize> {
    match rows {
        TileRows::Range(rows) if std::ptr::eq(a, b) => rows.start.max(cols.start)..rows.end.min(cols.end),
        _ => 0..0,
    }
}

impl TilePlace {
    /// The place of row k of the tile, which is row i of its batch, and column j of the batch of columns that begin at `start`; `None` if
    /// the pair is the mirror image of another one, both of `shared` rows.
    pub(crate) fn of(shared: &Range<usize>, (k, i): (usize, usize), j: usize, start: usize) -> Option<Self> {
        let (row, column) = (k, j - start);
        match shared.contains(&i) && shared.contains(&j) {
            true if j > i => None,
            true if j < i => Some(TilePlace { row, column, mirrored: Some((row - (i - j), column + (i - j))) }),
            _ => Some(TilePlace { row, column, mirrored: None }),
        }
    }
}

/// Calls `visit` with the row, the column and the place of each pair of a tile, pairs of like lengths one after the other. Pairs of one
/// batch that the tile holds twice come once.
pub(crate) fn each_by_length<B>(
    (a, rows): (&B, &TileRows<'_>),
    (b, cols): (&B, Range<usize>),
    length: impl Fn(&B, usize) -> usize,
    mut visit: impl FnMut(usize, usize, TilePlace),
) {
    let shared = shared(a, rows, b, &cols);
    let mut down: Vec<usize> = (0..rows.len()).collect();
    down.sort_by_key(|&k| length(a, rows.at(k)));
    let mut along: Vec<usize> = cols.clone().collect();
    along.sort_by_key(|&j| length(b, j));
    for k in down {
        let i = rows.at(k);
        for &j in &along {
            if let Some(place) = TilePlace::of(&shared, (k, i), j, cols.start) {
                visit(i, j, place);
            }
        }
        // There and back, so that neighbours have like lengths.
        along.reverse();
    }
}

/// Writes what `of` makes of the values of eight pairs, and of the row and the column of each in its batch, to their places in a tile whose
/// columns begin at `start`; `values` is not asked once time is up.
pub(crate) fn write_eight<T: Real>(
    out: &mut Block<'_, T>,
    (rows, start): (&TileRows<'_>, usize),
    places: &[TilePlace],
    values: impl FnOnce() -> [f64; LANES],
    of: &impl Fn(f64, usize, usize) -> f64,
) {
    if out.is_given_up() {
        return;
    }
    for (place, value) in places.iter().zip(values()) {
        let value = T::from_f64(of(value, rows.at(place.row), start + place.column));
        place.each(|row, column| out.row_mut(row)[column] = value);
    }
}

/// Fills a tile from the values of eight pairs at a time, as [`write_eight`] does.
pub(crate) fn fill_eight<T: Real>(
    out: &mut Block<'_, T>,
    (a, rows): (&Encoded, &TileRows<'_>),
    (b, cols): (&Encoded, Range<usize>),
    letters: LaneLetters,
    mut values: impl FnMut(&EightPairs<'_>) -> [f64; LANES],
    of: impl Fn(f64, usize, usize) -> f64,
) {
    let tile = (rows, cols.start);
    each_eight((a, rows), (b, cols), letters, &mut |pairs, places| write_eight(out, tile, places, || values(pairs), &of));
}

/// The value of each string of a batch with itself.
///
/// # Errors
/// Time that is up before `what` is computed.
pub(crate) fn own_values(
    batch: &Encoded,
    letters: LaneLetters,
    mut values: impl FnMut(&EightPairs<'_>) -> [f64; LANES],
    what: &str,
    control: &Control,
) -> Result<Vec<f64>> {
    let mut own = vec![0.0; batch.len()];
    let mut visit = |pairs: &EightPairs<'_>, rows: &[usize]| {
        if !control.is_given_up() {
            rows.iter().zip(values(pairs)).for_each(|(row, value)| own[*row] = value);
        }
    };
    let mut pairs = Abreast::new(batch, batch, letters);
    (0..batch.len()).for_each(|row| pairs.push(row, row, row, &mut visit));
    pairs.finish(&mut visit);
    control.check_time(what)?;
    Ok(own)
}

/// Hands all pairs of a tile to `visit`, eight at a time. Pairs of one batch that the tile holds twice come once.
pub(crate) fn each_eight(
    (a, rows): (&Encoded, &TileRows<'_>),
    (b, cols): (&Encoded, Range<usize>),
    letters: LaneLetters,
    visit: &mut impl FnMut(&EightPairs<'_>, &[TilePlace]),
) {
    let mut pairs = Abreast::new(a, b, letters);
    each_by_length((a, rows), (b, cols), Encoded::length, |i, j, place| pairs.push(i, j, place, visit));
    pairs.finish(visit);
}

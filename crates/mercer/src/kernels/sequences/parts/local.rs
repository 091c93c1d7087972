//! Local alignments of eight pairs of strings: their best score, and the sum of exp(beta score) over all of them.
//!
//! M = w (1 + T'), X = o M^ + e X^, Y = o (M< + X<) + e Y<, T = M + X + Y, with ' one letter back in both strings, ^ in the first and < in
//! the second; w, o and e are the weights of a pair of letters, of the first letter of a gap and of the others. The sum of M over all
//! cells is that over all alignments that are not empty (Vert, Saigo & Akutsu, Local alignment kernels for biological sequences, 2004). With max
//! for + and + for the product it is the best score (Smith & Waterman, 1981; Gotoh, 1982).

use super::abreast::EightPairs;
use super::octet::{LANES, Letters, Octet, by_octets};

/// What scores pairs of letters, in the numbers of a recursion.
pub(crate) enum PairWeights {
    /// A square table, for letters as [`super::abreast::LaneLetters::of_table`] has them.
    Table(Vec<f64>),
    /// The weight of equal letters and that of others, for letters as [`super::abreast::LaneLetters::compared`] has them.
    Match(f64, f64),
}

/// What is added over alignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddedUp {
    /// exp(beta score): weights are exponentials.
    Sum,
    /// The maximum of the score: weights are scores.
    Best,
}

/// The recursion, with its memory.
pub(crate) struct LocalAlignments {
    pub(crate) added_up: AddedUp,
    pub(crate) pairs: PairWeights,
    /// Weights of the first letter of a gap and of each further one.
    pub(crate) open: f64,
    pub(crate) extend: f64,
    memory: Memory,
}

#[derive(Default)]
struct Memory {
    /// For each letter of the second strings: T of the letters of the first strings so far, X of the next one, and the exponent of both.
    total: Vec<[f64; LANES]>,
    gap: Vec<[f64; LANES]>,
    exponent: Vec<[f64; LANES]>,
    /// The weight of each letter of the second strings with another letter.
    other: Vec<[f64; LANES]>,
}

/// 1 in the recursion of sums: numbers below 2^-60 of it count for nothing, and those above it have so much more room.
const START: f64 = f64::from_bits((1023 - START_EXPONENT as u64) << 52);
const START_EXPONENT: u32 = 960;

impl LocalAlignments {
    pub(crate) fn new(added_up: AddedUp, pairs: PairWeights, open: f64, extend: f64) -> Self {
        LocalAlignments { added_up, pairs, open, extend, memory: Memory::default() }
    }

    /// Of eight pairs of strings the best score, or ln sum exp(beta score) over all alignments, the empty one included.
    pub(crate) fn values(&mut self, pairs: &EightPairs<'_>) -> [f64; LANES] {
        // 2^1000: T is at most 4 n times a sum of M, and is a number below this.
        const OVERFLOWN: f64 = f64::from_bits((1023 + 1000) << 52);
        let none = if self.added_up == AddedUp::Sum { 0.0 } else { f64::NEG_INFINITY };
        let n = pairs.z.len();
        if let PairWeights::Match(_, other) = self.pairs {
            self.memory.other.clear();
            self.memory.other.extend(pairs.z.iter().map(|letters| letters.map(|z| if is_nothing(z) { none } else { other })));
        }
        let mut out = [0.0; LANES];
        let weights = CellWeights { open: self.open, extend: self.extend, same: 0.0, table: &[], other: &[] };
        let Memory { total, gap, exponent, other } = &mut self.memory;
        let weights = match &self.pairs {
            PairWeights::Table(table) => CellWeights { table, ..weights },
            PairWeights::Match(same, different) => CellWeights { same: same - different, other, ..weights },
        };
        for (held, start) in [(&mut *total, if self.added_up == AddedUp::Sum { START } else { 0.0 }), (gap, none)] {
            held.clear();
            held.resize(n, [start; LANES]);
        }
        let is_table = matches!(self.pairs, PairWeights::Table(_));
        match (self.added_up, is_table) {
            (AddedUp::Best, true) => best_by_table(pairs, &weights, [total, gap], &mut out),
            (AddedUp::Best, false) => best_by_match(pairs, &weights, [total, gap], &mut out),
            (AddedUp::Sum, true) => sum_by_table(pairs, &weights, [total, gap], &mut out),
            (AddedUp::Sum, false) => sum_by_match(pairs, &weights, [total, gap], &mut out),
        }
        if self.added_up == AddedUp::Best {
            return out;
        }
        let natural = |sum: f64, exponent: f64| sum.ln() + exponent * std::f64::consts::LN_2;
        if out.iter().all(|sum| *sum < OVERFLOWN) {
            return out.map(|sum| natural(sum + START, f64::from(START_EXPONENT)));
        }
        for (held, start) in [(&mut *total, 1.0), (gap, 0.0), (exponent, 0.0)] {
            held.clear();
            held.resize(n, [start; LANES]);
        }
        let mut exponents = [0.0; LANES];
        let mut sums = [0.0; LANES];
        let scaled = if is_table { scaled_by_table } else { scaled_by_match };
        scaled(pairs, &weights, [total, gap, exponent], [&mut sums, &mut exponents]);
        std::array::from_fn(|l| {
            // A value does not depend on the pairs beside it.
            if out[l] < OVERFLOWN { natural(out[l] + START, f64::from(START_EXPONENT)) } else { natural(sums[l], exponents[l]) }
        })
    }
}

/// Whether a letter matches nothing.
fn is_nothing(letter: u32) -> bool {
    letter >= u32::MAX - 1
}

/// The weights of cells.
struct CellWeights<'w> {
    open: f64,
    extend: f64,
    table: &'w [f64],
    /// What equal letters weigh more than others, and the weight of others for each letter of the second strings.
    same: f64,
    other: &'w [[f64; LANES]],
}

/// Sums of products, or maxima of sums.
trait Semiring {
    const NONE: f64;
    const ONE: f64;
    fn plus<O: Octet>(a: O, b: O) -> O;
    fn times<O: Octet>(a: O, b: O) -> O;
    /// a b + c.
    fn fused<O: Octet>(a: O, b: O, c: O) -> O;
}

struct SumProduct;
impl Semiring for SumProduct {
    const NONE: f64 = 0.0;
    const ONE: f64 = 1.0;
    #[inline(always)]
    fn plus<O: Octet>(a: O, b: O) -> O {
        a.add(b)
    }
    #[inline(always)]
    fn times<O: Octet>(a: O, b: O) -> O {
        a.mul(b)
    }
    #[inline(always)]
    fn fused<O: Octet>(a: O, b: O, c: O) -> O {
        a.fused(b, c)
    }
}

struct MaxPlus;
impl Semiring for MaxPlus {
    const NONE: f64 = f64::NEG_INFINITY;
    const ONE: f64 = 0.0;
    #[inline(always)]
    fn plus<O: Octet>(a: O, b: O) -> O {
        a.max(b)
    }
    #[inline(always)]
    fn times<O: Octet>(a: O, b: O) -> O {
        a.add(b)
    }
    #[inline(always)]
    fn fused<O: Octet>(a: O, b: O, c: O) -> O {
        a.add(b).max(c)
    }
}

/// How the weight of a cell is found.
trait CellWeight {
    /// What a letter of the first strings makes of all the weights of its row.
    ///
    /// # Safety
    /// The processor has the instructions of the octet.
    unsafe fn row<R: Semiring, O: Octet>(x: &Letters) -> O;
    /// # Safety
    /// The processor has the instructions of the octet; letters are places of the table.
    unsafe fn at<R: Semiring, O: Octet>(weights: &CellWeights<'_>, row: O, x: &Letters, z: &Letters, j: usize) -> O;
}

struct ByTable;
impl CellWeight for ByTable {
    #[inline(always)]
    unsafe fn row<R: Semiring, O: Octet>(_: &Letters) -> O {
        // SAFETY: promised by the caller.
        unsafe { O::splat(R::ONE) }
    }
    #[inline(always)]
    unsafe fn at<R: Semiring, O: Octet>(weights: &CellWeights<'_>, _: O, x: &Letters, z: &Letters, _: usize) -> O {
        // SAFETY: promised by the caller.
        unsafe { O::lookup(weights.table, x, z) }
    }
}

struct ByMatch;
impl CellWeight for ByMatch {
    #[inline(always)]
    unsafe fn row<R: Semiring, O: Octet>(x: &Letters) -> O {
        // SAFETY: promised by the caller.
        unsafe { O::load(&x.map(|x| if is_nothing(x) { R::NONE } else { R::ONE })) }
    }
    #[inline(always)]
    unsafe fn at<R: Semiring, O: Octet>(weights: &CellWeights<'_>, row: O, x: &Letters, z: &Letters, j: usize) -> O {
        // SAFETY: promised by the caller. Letters that match nothing are not equal.
        unsafe { R::times(O::load(&weights.other[j]), row).add(O::splat(weights.same).chosen(O::equal(x, z))) }
    }
}

/// # Safety
/// The processor has the instructions of the octet; letters are places of the table.
#[inline(always)]
unsafe fn recurse<O: Octet, R: Semiring, W: CellWeight>(
    pairs: &EightPairs<'_>,
    weights: &CellWeights<'_>,
    [total, gap]: [&mut [[f64; LANES]]; 2],
    out: &mut [f64; LANES],
) {
    let n = pairs.z.len();
    let (total, gap) = (&mut total[..n], &mut gap[..n]);
    // SAFETY: promised by the caller.
    unsafe {
        let start = O::load(total.first().unwrap_or(&[0.0; LANES]));
        let (open, extend, none) = (O::splat(weights.open), O::splat(weights.extend), O::splat(R::NONE));
        // 0 for sums, and the score of the empty alignment.
        let mut sum = O::splat(0.0);
        for x in pairs.x {
            let row = W::row::<R, O>(x);
            let (mut corner, mut along) = (start, none);
            for (j, z) in pairs.z.iter().enumerate() {
                let matched = R::times(W::at::<R, O>(weights, row, x, z, j), corner);
                let down = O::load(&gap[j]);
                corner = O::load(&total[j]);
                sum = R::plus(sum, matched);
                let ended = R::plus(matched, down);
                R::plus(start, R::plus(ended, along)).store(&mut total[j]);
                R::fused(open, matched, R::times(extend, down)).store(&mut gap[j]);
                along = R::fused(open, ended, R::times(extend, along));
            }
        }
        sum.store(out);
    }
}

/// The recursion of sums where they exceed the range of numbers: every cell has an exponent for its lane. A gap whose weight is below that
/// range, one that costs more than 708 / beta, is left out.
///
/// # Safety
/// The processor has the instructions of the octet; letters are places of the table.
#[inline(always)]
unsafe fn recurse_scaled<O: Octet, W: CellWeight>(
    pairs: &EightPairs<'_>,
    weights: &CellWeights<'_>,
    [total, gap, exponent]: [&mut [[f64; LANES]]; 3],
    [sums, exponents]: [&mut [f64; LANES]; 2],
) {
    let n = pairs.z.len();
    let (total, gap, exponent) = (&mut total[..n], &mut gap[..n], &mut exponent[..n]);
    // SAFETY: promised by the caller.
    unsafe {
        let (one, zero) = (O::splat(1.0), O::splat(0.0));
        let (open, extend) = (O::splat(weights.open), O::splat(weights.extend));
        let (mut sum, mut sum_exponent) = (one, zero);
        for x in pairs.x {
            let row = W::row::<SumProduct, O>(x);
            let (mut corner, mut corner_exponent) = (one, zero);
            let (mut along, mut along_exponent) = (zero, zero);
            for (j, z) in pairs.z.iter().enumerate() {
                let matched = W::at::<SumProduct, O>(weights, row, x, z, j).mul(corner);
                let (down, own_exponent) = (O::load(&gap[j]), O::load(&exponent[j]));
                // The exponent of the greatest of 1, M, X and Y.
                let most = zero
                    .max(corner_exponent.add(matched.exponent()))
                    .max(own_exponent.add(down.exponent()))
                    .max(along_exponent.add(along.exponent()));
                let new = matched.scaled(corner_exponent.sub(most));
                let (down, beside) = (down.scaled(own_exponent.sub(most)), along.scaled(along_exponent.sub(most)));
                (corner, corner_exponent) = (O::load(&total[j]), own_exponent);
                let sum_most = sum_exponent.max(most.add(new.exponent()));
                sum = sum.scaled(sum_exponent.sub(sum_most)).add(new.scaled(most.sub(sum_most)));
                sum_exponent = sum_most;
                let ended = new.add(down);
                one.scaled(zero.sub(most)).add(ended.add(beside)).store(&mut total[j]);
                open.fused(new, extend.mul(down)).store(&mut gap[j]);
                most.store(&mut exponent[j]);
                along = open.fused(ended, extend.mul(beside));
                along_exponent = most;
            }
        }
        sum.store(sums);
        sum_exponent.store(exponents);
    }
}

/// Defines the recursion for one semiring and one kind of weights.
macro_rules! recursion {
    ($name:ident, $body:ident, $Semiring:ident, $Weight:ident) => {
        /// # Safety
        /// The processor has the instructions of the octet; letters are places of the table.
        #[inline(always)]
        unsafe fn $body<O: Octet>(
            pairs: &EightPairs<'_>,
            weights: &CellWeights<'_>,
            cells: [&mut [[f64; LANES]]; 2],
            out: &mut [f64; LANES],
        ) {
            // SAFETY: promised by the caller.
            unsafe { recurse::<O, $Semiring, $Weight>(pairs, weights, cells, out) }
        }
        by_octets! {
            $name, $body,
            (pairs: &EightPairs<'_>, weights: &CellWeights<'_>, cells: [&mut [[f64; LANES]]; 2], out: &mut [f64; LANES])
        }
    };
}
recursion!(sum_by_table, sum_by_table_body, SumProduct, ByTable);
recursion!(sum_by_match, sum_by_match_body, SumProduct, ByMatch);
recursion!(best_by_table, best_by_table_body, MaxPlus, ByTable);
recursion!(best_by_match, best_by_match_body, MaxPlus, ByMatch);

/// Defines the recursion with exponents for one kind of weights.
macro_rules! scaled_recursion {
    ($name:ident, $body:ident, $Weight:ident) => {
        /// # Safety
        /// The processor has the instructions of the octet; letters are places of the table.
        #[inline(always)]
        unsafe fn $body<O: Octet>(
            pairs: &EightPairs<'_>,
            weights: &CellWeights<'_>,
            cells: [&mut [[f64; LANES]]; 3],
            out: [&mut [f64; LANES]; 2],
        ) {
            // SAFETY: promised by the caller.
            unsafe { recurse_scaled::<O, $Weight>(pairs, weights, cells, out) }
        }
        by_octets! {
            $name, $body,
            (pairs: &EightPairs<'_>, weights: &CellWeights<'_>, cells: [&mut [[f64; LANES]]; 3], out: [&mut [f64; LANES]; 2])
        }
    };
}
scaled_recursion!(scaled_by_table, scaled_by_table_body, ByTable);
scaled_recursion!(scaled_by_match, scaled_by_match_body, ByMatch);

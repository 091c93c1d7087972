//! Global alignments of eight pairs of series: the sum over all alignments of the product of a local kernel, as its logarithm.
//!
//! M(i, j) = (M(i - 1, j) + M(i - 1, j - 1) + M(i, j - 1)) w e / (2 - w e), e = exp(-|x_i - z_j|^2) of series that are scaled, and
//! w = 1 - |i - j| / band, 0 outside (Cuturi, Fast global alignment kernels, 2011). Each block of columns has a power of 2 that brings its
//! greatest number in a row to 1, so that no length overflows. One power for a whole row would not do: of vectors that are all alike,
//! M(i, j) grows with j, by 10^900 from j = i to j = 10 i at i = 1000, and what counts is near the diagonal.

use super::abreast::{Eight, EightSeries, LOOK};
use super::local::{LOW, by_channels, exponential, squared_distance};
use crate::gram::log_sum;
use crate::kernels::sequences::parts::octet::{LANES, Octet, by_octets};
use std::f64::consts::LN_2;
use std::ops::Range;

/// The recursion, with its memory.
pub(crate) struct GlobalAlignments {
    /// Times that are aligned differ by less than this; 0: any.
    band: usize,
    row: Vec<Eight>,
    slopes: Vec<Eight>,
    blocks: Vec<BlockScale>,
}

/// The scale of a block of columns.
#[derive(Clone, Copy)]
struct BlockScale {
    /// Numbers of the block are times 2^power.
    power: Eight,
    /// The exponent of the greatest of its numbers in the last row.
    exponent: Eight,
}

/// Of eight pairs ln M at the end, and its derivative by ln of the length scale where that was asked for.
#[derive(Default)]
pub(crate) struct LogSums {
    pub(crate) logs: Eight,
    pub(crate) slopes: Eight,
}

/// Columns that share a power of 2. A number 10^307 times less than the greatest of its block counts for nothing; to be so far from a
/// neighbour in a block, it must be behind local kernels of 10^-4 on average, whose product with those of any alignment leaves no value.
const BLOCK: usize = 64;

impl GlobalAlignments {
    pub(crate) fn new(band: usize) -> Self {
        GlobalAlignments { band, row: Vec::new(), slopes: Vec::new(), blocks: Vec::new() }
    }

    /// ln of the sums over the alignments of eight pairs. Where a local kernel that no alignment avoids is 0 in double precision, all is
    /// computed in logarithms, so that series that are far apart keep their order.
    pub(crate) fn logs(&mut self, pairs: &EightSeries<'_>) -> Eight {
        let mut logs = self.run(pairs, without_slopes).logs;
        for (lane, log) in logs.iter_mut().enumerate().filter(|(_, log)| **log == f64::NEG_INFINITY) {
            let (m, n) = pairs.lengths[lane];
            if m > 0 && n > 0 {
                *log = in_logarithms(pairs, self.band, lane);
            }
        }
        logs
    }

    /// ln of the sums, and their derivatives by ln of the length scale.
    pub(crate) fn logs_and_slopes(&mut self, pairs: &EightSeries<'_>) -> LogSums {
        self.run(pairs, with_slopes)
    }

    fn run(&mut self, pairs: &EightSeries<'_>, recursion: Recursion) -> LogSums {
        // The exponent of 0.
        const NOTHING: f64 = -1e10;
        for held in [&mut self.row, &mut self.slopes] {
            held.clear();
            held.resize(pairs.columns(), [0.0; LANES]);
        }
        self.blocks.clear();
        self.blocks.resize(pairs.columns().div_ceil(BLOCK), BlockScale { power: [0.0; LANES], exponent: [NOTHING; LANES] });
        let (mut sums, mut exponents, mut slopes) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let memory = CellMemory { row: &mut self.row, slopes: &mut self.slopes, blocks: &mut self.blocks };
        recursion(pairs, self.band, memory, [&mut sums, &mut exponents, &mut slopes]);
        let log = |l: usize| if pairs.lengths[l] == (0, 0) { 0.0 } else { natural(sums[l], exponents[l]) };
        let slope = |l: usize| if sums[l] > 0.0 { slopes[l] / sums[l] } else { 0.0 };
        LogSums { logs: std::array::from_fn(log), slopes: std::array::from_fn(slope) }
    }
}

/// ln of the sum over the alignments of the pair in a lane.
fn in_logarithms(pairs: &EightSeries<'_>, band: usize, lane: usize) -> f64 {
    let ((m, n), channels) = (pairs.lengths[lane], pairs.channels.max(1));
    let vector = |of: &[Eight], time: usize| -> Vec<f64> { of[time * channels..(time + 1) * channels].iter().map(|c| c[lane]).collect() };
    let columns: Vec<Vec<f64>> = (0..n).map(|j| vector(pairs.z, j)).collect();
    let mut row = vec![f64::NEG_INFINITY; n];
    for i in 0..m {
        if pairs.is_given_up(i, LOOK) {
            return f64::NEG_INFINITY;
        }
        let x = vector(pairs.x, i);
        let (mut left, mut corner) = (f64::NEG_INFINITY, if i == 0 { 0.0 } else { f64::NEG_INFINITY });
        for (j, (cell, z)) in row.iter_mut().zip(&columns).enumerate() {
            let inside = if band > 0 { (1.0 - i.abs_diff(j) as f64 / band as f64).max(0.0) } else { 1.0 };
            let minus = -x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum::<f64>();
            // Of w e / (2 - w e).
            let weight = libm::log(inside) + minus - libm::log(2.0 - inside * libm::exp(minus));
            let up = *cell;
            *cell = log_sum([up, left, corner].into_iter()) + weight;
            (left, corner) = (*cell, up);
        }
    }
    row[n - 1]
}

type Recursion = fn(&EightSeries<'_>, usize, CellMemory<'_>, [&mut Eight; 3]);

/// For each column M and its derivative in the last row, and the scales of the blocks.
struct CellMemory<'m> {
    row: &'m mut [Eight],
    slopes: &'m mut [Eight],
    blocks: &'m mut [BlockScale],
}

/// A number beside a block, its derivative, and the power of 2 of both.
#[derive(Clone, Copy)]
struct Beside<O> {
    value: O,
    slope: O,
    power: O,
}

impl<O: Octet> Beside<O> {
    /// The exponent of the number with its power.
    #[inline(always)]
    fn exponent(self) -> O {
        self.value.exponent().add(self.power)
    }
}

/// ln(sum 2^exponent), with the exponents added before the logarithm is taken, so that a result near 0 keeps its digits.
fn natural(sum: f64, exponent: f64) -> f64 {
    if sum < f64::MIN_POSITIVE {
        return sum.ln() + exponent * LN_2;
    }
    let own = (sum.to_bits() >> 52) as f64 - 1023.0;
    let between_1_and_2 = f64::from_bits(sum.to_bits() & (u64::MAX >> 12) | 1f64.to_bits());
    between_1_and_2.ln() + (own + exponent) * LN_2
}

/// The columns of a row that lie in the band.
fn columns_in_band(row: usize, columns: usize, band: usize) -> Range<usize> {
    if band == 0 {
        return 0..columns;
    }
    let end = columns.min(row.saturating_add(band));
    (row + 1).saturating_sub(band).min(end)..end
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn recurse<O: Octet, const C: usize, const SLOPES: bool>(
    pairs: &EightSeries<'_>,
    band: usize,
    memory: CellMemory<'_>,
    [sums, exponents, sum_slopes]: [&mut Eight; 3],
) {
    // The greatest power of 2 of one step, as numbers are 2^-1022 at least.
    const MOST_POWER: f64 = 1023.0;
    let channels = if C > 0 { C } else { pairs.channels.max(1) };
    let CellMemory { row, slopes, blocks } = memory;
    // SAFETY: promised by the caller.
    unsafe {
        let (zero, one, two) = (O::splat(0.0), O::splat(1.0), O::splat(2.0));
        for (i, x) in pairs.x.chunks_exact(channels).enumerate() {
            if pairs.is_given_up(i, LOOK) {
                return;
            }
            let inside = columns_in_band(i, row.len(), band);
            let nothing = Beside { value: zero, slope: zero, power: zero };
            // What stands left of the block in this row, and in the row before; before the first cell of all stands 1.
            let mut left = nothing;
            let mut corner = if i == 0 { Beside { value: one, ..nothing } } else { nothing };
            for (block, scale) in blocks.iter_mut().enumerate() {
                let all = block * BLOCK..row.len().min((block + 1) * BLOCK);
                if all.start >= inside.end {
                    break;
                }
                let power = O::load(&scale.power);
                let at = |j: usize| Beside { value: O::load(&row[j]), slope: O::load(&slopes[j]), power };
                let last = at(all.end - 1);
                if all.end <= inside.start {
                    corner = last;
                    continue;
                }
                let columns = all.start.max(inside.start)..all.end.min(inside.end);
                if columns.start > all.start {
                    corner = at(columns.start - 1);
                }
                let new = O::load(&scale.exponent).add(power).max(left.exponent()).max(corner.exponent());
                let factor = |power: O| one.scaled(zero.sub(new.sub(power).max(O::splat(-MOST_POWER))));
                let (up_factor, left_factor, corner_factor) = (factor(power), factor(left.power), factor(corner.power));
                let mut value = left.value.mul(left_factor).add(corner.value.mul(corner_factor));
                let mut slope = left.slope.mul(left_factor).add(corner.slope.mul(corner_factor));
                let (mut before, mut slope_before, mut most) = (zero, zero, zero);
                let cells = row[columns.clone()].iter_mut().zip(&mut slopes[columns.clone()]);
                let vectors = pairs.z[columns.start * channels..columns.end * channels].chunks_exact(channels);
                for (((cell, slope_cell), z), j) in cells.zip(vectors).zip(columns) {
                    let minus = zero.sub(squared_distance::<O, C>(x, z));
                    let (mut above, below) = exponential(minus);
                    if band > 0 {
                        above = above.mul(O::splat(1.0 - i.abs_diff(j) as f64 / band as f64));
                    }
                    let weight = above.div(below.add(below).sub(above));
                    let up = O::load(cell);
                    value = up_factor.fused(up.add(before), value).mul(weight);
                    value.store(cell);
                    before = up;
                    most = most.max(value);
                    if SLOPES {
                        // d weight / d ln length_scale = 2 |x - z|^2 weight (1 + weight), of scaled series.
                        let rate = zero.sub(minus.max(O::splat(LOW))).mul(two).mul(one.add(weight));
                        let up = O::load(slope_cell);
                        slope = up_factor.fused(up.add(slope_before), slope).fused(weight, value.mul(rate));
                        slope.store(slope_cell);
                        slope_before = up;
                    }
                }
                new.store(&mut scale.power);
                most.exponent().store(&mut scale.exponent);
                left = Beside { value, slope, power: new };
                corner = last;
            }
            for (lane, n) in pairs.ending(i + 1) {
                let power = blocks[(n - 1) / BLOCK].power[lane];
                (sums[lane], exponents[lane], sum_slopes[lane]) = (row[n - 1][lane], power, slopes[n - 1][lane]);
            }
        }
    }
}

/// Defines the recursion with or without slopes.
macro_rules! recursion {
    ($name:ident, $body:ident, $slopes:literal) => {
        /// # Safety
        /// The processor has the instructions of the octet.
        #[inline(always)]
        unsafe fn $body<O: Octet>(pairs: &EightSeries<'_>, band: usize, memory: CellMemory<'_>, out: [&mut Eight; 3]) {
            // SAFETY: promised by the caller.
            unsafe { by_channels!(pairs.channels, recurse, [O, $slopes], (pairs, band, memory, out)) }
        }
        by_octets! { $name, $body, (pairs: &EightSeries<'_>, band: usize, memory: CellMemory<'_>, out: [&mut Eight; 3]) }
    };
}
recursion!(without_slopes, without_slopes_body, false);
recursion!(with_slopes, with_slopes_body, true);

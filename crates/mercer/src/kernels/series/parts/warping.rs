//! Dynamic time warping of eight pairs of series: the least sum of squared distances over all alignments.
//!
//! -D(i, j) = max(-D(i - 1, j), -D(i - 1, j - 1), -D(i, j - 1)) - |x_i - z_j|^2 (Sakoe & Chiba, Dynamic programming algorithm optimization
//! for spoken word recognition, 1978).

use super::abreast::{Eight, EightSeries, LOOK};
use super::local::{by_channels, squared_distance};
use crate::kernels::sequences::parts::octet::{LANES, Octet, by_octets};

/// The recursion, with its memory.
pub(crate) struct Warping {
    /// Times that are aligned are less than so many from the diagonals through both ends; 0: any.
    window: usize,
    row: Vec<Eight>,
}

impl Warping {
    pub(crate) fn new(window: usize) -> Self {
        Warping { window, row: Vec::new() }
    }

    /// The least sums of eight pairs; infinite of an empty series with another that is not.
    pub(crate) fn squared_distances(&mut self, pairs: &EightSeries<'_>) -> Eight {
        self.row.clear();
        self.row.resize(pairs.columns(), [f64::NEG_INFINITY; LANES]);
        let mut least = pairs.lengths.map(|lengths| if lengths == (0, 0) { 0.0 } else { f64::NEG_INFINITY });
        let recursion = if self.window > 0 { in_window } else { everywhere };
        recursion(pairs, self.window, &mut self.row, &mut least);
        least.map(|minus| 0.0 - minus)
    }
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn recurse<O: Octet, const C: usize, const WINDOW: bool>(
    pairs: &EightSeries<'_>,
    window: usize,
    row: &mut [Eight],
    least: &mut Eight,
) {
    let channels = if C > 0 { C } else { pairs.channels.max(1) };
    // The first time of a second series that is too late for the first time of the first series.
    let ends = pairs.lengths.map(|(m, n)| (n - m).saturating_add(window) as f64);
    let farthest = ends.iter().fold(0.0f64, |most, end| most.max(*end)) as usize;
    // SAFETY: promised by the caller.
    unsafe {
        let (none, zero) = (O::splat(f64::NEG_INFINITY), O::splat(0.0));
        let (last, refused) = (O::load(&ends).sub(O::splat(1.0)), O::splat(-f64::MAX));
        for (i, x) in pairs.x.chunks_exact(channels).enumerate() {
            if pairs.is_given_up(i, LOOK) {
                return;
            }
            let columns = match WINDOW {
                true => (i + 1).saturating_sub(window).min(row.len())..row.len().min(i.saturating_add(farthest)),
                false => 0..row.len(),
            };
            let before = columns.start.checked_sub(1);
            let mut corner = before.map_or(if i == 0 { zero } else { none }, |j| O::load(&row[j]));
            let mut left = none;
            let vectors = pairs.z[columns.start * channels..columns.end * channels].chunks_exact(channels);
            for ((cell, z), j) in row[columns.clone()].iter_mut().zip(vectors).zip(columns) {
                let up = O::load(cell);
                left = up.max(corner).max(left).sub(squared_distance::<O, C>(x, z));
                if WINDOW {
                    left = O::splat(j as f64 - i as f64).sub(last).max(zero).fused(refused, left);
                }
                left.store(cell);
                corner = up;
            }
            for (lane, n) in pairs.ending(i + 1) {
                least[lane] = row[n - 1][lane];
            }
        }
    }
}

/// Defines the recursion with or without a window.
macro_rules! recursion {
    ($name:ident, $body:ident, $window:literal) => {
        /// # Safety
        /// The processor has the instructions of the octet.
        #[inline(always)]
        unsafe fn $body<O: Octet>(pairs: &EightSeries<'_>, window: usize, row: &mut [Eight], least: &mut Eight) {
            // SAFETY: promised by the caller.
            unsafe { by_channels!(pairs.channels, recurse, [O, $window], (pairs, window, row, least)) }
        }
        by_octets! { $name, $body, (pairs: &EightSeries<'_>, window: usize, row: &mut [Eight], least: &mut Eight) }
    };
}
recursion!(everywhere, everywhere_body, false);
recursion!(in_window, in_window_body, true);

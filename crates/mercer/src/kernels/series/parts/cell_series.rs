//! The Goursat problem u_st = p u in a cell of two increments, 0 <= s, t <= 1, by power series along its edges. With
//! u(s, 0) = sum_i f_i s^i / i! and u(0, t) = sum_j g_j t^j / j!, f_0 = g_0, the coefficients of u = sum_ij c_ij s^i t^j / (i! j!) are
//! c_ij = p^min(i, j) f_(i - j) or p^min(i, j) g_(j - i), so that along the opposite edges
//!
//! ```text
//! u(s, 1):  f_i' = sum_(j <= i) p^j / j! f_(i - j) + p^i sum_(d >= 1) g_d / (i + d)!      u(1, t): the same with f and g exchanged
//! ```
//!
//! Nothing is cut but the series (Cass, Piatti & Pei, Numerical schemes for signature kernels, 2025, work with such edges). With the
//! lengths |x|, |z| of the paths and their longest increments the n-th term is at most (|dx| |z|)^n / (n!)^2 times the greatest value that
//! the kernel may have: that says how many are taken. Where it is too many increments are cut into 2^order.

use super::abreast::{Eight, EightSeries};
use super::goursat::Increments;
use crate::kernels::sequences::parts::octet::{LANES, Octet};

/// Terms of a series at most, and how large |dx| |z| may be for them.
const MOST_TERMS: usize = 28;
const MOST_LENGTH: f64 = 20.0;

/// 1 / k!.
const INVERSE_FACTORIALS: [f64; MOST_TERMS] = {
    let (mut all, mut k) = ([1.0; MOST_TERMS], 1);
    while k < MOST_TERMS {
        all[k] = all[k - 1] / k as f64;
        k += 1;
    }
    all
};

/// The terms that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellSeries {
    terms: usize,
}

impl CellSeries {
    /// For eight pairs, with the order by which their increments are cut, and the lanes for which that is too much.
    pub(super) fn of(pairs: &EightSeries<'_>, increments: Increments) -> (u32, CellSeries, [bool; LANES]) {
        let of_lane = |lane: usize| {
            let (m, n) = pairs.lengths[lane];
            let [(longest, all), (other_longest, other_all)] =
                [(pairs.x, m), (pairs.z, n)].map(|(path, times)| steps(&|at| path[at][lane], pairs.channels, times, increments));
            f64::max(longest * other_all, other_longest * all)
        };
        let lengths: [f64; LANES] = std::array::from_fn(of_lane);
        let refused = lengths.map(|length| Self::for_length(length).is_none());
        let longest = lengths.iter().zip(refused).filter(|(_, refused)| !refused).fold(0.0, |most, (length, _)| f64::max(most, *length));
        let (order, series) = Self::for_length(longest).unwrap_or((0, CellSeries { terms: 1 }));
        (order, series, refused)
    }

    /// For paths whose longest increment times the length of the other path is that.
    pub(crate) fn for_length(length: f64) -> Option<(u32, CellSeries)> {
        // A term that is left out is at most this share of the greatest value.
        const LEFT_OUT: f64 = 1e-16;
        // Increments are cut into 2^8 at most.
        const MOST_ORDER: u32 = 8;
        let order = (length / MOST_LENGTH).log2().ceil().max(0.0);
        if length.is_nan() || order > f64::from(MOST_ORDER) {
            return None;
        }
        let length = length / order.exp2();
        let (mut terms, mut term) = (1, 1.0);
        while term > LEFT_OUT && terms < MOST_TERMS {
            term *= length / (terms * terms) as f64;
            terms += 1;
        }
        Some((order as u32, CellSeries { terms }))
    }

    /// How many.
    pub(crate) fn terms(self) -> usize {
        self.terms
    }

    /// The value at the end of an edge.
    pub(super) fn end(self, edge: &[Eight], lane: usize) -> f64 {
        // Small terms first.
        edge[..self.terms].iter().zip(INVERSE_FACTORIALS).rev().map(|(c, inverse)| c[lane] * inverse).sum()
    }
}

/// The longest increment of a path, of so many numbers a time, and the length of the path.
pub(crate) fn longest_and_length(path: &[f64], channels: usize, increments: Increments) -> (f64, f64) {
    steps(&|at| path[at], channels, path.len() / channels.max(1), increments)
}

/// The longest increment and the length of a path by its numbers; in features of a Gaussian kernel where it is one.
fn steps(path: &dyn Fn(usize) -> f64, channels: usize, times: usize, increments: Increments) -> (f64, f64) {
    let number = |at: usize, c: usize| path(at * channels + c);
    let squares: Box<dyn Iterator<Item = f64>> = match increments {
        Increments::Linear => Box::new((0..times).map(|at| (0..channels).map(|c| number(at, c).powi(2)).sum())),
        Increments::Gaussian => Box::new((1..times).map(|at| {
            let square: f64 = (0..channels).map(|c| (number(at, c) - number(at - 1, c)).powi(2)).sum();
            -2.0 * libm::expm1(-square)
        })),
    };
    squares.map(f64::sqrt).fold((0.0, 0.0), |(longest, all), step| (f64::max(longest, step), all + step))
}

/// The edges of a row of cells: for each part of an increment its coefficients.
pub(super) struct Edges<'r> {
    pub(super) parts: usize,
    pub(super) all: &'r mut [Eight],
}

/// One row of cells: edges from the row before, f of the first cell being 1.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
pub(super) unsafe fn advance_series<O: Octet>(products: &[Eight], edges: Edges<'_>, series: CellSeries) {
    let terms = series.terms.min(MOST_TERMS);
    let mut f = [[0.0; LANES]; MOST_TERMS];
    f[0] = [1.0; LANES];
    let (mut powers, mut shares) = ([[0.0; LANES]; MOST_TERMS], [[0.0; LANES]; MOST_TERMS]);
    // SAFETY: promised by the caller.
    unsafe {
        for (product, cells) in products.iter().zip(edges.all.chunks_exact_mut(edges.parts * terms)) {
            let (p, mut power) = (O::load(product), O::splat(1.0));
            for k in 0..terms {
                power.store(&mut powers[k]);
                power.mul(O::splat(INVERSE_FACTORIALS[k])).store(&mut shares[k]);
                power = power.mul(p);
            }
            for g in cells.chunks_exact_mut(terms) {
                let (across, along) = (opposite::<O>(g, terms), opposite::<O>(&f, terms));
                for (edge, rest) in [(&mut f[..terms], &across), (g, &along)] {
                    // From the last on: each is made of those before it.
                    for i in (0..terms).rev() {
                        let mut sum = O::load(&powers[i]).mul(O::load(&rest[i]));
                        for j in 0..=i {
                            sum = O::load(&shares[j]).fused(O::load(&edge[i - j]), sum);
                        }
                        sum.store(&mut edge[i]);
                    }
                }
            }
        }
    }
}

/// sum_(d >= 1) g_d / (i + d)! for each i, terms beyond the last left out.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn opposite<O: Octet>(edge: &[Eight], terms: usize) -> [Eight; MOST_TERMS] {
    let mut out = [[0.0; LANES]; MOST_TERMS];
    // SAFETY: promised by the caller.
    unsafe {
        for (i, out) in out.iter_mut().enumerate().take(terms) {
            let mut sum = O::splat(0.0);
            for d in (1..terms - i).rev() {
                sum = O::splat(INVERSE_FACTORIALS[i + d]).fused(O::load(&edge[d]), sum);
            }
            sum.store(out);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // One cell with edges of 1: u(1, 1) = sum_n p^n / (n!)^2, I_0(2 sqrt(p)) or J_0(2 sqrt(-p)): I_0(2) and J_0(2) of Abramowitz & Stegun
    // (1964), tables 9.8 and 9.1.
    #[test]
    fn one_cell_is_a_bessel_function() {
        for (p, expected) in [(1.0, 2.279_585_302_336_067), (-1.0, 0.223_890_779_141_235_67), (0.0, 1.0)] {
            let (order, series) = CellSeries::for_length(1.0).unwrap();
            assert_eq!(order, 0);
            let mut edge = vec![[0.0; LANES]; series.terms()];
            edge[0] = [1.0; LANES];
            // SAFETY: every processor has plain arrays.
            unsafe { advance_series::<[f64; LANES]>(&[[p; LANES]], Edges { parts: 1, all: &mut edge }, series) };
            assert!((series.end(&edge, 3) - expected).abs() <= 1e-15 * 8.0, "{p}: {}", series.end(&edge, 3));
        }
    }

    #[test]
    fn long_increments_are_cut_and_longer_ones_refused() {
        assert_eq!(CellSeries::for_length(0.0).unwrap().0, 0);
        assert_eq!(CellSeries::for_length(20.0).unwrap().0, 0);
        assert_eq!(CellSeries::for_length(79.0).unwrap().0, 2);
        assert!(CellSeries::for_length(1e5).is_none() && CellSeries::for_length(f64::NAN).is_none());
        // 20^n / (n!)^2 is below 1e-16 from n = 25 on.
        assert!(CellSeries::for_length(20.0).unwrap().1.terms() < MOST_TERMS);
    }
}

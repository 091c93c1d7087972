//! The signature kernel of eight pairs of series as the solution of a Goursat problem, d^2 k / ds dt = <x'(s), z'(t)> k, k = 1 at both
//! starts (Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE, 2021), by power series along the edges
//! of the cells of two increments (see `cell_series.rs`), or by finite differences:
//!
//! k(i + 1, j + 1) = (k(i + 1, j) + k(i, j + 1)) (1 + p / 2 + p^2 / 12) - k(i, j) (1 - p^2 / 12), p the inner product of two increments, by
//! a static kernel K(x_i+1, z_j+1) - K(x_i+1, z_j) - K(x_i, z_j+1) + K(x_i, z_j). Order n cuts each increment into 2^n.

use super::abreast::{Eight, EightSeries, LOOK};
use super::cell_series::{CellSeries, Edges, advance_series};
use super::local::{by_channels, exponential, squared_distance};
use crate::kernels::sequences::parts::octet::{LANES, Octet, by_octets};

/// The inner product of increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Increments {
    /// That of vectors: series are increments already.
    Linear,
    /// That of features of exp(-|x - z|^2): series are scaled, not differences.
    Gaussian,
}

/// How a cell is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// By finite differences, each increment cut into 2^order.
    Differences(u32),
    /// By power series of as many terms as double precision takes, on increments cut into 2^extra parts more than they need.
    Series { extra: u32 },
}

/// How the cells of some pairs are solved: each increment is cut into 2^order, and by power series where there are such.
#[derive(Clone, Copy)]
struct Cells {
    order: u32,
    series: Option<CellSeries>,
}

/// The recursion, with its memory.
pub(crate) struct Goursat {
    increments: Increments,
    scheme: Scheme,
    /// The solution along a row: for each part of an increment the number at its end, or the coefficients of its series.
    row: Vec<Eight>,
    /// Inner products with an increment of the first series.
    products: Vec<Eight>,
    /// Values of the static kernel with the time before it.
    values: Vec<Eight>,
}

impl Goursat {
    pub(crate) fn new(increments: Increments, scheme: Scheme) -> Self {
        Goursat { increments, scheme, row: Vec::new(), products: Vec::new(), values: Vec::new() }
    }

    /// The solutions at the ends of eight pairs; not numbers where increments are too large for power series.
    pub(crate) fn values(&mut self, pairs: &EightSeries<'_>) -> Eight {
        let columns = pairs.columns();
        let (cells, refused) = match self.scheme {
            Scheme::Differences(order) => (Cells { order, series: None }, [false; LANES]),
            Scheme::Series { extra } => {
                let (order, series, refused) = CellSeries::of(pairs, self.increments);
                (Cells { order: order + extra, series: Some(series) }, refused)
            }
        };
        for (held, count) in [(&mut self.products, columns), (&mut self.values, columns)] {
            held.clear();
            held.resize(count, [0.0; LANES]);
        }
        self.row.clear();
        let width = cells.series.map_or(1, |series| series.terms());
        for _ in 0..columns << cells.order {
            self.row.push([1.0; LANES]);
            self.row.resize(self.row.len() + width - 1, [0.0; LANES]);
        }
        let mut out = [1.0; LANES];
        let solve = if self.increments == Increments::Linear { linear } else { gaussian };
        solve(pairs, cells, [&mut self.row, &mut self.products, &mut self.values], &mut out);
        out.iter_mut().zip(refused).filter(|(_, refused)| *refused).for_each(|(value, _)| *value = f64::NAN);
        out
    }
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn solve<O: Octet, const C: usize, const GAUSSIAN: bool>(
    pairs: &EightSeries<'_>,
    cells: Cells,
    [row, products, values]: [&mut [Eight]; 3],
    out: &mut Eight,
) {
    let channels = if C > 0 { C } else { pairs.channels.max(1) };
    let (parts, share) = (1usize << cells.order, 0.25f64.powi(cells.order as i32));
    // SAFETY: promised by the caller.
    unsafe {
        let share = O::splat(share);
        // A row of power series takes much longer.
        let every = if cells.series.is_some() { 1 } else { LOOK };
        for (i, x) in pairs.x.chunks_exact(channels).enumerate() {
            if GAUSSIAN {
                let (mut left, mut left_before) = (O::splat(0.0), O::splat(0.0));
                for ((value, product), z) in values.iter_mut().zip(products.iter_mut()).zip(pairs.z.chunks_exact(channels)) {
                    let (above, below) = exponential(O::splat(0.0).sub(squared_distance::<O, C>(x, z)));
                    let (now, before) = (above.div(below), O::load(value));
                    // Of the increment that ends here; that of the first time is not read.
                    now.sub(left).sub(before.sub(left_before)).mul(share).store(product);
                    now.store(value);
                    (left, left_before) = (now, before);
                }
                if i == 0 {
                    continue;
                }
            } else {
                for (product, z) in products.iter_mut().zip(pairs.z.chunks_exact(channels)) {
                    inner_product::<O, C>(x, z).mul(share).store(product);
                }
            }
            let products = if GAUSSIAN { products.get(1..).unwrap_or_default() } else { &*products };
            for part in 0..parts {
                if pairs.is_given_up(i * parts + part, every) {
                    return;
                }
                match cells.series {
                    None => advance::<O>(products, parts, row),
                    Some(series) => advance_series::<O>(products, Edges { parts, all: &mut *row }, series),
                }
            }
            let (row_end, first) = if GAUSSIAN { (i, 1) } else { (i + 1, 0) };
            for (lane, n) in pairs.ending(row_end + first).filter(|(_, n)| *n > first) {
                let last = (n - first) * parts - 1;
                out[lane] = match cells.series {
                    None => row[last][lane],
                    Some(series) => series.end(&row[last * series.terms()..], lane),
                };
            }
        }
    }
}

/// One row of the solution from the row before.
///
/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn advance<O: Octet>(products: &[Eight], parts: usize, row: &mut [Eight]) {
    // SAFETY: promised by the caller.
    unsafe {
        let (one, half, twelfth) = (O::splat(1.0), O::splat(0.5), O::splat(1.0 / 12.0));
        let (mut left, mut corner) = (one, one);
        for (product, cells) in products.iter().zip(row.chunks_exact_mut(parts)) {
            let product = O::load(product);
            let square = product.mul(product).mul(twelfth);
            let (factor, rest) = (product.fused(half, one).add(square), square.sub(one));
            for cell in cells {
                let up = O::load(cell);
                left = left.fused(factor, up.fused(factor, corner.mul(rest)));
                left.store(cell);
                corner = up;
            }
        }
    }
}

/// x . z of two vectors of C channels; of any number where C is 0.
///
/// # Safety
/// The processor has the instructions of the octet; both slices hold the channels.
#[inline(always)]
unsafe fn inner_product<O: Octet, const C: usize>(x: &[Eight], z: &[Eight]) -> O {
    let channels = if C > 0 { C } else { x.len() };
    // SAFETY: promised by the caller.
    unsafe {
        let mut sum = O::splat(0.0);
        for (x, z) in x[..channels].iter().zip(&z[..channels]) {
            sum = O::load(x).fused(O::load(z), sum);
        }
        sum
    }
}

/// Defines the recursion for one inner product of increments.
macro_rules! recursion {
    ($name:ident, $body:ident, $gaussian:literal) => {
        /// # Safety
        /// The processor has the instructions of the octet.
        #[inline(always)]
        unsafe fn $body<O: Octet>(pairs: &EightSeries<'_>, cells: Cells, memory: [&mut [Eight]; 3], out: &mut Eight) {
            // SAFETY: promised by the caller.
            unsafe { by_channels!(pairs.channels, solve, [O, $gaussian], (pairs, cells, memory, out)) }
        }
        by_octets! { $name, $body, (pairs: &EightSeries<'_>, cells: Cells, memory: [&mut [Eight]; 3], out: &mut Eight) }
    };
}
recursion!(linear, linear_body, false);
recursion!(gaussian, gaussian_body, true);

//! The signature kernel of eight pairs of series as the solution of a Goursat problem, d^2 k / ds dt = <x'(s), z'(t)> k, k = 1 at both
//! starts, by finite differences (Salvi, Cass, Foster, Lyons & Yang, The signature kernel is the solution of a Goursat PDE, 2021):
//!
//! k(i + 1, j + 1) = (k(i + 1, j) + k(i, j + 1)) (1 + p / 2 + p^2 / 12) - k(i, j) (1 - p^2 / 12), p the inner product of two increments, by
//! a static kernel K(x_i+1, z_j+1) - K(x_i+1, z_j) - K(x_i, z_j+1) + K(x_i, z_j). Order n cuts each increment into 2^n.

use super::abreast::{Eight, EightSeries};
use super::local::{by_channels, exponential, squared_distance};
use crate::kernels::sequences::octet::{LANES, Octet, by_octets};

/// The inner product of increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Increments {
    /// That of vectors: series are increments already.
    Linear,
    /// That of features of exp(-|x - z|^2): series are scaled, not differences.
    Gaussian,
}

/// The recursion, with its memory.
pub(crate) struct Goursat {
    increments: Increments,
    order: u32,
    /// The solution along a row, 2^order numbers for each increment.
    row: Vec<Eight>,
    /// Inner products with an increment of the first series.
    products: Vec<Eight>,
    /// Values of the static kernel with the time before it.
    values: Vec<Eight>,
}

impl Goursat {
    pub(crate) fn new(increments: Increments, order: u32) -> Self {
        Goursat { increments, order, row: Vec::new(), products: Vec::new(), values: Vec::new() }
    }

    /// The solutions at the ends of eight pairs.
    pub(crate) fn values(&mut self, pairs: &EightSeries<'_>) -> Eight {
        let columns = pairs.columns();
        for (held, count, start) in
            [(&mut self.row, columns << self.order, 1.0), (&mut self.products, columns, 0.0), (&mut self.values, columns, 0.0)]
        {
            held.clear();
            held.resize(count, [start; LANES]);
        }
        let mut out = [1.0; LANES];
        let solve = if self.increments == Increments::Linear { linear } else { gaussian };
        solve(pairs, self.order, [&mut self.row, &mut self.products, &mut self.values], &mut out);
        out
    }
}

/// # Safety
/// The processor has the instructions of the octet.
#[inline(always)]
unsafe fn solve<O: Octet, const C: usize, const GAUSSIAN: bool>(
    pairs: &EightSeries<'_>,
    order: u32,
    [row, products, values]: [&mut [Eight]; 3],
    out: &mut Eight,
) {
    let channels = if C > 0 { C } else { pairs.channels.max(1) };
    let (parts, share) = (1usize << order, 0.25f64.powi(order as i32));
    // SAFETY: promised by the caller.
    unsafe {
        let share = O::splat(share);
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
            for _ in 0..parts {
                advance::<O>(products, parts, row);
            }
            let (row_end, first) = if GAUSSIAN { (i, 1) } else { (i + 1, 0) };
            for (lane, n) in pairs.ending(row_end + first).filter(|(_, n)| *n > first) {
                out[lane] = row[(n - first) * parts - 1][lane];
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
        unsafe fn $body<O: Octet>(pairs: &EightSeries<'_>, order: u32, memory: [&mut [Eight]; 3], out: &mut Eight) {
            // SAFETY: promised by the caller.
            unsafe { by_channels!(pairs.channels, solve, [O, $gaussian], (pairs, order, memory, out)) }
        }
        by_octets! { $name, $body, (pairs: &EightSeries<'_>, order: u32, memory: [&mut [Eight]; 3], out: &mut Eight) }
    };
}
recursion!(linear, linear_body, false);
recursion!(gaussian, gaussian_body, true);

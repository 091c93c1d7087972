//! Series of Chebyshev polynomials in two directions for cells of the plane, and the sums between cells: the kernel of one direction
//! between two cells D apart is
//!
//! g_a(D + u - t) = sum_kl C_kl(D) T_k(u) T_l(t),   g_a(z) = z^a e^(-z^2 / 2),   |u|, |t| <= 1.

use crate::gram::{Level, dispatch, level};
use crate::linalg::fma;

/// Terms in each direction; so many points are taken at a time.
pub(super) const TERMS: usize = 24;
/// The width of a cell.
pub(super) const WIDTH: f64 = 2.0;
/// What the series of cells so many steps apart may be wrong by, beside the greatest value between them, roundings among it, for every
/// power up to 4.
pub(super) const WRONG: [f64; 9] = [2.5e-14, 2.5e-14, 2.5e-14, 2.5e-14, 2.5e-14, 6e-14, 1.6e-11, 6e-10, 8e-9];

/// Numbers by the terms of two directions, or by terms and points.
pub(super) type Block = [[f64; TERMS]; TERMS];

pub(super) const NOTHING: Block = [[0.0; TERMS]; TERMS];

fn kernel(power: usize, z: f64) -> f64 {
    z.powi(power as i32) * libm::exp(-0.5 * z * z)
}

/// The greatest |g_a| between cells so many steps apart.
pub(super) fn greatest(power: usize, step: usize) -> f64 {
    let apart = WIDTH * step as f64;
    // |g_a| has its top at the root of a.
    kernel(power, (power as f64).sqrt().clamp((apart - WIDTH).max(0.0), apart + WIDTH))
}

/// C(D) by the values at the zeros of T_24.
pub(super) fn coefficients(power: usize, apart: f64) -> Block {
    let step = std::f64::consts::PI / TERMS as f64;
    let polynomial = |k: usize, node: usize| libm::cos(k as f64 * step * (node as f64 + 0.5));
    let at = |node: usize| 0.5 * WIDTH * polynomial(1, node);
    let values: Block = std::array::from_fn(|a| std::array::from_fn(|b| kernel(power, apart + at(a) - at(b))));
    let analysis: Block = std::array::from_fn(|k| {
        let scale = if k == 0 { 1.0 } else { 2.0 } / TERMS as f64;
        std::array::from_fn(|node| scale * polynomial(k, node))
    });
    let (mut half, mut out) = (NOTHING, NOTHING);
    add_product(&analysis, &values, &mut half);
    add_product(&half, &transposed(&analysis), &mut out);
    out
}

#[inline(always)]
fn transposed(block: &Block) -> Block {
    std::array::from_fn(|a| std::array::from_fn(|b| block[b][a]))
}

/// T_k at some points, k by k.
#[inline(always)]
fn polynomials<const FMA: bool>(x: &[f64; TERMS]) -> Block {
    let mut t = [[1.0; TERMS]; TERMS];
    t[1] = *x;
    for k in 2..TERMS {
        for p in 0..TERMS {
            t[k][p] = fma::<f64, FMA>(2.0 * x[p], t[k - 1][p], -t[k - 2][p]);
        }
    }
    t
}

/// Coordinates of at most so many points as there are terms, filled up by 0.
#[inline(always)]
fn coordinates(points: &[[f64; 2]]) -> [[f64; TERMS]; 2] {
    [0, 1].map(|j| std::array::from_fn(|p| points.get(p).map_or(0.0, |point| point[j])))
}

dispatch! {
    /// Adds the moments sum_i w_i T_k(t_i1) T_l(t_i2) of points, for each list of weights.
    gather, gather_body, <>, (points: &[[f64; 2]], weights: &[Vec<f64>], out: &mut [Block]) -> ()
}

#[inline(always)]
fn gather_body<const FMA: bool>(points: &[[f64; 2]], weights: &[Vec<f64>], out: &mut [Block]) {
    for (part, points) in points.chunks(TERMS).enumerate() {
        let [x, y] = coordinates(points);
        let (first, second) = (polynomials::<FMA>(&x), transposed(&polynomials::<FMA>(&y)));
        for (weights, out) in weights.iter().zip(out.iter_mut()) {
            let mut w = [0.0; TERMS];
            w[..points.len()].copy_from_slice(&weights[TERMS * part..][..points.len()]);
            let mut weighed = first;
            for row in &mut weighed {
                for p in 0..TERMS {
                    row[p] *= w[p];
                }
            }
            product_body::<FMA>(&weighed, &second, out);
        }
    }
}

dispatch! {
    /// out <- out + a b.
    add_product, product_body, <>, (a: &Block, b: &Block, out: &mut Block) -> ()
}

#[inline(always)]
fn product_body<const FMA: bool>(a: &Block, b: &Block, out: &mut Block) {
    // Two rows at a time: one alone waits for its own sums.
    for (out, a) in out.chunks_exact_mut(2).zip(a.chunks_exact(2)) {
        let (mut first, mut second) = (out[0], out[1]);
        for (k, b) in b.iter().enumerate() {
            let (x, y) = (a[0][k], a[1][k]);
            for l in 0..TERMS {
                first[l] = fma::<f64, FMA>(x, b[l], first[l]);
                second[l] = fma::<f64, FMA>(y, b[l], second[l]);
            }
        }
        (out[0], out[1]) = (first, second);
    }
}

dispatch! {
    /// Each series at points, point by point.
    values, values_body, <>, (series: &[Block], points: &[[f64; 2]], out: &mut Vec<f64>) -> ()
}

#[inline(always)]
fn values_body<const FMA: bool>(series: &[Block], points: &[[f64; 2]], out: &mut Vec<f64>) {
    let (start, count) = (out.len(), series.len());
    out.resize(start + points.len() * count, 0.0);
    for (points, out) in points.chunks(TERMS).zip(out[start..].chunks_mut(TERMS * count)) {
        let [x, y] = coordinates(points);
        let (first, second) = (polynomials::<FMA>(&x), polynomials::<FMA>(&y));
        for (s, series) in series.iter().enumerate() {
            let (mut along, mut sums) = (NOTHING, [0.0; TERMS]);
            product_body::<FMA>(series, &second, &mut along);
            for (t, row) in first.iter().zip(&along) {
                for p in 0..TERMS {
                    sums[p] = fma::<f64, FMA>(t[p], row[p], sums[p]);
                }
            }
            for p in 0..points.len() {
                out[p * count + s] = sums[p];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_as_exact_as_is_said_of_its_step() {
        let places: Vec<f64> = (-50..=50).map(|k| f64::from(k) / 50.0).collect();
        let pairs: Vec<[f64; 2]> = places.iter().flat_map(|&u| places.iter().map(move |&t| [u, t])).collect();
        for power in 0..=4 {
            for (step, said) in WRONG.into_iter().enumerate() {
                let apart = WIDTH * step as f64;
                let (block, most) = (coefficients(power, apart), greatest(power, step));
                let mut found = Vec::new();
                values(&[block], &pairs, &mut found);
                for ([u, t], found) in pairs.iter().zip(found) {
                    let wrong = (found - kernel(power, apart + u - t)).abs();
                    assert!(wrong <= said * most, "{power}, {step}: {:e}", wrong / most);
                }
            }
        }
    }
}

//! The statistic sum_ij A_ij B_p(i)p(j) for permutations p that are drawn, A and B symmetric. Each permutation has a seed of its own,
//! so that the same are drawn on any number of threads.
//!
//! Where B = Z Z' with few columns, it is the trace of Z_p' A Z_p: the columns of many permutations stand side by side in one product.

use crate::control::Control;
use crate::error::Result;
use crate::gram::dot;
use crate::linalg::{Matrix, product_within};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// What stands in the place of B.
pub(super) enum Permuted<'a> {
    /// B itself.
    Whole(&'a Matrix),
    /// Z, n x few.
    Factor(&'a Matrix),
}

impl Permuted<'_> {
    /// The statistic for the permutations of so many seeds, fewer where time is up before.
    pub(super) fn statistics(&self, a: &Matrix, count: usize, seed: u64, control: &Control) -> Result<Vec<f64>> {
        // Permutations between two looks at the clock.
        const BLOCK: usize = 64;
        // Columns of a product.
        const COLUMNS: usize = 256;
        let block = match self {
            Permuted::Whole(_) => BLOCK,
            Permuted::Factor(z) => (COLUMNS / z.cols().max(1)).max(1),
        };
        let mut out = Vec::with_capacity(count);
        while out.len() < count && (out.is_empty() || !control.out_of_time()) {
            control.check()?;
            let orders: Vec<Vec<usize>> = (out.len()..count.min(out.len() + block)).map(|k| order(a.rows(), seed, k)).collect();
            match self {
                Permuted::Whole(b) => out.par_extend(orders.par_iter().map(|order| whole(a, b, order))),
                Permuted::Factor(z) => out.extend(side_by_side(a, z, &orders, control)?),
            }
            control.tell("permutations", out.len(), count);
        }
        Ok(out)
    }
}

/// Permutation number `k` of a seed.
pub(super) fn order(n: usize, seed: u64, k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(k as u64)));
    order
}

/// Pairs are counted once: twice the sum below the diagonal, and the diagonal.
fn whole(a: &Matrix, b: &Matrix, order: &[usize]) -> f64 {
    let mut sum = 0.0;
    for (i, &at) in order.iter().enumerate() {
        let (row, other) = (a.row(i), b.row(at));
        let below: f64 = row[..i].iter().zip(&order[..i]).map(|(v, &j)| v * other[j]).sum();
        sum += 2.0 * below + row[i] * other[at];
    }
    sum
}

fn side_by_side(a: &Matrix, z: &Matrix, orders: &[Vec<usize>], control: &Control) -> Result<Vec<f64>> {
    let width = z.cols();
    let moved = Matrix::from_fn(a.rows(), width * orders.len(), |i, c| z[(orders[c / width][i], c % width)]);
    let image = product_within(a, &moved, control)?.transpose();
    let moved = moved.transpose();
    Ok((0..orders.len()).map(|p| (p * width..(p + 1) * width).map(|c| dot(moved.row(c), image.row(c))).sum()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_product_for_many_permutations_says_the_same_as_one_by_one_and_seeds_say_which() {
        let n = 30;
        let a = Matrix::from_fn(n, n, |i, j| ((i * j) as f64 * 0.37).cos() + f64::from(u8::from(i == j)));
        let z = Matrix::from_fn(n, 3, |i, k| ((i + 5 * k) as f64).sin());
        let b = Matrix::from_fn(n, n, |i, j| dot(z.row(i), z.row(j)));
        let control = Control::default();
        let one_by_one = Permuted::Whole(&b).statistics(&a, 200, 3, &control).unwrap();
        let together = Permuted::Factor(&z).statistics(&a, 200, 3, &control).unwrap();
        assert_eq!((one_by_one.len(), together.len()), (200, 200));
        assert!(one_by_one.iter().zip(&together).all(|(x, y)| (x - y).abs() <= 1e-10 * (1.0 + x.abs())));
        let first = Permuted::Whole(&b).statistics(&a, 10, 3, &control).unwrap();
        assert_eq!(first, one_by_one[..10]);
        assert!(Permuted::Whole(&b).statistics(&a, 10, 4, &control).unwrap() != first);
        let mut sorted = order(n, 3, 7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..n).collect::<Vec<_>>());
    }
}

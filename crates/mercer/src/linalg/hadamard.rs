//! The fast Walsh-Hadamard transform: x -> H x with H_ij = (-1)^(bits that i and j share) in n log2 n additions.

use super::simd::{Level, dispatch, level};

/// Vectors that are transformed together, one in each lane.
pub(crate) const LANES: usize = 8;

dispatch! {
    /// Each lane of x <- H x, for a power of two of entries; H H = n I.
    hadamard, transform, <>, (x: &mut [[f64; LANES]]) -> (), operations: LANES * x.len() * x.len().ilog2() as usize
}

/// Two stages in one pass over memory; the last one alone where there is an odd number of them.
#[inline(always)]
fn transform<const FMA: bool>(x: &mut [[f64; LANES]]) {
    let (n, mut half) = (x.len(), 1);
    while 4 * half <= n {
        for four in x.chunks_exact_mut(4 * half) {
            let (low, high) = four.split_at_mut(2 * half);
            let ((a, b), (c, d)) = (low.split_at_mut(half), high.split_at_mut(half));
            for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
                for l in 0..LANES {
                    let (sum, difference) = (a[l] + b[l], a[l] - b[l]);
                    let (other_sum, other_difference) = (c[l] + d[l], c[l] - d[l]);
                    (a[l], b[l]) = (sum + other_sum, difference + other_difference);
                    (c[l], d[l]) = (sum - other_sum, difference - other_difference);
                }
            }
        }
        half *= 4;
    }
    if 2 * half == n {
        let (low, high) = x.split_at_mut(half);
        for (a, b) in low.iter_mut().zip(high) {
            for l in 0..LANES {
                (a[l], b[l]) = (a[l] + b[l], a[l] - b[l]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_minus_one_to_the_number_of_shared_bits() {
        for n in [1usize, 2, 4, 8, 32] {
            for j in 0..n {
                let mut x = vec![[0.0; LANES]; n];
                x[j] = std::array::from_fn(|l| l as f64);
                hadamard(&mut x);
                for (i, found) in x.iter().enumerate() {
                    let sign = if (i & j).count_ones() % 2 == 0 { 1.0 } else { -1.0 };
                    assert_eq!(*found, std::array::from_fn(|l| sign * l as f64), "{n} {i} {j}");
                }
            }
        }
    }
}

//! A seeded sample of row numbers.

use rand::SeedableRng;
use rand::seq::index;
use rand_xoshiro::Xoshiro256PlusPlus;

/// All of `n` rows, or a seeded sample of `most` of them, ascending.
pub(crate) fn some_rows(n: usize, most: usize, seed: u64) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut rows = index::sample(&mut Xoshiro256PlusPlus::seed_from_u64(seed), n, most).into_vec();
    rows.sort_unstable();
    rows
}

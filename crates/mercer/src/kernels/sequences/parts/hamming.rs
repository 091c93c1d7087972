//! Tables of the Hamming distance: their entries for kernels of windows, and the transform that diagonalises them.
//!
//! Over all words of L letters of an alphabet of q, a matrix T[d(u, v)] has the eigenvalues sum_d T[d] K_d(w), w = 0..L, with the Krawtchouk
//! polynomials K_d (Delsarte 1973). One reflection for each place takes a vector over all words to coordinates in which it is diagonal:
//! O(L q^L) operations.

/// table[d] of the gapped kernel: the substrings of k letters among `length` that two windows share, a choice of kept places each: those of
/// the length - d places where they agree.
pub(crate) fn gapped_table(length: usize, k: usize, mismatches: usize) -> Vec<f64> {
    (0..=mismatches.min(length - k)).map(|d| binomial(length - d, k)).collect()
}

/// table[d] of the mismatch kernel: the strings over so many `letters` within m mismatches of both of two windows at distance d.
pub(crate) fn mismatch_table(length: usize, m: usize, letters: usize) -> Vec<f64> {
    let power = |base: usize, exponent: usize| (base as f64).powi(exponent as i32);
    let of = |d: usize| {
        let mut sum = 0.0;
        // Of the places where the two agree, `changed` have another letter; of the others, so many have the letter of the first and of the second.
        for changed in 0..=m.min(length - d) {
            for first in 0..=d {
                for second in 0..=d - first {
                    if changed + d - first <= m && changed + d - second <= m {
                        let ways = binomial(length - d, changed) * binomial(d, first) * binomial(d - first, second);
                        sum += ways * power(letters.saturating_sub(1), changed) * power(letters.saturating_sub(2), d - first - second);
                    }
                }
            }
        }
        sum
    };
    (0..=length.min(2 * m)).map(of).collect()
}

/// n choose k.
fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>().round()
}

/// The eigenvalues of T[d(u, v)] over all words of `length` letters of an alphabet of `letters`, by the number w of places that are not
/// constant.
pub(crate) fn eigenvalues(table: &[f64], length: usize, letters: usize) -> Vec<f64> {
    let q = letters as f64;
    // K_d(w) = sum_j (-1)^j (q - 1)^(d - j) C(w, j) C(L - w, d - j).
    let krawtchouk = |d: usize, w: usize| -> f64 {
        (0..=d.min(w))
            .filter(|j| d - j <= length - w)
            .map(|j| (-1f64).powi(j as i32) * (q - 1.0).powi((d - j) as i32) * binomial(w, j) * binomial(length - w, d - j))
            .sum()
    };
    (0..=length).map(|w| table.iter().enumerate().map(|(d, t)| t * krawtchouk(d, w)).sum()).collect()
}

/// Replaces numbers over all words by their coordinates, or those by the numbers: the reflection is its own inverse. In the coordinates a
/// letter 0 stands for the mean over a place.
pub(crate) fn reflect(values: &mut [f64], length: usize, letters: usize) {
    // I - 2 u u' takes the first unit vector e to c = (1, .., 1) / sqrt(q): u = (e - c) / |e - c|.
    let c = 1.0 / (letters as f64).sqrt();
    let norm = 2.0 * (1.0 - c);
    if norm < f64::EPSILON {
        return;
    }
    let mut stride = 1;
    for _ in 0..length {
        for block in values.chunks_exact_mut(stride * letters) {
            for at in 0..stride {
                let sum: f64 = (0..letters).map(|a| block[a * stride + at]).sum();
                let shift = 2.0 / norm * (block[at] - c * sum);
                block[at] -= shift;
                (0..letters).for_each(|a| block[a * stride + at] += shift * c);
            }
        }
        stride *= letters;
    }
}

/// Multiplies coordinates by a number for each number of places that are not constant.
pub(crate) fn multiply(coordinates: &mut [f64], letters: usize, factors: &[f64]) {
    for (word, x) in coordinates.iter_mut().enumerate() {
        let (mut rest, mut places) = (word, 0);
        while rest > 0 {
            places += usize::from(rest % letters > 0);
            rest /= letters;
        }
        *x *= factors[places];
    }
}

/// Replaces numbers x over all words by those of T[d(u, v)] x.
pub(crate) fn apply(table: &[f64], values: &mut [f64], length: usize, letters: usize) {
    reflect(values, length, letters);
    multiply(values, letters, &eigenvalues(table, length, letters));
    reflect(values, length, letters);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: usize, b: usize, length: usize, letters: usize) -> usize {
        (0..length as u32).filter(|p| a / letters.pow(*p) % letters != b / letters.pow(*p) % letters).count()
    }

    /// A table by the transform is the table entry by entry, for alphabets and windows of several sizes.
    #[test]
    fn the_transform_diagonalises_every_table() {
        for (letters, length) in [(1usize, 3), (2, 5), (4, 3), (5, 2), (3, 4)] {
            let table: Vec<f64> = (0..=length).map(|d| 1.0 / (1.0 + d as f64) - 0.2 * d as f64).collect();
            let words = letters.pow(length as u32);
            let x: Vec<f64> = (0..words).map(|w| ((w * 7 + 3) % 11) as f64 - 4.0).collect();
            let mut y = x.clone();
            apply(&table, &mut y, length, letters);
            for (u, y) in y.iter().enumerate() {
                let direct: f64 = (0..words).map(|v| table[distance(u, v, length, letters)] * x[v]).sum();
                assert!((direct - y).abs() < 1e-9 * (1.0 + direct.abs()), "{letters} {length}: {direct} {y}");
            }
        }
    }

    /// mismatch_table against counting all words; (k, 0) is the spectrum kernel.
    #[test]
    fn tables_count_what_they_say() {
        for (letters, length, m) in [(2usize, 4, 1), (3, 3, 2), (4, 3, 1), (4, 4, 0), (1, 3, 1)] {
            let words = letters.pow(length as u32);
            let table = mismatch_table(length, m, letters);
            for v in 0..words {
                let near = (0..words).filter(|w| distance(0, *w, length, letters) <= m && distance(v, *w, length, letters) <= m).count();
                let d = distance(0, v, length, letters);
                assert_eq!(table.get(d).copied().unwrap_or(0.0), near as f64, "{letters} {length} {m} {d}");
            }
        }
        // 6 letters, 4 kept: choices of 4 among the places that agree.
        assert_eq!(gapped_table(6, 4, 2), [15.0, 5.0, 1.0]);
        assert_eq!(mismatch_table(5, 0, 4), [1.0]);
    }
}

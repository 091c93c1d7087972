//! Some of many row numbers: a seeded sample, or at even steps.

use super::Target;
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
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

/// All of `n` rows, or `most` of them at even steps.
pub(crate) fn even_rows(n: usize, most: usize) -> Vec<usize> {
    let most = n.min(most);
    (0..most).map(|k| k * n / most).collect()
}

/// A stratified sample of at most `most` rows of a target, ascending: each class has its share, and at least one row if there
/// are as many as classes. Of numbers a plain random sample, see [`some_rows`].
pub(crate) fn some_rows_of(target: &Target, most: usize, seed: u64) -> Vec<usize> {
    let n = target.rows();
    let Target::Classes { codes, names } = target else { return some_rows(n, most, seed) };
    if n <= most {
        return (0..n).collect();
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); names.len().max(codes.iter().max().map_or(0, |k| k + 1))];
    // One shuffle for all, so that neither names nor codes of classes decide.
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut random);
    order.into_iter().for_each(|i| of_class[codes[i]].push(i));
    // Every row stands at the middle of its share of its class; the first of each class stands first of all.
    let mut places: Vec<(f64, usize)> = Vec::with_capacity(n);
    for rows in &of_class {
        places.extend(rows.iter().enumerate().map(|(k, &i)| (if k == 0 { 0.0 } else { (k as f64 + 0.5) / rows.len() as f64 }, i)));
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut rows: Vec<usize> = places[..most].iter().map(|p| p.1).collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_classes_keeps_their_shares_and_loses_none() {
        let codes: Vec<usize> = (0..1000).map(|i| usize::from(i % 10 == 0) + usize::from(i == 500)).collect();
        let target = Target::Classes { codes: codes.clone(), names: ["a", "b", "c"].map(String::from).to_vec() };
        let rows = some_rows_of(&target, 100, 1);
        assert!(rows.len() == 100 && rows.windows(2).all(|w| w[0] < w[1]));
        let count = |k: usize| rows.iter().filter(|&&i| codes[i] == k).count();
        assert!((88..=91).contains(&count(0)) && (9..=11).contains(&count(1)) && count(2) == 1, "{} {}", count(0), count(1));
        assert_ne!(rows, some_rows_of(&target, 100, 2));
        let turned = Target::Classes { codes: codes.iter().map(|k| 2 - k).collect(), names: ["c", "b", "a"].map(String::from).to_vec() };
        assert_eq!(rows, some_rows_of(&turned, 100, 1));
        assert_eq!(some_rows_of(&target, 5000, 1).len(), 1000);
    }
}

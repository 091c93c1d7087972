//! Some of many row numbers: a seeded sample, or at even steps.

use super::Target;
use rand::SeedableRng;
use rand::seq::{SliceRandom, index};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;

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

/// At most `most` rows at random, one of each class by turns: classes have equal shares as far as their rows suffice.
pub(crate) fn rows_by_turns(codes: &[usize], most: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    let mut taken: HashMap<usize, usize> = HashMap::new();
    let mut turns: Vec<(usize, usize)> = Vec::with_capacity(codes.len());
    for row in order {
        let turn = taken.entry(codes[row]).or_default();
        turns.push((*turn, row));
        *turn += 1;
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().take(most).map(|(_, row)| row).collect()
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

    /// Rows in turn of two classes, as every second row of 400 would be of one.
    #[test]
    fn rows_by_turns_are_of_every_class_whatever_their_order() {
        let alternating: Vec<usize> = (0..400).map(|i| i % 2).collect();
        let sorted: Vec<usize> = (0..400).map(|i| i / 200).collect();
        for codes in [&alternating, &sorted] {
            let rows = rows_by_turns(codes, 200, 0);
            assert_eq!(rows.iter().filter(|i| codes[**i] == 1).count(), 100);
        }
        let rare: Vec<usize> = (0..400).map(|i| usize::from(i >= 390)).collect();
        let rows = rows_by_turns(&rare, 200, 0);
        assert_eq!((rows.len(), rows.iter().filter(|i| rare[**i] == 1).count()), (200, 10));
        assert_eq!(rows_by_turns(&rare, 9000, 0).len(), 400);
    }

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

//! Seeded folds: stratified by class, whole groups kept together.

use crate::data::Target;
use crate::error::{Error, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// One split: rows to learn from and rows to score on, both ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to score on.
    pub test: Vec<usize>,
}

/// `count` folds over the rows of a target: every row is tested once. Classes are spread evenly; with `groups`, rows of
/// one group are never split between learning and scoring (and classes are then spread only as the groups allow).
pub fn folds(target: &Target, groups: Option<&[usize]>, count: usize, seed: u64) -> Result<Vec<Fold>> {
    let n = target.rows();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let units: Vec<Vec<usize>> = match groups {
        Some(g) => {
            let mut by_group = std::collections::BTreeMap::<usize, Vec<usize>>::new();
            (0..n).for_each(|i| by_group.entry(g.get(i).copied().unwrap_or(i)).or_default().push(i));
            by_group.into_values().collect()
        }
        None => (0..n).map(|i| vec![i]).collect(),
    };
    let what = if groups.is_some() { "groups" } else { "rows" };
    if units.len() < 2 {
        return Err(Error::Data(format!("cross-validation needs at least 2 {what}, and there is {}", units.len())));
    }
    if count < 2 || units.len() < count {
        return Err(Error::OutOfDomain {
            owner: "cross-validation".into(),
            name: "folds".into(),
            value: count.to_string(),
            domain: format!("a whole number from 2 to {}, the number of {what}", units.len()),
        });
    }
    let class = |unit: &[usize]| match target {
        Target::Classes { codes, .. } => codes[unit[0]],
        _ => 0,
    };
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.shuffle(&mut random);
    // Dealt out class by class in one go, so that fold sizes differ by at most one.
    order.sort_by_key(|&u| class(&units[u]));
    let mut of = vec![0; n];
    for (turn, &u) in order.iter().enumerate() {
        units[u].iter().for_each(|&i| of[i] = turn % count);
    }
    let side = |k: usize, test: bool| (0..n).filter(|&i| (of[i] == k) == test).collect();
    Ok((0..count).map(|k| Fold { train: side(k, false), test: side(k, true) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Target {
        Target::Classes { codes: (0..103).map(|i| usize::from(i % 10 == 0)).collect(), names: vec!["a".into(), "b".into()] }
    }

    #[test]
    fn every_row_is_tested_once_and_classes_are_spread_evenly() {
        let target = classes();
        let made = folds(&target, None, 5, 1).unwrap();
        let mut tested: Vec<usize> = made.iter().flat_map(|f| f.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..103).collect::<Vec<_>>());
        for f in &made {
            assert_eq!(f.train.len() + f.test.len(), 103);
            let rare = f.test.iter().filter(|i| *i % 10 == 0).count();
            assert!((2..=3).contains(&rare), "11 rare rows over 5 folds, found {rare}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_folds_and_another_seed_others() {
        assert_eq!(folds(&classes(), None, 5, 7).unwrap(), folds(&classes(), None, 5, 7).unwrap());
        assert_ne!(folds(&classes(), None, 5, 7).unwrap(), folds(&classes(), None, 5, 8).unwrap());
    }

    #[test]
    fn rows_of_one_group_stay_together() {
        let groups: Vec<usize> = (0..103).map(|i| i / 4).collect();
        for f in folds(&classes(), Some(&groups), 5, 0).unwrap() {
            assert!(f.test.iter().all(|i| !f.train.iter().any(|j| groups[*j] == groups[*i])));
        }
    }

    #[test]
    fn too_few_rows_for_the_folds_is_an_error() {
        assert!(folds(&Target::numbers(&[1.0, 2.0]), None, 5, 0).is_err());
    }
}

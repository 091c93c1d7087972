//! Folds: seeded and stratified by class, whole groups kept together; or in order of time, learning from the past only.

use super::Target;
use crate::error::{Error, Result};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// One split: rows to learn from and rows to score on, both ascending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fold {
    /// Rows to learn from.
    pub train: Vec<usize>,
    /// Rows to score on.
    pub test: Vec<usize>,
}

/// Constraints on the split between training and test rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Split {
    /// Any row may be on either side.
    #[default]
    Rows,
    /// Rows of one group (a number per row) are on one side.
    Groups(Vec<usize>),
    /// Rows with one number are copies of one row: they are on one side, and are one row that has the weight of all.
    Copies(Vec<usize>),
    /// Rows are scored by models trained on rows of earlier times (a finite number per row).
    Time(Vec<f64>),
}

impl Split {
    /// The split of the given rows, in order.
    ///
    /// # Panics
    /// A row that there is not.
    pub fn select(&self, rows: &[usize]) -> Split {
        match self {
            Split::Rows => Split::Rows,
            Split::Groups(groups) => Split::Groups(rows.iter().map(|&i| groups[i]).collect()),
            Split::Copies(numbers) => Split::Copies(rows.iter().map(|&i| numbers[i]).collect()),
            Split::Time(times) => Split::Time(rows.iter().map(|&i| times[i]).collect()),
        }
    }

    /// The most folds that so many rows allow.
    pub fn most_folds(&self, rows: usize) -> usize {
        match self {
            Split::Rows => rows,
            Split::Groups(groups) | Split::Copies(groups) => groups.iter().collect::<std::collections::HashSet<_>>().len(),
            Split::Time(times) => starts(&in_order(times), times).len().saturating_sub(1),
        }
    }

    /// Whether each row may be on a side of its own.
    pub fn frees_rows(&self) -> bool {
        match self {
            Split::Rows => true,
            Split::Copies(_) => self.repeated().is_none(),
            Split::Groups(_) | Split::Time(_) => false,
        }
    }

    /// The numbers of rows of which some are copies.
    pub fn repeated(&self) -> Option<&[usize]> {
        match self {
            Split::Copies(numbers) if self.most_folds(numbers.len()) < numbers.len() => Some(numbers),
            _ => None,
        }
    }

    fn check(&self, rows: usize) -> Result<()> {
        let (what, found) = match self {
            Split::Rows => return Ok(()),
            Split::Groups(groups) | Split::Copies(groups) => ("groups", groups.len()),
            Split::Time(times) => ("times", times.len()),
        };
        if found != rows {
            return Err(Error::Shape { what: what.into(), expected: rows, found });
        }
        match self {
            Split::Time(times) if times.iter().any(|t| !t.is_finite()) => {
                Err(Error::Data("times: expected a finite number for each row".into()))
            }
            _ => Ok(()),
        }
    }
}

/// Rows by time, those of one time in their own order.
fn in_order(times: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    order
}

/// Where each different time begins among ordered rows.
fn starts(order: &[usize], times: &[f64]) -> Vec<usize> {
    (0..order.len()).filter(|&k| k == 0 || times[order[k - 1]] != times[order[k]]).collect()
}

/// `count` folds over the rows of a target.
///
/// Every row is tested once, and classes are spread evenly; rows of one group are never split between learning and
/// scoring (and classes are then spread only as the groups allow). In order of time, the rows are cut into `count` + 1
/// parts, and each part but the first is tested once by models trained on all parts before it; rows of one time stay
/// in one part.
///
/// # Errors
/// Fewer rows, groups or different times than the folds need.
pub fn folds(target: &Target, split: &Split, count: usize, seed: u64) -> Result<Vec<Fold>> {
    let n = target.rows();
    split.check(n)?;
    let what = match split {
        Split::Rows | Split::Copies(_) => "rows",
        Split::Groups(_) => "groups",
        Split::Time(_) => "times",
    };
    let most = split.most_folds(n);
    if most < 2 {
        let needed = if matches!(split, Split::Time(_)) { 3 } else { 2 };
        return Err(Error::Data(format!("cross-validation needs at least {needed} different {what}, and there are not as many")));
    }
    if count < 2 || most < count {
        let may = if most == 2 { "2 folds".into() } else { format!("2 to {most} folds") };
        // The first times are never tested.
        let first = usize::from(matches!(split, Split::Time(_)));
        let why = match count {
            0 | 1 => format!("cross-validation needs 2 folds or more: ask for {may}"),
            _ => format!("{count} folds need {} different {what}, and there are {}: ask for {may}", count + first, most + first),
        };
        return Err(Error::Setting { name: "folds".into(), why });
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let units: Vec<Vec<usize>> = match split {
        Split::Rows => (0..n).map(|i| vec![i]).collect(),
        Split::Groups(g) | Split::Copies(g) => {
            let mut by_group = std::collections::BTreeMap::<usize, Vec<usize>>::new();
            (0..n).for_each(|i| by_group.entry(g[i]).or_default().push(i));
            by_group.into_values().collect()
        }
        Split::Time(times) => return Ok(by_time(times, count)),
    };
    let class = |unit: &[usize]| match target {
        Target::Classes { codes, .. } => codes[unit[0]],
        _ => 0,
    };
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.shuffle(&mut random);
    // Dealt out class by class in one go, so that fold sizes differ by at most one; the class that the shuffle names first is the first,
    // so that neither names nor codes of classes decide.
    let mut turns = std::collections::HashMap::new();
    for &u in &order {
        let turn = turns.len();
        turns.entry(class(&units[u])).or_insert(turn);
    }
    order.sort_by_key(|&u| turns[&class(&units[u])]);
    let mut of = vec![0; n];
    for (turn, &u) in order.iter().enumerate() {
        units[u].iter().for_each(|&i| of[i] = turn % count);
    }
    let side = |k: usize, test: bool| (0..n).filter(|&i| (of[i] == k) == test).collect();
    Ok((0..count).map(|k| Fold { train: side(k, false), test: side(k, true) }).collect())
}

/// An expanding window: tested parts have n / (count + 1) rows, the first part what is left. A cut within rows of one
/// time moves back to their first, or on to the next time where that is taken already.
fn by_time(times: &[f64], count: usize) -> Vec<Fold> {
    let order = in_order(times);
    let starts = starts(&order, times);
    let size = times.len() / (count + 1);
    // Places among the different times at which tested parts begin: ascending, and enough left for those to come.
    let mut cuts: Vec<usize> = Vec::with_capacity(count + 1);
    for k in 0..count {
        let wanted = times.len() - (count - k) * size;
        let near = starts.partition_point(|&s| s <= wanted) - 1;
        let least = cuts.last().map_or(1, |last| last + 1);
        cuts.push(near.clamp(least, starts.len() - (count - k)));
    }
    let row = |cut: usize| starts.get(cut).copied().unwrap_or(times.len());
    let ends = cuts.iter().skip(1).copied().chain([starts.len()]);
    let sorted = |part: &[usize]| {
        let mut rows = part.to_vec();
        rows.sort_unstable();
        rows
    };
    let fold = |(&cut, end): (&usize, usize)| Fold { train: sorted(&order[..row(cut)]), test: sorted(&order[row(cut)..row(end)]) };
    cuts.iter().zip(ends).map(fold).collect()
}

/// Leaves further rows out of what is learnt from in folds that hold out fewer rows than there are classes, so that every class lacks as many
/// rows as the one that lacks most.
///
/// Leaving a row out makes its class rarer and its place emptier, which gives it away: what predicts the larger class is wrong on purpose
/// (Austin, Pe'er and Korem 2025, Distributional bias compromises leave-one-out cross-validation, whose remedy this is). Of each class a
/// row stays. Folds that follow time stay as they are.
pub(crate) fn lose_alike(folds: &mut [Fold], target: &Target, split: &Split, seed: u64) {
    let (Target::Classes { codes, names }, false) = (target, matches!(split, Split::Time(_))) else { return };
    for (k, fold) in folds.iter_mut().enumerate().filter(|(_, fold)| fold.test.len() < names.len()) {
        let mut lost = vec![0; names.len()];
        fold.test.iter().for_each(|&i| lost[codes[i]] += 1);
        let most = lost.iter().copied().max().unwrap_or(0);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(k as u64));
        let mut order: Vec<usize> = fold.train.clone();
        order.shuffle(&mut random);
        let mut left = vec![0; names.len()];
        order.iter().for_each(|&i| left[codes[i]] += 1);
        let mut gone = std::collections::HashSet::new();
        for &i in &order {
            let class = codes[i];
            if lost[class] < most && left[class] > 1 {
                (lost[class], left[class]) = (lost[class] + 1, left[class] - 1);
                gone.insert(i);
            }
        }
        fold.train.retain(|i| !gone.contains(i));
    }
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
        let made = folds(&target, &Split::Rows, 5, 1).unwrap();
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
        let made = |seed| folds(&classes(), &Split::Rows, 5, seed).unwrap();
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }

    fn three(order: [usize; 3]) -> Target {
        let codes = (0..61).map(|i| order[usize::from(i % 3 == 0) + usize::from(i % 7 == 0)]).collect();
        Target::Classes { codes, names: ["a", "b", "c"].map(String::from).to_vec() }
    }

    #[test]
    fn neither_names_nor_codes_of_classes_decide() {
        let groups = Split::Groups((0..61).map(|i| i / 2).collect());
        for (split, seed) in [Split::Rows, groups].iter().flat_map(|split| (0..5).map(move |seed| (split, seed))) {
            let made = folds(&three([0, 1, 2]), split, 4, seed).unwrap();
            for order in [[2, 1, 0], [1, 2, 0], [0, 2, 1]] {
                assert_eq!(made, folds(&three(order), split, 4, seed).unwrap());
            }
        }
    }

    #[test]
    fn copies_stay_together_and_are_dealt_as_one_row() {
        // Each row of 20 once, and some of them again at the end.
        let first: Vec<usize> = (0..20).collect();
        let all: Vec<usize> = first.iter().copied().chain([3, 3, 7, 19]).collect();
        let target = |rows: &[usize]| Target::Classes { codes: rows.iter().map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
        let once = folds(&target(&first), &Split::Rows, 5, 1).unwrap();
        let copies = Split::Copies(all.clone());
        assert_eq!(once, folds(&target(&first), &Split::Copies(first.clone()), 5, 1).unwrap());
        for (a, b) in once.iter().zip(folds(&target(&all), &copies, 5, 1).unwrap()) {
            let held_out: Vec<usize> = (0..24).filter(|&i| a.test.contains(&all[i])).collect();
            assert_eq!(b.test, held_out);
        }
        assert!(copies.repeated().is_some() && !copies.frees_rows());
        assert!(Split::Copies(first).frees_rows() && Split::Rows.frees_rows() && !Split::Groups(vec![0, 1]).frees_rows());
    }

    #[test]
    fn rows_of_one_group_stay_together() {
        let groups: Vec<usize> = (0..103).map(|i| i / 4).collect();
        for f in folds(&classes(), &Split::Groups(groups.clone()), 5, 0).unwrap() {
            assert!(f.test.iter().all(|i| !f.train.iter().any(|j| groups[*j] == groups[*i])));
        }
    }

    #[test]
    fn too_few_rows_for_the_folds_is_an_error() {
        assert!(folds(&Target::numbers(&[1.0, 2.0]), &Split::Rows, 5, 0).is_err());
    }

    fn in_time(times: &[f64], count: usize) -> Result<Vec<Fold>> {
        folds(&Target::numbers(&vec![0.0; times.len()]), &Split::Time(times.to_vec()), count, 0)
    }

    #[test]
    fn folds_in_order_of_time_learn_from_the_past_like_scikit_learn() {
        // scikit-learn 1.9.1: [(a.tolist(), b.tolist()) for a, b in TimeSeriesSplit(3).split(range(11))].
        let expected = [(0..5, 5..7), (0..7, 7..9), (0..9, 9..11)];
        let times: Vec<f64> = (0..11).map(f64::from).collect();
        let made = in_time(&times, 3).unwrap();
        let expected: Vec<Fold> = expected.into_iter().map(|(a, b)| Fold { train: a.collect(), test: b.collect() }).collect();
        assert_eq!(made, expected);
        // The order of the rows does not matter, only their times.
        let turned: Vec<f64> = times.iter().rev().copied().collect();
        let mirrored = |rows: &[usize]| rows.iter().rev().map(|i| 10 - i).collect::<Vec<_>>();
        for (a, b) in made.iter().zip(in_time(&turned, 3).unwrap()) {
            assert_eq!((mirrored(&a.train), mirrored(&a.test)), (b.train, b.test));
        }
    }

    #[test]
    fn rows_of_one_time_stay_in_one_part_and_too_few_times_are_an_error() {
        let times: Vec<f64> = (0..60).map(|i| f64::from(i / 7)).collect();
        for count in 2..=8 {
            let made = in_time(&times, count).unwrap();
            assert_eq!(made.len(), count);
            for f in &made {
                let (last, first) = (f.train.iter().map(|&i| times[i]), f.test.iter().map(|&i| times[i]));
                assert!(!f.test.is_empty() && last.fold(-1.0, f64::max) < first.fold(100.0, f64::min), "{count}: {f:?}");
            }
            assert_eq!(made.last().map(|f| f.train.len() + f.test.len()), Some(60));
        }
        assert!(
            in_time(&times, 9).unwrap_err().to_string().contains("9 folds need 10 different times, and there are 9: ask for 2 to 8 folds")
        );
        assert!(in_time(&[1.0, 1.0, 2.0, 2.0], 2).unwrap_err().to_string().contains("3 different times"));
        assert!(in_time(&[1.0, 2.0, f64::NAN, 4.0], 2).is_err());
    }

    #[test]
    fn one_row_left_out_takes_one_of_every_class_along() {
        let target = Target::classes(&["a", "a", "b", "b", "b", "c"]);
        let mut made = folds(&target, &Split::Rows, 6, 1).unwrap();
        lose_alike(&mut made, &target, &Split::Rows, 1);
        let Target::Classes { codes, .. } = &target else { panic!("classes expected") };
        for fold in &made {
            let of = |class: usize| fold.train.iter().filter(|&&i| codes[i] == class).count();
            // The only row of a class stays where it is not the one that is held out.
            assert_eq!([of(0), of(1), of(2)], [1, 2, usize::from(fold.test != [5])], "{fold:?}");
        }
        // Folds that can hold every class are stratified.
        let before = folds(&target, &Split::Rows, 2, 1).unwrap();
        let mut after = before.clone();
        lose_alike(&mut after, &target, &Split::Rows, 1);
        assert_eq!(before, after);
    }
}
